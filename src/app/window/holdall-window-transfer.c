/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* From archive to archive, and inside one: nothing is unpacked to the disk. A move in an archive is a
 * change of names, a copy takes the packed bytes as they are. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-clipboard.h"
#include "holdall-name-check.h"
#include "holdall-window-edit.h"
#include "holdall-window-opened.h"
#include "holdall-window-private.h"

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
  GHashTable *taken;        /* paths given away already; see holdall_name_make_free() */
  GPtrArray *select;
  guint n_items;
} Taking;

static void
taking_init (Taking        *taking,
             HoldallWindow *self)
{
  taking->request = _holdall_window_create_update (self);
  taking->tree = hold_archive_get_tree (self->archive);
  taking->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
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

static void
copy_one (Taking      *taking,
          HoldArchive *from,
          const char  *path,
          const char  *into)
{
  HoldNode *node = hold_tree_lookup (hold_archive_get_tree (from), path);
  g_autofree char *base = holdall_name_dup_folder (path);
  g_autofree char *wanted = holdall_name_join (into, hold_path_peek_basename (path));
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *free_path;

  if (node == NULL)
    return;
  free_path = take_free_path (taking, wanted, hold_node_is_folder (node));
  hold_node_collect (node, indices);
  /* A folder whose name is taken goes beside the one of that name, and is not mixed with it. */
  if (hold_node_is_folder (node) && !g_str_equal (free_path, wanted))
    hold_update_request_copy (taking->request, from, indices, path, free_path);
  else
    hold_update_request_copy (taking->request, from, indices, base, into);
}

/* A move to another window, after its first half. Not the clip itself: with it what is being unpacked
 * for other programs goes on, which nobody needs any more and the archive would have to wait for. */
typedef struct {
  GWeakRef owner;       /* HoldallWindow that shows @from */
  HoldArchive *from;
  guint n_wanted;       /* entries */
} Leaving;

static void
leaving_free (gpointer data)
{
  Leaving *leaving = data;

  g_weak_ref_clear (&leaving->owner);
  g_clear_object (&leaving->from);
  g_free (leaving);
}

static void
submit_leaving (HoldallWindow *self,
                Leaving       *leaving,
                GArray        *arrived)
{
  g_autoptr (GtkWindow) owner = g_weak_ref_get (&leaving->owner);
  HoldUpdateRequest *request = hold_update_request_new (leaving->from);
  HoldallApplication *application =
    HOLDALL_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  g_autoptr (HoldJob) leave = NULL;

  for (guint i = 0; i < arrived->len; i++)
    hold_update_request_delete_index (request, g_array_index (arrived, guint, i));
  leave = HOLD_JOB (hold_update_job_new (request));

  if (owner != NULL && HOLDALL_WINDOW (owner)->archive != NULL &&
      hold_archive_is_of_same_file (HOLDALL_WINDOW (owner)->archive, leaving->from))
    {
      hold_update_request_set_keyring (request, HOLDALL_WINDOW (owner)->keyring);
      _holdall_window_submit_edit (HOLDALL_WINDOW (owner), &(HoldallEdit) {
        .job = g_steal_pointer (&leave),
        .words = g_strdup (_("Moved to another archive")),
      });
      return;
    }
  holdall_job_list_submit (holdall_application_get_jobs (application), leave, GTK_WINDOW (self));
}

/* Takes out of the source what has arrived, entry by entry; the rest stays there. The job that
 * copied has read the new archive again before it said DONE. */
static void
arrived_cb (HoldallWindow *self,
            HoldJob       *job,
            gpointer       data)
{
  Leaving *leaving = data;
  g_autoptr (GArray) arrived = hold_update_job_dup_arrived (HOLD_UPDATE_JOB (job), leaving->from);
  guint n_staying = leaving->n_wanted - MIN (arrived->len, leaving->n_wanted);

  if (n_staying > 0)
    {
      g_autofree char *words = g_strdup_printf (
        ngettext ("%'u entry could not be moved and stays where it was",
                  "%'u entries could not be moved and stay where they were", n_staying),
        n_staying);

      show_words (self, words);
    }
  if (arrived->len == 0)
    return;
  /* Undone here, what leaves there now would be nowhere. */
  _holdall_window_edit_bar_undo (self);
  submit_leaving (self, leaving, arrived);
}

/* The newest snapshot that a window has of the clip's archive. Borrowed. */
static HoldArchive *
get_source (HoldallWindow *self,
            HoldallClip   *clip)
{
  HoldArchive *archive = holdall_clip_get_archive (clip);
  g_autoptr (GtkWindow) owner = holdall_clip_dup_owner (clip);

  if (self->archive != NULL && hold_archive_is_of_same_file (self->archive, archive))
    return self->archive;
  if (owner != NULL && HOLDALL_WINDOW (owner)->archive != NULL &&
      hold_archive_is_of_same_file (HOLDALL_WINDOW (owner)->archive, archive))
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
      g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
      g_autoptr (GtkWindow) owner = holdall_clip_dup_owner (clip);

      hold_tree_collect (hold_archive_get_tree (from), paths, indices);
      g_weak_ref_init (&leaving->owner, owner);
      leaving->from = g_object_ref (from);
      leaving->n_wanted = indices->len;
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
  /* Changes of an archive in an archive may yet be thrown away: what came into it stays where it was
   * as well. */
  if (!hold_archive_is_of_same_file (self->archive, holdall_clip_get_archive (clip)))
    copy_in (self, clip,
             move && !_holdall_window_is_nested (self) &&
               hold_archive_why_not (holdall_clip_get_archive (clip), HOLD_CAP_UPDATE) == NULL,
             into);
  else if (move)
    move_inside (self, holdall_clip_get_paths (clip), into);
  else
    copy_in (self, clip, FALSE, into);
}
