/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Properties as rows of a name and a value: of the archive, of one entry with all that is
 * recorded, or the sums of several. A value that is not recorded has no row. */

#include "config.h"

#include "holdall-properties-dialog.h"

#include "holdall-engine-text.h"
#include "holdall-format-text.h"
#include "holdall-portal.h"
#include "holdall-report-dialog.h"

#include <glib/gi18n.h>

struct _HoldallPropertiesDialog {
  AdwWindow parent_instance;

  HoldArchive *archive;  /* owned */
  GString *copied;       /* owned: what "Copy" puts on the clipboard */

  AdwPreferencesGroup *content_group;
  AdwPreferencesGroup *general_group;
  AdwPreferencesGroup *recorded_group;
};

G_DEFINE_FINAL_TYPE (HoldallPropertiesDialog, holdall_properties_dialog, ADW_TYPE_WINDOW)

/* @value: words of the program's own, which may hold marks of direction. */
static void
add_own_row (HoldallPropertiesDialog *self,
             AdwPreferencesGroup     *group,
             const char              *name,
             const char              *value)
{
  GtkWidget *row;

  if (value == NULL || *value == '\0')
    return;

  row = g_object_new (ADW_TYPE_ACTION_ROW,
                      "use-markup", FALSE,
                      "title", name,
                      "subtitle", value,
                      "activatable", FALSE,
                      NULL);
  adw_preferences_group_add (group, row);
  gtk_widget_set_visible (GTK_WIDGET (group), TRUE);
  g_string_append_printf (self->copied, "%s: %s\n", name, value);
}

/* @value: (nullable): anything, also what an archive says */
static void
add_row (HoldallPropertiesDialog *self,
         AdwPreferencesGroup     *group,
         const char              *name,
         const char              *value)
{
  g_autofree char *valid = NULL;
  g_autofree char *shown = NULL;

  if (value == NULL)
    return;

  valid = g_utf8_make_valid (value, -1);
  shown = hold_path_escape_for_display (valid);
  add_own_row (self, group, name, shown);
}

/* Takes @value, the program's own words or such that are escaped already. */
static void
add_taken_row (HoldallPropertiesDialog *self,
               AdwPreferencesGroup     *group,
               const char              *name,
               char                    *value)
{
  add_own_row (self, group, name, value);
  g_free (value);
}

static void
add_sizes (HoldallPropertiesDialog *self,
           guint64                  size_bytes,
           guint64                  packed_bytes)
{
  add_taken_row (self, self->general_group, _("Size"), holdall_format_size_long (size_bytes));
  if (packed_bytes == 0)
    return;
  add_taken_row (self, self->general_group, _("Packed size"),
                 holdall_format_size_long (packed_bytes));
  add_taken_row (self, self->general_group, _("Packed to"),
                 holdall_format_ratio (packed_bytes, size_bytes));
}

static char *
describe_format (HoldArchive *archive)
{
  const char * const *filters = hold_archive_get_filters (archive);
  g_autofree char *joined = filters != NULL ? g_strjoinv (", ", (char **) filters) : NULL;
  const char *name = hold_archive_get_format (archive)->name;

  if (joined == NULL || *joined == '\0')
    return g_strdup (name);
  /* Translators: an archive format and the compression around it: "TAR, compressed with gzip" */
  return g_strdup_printf (_("%s, compressed with %s"), name, joined);
}

static char *
count_types (HoldArchive *archive)
{
  guint n_entries = hold_archive_get_n_entries (archive);
  guint n_folders = 0;
  guint n_encrypted = 0;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n_entries; i++)
    {
      const HoldEntry *entry = hold_archive_get_entry (archive, i);

      n_folders += hold_entry_get_type (entry) == HOLD_ENTRY_FOLDER;
      n_encrypted += hold_entry_is_encrypted (entry);
    }

  g_string_append_printf (text, ngettext ("%'u entry", "%'u entries", n_entries), n_entries);
  if (n_folders > 0)
    g_string_append_printf (text, ngettext (", %'u of them a folder", ", %'u of them folders",
                                            n_folders), n_folders);
  if (n_encrypted > 0)
    g_string_append_printf (text, ngettext (", %'u encrypted", ", %'u encrypted", n_encrypted),
                            n_encrypted);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
notes_activated_cb (HoldallPropertiesDialog *self)
{
  g_autofree char *name = holdall_format_basename (hold_archive_get_path (self->archive));
  g_autofree char *heading = g_strdup_printf (_("What was odd when “%s” was opened"), name);

  holdall_report_dialog_present (GTK_WINDOW (self), heading, hold_archive_get_report (self->archive));
}

static void
add_notes (HoldallPropertiesDialog *self)
{
  guint n_notes = hold_report_get_n_items (hold_archive_get_report (self->archive));
  g_autofree char *words = NULL;
  GtkWidget *row;

  if (n_notes == 0)
    return;

  words = g_strdup_printf (ngettext ("%'u note", "%'u notes", n_notes), n_notes);
  row = g_object_new (ADW_TYPE_ACTION_ROW,
                      "title", _("Odd when it was opened"),
                      "subtitle", words,
                      "activatable", TRUE,
                      NULL);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("go-next-symbolic"));
  g_signal_connect_object (row, "activated", G_CALLBACK (notes_activated_cb), self,
                           G_CONNECT_SWAPPED);
  adw_preferences_group_add (self->content_group, row);
}

static void
show_archive (HoldallPropertiesDialog *self)
{
  HoldArchive *archive = self->archive;
  const char *path = hold_archive_get_path (archive);
  g_autofree char *host_path = holdall_portal_dup_host_path (path);
  g_autofree char *parent = host_path != NULL ? g_path_get_dirname (host_path) : NULL;
  g_autofree char *why_not =
    holdall_engine_text_why_not (hold_archive_why_not (archive, HOLD_CAP_UPDATE));
  guint64 size_bytes = hold_archive_get_size (archive);
  gboolean is_complete;
  guint64 unpacked_bytes = hold_archive_get_unpacked_size (archive, &is_complete);

  add_taken_row (self, self->general_group, _("Name"), holdall_format_basename (path));
  /* The folder of a document in the sandbox's own tree would tell a person nothing. */
  if (parent != NULL)
    add_taken_row (self, self->general_group, _("Folder"), holdall_format_path (parent));
  add_taken_row (self, self->general_group, _("Format"), describe_format (archive));
  add_taken_row (self, self->general_group, _("Size of the archive"),
                 holdall_format_size_long (size_bytes));
  if (is_complete)
    {
      add_taken_row (self, self->general_group, _("Size when extracted"),
                     holdall_format_size_long (unpacked_bytes));
      add_taken_row (self, self->general_group, _("Packed to"),
                     holdall_format_ratio (size_bytes, unpacked_bytes));
    }
  else
    {
      add_row (self, self->general_group, _("Size when extracted"),
               _("Not recorded for all entries"));
    }

  add_taken_row (self, self->content_group, _("Entries"), count_types (archive));
  add_row (self, self->content_group, _("Encryption"),
           hold_archive_is_encrypted (archive) ? _("Encrypted") : _("None"));
  add_row (self, self->content_group, _("Encoding of names"), hold_archive_get_encoding (archive));
  add_row (self, self->content_group, _("Comment"), hold_archive_get_comment (archive));
  add_own_row (self, self->content_group, _("Can be changed"),
               why_not != NULL ? why_not : _("Yes"));
  add_notes (self);
}

static const char *
describe_type (const HoldEntry *entry)
{
  switch (hold_entry_get_type (entry))
    {
    case HOLD_ENTRY_FILE:     return _("File");
    case HOLD_ENTRY_FOLDER:   return _("Folder");
    case HOLD_ENTRY_SYMLINK:  return _("Symbolic link");
    case HOLD_ENTRY_HARDLINK: return _("Hard link");
    case HOLD_ENTRY_OTHER:
    default:                  return _("Device, pipe or socket");
    }
}

static void
add_details (HoldallPropertiesDialog *self,
             guint                    index)
{
  g_auto (GStrv) details = hold_archive_dup_details (self->archive, index);

  for (guint i = 0; details != NULL && details[i] != NULL && details[i + 1] != NULL; i += 2)
    {
      const char *label = holdall_engine_text_label (details[i]);

      if (label != NULL)
        add_row (self, self->recorded_group, label, details[i + 1]);
    }
}

static void
add_recorded (HoldallPropertiesDialog *self,
              const HoldEntry         *entry)
{
  AdwPreferencesGroup *group = self->recorded_group;
  gint64 mtime;
  guint mode;
  guint32 crc;

  if (hold_entry_get_mtime (entry, &mtime, NULL))
    add_taken_row (self, group, _("Modified"), holdall_format_time_long (mtime));
  if (hold_entry_get_mode (entry, &mode))
    add_taken_row (self, group, _("Permissions"), holdall_format_mode (mode));
  add_row (self, group, _("Points to"), hold_entry_get_link_target (entry));
  add_row (self, group, _("Method"), hold_entry_get_method (entry));
  if (hold_entry_get_crc32 (entry, &crc))
    add_taken_row (self, group, _("CRC-32"), g_strdup_printf ("%08x", crc));
  if (hold_entry_is_encrypted (entry))
    add_row (self, group, _("Encrypted"), _("Yes"));
  if (hold_entry_is_streamed (entry))
    add_row (self, group, _("Streamed"), _("Yes: sizes and checksum are recorded behind the data"));
  if (!hold_entry_is_readable (entry))
    add_row (self, group, _("Readable"), _("No: its method or encryption cannot be read here"));
  if (hold_entry_get_unsafe (entry) != HOLD_UNSAFE_NONE)
    add_taken_row (self, group, _("Unsafe"), holdall_engine_text_warning (entry));
  add_row (self, group, _("Comment"), hold_entry_get_comment (entry));
  add_taken_row (self, group, _("Position"),
                 holdall_format_count ((guint64) hold_entry_get_index (entry) + 1));
  add_details (self, hold_entry_get_index (entry));
}

static void
show_node (HoldallPropertiesDialog *self,
           HoldNode                *node)
{
  const HoldEntry *entry = hold_node_get_entry (node);
  g_autofree char *path = hold_node_dup_path (node);
  g_autofree char *parent = g_path_get_dirname (path);

  add_row (self, self->general_group, _("Name"), hold_node_get_name (node));
  if (!g_str_equal (parent, "."))
    add_row (self, self->general_group, _("Folder"), parent);
  add_row (self, self->general_group, _("Type"),
           entry != NULL ? describe_type (entry) : _("Folder (only implied by the names in it)"));
  if (hold_node_is_folder (node))
    add_taken_row (self, self->general_group, _("Holds"),
                   holdall_format_items (hold_node_get_n_below (node)));
  add_sizes (self, hold_node_get_size (node), hold_node_get_packed_size (node));
  if (entry != NULL)
    add_recorded (self, entry);
}

static void
show_sums (HoldallPropertiesDialog *self,
           const char * const      *paths)
{
  HoldTree *tree = hold_archive_get_tree (self->archive);
  guint64 size_bytes = 0;
  guint64 packed_bytes = 0;
  guint n_all = 0;
  guint n_paths = 0;

  for (; paths[n_paths] != NULL; n_paths++)
    {
      HoldNode *node = hold_tree_lookup (tree, paths[n_paths]);

      if (node == NULL)
        continue;
      size_bytes += hold_node_get_size (node);
      packed_bytes += hold_node_get_packed_size (node);
      n_all += hold_node_get_n_below (node) + 1;
    }

  add_taken_row (self, self->general_group, _("Selected"), holdall_format_items (n_paths));
  if (n_all != n_paths)
    add_taken_row (self, self->general_group, _("With what they hold"), holdall_format_items (n_all));
  add_sizes (self, size_bytes, packed_bytes);
}

static void
copy_clicked_cb (HoldallPropertiesDialog *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->copied->str);
}

static void
holdall_properties_dialog_finalize (GObject *object)
{
  HoldallPropertiesDialog *self = HOLDALL_PROPERTIES_DIALOG (object);

  g_string_free (self->copied, TRUE);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_properties_dialog_parent_class)->finalize (object);
}

static void
holdall_properties_dialog_class_init (HoldallPropertiesDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holdall_properties_dialog_finalize;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               HOLDALL_APP_PATH "/holdall-properties-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallPropertiesDialog, content_group);
  gtk_widget_class_bind_template_child (widget_class, HoldallPropertiesDialog, general_group);
  gtk_widget_class_bind_template_child (widget_class, HoldallPropertiesDialog, recorded_group);
  gtk_widget_class_bind_template_callback (widget_class, copy_clicked_cb);
}

static void
holdall_properties_dialog_init (HoldallPropertiesDialog *self)
{
  self->copied = g_string_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
holdall_properties_dialog_present (GtkWindow          *parent,
                                   HoldArchive        *archive,
                                   const char * const *paths)
{
  HoldallPropertiesDialog *self;
  HoldNode *node = NULL;

  g_return_if_fail (HOLD_IS_ARCHIVE (archive));

  self = g_object_new (HOLDALL_TYPE_PROPERTIES_DIALOG, "transient-for", parent, NULL);
  self->archive = g_object_ref (archive);
  if (paths != NULL && paths[0] != NULL && paths[1] != NULL)
    show_sums (self, paths);
  else if (paths != NULL && paths[0] != NULL
           && (node = hold_tree_lookup (hold_archive_get_tree (archive), paths[0])) != NULL)
    show_node (self, node);
  else
    show_archive (self);
  gtk_window_present (GTK_WINDOW (self));
}
