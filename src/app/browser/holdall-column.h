/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* The columns of the list as data: their names in the settings, their titles, their texts. */

#pragma once

#include "holdall-entry-item.h"

G_BEGIN_DECLS

/* In the order of the enum io.github.holdall.Holdall.Column of the settings schema, plus FOLDER,
 * which only results of a search show. */
typedef enum {
  HOLDALL_COLUMN_POSITION,
  HOLDALL_COLUMN_NAME,
  HOLDALL_COLUMN_SIZE,
  HOLDALL_COLUMN_PACKED,
  HOLDALL_COLUMN_RATIO,
  HOLDALL_COLUMN_TYPE,
  HOLDALL_COLUMN_MODIFIED,
  HOLDALL_COLUMN_METHOD,
  HOLDALL_COLUMN_CRC,
  HOLDALL_COLUMN_MODE,
  HOLDALL_COLUMN_ENCRYPTED,
  HOLDALL_COLUMN_COMMENT,
  HOLDALL_COLUMN_STREAMED,
  HOLDALL_COLUMN_FOLDER,
  HOLDALL_N_COLUMNS
} HoldallColumnId;

/**
 * HoldallColumn:
 * @nick: in the settings and in action names
 * @title: untranslated; use _()
 * @nat_chars: width that is asked for, in characters
 * @align_end: numbers stand at the end of their cell
 * @dup_text: (nullable): the text of a cell, "" where nothing is known; NULL for the name, which has a cell of its own
 */
typedef struct {
  HoldallColumnId id;
  const char *nick;
  const char *title;
  guint nat_chars;
  gboolean align_end;
  char *(*dup_text) (HoldallEntryItem *item);
} HoldallColumn;

/* Thread: main. Results are static; (nullable) for a nick nobody knows. */
const HoldallColumn *holdall_column_get     (HoldallColumnId id);
const HoldallColumn *holdall_column_by_nick (const char *nick);

G_END_DECLS
