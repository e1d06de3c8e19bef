#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What other programs give: pasted and dropped files, and cut ones, which leave their place only
when the archive has them.

"foreign" is a program of ours that behaves as badly as file managers do; the real ones follow where
they are installed."""

import os
import signal
import subprocess
import time
import urllib.parse
import zipfile

import doors
import harness
from doors import digest, grab_at, names, read, select
from harness import check, to_gvariant

GNOME = "x-special/gnome-copied-files"
MATE = "x-special/mate-copied-files"
URIS = "text/uri-list"
KDE_CUT = "application/x-kde-cutselection"


def to_uri(path):
    return "file://" + urllib.parse.quote(path)


class Foreign:
    """The other program: what it offers is {format: bytes}."""

    def __init__(self, app, offers, *options):
        self.app = app
        self.output = open(app.path("foreign.log"), "w+b")
        arguments = []
        for number, (kind, content) in enumerate(offers.items()):
            path = app.path(f"offer{number}")
            with open(path, "wb") as file:
                file.write(content)
            arguments += [kind, path]
        env = app.environment()
        env.pop("G_DEBUG", None)
        self.process = subprocess.Popen(
            [os.path.join(app.build_root, "tests", "app", "foreign"), *options, *arguments],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.DEVNULL, env=env)
        self.window = harness.wait_for("the other program", lambda: harness.run(
            "xdotool", "search", "--onlyvisible", "--name", "^foreign$").stdout.split())[-1]
        # From now on the clipboard is this one's, also for who has not looked yet.
        first = next(iter(offers))
        harness.wait_for("its offer", lambda: first.encode() in doors.read_clipboard("TARGETS"))

    def said(self):
        with open(self.app.path("foreign.log"), encoding="ascii") as file:
            return file.read().splitlines()

    def reads(self):
        return [line.split(" ", 1)[1] for line in self.said() if line.startswith("read ")]

    def place(self, x, y):
        harness.run("xdotool", "windowsize", self.window, "300", "200")
        harness.run("xdotool", "windowmove", self.window, str(x), str(y))
        time.sleep(0.3)
        harness.settled("the other window", lambda: self.app.geometry(self.window))

    def grab(self):
        x, y, width, height = self.app.geometry(self.window)
        n_before = self.said().count("drag begun")
        grab_at(x + width // 2, y + height // 2)
        harness.wait_for("the drag", lambda: self.said().count("drag begun") > n_before)

    def wait_taken(self, point):
        """Holds it there until the target takes it."""
        def is_taken():
            hold_over(point, 0.1)
            target = [line for line in self.said() if line.startswith(("drag begun", "target "))]
            return target[-1] == "target takes"
        harness.wait_for("the target to take it", is_taken)
        hold_over(point, 0.3)

    def wait_ended(self, number):
        harness.wait_for("the end of the drag", lambda: sum(
            line.startswith("drag ended") for line in self.said()) >= number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.output.close()


def hold_over(point, seconds):
    """Moves there, and a little to and fro as a hand does."""
    harness.run("xdotool", "mousemove", str(point[0]), str(point[1]), "sleep", "0.1")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for i in range(3):
            harness.run("xdotool", "mousemove", str(point[0] + i), str(point[1] + i % 2), "sleep",
                        "0.04")


def hold_until_open(app, point, folder):
    """Spring loading takes a second, more or less."""
    def is_open():
        hold_over(point, 0.2)
        return app.status()["folder"] == folder
    harness.wait_for(f"“{folder}” to open", is_open)


def release():
    harness.run("xdotool", "mouseup", "1")


def place_of(app, kind, folder=""):
    """Where on the screen the tree or the path bar shows a folder, or the button that goes back."""
    def ask():
        app.activate("place-geometry", f"({to_gvariant(kind)}, {to_gvariant(folder)})")
        numbers = [int(word) for word in app.describe("place-geometry")[1].strip("<()>").split(",")]
        return numbers if numbers[0] > 0 else None

    x, y = harness.wait_for(f"{folder} in the {kind}", ask)
    left, top = app.geometry(app.windows()[0])[:2]
    return left + x, top + y


def start(app, **env):
    path = app.path("a.zip")
    harness.make_zip(path, {"old.txt": b"old", "docs/": b"", "docs/deep/": b"", "docs/x": b"x",
                            "tool/": b""})
    app.start(path, **env)
    app.wait_open()
    return path


def arrange(app):
    window = harness.wait_for("the window", app.windows)[0]
    harness.run("xdotool", "windowsize", window, "860", "600")
    harness.run("xdotool", "windowmove", window, "0", "30")
    if app.describe("show-tree")[1] == "<false>":
        app.activate("show-tree")
    place_of(app, "tree", "tool")

    # The tree slides in.
    def is_still():
        before = app.row_centre("old.txt")
        time.sleep(0.7)
        return app.row_centre("old.txt") == before

    harness.wait_for("rest", is_still)


def make_files(app):
    """A file, a tree, a link, an odd name. → their paths"""
    root = app.path("source")
    os.makedirs(os.path.join(root, "tree", "deep"))
    os.makedirs(app.path("precious"))
    for name, content in (("new.txt", b"new" * 100), (doors.ODD_NAME, b"odd"),
                          ("tree/deep/part", b"part" * 1000), ("tree/top", b""),
                          ("../precious/file", b"stays")):
        with open(os.path.join(root, name), "wb") as file:
            file.write(content)
    os.symlink("../../precious", os.path.join(root, "tree", "link"))
    return [os.path.join(root, name) for name in ("new.txt", doors.ODD_NAME, "tree")]


def check_taken(path, folder=""):
    """The archive holds what make_files() made."""
    with zipfile.ZipFile(path) as archive:
        for name, content in (("new.txt", b"new" * 100), (doors.ODD_NAME, b"odd"),
                              ("tree/deep/part", b"part" * 1000), ("tree/top", b""),
                              ("tree/link", b"../../precious")):
            check(archive.read(folder + name) == content, f"{name} is another")


def check_sources(app, are_there):
    left = sorted(os.listdir(app.path("source")))
    check(left == ([doors.ODD_NAME, "new.txt", "tree"] if are_there else []),
          f"in the folder: {left}")
    check(read(app.path("precious", "file")) == b"stays", "followed a link")


def lines(word, paths, end=b""):
    return b"\n".join([word] + [to_uri(path).encode() for path in paths]) + end


def paste(app):
    harness.wait_for("something to paste", lambda: app.is_enabled("paste"))
    app.activate("paste")


def wait_updates(app, number=1, patience=None):
    app.wait_job("update", number=number - 1, patience=patience)
    app.wait_status("rest", lambda s: not s["busy"])


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
    harness.make_zip(app.path("b.zip"), {"inside": b"b"})
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
        check(time.monotonic() - began < 15 or harness.is_machine_busy(), "it hung")
        check(app.status() is not None and digest(path) == before, "something was done")


def open_second(app):
    """Another window, so that the program goes on without the first."""
    path = harness.make_zip(app.path("second.zip"), {"old.txt": b"old"})
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


# Real file managers: all of a folder is dragged, and copied, and cut.

# Where they show the first of a folder, from the corner of the window.
FIRST_ITEM = {"thunar": (220, 145), "pcmanfm": (206, 100), "nautilus": (345, 120),
              "caja": (232, 145), "nemo": (250, 152), "dolphin": (364, 153)}


def clear_clipboard():
    """Words that are no files."""
    subprocess.run(["xclip", "-selection", "clipboard", "-i"], input=b"nothing", check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Source(doors.FileManager):
    """One that shows the folder of make_files(), all selected."""

    def __init__(self, app, program):
        super().__init__(app, program, app.path("source"))
        self.select_all()

    def select_all(self):
        """Until a copy of what is selected is of all: before it has read its folder there is nothing
        to select."""
        n_files = len(os.listdir(self.app.path("source")))

        def n_copied():
            return max(doors.read_clipboard(kind).count(b"file://") for kind in (GNOME, MATE, URIS))

        def is_all():
            clear_clipboard()
            x, y = self.drop_point()
            self.app.focus(self.window)
            self.app.click(x, y)
            time.sleep(0.5)
            self.app.key("ctrl+a")
            time.sleep(0.8)
            self.app.key("ctrl+c")
            try:
                return harness.wait_for("a copy", lambda: n_copied() == n_files, 8)
            except harness.Failure:
                return False
        harness.wait_for(f"{self.program} to select all", is_all)

    def drag_first(self, target):
        """Again, where the folder had not been read when it was selected."""
        def is_lit():
            hold_over(target, 0.1)
            return self.app.status()["lit"]

        for _ in range(4):
            grab_at(*self.first_item())
            try:
                harness.wait_for("the target to light up", is_lit, 20)
                hold_over(target, 0.5)
                release()
                return
            except harness.Failure:
                harness.run("xdotool", "mousemove", *map(str, self.first_item()), "sleep", "0.3")
                release()
                self.select_all()
        check(False, f"nothing can be dragged out of {self.program}")

    def offer(self, key):
        """Copies or cuts what is selected. What was on the clipboard before is taken away first, so
        that it can't be taken for this; and nobody looks, since PCManFM gives a cut only once."""
        clear_clipboard()
        harness.wait_for("nothing to paste", lambda: not self.app.is_enabled("paste"))

        def is_offered():
            self.app.focus(self.window)
            self.app.key(key)
            try:
                return harness.wait_for("the offer", lambda: self.app.is_enabled("paste"), 10)
            except harness.Failure:
                return False
        harness.wait_for(f"{self.program} to offer files", is_offered)

    def first_item(self):
        left, top = self.app.geometry(self.window)[:2]
        x, y = FIRST_ITEM[self.program]
        return left + x, top + y


def give_and_take(app, program):
    """Dropped on a folder, copied, then cut: byte-equal each time, and gone after the cut."""
    doors.need(program, "xclip")
    path = start(app)
    make_files(app)
    with Source(app, program) as manager:
        manager.drag_first(app.row_centre("tool"))
        wait_updates(app, 1)
        check_taken(path, "tool/")
        check_sources(app, True)

        manager.select_all()
        manager.offer("ctrl+c")
        app.activate_string("go-to", "docs/deep")
        app.wait_status("the folder", lambda s: s["folder"] == "docs/deep" and not s["busy"])
        paste(app)
        wait_updates(app, 2)
        check_taken(path, "docs/deep/")
        check_sources(app, True)

        manager.select_all()
        manager.offer("ctrl+x")
        app.activate_string("go-to", "docs")
        app.wait_status("the folder", lambda s: s["folder"] == "docs" and not s["busy"])
        paste(app)
        wait_updates(app, 3)
        check_taken(path, "docs/")
        check_sources(app, False)


def test_from_thunar(app):
    give_and_take(app, "thunar")


def test_from_pcmanfm(app):
    give_and_take(app, "pcmanfm")


def test_from_nautilus(app):
    give_and_take(app, "nautilus")


def test_from_caja(app):
    give_and_take(app, "caja")


def test_from_nemo(app):
    give_and_take(app, "nemo")


def test_from_dolphin(app):
    """Its drops never reach GTK 4.8 on X11; they reach us."""
    give_and_take(app, "dolphin")


if __name__ == "__main__":
    harness.main(globals())
