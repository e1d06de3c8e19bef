#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The window as a folder: opening, going around, searching, and what bad files do to it."""

import os
import time

import archives
import doors
import harness
from harness import check


def open_sample(app, **env):
    files = archives.sample_files()
    app.start(archives.make_zip(app.path("sample.zip"), files), **env)
    app.wait_open()
    return files


def test_open_by_argument(app):
    files = open_sample(app)
    status = app.status()
    check(status["folder"] == "", f"{status}")
    top = {name.split("/")[0] for name in files}
    check(status["rows"] == len(top), f"{status['rows']} rows, not {len(top)}")
    check(status["page"] == "archive", f"{status}")


def test_no_argument_welcomes(app):
    app.start()
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    check(not app.is_enabled("extract"), "extract is not grey without an archive")


def test_second_file_second_window(app):
    """One process, one window an archive."""
    open_sample(app)
    other = archives.make_zip(app.path("other.zip"), {"x.txt": b"x"})
    app.second_start(other)
    app.wait_open(window=2)
    check(app.status(2)["rows"] == 1, "the second window does not show the second file")
    check(app.status(1)["rows"] > 1, "the first window changed")


def test_choosers_go_with_their_window(app):
    """No question is left of which nobody knows what it is about; the other window stays."""
    open_sample(app)
    for number, action in enumerate(("open", "add", "extract-to"), 2):
        app.second_start(archives.make_zip(app.path(f"{action}.zip"), {"x.txt": b"x"}))
        app.wait_open(window=number)
        app.activate(action, window=number)
        app.wait_dialog(2)
        app.activate("close", window=number)
        app.wait_dialog_gone()
    check(app.status()["page"] == "archive", "the first window no longer shows its archive")


def test_go_around(app):
    open_sample(app)
    app.activate_string("go-to", "tool/lib")
    app.wait_status("tool/lib", lambda s: s["folder"] == "tool/lib" and s["rows"] == 4)
    app.activate("go-up")
    app.wait_status("tool", lambda s: s["folder"] == "tool" and s["rows"] == 2)
    app.activate("go-back")
    app.wait_status("tool/lib again", lambda s: s["folder"] == "tool/lib")
    app.activate("go-forward")
    app.wait_status("tool again", lambda s: s["folder"] == "tool")
    app.activate("go-up")
    app.wait_status("the top", lambda s: s["folder"] == "")
    check(not app.is_enabled("go-up"), "up is not grey at the top")


def test_hundreds_of_folders(app):
    """The path shows its end and a way up, and the tree does not follow for ever."""
    parts = [f"d{i}" for i in range(400)]
    path = archives.make_zip(app.path("deep.zip"), {"/".join(parts) + "/a.txt": b"a"})
    app.start(path)
    app.wait_open()
    app.activate_string("go-to", "/".join(parts))
    app.wait_status("the bottom", lambda s: s["folder"] == "/".join(parts) and s["rows"] == 1)

    def is_shown(folder):
        app.activate("place-geometry", f"('path-bar', '{folder}')")
        return app.describe("place-geometry")[1] != "<(0, 0)>"

    harness.wait_for("the end of the path", lambda: is_shown("/".join(parts[:-1])))
    check(not is_shown("/".join(parts[:200])), "the middle is shown")
    app.activate("go-up")
    app.wait_status("one up", lambda s: s["folder"] == "/".join(parts[:-1]))
    app.activate_string("go-to", "")
    app.wait_status("the top", lambda s: s["folder"] == "" and s["first_rows"] == ["d0"])


def test_go_to_nowhere_stays(app):
    open_sample(app)
    app.activate_string("go-to", "no/such/folder")
    time.sleep(0.3)  # nothing is to happen
    check(app.status()["folder"] == "", "went to a folder that is not there")


def test_view_switch(app):
    open_sample(app)
    for view in ("grid", "list", "grid"):
        app.activate_string("view", view)
        app.wait_status(view, lambda s, v=view: s["view"] == v)
    check(app.status()["rows"] > 0, "the grid is empty")


def test_search_whole_archive(app):
    """By typing, as a person does: in the whole archive, then Esc goes back."""
    files = open_sample(app)
    window = harness.wait_for("the window", app.windows)[-1]
    app.focus(window)
    app.key("ctrl+f")
    app.type("photo")
    n_found = sum("photo" in name for name in files)
    app.wait_status("results", lambda s: s["rows"] == n_found)
    app.key("Escape")
    app.wait_status("the folder again", lambda s: s["rows"] < n_found)


def test_select_all_and_invert(app):
    open_sample(app)
    app.activate("select-all")
    status = app.wait_status("all", lambda s: s["selected"] == s["rows"])
    app.activate("invert-selection")
    app.wait_status("none", lambda s: s["selected"] == 0)
    check(status["rows"] > 0, "no rows")


def test_keyboard_alone(app):
    """Enter opens a folder, Backspace and Alt+Left leave it, Alt+Return shows properties."""
    open_sample(app)
    window = harness.wait_for("the window", app.windows)[-1]
    app.focus(window)
    app.activate("select", "['tool']")
    app.wait_status("the selection", lambda s: s["selected"] == 1)
    app.key("Return")
    app.wait_status("tool", lambda s: s["folder"] == "tool")
    app.key("BackSpace")
    app.wait_status("the top", lambda s: s["folder"] == "")
    app.key("alt+Left")
    app.wait_status("tool again", lambda s: s["folder"] == "tool")
    app.key("alt+Up")
    app.wait_status("the top again", lambda s: s["folder"] == "")
    app.key("ctrl+a")
    app.wait_status("all", lambda s: s["selected"] == s["rows"])
    app.key("alt+Return")
    app.wait_dialog()
    app.key("Escape")
    app.wait_dialog_gone()
    app.key("F9")
    harness.wait_for("the tree", lambda: app.describe("show-tree")[1] == "<true>")


def test_first_arrow_takes_first_row(app):
    """Nothing is selected at first; the row that has the focus is what the first key is about."""
    open_sample(app)
    app.focus(harness.wait_for("the window", app.windows)[-1])
    first, second = app.status()["first_rows"][:2]
    app.key("Down")
    app.wait_status("the first row", lambda s: s["selected_paths"] == [first])
    app.key("Down")
    app.wait_status("the second row", lambda s: s["selected_paths"] == [second])


def test_enter_without_selection(app):
    open_sample(app)
    app.focus(harness.wait_for("the window", app.windows)[-1])
    first = app.status()["first_rows"][0]
    app.key("Return")
    app.wait_status("the first folder", lambda s: s["folder"] == first)


def test_focus_after_menu(app):
    """Escape leaves the menu, and the arrow keys go on from the row that it was about."""
    open_sample(app)
    window = harness.wait_for("the window", app.windows)[-1]
    app.focus(window)
    rows = app.status()["first_rows"]
    app.activate("select", f"[{harness.to_gvariant(rows[0])}]")
    app.wait_status("the first row", lambda s: s["selected_paths"] == rows[:1])

    def count_surfaces():
        """Menus are windows that no window manager knows of."""
        return len(harness.run("xdotool", "search", "--onlyvisible", "--class", "holdall").stdout.split())

    n_surfaces = count_surfaces()
    app.click(*app.row_centre(rows[1]), button=3)
    app.wait_status("the second row", lambda s: s["selected_paths"] == [rows[1]])
    harness.wait_for("the menu", lambda: count_surfaces() > n_surfaces)
    app.key("Escape")
    harness.wait_for("the menu to be gone", lambda: count_surfaces() == n_surfaces)
    app.key("Down")
    app.wait_status("the row below", lambda s: s["selected_paths"] == [rows[2]])


def bad_input(app, path, *arguments):
    """A page in the window, no dialog, no crash; the window can open something else."""
    app.start(path, *arguments)
    status = app.wait_status("the error page", lambda s: s["page"] == "error")
    check(not app.is_enabled("extract"), "extract is not grey")
    good = archives.make_zip(app.path("good.zip"), {"a.txt": b"a"})
    app.second_start(good)
    harness.wait_for("the good archive in some window", lambda: any(
        (app.status(number) or {}).get("page") == "archive" for number in (1, 2)))
    return status


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def test_bad_random_bytes(app):
    bad_input(app, write(app.path("random.zip"), bytes((i * 7919 >> 3) & 0xFF for i in range(5000))))


def test_bad_empty_file(app):
    bad_input(app, write(app.path("empty.zip"), b""))


def test_bad_text(app):
    bad_input(app, write(app.path("notes.txt"), b"just some words\n" * 10))


def test_bad_folder(app):
    os.mkdir(app.path("folder"))
    bad_input(app, app.path("folder"))


def test_bad_missing(app):
    bad_input(app, app.path("not-there.zip"))


def test_bad_truncated(app):
    """The list stood at the end and is gone: what could be found is shown, and said to be that."""
    path = archives.make_zip(app.path("cut.zip"), archives.sample_files())
    os.truncate(path, os.path.getsize(path) // 2)
    app.start(path)
    status = app.wait_open()
    check(status["damage"] and status["damage"].startswith("The Archive Is "), f"{status['damage']}")
    app.activate("hide-damage-bar")
    app.wait_status("no bar", lambda s: not s["damage"])
    app.activate("try-again")
    check(not app.wait_open()["damage"], "the bar came back")
    good = archives.make_zip(app.path("good.zip"), {"a.txt": b"a"})
    app.second_start(good)
    check(not app.wait_open(2)["damage"], "a whole archive is called damaged")


def test_bad_directory(app):
    """There is neither a list where it should be nor an entry without it: the page promises no
    entries."""
    data = doors.read(archives.make_zip(app.path("odd.zip"), {"a.txt": b"a" * 100}))
    start = data.index(b"PK\5\6")
    status = bad_input(app, write(app.path("bad.zip"), bytes(start) + data[start:]))
    check(status["error"] == "The Archive Is Damaged" and "extracted" not in status["error_body"]
          and "fresh copy" in status["error_body"], f"{status}")


def test_empty_archive(app):
    """Z22 bytes of a ZIP without entries: an empty folder and not an error."""
    app.start(archives.make_zip(app.path("none.zip"), {}))
    app.wait_status("the empty folder", lambda s: s["archive"] and s["page"] != "error" and s["rows"] == 0)
    check(not app.is_enabled("extract"), "extract is not grey for an empty archive")


if __name__ == "__main__":
    harness.main(globals())
