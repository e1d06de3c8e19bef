#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Tests of the tools that the other tests stand on, in TAP: if the tally miscounts or the display
wrapper swallows an exit status, a red suite looks green.

    tests/house/test-build-aux.py SOURCE-FOLDER
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

TOOLS = os.path.join(os.path.abspath(sys.argv[1]), "build-aux")


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)


class Tally(unittest.TestCase):
    def tally(self, results, cases=(), status=0, more=(), stderr="",
              stdout="1..1\nok 1 fine\nwords before the end\n"):
        """results: (name, outcome) of programs; cases: (name, [(case, tag)]) of tests in them."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "testlog.json"), "w", encoding="utf-8") as file:
                for name, outcome in results:
                    file.write(json.dumps({
                        "name": name, "result": outcome, "returncode": 1, "duration": 0.1,
                        "stdout": stdout, "stderr": stderr}) + "\n")
            with open(os.path.join(folder, "testlog.junit.xml"), "w", encoding="utf-8") as file:
                file.write("<testsuites>")
                for name, tags in cases:
                    file.write(f'<testsuite name="holdall.{name}">')
                    for case, tag in tags:
                        file.write(f'<testcase name="{case}">{f"<{tag}/>" if tag else ""}</testcase>')
                    file.write("</testsuite>")
                file.write("</testsuites>")
            answer = run(os.path.join(TOOLS, "tally"), "--status", str(status), *more, folder)
            return answer.returncode, answer.stdout.rstrip("\n").split("\n")

    def test_counts_the_tests_in_programs(self):
        status, lines = self.tally(
            [("a", "OK"), ("b", "OK")], [("a", [("1", ""), ("2", "")]), ("b", [("1", "")])])
        self.assertEqual((status, lines[-1]), (0, "3 passed, 0 failed"))

    def test_counts_a_program_without_tests_as_one(self):
        status, lines = self.tally([("a", "OK"), ("b", "SKIP")])
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))

    def test_shows_what_failed(self):
        status, lines = self.tally([("a", "FAIL")], [("a", [("1", ""), ("second", "failure")])], 1)
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertTrue(any("words before the end" in line for line in lines))

    def test_says_the_reason_first(self):
        """Within a few lines of the name, without what passed and without the noise of the bus; and
        at the very end once more."""
        noise = "dbus-daemon[7]: [session uid=0 pid=7] Successfully activated service 'x'\n" * 50
        stdout = ("TAP version 13\n1..3\n# it waited\nok 1 - first\n# first: 1.0 s\n# the reason\n"
                  + "# a line of the log\n" * 90 + "not ok 2 - second\n# second: 2.0 s\nok 3 - third\n")
        status, lines = self.tally([("holdall:app / app-x", "FAIL")], status=1, stdout=stdout,
                                   stderr=noise + "the program complains\n" + noise)
        place = next(i for i, line in enumerate(lines) if line.startswith("FAILED"))
        self.assertEqual(lines[place + 1:place + 3], ["  not ok 2 - second", "  # the reason"])
        self.assertFalse(any("dbus-daemon" in line or "it waited" in line for line in lines))
        self.assertTrue(any("the program complains" in line for line in lines))
        self.assertEqual(lines[-2], "  app-x: not ok 2 - second: the reason")
        self.assertLess(len(lines), 45)

    def test_counts_a_crash_after_good_tests(self):
        status, lines = self.tally([("a", "ERROR")], [("a", [("1", "")])], 1)
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))

    def test_counts_a_time_out(self):
        status, lines = self.tally([("a", "TIMEOUT")], status=1)
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_believes_meson_when_it_complains(self):
        status, lines = self.tally([("a", "OK")], status=2)
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))

    def tally_tap(self, text):
        """Of one good test of Meson's and a file of TAP."""
        with tempfile.NamedTemporaryFile("w", suffix=".tap", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            return self.tally([("a", "OK")], more=["--tap", file.name])

    def test_adds_the_results_of_a_tap_file(self):
        status, lines = self.tally_tap(
            "noise\n1..1\nok 1 - a\nok 1 - b\nok 2 - c # SKIP no\n1..2\n")
        self.assertEqual((status, lines[-1]), (0, "3 passed, 0 failed, 1 skipped"))
        status, lines = self.tally_tap("1..0 # SKIP no packages\n")
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertTrue(any("no packages" in line for line in lines))

    def test_sees_a_tap_file_that_failed_or_was_cut_short(self):
        status, lines = self.tally_tap("1..2\nok 1 - a\n# why\nnot ok 2 - b\n")
        self.assertEqual((status, lines[-1]), (1, "2 passed, 1 failed"))
        self.assertTrue(any("why" in line for line in lines))
        for text in ("", "ok 1 - a\n", "1..2\nok 1 - a\n"):
            status, lines = self.tally_tap(text)
            self.assertEqual((status, lines[-1].partition(" ")[2]), (1, "passed, 1 failed"))

    def test_refuses_an_empty_run(self):
        status, lines = self.tally([])
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_names_what_was_skipped(self):
        status, lines = self.tally([("a", "OK")], [("a", [("1", ""), ("needs root", "skipped")])])
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertTrue(any("needs root" in line for line in lines))


@unittest.skipUnless(all(map(shutil.which, ("Xvfb", "openbox", "dbus-run-session"))),
                     "no virtual display here")
class WithDisplay(unittest.TestCase):
    tool = os.path.join(TOOLS, "with-display")

    def test_hands_the_exit_status_on(self):
        self.assertEqual(run(self.tool, "sh", "-c", "exit 7").returncode, 7)

    def test_says_128_and_the_signal(self):
        self.assertEqual(run(self.tool, "sh", "-c", "kill -9 $$").returncode, 137)

    def test_leaves_no_process_and_no_file(self):
        # The child of setsid detaches itself, as a D-Bus service would.
        answer = run(self.tool, "sh", "-c", "setsid sleep 300 & echo $! $HOME")
        words = answer.stdout.split("\n")[-2].split()
        self.assertFalse(os.path.exists("/proc/" + words[0]), answer.stdout)
        self.assertFalse(os.path.exists(words[1]), answer.stdout)

    def test_takes_a_picture_of_the_screen(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "a.png")
            answer = run(self.tool, "--size", "400x300",
                         os.path.join(TOOLS, "screenshot"), picture, "10", "20", "300", "200")
            self.assertEqual(answer.returncode, 0, answer.stdout)
            with open(picture, "rb") as file:
                data = file.read()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", data[16:24]), (300, 200))
            length = struct.unpack(">I", data[33:37])[0]
            self.assertEqual(len(zlib.decompress(data[41:41 + length])), 200 * (1 + 3 * 300))


class Sample(unittest.TestCase):
    def test_is_streamed_and_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.zip", "b.zip")]
            for path in paths:
                self.assertEqual(run(os.path.join(TOOLS, "make-sample"), path).returncode, 0)
            with open(paths[0], "rb") as first, open(paths[1], "rb") as second:
                self.assertEqual(first.read(), second.read())
            with zipfile.ZipFile(paths[0]) as archive:
                self.assertIsNone(archive.testzip())
                self.assertTrue(all(entry.flag_bits & 8 for entry in archive.infolist()))


class Dependencies(unittest.TestCase):
    def test_table_has_a_column_for_each_manager(self):
        with open(os.path.join(TOOLS, "deps"), encoding="utf-8") as file:
            rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
        self.assertTrue(all(len(row) == 5 for row in rows), rows)
        self.assertEqual({row[0] for row in rows}, {"build", "app", "show", "test", "flatpak", "bench"})

    def test_unknown_group_is_an_error(self):
        answer = run(os.path.join(TOOLS, "install-deps"), "--dry-run", "nonsense")
        self.assertNotEqual(answer.returncode, 0)

    def test_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("install-deps", "deps"):
                shutil.copy(os.path.join(TOOLS, name), folder)
            with open(os.path.join(folder, "deps"), "a", encoding="utf-8") as file:
                file.write("extra cmd:sh there there there\n"
                           "extra cmd:no-such-command|sh there there there\n"
                           "extra pc:no-such-module>=1 gone gone gone\n"
                           "extra cmd:no-such-command gone gone gone\n")
            answer = run(os.path.join(folder, "install-deps"), "--dry-run", "extra")
            self.assertIn("gone", answer.stdout)
            self.assertEqual(answer.stdout.count("gone"), 1)
            self.assertNotIn("there", answer.stdout.replace("these", ""))


class TapResult(unittest.TestResult):
    number = 0

    def line(self, good, test, comment="", skip=None):
        self.number += 1
        for line in comment.split("\n") if comment else []:
            print("# " + line)
        print(("ok" if good else "not ok") + f" {self.number} {test.id().partition('.')[2]}"
              + (f" # SKIP {skip}" if skip else ""), flush=True)

    def addSuccess(self, test):
        self.line(True, test)

    def addSkip(self, test, reason):
        self.line(True, test, skip=reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line(False, test, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.line(False, test, self.errors[-1][1])


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}")
    result = TapResult()
    suite.run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
