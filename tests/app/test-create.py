#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""New archives through their dialog, by keys: names, formats, passwords, parts."""

import os
import zipfile

import archives
import harness
from harness import check, to_gvariant


def test_new_archive_empty(app):
    """From the welcome page: an empty ZIP, which is opened."""
    os.mkdir(app.path("home"))
    app.start(HOME=app.path("home"))
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    app.activate("new-archive", window=None)
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type("fresh")
    app.key("Return")
    app.wait_job("create")
    status = app.wait_open()
    check(status["rows"] == 0 and status["archive"].endswith("/fresh.zip"), f"{status}")
    app.activate("pack", "@as []")
    app.focus(app.wait_dialog())
    app.key("Escape")
    app.wait_dialog_gone()


def test_new_archive_of_files(app):
    """The suffix that is typed is the format."""
    app.start()
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    archives.make_zip(app.path("seed.zip"), {"a.txt": b"a"})
    app.activate("pack", f"[{to_gvariant(app.path('seed.zip'))}]")
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type("made.tar.gz")
    app.key("Return")
    app.wait_job("create")
    app.wait_open()
    check(os.path.exists(app.path("made.tar.gz")), f"{os.listdir(app.folder)}")
    app.wait_status("its row", lambda s: s["first_rows"] == ["seed.zip"])


def test_new_archive_with_password(app):
    """Who has just chosen it is not asked for it by the window that shows the archive, but by the
    next one: it is kept nowhere else."""
    app.start()
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    archives.make_zip(app.path("seed.zip"), {"a.txt": b"a"})
    app.activate("pack", f"[{to_gvariant(app.path('seed.zip'))}]")
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type("made.zip")
    app.key("alt+p")
    app.type("open sesame")
    app.key("Return")
    app.wait_job("create")
    app.wait_open()
    app.wait_status("its row", lambda s: s["first_rows"] == ["seed.zip"])
    for name in ("out", "again"):
        os.mkdir(app.path(name))
    app.activate_string("extract-into", app.path("out"))
    app.wait_job("extract")
    check(zipfile.ZipFile(app.path("out", "seed.zip")).namelist() == ["a.txt"], "not what was packed")

    app.second_start(app.path("made.zip"))
    app.wait_open(2)
    app.activate_string("extract-into", app.path("again"), window=2)
    app.wait_question("password")
    app.focus(app.wait_dialog(2))
    app.key("Escape")
    app.wait_job("extract", "cancelled", 1)
    check("open sesame" not in app.read_log(), "the log tells the password")


def test_new_archive_in_parts(app):
    """What is larger than the size that is chosen becomes a set, which is shown as one archive."""
    app.start()
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    with open(app.path("noise"), "wb") as file:
        file.write(os.urandom(12_000_000))
    app.activate("pack", f"[{to_gvariant(app.path('noise'))}]")
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type("made.zip")
    app.key("alt+s", "Down", "Return")
    app.key("alt+r")
    app.wait_job("create")
    status = app.wait_open()
    check(status["archive"].endswith("/made.zip.001") and status["first_rows"] == ["noise"], f"{status}")
    sizes = [os.path.getsize(app.path(name)) for name in ("made.zip.001", "made.zip.002")]
    check(sizes[0] == 10_000_000 and sum(sizes) > 12_000_000, f"{sizes}")
    check(not app.is_enabled("delete"), "a set of parts can't be changed")


def test_new_archive_says_what_is_missing(app):
    """Which file it was stands behind the button of the toast, as after every other job."""
    app.start()
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    archives.make_zip(app.path("seed.zip"), {"a.txt": b"a"})
    app.activate("pack", f"[{to_gvariant(app.path('seed.zip'))}, {to_gvariant(app.path('gone'))}]")
    app.focus(app.wait_dialog())
    app.key("ctrl+a")
    app.type("made.zip")
    app.key("Return")
    app.wait_job("create")
    app.wait_open()
    app.wait_status("what is missing", lambda s: s["toast"] and "1 failed" in s["toast"])


if __name__ == "__main__":
    harness.main(globals())
