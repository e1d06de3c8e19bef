/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copyright the Holdall developers */

/* What the tests of the ZIP layer share: archives in memory, entries as bytes. */

#pragma once

#include "zip-builder.h"
#include "zip-reader.h"

G_BEGIN_DECLS

/** zip_test_open: opens an archive that exists in memory only. */
ZipReader *zip_test_open (GBytes *archive, GError **error);

/** zip_test_build: builds from text (see zip_builder_from_text) and opens it; must succeed. */
ZipReader *zip_test_build (const char *text);

/** zip_test_fd: an unnamed file with @archive in it. */
int zip_test_fd (GBytes *archive);

/** zip_test_read: the decoded entry, or NULL with @error. */
GBytes *zip_test_read (ZipReader *reader, guint i, GError **error);

/** zip_test_assert_entry: name and content of entry @i are these strings. */
void zip_test_assert_entry (ZipReader *reader, guint i, const char *name, const char *content);

G_END_DECLS
