/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Cut, copy and paste: inside an archive, from window to window, and of files of other programs.
 * Inside the program nothing is unpacked to the disk: a move in an archive is a change of names, a
 * copy takes the packed bytes as they are. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-clipboard.h"
#include "holdall-name-check.h"
#include "holdall-uri-list.h"
#include "holdall-window-doors.h"
#include "holdall-window-edit.h"
#include "holdall-window-private.h"

static GdkClipboard *
get_clipboard (HoldallWindow *self)
{
  return gtk_widget_get_clipboard (GTK_WIDGET (self));
}

static gboolean
is_same_archive (HoldArchive *a,
                 HoldArchive *b)
{
  return g_strcmp0 (hold_archive_get_path (a), hold_archive_get_path (b)) == 0;
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

/* Names that entries of a clip get in a folder: free ones. */
typedef struct {
  HoldUpdateRequest *request;
  HoldTree *tree;           /* that they go into */
  GHashTable *taken;        /* paths given away already, owned by @select */
  GPtrArray *select;
  guint n_items;
} Taking;

static void
taking_init (Taking        *taking,
             HoldallWindow *self)
{
  taking->request = _holdall_window_create_update (self);
  taking->tree = hold_archive_get_tree (self->archive);
  taking->taken = g_hash_table_new (g_str_hash, g_str_equal);
  taking->select = g_ptr_array_new ();
  taking->n_items = 0;
}

/* Borrowed. */
static const char *
take_free_path (Taking     *taking,
                const char *path,
                gboolean    is_folder)
{
  char *free_path = holdall_name_make_free (taking->tree, taking->taken, path, is_folder);

  g_ptr_array_add (taking->select, free_path);
  g_hash_table_add (taking->taken, free_path);
  taking->n_items++;
  return free_path;
}

static void
taking_submit (Taking        *taking,
               HoldallWindow *self,
               HoldallEdit   *edit,
               gboolean       move)
{
  g_hash_table_unref (taking->taken);
  g_ptr_array_add (taking->select, NULL);
  edit->select = (char **) g_ptr_array_free (taking->select, FALSE);
  if (taking->n_items == 0)
    {
      hold_update_request_free (taking->request);
      g_strfreev (edit->select);
      if (edit->free_data != NULL)
        edit->free_data (edit->data);
      return;
    }
  edit->job = HOLD_JOB (hold_update_job_new (taking->request));
  edit->words = move
    ? g_strdup_printf (ngettext ("Moved %'u item", "Moved %'u items", taking->n_items), taking->n_items)
    : g_strdup_printf (ngettext ("Copied %'u item", "Copied %'u items", taking->n_items), taking->n_items);
  _holdall_window_submit_edit (self, edit);
}

static void
move_inside (HoldallWindow      *self,
             const char * const *paths,
             const char         *into)
{
  Taking taking;
  HoldallEdit edit = { 0 };
  gboolean into_itself = FALSE;

  taking_init (&taking, self);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      HoldNode *node = hold_tree_lookup (taking.tree, paths[i]);
      g_autofree char *folder = holdall_name_dup_folder (paths[i]);
      g_autofree char *path = holdall_name_join (into, hold_path_peek_basename (paths[i]));

      if (node == NULL || g_str_equal (folder, into))
        continue;
      if (hold_node_is_folder (node) && holdall_name_is_below (into, paths[i]))
        {
          into_itself = TRUE;
          continue;
        }
      hold_update_request_rename (taking.request, paths[i],
                                  take_free_path (&taking, path, hold_node_is_folder (node)));
    }
  if (into_itself)
    show_words (self, _("A folder can’t be moved into itself"));
  taking_submit (&taking, self, &edit, TRUE);
}

/* Indices of what is below @node but not of itself. (transfer full) */
static GArray *
collect_below (HoldArchive *archive,
               HoldNode    *node,
               const char  *path)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *below = g_array_new (FALSE, FALSE, sizeof (guint));

  hold_node_collect (node, all);
  for (guint i = 0; i < all->len; i++)
    {
      guint index = g_array_index (all, guint, i);
      const char *entry_path = hold_entry_get_path (hold_archive_get_entry (archive, index));

      if (!g_str_equal (entry_path, path))
        g_array_append_val (below, index);
    }
  return below;
}

static void
copy_one (Taking      *taking,
          HoldArchive *from,
          const char  *path,
          const char  *into)
{
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (from), path);
  g_autofree char *base = holdall_name_dup_folder (path);
  g_autofree char *wanted = holdall_name_join (into, hold_path_peek_basename (path));
  g_autoptr (GArray) indices = NULL;
  const char *free_path;

  if (node == NULL)
    return;
  free_path = take_free_path (taking, wanted, hold_node_is_folder (node));
  if (hold_node_is_folder (node) && !g_str_equal (free_path, wanted))
    {
      /* Beside the folder of that name, and not mixed with it. */
      indices = collect_below (from, node, path);
      hold_update_request_make_folder (taking->request, free_path);
      hold_update_request_copy (taking->request, from, indices, path, free_path);
      return;
    }
  indices = g_array_new (FALSE, FALSE, sizeof (guint));
  hold_node_collect (node, indices);
  hold_update_request_copy (taking->request, from, indices, base, into);
}

/* A move to another window, after its first half. */
typedef struct {
  HoldallClip *clip;
  HoldArchive *from;
  GArray *indices;      /* all that was meant, sorted */
  guint n_before;       /* entries of the target before */
} Leaving;

static void
leaving_free (gpointer data)
{
  Leaving *leaving = data;

  g_clear_object (&leaving->clip);
  g_clear_object (&leaving->from);
  g_clear_pointer (&leaving->indices, g_array_unref);
  g_free (leaving);
}

/* Takes out of the source what has arrived, which is all or nothing: an entry of which anything was
 * reported may not have. The job that copied has read the new archive again before it said DONE. */
static void
arrived_cb (HoldallWindow *self,
            HoldJob       *job,
            gpointer       data)
{
  Leaving *leaving = data;
  HoldArchive *target = hold_update_job_get_archive (HOLD_UPDATE_JOB (job));
  g_autoptr (GtkWindow) owner = holdall_clip_dup_owner (leaving->clip);
  HoldUpdateRequest *request;
  g_autoptr (HoldJob) leave = NULL;
  HoldallApplication *application;

  if (target == NULL || hold_report_get_n_items (hold_job_get_report (job)) > 0 ||
      hold_archive_get_n_entries (target) < leaving->n_before + leaving->indices->len)
    {
      show_words (self, _("Not everything could be moved: the originals were kept"));
      return;
    }
  request = hold_update_request_new (leaving->from);
  for (guint i = 0; i < leaving->indices->len; i++)
    hold_update_request_delete_index (request, g_array_index (leaving->indices, guint, i));
  leave = HOLD_JOB (hold_update_job_new (request));

  if (owner != NULL && HOLDALL_WINDOW (owner)->archive != NULL &&
      is_same_archive (HOLDALL_WINDOW (owner)->archive, leaving->from))
    {
      hold_update_request_set_keyring (request, HOLDALL_WINDOW (owner)->keyring);
      _holdall_window_submit_edit (HOLDALL_WINDOW (owner), &(HoldallEdit) {
        .job = g_steal_pointer (&leave),
        .words = g_strdup (_("Moved to another archive")),
      });
      return;
    }
  application = HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  holdall_job_list_submit (holdall_application_get_jobs (application), leave, GTK_WINDOW (self));
}

/* The newest snapshot that a window has of the clip's archive. Borrowed. */
static HoldArchive *
get_source (HoldallWindow *self,
            HoldallClip   *clip)
{
  HoldArchive *archive = holdall_clip_get_archive (clip);
  g_autoptr (GtkWindow) owner = holdall_clip_dup_owner (clip);

  if (self->archive != NULL && is_same_archive (self->archive, archive))
    return self->archive;
  if (owner != NULL && HOLDALL_WINDOW (owner)->archive != NULL &&
      is_same_archive (HOLDALL_WINDOW (owner)->archive, archive))
    return HOLDALL_WINDOW (owner)->archive;
  return archive;
}

static void
copy_in (HoldallWindow *self,
         HoldallClip   *clip,
         gboolean       move,
         const char    *into)
{
  HoldArchive *from = get_source (self, clip);
  const char * const *paths = holdall_clip_get_paths (clip);
  HoldallEdit edit = { 0 };
  Taking taking;

  taking_init (&taking, self);
  hold_update_request_set_conflict (taking.request, HOLD_CONFLICT_RENAME);
  for (guint i = 0; paths[i] != NULL; i++)
    copy_one (&taking, from, paths[i], into);
  if (move)
    {
      Leaving *leaving = g_new0 (Leaving, 1);

      leaving->clip = g_object_ref (clip);
      leaving->from = g_object_ref (from);
      leaving->indices = g_array_new (FALSE, FALSE, sizeof (guint));
      leaving->n_before = hold_archive_get_n_entries (self->archive);
      hold_tree_collect (hold_archive_get_tree (from), paths, leaving->indices);
      edit.done = arrived_cb;
      edit.data = leaving;
      edit.free_data = leaving_free;
    }
  taking_submit (&taking, self, &edit, move);
}

void
_holdall_window_take_clip (HoldallWindow *self,
                           gpointer       given,
                           gboolean       move,
                           const char    *into)
{
  HoldallClip *clip = HOLDALL_CLIP (given);

  if (self->archive == NULL || hold_archive_why_not (self->archive, HOLD_CAP_UPDATE) != NULL)
    return;
  if (!is_same_archive (self->archive, holdall_clip_get_archive (clip)))
    copy_in (self, clip,
             move && hold_archive_why_not (holdall_clip_get_archive (clip), HOLD_CAP_UPDATE) == NULL,
             into);
  else if (move)
    move_inside (self, holdall_clip_get_paths (clip), into);
  else
    copy_in (self, clip, FALSE, into);
}

typedef struct {
  HoldallWindow *window;
  char *into;
} Paste;

static void
paste_free (Paste *self)
{
  g_clear_object (&self->window);
  g_free (self->into);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Paste, paste_free)

static void
list_read_cb (GObject      *object,
              GAsyncResult *result,
              gpointer      user_data)
{
  g_autoptr (Paste) paste = user_data;
  g_autoptr (GPtrArray) files = holdall_uri_list_read_finish (result, NULL, NULL);

  if (files == NULL || files->len == 0)
    show_words (paste->window, _("There is nothing to paste"));
  else if (paste->window->archive != NULL)
    _holdall_window_add_files (paste->window, (GFile **) files->pdata, files->len, paste->into);
}

static void
clipboard_read_cb (GObject      *object,
                   GAsyncResult *result,
                   gpointer      user_data)
{
  g_autoptr (Paste) paste = user_data;
  g_autoptr (GInputStream) input =
    gdk_clipboard_read_finish (GDK_CLIPBOARD (object), result, NULL, NULL);

  if (input == NULL)
    show_words (paste->window, _("There is nothing to paste"));
  else
    holdall_uri_list_read_async (input, NULL, list_read_cb, g_steal_pointer (&paste));
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
      if (holdall_clipboard_end_cut (get_clipboard (self)))
        _holdall_window_forget_cut ();
      return;
    }
  paste = g_new0 (Paste, 1);
  paste->window = g_object_ref (self);
  paste->into = g_strdup (into);
  gdk_clipboard_read_async (get_clipboard (self), (const char **) holdall_uri_list_get_formats (),
                            G_PRIORITY_DEFAULT, NULL, clipboard_read_cb, paste);
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
  const char * const *known = holdall_uri_list_get_formats ();

  if (gdk_content_formats_contain_gtype (formats, HOLDALL_TYPE_CLIP))
    return TRUE;
  for (guint i = 0; known[i] != NULL; i++)
    {
      if (gdk_content_formats_contain_mime_type (formats, known[i]))
        return TRUE;
    }
  return FALSE;
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
