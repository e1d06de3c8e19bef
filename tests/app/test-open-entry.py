#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Opening entries in other programs: which program, which copy, what comes back from there, and when
the copy goes."""

import os
import stat
import struct
import subprocess
import sys
import time
import zipfile

import archives
import harness
from harness import check
from opened import (TEXT, content, install_program, leftovers, noted, open_entry, replace, select,
                    staging, start, update, wait_end, wait_no_question, wait_question,
                    write)


def test_private_copy(app):
    """O03: only its owner may look; removed when the window closes. Nothing else is unpacked."""
    _, notes = start(app)
    copy = open_entry(app, "folder/c.txt", notes)
    check(copy.startswith(staging(app) + "/"), f"the copy lies at {copy}")
    with open(copy, "rb") as file:
        check(file.read() == TEXT["folder/c.txt"], "it has another content")
    check(stat.S_IMODE(os.stat(copy).st_mode) == 0o600, "the file is open to others")
    folder = os.path.dirname(os.path.dirname(copy))
    check(stat.S_IMODE(os.stat(folder).st_mode) == 0o700, "the folder is open to others")
    check(leftovers(app) == [copy], f"{leftovers(app)}")
    check(app.status()["opened_question"] is None, "it asks without a reason")
    check(open_entry(app, "folder/c.txt", notes, number=2) == copy, "the copy is made anew")
    app.activate("close")
    wait_end(app)
    check(os.listdir(staging(app)) == [], f"left: {leftovers(app)}")


def test_save_asks_once_and_updates(app):
    """O02, O07: 20 flushes are one question; the entry is replaced, undo brings the old one back."""
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    last, longest = time.monotonic(), 0
    with open(copy, "wb") as file:
        for number in range(20):
            file.write(b"line %d\n" % number)
            file.flush()
            now = time.monotonic()
            last, longest = now, max(longest, now - last)
            time.sleep(0.02)
        asked = app.status()["opened_question"]
    longest = max(longest, time.monotonic() - last)
    # It asks when nothing was written for a second, which on a slow machine may be in between.
    check(asked is None or longest > 0.9, "it asked while the file was written")
    question = wait_question(app, "a.txt", "ci.zip")
    time.sleep(1.5)  # nothing is to happen
    check(app.status()["opened_question"] == question, "the question changed by itself")
    update(app)
    after = content(path)
    check(after["a.txt"].endswith(b"line 19\n") and after["b.txt"] == TEXT["b.txt"], f"{after}")
    check(list(after) == list(TEXT), f"the order changed: {list(after)}")
    time.sleep(1.5)  # longer than a file is let rest before it is asked about
    check(app.status()["opened_question"] is None, "it asks again although nothing has changed")
    app.activate("undo")
    app.wait_job("restore")
    check(content(path) == TEXT, "undo did not bring the old content back")


def test_saved_by_rename_twice(app):
    """O07: editors put a new file in the place; each save is a question of its own."""
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    replace(copy, b"first\n")
    wait_question(app, "a.txt")
    update(app)
    check(content(path)["a.txt"] == b"first\n", "the first save is not in the archive")
    replace(copy, b"second\n")
    write(copy + "~", b"first\n")
    wait_question(app, "a.txt")
    update(app, number=1)
    check(content(path)["a.txt"] == b"second\n", "the second save is not in the archive")
    app.activate("close")
    wait_end(app)
    check(leftovers(app) == [], f"left: {leftovers(app)}")


def test_not_now(app):
    """“Not now” is asked again at the next save, and when the window closes."""
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    write(copy, b"one\n")
    wait_question(app, "a.txt")
    app.activate("put-off-opened")
    wait_no_question(app)
    write(copy, b"two\n")
    wait_question(app, "a.txt")
    app.activate("put-off-opened")
    wait_no_question(app)
    check(content(path) == TEXT, "the archive was changed")
    window = harness.wait_for("the window", app.windows)[-1]
    app.focus(window)
    app.activate("close")
    app.wait_dialog()
    app.key("Escape")
    app.wait_dialog_gone()
    check(app.status() is not None and os.path.exists(copy), "cancelling closed it")
    app.activate("close")
    app.wait_dialog()
    app.key("Return")  # Update
    wait_end(app)
    check(content(path)["a.txt"] == b"two\n", f"{content(path)}")
    check(leftovers(app) == [], f"left: {leftovers(app)}")


def test_discard(app):
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    write(copy, b"unwanted\n")
    app.activate("close")  # before the file has rested
    app.wait_dialog()
    app.key("alt+d")
    wait_end(app)
    check(content(path) == TEXT, "the archive was changed")
    check(leftovers(app) == [], f"left: {leftovers(app)}")


def test_killed_keeps_changes(app):
    """What was not put back yet outlives even a crash: the next window of its archive asks."""
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    other = open_entry(app, "b.txt", notes, number=2)
    replace(copy, b"precious\n")
    wait_question(app, "a.txt")
    app.process.kill()
    app.process.wait()
    app.process = None
    app.log.close()
    day_ago = time.time() - 2 * 24 * 60 * 60
    for folder in (copy, other):
        os.utime(os.path.dirname(os.path.dirname(folder)), (day_ago, day_ago))
    app.start(path)
    app.wait_open()
    harness.wait_for("the sweep", lambda: not os.path.exists(other))
    check(os.path.exists(copy), "the changed copy was removed")
    wait_question(app, "a.txt", "ci.zip")
    update(app)
    check(content(path)["a.txt"] == b"precious\n", f"{content(path)}")
    app.activate("close")
    wait_end(app)
    check(leftovers(app) == [], f"left: {leftovers(app)}")


def test_only_our_file_goes(app):
    """O01: what was saved as something else, there or elsewhere, stays."""
    _, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    beside = os.path.join(os.path.dirname(copy), "mine.txt")
    elsewhere = app.path("elsewhere.txt")
    write(beside, b"mine\n")
    write(elsewhere, b"mine\n")
    app.activate("close")
    wait_end(app)
    check(not os.path.exists(copy), "the copy is left")
    check(os.path.exists(beside) and os.path.exists(elsewhere), "somebody’s file is gone")


def test_still_open_elsewhere(app):
    """D07: while a program has the file open it stays, and a change is asked about even then."""
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    holder = subprocess.Popen([sys.executable, "-c",
                               "import sys, time\nf = open(sys.argv[1])\nprint('x', flush=True)\n"
                               "sys.stdin.read()", copy], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        app.activate("close")
        harness.wait_for("the window to be gone", lambda: app.windows() == [])
        time.sleep(4)  # nothing is to happen
        check(os.path.exists(copy) and app.is_running(), "the copy is gone under a program")
        write(copy, b"late\n")
        app.wait_dialog(0)
        app.key("Return")  # Update
        harness.wait_for("the update", lambda: content(path)["a.txt"] == b"late\n")
        check(os.path.exists(copy), "the copy is gone under a program")
    finally:
        holder.stdin.close()
        holder.wait()
    wait_end(app)
    check(leftovers(app) == [], f"left: {leftovers(app)}")


def test_no_place(app):
    """O04: a clear sentence where the private place cannot be made."""
    write(app.path("no-folder"), b"")
    _, notes = start(app, XDG_CACHE_HOME=app.path("no-folder"))
    select(app, "a.txt")
    app.activate("open-entry")
    app.wait_dialog()
    check(noted(notes) == [] and leftovers(app) == [], "it was opened all the same")
    app.key("Escape")
    app.wait_dialog_gone()


def test_relative_start(app):
    """O05: started with a relative path, and from a folder that is then gone: the copy goes all the
    same."""
    notes = install_program(app)
    folder = app.path("stick")
    os.mkdir(folder)
    archives.make_zip(os.path.join(folder, "ci.zip"), TEXT)
    app.log = open(app.path("log"), "ab")
    app.process = subprocess.Popen([app.program, "ci.zip"], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=app.log, stderr=app.log,
                                   env=app.environment(XDG_CACHE_HOME=app.path("cache")))
    app.wait_for_windows(1)
    app.wait_open()
    copy = open_entry(app, "a.txt", notes)
    check(os.path.isabs(copy), f"{copy}")
    app.activate("close")
    wait_end(app)
    check(leftovers(app) == [], f"left: {leftovers(app)}")


def program_files():
    elf = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", 2, 62, 1) + bytes(40)
    return {
        "run.sh": b"#!/bin/sh\ntouch \"$HOME/ran\"\n",
        "innocent.txt": b"#!/bin/sh\ntouch ran\n",
        "start.desktop": b"[Desktop Entry]\nType=Application\nName=x\nExec=touch /tmp/ran\n",
        "tool": elf, "tool.txt": elf, "setup.exe": b"MZ" + bytes(100),
    }


def test_never_run(app):
    """S08: programs are refused, scripts shown as text, whatever the usual program for them is."""
    runner = install_program(app, ("application/x-shellscript", "application/x-desktop",
                                   "application/x-executable", "application/x-ms-dos-executable"),
                             "runner")
    path = app.path("ci.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in program_files().items():
            info = zipfile.ZipInfo(name, (2021, 6, 2, 10, 11, 12))
            info.external_attr = 0o100755 << 16
            archive.writestr(info, data)
    notes = install_program(app)
    app.start(path)
    app.wait_open()
    for number, name in enumerate(("run.sh", "innocent.txt", "start.desktop"), 1):
        copy = open_entry(app, name, notes, number=number)
        check(os.path.basename(copy) == name, f"{name}: {copy}")
        check(stat.S_IMODE(os.stat(copy).st_mode) == 0o600, f"{name} can be run")
        app.wait_status("the warning", lambda s, n=name: s["toast"] and n in s["toast"])
    for name in ("tool", "tool.txt", "setup.exe"):
        select(app, name)
        app.activate("open-entry")
        app.wait_dialog()
        app.key("Escape")
        app.wait_dialog_gone()
    check(noted(runner) == [] and len(noted(notes)) == 3, f"{noted(runner)} {noted(notes)}")
    check(len(leftovers(app)) == 3, f"a program was left unpacked: {leftovers(app)}")


def test_big_entry(app):
    """G02: progress and cancel, and the window lives on."""
    n_bytes = 4095 << 20
    notes = install_program(app, ("application/octet-stream", "text/plain"))
    path = archives.make_big_stored_zip(app.path("big.zip"), "big.data", n_bytes)
    app.start(path)
    app.wait_open()
    app.activate("reset-stall")
    select(app, "big.data")
    app.activate("open-entry")
    job = app.wait_job("extract", state="running")
    check(job["bytes_total"] == n_bytes, f"{job}")
    harness.wait_for("progress", lambda: app.jobs("extract")[0]["bytes_done"] > 0
                     or app.jobs("extract")[0]["state"] != "running")
    number = app.jobs("extract")[0]["id"]
    app.call(harness.APP_PATH + "/jobs", "Activate", "cancel", f"[<uint32 {number}>]", "{}")
    app.wait_job("extract", state="cancelled")
    status = app.status()
    check(noted(notes) == [], "half a file was opened")
    harness.wait_for("the half file to be gone", lambda: leftovers(app) == [])
    if not harness.SANITIZED and not harness.is_machine_busy():
        check(status["worst_stall_ms"] < 500, f"the window stood for {status['worst_stall_ms']} ms")


def test_update_is_a_job(app):
    """W20: putting a file back into a large archive shows progress and does not hold the window."""
    notes = install_program(app)
    path = app.path("large.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("large.data", bytes(200 << 20))
        archive.writestr("a.txt", b"alpha\n")
    app.start(path)
    app.wait_open()
    copy = open_entry(app, "a.txt", notes)
    write(copy, b"edited\n")
    wait_question(app, "a.txt")
    app.activate("reset-stall")
    app.activate("update-opened")
    app.wait_job("update")
    status = app.status()
    if not harness.SANITIZED and not harness.is_machine_busy():
        check(status["worst_stall_ms"] < 500, f"the window stood for {status['worst_stall_ms']} ms")
    with zipfile.ZipFile(path) as archive:
        check(archive.read("a.txt") == b"edited\n", "the change is not there")
        check(archive.getinfo("large.data").file_size == 200 << 20, "the rest is not there")


def test_read_only_archive(app):
    """Where nothing can be put back, the copy says so, and saving is answered by a way out."""
    if subprocess.run(["sh", "-c", "command -v genisoimage"], check=False,
                      stdout=subprocess.DEVNULL).returncode == 0:
        maker = ["genisoimage", "-quiet", "-R", "-o"]
    else:
        maker = ["bsdtar", "--format", "ar", "-cf"]
    source = app.path("source")
    os.mkdir(source)
    write(os.path.join(source, "a.txt"), b"alpha\n")
    path = app.path("ci.iso" if maker[0] == "genisoimage" else "ci.a")
    what = [source] if maker[0] == "genisoimage" else ["-C", source, "a.txt"]
    subprocess.run(maker + [path] + what, check=True)
    notes = install_program(app)
    app.start(path)
    app.wait_open()
    copy = open_entry(app, "a.txt", notes)
    check(stat.S_IMODE(os.stat(copy).st_mode) == 0o400, "the copy looks as if it could be saved")
    os.chmod(copy, 0o600)
    write(copy, b"edited\n")
    wait_question(app, "a.txt", "Save it elsewhere")
    check(not app.is_enabled("update-opened") and app.is_enabled("save-opened-as"), "the actions")
    app.activate("save-opened-as")
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type(app.path("saved.txt"))
    app.key("Return")
    harness.wait_for("the file", lambda: os.path.exists(app.path("saved.txt")))
    with open(app.path("saved.txt"), "rb") as file:
        check(file.read() == b"edited\n", "something else was saved")
    wait_no_question(app)
    write(copy, b"and once more\n")
    wait_question(app, "a.txt", "Save it elsewhere")
    app.activate("close")
    app.wait_dialog()
    app.key("alt+d")
    wait_end(app)


def test_changed_in_both_places(app):
    """The archive was changed by another program meanwhile: the question says so, and is about that
    entry alone."""
    path, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    second = open_entry(app, "b.txt", notes, number=2)
    other = archives.make_zip(app.path("other.zip"), {**TEXT, "a.txt": b"by another\n"})
    os.rename(other, path)
    harness.wait_for("the new list", lambda: len(
        [job for job in app.jobs("open") if job["state"] == "done"]) == 2)
    app.wait_status("rest", lambda s: not s["busy"])
    write(copy, b"mine\n")
    write(second, b"mine too\n")
    wait_question(app, "a.txt", "so was")
    app.activate("update-opened")
    app.wait_job("update")
    check(content(path)["b.txt"] == TEXT["b.txt"], "one answer for two questions")
    wait_question(app, "b.txt")
    update(app, number=1)
    check(content(path)["a.txt"] == b"mine\n", f"{content(path)}")
    check(content(path)["b.txt"] == b"mine too\n", f"{content(path)}")


def test_deleted_meanwhile(app):
    """Deleted from the archive while it was open: what was edited can be put back."""
    path, notes = start(app)
    copy = open_entry(app, "folder/c.txt", notes)
    app.activate("delete")
    app.wait_job("update")
    check("folder/c.txt" not in content(path), "it was not deleted")
    write(copy, b"edited\n")
    wait_question(app, "c.txt", "no longer")
    update(app, number=1)
    check(content(path)["folder/c.txt"] == b"edited\n", f"{content(path)}")


def test_password(app):
    """An encrypted entry is asked about once, and goes back encrypted."""
    notes = install_program(app)
    path = archives.make_encrypted_zip(app.path("ci.zip"), "a.txt", b"alpha\n", "open sesame")
    app.start(path)
    app.wait_open()
    select(app, "a.txt")
    app.activate("open-entry")
    app.wait_question("password")
    app.wait_dialog()
    app.type("open sesame")
    app.key("Return")
    copy = harness.wait_for("the program to be started", lambda: noted(notes))[0]
    write(copy, b"edited\n")
    wait_question(app, "a.txt")
    update(app)
    with zipfile.ZipFile(path) as archive:
        check(archive.getinfo("a.txt").flag_bits & 1, "the entry is no longer encrypted")


def test_no_program_and_many(app):
    """What no program opens is told; many files are opened only after a question."""
    files = {f"{number}.txt": b"x" for number in range(12)}
    _, notes = start(app, {**files, "odd.holdall-odd": bytes(range(256))})
    select(app, "odd.holdall-odd")
    app.activate("open-entry")
    app.wait_dialog()
    app.key("Escape")
    app.wait_dialog_gone()
    select(app, *files)
    app.activate("open-entry")
    app.wait_dialog()
    check(noted(notes) == [], "they were opened without a question")
    app.key("Return")
    harness.wait_for("all", lambda: len(noted(notes)) == len(files))


def test_double_click_and_several(app):
    """Enter opens what is selected; several files each; folders are gone into."""
    _, notes = start(app)
    window = harness.wait_for("the window", app.windows)[-1]
    app.focus(window)
    select(app, "b.txt")
    app.key("Return")
    harness.wait_for("the program", lambda: len(noted(notes)) == 1)
    select(app, "a.txt", "b.txt", "folder")
    app.activate("open-entry")
    harness.wait_for("two more", lambda: len(noted(notes)) == 3)
    names = sorted(os.path.basename(line) for line in noted(notes))
    check(names == ["a.txt", "b.txt", "b.txt"], f"{names}")
    select(app, "folder")
    app.activate("open-entry")
    app.wait_status("the folder", lambda s: s["folder"] == "folder")


def test_a_copy_that_is_gone_is_made_anew(app):
    """Deleted by the program that had it, or by whoever empties caches."""
    _, notes = start(app)
    copy = open_entry(app, "a.txt", notes)
    os.unlink(copy)
    again = open_entry(app, "a.txt", notes, number=2)
    check(os.path.exists(again), "the program was given a file that is not there")
    with open(again, "rb") as file:
        check(file.read() == TEXT["a.txt"], "the copy is not what the archive has")
    write(again, b"changed")
    wait_question(app, "a.txt")
    update(app)


if __name__ == "__main__":
    harness.main(globals())
