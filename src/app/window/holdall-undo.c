/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The engine keeps old content as long as its snapshot lives; these two stacks are what lets them
 * live. */

#include "config.h"

#include "holdall-undo.h"

struct _HoldallUndo {
  guint64 limit_bytes;
  GQueue undo;  /* of HoldallUndoStep, newest first */
  GQueue redo;  /* likewise: the next to redo first */
};

void
holdall_undo_step_free (HoldallUndoStep *self)
{
  g_clear_object (&self->archive);
  g_free (self->words);
  g_free (self);
}

/* For steps that nobody will go to: others may still look at the snapshot, but its old content can
 * go. */
static void
step_drop (gpointer data)
{
  HoldallUndoStep *step = data;

  hold_archive_drop_backup (step->archive);
  holdall_undo_step_free (step);
}

HoldallUndo *
holdall_undo_new (guint64 limit_bytes)
{
  HoldallUndo *self = g_new0 (HoldallUndo, 1);

  self->limit_bytes = limit_bytes;
  return self;
}

void
holdall_undo_clear (HoldallUndo *self)
{
  g_queue_clear_full (&self->undo, step_drop);
  g_queue_clear_full (&self->redo, step_drop);
}

void
holdall_undo_free (HoldallUndo *self)
{
  holdall_undo_clear (self);
  g_free (self);
}

/* The oldest go first; what could be redone is the first to go of all, since the way back matters
 * more. */
static void
keep_limit (HoldallUndo *self)
{
  guint64 kept = 0;
  GQueue *queues[] = { &self->undo, &self->redo };

  for (guint i = 0; i < G_N_ELEMENTS (queues); i++)
    {
      GList *link = queues[i]->head;

      while (link != NULL)
        {
          HoldallUndoStep *step = link->data;
          GList *next = link->next;
          guint64 size = 0;

          if (!hold_archive_has_backup (step->archive, &size) || size > self->limit_bytes - kept)
            {
              /* Beyond a gap nothing can be reached. */
              while (queues[i]->tail != link)
                step_drop (g_queue_pop_tail (queues[i]));
              step_drop (g_queue_pop_tail (queues[i]));
              break;
            }
          kept += size;
          link = next;
        }
    }
}

static void
put (HoldallUndo *self,
     GQueue      *queue,
     HoldArchive *archive,
     const char  *words)
{
  HoldallUndoStep *step = g_new0 (HoldallUndoStep, 1);

  step->archive = g_object_ref (archive);
  step->words = g_strdup (words);
  g_queue_push_head (queue, step);
  keep_limit (self);
}

void
holdall_undo_push (HoldallUndo *self,
                   HoldArchive *before,
                   const char  *words)
{
  g_queue_clear_full (&self->redo, step_drop);
  put (self, &self->undo, before, words);
}

void
holdall_undo_put_undo (HoldallUndo *self,
                       HoldArchive *archive,
                       const char  *words)
{
  put (self, &self->undo, archive, words);
}

void
holdall_undo_put_redo (HoldallUndo *self,
                       HoldArchive *archive,
                       const char  *words)
{
  put (self, &self->redo, archive, words);
}

HoldallUndoStep *
holdall_undo_take_undo (HoldallUndo *self)
{
  return g_queue_pop_head (&self->undo);
}

HoldallUndoStep *
holdall_undo_take_redo (HoldallUndo *self)
{
  return g_queue_pop_head (&self->redo);
}

gboolean
holdall_undo_can_undo (HoldallUndo *self)
{
  return self->undo.length > 0;
}

gboolean
holdall_undo_can_redo (HoldallUndo *self)
{
  return self->redo.length > 0;
}
