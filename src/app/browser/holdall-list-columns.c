/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Columns never sort through GTK: their sorters only let the header show an arrow and tell
 * which column was clicked. */

#include "config.h"

#include <glib/gi18n.h>

#include "holdall-list-columns.h"
#include "holdall-name-cell.h"

struct _HoldallListColumns {
  GtkColumnView *view;
  GtkColumnViewColumn *columns[HOLDALL_N_COLUMNS];
  HoldallColumnId asked;  /* the column whose sorter was asked last */
};

typedef struct {
  HoldallListColumns *owner;
  HoldallColumnId id;
} ColumnRef;

static void
setup_name_cb (GtkSignalListItemFactory *factory,
               GtkListItem              *list_item,
               gpointer                  user_data)
{
  GtkWidget *cell = holdall_name_cell_new (FALSE);

  g_object_set_data (G_OBJECT (cell), HOLDALL_LIST_ITEM_KEY, list_item);
  gtk_list_item_set_child (list_item, cell);
}

static void
bind_name_cb (GtkSignalListItemFactory *factory,
              GtkListItem              *list_item,
              gpointer                  user_data)
{
  holdall_name_cell_set_item (HOLDALL_NAME_CELL (gtk_list_item_get_child (list_item)),
                              gtk_list_item_get_item (list_item));
}

static void
unbind_name_cb (GtkSignalListItemFactory *factory,
                GtkListItem              *list_item,
                gpointer                  user_data)
{
  holdall_name_cell_set_item (HOLDALL_NAME_CELL (gtk_list_item_get_child (list_item)), NULL);
}

/* An inscription asks for no more room than it is given and is cheap to bind: thousands of these
 * are made while somebody scrolls. */
static void
setup_text_cb (GtkSignalListItemFactory *factory,
               GtkListItem              *list_item,
               gpointer                  user_data)
{
  const HoldallColumn *column = user_data;
  GtkWidget *cell = gtk_inscription_new (NULL);

  gtk_inscription_set_xalign (GTK_INSCRIPTION (cell), column->align_end ? 1 : 0);
  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (cell), GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  /* Half a number is worse than none: those columns rather scroll out of sight. */
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (cell), column->align_end ? column->nat_chars : 6);
  gtk_inscription_set_nat_chars (GTK_INSCRIPTION (cell), column->nat_chars);
  gtk_widget_add_css_class (cell, "numeric");
  gtk_widget_add_css_class (cell, "detail");
  g_object_set_data (G_OBJECT (cell), HOLDALL_LIST_ITEM_KEY, list_item);
  gtk_list_item_set_child (list_item, cell);
}

/* Whether a text begins to be read from the other side than the window. */
static gboolean
is_turned (const char *text,
           gboolean    window_is_rtl)
{
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      /* From Hebrew to the extensions of Arabic, and their presentation forms. */
      if (g_unichar_isalpha (c))
        return ((c >= 0x0590 && c < 0x0900) || (c >= 0xfb1d && c < 0xff00)) != window_is_rtl;
    }
  return FALSE;
}

static void
bind_text_cb (GtkSignalListItemFactory *factory,
              GtkListItem              *list_item,
              gpointer                  user_data)
{
  const HoldallColumn *column = user_data;
  GtkWidget *cell = gtk_list_item_get_child (list_item);
  g_autofree char *text = column->dup_text (gtk_list_item_get_item (list_item));
  gboolean at_end = column->align_end;

  /* An inscription starts where its text starts to be read, which is not always where the cells of
   * the column do: a date in Latin letters in an Arabic window. */
  if (is_turned (text, gtk_widget_get_direction (cell) == GTK_TEXT_DIR_RTL))
    at_end = !at_end;
  gtk_inscription_set_xalign (GTK_INSCRIPTION (cell), at_end ? 1 : 0);
  gtk_inscription_set_text (GTK_INSCRIPTION (cell), text);
}

/* Says that the first comes first and remembers who was asked: see
 * holdall_list_columns_get_sort(). */
static int
note_asked_cb (gconstpointer a,
               gconstpointer b,
               gpointer      user_data)
{
  ColumnRef *ref = user_data;

  ref->owner->asked = ref->id;
  return -1;
}

static GtkColumnViewColumn *
create_column (HoldallListColumns  *self,
               const HoldallColumn *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *result;
  g_autoptr (GtkSorter) sorter = NULL;
  ColumnRef *ref = g_new0 (ColumnRef, 1);

  ref->owner = self;
  ref->id = column->id;
  sorter = GTK_SORTER (gtk_custom_sorter_new (note_asked_cb, ref, g_free));
  if (column->dup_text == NULL)
    {
      g_signal_connect (factory, "setup", G_CALLBACK (setup_name_cb), NULL);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_name_cb), NULL);
      g_signal_connect (factory, "unbind", G_CALLBACK (unbind_name_cb), NULL);
    }
  else
    {
      g_signal_connect (factory, "setup", G_CALLBACK (setup_text_cb), (gpointer) column);
      g_signal_connect (factory, "bind", G_CALLBACK (bind_text_cb), (gpointer) column);
    }

  result = gtk_column_view_column_new (_(column->title), factory);
  gtk_column_view_column_set_sorter (result, sorter);
  gtk_column_view_column_set_resizable (result, TRUE);
  gtk_column_view_column_set_expand (result, column->id == HOLDALL_COLUMN_NAME);
  gtk_column_view_column_set_visible (result, column->id == HOLDALL_COLUMN_NAME);
  return result;
}

/* (nullable): the label below @widget that says @title */
static GtkWidget *
find_label (GtkWidget  *widget,
            const char *title)
{
  if (GTK_IS_LABEL (widget) && g_strcmp0 (gtk_label_get_label (GTK_LABEL (widget)), title) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Numbers stand at the end of their cells and so should the title above them. GTK has no word for
 * that; if its header is built differently some day, titles stand at the start again and nothing
 * else happens. */
static void
align_titles (HoldallListColumns *self)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (self->view));

  if (header == NULL || GTK_IS_LIST_VIEW (header))
    return;
  for (guint i = 0; i < HOLDALL_N_COLUMNS; i++)
    {
      const HoldallColumn *column = holdall_column_get (i);
      GtkWidget *label = column->align_end ? find_label (header, _(column->title)) : NULL;

      if (label != NULL && gtk_widget_get_parent (label) != header)
        gtk_widget_set_halign (gtk_widget_get_parent (label), GTK_ALIGN_END);
    }
}

HoldallListColumns *
holdall_list_columns_new (GtkColumnView *view)
{
  HoldallListColumns *self = g_new0 (HoldallListColumns, 1);

  self->view = view;
  for (guint i = 0; i < HOLDALL_N_COLUMNS; i++)
    self->columns[i] = create_column (self, holdall_column_get (i));
  return self;
}

void
holdall_list_columns_free (HoldallListColumns *self)
{
  for (guint i = 0; i < HOLDALL_N_COLUMNS; i++)
    {
      /* The view may outlive us for a moment: nobody is left to be told. */
      gtk_column_view_column_set_sorter (self->columns[i], NULL);
      g_clear_object (&self->columns[i]);
    }
  g_free (self);
}

/* Columns that are named come first, in that order; the rest follows, hidden. */
void
holdall_list_columns_load (HoldallListColumns *self,
                           GSettings          *settings)
{
  g_auto (GStrv) nicks = g_settings_get_strv (settings, "columns");
  g_autoptr (GVariant) widths = g_settings_get_value (settings, "column-widths");
  gboolean added[HOLDALL_N_COLUMNS] = { FALSE, };

  for (guint i = 0; nicks[i] != NULL; i++)
    {
      const HoldallColumn *column = holdall_column_by_nick (nicks[i]);

      if (column == NULL || column->id == HOLDALL_COLUMN_FOLDER || added[column->id])
        continue;
      added[column->id] = TRUE;
      gtk_column_view_column_set_visible (self->columns[column->id], TRUE);
      gtk_column_view_append_column (self->view, self->columns[column->id]);
    }
  if (!added[HOLDALL_COLUMN_NAME])
    {
      added[HOLDALL_COLUMN_NAME] = TRUE;
      gtk_column_view_insert_column (self->view, 0, self->columns[HOLDALL_COLUMN_NAME]);
    }
  added[HOLDALL_COLUMN_FOLDER] = TRUE;
  gtk_column_view_insert_column (self->view, 1, self->columns[HOLDALL_COLUMN_FOLDER]);
  for (guint i = 0; i < HOLDALL_N_COLUMNS; i++)
    {
      int width;

      if (!added[i])
        gtk_column_view_append_column (self->view, self->columns[i]);
      if (g_variant_lookup (widths, holdall_column_get (i)->nick, "i", &width) && width > 20 &&
          width < 10000)
        gtk_column_view_column_set_fixed_width (self->columns[i], width);
    }
  align_titles (self);
}

void
holdall_list_columns_save (HoldallListColumns *self,
                           GSettings          *settings)
{
  GListModel *list = gtk_column_view_get_columns (self->view);
  g_autoptr (GStrvBuilder) nicks = g_strv_builder_new ();
  g_auto (GVariantBuilder) widths = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a{si}"));
  g_auto (GStrv) strv = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (list, i);

      for (guint id = 0; id < HOLDALL_N_COLUMNS; id++)
        {
          int width = gtk_column_view_column_get_fixed_width (column);

          if (self->columns[id] != column)
            continue;
          if (gtk_column_view_column_get_visible (column) && id != HOLDALL_COLUMN_FOLDER)
            g_strv_builder_add (nicks, holdall_column_get (id)->nick);
          if (width > 0)
            g_variant_builder_add (&widths, "{si}", holdall_column_get (id)->nick, width);
        }
    }
  strv = g_strv_builder_end (nicks);
  g_settings_set_strv (settings, "columns", (const char * const *) strv);
  g_settings_set_value (settings, "column-widths", g_variant_builder_end (&widths));
}

gboolean
holdall_list_columns_get_visible (HoldallListColumns *self,
                                  HoldallColumnId     id)
{
  return gtk_column_view_column_get_visible (self->columns[id]);
}

void
holdall_list_columns_set_visible (HoldallListColumns *self,
                                  HoldallColumnId     id,
                                  gboolean            visible)
{
  gtk_column_view_column_set_visible (self->columns[id], visible);
}

void
holdall_list_columns_set_header_menu (HoldallListColumns *self,
                                      GMenuModel         *menu)
{
  for (guint i = 0; i < HOLDALL_N_COLUMNS; i++)
    gtk_column_view_column_set_header_menu (self->columns[i], menu);
}

/* GTK before 4.10 does not tell which column sorts. Comparing anything with the view's sorter asks
 * the first column, which notes that and says "smaller"; the answer comes back turned round if the
 * order is descending. */
gboolean
holdall_list_columns_get_sort (HoldallListColumns *self,
                               HoldallColumnId    *id,
                               gboolean           *descending)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (self->view);
  GtkOrdering ordering;

  self->asked = HOLDALL_N_COLUMNS;
  /* Two objects, whichever: one is equal to itself and nobody would be asked. */
  ordering = gtk_sorter_compare (sorter, self->view, self->columns[HOLDALL_COLUMN_NAME]);
  if (self->asked == HOLDALL_N_COLUMNS)
    return FALSE;
  *id = self->asked;
  *descending = ordering == GTK_ORDERING_LARGER;
  return TRUE;
}

void
holdall_list_columns_set_sort (HoldallListColumns *self,
                               HoldallColumnId     id,
                               gboolean            descending)
{
  /* Without this, GTK 4.8 leaves the arrow of the column that sorted before. */
  gtk_column_view_sort_by_column (self->view, NULL, GTK_SORT_ASCENDING);
  gtk_column_view_sort_by_column (self->view, self->columns[id],
                                  descending ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
}
