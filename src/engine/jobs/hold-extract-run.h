/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the steps of one extraction share. The steps: hold-extract-plan.c gives every entry a name,
 * hold-extract-place.c compares the names with the disk, hold-extract-write.c writes the data,
 * hold-extract-link.c the links; hold-job-extract.c strings them together. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-backend.h"
#include "hold-disk-sink.h"
#include "hold-job-extract.h"
#include "hold-job-private.h"

G_BEGIN_DECLS

typedef enum {
  HOLD_ITEM_PENDING,
  HOLD_ITEM_DONE,
  HOLD_ITEM_OVER, /* failed, skipped or refused; the report says which */
} HoldItemState;

/* One entry on its way to the disk. */
typedef struct {
  guint index;
  guint source; /* the entry whose data it gets: itself, but for a hard link whose file is not
                   extracted (F18) */
  const HoldEntry *entry;
  const char *name;  /* below the top of the extraction, bytes */
  const char *place; /* below the sink's folder */
  guint link_to;     /* HARDLINK: position of the item with the data */
  guint twin;        /* position + 1 of an item whose name differs by case or composition only, or
                      * G_MAXUINT for a folder (Z20); 0: none */
  guint8 type;       /* HoldEntryType: what is made of it */
  guint8 state;      /* HoldItemState */
  guint8 tries;
  int space_round; /* what that of the run was when writing it began */
  guint is_second : 1; /* another item of this run has its name: it gets a number, and the report
                          says so (Z10, Z13) */
  guint was_there : 1; /* something lay at its place before this run */
  guint replace : 1;   /* and gives way */
} HoldExtractItem;

typedef struct {
  HoldJob *job;
  const HoldExtractRequest *request;
  HoldArchive *archive;
  HoldKeyring *keyring;
  HoldReport *report;
  GCancellable *cancellable;
  HoldDiskSink *sink;

  GArray *items; /* HoldExtractItem in archive order */
  GStringChunk *strings;
  GHashTable *names; /* name → position + 1 of the item, or G_MAXUINT for a folder */
  guint n_top;       /* different first parts, without "__MACOSX" */
  char *top_folder;  /* the one first part, if that is a folder */
  char *prefix;      /* (nullable): the new folder that all goes into */
  gboolean dest_was_empty;
  GHashTable *folders;   /* name → HoldExtractFolder */
  GHashTable *by_source; /* index → position + 1: what is being read now */
  guint64 bytes_after;   /* of the work that the job has to do after this one */

  /* Locked. */
  GMutex lock;
  GHashTable *top_items; /* names made at the top */
  GError *first_error;
  guint n_failed;
  guint n_done;          /* without folders */
  guint64 unsized_bytes; /* written of entries whose size nobody declared */
  gboolean may_be_large; /* a person said so */

  /* Locked while asking, so that "for all" is heard by whoever waits. */
  GMutex ask_lock;
  int space_round; /* atomic; how often a person said that there is space now */
  HoldConflict conflict;
} HoldExtractRun;

/* hold-extract-plan.c */
gboolean hold_extract_plan (HoldExtractRun *run, GError **error);

/* hold-extract-place.c */
gboolean hold_extract_place (HoldExtractRun *run, GError **error);
gboolean hold_extract_place_again (HoldExtractRun *run, HoldExtractItem *item, GError **error);
/* A place beside the taken one. */
void hold_extract_number_item (HoldExtractRun *run, HoldExtractItem *item);
/* Reports that @item did not get the name it has in the archive. */
void hold_extract_report_number (HoldExtractRun *run, HoldExtractItem *item);

/* hold-extract-write.c */
gboolean hold_extract_make_folders (HoldExtractRun *run, GError **error);
gboolean hold_extract_write_files (HoldExtractRun *run, GError **error);

/* hold-extract-link.c */
void hold_extract_find_link_sources (HoldExtractRun *run);
gboolean hold_extract_make_links (HoldExtractRun *run, GError **error);

/* hold-job-extract.c: what became of an item; @error is copied. Thread: any. */
void hold_extract_settle_done (HoldExtractRun *run, HoldExtractItem *item, guint64 n_bytes);
void hold_extract_settle_bad (HoldExtractRun *run, HoldExtractItem *item, HoldOutcome outcome,
                              const GError *error);
void hold_extract_get_meta (const HoldEntry *entry, HoldDiskMeta *meta);

/* Below this much no ratio of sizes is worth a question. */
#define HOLD_RATIO_FROM_BYTES (G_GUINT64_CONSTANT (1) << 30)

/**
 * HoldExtractResult:
 * @bytes_after: (in): bytes that the job will count after this; part of the total from the start
 * @arrived: (in) (nullable): gets the indices, sorted, of all entries that lie at the destination;
 * asking for it makes them durable and looks once more that they are there
 * @folder, @items: (out): where it went, and the top items made there; owned by the struct
 */
typedef struct {
  guint64 bytes_after;
  GArray *arrived;
  char *folder;
  char **items;
} HoldExtractResult;

void hold_extract_result_clear (HoldExtractResult *self);

/* hold-job-extract.c: the whole row of steps, for a job that extracts. @request: taken to the
 * newest snapshot of its archive first. Thread: the job's worker. Blocks: yes. Errors: as
 * hold-job-extract.h. */
gboolean hold_extract_run (HoldJob *job, HoldExtractRequest *request, HoldExtractResult *result,
                           GCancellable *cancellable, GError **error);

/* hold-extract-arrive.c */
gboolean hold_extract_arrive (HoldExtractRun *run, GArray *arrived, GError **error);
void hold_extract_request_renew (HoldExtractRequest *request, HoldReport *report);

#define hold_extract_item(run, position) (&g_array_index ((run)->items, HoldExtractItem, position))

G_END_DECLS
