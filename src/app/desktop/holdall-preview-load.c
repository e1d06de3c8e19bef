/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* An entry's name only decides how much is read; what it is, its content says. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gio/gunixinputstream.h>
#include <string.h>
#include <sys/stat.h>

#include "holdall-preview-load.h"
#include "holdall-type-info.h"

/* What one reads at a glance. */
#define MAX_TEXT_BYTES (32 * 1024)
#define MAX_PICTURE_BYTES (32 * 1024 * 1024)
/* A picture may say it is larger than memory: more pixels than this are not decoded. */
#define MAX_PIXELS (64 * 1000 * 1000)
#define PICTURE_SIZE 640
/* Reading any entry of a solid archive reads all before it: that is fine while the archive is
 * small. */
#define MAX_SOLID_BYTES (64 * 1024 * 1024)

typedef struct {
  HoldArchive *archive;
  HoldKeyring *keyring;
  guint index;
  gboolean is_picture;
} Request;

typedef struct {
  GByteArray *bytes;
  gsize limit;
  gboolean is_cut;
} Reading;

void
holdall_preview_content_free (HoldallPreviewContent *self)
{
  g_clear_object (&self->texture);
  g_clear_pointer (&self->text, g_free);
  g_free (self);
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_clear_object (&request->archive);
  g_clear_pointer (&request->keyring, hold_keyring_unref);
  g_free (request);
}

static gboolean
read_cb (gpointer       user_data,
         const guint8  *data,
         gsize          length_bytes,
         GError       **error)
{
  Reading *reading = user_data;
  gsize room = reading->limit - reading->bytes->len;

  g_byte_array_append (reading->bytes, data, (guint) MIN (length_bytes, room));
  if (length_bytes < room)
    return TRUE;
  /* Enough is no failure; it only is the one way to stop. */
  reading->is_cut = TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "enough");
  return FALSE;
}

static void
size_prepared_cb (GdkPixbufLoader *loader,
                  int              width,
                  int              height,
                  gpointer         user_data)
{
  gboolean *too_large = user_data;

  if (width <= 0 || height <= 0 || (gint64) width * height > MAX_PIXELS)
    {
      *too_large = TRUE;
      gdk_pixbuf_loader_set_size (loader, 1, 1);
    }
  else if (width > PICTURE_SIZE || height > PICTURE_SIZE)
    {
      double scale = (double) PICTURE_SIZE / MAX (width, height);

      gdk_pixbuf_loader_set_size (loader, MAX (1, (int) (width * scale)),
                                  MAX (1, (int) (height * scale)));
    }
}

static GdkTexture *
decode_picture (GByteArray   *bytes,
                GCancellable *cancellable)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  g_autoptr (GdkPixbuf) upright = NULL;
  gboolean too_large = FALSE;
  gboolean valid = TRUE;
  gsize chunk = 64 * 1024;
  GdkPixbuf *pixbuf;

  g_signal_connect (loader, "size-prepared", G_CALLBACK (size_prepared_cb), &too_large);
  for (gsize done = 0; done < bytes->len && valid; done += chunk)
    {
      valid = gdk_pixbuf_loader_write (loader, bytes->data + done, MIN (chunk, bytes->len - done),
                                       NULL) &&
              !too_large && !g_cancellable_is_cancelled (cancellable);
    }
  if (!gdk_pixbuf_loader_close (loader, NULL) || !valid)
    return NULL;
  pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf == NULL)
    return NULL;
  upright = gdk_pixbuf_apply_embedded_orientation (pixbuf);
  return gdk_texture_new_for_pixbuf (upright);
}

/* Text is what is UTF-8 without control characters that no text holds. */
static char *
take_text (GByteArray *bytes,
           gboolean    is_cut)
{
  const char *start = (const char *) bytes->data;
  const char *end = NULL;

  if (bytes->len == 0 || memchr (bytes->data, '\0', bytes->len) != NULL)
    return NULL;
  if (!g_utf8_validate (start, bytes->len, &end) &&
      (!is_cut || (gsize) (start + bytes->len - end) >= 4))
    return NULL;
  for (const char *p = start; p < end; p++)
    {
      if ((guchar) *p < ' ' && strchr ("\t\n\r\f\033", *p) == NULL)
        return NULL;
    }
  return g_strndup (start, (gsize) (end - start));
}

static void
load_worker (GTask        *task,
             gpointer      source_object,
             gpointer      task_data,
             GCancellable *cancellable)
{
  Request *request = task_data;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (HoldallPreviewContent) content = g_new0 (HoldallPreviewContent, 1);
  g_autoptr (GError) error = NULL;
  Reading reading = { bytes, request->is_picture ? MAX_PICTURE_BYTES : MAX_TEXT_BYTES, FALSE };

  if (!hold_archive_read_entry (request->archive, request->index, request->keyring, read_cb,
                                &reading, cancellable, &error) &&
      !reading.is_cut)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  if (request->is_picture && !reading.is_cut)
    content->texture = decode_picture (bytes, cancellable);
  if (content->texture == NULL)
    {
      if (bytes->len > MAX_TEXT_BYTES)
        {
          g_byte_array_set_size (bytes, MAX_TEXT_BYTES);
          reading.is_cut = TRUE;
        }
      content->text = take_text (bytes, reading.is_cut);
      content->is_cut = reading.is_cut;
    }
  g_task_return_pointer (task, g_steal_pointer (&content),
                         (GDestroyNotify) holdall_preview_content_free);
}

/* A link is not followed, and a pipe not waited for. */
static GByteArray *
read_file (const char    *path,
           GCancellable  *cancellable,
           GError       **error)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct stat st;
  gsize length;

  if (fd < 0)
    {
      g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
      return NULL;
    }
  stream = g_unix_input_stream_new (fd, TRUE);
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_size > MAX_PICTURE_BYTES)
    return g_steal_pointer (&bytes);
  g_byte_array_set_size (bytes, (guint) st.st_size);
  if (!g_input_stream_read_all (stream, bytes->data, bytes->len, &length, cancellable, error))
    return NULL;
  g_byte_array_set_size (bytes, (guint) length);
  return g_steal_pointer (&bytes);
}

static void
load_file_worker (GTask        *task,
                  gpointer      source_object,
                  gpointer      task_data,
                  GCancellable *cancellable)
{
  g_autoptr (HoldallPreviewContent) content = g_new0 (HoldallPreviewContent, 1);
  GError *error = NULL;
  g_autoptr (GByteArray) bytes = read_file (task_data, cancellable, &error);

  if (bytes == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  if (bytes->len > 0)
    content->texture = decode_picture (bytes, cancellable);
  g_task_return_pointer (task, g_steal_pointer (&content),
                         (GDestroyNotify) holdall_preview_content_free);
}

static gboolean
is_picture_type (const HoldallTypeInfo *info)
{
  g_autofree char *mime_type =
    info->content_type != NULL ? g_content_type_get_mime_type (info->content_type) : NULL;

  return mime_type != NULL && g_str_has_prefix (mime_type, "image/");
}

gboolean
holdall_preview_can_load (HoldArchive *archive,
                          HoldNode    *node,
                          HoldKeyring *keyring)
{
  const HoldEntry *entry = hold_node_get_entry (node);
  gboolean is_complete;

  if (entry == NULL || hold_node_is_folder (node) ||
      hold_entry_get_type (entry) != HOLD_ENTRY_FILE || !hold_entry_is_readable (entry))
    return FALSE;
  if (hold_entry_is_encrypted (entry) && hold_keyring_is_empty (keyring))
    return FALSE;
  if ((hold_archive_get_caps (archive) & HOLD_CAP_RANDOM_ACCESS) != 0)
    return TRUE;
  return hold_archive_get_size (archive) <= MAX_SOLID_BYTES &&
         hold_archive_get_unpacked_size (archive, &is_complete) <= 4 * (guint64) MAX_SOLID_BYTES;
}

void
holdall_preview_load_async (HoldArchive         *archive,
                            HoldNode            *node,
                            HoldKeyring         *keyring,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Request *request = g_new0 (Request, 1);

  request->archive = g_object_ref (archive);
  request->keyring = hold_keyring_ref (keyring);
  request->index = hold_entry_get_index (hold_node_get_entry (node));
  request->is_picture = is_picture_type (holdall_type_info_for_node (node));
  g_task_set_source_tag (task, holdall_preview_load_async);
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, load_worker);
}

void
holdall_preview_load_file_async (const char          *path,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  g_autofree char *name = g_path_get_basename (path);

  g_task_set_source_tag (task, holdall_preview_load_file_async);
  if (!is_picture_type (holdall_type_info_for_name (name)))
    {
      g_task_return_pointer (task, g_new0 (HoldallPreviewContent, 1),
                             (GDestroyNotify) holdall_preview_content_free);
      return;
    }
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_file_worker);
}

HoldallPreviewContent *
holdall_preview_load_finish (GAsyncResult  *result,
                             GError       **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
