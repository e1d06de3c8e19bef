/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* A dialog keeps its window, so that waits for its unrealizing and not for its end. */

#include "config.h"

#include "holdall-native-dialog.h"

static void
window_closed_cb (GtkWindow       *window,
                  GtkNativeDialog *dialog)
{
  g_signal_handlers_disconnect_by_func (window, window_closed_cb, dialog);
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

/* After whoever else wants the answer. */
static void
response_cb (GtkNativeDialog *dialog,
             int              response,
             gpointer         user_data)
{
  GtkWindow *window = gtk_native_dialog_get_transient_for (dialog);

  if (window != NULL)
    g_signal_handlers_disconnect_by_func (window, window_closed_cb, dialog);
  g_object_unref (dialog);
}

void
holdall_native_dialog_present (GtkNativeDialog *dialog)
{
  GtkWindow *window;

  g_return_if_fail (GTK_IS_NATIVE_DIALOG (dialog));

  window = gtk_native_dialog_get_transient_for (dialog);
  g_signal_connect_after (dialog, "response", G_CALLBACK (response_cb), NULL);
  if (window != NULL)
    g_signal_connect (window, "unrealize", G_CALLBACK (window_closed_cb), dialog);
  gtk_native_dialog_set_modal (dialog, window != NULL);
  gtk_native_dialog_show (dialog);
}
