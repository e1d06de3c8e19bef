# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Drives the real program as a person or another program would: real keys and clicks through
xdotool, actions and the status line over D-Bus. Run what uses it inside build-aux/with-display.

A test script defines functions named test_… that take an App, and ends with harness.main().
The results are printed in the Test Anything Protocol.
"""

import ast
import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

APP_ID = "io.github.holdall.Holdall"
APP_PATH = "/io/github/holdall/Holdall"
SOURCE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Under sanitizers and on a loaded machine everything takes its time; a test that waits for what
# never comes fails after this.
PATIENCE = float(os.environ.get("HOLDALL_TEST_PATIENCE", "90"))

# Sanitizers cost memory (red zones, quarantine) and time; figures mean nothing under them.
SANITIZED = "detect_leaks" in os.environ.get("ASAN_OPTIONS", "")


# What GTK says of itself: 4.8 now and then where a window comes up while the screen is looked for,
# 4.24 where a popover does on X11. Any other warning fails the test, at its end.
NOT_OURS = re.compile(r"gdk_monitor_get_geometry: assertion|gdk_frame_timings_submitted\(\) called on")


def is_machine_busy():
    """Whether others want the processor too, so that a clock on the wall tells little. In a container
    the figures of the system are those of its host: so it is tried as well."""
    if os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1):
        return True
    start, spent = time.monotonic(), time.process_time()
    while time.process_time() - spent < 0.1:
        pass
    return time.monotonic() - start > 0.15


def whole_lines(path):
    """What another process has written so far; not a line that it is just writing."""
    with open(path, encoding="utf-8") as file:
        return file.read().rpartition("\n")[0].splitlines()


class Skip(Exception):
    """Raised by a test that cannot run here; says why."""


class Failure(Exception):
    """What was expected did not happen."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def wait_for(what, question, patience=None, interval=0.03):
    """Asks until the answer is true and returns it."""
    end = time.monotonic() + (patience or PATIENCE)
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure(f"waited in vain for {what}")
        time.sleep(interval)


def settled(what, question, interval=0.1):
    """Asks until two answers in a row are the same and true, and returns that."""
    last = [None]

    def ask():
        before, last[0] = last[0], question()
        return last[0] if last[0] and last[0] == before else None
    return wait_for(what, ask, interval=interval)


def run(*command, patience=PATIENCE):
    """What takes too long has failed, as for timeout(1)."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=patience, check=False, text=True)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"{command[0]} took over {patience} s")


def to_gvariant(text):
    """A string in GVariant text format."""
    out = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return "'" + out + "'"


def brief(status):
    """What a status says, without what it does not, so that a line of a log holds it."""
    return {name: value[:6] if isinstance(value, list) and name != "jobs" else
            [brief(job) for job in value] if name == "jobs" else value
            for name, value in (status or {}).items() if value not in (None, False, 0, "", [])}


def find_warnings(lines):
    return [line for line in lines
            if re.search(r"(WARNING|CRITICAL) \*\*:", line) and not NOT_OURS.search(line)]


class App:
    """One process of the program, with a home folder of its own."""

    def __init__(self, program, build_root):
        self.program = program
        self.build_root = build_root
        self.folder = tempfile.mkdtemp(prefix="holdall-app-")
        self.process = None
        self.log = None
        self.may_warn = False
        self.is_on_x11 = True

    # Starting and ending.

    def environment(self, **more):
        env = dict(os.environ)
        env.update(
            HOLDALL_TEST="1",
            GSETTINGS_SCHEMA_DIR=os.path.join(self.build_root, "data"),
            GSETTINGS_BACKEND=more.pop("GSETTINGS_BACKEND", "memory"),
            XDG_DATA_DIRS=os.path.join(SOURCE_ROOT, "data") + ":"
            + env.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
            XDG_DATA_HOME=os.path.join(self.folder, "share"),
            XDG_CONFIG_HOME=os.path.join(self.folder, "config"),
            XDG_CACHE_HOME=os.path.join(self.folder, "cache"),
            LC_ALL="C.UTF-8",
            # What the toolkit's libraries keep until the end would drown what the program itself loses;
            # the tests that run inside the process look for leaks.
            ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
            GIO_USE_VFS="local",
        )
        env.update(more)
        return env

    def start(self, *arguments, n_windows=1, **env):
        self.log = open(os.path.join(self.folder, "log"), "ab")
        env = self.environment(**env)
        # A warning does not end the program, so that the test can tell of it.
        debug = env.get("G_DEBUG", "").split(",")
        self.may_warn = "fatal-warnings" not in debug
        self.is_on_x11 = env.get("GDK_BACKEND") == "x11"
        env["G_DEBUG"] = ",".join(word for word in debug if word != "fatal-warnings")
        self.process = subprocess.Popen([self.program, *arguments], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log, env=env)
        self.wait_for_windows(n_windows)

    def wait_for_windows(self, n_windows):
        for number in range(1, n_windows + 1):
            wait_for(f"window {number}",
                     lambda n=number: self.status(n) is not None or not self.is_running())
        check(self.is_running(), "the program ended at once")
        # On the bus they are before they are on the screen.
        if n_windows > 0 and self.is_on_x11:
            wait_for(f"{n_windows} windows on the screen",
                     lambda: len(self.windows()) >= n_windows or not self.is_running())

    def second_start(self, *arguments):
        """What a file manager does when the program runs already: it hands over and leaves."""
        result = subprocess.run([self.program, *arguments], env=self.environment(),
                                stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        check(result.returncode == 0, f"the second start ended with {result.returncode}")

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Ends the program; complains if it had crashed or printed warnings."""
        if self.process is None:
            return
        if self.is_running():
            self.activate("quit", window=None, must=False)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGKILL)
                self.process.wait()
                raise Failure("the program did not end when asked to quit")
        code = self.process.returncode
        self.process = None
        self.log.close()
        check(code == 0, f"the program ended with status {code}")
        warnings = find_warnings(self.read_log().splitlines())
        check(self.may_warn or not warnings, "\n".join(["the program warned:", *warnings]))

    def clean_up(self):
        if self.is_running():
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read_log(self):
        path = os.path.join(self.folder, "log")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as log:
            return log.read()[-6000:]

    # D-Bus.

    @staticmethod
    def window_path(number):
        return APP_PATH if number is None else f"{APP_PATH}/window/{number}"

    def call(self, path, method, *arguments):
        return run("gdbus", "call", "--session", "--timeout", str(int(PATIENCE)), "--dest", APP_ID,
                   "--object-path", path, "--method", "org.gtk.Actions." + method, *arguments,
                   patience=PATIENCE + 20)

    def activate(self, action, parameter=None, window=1, must=True):
        """Activates an action of a window, or of the program (window=None)."""
        given = "[]" if parameter is None else f"[<{parameter}>]"
        result = self.call(self.window_path(window), "Activate", action, given, "{}")
        check(not must or result.returncode == 0, f"{action}: {result.stderr}")
        return result.returncode == 0

    def activate_string(self, action, text, window=1):
        self.activate(action, to_gvariant(text), window)

    def describe(self, action, window=1):
        """Returns (enabled, state as text) of an action, or None."""
        result = self.call(self.window_path(window), "Describe", action)
        match = re.match(r"\(\((true|false), (?:signature )?'[^']*', (?:@av )?\[(.*)\]\),\)\s*$",
                         result.stdout, re.DOTALL)
        if result.returncode != 0 or match is None:
            return None
        return match.group(1) == "true", match.group(2)

    def is_enabled(self, action, window=1):
        description = self.describe(action, window)
        return description is not None and description[0]

    def string_state(self, action, window=1):
        description = self.describe(action, window)
        if description is None or not description[1].startswith("<"):
            return None
        return ast.literal_eval(description[1][1:-1])

    def status(self, window=1):
        """The status line of a window as a dictionary, or None if there is no such window."""
        text = self.string_state("status", window)
        return json.loads(text) if text else None

    def wait_status(self, what, question, window=1, patience=None):
        """Waits until question(status) is true; returns that status."""
        last = {}

        def ask():
            check(self.is_running(), "the program has ended")
            status = self.status(window)
            last["status"] = status
            return status if status is not None and question(status) else None

        try:
            return wait_for(what, ask, patience)
        except Failure as failure:
            raise Failure(f"{failure}; the status was {brief(last.get('status'))}") from failure

    def wait_open(self, window=1, patience=None):
        """Waits until an archive is shown and nothing moves any more."""
        return self.wait_status(
            "the archive to be open",
            lambda s: s["page"] == "archive" and s["archive"] and not s["busy"], window, patience)

    # Jobs.

    def jobs(self, verb="extract", window=1):
        check(self.is_running(), "the program has ended")
        status = self.status(window)
        return [job for job in (status or {}).get("jobs", []) if job["verb"] == verb]

    def wait_job(self, verb="extract", state="done", number=0, window=1, patience=None):
        """Waits until the number-th job of that verb has reached a state; returns the job."""
        def ask():
            found = sorted(self.jobs(verb, window), key=lambda job: job["id"])
            return found[number] if len(found) > number and found[number]["state"] == state else None
        try:
            return wait_for(f"a job '{verb}' to be {state}", ask, patience)
        except Failure as failure:
            raise Failure(f"{failure}; the jobs are {self.jobs(verb, window)}") from failure

    def wait_question(self, kind, path=None, verb="extract"):
        """Waits until a job asks, and about a certain entry if one is named."""
        def ask():
            return any(job["question"] == kind and path in (None, job["question_path"])
                       for job in self.jobs(verb))
        try:
            wait_for(f"the question '{kind}' about {path}", ask)
        except Failure as failure:
            raise Failure(f"{failure}; the jobs are {self.jobs(verb)}") from failure

    # The person.

    @staticmethod
    def windows():
        """X windows of the program that can be seen, bottom to top: those that the window manager
        manages, without the pictures of drags, tooltips and menus."""
        found = run("xdotool", "search", "--onlyvisible", "--class", "holdall").stdout.split()
        managed = run("xprop", "-root", "_NET_CLIENT_LIST_STACKING").stdout \
            if shutil.which("xprop") is not None else ""
        if "#" not in managed:
            return found
        order = [str(int(word, 16)) for word in re.findall(r"0x[0-9a-f]+", managed)]
        return [window for window in order if window in found]

    def wait_window(self):
        """The window that is on top, as soon as there is one."""
        return wait_for("the window", self.windows)[-1]

    @staticmethod
    def focused():
        return run("xdotool", "getwindowfocus").stdout.strip()

    def wait_dialog(self, n_before=1):
        """Waits for one more window than before, on top and with the keyboard; returns it."""
        def on_top():
            windows = self.windows()
            return windows[-1] if len(windows) > n_before else None

        settled("a dialog", on_top, 0.15)  # its own transition

        def is_ready():
            top = on_top()
            if top is not None and self.focused() != top:
                run("xdotool", "windowactivate", top)
                time.sleep(0.1)
                return None
            return top
        return wait_for("the keyboard focus", is_ready, interval=0.1)

    def wait_dialog_gone(self, n_windows=1):
        wait_for("the dialog to be gone", lambda: len(self.windows()) <= n_windows)

        # Until the window manager has given it to another window a key goes nowhere.
        def has_keyboard():
            windows = self.windows()
            if not windows or self.focused() in windows:
                return True
            run("xdotool", "windowactivate", windows[-1])
            return False
        wait_for("the keyboard focus", has_keyboard, interval=0.1)

    @staticmethod
    def geometry(window):
        """Left, top, width and height of an X window on the screen."""
        text = run("xdotool", "getwindowgeometry", "--shell", window).stdout
        values = dict(line.split("=") for line in text.split())
        return [int(values[name]) for name in ("X", "Y", "WIDTH", "HEIGHT")]

    def row_centre(self, path, xwindow=None):
        """Where on the screen the middle of a row of the first window is; brings it into view. After
        a drag the picture that hung from the pointer may still be a window: name the right one."""
        xwindow = xwindow or wait_for("the window", self.windows)[0]

        def ask():
            state = self.describe("row-geometry")[1]
            numbers = [int(word) for word in state.strip("<()>").split(",")]
            return numbers if len(numbers) == 4 and numbers[2] > 0 else None

        def place():
            self.activate_string("row-geometry", path)
            x, y, _width, height = wait_for(f"the row of {path}", ask)
            left, top = self.geometry(xwindow)[:2]
            return left + x + 60, top + y + height // 2
        return settled(f"the row of {path} to stand still", place)

    def has_button(self, label):
        """Whether the first window shows a button of that label now."""
        self.activate("place-geometry", f"('button', {to_gvariant(label)})")
        return self.describe("place-geometry")[1].strip("<()>") != "0, 0"

    def button_centre(self, label):
        """Where on the screen the middle of a button of the first window is, once it stands still."""
        def place():
            self.activate("place-geometry", f"('button', {to_gvariant(label)})")
            x, y = (int(word) for word in self.describe("place-geometry")[1].strip("<()>").split(","))
            left, top = self.geometry(self.windows()[0])[:2]
            return (left + x, top + y) if x > 0 else None
        return settled(f"the button “{label}”", place)

    def focus(self, window):
        """Gives a window the keyboard."""
        def has_focus():
            run("xdotool", "windowactivate", window)
            time.sleep(0.05)
            return self.focused() == window
        wait_for("the keyboard focus", has_focus, interval=0.1)

    @staticmethod
    def key(*keys):
        def number(match):
            index = int(match.group(1))
            return str(index + (66 if index <= 10 else 84))

        for key in keys:
            # With newer keyboards xdotool holds Alt for F1 to F12; the key's own number means it alone.
            run("xdotool", "key", "--clearmodifiers", re.sub(r"\bF(\d+)$", number, key))
            time.sleep(0.05)

    @staticmethod
    def type(text):
        run("xdotool", "type", "--delay", "20", text)
        time.sleep(0.05)

    @staticmethod
    def click(x, y, button=1, repeat=1):
        run("xdotool", "mousemove", str(x), str(y))
        time.sleep(0.05)
        run("xdotool", "click", "--repeat", str(repeat), "--delay", "60", str(button))
        time.sleep(0.05)

    # Memory and files.

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0

    def cpu_seconds(self):
        """Processor time of all threads of the program."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)


class BusMonitor:
    """Collects the calls of one D-Bus interface, whether or not anybody answers them."""

    def __init__(self, interface):
        if shutil.which("dbus-monitor") is None:
            raise Skip("dbus-monitor is not installed")
        # Appended to: the monitor shares the place in the file with who reads it here.
        self.output = tempfile.TemporaryFile("a+b")
        self.process = subprocess.Popen(
            ["dbus-monitor", "--session", f"interface='{interface}'"], stdout=self.output,
            stderr=subprocess.DEVNULL)
        # It hears nothing until the bus has taken it in, however long that takes.
        wait_for("dbus-monitor", lambda: self.hears(interface), interval=0.1)

    def hears(self, interface):
        """Calls out on the interface; whether a call, this or one before it, was written down."""
        run("gdbus", "emit", "--session", "--object-path", "/", "--signal", interface + ".Probe",
            patience=PATIENCE)
        return "member=Probe" in self.read()

    def read(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.output.close()


# Running.


def fate(app):
    """What became of the program, if anything did."""
    code = app.process.poll() if app.process is not None else None
    return [f"the program had ended with status {code}"] if code else []


def explain(error, app, printed):
    """Why a test failed, the reason first: whoever reads the log may see no more than that."""
    reason = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
    here = [frame for frame in traceback.extract_tb(error.__traceback__)[1:]
            if frame.filename.startswith(SOURCE_ROOT)]
    lines = [*reason.splitlines(), "at " + " < ".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(here))]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        names = run("xdotool", "search", "--onlyvisible", "--name", ".", "getwindowname", "%@")
        lines.append(f"windows: {[name for name in names.stdout.splitlines() if name]}")
    lines += fate(app)
    lines.append(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    lines += printed.splitlines()
    said = app.read_log().splitlines()
    return lines + (["the program said:", *said[-20:]] if said else [])


def main(namespace):
    """Runs the functions named test_… of a script. Arguments: PROGRAM BUILD_ROOT [TEST…]"""
    program, build_root = map(os.path.abspath, sys.argv[1:3])
    wanted = sys.argv[3:]
    tests = [(name, function) for name, function in namespace.items()
             if name.startswith("test_") and (not wanted or name in wanted)]
    print(f"TAP version 13\n1..{len(tests)}", flush=True)
    n_failed = 0
    for number, (name, function) in enumerate(tests, 1):
        app = App(program, build_root)
        start = time.monotonic()
        output = io.StringIO()
        lines = None
        try:
            with contextlib.redirect_stdout(output):
                function(app)
                app.stop()
            result = f"ok {number} - {name}"
        except Skip as skip:
            result = f"ok {number} - {name} # SKIP {skip}"
        except Exception as error:  # pylint: disable=broad-except
            lines = explain(error, app, output.getvalue())
        try:
            app.clean_up()
        except Exception as error:  # pylint: disable=broad-except
            lines = lines or explain(error, app, output.getvalue())
        if lines is not None:
            n_failed += 1
            result = f"not ok {number} - {name}"
        for line in lines or output.getvalue().splitlines():
            print("# " + line)
        print(f"{result}\n# {name}: {time.monotonic() - start:.1f} s", flush=True)
    sys.exit(1 if n_failed else 0)
