# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What the desktop is told to show while no window is there, and a press on it."""

import collections
import json
import os
import subprocess
import tempfile

import harness

PYTHON = "/usr/bin/python3"  # the one that the distribution's gi is for


class Notification(collections.namedtuple("Notification",
                                          "number replaced summary body actions urgency")):
    """One that was shown; its actions are {name: label}."""

    def action(self, label):
        found = [name for name, shown in self.actions.items() if shown == label]
        harness.check(len(found) == 1, f"“{label}” among the buttons: {self}")
        return found[0]


class Desktop:
    """A desktop that shows notifications, as far as programs can tell; a context manager."""

    def __init__(self):
        probe = harness.run(PYTHON, "-c", "import gi; gi.require_version('Gio', '2.0')")
        if probe.returncode != 0:
            raise harness.Skip("python3-gi is not installed")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notification-daemon.py")
        # Appended to: the daemon shares the place in the file with who reads it here.
        self.output = tempfile.TemporaryFile("a+b")
        self.process = subprocess.Popen([PYTHON, script], stdin=subprocess.PIPE, stdout=self.output,
                                        text=True)
        harness.wait_for("the desktop of the test", lambda: self.said("ready"))

    def said(self, kind):
        self.output.seek(0)
        lines = [line for line in self.output.read().split(b"\n")[:-1] if line]
        return [words for words in map(json.loads, lines) if words[0] == kind]

    def shown(self):
        """All that was ever shown."""
        found = []
        for _kind, number, replaced, summary, body, actions, urgency in self.said("notify"):
            actions = dict(zip(actions[::2], actions[1::2]))
            found.append(Notification(number, replaced, summary, body, actions, urgency))
        return found

    def wait_shown(self, count=1):
        """The last one, once there are that many."""
        return harness.wait_for(f"notification {count}", lambda: (
            lambda found: found[-1] if len(found) >= count else None)(self.shown()))

    def press(self, notification, action):
        self.process.stdin.write(f"{notification.number} {action}\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.output.close()
