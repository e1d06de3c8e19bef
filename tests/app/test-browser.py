#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Rows under mouse and keys: selecting, sorting, finding back, and names in old encodings."""

import struct
import time
import zlib

import archives
import harness
from harness import check

N_LOGS = 120


def open_many(app):
    """A folder that is longer than the window, between others."""
    files = {f"logs/run {i}.log": b"x" * i for i in range(1, N_LOGS + 1)}
    files.update({"docs/read me.txt": b"read me", "docs/deep/er/leaf.txt": b"leaf",
                  "top.txt": b"top", "alpha.bin": b"a" * 5000, "key.pem": b"k" * 10})
    path = archives.make_zip(app.path("many.zip"), files)
    app.start(path)
    app.wait_open()
    return path


def set_state(app, action, value):
    result = app.call(app.window_path(1), "SetState", action, f"<{value}>", "{}")
    check(result.returncode == 0, f"{action}: {result.stderr}")


def click(app, path, modifier=None):
    x, y = app.row_centre(path)
    harness.run("xdotool", "mousemove", str(x), str(y))
    time.sleep(0.1)  # as a hand, which does not press in the moment of its arrival
    if modifier:
        harness.run("xdotool", "keydown", modifier)
    harness.run("xdotool", "click", "1")
    if modifier:
        harness.run("xdotool", "keyup", modifier)


def wait_selected(app, *paths):
    app.wait_status(f"{paths} selected", lambda s: sorted(s["selected_paths"]) == sorted(paths))


def test_click_with_modifiers(app):
    """Ctrl adds and takes away (GTK 4.8's column view does neither), Shift takes all between."""
    open_many(app)
    app.focus(harness.wait_for("the window", app.windows)[-1])
    click(app, "docs")
    wait_selected(app, "docs")
    click(app, "top.txt", "ctrl")
    wait_selected(app, "docs", "top.txt")
    click(app, "docs", "ctrl")
    wait_selected(app, "top.txt")
    click(app, "alpha.bin")
    wait_selected(app, "alpha.bin")
    click(app, "top.txt", "shift")
    wait_selected(app, "alpha.bin", "key.pem", "top.txt")


def test_natural_order_and_sorting(app):
    """Number by number, and what is selected stays so whichever way the rows run."""
    open_many(app)
    app.activate_string("go-to", "logs")
    status = app.wait_status("the logs", lambda s: s["rows"] == N_LOGS)
    expected = [f"logs/run {i}.log" for i in range(1, 51)]
    check(status["first_rows"] == expected, f"{status['first_rows'][:12]}")
    app.activate("select", "['logs/run 7.log', 'logs/run 70.log']")
    wait_selected(app, "logs/run 7.log", "logs/run 70.log")
    app.activate_string("sort", "size")
    set_state(app, "sort-descending", "true")
    status = app.wait_status("largest first",
                             lambda s: s["first_rows"][0] == f"logs/run {N_LOGS}.log")
    check(status["selected"] == 2, f"{status['selected']} selected after sorting")
    wait_selected(app, "logs/run 7.log", "logs/run 70.log")


def test_header_sorts(app):
    """A click on the title of a column sorts by it, a second one the other way."""
    open_many(app)
    window = harness.wait_for("the window", app.windows)[-1]
    app.focus(window)
    _x, y = app.row_centre("docs")
    left, _top, width, _height = app.geometry(window)
    # The last of the usual columns is the time, and all entries have the same; the name is the first.
    app.click(left + 40, y - 30)
    app.wait_status("names downwards",
                    lambda s: s["first_rows"] == ["logs", "docs", "top.txt", "key.pem", "alpha.bin"])
    time.sleep(0.7)  # two clicks, not a double click
    app.click(left + 40, y - 30)
    app.wait_status("names upwards",
                    lambda s: s["first_rows"] == ["docs", "logs", "alpha.bin", "key.pem", "top.txt"])
    check(app.describe("sort")[1] == "<'name'>", f"{app.describe('sort')}")
    app.click(left + width - 60, y - 30)
    harness.wait_for("the time to sort", lambda: app.describe("sort")[1] == "<'modified'>")


def test_coming_back_finds_the_folder(app):
    """Up and back select what one comes out of."""
    open_many(app)
    app.activate_string("go-to", "docs/deep/er/leaf.txt")
    app.wait_status("the folder of the file", lambda s: s["folder"] == "docs/deep/er")
    wait_selected(app, "docs/deep/er/leaf.txt")
    app.activate("go-up")
    wait_selected(app, "docs/deep/er")
    app.activate_string("go-to", "")
    wait_selected(app, "docs")
    app.activate("go-back")
    app.wait_status("docs/deep", lambda s: s["folder"] == "docs/deep")


def test_reading_again_keeps_the_place(app):
    """Folder, selection and scroll position survive a new list of the same file."""
    open_many(app)
    app.activate_string("go-to", "logs/run 90.log")
    wait_selected(app, "logs/run 90.log")
    before = app.wait_status("the row in view", lambda s: s["scroll"] > 0)
    app.activate("try-again")
    harness.wait_for("the second list",
                     lambda: len([job for job in app.jobs("open") if job["state"] == "done"]) == 2)
    after = app.wait_status("the same place", lambda s: not s["busy"] and s["folder"] == "logs"
                            and s["selected_paths"] == ["logs/run 90.log"])
    harness.wait_for("the same scroll position", lambda: app.status()["scroll"] == before["scroll"])
    check(after["rows"] == N_LOGS, f"{after['rows']} rows")


def test_folder_that_is_gone(app):
    """The nearest folder that is left is shown."""
    path = open_many(app)
    app.activate_string("go-to", "docs/deep/er")
    app.wait_status("deep down", lambda s: s["folder"] == "docs/deep/er")
    archives.make_zip(path, {"docs/other.txt": b"o"})
    app.activate("try-again")
    app.wait_status("the folder that is left", lambda s: s["folder"] == "docs" and s["rows"] == 1)


def test_search_keeps_the_folder_behind(app):
    """Results come from everywhere; Escape goes back; a result shows where it lies."""
    open_many(app)
    app.activate_string("go-to", "docs")
    app.wait_status("docs", lambda s: s["folder"] == "docs")
    app.activate_string("search-text", "run 11")
    app.wait_status("results", lambda s: s["search"] == "run 11" and s["rows"] == 11)
    set_state(app, "search", "false")
    app.wait_status("docs again", lambda s: s["search"] is None and s["folder"] == "docs")
    app.activate_string("search-text", "leaf")
    app.wait_status("the leaf", lambda s: s["rows"] == 1)
    app.activate("select", "['docs/deep/er/leaf.txt']")
    app.wait_status("it is selected", lambda s: s["selected"] == 1)
    harness.wait_for("show-in-folder", lambda: app.is_enabled("show-in-folder"))
    app.activate("show-in-folder")
    app.wait_status("its folder", lambda s: s["folder"] == "docs/deep/er" and s["search"] is None)
    wait_selected(app, "docs/deep/er/leaf.txt")


def test_typing_searches(app):
    open_many(app)
    app.focus(harness.wait_for("the window", app.windows)[-1])
    app.type("leaf")
    app.wait_status("the leaf", lambda s: s["search"] == "leaf" and s["rows"] == 1)
    app.key("Return")
    wait_selected(app, "docs/deep/er/leaf.txt")
    app.key("Escape")
    app.wait_status("the top", lambda s: s["search"] is None and s["rows"] == 5)


def make_old_zip(path, names, charset):
    """As a DOS program wrote it: names in a code page and no mark."""
    body, directory = b"", b""
    for name in names:
        raw, data = name.encode(charset), b"hi"
        crc = zlib.crc32(data)
        fields = struct.pack("<HHHHIIIHH", 0, 0, 0, 0x5000, crc, 2, 2, len(raw), 0)
        directory += (struct.pack("<IHH", 0x02014B50, 20, 20) + fields
                      + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + raw)
        body += struct.pack("<IH", 0x04034B50, 20) + fields + raw + data
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(names), len(names), len(directory),
                      len(body), 0)
    with open(path, "wb") as file:
        file.write(body + directory + end)
    return path


def test_encoding_is_chosen(app):
    """E01: another code page gives other names at once, in the folder one is in."""
    app.start(make_old_zip(app.path("old.zip"), ["Фото/снимок.jpg", "Привет.txt"], "cp866"))
    app.wait_open()
    app.activate_string("encoding", "CP850")
    app.wait_status("other names", lambda s: s["rows"] == 2 and "Привет.txt" not in s["first_rows"])
    app.activate_string("encoding", "CP866")
    app.wait_status("the names", lambda s: "Привет.txt" in s["first_rows"])
    app.activate_string("go-to", "Фото")
    app.wait_status("the folder", lambda s: s["first_rows"] == ["Фото/снимок.jpg"])


def test_encoding_is_remembered(app):
    """Chosen once, and another window reads that archive so at once; another archive it does not."""
    path = make_old_zip(app.path("old.zip"), ["Фото/снимок.jpg", "Привет.txt"], "cp866")
    app.start(path)
    app.wait_open()
    app.activate_string("encoding", "CP850")
    app.wait_status("other names", lambda s: s["rows"] == 2 and "Привет.txt" not in s["first_rows"])
    app.second_start(path)
    app.wait_status("the names as they were chosen", lambda s: s["archive"] and s["rows"] == 2
                    and "Привет.txt" not in s["first_rows"], window=2)
    check(app.string_state("encoding", 2) == "CP850", "the choice is not remembered")
    other = make_old_zip(app.path("other.zip"), ["Фото/снимок.jpg", "Привет.txt"], "cp866")
    app.second_start(other)
    app.wait_status("the names as guessed", lambda s: "Привет.txt" in s["first_rows"], window=3)


def test_preview_of_text_and_picture(app):
    """F8, and what is no picture does no harm."""
    files = {"a.txt": b"text\n" * 10, "b.png": b"\x89PNG\r\n\x1a\nrubbish", "c.bin": bytes(5000),
             "folder/d.txt": b"d"}
    app.start(archives.make_zip(app.path("sample.zip"), files))
    app.wait_open()
    set_state(app, "show-preview", "true")
    for path in ("a.txt", "b.png", "c.bin", "folder"):
        app.activate("select", f"['{path}']")
        wait_selected(app, path)
        time.sleep(0.4)  # so that it is drawn; what comes sooner is drawn never, and that is no fault
    app.activate("select-all")
    app.wait_status("all", lambda s: s["selected"] == 4)
    check(app.is_running(), "the program is gone")


def is_in_tree(app, folder):
    app.activate("place-geometry", f"('tree', '{folder}')")
    return not app.describe("place-geometry")[1].startswith("<(0,")


def test_tree_stays_unfolded_after_an_edit(app):
    """And what was folded stays folded."""
    open_many(app)
    if app.describe("show-tree")[1] == "<false>":
        app.activate("show-tree")
    app.activate_string("go-to", "docs/deep/er")
    harness.wait_for("the tree to unfold", lambda: is_in_tree(app, "docs/deep/er"))
    app.activate_string("go-to", "")
    app.activate("select", "['alpha.bin']")
    app.wait_status("the selection", lambda s: s["selected"] == 1)
    app.activate("delete")
    app.wait_job("update")
    app.wait_status("one row less", lambda s: "alpha.bin" not in s["first_rows"])
    harness.wait_for("the tree as it was", lambda: is_in_tree(app, "docs/deep/er"))


if __name__ == "__main__":
    harness.main(globals())
