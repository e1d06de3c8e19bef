# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What the tests of opened entries share: a usual program that notes down what it was given and ends
at once, as programs do that hand a file to one that runs already (O07); the edits are made by the
test."""

import os
import subprocess
import zipfile

import archives
import harness
from harness import check, to_gvariant

TEXT = {"a.txt": b"alpha\n", "b.txt": b"beta\n", "folder/c.txt": b"gamma\n"}


def install_program(app, types=("text/plain",), name="noter"):
    """A program that is the usual one for some types; returns the file it writes to."""
    folder = app.path("share", "applications")
    os.makedirs(folder, exist_ok=True)
    os.makedirs(app.path("config"), exist_ok=True)
    notes = app.path(name + ".notes")
    script = app.path(name)
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nfor path; do echo \"$path\" >> '{notes}'; done\n")
    os.chmod(script, 0o755)
    with open(os.path.join(folder, name + ".desktop"), "w", encoding="utf-8") as file:
        file.write(f"[Desktop Entry]\nType=Application\nName={name}\nExec={script} %F\n"
                   f"MimeType={';'.join(types)};\n")
    with open(app.path("config", "mimeapps.list"), "a", encoding="utf-8") as file:
        if file.tell() == 0:
            file.write("[Default Applications]\n")
        for kind in types:
            file.write(f"{kind}={name}.desktop\n")
    subprocess.run(["update-desktop-database", folder], check=False, stderr=subprocess.DEVNULL)
    return notes


def noted(notes):
    if not os.path.exists(notes):
        return []
    return harness.whole_lines(notes)


def start(app, files=None, name="ci.zip", **env):
    notes = install_program(app)
    path = archives.make_zip(app.path(name), files or TEXT)
    app.start(path, **env)
    app.wait_open()
    return path, notes


def select(app, *paths, window=1):
    app.activate("select", "[" + ", ".join(to_gvariant(path) for path in paths) + "]", window)
    app.wait_status("the selection", lambda s: set(s["selected_paths"]) == set(paths), window)


def open_entry(app, path, notes, window=1, number=1):
    """Opens an entry and returns where its copy lies."""
    app.activate_string("go-to", path, window)  # the folder it is in
    select(app, path, window=window)
    app.activate("open-entry", window=window)
    lines = harness.wait_for(f"the program to be started for {path}",
                             lambda: noted(notes) if len(noted(notes)) >= number else None)
    return lines[number - 1]


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def replace(path, content):
    """Saves as most editors do: a new file takes the name."""
    write(path + ".new", content)
    os.rename(path + ".new", path)


def wait_question(app, *words, window=1):
    return app.wait_status(
        f"the question with {words}",
        lambda s: s["opened_question"] and all(word in s["opened_question"] for word in words),
        window)["opened_question"]


def wait_no_question(app, window=1):
    app.wait_status("no question", lambda s: s["opened_question"] is None, window)


def content(path):
    with zipfile.ZipFile(path) as archive:
        check(archive.testzip() is None, "the archive is damaged")
        return {name: archive.read(name) for name in archive.namelist()}


def update(app, window=1, number=0):
    app.activate("update-opened", window=window)
    app.wait_job("update", number=number, window=window)
    wait_no_question(app, window)


def staging(app):
    return app.path("cache", "holdall", "staging")


def leftovers(app):
    """Files in the private place, but for its own notes."""
    found = []
    for parent, _, files in os.walk(staging(app)):
        if os.path.basename(parent) == "files":
            found += [os.path.join(parent, name) for name in files]
    return found


def wait_end(app):
    harness.wait_for("the program to end", lambda: not app.is_running())
    app.stop()
    check("CRITICAL" not in app.read_log(), app.read_log())
