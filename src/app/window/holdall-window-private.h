/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What the files of the window share: its fields and the entry points of each aspect. */

#pragma once

#include "holdall-announcer.h"
#include "holdall-archive-monitor.h"
#include "holdall-browser.h"
#include "holdall-cost-bar.h"
#include "holdall-job-bar.h"
#include "holdall-job-button.h"
#include "holdall-path-bar.h"
#include "holdall-preview.h"
#include "holdall-tree-pane.h"
#include "holdall-welcome.h"
#include "holdall-window-edit.h"
#include "holdall-window.h"

G_BEGIN_DECLS

struct _HoldallWindow {
  AdwApplicationWindow parent_instance;

  GSettings *settings;         /* owned */
  HoldKeyring *keyring;        /* owned; lives as long as the window shows this file */
  HoldArchive *archive;        /* (nullable) owned */
  /* (nullable) owned: what is shown, or being opened, or failed to open */
  GFile *file;
  HoldJob *open_job;           /* (nullable) owned: not finished */
  /* (nullable) owned: of the search for a path of what has none */
  GCancellable *reaching;
  char *encoding;              /* (nullable) owned: chosen for the names of this archive */
  /* (nullable) owned: win.go-to while the archive was still being opened */
  char *pending_path;

  /* Where one has been: paths of folders; history_position is the one that is shown. */
  GPtrArray *history;
  guint history_position;

  gboolean encoding_bar_hidden;
  gboolean damage_bar_hidden;
  HoldallQuery *query;         /* (nullable) owned: results of this search are shown */

  HoldallWindowEdit *edit;     /* owned; NULL once disposed */
  AdwToast *edit_toast;        /* (nullable) owned: is shown, and speaks of the last edit */

  HoldallArchiveMonitor *monitor;  /* (nullable) owned */
  GFile *watched;                  /* (nullable) owned: what the monitor watches */
  gboolean is_checking;            /* whether that has changed */
  gboolean is_gone;                /* and that was told */
  AdwToast *gone_toast;            /* (nullable) owned: is shown, and tells it */

  GtkWindow *close_question;   /* (nullable) borrowed: asks about changed copies of entries */
  gboolean may_close;          /* and it was answered */

  guint status_idle;           /* source id */
  /* source id: the spinner waits a moment, so that it does not flash */
  guint loading_timeout;

  /* Template children, by name. */
  HoldallAnnouncer *announcer;
  HoldallBrowser *browser;
  HoldallCostBar *cost_bar;
  GtkRevealer *damage_bar;
  GtkLabel *damage_label;
  GtkRevealer *encoding_bar;
  GtkLabel *encoding_label;
  GtkExpander *error_details;
  GtkLabel *error_details_label;
  AdwStatusPage *error_page;
  AdwSplitButton *extract_button;
  GtkWidget *history_box;
  HoldallJobBar *job_bar;
  HoldallJobButton *job_button;
  GtkStack *main_stack;
  GtkMenuButton *menu_button;
  GtkWidget *open_another_button;
  GtkRevealer *opened_bar;
  GtkLabel *opened_label;
  GtkWidget *opened_save_button;
  GtkWidget *opened_update_button;
  HoldallPathBar *path_bar;
  HoldallPreview *preview;
  AdwFlap *preview_flap;
  GtkWidget *read_only_sign;
  GtkSearchBar *search_bar;
  GtkToggleButton *search_button;
  GtkToggleButton *search_case;
  GtkSearchEntry *search_entry;
  GtkToggleButton *search_glob;
  GtkLabel *selection_label;
  GtkWidget *status_bar;
  GtkLabel *status_label;
  GtkStack *title_stack;
  AdwToastOverlay *toast_overlay;
  AdwFlap *tree_flap;
  HoldallTreePane *tree_pane;
  AdwSplitButton *view_button;
  GMenu *view_section;
  HoldallWelcome *welcome;
  AdwWindowTitle *window_title;
};

/* holdall-window.c: bring labels, actions and tooltips up to date with archive and folder; with
 * the selection. */
void        _holdall_window_update           (HoldallWindow *self);
void        _holdall_window_update_selection (HoldallWindow *self);
/* @action without "win."; no effect if there is none. Takes a floating @state. */
void        _holdall_window_set_enabled      (HoldallWindow *self, const char *action, gboolean enabled);
void        _holdall_window_set_state        (HoldallWindow *self, const char *action, GVariant *state);

/* Takes away a toast that is no longer true, a moment later, and the reference to it. Outlives the
 * window. */
void        _holdall_window_end_toast        (AdwToast **toast);

/* holdall-window-open.c */
void        _holdall_window_open_init        (HoldallWindow *self);
void        _holdall_window_open_dispose     (HoldallWindow *self);
/* A file is looked for, fetched or read. */
gboolean    _holdall_window_is_opening       (HoldallWindow *self);
/* The first here if there is room, the others in windows of their own. */
void        _holdall_window_open_files       (HoldallWindow *self, GFile **files, guint n_files);

/* holdall-window-navigate.c: folders and history. */
void        _holdall_window_navigate_init    (HoldallWindow *self);
/* The folder as the path bar shows it, also behind results of a search; "" for the top. Borrowed.
 */
const char *_holdall_window_get_shown_folder (HoldallWindow *self);
/* Goes to a folder, or to the folder of a file and selects that; ends a search. */
void        _holdall_window_go_to            (HoldallWindow *self, const char *path);
/* Forgets where one has been, and shows the top. */
void        _holdall_window_start_history    (HoldallWindow *self);
/* Shows the present folder, or what of its path is left, in the present archive. @select_path:
 * (nullable) */
void        _holdall_window_show_folder      (HoldallWindow *self, const char *select_path);

/* holdall-window-search.c */
void        _holdall_window_search_init      (HoldallWindow *self);
gboolean    _holdall_window_is_searching     (HoldallWindow *self);
/* Hides the search bar and forgets the query, without showing anything else. */
void        _holdall_window_end_search       (HoldallWindow *self);

/* holdall-window-actions.c: view, columns, selection, the rest. */
void        _holdall_window_actions_init     (HoldallWindow *self);
void        _holdall_window_actions_update   (HoldallWindow *self);

/* holdall-window-status.c: the status line and the preview follow the selection, a moment later. */
void        _holdall_window_queue_status     (HoldallWindow *self);

/* holdall-window-create.c: asks how to pack @files, or none, into a new archive. */
void        _holdall_window_create_init      (HoldallWindow *self);
void        _holdall_window_present_create   (HoldallWindow *self, GFile **files, guint n_files);

/* holdall-window-place.c: what a point of the window is for something that is dragged. */

/**
 * HoldallPlace:
 * @folder: (nullable) owned: where it would go; NULL: nowhere
 * @widget: (nullable) borrowed: what the eye takes for that folder, if it is not the whole view
 * @action: (nullable): not a folder, but a button that does this, such as "win.go-back"
 * @x, @y: the point
 */
typedef struct {
  char *folder;
  GtkWidget *widget;
  const char *action;
  double x;
  double y;
} HoldallPlace;

void        _holdall_place_clear             (HoldallPlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoldallPlace, _holdall_place_clear)

/* Takes the point in the window's own coordinates; @place is set in any case. */
void        _holdall_window_find_place       (HoldallWindow *self, double x, double y, HoldallPlace *place);
/* Something is held over @place: lights it up if it @takes it, and opens it after a while (spring
 * loading) if it @opens. NULL: it has left. */
void        _holdall_window_hover            (HoldallWindow *self, const HoldallPlace *place,
                                              gboolean takes, gboolean opens);

/* holdall-window-drag.c: rows are dragged to folders. */
void        _holdall_window_drag_init        (HoldallWindow *self);

/* holdall-window-dnd.c */
void        _holdall_window_dnd_init         (HoldallWindow *self);

/* holdall-window-test.c: actions of HOLDALL_TEST. */
void        _holdall_window_test_init        (HoldallWindow *self);
void        _holdall_window_test_dispose     (HoldallWindow *self);
/* A drag from here has begun: what becomes of it is in the status. */
void        _holdall_window_test_note_drag   (HoldallWindow *self, GdkDrag *drag);
/* Before it is shown: it stays long enough for a test. */
void        _holdall_window_test_note_toast  (HoldallWindow *self, AdwToast *toast);

G_END_DECLS
