#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What other programs give: pasted and dropped files, and cut ones, which leave their place only
when the archive has them.

"foreign" is a program of ours that behaves as badly as file managers do."""

import os
import signal
import time
import zipfile

import archives
import doors
import harness
from doors import digest, names, read, select
from harness import check
from receive import (GNOME, KDE_CUT, MATE, URIS, Foreign, arrange, check_sources, check_taken,
                     hold_over, hold_until_open, lines, make_files, paste, place_of, release,
                     start, to_uri, wait_updates)

# Pasted lists.


def test_paste_copied(app):
    path = start(app)
    with Foreign(app, {GNOME: lines(b"copy", make_files(app)), URIS: b""}) as other:
        paste(app)
        wait_updates(app)
        check_taken(path)
        check_sources(app, True)
        check(other.reads() == [GNOME], f"{other.reads()}")
        harness.wait_for("undo", lambda: app.is_enabled("undo"))  # a copy can be undone


def test_paste_cut(app):
    """As PCManFM does it: a NUL at the end, empty lines, and served only once."""
    path = start(app)
    content = lines(b"cut", make_files(app), b"\n\n\0")
    with Foreign(app, {URIS: b"", GNOME: content, KDE_CUT: b"1"}, "--once") as other:
        paste(app)
        wait_updates(app)
        check_taken(path)
        check_sources(app, False)
        check(other.reads() == [GNOME], f"{other.reads()}")
        # The way back would lose the only copy; a later change can be undone.
        check(not app.is_enabled("undo"), "the files could be undone out of existence")
        select(app, "old.txt")
        app.activate("delete")
        wait_updates(app, 2)
        harness.wait_for("undo", lambda: app.is_enabled("undo"))
        app.activate("undo")
        app.wait_job("restore")
        harness.wait_for("no more undo", lambda: not app.is_enabled("undo"))
        check_taken(path)
        check("old.txt" in names(path), "undo did not bring it back")


def test_paste_cut_of_mate(app):
    path = start(app)
    with Foreign(app, {URIS: b"", MATE: lines(b"cut", make_files(app))}) as other:
        paste(app)
        wait_updates(app)
        check_taken(path)
        check_sources(app, False)
        check(other.reads() == [MATE], f"{other.reads()}")


def test_paste_cut_of_kde(app):
    """Its list does not say that it is a cut."""
    path = start(app)
    content = b"".join(to_uri(file).encode() + b"\r\n" for file in make_files(app))
    with Foreign(app, {URIS: content, KDE_CUT: b"1"}):
        app.activate_string("go-to", "docs")
        app.wait_status("the folder", lambda s: s["folder"] == "docs" and not s["busy"])
        paste(app)
        wait_updates(app)
        check_taken(path, "docs/")
        check_sources(app, False)


def test_paste_cut_skipped(app):
    """What the person does not want replaced stays on the disk."""
    path = start(app)
    files = make_files(app)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("new.txt", b"taken")
    app.wait_status("the new name", lambda s: "new.txt" in s["first_rows"])
    with Foreign(app, {GNOME: lines(b"cut", files)}):
        paste(app)
        app.wait_question("conflict", files[0], "update")
        app.wait_dialog()
        app.key("Escape")
        app.wait_status("an end", lambda s: not [j for j in s["jobs"] if j["verb"] == "update"
                                                 and j["state"] in ("running", "queued")])
        check(os.path.exists(files[0]), "what was not taken is gone")
        with zipfile.ZipFile(path) as archive:
            check(archive.read("new.txt") == b"taken", "it was replaced")


def test_paste_gone(app):
    """A list of yesterday."""
    path = start(app)
    before = digest(path)
    with Foreign(app, {GNOME: lines(b"cut", [app.path("nowhere")])}):
        paste(app)
        app.wait_job("update", "failed")
        check(digest(path) == before, "the archive has changed")
        app.wait_dialog()
        app.key("Escape")
        app.wait_dialog_gone()


def test_from_portal(app):
    """D10: paths that lead nowhere, and the portal that has the files: as a sandbox sees it. Pasted
    and dropped; where the paths lead somewhere it is not asked."""
    with doors.DocumentPortal():
        path = start(app)
        files = make_files(app)[:1]
        arrange(app)
        nowhere = {GNOME: lines(b"cut", [app.path("nowhere")]),
                   URIS: to_uri(app.path("nowhere")).encode() + b"\r\n",
                   doors.PORTAL_FORMAT: "\n".join(files).encode()}
        with Foreign(app, nowhere) as other:
            paste(app)
            wait_updates(app, 1)
            check(other.reads() == [GNOME, doors.PORTAL_FORMAT], f"{other.reads()}")
            other.place(920, 100)
            drop_at(other, app.row_centre("tool"))
            wait_updates(app, 2)
        for name in files:
            base = os.path.basename(name)
            with zipfile.ZipFile(path) as archive:
                for entry in (base, "tool/" + base):
                    check(archive.read(entry) == read(name), f"{entry} is another")
        # What is lent is not ours to remove.
        check_sources(app, True)
        reachable = dict(nowhere, **{GNOME: lines(b"copy", files)})
        with Foreign(app, reachable) as other:
            app.activate_string("go-to", "docs")
            app.wait_status("the folder", lambda s: s["folder"] == "docs" and not s["busy"])
            paste(app)
            wait_updates(app, 3)
            check(other.reads() == [GNOME], f"{other.reads()}")


# Drops.


def drop_at(other, point):
    n_before = sum(line.startswith("drag ended") for line in other.said())
    other.grab()
    other.wait_taken(point)
    release()
    other.wait_ended(n_before + 1)


def start_beside(app):
    path = start(app)
    files = make_files(app)
    arrange(app)
    return path, b"".join(to_uri(file).encode() + b"\r\n" for file in files)


def test_drop_on_rows_tree_and_path_bar(app):
    """Each is a folder of its own."""
    path, content = start_beside(app)
    app.activate_string("go-to", "docs")
    app.wait_status("the folder", lambda s: s["folder"] == "docs" and not s["busy"])
    with Foreign(app, {URIS: content}) as other:
        other.place(920, 100)
        drop_at(other, app.row_centre("docs/deep"))
        wait_updates(app, 1)
        check_taken(path, "docs/deep/")
        drop_at(other, place_of(app, "tree", "tool"))
        wait_updates(app, 2)
        check_taken(path, "tool/")
        drop_at(other, place_of(app, "path-bar", ""))
        wait_updates(app, 3)
        check_taken(path)
        check_sources(app, True)
        taken = [line for line in other.said() if line.startswith("drag ended")]
        check(taken == ["drag ended, taken"] * 3, f"{other.said()}")


def test_drop_of_archives_asks(app):
    """D13: a file is added; an archive may be meant to be opened."""
    path = start(app)
    arrange(app)
    archives.make_zip(app.path("b.zip"), {"inside": b"b"})
    before = digest(path)
    with Foreign(app, {URIS: to_uri(app.path("b.zip")).encode() + b"\r\n"}) as other:
        other.place(920, 100)
        middle = (500, 450)

        def answer(key):
            drop_at(other, middle)
            app.wait_dialog()
            app.key(key)

        answer("Escape")
        app.wait_dialog_gone()
        check(digest(path) == before, "added although it was cancelled")
        answer("alt+a")
        wait_updates(app)
        check("b.zip" in names(path), f"{names(path)}")
        app.wait_dialog_gone()
        answer("alt+o")
        app.wait_open(window=2)
        check(app.status(2)["archive"] == app.path("b.zip"), "another was opened")


def test_drop_that_is_never_answered(app):
    """Ends after 5 s, on both sides."""
    path, content = start_beside(app)
    before = digest(path)
    with Foreign(app, {URIS: content}, "--mute") as other:
        other.place(920, 100)
        other.grab()
        other.wait_taken((500, 450))
        release()
        began = time.monotonic()
        other.wait_ended(1)
        check(time.monotonic() - began < 45 or harness.is_machine_busy(), "it hung")
        check(app.status() is not None and digest(path) == before, "something was done")


def open_second(app):
    """Another window, so that the program goes on without the first."""
    path = archives.make_zip(app.path("second.zip"), {"old.txt": b"old"})
    app.second_start(path)
    app.wait_open(window=2)
    return path


def close_first(app):
    app.activate("close")
    harness.wait_for("the first window to be gone", lambda: app.status() is None)


def test_window_closes_before_what_is_pasted_is_known(app):
    """What comes after that finds no window, and changes nothing."""
    path = start(app)
    second = open_second(app)
    before = digest(path)
    content = b"".join(to_uri(file).encode() + b"\r\n" for file in make_files(app))
    with Foreign(app, {URIS: content}) as other:
        harness.wait_for("something to paste", lambda: app.is_enabled("paste"))
        os.kill(other.process.pid, signal.SIGSTOP)
        app.activate("paste")
        close_first(app)
        os.kill(other.process.pid, signal.SIGCONT)
        harness.wait_for("the answer", lambda: len(other.reads()) == 1)
        app.activate("paste", window=2)
        app.wait_job("update", window=2)
        check("new.txt" in names(second), "nothing was pasted into the second window")
    check(digest(path) == before, "it was added though its window is gone")


# Spring loading.


def test_folders_open_under_a_drag(app):
    """Of another program: into a row, out by the path bar, along the tree, back by the button."""
    path, content = start_beside(app)
    with Foreign(app, {URIS: content}) as other:
        other.place(920, 100)
        row = app.row_centre("docs")
        tool = place_of(app, "tree", "tool")
        other.grab()
        began = time.monotonic()
        hold_over(row, 0.4)
        folder = app.status()["folder"]
        # Where everything takes its time the pointer may have been there for long enough.
        check(folder == "" or time.monotonic() - began > 0.9, "it opened in passing")
        hold_until_open(app, row, "docs")
        hold_until_open(app, place_of(app, "path-bar", ""), "")
        hold_until_open(app, tool, "tool")
        hold_until_open(app, place_of(app, "back"), "")
        hold_until_open(app, tool, "tool")
        other.wait_taken((500, 450))
        release()
        wait_updates(app)
        check_taken(path, "tool/")


def test_own_rows_open_folders(app):
    """Rows of the window itself; the drag goes on while the rows change under it."""
    path = start(app)
    arrange(app)
    docs = app.row_centre("docs")
    doors.grab(app, "old.txt")
    hold_until_open(app, docs, "docs")

    def is_taken():
        hold_over((500, 450), 0.1)
        return app.status()["drag"] == "taken"
    harness.wait_for("the folder to take it", is_taken)
    doors.release(app)
    wait_updates(app)
    check("docs/old.txt" in names(path) and "old.txt" not in names(path), f"{names(path)}")


if __name__ == "__main__":
    harness.main(globals())
