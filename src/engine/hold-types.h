/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Forward names of every type, so that headers rarely include each other. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* The least size of one file of a set. */
#define HOLD_VOLUME_MIN_BYTES (64 * 1024)

typedef struct _HoldArchive HoldArchive;
typedef struct _HoldEntry HoldEntry;
typedef struct _HoldFormat HoldFormat;
typedef struct _HoldJob HoldJob;
typedef struct _HoldKeyring HoldKeyring;
typedef struct _HoldNode HoldNode;
typedef struct _HoldQuestion HoldQuestion;
typedef struct _HoldReport HoldReport;
typedef struct _HoldScheduler HoldScheduler;
typedef struct _HoldSecret HoldSecret;
typedef struct _HoldTree HoldTree;

G_END_DECLS
