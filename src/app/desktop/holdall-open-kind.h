/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* How a file may be opened that came out of an archive, from a place that nobody vouches for: its
 * usual program may show it, but it must never become a program itself (S08). */

#pragma once

#include <hold.h>

G_BEGIN_DECLS

/* From harmless to dangerous. */
typedef enum {
  HOLDALL_OPEN_USUAL,    /* with the usual program for its kind */
  HOLDALL_OPEN_ARCHIVE,  /* as a folder, in a window of ours */
  HOLDALL_OPEN_TEXT,     /* a script: its text may be shown, its usual program might run it */
  HOLDALL_OPEN_NEVER,    /* a program, or what only a program runs */
} HoldallOpenKind;

/* Enough of a file's beginning to tell what it is, in bytes. */
#define HOLDALL_OPEN_HEAD 4096

/**
 * holdall_open_kind:
 * @name: of the file
 * @head: (nullable): its first bytes; without them only the name is looked at, which is enough to say
 *   HOLDALL_OPEN_NEVER and for nothing else
 * @type: (out) (optional) (transfer full): the content type
 *
 * Thread: any. Blocks: shortly, on the desktop's databases.
 */
HoldallOpenKind holdall_open_kind         (const char *name, const guint8 *head, gsize n_head, char **type);

/* The usual program for a kind of file: neither this one, nor one that would run the file. Thread:
 * any. (nullable) (transfer full) */
GAppInfo       *holdall_open_kind_dup_app (const char *type);
/* Whether @app would run what it is given. */
gboolean        holdall_open_kind_runs    (GAppInfo *app);

G_END_DECLS
