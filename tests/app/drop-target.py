#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The window of another program that takes files and reads them, as a picture editor or a mail
program does. Argument: where to write the paths and sizes of what was dropped."""

import json
import os
import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402


def read(path):
    """Bytes in a file, or None for a folder."""
    if os.path.isdir(path):
        return None
    with open(path, "rb") as file:
        return len(file.read())


def drop(_target, value, _x, _y):
    found = {file.get_path(): read(file.get_path()) for file in value.get_files()}
    temporary = sys.argv[1] + ".part"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.rename(temporary, sys.argv[1])
    return True


def activate(application):
    window = Gtk.ApplicationWindow(application=application, title="drop-target",
                                   default_width=400, default_height=400)
    target = Gtk.DropTarget.new(Gdk.FileList, Gdk.DragAction.COPY)
    target.connect("drop", drop)
    window.add_controller(target)
    window.present()


GLib.set_prgname("drop-target")
app = Gtk.Application(application_id="io.github.holdall.DropTarget",
                      flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", activate)
app.run([])
