/* SPDX-License-Identifier: GPL-3.0-or-later
 * Copyright the Holdall developers
 */

/* Names in every charset that archives really hold (E01, E02, E04 to E08, Z15). The tests put names
 * into a charset with iconv and expect them back; the process runs in the C locale, where nothing
 * must depend on it. */

#include "model.h"

#include <locale.h>
#include <string.h>

/* An archive of @names put into @charset. */
static HoldArchive *
archive_in (const char *charset, ModelFlags flags, const char *asked, const char *const *names)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (asked, NULL);

  for (; *names != NULL; names++)
    {
      g_autoptr (GError) error = NULL;
      gsize length;
      g_autofree char *bytes = g_convert (*names, -1, charset, "UTF-8", NULL, &length, &error);

      g_assert_no_error (error);
      model_add_bytes (builder, bytes, length, flags);
    }
  return model_finish (builder);
}

typedef struct {
  const char *title;
  const char *charset;   /* that the names are put into */
  ModelFlags flags;
  const char *encoding;  /* (nullable) that must be found */
  const char *names[8];
} Guess;

static const Guess guesses[] = {
  { "cyrillic-dos", "CP866", MODEL_DOS, "CP866",
    { "Документы/Отчёт за год.txt", "Документы/Письмо.doc", "Фотографии/Лето.jpg" } },
  { "cyrillic-dos-one-name", "CP866", MODEL_DOS, "CP866", { "Привет мир.txt" } },
  { "cyrillic-windows", "CP1251", 0, "CP1251",
    { "Документы/Отчёт за год.txt", "Документы/Письмо.doc", "Фотографии/Лето.jpg" } },
  { "cyrillic-koi8", "KOI8-R", 0, "KOI8-R",
    { "Документы/Отчёт за год.txt", "Документы/Письмо.doc", "Фотографии/Лето.jpg" } },
  { "german-dos", "CP437", MODEL_DOS, "CP437",
    { "Größe der Ölfässer.txt", "Übung für Schüler.doc", "Straße.png" } },
  { "danish-dos", "CP850", MODEL_DOS, "CP850",
    { "Rødgrød med fløde.txt", "Ærø.txt", "Åbenrå Øst.txt" } },
  { "czech-dos", "CP852", MODEL_DOS, "CP852",
    { "Příliš žluťoučký kůň.txt", "Účetnictví/Výpis.doc", "Říční člun.jpg" } },
  { "japanese-dos", "CP932", MODEL_DOS, "CP932",
    { "新しいフォルダ/新規テキスト ドキュメント.txt", "表.txt", "ソース能力.txt" } },
  { "japanese-dos-one-name", "CP932", MODEL_DOS, "CP932", { "日本語の名前.txt" } },
  { "japanese-euc", "EUC-JP", 0, "EUC-JP",
    { "新しいフォルダ/新規テキスト ドキュメント.txt", "漢字の表.txt" } },
  { "chinese-dos", "GB18030", MODEL_DOS, "GB18030",
    { "新建文件夹/新建文本文档.txt", "我的照片.jpg", "说明书.pdf" } },
  { "taiwanese-dos", "CP950", MODEL_DOS, "CP950",
    { "新增資料夾/新文字文件.txt", "我的相片.jpg", "說明書功能.pdf" } },
  { "korean-dos", "CP949", MODEL_DOS, "CP949",
    { "새 폴더/새 텍스트 문서.txt", "사진 모음.jpg", "설명서.pdf" } },
  { "korean-dos-one-name", "CP949", MODEL_DOS, "CP949", { "대한민국.txt" } },
  { "japanese-dos-three-letters", "CP932", MODEL_DOS, "CP932", { "東京都.csv" } },
  { "taiwanese-dos-backslashes", "CP950", MODEL_DOS, "CP950", { "許功蓋.txt" } },
  { "german-windows-in-dos", "CP1252", MODEL_DOS, "CP1252", { "Größe.txt" } },
  { "polish-dos-one-word", "CP852", MODEL_DOS, "CP852", { "Łódź.jpg" } },
  { "spanish-dos-one-word", "CP437", MODEL_DOS, "CP437", { "¿Qué es esto.txt" } },
  { "greek-dos", "CP737", MODEL_DOS, "CP737",
    { "Νέος φάκελος/Έγγραφο.txt", "Φωτογραφίες/Καλοκαίρι.jpg", "Οδηγίες χρήσης.pdf" } },
};

static void
test_guess (gconstpointer data)
{
  const Guess *guess = data;
  g_autoptr (HoldArchive) archive = archive_in (guess->charset, guess->flags, NULL, guess->names);

  g_assert_cmpstr (hold_archive_get_encoding (archive), ==, guess->encoding);
  for (guint i = 0; i < hold_archive_get_n_entries (archive); i++)
    {
      g_assert_cmpstr (model_path (archive, i), ==, guess->names[i]);
      g_assert_null (hold_entry_get_raw_name (hold_archive_get_entry (archive, i), NULL));
    }
}

/* The bytes of Cyrillic in CP866 too few to tell: the code page that the format names. */
static void
test_few_bytes (void)
{
  const ModelItem items[] = { { "\xe2\xa5\xe1\xe2.txt", MODEL_DOS, 0 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);

  g_assert_cmpstr (model_path (archive, 0), ==, "ΓÑßΓ.txt");
  g_assert_cmpstr (hold_archive_get_encoding (archive), ==, "CP437");
}

static void
test_asked (void)
{
  /* "联通" in GBK is valid UTF-8, too; whoever names a charset means it. */
  const ModelItem items[] = { { "\xc1\xaa\xcd\xa8.txt", 0, 0 },
                              { "\xe8\x81\x94.txt", MODEL_UTF8, 0 },
                              { "\xff\xff.txt", 0, 0 },
                              { NULL } };
  g_autoptr (HoldArchive) archive = model_archive ("GBK", items);

  g_assert_cmpstr (model_path (archive, 0), ==, "联通.txt");
  g_assert_cmpstr (model_path (archive, 1), ==, "联.txt");
  g_assert_cmpstr (model_path (archive, 2), ==, "%FF%FF.txt");
  g_assert_cmpstr (hold_archive_get_encoding (archive), ==, "GBK");
}

static void
test_asked_unknown (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new ("no-such\ncharset", NULL);

  model_add (builder, &(ModelItem) { "a", 0, 0 });
  g_assert_null (hold_archive_builder_finish (builder, NULL, NULL, &error));
  g_assert_error (error, HOLD_ERROR, HOLD_ERROR_UNSUPPORTED);
  g_assert_null (strchr (error->message, '\n'));
}

/* E07: undeclared UTF-8 is UTF-8, also beside names that are not. */
static void
test_undeclared_utf8 (void)
{
  const ModelItem items[] = { { "Größe/naïve.txt", MODEL_DOS, 0 }, { "漢字.txt", 0, 0 }, { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);

  g_assert_cmpstr (model_path (archive, 0), ==, "Größe/naïve.txt");
  g_assert_cmpstr (model_path (archive, 1), ==, "漢字.txt");
  g_assert_null (hold_archive_get_encoding (archive));
}

/* E08: composed, decomposed and Latin-1 are three files. */
static void
test_three_cafes (void)
{
  const ModelItem items[] = { { "caf\xc3\xa9.txt", 0, 1 },
                              { "cafe\xcc\x81.txt", 0, 2 },
                              { "caf\xe9.txt", 0, 3 },
                              { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  HoldTree *tree = hold_archive_get_tree (archive);
  const HoldEntry *last = hold_archive_get_entry (archive, 2);
  gsize length;

  g_assert_cmpuint (hold_node_get_n_children (hold_tree_get_root (tree)), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      HoldNode *node = hold_tree_lookup (tree, model_path (archive, i));
      g_assert_nonnull (node);
      g_assert_cmpuint (hold_entry_get_index (hold_node_get_entry (node)), ==, i);
    }
  g_assert_cmpstr (model_path (archive, 2), ==, "caf%E9.txt");
  g_assert_cmpstr (hold_entry_get_disk_path (last), ==, "caf\xe9.txt");
  const guint8 *raw = hold_entry_get_raw_name (last, &length);
  g_assert_cmpmem (raw, length, "caf\xe9.txt", 8);
  g_assert_cmpuint (hold_report_count (hold_archive_get_report (archive), HOLD_OUTCOME_WARNING),
                    ==, 1);
}

/* E06: says it is UTF-8 and is not. Never guessed; a person may still name a charset. */
static void
test_lying_mark (void)
{
  const ModelItem items[] = { { "a\x8f\xe0\x80\xa8/%FF", MODEL_UTF8 | MODEL_DOS, 0 },
                              { NULL } };
  g_autoptr (HoldArchive) archive = model_archive (NULL, items);
  g_autoptr (HoldArchive) asked = model_archive ("CP866", items);

  g_assert_cmpstr (model_path (archive, 0), ==, "a%8F%E0%80%A8/%FF");
  g_assert_cmpstr (hold_entry_get_disk_path (hold_archive_get_entry (archive, 0)), ==,
                   "a\x8f\xe0\x80\xa8/%FF");
  g_assert_cmpstr (model_path (asked, 0), ==, "aПрАи/%FF");
}

/* Z15, and why separators come after decoding: "表" and "ソ" end in the byte of "\" in CP932. */
static void
test_backslashes (void)
{
  const char *names[] = { "表\\ソース\\能.txt", "dir\\sub\\..\\漢字の名前.txt", NULL };
  g_autoptr (HoldArchive) dos = archive_in ("CP932", MODEL_DOS, NULL, names);
  g_autoptr (HoldArchive) unix_made = archive_in ("UTF-8", 0, NULL, names);

  g_assert_cmpstr (model_path (dos, 0), ==, "表/ソース/能.txt");
  g_assert_cmpstr (model_path (dos, 1), ==, "dir/sub/../漢字の名前.txt");
  g_assert_true (hold_entry_get_unsafe (hold_archive_get_entry (dos, 1)) & HOLD_UNSAFE_DOTDOT);
  g_assert_cmpstr (model_path (unix_made, 0), ==, "表\\ソース\\能.txt");
  g_assert_cmpint (hold_entry_get_unsafe (hold_archive_get_entry (unix_made, 1)), ==, 0);
}

/* Damage is not a charset: bytes stay, valid parts stay readable, NUL never reaches a path. */
static void
test_damage (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);

  model_add_bytes (builder, "ab\xc4\x8d" "mno\xfcxyz", 11, 0);
  model_add_bytes (builder, "a\0b/c", 5, 0);
  model_add_bytes (builder, "\xed\xa0\x80\xc0\xaf.txt", 9, 0);
  g_autoptr (HoldArchive) archive = model_finish (builder);

  g_assert_cmpstr (model_path (archive, 0), ==, "abčmno%FCxyz");
  g_assert_cmpstr (model_path (archive, 1), ==, "a%00b/c");
  g_assert_cmpstr (hold_entry_get_disk_path (hold_archive_get_entry (archive, 1)), ==, "a%00b/c");
  /* A surrogate and an overlong "/": no separator comes of it. */
  g_assert_cmpstr (model_path (archive, 2), ==, "%ED%A0%80%C0%AF.txt");
}

/* Random bytes, in any number: every name is kept, valid and can be looked up. */
static void
test_noise (void)
{
  for (guint round = 0; round < 50; round++)
    {
      g_autoptr (HoldArchiveBuilder) builder = model_builder_new (NULL, NULL);
      g_autoptr (GRand) random = g_rand_new_with_seed (round);

      for (guint i = 0; i < 200; i++)
        {
          char bytes[64];
          gsize length = (gsize) g_rand_int_range (random, 0, sizeof bytes);

          for (gsize j = 0; j < length; j++)
            bytes[j] = (char) g_rand_int_range (random, 0, 256);
          model_add_bytes (builder, bytes, length, (ModelFlags) (round & 3));
        }

      g_autoptr (HoldArchive) archive = model_finish (builder);
      for (guint i = 0; i < 200; i++)
        {
          const char *path = model_path (archive, i);
          g_assert_true (g_utf8_validate (path, -1, NULL));
          g_assert_cmpstr (path, !=, "");
          g_assert_nonnull (hold_tree_lookup (hold_archive_get_tree (archive), path));
        }
    }
}

/* A comment in the archive's charset; no separators are sought in it. */
static void
test_comment (void)
{
  g_autoptr (HoldArchiveBuilder) builder = model_builder_new ("CP866", NULL);
  const HoldNameSource comment = { (const guint8 *) "a\\b \x8f\xe0\xa8", 7, FALSE, TRUE };

  hold_archive_builder_set_comment (builder, &comment);
  g_autoptr (HoldArchive) archive = model_finish (builder);
  g_assert_cmpstr (hold_archive_get_comment (archive), ==, "a\\b При");
}

int
main (int argc, char *argv[])
{
  setlocale (LC_ALL, "C");
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (guesses); i++)
    {
      g_autofree char *path = g_strconcat ("/names/guess/", guesses[i].title, NULL);
      g_test_add_data_func (path, &guesses[i], test_guess);
    }
  g_test_add_func ("/names/few-bytes", test_few_bytes);
  g_test_add_func ("/names/asked", test_asked);
  g_test_add_func ("/names/asked-unknown", test_asked_unknown);
  g_test_add_func ("/names/undeclared-utf8", test_undeclared_utf8);
  g_test_add_func ("/names/three-cafes", test_three_cafes);
  g_test_add_func ("/names/lying-mark", test_lying_mark);
  g_test_add_func ("/names/backslashes", test_backslashes);
  g_test_add_func ("/names/damage", test_damage);
  g_test_add_func ("/names/noise", test_noise);
  g_test_add_func ("/names/comment", test_comment);
  return g_test_run ();
}
