#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""D06: drags and pastes into real programs that are no file managers, as far as they are installed."""

import os

import doors
import harness
import programs
from doors import select
from harness import check

# One; several, of which one has a name that is not what it looks like in an address.
CHOICES = [["read me.txt"], ["numbers.bin", "photo.png", programs.PERCENT_NAME]]


def give_page(app, browser_class):
    """By a drop on the page, by a drop on its button for files, by a paste."""
    files = programs.start(app)
    with programs.Page() as page, browser_class(app, page.url) as browser:
        harness.wait_for("the page", lambda: page.places, 3 * harness.PATIENCE)
        browser.arrange()
        for chosen in CHOICES:
            expected = {name: files[name] for name in chosen}
            n_jobs = len(app.jobs("extract")) + 1
            for door in ("zone", "input"):
                page.forget()
                select(app, *chosen)
                doors.drag(app, chosen[0], page.place(door), n_jobs)
                page.wait(door, expected)
            page.forget()
            select(app, *chosen)
            app.activate("copy")
            doors.wait_clipboard_ours(app, b"copy")
            harness.run("xdotool", "windowactivate", "--sync", browser.window)
            app.click(*page.place("paste"))
            app.key("ctrl+v")
            page.wait("paste", expected, browser.PASTES_ONE)


def test_firefox(app):
    give_page(app, programs.Firefox)


def test_chromium(app):
    give_page(app, programs.Chromium)


def test_escape_ends_a_drag(app):
    """D08: while the button is still down; nothing is dropped when it is let go, and all goes on."""
    programs.start(app)
    select(app, "read me.txt")
    doors.grab(app, "read me.txt")
    app.key("Escape")
    doors.wait_drag(app, "ended")
    harness.run("xdotool", "mouseup", "1")
    x, y = app.row_centre("photo.png")
    app.click(x, y)
    app.wait_status("another selection", lambda s: s["selected"] == 1)
    doors.grab(app, "photo.png")
    doors.cancel_drag(app)


def test_claws_mail(app):
    """What is dropped on a message is attached to it."""
    files = programs.start(app)
    with programs.ClawsMail(app) as mail:
        expected = {}
        for number, chosen in enumerate(CHOICES, 1):
            select(app, *chosen)
            doors.drag(app, chosen[0], mail.drop_point(), number)
            expected.update({name: files[name] for name in chosen})

            def attached(wanted=expected):
                return mail.read_attachments() == wanted
            try:
                harness.wait_for("the attachments", attached, interval=1)
            except harness.Failure as failure:
                found = {name: len(data) for name, data in mail.read_attachments().items()}
                raise harness.Failure(f"{failure}; there are {found}") from failure


def give_editor(app, command, window_class, name, title=None):
    """It opens the file; and the file is there as long as the program goes on (D07)."""
    files = programs.start(app)
    with programs.Editor(app, command, window_class) as editor:
        select(app, name)
        doors.drag(app, name, editor.drop_point(), 1)
        editor.wait_title(title or name)
        check(len(doors.staged(app)) == 1, f"{doors.staged(app)}")
        staged = os.path.join(app.path("cache", "holdall", "staging"), doors.staged(app)[0],
                              "files", name)
        check(doors.read(staged) == files[name], "the file is another one, or gone")


def test_gimp(app):
    give_editor(app, "gimp --no-splash --new-instance", "gimp", "photo.png", "[photo]")


def test_mousepad(app):
    """GTK 3."""
    give_editor(app, "mousepad --disable-server", "mousepad", programs.PERCENT_NAME)


def test_featherpad(app):
    """Qt."""
    give_editor(app, "featherpad --standalone", "featherpad", programs.PERCENT_NAME)


if __name__ == "__main__":
    harness.main(globals())
