/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The dialogs that answer a job's questions, with real widgets on a display: every way out of
 * them must give exactly one answer, or a job would wait for ever. */

#include "config.h"

#include <adwaita.h>
#include <glib/gstdio.h>
#include <hold.h>
#include <string.h>

#include "hold-question-private.h"

#include "holdall-conflict-dialog.h"
#include "holdall-continue-dialog.h"
#include "holdall-create-dialog.h"
#include "holdall-error-dialog.h"
#include "holdall-password-dialog.h"
#include "holdall-report-dialog.h"
#include "holdall-report-row.h"

static gboolean
quit_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
iterate_ms (guint ms)
{
  gboolean over = FALSE;

  g_timeout_add (ms, quit_cb, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}

/* HOLDALL_LINGER_MS leaves each dialog on the screen for a look or a picture. */
static void
present (GtkWindow *dialog)
{
  const char *linger = g_getenv ("HOLDALL_LINGER_MS");

  gtk_window_present (dialog);
  iterate_ms (linger != NULL ? (guint) g_ascii_strtoull (linger, NULL, 10) : 50);
}

/* Destroys a dialog and waits until nothing holds it any more, a look for a thumbnail for example. */
static void
destroy_and_wait (GtkWindow *dialog)
{
  gpointer alive = dialog;

  g_object_add_weak_pointer (G_OBJECT (dialog), &alive);
  gtk_window_destroy (dialog);
  for (guint i = 0; i < 500 && alive != NULL; i++)
    iterate_ms (10);
  g_assert_null (alive);
}

static HoldAnswer
peek_answer (HoldQuestion *question)
{
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  /* Cancelled beforehand: an unanswered question returns at once. */
  g_cancellable_cancel (cancelled);
  return hold_question_wait (question, cancelled);
}

static GtkWidget *
find_widget (GtkWidget *widget,
             GType      type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_widget (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
test_password_empty (void)
{
  g_autoptr (HoldQuestion) question = hold_question_new_password ("/x/ci.zip", "key.pem", FALSE);
  GtkWindow *dialog = holdall_password_dialog_new (question);
  GtkWidget *entry;

  g_object_ref (dialog);
  present (dialog);
  entry = find_widget (GTK_WIDGET (dialog), ADW_TYPE_PASSWORD_ENTRY_ROW);
  g_assert_nonnull (entry);

  g_assert_false (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "unlock"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "x");
  g_assert_true (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "unlock"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  g_assert_false (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "unlock"));
  g_assert_false (hold_question_is_answered (question));

  g_object_unref (dialog);
  destroy_and_wait (dialog);
  g_assert_cmpint (peek_answer (question), ==, HOLD_ANSWER_CANCELLED);
  g_assert_true (hold_question_is_answered (question));
}

/* Who adds something is told why there is a question at all, and not about some entry. */
static void
test_password_for_adding (void)
{
  g_autoptr (HoldQuestion) question = hold_question_new_password_for_adding ("/x/ci.zip", "key.pem", FALSE);
  GtkWindow *dialog = holdall_password_dialog_new (question);
  const char *body = adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (dialog));

  g_assert_nonnull (strstr (body, "ci.zip"));
  g_assert_null (strstr (body, "key.pem"));
  destroy_and_wait (dialog);
  g_assert_cmpint (peek_answer (question), ==, HOLD_ANSWER_CANCELLED);
}

static void
test_password_given (void)
{
  g_autoptr (HoldQuestion) question = hold_question_new_password ("/x/ci.zip", NULL, TRUE);
  GtkWindow *dialog = holdall_password_dialog_new (question);
  GtkWidget *entry;
  g_autoptr (HoldSecret) secret = NULL;

  g_object_ref (dialog);
  present (dialog);
  entry = find_widget (GTK_WIDGET (dialog), ADW_TYPE_PASSWORD_ENTRY_ROW);
  /* P07: it says that the last one was wrong. */
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "sésame");
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "unlock");

  g_assert_true (hold_question_is_answered (question));
  secret = hold_question_dup_secret (question);
  g_assert_cmpstr (hold_secret_peek (secret), ==, "sésame");
  /* The password does not stay in the widget. */
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  g_object_unref (dialog);
  destroy_and_wait (dialog);
}

typedef struct {
  const char *response;
  gboolean for_all;
  gboolean newer;
  HoldConflict expected;
} ConflictCase;

static GtkWidget *
find_check (GtkWidget *dialog,
            guint      position)
{
  GtkWidget *check = find_widget (dialog, GTK_TYPE_CHECK_BUTTON);

  for (; position > 0; position--)
    check = gtk_widget_get_next_sibling (check);
  return check;
}

static void
test_conflict (gconstpointer data)
{
  const ConflictCase *testcase = data;
  HoldConflictSide existing = { "/home/me/out/a.txt", FALSE, TRUE, 1200, TRUE, 1600000000 };
  HoldConflictSide incoming = { "d/a.txt", FALSE, TRUE, 1300, TRUE, 1700000000 };
  g_autoptr (HoldQuestion) question = hold_question_new_conflict (&existing, &incoming);
  GtkWindow *dialog = holdall_conflict_dialog_new (question, NULL, FALSE);
  gboolean for_all = !testcase->for_all;

  g_object_ref (dialog);
  present (dialog);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (find_check (GTK_WIDGET (dialog), 0)),
                               testcase->for_all);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (find_check (GTK_WIDGET (dialog), 1)),
                               testcase->newer);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), testcase->response);

  g_assert_true (hold_question_is_answered (question));
  if (testcase->expected == HOLD_CONFLICT_ASK)
    {
      g_assert_cmpint (peek_answer (question), ==, HOLD_ANSWER_CANCELLED);
    }
  else
    {
      g_assert_cmpint (hold_question_get_conflict (question, &for_all), ==, testcase->expected);
      g_assert_cmpint (for_all, ==, testcase->for_all);
    }
  g_object_unref (dialog);
  destroy_and_wait (dialog);
}

static gboolean
has_label (GtkWidget  *widget,
           const char *words)
{
  if (GTK_IS_LABEL (widget) && g_strcmp0 (gtk_label_get_label (GTK_LABEL (widget)), words) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_label (child, words))
      return TRUE;
  return FALSE;
}

/* What is added comes from the disk; then the archive is what exists. Return answers at once. */
static void
test_conflict_into_archive (void)
{
  HoldConflictSide existing = { "a.txt", FALSE, TRUE, 1200, TRUE, 1600000000 };
  HoldConflictSide incoming = { "/home/me/a.txt", FALSE, TRUE, 1300, TRUE, 1700000000 };
  g_autoptr (HoldQuestion) question = hold_question_new_conflict (&existing, &incoming);
  GtkWindow *dialog = holdall_conflict_dialog_new (question, NULL, TRUE);

  present (dialog);
  g_assert_false (has_label (GTK_WIDGET (dialog), "On the disk"));
  g_assert_true (has_label (GTK_WIDGET (dialog), "To be added"));
  g_assert_cmpstr (adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (dialog)), ==,
                   "The archive already holds a file of this name.");
  g_assert_true (gtk_window_get_focus (dialog) == gtk_window_get_default_widget (dialog));
  destroy_and_wait (dialog);
}

/* "Only if older" where nobody knows which is older: grey, and says why. */
static void
test_conflict_without_time (void)
{
  HoldConflictSide existing = { "/home/me/out/a.txt", FALSE, TRUE, 1200, TRUE, 1600000000 };
  HoldConflictSide incoming = { "d/a.txt", FALSE, TRUE, 1300, FALSE, 0 };
  g_autoptr (HoldQuestion) question = hold_question_new_conflict (&existing, &incoming);
  GtkWindow *dialog = holdall_conflict_dialog_new (question, NULL, FALSE);
  GtkWidget *newer;

  present (dialog);
  newer = find_check (GTK_WIDGET (dialog), 1);
  g_assert_false (gtk_widget_is_sensitive (newer));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (newer), ==,
                   "The time of one of the two is not known");
  destroy_and_wait (dialog);
}

/* (transfer full): an archive with one file, as it is after it was written */
static HoldArchive *
pack (const char *path,
      const char *file)
{
  const char *files[] = { file, NULL };
  HoldScheduler *scheduler = hold_scheduler_new (1, 1);
  HoldCreateRequest *request = hold_create_request_new (path, hold_format_by_id ("zip"), files);
  g_autoptr (HoldCreateJob) job = hold_create_job_new (request);
  HoldArchive *archive;

  hold_scheduler_submit (scheduler, HOLD_JOB (job));
  while (!hold_job_is_finished (HOLD_JOB (job)))
    g_main_context_iteration (NULL, TRUE);
  g_assert_no_error (hold_job_get_error (HOLD_JOB (job)));
  archive = g_object_ref (hold_create_job_get_archive (job));
  hold_scheduler_free (scheduler);
  return archive;
}

static guint
count_pictures (GtkWidget *widget)
{
  GtkWidget *child;
  guint n = GTK_IS_IMAGE (widget)
            && GDK_IS_TEXTURE (gtk_image_get_paintable (GTK_IMAGE (widget))) ? 1 : 0;

  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_pictures (child);
  return n;
}

/* What the archive has and what lies on the disk can be told apart by looking. */
static void
test_conflict_pictures (void)
{
  g_autofree char *folder = g_dir_make_tmp ("holdall-pictures-XXXXXX", NULL);
  g_autofree char *png = g_build_filename (folder, "a.png", NULL);
  g_autofree char *zip = g_build_filename (folder, "a.zip", NULL);
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, 40, 30);
  HoldConflictSide existing = { png, FALSE, TRUE, 1200, TRUE, 1600000000 };
  HoldConflictSide incoming = { "a.png", FALSE, TRUE, 1300, TRUE, 1700000000 };
  g_autoptr (HoldQuestion) question = hold_question_new_conflict (&existing, &incoming);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchive) archive = NULL;
  GtkWindow *dialog;

  gdk_pixbuf_fill (pixbuf, 0x3584e4ff);
  g_assert_true (gdk_pixbuf_save (pixbuf, png, "png", &error, NULL));
  g_assert_no_error (error);
  archive = pack (zip, png);
  dialog = holdall_conflict_dialog_new (question, archive, FALSE);
  present (dialog);
  while (count_pictures (GTK_WIDGET (dialog)) < 2)
    g_main_context_iteration (NULL, TRUE);
  destroy_and_wait (dialog);
  g_assert_cmpint (g_unlink (png), ==, 0);
  g_assert_cmpint (g_unlink (zip), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A folder is never thrown away for a file, so that button is grey. */
static void
test_conflict_file_on_folder (void)
{
  HoldConflictSide existing = { "/home/me/out/a", TRUE, FALSE, 0, FALSE, 0 };
  HoldConflictSide incoming = { "a", FALSE, TRUE, 1300, FALSE, 0 };
  g_autoptr (HoldQuestion) question = hold_question_new_conflict (&existing, &incoming);
  GtkWindow *dialog = holdall_conflict_dialog_new (question, NULL, FALSE);

  present (dialog);
  g_assert_false (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "replace"));
  g_assert_true (adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (dialog), "rename"));
  destroy_and_wait (dialog);
}

static void
test_continue (void)
{
  g_autoptr (GError) error = g_error_new (HOLD_ERROR, HOLD_ERROR_TOO_LARGE, "needs 3 GB, has 1 GB");
  g_autoptr (HoldQuestion) go = hold_question_new_continue (error);
  g_autoptr (HoldQuestion) stop = hold_question_new_continue (error);
  GtkWindow *dialog = holdall_continue_dialog_new (go);
  gboolean for_all = TRUE;

  present (dialog);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "continue");
  destroy_and_wait (dialog);
  g_assert_true (hold_question_get_continue (go, &for_all));
  g_assert_false (for_all);

  dialog = holdall_continue_dialog_new (stop);
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), "stop");
  destroy_and_wait (dialog);
  g_assert_true (hold_question_is_answered (stop));
  g_assert_cmpint (peek_answer (stop), ==, HOLD_ANSWER_CANCELLED);
}

static guint
count_toplevels (void)
{
  return g_list_model_get_n_items (gtk_window_get_toplevels ());
}

static void
destroy_toplevels (void)
{
  while (count_toplevels () > 0)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (gtk_window_get_toplevels (), 0);

      gtk_window_destroy (window);
    }
}

static void
test_error (void)
{
  g_autoptr (GError) cancelled = g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
  g_autoptr (GError) error = g_error_new (HOLD_ERROR, HOLD_ERROR_CHECKSUM, "d/a: CRC <b>is</b> bad");

  holdall_error_dialog_present (NULL, NULL, cancelled);
  g_assert_cmpuint (count_toplevels (), ==, 0);
  holdall_error_dialog_present (NULL, NULL, error);
  g_assert_cmpuint (count_toplevels (), ==, 1);
  iterate_ms (50);
  destroy_toplevels ();
}

/* What went wrong on several cores at once stands in the order of the list. */
static void
test_report_order (void)
{
  static const struct { HoldOutcome outcome; const char *path; } in[] = {
    { HOLD_OUTCOME_WARNING, "a" }, { HOLD_OUTCOME_FAILED, "f10" }, { HOLD_OUTCOME_FAILED, "f9" },
    { HOLD_OUTCOME_SKIPPED, "a" }, { HOLD_OUTCOME_FAILED, "F1" },
  };
  static const char * const out[] = { "F1", "f9", "f10", "a", "a" };
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = g_error_new (HOLD_ERROR, HOLD_ERROR_CHECKSUM, "CRC is bad");
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    hold_report_add (report, in[i].outcome, in[i].path, error);
  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    g_ptr_array_add (rows, holdall_report_row_new (hold_report_get_item (report, i)));
  g_ptr_array_sort (rows, holdall_report_row_compare);
  for (guint i = 0; i < G_N_ELEMENTS (out); i++)
    {
      g_autofree char *path = holdall_report_row_dup_path (g_ptr_array_index (rows, i));

      g_assert_cmpstr (path, ==, out[i]);
    }
}

static void
test_report (void)
{
  g_autoptr (HoldReport) report = hold_report_new ();
  g_autoptr (GError) error = g_error_new (HOLD_ERROR, HOLD_ERROR_CHECKSUM, "CRC is bad");
  g_autoptr (GtkWindow) window = NULL;

  for (guint i = 0; i < 12000; i++)
    {
      g_autofree char *path = g_strdup_printf ("d/%u\n.txt", i);

      hold_report_add (report, i % 5, path, error);
    }
  holdall_report_dialog_present (NULL, "Extracted 9 items, 2,400 failed", report);
  window = g_list_model_get_item (gtk_window_get_toplevels (), 0);
  present (window);
  destroy_toplevels ();
}

/* What stands behind the dot of a folder is no suffix; who has typed meanwhile keeps the words. */
static void
test_create_proposes (void)
{
  static const struct
  {
    const char *name;
    gboolean is_folder;
    gboolean types;
    const char *proposed;
  } cases[] = {
    { "tool-1.2", TRUE, FALSE, "tool-1.2" },
    { "tool-1.2", TRUE, TRUE, "mine" },
    { "letter.txt", FALSE, FALSE, "letter" },
  };
  g_autoptr (GSettings) settings = g_settings_new ("io.github.holdall.Holdall");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("holdall-create-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, cases[i].name, NULL);
      const char *files[] = { path, NULL };
      HoldallCreateDialog *dialog;
      GtkEditable *name;

      if (cases[i].is_folder)
        g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
      else
        g_assert_true (g_file_set_contents (path, "", 0, NULL));
      dialog = holdall_create_dialog_new (NULL, files, settings);
      name = GTK_EDITABLE (find_widget (GTK_WIDGET (dialog), ADW_TYPE_ENTRY_ROW));
      if (cases[i].types)
        gtk_editable_set_text (name, "mine");
      present (GTK_WINDOW (dialog));
      /* Nothing tells that a disk's answer was heard and changed nothing. */
      if (cases[i].types)
        iterate_ms (100);
      for (guint n = 0;
           n < 500 && !g_str_equal (gtk_editable_get_text (name), cases[i].proposed); n++)
        iterate_ms (10);
      g_assert_cmpstr (gtk_editable_get_text (name), ==, cases[i].proposed);
      destroy_and_wait (GTK_WINDOW (dialog));
      g_assert_cmpint (g_remove (path), ==, 0);
      g_assert_cmpint (g_rmdir (folder), ==, 0);
    }
}

int
main (int   argc,
      char *argv[])
{
  static const ConflictCase cases[] = {
    { "skip", FALSE, FALSE, HOLD_CONFLICT_SKIP },
    { "rename", TRUE, FALSE, HOLD_CONFLICT_RENAME },
    { "replace", TRUE, FALSE, HOLD_CONFLICT_OVERWRITE },
    { "replace", FALSE, TRUE, HOLD_CONFLICT_NEWER },
    { "skip", TRUE, TRUE, HOLD_CONFLICT_SKIP },
    { "cancel", TRUE, TRUE, HOLD_CONFLICT_ASK },
  };

  g_setenv ("LC_ALL", "C.UTF-8", TRUE);
  g_test_init (&argc, &argv, NULL);
  adw_init ();

  g_test_add_func ("/app/dialogs/password-empty", test_password_empty);
  g_test_add_func ("/app/dialogs/password-for-adding", test_password_for_adding);
  g_test_add_func ("/app/dialogs/password-given", test_password_given);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/app/dialogs/conflict/%s-%" G_GSIZE_FORMAT,
                                               cases[i].response, i);

      g_test_add_data_func (name, &cases[i], test_conflict);
    }
  g_test_add_func ("/app/dialogs/conflict-file-on-folder", test_conflict_file_on_folder);
  g_test_add_func ("/app/dialogs/conflict-into-archive", test_conflict_into_archive);
  g_test_add_func ("/app/dialogs/conflict-pictures", test_conflict_pictures);
  g_test_add_func ("/app/dialogs/conflict-without-time", test_conflict_without_time);
  g_test_add_func ("/app/dialogs/continue", test_continue);
  g_test_add_func ("/app/dialogs/create-proposes", test_create_proposes);
  g_test_add_func ("/app/dialogs/error", test_error);
  g_test_add_func ("/app/dialogs/report", test_report);
  g_test_add_func ("/app/dialogs/report-order", test_report_order);
  return g_test_run ();
}
