#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""From window to window: what is cut in one archive and pasted in another is never unpacked to the
disk, and leaves the first only when the second has it.

$HOLDALL_TEST_ENTRIES says of how many entries the large move is (2000)."""

import os
import shutil
import subprocess
import time
import zipfile

import archives
import harness
from doors import names, select_all
from harness import check

ENTRIES = int(os.environ.get("HOLDALL_TEST_ENTRIES", "2000"))


def two_windows(app, first, second):
    app.start(first)
    app.wait_open()
    app.second_start(second)
    app.wait_open(window=2)


def raw_entries(path):
    """name → the packed bytes as they lie in the archive."""
    found = {}
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for info in archive.infolist():
            file.seek(info.header_offset + 26)
            lengths = file.read(4)
            file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"),
                      os.SEEK_CUR)
            found[info.filename] = (info.compress_type, info.CRC, file.read(info.compress_size))
    return found


def move_between(app, source, target, patience=None):
    """Cuts all in window 1 and pastes it in window 2; → seconds."""
    select_all(app)
    app.activate("cut")
    harness.wait_for("the cut", lambda: app.is_enabled("paste", 2))
    began = time.monotonic()
    app.activate("paste", window=2)
    harness.wait_for("the end of both", lambda: len(
        [job for job in app.jobs("update") if job["state"] == "done"]) == 2, patience)
    return time.monotonic() - began


def test_cut_between_windows(app):
    """ZIP to ZIP: not a byte is packed anew."""
    source = archives.make_streamed("small", app.path("from.zip"))
    target = archives.make_zip(app.path("to.zip"), {"there.txt": b"there"})
    before = raw_entries(source)
    two_windows(app, source, target)
    move_between(app, source, target)
    after = raw_entries(target)
    check({name: entry for name, entry in after.items() if name != "there.txt"} == before,
          "the packed bytes have changed")
    check(names(source) == [], f"left behind: {names(source)[:5]}")
    # What was moved is only there now.
    check(not app.is_enabled("undo", 2), "it could be undone out of existence")
    harness.wait_for("the source's undo", lambda: app.is_enabled("undo", 1))


def test_large_cut_between_windows(app):
    """Costs about what a copy of the archive costs. Both write to the disk in the end."""
    source = archives.make_streamed("large", app.path("from.zip"), "--entries", str(ENTRIES), "--bytes",
                                   str(ENTRIES * 13_500))
    before = raw_entries(source)
    copies, moves = [], []
    target = archives.make_zip(app.path("to.zip"), {"there.txt": b"there"})
    kept = app.path("kept.zip")
    shutil.copyfile(source, kept)
    two_windows(app, source, target)
    for number in range(3):
        began = time.monotonic()
        subprocess.run(["cp", kept, app.path("copy.zip")], check=True)
        subprocess.run(["sync", app.path("copy.zip")], check=True)
        copies.append(time.monotonic() - began)
        if number == 0:
            moves.append(move_between(app, source, target, 5 * harness.PATIENCE))
    after = raw_entries(target)
    check({name: entry for name, entry in after.items() if name != "there.txt"} == before,
          "the packed bytes have changed")
    check(names(source) == [], "something was left behind")
    copy = sorted(copies)[1]
    ratio = moves[0] / copy
    print(f"{ENTRIES} entries moved in {moves[0]:.2f} s, {ratio:.2f} times cp and sync")
    if not harness.SANITIZED and not harness.is_machine_busy():
        # A second for a test that asks over D-Bus now and then.
        check(moves[0] < 1 + 3 * copy, f"it took {ratio:.1f} times as long as cp and sync")


def test_cut_between_windows_partly(app):
    """A damaged entry stays, with its folder; the others go."""
    source = app.path("from.zip")
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("fine.txt", b"fine")
        archive.writestr("folder/also", b"also")
        archive.writestr("folder/broken", b"broken content")
    with open(source, "r+b") as file:
        data = file.read()
        file.seek(data.index(b"broken content"))
        file.write(b"BROKEN")
    target = app.path("to.tar")
    subprocess.run(["tar", "-C", app.folder, "-cf", target, "--files-from", "/dev/null"],
                   check=True)
    two_windows(app, source, target)
    select_all(app)
    app.activate("cut")
    harness.wait_for("the cut", lambda: app.is_enabled("paste", 2))
    app.activate("paste", window=2)
    harness.wait_for("the end of both", lambda: len(
        [job for job in app.jobs("update") if job["state"] in ("done", "failed")]) == 2)
    with zipfile.ZipFile(source) as archive:
        check(archive.namelist() == ["folder/broken"], f"the source has {archive.namelist()}")
    arrived = subprocess.run(["tar", "-tf", target], check=True, capture_output=True, text=True).stdout
    check(sorted(arrived.split()) == ["fine.txt", "folder/also"], f"the target has {arrived}")


if __name__ == "__main__":
    harness.main(globals())
