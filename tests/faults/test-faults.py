#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Every system call of an edit fails, comes short, or is the last: nothing is lost.

    tests/faults/test-faults.py HOLDALL-CLI FAULTS.so SYNC-EVERYWHERE [VERB]

For each verb the calls on files of the test are counted once; then, for every one of them, the
command is run anew and that call fails (no space, I/O error, quota), is interrupted, does half, or
is where the process is killed. After each run:

  * the archive is the old one, byte for byte, or a whole new one that other programs accept;
  * every file is in the archive or at the target, with the right content;
  * exit status 0 means that all is done; a call that was only interrupted or short does not show at all;
  * after the next start no temporary file is left.

Prints TAP, one line per verb and kind of fault, with the number of runs.
"""

import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

FILES = {
    "docs/a.txt": b"alpha\n" * 40,
    "docs/b.bin": bytes(range(256)) * 30,
    "top.txt": b"top\n",
}
LINK = ("docs/link", "a.txt")
ADDED = {"new/one.txt": b"one\n" * 99, "new/two.bin": os.urandom(5000)}
LARGE = {"large/noise": os.urandom(150_000)}

# What can go wrong with which call.
FAILURES = {
    "open": ["ENOSPC", "EIO", "EDQUOT"],
    "write": ["ENOSPC", "EIO", "EDQUOT"],
    "copy_file_range": ["ENOSPC", "EIO", "EXDEV"],
    "fsync": ["EIO", "ENOSPC"],
    "syncfs": ["EIO"],
    "rename": ["EIO", "ENOSPC"],
    "link": ["EIO", "ENOSPC"],
    "unlink": ["EIO"],
    "mkdir": ["ENOSPC", "EIO"],
    "ftruncate": ["EIO", "ENOSPC"],
    "close": ["EIO", "ENOSPC"],
}
CAN_BE_SHORT = {"write", "copy_file_range"}
# POSIX lets these be interrupted; the others never are.
CAN_BE_INTERRUPTED = {"open", "write", "copy_file_range", "fsync", "ftruncate", "close"}

VERBS = {
    "move": ["move", "-C", "target", "a.zip", "docs"],
    "add": ["add", "a.zip", "source/new"],
    "delete": ["delete", "a.zip", "docs/b.bin"],
    "rename": ["rename", "a.zip", "docs", "texts/old"],
    "split": ["create", "--volume-size", "64K", "s.zip", "source/large"],
}


# What statfs(2) says of a file system that lies upon another.
OVERLAY = 0x794C7630


class Problem(Exception):
    pass


class Arena:
    """One run of the command in a folder of its own."""

    def __init__(self, cli, module, template):
        self.cli, self.module = cli, module
        self.root = tempfile.mkdtemp(prefix="holdall-faults-")
        shutil.copytree(template, self.root + "/box", symlinks=True)
        self.box = self.root + "/box"

    def close(self):
        shutil.rmtree(self.root)

    def run(self, words, call="any", n=0, what=None, env=None):
        extra = env or {}
        env = dict(os.environ, LC_ALL="C.UTF-8", LD_PRELOAD=self.module, HOLD_FAULT_ROOT=self.box, HOLD_FAULT_CALL=call,
                   HOLD_FAULT_N=str(n), HOLD_FAULT_LOG=self.root + "/log")
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0:exitcode=99"
        if what is not None:
            env["HOLD_FAULT_WHAT"] = str(getattr(errno, what)) if what.startswith("E") else what
        env.update(extra)
        return subprocess.run([self.cli, "--jobs", "1", *words], cwd=self.box, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)

    def calls(self):
        with open(self.root + "/log", encoding="ascii") as log:
            return [line.split()[0] for line in log]

    def archive(self):
        with open(self.box + "/a.zip", "rb") as file:
            return file.read()


def make_template(folder):
    box = folder + "/template"
    os.makedirs(box + "/target")
    with zipfile.ZipFile(box + "/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docs/", b"")
        for name, data in FILES.items():
            archive.writestr(name, data)
        link = zipfile.ZipInfo(LINK[0])
        link.create_system = 3
        link.external_attr = 0o120777 << 16
        archive.writestr(link, LINK[1])
    for name, data in {**ADDED, **LARGE}.items():
        path = f"{box}/source/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    return box


ACCEPTED = {}


def others_accept(arena, data):
    """unzip, 7-Zip and Python read every byte of it. Remembered by content: most runs end in one of two archives."""
    key = hashlib.sha256(data).hexdigest()
    if key not in ACCEPTED:
        path = arena.box + "/a.zip"
        ok = True
        seven_zip = shutil.which("7zz") or shutil.which("7z")
        for command in (["unzip", "-tqq", path], [seven_zip, "t", path]):
            if command[0] is not None and shutil.which(command[0]) is not None:
                done = subprocess.run(command, capture_output=True, timeout=60, check=False)
                # unzip says 1 of an archive without entries.
                ok = ok and (done.returncode == 0 or b"zipfile is empty" in done.stdout + done.stderr)
        with zipfile.ZipFile(path) as archive:
            ok = ok and archive.testzip() is None
        ACCEPTED[key] = ok
    return ACCEPTED[key]


def in_archive(arena):
    with zipfile.ZipFile(arena.box + "/a.zip") as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}


def at_target(arena):
    found = {}
    top = arena.box + "/target"
    for folder, _folders, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, top)
            if os.path.islink(path):
                found[shown] = os.readlink(path).encode()
            else:
                with open(path, "rb") as file:
                    found[shown] = file.read()
    return found


def contents():
    return {**FILES, LINK[0]: LINK[1].encode()}


def check_nothing_lost(verb, arena):
    """TRUE if the edit has been done."""
    inside, outside = in_archive(arena), at_target(arena)
    wanted = contents()
    for name, data in wanted.items():
        places = {name}
        if verb == "rename" and name.startswith("docs/"):
            places.add("texts/old/" + name[len("docs/"):])
        kept = any(inside.get(place) == data for place in places)
        if verb == "delete" and name == "docs/b.bin":
            continue
        if not kept and not (verb == "move" and outside.get(name) == data):
            raise Problem(f"{name} is lost")
    for name, data in ADDED.items():
        with open(f"{arena.box}/source/{name}", "rb") as file:
            if file.read() != data:
                raise Problem(f"the source {name} was touched")
        if name in inside and inside[name] != data:
            raise Problem(f"{name} was added damaged")

    if verb == "split":
        return check_set(arena)
    if verb == "move":
        done = not any(name.startswith("docs/") for name in inside)
        if done and any(outside.get(name) != data for name, data in wanted.items() if name.startswith("docs/")):
            raise Problem("gone from the archive before it had arrived")
        return done
    if verb == "add":
        return all(name in inside for name in ADDED)
    if verb == "delete":
        return "docs/b.bin" not in inside
    return "texts/old/a.txt" in inside and "docs/a.txt" not in inside


def check_set(arena):
    """Of the parts of a new archive all are there or none; TRUE if they are."""
    parts = sorted(name for name in os.listdir(arena.box) if name.startswith("s.zip"))
    if "s.zip.001" not in parts:
        return False
    joined = arena.root + "/joined.zip"
    with open(joined, "wb") as whole:
        for name in parts:
            with open(f"{arena.box}/{name}", "rb") as part:
                whole.write(part.read())
    with zipfile.ZipFile(joined) as archive:
        for name, data in LARGE.items():
            if archive.read(name) != data:
                raise Problem(f"{name} was packed damaged")
    return True


def check_left_of_set(arena, killed):
    """A set that is not whole is not there; where the program was killed it can at least be made again."""
    if not killed and not check_set(arena) and any(name.startswith("s.zip") for name in os.listdir(arena.box)):
        raise Problem("a part without its first was left behind")
    if not killed:
        return
    again = subprocess.run([arena.cli, *VERBS["split"]], cwd=arena.box, capture_output=True, timeout=60, check=False)
    if again.returncode != 0 and b"exists already" not in again.stderr:
        raise Problem(f"can't be made afterwards: {again.stderr!r}")


def check_litter(arena):
    for folder, folders, files in os.walk(arena.box):
        for name in folders + files:
            if "holdall" in name:
                raise Problem(f"left behind: {os.path.join(folder, name)[len(arena.box):]}")


def check(verb, arena, done, what, old):
    killed = what == "kill"
    if killed and done.returncode != -signal.SIGKILL:
        raise Problem(f"was not killed: {done.returncode}")
    if not killed and (done.returncode < 0 or done.returncode not in (0, 1, 3)):
        raise Problem(f"exit {done.returncode}: {done.stderr[-600:]!r}")
    if not killed:
        check_litter(arena)
    if verb == "split":
        check_left_of_set(arena, killed)
    # The next start cleans up, and has an archive to open.
    again = subprocess.run([arena.cli, "list", "a.zip"], cwd=arena.box, capture_output=True, timeout=60, check=False)
    if again.returncode != 0:
        raise Problem(f"can't be opened afterwards: {again.stderr!r}")
    check_litter(arena)

    data = arena.archive()
    if data != old and not others_accept(arena, data):
        raise Problem("other programs don't accept the archive")
    finished = check_nothing_lost(verb, arena)
    if not killed and done.returncode == 0 and not finished:
        raise Problem("said that all is done, and it is not")
    if what in ("short", "EINTR") and (done.returncode != 0 or not finished):
        raise Problem(f"exit {done.returncode}: {done.stderr[-300:]!r}")


def faults_of(call, n):
    """The kinds of fault to try at the N-th call; of failures one in turn, so that all are met in a sweep."""
    failures = FAILURES[call]
    kinds = [failures[n % len(failures)], "kill"]
    if call in CAN_BE_SHORT:
        kinds.append("short")
    if call in CAN_BE_INTERRUPTED:
        kinds.append("EINTR")
    return kinds


def kind_of(what):
    return {"kill": "killed", "short": "short", "EINTR": "interrupted"}.get(what, "failing")


def one(cli, module, template, verb, call, n, what, old):
    arena = Arena(cli, module, template)
    try:
        done = arena.run(VERBS[verb], n=n, what=what)
        check(verb, arena, done, what, old)
        return None
    except Problem as problem:
        return f"{call}, call {n}, {what}: {problem}"
    finally:
        arena.close()


def sweep(cli, module, template, verb, pool):
    arena = Arena(cli, module, template)
    try:
        old = arena.archive()
        done = arena.run(VERBS[verb])
        if done.returncode != 0 or not check_nothing_lost(verb, arena):
            return {"failing": [f"without any fault: exit {done.returncode}: {done.stderr!r}"]}, {"failing": 1}
        calls = arena.calls()
    finally:
        arena.close()

    runs = [(call, n, what) for n, call in enumerate(calls, 1) for what in faults_of(call, n)]
    results = pool.map(lambda run: one(cli, module, template, verb, *run, old), runs)
    problems, counts = {}, {}
    for (_call, _n, what), problem in zip(runs, results):
        kind = kind_of(what)
        counts[kind] = counts.get(kind, 0) + 1
        if problem is not None:
            problems.setdefault(kind, []).append(problem)
    return problems, counts


def check_durable(cli, module, template, kind):
    """A move: as long as the disk has not said that all of it is there, the archive keeps it."""
    problems, calls = [], []
    for n in range(200):
        arena = Arena(cli, module, template)
        try:
            old = arena.archive()
            env = {"HOLD_FAULT_ROOT": arena.box + "/target", "HOLD_FAULT_FS": hex(kind)} if kind else {
                "HOLD_FAULT_ROOT": arena.box + "/target"}
            done = arena.run(VERBS["move"], call="fsync" if kind else "syncfs", n=n, what="EIO", env=env)
            if n == 0:
                calls = arena.calls() if os.path.exists(arena.root + "/log") else []
                # Without a word of what syncfs() missed: two files, their folder, the target.
                if done.returncode != 0 or len(calls) != (4 if kind else 1):
                    problems.append(f"exit {done.returncode}, calls {calls}: {done.stderr!r}")
            elif done.returncode == 0 or arena.archive() != old:
                problems.append(f"call {n} failed: exit {done.returncode}, the archive has changed: {done.stderr!r}")
        finally:
            arena.close()
        if n >= len(calls):
            break
    return problems


def check_everywhere(program, module):
    """Of a disk that lost something the one who asks hears, whichever it is."""
    env = dict(os.environ, LD_PRELOAD=module, HOLD_FAULT_ROOT="/", HOLD_FAULT_CALL="syncfs", HOLD_FAULT_N="1")
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0:exitcode=99"
    problems = []
    for what, wanted in ((None, 0), (str(errno.EIO), 1)):
        if what is not None:
            env["HOLD_FAULT_WHAT"] = what
        done = subprocess.run([program], env=env, capture_output=True, timeout=300, check=False)
        if done.returncode != wanted or (wanted and b"disk mounted at" not in done.stderr):
            problems.append(f"{what}: exit {done.returncode}: {done.stderr!r}")
    return problems


def main():
    cli, module, everywhere = (os.path.abspath(word) for word in sys.argv[1:4])
    verbs = sys.argv[4:] or list(VERBS)
    kinds = ["failing", "killed", "short", "interrupted"]
    number, failed, total = 0, 0, 0
    print(f"1..{len(verbs) * len(kinds) + 3}", flush=True)
    with tempfile.TemporaryDirectory(prefix="holdall-faults-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        template = make_template(folder)
        for words, problems in (
                ("move, syncfs() tells of what was lost", check_durable(cli, module, template, None)),
                ("move, syncfs() can't tell", check_durable(cli, module, template, OVERLAY)),
                ("disks that nobody knows", check_everywhere(everywhere, module))):
            number += 1
            failed += bool(problems)
            print(f"{'not ok' if problems else 'ok'} {number} - {words}", flush=True)
            for line in problems:
                print("# " + line)
        for verb in verbs:
            problems, counts = sweep(cli, module, template, verb, pool)
            for kind in kinds:
                number += 1
                bad = problems.get(kind, [])
                total += counts.get(kind, 0)
                failed += bool(bad)
                print(f"{'not ok' if bad else 'ok'} {number} - {verb}, calls {kind}: "
                      f"{counts.get(kind, 0)} runs", flush=True)
                for line in bad[:12]:
                    print("# " + line)
    print(f"# {total} faults injected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
