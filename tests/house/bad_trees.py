# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""A tiny tree that breaks no rule of the house, and faults to put into it, each of which one check
must find."""

ID = "io.github.holdall.Holdall"
HEAD = ("/* SPDX-License-Identifier: GPL-3.0-or-later\n"
        " * Copyright the Holdall developers\n */\n\n"
        "/* Exists to be looked at by the checks of the house. */\n\n")
SCRIPT = "#!/bin/sh\n# SPDX-License-Identifier: GPL-3.0-or-later\n"
GUARD = "#pragma once\n\n#ifndef INSIDE\n#error \"not from here\"\n#endif\n"

DESKTOP = """[Desktop Entry]
Type=Application
Name=Holdall
Exec=holdall %U
MimeType=application/zip;
Categories=Utility;Archiving;
"""
METAINFO = f"""<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{ID}</id>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>GPL-3.0-or-later</project_license>
  <name>Holdall</name>
  <summary>Open archives as folders</summary>
  <developer_name>The Holdall developers</developer_name>
  <description><p>Holdall opens archives and shows what is in them as folders.</p></description>
  <launchable type="desktop-id">{ID}.desktop</launchable>
  <url type="homepage">https://example.org/</url>
  <content_rating type="oars-1.1"/>
  <releases><release version="1.0" date="2026-01-01"/></releases>
</component>
"""
SCHEMA = """<schemalist>
  <schema id="io.github.holdall.Holdall" path="/io/github/holdall/Holdall/">
    <key name="a" type="b"><default>true</default></key>
  </schema>
</schemalist>
"""
MAN = r""".\" SPDX-License-Identifier: GPL-3.0-or-later
.Dd January 1, 2026
.Dt HOLDALL-CLI 1
.Os
.Sh NAME
.Nm holdall-cli
.Nd look into archives
.Sh DESCRIPTION
.Nm
looks into archives.
"""
UI = """<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<interface>
  <object class="GtkLabel"><property name="label" translatable="yes">Empty</property></object>
</interface>
"""
MANIFEST = f"""{{"id": "{ID}", "command": "holdall", "finish-args": ["--share=ipc"],
  "modules": [{{"name": "a", "sources": [{{"type": "archive", "url": "https://a",
                                       "sha256": "{"0" * 64}"}}]}},
              {{"name": "holdall", "sources": [{{"type": "dir", "path": ".."}}]}}]}}
"""

GOOD = {
    "meson.build": "subdir('src')\n",
    "run": SCRIPT + "echo run\n",
    "src/DESIGN.md": "`zip/` `engine/` `cli/` `app/`\n",
    "src/zip/meson.build": "files('zip-record.c')\n",
    "src/zip/zip-record.h": HEAD + GUARD + "#include <glib.h>\n",
    "src/zip/zip-record.c": HEAD + "#include \"config.h\"\n#include <string.h>\n#include <zlib.h>\n"
                                   "#include \"zip-record.h\"\n",
    "src/engine/meson.build": "files('hold-path.c', 'hold-backend-zip.c', "
                              "'hold-backend-libarchive.c')\n",
    "src/engine/hold.h": HEAD + "#pragma once\n#include \"hold-path.h\"\n",
    "src/engine/hold-path.h": HEAD + GUARD,
    "src/engine/hold-path.c": HEAD + "#include <gio/gio.h>\n#include \"hold-path.h\"\n",
    "src/engine/hold-backend-zip.c": HEAD + "#include \"zip-record.h\"\n",
    "src/engine/hold-backend-libarchive.c": HEAD + "#include <archive.h>\n",
    "src/cli/meson.build": "files('main.c')\n",
    "src/cli/main.c": HEAD + "#include <hold.h>\n#include <stdio.h>\n",
    "src/app/meson.build": "files('main.c')\n",
    "src/app/main.c": HEAD + "#include <gtk/gtk.h>\n#include <glib/gi18n.h>\n#include <hold.h>\n"
                             "const char *a = N_(\"Open\");\n",
    "src/app/window.ui": UI,
    "src/app/holdall.gresource.xml": "<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n"
                                     "<gresources><file>window.ui</file></gresources>\n",
    "tests/zip/meson.build": "test('record', executable('test-record', 'test-record.c'))\n",
    "tests/zip/test-record.c": HEAD,
    "po/LINGUAS": "# none\n",
    "po/POTFILES": f"data/{ID}.gschema.xml\nsrc/app/main.c\nsrc/app/window.ui\n",
    f"data/{ID}.desktop": DESKTOP,
    f"data/{ID}.metainfo.xml": METAINFO,
    f"data/{ID}.gschema.xml": SCHEMA,
    f"data/icons/hicolor/scalable/apps/{ID}.svg": "<svg viewBox=\"0 0 128 128\"/>\n",
    f"data/icons/hicolor/symbolic/apps/{ID}-symbolic.svg": "<svg viewBox=\"0 0 16 16\"/>\n",
    "docs/holdall-cli.1": MAN,
    f"flatpak/{ID}.json": MANIFEST,
    f"flatpak/{ID}.Devel.json": MANIFEST,
    "flatpak/README.md": "`--share=ipc`\n",
}

ZIP_C = GOOD["src/zip/zip-record.c"]
PATH_C = GOOD["src/engine/hold-path.c"]
CLI_C = GOOD["src/cli/main.c"]
APP_C = GOOD["src/app/main.c"]
BROKEN_PO = ("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
             "#, c-format\nmsgid \"%d files\"\nmsgstr \"%s Dateien\"\n")


def manifest(before, after):
    """Both manifests with a word changed."""
    text = MANIFEST.replace(before, after)
    return {f"flatpak/{ID}.json": text, f"flatpak/{ID}.Devel.json": text}

# A whole translation of GOOD, which the faults below take something from.
PO_HEAD = ("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
           "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n")
PO_OPEN = "msgid \"Open\"\nmsgstr \"Öffnen\"\n\n"
PO_EMPTY = "msgid \"Empty\"\nmsgstr \"Leer\"\n\n"
ITEMS_C = ("const char *b = ngettext (\"%u item\", \"%u items\", 2);\n"
           "const char *c = N_(\"_Close\");\n")
PO_ITEMS = "#, c-format\nmsgid \"%u item\"\nmsgid_plural \"%u items\"\n"
PO_GOOD_ITEMS = PO_ITEMS + "msgstr[0] \"ein Objekt\"\nmsgstr[1] \"%u Objekte\"\n\n"
PO_CLOSE = "msgid \"_Close\"\nmsgstr \"_Schließen\"\n\n"


def zip_c(line):
    return {"src/zip/zip-record.c": ZIP_C + line + "\n"}


def path_c(line):
    return {"src/engine/hold-path.c": PATH_C + line + "\n"}


def cli_c(line):
    return {"src/cli/main.c": CLI_C + line + "\n"}


def app_c(line):
    return {"src/app/main.c": APP_C + line + "\n"}


def po(*messages, more=False, head=PO_HEAD):
    """German for the tree, and (more) two other messages in its source."""
    files = {"po/LINGUAS": "de\n", "po/de.po": head + "".join(messages)}
    return {**files, "src/app/main.c": APP_C + ITEMS_C} if more else files


# What the fault is, the check that must find it, the files that change (None: gone), and a part of
# the complaint.
BAD = [
    ("libarchive", "layers: zip", zip_c("#include <archive.h>"), "archive.h"),
    ("the engine", "layers: zip", zip_c("#include \"hold-path.h\""), "hold-path.h"),
    ("gettext", "layers: zip", zip_c("#include <glib/gi18n.h>"), "gi18n.h"),
    ("threads", "layers: zip", zip_c("void f (void) { g_mutex_lock (&m); }"), "threads"),
    ("a main loop", "layers: zip", zip_c("void f (void) { g_idle_add (g, 0); }"), "main loop"),
    ("archive.h outside its backend", "layers: engine", path_c("#include <archive.h>"),
     "libarchive*"),
    ("zip-*.h outside its backend", "layers: engine", path_c("#include \"zip-record.h\""),
     "backend-zip*"),
    ("GTK", "layers: engine", path_c("#include <gtk/gtk.h>"), "gtk/gtk.h"),
    ("a translation", "layers: engine", path_c("const char *a = _(\"Word\");"), "translates"),
    ("standard output", "layers: engine", path_c("void f (void) { g_print (\"a\"); }"),
     "standard output"),
    ("chdir", "layers: engine", path_c("void f (void) { (void) !chdir (\"a\"); }"), "working dir"),
    ("GSettings", "layers: engine", path_c("GSettings *settings;"), "settings"),
    ("a backend that knows jobs", "layers: engine",
     {"src/engine/backends/hold-b.c": HEAD + "#include \"hold-job.h\"\n",
      "src/engine/hold-job.h": HEAD + GUARD}, "knows no jobs"),
    ("a disk part that knows jobs", "layers: engine",
     {"src/engine/disk/hold-d.c": HEAD + "#include \"hold-job.h\"\n",
      "src/engine/hold-job.h": HEAD + GUARD}, "knows no jobs"),
    ("GTK in the command line", "layers: cli and app", cli_c("#include <gtk/gtk.h>"), "gtk/gtk.h"),
    ("a part of the engine", "layers: cli and app", app_c("#include <hold-path.h>"), "hold-path.h"),
    ("a private header", "layers: cli and app", app_c("#include \"hold-path-private.h\""),
     "private"),
    ("zip-*.h in the app", "layers: cli and app", app_c("#include \"zip-record.h\""),
     "zip-record.h"),
    ("a question to the disk", "layers: the main thread asks no disk",
     app_c("gboolean f (char *a) { return g_file_test (a, G_FILE_TEST_EXISTS); }"), "g_file_test()"),
    ("a literal type", "layers: cli and app", app_c("const char *t = \"application/x-tar\";"),
     "x-tar"),
    ("a room below that knows one above", "layers: rooms of the app",
     {"src/app/text/holdall-words.c": HEAD + "#include \"holdall-pane.h\"\n",
      "src/app/browser/holdall-pane.h": HEAD + "#pragma once\n"}, "holdall-pane.h"),
    ("a room that nobody placed", "layers: rooms of the app",
     {"src/app/attic/holdall-box.h": HEAD + "#pragma once\n"}, "attic/"),
    ("a header that all may include", "layers: guards in headers",
     {"src/zip/zip-record.h": HEAD + "#pragma once\n"}, "#error"),
    ("no licence", "files: licence and reason",
     {"src/cli/main.c": "/* Exists to be looked at by the checks. */\n"}, "SPDX"),
    ("no reason", "files: licence and reason",
     {"src/cli/main.c": HEAD.partition("\n\n")[0] + "\n\n#include <hold.h>\n"}, "why"),
    ("a script without licence", "files: licence and reason", {"run": "#!/bin/sh\n"}, "run"),
    ("a file of 1,001 lines", "files: size", {"src/cli/main.c": CLI_C + "int a;\n" * 1001},
     "split it"),
    ("goto", "files: no goto", cli_c("int f (void) { goto out; out: return 0; }"), "goto"),
    ("white space at the end", "files: white space and columns", cli_c("int a; "), "white space"),
    ("a tab", "files: white space and columns", cli_c("int\ta;"), "tab"),
    ("a long line", "files: white space and columns", cli_c("int " + "a" * 120 + ";"), "columns"),
    ("an unfinished line", "files: white space and columns", {"src/cli/main.c": CLI_C + "int a;"},
     "no end"),
    ("somebody's folder", "files: no paths of one machine",
     cli_c("const char *a = \"/home/" + "anna/x\";"), "anna"),
    ("a broken shell script", "files: scripts parse", {"run": SCRIPT + "if true; then\n"}, "run"),
    ("a broken Python script", "files: scripts parse",
     {"tests/zip/helper.py": "def f(:\n"}, "helper.py"),
    ("a forgotten C file", "files: all in the build", {"src/cli/cli-list.c": HEAD}, "cli-list.c"),
    ("a forgotten .ui file", "files: all in the build", {"src/app/dialog.ui": UI}, "dialog.ui"),
    ("a forgotten test", "files: all in the build", {"tests/zip/test-name.c": HEAD},
     "test-name.c"),
    ("a forgotten Python test", "files: all in the build",
     {"tests/zip/test-name.py": "# SPDX-License-Identifier: GPL-3.0-or-later\n"}, "nothing runs"),
    ("a forgotten C file", "files: POTFILES",
     {"src/app/dialog.c": HEAD + "const char *a = _(\"Word\");\n"}, "dialog.c"),
    ("a forgotten .ui file", "files: POTFILES", {"src/app/dialog.ui": UI}, "dialog.ui"),
    ("a file that is gone", "files: POTFILES", {"src/app/window.ui": None}, "does not exist"),
    ("a folder without a word", "files: DESIGN.md", {"src/engine/jobs/hold-job-a.c": HEAD},
     "engine/jobs/"),
    ("a wrong key", "tools: desktop file", {f"data/{ID}.desktop": DESKTOP + "Wrong=a\n"}, "Wrong"),
    ("a lost type", "tools: desktop file",
     {f"data/{ID}.desktop": DESKTOP.replace("application/zip;", "text/plain;")}, "application/zip"),
    ("no summary", "tools: metainfo",
     {f"data/{ID}.metainfo.xml": METAINFO.replace("summary", "symmary")}, "summary"),
    ("a key without default", "tools: settings schema",
     {f"data/{ID}.gschema.xml": SCHEMA.replace("<default>true</default>", "")}, "default"),
    ("no symbolic icon", "tools: icons",
     {f"data/icons/hicolor/symbolic/apps/{ID}-symbolic.svg": None}, "missing"),
    ("an unknown macro", "tools: man pages", {"docs/holdall-cli.1": MAN + ".Xx a\n"}, "Xx"),
    ("a wrong format string", "tools: translations",
     {"po/de.po": BROKEN_PO, "po/LINGUAS": "de\n"}, "format"),
    ("an unlisted language", "tools: translations", {"po/de.po": BROKEN_PO}, "LINGUAS"),
    ("an untranslatable label", "tools: interface files",
     {"src/app/window.ui": UI.replace(" translatable=\"yes\"", "")}, "Empty"),
    ("a missing translation", "translations: complete", po(PO_OPEN), "“Empty” is not"),
    ("an empty translation", "translations: complete",
     po(PO_OPEN, PO_EMPTY.replace("Leer", "")), "“Empty” is not"),
    ("a guessed translation", "translations: complete", po(PO_OPEN, "#, fuzzy\n" + PO_EMPTY),
     "fuzzy"),
    ("a message of the past", "translations: complete",
     po(PO_OPEN, PO_EMPTY, PO_CLOSE), "said nowhere"),
    ("too few plural forms", "translations: complete",
     po(PO_OPEN, PO_EMPTY, PO_CLOSE, PO_GOOD_ITEMS, more=True,
        head=PO_HEAD.replace("nplurals=2; plural=(n != 1)", "nplurals=1; plural=0")), "instead of"),
    ("a form that is missing", "translations: complete",
     po(PO_OPEN, PO_EMPTY, PO_CLOSE, PO_ITEMS + "msgstr[0] \"ein Objekt\"\n", more=True), "forms"),
    ("a lost directive", "translations: complete",
     po(PO_OPEN, PO_EMPTY, PO_CLOSE, PO_GOOD_ITEMS.replace("%u Obj", "%s Obj"), more=True),
     "directives"),
    ("a lost mnemonic", "translations: complete",
     po(PO_OPEN, PO_EMPTY, PO_CLOSE.replace("_Sch", "Sch"), PO_GOOD_ITEMS, more=True),
     "mnemonics"),
    ("a sentence that the app does not know", "translations: the engine",
     {"src/engine/hold-format.c": HEAD + "static const Reason reasons[] = {\n"
                                         "  { \"a\", EDITS, \"It is \" \"so\" },\n};\n"},
     "“It is so”"),
    ("a toast in English", "translations: literals",
     app_c("void f (void) { g (adw_toast_new (\"Hello there\")); }"), "“Hello there”"),
    ("a menu in English", "tools: interface files",
     {"src/app/window.ui": UI.replace("<object", "<menu><item><attribute name=\"label\">_Open"
                                                 "</attribute></item></menu><object")}, "_Open"),
    ("a permission that nobody explains", "flatpak: manifests",
     manifest("--share=ipc", "--socket=pulseaudio"), "not explained"),
    ("the whole home folder", "flatpak: manifests",
     manifest("--share=ipc", "--filesystem=home"), "may see"),
    ("a source without a checksum", "flatpak: manifests", manifest("0" * 64, ""), "sha256"),
    ("a Devel manifest of its own", "flatpak: manifests",
     {f"flatpak/{ID}.Devel.json": MANIFEST.replace("https://a", "https://b")}, "differs"),
    ("a manifest that is no JSON", "flatpak: manifests", {f"flatpak/{ID}.json": "{,"}, ".json"),
]
