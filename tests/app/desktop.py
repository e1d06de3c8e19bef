# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""A desktop that has Holdall installed: the program in a prefix of its own, found by data folders
and started by the session bus, as after an installation. Nothing runs from the build folder."""

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from harness import APP_ID, App, PATIENCE, Failure, check, find_warnings, run, wait_for

BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir={folder}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def install(build_root, stage):
    """Installs what is built below a folder; returns the prefix in it."""
    answer = subprocess.run(["meson", "introspect", build_root, "--buildoptions"], check=True,
                            stdout=subprocess.PIPE)
    prefix = next(option["value"] for option in json.loads(answer.stdout)
                  if option["name"] == "prefix")
    answer = run("meson", "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", stage,
                 patience=PATIENCE)
    check(answer.returncode == 0, f"meson install: {answer.stdout}{answer.stderr}")
    return stage + prefix


def finish_installation(root):
    """What an installation into the real prefix does at its end, and the paths of this one."""
    share = os.path.join(root, "share")
    for command in (["glib-compile-schemas", "--strict", share + "/glib-2.0/schemas"],
                    ["update-desktop-database", "-q", share + "/applications"],
                    ["update-mime-database", share + "/mime"]):
        answer = run(*command, patience=PATIENCE)
        check(answer.returncode == 0, f"{command[0]}: {answer.stdout}{answer.stderr}")
    for path in glob.glob(share + "/dbus-1/services/*.service"):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines):
            if line.startswith("Exec="):
                lines[number] = "Exec=" + root + "/bin/" + line.rpartition("/bin/")[2]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


def enter(script, program, build_root, wanted):
    """Runs the script again as a session of that desktop: a fresh home and a bus of its own."""
    stage = tempfile.mkdtemp(prefix="holdall-desktop-")
    try:
        root = install(build_root, stage)
        finish_installation(root)
        bus = os.path.join(stage, "bus.conf")
        with open(bus, "w", encoding="utf-8") as file:
            file.write(BUS_CONFIG.format(folder=stage, services=root + "/share/dbus-1/services"))
        home = os.path.join(stage, "home")
        os.mkdir(home)
        env = dict(os.environ)
        for name in ("GSETTINGS_SCHEMA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            env.pop(name, None)
        env.update(HOLDALL_DESKTOP=root, HOME=home, PATH=root + "/bin:" + env["PATH"],
                   XDG_DATA_DIRS=root + "/share:/usr/local/share:/usr/share",
                   HOLDALL_TEST="1", LC_ALL="C.UTF-8",
                   ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
                   # A warning ends no test in its middle; what the bus started says it here.
                   G_DEBUG=env.get("G_DEBUG", "").replace("fatal-warnings", ""))
        with open(os.path.join(stage, "errors"), "w+b") as errors:
            status = subprocess.run(["dbus-run-session", "--config-file=" + bus, "--",
                                     sys.executable, script, program, build_root, *wanted],
                                    env=env, stderr=errors, check=False).returncode
            errors.seek(0)
            words = errors.read().decode(errors="replace")
        sys.stderr.write(words)
        warnings = find_warnings(line for line in words.splitlines() if "(holdall:" in line)
        for line in warnings:
            print("# the program warned: " + line)
        return status or (1 if warnings else 0)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


class Desktop(App):
    """The installed program, whoever starts it."""

    root = os.environ.get("HOLDALL_DESKTOP", "")

    def is_running(self):
        return True

    @property
    def desktop_file(self):
        return os.path.join(self.root, "share", "applications", APP_ID + ".desktop")

    @staticmethod
    def ask_bus(method, *arguments):
        return run("gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path",
                   "/org/freedesktop/DBus", "--method", "org.freedesktop.DBus." + method,
                   *arguments).stdout

    def pid(self):
        """The process that has the program's name on the bus; None if there is none."""
        answer = self.ask_bus("GetConnectionUnixProcessID", APP_ID)
        return int(answer.strip("(),\n ").split()[-1]) if answer else None

    def wait_gone(self):
        wait_for("the program to end by itself", lambda: self.pid() is None)

    def stop(self):
        pid = self.pid()
        if pid is not None and self.windows():
            self.activate("quit", window=None, must=False)
        elif pid is not None:
            # A service that was asked something waits for more for some seconds.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        self.wait_gone()

    def clean_up(self):
        pid = self.pid()
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self.wait_gone()
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, *command, cwd=None):
        """Runs a command of the desktop, which must work; what it started may go on. GIO waits 25 s for
        a program to answer; one that is slower has got the message all the same."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            answer = subprocess.run(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                                    cwd=cwd or self.folder, timeout=PATIENCE, check=False)
            output.seek(0)
            words = output.read()
        check(answer.returncode == 0 or "Timeout was reached" in words, f"{' '.join(command)}: {words}")
        return words

    def begin(self, *arguments, cwd=None):
        """Starts the program with options; the caller waits for its end."""
        process = subprocess.Popen(["holdall", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                   cwd=cwd or self.folder)
        # Whoever asks for it on the bus before would have the bus start another one.
        wait_for("the program to be there",
                 lambda: self.pid() is not None or process.poll() is not None)
        return process

    def end(self, process, status=0):
        try:
            words = process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Failure(f"it does not end; windows: {self.windows()}") from error
        check(process.returncode == status,
              f"ended with {process.returncode}, not {status}: {words[-3000:]}")
        return words
