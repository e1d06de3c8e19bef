/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Copies and cuts for other programs, and what the archive does when a cut was pasted there: it
 * lets go of exactly what has arrived, in one rewrite, and of nothing in any case of doubt. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "holdall-doors.h"
#include "holdall-offer-provider.h"
#include "holdall-window-doors.h"
#include "holdall-window-private.h"

/* With its guard; outlives the window. */
typedef struct {
  GWeakRef window;
  HoldallCutGuard *guard;     /* borrowed: it owns this */
  HoldallClip *clip;
  HoldallJobList *jobs;
  AdwToast *question;         /* (nullable) */
} Cut;

static HoldallApplication *
get_application (void)
{
  return HOLDALL_APPLICATION (g_application_get_default ());
}

static void
cut_free (gpointer data)
{
  Cut *cut = data;

  _holdall_window_end_toast (&cut->question);
  g_weak_ref_clear (&cut->window);
  g_clear_object (&cut->clip);
  g_object_unref (cut->jobs);
  g_free (cut);
}

static void
warning_cb (HoldallOffer  *offer,
            const char    *words,
            HoldallWindow *self)
{
  g_autofree char *escaped = g_markup_escape_text (words, -1);

  if (self->edit != NULL)
    holdall_window_show_toast (self, adw_toast_new (escaped));
}

HoldallOffer *
_holdall_window_create_offer (HoldallWindow *self,
                              gboolean       for_cut)
{
  g_autoptr (GArray) indices = holdall_window_dup_selection (self);
  g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);
  g_autoptr (HoldExtractRoots) roots = NULL;
  HoldallOffer *offer;

  if (self->archive == NULL || indices == NULL || indices->len == 0)
    return NULL;
  roots = hold_extract_roots_new ((const char * const *) paths, TRUE);
  offer = holdall_doors_create_offer (holdall_application_get_doors (get_application ()),
                                      self->archive, indices, roots, self->keyring,
                                      GTK_WINDOW (self), !for_cut);
  /* It may be one that is used again. */
  g_signal_handlers_disconnect_by_func (offer, warning_cb, self);
  if (for_cut)
    holdall_offer_set_for_move (offer);
  g_signal_connect_object (offer, "warning", G_CALLBACK (warning_cb), self, 0);
  return offer;
}

static HoldallWindow *
dup_window (Cut *cut)
{
  g_autoptr (HoldallWindow) window = g_weak_ref_get (&cut->window);

  return window != NULL && window->edit != NULL ? g_steal_pointer (&window) : NULL;
}

static void
tell (Cut        *cut,
      const char *words)
{
  g_autoptr (HoldallWindow) window = dup_window (cut);

  if (window != NULL)
    holdall_window_show_toast (window, adw_toast_new (words));
}

/* One rewrite without @indices. */
static void
remove_entries (Cut    *cut,
                GArray *indices,
                guint   n_items)
{
  g_autoptr (HoldallWindow) window = dup_window (cut);
  HoldallOffer *offer = holdall_cut_guard_get_offer (cut->guard);
  HoldArchive *archive = holdall_offer_get_archive (offer);
  HoldUpdateRequest *request;
  g_autoptr (HoldJob) job = NULL;

  if (window != NULL && window->archive != archive)
    {
      tell (cut, _("The archive has changed since the cut and keeps the files"));
      return;
    }
  request = hold_update_request_new (archive);
  hold_update_request_set_keyring (request, holdall_offer_get_keyring (offer));
  for (guint i = 0; i < indices->len; i++)
    hold_update_request_delete_index (request, g_array_index (indices, guint, i));
  job = HOLD_JOB (hold_update_job_new (request));
  if (window == NULL)
    {
      holdall_job_list_submit (cut->jobs, job, NULL);
      return;
    }
  _holdall_window_submit_edit (window, &(HoldallEdit) {
    .job = g_steal_pointer (&job),
    .words = g_strdup_printf (ngettext ("Moved %'u item out of the archive",
                                        "Moved %'u items out of the archive", n_items), n_items),
  });
}

typedef struct {
  GArray *indices;
  guint n_items;
  HoldStaging *staging;   /* borrowed from the offer of the guard that is the task's source */
  gboolean is_on_same_disk;
} Removal;

static void
removal_free (gpointer data)
{
  Removal *removal = data;

  g_array_unref (removal->indices);
  g_free (removal);
}

/* What has arrived must be on the disk before the archive lets go of it, whichever disk it is. */
static void
sync_func (GTask        *task,
           gpointer      source_object,
           gpointer      task_data,
           GCancellable *cancellable)
{
  Removal *removal = task_data;
  GError *error = NULL;

  if (removal->is_on_same_disk ? hold_staging_sync (removal->staging, &error)
                               : hold_staging_sync_everywhere (&error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
synced_cb (GObject      *object,
           GAsyncResult *result,
           gpointer      user_data)
{
  Removal *removal = g_task_get_task_data (G_TASK (result));
  Cut *cut = g_object_get_data (object, "holdall-cut");

  if (g_task_propagate_boolean (G_TASK (result), NULL))
    remove_entries (cut, removal->indices, removal->n_items);
  else
    tell (cut, _("Nobody can tell whether what was cut has arrived: the archive keeps it"));
  g_application_release (G_APPLICATION (get_application ()));
}

static void
sync_and_remove (Cut    *cut,
                 GArray *indices,
                 guint   n_items)
{
  g_autoptr (GTask) task = g_task_new (cut->guard, NULL, synced_cb, NULL);
  Removal *removal = g_new0 (Removal, 1);

  removal->indices = g_array_ref (indices);
  removal->n_items = n_items;
  removal->staging = holdall_offer_get_staging (holdall_cut_guard_get_offer (cut->guard));
  removal->is_on_same_disk = holdall_cut_guard_is_on_same_disk (cut->guard);
  g_task_set_task_data (task, removal, removal_free);
  g_application_hold (G_APPLICATION (get_application ()));
  g_task_run_in_thread (task, sync_func);
}

/* Entries of the items that have arrived; NULL if names of files and of entries are not
 * the same, so that nobody can tell. (transfer full) */
static GArray *
find_arrived (Cut                *cut,
              const char * const *arrived)
{
  HoldallOffer *offer = holdall_cut_guard_get_offer (cut->guard);
  HoldArchive *archive = holdall_offer_get_archive (offer);
  GArray *all = holdall_offer_get_indices (offer);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) wanted = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  HoldStaging *staging = holdall_offer_get_staging (offer);
  g_auto (GStrv) files = hold_staging_dup_items (staging);

  for (guint i = 0; arrived[i] != NULL; i++)
    g_hash_table_add (wanted, (gpointer) arrived[i]);
  for (guint i = 0; i < all->len; i++)
    {
      guint index = g_array_index (all, guint, i);
      char *name = hold_extract_roots_dup_root (holdall_offer_get_roots (offer),
                                                hold_archive_get_entry (archive, index));

      if (name == NULL)
        return NULL;
      if (g_hash_table_contains (wanted, name))
        g_array_append_val (found, index);
      g_hash_table_add (names, name);
    }
  if (g_hash_table_size (names) != g_strv_length (files))
    return NULL;
  for (guint i = 0; files[i] != NULL; i++)
    {
      if (!g_hash_table_contains (names, files[i] + strlen (hold_staging_get_payload (staging)) + 1))
        return NULL;
    }
  return found->len > 0 ? g_steal_pointer (&found) : NULL;
}

static void
remove_arrived (Cut *cut)
{
  g_auto (GStrv) arrived = holdall_cut_guard_dup_arrived (cut->guard);
  g_autoptr (GArray) indices = find_arrived (cut, (const char * const *) arrived);
  HoldallDoors *doors = holdall_application_get_doors (get_application ());
  HoldStaging *staging = holdall_offer_get_staging (holdall_cut_guard_get_offer (cut->guard));

  /* An undo in the file manager may yet bring them back, and would be the end of them. */
  if (indices != NULL && !hold_staging_disown (staging, (const char * const *) arrived, NULL))
    tell (cut, _("Nobody can tell whether what was cut has arrived: the archive keeps it"));
  else if (indices != NULL)
    sync_and_remove (cut, indices, g_strv_length (arrived));
  /* What is left of the cut would be watched against an archive that has changed. */
  if (holdall_doors_get_guard (doors) == cut->guard)
    _holdall_window_forget_cut ();
}

static void
question_clicked_cb (AdwToast        *toast,
                     HoldallCutGuard *guard)
{
  g_autoptr (HoldallCutGuard) alive = g_object_ref (guard);
  Cut *cut = g_object_get_data (G_OBJECT (guard), "holdall-cut");

  /* The click dismisses it. */
  g_clear_object (&cut->question);
  if (holdall_cut_guard_is_still (guard))
    remove_arrived (cut);
}

static void
question_dismissed_cb (AdwToast        *toast,
                       HoldallCutGuard *guard)
{
  Cut *cut = g_object_get_data (G_OBJECT (guard), "holdall-cut");

  if (cut->question == toast)
    g_clear_object (&cut->question);
}

/* Not a dialog: the other program may be about to go on. Not answering keeps everything. */
static void
ask (Cut *cut)
{
  g_autoptr (HoldallWindow) window = dup_window (cut);
  g_auto (GStrv) arrived = holdall_cut_guard_dup_arrived (cut->guard);
  g_autoptr (GArray) indices = find_arrived (cut, (const char * const *) arrived);
  guint n_items = holdall_cut_guard_get_n_items (cut->guard);
  g_autofree char *text = NULL;

  if (window == NULL)
    return;
  if (indices == NULL)
    {
      tell (cut, _("Not everything that was cut has arrived: the archive keeps it all"));
      return;
    }
  /* Translators: of the files that were cut, some were pasted into another program. */
  text = g_strdup_printf (ngettext ("%u of %u item was moved", "%u of %u items were moved",
                                    n_items),
                          g_strv_length (arrived), n_items);
  cut->question = adw_toast_new (text);
  adw_toast_set_timeout (cut->question, 0);
  adw_toast_set_button_label (cut->question, _("_Remove from Archive"));
  /* Others wait behind it; and it must not wait itself, it would come when it is over. */
  adw_toast_set_priority (cut->question, ADW_TOAST_PRIORITY_HIGH);
  g_signal_connect_object (cut->question, "button-clicked", G_CALLBACK (question_clicked_cb),
                           cut->guard, 0);
  g_signal_connect_object (cut->question, "dismissed", G_CALLBACK (question_dismissed_cb),
                           cut->guard, 0);
  holdall_window_show_toast (window, g_object_ref (cut->question));
}

static void
end_clip (Cut *cut)
{
  GdkDisplay *display = gdk_display_get_default ();
  g_autoptr (HoldallClip) clip = holdall_clipboard_dup_clip (gdk_display_get_clipboard (display));

  if (clip == cut->clip)
    holdall_clipboard_end_cut (gdk_display_get_clipboard (display));
}

static void
verdict_cb (HoldallCutGuard *guard,
            int              verdict,
            Cut             *cut)
{
  HoldallOffer *offer = holdall_cut_guard_get_offer (guard);
  HoldallDoors *doors = holdall_application_get_doors (get_application ());
  g_autoptr (HoldallCutGuard) alive = g_object_ref (guard);

  _holdall_window_end_toast (&cut->question);
  switch ((HoldCutVerdict) verdict)
    {
    case HOLD_CUT_COMMIT:
      sync_and_remove (cut, holdall_offer_get_indices (offer),
                       holdall_cut_guard_get_n_items (guard));
      break;
    case HOLD_CUT_PARTIAL:
    case HOLD_CUT_NOT_PROVEN:
      ask (cut);
      return;
    case HOLD_CUT_REAPPEARED:
      tell (cut, _("The files that were moved came back: the archive keeps them"));
      break;
    case HOLD_CUT_TRASH:
      tell (cut, _("What was cut went into the trash: the archive keeps it"));
      break;
    case HOLD_CUT_DESTROYED:
      tell (cut, _("What was cut was deleted on the way: the archive keeps it"));
      break;
    case HOLD_CUT_UNKNOWN:
      tell (cut, _("Nobody can tell whether what was cut has arrived: the archive keeps it"));
      break;
    case HOLD_CUT_NOTHING:
    default:
      return;
    }
  end_clip (cut);
  if (holdall_doors_get_guard (doors) == guard)
    holdall_doors_set_guard (doors, NULL);
}

/* Said at once and not after the paste: whoever pastes counts on the archive being smaller then. */
static void
blind_cb (HoldallCutGuard *guard,
          Cut             *cut)
{
  tell (cut, _("Pasting will copy: the system does not let so many files be followed, so the archive "
               "keeps them"));
}

static void
begin_cut (HoldallWindow *self,
           HoldallClip   *clip,
           HoldallOffer  *offer)
{
  HoldallApplication *application = get_application ();
  g_autoptr (HoldallCutGuard) guard = holdall_cut_guard_new (offer);
  Cut *cut = g_new0 (Cut, 1);

  g_weak_ref_init (&cut->window, self);
  cut->guard = guard;
  cut->clip = g_object_ref (clip);
  cut->jobs = g_object_ref (holdall_application_get_jobs (application));
  g_object_set_data_full (G_OBJECT (guard), "holdall-cut", cut, cut_free);
  g_signal_connect (guard, "verdict", G_CALLBACK (verdict_cb), cut);
  g_signal_connect (guard, "blind", G_CALLBACK (blind_cb), cut);
  if (holdall_cut_guard_is_blind (guard))
    blind_cb (guard, cut);
  holdall_doors_set_guard (holdall_application_get_doors (application), guard);
}

void
_holdall_window_open_clip (HoldallWindow *self,
                           HoldallClip   *clip)
{
  HoldallDoors *doors = holdall_application_get_doors (get_application ());
  HoldallCutGuard *guard = holdall_doors_get_guard (doors);
  gboolean is_cut = holdall_clip_get_is_cut (clip);
  g_autoptr (HoldallOffer) offer = NULL;

  /* A paste that goes on is watched to its end also when something else is copied meanwhile. */
  if (is_cut || (guard != NULL && !holdall_cut_guard_is_touched (guard)))
    holdall_doors_set_guard (doors, NULL);
  offer = _holdall_window_create_offer (self, is_cut);
  if (offer == NULL)
    return;
  if (is_cut)
    begin_cut (self, clip, offer);
  holdall_clip_set_outside (
    clip, holdall_offer_provider_new (offer, is_cut ? HOLDALL_OFFER_CUT : HOLDALL_OFFER_COPY,
                                      NULL, NULL));
  /* Nobody else may ask for a while, and what is wrong is told to who asks. */
  if (holdall_offer_is_cheap (offer))
    holdall_offer_wait_async (offer, NULL, NULL, NULL);
  else
    holdall_offer_tell_space (offer);
}

void
_holdall_window_forget_cut (void)
{
  HoldallDoors *doors = holdall_application_get_doors (get_application ());
  HoldallCutGuard *guard = holdall_doors_get_guard (doors);

  /* Who waits for it holds it: it would be unpacked to its end, and the archive be busy so long. No
   * drag and no copy has a part in it, since what is offered for a cut is never used again. */
  if (guard != NULL)
    holdall_offer_abandon (holdall_cut_guard_get_offer (guard), TRUE);
  holdall_doors_set_guard (doors, NULL);
}
