# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The command as a process: signals, pipes, full disks, terminals, several threads."""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

from harness import TIMEOUT_S, Failure, case, check, need_root, same, seven_zip
from zipmaker import Entry, make_zip


def put_large(box, name="big.zip", megabytes=512):
    """One entry of zeros; packed it is small."""
    import zlib
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    block = b"\0" * 1_000_000
    packed, crc = [], 0
    for _ in range(megabytes):
        packed.append(packer.compress(block))
        crc = zlib.crc32(block, crc)
    packed.append(packer.flush())
    box.put(name, make_zip([Entry(b"big", method=8, packed_data=b"".join(packed), crc=crc,
                                  size=megabytes * len(block)), Entry(b"small", b"x")]))


@case("interrupted while extracting: 130, nothing half-written, soon")
def interrupt(box):
    put_large(box)
    for number in (signal.SIGINT, signal.SIGTERM):
        for _attempt in range(20):
            process = box.start("extract", "-C", "out", "big.zip", "big", stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
            while not box.has("out") and process.poll() is None:
                time.sleep(0.005)
            time.sleep(0.1)  # into the middle; before and behind it the same holds
            process.send_signal(number)
            # What is told to stop and does not would be done with it all, and exit with 0.
            _out, err = process.communicate(timeout=TIMEOUT_S)
            if process.returncode != 0:
                break
            # It was faster than this test.
            shutil.rmtree(box.path("out"))
        same(process.returncode, 130, f"exit after signal {number}: {err!r}")
        same(box.tree("out") if box.has("out") else [], [], "left behind")


@case("a signal that comes when all is done: no interruption, since the archive is not as it was")
def signal_at_the_end(box):
    box.put("a.zip", make_zip([Entry(b"f", b"old")]))
    box.put("f", b"new")
    box.put("g", b"new")
    before = box.read("a.zip")
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"\n" * 65536)
    except BlockingIOError:
        os.set_blocking(writing, True)
    # It has to say that f is there already, and nobody listens.
    process = box.start("add", "a.zip", "f", "g", stderr=writing)
    os.close(writing)
    deadline = time.monotonic() + TIMEOUT_S
    while box.read("a.zip") == before and time.monotonic() < deadline:
        time.sleep(0.005)
    for _attempt in range(40):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
    os.set_blocking(reading, False)
    while process.poll() is None and time.monotonic() < deadline:
        try:
            os.read(reading, 65536)
        except BlockingIOError:
            time.sleep(0.005)
    os.close(reading)
    same(process.wait(TIMEOUT_S), 1, "exit")
    same([entry["path"] for entry in box.entries("a.zip")], ["f", "g"])


@case("a closed pipe and a full device are errors of standard output")
def broken_output(box):
    put_large(box, megabytes=20)
    process = box.start("cat", "big.zip", "big", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    same(process.wait(TIMEOUT_S), 3, f"exit with a closed pipe: {err!r}")
    check(b"standard output" in err, err)
    for arguments in (["cat", "big.zip", "big"], ["list", "big.zip"], ["--help"], ["info", "--json", "big.zip"],
                      ["formats"], ["test", "big.zip"]):
        with open("/dev/full", "wb") as full:
            process = box.start(*arguments, stdout=full, stderr=subprocess.PIPE)
            _out, err = process.communicate(timeout=TIMEOUT_S)
        same(process.returncode, 3, f"exit of {arguments} on a full device: {err!r}")
        check(b"standard output" in err, err)


def read_link(path):
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None


@case("a standard stream that is closed is never the number of a file")
def closed_streams(box):
    # Who opens the password file waits here.
    os.mkfifo(box.path("password"))
    for closed in ("0", "1", "2", "12", "012"):
        script = 'exec "$@" ' + " ".join(f"{number}>&-" for number in closed)
        process = subprocess.Popen(["sh", "-c", script, "sh", box.program, "list", "a.zip", "--password-file", "password"],
                                   cwd=box.root, env=box.environment())
        try:
            deadline = time.monotonic() + TIMEOUT_S
            targets = {None}
            while targets != {"/dev/null"} and time.monotonic() < deadline:
                time.sleep(0.005)
                targets = {read_link(f"/proc/{process.pid}/fd/{number}") for number in closed}
            same(targets, {"/dev/null"}, f"what stands where {closed} was closed")
        finally:
            process.kill()
            process.wait()


@case("no thread to be had: said so, instead of waiting for ever")
def no_threads(box):
    import resource
    need_root()
    box.put("a.zip", make_zip([Entry(b"f%d" % number, b"text" * 99, method=8) for number in range(50)]))
    program = box.path("holdall-cli")
    shutil.copy(box.program, program)
    # Nobody else's, so that what others run does not count: not even this test in another locale.
    user = 20000 + os.getpid() % 40000

    def become_user(n_threads):
        os.setgroups([])
        os.setgid(user)
        resource.setrlimit(resource.RLIMIT_NPROC, (n_threads, n_threads))
        os.setuid(user)

    # One thread for the program itself, then one for the job, then some of those that help it.
    for n_threads, status in ((1, 3), (2, 0), (3, 0), (20, 0)):
        for verb in ("list", "test"):
            process = subprocess.Popen([program, verb, "-j4", "a.zip"], cwd=box.root,
                                       env={**box.environment(), "ASAN_OPTIONS": "detect_leaks=0"},
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=lambda n=n_threads: become_user(n))
            try:
                _out, err = process.communicate(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise Failure(f"{verb} waits for ever with {n_threads} threads") from None
            same(process.returncode, status, f"{verb} with {n_threads} threads: {err!r}")


@case("a current folder that is gone: nothing goes to the root of the disk instead")
def no_place(box):
    box.put("a.zip", make_zip([Entry(b"holdall-test-f", b"text")]))
    archive, there = os.fsdecode(box.path("a.zip")), os.fsdecode(box.path("out"))
    for arguments, status in ((["list", "a.zip"], 3), (["list", archive], 0), (["extract", archive], 3),
                              (["extract", "-C", there, archive], 0), (["move", "-C", "x", archive, "holdall-test-f"], 3),
                              (["create", "holdall-test-b.zip", archive], 3), (["add", archive, "a.zip"], 3),
                              (["convert", archive, "holdall-test-b.tar"], 3), (["formats"], 0)):
        script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
        done = subprocess.run(["sh", "-c", script, "sh", box.program, *arguments], cwd=box.root,
                              env=box.environment(), capture_output=True, check=False)
        same(done.returncode, status, f"{arguments}: {done.stderr!r}")
    for name in ("/holdall-test-f", "/holdall-test-b.zip", "/holdall-test-b.tar"):
        check(not os.path.lexists(name), f"{name} was made")


@case("a full disk: named, nothing half-written, exit 3 or 1")
def full_disk(box):
    need_root()
    put_large(box, megabytes=4)
    os.mkdir(box.path("small-disk"))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", box.path("small-disk")],
                             capture_output=True, check=False)
    if mounted.returncode != 0:
        from harness import Skip
        raise Skip("cannot mount a small disk here")
    try:
        process = box.start("extract", "-C", "small-disk", "big.zip", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        _out, err = process.communicate(timeout=TIMEOUT_S)
        check(process.returncode in (1, 3), f"exit {process.returncode}: {err!r}")
        check(b"free" in err or b"full" in err, err)
        check("big" not in box.tree("small-disk"), box.tree("small-disk"))
    finally:
        box.tool("umount", "-l", "small-disk")


@case("progress: on standard error when asked for, never by itself into a pipe")
def progress(box):
    put_large(box, megabytes=300)
    same(box.run("test", "-q", "big.zip").err, "")
    result = box.run("test", "--progress", "big.zip")
    check("%" in result.err, result.err)
    check("\r" not in result.err, "redrawn in a pipe")


def on_terminal(box, arguments, answers):
    """Runs the command on a terminal of its own. @answers: what to wait for, what to type."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def own_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen([box.program, *arguments], cwd=box.root, env=box.environment(), stdin=follower,
                               stdout=subprocess.PIPE, stderr=follower, preexec_fn=own_terminal)
    seen, all_seen = b"", b""
    deadline = time.monotonic() + TIMEOUT_S
    answers = list(answers)
    try:
        while time.monotonic() < deadline:
            if not select.select([leader], [], [], 0.05)[0]:
                if process.poll() is not None:
                    break
                continue
            part = os.read(leader, 4096)
            seen += part
            all_seen += part
            if answers and answers[0][0] in seen:
                os.write(leader, answers.pop(0)[1])
                seen = b""
    finally:
        hung = process.poll() is None
        if hung:
            process.kill()
        out = process.stdout.read()
        process.stdout.close()
        process.wait()
        os.close(leader)
        os.close(follower)
    check(not hung, f"hangs; seen {all_seen!r}")
    check(not answers, f"never asked for {answers}; seen {all_seen!r}")
    return process.returncode, out, all_seen


@case("a password is asked for on a terminal, without echo, again if wrong")
def ask_password(box):
    box.put("f", b"secret")
    box.tool(seven_zip(), "a", "-tzip", "-pgeheim", "enc.zip", "f")
    status, _out, seen = on_terminal(box, ["extract", "-C", "out", "enc.zip"],
                                     [(b"Password", b"falsch\n"), (b"Password", b"geheim\n")])
    same(status, 0, f"exit; seen {seen!r}")
    same(box.read("out/f"), b"secret")
    check(b"geheim" not in seen and b"falsch" not in seen, f"echoed: {seen!r}")
    status, out, seen = on_terminal(box, ["cat", "enc.zip", "f"], [(b"Password", b"geheim\n")])
    same((status, out), (0, b"secret"))
    check(b"geheim" not in seen, "echoed")


@case("P09 leaving the password prompt: nothing written, no crash")
def leave_password(box):
    box.put("f", b"secret")
    box.tool(seven_zip(), "a", "-tzip", "-pgeheim", "enc.zip", "f")
    for typed in (b"\n", b"\x04", b"\x03"):
        status, _out, seen = on_terminal(box, ["extract", "-C", "out", "enc.zip"], [(b"Password", typed)])
        check(status in (4, 130), f"exit {status}; seen {seen!r}")
        check(not box.has("out/f"), "something was written")


@case("X03 conflicts are asked once on a terminal when answered for all")
def ask_conflict(box):
    box.put("a.zip", make_zip([Entry(b"f%d" % number, b"new") for number in range(5)]))
    for number in range(5):
        box.put(f"out/f{number}", b"mine")
    status, _out, seen = on_terminal(box, ["extract", "-C", "out", "a.zip"],
                                     [(b"[s]kip", b"what?\n"), (b"[s]kip", b"s\n"), (b"[s]kip", b"O\n")])
    contents = sorted(box.read(f"out/f{number}") for number in range(5))
    same(contents, [b"mine"] + [b"new"] * 4, f"exit {status}; seen {seen!r}")
    same(status, 1)
    status, _out, seen = on_terminal(box, ["extract", "-C", "out", "a.zip"], [(b"[s]kip", b"q\n")])
    same(status, 130, f"quit; seen {seen!r}")


@case("any number of threads gives the same files")
def threads(box):
    box.put("a.zip", make_zip([Entry(b"d%d/f%d" % (number % 7, number), b"%d" % number * 50, method=8)
                               for number in range(300)]))
    trees = []
    for n in ("1", "2", "8"):
        box.run("extract", "-j", n, "-C", "out" + n, "a.zip", err=[])
        trees.append([(name, None if name.endswith("/") else box.read(f"out{n}/{name}")) for name in box.tree("out" + n)])
    check(trees[0] == trees[1] == trees[2], "they differ")


@case("reads: listing a large ZIP reads its end only")
def few_reads(box):
    box.put("a.zip", make_zip([Entry(b"big", b"\0" * 50_000_000), Entry(b"small", b"x")]))
    from harness import need, Skip
    need("strace")
    if subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode != 0:
        raise Skip("strace may not trace here")
    box.run("info", "a.zip")
    # A log for each thread, so that no call is split by another's.
    traced = subprocess.run(["strace", "-ff", "-y", "-e", "trace=read,pread64,readv,preadv,mmap", "-o", "trace",
                             box.program, "info", "a.zip"], cwd=box.root, env={**box.environment(), "ASAN_OPTIONS":
                             "detect_leaks=0:exitcode=99"}, capture_output=True, check=False)
    same(traced.returncode, 0, f"exit: {traced.stderr[-2000:]!r}")
    total = 0
    for name in box.tree():
        for line in box.read(name).decode("utf-8", "replace").splitlines() if name.startswith("trace.") else ():
            if "a.zip>" in line and "mmap" not in line:
                total += max(0, int(line.rsplit("= ", 1)[1].split()[0]))
    check(0 < total < 500_000, f"read {total} bytes of 50,000,000")
