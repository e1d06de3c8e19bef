/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The formats come from the engine's table; whoever types a known suffix chooses that format. */

#include "config.h"

#include "holdall-create-dialog.h"

#include <glib/gi18n.h>
#include <string.h>

#include "holdall-engine-text.h"
#include "holdall-file-ask.h"
#include "holdall-format-text.h"
#include "holdall-name-check.h"
#include "holdall-native-dialog.h"
#include "holdall-password-strength.h"
#include "holdall-volume-size.h"
#include "holdall-portal.h"

struct _HoldallCreateDialog {
  AdwWindow parent_instance;

  GSettings *settings;
  char **files;
  GFile *folder;
  GPtrArray *formats;       /* HoldFormat, borrowed from the table, as in the row */
  gboolean is_changing;     /* name and format follow each other */
  gboolean may_overwrite;   /* asked and answered */
  gboolean is_asking;       /* whether the file exists */

  GtkButton *create_button;
  AdwComboRow *format_row;
  GtkAdjustment *level_adjustment;
  GtkWidget *level_row;
  AdwEntryRow *name_row;
  GtkLabel *note_label;
  GtkLabel *password_hint;
  AdwPasswordEntryRow *password_row;
  GtkButton *place_button;
  AdwActionRow *place_row;
  AdwComboRow *volume_row;
};

G_DEFINE_FINAL_TYPE (HoldallCreateDialog, holdall_create_dialog, ADW_TYPE_WINDOW)

enum { CREATE, N_SIGNALS };

static guint signals[N_SIGNALS];

static const HoldFormat *
get_format (HoldallCreateDialog *self)
{
  guint position = adw_combo_row_get_selected (self->format_row);

  return position < self->formats->len ? g_ptr_array_index (self->formats, position)
                                       : g_ptr_array_index (self->formats, 0);
}

/* The name with the suffix of the format, if it has none of them. (transfer full) */
static char *
dup_full_name (HoldallCreateDialog *self)
{
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name_row));
  const HoldFormat *format = get_format (self);

  if (hold_format_by_suffix (name) == format)
    return g_strdup (name);
  return g_strconcat (name, format->suffixes[0], NULL);
}

static guint64
get_volume_bytes (HoldallCreateDialog *self)
{
  return holdall_volume_size_get_bytes (adw_combo_row_get_selected (self->volume_row));
}

/* Why there can be no password. (nullable) (transfer full) */
static char *
dup_why_no_password (HoldallCreateDialog *self)
{
  const char *why = hold_format_why_not (get_format (self), HOLD_CAP_ENCRYPT);

  /* Files are encrypted one by one; without any a password would be kept nowhere. */
  if (why == NULL && self->files[0] == NULL)
    return g_strdup (_("An empty archive has nothing to encrypt."));
  return holdall_engine_text_why_not (why);
}

/* @strength: of what is used, NONE if nothing is */
static void
update_password (HoldallCreateDialog     *self,
                 HoldallPasswordStrength *strength)
{
  const char *password = gtk_editable_get_text (GTK_EDITABLE (self->password_row));
  g_autofree char *why_not = dup_why_no_password (self);
  /* The text in the row is what has the focus. */
  GtkEditable *text = gtk_editable_get_delegate (GTK_EDITABLE (self->password_row));
  const char *hint;

  *strength = why_not == NULL ? holdall_password_strength_estimate (password) : HOLDALL_PASSWORD_NONE;
  hint = why_not != NULL ? why_not : holdall_password_strength_describe (*strength);
  gtk_widget_set_sensitive (GTK_WIDGET (self->password_row), why_not == NULL);
  /* Newer versions of GTK tell nobody that what is in a row goes grey with it. */
  gtk_widget_set_sensitive (GTK_WIDGET (text), why_not == NULL);
  gtk_label_set_label (self->password_hint, hint);
  /* Also one that was typed for another format, and would be taken for a protection that is not
   * there. */
  if (*strength == HOLDALL_PASSWORD_WEAK || (why_not != NULL && *password != '\0'))
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->password_hint), "dim-label");
      gtk_widget_add_css_class (GTK_WIDGET (self->password_hint), "warning");
    }
  else
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->password_hint), "warning");
      gtk_widget_add_css_class (GTK_WIDGET (self->password_hint), "dim-label");
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->password_row),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, hint, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (text), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, hint,
                                  -1);
}

/* What will be, above what is to be known of it. (transfer full) */
static char *
dup_note (HoldallCreateDialog *self,
          gboolean             is_encrypted)
{
  guint n_files = g_strv_length (self->files);
  gboolean is_split = get_volume_bytes (self) != 0;
  GString *note = g_string_new (NULL);

  if (n_files == 0)
    return g_string_free (g_string_assign (note, _("The archive is empty at first.")), FALSE);
  g_string_printf (note, ngettext ("%'u item will be packed.", "%'u items will be packed.", n_files),
                   n_files);
  if (is_encrypted && !is_split)
    g_string_append_printf (
      note, "\n%s", _("The content is encrypted, and so is what is added later. Names are not."));
  else if (is_encrypted)
    g_string_append_printf (note, "\n%s", _("The content is encrypted. Names are not."));
  if (is_split)
    g_string_append_printf (
      note, "\n%s", _("All parts are needed to open it, and it can't be changed later."));
  return g_string_free (note, FALSE);
}

static void
update (HoldallCreateDialog *self)
{
  const HoldFormat *format = get_format (self);
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name_row));
  g_autofree char *wrong = holdall_name_check (NULL, "", name, NULL);
  g_autofree char *path = self->folder != NULL ? g_file_get_path (self->folder) : NULL;
  g_autofree char *shown = holdall_format_path (path != NULL ? path : "");
  g_autofree char *escaped = g_markup_escape_text (shown, -1);
  g_autofree char *note = NULL;
  gboolean has_level = format->level_max > format->level_min;
  HoldallPasswordStrength strength;

  update_password (self, &strength);
  note = dup_note (self, strength != HOLDALL_PASSWORD_NONE);
  adw_action_row_set_subtitle (self->place_row, escaped);
  gtk_widget_set_sensitive (GTK_WIDGET (self->create_button), wrong == NULL && path != NULL);
  if (wrong != NULL && *wrong != '\0')
    gtk_widget_add_css_class (GTK_WIDGET (self->name_row), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->name_row), "error");
  gtk_widget_set_visible (self->level_row, has_level);
  gtk_label_set_label (self->note_label, wrong != NULL && *wrong != '\0' ? wrong : note);
}

static void
format_changed_cb (HoldallCreateDialog *self)
{
  const HoldFormat *format = get_format (self);
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name_row));
  const HoldFormat *named = hold_format_by_suffix (name);
  int level = g_settings_get_int (self->settings, "create-level");

  /* A scale cannot be narrower than its value. */
  gtk_adjustment_configure (self->level_adjustment,
                            level >= format->level_min && level <= format->level_max &&
                                !self->is_changing ? level : format->level_default,
                            format->level_min, format->level_max, 1, 3, 0);
  if (!self->is_changing && named != NULL && named != format)
    {
      int stem = holdall_name_get_stem (name, FALSE);
      g_autofree char *start = g_utf8_substring (name, 0, stem);
      g_autofree char *renamed = g_strconcat (start, format->suffixes[0], NULL);

      self->is_changing = TRUE;
      gtk_editable_set_text (GTK_EDITABLE (self->name_row), renamed);
      self->is_changing = FALSE;
    }
  self->may_overwrite = FALSE;
  update (self);
}

static void
name_changed_cb (HoldallCreateDialog *self)
{
  const HoldFormat *named =
    hold_format_by_suffix (gtk_editable_get_text (GTK_EDITABLE (self->name_row)));
  guint position;

  if (!self->is_changing && named != NULL &&
      g_ptr_array_find (self->formats, named, &position) &&
      position != adw_combo_row_get_selected (self->format_row))
    {
      self->is_changing = TRUE;
      adw_combo_row_set_selected (self->format_row, position);
      self->is_changing = FALSE;
    }
  self->may_overwrite = FALSE;
  update (self);
}

static void
place_response_cb (HoldallCreateDialog  *self,
                   int                   response,
                   GtkFileChooserNative *chooser)
{
  g_autoptr (GFile) folder = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    folder = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
  if (folder != NULL)
    g_set_object (&self->folder, folder);
  self->may_overwrite = FALSE;
  update (self);
}

static void
place_clicked_cb (HoldallCreateDialog *self)
{
  GtkFileChooserNative *chooser =
    gtk_file_chooser_native_new (_("Place of the Archive"), GTK_WINDOW (self),
                                 GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Select"), NULL);

  if (self->folder != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), self->folder, NULL);
  g_signal_connect_object (chooser, "response", G_CALLBACK (place_response_cb), self,
                           G_CONNECT_SWAPPED);
  holdall_native_dialog_present (GTK_NATIVE_DIALOG (chooser));
}

static void submit (HoldallCreateDialog *self);

static void
overwrite_response_cb (HoldallCreateDialog *self,
                       const char          *response)
{
  if (!g_str_equal (response, "replace"))
    return;
  self->may_overwrite = TRUE;
  submit (self);
}

static void
ask_overwrite (HoldallCreateDialog *self)
{
  g_autofree char *name = dup_full_name (self);
  g_autofree char *shown = hold_path_escape_for_display (name);
  g_autofree char *heading = g_strdup_printf (_("Replace “%s”?"), shown);
  GtkWidget *dialog =
    adw_message_dialog_new (GTK_WINDOW (self), heading,
                            _("There is a file of this name already. It is lost when it is replaced."));

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _("_Cancel"), "replace",
                                    _("_Replace"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "replace",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (overwrite_response_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
submit (HoldallCreateDialog *self)
{
  const HoldFormat *format = get_format (self);
  g_autofree char *name = dup_full_name (self);
  g_autoptr (GFile) file = g_file_get_child (self->folder, name);
  g_autofree char *path = g_file_get_path (file);
  HoldCreateRequest *request;
  int level = (int) gtk_adjustment_get_value (self->level_adjustment);
  const char *password = gtk_editable_get_text (GTK_EDITABLE (self->password_row));

  request = hold_create_request_new (path, format, (const char * const *) self->files);
  request->overwrite = self->may_overwrite;
  request->volume_bytes = get_volume_bytes (self);
  if (format->level_max > format->level_min)
    {
      request->level = level;
      g_settings_set_int (self->settings, "create-level",
                          level != format->level_default ? level : -1);
    }
  if (gtk_widget_get_sensitive (GTK_WIDGET (self->password_row)) && *password != '\0')
    request->secret = hold_secret_new (password);
  gtk_editable_set_text (GTK_EDITABLE (self->password_row), "");
  g_settings_set_string (self->settings, "create-format", format->id);
  g_signal_emit (self, signals[CREATE], 0, request);
  gtk_window_close (GTK_WINDOW (self));
}

static void
exists_asked_cb (GObject      *object,
                 GAsyncResult *result,
                 gpointer      user_data)
{
  g_autoptr (HoldallCreateDialog) self = user_data;
  guint n_found = 0;
  gboolean is_answered = holdall_file_ask_finish (result, &n_found, NULL, NULL);

  self->is_asking = FALSE;
  /* It was closed meanwhile. */
  if (self->folder == NULL)
    return;
  /* Without an answer the job is tried, which replaces nothing that it may not. */
  if (is_answered && n_found > 0)
    ask_overwrite (self);
  else
    submit (self);
}

static void
create (HoldallCreateDialog *self)
{
  g_autofree char *name = NULL;
  g_autoptr (GPtrArray) files = NULL;

  if (self->is_asking)
    return;
  if (self->may_overwrite)
    {
      submit (self);
      return;
    }
  name = dup_full_name (self);
  files = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (files, g_file_get_child (self->folder, name));
  self->is_asking = TRUE;
  holdall_file_ask_async (files, exists_asked_cb, g_object_ref (self));
}

static void
holdall_create_dialog_dispose (GObject *object)
{
  HoldallCreateDialog *self = HOLDALL_CREATE_DIALOG (object);

  g_clear_object (&self->settings);
  g_clear_object (&self->folder);

  G_OBJECT_CLASS (holdall_create_dialog_parent_class)->dispose (object);
}

static void
holdall_create_dialog_finalize (GObject *object)
{
  HoldallCreateDialog *self = HOLDALL_CREATE_DIALOG (object);

  g_strfreev (self->files);
  g_clear_pointer (&self->formats, g_ptr_array_unref);

  G_OBJECT_CLASS (holdall_create_dialog_parent_class)->finalize (object);
}

static void
holdall_create_dialog_class_init (HoldallCreateDialogClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_create_dialog_dispose;
  object_class->finalize = holdall_create_dialog_finalize;

  signals[CREATE] = g_signal_new ("create", HOLDALL_TYPE_CREATE_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);

  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_set_template_from_resource (widget_class, HOLDALL_APP_PATH
                                               "/holdall-create-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, create_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, format_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, level_adjustment);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, level_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, name_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, note_label);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, password_hint);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, password_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, place_button);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, place_row);
  gtk_widget_class_bind_template_child (widget_class, HoldallCreateDialog, volume_row);
}

static void
fill_formats (HoldallCreateDialog *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint n_formats;
  const HoldFormat *formats = hold_format_table (&n_formats);

  self->formats = g_ptr_array_new ();
  for (guint i = 0; i < n_formats; i++)
    {
      g_autofree char *label = NULL;

      if ((formats[i].caps & HOLD_CAP_WRITE) == 0 || (formats[i].caps & HOLD_CAP_MANY_ENTRIES) == 0 ||
          formats[i].suffixes == NULL || formats[i].suffixes[0] == NULL)
        continue;
      label = g_strdup_printf ("%s (%s)", formats[i].name, formats[i].suffixes[0]);
      gtk_string_list_append (names, label);
      g_ptr_array_add (self->formats, (gpointer) &formats[i]);
    }
  adw_combo_row_set_model (self->format_row, G_LIST_MODEL (names));
}

static void
holdall_create_dialog_init (HoldallCreateDialog *self)
{
  g_autoptr (GtkStringList) sizes = NULL;

  gtk_widget_init_template (GTK_WIDGET (self));
  fill_formats (self);
  sizes = holdall_volume_size_list_new ();
  adw_combo_row_set_model (self->volume_row, G_LIST_MODEL (sizes));
}

/* Beside the first file or among the documents; in a sandbox neither need be a place. (transfer full)
 * (nullable) */
static GFile *
propose_place (HoldallCreateDialog *self)
{
  g_autofree char *beside = self->files[0] != NULL ? g_path_get_dirname (self->files[0]) : NULL;
  const char *places[] = {
    beside, g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS), g_get_home_dir (),
    g_get_user_special_dir (G_USER_DIRECTORY_DOWNLOAD)
  };

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    if (places[i] != NULL && holdall_portal_is_place (places[i]))
      return g_file_new_for_path (places[i]);
  return NULL;
}

/* One file or folder gives the archive its name, several that of their folder. (transfer full) */
static char *
propose_name (HoldallCreateDialog *self,
              gboolean             is_folder)
{
  g_autofree char *name = NULL;
  g_autofree char *shown = NULL;
  int stem;

  if (self->files[0] == NULL)
    return g_strdup (_("Archive"));
  if (self->files[1] == NULL)
    name = g_path_get_basename (self->files[0]);
  else
    {
      g_autofree char *folder = g_path_get_dirname (self->files[0]);

      if (!holdall_portal_is_place (folder))
        return g_strdup (_("Archive"));
      name = g_path_get_basename (folder);
    }
  shown = g_filename_display_name (name);
  stem = holdall_name_get_stem (shown, is_folder || self->files[1] != NULL);
  return g_utf8_substring (shown, 0, stem);
}

/* What a folder has behind a dot is no suffix, as a file's is: "holdall-1.2" keeps its 2. */
static void
kind_asked_cb (GObject      *object,
               GAsyncResult *result,
               gpointer      user_data)
{
  g_autoptr (HoldallCreateDialog) self = user_data;
  g_autofree char *proposed = propose_name (self, FALSE);
  g_autofree char *name = propose_name (self, TRUE);
  guint n_folders = 0;

  /* Whoever has typed meanwhile, or closed the dialog, is not disturbed. */
  if (!holdall_file_ask_finish (result, NULL, &n_folders, NULL) || n_folders == 0 ||
      self->folder == NULL ||
      g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->name_row)), proposed) != 0)
    return;
  gtk_editable_set_text (GTK_EDITABLE (self->name_row), name);
  gtk_editable_select_region (GTK_EDITABLE (self->name_row), 0, -1);
}

static void
ask_kind (HoldallCreateDialog *self)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (files, g_file_new_for_path (self->files[0]));
  holdall_file_ask_async (files, kind_asked_cb, g_object_ref (self));
}

HoldallCreateDialog *
holdall_create_dialog_new (GtkWindow          *parent,
                           const char * const *files,
                           GSettings          *settings)
{
  static const char * const none[] = { NULL };
  HoldallCreateDialog *self =
    g_object_new (HOLDALL_TYPE_CREATE_DIALOG, "transient-for", parent, NULL);
  g_autofree char *id = g_settings_get_string (settings, "create-format");
  const HoldFormat *format = hold_format_by_id (id);
  g_autofree char *name = NULL;
  guint position = 0;

  self->settings = g_object_ref (settings);
  self->files = g_strdupv ((char **) (files != NULL ? files : none));
  self->folder = propose_place (self);

  if (format == NULL || !g_ptr_array_find (self->formats, format, &position))
    position = 0;
  adw_combo_row_set_selected (self->format_row, position);
  name = propose_name (self, FALSE);
  gtk_editable_set_text (GTK_EDITABLE (self->name_row), name);
  g_signal_connect_swapped (self->format_row, "notify::selected", G_CALLBACK (format_changed_cb),
                            self);
  g_signal_connect_swapped (self->name_row, "changed", G_CALLBACK (name_changed_cb), self);
  /* An empty one has nothing to split. */
  gtk_widget_set_visible (GTK_WIDGET (self->volume_row), self->files[0] != NULL);
  g_signal_connect_swapped (self->volume_row, "notify::selected", G_CALLBACK (update), self);
  g_signal_connect_swapped (self->password_row, "changed", G_CALLBACK (update), self);
  g_signal_connect_swapped (self->place_button, "clicked", G_CALLBACK (place_clicked_cb), self);
  g_signal_connect_swapped (self->create_button, "clicked", G_CALLBACK (create), self);
  format_changed_cb (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->name_row));
  if (self->files[0] != NULL && self->files[1] == NULL)
    ask_kind (self);
  return self;
}

void
holdall_create_dialog_set_folder (HoldallCreateDialog *self,
                                  GFile               *folder)
{
  g_return_if_fail (HOLDALL_IS_CREATE_DIALOG (self));

  g_set_object (&self->folder, folder);
  update (self);
}
