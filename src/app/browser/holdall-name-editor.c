/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Enter and a click elsewhere take the name, Escape keeps the old one. A bad name is marked, and is
 * never taken. */

#include "config.h"

#include "holdall-name-check.h"
#include "holdall-name-editor.h"

struct _HoldallNameEditor {
  GtkWidget parent_instance;

  HoldArchive *archive;
  char *folder;
  char *old_name;
  gboolean is_folder;
  gboolean is_started;
  gboolean is_done;

  GtkWidget *entry;
  GtkWidget *problem;        /* a popover: what is wrong with the name */
  GtkLabel *problem_label;
};

G_DEFINE_FINAL_TYPE (HoldallNameEditor, holdall_name_editor, GTK_TYPE_WIDGET)

enum { DONE, N_SIGNALS };

static guint signals[N_SIGNALS];

static void
finish (HoldallNameEditor *self,
        const char        *name)
{
  g_autofree char *kept = g_strdup (name);

  if (self->is_done)
    return;
  self->is_done = TRUE;
  g_signal_emit (self, signals[DONE], 0, kept);
}

/* (transfer full) (nullable): what is wrong with what is typed */
static char *
check (HoldallNameEditor *self)
{
  return holdall_name_check (hold_archive_get_tree (self->archive), self->folder,
                             gtk_editable_get_text (GTK_EDITABLE (self->entry)), self->old_name);
}

/* @wrong: (nullable): a sentence, or "" for what needs none */
static void
show_problem (HoldallNameEditor *self,
              const char        *wrong)
{
  if (wrong == NULL || *wrong == '\0')
    {
      gtk_popover_popdown (GTK_POPOVER (self->problem));
      gtk_accessible_reset_property (GTK_ACCESSIBLE (self->entry),
                                     GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
      return;
    }
  gtk_label_set_label (self->problem_label, wrong);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, wrong, -1);
  gtk_popover_popup (GTK_POPOVER (self->problem));
}

static void
changed_cb (HoldallNameEditor *self)
{
  g_autofree char *wrong = check (self);

  if (wrong != NULL)
    gtk_widget_add_css_class (self->entry, "error");
  else
    gtk_widget_remove_css_class (self->entry, "error");
  if (self->is_started)
    show_problem (self, wrong);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_STATE_INVALID,
                               wrong != NULL ? GTK_ACCESSIBLE_INVALID_TRUE
                                             : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

static void
take (HoldallNameEditor *self,
      gboolean           must)
{
  g_autofree char *wrong = check (self);
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->entry));

  if (wrong != NULL && must)
    gtk_widget_error_bell (self->entry);
  else
    finish (self, wrong == NULL && !g_str_equal (name, self->old_name) ? name : NULL);
}

static void
activate_cb (HoldallNameEditor *self)
{
  take (self, TRUE);
}

/* The window, too, may have lost the focus: then one goes on typing when it comes back. */
static void
focus_left_cb (HoldallNameEditor *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  /* A window that closes takes the focus as well; nothing in it may get it any more. */
  if (root == NULL || !gtk_widget_get_visible (GTK_WIDGET (root)))
    return;
  if (!self->is_started ||
      (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self))))
    return;
  take (self, FALSE);
}

static gboolean
key_pressed_cb (HoldallNameEditor *self,
                guint              keyval,
                guint              keycode,
                GdkModifierType    state)
{
  switch (keyval)
    {
    case GDK_KEY_Escape:
      finish (self, NULL);
      return TRUE;
    case GDK_KEY_Up:
    case GDK_KEY_Down:
    case GDK_KEY_Page_Up:
    case GDK_KEY_Page_Down:
      /* The list must not go on below the name that is being typed. */
      return TRUE;
    default:
      return FALSE;
    }
}

static void
holdall_name_editor_dispose (GObject *object)
{
  HoldallNameEditor *self = HOLDALL_NAME_EDITOR (object);

  self->is_done = TRUE;
  g_clear_pointer (&self->problem, gtk_widget_unparent);
  g_clear_pointer (&self->entry, gtk_widget_unparent);
  g_clear_object (&self->archive);

  G_OBJECT_CLASS (holdall_name_editor_parent_class)->dispose (object);
}

static void
holdall_name_editor_finalize (GObject *object)
{
  HoldallNameEditor *self = HOLDALL_NAME_EDITOR (object);

  g_free (self->folder);
  g_free (self->old_name);

  G_OBJECT_CLASS (holdall_name_editor_parent_class)->finalize (object);
}

static void
holdall_name_editor_class_init (HoldallNameEditorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = holdall_name_editor_dispose;
  object_class->finalize = holdall_name_editor_finalize;

  signals[DONE] = g_signal_new ("done", HOLDALL_TYPE_NAME_EDITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "name-editor");
}

/* It must leave the keyboard to the entry. */
static void
create_problem (HoldallNameEditor *self)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 50);
  self->problem_label = GTK_LABEL (label);
  self->problem = gtk_popover_new ();
  gtk_popover_set_autohide (GTK_POPOVER (self->problem), FALSE);
  gtk_popover_set_position (GTK_POPOVER (self->problem), GTK_POS_BOTTOM);
  gtk_popover_set_child (GTK_POPOVER (self->problem), label);
  gtk_widget_set_can_focus (self->problem, FALSE);
  gtk_widget_set_parent (self->problem, GTK_WIDGET (self));
}

static void
holdall_name_editor_init (HoldallNameEditor *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->entry = gtk_entry_new ();
  gtk_widget_set_parent (self->entry, GTK_WIDGET (self));
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->entry), 40);
  create_problem (self);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (activate_cb), self);
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (changed_cb), self);

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (focus_left_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
}

GtkWidget *
holdall_name_editor_new (HoldArchive *archive,
                         HoldNode    *node)
{
  HoldallNameEditor *self = g_object_new (HOLDALL_TYPE_NAME_EDITOR, NULL);
  g_autofree char *path = hold_node_dup_path (node);

  self->archive = g_object_ref (archive);
  self->folder = holdall_name_dup_folder (path);
  self->old_name = g_strdup (hold_node_get_name (node));
  self->is_folder = hold_node_is_folder (node);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), self->old_name);
  return GTK_WIDGET (self);
}

void
holdall_name_editor_start (HoldallNameEditor *self)
{
  g_return_if_fail (HOLDALL_IS_NAME_EDITOR (self));

  gtk_widget_grab_focus (self->entry);
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0,
                              holdall_name_get_stem (self->old_name, self->is_folder));
  self->is_started = TRUE;
}

void
holdall_name_editor_set_centred (HoldallNameEditor *self)
{
  g_return_if_fail (HOLDALL_IS_NAME_EDITOR (self));

  gtk_editable_set_alignment (GTK_EDITABLE (self->entry), 0.5f);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 13);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (self->entry), 13);
}
