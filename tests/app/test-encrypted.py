#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""A ZIP with a password stays one, whatever is put into it in the window."""

import shutil
import subprocess
import zipfile

import archives
import harness
from harness import check, to_gvariant


def lies_open(path):
    """names of files with content that anybody can read"""
    with zipfile.ZipFile(path) as archive:
        return [info.filename for info in archive.infolist() if info.file_size and not info.flag_bits & 1]


def let_seven_zip_judge(path, password):
    program = shutil.which("7zz") or shutil.which("7z")
    if program is None:
        return
    done = subprocess.run([program, "t", "-p" + password, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    check(done.returncode == 0, done.stdout.decode(errors="replace"))


def put(app, name, data):
    with open(app.path(name), "wb") as file:
        file.write(data)
    return app.path(name)


def wait_update(app, number=0, state="done"):
    app.wait_job("update", state=state, number=number)
    app.wait_status("rest", lambda s: not s["busy"])


def open_encrypted(app):
    path = archives.make_encrypted_zip(app.path("e.zip"), "s.txt", b"secret " * 99, "sesame")
    app.start(path)
    app.wait_open()
    return path


def test_made_here(app):
    """Who has just chosen the password is not asked for it: not when files are added, nor when something
    is pasted out of an archive that lies open."""
    app.start()
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    app.activate("pack", f"[{to_gvariant(put(app, 'first.txt', b'first ' * 500))}]")
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type("made.zip")
    app.key("alt+p")
    app.type("open sesame")
    app.key("Return")
    app.wait_job("create")
    app.wait_open()
    app.wait_status("its row", lambda s: s["first_rows"] == ["first.txt"])
    app.activate("add-files", f"[{to_gvariant(put(app, 'second.txt', b'second ' * 500))}]")
    wait_update(app)

    app.second_start(archives.make_zip(app.path("plain.zip"), {"d/third.txt": b"third " * 500}))
    app.wait_open(window=2)
    app.activate("select", "['d']", 2)
    app.wait_status("the selection", lambda s: s["selected_paths"] == ["d"], 2)
    app.activate("copy", window=2)
    harness.wait_for("something to paste", lambda: app.is_enabled("paste"))
    app.activate("paste")
    wait_update(app, 1)
    path = app.path("made.zip")
    with zipfile.ZipFile(path) as archive:
        check({"first.txt", "second.txt", "d/third.txt"} <= set(archive.namelist()), f"{archive.namelist()}")
        for name, data in (("second.txt", b"second "), ("d/third.txt", b"third ")):
            info = archive.getinfo(name)
            check(info.flag_bits & 1 and info.file_size == len(data) * 500, f"{info}")
    check(not lies_open(path), f"{lies_open(path)}")
    let_seven_zip_judge(path, "open sesame")


def test_asked_once(app):
    """The question comes before the work, again after a wrong answer, and then no more."""
    path = open_encrypted(app)
    app.activate("add-files", f"[{to_gvariant(put(app, 'new.txt', b'new ' * 500))}]")
    app.wait_question("password", verb="update")
    first = app.wait_dialog()
    app.type("wrong")
    app.key("Return")
    harness.wait_for("the first question to be gone", lambda: first not in app.windows())
    app.wait_question("password", verb="update")
    app.wait_dialog()
    check(zipfile.ZipFile(path).namelist() == ["s.txt"], "packed before it was known how")
    app.type("sesame")
    app.key("Return")
    wait_update(app)
    app.activate("add-files", f"[{to_gvariant(put(app, 'newer.txt', b'newer ' * 500))}]")
    wait_update(app, 1)
    check(sorted(zipfile.ZipFile(path).namelist()) == ["new.txt", "newer.txt", "s.txt"], "not added")
    check(not lies_open(path), f"{lies_open(path)}")
    let_seven_zip_judge(path, "sesame")


def test_cancelled(app):
    """No answer, no change."""
    path = open_encrypted(app)
    with open(path, "rb") as file:
        before = file.read()
    app.activate("add-files", f"[{to_gvariant(put(app, 'new.txt', b'new'))}]")
    app.wait_question("password", verb="update")
    app.focus(app.wait_dialog())
    app.key("Escape")
    wait_update(app, state="cancelled")
    with open(path, "rb") as file:
        check(file.read() == before, "changed")
    app.wait_status("its row", lambda s: s["first_rows"] == ["s.txt"])


if __name__ == "__main__":
    harness.main(globals())
