/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Cut, copy and paste: the actions, and what becomes of files that other programs have copied or
 * cut. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-clipboard.h"
#include "holdall-file-list.h"
#include "holdall-window-doors.h"
#include "holdall-window-edit.h"
#include "holdall-window-private.h"

static GdkClipboard *
get_clipboard (HoldallWindow *self)
{
  return gtk_widget_get_clipboard (GTK_WIDGET (self));
}

static void
put_selection (HoldallWindow *self,
               gboolean       is_cut)
{
  g_auto (GStrv) paths = holdall_window_dup_selected_paths (self);
  g_autoptr (HoldallClip) clip = NULL;

  if (self->archive == NULL || paths[0] == NULL)
    return;
  clip = holdall_clip_new (GTK_WINDOW (self), self->archive, (const char * const *) paths, is_cut);
  _holdall_window_open_clip (self, clip);
  holdall_clipboard_set (get_clipboard (self), clip);
}

static void
cut_cb (GSimpleAction *action,
        GVariant      *parameter,
        gpointer       user_data)
{
  put_selection (HOLDALL_WINDOW (user_data), TRUE);
}

static void
copy_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  put_selection (HOLDALL_WINDOW (user_data), FALSE);
}

static void
show_words (HoldallWindow *self,
            const char    *words)
{
  holdall_window_show_toast (self, adw_toast_new (words));
}

typedef struct {
  HoldallWindow *window;   /* weak */
  char *into;
} Paste;

static void
paste_free (Paste *self)
{
  g_clear_weak_pointer (&self->window);
  g_free (self->into);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Paste, paste_free)

static void
files_read_cb (GObject      *object,
               GAsyncResult *result,
               gpointer      user_data)
{
  g_autoptr (Paste) paste = user_data;
  gboolean is_cut = FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = holdall_file_list_finish (result, &is_cut, &error);

  if (files == NULL)
    g_debug ("The clipboard can't be read: %s", error->message);
  /* It was closed while the other program took its time. */
  if (paste->window == NULL)
    return;
  if (files == NULL || files->len == 0)
    show_words (paste->window, _("There is nothing to paste"));
  else if (paste->window->archive == NULL)
    return;
  else if (is_cut)
    _holdall_window_move_files_in (paste->window, (GFile **) files->pdata, files->len, paste->into);
  else
    _holdall_window_add_files (paste->window, (GFile **) files->pdata, files->len, paste->into);
}

static void
paste_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);
  g_autoptr (HoldallClip) clip = holdall_clipboard_dup_clip (get_clipboard (self));
  const char *into = _holdall_window_get_shown_folder (self);
  Paste *paste;

  if (self->archive == NULL)
    return;
  if (clip != NULL)
    {
      _holdall_window_take_clip (self, clip, holdall_clip_get_is_cut (clip), into);
      if (holdall_clip_get_is_cut (clip) && holdall_clipboard_end_cut (get_clipboard (self)))
        _holdall_window_forget_cut ();
      return;
    }
  paste = g_new0 (Paste, 1);
  g_set_weak_pointer (&paste->window, self);
  paste->into = g_strdup (into);
  holdall_file_list_paste_async (get_clipboard (self), NULL, files_read_cb, paste);
}

static void
end_cut_cb (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       user_data)
{
  HoldallWindow *self = HOLDALL_WINDOW (user_data);

  if (holdall_clipboard_end_cut (get_clipboard (self)))
    _holdall_window_forget_cut ();
  else
    g_action_group_activate_action (G_ACTION_GROUP (self), "leave-search", NULL);
}

gboolean
_holdall_window_can_paste (HoldallWindow *self)
{
  GdkContentFormats *formats = gdk_clipboard_get_formats (get_clipboard (self));

  return gdk_content_formats_contain_gtype (formats, HOLDALL_TYPE_CLIP) ||
         holdall_file_list_is_offered (formats);
}

static void
clipboard_changed_cb (HoldallWindow *self)
{
  holdall_browser_update_cut (self->browser);
  _holdall_window_edit_update (self);
}

void
_holdall_window_clipboard_init (HoldallWindow *self)
{
  static const GActionEntry entries[] = {
    { "cut", cut_cb },
    { "copy", copy_cb },
    { "paste", paste_cb },
    { "end-cut", end_cut_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  /* After the handler that ends a cut. */
  g_signal_connect_object (get_clipboard (self), "changed", G_CALLBACK (clipboard_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}
