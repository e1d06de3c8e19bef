#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Drags and cuts into real file managers, as far as they are installed.

$HOLDALL_TEST_RUNS says how often each drag into Thunar and PCManFM is done (3); each time the
program has been started anew, so that nothing is unpacked yet."""

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
import zipfile

import archives
import doors
import harness
from doors import (FIVE, FileManager, digest, drag, make_five, names, select, select_all,
                   wait_five)
from harness import check

RUNS = int(os.environ.get("HOLDALL_TEST_RUNS", "3"))


# Drags.


def drag_five(app, program, n_runs=1):
    """Five things: a file, a folder tree, a symlink, an odd name, an empty folder; all of them arrive
    (D04) and nothing else of the archive does (D05)."""
    path = make_five(app)
    before = digest(path)
    target = app.path("target")
    os.mkdir(target)
    with FileManager(app, program, target) as manager:
        for number in range(n_runs):
            if number > 0:
                app.stop()
                app.start(path)
                app.wait_open()
                manager.arrange()
            select(app, *FIVE)
            drag(app, "tool", manager.drop_point(), 1)
            wait_five(target)
            check(digest(path) == before, "the archive has changed")
            check(app.status()["selected"] == 5, "the selection was lost")
            for name in os.listdir(target):
                item = os.path.join(target, name)
                if os.path.isdir(item) and not os.path.islink(item):
                    shutil.rmtree(item)
                else:
                    os.unlink(item)
    print(f"{n_runs} drags into {program}")


def test_drag_into_thunar(app):
    drag_five(app, "thunar", RUNS)


def test_drag_into_pcmanfm(app):
    drag_five(app, "pcmanfm", RUNS)


def test_drag_into_nautilus(app):
    drag_five(app, "nautilus")


def test_drag_into_caja(app):
    drag_five(app, "caja")


def test_drag_into_nemo(app):
    drag_five(app, "nemo")


def test_drag_into_dolphin(app):
    """It tells where to, and the files are unpacked there."""
    drag_five(app, "dolphin")
    check(len(app.jobs("extract")) == 2, "it copied what lay in the cache folder")


def test_hovering_leaves_a_staging_that_is_used_again(app):
    """D08: over another program and away again; nothing arrives, and nothing is left but what the
    next drag takes."""
    path = make_five(app)
    before = digest(path)
    target = app.path("target")
    os.mkdir(target)
    with FileManager(app, "thunar", target) as manager:
        select(app, *FIVE)
        doors.hover(app, "tool", manager.drop_point(), 1)
        doors.cancel_drag(app)
        time.sleep(1)  # nothing is to happen
        check(not os.listdir(target), "something was dropped")
        check(len(doors.staged(app)) == 1, f"{doors.staged(app)}")
        drag(app, "tool", manager.drop_point(), 1)
        wait_five(target)
        check(len(app.jobs("extract")) == 1, "it was unpacked twice")
        check(digest(path) == before, "the archive has changed")


def test_drag_into_any_program(app):
    """D06: real files are there when the target reads them; with a document portal, which GTK
    prefers, single files go through that and folders beside it."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drop-target.py")
    gtk = subprocess.run(["/usr/bin/python3", "-c",
                          "import gi; gi.require_version('Gtk', '4.0')"],
                         stderr=subprocess.DEVNULL, check=False)
    if gtk.returncode != 0:
        raise harness.Skip("there is no GTK for Python")
    output = app.path("dropped")
    with doors.DocumentPortal():
        make_five(app)
        with FileManager(app, "/usr/bin/python3 " + script, output) as target:
            for number, (chosen, row) in enumerate(
                    [(["read me.txt", doors.ODD_NAME], "read me.txt"), (FIVE, "tool")], 1):
                select(app, *chosen)
                drag(app, row, target.drop_point(), number)
                harness.wait_for("the files", lambda: os.path.exists(output))
                with open(output, encoding="utf-8") as file:
                    dropped = {os.path.basename(path): n for path, n in json.load(file).items()}
                sizes = {"read me.txt": 300, doors.ODD_NAME: 300, "link": 300, "tool": None,
                         "empty": None}
                check(dropped == {name: sizes[name] for name in chosen}, f"{dropped}")
                os.unlink(output)


# Cuts.


class Renames:
    """Notes every renaming that the program does meanwhile."""

    def __init__(self, app):
        doors.need("strace")
        self.output = app.path("renames")
        self.process = subprocess.Popen(
            ["strace", "-f", "-qq", "-e", "trace=rename,renameat,renameat2", "-o", self.output,
             "-p", str(app.process.pid)], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def is_attached():
            check(self.process.poll() is None, "strace has ended")
            with open(f"/proc/{app.process.pid}/status", encoding="ascii",
                      errors="replace") as file:
                return "TracerPid:\t0" not in file.read()
        harness.wait_for("strace", is_attached)

    def count(self, name):
        with open(self.output, encoding="utf-8", errors="replace") as file:
            # A call during which another thread makes one is in two lines.
            return sum(f'{name}"' in line and ("= 0" in line or "<unfinished" in line)
                       for line in file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def start_small(app):
    """The streamed archive of 300 entries; returns its path and what is in it."""
    path = archives.make_streamed("small", app.path("ci.zip"))
    expected = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                expected[info.filename] = archive.read(info)
    app.start(path)
    app.wait_open()
    return path, expected


def files_of(target):
    return {name: data for name, data in archives.read_tree(target).items() if name[-1] != "/"}


def cut_paste(app, program, target=None):
    """All of it: it arrives, and the archive is rewritten once."""
    path, expected = start_small(app)
    if target is None:
        target = app.path("target")
        os.mkdir(target)
    with FileManager(app, program, target) as manager, Renames(app) as renames:
        select_all(app)
        app.activate("cut")
        app.wait_job("extract")
        manager.paste(lambda: files_of(target))
        app.wait_job("update", patience=3 * harness.PATIENCE)
        check(names(path) == [], f"still there: {names(path)[:5]}")
        tree = files_of(target)
        check(tree == expected, f"{len(tree)} of {len(expected)} files arrived")
        check(len(app.jobs("update")) == 1, "more than one rewrite")
        check(renames.count("ci.zip") == 1, f"{renames.count('ci.zip')} renamings of the archive")


def elsewhere(app):
    """A folder on another file system than the cache folder's."""
    if not os.path.isdir("/dev/shm") or os.stat("/dev/shm").st_dev == os.stat(app.folder).st_dev:
        raise harness.Skip("there is no other file system")
    return tempfile.TemporaryDirectory(prefix="holdall-", dir="/dev/shm")


def test_cut_into_thunar(app):
    cut_paste(app, "thunar")


def test_cut_into_thunar_elsewhere(app):
    """There nothing is renamed: file by file is copied and deleted."""
    with elsewhere(app) as target:
        cut_paste(app, "thunar", target)


def test_cut_into_pcmanfm(app):
    cut_paste(app, "pcmanfm")


def test_cut_into_pcmanfm_elsewhere(app):
    with elsewhere(app) as target:
        cut_paste(app, "pcmanfm", target)


def test_cut_into_nautilus(app):
    cut_paste(app, "nautilus")


def test_cut_into_caja(app):
    cut_paste(app, "caja")


def test_cut_into_nemo(app):
    cut_paste(app, "nemo")


def test_cut_into_dolphin(app):
    cut_paste(app, "dolphin")


def test_cut_takes_no_longer_than_twice_a_copy(app):
    """From the key to the last file, and for a cut to the archive without them."""
    path, expected = start_small(app)
    whole = app.path("whole.zip")
    shutil.copy(path, whole)
    target = app.path("target")
    os.mkdir(target)
    seconds = {"copy": [], "cut": []}
    was_busy = harness.is_machine_busy()
    with FileManager(app, "thunar", target) as manager:
        for number in range(3):
            for word in seconds:
                n_updates = len(app.jobs("update"))
                select_all(app)
                start = time.monotonic()
                app.activate(word)
                doors.wait_clipboard_ours(app, word.encode())
                manager.paste(lambda: files_of(target))
                harness.wait_for("the files", lambda: len(files_of(target)) == len(expected))
                if word == "cut":
                    app.wait_job("update", number=n_updates)
                seconds[word].append(time.monotonic() - start)
                check(files_of(target) == expected, "other files arrived")
                for name in os.listdir(target):
                    shutil.rmtree(os.path.join(target, name), ignore_errors=True)
                    if os.path.exists(os.path.join(target, name)):
                        os.unlink(os.path.join(target, name))
            shutil.copy(whole, app.path("new.zip"))
            os.rename(app.path("new.zip"), path)
            app.wait_status("the archive as it was", lambda s: s["rows"] > 0 and not s["busy"])
    copy, cut = (statistics.median(seconds[word]) for word in ("copy", "cut"))
    print(f"copy {copy:.2f} s, cut {cut:.2f} s: {cut / copy:.2f} x; {seconds}")
    if not was_busy and not harness.is_machine_busy() and not harness.SANITIZED:
        check(cut < 2.5 * copy, f"a cut takes {cut / copy:.1f} times as long as a copy")


if __name__ == "__main__":
    harness.main(globals())
