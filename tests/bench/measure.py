# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What a command costs beside time: how it reads a file, and how much memory it takes."""

import glob
import os
import re
import resource
import shutil
import subprocess
import tempfile

READS = "read,pread64,readv,preadv,preadv2,copy_file_range,sendfile,splice,mmap"
# pread64(5</path/to/a.zip>, "..."..., 262144, 0) = 262144
CALL = re.compile(r"^(\w+)\((?:.*?, )?(\d+)<(.*?)>.*\)\s+=\s+(-?\d+|0x[0-9a-f]+)", re.DOTALL)


class Reads:
    """How often and how much was read from one file, and whether it was mapped instead."""

    def __init__(self):
        self.n_calls = 0
        self.n_bytes = 0
        self.n_mapped = 0


def can_trace():
    """Whether strace is here and allowed (a container may forbid it)."""
    if shutil.which("strace") is None:
        return False
    answer = subprocess.run(["strace", "-o", os.devnull, "true"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, check=False)
    return answer.returncode == 0


def count_reads(command, path):
    """Runs a command under strace; returns its CompletedProcess and the Reads of the file."""
    path = os.path.realpath(path)
    # LeakSanitizer cannot work under ptrace.
    options = os.environ.get("ASAN_OPTIONS", "")
    env = {**os.environ, "ASAN_OPTIONS": (options + ":" if options else "") + "detect_leaks=0"}
    counted = Reads()
    with tempfile.TemporaryDirectory(prefix="holdall-strace-") as folder:
        # One log for each thread, so that no call is split by another's.
        done = subprocess.run(
            ["strace", "-ff", "-y", "-s", "0", "-e", "trace=" + READS, "-e", "signal=none",
             "-o", os.path.join(folder, "log")] + list(command),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
            check=False)
        for log in glob.glob(os.path.join(folder, "log.*")):
            with open(log, encoding="utf-8", errors="replace") as file:
                for line in file:
                    match = CALL.match(line)
                    if match is None or match.group(3) != path:
                        continue
                    if match.group(1) == "mmap":
                        counted.n_mapped += 1
                    else:
                        counted.n_calls += 1
                        counted.n_bytes += max(int(match.group(4), 0), 0)
    return done, counted


def peak_memory(command):
    """Runs a command; returns its exit status and the most memory that it had, in bytes."""
    devnull = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawnp(command[0], list(command), os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, devnull, number)
                                        for number in (0, 1)])
    _, status, usage = os.wait4(pid, 0)
    os.close(devnull)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024


def time_user(command):
    """Runs a command; returns the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
