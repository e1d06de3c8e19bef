/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* What a RAR file says about being one volume of several. libarchive reads on until the bytes end
 * and takes a lost volume for the end of the archive, so the engine has to look for itself. */

#pragma once

#ifndef HOLD_COMPILATION
#error "Private to the engine."
#endif

#include <glib.h>

G_BEGIN_DECLS

/**
 * HoldRarVolume:
 * @is_rar: it starts with a RAR signature; the rest means nothing otherwise
 * @is_volume: the main header says that it is one of several
 * @is_first: no volume comes before it
 * @new_names: ".part1.rar"; FALSE: ".rar", ".r00"
 * @has_end: an end record was found, so that @more_follow is known
 * @more_follow: the end record says that another volume follows
 * @headers_encrypted: nothing behind the main header can be read
 */
typedef struct {
  gboolean is_rar;
  gboolean is_volume;
  gboolean is_first;
  gboolean new_names;
  gboolean has_end;
  gboolean more_follow;
  gboolean headers_encrypted;
} HoldRarVolume;

/* Walks over the block headers of the file behind @fd. Damage ends the walk quietly.
 * Thread: any.  Blocks: yes, one small read per block, at most 100,000. */
void hold_rar_volume_examine (int fd, HoldRarVolume *volume);

/**
 * hold_rar_volume_list_encrypted:
 * @encrypted: of gboolean; one more for each file that begins in this volume: is it encrypted?
 *
 * RAR 5 only; libarchive tells it for older ones, but takes encrypted data of RAR 5 for damage.
 * Thread: any.  Blocks: as hold_rar_volume_examine().
 */
void hold_rar_volume_list_encrypted (int fd, GArray *encrypted);

G_END_DECLS
