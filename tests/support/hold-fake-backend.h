/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Archives that are described in text and exist nowhere else: they fail, stall and ask for
 * passwords on cue, so that jobs are tested without a codec. */

#pragma once

#include "hold-backend.h"

G_BEGIN_DECLS

/**
 * HoldFake:
 *
 * One entry or setting a line; words as a shell splits them:
 *
 *   archive [sequential] [password=S] [broken=truncated]
 *   file PATH [size=N] [...]
 *   folder PATH [...]
 *   symlink PATH target=T
 *   hardlink PATH target=T
 *   other PATH
 *
 * sequential: no direct reading; password: for the list; broken: the list ended early.
 * Of entries: mtime=N mode=0644 password=S nosize (not recorded) unreadable extra=N (gives more
 * than it declares) hole=N (the first bytes are a hole) fail=checksum|corrupt|truncated at=N
 * (default: at the end) gate=N (waits there until released or cancelled) ms=N (per 256 KiB).
 */
typedef struct _HoldFake HoldFake;

/* Makes a file at @path, so that it has an identity; removed by free. */
HoldFake *hold_fake_new (const char *path, const char *text);
void hold_fake_free (HoldFake *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldFake, hold_fake_free)

HoldArchive *hold_fake_open (HoldFake *self);
/* A HoldOpener for HoldOpenJob. */
HoldArchive *hold_fake_opener (const char *path, const char *encoding, HoldKeyring *keyring,
                               const HoldLimits *limits, void (*consumed) (gpointer, guint64),
                               gpointer user_data, GCancellable *cancellable, GError **error);

/* TRUE: somebody waits at a gate. */
gboolean hold_fake_is_at_gate (HoldFake *self);
void hold_fake_release (HoldFake *self); /* all gates, for good */

guint hold_fake_get_n_passes (HoldFake *self);
guint hold_fake_get_n_reads (HoldFake *self);     /* entries whose data was asked for */
guint hold_fake_get_max_readers (HoldFake *self); /* most reads at one time */

/* What every good entry of that path holds. */
guint8 hold_fake_byte (const char *path, guint64 offset);
void hold_fake_assert_file (const char *file_name, const char *path, guint64 size);

G_END_DECLS
