/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Keeps offers as long as somebody may want them, within bounds. */

#include "config.h"

#include "holdall-doors.h"

#include "holdall-clipboard.h"

/* Offers that nobody has read: a second drag of the same selection finds them. */
#define N_UNREAD 2
#define MAX_OFFERS 64
#define MAX_BYTES (G_GUINT64_CONSTANT (4) << 30)
/* What a dead process has left is old enough then. */
#define SWEEP_SECONDS (24 * 60 * 60)

struct _HoldallDoors {
  GObject parent_instance;

  GtkApplication *application;  /* (nullable) borrowed */
  HoldallJobList *jobs;
  GPtrArray *offers;            /* HoldallOffer, oldest first */
  HoldallCutGuard *guard;       /* (nullable) */
};

G_DEFINE_FINAL_TYPE (HoldallDoors, holdall_doors, G_TYPE_OBJECT)

/* Lets the oldest go. */
static void
trim (HoldallDoors *self)
{
  guint64 n_bytes = 0;
  guint n_unread = 0;
  guint n_kept = 0;

  for (guint i = self->offers->len; i-- > 0;)
    {
      HoldallOffer *offer = g_ptr_array_index (self->offers, i);
      guint64 size = holdall_offer_get_size (offer);
      gboolean is_newest = i + 1 == self->offers->len;
      gboolean is_unread = !holdall_offer_was_served (offer);

      if (is_newest ||
          ((!is_unread || n_unread < N_UNREAD) && n_kept < MAX_OFFERS && n_bytes < MAX_BYTES &&
           size <= MAX_BYTES - n_bytes))
        {
          n_kept++;
          n_unread += is_unread ? 1 : 0;
          n_bytes += MIN (size, G_MAXUINT64 - n_bytes);
        }
      else
        g_ptr_array_remove_index (self->offers, i);
    }
}

HoldallOffer *
holdall_doors_create_offer (HoldallDoors     *self,
                            HoldArchive      *archive,
                            GArray           *indices,
                            HoldExtractRoots *roots,
                            HoldKeyring      *keyring,
                            GtkWindow        *parent,
                            gboolean          reuse)
{
  HoldallOffer *offer;

  g_return_val_if_fail (HOLDALL_IS_DOORS (self), NULL);

  for (guint i = 0; reuse && i < self->offers->len; i++)
    {
      offer = g_ptr_array_index (self->offers, i);
      if (holdall_offer_is_of (offer, archive, indices, roots))
        return g_object_ref (offer);
    }

  offer = holdall_offer_new (archive, indices, roots, keyring, self->jobs, parent);
  /* A cut is held by its guard and by the clipboard, and goes with them. */
  if (reuse)
    {
      g_ptr_array_add (self->offers, g_object_ref (offer));
      trim (self);
    }
  if (holdall_offer_is_cheap (offer))
    holdall_offer_prepare (offer);
  return offer;
}

void
holdall_doors_set_guard (HoldallDoors    *self,
                         HoldallCutGuard *guard)
{
  g_set_object (&self->guard, guard);
}

HoldallCutGuard *
holdall_doors_get_guard (HoldallDoors *self)
{
  return self->guard;
}

static void
clear_clipboard (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  GdkClipboard *clipboard = display != NULL ? gdk_display_get_clipboard (display) : NULL;
  g_autoptr (HoldallClip) clip = clipboard != NULL ? holdall_clipboard_dup_clip (clipboard) : NULL;

  if (clip != NULL)
    gdk_clipboard_set_content (clipboard, NULL);
}

void
holdall_doors_close (HoldallDoors *self)
{
  g_return_if_fail (HOLDALL_IS_DOORS (self));

  if (self->guard != NULL)
    holdall_cut_guard_settle (self->guard);
  g_clear_object (&self->guard);
  clear_clipboard ();
  /* A drag that has just ended holds its own for a while. */
  for (guint i = 0; i < self->offers->len; i++)
    holdall_offer_close (g_ptr_array_index (self->offers, i));
  g_ptr_array_set_size (self->offers, 0);
}

static void
window_removed_cb (HoldallDoors *self)
{
  if (gtk_application_get_windows (self->application) == NULL)
    holdall_doors_close (self);
}

static void
sweep_func (GTask        *task,
            gpointer      source_object,
            gpointer      task_data,
            GCancellable *cancellable)
{
  hold_staging_sweep (task_data, SWEEP_SECONDS);
  g_task_return_boolean (task, TRUE);
}

static void
holdall_doors_finalize (GObject *object)
{
  HoldallDoors *self = HOLDALL_DOORS (object);

  g_clear_object (&self->guard);
  g_ptr_array_unref (self->offers);
  g_object_unref (self->jobs);

  G_OBJECT_CLASS (holdall_doors_parent_class)->finalize (object);
}

static void
holdall_doors_class_init (HoldallDoorsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holdall_doors_finalize;
}

static void
holdall_doors_init (HoldallDoors *self)
{
  self->offers = g_ptr_array_new_with_free_func (g_object_unref);
}

HoldallDoors *
holdall_doors_new (GtkApplication *application,
                   HoldallJobList *jobs)
{
  HoldallDoors *self = g_object_new (HOLDALL_TYPE_DOORS, NULL);
  g_autoptr (GTask) sweep = g_task_new (NULL, NULL, NULL, NULL);

  self->application = application;
  self->jobs = g_object_ref (jobs);
  if (application != NULL)
    g_signal_connect_object (application, "window-removed", G_CALLBACK (window_removed_cb), self,
                             G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_task_set_task_data (sweep, g_strdup (g_get_user_cache_dir ()), g_free);
  g_task_run_in_thread (sweep, sweep_func);
  return self;
}
