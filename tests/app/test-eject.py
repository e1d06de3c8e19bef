#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""A window that only shows an archive keeps no disk from being ejected."""

import os
import tarfile
import zipfile

import archives
import harness
from harness import check


class Stick:
    """A disk with two archives, which the program is started in as some file managers do."""

    def __init__(self, app):
        self.app = app
        self.folder = app.path("stick")
        os.makedirs(self.folder)
        if harness.run("mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs",
                       self.folder).returncode != 0:
            raise harness.Skip("nothing can be mounted here")

    def __enter__(self):
        files = {"tool/a.txt": b"a" * 1000, "b.txt": b"b" * 1000}
        archives.make_zip(self.path("one.zip"), files)
        with zipfile.ZipFile(self.path("one.zip")) as source, \
                tarfile.open(self.path("two.tar.gz"), "w:gz") as target:
            for name in source.namelist():
                info = tarfile.TarInfo(name)
                info.size = len(files[name])
                with source.open(name) as data:
                    target.addfile(info, data)
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            self.app.start("one.zip")
        finally:
            os.chdir(before)
        self.app.wait_open()
        return self

    def __exit__(self, *_):
        if os.path.ismount(self.folder):
            harness.run("umount", "-l", self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def held(self):
        """What of the disk the program has open."""
        process = f"/proc/{self.app.process.pid}"
        links = [os.path.join(process, "cwd")]
        links += [os.path.join(process, "fd", name) for name in os.listdir(process + "/fd")]
        found = []
        for link in links:
            try:
                target = os.readlink(link)
            except FileNotFoundError:
                continue
            if target.startswith(self.folder):
                found.append(target)
        return found

    def eject(self):
        def ask():
            return harness.run("umount", self.folder).returncode == 0
        try:
            harness.wait_for("the disk to be free", ask, interval=0.2)
        except harness.Failure as failure:
            raise harness.Failure(f"{failure}: {self.held()}") from failure


def test_shown_and_extracted(app):
    with Stick(app) as stick:
        app.second_start(stick.path("two.tar.gz"))
        app.wait_open(2)
        for window in (1, 2):
            harness.wait_for("the disk to be let go of", lambda: not stick.held())
            app.activate_string("extract-into", app.path(f"out{window}"), window)
            app.wait_job(window=window)
            arrived = {name for _, _, names in os.walk(app.path(f"out{window}")) for name in names}
            check(arrived == {"a.txt", "b.txt"}, f"window {window}: {arrived} arrived")
        stick.eject()
        check(app.status()["rows"] == 2 and app.status(2)["rows"] == 2, "the list is gone")


def test_changed(app):
    """What undo keeps is all that is kept."""
    with Stick(app) as stick:
        app.activate("select", "['b.txt']")
        app.wait_status("the selection", lambda s: s["selected_paths"] == ["b.txt"])
        app.activate("delete")
        app.wait_job("update")
        harness.wait_for("undo", lambda: app.is_enabled("undo"))
        harness.wait_for("the rest to be let go of", lambda: len(stick.held()) == 1)
        # Changed by somebody else, so that there is nothing to undo any more.
        os.utime(stick.path("one.zip"))
        harness.wait_for("the list to be read again", lambda: not app.is_enabled("undo"))
        app.wait_open()
        stick.eject()


if __name__ == "__main__":
    harness.main(globals())
