/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* GTK has announcements from 4.14 on. Before, screen readers listen to two things: what has the
 * focus (a new description of that is read out at once), and a status that they are asked to read.
 * So both say it, the former for a moment. */

#include "config.h"

#include "holdall-announcer.h"

/* Long enough to be heard of; gone before somebody comes back to the same place. */
#define DESCRIBED_MS 1000

struct _HoldallAnnouncer {
  GtkWidget parent_instance;

  GtkWidget *described;  /* (nullable), weak: says the text as its description, for a moment */
  guint source;
};

G_DEFINE_FINAL_TYPE (HoldallAnnouncer, holdall_announcer, GTK_TYPE_WIDGET)

/* A tooltip is the description that a widget has by itself. */
static void
end_description (HoldallAnnouncer *self)
{
  const char *tooltip;

  g_clear_handle_id (&self->source, g_source_remove);
  if (self->described == NULL)
    return;
  tooltip = gtk_widget_get_tooltip_text (self->described);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->described),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  tooltip != NULL ? tooltip : "", -1);
  g_clear_weak_pointer (&self->described);
}

static gboolean
end_description_cb (gpointer user_data)
{
  HoldallAnnouncer *self = user_data;

  self->source = 0;
  end_description (self);
  return G_SOURCE_REMOVE;
}

G_GNUC_UNUSED static void
describe_focus (HoldallAnnouncer *self,
                const char       *text)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  end_description (self);
  if (focus == NULL)
    return;
  g_set_weak_pointer (&self->described, focus);
  gtk_accessible_update_property (GTK_ACCESSIBLE (focus), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
  self->source = g_timeout_add (DESCRIBED_MS, end_description_cb, self);
}

static void
holdall_announcer_dispose (GObject *object)
{
  end_description (HOLDALL_ANNOUNCER (object));

  G_OBJECT_CLASS (holdall_announcer_parent_class)->dispose (object);
}

static void
holdall_announcer_class_init (HoldallAnnouncerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holdall_announcer_dispose;

  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_STATUS);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "announcer");
}

static void
holdall_announcer_init (HoldallAnnouncer *self)
{
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

void
holdall_announcer_say (HoldallAnnouncer *self,
                       const char       *text)
{
  g_return_if_fail (HOLDALL_IS_ANNOUNCER (self));
  g_return_if_fail (text != NULL);

#if GTK_CHECK_VERSION (4, 14, 0)
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  /* It is not of the floor that MAX_ALLOWED names; the line above asked for it. What nobody has asked
   * about yet, such as this, is not heard; a window always is. */
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_accessible_announce (root != NULL ? GTK_ACCESSIBLE (root) : GTK_ACCESSIBLE (self), text,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  G_GNUC_END_IGNORE_DEPRECATIONS
#else
  describe_focus (self, text);
#endif
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}
