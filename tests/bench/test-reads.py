#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The seed case as a test, in TAP: archives with a data descriptor behind every entry are read
with few and large reads, and each byte once.

    tests/bench/test-reads.py HOLDALL-CLI

The archives are small ones of tests/bench/make-streamed; the bounds are those that the large ones
of tests/bench/bench are held to.
"""

import os
import subprocess
import sys
import tempfile
import zipfile

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
READS_PER_ENTRY, MORE_READS = 4, 50
BYTES_FACTOR = 1.1
# The end of the file, in which the end record is searched, may be read once more: on archives as
# small as these it counts.
TAIL_BYTES = 128 * 1024
INFO_SHARE = 0.01


class Tap:
    def __init__(self):
        self.number = 0
        self.n_failed = 0

    def report(self, good, name, *notes):
        self.number += 1
        self.n_failed += not good
        for note in notes:
            for line in filter(None, str(note).split("\n")):
                print("# " + line)
        print(("ok" if good else "not ok") + f" {self.number} {name}", flush=True)

    def end(self):
        print(f"1..{self.number}")
        return 1 if self.n_failed else 0


def content_of(folder):
    """Relative path -> bytes of every file."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def within(tap, name, done, counted, n_entries, size):
    tap.report(done.returncode == 0, f"{name}: succeeds", done.stderr.decode(errors="replace"))
    tap.report(counted.n_mapped == 0, f"{name}: does not map the file, which may shrink meanwhile")
    most = READS_PER_ENTRY * n_entries + MORE_READS
    tap.report(0 < counted.n_calls <= most, f"{name}: at most {most} reads",
               f"{counted.n_calls} reads")
    tap.report(counted.n_bytes <= BYTES_FACTOR * size + TAIL_BYTES, f"{name}: reads each byte about once",
               f"{counted.n_bytes} of {size} bytes")


def test_archive(tap, cli, folder, name, arguments):
    archive = os.path.join(folder, name + ".zip")
    subprocess.run([os.path.join(HERE, "make-streamed"), *arguments[:1], archive, *arguments[1:]],
                   check=True)
    size = os.path.getsize(archive)
    with zipfile.ZipFile(archive) as reference:
        entries = reference.infolist()
        tap.report(all(entry.flag_bits & 8 for entry in entries),
                   f"{name}: every entry is streamed")
        expected = {entry.filename: reference.read(entry) for entry in entries}

    done, counted = measure.count_reads([cli, "list", archive], archive)
    within(tap, f"{name}, list", done, counted, 0, size)
    tap.report(done.stdout.count(b"\n") >= len(entries), f"{name}, list: names every entry")

    target = os.path.join(folder, name)
    os.mkdir(target)
    done, counted = measure.count_reads([cli, "extract", "-C", target, archive], archive)
    within(tap, f"{name}, extract", done, counted, len(entries), size)
    tap.report(content_of(target) == expected, f"{name}, extract: every file is right")

    # One entry of many: what is read must not grow with what is left alone.
    wanted = entries[len(entries) // 2]
    done, counted = measure.count_reads([cli, "cat", archive, wanted.filename], archive)
    within(tap, f"{name}, cat", done, counted, 1, size)
    tap.report(done.stdout == expected[wanted.filename], f"{name}, cat: the content is right")
    return archive


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cli = os.path.abspath(sys.argv[1])
    if not measure.can_trace():
        print("1..0 # SKIP strace is missing, or may not trace here")
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="holdall-reads-") as folder:
        test_archive(tap, cli, folder, "300 entries", ["small", "--bytes", "3000000"])
        test_archive(tap, cli, folder, "5,000 tiny entries",
                     ["many", "--entries", "5000", "--bytes", "1500000"])

        # The measure itself: a program that reads the file once, and nothing else of it.
        archive = os.path.join(folder, "300 entries.zip")
        _, counted = measure.count_reads(["dd", "if=" + archive, "of=/dev/null", "bs=64k"], archive)
        tap.report(counted.n_bytes == os.path.getsize(archive) and counted.n_calls > 40,
                   "the measure sees every read", f"{counted.n_calls}, {counted.n_bytes}")

        # Few large entries: the directory is a tiny part, and info reads no more than that.
        archive = os.path.join(folder, "few.zip")
        subprocess.run([os.path.join(HERE, "make-streamed"), "large", archive, "--entries", "40",
                        "--bytes", "30000000"], check=True)
        size = os.path.getsize(archive)
        done, counted = measure.count_reads([cli, "info", archive], archive)
        tap.report(done.returncode == 0, "info: succeeds", done.stderr.decode(errors="replace"))
        tap.report(0 < counted.n_bytes < INFO_SHARE * size, "info: reads less than 1 %",
                   f"{counted.n_bytes} of {size} bytes")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
