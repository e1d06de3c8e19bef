/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The jobs of the program. A window may come and go while they run; this list is what keeps the
 * program alive for them and tells about their end when no window is left to do so. */

#include "config.h"

#include "holdall-job-list.h"

#include "holdall-error-text.h"
#include "holdall-file-manager.h"
#include "holdall-job-text.h"
#include "holdall-notify.h"
#include "holdall-question-presenter.h"

#include <glib/gi18n.h>

/* How many jobs run side by side: enough that a short one need not wait for a long one, few enough
 * that they do not take the disk from each other. */
#define N_JOB_THREADS 4

/* How many ended jobs win.status still tells about. */
#define N_REMEMBERED 16

typedef struct {
  HoldJob *job;
  GWeakRef window;
  gboolean had_window;
  gint64 cancel_us;  /* monotonic time of an action "cancel", for tests; 0: none */
} Item;

struct _HoldallJobList {
  GObject parent_instance;

  GtkApplication *application;  /* (nullable) borrowed */
  HoldScheduler *scheduler;
  GPtrArray *items;             /* of Item, running and waiting jobs */
  GQueue ended;                 /* of char *, the JSON of jobs that ended, newest last */
  GSimpleActionGroup *actions;

  GDBusConnection *connection;  /* (nullable) */
  guint export_id;
};

static void holdall_job_list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HoldallJobList, holdall_job_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                      holdall_job_list_model_init))

static void
item_free (gpointer data)
{
  Item *item = data;

  g_weak_ref_clear (&item->window);
  g_clear_object (&item->job);
  g_free (item);
}

static Item *
find_item (HoldallJobList *self,
           HoldJob        *job,
           guint          *position)
{
  for (guint i = 0; i < self->items->len; i++)
    {
      Item *item = g_ptr_array_index (self->items, i);

      if (item->job == job)
        {
          if (position != NULL)
            *position = i;
          return item;
        }
    }
  return NULL;
}

static GType
holdall_job_list_get_item_type (GListModel *model)
{
  return HOLD_TYPE_JOB;
}

static guint
holdall_job_list_get_n_items (GListModel *model)
{
  return HOLDALL_JOB_LIST (model)->items->len;
}

static gpointer
holdall_job_list_get_item (GListModel *model,
                           guint       position)
{
  HoldallJobList *self = HOLDALL_JOB_LIST (model);
  Item *item;

  if (position >= self->items->len)
    return NULL;
  item = g_ptr_array_index (self->items, position);
  return g_object_ref (item->job);
}

static void
holdall_job_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = holdall_job_list_get_item_type;
  iface->get_n_items = holdall_job_list_get_n_items;
  iface->get_item = holdall_job_list_get_item;
}

/* A job that ended after its window was closed: nobody else would tell. */
static void
notify_end (HoldallJobList *self,
            HoldJob        *job)
{
  g_autofree char *title = holdall_job_text_title (job);
  g_autofree char *outcome = holdall_job_text_outcome (job);
  g_autofree char *uri = NULL;
  g_autoptr (GNotification) notification = NULL;

  if (self->application == NULL || hold_job_get_state (job) == HOLD_JOB_CANCELLED)
    return;

  notification = g_notification_new (outcome);
  g_notification_set_body (notification, title);
  if (hold_job_get_state (job) == HOLD_JOB_FAILED)
    g_notification_set_priority (notification, G_NOTIFICATION_PRIORITY_HIGH);

  if (HOLD_IS_EXTRACT_JOB (job) && hold_job_get_state (job) == HOLD_JOB_DONE)
    {
      const char *folder = hold_extract_job_get_result_folder (HOLD_EXTRACT_JOB (job));

      uri = folder != NULL ? g_filename_to_uri (folder, NULL, NULL) : NULL;
      if (uri != NULL)
        {
          g_notification_set_default_action_and_target (notification, "app.show-folder", "s", uri);
          g_notification_add_button_with_target (notification, _("Show"), "app.show-folder",
                                                 "s", uri);
        }
    }
  holdall_notify (G_APPLICATION (self->application), notification, uri != NULL);
}

static const char *
state_to_string (HoldJobState state)
{
  switch (state)
    {
    case HOLD_JOB_QUEUED:    return "queued";
    case HOLD_JOB_RUNNING:   return "running";
    case HOLD_JOB_ASKING:    return "asking";
    case HOLD_JOB_DONE:      return "done";
    case HOLD_JOB_FAILED:    return "failed";
    case HOLD_JOB_CANCELLED: return "cancelled";
    default:                 return "unknown";
    }
}

static const char *
question_to_string (HoldQuestion *question)
{
  if (question == NULL)
    return NULL;

  switch (hold_question_get_kind (question))
    {
    case HOLD_QUESTION_PASSWORD: return "password";
    case HOLD_QUESTION_CONFLICT: return "conflict";
    case HOLD_QUESTION_CONTINUE: return "continue";
    default:                     return "unknown";
    }
}

/* The entry that is asked about. */
static const char *
question_get_path (HoldQuestion *question)
{
  if (question == NULL)
    return NULL;

  switch (hold_question_get_kind (question))
    {
    case HOLD_QUESTION_PASSWORD: return hold_question_get_entry_path (question);
    case HOLD_QUESTION_CONFLICT: return hold_question_get_incoming (question)->path;
    case HOLD_QUESTION_CONTINUE:
    default:                     return NULL;
    }
}

void
holdall_json_append_string (GString    *json,
                            const char *text)
{
  if (text == NULL)
    {
      g_string_append (json, "null");
      return;
    }

  g_string_append_c (json, '"');
  for (const guchar *p = (const guchar *) text; *p != '\0'; p++)
    {
      if (*p == '"' || *p == '\\')
        g_string_append_printf (json, "\\%c", *p);
      else if (*p < 0x20 || *p == 0x7f)
        g_string_append_printf (json, "\\u%04x", *p);
      else
        g_string_append_c (json, (char) *p);
    }
  g_string_append_c (json, '"');
}

/* How long a cancelled job took, or takes, to end. */
static guint
get_cancel_ms (const Item *item)
{
  return item->cancel_us != 0 ? (guint) ((g_get_monotonic_time () - item->cancel_us) / 1000) : 0;
}

static char *
item_to_json (const Item *item)
{
  g_autoptr (GString) json = g_string_new (NULL);
  HoldJob *job = item->job;
  HoldReport *report = hold_job_get_report (job);
  const GError *error = hold_job_get_error (job);
  HoldProgress progress = { 0 };

  hold_job_get_progress (job, &progress);
  g_string_append_printf (json, "{\"id\":%u,\"verb\":", hold_job_get_id (job));
  holdall_json_append_string (json, hold_job_get_verb (job));
  g_string_append_printf (json, ",\"state\":\"%s\",\"paused\":%s,\"question\":",
                          state_to_string (hold_job_get_state (job)),
                          hold_job_get_paused (job) ? "true" : "false");
  holdall_json_append_string (json, question_to_string (hold_job_get_question (job)));
  g_string_append (json, ",\"question_path\":");
  holdall_json_append_string (json, question_get_path (hold_job_get_question (job)));
  g_string_append_printf (json,
                          ",\"bytes_done\":%" G_GUINT64_FORMAT
                          ",\"bytes_total\":%" G_GUINT64_FORMAT
                          ",\"has_total\":%s,\"entries_done\":%u,\"entries_total\":%u",
                          progress.bytes_done, progress.bytes_total,
                          progress.has_total ? "true" : "false",
                          progress.entries_done, progress.entries_total);
  g_string_append_printf (json, ",\"done\":%u,\"failed\":%u,\"skipped\":%u,\"refused\":%u,\"error\":",
                          hold_report_get_n_done (report),
                          hold_report_count (report, HOLD_OUTCOME_FAILED),
                          hold_report_count (report, HOLD_OUTCOME_SKIPPED),
                          hold_report_count (report, HOLD_OUTCOME_REFUSED));
  holdall_json_append_string (json, error != NULL ? error->message : NULL);
  g_string_append_printf (json, ",\"cancel_ms\":%u}", get_cancel_ms (item));
  hold_progress_clear (&progress);
  return g_string_free (g_steal_pointer (&json), FALSE);
}

static void
job_finished_cb (HoldJob        *job,
                 HoldallJobList *self)
{
  guint position;
  Item *item = find_item (self, job, &position);
  g_autoptr (GtkWindow) window = NULL;
  gboolean outlived;

  g_return_if_fail (item != NULL);

  window = g_weak_ref_get (&item->window);
  outlived = item->had_window && window == NULL;
  if (outlived && g_strcmp0 (hold_job_get_verb (job), "open") != 0)
    notify_end (self, job);

  g_queue_push_tail (&self->ended, item_to_json (item));
  if (self->ended.length > N_REMEMBERED)
    g_free (g_queue_pop_head (&self->ended));

  g_signal_handlers_disconnect_by_func (job, job_finished_cb, self);
  g_ptr_array_remove_index (self->items, position);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
  if (self->application != NULL)
    g_application_release (G_APPLICATION (self->application));
}

static void
cancel_cb (GSimpleAction *action,
           GVariant      *parameter,
           gpointer       user_data)
{
  HoldJob *job = holdall_job_list_lookup (user_data, g_variant_get_uint32 (parameter));

  if (job == NULL)
    return;
  find_item (user_data, job, NULL)->cancel_us = g_get_monotonic_time ();
  hold_job_cancel (job);
}

static void
pause_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  HoldJob *job = holdall_job_list_lookup (user_data, g_variant_get_uint32 (parameter));

  if (job != NULL)
    hold_job_set_paused (job, !hold_job_get_paused (job));
}

static void
show_folder_cb (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       user_data)
{
  HoldallJobList *self = user_data;
  g_autofree char *path = g_filename_from_uri (g_variant_get_string (parameter, NULL), NULL, NULL);

  if (path != NULL)
    holdall_file_manager_show (gtk_application_get_active_window (self->application), path, NULL);
}

void
holdall_job_list_close (HoldallJobList *self)
{
  guint n_items;

  g_return_if_fail (HOLDALL_IS_JOB_LIST (self));

  n_items = self->items->len;
  for (guint i = 0; i < n_items; i++)
    {
      Item *item = g_ptr_array_index (self->items, i);

      g_signal_handlers_disconnect_by_data (item->job, self);
    }
  /* Cancels what still runs and waits for it: nothing half-written is left behind. */
  g_clear_pointer (&self->scheduler, hold_scheduler_free);
  g_ptr_array_set_size (self->items, 0);
  if (n_items > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, n_items, 0);
}

static void
holdall_job_list_dispose (GObject *object)
{
  HoldallJobList *self = HOLDALL_JOB_LIST (object);

  if (self->export_id != 0)
    g_dbus_connection_unexport_action_group (self->connection, self->export_id);
  self->export_id = 0;
  g_clear_object (&self->connection);

  if (self->items != NULL)
    holdall_job_list_close (self);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_queue_clear_full (&self->ended, g_free);
  g_clear_object (&self->actions);

  G_OBJECT_CLASS (holdall_job_list_parent_class)->dispose (object);
}

static void
holdall_job_list_class_init (HoldallJobListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holdall_job_list_dispose;
}

static void
holdall_job_list_init (HoldallJobList *self)
{
  static const GActionEntry entries[] = {
    { "cancel", cancel_cb, "u" },
    { "pause", pause_cb, "u" },
  };

  self->scheduler = hold_scheduler_new (N_JOB_THREADS, 0);
  self->items = g_ptr_array_new_with_free_func (item_free);
  g_queue_init (&self->ended);
  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries,
                                   G_N_ELEMENTS (entries), self);
}

/* Other programs (and tests) may watch and steer the jobs. Without a session bus nobody can, and
 * nothing is lost. */
static void
export_actions (HoldallJobList *self)
{
  GDBusConnection *bus = g_application_get_dbus_connection (G_APPLICATION (self->application));
  const char *path = g_application_get_dbus_object_path (G_APPLICATION (self->application));
  g_autofree char *jobs_path = NULL;
  g_autoptr (GError) error = NULL;

  if (bus == NULL || path == NULL)
    return;

  jobs_path = g_strconcat (path, "/jobs", NULL);
  self->export_id = g_dbus_connection_export_action_group (bus, jobs_path,
                                                           G_ACTION_GROUP (self->actions), &error);
  if (self->export_id == 0)
    g_warning ("The jobs are not on the bus: %s", error->message);
  else
    self->connection = g_object_ref (bus);
}

HoldallJobList *
holdall_job_list_new (GtkApplication *application)
{
  static const GActionEntry entries[] = {
    { "job.cancel", cancel_cb, "u" },
    { "job.pause", pause_cb, "u" },
    { "show-folder", show_folder_cb, "s" },
  };
  HoldallJobList *self = g_object_new (HOLDALL_TYPE_JOB_LIST, NULL);

  self->application = application;
  if (application != NULL)
    {
      g_action_map_add_action_entries (G_ACTION_MAP (application), entries,
                                       G_N_ELEMENTS (entries), self);
      export_actions (self);
    }
  return self;
}

void
holdall_job_list_submit (HoldallJobList *self,
                         HoldJob        *job,
                         GtkWindow      *parent)
{
  Item *item;

  g_return_if_fail (HOLDALL_IS_JOB_LIST (self));
  g_return_if_fail (HOLD_IS_JOB (job));
  g_return_if_fail (find_item (self, job, NULL) == NULL);

  if (self->scheduler == NULL)
    return;
  item = g_new0 (Item, 1);
  item->job = g_object_ref (job);
  g_weak_ref_init (&item->window, parent);
  item->had_window = parent != NULL;

  if (self->application != NULL)
    g_application_hold (G_APPLICATION (self->application));
  hold_job_set_interactive (job, TRUE);
  holdall_question_presenter_watch (job, parent, self->application);
  g_signal_connect (job, "finished", G_CALLBACK (job_finished_cb), self);
  g_ptr_array_add (self->items, item);
  g_list_model_items_changed (G_LIST_MODEL (self), self->items->len - 1, 0, 1);
  hold_scheduler_submit (self->scheduler, job);
}

HoldJob *
holdall_job_list_lookup (HoldallJobList *self,
                         guint           id)
{
  g_return_val_if_fail (HOLDALL_IS_JOB_LIST (self), NULL);

  for (guint i = 0; i < self->items->len; i++)
    {
      Item *item = g_ptr_array_index (self->items, i);

      if (hold_job_get_id (item->job) == id)
        return item->job;
    }
  return NULL;
}

GtkWindow *
holdall_job_list_get_window (HoldallJobList *self,
                             HoldJob        *job)
{
  Item *item;
  g_autoptr (GtkWindow) window = NULL;

  g_return_val_if_fail (HOLDALL_IS_JOB_LIST (self), NULL);

  item = find_item (self, job, NULL);
  if (item != NULL)
    window = g_weak_ref_get (&item->window);
  /* Borrowed: windows live on the main thread, which is ours. */
  return window;
}

GActionGroup *
holdall_job_list_get_actions (HoldallJobList *self)
{
  g_return_val_if_fail (HOLDALL_IS_JOB_LIST (self), NULL);

  return G_ACTION_GROUP (self->actions);
}

void
holdall_job_list_append_status (HoldallJobList *self,
                                GString        *json)
{
  const char *separator = "";

  g_return_if_fail (HOLDALL_IS_JOB_LIST (self));

  g_string_append_c (json, '[');
  for (guint i = 0; i < self->items->len; i++)
    {
      Item *item = g_ptr_array_index (self->items, i);
      g_autofree char *text = item_to_json (item);

      g_string_append_printf (json, "%s%s", separator, text);
      separator = ",";
    }
  for (GList *l = self->ended.head; l != NULL; l = l->next)
    {
      g_string_append_printf (json, "%s%s", separator, (const char *) l->data);
      separator = ",";
    }
  g_string_append_c (json, ']');
}
