/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Under which names things come out of an archive that a person has picked from several folders of
 * it, as from the results of a search. */

#pragma once

#if !defined (HOLD_INSIDE) && !defined (HOLD_COMPILATION)
#error "Include <hold.h>, not its parts."
#endif

#include "hold-entry.h"

G_BEGIN_DECLS

/**
 * HoldExtractRoots:
 *
 * Each path is a root: it comes out at the top, with what is below it and without the folders that
 * it lies in (D12). A root below another one is none of its own; it comes with the other.
 *
 * Two roots of one name would meet at the top. With @shelves each root then lies in a numbered
 * folder of its own ("1/a.txt", "2/a.txt"): every one keeps its name, for whoever takes it from
 * there. Without, an extraction gives the second one a number.
 *
 * Immutable, counted. Thread: any. Blocks: no.
 */
typedef struct _HoldExtractRoots HoldExtractRoots;

/* @paths: of entries or implied folders, as hold_node_dup_path() gives them; copied. */
HoldExtractRoots   *hold_extract_roots_new        (const char * const *paths, gboolean shelves);
HoldExtractRoots   *hold_extract_roots_ref        (HoldExtractRoots *self);
/* The same without shelves. (transfer full) */
HoldExtractRoots   *hold_extract_roots_to_flat    (HoldExtractRoots *self);
void                hold_extract_roots_unref      (HoldExtractRoots *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoldExtractRoots, hold_extract_roots_unref)

/* The same paths in the same order, and the same names? */
gboolean            hold_extract_roots_equal      (HoldExtractRoots *self, HoldExtractRoots *other);
guint               hold_extract_roots_get_n      (HoldExtractRoots *self);
gboolean            hold_extract_roots_has_shelves (HoldExtractRoots *self);

/* Name of @entry below the destination, bytes; NULL if it is neither a root nor below one.
 * (nullable) (transfer full) */
char               *hold_extract_roots_dup_name   (HoldExtractRoots *self, const HoldEntry *entry);
/* The same of the root that @entry is or lies below. (nullable) (transfer full) */
char               *hold_extract_roots_dup_root   (HoldExtractRoots *self, const HoldEntry *entry);
/* Is @entry a root itself, and not merely below one? */
gboolean            hold_extract_roots_has_entry  (HoldExtractRoots *self, const HoldEntry *entry);

G_END_DECLS
