/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Drawn in the colour of the text, so that it fits every theme and contrast. */

#include "config.h"

#include <math.h>

#include "holdall-job-ring.h"

#define SIZE 16
#define LINE_WIDTH 3.0
/* What is shown of the ring when nobody knows how far it is. */
#define UNKNOWN_FRACTION 0.25

struct _HoldallJobRing {
  GtkWidget parent_instance;

  double fraction;
};

G_DEFINE_FINAL_TYPE (HoldallJobRing, holdall_job_ring, GTK_TYPE_WIDGET)

static void
draw_arc (cairo_t       *cr,
          const GdkRGBA *color,
          double         alpha,
          double         fraction)
{
  double radius = (SIZE - LINE_WIDTH) / 2;

  cairo_set_source_rgba (cr, color->red, color->green, color->blue, color->alpha * alpha);
  cairo_arc (cr, 0, 0, radius, -G_PI / 2, -G_PI / 2 + 2 * G_PI * fraction);
  cairo_stroke (cr);
}

static void
holdall_job_ring_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  HoldallJobRing *self = HOLDALL_JOB_RING (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot,
                                           &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  GdkRGBA color;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  cairo_translate (cr, width / 2.0, height / 2.0);
  /* Where one reads from right to left, it fills that way round too. */
  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    cairo_scale (cr, -1, 1);
  cairo_set_line_width (cr, LINE_WIDTH);
  draw_arc (cr, &color, 0.25, 1);
  draw_arc (cr, &color, 1, self->fraction < 0 ? UNKNOWN_FRACTION : self->fraction);
  cairo_destroy (cr);
}

static void
holdall_job_ring_measure (GtkWidget      *widget,
                          GtkOrientation  orientation,
                          int             for_size,
                          int            *minimum,
                          int            *natural,
                          int            *minimum_baseline,
                          int            *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void
holdall_job_ring_class_init (HoldallJobRingClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = holdall_job_ring_measure;
  widget_class->snapshot = holdall_job_ring_snapshot;

  gtk_widget_class_set_css_name (widget_class, "jobring");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
holdall_job_ring_init (HoldallJobRing *self)
{
}

void
holdall_job_ring_set_fraction (HoldallJobRing *self,
                               double          fraction)
{
  g_return_if_fail (HOLDALL_IS_JOB_RING (self));

  fraction = MIN (fraction, 1);
  if (fabs (self->fraction - fraction) < 0.002)
    return;
  self->fraction = fraction;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
