# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What is put into archives, old or new: it arrives as it was, and other programs read it."""

import os
import signal
import struct
import subprocess
import time
import zipfile
import zlib

from cases_edit import accepted, at, digest, make_zip, names, packed
from harness import TIMEOUT_S, case, check, need, same, seven_zip


@case("W02: added folders merge")
def _(box):
    make_zip(box, entries={"d/old": b"old"})
    box.put("d/new", b"new")
    box.run("add", "a.zip", "d")
    same(sorted(name for name in names(box) if not name.endswith("/")), ["d/new", "d/old"], "names")


@case("add: a name that is taken is skipped, or replaced when asked")
def _(box):
    make_zip(box, entries={"x": b"old", "y": b"y"})
    box.put("x", b"new")
    before = digest(box)
    done = box.run("add", "a.zip", "x", exit=1)
    same(digest(box), before, "skipped")
    box.run("add", "--replace", "a.zip", "x")
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        same((archive.namelist(), archive.read("x")), (["x", "y"], b"new"), "replaced in place")


@case("W15: a file that can't be read costs itself, not the others")
def _(box):
    make_zip(box)
    box.put("n1", b"1")
    os.mkfifo(box.path("pipe"))
    done = box.run("add", "a.zip", "n1", "pipe", "gone", exit=1)
    check("n1" in names(box), "the good one is missing")
    for name in ("pipe", "gone"):
        check(name in done.err, f"{name} is not named")


@case("W16: symlinks go in as symlinks")
def _(box):
    box.put("d/file", b"f")
    os.symlink("file", box.path("d/link"))
    os.symlink("d", box.path("top"))
    for name in ("a.zip", "a.tar"):
        box.run("create", name, "d", "top")
        os.makedirs(box.path("out-" + name))
        box.run("extract", "-C", "out-" + name, name)
        same(os.readlink(box.path(f"out-{name}/d/link")), b"file", "link")
        same(os.readlink(box.path(f"out-{name}/top")), b"d", "link at the top")


@case("W17: create never writes over a file unless forced")
def _(box):
    box.put("a.zip", b"precious")
    box.put("x", b"x")
    box.run("create", "a.zip", "x", exit=3)
    same(box.read("a.zip"), b"precious", "the file")
    box.run("create", "--force", "a.zip", "x")
    same(names(box), ["x"], "names")


@case("Z23: a file from before 1980")
def _(box):
    box.put("old", b"o")
    os.utime(box.path("old"), (0, 0))
    box.run("create", "a.zip", "old")
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        same(archive.infolist()[0].date_time[0], 1980, "DOS year")
    box.put("out/x")
    box.run("extract", "-C", "out", "a.zip")
    same(int(os.stat(box.path("out/old")).st_mtime), 0, "time")


@case("E10: a name outside ASCII is the same in both headers")
def _(box):
    box.put("文件.txt", b"1")
    box.run("create", "a.zip", "文件.txt")
    data = box.read("a.zip")
    raw = "文件.txt".encode()
    same(data.count(raw), 2, "times that the name stands there")
    local = struct.unpack("<H", data[6:8])[0]
    at = data.index(b"PK\x01\x02")
    central = struct.unpack("<H", data[at + 8:at + 10])[0]
    same((local & 0x800, central & 0x800), (0x800, 0x800), "Unicode marks")
    accepted(box)


@case("X08: modes go in and come out")
def _(box):
    box.put("run", b"#!/bin/sh\n", 0o755)
    box.put("read", b"r", 0o640)
    for name in ("a.zip", "a.tar", "a.7z"):
        box.run("create", name, "run", "read")
        os.makedirs(box.path("out-" + name))
        box.run("extract", "-C", "out-" + name, name)
        check(box.mode(f"out-{name}/run") & 0o100, f"{name}: exec bit lost")
        check(not box.mode(f"out-{name}/read") & 0o111, f"{name}: exec bit from nowhere")


def wait_until_open(process, path):
    """Stops @process while it has @path open. False: it was faster."""
    folder = f"/proc/{process.pid}/fd"
    while process.poll() is None:
        try:
            if any(os.readlink(f"{folder}/{fd}") == os.fsdecode(path) for fd in os.listdir(folder)):
                process.send_signal(signal.SIGSTOP)
                return True
        except OSError:
            pass  # closed between the one and the other
    return False


@case("a file that grows all the time: nobody runs after it, and it is told")
def _(box):
    for name in ("a.zip", "a.tar"):
        for _attempt in range(10):
            with open(box.path("log"), "wb") as log:
                length = 100_000_000
                log.truncate(length)
                process = box.start("create", "--force", name, "log", stderr=subprocess.PIPE)
                caught = wait_until_open(process, box.path("log"))
                deadline = time.monotonic() + TIMEOUT_S
                if caught:
                    length += 1_000_000
                    log.truncate(length)
                    # Once: a leak checker that stops its threads at the end is disturbed by more.
                    process.send_signal(signal.SIGCONT)
                while caught and process.poll() is None and time.monotonic() < deadline:
                    # Not so fast that what is there when it is opened takes a minute to pack.
                    length += 1_000_000
                    log.truncate(length)
                    time.sleep(0.005)
                ended = process.poll() is not None
                if not ended:
                    process.kill()
                _out, err = process.communicate()
            check(ended, f"{name}: ran after the file")
            if process.returncode == 1:
                break
        same(process.returncode, 1, f"{name}: exit")
        check(b"grew" in err, f"{name}: {err!r}")
        box.run("test", name)


@case("a large file called mimetype is a file like any other, never in memory as a whole")
def _(box):
    with open(box.path("mimetype"), "wb") as file:
        file.truncate(20_000_000)
    box.run("create", "m.zip", "mimetype")
    with zipfile.ZipFile(os.fsdecode(box.path("m.zip"))) as archive:
        same(archive.infolist()[0].compress_type, zipfile.ZIP_DEFLATED, "method")


@case("EPUB: mimetype stays first and stored")
def _(box):
    box.put("mimetype", b"application/epub+zip")
    box.put("META-INF/container.xml", b"<x/>" * 50)
    box.run("create", "--format", "zip", "b.epub", "mimetype", "META-INF")
    box.put("n.txt", b"n" * 500)
    box.run("add", "b.epub", "n.txt")
    with zipfile.ZipFile(at(box, "b.epub")) as archive:
        first = archive.infolist()[0]
    same((first.filename, first.compress_type), ("mimetype", zipfile.ZIP_STORED), "first entry")


@case("ZIP64 where it is needed and only there")
def _(box):
    make_zip(box, entries={f"e{i}": b"" for i in range(65_600)})
    box.run("delete", "a.zip", "e0")
    same(len(names(box)), 65_599, "entries")
    check(b"PK\x06\x06" in box.read("a.zip"), "no ZIP64 end record")
    box.run("delete", "a.zip", *[f"e{i}" for i in range(1, 600)])
    same(len(names(box)), 65_000, "entries")
    check(b"PK\x06\x06" not in box.read("a.zip"), "a ZIP64 end record without need")


@case("data descriptors are dropped when sizes are known")
def _(box):
    need("zip")
    box.put("x", b"x" * 999)
    box.put("y", b"y")
    with open(box.path("s.zip"), "wb") as file:
        subprocess.run(["zip", "-q", "-fd", "-", "x", "y"], cwd=box.root, stdout=file, check=True)
    box.run("delete", "s.zip", "y")
    with zipfile.ZipFile(at(box, "s.zip")) as archive:
        same(archive.infolist()[0].flag_bits & 8, 0, "bit 3")
    accepted(box, "s.zip")


@case("a large file is packed in blocks that every reader joins")
def _(box):
    data = b"".join(b"line %d of many\n" % i for i in range(1_200_000))
    box.put("big", data)
    box.put("noise", os.urandom(9_000_000))
    box.run("create", "a.zip", "big", "noise")
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        info = archive.getinfo("big")
        check(info.compress_size < info.file_size / 4, "hardly packed")
        same(info.CRC, zlib.crc32(data), "CRC")
        same(archive.getinfo("noise").compress_type, zipfile.ZIP_STORED, "noise")
    accepted(box)


@case("create: folder times, empty folders, and nothing of the archive itself")
def _(box):
    box.put("d/x", b"x")
    os.makedirs(box.path("d/empty"))
    os.utime(box.path("d/empty"), (1_000_000_000, 1_000_000_000))
    box.run("create", "d/self.zip", "d")
    same(sorted(names(box, "d/self.zip")), ["d/", "d/empty/", "d/x"], "names")
    os.makedirs(box.path("out"))
    box.run("extract", "-C", "out", "d/self.zip")
    same(int(os.stat(box.path("out/d/empty")).st_mtime), 1_000_000_000, "time of the folder")


@case("create and add: what is asked for is never the archive itself, by whatever name")
def _(box):
    box.put("d/old.zip", b"precious")
    os.link(box.path("d/old.zip"), box.path("d/same"))
    os.symlink("d/old.zip", box.path("link.zip"))
    for archive, files in (("d/old.zip", ("d/old.zip",)), ("d/old.zip", ("d/same", "link.zip")),
                           ("link.zip", ("d/same",))):
        box.run("create", "--force", archive, *files, exit=3, err=["can't be put into itself"])
        same(box.read("d/old.zip"), b"precious", f"{archive} {files}")
    same(box.tree(), ["d/", "d/old.zip", "d/same", "link.zip -> d/old.zip"], "left behind")
    # In a folder it stays out; said only where its bytes have another name.
    box.run("create", "--force", "d/old.zip", "d", exit=1, err=["can't be put into itself"])
    same(box.read("d/same"), b"precious")
    os.remove(box.path("d/same"))
    box.run("create", "--force", "d/old.zip", "d", err=[])
    before = box.read("d/old.zip")
    box.run("add", "d/old.zip", "d/old.zip", exit=3, err=["can't be put into itself"])
    same(box.read("d/old.zip"), before)


@case("create --encrypt: AES-256 that others open, and nothing readable without the password")
def _(box):
    box.put("pw", b"sesame\n")
    box.put("d/secret", b"secret" * 4000)
    box.put("d/empty")
    box.put("wrong", b"open\n")
    box.run("create", "--encrypt", "--password-file", "pw", "a.zip", "d")
    check(b"secretsecret" not in box.read("a.zip"), "stored in the clear")
    box.tool(seven_zip(), "t", "-psesame", "a.zip")
    box.put("out/x")
    box.run("extract", "-C", "out", "--password-file", "pw", "a.zip")
    same(box.read("out/d/secret"), b"secret" * 4000, "content")
    box.put("out2/x")
    box.run("extract", "-C", "out2", "--password-file", "wrong", "a.zip", exit=4)
    check(not box.has("out2/d/secret"), "something was written with a wrong password")
    box.run("create", "--encrypt", "b.zip", "d", exit=4)
    check(not box.has("b.zip"), "an archive without a password")


@case("create: what is larger than --volume-size is split, and all of it is read again")
def _(box):
    data = os.urandom(300_000)
    box.put("d/large", data)
    box.put("d/small", b"small")
    for name in ("a.zip", "a.tar.gz"):
        box.run("create", "--volume-size", "128K", name, "d")
        set_of = [f"{name}.{number:03}" for number in (1, 2, 3)]
        same([part for part in sorted(box.tree()) if part.startswith(name)], set_of, "files")
        same([os.path.getsize(box.path(part)) for part in set_of[:2]], [131072] * 2, "sizes")
        box.run("test", name + ".001")
        box.run("extract", "-C", "out-" + name, name + ".002")
        same(box.read(f"out-{name}/d/large"), data, "content")
        joined = b"".join(box.read(part) for part in set_of)
        box.put("joined-" + name, joined)
        box.run("test", "joined-" + name)
    box.tool(seven_zip(), "t", box.path("a.zip.001"))
    accepted(box, "joined-a.zip")

    before = {part: box.read(part) for part in box.tree() if part.startswith("a.zip")}
    done = box.run("create", "--force", "--volume-size", "64K", "a.zip", "d", exit=3)
    check("a.zip.001" in done.err, done.err)
    same({part: box.read(part) for part in box.tree() if part.startswith("a.zip")}, before, "files")
    box.run("create", "--volume-size", "1M", "b.zip", "d")
    check(box.has("b.zip") and not box.has("b.zip.001"), "what fits is one file")
    for size in ("0", "63K", "K", "1T", "-1", "99999999999G", ""):
        box.run("create", "--volume-size", size, "c.zip", "d", exit=2)
