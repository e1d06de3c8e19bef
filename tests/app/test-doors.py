#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What other programs get: dragged, copied, cut; and when the archive lets go of what was cut.

The file managers are the real ones where they are installed. Elsewhere this script does what they
do: it reads the clipboard and renames, copies or deletes the files."""

import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
import time
import urllib.parse
import zipfile

import harness
from harness import check, to_gvariant

ODD_NAME = "50% of it\nnew line.txt"
FIVE = ["empty", "link", "read me.txt", "tool", ODD_NAME]


def make_five(app):
    """A file, a folder tree, a symlink, an odd name, an empty folder; and something else."""
    path = app.path("five.zip")
    files = {"read me.txt": b"Hello\n" * 50, "empty/": b"", ODD_NAME: b"odd" * 100,
             "tool/lib/part.c": b"int x;\n" * 400, "tool/Makefile": b"all:\n",
             "other.txt": b"stays"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2021, 6, 2, 10, 11, 12))
            info.create_system = 3
            mode = stat.S_IFDIR | 0o755 if name.endswith("/") else stat.S_IFREG | 0o644
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
        info = zipfile.ZipInfo("link", (2021, 6, 2, 10, 11, 12))
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "read me.txt")
    app.start(path)
    app.wait_open()
    return path


def five_as_tree():
    return {"read me.txt": b"Hello\n" * 50, "empty/": b"", ODD_NAME: b"odd" * 100, "tool/": b"",
            "tool/lib/": b"", "tool/lib/part.c": b"int x;\n" * 400, "tool/Makefile": b"all:\n",
            "link": b"Hello\n" * 50}


def check_five(folder):
    tree = harness.read_tree(folder)
    check(tree == five_as_tree(), f"arrived: {sorted(tree)}")
    check(os.readlink(os.path.join(folder, "link")) == "read me.txt", "the link is none any more")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def names(path):
    check(subprocess.run(["unzip", "-tqq", path], stdout=subprocess.DEVNULL, check=False).returncode
          in (0, 1), "unzip finds a fault in the archive")
    with zipfile.ZipFile(path) as archive:
        return sorted(archive.namelist())


def select(app, *paths):
    app.activate("select", "[" + ", ".join(to_gvariant(path) for path in paths) + "]")
    app.wait_status("the selection", lambda s: s["selected"] == len(paths))


def select_all(app):
    app.activate("select-all")
    return app.wait_status("the selection", lambda s: s["selected"] == s["rows"])["selected"]


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise harness.Skip(f"{program} is not installed")


def read_clipboard(target):
    """The bytes that another program gets."""
    need("xclip")
    return subprocess.run(["xclip", "-selection", "clipboard", "-o", "-t", target], timeout=20,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def to_paths(data):
    lines = data.decode("ascii").replace("\r\n", "\n").split("\n")
    return [urllib.parse.unquote(line[len("file://"):]) for line in lines
            if line.startswith("file://")]


def wait_clipboard_ours(app, word):
    data = harness.wait_for("the clipboard",
                            lambda: read_clipboard("x-special/gnome-copied-files"))
    check(data.startswith(word + b"\nfile://"), f"the clipboard holds {data[:60]}")
    return to_paths(data)


def staged(app):
    """What lies in the cache folder."""
    root = app.path("cache", "holdall", "staging")
    return sorted(os.listdir(root)) if os.path.isdir(root) else []


def is_clipboard_empty():
    return not read_clipboard("x-special/gnome-copied-files")


# The exact words.


def test_formats(app):
    path = make_five(app)
    before = digest(path)
    select(app, *FIVE)
    app.activate("copy")
    gnome = harness.wait_for("the clipboard",
                             lambda: read_clipboard("x-special/gnome-copied-files"))
    lines = gnome.split(b"\n")
    check(lines[0] == b"copy" and len(lines) == 6 and lines[-1] != b"", f"{gnome}")
    check(all(line.startswith(b"file:///") for line in lines[1:]), f"{gnome}")
    check(any(line.endswith(b"/50%25%20of%20it%0Anew%20line.txt") for line in lines), f"{gnome}")
    check(read_clipboard("x-special/mate-copied-files") == gnome, "Caja gets something else")
    check(read_clipboard("text/uri-list") == b"\r\n".join(lines[1:]) + b"\r\n", "text/uri-list")
    check(read_clipboard("application/x-kde-cutselection") == b"0", "KDE takes the copy for a cut")
    targets = read_clipboard("TARGETS").decode().split()
    check("text/plain" not in targets and "UTF8_STRING" not in targets
          and "application/vnd.portal.filetransfer" not in targets, f"too much: {targets}")
    folder = os.path.dirname(to_paths(gnome)[0])
    check_five(folder)
    check(stat.S_IMODE(os.stat(os.path.dirname(folder)).st_mode) == 0o700, "others can look in")

    app.activate("cut")
    harness.wait_for("the cut",
                     lambda: read_clipboard("x-special/gnome-copied-files")[:4] == b"cut\n")
    check(read_clipboard("application/x-kde-cutselection") == b"1", "KDE does not see the cut")
    time.sleep(0.3)
    check(len(app.jobs("extract")) == 2, f"one for each, however many ask: {app.jobs('extract')}")
    check(digest(path) == before, "the archive was touched")


def test_copy_relative_to_folder(app):
    """Inside a folder its entries come without it in front."""
    make_five(app)
    app.activate_string("go-to", "tool")
    app.wait_status("the folder",
                    lambda s: s["folder"] == "tool" and s["rows"] == 2 and not s["busy"])
    select(app, "tool/lib", "tool/Makefile")
    app.activate("copy")
    paths = wait_clipboard_ours(app, b"copy")
    tree = harness.read_tree(os.path.dirname(paths[0]))
    check(sorted(tree) == ["Makefile", "lib/", "lib/part.c"], f"{sorted(tree)}")


def test_second_copy_is_instant(app):
    make_five(app)
    select(app, "read me.txt", "tool")
    app.activate("copy")
    first = wait_clipboard_ours(app, b"copy")
    app.activate("copy")
    check(wait_clipboard_ours(app, b"copy") == first, "it was unpacked again")
    check(len(app.jobs("extract")) == 1, f"{app.jobs('extract')}")


def test_quit_leaves_nothing(app):
    """Nobody has read it: it goes with the program, which does not wait for a clipboard manager."""
    make_five(app)
    select(app, "read me.txt", "tool")
    app.activate("cut")
    app.wait_job("extract")
    check(len(staged(app)) == 1, f"{staged(app)}")
    start = time.monotonic()
    app.stop()
    check(time.monotonic() - start < 8, "quitting waits for something")
    check(not staged(app), f"left behind: {staged(app)}")


# A cut, and what becomes of it.


def cut(app, *paths):
    select(app, *paths)
    app.activate("cut")
    return wait_clipboard_ours(app, b"cut")


def wait_gone(app, path, *gone):
    app.wait_job("update")
    app.wait_status("rest", lambda s: not s["busy"])
    check(not set(gone) & set(names(path)), f"still there: {names(path)}")


def check_kept(app, path, before, seconds=4.0):
    """Longer than the guard waits."""
    time.sleep(seconds)
    check(not app.jobs("update"), f"{app.jobs('update')}")
    check(digest(path) == before, "the archive has changed")


def test_cut_moved(app):
    """What a file manager does on the same file system; then the way back."""
    path = make_five(app)
    before = digest(path)
    target = app.path("target")
    os.mkdir(target)
    for source in cut(app, *FIVE):
        os.rename(source, os.path.join(target, os.path.basename(source)))
    app.wait_job("update")
    check(names(path) == ["other.txt"], f"{names(path)}")
    check_five(target)
    check(is_clipboard_empty(), "the clipboard still offers the cut")
    check(len(app.jobs("update")) == 1, "more than one rewrite")
    app.wait_status("the rows", lambda s: s["first_rows"] == ["other.txt"])
    harness.wait_for("undo", lambda: app.is_enabled("undo"))
    app.activate("undo")
    app.wait_job("restore")
    check(digest(path) == before, "undo did not bring it back")


def test_cut_copied_and_deleted(app):
    """To another file system: file by file, and the empty folders last."""
    path = make_five(app)
    target = app.path("target")
    os.mkdir(target)
    for source in cut(app, "read me.txt", "tool"):
        copy = os.path.join(target, os.path.basename(source))
        if os.path.isdir(source):
            shutil.copytree(source, copy)
            shutil.rmtree(source)
        else:
            shutil.copy(source, copy)
            os.unlink(source)
    wait_gone(app, path, "read me.txt", "tool/Makefile", "tool/lib/part.c")
    check("other.txt" in names(path) and "empty/" in names(path), f"too much went: {names(path)}")


def test_cut_deleted_unread(app):
    """A cleaning program is no paste."""
    path = make_five(app)
    before = digest(path)
    for source in cut(app, "read me.txt", "tool"):
        if os.path.isdir(source):
            subprocess.run(["rm", "-rf", source], check=True)
        else:
            os.unlink(source)
    check_kept(app, path, before)


def test_cut_partly_moved(app):
    """One of two was skipped: the archive keeps both unless somebody says otherwise."""
    path = make_five(app)
    before = digest(path)
    sources = cut(app, "read me.txt", "other.txt")
    os.rename(sources[0], app.path("moved"))
    check_kept(app, path, before)
    os.rename(sources[1], app.path("moved too"))
    wait_gone(app, path, "read me.txt", "other.txt")


def test_cut_partly_moved_and_confirmed(app):
    """The question in the toast: what has arrived goes, and only that."""
    path = make_five(app)
    sources = cut(app, "read me.txt", "other.txt")
    moved = [s for s in sources if s.endswith("/other.txt")][0]
    os.rename(moved, app.path("moved"))
    time.sleep(3.5)
    check(not app.jobs("update"), "it did not ask")
    left, top, width, height = app.geometry(app.windows()[-1])
    for offset in range(20, 180, 15):
        app.click(left + width // 2 + offset, top + height - 52)
        if app.jobs("update"):
            break
        time.sleep(0.3)
    wait_gone(app, path, "other.txt")
    check("read me.txt" in names(path), "what had not arrived is gone, too")


def test_cut_undone_in_time(app):
    """Ctrl+Z in the file manager puts it back: it stays in the archive."""
    path = make_five(app)
    before = digest(path)
    source = cut(app, "read me.txt")[0]
    os.rename(source, app.path("moved"))
    time.sleep(0.3)
    os.rename(app.path("moved"), source)
    check_kept(app, path, before)


def test_cut_ended_by_escape(app):
    path = make_five(app)
    before = digest(path)
    source = cut(app, "read me.txt")[0]
    app.activate("end-cut")
    harness.wait_for("the clipboard to be empty", is_clipboard_empty)
    # It had been read, so it is still there for whoever is slow; moving it proves nothing now.
    if os.path.exists(source):
        os.rename(source, app.path("moved"))
    check_kept(app, path, before)


def test_cut_archive_changed_meanwhile(app):
    path = make_five(app)
    source = cut(app, "read me.txt")[0]
    select(app, "empty")
    app.activate("delete")
    app.wait_job("update")
    os.rename(source, app.path("moved"))
    time.sleep(4)
    check(len(app.jobs("update")) == 1, "an archive that has changed was changed again")
    check("read me.txt" in names(path), "an entry was removed by an old index")


def test_window_closed_after_paste(app):
    """Pasted and closed at once: what has arrived still leaves the archive."""
    path = make_five(app)
    source = cut(app, "read me.txt")[0]
    os.rename(source, app.path("moved"))
    app.stop()
    check("read me.txt" not in names(path) and "other.txt" in names(path), f"{names(path)}")


def test_later_undo_finds_no_folder(app):
    """After the archive has let go, an undo of the file manager must fail, or it would put the only
    copy into a folder that is cleaned."""
    path = make_five(app)
    source = cut(app, "read me.txt")[0]
    os.rename(source, app.path("moved"))
    wait_gone(app, path, "read me.txt")
    try:
        os.rename(app.path("moved"), source)
        moved_back = True
    except NotADirectoryError:
        moved_back = False
    check(not moved_back and os.path.exists(app.path("moved")), "it went back into the staging")


# Real file managers.


class FileManager:
    def __init__(self, app, program, folder):
        need(program, "xdotool")
        self.app = app
        self.program = program
        env = app.environment()
        # Warnings of others are theirs.
        for name in ("G_DEBUG", "G_SLICE", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            env.pop(name, None)
        self.process = subprocess.Popen([program, folder], env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.window = harness.wait_for(program, self.find_window, 40)
        time.sleep(1.0)
        left = harness.wait_for("the window", app.windows)[0]
        for window, x, width in ((left, 0, 620), (self.window, 640, 620)):
            harness.run("xdotool", "windowsize", "--sync", window, str(width), "600")
            harness.run("xdotool", "windowmove", "--sync", window, str(x), "30")
        time.sleep(0.5)

    def find_window(self):
        found = harness.run("xdotool", "search", "--onlyvisible", "--class", self.program).stdout
        return found.split()[-1] if found.split() else None

    def drop_point(self):
        x, y, width, height = self.app.geometry(self.window)
        return x + width * 2 // 3, y + height * 3 // 4

    def paste(self):
        x, y = self.drop_point()
        harness.run("xdotool", "windowactivate", "--sync", self.window)
        self.app.click(x, y)
        time.sleep(0.3)
        self.app.key("ctrl+v")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def row_centre(app, path):
    window = harness.wait_for("the window", app.windows)[0]
    app.activate_string("row-geometry", path)

    def ask():
        state = app.describe("row-geometry")[1]
        numbers = [int(word) for word in state.strip("<()>").split(",")]
        return numbers if len(numbers) == 4 and numbers[2] > 0 else None

    x, y, _width, height = harness.wait_for(f"the row of {path}", ask)
    left, top = app.geometry(window)[:2]
    return left + x + 60, top + y + height // 2


def drag(app, path, target, n_jobs):
    """As a hand does it: programs that are not told that the pointer moves do not look."""
    x, y = row_centre(app, path)
    harness.run("xdotool", "mousemove", str(x), str(y), "sleep", "0.15", "mousedown", "1",
                "sleep", "0.1", *["mousemove_relative", "6", "2", "sleep", "0.05"] * 3,
                "sleep", "0.15")
    for step in range(1, 11):
        harness.run("xdotool", "mousemove", str(x + (target[0] - x) * step // 10),
                    str(y + (target[1] - y) * step // 10), "sleep", "0.04")
    end = time.monotonic() + harness.PATIENCE
    n_after = 0
    while n_after < 15 and time.monotonic() < end:
        n_done = len([job for job in app.jobs("extract") if job["state"] == "done"])
        n_after += 1 if n_done >= n_jobs else 0
        for i in range(3):
            harness.run("xdotool", "mousemove", str(target[0] + i % 3), str(target[1] + i % 2),
                        "sleep", "0.05")
    harness.run("xdotool", "mouseup", "1")


def drag_five(app, program):
    path = make_five(app)
    before = digest(path)
    target = app.path("target")
    os.mkdir(target)
    with FileManager(app, program, target) as manager:
        select(app, *FIVE)
        drag(app, "tool", manager.drop_point(), 1)
        harness.wait_for("the files", lambda: len(harness.read_tree(target)) >= 8)
        time.sleep(1)
        check_five(target)
        check(digest(path) == before, "the archive has changed")
        check(app.status()["selected"] == 5, "the selection was lost")


def cut_paste(app, program, target=None):
    path = harness.make_streamed("small", app.path("ci.zip"))
    app.start(path)
    app.wait_open()
    expected = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                expected[info.filename] = archive.read(info)
    if target is None:
        target = app.path("target")
        os.mkdir(target)
    with FileManager(app, program, target) as manager:
        select_all(app)
        app.activate("cut")
        app.wait_job("extract")
        time.sleep(0.5)
        manager.paste()
        app.wait_job("update", patience=3 * harness.PATIENCE)
        check(names(path) == [], f"still there: {names(path)[:5]}")
        tree = {name: data for name, data in harness.read_tree(target).items() if name[-1] != "/"}
        check(tree == expected, f"{len(tree)} of {len(expected)} files arrived")
        check(len(app.jobs("update")) == 1, "more than one rewrite")


def test_drag_into_thunar(app):
    drag_five(app, "thunar")


def test_drag_into_pcmanfm(app):
    drag_five(app, "pcmanfm")


def test_cut_into_thunar(app):
    cut_paste(app, "thunar")


def test_cut_into_pcmanfm(app):
    cut_paste(app, "pcmanfm")


def test_cut_to_another_file_system(app):
    """There nothing is renamed: file by file is copied and deleted."""
    if not os.path.isdir("/dev/shm") or os.stat("/dev/shm").st_dev == os.stat(app.folder).st_dev:
        raise harness.Skip("there is no other file system")
    with tempfile.TemporaryDirectory(prefix="holdall-", dir="/dev/shm") as target:
        cut_paste(app, "thunar", target)


def test_drag_cancelled(app):
    """A target that says where to; then Escape. Nothing is left at the end."""
    path = make_five(app)
    before = digest(path)
    select(app, "read me.txt", "tool")
    x, y = row_centre(app, "tool")
    harness.run("xdotool", "mousemove", str(x), str(y), "sleep", "0.15", "mousedown", "1", "sleep",
                "0.1", *["mousemove_relative", "6", "2", "sleep", "0.05"] * 3, "sleep", "0.3")
    # What Dolphin does when something is dropped on it.
    target = app.path("target")
    os.mkdir(target)
    result = harness.run("gdbus", "call", "--session", "--dest", harness.APP_ID, "--object-path",
                         harness.APP_PATH + "/drag/1", "--method",
                         "org.kde.ark.DndExtract.extractSelectedFilesTo", target)
    app.key("Escape")
    harness.run("xdotool", "mouseup", "1")
    check(result.returncode == 0, result.stderr)
    tree = harness.wait_for("all of them", lambda: len(harness.read_tree(target)) == 5
                            and harness.read_tree(target))
    check(tree["tool/Makefile"] == b"all:\n", "other content")
    check(app.status()["selected"] == 2, "the selection was lost")
    app.stop()
    check(digest(path) == before and not staged(app), f"left behind: {staged(app)}")


if __name__ == "__main__":
    harness.main(globals())
