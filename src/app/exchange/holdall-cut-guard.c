/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Polls a cut watch from the main loop and debounces its verdicts. */

#include "config.h"

#include "holdall-cut-guard.h"

#include <glib-unix.h>
#include <sys/resource.h>

/* A paste comes in bursts; between two files of one no program is quiet so long. */
#define QUIET_MS 2000
/* When all has arrived nothing more can come. */
#define COMPLETE_MS 300
/* Descriptors that the rest of the program is left with. */
#define SPARE_FDS 512

struct _HoldallCutGuard {
  GObject parent_instance;

  HoldallOffer *offer;
  HoldCutWatch *watch;     /* (nullable): not yet ready, or over */
  guint source;
  guint quiet_timeout;
  HoldCutVerdict last;
  gboolean is_blind;       /* it can't watch: nobody can tell whether the files arrive */
  gboolean is_touched;
  gboolean is_first_look;  /* of this silence */
};

enum { VERDICT, BLIND, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HoldallCutGuard, holdall_cut_guard, G_TYPE_OBJECT)

static void
stop (HoldallCutGuard *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_handle_id (&self->quiet_timeout, g_source_remove);
}

static void
judge (HoldallCutGuard *self)
{
  HoldCutVerdict verdict = hold_cut_watch_evaluate (self->watch);

  if (verdict == self->last)
    return;
  self->last = verdict;
  if (verdict == HOLD_CUT_COMMIT)
    {
      stop (self);
      /* An undo in the file manager must not fill a folder that is about to go. */
      if (!hold_staging_bury (holdall_offer_get_staging (self->offer)))
        verdict = self->last = HOLD_CUT_REAPPEARED;
    }
  if (verdict != HOLD_CUT_NOTHING)
    g_signal_emit (self, signals[VERDICT], 0, (int) verdict);
}

static gboolean
quiet_cb (gpointer user_data)
{
  g_autoptr (HoldallCutGuard) self = g_object_ref (user_data);

  /* One file can take minutes on its way to another disk. */
  if (hold_cut_watch_is_being_read (self->watch))
    return G_SOURCE_CONTINUE;
  if (self->is_first_look)
    {
      self->is_first_look = FALSE;
      if (hold_cut_watch_evaluate (self->watch) != HOLD_CUT_COMMIT)
        {
          self->quiet_timeout = g_timeout_add (QUIET_MS - COMPLETE_MS, quiet_cb, self);
          return G_SOURCE_REMOVE;
        }
    }
  self->quiet_timeout = 0;
  judge (self);
  return G_SOURCE_REMOVE;
}

static gboolean
readable_cb (int          fd,
             GIOCondition condition,
             gpointer     user_data)
{
  HoldallCutGuard *self = user_data;

  if (hold_cut_watch_dispatch (self->watch))
    {
      self->is_touched = TRUE;
      holdall_offer_set_served (self->offer);
      g_clear_handle_id (&self->quiet_timeout, g_source_remove);
      self->is_first_look = TRUE;
      self->quiet_timeout = g_timeout_add (COMPLETE_MS, quiet_cb, self);
    }
  return G_SOURCE_CONTINUE;
}

/* Each thing at the top is held by a descriptor, and the usual limit is 1024. It is raised only as far
 * as is needed: programs that we start inherit it, and some of them count on a low one (select(2)). */
static void
allow_descriptors (HoldStaging *staging)
{
  rlim_t wanted = (rlim_t) hold_staging_get_n_recorded (staging) + SPARE_FDS;
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
    return;
  limit.rlim_cur = MIN (wanted, limit.rlim_max);
  if (setrlimit (RLIMIT_NOFILE, &limit) != 0)
    g_debug ("The limit of open files stays");
}

static void
ready_cb (HoldallOffer    *offer,
          HoldallCutGuard *self)
{
  g_autoptr (GError) error = NULL;

  allow_descriptors (holdall_offer_get_staging (offer));
  self->watch = hold_cut_watch_new (holdall_offer_get_staging (offer), &error);
  if (self->watch == NULL)
    {
      g_info ("A cut can't be watched: %s", error->message);
      self->is_blind = TRUE;
      g_signal_emit (self, signals[BLIND], 0);
      return;
    }
  self->source = g_unix_fd_add (hold_cut_watch_get_fd (self->watch), G_IO_IN, readable_cb, self);
}

gboolean
holdall_cut_guard_is_blind (HoldallCutGuard *self)
{
  return self->is_blind;
}

gboolean
holdall_cut_guard_is_touched (HoldallCutGuard *self)
{
  /* The main loop may not have come to it yet. */
  if (self->watch != NULL && hold_cut_watch_dispatch (self->watch))
    self->is_touched = TRUE;
  return self->is_touched;
}

void
holdall_cut_guard_settle (HoldallCutGuard *self)
{
  g_autoptr (HoldallCutGuard) alive = g_object_ref (self);

  if (self->watch != NULL && self->source != 0)
    judge (alive);
}

gboolean
holdall_cut_guard_is_still (HoldallCutGuard *self)
{
  if (self->watch == NULL)
    return FALSE;
  if (hold_cut_watch_evaluate (self->watch) == self->last)
    return TRUE;
  judge (self);
  return FALSE;
}

guint
holdall_cut_guard_get_n_items (HoldallCutGuard *self)
{
  return self->watch != NULL ? hold_cut_watch_get_n_items (self->watch) : 0;
}

gboolean
holdall_cut_guard_is_on_same_disk (HoldallCutGuard *self)
{
  return self->watch != NULL && hold_cut_watch_is_on_same_disk (self->watch);
}

HoldallOffer *
holdall_cut_guard_get_offer (HoldallCutGuard *self)
{
  return self->offer;
}

char **
holdall_cut_guard_dup_arrived (HoldallCutGuard *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint n_items = self->watch != NULL ? hold_cut_watch_get_n_items (self->watch) : 0;

  for (guint i = 0; i < n_items; i++)
    {
      HoldCutFate fate;
      const char *name = hold_cut_watch_get_item (self->watch, i, &fate);

      if (fate == HOLD_CUT_MOVED || fate == HOLD_CUT_COPIED)
        g_strv_builder_add (builder, name);
    }
  return g_strv_builder_end (builder);
}

static void
holdall_cut_guard_dispose (GObject *object)
{
  HoldallCutGuard *self = HOLDALL_CUT_GUARD (object);

  stop (self);
  g_clear_pointer (&self->watch, hold_cut_watch_free);
  g_clear_object (&self->offer);

  G_OBJECT_CLASS (holdall_cut_guard_parent_class)->dispose (object);
}

static void
holdall_cut_guard_class_init (HoldallCutGuardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = holdall_cut_guard_dispose;

  /* The parameter is a HoldCutVerdict. */
  signals[VERDICT] = g_signal_new ("verdict", HOLDALL_TYPE_CUT_GUARD, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[BLIND] = g_signal_new ("blind", HOLDALL_TYPE_CUT_GUARD, G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
holdall_cut_guard_init (HoldallCutGuard *self)
{
  self->last = HOLD_CUT_NOTHING;
}

HoldallCutGuard *
holdall_cut_guard_new (HoldallOffer *offer)
{
  HoldallCutGuard *self = g_object_new (HOLDALL_TYPE_CUT_GUARD, NULL);

  self->offer = g_object_ref (offer);
  g_signal_connect_object (offer, "ready", G_CALLBACK (ready_cb), self, 0);
  if (holdall_offer_is_ready (offer))
    ready_cb (offer, self);
  return self;
}
