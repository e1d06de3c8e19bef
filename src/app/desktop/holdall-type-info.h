/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What kind of thing a name is: icon and words of the desktop's type database, asked once per
 * suffix, so that 100,000 rows cost a few dozen look-ups. */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

typedef struct {
  char *content_type;   /* (nullable): none for folders, links and special files */
  char *description;    /* for people, translated */
  GIcon *icon;
  GIcon *symbolic_icon;
} HoldallTypeInfo;

/* Both: Thread: any. Blocks: no (the database is mapped into memory). The result lives as long as
 * the process. */
const HoldallTypeInfo *holdall_type_info_for_name (const char *name);
const HoldallTypeInfo *holdall_type_info_for_node (HoldNode *node);

G_END_DECLS
