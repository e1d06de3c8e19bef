#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""X14: archives in places that have no path here. With GVfs they are opened or fetched; without it
the program says so at once, in a sentence that names the place."""

import http.server
import os
import shutil
import subprocess
import threading
import time

import archives
import doors
import harness
from harness import check

GVFSD = ["/usr/libexec/gvfsd", "/usr/lib/gvfs/gvfsd"]
ADDRESS = "sftp://nobody@holdall.invalid/some/given.zip"


class Gvfs:
    """The daemons of GNOME's virtual file systems, on the test's own bus and without their own file
    system: so nothing there has a path."""

    OPTIONS = ["--no-fuse"]

    def __init__(self, *backends):
        self.daemon = next((path for path in GVFSD if os.access(path, os.X_OK)), None)
        if self.daemon is None:
            raise harness.Skip("GVfs is not installed")
        for name in backends:
            if not os.path.exists(f"/usr/share/gvfs/mounts/{name}.mount"):
                raise harness.Skip(f"GVfs knows no {name}: addresses here")
        self.process = None

    def __enter__(self):
        # As the program itself would start it; then the bus must know who serves which place.
        self.process = subprocess.Popen([self.daemon, *self.OPTIONS], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, ASAN_OPTIONS=""))
        answer = harness.run("gdbus", "wait", "--session", "--timeout", "40", "org.gtk.vfs.Daemon",
                             patience=harness.PATIENCE)
        if answer.returncode != 0:
            self.__exit__()
            raise harness.Skip("GVfs does not run here")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class GvfsFiles(Gvfs):
    """The same with its own file system, in which the folders of this machine have a second path that
    goes through a daemon, as those of another machine would."""

    OPTIONS = []

    def __init__(self):
        super().__init__("localtest")
        doors.need("gio", "umount")
        if not os.access("/dev/fuse", os.R_OK | os.W_OK) or os.geteuid() != 0:
            raise harness.Skip("nothing can be mounted here")
        self.folder = os.path.join(os.environ["XDG_RUNTIME_DIR"], "gvfs")

    def path(self, path):
        return os.path.join(self.folder, "localtest:") + path

    def __enter__(self):
        super().__enter__()
        try:
            harness.wait_for("the file system", lambda: os.path.ismount(self.folder), 20)
            answer = harness.run("gio", "mount", "localtest:///", patience=harness.PATIENCE)
            check(answer.returncode == 0, answer.stderr)
            harness.wait_for("the folders in it", lambda: os.path.isdir(self.path("/")), 20)
        except harness.Failure as failure:
            self.__exit__()
            raise harness.Skip(f"GVfs has no file system here: {failure}") from failure
        return self

    def __exit__(self, *_):
        if os.path.ismount(self.folder):
            harness.run("umount", "-l", self.folder)
        super().__exit__()


class Server:
    """Another machine that hands out one file, as slowly as is wanted."""

    def __init__(self, path):
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.n_sent = 0
        server = self
        with open(path, "rb") as file:
            data = file.read()

        class Handler(http.server.BaseHTTPRequestHandler):
            """One request."""

            def do_HEAD(self):  # pylint: disable=invalid-name
                self.send_response(200 if self.path == "/given.zip" else 404)
                self.send_header("Content-Type", "application/zip")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()

            def do_GET(self):  # pylint: disable=invalid-name
                self.do_HEAD()
                for start in range(0, len(data), 65536):
                    if start > 0:
                        server.goes_on.wait()
                    try:
                        self.wfile.write(data[start:start + 65536])
                    except OSError:
                        return
                    server.n_sent = start + 65536

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/given.zip"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.goes_on.set()
        self.server.shutdown()
        self.server.server_close()


def make_archive(app):
    """Larger than what a connection holds back."""
    files = {"read me.txt": b"Hello\n" * 50, "numbers.bin": os.urandom(6 << 20),
             "inner.zip": None}
    inner = archives.make_zip(app.path("inner.zip"), {"deep.txt": b"deep"})
    files["inner.zip"] = doors.read(inner)
    return archives.make_zip(app.path("given.zip"), files), files


def wait_error(app, *words, window=1):
    """The page that says why not, with all of @words."""
    app.wait_status(f"a page with an error that says {words}",
                    lambda s: s["page"] == "error" and
                    all(word in s["error"] + s["error_details"] for word in words), window=window)


def test_without_gvfs(app):
    """A sentence that names the place and says what to do, from the command line."""
    app.start(ADDRESS)
    wait_error(app, "holdall.invalid", "This Place Cannot Be Reached")


def test_without_gvfs_over_the_bus(app):
    """Another program asks for it; the window that there is goes on."""
    app.start(archives.make_zip(app.path("local.zip"), {"a.txt": b"a"}))
    app.wait_open()
    for address in (ADDRESS, "smb://holdall.invalid/share/a.zip", "recent:///abc", "trash:///a.zip"):
        answer = harness.run("gdbus", "call", "--session", "--dest", harness.APP_ID, "--object-path",
                             harness.APP_PATH, "--method", "org.freedesktop.Application.Open",
                             f"['{address}']", "{}", patience=harness.PATIENCE)
        check(answer.returncode == 0, answer.stderr)
        # A window that shows nothing is used again.
        wait_error(app, "This Place Cannot Be Reached", address, window=2)
    check(app.status()["page"] == "archive", "the first window no longer shows its archive")


def test_fetched_over_http(app):
    """It is brought here, shown under its own name, extracted, and not changed; the copy goes."""
    path, files = make_archive(app)
    with Gvfs("http"), Server(path) as server:
        app.start(server.url, GIO_USE_VFS="gvfs")
        status = app.wait_open(patience=2 * harness.PATIENCE)
        check(status["rows"] == 3, f"{status}")
        check(len(doors.staged(app)) == 1, f"{doors.staged(app)}")
        check(not app.is_enabled("delete") and not app.is_enabled("new-folder"),
              "what would be lost can be changed")
        doors.select_all(app)
        target = app.path("target")
        os.mkdir(target)
        app.activate_string("extract-into", target)
        app.wait_job("extract")
        tree = {os.path.basename(name): data for name, data in archives.read_tree(target).items()
                if name[-1] != "/"}
        check(tree == files, f"arrived: {sorted(tree)}")
        app.stop()
        check(doors.staged(app) == [], f"left: {doors.staged(app)}")


def test_fetching_is_cancelled(app):
    """The other machine has fallen silent: the person does not have to wait for it."""
    path, _files = make_archive(app)
    with Gvfs("http"), Server(path) as server:
        server.goes_on.clear()
        app.start(server.url, GIO_USE_VFS="gvfs")
        app.wait_job("fetch", "running", patience=2 * harness.PATIENCE)
        app.wait_status("the page that waits", lambda s: s["page"] == "loading")
        app.activate("cancel-open")
        app.wait_status("the start page", lambda s: s["page"] == "welcome" and not s["busy"])
        app.wait_job("fetch", "cancelled")
        harness.wait_for("the copy to be gone", lambda: doors.staged(app) == [])
        # And the program ends without it, too.
        app.stop()


def test_what_is_not_there(app):
    """The words of the place itself."""
    path, _files = make_archive(app)
    with Gvfs("http"), Server(path) as server:
        app.start(server.url.replace("given", "other"), GIO_USE_VFS="gvfs")
        wait_error(app)
        check(doors.staged(app) == [], f"left: {doors.staged(app)}")


def test_through_the_file_system_of_gvfs(app):
    """Where the place has paths it is like any folder: read, extracted into, and written back."""
    path = archives.make_zip(app.path("given.zip"), {"a.txt": b"a" * 1000, "b.txt": b"b" * 1000})
    target = app.path("target")
    os.mkdir(target)
    with GvfsFiles() as place:
        app.start(place.path(path))
        app.wait_open(patience=2 * harness.PATIENCE)
        doors.select_all(app)
        app.activate_string("extract-into", place.path(target))
        app.wait_job("extract")
        arrived = {os.path.basename(name): data for name, data in archives.read_tree(target).items()
                   if name[-1] != "/"}
        check(arrived == {"a.txt": b"a" * 1000, "b.txt": b"b" * 1000}, f"arrived: {arrived.keys()}")
        doors.select(app, "a.txt")
        app.activate("delete")
        app.wait_job("update")
        check(doors.names(path) == ["b.txt"], f"{doors.names(path)}")
        app.stop()


def test_in_the_trash(app):
    """An item of the trash lies in a folder of this machine."""
    share = app.path("share")
    os.makedirs(os.path.join(share, "Trash", "files"))
    os.makedirs(os.path.join(share, "Trash", "info"))
    path = archives.make_zip(app.path("given.zip"), {"a.txt": b"a"})
    shutil.move(path, os.path.join(share, "Trash", "files", "given.zip"))
    with open(os.path.join(share, "Trash", "info", "given.zip.trashinfo"), "w",
              encoding="utf-8") as file:
        file.write(f"[Trash Info]\nPath={path}\nDeletionDate=2021-06-02T10:11:12\n")
    os.environ["XDG_DATA_HOME"] = share
    try:
        with Gvfs("trash"):
            # The place looks into its folders when it is first asked.
            app.start("trash:///given.zip", GIO_USE_VFS="gvfs")
            app.wait_open(patience=2 * harness.PATIENCE)
            check(doors.staged(app) == [], "it was copied")
    finally:
        del os.environ["XDG_DATA_HOME"]


if __name__ == "__main__":
    harness.main(globals())
