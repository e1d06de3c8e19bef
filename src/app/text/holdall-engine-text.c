/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Tables of what the engine says. The texts are its own, letter by letter: they are the keys. */

#include "config.h"

#include "holdall-engine-text.h"

#include <string.h>

#include <glib/gi18n.h>

static const char * const sentences[] = {
  N_("ARJ archives can't be read: no decoder for them is at hand"),
  N_("ARJ archives can be neither read nor written"),
  N_("RAR can be read but not written: no free encoder exists"),
  N_("Disc images can be read but not written"),
  N_("Cabinet files can be read but not written"),
  N_("lzop can be read but not written: no encoder is at hand"),
  N_("LHA can be read but not written: no encoder is at hand"),
  N_("A Debian package is built by its own tools; changing it would break its checksums"),
  N_("An RPM package is signed as a whole; changing it would break the signature"),
  N_("WARC files are records of the web; they can be read but not changed"),
  N_("XAR can be read but not written"),
  N_("ar archives hold object code; they can be read but not written"),
  N_("This version of Holdall can't create archives of this format yet"),
  N_("This version of Holdall can't change archives of this format yet"),
  N_("Holdall can encrypt ZIP archives only"),
  N_("This format can't be read"),
  N_("This archive does not allow it"),
  N_("The archive is damaged; it is left as it is"),
  N_("The archive is packed in a way that can't be written back"),
  N_("The archive is of a kind that can be read but not written"),
  N_("It holds encrypted or unreadable entries, which could not be written back"),
  N_("It is a program with an archive inside, which would be lost"),
  N_("A damaged archive is not changed"),
  N_("A split archive can be read, but not changed"),
  N_("It lies on another machine: only a copy of it is shown"),
};

/* The system's own words follow, which are in the person's language already. */
static const char * const beginnings[] = {
  /* Translators: behind the colon stands the system's reason, such as "Permission denied" */
  N_("The file can't be found: %s"),
  N_("The file can't be written: %s"),
  N_("Its folder can't be written: %s"),
};

static const char * const labels[] = {
  N_("Stored name"),
  /* Translators: of a ZIP entry: how many bytes stand in the file in front of it */
  N_("Local header offset"),
  /* Translators: the system on which a ZIP entry was packed, "Unix" */
  N_("Made by"),
  /* Translators: the version of ZIP that the program knew which wrote the entry, "6.3" */
  N_("Version of the writer"),
  /* Translators: the version of ZIP that is needed to read the entry, "2.0" */
  N_("Version needed"),
  N_("Flags"),
  N_("Encryption"),
  N_("External attributes"),
  /* Translators: when the file was read last, before it was packed */
  N_("Accessed"),
  N_("Created"),
};

/* In rows of their own already. */
static const char * const shown_labels[] = {
  "Number", "Path", "Type", "Size", "Packed size", "Method", "CRC-32", "Modified", "Permissions",
  "Link target", "Comment", "Encrypted", "Unsafe",
};

char *
holdall_engine_text_why_not (const char *why_not)
{
  if (why_not == NULL)
    return NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (sentences); i++)
    {
      if (g_str_equal (why_not, sentences[i]))
        return g_strdup (gettext (sentences[i]));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (beginnings); i++)
    {
      gsize length = strlen (beginnings[i]) - strlen ("%s");
      g_autoptr (GString) text = NULL;

      if (strncmp (why_not, beginnings[i], length) != 0)
        continue;
      text = g_string_new (gettext (beginnings[i]));
      g_string_replace (text, "%s", why_not + length, 1);
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  return g_strdup (why_not);
}

const char *
holdall_engine_text_label (const char *label)
{
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    {
      if (g_str_equal (label, labels[i]))
        return gettext (labels[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (shown_labels); i++)
    {
      if (g_str_equal (label, shown_labels[i]))
        return NULL;
    }
  return label;
}

char *
holdall_engine_text_warning (const HoldEntry *entry)
{
  HoldUnsafe unsafe = hold_entry_get_unsafe (entry);

  if (unsafe & (HOLD_UNSAFE_DOTDOT | HOLD_UNSAFE_ABSOLUTE))
    return g_strdup (_("The stored name points outside the folder that one extracts to."));
  if (unsafe & HOLD_UNSAFE_LINK_ESCAPE)
    return g_strdup (_("This link points outside the archive and is not extracted."));
  if (unsafe & HOLD_UNSAFE_SPECIAL)
    return g_strdup (_("Devices and other special files are not extracted."));
  if (unsafe != HOLD_UNSAFE_NONE)
    return g_strdup (_("The stored name cannot be used for a file."));
  if (!hold_entry_is_readable (entry))
    return g_strdup (_("The way this entry is stored is not supported."));
  return NULL;
}
