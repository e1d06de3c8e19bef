# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What tests of receiving share: another program whose clipboard and drags are of any kind, and
files to be taken from it."""

import os
import subprocess
import time
import urllib.parse
import zipfile

import archives
import doors
import harness
from doors import grab_at, read
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
        return harness.whole_lines(self.app.path("foreign.log"))

    def reads(self):
        return [line.split(" ", 1)[1] for line in self.said() if line.startswith("read ")]

    def place(self, x, y):
        harness.run("xdotool", "windowsize", self.window, "300", "200")
        harness.run("xdotool", "windowmove", self.window, str(x), str(y))

        def is_there():
            left, top, width, height = self.app.geometry(self.window)
            # Its frame, if it has one, is a little more.
            return abs(left - x) < 60 and abs(top - y) < 60 and (width, height) == (300, 200)
        harness.wait_for("the other window to be in its place", is_there)
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
    moves = [word for i in range(3) for word in
             ("mousemove", str(point[0] + i), str(point[1] + i % 2), "sleep", "0.04")]
    end = time.monotonic() + seconds
    while True:
        harness.run("xdotool", *moves)
        if time.monotonic() >= end:
            break


def hold_until_open(app, point, folder):
    """Spring loading takes a second, more or less."""
    def is_open():
        hold_over(point, 0)
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
    archives.make_zip(path, {"old.txt": b"old", "docs/": b"", "docs/deep/": b"", "docs/x": b"x",
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
