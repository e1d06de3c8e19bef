/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Writes one JSON object or array after another into a string: UTF-8 in every locale, and never
 * anything that is not valid JSON, whatever the archive says. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All append to @text; @key is NULL inside an array. A comma is set where one is due. */
void cli_json_begin  (GString *text, const char *key, char bracket);  /* '{' or '[' */
void cli_json_end    (GString *text, char bracket);                   /* '}' or ']' */
void cli_json_string (GString *text, const char *key, const char *value);  /* NULL: null */
void cli_json_number (GString *text, const char *key, guint64 value);
void cli_json_signed (GString *text, const char *key, gint64 value);
void cli_json_bool   (GString *text, const char *key, gboolean value);
void cli_json_null   (GString *text, const char *key);
/* Lowercase hexadecimal digits of @length_bytes bytes. */
void cli_json_hex    (GString *text, const char *key, const guint8 *bytes, gsize length_bytes);

G_END_DECLS
