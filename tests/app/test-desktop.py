#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Holdall installed, made the default for ZIP in a fresh home, and called in each of the ways in
which a desktop and its file managers call it.

    build-aux/with-display tests/app/test-desktop.py PROGRAM BUILD_ROOT [TEST…]
"""

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

import archives
import desktop
import harness
from archives import make_zip, read_tree, sample_files
from harness import APP_ID, APP_PATH, check, run, wait_for

MANAGER_PATH = "/org/gnome/ArchiveManager1"
MANAGER = "org.gnome.ArchiveManager1"


def uri(path):
    return "file://" + path.replace(" ", "%20")


def make_samples(app):
    return (make_zip(app.path("sample.zip"), sample_files()),
            make_zip(app.path("second one.zip"), {"second.txt": b"2"}))


def check_both_open(app, first, second, call):
    """Calls for one file and then for another: two windows of one process, with the right rows."""
    call(first)
    # Asking it sooner would have the bus start another one.
    wait_for("the program to be there", app.pid)
    status = app.wait_open()
    check(status["archive"] == first, f"open is {status['archive']}")
    check("pictures" in status["first_rows"], f"the rows are {status['first_rows']}")
    pid = app.pid()
    call(second)
    status = app.wait_open(2)
    check(status["archive"] == second and status["first_rows"] == ["second.txt"],
          f"the second window shows {status}")
    check(app.pid() == pid, "a second process")


def test_gio_open(app):
    first, second = make_samples(app)
    if shutil.which("xdg-mime") is not None:
        app.command("xdg-mime", "default", APP_ID + ".desktop", "application/zip")
        check(app.command("xdg-mime", "query", "default", "application/zip").strip()
              == APP_ID + ".desktop", "not the default")
    else:
        app.command("gio", "mime", "application/zip", APP_ID + ".desktop")
    check_both_open(app, first, second, lambda path: app.command("gio", "open", path))


def test_gio_launch(app):
    first, second = make_samples(app)
    check_both_open(app, first, second,
                    lambda path: app.command("gio", "launch", app.desktop_file, path))


def test_gapplication_launch(app):
    first, second = make_samples(app)
    check_both_open(app, first, second,
                    lambda path: app.command("gapplication", "launch", APP_ID, path))


def test_dbus_open(app):
    first, second = make_samples(app)
    check_both_open(app, first, second, lambda path: app.command(
        "gdbus", "call", "--session", "--dest", APP_ID, "--object-path", APP_PATH, "--method",
        "org.freedesktop.Application.Open", f"['{uri(path)}']", "{}"))


def test_dbus_open_of_nothing(app):
    """What is no URI has no name either; the window says that there is nothing."""
    app.command("gdbus", "call", "--session", "--dest", APP_ID, "--object-path", APP_PATH,
                "--method", "org.freedesktop.Application.Open", "['nonsense']", "{}")
    app.wait_status("the error page", lambda s: s["page"] == "error")


def test_plain_command(app):
    """Names are relative to the folder of whoever calls."""
    first, second = make_samples(app)
    process = app.begin("sample.zip")
    app.wait_open()
    check(app.status()["archive"] == first, "another archive")
    os.mkdir(app.path("below"))
    app.command("holdall", "../" + os.path.basename(second), cwd=app.path("below"))
    app.wait_open(2)
    check(app.status(2)["archive"] == second, "another second archive")
    app.activate("quit", window=None)
    app.end(process)


def test_actions_of_the_desktop_file(app):
    app.command("gapplication", "action", APP_ID, "new-window")
    app.wait_for_windows(1)
    app.command("gapplication", "action", APP_ID, "new-archive")
    app.wait_dialog()
    app.key("Escape")
    app.wait_dialog_gone()
    listed = app.command("gapplication", "list-actions", APP_ID).split()
    with open(app.desktop_file, encoding="utf-8") as file:
        named = re.search(r"^Actions=(.*)$", file.read(), re.MULTILINE).group(1)
    for action in named.strip(";").split(";"):
        check(action in listed, f"no action {action}")


def make_several(app):
    """Archives of one item, of several, and of a folder: X04, X12."""
    os.mkdir(app.path("in"))
    make_zip(app.path("in", "one.zip"), {"alone.txt": b"1"})
    make_zip(app.path("in", "many.zip"), {"a.txt": b"a", "b.txt": b"b"})
    make_zip(app.path("in", "folder.zip"), {"top/": b"", "top/c.txt": b"c"})
    return ["in/one.zip", "in/many.zip", "in/folder.zip"]


EXTRACTED = {"alone.txt": b"1", "many/": b"", "many/a.txt": b"a", "many/b.txt": b"b", "top/": b"",
             "top/c.txt": b"c"}


def without_archives(folder):
    return {name: data for name, data in read_tree(folder).items() if not name.endswith(".zip")}


def test_extract_here(app):
    archives = make_several(app)
    app.end(app.begin("--extract-here", *archives))
    check(without_archives(app.path("in")) == EXTRACTED, f"there is {read_tree(app.path('in'))}")
    app.wait_gone()


def test_extract_to(app):
    archives = make_several(app)
    archives[1] = uri(app.path(archives[1]))
    app.end(app.begin("--extract-to", "out", *archives))
    check(read_tree(app.path("out")) == EXTRACTED, f"there is {read_tree(app.path('out'))}")
    app.wait_gone()


def test_extract_asks_about_what_exists(app):
    """X02; and whoever does not want it any more gets the status of that."""
    make_several(app)
    with open(app.path("in", "alone.txt"), "wb") as file:
        file.write(b"precious")
    process = app.begin("--extract-here", "in/one.zip")
    app.wait_dialog(0)
    time.sleep(1.5)  # after a second it would be there
    check(len(app.windows()) == 1, "the progress covers the question")
    app.key("Escape")
    app.end(process, 130)
    check(without_archives(app.path("in")) == {"alone.txt": b"precious"}, "something was written")


def test_extract_tells_what_is_wrong(app):
    """One that is no archive does not keep the others; alone it is told by name."""
    archives = make_several(app)
    with open(app.path("in", "bad.zip"), "wb") as file:
        file.write(b"nothing of the kind" * 10)
    process = app.begin("--extract-to", "out", archives[0], "in/bad.zip", archives[2])
    app.wait_dialog(0)
    app.key("Escape")
    words = app.end(process, 1)
    check("bad.zip: " in words, words)
    check(read_tree(app.path("out")) == {"alone.txt": b"1", "top/": b"", "top/c.txt": b"c"},
          "not the others")
    process = app.begin("--extract-here", "in/bad.zip")
    app.wait_dialog(0)
    title = run("xdotool", "getwindowfocus", "getwindowname").stdout
    app.key("Escape")
    app.end(process, 3)
    check("bad.zip" in title or title.strip() == "", f"the dialog is called {title}")
    app.wait_gone()


def test_extract_asks_for_a_folder(app):
    make_several(app)
    process = app.begin("--extract", "in/folder.zip")
    app.wait_dialog(0)
    app.key("Escape")
    app.end(process, 130)
    app.wait_gone()


def test_progress_window(app):
    """It comes for long work only, closing it lets the work go on, and cancelling leaves nothing."""
    make_zip(app.path("short.zip"), {"short.txt": b"s"})
    archives.make_big_stored_zip(app.path("long.zip"), "long.bin", 4095 << 20)
    seen = []
    start = time.monotonic()
    process = app.begin("--extract-here", "short.zip")
    while process.poll() is None:
        seen += app.windows()
    app.end(process)
    # It comes after a second of work; a busy machine may make short work long.
    check(seen == [] or time.monotonic() - start > 1, "a window for short work")

    process = app.begin("--extract-to", "out", "long.zip")
    window = wait_for("the progress window", app.windows)[0]
    check("long.zip" in run("xdotool", "getwindowname", window).stdout, "it does not say of what")
    app.focus(window)
    app.key("Escape")
    wait_for("the window to be hidden", lambda: not app.windows())
    check(process.poll() is None, "closing the window ended the work")
    # The list of jobs is on the bus, also without any window.
    for number in range(1, 4):
        run("gdbus", "call", "--session", "--dest", APP_ID, "--object-path", APP_PATH + "/jobs",
            "--method", "org.gtk.Actions.Activate", "cancel", f"[<uint32 {number}>]", "{}")
    app.end(process, 130)
    check(read_tree(app.path("out")) == {}, "something half-written is left")
    app.wait_gone()


def test_new(app):
    with open(app.path("letter.txt"), "wb") as file:
        file.write(b"Dear")
    process = app.begin("--new", "letter.txt")
    app.wait_dialog(0)
    app.key("Return")
    app.end(process)
    with zipfile.ZipFile(app.path("letter.zip")) as archive:
        check(archive.read("letter.txt") == b"Dear", "not the letter")
    process = app.begin("--new", "letter.txt")
    app.wait_dialog(0)
    app.key("Escape")
    app.end(process, 130)
    app.wait_gone()


def test_new_with_password(app):
    """Typed into the dialog; other programs know it as the strong kind. A format that cannot be
    encrypted has none, whatever was typed before."""
    for name, data in (("letter.txt", b"Dear" * 99), ("right", b"open sesame"), ("wrong", b"shut")):
        with open(app.path(name), "wb") as file:
            file.write(data)
    process = app.begin("--new", "letter.txt")
    app.wait_dialog(0)
    app.key("alt+p")
    app.type("open sesame")
    app.key("Return")
    app.end(process)
    with zipfile.ZipFile(app.path("letter.zip")) as archive:
        info = archive.infolist()[0]
    check(info.flag_bits & 1 == 1 and info.compress_type == 99, f"{info} is not encrypted by AES")
    for words, status in ((["--password-file", "right"], 0), (["--password-file", "wrong"], 4),
                          ([], 4)):
        answer = subprocess.run(["holdall-cli", "test", *words, "letter.zip"], cwd=app.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=harness.PATIENCE, check=False)
        check(answer.returncode == status, f"{words}: {answer.returncode}: {answer.stdout}")
    tool = shutil.which("7zz") or shutil.which("7z")
    if tool is not None:
        app.command(tool, "t", "-popen sesame", "letter.zip")
        answer = run(tool, "t", "-pshut", app.path("letter.zip"), patience=harness.PATIENCE)
        check(answer.returncode != 0, "another program reads it with a wrong password")

    process = app.begin("--new", "letter.txt")
    app.wait_dialog(0)
    app.key("alt+p")
    app.type("open sesame")
    app.key("alt+n", "ctrl+a")
    app.type("plain.tar.gz")
    app.key("Return")
    app.end(process)
    check(app.command("tar", "tzf", "plain.tar.gz").split() == ["letter.txt"], "not a plain one")
    app.wait_gone()


def test_add_to(app):
    """Into an archive that exists, with a question about a name that is taken; and into a new one."""
    make_zip(app.path("old.zip"), {"a.txt": b"old"})
    for name, data in (("a.txt", b"new"), ("b.txt", b"b")):
        with open(app.path(name), "wb") as file:
            file.write(data)
    process = app.begin("--add-to", "old.zip", "a.txt", "b.txt")
    app.wait_dialog(0)
    app.key("Return")  # keep both
    app.end(process)
    with zipfile.ZipFile(app.path("old.zip")) as archive:
        names = {name: archive.read(name) for name in archive.namelist()}
    check(names == {"a.txt": b"old", "a (2).txt": b"new", "b.txt": b"b"}, f"there is {names}")

    app.end(app.begin("--add-to", "made.tar.gz", "a.txt"))
    listed = app.command("tar", "tzf", "made.tar.gz").split()
    check(listed == ["a.txt"], f"there is {listed}")
    app.wait_gone()


def test_wrong_options(app):
    app.end(app.begin("--extract-here"), 2)
    app.end(app.begin("--extract-here", "--new", "a"), 2)
    check(app.pid() is None, "something runs")


def manager(method, *arguments):
    return run("gdbus", "call", "--session", "--dest", APP_ID, "--object-path", MANAGER_PATH,
               "--method", MANAGER + "." + method, *arguments, patience=harness.PATIENCE)


def whole_progress(monitor):
    """The fractions told so far, once the last of them is 1."""
    fractions = [float(value) for value in re.findall(r"double ([-\d.e+]+)\s", monitor.read())]
    return fractions if fractions and fractions[-1] == 1 else None


def test_manager_extracts_here(app):
    """The bus starts the program for the call, everybody hears of the progress."""
    archives = make_several(app)
    with harness.BusMonitor(MANAGER) as monitor:
        answer = manager("ExtractHere", uri(app.path(archives[1])), "false")
        check(answer.returncode == 0, answer.stderr)
        check(without_archives(app.path("in"))
              == {"many/": b"", "many/a.txt": b"a", "many/b.txt": b"b"}, "not there at the answer")
        # The monitor writes on its own time: the answer may be here before the last signal.
        fractions = wait_for("the last signal of the progress", lambda: whole_progress(monitor))
    check(fractions == sorted(fractions), f"the progress was {fractions}")
    check(app.windows() == [], "a window that was not asked for")


def test_manager_extracts_and_packs(app):
    archives = make_several(app)
    answer = manager("Extract", uri(app.path(archives[1])), uri(app.path("out")), "true")
    check(answer.returncode == 0, answer.stderr)
    check(read_tree(app.path("out")) == {"a.txt": b"a", "b.txt": b"b"}, "not what was asked for")

    answer = manager("AddToArchive", uri(app.path("added.zip")), f"['{uri(app.path('out'))}']", "true")
    check(answer.returncode == 0, answer.stderr)
    check(sorted(zipfile.ZipFile(app.path("added.zip")).namelist())
          == ["out/", "out/a.txt", "out/b.txt"], "not added")

    os.mkdir(app.path("place"))
    call = subprocess.Popen(
        ["gdbus", "call", "--session", "--dest", APP_ID, "--object-path", MANAGER_PATH, "--method",
         MANAGER + ".Compress", f"['{uri(app.path('out', 'a.txt'))}']", uri(app.path("place")), "true"],
        stdout=subprocess.DEVNULL)
    app.wait_dialog(0)
    app.key("Return")
    check(call.wait(harness.PATIENCE) == 0, "Compress failed")
    check(os.path.exists(app.path("place", "a.zip")), f"there is {read_tree(app.path('place'))}")


def test_manager_refuses(app):
    with open(app.path("bad.zip"), "wb") as file:
        file.write(b"nothing of the kind" * 10)
    answer = manager("ExtractHere", uri(app.path("bad.zip")), "false")
    check(answer.returncode != 0 and "not an archive" in answer.stderr, answer.stderr)
    answer = manager("ExtractHere", "", "false")
    check("InvalidArgs" in answer.stderr, answer.stderr)
    answer = manager("AddToArchive", uri(app.path("new.zip")), "@as []", "false")
    check("InvalidArgs" in answer.stderr, answer.stderr)
    # What is no URI, and files that are nowhere on this disk: no archive comes of that either.
    answer = manager("Extract", "nonsense", uri(app.folder), "false")
    check("nonsense" in answer.stderr, answer.stderr)
    answer = manager("AddToArchive", uri(app.path("new.zip")), "['http://example.org/a']", "false")
    check("has no path" in answer.stderr, answer.stderr)
    answer = manager("Compress", "['nonsense']", "", "false")
    check("has no path" in answer.stderr, answer.stderr)
    check(not os.path.exists(app.path("new.zip")), "an archive of nothing")


def test_manager_knows_types(_app):
    extract = manager("GetSupportedTypes", "extract").stdout
    create = manager("GetSupportedTypes", "create").stdout
    check("'mime-type': 'application/zip'" in create and "'default-extension': '.zip'" in create,
          create)
    check("application/vnd.rar" in extract and "application/vnd.rar" not in create, "RAR")
    check("InvalidArgs" in manager("GetSupportedTypes", "burn").stderr, "an action that is none")


def test_types(app):
    """A type that the shared database lacks is known, and is Holdall's."""
    with open(app.path("site.warc"), "wb") as file:
        file.write(b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n")
    words = app.command("gio", "info", "-a", "standard::content-type", "site.warc")
    check("application/warc" in words, words)
    check(APP_ID + ".desktop" in app.command("gio", "mime", "application/warc"), "not Holdall's")


def extract_by_menu(app, manager, *keys):
    """In a real file manager: select the archive, open the menu, choose "Extract Here"."""
    if shutil.which(manager[0]) is None:
        raise harness.Skip(f"{manager[0]} is not installed")
    make_several(app)
    os.unlink(app.path("in", "one.zip"))
    os.unlink(app.path("in", "folder.zip"))
    app.command("gio", "mime", "application/zip", APP_ID + ".desktop")
    env = {name: value for name, value in os.environ.items() if name != "G_DEBUG"}
    with open(app.path("log"), "wb") as log:
        process = subprocess.Popen([*manager, app.path("in")], env=env, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log)
    try:
        window = wait_for("the file manager", lambda: run(
            "xdotool", "search", "--onlyvisible", "--class", manager[0]).stdout.split())[-1]
        end = time.monotonic() + harness.PATIENCE
        # Until it has read the folder there is nothing to select.
        while not os.path.exists(app.path("in", "many", "b.txt")):
            check(time.monotonic() < end, f"nothing was extracted:\n{app.read_log()}")
            time.sleep(3)
            app.focus(window)
            # Nobody tells when its menu is there; what comes too soon is done again.
            for key in ("ctrl+a", "Menu", *keys):
                app.key(key)
                time.sleep(1)
            time.sleep(2)
            # Only now: it also ends the reading of the folder.
            app.key("Escape", "Escape")
        check(without_archives(app.path("in"))
              == {"many/": b"", "many/a.txt": b"a", "many/b.txt": b"b"}, "not what is in it")
    finally:
        process.kill()
        process.wait()


def test_menu_of_nemo(app):
    extract_by_menu(app, ["nemo", "--no-desktop"], "Down", "Down", "Down", "Return")


def test_menu_of_dolphin(app):
    extract_by_menu(app, ["dolphin"], "Up", "Up", "Right", "Return")


def test_thunar_script(app):
    """What Thunar's archive plugin runs."""
    archives = make_several(app)
    script = os.path.join(app.root, "libexec", "thunar-archive-plugin", APP_ID + ".tap")
    app.command(script, "extract-here", app.path("in"), archives[2])
    check(without_archives(app.path("in")) == {"top/": b"", "top/c.txt": b"c"}, "not extracted")


if __name__ == "__main__":
    if "HOLDALL_DESKTOP" not in os.environ:
        sys.exit(desktop.enter(os.path.abspath(__file__), *sys.argv[1:3], sys.argv[3:]))
    harness.App = desktop.Desktop
    harness.main(globals())
