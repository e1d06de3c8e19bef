#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Changing an archive in the real window: what is in the file afterwards, what can be undone, what is refused."""

import io
import os
import struct
import subprocess
import tarfile
import time
import warnings
import zipfile

import archives
import doors
import harness
from harness import check, to_gvariant


def open_zip(app, files=None, name="edit.zip"):
    path = archives.make_zip(app.path(name), files or archives.sample_files())
    app.start(path)
    app.wait_open()
    return path


def names(path):
    with zipfile.ZipFile(path) as archive:
        return sorted(archive.namelist())


def content(path):
    with zipfile.ZipFile(path) as archive:
        check(archive.testzip() is None, "the archive is damaged")
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path):
    """name → the compressed bytes as they lie in the file"""
    found = {}
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for info in archive.infolist():
            file.seek(info.header_offset + 26)
            n_name, n_extra = struct.unpack("<HH", file.read(4))
            file.seek(n_name + n_extra, os.SEEK_CUR)
            found[info.filename] = file.read(info.compress_size)
    return found


def select(app, *paths, window=1):
    app.activate("select", "[" + ", ".join(to_gvariant(path) for path in paths) + "]", window)
    app.wait_status("the selection", lambda s: set(s["selected_paths"]) == set(paths), window)


def wait_edit(app, verb="update", number=0, state="done", window=1):
    job = app.wait_job(verb, state=state, number=number, window=window)
    app.wait_status("rest", lambda s: not s["busy"], window)
    return job


def focus_rows(app, number=-1):
    window = harness.wait_for("the window", app.windows)[number]
    app.focus(window)
    return window


def begin_rename(app):
    app.key("F2")
    app.wait_status("the entry for the name", lambda s: s["focus"] == "GtkText")


def is_drag_taken(app, target):
    doors.wiggle(*target)
    return app.status()["drag"] == "taken"


def test_delete_by_key_undo_redo(app):
    path = open_zip(app)
    with open(path, "rb") as file:
        before = file.read()
    focus_rows(app)
    select(app, "tool", "read me.txt")
    app.key("Delete")
    wait_edit(app)
    after = names(path)
    check("read me.txt" not in after and not any(n.startswith("tool/") for n in after), f"{after}")
    check("Übersicht.txt" in after, f"too much is gone: {after}")
    app.wait_status("rows", lambda s: "tool" not in s["first_rows"] and not s["selected"])

    app.key("ctrl+z")
    wait_edit(app, "restore")
    with open(path, "rb") as file:
        check(file.read() == before, "undo did not bring the same bytes back")
    app.wait_status("rows", lambda s: "tool" in s["first_rows"])

    app.key("ctrl+shift+z")
    wait_edit(app, "restore", 1)
    check(names(path) == after, f"redo: {names(path)}")
    harness.wait_for("undo", lambda: app.is_enabled("undo"))
    check(not app.is_enabled("redo"), "redo is not grey at the end")


def test_a_new_edit_ends_redo(app):
    open_zip(app)
    select(app, "read me.txt")
    app.activate("delete")
    wait_edit(app)
    app.activate("undo")
    wait_edit(app, "restore")
    harness.wait_for("redo", lambda: app.is_enabled("redo"))
    select(app, "empty")
    app.activate("delete")
    wait_edit(app, number=1)
    harness.wait_for("redo to be grey", lambda: not app.is_enabled("redo"))


def test_rename_by_key(app):
    """F2, the stem is selected, Enter: the suffix stays, and the row stays selected."""
    path = open_zip(app)
    before = packed(path)
    focus_rows(app)
    select(app, "read me.txt")
    begin_rename(app)
    app.type("liesmich")
    app.key("Return")
    wait_edit(app)
    check("liesmich.txt" in names(path) and "read me.txt" not in names(path), f"{names(path)}")
    check(packed(path)["liesmich.txt"] == before["read me.txt"], "it was packed anew")
    app.wait_status("the row selected", lambda s: s["selected_paths"] == ["liesmich.txt"])


def test_rename_one_of_two(app):
    """Z10: of two files of one name the one whose row it is gets the new one."""
    path = app.path("twins.zip")
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("a.txt", b"first")
        archive.writestr("a.txt", b"second")
    app.start(path)
    app.wait_open()
    focus_rows(app)
    app.key("Home", "Down")
    app.wait_status("the selection", lambda s: s["selected_paths"] == ["a.txt"])
    begin_rename(app)
    app.type("b")
    app.key("Return")
    wait_edit(app)
    with zipfile.ZipFile(path) as archive:
        found = [(info.filename, archive.read(info)) for info in archive.infolist()]
    check(found == [("a.txt", b"first"), ("b.txt", b"second")], f"{found}")


def test_rename_escape_and_taken(app):
    """Escape keeps the name; a name that is taken is not accepted."""
    path = open_zip(app)
    before = names(path)
    focus_rows(app)
    select(app, "read me.txt")
    begin_rename(app)
    app.type("x")
    app.key("BackSpace", "Escape")
    app.wait_status("the rows to have the keyboard again", lambda s: s["focus"] != "GtkText")
    check(app.status()["folder"] == "" and not app.jobs("update"), "the keys went past the entry")
    begin_rename(app)
    app.key("ctrl+a")
    app.type("tool")
    app.key("Return")
    time.sleep(0.5)  # nothing is to happen, for which nothing can be waited
    check(not app.jobs("update"), "a name that is taken was accepted")
    app.key("Escape")
    check(names(path) == before, "something was renamed")


def test_rename_folder_in_grid(app):
    path = open_zip(app)
    app.activate_string("view", "grid")
    focus_rows(app)
    select(app, "tool")
    begin_rename(app)
    app.type("tools")
    app.key("Return")
    wait_edit(app)
    check("tools/lib/part1.c" in names(path), f"{names(path)}")


def test_new_folder(app):
    path = open_zip(app)
    app.activate_string("go-to", "tool")
    app.wait_status("the folder", lambda s: s["folder"] == "tool")
    focus_rows(app)
    app.key("ctrl+shift+n")
    app.focus(app.wait_dialog())
    app.type("lib")
    app.key("Return")  # taken: the button is grey
    time.sleep(0.3)  # nothing is to happen
    check(not app.jobs("update"), "a name that is taken was accepted")
    app.type("s 2")
    app.key("Return")
    wait_edit(app)
    check("tool/libs 2/" in names(path), f"{names(path)}")
    app.wait_status("the folder selected", lambda s: s["selected_paths"] == ["tool/libs 2"])


def test_cut_paste_inside(app):
    """A move in an archive is a change of names: nothing is packed anew."""
    path = open_zip(app)
    before = packed(path)
    focus_rows(app)
    select(app, "pictures", "read me.txt")
    app.key("ctrl+x")
    harness.wait_for("paste", lambda: app.is_enabled("paste"))
    app.activate_string("go-to", "tool")
    app.wait_status("the folder", lambda s: s["folder"] == "tool" and not s["busy"])
    app.key("ctrl+v")
    wait_edit(app)
    after = packed(path)
    wanted = {("tool/" + name if name.startswith(("pictures/", "read me")) else name): data
              for name, data in before.items()}
    check(after == wanted, f"{sorted(after)}")
    app.wait_status("what was pasted is selected",
                    lambda s: set(s["selected_paths"]) == {"tool/pictures", "tool/read me.txt"})
    harness.wait_for("paste to be grey", lambda: not app.is_enabled("paste"))


def test_copy_paste_inside_keeps_both(app):
    """Names that are taken: "a (2).txt"; a folder is copied beside itself and not into itself."""
    path = open_zip(app, {"a.txt": b"a" * 999, "d/x.txt": b"x", "d/e/y.txt": b"y"})
    select(app, "a.txt", "d")
    app.activate("copy")
    app.activate("paste")
    wait_edit(app)
    found = content(path)
    check(found.get("a (2).txt") == b"a" * 999 and found.get("a.txt") == b"a" * 999, f"{sorted(found)}")
    check(found.get("d (2)/x.txt") == b"x" and found.get("d (2)/e/y.txt") == b"y", f"{sorted(found)}")
    check(not any("x (2)" in name for name in found), f"mixed: {sorted(found)}")
    check(packed(path)["a (2).txt"] == packed(path)["a.txt"], "packed anew")


def test_folder_not_into_itself(app):
    path = open_zip(app, {"d/x.txt": b"x"})
    before = names(path)
    select(app, "d")
    app.activate("cut")
    app.activate_string("go-to", "d")
    app.wait_status("the folder", lambda s: s["folder"] == "d" and not s["busy"])
    app.activate("paste")
    time.sleep(0.5)  # nothing is to happen
    check(names(path) == before and not app.jobs("update"), "a folder went into itself")


def test_escape_ends_a_cut(app):
    path = open_zip(app)
    before = names(path)
    focus_rows(app)
    select(app, "read me.txt")
    app.key("ctrl+x")
    harness.wait_for("paste", lambda: app.is_enabled("paste"))
    app.key("Escape")
    harness.wait_for("paste to be grey", lambda: not app.is_enabled("paste"))
    check(names(path) == before, "something changed")


def test_cut_between_windows(app):
    """Compressed bytes travel as they are, and leave their archive once they are in the other."""
    path = open_zip(app)
    other = archives.make_zip(app.path("other.zip"), {"pictures/photo 1.png": b"other", "z.txt": b"z"})
    app.second_start(other)
    app.wait_open(window=2)
    before = packed(path)
    select(app, "pictures", "Übersicht.txt")
    app.activate("cut")
    app.activate("paste", window=2)
    wait_edit(app, number=0, window=2)
    wait_edit(app, number=1)
    after = packed(other)
    for name, data in before.items():
        if name.startswith("pictures/"):
            arrived = "pictures (2)" + name[len("pictures"):]
            check(after.get(arrived) == data, f"{name}: {sorted(after)}")
    check(after["Übersicht.txt"] == before["Übersicht.txt"], "packed anew")
    left = names(path)
    check(not any(n.startswith("pictures/") for n in left) and "Übersicht.txt" not in left, f"{left}")
    check("read me.txt" in left, f"{left}")
    app.wait_status("rows", lambda s: "pictures" not in s["first_rows"])
    # Each window undoes its own half.
    app.activate("undo")
    wait_edit(app, "restore")
    check(packed(path) == before, "undo in the source")


def test_move_into(app):
    path = open_zip(app)
    app.activate_string("go-to", "tool")
    app.wait_status("the folder", lambda s: s["folder"] == "tool")
    select(app, "tool/lib")
    os.mkdir(app.path("out"))
    app.activate_string("move-into", app.path("out"))
    wait_edit(app, "move")
    tree = archives.read_tree(app.path("out"))
    check(tree.get("lib/part1.c") == b"int x;\n" * 400, f"{sorted(tree)}")
    check(not any(n.startswith("tool/lib/") for n in names(path)), f"{names(path)}")
    check(app.status()["folder"] == "tool", "the window left the folder")


def test_add(app):
    path = open_zip(app)
    os.makedirs(app.path("new", "sub"))
    for name, data in (("new/one.txt", b"1" * 5000), ("new/sub/two.txt", b"2")):
        with open(app.path(*name.split("/")), "wb") as file:
            file.write(data)
    app.activate_string("go-to", "empty")
    app.wait_status("the folder", lambda s: s["folder"] == "empty")
    app.activate("add-files", f"[{to_gvariant(app.path('new'))}]")
    wait_edit(app)
    found = content(path)
    check(found.get("empty/new/one.txt") == b"1" * 5000, f"{sorted(found)}")
    check(found.get("empty/new/sub/two.txt") == b"2", f"{sorted(found)}")
    app.wait_status("what was added is selected", lambda s: s["selected_paths"] == ["empty/new"])


def test_many_edits_few_rewrites(app):
    """Edits that come while one is being done are gathered."""
    path = open_zip(app, {f"f{i}.txt": b"x" for i in range(30)})
    for i in range(20):
        app.activate("rename-to", f"('f{i}.txt', 'g{i}.txt')")
    wait_edit(app, number=0)
    harness.wait_for("all names", lambda: sum(n.startswith("g") for n in names(path)) == 20)


def test_read_only_is_grey(app):
    source = app.path("iso")
    os.mkdir(source)
    with open(os.path.join(source, "a.txt"), "wb") as file:
        file.write(b"a")
    for tool in (["bsdtar", "--format=iso9660", "-cf"], ["genisoimage", "-quiet", "-o"]):
        try:
            if tool[0] == "bsdtar":
                subprocess.run([*tool, app.path("a.iso"), "-C", source, "."], check=True)
            else:
                subprocess.run([*tool, app.path("a.iso"), source], check=True)
            break
        except (OSError, subprocess.CalledProcessError):
            continue
    else:
        raise harness.Skip("nothing here makes an ISO image")
    app.start(app.path("a.iso"))
    status = app.wait_open()
    select(app, status["first_rows"][0])
    for action in ("delete", "rename", "new-folder", "add", "move-to", "cut", "paste"):
        harness.wait_for(f"{action} to be grey", lambda a=action: not app.is_enabled(a))
    for action in ("copy", "copy-to", "extract"):
        harness.wait_for(action, lambda a=action: app.is_enabled(a))


def rewrite_outside(path, files):
    """What another program does: a new file renamed over the old one."""
    archives.make_zip(path + ".new", files)
    os.rename(path + ".new", path)


def test_change_from_outside(app):
    """Another program changes the archive: the list follows, folder and selection stay."""
    files = archives.sample_files()
    path = open_zip(app, files)
    app.activate_string("go-to", "tool")
    app.wait_status("the folder", lambda s: s["folder"] == "tool")
    select(app, "tool/Makefile")
    files["tool/new.c"] = b"new"
    del files["read me.txt"]
    rewrite_outside(path, files)
    app.wait_status("the new row, and the same folder and selection", lambda s: (
        "tool/new.c" in s["first_rows"] and not s["busy"] and s["folder"] == "tool"
        and s["selected_paths"] == ["tool/Makefile"]))
    check(not app.is_enabled("undo"), "there is something to undo")
    select(app, "tool/new.c")
    app.activate("delete")
    wait_edit(app)
    check("tool/new.c" not in names(path), "an edit after the change")


def test_own_edits_are_no_change(app):
    """Our own rewrite is not taken for another program's: it is not read again, and can be undone."""
    open_zip(app)
    select(app, "read me.txt")
    app.activate("delete")
    wait_edit(app)
    time.sleep(1.5)  # longer than a change of the file is let rest before it is looked at
    check(len(app.jobs("open")) == 1, f"read again: {app.jobs('open')}")
    check(app.is_enabled("undo"), "undo was lost")


def test_file_vanishes(app):
    """The list stays to be looked at; when the file comes back it is read again."""
    files = {"a.txt": b"a"}
    path = open_zip(app, files)
    os.rename(path, path + ".away")
    said = app.wait_status("the words", lambda s: s["toast_is_shown"])
    check(said["toast"].endswith(" was moved or deleted"), said["toast"])
    check(app.status()["page"] == "archive", "the list is gone with the file")
    rewrite_outside(path, {"b.txt": b"b"})
    app.wait_status("the new file", lambda s: s["first_rows"] == ["b.txt"])
    app.wait_status("the words to be gone", lambda s: not s["toast_is_shown"])


def test_file_comes_back(app):
    """The very same one: nothing is read again, and the words that it is gone go."""
    path = open_zip(app, {"a.txt": b"a"})
    for _ in range(2):
        os.rename(path, path + ".away")
        app.wait_status("the words", lambda s: s["toast_is_shown"])
        os.rename(path + ".away", path)
        app.wait_status("the words to be gone", lambda s: not s["toast_is_shown"])
    check(len(app.jobs("open")) == 1, f"read again: {app.jobs('open')}")


def test_move_everything(app):
    """An empty, valid archive stays."""
    path = open_zip(app)
    app.activate("select-all")
    app.wait_status("the selection", lambda s: s["selected"] == s["rows"])
    os.mkdir(app.path("out"))
    app.activate_string("move-into", app.path("out"))
    wait_edit(app, "move")
    check(names(path) == [], f"{names(path)}")
    app.wait_status("no rows", lambda s: s["rows"] == 0)
    app.activate("undo")
    wait_edit(app, "restore")
    check("read me.txt" in names(path), f"{names(path)}")


def test_what_is_empty_is_thrown_away(app):
    """By the button of the toast; its window goes with it."""
    if os.stat(app.folder).st_dev != os.stat(os.path.expanduser("~")).st_dev:
        raise harness.Skip("the trash lies on another disk")
    path = open_zip(app, {"a.txt": b"a"})
    select(app, "a.txt")
    os.mkdir(app.path("out"))
    app.activate_string("move-into", app.path("out"))
    wait_edit(app, "move")
    app.click(*app.button_centre("Move to Trash"))
    try:
        app.process.wait(harness.PATIENCE)
    except subprocess.TimeoutExpired as timeout:
        raise harness.Failure(f"the window stayed; {app.status()}") from timeout
    check(not os.path.exists(path), "the archive is still there")
    check(os.path.exists(app.path("share", "Trash", "files", os.path.basename(path))),
          f"it is not in the trash: {sorted(archives.read_tree(app.folder))}")


def test_slow_format_says_its_cost(app):
    """A big archive that must be packed anew is not touched before one has said yes; once is enough."""
    with open(app.path("r.bin"), "wb") as file:
        file.write(os.urandom(66_000_000))
    path = app.path("big.tar.gz")
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.add(app.path("r.bin"), "r.bin")
        for name in ("a", "b"):
            info = tarfile.TarInfo(name)
            archive.addfile(info, io.BytesIO())
    app.start(path)
    app.wait_open()
    window = focus_rows(app)
    select(app, "a")
    app.activate("delete")
    harness.wait_for("the question", lambda: app.has_button("Go On"))
    check(not app.jobs("update"), "it did not ask")
    doors.click_button(app, "Go On", lambda: app.jobs("update"))
    wait_edit(app)
    select(app, "b")
    app.activate("delete")
    wait_edit(app, number=1)
    with tarfile.open(path) as archive:
        check(archive.getnames() == ["r.bin"], f"{archive.getnames()}")


def drag(app, path, target, modifier=None):
    """A real drag with the mouse: off the row, slowly to the target, a little about, and released."""
    target = app.row_centre(target)
    if modifier:
        harness.run("xdotool", "keydown", modifier)
    x, y = doors.grab(app, path)
    for i in range(1, 11):
        harness.run("xdotool", "mousemove", str(x + (target[0] - x) * i // 10),
                    str(y + (target[1] - y) * i // 10), "sleep", "0.04")
    harness.wait_for("the folder to take it", lambda: is_drag_taken(app, target))
    doors.release(app)
    if modifier:
        harness.run("xdotool", "keyup", modifier)


def test_drag_row_to_folder(app):
    path = open_zip(app, {"d/x.txt": b"x", "e/y.txt": b"y", "a.txt": b"a" * 99, "b.txt": b"b"})
    window = focus_rows(app)
    select(app, "a.txt", "b.txt")
    drag(app, "a.txt", "d")
    wait_edit(app)
    check(names(path) == ["d/a.txt", "d/b.txt", "d/x.txt", "e/y.txt"], f"{names(path)}")
    # On a slow machine the folder has opened under the drag.
    app.activate_string("go-to", "")
    # With Ctrl, a copy; and a folder that is not selected is dragged alone.
    drag(app, "d", "e", "ctrl")
    wait_edit(app, number=1)
    check("e/d/a.txt" in names(path) and "d/a.txt" in names(path), f"{names(path)}")


if __name__ == "__main__":
    harness.main(globals())
