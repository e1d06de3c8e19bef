/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Decides by content which backend opens a file, and says clearly what is none of them. */

#include "hold-backend.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold-backend-signature.h"
#include "hold-volumes.h"

static void
close_fd (int *fd)
{
  if (*fd >= 0 && close (*fd) != 0)
    g_debug ("closing an archive: %s", g_strerror (errno));
}

typedef int Descriptor;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Descriptor, close_fd)

/* O_NONBLOCK: a fifo without a writer must not hang us. */
static int
open_file (const char *path, const char *shown, GError **error)
{
  g_auto (Descriptor) fd = TEMP_FAILURE_RETRY (open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat st;
  int result;

  if (fd < 0 || fstat (fd, &st) != 0)
    {
      int saved = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved), "can't open “%s”: %s", shown,
                   g_strerror (saved));
      return -1;
    }
  if (S_ISDIR (st.st_mode))
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE, "“%s” is a folder, not an archive", shown);
  else if (!S_ISREG (st.st_mode) && !S_ISBLK (st.st_mode))
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE, "“%s” is not a file", shown);
  else if (S_ISREG (st.st_mode) && st.st_size == 0)
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE, "“%s” is an empty file, not an archive", shown);
  else
    {
      result = fd;
      fd = -1;
      return result;
    }
  return -1;
}

static gboolean
is_other_format (const GError *error)
{
  return g_error_matches (error, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE);
}

static HoldArchive *
try_backend (const HoldBackend *backend, const HoldBackendOpen *open, const HoldFileIdentity *identity,
             GCancellable *cancellable, GError **error)
{
  g_autoptr (HoldArchiveBuilder) builder = hold_archive_builder_new (open->path, open->encoding, &open->limits);
  gpointer backend_data = NULL;

  hold_archive_builder_set_identity (builder, identity);
  if (!backend->open (open, builder, &backend_data, cancellable, error))
    return NULL;
  return hold_archive_builder_finish (builder, backend, backend_data, error);
}

/* The sentence for what nobody could read. */
static void
set_not_archive (HoldSignature signature, const char *name, const char *shown, GError **error)
{
  if (signature == HOLD_SIGNATURE_UNREADABLE)
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED, "“%s”: %s can't be read here", shown, name);
  else
    g_set_error (error, HOLD_ERROR, HOLD_ERROR_NOT_ARCHIVE,
                 "“%s” is not an archive that Holdall knows", shown);
}

static HoldArchive *
open_with_any (const HoldBackendOpen *open, const HoldFileIdentity *identity, const char *shown,
               GCancellable *cancellable, GError **error)
{
  const HoldBackend *order[2] = { &hold_backend_libarchive, &hold_backend_zip };
  guint8 head[HOLD_SIGNATURE_BYTES];
  const char *name;
  HoldSignature signature;
  gsize length;

  if (!hold_volumes_read (open->volumes, 0, head, sizeof head, &length, error))
    return NULL;
  signature = hold_signature_examine (head, length, &name);
  if (signature == HOLD_SIGNATURE_ZIP || signature == HOLD_SIGNATURE_PROGRAM)
    {
      order[0] = &hold_backend_zip;
      order[1] = &hold_backend_libarchive;
    }

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_autoptr (GError) local = NULL;
      HoldArchive *archive;

      /* What bears the signature of one format is not searched for another inside. */
      if (i == 1 && (signature == HOLD_SIGNATURE_OTHER || signature == HOLD_SIGNATURE_ZIP))
        break;
      archive = try_backend (order[i], open, identity, cancellable, &local);
      if (archive != NULL)
        return archive;
      if (!is_other_format (local))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return NULL;
        }
    }
  set_not_archive (signature, name, shown, error);
  return NULL;
}

HoldArchive *
hold_backend_open_archive (const char *path, const char *encoding, HoldKeyring *keyring, const HoldLimits *limits,
                           void (*consumed) (gpointer, guint64), gpointer user_data,
                           GCancellable *cancellable, GError **error)
{
  g_autofree char *shown = g_filename_display_basename (path);
  g_auto (Descriptor) fd = open_file (path, shown, error);
  g_autoptr (HoldVolumes) volumes = NULL;
  HoldFileIdentity identity;
  HoldBackendOpen open = {
    .path = path,
    .encoding = encoding,
    .keyring = keyring,
    .limits = limits != NULL ? *limits : hold_limits_default,
    .consumed = consumed,
    .user_data = user_data,
  };

  if (fd < 0 || !hold_file_identity_from_fd (fd, &identity, error))
    return NULL;
  volumes = hold_volumes_open (path, fd, error);
  if (volumes == NULL)
    return NULL;
  open.fd = fd;
  open.volumes = volumes;
  return open_with_any (&open, &identity, shown, cancellable, error);
}
