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

import archives
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
    tree = archives.read_tree(folder)
    check(tree == five_as_tree(), f"arrived: {sorted(tree)}")
    check(os.readlink(os.path.join(folder, "link")) == "read me.txt", "the link is none any more")


def wait_five(folder):
    """Until all of it has arrived: a program that copies makes the names first."""
    harness.wait_for("the files", lambda: read_tree_or_none(folder) == five_as_tree())
    check_five(folder)


def read_tree_or_none(folder):
    """While another program is at work there."""
    try:
        return archives.read_tree(folder)
    except OSError:
        return None


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
    return subprocess.run(["xclip", "-selection", "clipboard", "-o", "-t", target],
                          timeout=harness.PATIENCE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout


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


def wait_clipboard_ours(_app, word):
    """What was on it before may still be there for a moment."""
    def ask():
        data[0] = read_clipboard("x-special/gnome-copied-files")
        return data[0].startswith(word + b"\nfile://")
    data = [b""]
    try:
        harness.wait_for("the clipboard", ask)
    except harness.Failure as failure:
        raise harness.Failure(f"{failure}; it holds {data[0][:60]}") from failure
    return to_paths(data[0])


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
        self.window = harness.wait_for(program, self.find_window)
        time.sleep(1.0)  # some move themselves when they have come up
        self.arrange()

    def arrange(self):
        """Side by side."""
        left = harness.wait_for("the window", self.app.windows)[0]
        for window, x, width in ((left, 0, 620), (self.window, 640, 620)):
            harness.run("xdotool", "windowsize", window, str(width), "600")
            harness.run("xdotool", "windowmove", window, str(x), "30")
        time.sleep(0.5)  # what has not begun to move would look settled
        for window in (left, self.window):
            harness.settled("the windows", lambda w=window: self.app.geometry(w), 0.3)

    def find_window(self):
        name = os.path.splitext(os.path.basename(self.program))[0]
        found = harness.run("xdotool", "search", "--onlyvisible", "--class", name).stdout
        return found.split()[-1] if found.split() else None

    def drop_point(self):
        x, y, width, height = self.app.geometry(self.window)
        return x + width * 2 // 3, y + height * 3 // 4

    def paste(self, has_begun):
        """Its own "Paste" is grey until it has asked what is on the clipboard."""
        x, y = self.drop_point()
        self.app.focus(self.window)
        self.app.click(x, y)
        time.sleep(0.8)  # what it has asked by then need not be waited for below
        for _ in range(3):
            self.app.key("ctrl+v")
            try:
                harness.wait_for("the paste", has_begun, 30)
                return
            except harness.Failure:
                continue

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def wait_drag(app, *states):
    """Until the target, or the program, has said one of these of the last drag."""
    app.wait_status(f"the drag to be {' or '.join(states)}", lambda s: s["drag"] in states)


def grab_at(x, y):
    """The press, and as much of a way as makes it a drag."""
    harness.run("xdotool", "mousemove", str(x), str(y), "sleep", "0.15", "mousedown", "1",
                "sleep", "0.1", *["mousemove_relative", "6", "2", "sleep", "0.05"] * 3)


def grab(app, path):
    """Begins to drag a row."""
    before = app.status()["drag"]
    check(before in (None, "ended"), f"the last drag is {before}")
    x, y = app.row_centre(path)
    grab_at(x, y)
    wait_drag(app, "begun", "refused", "taken")
    return x, y


def wiggle(x, y):
    """As a hand does: programs that are not told that the pointer moves do not look."""
    for i in range(3):
        harness.run("xdotool", "mousemove", str(x + i % 3), str(y + i % 2), "sleep", "0.05")


def drag(app, path, target, n_jobs):
    """n_jobs: how many extractions there are then, since the archive was opened."""
    hover(app, path, target, n_jobs)
    release(app)


def release(app):
    harness.run("xdotool", "mouseup", "1")
    wait_drag(app, "ended")


def hover(app, path, target, n_jobs):
    """A drag that has not ended: until n_jobs extractions are done and the target takes it."""
    x, y = grab(app, path)
    for step in range(1, 11):
        harness.run("xdotool", "mousemove", str(x + (target[0] - x) * step // 10),
                    str(y + (target[1] - y) * step // 10), "sleep", "0.04")

    def is_taken():
        wiggle(*target)
        n_done = len([job for job in app.jobs("extract") if job["state"] == "done"])
        return n_done >= n_jobs and app.status()["drag"] == "taken"

    harness.wait_for("the target to take it", is_taken)
    # It may want to look at the files itself by now.
    for _ in range(5):
        wiggle(*target)


def cancel_drag(app):
    """Lets go where nothing takes it."""
    harness.run("xdotool", "mousemove", "20", "880", "sleep", "0.2", "mousemove", "22", "882",
                "sleep", "0.2", "mouseup", "1")
    wait_drag(app, "ended")


def ark_extract(number, target):
    """What Dolphin calls when the number-th selection that was dragged is dropped on it."""
    return harness.run("gdbus", "call", "--session", "--dest", harness.APP_ID, "--object-path",
                       f"{harness.APP_PATH}/drag/{number}", "--method",
                       "org.kde.ark.DndExtract.extractSelectedFilesTo", target)


def click_button(app, label, is_done):
    """Of a toast, or of a bar that comes up."""
    app.click(*app.button_centre(label))
    harness.wait_for(f"the button “{label}” to do something", is_done)


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
