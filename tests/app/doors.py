# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What tests of drags, copies and cuts share: an archive of odd things, the clipboard as another
program sees it, real file managers, a hand that drags."""

import ast
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import time
import urllib.parse
import zipfile

import harness
from harness import check, to_gvariant

ODD_NAME = "50% of it\nnew line.txt"
FIVE = ["empty", "link", "read me.txt", "tool", ODD_NAME]


def make_five(app):
    """A file, a folder tree, a symlink, an odd name, an empty folder; and something else."""
    path = app.path("five.zip")
    files = {"read me.txt": b"Hello\n" * 50, "empty/": b"", ODD_NAME: b"odd" * 100,
             "tool/lib/part.c": b"int x;\n" * 400, "tool/Makefile": b"all:\n",
             "other.txt": b"stays"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2021, 6, 2, 10, 11, 12))
            info.create_system = 3
            mode = stat.S_IFDIR | 0o755 if name.endswith("/") else stat.S_IFREG | 0o644
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
        info = zipfile.ZipInfo("link", (2021, 6, 2, 10, 11, 12))
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "read me.txt")
    app.start(path)
    app.wait_open()
    return path


def five_as_tree():
    return {"read me.txt": b"Hello\n" * 50, "empty/": b"", ODD_NAME: b"odd" * 100, "tool/": b"",
            "tool/lib/": b"", "tool/lib/part.c": b"int x;\n" * 400, "tool/Makefile": b"all:\n",
            "link": b"Hello\n" * 50}


def check_five(folder):
    tree = harness.read_tree(folder)
    check(tree == five_as_tree(), f"arrived: {sorted(tree)}")
    check(os.readlink(os.path.join(folder, "link")) == "read me.txt", "the link is none any more")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def names(path):
    check(subprocess.run(["unzip", "-tqq", path], stdout=subprocess.DEVNULL, check=False).returncode
          in (0, 1), "unzip finds a fault in the archive")
    with zipfile.ZipFile(path) as archive:
        return sorted(archive.namelist())


def select(app, *paths):
    app.activate("select", "[" + ", ".join(to_gvariant(path) for path in paths) + "]")
    app.wait_status("the selection", lambda s: s["selected"] == len(paths))


def select_all(app):
    app.activate("select-all")
    return app.wait_status("the selection", lambda s: s["selected"] == s["rows"])["selected"]


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise harness.Skip(f"{program} is not installed")


def read_clipboard(target):
    """The bytes that another program gets."""
    need("xclip")
    return subprocess.run(["xclip", "-selection", "clipboard", "-o", "-t", target], timeout=20,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


class Reader:
    """Another program that waits for the clipboard, while the test goes on."""

    def __init__(self, target):
        need("xclip")
        self.process = subprocess.Popen(["xclip", "-selection", "clipboard", "-o", "-t", target],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def finish(self):
        return self.process.communicate(timeout=harness.PATIENCE)[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def to_paths(data):
    lines = data.decode("ascii").replace("\r\n", "\n").split("\n")
    return [urllib.parse.unquote(line[len("file://"):]) for line in lines
            if line.startswith("file://")]


def wait_clipboard_ours(app, word):
    data = harness.wait_for("the clipboard",
                            lambda: read_clipboard("x-special/gnome-copied-files"))
    check(data.startswith(word + b"\nfile://"), f"the clipboard holds {data[:60]}")
    return to_paths(data)


def staged(app):
    """What lies in the cache folder."""
    root = app.path("cache", "holdall", "staging")
    return sorted(os.listdir(root)) if os.path.isdir(root) else []


def read(path):
    with open(path, "rb") as file:
        return file.read()


def is_clipboard_empty():
    return not read_clipboard("x-special/gnome-copied-files")


# Real file managers.


class FileManager:
    """A real one that shows a folder, beside the window of the program."""

    COMMANDS = {
        "nautilus": ["nautilus", "--new-window"],
        "caja": ["caja", "--no-desktop", "--browser"],
        "dolphin": ["dolphin", "--new-window"],
    }

    def __init__(self, app, program, folder):
        need(program.split()[0], "xdotool")
        self.app = app
        self.program = program
        env = app.environment()
        # Warnings of others are theirs.
        for name in ("G_DEBUG", "G_SLICE", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            env.pop(name, None)
        command = self.COMMANDS.get(program, program.split()) + [folder]
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.window = harness.wait_for(program, self.find_window, 40)
        time.sleep(1.0)
        self.arrange()

    def arrange(self):
        """Side by side."""
        left = harness.wait_for("the window", self.app.windows)[0]
        for window, x, width in ((left, 0, 620), (self.window, 640, 620)):
            harness.run("xdotool", "windowsize", "--sync", window, str(width), "600")
            harness.run("xdotool", "windowmove", "--sync", window, str(x), "30")
        time.sleep(0.5)

    def find_window(self):
        name = os.path.splitext(os.path.basename(self.program))[0]
        found = harness.run("xdotool", "search", "--onlyvisible", "--class", name).stdout
        return found.split()[-1] if found.split() else None

    def drop_point(self):
        x, y, width, height = self.app.geometry(self.window)
        return x + width * 2 // 3, y + height * 3 // 4

    def paste(self):
        x, y = self.drop_point()
        harness.run("xdotool", "windowactivate", "--sync", self.window)
        self.app.click(x, y)
        time.sleep(0.3)
        self.app.key("ctrl+v")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def grab(app, path):
    """Begins to drag a row."""
    x, y = app.row_centre(path)
    harness.run("xdotool", "mousemove", str(x), str(y), "sleep", "0.15", "mousedown", "1",
                "sleep", "0.1", *["mousemove_relative", "6", "2", "sleep", "0.05"] * 3,
                "sleep", "0.3")
    return x, y


def drag(app, path, target, n_jobs):
    """As a hand does it: programs that are not told that the pointer moves do not look."""
    hover(app, path, target, n_jobs)
    harness.run("xdotool", "mouseup", "1")


def hover(app, path, target, n_jobs):
    """A drag that has not ended: until n_jobs extractions are done, and a little longer."""
    x, y = grab(app, path)
    for step in range(1, 11):
        harness.run("xdotool", "mousemove", str(x + (target[0] - x) * step // 10),
                    str(y + (target[1] - y) * step // 10), "sleep", "0.04")
    end = time.monotonic() + harness.PATIENCE
    n_after = 0
    while n_after < 15 and time.monotonic() < end:
        n_done = len([job for job in app.jobs("extract") if job["state"] == "done"])
        n_after += 1 if n_done >= n_jobs else 0
        for i in range(3):
            harness.run("xdotool", "mousemove", str(target[0] + i % 3), str(target[1] + i % 2),
                        "sleep", "0.05")


def cancel_drag():
    """Lets go where nothing takes it. (GTK 4.8 does not hear Escape during a drag on X11.)"""
    harness.run("xdotool", "mousemove", "20", "880", "sleep", "0.2", "mousemove", "22", "882",
                "sleep", "0.2", "mouseup", "1")


def ark_extract(number, target):
    """What Dolphin calls when the number-th selection that was dragged is dropped on it."""
    return harness.run("gdbus", "call", "--session", "--dest", harness.APP_ID, "--object-path",
                       f"{harness.APP_PATH}/drag/{number}", "--method",
                       "org.kde.ark.DndExtract.extractSelectedFilesTo", target)


def click_toast(app, is_done):
    """Its button lies somewhere to the right of the middle."""
    left, top, width, height = app.geometry(app.windows()[-1])
    for offset in range(20, 180, 15):
        app.click(left + width // 2 + offset, top + height - 52)
        if is_done():
            return
        time.sleep(0.3)


PORTAL_FORMAT = "application/vnd.portal.filetransfer"


class DocumentPortal:
    """The real one, on the test's own bus."""

    FOLDERS = ["/usr/libexec", "/usr/lib/xdg-desktop-portal", "/usr/lib"]

    def __init__(self):
        self.processes = []
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            raise harness.Skip("there is no FUSE")

    def start(self, name, bus_name):
        found = [os.path.join(folder, name) for folder in self.FOLDERS
                 if os.access(os.path.join(folder, name), os.X_OK)]
        if not found:
            raise harness.Skip(f"{name} is not installed")
        self.processes.append(subprocess.Popen([found[0]], stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL))
        result = harness.run("gdbus", "wait", "--session", "--timeout", "20", bus_name, patience=30)
        if result.returncode != 0:
            raise harness.Skip(f"{name} does not run here")

    @staticmethod
    def retrieve(key):
        """Paths of the files that a receiver gets for a key."""
        result = harness.run("gdbus", "call", "--session", "--dest",
                             "org.freedesktop.portal.Documents", "--object-path",
                             "/org/freedesktop/portal/documents", "--method",
                             "org.freedesktop.portal.FileTransfer.RetrieveFiles", key, "{}")
        check(result.returncode == 0, result.stderr)
        return ast.literal_eval(result.stdout.strip())[0]

    def __enter__(self):
        try:
            self.start("xdg-permission-store", "org.freedesktop.impl.portal.PermissionStore")
            self.start("xdg-document-portal", "org.freedesktop.portal.Documents")
        except harness.Skip:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


class SilentClipboardManager:
    """One that never answers: GTK gives it ten seconds to save what a program leaves."""

    PROGRAM = """
import ctypes
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
x.XDefaultRootWindow.restype = ctypes.c_ulong
x.XCreateSimpleWindow.argtypes = [ctypes.c_void_p, ctypes.c_ulong] + [ctypes.c_int] * 5 + [
    ctypes.c_ulong] * 2
x.XCreateSimpleWindow.restype = ctypes.c_ulong
x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
x.XInternAtom.restype = ctypes.c_ulong
x.XSetSelectionOwner.argtypes = [ctypes.c_void_p] + [ctypes.c_ulong] * 3
x.XNextEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
x.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
display = x.XOpenDisplay(None)
window = x.XCreateSimpleWindow(display, x.XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
x.XSetSelectionOwner(display, x.XInternAtom(display, b"CLIPBOARD_MANAGER", 0), window, 0)
x.XSync(display, 0)
print("ready", flush=True)
event = ctypes.create_string_buffer(1024)
while True:
    x.XNextEvent(display, event)
"""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", self.PROGRAM],
                                        stdout=subprocess.PIPE)
        check(self.process.stdout.readline() == b"ready\n", "no clipboard manager")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class SmallDisk:
    """A disk of its own for the cache folder."""

    def __init__(self, app, mib):
        need("mount", "umount")
        self.folder = app.path("cache")
        os.makedirs(self.folder)
        if harness.run("mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0700", "tmpfs",
                       self.folder).returncode != 0:
            raise harness.Skip("nothing can be mounted here")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        harness.run("umount", "-l", self.folder)
