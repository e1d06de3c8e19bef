/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What an edit says when it is done: one toast that always speaks of the last one, another where not
 * everything went well, and the offer to throw away what is empty now. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-error-dialog.h"
#include "holdall-report-dialog.h"
#include "holdall-window-edit.h"
#include "holdall-window-private.h"

/* The report outlives the window and the archive. */
typedef struct {
  HoldReport *report;
  char *heading;
} Details;

static void
details_free (gpointer  data,
              GClosure *closure)
{
  Details *details = data;

  hold_report_unref (details->report);
  g_free (details->heading);
  g_free (details);
}

static void
details_clicked_cb (AdwToast *toast,
                    Details  *details)
{
  GtkApplication *application = GTK_APPLICATION (g_application_get_default ());

  holdall_report_dialog_present (gtk_application_get_active_window (application), details->heading,
                                 details->report);
}

static char *
describe_outcome (const char *words,
                  HoldReport *report,
                  guint       n_staying)
{
  guint n_failed = hold_report_count (report, HOLD_OUTCOME_FAILED);
  guint n_skipped = hold_report_count (report, HOLD_OUTCOME_SKIPPED);
  g_autoptr (GString) text = g_string_new (words);

  n_failed += hold_report_count (report, HOLD_OUTCOME_REFUSED);
  if (n_failed > 0)
    g_string_append_printf (text, ngettext (", %'u failed", ", %'u failed", n_failed), n_failed);
  if (n_skipped > 0)
    g_string_append_printf (text, ngettext (", %'u skipped", ", %'u skipped", n_skipped), n_skipped);
  /* Translators: of files that were moved into the archive, those that could not be removed from
   * the disk. */
  if (n_staying > 0)
    g_string_append_printf (text, ngettext (", %'u stays where it was", ", %'u stay where they were",
                                            n_staying),
                            n_staying);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
toast_dismissed_cb (AdwToast      *toast,
                    HoldallWindow *self)
{
  if (self->edit_toast == toast)
    g_clear_object (&self->edit_toast);
}

static void
show_details_toast (HoldallWindow *self,
                    char          *text,
                    HoldReport    *report)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  AdwToast *toast = adw_toast_new (escaped);
  Details *details = g_new0 (Details, 1);

  details->report = hold_report_ref (report);
  details->heading = g_strdup (text);
  adw_toast_set_button_label (toast, _("Details"));
  adw_toast_set_timeout (toast, 0);
  g_signal_connect_data (toast, "button-clicked", G_CALLBACK (details_clicked_cb), details,
                         details_free, G_CONNECT_DEFAULT);
  holdall_window_show_toast (self, toast);
}

/* There is one toast about edits at a time, which always speaks of the last one: its button would
 * undo something else than an older one says. It is changed and not replaced, since libadwaita 1.2
 * crashes when toasts go while they are still coming. */
void
_holdall_window_tell_edit (HoldallWindow *self,
                           const char    *words,
                           HoldReport    *report,
                           guint          n_staying,
                           gboolean       can_undo)
{
  g_autofree char *text = describe_outcome (words, report, n_staying);
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  gboolean is_new = self->edit_toast == NULL;

  if (hold_report_get_n_items (report) > 0)
    {
      _holdall_window_end_edit_undo (self);
      show_details_toast (self, text, report);
      return;
    }
  if (is_new)
    {
      self->edit_toast = adw_toast_new (escaped);
      g_signal_connect_object (self->edit_toast, "dismissed", G_CALLBACK (toast_dismissed_cb), self,
                               0);
    }
  adw_toast_set_title (self->edit_toast, escaped);
  adw_toast_set_button_label (self->edit_toast, can_undo ? _("_Undo") : NULL);
  adw_toast_set_action_name (self->edit_toast, can_undo ? "win.undo" : NULL);
  if (is_new)
    holdall_window_show_toast (self, g_object_ref (self->edit_toast));
  else
    holdall_window_announce (self, escaped);
}

void
_holdall_window_end_edit_undo (HoldallWindow *self)
{
  if (self->edit_toast != NULL)
    adw_toast_set_button_label (self->edit_toast, NULL);
}

static void
trashed_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  g_autoptr (HoldallWindow) self = holdall_window_take_weak (user_data);
  g_autoptr (GError) error = NULL;

  if (!g_file_trash_finish (G_FILE (object), result, &error))
    holdall_error_dialog_present (GTK_WINDOW (self), _("The Archive Could Not Be Moved to the Trash"),
                                  error);
  /* It may show another archive by now. */
  else if (self != NULL && self->file != NULL && g_file_equal (self->file, G_FILE (object)))
    gtk_window_close (GTK_WINDOW (self));
  g_application_release (g_application_get_default ());
}

static void
trash_clicked_cb (HoldallWindow *self)
{
  if (self->file == NULL)
    return;
  /* Until it lies in the trash, even if nobody waits for it. */
  g_application_hold (g_application_get_default ());
  g_file_trash_async (self->file, G_PRIORITY_DEFAULT, NULL, trashed_cb,
                      holdall_window_new_weak (self));
}

/* After the last entry was moved out: nobody wants to keep what is left. */
void
_holdall_window_offer_trash (HoldallWindow *self)
{
  g_autofree char *name = g_file_get_basename (self->file);
  g_autofree char *shown = hold_path_escape_for_display (name);
  g_autofree char *text = g_strdup_printf (_("“%s” is empty now"), shown);
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  AdwToast *toast = adw_toast_new (escaped);

  adw_toast_set_button_label (toast, _("Move to _Trash"));
  adw_toast_set_timeout (toast, 0);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (trash_clicked_cb), self,
                           G_CONNECT_SWAPPED);
  holdall_window_show_toast (self, toast);
}
