#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What real file managers give: all of a folder is dragged, and copied, and cut, where they are
installed."""

import os
import subprocess
import time

import doors
import harness
from doors import grab_at
from harness import check
from receive import (GNOME, MATE, URIS, check_sources, check_taken, hold_over, make_files, paste,
                     release, start, wait_updates)

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
