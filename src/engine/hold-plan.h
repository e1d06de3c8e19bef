/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a new archive will consist of, decided and checked before a byte of it is written. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"

G_BEGIN_DECLS

/**
 * HoldPlan:
 *
 * A list of steps in the order of the new archive. It starts as "keep everything" of a snapshot
 * (or as nothing, for a
 * new archive); edits are applied one after the other, each seeing the result of those before, so
 * that any number of
 * them costs one rewrite:
 *
 *   plan = hold_plan_new (archive);
 *   hold_plan_rename (plan, "a", "b", &error);
 *   hold_plan_drop (plan, "b/old.txt", &error);
 *   hold_plan_get_cost (plan, &cost);
 *   backend->rewrite (plan, …);
 *
 * Replacing is dropping and adding at the place of what was dropped, so that the order stays. An
 * edit that can't be done
 * (nothing of that name, the name is taken, a file where a folder is needed) is refused with an
 * error and changes nothing.
 * Thread: one at a time.
 */
typedef struct _HoldPlan HoldPlan;

/**
 * HoldPlanSource:
 * Where a new entry comes from: the disk (@disk_path) or, as it is, another archive (@archive,
 * @index).
 * @type: FILE, FOLDER or SYMLINK
 * @device, @inode, @ctime_ns: with size and time, which file lay at @disk_path when it was found
 * @origin: the entry of @archive that was asked for; @index has its data
 * @owner: (nullable): whose edit it is; only ever compared
 */
typedef struct {
  HoldEntryType type;
  char *disk_path;
  char *link_target;
  guint64 size_bytes;
  gint64 mtime;
  guint mtime_ns;
  guint mode;
  guint64 device;
  guint64 inode;
  gint64 ctime_ns;
  HoldArchive *archive;
  guint index;
  guint origin;
  gconstpointer owner;
} HoldPlanSource;

HoldPlanSource *hold_plan_source_new_folder (void);   /* mode 0755, time now */
void            hold_plan_source_free       (HoldPlanSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldPlanSource, hold_plan_source_free)

typedef enum {
  HOLD_STEP_KEEP,    /* byte for byte */
  HOLD_STEP_RENAME,  /* like KEEP, under the step's path */
  HOLD_STEP_ADD,     /* from the step's source */
  HOLD_STEP_REPLACE, /* from the step's source; if that can't be read, like RENAME: what was there is not lost */
} HoldStepKind;

/* @index: entry of the snapshot (KEEP, RENAME, REPLACE). @path: UTF-8, without a trailing "/". */
typedef struct {
  HoldStepKind kind;
  guint index;
  const char *path;
  const HoldPlanSource *source;
} HoldPlanStep;

/* @read_bytes, @write_bytes: of file content moved; @recompressed_bytes: of those, what must be
 *   packed anew. */
typedef struct {
  guint n_kept;
  guint n_dropped;
  guint n_renamed;
  guint n_added;
  guint64 read_bytes;
  guint64 write_bytes;
  guint64 recompressed_bytes;
} HoldPlanCost;

HoldPlan *hold_plan_new        (HoldArchive *archive);          /* keeps a reference */
HoldPlan *hold_plan_new_create (const HoldFormat *format);
/* Everything of @archive, for another file of @format, which the same backend must write. */
HoldPlan *hold_plan_new_convert (HoldArchive *archive, const HoldFormat *format);
void      hold_plan_free       (HoldPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldPlan, hold_plan_free)

HoldArchive      *hold_plan_get_archive (HoldPlan *self);       /* (nullable) for a new archive */
const HoldFormat *hold_plan_get_format  (HoldPlan *self);
gboolean          hold_plan_is_unchanged (HoldPlan *self);
gboolean          hold_plan_is_conversion (HoldPlan *self);     /* does the snapshot's own file stay? */

/* Entry or folder with all below it; every entry of that path. Errors: G_IO_ERROR_NOT_FOUND. */
gboolean hold_plan_drop       (HoldPlan *self, const char *path, GError **error);
/* One entry of the snapshot, alone. Dropping twice is fine. */
void     hold_plan_drop_index (HoldPlan *self, guint index);
/* Entry or folder with all below it. Errors: NOT_FOUND, EXISTS, NOT_DIRECTORY, INVALID_FILENAME;
 * into itself: WOULD_RECURSE. */
gboolean hold_plan_rename     (HoldPlan *self, const char *old_path, const char *new_path, GError **error);
/* One entry of the snapshot, wherever it is by now; of several with one name only this one. A folder
 * takes along all below it. Errors: as hold_plan_rename(). */
gboolean hold_plan_rename_index (HoldPlan *self, guint index, const char *new_path, GError **error);
/* Takes @source. With @replace an entry of that path (not a folder by a file, nor the reverse)
 * gives way. A folder that is there already is fine (W02). Errors: EXISTS, NOT_DIRECTORY,
 * IS_DIRECTORY, INVALID_FILENAME. */
gboolean hold_plan_add        (HoldPlan *self, const char *path, HoldPlanSource *source, gboolean replace, GError **error);

/* (transfer full): @path, or "a (2).txt" if that is taken, the first that is free. */
char    *hold_plan_free_path  (HoldPlan *self, const char *path);
/* Does the result hold something at @path, or below it? */
gboolean hold_plan_has        (HoldPlan *self, const char *path, gboolean *is_folder);

/* The steps of the result, in its order. Borrowed; valid until the next edit. */
const HoldPlanStep *hold_plan_get_steps (HoldPlan *self, guint *n_steps);
void                hold_plan_get_cost  (HoldPlan *self, HoldPlanCost *cost);

G_END_DECLS
