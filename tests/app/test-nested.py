#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""An archive in an archive: it opens as a folder, and what is changed in it goes back into the outer
one."""

import io
import os
import time
import zipfile

import harness
from harness import check
from opened import (content, leftovers, noted, open_entry, select, start, update, wait_end,
                    wait_no_question, wait_question, write)


def nested_files():
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.txt", b"x\n" * 100)
        archive.writestr("y.txt", b"y\n" * 100)
    return {"inner.zip": inner.getvalue(), "top.txt": b"top\n"}


def test_move_into_archive_in_archive(app):
    """Its changes may yet be thrown away, so what goes into it stays where it was, too."""
    path, _ = start(app, nested_files(), "outer.zip")
    select(app, "inner.zip")
    app.activate("open-entry")
    app.wait_for_windows(2)
    app.wait_open(2)
    select(app, "top.txt")
    app.activate("cut")
    harness.wait_for("paste", lambda: app.is_enabled("paste", 2))
    app.activate("paste", window=2)
    app.wait_status("the arrival", lambda s: "top.txt" in s["first_rows"], 2)
    wait_question(app, "inner.zip", "outer.zip", window=2)
    time.sleep(1)  # nothing is to happen
    check(content(path)["top.txt"] == b"top\n", "it is only in the copy")
    app.activate("update-opened", window=2)
    wait_no_question(app, 2)

    def is_through():
        with zipfile.ZipFile(io.BytesIO(content(path)["inner.zip"])) as archive:
            return "top.txt" in archive.namelist()
    harness.wait_for("the copy in the outer archive", is_through)


def test_archive_in_archive(app):
    """W12, O06: it opens as a folder; edits go inner first, then outer after a question; and it is
    still an entry that can be taken out."""
    files = nested_files()
    path, notes = start(app, files, "outer.zip")
    select(app, "inner.zip")
    app.activate("open-entry")
    app.wait_for_windows(2)
    app.wait_open(2)
    app.wait_status("the title", lambda s: s["title"] == "inner.zip in outer.zip", 2)
    check(noted(notes) == [], "a program was started")
    recent = app.path("share", "recently-used.xbel")
    if os.path.exists(recent):
        with open(recent, encoding="utf-8") as file:
            check("staging" not in file.read(), "the private copy is among the recent files")

    select(app, "x.txt", window=2)
    app.activate("delete", window=2)
    app.wait_job("update", window=2)
    with zipfile.ZipFile(path) as archive:
        check(archive.read("inner.zip") == files["inner.zip"],
              "the outer archive was changed without a question")
    wait_question(app, "inner.zip", "outer.zip", window=2)
    wait_question(app, "inner.zip", "outer.zip", window=1)
    update(app, window=2, number=1)
    outer = content(path)
    check(outer["top.txt"] == b"top\n", f"{list(outer)}")
    with zipfile.ZipFile(io.BytesIO(outer["inner.zip"])) as archive:
        check(archive.namelist() == ["y.txt"], f"{archive.namelist()}")

    out = app.path("out")
    os.mkdir(out)
    select(app, "inner.zip")
    app.activate_string("extract-into", out)
    harness.wait_for("the nested archive", lambda: os.path.exists(os.path.join(out, "inner.zip")))
    copy = open_entry(app, "y.txt", notes, window=2)
    write(copy, b"edited\n")
    wait_question(app, "y.txt", "inner.zip", window=2)
    app.activate("update-opened", window=2)
    # The question about y.txt names both archives as well.
    wait_question(app, "“inner.zip” was changed", window=2)
    app.activate("update-opened", window=2)
    wait_no_question(app, 2)

    def is_through():
        with zipfile.ZipFile(io.BytesIO(content(path)["inner.zip"])) as archive:
            return archive.read("y.txt") == b"edited\n"
    harness.wait_for("the edit to reach the outer archive", is_through)
    app.activate("close", window=1)
    harness.wait_for("the outer window to be gone", lambda: app.status(1) is None)
    check(app.status(2) is not None, "the inner window went with the outer one")
    app.activate("close", window=2)
    wait_end(app)
    check(leftovers(app) == [], f"left: {leftovers(app)}")


if __name__ == "__main__":
    harness.main(globals())
