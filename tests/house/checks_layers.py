# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Who may include whom. Bytes know records, records know archives, archives know jobs, jobs know
nobody; the app and the command line ask. Each check yields complaints; none is good."""

import re

from tree import line_of

LIBC = re.compile(
    r"^((sys|linux|arpa|netinet|asm)/[a-z0-9_./-]+|assert|ctype|dirent|dlfcn|errno|fcntl|fenv|float"
    r"|fnmatch|fts|ftw|getopt|grp|inttypes|langinfo|limits|locale|math|poll|pthread|pwd|sched|setjmp|signal|spawn"
    r"|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|termios|time|unistd|utime"
    r"|wchar|wctype)\.h$")
GLIB = re.compile(r"^(glib\.h|glib-object\.h|glib-unix\.h|glib/.*\.h|gio/.*\.h|gmodule\.h)$")
GETTEXT = re.compile(r"^(libintl\.h|glib/gi18n(-lib)?\.h)$")
TOOLKIT = re.compile(r"^(gtk/|gdk/|gsk/|graphene|pango/|adwaita\.h|gdk-pixbuf/|cairo)")
GTK_PARTS = re.compile(r"^(gtk/.*|gdk/.*|gsk/.*|adwaita|pango/.*|cairo|graphene|gdk-pixbuf/.*)\.h$")

# Patterns against code without comments and literals: what a layer never does.
ENGINE_NEVER = {
    r"\b(printf|puts|putchar|g_print)\s*\(|\bstdout\b": "writes to standard output",
    r"(?<![A-Za-z0-9_])(_|N_|C_|NC_|Q_)\s*\(\s*\"\"|\b(g_)?(d|n|dn)?gettext\s*\(":
        "translates: words for people are made in the app",
    r"\bf?chdir\s*\(|\bg_chdir\s*\(": "changes the working directory of the whole process",
    r"\bumask\s*\(|\bsetenv\s*\(|\bg_setenv\s*\(|\bsetlocale\s*\(": "changes the whole process",
    r"\bGSettings\b|\bg_settings_": "reads settings: what it needs is in the request",
    r"\b(gtk|gdk|adw)_[a-z]|\b(Gtk|Gdk|Adw)[A-Z]": "knows the toolkit",
}
ZIP_NEVER = {
    r"\bg_thread_|\bGThread|\bpthread_|\bg_mutex_|\bGMutex\b|\bg_task_": "knows threads",
    r"\bg_main_|\bGMain|\bg_idle_add|\bg_timeout_add": "knows a main loop",
    r"\b[Hh]old_?[A-Z_a-z]+\s*\(|\bHold[A-Z]": "knows the engine",
}
MIME_LITERAL = re.compile(
    r"\"application/(zip|gzip|zstd|x-tar|vnd\.rar|java-archive|x-[a-z0-9.+-]*"
    r"(compress|zip|7z|rar|tar|archive|cpio|lha|lzma|xz|iso9660|cab)[a-z0-9.+-]*)\"")


# The rooms of the app, from those that know nobody up to those that know all below them. Rooms on
# one floor may know each other.
APP_FLOORS = [("text", "desktop"), ("dialogs",), ("jobs",), ("exchange",), ("browser",),
              ("window", "opened", "errands", "")]


def base(name):
    return name.rpartition("/")[2]


def own_names(tree, folder):
    return {base(path) for path in tree.files(folder, ".h")}


def complaints_zip(tree):
    own = own_names(tree, "src/zip/")
    for path in tree.files("src/zip/", ".c", ".h"):
        for line, _, name in tree.includes(path):
            if GETTEXT.match(name) or name == "pthread.h":
                yield f"{path}:{line}: zip may not include {name}"
            elif not (base(name) in own or name in ("config.h", "zlib.h", "libdeflate.h")
                      or LIBC.match(name) or GLIB.match(name)):
                yield f"{path}:{line}: zip may not include {name}"
        yield from patterns(tree, path, ZIP_NEVER)
        yield from patterns(tree, path, ENGINE_NEVER)


def complaints_engine(tree):
    own = own_names(tree, "src/engine/")
    for path in tree.files("src/engine/", ".c", ".h"):
        file = base(path)
        for line, _, name in tree.includes(path):
            if name.startswith("archive") and name in ("archive.h", "archive_entry.h"):
                if "libarchive" not in file:
                    yield f"{path}:{line}: {name} belongs into hold-*libarchive* only"
            elif base(name).startswith("zip-"):
                if not file.startswith("hold-backend-zip"):
                    yield f"{path}:{line}: {name} belongs into hold-backend-zip* only"
            elif GETTEXT.match(name) or TOOLKIT.match(name):
                yield f"{path}:{line}: the engine may not include {name}"
            elif not (base(name) in own or name in ("config.h", "uchardet/uchardet.h", "uchardet.h")
                      or LIBC.match(name) or GLIB.match(name)):
                yield f"{path}:{line}: the engine may not include {name}"
            yield from inner_order(path, line, base(name))
        yield from patterns(tree, path, ENGINE_NEVER)


def inner_order(path, line, name):
    """Within the engine: jobs know backends and disk, which know neither jobs nor each other."""
    if "/backends/" in path and re.match(r"hold-(job|scheduler|progress|question|disk)", name):
        yield f"{path}:{line}: a backend knows no jobs, progress, questions and disk ({name})"
    if "/disk/" in path and re.match(r"hold-(job|scheduler|backend)", name):
        yield f"{path}:{line}: the disk part knows no jobs and no backends ({name})"


def complaints_front(tree):
    """cli and app: the engine by <hold.h> alone, and never each other."""
    for folder, prefix in (("src/cli/", "cli-"), ("src/app/", "holdall-")):
        for path in tree.files(folder, ".c", ".h"):
            for line, quote, name in tree.includes(path):
                fine = ((quote == "\"" and name.startswith(prefix)) or name == "config.h"
                        or (quote == "<" and name == "hold.h") or LIBC.match(name)
                        or GLIB.match(name))
                if folder == "src/app/":
                    fine = fine or GTK_PARTS.match(name) or name == "gdk/x11/gdkx.h"
                    fine = fine or ("holdall-x11-" in path and name == "X11/extensions/XInput2.h")
                if not fine:
                    yield f"{path}:{line}: {folder[4:-1]} may not include {name}"
            for match in MIME_LITERAL.finditer(tree.text(path)):
                yield (f"{path}:{line_of(tree.text(path), match.start())}: {match.group(0)}: "
                       "types of archives come from the engine's table")


def complaints_rooms(tree):
    """Within the app: a room includes from its own floor and from those below."""
    floors = {room: floor for floor, rooms in enumerate(APP_FLOORS) for room in rooms}
    paths = list(tree.files("src/app/", ".c", ".h"))
    rooms = {base(path): path[len("src/app/"):].rpartition("/")[0] for path in paths}
    for path in paths:
        room = rooms[base(path)]
        if room not in floors:
            yield f"{path}: APP_FLOORS does not say what {room}/ may include"
            continue
        for line, _quote, name in tree.includes(path):
            other = rooms.get(name, room)
            if floors.get(other, 0) > floors[room]:
                yield f"{path}:{line}: {room}/ lies below {other or 'app'}/ ({name})"


def complaints_guards(tree):
    """Headers of a layer refuse to be included from outside it."""
    for path in tree.files("src/", ".h"):
        if path.startswith(("src/zip/", "src/engine/")) and base(path) != "hold.h":
            if not re.search(r"^\s*#\s*error\b", tree.text(path), re.MULTILINE):
                yield f"{path}: has no #error for those who may not include it"
        if "#pragma once" not in tree.text(path):
            yield f"{path}: has no #pragma once"


def patterns(tree, path, never):
    code = tree.code(path)
    for pattern, why in never.items():
        for match in re.finditer(pattern, code):
            yield f"{path}:{line_of(code, match.start())}: {match.group(0).strip()}: {why}"


# Calls that wait for a disk: on the main thread a dead mount would freeze the window with them. Pure
# reckoning with paths is not among them, nor what libraries do by themselves.
DISK_CALL = re.compile(
    r"(?<![\w.>])(g_file_(test|query_(exists|info|file_type|filesystem_info)|get_contents|set_contents"
    r"|load_contents|replace_contents|enumerate_children|read|replace|create|append_to|copy|move|delete|trash"
    r"|make_directory(_with_parents)?|find_enclosing_mount|measure_disk_usage|read_link|set_attribute\w*)"
    r"|g_(stat|lstat|access|open|fopen|unlink|remove|rmdir|mkdir|mkdir_with_parents|rename|creat"
    r"|dir_open|chmod|utime|mapped_file_new|key_file_load_from_file)"
    r"|f?access|faccessat|l?stat|fstatat|statx|statv?fs|open|openat|creat|fopen|opendir|realpath"
    r"|readlink(at)?|rename(at)?|unlink(at)?|mkdir(at)?|rmdir|link(at)?|symlink(at)?|chmod|chown"
    r"|truncate|utimensat|l?getxattr)\s*\(")

# Where they may stand: in threads, or on our own files.
DISK_FILES = {
    "src/app/desktop/holdall-file-ask.c": "asks in a thread",
    "src/app/desktop/holdall-launch.c": "our private copy",
    "src/app/desktop/holdall-portal.c": "the document portal's own folder, and a thread",
    "src/app/desktop/holdall-preview-load.c": "loads in a thread",
    "src/app/exchange/holdall-remote.c": "our private copy, in a thread",
    "src/app/exchange/holdall-offer.c": "our staging",
    "src/app/opened/holdall-copy.c": "our private copy",
    "src/app/opened/holdall-opened-entry.c": "our private copy",
    "src/app/window/holdall-window-opened.c": "saves in a thread",
}


def complaints_disk(tree):
    """The app's main thread asks no disk."""
    for path in tree.files("src/app/", ".c", ".h"):
        if path in DISK_FILES:
            continue
        code = tree.code(path)
        for match in DISK_CALL.finditer(code):
            yield (f"{path}:{line_of(code, match.start())}: {match.group(1)}() waits for a disk: "
                   "ask in a thread (holdall-file-ask), or say in DISK_FILES whose file it is")
