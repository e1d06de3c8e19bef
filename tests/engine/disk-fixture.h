/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the tests of the disk sink share: a target with something precious beside it, and looks at
 * what came of it. */

#pragma once

#include "hold-disk-private.h"

typedef struct {
  char *root;       /* all of the test lies here */
  char *target;     /* root/target */
  char *outside;    /* root/outside, with the file "precious" */
  HoldDiskSink *sink;
} DiskFixture;

void disk_put (const char *folder, const char *name, const char *text);
void disk_assert_content (const char *folder, const char *name, const char *text);
gboolean disk_get_stat (const char *folder, const char *name, struct stat *st);
guint disk_get_mode (const char *folder, const char *name);
guint disk_count_children (const char *folder);
void disk_set_up (DiskFixture *fixture, gconstpointer data);
void disk_tear_down (DiskFixture *fixture, gconstpointer data);
/* A whole file at once; as the functions of HoldDiskFile. */
gboolean disk_write_file (HoldDiskSink *sink, const char *name, const guint8 *data, gsize length_bytes,
                          const HoldDiskMeta *meta, gboolean replace, GError **error);
gboolean disk_write_text (HoldDiskSink *sink, const char *name, const char *text, gboolean replace, GError **error);
void disk_assert_written (HoldDiskSink *sink, const char *name, const char *text);
void disk_finish (HoldDiskSink *sink);

#define ADD(name, func) \
  g_test_add ("/disk-sink/" name, DiskFixture, GINT_TO_POINTER (FALSE), disk_set_up, func, disk_tear_down)
/* Also the way by hidden names. */
#define ADD_BOTH(name, func) \
  ADD (name, func); \
  g_test_add ("/disk-sink/named/" name, DiskFixture, GINT_TO_POINTER (TRUE), disk_set_up, func, disk_tear_down)
