# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Runs holdall-cli in a folder of its own and compares what comes out, as TAP."""

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

NOBODY = 65534
# Only what hangs takes that long, however slow the machine and whatever else it does.
TIMEOUT_S = 240
SLOW_S = 3

# Filled by @case in the order of the files.
CASES = []


class Skip(Exception):
    """The machine lacks something that a case needs."""


class Failure(Exception):
    """What came out is not what should have."""


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def check(condition, text):
    if not condition:
        raise Failure(text)


def same(got, wanted, what="value"):
    if got != wanted:
        raise Failure(f"{what}:\n  got    {got!r}\n  wanted {wanted!r}")


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Skip(f"needs {program}")


def seven_zip():
    for program in ("7zz", "7z"):
        if shutil.which(program) is not None:
            return program
    raise Skip("needs 7-Zip")


def need_root():
    if os.getuid() != 0:
        raise Skip("needs root")


class Result:
    def __init__(self, process_exit, out, err):
        self.exit = process_exit
        self.out = out
        self.err = err


class Box:
    """A temporary folder, and the command run in it."""

    def __init__(self, program, locale):
        self.program = program
        self.locale = locale
        self.root = os.fsencode(tempfile.mkdtemp(prefix="holdall-cli-"))
        os.chmod(self.root, 0o755)

    def close(self):
        # What a case made unwritable must not stay behind.
        for folder, _folders, _files in os.walk(self.root):
            if not os.path.islink(folder):
                os.chmod(folder, 0o700)
        shutil.rmtree(self.root)

    def path(self, name=""):
        return os.path.join(self.root, os.fsencode(name)) if name else self.root

    def put(self, name, data=b"", mode=None):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(path, mode)
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def has(self, name):
        return os.path.lexists(self.path(name))

    def mode(self, name):
        return os.lstat(self.path(name)).st_mode & 0o7777

    def tree(self, name=""):
        """All below @name as sorted paths; folders end in "/", links show their target."""
        found = []
        top = self.path(name)
        for folder, folders, files in os.walk(top):
            for child in folders + files:
                path = os.path.join(folder, child)
                shown = os.path.relpath(path, top)
                if os.path.islink(path):
                    shown += b" -> " + os.readlink(path)
                elif os.path.isdir(path):
                    shown += b"/"
                found.append(shown)
        return sorted(os.fsdecode(path) for path in found)

    def tool(self, *command, cwd=None, data=None):
        """Another program, which must succeed."""
        done = subprocess.run(command, cwd=cwd or self.root, input=data, capture_output=True,
                              timeout=TIMEOUT_S, check=False)
        if done.returncode != 0:
            raise Failure(f"{command} failed: {done.stderr!r}")
        return done.stdout

    def environment(self):
        env = dict(os.environ)
        for name in ("LANG", "LANGUAGE", "LC_CTYPE", "LC_MESSAGES"):
            env.pop(name, None)
        env["LC_ALL"] = self.locale
        env["TZ"] = "UTC"
        # A sanitizer's report must not look like an exit status of ours.
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            env[name] = ":".join(filter(None, [env.get(name), "exitcode=99"]))
        return env

    def start(self, *args, as_nobody=False, cwd=None, env=None, **kwargs):
        program = self.program
        environment = self.environment()
        environment.update(env or {})
        if as_nobody:
            need_root()
            # Where the build lies somebody else may not look.
            program = self.path("holdall-cli")
            if not os.path.exists(program):
                shutil.copy(self.program, program)

        def become_nobody():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        return subprocess.Popen([program, *args], cwd=cwd or self.root, env=environment,
                                preexec_fn=become_nobody if as_nobody else None, **kwargs)

    def run(self, *args, exit=0, data=b"", err=None, out=None, quiet=None, **kwargs):
        """@err: regular expressions that standard error must match, one a list item; [] for an empty
        standard error. @out: all of standard output."""
        process = self.start(*args, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, **kwargs)
        try:
            got_out, got_err = process.communicate(data, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"{args} hangs") from None
        text = got_err.decode("utf-8", "surrogateescape")
        shown = f"{args}\n  stdout {got_out[:2000]!r}\n  stderr {text[:4000]}"
        if process.returncode != exit:
            raise Failure(f"exit {process.returncode}, wanted {exit}: {shown}")
        if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text):
            raise Failure(f"control characters on standard error: {shown}")
        if out is not None and got_out != out:
            raise Failure(f"standard output is not {out!r}: {shown}")
        if err == [] and text:
            raise Failure(f"standard error is not empty: {shown}")
        for pattern in err or []:
            if not re.search(pattern, text, re.MULTILINE):
                raise Failure(f"standard error does not match {pattern!r}: {shown}")
        return Result(process.returncode, got_out, text)

    def entries(self, archive, *options, exit=0):
        """list --json, parsed; the format of every line is checked."""
        lines = self.run("list", "--json", *options, archive, exit=exit).out
        check(lines == b"" or lines.endswith(b"\n"), "the last line has no end")
        entries = [json.loads(line.decode("utf-8")) for line in lines.splitlines()]
        for number, entry in enumerate(entries):
            missing = {"path", "type", "size", "packed", "mtime", "mode", "method", "crc32", "encrypted",
                       "link", "comment", "descriptor", "index"} - set(entry)
            check(not missing, f"{missing} missing in {entry}")
            same(entry["index"], number, "index")
            check(entry["type"] in ("file", "folder", "symlink", "hardlink", "other"), f"{entry}")
        return entries

    def names(self, archive, *options, exit=0):
        return [entry["path"] for entry in self.entries(archive, *options, exit=exit)]


def run_all(program, locale, pattern=None):
    chosen = [(name, function) for name, function in CASES if not pattern or re.search(pattern, name)]
    n_failed = 0

    # A test that hangs in a signal test must not take the runner with it.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    print(f"1..{len(chosen)}", flush=True)
    for number, (name, function) in enumerate(chosen, 1):
        box = Box(program, locale)
        begin = time.monotonic()
        try:
            function(box)
            print(f"ok {number} - {name}")
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}")
        except Exception as error:
            n_failed += 1
            text = str(error) if isinstance(error, Failure) else traceback.format_exc()
            print(f"not ok {number} - {name}")
            for line in text.encode("utf-8", "backslashreplace").decode("utf-8").splitlines():
                print(f"# {line}")
        finally:
            box.close()
        if time.monotonic() - begin > SLOW_S:
            print(f"# that took {time.monotonic() - begin:.1f} s")
        sys.stdout.flush()
    return 1 if n_failed else 0
