/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The way of every edit: the cost bar where it is slow, the job list, the new snapshot, and the way
 * back. What it says in the end is in holdall-window-edit-toast.c. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-engine-text.h"
#include "holdall-error-dialog.h"
#include "holdall-portal.h"
#include "holdall-undo.h"
#include "holdall-window-edit.h"
#include "holdall-window-opened.h"
#include "holdall-window-private.h"
#include "holdall-window-watch.h"

/* Smaller archives are packed anew in less time than it takes to read a question. */
#define SLOW_BYTES (64 * 1000 * 1000)
/* A smaller one says more about starting a job than about packing. */
#define LEARN_BYTES (8 * 1000 * 1000)

struct _HoldallWindowEdit {
  HoldallUndo *undo;
  GPtrArray *held;          /* Edit: wait for the answer of the cost bar */
  guint n_pending;
  gboolean cost_accepted;   /* once said yes for this archive */
  gboolean forget_after;    /* another program changed the archive while we did */
  gboolean undo_barred;     /* an edit was the last that holds a file; see bar_undo */
};

/* An edit on its way. */
typedef struct {
  HoldallEdit edit;
  HoldallWindow *window;    /* weak */
  HoldallUndoStep *step;    /* (nullable): it undoes or redoes this */
  gboolean is_redo;
  gboolean is_started;      /* the job owns this, and not the reverse */
  gint64 started_us;
} Edit;

static void
edit_free (gpointer data)
{
  Edit *edit = data;

  g_clear_weak_pointer (&edit->window);
  if (!edit->is_started)
    g_clear_object (&edit->edit.job);
  g_free (edit->edit.words);
  g_strfreev (edit->edit.select);
  if (edit->edit.free_data != NULL)
    edit->edit.free_data (edit->edit.data);
  g_clear_pointer (&edit->step, holdall_undo_step_free);
  g_free (edit);
}

static HoldArchive *
get_new_archive (HoldJob *job)
{
  if (HOLD_IS_UPDATE_JOB (job))
    return hold_update_job_get_archive (HOLD_UPDATE_JOB (job));
  if (HOLD_IS_MOVE_JOB (job))
    return hold_move_job_get_archive (HOLD_MOVE_JOB (job));
  if (HOLD_IS_RESTORE_JOB (job))
    return hold_restore_job_get_archive (HOLD_RESTORE_JOB (job));
  return NULL;
}

static void
select_paths (HoldallWindow      *self,
              const char * const *paths)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  HoldTree *tree = hold_archive_get_tree (self->archive);

  for (guint i = 0; paths[i] != NULL; i++)
    {
      HoldNode *node = hold_tree_lookup (tree, paths[i]);

      if (node != NULL)
        g_ptr_array_add (nodes, node);
    }
  if (nodes->len > 0)
    holdall_browser_select (self->browser, nodes, TRUE);
}

/* Files and folders that were taken from the disk. */
static guint
count_taken (HoldJob *job)
{
  return HOLD_IS_UPDATE_JOB (job) ? hold_update_job_get_n_taken (HOLD_UPDATE_JOB (job)) : 0;
}

/* Files and folders of the disk that were to be taken and are still there. */
static guint
count_staying (HoldJob *job)
{
  HoldReport *report = hold_job_get_report (job);
  guint n_staying = 0;

  if (count_taken (job) == 0)
    return 0;
  for (guint i = 0; i < hold_report_get_n_items (report); i++)
    {
      const HoldReportItem *item = hold_report_get_item (report, i);

      if (item->outcome == HOLD_OUTCOME_WARNING && *item->path != '\0')
        n_staying++;
    }
  return n_staying;
}

/* TRUE: the window shows another snapshot now, and the old one can be gone back to. */
static gboolean
take_new_archive (HoldallWindow *self,
                  Edit          *edit)
{
  HoldArchive *archive = get_new_archive (edit->edit.job);
  g_autoptr (HoldArchive) before = NULL;
  gboolean has_taken = count_taken (edit->edit.job) > 0;
  gboolean can_undo = FALSE;

  if (archive == NULL || self->archive == NULL ||
      !hold_archive_is_of_same_file (archive, self->archive))
    return FALSE;
  /* Edits that waited together are one rewrite, and another of them may have brought it here. To undo
   * that one would take away what this one has taken from the disk. */
  if (archive == self->archive)
    {
      if (has_taken)
        _holdall_window_edit_bar_undo (self);
      return FALSE;
    }
  before = g_object_ref (self->archive);
  holdall_window_set_archive (self, archive);
  if (has_taken)
    {
      hold_archive_drop_backup (before);
      _holdall_window_edit_bar_undo (self);
    }
  else if (hold_archive_has_backup (before, NULL))
    {
      if (edit->step == NULL)
        holdall_undo_push (self->edit->undo, before, edit->edit.words);
      else if (edit->is_redo)
        holdall_undo_put_undo (self->edit->undo, before, edit->step->words);
      else
        holdall_undo_put_redo (self->edit->undo, before, edit->step->words);
      can_undo = holdall_undo_can_undo (self->edit->undo);
      _holdall_window_watch_unmount (self);
    }
  if (edit->edit.select != NULL)
    select_paths (self, (const char * const *) edit->edit.select);
  return can_undo;
}

/* How long packing anew takes here is best told by how long it took: half of what is remembered
 * comes from the last time. */
static void
learn_rate (HoldallWindow *self,
            Edit          *edit)
{
  HoldArchive *archive = get_new_archive (edit->edit.job);
  gint64 taken_us = g_get_monotonic_time () - edit->started_us;
  guint64 size, rate;

  if (archive == NULL || !HOLD_IS_UPDATE_JOB (edit->edit.job) || taken_us <= 0 ||
      (hold_archive_get_caps (archive) & HOLD_CAP_RAW_COPY) != 0)
    return;
  size = hold_archive_get_size (archive);
  if (size < LEARN_BYTES)
    return;
  rate = (guint64) ((double) size * G_USEC_PER_SEC / (double) taken_us);
  rate = (rate + g_settings_get_uint64 (self->settings, "rewrite-rate")) / 2;
  g_settings_set_uint64 (self->settings, "rewrite-rate", MAX (rate, 1));
}

/* The trash takes no document from the portal, which hands over files and never folders. */
static gboolean
can_be_thrown_away (HoldallWindow *self)
{
  const char *path = g_file_peek_path (self->file);

  return !_holdall_window_is_nested (self) &&
         (path == NULL || !holdall_portal_is_lone_document (path));
}

static void
done (HoldallWindow *self,
      Edit          *edit)
{
  HoldArchive *archive = get_new_archive (edit->edit.job);
  gboolean can_undo = take_new_archive (self, edit);

  if (HOLD_IS_MOVE_JOB (edit->edit.job) && archive != NULL &&
      hold_archive_get_n_entries (archive) == 0 && can_be_thrown_away (self))
    _holdall_window_offer_trash (self);
  else if (edit->edit.words != NULL)
    _holdall_window_tell_edit (self, edit->edit.words, hold_job_get_report (edit->edit.job),
                               count_staying (edit->edit.job), can_undo && edit->step == NULL);
  if (edit->edit.done != NULL)
    edit->edit.done (self, edit->edit.job, edit->edit.data);
}

static void
finished_cb (HoldJob *job,
             Edit    *edit)
{
  HoldallWindow *self = edit->window;
  const GError *error = hold_job_get_error (job);

  /* The window is gone: the job list tells. */
  if (self == NULL || self->edit == NULL)
    return;
  self->edit->n_pending--;
  switch (hold_job_get_state (job))
    {
    case HOLD_JOB_DONE:
      learn_rate (self, edit);
      done (self, edit);
      break;
    case HOLD_JOB_FAILED:
      holdall_error_dialog_present (GTK_WINDOW (self), NULL, error);
      G_GNUC_FALLTHROUGH;
    default:
      if (edit->step != NULL && edit->is_redo)
        holdall_undo_put_redo (self->edit->undo, edit->step->archive, edit->step->words);
      else if (edit->step != NULL)
        holdall_undo_put_undo (self->edit->undo, edit->step->archive, edit->step->words);
      break;
    }
  if (self->edit->n_pending == 0 && self->edit->forget_after)
    _holdall_window_edit_forget (self);
  _holdall_window_edit_update (self);
}

static void
edit_free_closure (gpointer  data,
                   GClosure *closure)
{
  edit_free (data);
}

static void
start (HoldallWindow *self,
       Edit          *edit)
{
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));

  g_autoptr (HoldJob) job = edit->edit.job;

  self->edit->n_pending++;
  edit->is_started = TRUE;
  edit->started_us = g_get_monotonic_time ();
  g_signal_connect_data (job, "finished", G_CALLBACK (finished_cb), edit, edit_free_closure,
                         G_CONNECT_DEFAULT);
  holdall_job_list_submit (holdall_application_get_jobs (application), job, GTK_WINDOW (self));
  _holdall_window_edit_update (self);
}

static gboolean
is_slow (HoldallWindow *self)
{
  return (hold_archive_get_caps (self->archive) & HOLD_CAP_RAW_COPY) == 0 &&
         hold_archive_get_size (self->archive) > SLOW_BYTES;
}

static void
submit (HoldallWindow *self,
        Edit          *edit)
{
  g_set_weak_pointer (&edit->window, self);
  if (edit->step == NULL && is_slow (self) && !self->edit->cost_accepted)
    {
      g_ptr_array_add (self->edit->held, edit);
      holdall_cost_bar_show (self->cost_bar, hold_archive_get_size (self->archive),
                             g_settings_get_uint64 (self->settings, "rewrite-rate"));
      return;
    }
  start (self, edit);
}

void
_holdall_window_submit_edit (HoldallWindow     *self,
                             const HoldallEdit *given)
{
  Edit *edit = g_new0 (Edit, 1);

  edit->edit = *given;
  submit (self, edit);
}

static void
cost_go_on_cb (HoldallWindow *self)
{
  g_autoptr (GPtrArray) held = g_steal_pointer (&self->edit->held);

  self->edit->held = g_ptr_array_new_with_free_func (edit_free);
  self->edit->cost_accepted = TRUE;
  g_ptr_array_set_free_func (held, NULL);
  for (guint i = 0; i < held->len; i++)
    start (self, g_ptr_array_index (held, i));
}

static void
cost_cancelled_cb (HoldallWindow *self)
{
  g_ptr_array_set_size (self->edit->held, 0);
}

static void
restore (HoldallWindow *self,
         gboolean       is_redo)
{
  HoldallUndoStep *step = is_redo ? holdall_undo_take_redo (self->edit->undo)
                                  : holdall_undo_take_undo (self->edit->undo);
  Edit *edit;

  if (step == NULL)
    return;
  edit = g_new0 (Edit, 1);
  edit->step = step;
  edit->is_redo = is_redo;
  edit->edit.job = HOLD_JOB (hold_restore_job_new (step->archive));
  /* Translators: %s is what was done, such as "Deleted 3 items". */
  edit->edit.words = g_strdup_printf (is_redo ? _("Redone: %s") : _("Undone: %s"), step->words);
  submit (self, edit);
}

static void
undo_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  restore (HOLDALL_WINDOW (user_data), FALSE);
}

static void
redo_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  restore (HOLDALL_WINDOW (user_data), TRUE);
}

HoldUpdateRequest *
_holdall_window_create_update (HoldallWindow *self)
{
  HoldUpdateRequest *request = hold_update_request_new (self->archive);

  hold_update_request_set_keyring (request, self->keyring);
  return request;
}

guint
_holdall_window_edit_get_n_pending (HoldallWindow *self)
{
  return self->edit->n_pending;
}

void
_holdall_window_edit_bar_undo (HoldallWindow *self)
{
  holdall_undo_clear (self->edit->undo);
  self->edit->undo_barred = TRUE;
  _holdall_window_end_edit_undo (self);
  _holdall_window_edit_update (self);
}

void
_holdall_window_edit_forget (HoldallWindow *self)
{
  self->edit->forget_after = self->edit->n_pending > 0;
  self->edit->undo_barred = FALSE;
  self->edit->cost_accepted = FALSE;
  holdall_undo_clear (self->edit->undo);
  g_ptr_array_set_size (self->edit->held, 0);
  holdall_cost_bar_hide (self->cost_bar);
  _holdall_window_end_edit_undo (self);
}

/* What an action needs besides an archive that can be changed. */
static const struct {
  const char *action;
  gboolean needs_selection;
  gboolean needs_one;
} needs[] = {
  { "delete", TRUE, FALSE },
  { "rename", TRUE, TRUE },
  { "rename-to", FALSE, FALSE },
  { "new-folder", FALSE, FALSE },
  { "add", FALSE, FALSE },
  { "add-folder", FALSE, FALSE },
  { "add-files", FALSE, FALSE },
  { "move-to", TRUE, FALSE },
  { "move-into", TRUE, FALSE },
  { "cut", TRUE, FALSE },
  { "paste", FALSE, FALSE },
};

char *
_holdall_window_edit_why_not (HoldallWindow *self,
                              const char    *action)
{
  const char *why_not = self->archive != NULL ? hold_archive_why_not (self->archive, HOLD_CAP_UPDATE)
                                              : _("No archive is open");
  g_autoptr (GtkBitset) selected =
    gtk_selection_model_get_selection (holdall_browser_get_selection (self->browser));
  guint64 n_selected = gtk_bitset_get_size (selected);

  for (guint i = 0; i < G_N_ELEMENTS (needs); i++)
    {
      if (!g_str_equal (needs[i].action, action))
        continue;
      if (why_not != NULL)
        return holdall_engine_text_why_not (why_not);
      if (needs[i].needs_selection && n_selected == 0)
        return g_strdup (_("Nothing is selected"));
      if (needs[i].needs_one && n_selected > 1)
        return g_strdup (_("More than one item is selected"));
      if (g_str_equal (action, "paste") && !_holdall_window_can_paste (self))
        return g_strdup (_("There is nothing to paste"));
      return NULL;
    }
  if (g_str_equal (action, "copy") || g_str_equal (action, "copy-to"))
    return n_selected == 0 ? g_strdup (_("Nothing is selected")) : NULL;
  if (g_str_equal (action, "undo") && !holdall_undo_can_undo (self->edit->undo))
    return g_strdup (self->edit->undo_barred
                       ? _("The archive holds the only copy of what was moved into it")
                       : _("There is nothing to undo"));
  if (g_str_equal (action, "redo") && !holdall_undo_can_redo (self->edit->undo))
    return g_strdup (_("There is nothing to redo"));
  if ((g_str_equal (action, "undo") || g_str_equal (action, "redo")) && self->edit->n_pending > 0)
    return g_strdup (_("The last change is not finished yet"));
  return NULL;
}

void
_holdall_window_edit_update (HoldallWindow *self)
{
  static const char * const others[] = { "copy", "copy-to", "undo", "redo" };
  g_autofree char *why_not =
    holdall_engine_text_why_not (self->archive != NULL
                                   ? hold_archive_why_not (self->archive, HOLD_CAP_UPDATE) : NULL);

  for (guint i = 0; i < G_N_ELEMENTS (needs); i++)
    {
      g_autofree char *why = _holdall_window_edit_why_not (self, needs[i].action);

      _holdall_window_set_enabled (self, needs[i].action, why == NULL);
    }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *why = _holdall_window_edit_why_not (self, others[i]);

      _holdall_window_set_enabled (self, others[i], why == NULL);
    }
  gtk_widget_set_visible (self->read_only_sign, why_not != NULL);
  gtk_widget_set_tooltip_text (self->read_only_sign, why_not);
}

/* Not accelerators of the program: those would be heard before an entry in which somebody types. */
static void
add_shortcuts (HoldallWindow *self)
{
  static const struct {
    const char *trigger;
    const char *action;
  } table[] = {
    { "Delete|KP_Delete", "win.delete" },
    { "F2", "win.rename" },
    { "<Control><Shift>n", "win.new-folder" },
    { "<Control>x|Cut", "win.cut" },
    { "<Control>c|Copy", "win.copy" },
    { "<Control>v|Paste", "win.paste" },
    { "<Control>z|Undo", "win.undo" },
    { "<Control><Shift>z|<Control>y|Redo", "win.redo" },
  };
  GtkEventController *keys = gtk_shortcut_controller_new ();

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string (table[i].trigger),
                        gtk_named_action_new (table[i].action)));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

void
_holdall_window_edit_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "undo", undo_cb },
    { "redo", redo_cb },
  };

  self->edit = g_new0 (HoldallWindowEdit, 1);
  self->edit->undo = holdall_undo_new (g_settings_get_uint64 (self->settings, "undo-limit-bytes"));
  self->edit->held = g_ptr_array_new_with_free_func (edit_free);
  g_signal_connect_object (self->cost_bar, "go-on", G_CALLBACK (cost_go_on_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cost_bar, "cancelled", G_CALLBACK (cost_cancelled_cb), self,
                           G_CONNECT_SWAPPED);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  _holdall_window_edit_actions_init (self);
  _holdall_window_rename_init (self);
  _holdall_window_clipboard_init (self);
  add_shortcuts (self);
}

void
_holdall_window_edit_dispose (HoldallWindow *self)
{
  if (self->edit == NULL)
    return;
  g_clear_pointer (&self->edit->undo, holdall_undo_free);
  g_clear_pointer (&self->edit->held, g_ptr_array_unref);
  g_clear_pointer (&self->edit, g_free);
  g_clear_object (&self->edit_toast);
}
