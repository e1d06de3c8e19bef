/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* One line of a report. Its words are made when they are asked for: only the rows on the screen
 * ever need any. */

#include "config.h"

#include "holdall-report-row.h"

#include "holdall-error-text.h"
#include "holdall-format-text.h"

#include <glib/gi18n.h>
#include <string.h>

struct _HoldallReportRow {
  GObject parent_instance;

  const HoldReportItem *item;
  char *key;
};

enum {
  PROP_0,
  PROP_PATH,
  PROP_REASON,
  PROP_DETAILS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (HoldallReportRow, holdall_report_row, G_TYPE_OBJECT)

char *
holdall_report_row_dup_path (HoldallReportRow *self)
{
  if (*self->item->path == '\0')
    return g_strdup (_("The archive itself"));
  return holdall_format_path (self->item->path);
}

char *
holdall_report_row_dup_reason (HoldallReportRow *self)
{
  g_autofree char *reason = holdall_error_text_reason (self->item->error);

  switch (self->item->outcome)
    {
    case HOLD_OUTCOME_FAILED:
      return g_strdup_printf (_("Failed: %s"), reason);
    case HOLD_OUTCOME_SKIPPED:
      return g_strdup_printf (_("Skipped: %s"), reason);
    case HOLD_OUTCOME_REFUSED:
      return g_strdup_printf (_("Refused: %s"), reason);
    case HOLD_OUTCOME_CHANGED:
      return g_strdup_printf (_("Done, but not exactly as stored: %s"), reason);
    case HOLD_OUTCOME_WARNING:
      return g_strdup_printf (_("Note: %s"), reason);
    default:
      return g_steal_pointer (&reason);
    }
}

char *
holdall_report_row_dup_details (HoldallReportRow *self)
{
  return holdall_error_text_details (self->item->error);
}

static void
holdall_report_row_get_property (GObject    *object,
                                 guint       prop_id,
                                 GValue     *value,
                                 GParamSpec *pspec)
{
  HoldallReportRow *self = HOLDALL_REPORT_ROW (object);

  switch (prop_id)
    {
    case PROP_PATH:
      g_value_take_string (value, holdall_report_row_dup_path (self));
      break;
    case PROP_REASON:
      g_value_take_string (value, holdall_report_row_dup_reason (self));
      break;
    case PROP_DETAILS:
      g_value_take_string (value, holdall_report_row_dup_details (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
holdall_report_row_finalize (GObject *object)
{
  g_free (HOLDALL_REPORT_ROW (object)->key);

  G_OBJECT_CLASS (holdall_report_row_parent_class)->finalize (object);
}

static void
holdall_report_row_class_init (HoldallReportRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = holdall_report_row_finalize;
  object_class->get_property = holdall_report_row_get_property;

  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  properties[PROP_REASON] = g_param_spec_string ("reason", NULL, NULL, NULL, flags);
  properties[PROP_DETAILS] = g_param_spec_string ("details", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
holdall_report_row_init (HoldallReportRow *self)
{
}

HoldallReportRow *
holdall_report_row_new (const HoldReportItem *item)
{
  HoldallReportRow *self = g_object_new (HOLDALL_TYPE_REPORT_ROW, NULL);

  self->item = item;
  self->key = hold_path_collation_key (item->path);
  return self;
}

int
holdall_report_row_compare (gconstpointer a,
                            gconstpointer b)
{
  const HoldallReportRow *first = *(HoldallReportRow * const *) a;
  const HoldallReportRow *second = *(HoldallReportRow * const *) b;

  if (first->item->outcome != second->item->outcome)
    return first->item->outcome < second->item->outcome ? -1 : 1;
  return strcmp (first->key, second->key);
}
