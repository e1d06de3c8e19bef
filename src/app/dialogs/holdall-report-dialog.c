/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What happened to the entries that did not simply succeed, to read and to copy. */

#include "config.h"

#include "holdall-report-dialog.h"

#include "holdall-format-text.h"
#include "holdall-report-row.h"

#include <glib/gi18n.h>

struct _HoldallReportDialog {
  AdwWindow parent_instance;

  HoldReport *report;  /* owned */
  GListStore *rows;    /* owned; of HoldallReportRow */

  GtkLabel *heading_label;
  GtkListView *list_view;
  GtkLabel *more_label;
};

G_DEFINE_FINAL_TYPE (HoldallReportDialog, holdall_report_dialog, ADW_TYPE_WINDOW)

static void
copy_clicked_cb (HoldallReportDialog *self)
{
  g_autoptr (GString) text = g_string_new (gtk_label_get_text (self->heading_label));
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  g_string_append_c (text, '\n');
  for (guint i = 0; i < n_rows; i++)
    {
      g_autoptr (HoldallReportRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      g_autofree char *path = holdall_report_row_dup_path (row);
      g_autofree char *reason = holdall_report_row_dup_reason (row);
      g_autofree char *details = holdall_report_row_dup_details (row);

      g_string_append_printf (text, "%s: %s (%s)\n", path, reason, details);
    }
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text->str);
}

static void
fill (HoldallReportDialog *self)
{
  guint n_items = hold_report_get_n_items (self->report);
  guint n_all = 0;
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n_items; i++)
    g_ptr_array_add (rows, holdall_report_row_new (hold_report_get_item (self->report, i)));
  /* Extraction goes on all cores: things went wrong in no order that says anything. */
  g_ptr_array_sort (rows, holdall_report_row_compare);
  g_list_store_splice (self->rows, 0, 0, rows->pdata, rows->len);

  /* The engine keeps the first 10,000 lines and counts the rest. */
  for (HoldOutcome outcome = HOLD_OUTCOME_FAILED; outcome <= HOLD_OUTCOME_WARNING; outcome++)
    n_all += hold_report_count (self->report, outcome);
  if (n_all > n_items)
    {
      g_autofree char *more = g_strdup_printf (ngettext ("and %'u more", "and %'u more",
                                                         n_all - n_items), n_all - n_items);

      gtk_label_set_text (self->more_label, more);
      gtk_widget_set_visible (GTK_WIDGET (self->more_label), TRUE);
    }
}

static void
holdall_report_dialog_dispose (GObject *object)
{
  HoldallReportDialog *self = HOLDALL_REPORT_DIALOG (object);

  /* The rows point into the report: they go first. */
  if (self->rows != NULL)
    g_list_store_remove_all (self->rows);
  g_clear_object (&self->rows);

  G_OBJECT_CLASS (holdall_report_dialog_parent_class)->dispose (object);
}

static void
holdall_report_dialog_finalize (GObject *object)
{
  HoldallReportDialog *self = HOLDALL_REPORT_DIALOG (object);

  g_clear_pointer (&self->report, hold_report_unref);

  G_OBJECT_CLASS (holdall_report_dialog_parent_class)->finalize (object);
}

static void
holdall_report_dialog_class_init (HoldallReportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = holdall_report_dialog_dispose;
  G_OBJECT_CLASS (klass)->finalize = holdall_report_dialog_finalize;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-report-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallReportDialog, heading_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallReportDialog, list_view);
  gtk_widget_class_bind_template_child (widget_class, HoldallReportDialog, more_label);
  gtk_widget_class_bind_template_callback (widget_class, copy_clicked_cb);
}

static void
holdall_report_dialog_init (HoldallReportDialog *self)
{
  g_autoptr (GtkListItemFactory) factory = NULL;
  GtkNoSelection *selection;

  /* The row's template names the type, which must be known before it is read. */
  g_type_ensure (HOLDALL_TYPE_REPORT_ROW);
  gtk_widget_init_template (GTK_WIDGET (self));

  self->rows = g_list_store_new (HOLDALL_TYPE_REPORT_ROW);
  selection = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->rows)));
  gtk_list_view_set_model (self->list_view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  factory = gtk_builder_list_item_factory_new_from_resource (NULL, HOLDALL_APP_PATH
                                                             "/holdall-report-row.ui");
  gtk_list_view_set_factory (self->list_view, factory);
}

void
holdall_report_dialog_present (GtkWindow  *parent,
                               const char *heading,
                               HoldReport *report)
{
  HoldallReportDialog *self;

  g_return_if_fail (report != NULL);

  self = g_object_new (HOLDALL_TYPE_REPORT_DIALOG, "transient-for", parent, NULL);
  /* Without a window behind it this alone keeps the program. */
  if (parent == NULL)
    gtk_window_set_application (GTK_WINDOW (self), GTK_APPLICATION (g_application_get_default ()));
  self->report = hold_report_ref (report);
  gtk_label_set_text (self->heading_label, heading);
  fill (self);
  gtk_window_present (GTK_WINDOW (self));
}
