/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The vtable behind which formats hide. Backends are plain, blocking C: they know no jobs, no
 * progress, no questions; they are given callbacks and a cancellable. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include "hold-archive-private.h"
#include "hold-compute.h"
#include "hold-keyring.h"
#include "hold-plan.h"
#include "hold-stream.h"

G_BEGIN_DECLS

/**
 * HoldBackendOpen:
 * @path: absolute, file-system encoding
 * @fd: open for reading, positioned anywhere; borrowed (dup it to keep it)
 * @keyring: (nullable)
 * @volumes: (nullable): the parts of a split set, or the one file; found from @path and @fd if NULL
 * @consumed: (nullable): told the bytes of the file read so far (absolute), now and then
 */
typedef struct {
  const char *path;
  int fd;
  struct _HoldVolumes *volumes;
  const char *encoding;
  HoldKeyring *keyring;
  HoldLimits limits;
  void (*consumed) (gpointer user_data, guint64 file_bytes);
  gpointer user_data;
} HoldBackendOpen;

typedef enum { HOLD_VISIT_TAKE, HOLD_VISIT_SKIP, HOLD_VISIT_STOP } HoldVisit;

/**
 * HoldVisitor:
 * What a pass over an archive calls, in archive order, all from the calling thread.
 * @begin: a wanted entry comes. TAKE: its data will follow; SKIP; STOP with or without @error ends
 * the pass.
 * @data: the next bytes at @offset (a gap before it is a hole of zeros). FALSE with @error ends
 * the entry: the pass goes on if @end agrees.
 * @end: the entry is over; @error NULL: whole and, where the format has a checksum, verified. The
 * declared size was checked.
 *       FALSE with @stop: the pass ends with that error.
 * @consumed: (nullable): bytes of the archive file read so far
 */
typedef struct {
  HoldVisit (*begin)  (gpointer user_data, guint index, GError **error);
  gboolean  (*data)   (gpointer user_data, const guint8 *data, gsize length_bytes, guint64 offset, GError **error);
  gboolean  (*end)    (gpointer user_data, guint index, const GError *error, GError **stop);
  void      (*consumed) (gpointer user_data, guint64 file_bytes);
  gpointer user_data;
} HoldVisitor;

/**
 * HoldWriteOptions:
 * @level: of compression, -1: the format's default
 * @method: (nullable): one of the format's methods, for new entries
 * @keyring: (nullable): to decode what a format can't keep raw
 * @secret: (nullable): encrypts new entries
 * @compute: (nullable): where new entries are packed
 */
typedef struct {
  int level;
  const char *method;
  HoldKeyring *keyring;
  HoldSecret *secret;
  HoldCompute *compute;
} HoldWriteOptions;

/**
 * HoldRewriteWatch:
 * @moved: so many more bytes of content were written (as HoldPlanCost counts them); FALSE with
 * @error stops. Any thread.
 * @step: (nullable): the path that is worked on
 * @failed: a source that could not be read; it is left out of the new archive, whole. Any thread.
 * @changed: a source that is in the new archive, but was altered while it was read
 */
typedef struct {
  gboolean (*moved)  (gpointer user_data, guint64 n_bytes, GError **error);
  void     (*step)   (gpointer user_data, const char *path);
  void     (*failed) (gpointer user_data, const char *path, const GError *error);
  void     (*changed) (gpointer user_data, const char *path, const GError *error);
  gpointer user_data;
} HoldRewriteWatch;

struct _HoldBackend {
  const char *name;

  /* Reads the list into @builder; *backend_data is kept with the snapshot. Errors: NOT_ARCHIVE if
   * it is not this backend's at all. */
  gboolean (*open) (const HoldBackendOpen *open, HoldArchiveBuilder *builder, gpointer *backend_data,
                    GCancellable *cancellable, GError **error);

  /* One sequential pass. @indices sorted (NULL: all). Ends as soon as the last wanted entry is done
   * (L04). An entry's failure goes to visitor->end; FALSE means the pass itself could not go on.
   * Encrypted entries: every secret of @keyring is tried; PASSWORD_NEEDED / PASSWORD_WRONG per
   * entry. */
  gboolean (*read_pass) (HoldArchive *archive, const guint *indices, guint n_indices, HoldKeyring *keyring,
                         const HoldVisitor *visitor, GCancellable *cancellable, GError **error);

  /* RANDOM_ACCESS only, else NULL. One entry, from any number of threads at once. @workspace: from
   * new_workspace, one per thread. */
  gboolean (*read_entry) (HoldArchive *archive, guint index, gpointer workspace, HoldKeyring *keyring,
                          HoldWriteFunc write, gpointer user_data, GCancellable *cancellable, GError **error);
  /* (nullable): of formats that can be written encrypted: reads an entry that is, and tells by which
   * password. @secret: (out) (nullable) (transfer full): also where @write stops it. Errors: as
   * read_entry. */
  gboolean (*read_secret) (HoldArchive *archive, guint index, HoldKeyring *keyring, HoldWriteFunc write,
                           gpointer user_data, HoldSecret **secret, GCancellable *cancellable, GError **error);
  gpointer (*new_workspace)  (HoldArchive *archive);
  void     (*free_workspace) (gpointer workspace);

  /* (nullable): writes the archive that @plan describes to @fd, from offset 0, and verifies what
   * stands there by reading it back. The plan's snapshot is of this backend or there is none.
   * Errors: everything that HoldOutput must roll back for. */
  gboolean (*rewrite) (HoldPlan *plan, int fd, const HoldWriteOptions *options, const HoldRewriteWatch *watch,
                       GCancellable *cancellable, GError **error);

  /* Is the file of that number on that device one that the archive is read from? Blocks: no. */
  gboolean (*has_file) (gpointer backend_data, guint64 device, guint64 inode);

  char   **(*dup_details) (HoldArchive *archive, guint index);  /* (nullable) extra lines for properties */
  void     (*free_data)   (gpointer backend_data);
};

extern const HoldBackend hold_backend_zip;
extern const HoldBackend hold_backend_libarchive;

/* The backend that writes @format; NULL if none does. */
const HoldBackend *hold_backend_for_format (const HoldFormat *format);

/* Opens @path with the backend that its content asks for: magic numbers first, a ZIP end record,
 * then libarchive's own bids.
 * Blocks: yes. Errors: see hold-job-open.h. A folder, an empty file, random bytes: NOT_ARCHIVE with
 *   a clear sentence. */
HoldArchive *hold_backend_open_archive (const char *path, const char *encoding, HoldKeyring *keyring, const HoldLimits *limits,
                                        void (*consumed) (gpointer, guint64), gpointer user_data,
                                        GCancellable *cancellable, GError **error);

G_END_DECLS
