/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Serves the files of an offer as text in one format or the other. */

#include "config.h"

#include "holdall-offer-provider.h"

#include <string.h>

#define URI_LIST "text/uri-list"
#define GNOME_FILES "x-special/gnome-copied-files"
#define MATE_FILES "x-special/mate-copied-files"
#define KDE_CUT "application/x-kde-cutselection"
#define PORTAL_FILES "application/vnd.portal.filetransfer"
#define ARK_SERVICE "application/x-kde-ark-dndextract-service"
#define ARK_PATH "application/x-kde-ark-dndextract-path"

struct _HoldallOfferProvider {
  GdkContentProvider parent_instance;

  HoldallOffer *offer;
  HoldallOfferKind kind;
  char *dnd_service;
  char *dnd_path;
};

G_DEFINE_FINAL_TYPE (HoldallOfferProvider, holdall_offer_provider, GDK_TYPE_CONTENT_PROVIDER)

/* GTK writes it where a document portal runs. Its readers in sandboxes can use nothing else, and
 * those outside prefer it; but the portal takes no folders and no links. */
static gboolean
can_use_portal (HoldallOffer *offer)
{
  g_autoptr (GdkContentFormats) formats = NULL;

  if (!holdall_offer_has_only_files (offer))
    return FALSE;
  formats = gdk_content_formats_union_serialize_mime_types (
    gdk_content_formats_new_for_gtype (GDK_TYPE_FILE_LIST));
  return gdk_content_formats_contain_mime_type (formats, PORTAL_FILES);
}

static GdkContentFormats *
holdall_offer_provider_ref_formats (GdkContentProvider *provider)
{
  HoldallOfferProvider *self = HOLDALL_OFFER_PROVIDER (provider);
  GdkContentFormatsBuilder *builder = gdk_content_formats_builder_new ();

  if (self->kind == HOLDALL_OFFER_DRAG)
    {
      gdk_content_formats_builder_add_mime_type (builder, URI_LIST);
      if (self->dnd_service != NULL)
        {
          gdk_content_formats_builder_add_mime_type (builder, ARK_SERVICE);
          gdk_content_formats_builder_add_mime_type (builder, ARK_PATH);
        }
    }
  else
    {
      gdk_content_formats_builder_add_mime_type (builder, URI_LIST);
      gdk_content_formats_builder_add_mime_type (builder, GNOME_FILES);
      gdk_content_formats_builder_add_mime_type (builder, MATE_FILES);
      gdk_content_formats_builder_add_mime_type (builder, KDE_CUT);
    }
  if (can_use_portal (self->offer))
    gdk_content_formats_builder_add_mime_type (builder, PORTAL_FILES);
  return gdk_content_formats_builder_free_to_formats (builder);
}

char *
holdall_offer_provider_format (const char         *mime_type,
                               HoldallOfferKind    kind,
                               const char * const *uris)
{
  g_autofree char *lines = NULL;

  if (g_str_equal (mime_type, KDE_CUT))
    return g_strdup (kind == HOLDALL_OFFER_CUT ? "1" : "0");
  if (g_str_equal (mime_type, URI_LIST))
    {
      lines = g_strjoinv ("\r\n", (char **) uris);
      return g_strconcat (lines, "\r\n", NULL);
    }
  if (g_str_equal (mime_type, GNOME_FILES) || g_str_equal (mime_type, MATE_FILES))
    {
      lines = g_strjoinv ("\n", (char **) uris);
      return g_strconcat (kind == HOLDALL_OFFER_CUT ? "cut\n" : "copy\n", lines, NULL);
    }
  return NULL;
}

/* What a request needs until its answer is written. */
typedef struct {
  char *mime_type;
  GOutputStream *stream;
  int io_priority;
  char *text;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->mime_type);
  g_object_unref (request->stream);
  g_free (request->text);
  g_free (request);
}

static void
written_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Takes @task and @text. */
static void
write_text (GTask *task,
            char  *text)
{
  Request *request = g_task_get_task_data (task);

  request->text = text;
  g_output_stream_write_all_async (request->stream, text, strlen (text), request->io_priority,
                                   g_task_get_cancellable (task), written_cb, task);
}

static void
serialized_cb (GObject      *object,
               GAsyncResult *result,
               gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (gdk_content_serialize_finish (result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Has the portal take the files and writes its key to them. Takes @task. */
static void
write_portal_key (GTask              *task,
                  const char * const *uris)
{
  Request *request = g_task_get_task_data (task);
  g_auto (GValue) value = G_VALUE_INIT;
  GSList *files = NULL;

  for (guint i = 0; uris[i] != NULL; i++)
    files = g_slist_prepend (files, g_file_new_for_uri (uris[i]));
  files = g_slist_reverse (files);
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_list (files));
  g_slist_free_full (files, g_object_unref);
  gdk_content_serialize_async (request->stream, request->mime_type, &value, request->io_priority,
                               g_task_get_cancellable (task), serialized_cb, task);
}

static void
ready_cb (GObject      *object,
          GAsyncResult *result,
          gpointer      user_data)
{
  g_autoptr (GTask) task = user_data;
  HoldallOfferProvider *self = g_task_get_source_object (task);
  Request *request = g_task_get_task_data (task);
  g_auto (GStrv) uris = NULL;
  GError *error = NULL;
  char *text;

  uris = holdall_offer_wait_finish (HOLDALL_OFFER (object), result, &error);
  if (uris == NULL)
    {
      g_task_return_error (task, error);
      return;
    }

  if (g_str_equal (request->mime_type, PORTAL_FILES))
    {
      holdall_offer_set_served (self->offer);
      write_portal_key (g_steal_pointer (&task), (const char * const *) uris);
      return;
    }
  text = holdall_offer_provider_format (request->mime_type, self->kind,
                                        (const char * const *) uris);
  if (text == NULL)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s is not offered",
                               request->mime_type);
      return;
    }
  holdall_offer_set_served (self->offer);
  write_text (g_steal_pointer (&task), text);
}

static void
holdall_offer_provider_write_async (GdkContentProvider  *provider,
                                    const char          *mime_type,
                                    GOutputStream       *stream,
                                    int                  io_priority,
                                    GCancellable        *cancellable,
                                    GAsyncReadyCallback  callback,
                                    gpointer             user_data)
{
  HoldallOfferProvider *self = HOLDALL_OFFER_PROVIDER (provider);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);
  Request *request = g_new0 (Request, 1);

  request->mime_type = g_strdup (mime_type);
  request->stream = g_object_ref (stream);
  request->io_priority = io_priority;
  g_task_set_source_tag (task, holdall_offer_provider_write_async);
  g_task_set_task_data (task, request, request_free);

  /* These say where to ask, not what there is. */
  if (self->dnd_service != NULL && g_str_equal (mime_type, ARK_SERVICE))
    write_text (g_steal_pointer (&task), g_strdup (self->dnd_service));
  else if (self->dnd_path != NULL && g_str_equal (mime_type, ARK_PATH))
    write_text (g_steal_pointer (&task), g_strdup (self->dnd_path));
  else
    holdall_offer_wait_async (self->offer, cancellable, ready_cb, g_steal_pointer (&task));
}

static gboolean
holdall_offer_provider_write_finish (GdkContentProvider  *provider,
                                     GAsyncResult        *result,
                                     GError             **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
holdall_offer_provider_finalize (GObject *object)
{
  HoldallOfferProvider *self = HOLDALL_OFFER_PROVIDER (object);

  g_clear_object (&self->offer);
  g_free (self->dnd_service);
  g_free (self->dnd_path);

  G_OBJECT_CLASS (holdall_offer_provider_parent_class)->finalize (object);
}

static void
holdall_offer_provider_class_init (HoldallOfferProviderClass *klass)
{
  GdkContentProviderClass *provider_class = GDK_CONTENT_PROVIDER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holdall_offer_provider_finalize;
  provider_class->ref_formats = holdall_offer_provider_ref_formats;
  provider_class->write_mime_type_async = holdall_offer_provider_write_async;
  provider_class->write_mime_type_finish = holdall_offer_provider_write_finish;
}

static void
holdall_offer_provider_init (HoldallOfferProvider *self)
{
}

GdkContentProvider *
holdall_offer_provider_new (HoldallOffer     *offer,
                            HoldallOfferKind  kind,
                            const char       *dnd_service,
                            const char       *dnd_path)
{
  HoldallOfferProvider *self = g_object_new (HOLDALL_TYPE_OFFER_PROVIDER, NULL);

  self->offer = g_object_ref (offer);
  self->kind = kind;
  self->dnd_service = g_strdup (dnd_service);
  self->dnd_path = g_strdup (dnd_path);
  return GDK_CONTENT_PROVIDER (self);
}
