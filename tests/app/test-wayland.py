#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""One drag and one cut on Wayland, into Thunar (D03): in a Weston that draws into a window of the private X
display, so that xdotool is still the hand. Nobody tells where a window lies on Wayland, and Weston
puts them anywhere: the test sees by pictures where they have come up, and moves them."""

import contextlib
import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import time

import archives
import doors
import harness
from doors import FIVE, check_five, digest, make_five, names
from harness import check

WIDTH, HEIGHT = 1270, 780
SOCKET = "holdall-test"

CONFIG = f"""[core]
idle-time=0
[shell]
panel-position=none
locking=false
animation=none
startup-animation=none
[output]
name=X1
mode={WIDTH}x{HEIGHT}
"""

# Narrow, so that there is room beside it, and so high that Weston has no choice but to start at the
# top.
WINDOW_SIZE = (560, 800)


def load_reader():
    """build-aux/screenshot, which knows how to read the screen."""
    path = os.path.join(harness.SOURCE_ROOT, "build-aux", "screenshot")
    loader = importlib.machinery.SourceFileLoader("screenshot", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("screenshot", loader))
    loader.exec_module(module)
    return module


class Weston:
    def __init__(self, app):
        doors.need("weston", "xdotool", "thunar")
        self.app = app
        self.screen = load_reader()
        self.log = open(app.path("weston.log"), "wb")
        config = app.path("weston.ini")
        with open(config, "w", encoding="ascii") as file:
            file.write(CONFIG)
        self.process = subprocess.Popen(
            ["weston", "--backend=x11-backend.so", "--use-pixman", f"--width={WIDTH}",
             f"--height={HEIGHT}", "--socket=" + SOCKET, "--config=" + config],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        try:
            self.window = harness.wait_for("Weston", self.find_window)
        except harness.Failure as failure:
            ended = self.process.poll() is not None
            self.__exit__()
            if ended:
                raise harness.Skip("Weston does not run here") from failure
            raise
        before = harness.settled("Weston's window", lambda: app.geometry(self.window), 0.5)
        harness.run("xdotool", "windowmove", self.window, "0", "20")
        harness.wait_for("Weston's window to move", lambda: app.geometry(self.window) != before)
        harness.settled("Weston's window", lambda: app.geometry(self.window), 0.5)
        harness.run("xdotool", "windowfocus", self.window)
        harness.wait_for("the keyboard focus", lambda: app.focused() == self.window)
        self.still_picture()

    def find_window(self):
        check(self.process.poll() is None, "Weston has ended")
        found = harness.run("xdotool", "search", "--onlyvisible", "--class", "weston")
        return found.stdout.split()[0] if found.stdout.split() else None

    def at(self, x, y):
        """A point of the output on the X screen."""
        left, top = self.app.geometry(self.window)[:2]
        return left + x, top + y

    def point_at(self, x, y):
        harness.run("xdotool", "mousemove", *map(str, self.at(x, y)))
        time.sleep(0.2)

    def click(self, x, y):
        self.point_at(x, y)
        harness.run("xdotool", "click", "1")
        time.sleep(0.3)

    def drag_window(self, start, delta):
        """By Weston's own way to move a window."""
        x, y = self.at(*start)
        steps = []
        for step in range(1, 11):
            steps += ["mousemove", str(x + delta[0] * step // 10), str(y + delta[1] * step // 10),
                      "sleep", "0.04"]
        harness.run("xdotool", "mousemove", str(x), str(y), "sleep", "0.2", "keydown", "super",
                    "sleep", "0.1", "mousedown", "1", "sleep", "0.2", *steps, "sleep", "0.2",
                    "mouseup", "1", "sleep", "0.1", "keyup", "super")
        time.sleep(0.5)

    def still_picture(self):
        """What is to be seen once nothing moves any more; something may always blink."""
        before = self.picture()
        for _ in range(10):
            time.sleep(0.5)
            after = self.picture()
            if after == before:
                break
            before = after
        return before

    def picture(self):
        """Rows of the output, four bytes a pixel."""
        # Out of the way, in a corner that no picture is compared in.
        self.point_at(WIDTH - 2, HEIGHT - 2)
        time.sleep(0.3)
        left, top = self.app.geometry(self.window)[:2]
        with open(os.environ["HOLDALL_FRAMEBUFFER"], "rb") as file:
            width, _height, rows = self.screen.read_xwd(file.read())
        size = len(rows[0]) // width
        return [row[left * size:(left + WIDTH) * size] for row in rows[top:top + HEIGHT - 30]]

    @staticmethod
    def find_change(before, after, height=HEIGHT):
        """left, top, right, bottom of what differs, above a height."""
        size = len(before[0]) // WIDTH
        changed = [i for i, row in enumerate(after[:height]) if row != before[i]]
        check(changed, "nothing has come up")
        columns = [x for x in range(WIDTH)
                   if any(before[i][x * size:(x + 1) * size] != after[i][x * size:(x + 1) * size]
                          for i in changed[::7])]
        return columns[0], changed[0], columns[-1] + 1, changed[-1] + 1

    def environment(self):
        return {"GDK_BACKEND": "wayland", "WAYLAND_DISPLAY": SOCKET}

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()


class Stage:
    """Holdall on the left, Thunar with an empty folder at the lower right."""

    def __init__(self, app):
        self.app = app
        self.weston = Weston(app)
        self.thunar = None

    def __enter__(self):
        try:
            self.start_thunar()
            self.start_program()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_thunar(self):
        app, weston = self.app, self.weston
        self.target = app.path("target")
        os.mkdir(self.target)
        env = app.environment(**weston.environment())
        # Warnings of others are theirs; without a display there is no way back to X11.
        for name in ("G_DEBUG", "G_SLICE", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
                     "DISPLAY"):
            env.pop(name, None)
        before = weston.still_picture()
        self.thunar = subprocess.Popen(["thunar", self.target], env=env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness.wait_for("Thunar", lambda: weston.picture() != before)
        time.sleep(2)  # Thunar fills its window bit by bit
        left, top, right, bottom = weston.find_change(before, weston.still_picture())
        delta = WIDTH - right, HEIGHT - 30 - bottom
        weston.drag_window(((left + right) // 2, (top + bottom) // 2), delta)
        # Its content: a point of its view, and where its upper edge is.
        self.top = top + delta[1]
        self.drop_point = (left + delta[0] + (right - left) * 2 // 3,
                           self.top + (bottom - top) * 2 // 3)

    def start_program(self):
        app, weston = self.app, self.weston
        settings = app.path("config", "glib-2.0", "settings")
        os.makedirs(settings)
        with open(os.path.join(settings, "keyfile"), "w", encoding="ascii") as file:
            file.write(f"[io/github/holdall/Holdall]\nwindow-size={WINDOW_SIZE}\n")
        plain_start = app.start
        app.start = lambda *arguments: plain_start(*arguments, GSETTINGS_BACKEND="keyfile",
                                                   **weston.environment())
        before = weston.still_picture()
        self.path = make_five(app)
        harness.wait_for("the window", lambda: weston.picture() != before)
        # Thunar looks different now that it is not the active window, so only what is above it tells.
        left, _top, right, _bottom = weston.find_change(before, weston.still_picture(),
                                                      self.top - 10)
        weston.drag_window(((left + right) // 2, self.top - 40), (-left, 0))

    def row(self, path):
        self.app.activate_string("row-geometry", path)

        def ask():
            numbers = [int(word) for word in
                       self.app.describe("row-geometry")[1].strip("<()>").split(",")]
            return numbers if numbers[2] > 0 else None

        x, y, _width, height = harness.wait_for(f"the row of {path}", ask)
        return x + 60, y + height // 2

    def select_five(self):
        """After a real click: the compositor has to know that there was one."""
        self.weston.click(*self.row("tool"))
        doors.select(self.app, *FIVE)

    def __exit__(self, *_):
        if self.thunar is not None:
            self.thunar.kill()
            self.thunar.wait()
        # The program first: without a compositor it can only complain.
        try:
            self.app.stop()
        finally:
            self.weston.__exit__()


def test_drag_into_thunar(app):
    with Stage(app) as stage:
        before = digest(stage.path)
        stage.select_five()
        weston = stage.weston
        x, y = weston.at(*stage.row("tool"))
        target = weston.at(*stage.drop_point)
        harness.run("xdotool", "mousemove", str(x), str(y), "sleep", "0.15", "mousedown", "1",
                    "sleep", "0.1", *["mousemove_relative", "6", "2", "sleep", "0.05"] * 3,
                    "sleep", "0.3")
        for step in range(1, 21):
            harness.run("xdotool", "mousemove", str(x + (target[0] - x) * step // 20),
                        str(y + (target[1] - y) * step // 20), "sleep", "0.04")
        app.wait_job("extract")

        def is_taken():
            doors.wiggle(*target)
            return app.status()["drag"] == "taken"
        harness.wait_for("Thunar to take it", is_taken)
        for _ in range(5):
            doors.wiggle(*target)
        harness.run("xdotool", "mouseup", "1")
        doors.wait_five(stage.target)
        check(digest(stage.path) == before, "the archive has changed")


def test_cut_into_thunar(app):
    with Stage(app) as stage:
        stage.select_five()
        app.key("ctrl+x")
        app.wait_job("extract")
        stage.weston.still_picture()
        stage.weston.click(*stage.drop_point)
        # Thunar asks first what is on the clipboard.
        for _ in range(3):
            app.key("ctrl+v")
            with contextlib.suppress(harness.Failure):
                harness.wait_for("the paste", lambda: archives.read_tree(stage.target), 30)
                break
        app.wait_job("update")
        check_five(stage.target)
        check(names(stage.path) == ["other.txt"], f"{names(stage.path)}")
        check(len(app.jobs("update")) == 1, "more than one rewrite")


if __name__ == "__main__":
    harness.main(globals())
