/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Names lie, so the first bytes count as well; and since no list of dangerous types is complete, the
 * program at the other end is looked at, too. */

#include "config.h"

#include "holdall-open-kind.h"

#include <string.h>

static const char * const program_types[] = {
  "application/x-executable",
  "application/x-pie-executable",
  "application/x-sharedlib",
  "application/x-mach-binary",
  "application/x-ms-dos-executable",
  "application/x-msdownload",
  "application/x-msdos-program",
  "application/vnd.microsoft.portable-executable",
  "application/x-msi",
  "application/x-ms-shortcut",
  "application/x-mswinurl",
  "application/hta",
  "application/vnd.appimage",
  "application/vnd.flatpak",
  "application/vnd.flatpak.ref",
  "application/vnd.flatpak.repo",
  "application/vnd.snap",
  "application/x-java-jnlp-file",
};

static const char * const script_types[] = {
  "application/x-desktop",
  "application/x-shellscript",
  "application/x-csh",
  "application/x-awk",
  "application/x-perl",
  "application/x-ruby",
  "application/x-php",
  "application/x-bat",
  "application/x-powershell",
  "application/javascript",
  "text/javascript",
  "text/x-python",
  "text/x-python3",
  "text/x-lua",
  "text/x-tcl",
  "text/vbscript",
  "text/vbs",
};

static const char * const program_suffixes[] = {
  ".exe", ".com", ".scr", ".msi", ".lnk", ".appimage", ".run", ".hta", ".flatpakref",
};

static const char * const script_suffixes[] = {
  ".desktop", ".sh", ".bash", ".bat", ".cmd", ".ps1", ".vbs", ".js", ".py", ".pl", ".rb",
};

/* Programs that run what they are given; a number may follow the name, as in "python3". */
static const char * const runners[] = {
  "sh", "bash", "dash", "zsh", "ksh", "fish", "env", "python", "perl", "ruby", "node", "gjs", "php",
  "lua", "tclsh", "wish", "java", "javaws", "wine", "mono", "dosbox", "cmd", "xterm",
};

static gboolean
has_suffix (const char         *name,
            const char * const *suffixes,
            gsize               n_suffixes)
{
  g_autofree char *folded = g_ascii_strdown (name, -1);

  for (gsize i = 0; i < n_suffixes; i++)
    if (g_str_has_suffix (folded, suffixes[i]))
      return TRUE;
  return FALSE;
}

static gboolean
is_among (const char         *type,
          const char * const *types,
          gsize               n_types)
{
  for (gsize i = 0; i < n_types; i++)
    if (g_content_type_is_a (type, types[i]))
      return TRUE;
  return FALSE;
}

static gboolean
starts_with (const guint8 *head,
             gsize         n_head,
             const char   *magic)
{
  return n_head >= strlen (magic) && memcmp (head, magic, strlen (magic)) == 0;
}

static HoldallOpenKind
kind_of_type (const char *type)
{
  /* Scripts count as a kind of programs there, so they come first. */
  if (is_among (type, script_types, G_N_ELEMENTS (script_types)))
    return HOLDALL_OPEN_TEXT;
  if (is_among (type, program_types, G_N_ELEMENTS (program_types)))
    return HOLDALL_OPEN_NEVER;
  return HOLDALL_OPEN_USUAL;
}

static HoldallOpenKind
kind_of_name (const char *name)
{
  if (has_suffix (name, program_suffixes, G_N_ELEMENTS (program_suffixes)))
    return HOLDALL_OPEN_NEVER;
  if (has_suffix (name, script_suffixes, G_N_ELEMENTS (script_suffixes)))
    return HOLDALL_OPEN_TEXT;
  return HOLDALL_OPEN_USUAL;
}

/* What no name can hide. */
static HoldallOpenKind
kind_of_content (const guint8 *head,
                 gsize         n_head)
{
  g_autofree char *type = NULL;
  g_autofree char *text = NULL;

  if (starts_with (head, n_head, "\177ELF"))
    return HOLDALL_OPEN_NEVER;
  if (starts_with (head, n_head, "#!"))
    return HOLDALL_OPEN_TEXT;
  text = g_strndup ((const char *) head, n_head);
  if (g_str_has_prefix (text, "[Desktop Entry]") || strstr (text, "\n[Desktop Entry]") != NULL)
    return HOLDALL_OPEN_TEXT;
  type = g_content_type_guess (NULL, head, n_head, NULL);
  return kind_of_type (type);
}

/* Many documents are ZIPs inside; what counts is whether people call it an archive, or whether there
 * is nothing else that could be done with it. */
static gboolean
is_archive (const char *name,
            const char *type)
{
  g_autoptr (GAppInfo) app = NULL;
  gboolean is_known = FALSE;
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);

  for (guint i = 0; i < n_formats; i++)
    for (guint j = 0; formats[i].mime_types != NULL && formats[i].mime_types[j] != NULL; j++)
      {
        if (!g_content_type_equals (type, formats[i].mime_types[j]))
          continue;
        if (j == 0)
          return TRUE;
        is_known = TRUE;
      }
  if (!is_known && g_content_type_is_unknown (type))
    is_known = hold_format_by_suffix (name) != NULL;
  if (!is_known)
    return FALSE;
  app = holdall_open_kind_dup_app (type);
  return app == NULL;
}

HoldallOpenKind
holdall_open_kind (const char    *name,
                   const guint8  *head,
                   gsize          n_head,
                   char         **type)
{
  g_autofree char *guessed = NULL;
  HoldallOpenKind kind;

  guessed = g_content_type_guess (name, head, n_head, NULL);
  if (type != NULL)
    *type = g_strdup (guessed);

  if (head != NULL && is_archive (name, guessed))
    return HOLDALL_OPEN_ARCHIVE;
  /* The worst that anything says. */
  kind = MAX (kind_of_name (name), kind_of_type (guessed));
  return head != NULL ? MAX (kind, kind_of_content (head, n_head)) : kind;
}

gboolean
holdall_open_kind_runs (GAppInfo *app)
{
  const char *executable = g_app_info_get_executable (app);
  g_autofree char *name = executable != NULL ? g_path_get_basename (executable) : NULL;

  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (runners); i++)
    {
      const char *rest = g_str_has_prefix (name, runners[i]) ? name + strlen (runners[i]) : NULL;

      if (rest != NULL && strspn (rest, "0123456789.-") == strlen (rest))
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_ours (GAppInfo *app)
{
  return g_strcmp0 (g_app_info_get_id (app), HOLDALL_APP_ID ".desktop") == 0;
}

GAppInfo *
holdall_open_kind_dup_app (const char *type)
{
  g_autoptr (GAppInfo) usual = g_app_info_get_default_for_type (type, FALSE);
  GList *others;
  GAppInfo *found = NULL;

  if (usual != NULL && !is_ours (usual) && !holdall_open_kind_runs (usual))
    return g_steal_pointer (&usual);

  others = g_app_info_get_all_for_type (type);
  for (GList *l = others; l != NULL && found == NULL; l = l->next)
    if (!is_ours (l->data) && !holdall_open_kind_runs (l->data))
      found = g_object_ref (l->data);
  g_list_free_full (others, g_object_unref);
  return found;
}
