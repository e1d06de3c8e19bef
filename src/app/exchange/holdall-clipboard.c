/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Entries are kept by path: the archive may be rewritten between the cut and the paste. */

#include "config.h"

#include "holdall-clipboard.h"

#include "holdall-name-check.h"

struct _HoldallClip {
  GObject parent_instance;

  GWeakRef owner;
  HoldArchive *archive;
  char **paths;
  GHashTable *set;      /* of the paths, borrowed */
  GdkContentProvider *outside;  /* (nullable) */
  gboolean is_cut;
};

G_DEFINE_FINAL_TYPE (HoldallClip, holdall_clip, G_TYPE_OBJECT)

/* What is cut at this moment, of all windows. */
static HoldallClip *current_cut;

static void
holdall_clip_finalize (GObject *object)
{
  HoldallClip *self = HOLDALL_CLIP (object);

  g_weak_ref_clear (&self->owner);
  g_clear_object (&self->archive);
  g_clear_object (&self->outside);
  g_clear_pointer (&self->set, g_hash_table_unref);
  g_strfreev (self->paths);

  G_OBJECT_CLASS (holdall_clip_parent_class)->finalize (object);
}

static void
holdall_clip_class_init (HoldallClipClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_clip_finalize;
}

static void
holdall_clip_init (HoldallClip *self)
{
  g_weak_ref_init (&self->owner, NULL);
  self->set = g_hash_table_new (g_str_hash, g_str_equal);
}

HoldallClip *
holdall_clip_new (GtkWindow          *owner,
                  HoldArchive        *archive,
                  const char * const *paths,
                  gboolean            is_cut)
{
  HoldallClip *self = g_object_new (HOLDALL_TYPE_CLIP, NULL);

  g_weak_ref_set (&self->owner, owner);
  self->archive = g_object_ref (archive);
  self->paths = g_strdupv ((char **) paths);
  self->is_cut = is_cut;
  for (guint i = 0; self->paths[i] != NULL; i++)
    g_hash_table_add (self->set, self->paths[i]);
  return self;
}

HoldArchive *
holdall_clip_get_archive (HoldallClip *self)
{
  g_return_val_if_fail (HOLDALL_IS_CLIP (self), NULL);

  return self->archive;
}

const char * const *
holdall_clip_get_paths (HoldallClip *self)
{
  g_return_val_if_fail (HOLDALL_IS_CLIP (self), NULL);

  return (const char * const *) self->paths;
}

gboolean
holdall_clip_get_is_cut (HoldallClip *self)
{
  g_return_val_if_fail (HOLDALL_IS_CLIP (self), FALSE);

  return self->is_cut;
}

GtkWindow *
holdall_clip_dup_owner (HoldallClip *self)
{
  g_return_val_if_fail (HOLDALL_IS_CLIP (self), NULL);

  return g_weak_ref_get (&self->owner);
}

void
holdall_clip_set_outside (HoldallClip        *self,
                          GdkContentProvider *provider)
{
  g_return_if_fail (HOLDALL_IS_CLIP (self));
  g_return_if_fail (self->outside == NULL);

  self->outside = provider;
}

GdkContentProvider *
holdall_clip_create_provider (HoldallClip *self)
{
  GdkContentProvider *providers[2];

  g_return_val_if_fail (HOLDALL_IS_CLIP (self), NULL);

  providers[0] = gdk_content_provider_new_typed (HOLDALL_TYPE_CLIP, self);
  if (self->outside == NULL)
    return providers[0];
  providers[1] = g_object_ref (self->outside);
  return gdk_content_provider_new_union (providers, G_N_ELEMENTS (providers));
}

HoldallClip *
holdall_clip_dup_from_provider (GdkContentProvider *provider)
{
  g_auto (GValue) value = G_VALUE_INIT;

  if (provider == NULL)
    return NULL;
  g_value_init (&value, HOLDALL_TYPE_CLIP);
  if (!gdk_content_provider_get_value (provider, &value, NULL))
    return NULL;
  return g_value_dup_object (&value);
}

HoldallClip *
holdall_clipboard_dup_clip (GdkClipboard *clipboard)
{
  return holdall_clip_dup_from_provider (gdk_clipboard_get_content (clipboard));
}

/* Another program, or another copy, took the clipboard: what was cut stays where it is. */
static void
clipboard_changed_cb (GdkClipboard *clipboard)
{
  g_autoptr (HoldallClip) clip = holdall_clipboard_dup_clip (clipboard);

  if (clip != current_cut)
    g_clear_object (&current_cut);
}

void
holdall_clipboard_set (GdkClipboard *clipboard,
                       HoldallClip  *clip)
{
  g_autoptr (GdkContentProvider) provider = holdall_clip_create_provider (clip);

  /* First of all that listen, so that the others find the new state; once a clipboard. */
  if (g_object_get_data (G_OBJECT (clipboard), "holdall-watched") == NULL)
    {
      g_signal_connect (clipboard, "changed", G_CALLBACK (clipboard_changed_cb), NULL);
      g_object_set_data (G_OBJECT (clipboard), "holdall-watched", clipboard);
    }
  g_clear_object (&current_cut);
  current_cut = clip->is_cut ? g_object_ref (clip) : NULL;
  gdk_clipboard_set_content (clipboard, provider);
}

gboolean
holdall_clipboard_end_cut (GdkClipboard *clipboard)
{
  g_autoptr (HoldallClip) clip = NULL;

  if (current_cut == NULL)
    return FALSE;
  clip = holdall_clipboard_dup_clip (clipboard);
  if (clip == current_cut)
    gdk_clipboard_set_content (clipboard, NULL);
  g_clear_object (&current_cut);
  return TRUE;
}

gboolean
holdall_clip_is_cut (HoldArchive *archive,
                     HoldNode    *node)
{
  if (current_cut == NULL ||
      !hold_archive_is_of_same_file (archive, current_cut->archive))
    return FALSE;
  for (; node != NULL; node = hold_node_get_parent (node))
    {
      g_autofree char *path = hold_node_dup_path (node);

      if (g_hash_table_contains (current_cut->set, path))
        return TRUE;
    }
  return FALSE;
}
