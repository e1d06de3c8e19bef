/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Decimal units, as on the things that the parts are to fit; FAT takes 4 GiB less one byte. */

#include "config.h"

#include "holdall-volume-size.h"

#include <glib/gi18n.h>

#include "holdall-format-text.h"

typedef enum
{
  USE_ANY,
  USE_MAIL,
  USE_FAT,
} Use;

static const struct
{
  guint64 bytes;
  Use use;
} sizes[] = {
  { 0, USE_ANY },
  { G_GUINT64_CONSTANT (10000000), USE_ANY },
  { G_GUINT64_CONSTANT (25000000), USE_MAIL },
  { G_GUINT64_CONSTANT (100000000), USE_ANY },
  { G_GUINT64_CONSTANT (1000000000), USE_ANY },
  { G_GUINT64_CONSTANT (4000000000), USE_FAT },
};

/* (transfer full) */
static char *
dup_text (guint64 bytes,
          Use     use)
{
  g_autofree char *size = holdall_format_size (bytes);

  if (bytes == 0)
    return g_strdup (_("Do not split"));
  switch (use)
    {
    case USE_MAIL:
      /* Translators: %s is a size, such as 25 MB. */
      return g_strdup_printf (_("%s, for mail"), size);
    case USE_FAT:
      /* Translators: %s is a size, such as 4 GB; FAT is the file system of most USB sticks. */
      return g_strdup_printf (_("%s, for FAT disks"), size);
    case USE_ANY:
    default:
      return g_steal_pointer (&size);
    }
}

GtkStringList *
holdall_volume_size_list_new (void)
{
  GtkStringList *list = gtk_string_list_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    gtk_string_list_take (list, dup_text (sizes[i].bytes, sizes[i].use));
  return list;
}

guint64
holdall_volume_size_get_bytes (guint position)
{
  return position < G_N_ELEMENTS (sizes) ? sizes[position].bytes : 0;
}
