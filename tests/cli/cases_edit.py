# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Edits: what is asked for is done, all else stays as it was, and other programs read the result."""

import hashlib
import io
import os
import shutil
import struct
import subprocess
import tarfile
import zipfile

from harness import NOBODY, Skip, case, check, need, need_root, same, seven_zip


def at(box, name):
    """The path as text, which zipfile and tarfile want."""
    return os.fsdecode(box.path(name))


PLAIN = {"d/": b"", "d/a.txt": b"alpha" * 99, "d/b.txt": b"beta" * 99, "c.txt": b"c"}


def make_zip(box, name="a.zip", entries=None, comment=b""):
    with zipfile.ZipFile(at(box, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in (entries or PLAIN).items():
            archive.writestr(path, data)
        archive.comment = comment


def names(box, name="a.zip"):
    with zipfile.ZipFile(at(box, name)) as archive:
        return archive.namelist()


def packed(box, name="a.zip"):
    """Name → flags, method, CRC and the compressed bytes, read by a few lines that share nothing with the program."""
    found = {}
    data = box.read(name)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            at = info.header_offset
            length, extra = struct.unpack("<HH", data[at + 26:at + 30])
            start = at + 30 + length + extra
            found[info.filename] = (info.compress_type, info.CRC, info.date_time, info.extra, info.comment,
                                    info.external_attr, info.create_system,
                                    data[start:start + info.compress_size])
    return found


def accepted(box, name="a.zip"):
    """By every peer that is here."""
    path = at(box, name)
    if shutil.which("unzip"):
        box.tool("unzip", "-tqq", path)
    box.tool(seven_zip(), "t", path)
    if shutil.which("bsdtar"):
        box.tool("bsdtar", "-xOf", path)
    with zipfile.ZipFile(path) as archive:
        same(archive.testzip(), None, "Python's test")


def digest(box, name="a.zip"):
    return hashlib.sha256(box.read(name)).hexdigest()


@case("W01, Z26: delete keeps the others' bytes, order and comment")
def _(box):
    make_zip(box, comment=b"of the archive")
    before = packed(box)
    box.run("delete", "a.zip", "d/a.txt")
    same(names(box), ["d/", "d/b.txt", "c.txt"], "names")
    after = packed(box)
    for name, record in after.items():
        same(record, before[name], name)
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        same(archive.comment, b"of the archive", "comment")
    accepted(box)


@case("what was deleted is not left inside")
def _(box):
    secret = os.urandom(40)
    with zipfile.ZipFile(at(box, "a.zip"), "w") as archive:
        archive.writestr("one", b"1")
        archive.writestr("secret-name", secret)
        archive.writestr("two", b"2")
    box.run("delete", "a.zip", "secret-name")
    data = box.read("a.zip")
    check(secret not in data and b"secret-name" not in data, "the deleted entry's bytes are still there")


@case("Z26: extra fields and entry comments survive")
def _(box):
    extra = (struct.pack("<HHBI", 0x5455, 5, 1, 1_000_000_000)
             + struct.pack("<HHBBIBI", 0x7875, 11, 1, 4, 1000, 4, 1000)
             + struct.pack("<HHIHHQQQ", 0x000A, 32, 0, 1, 24, 1, 2, 3) + struct.pack("<HH4s", 0xBEEF, 4, b"????"))
    with zipfile.ZipFile(at(box, "a.zip"), "w") as archive:
        for name in ("first", "second", "third"):
            info = zipfile.ZipInfo(name, (2001, 9, 9, 1, 46, 40))
            info.extra, info.comment = extra, b"about " + name.encode()
            archive.writestr(info, name * 50, zipfile.ZIP_DEFLATED)
    before = packed(box)
    box.run("delete", "a.zip", "second")
    same(packed(box), {name: before[name] for name in ("first", "third")}, "records")


@case("Z08: what stands before the archive is kept")
def _(box):
    make_zip(box)
    stub = b"#!/bin/sh\nexit 0\n" + os.urandom(3000)
    box.put("a.zip", stub + box.read("a.zip"))
    box.run("delete", "a.zip", "c.txt")
    check(box.read("a.zip").startswith(stub), "the stub is gone")
    accepted(box)


@case("Z01: a streamed archive is moved out in one rewrite")
def _(box):
    need("zip")
    for i in range(60):
        box.put(f"in/{i % 7}/f{i}.txt", bytes([65 + i % 26]) * (i * 37))
    with open(box.path("s.zip"), "wb") as file:
        subprocess.run(["zip", "-qr", "-fd", "-", "in"], cwd=box.root, stdout=file, check=True)
    before = os.stat(box.path("s.zip")).st_ino
    box.put("target/x")
    box.run("move", "-C", "target", "s.zip", "in")
    check(os.stat(box.path("s.zip")).st_ino != before, "not rewritten")
    same(names(box, "s.zip"), [], "left in the archive")
    for i in range(60):
        same(box.read(f"target/in/{i % 7}/f{i}.txt"), bytes([65 + i % 26]) * (i * 37), f"file {i}")
    box.run("list", "s.zip")


@case("D02: one rename of the archive, whatever the number of entries")
def _(box):
    need("strace")
    make_zip(box, entries={f"f{i}": b"x" * i for i in range(500)})
    box.put("target/x")
    done = subprocess.run(["strace", "-f", "-e", "trace=rename,renameat,renameat2", "-o", box.path("trace"),
                           box.program, "move", "-C", "target", "a.zip", *[f"f{i}" for i in range(500)]],
                          cwd=box.root, capture_output=True, check=False,
                          env={**box.environment(), "ASAN_OPTIONS": "detect_leaks=0"})
    same(done.returncode, 0, "exit")
    renames = [line for line in box.read("trace").decode().splitlines() if '"a.zip"' in line]
    same(len(renames), 1, "renames of the archive")


@case("D01: what could not arrive stays in the archive")
def _(box):
    entries = {f"f{i}": b"%d" % i for i in range(14)}
    make_zip(box, entries=entries)
    box.put("target/f3", b"mine")
    os.makedirs(box.path("target/f7"))
    done = box.run("move", "-C", "target", "a.zip", *entries, exit=1)
    same(sorted(names(box)), ["f3", "f7"], "left in the archive")
    same(box.read("target/f3"), b"mine", "the file that was there")
    for name in ("f3", "f7"):
        check(f"{name}: " in done.err, f"{name} is not named")
    accepted(box)


@case("D01: a damaged entry stays in the archive")
def _(box):
    make_zip(box, entries={"good": b"g" * 500, "bad": os.urandom(500)})
    data = bytearray(box.read("a.zip"))
    at = data.index(b"bad") + 60
    data[at] ^= 0xFF
    box.put("a.zip", bytes(data))
    box.put("target/x")
    box.run("move", "-C", "target", "a.zip", "good", "bad", exit=1)
    same(names(box), ["bad"], "left in the archive")
    check(not box.has("target/bad"), "damaged file left at the target")


@case("W03: the mode stays")
def _(box):
    make_zip(box)
    os.chmod(box.path("a.zip"), 0o617)
    box.run("delete", "a.zip", "c.txt")
    same(box.mode("a.zip"), 0o617, "mode")


@case("W04: the link to an archive stays a link")
def _(box):
    make_zip(box, "real.zip")
    os.symlink("real.zip", box.path("link.zip"))
    box.run("delete", "link.zip", "c.txt")
    same(os.readlink(box.path("link.zip")), b"real.zip", "link")
    check("c.txt" not in names(box, "real.zip"), "not deleted")


@case("W08: a full disk leaves the archive as it was and says what is needed")
def _(box):
    need_root()
    os.makedirs(box.path("small"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", box.path("small")], capture_output=True,
                      check=False).returncode != 0:
        raise Skip("can't mount a tmpfs here")
    try:
        with zipfile.ZipFile(at(box, "small/a.zip"), "w") as archive:
            archive.writestr("big", os.urandom(700_000))
            archive.writestr("small", b"s")
        before = digest(box, "small/a.zip")
        done = box.run("delete", "small/a.zip", "small", exit=3)
        same(digest(box, "small/a.zip"), before, "exit and archive")
        check("free" in done.err and "needs" in done.err, f"says only {done.err!r}")
        same(os.listdir(box.path("small")), [b"a.zip"], "left over")
    finally:
        subprocess.run(["umount", box.path("small")], check=True)


@case("W09: several edits in a row")
def _(box):
    make_zip(box)
    box.put("n.txt", b"n")
    for words in (["add", "a.zip", "n.txt"], ["rename", "a.zip", "n.txt", "m.txt"], ["delete", "a.zip", "m.txt"],
                  ["add", "a.zip", "n.txt"], ["mkdir", "a.zip", "empty"], ["delete", "a.zip", "d"]):
        box.run(*words)
    same(names(box), ["c.txt", "n.txt", "empty/"], "names")
    accepted(box)


@case("W13: folders of a tar are renamed and deleted with all below them")
def _(box):
    for with_folders in (True, False):
        with tarfile.open(at(box, "a.tar"), "w") as archive:
            for name in ("d", "d/s", "d/s/x", "d/y", "dz"):
                info = tarfile.TarInfo(name)
                if name in ("d", "d/s"):
                    info.type = tarfile.DIRTYPE
                    if not with_folders:
                        continue
                archive.addfile(info)
        box.run("rename", "a.tar", "d", "e")
        with tarfile.open(at(box, "a.tar")) as archive:
            same([name for name in archive.getnames() if name not in ("e", "e/s")], ["e/s/x", "e/y", "dz"], "renamed")
        box.run("delete", "a.tar", "e")
        with tarfile.open(at(box, "a.tar")) as archive:
            same(archive.getnames(), ["dz"], "deleted")


@case("W14: the format stays")
def _(box):
    for name, magic in (("a.zip", b"PK"), ("a.tar.gz", b"\x1f\x8b"), ("a.tar.xz", b"\xfd7zXZ"), ("a.tar.bz2", b"BZh"),
                        ("a.tar.zst", b"\x28\xb5\x2f\xfd"), ("a.7z", b"7z\xbc\xaf"), ("a.cpio", b"070701")):
        box.put("x", b"x" * 1000)
        box.put("y", b"y")
        box.run("create", name, "x", "y")
        box.run("delete", name, "y")
        check(box.read(name).startswith(magic), f"{name} is something else now")
        same(box.run("cat", name, "x").out, b"x" * 1000, name)


@case("W18: what can't be written says so before anything is done")
def _(box):
    need("bsdtar")
    box.put("x", b"x")
    box.tool("bsdtar", "--format=iso9660", "-cf", "a.iso", "x")
    before = digest(box, "a.iso")
    done = box.run("delete", "a.iso", "x", exit=3)
    same(digest(box, "a.iso"), before, "exit and archive")
    box.put("target/y")
    done = box.run("move", "-C", "target", "a.iso", "x", exit=3)
    same(box.has("target/x"), False, "move")


@case("W18: a folder that can't be written to")
def _(box):
    need_root()
    os.makedirs(box.path("ro"))
    make_zip(box, "ro/a.zip")
    os.chmod(box.path("ro/a.zip"), 0o666)
    os.chmod(box.path("ro"), 0o555)
    before = digest(box, "ro/a.zip")
    done = box.run("delete", "ro/a.zip", "c.txt", as_nobody=True, exit=3)
    same(digest(box, "ro/a.zip"), before, "exit and archive")


@case("what can't be read is not added: nothing done is no success, and no rewrite")
def _(box):
    need_root()
    os.makedirs(box.path("own"))
    box.put("private", b"p", mode=0o600)
    box.put("c.txt", b"private, too", mode=0o600)
    box.put("public", b"q")
    for name in ("own/a.zip", "own/a.tar"):
        if name.endswith("zip"):
            make_zip(box, name)
        else:
            box.put("old/c.txt", b"old")
            box.tool("tar", "-cf", name, "-C", "old", "c.txt")
        os.chown(box.path("own"), NOBODY, NOBODY)
        os.chown(box.path(name), NOBODY, NOBODY)
        before = os.stat(box.path(name))
        for arguments in (["private"], ["--replace", "c.txt"], ["private", "c.txt", "--replace"]):
            done = box.run("add", name, *arguments, as_nobody=True, exit=3)
            check("Permission denied" in done.err, done.err)
            same(os.stat(box.path(name)).st_ino, before.st_ino, f"{name}: written anew")
        box.run("add", name, "private", "public", as_nobody=True, exit=1)
        same(box.run("cat", name, "public").out, b"q")


@case("a group that can't be carried over: the one in its place may no more than everybody")
def _(box):
    need_root()
    os.makedirs(box.path("own"))
    os.chmod(box.path("own"), 0o777)
    for before, after in ((0o2660, 0o600), (0o664, 0o644), (0o6777, 0o4777)):
        make_zip(box, "own/a.zip")
        os.chown(box.path("own/a.zip"), NOBODY, 0)
        os.chmod(box.path("own/a.zip"), before)
        box.run("delete", "own/a.zip", "c.txt", as_nobody=True)
        same((os.stat(box.path("own/a.zip")).st_gid, oct(box.mode("own/a.zip"))), (NOBODY, oct(after)), oct(before))
        os.remove(box.path("own/a.zip"))


@case("P11: encrypted entries stay as they are, without a password")
def _(box):
    program = seven_zip()
    box.put("one", b"one" * 500)
    box.put("two", b"two" * 500)
    box.put("three", b"three" * 500)
    for method in ("ZipCrypto", "AES256"):
        box.tool(program, "a", "-tzip", f"-mem={method}", "-psesame", f"{method}.zip", "one", "two", "three")
        before = packed(box, f"{method}.zip")
        box.run("delete", f"{method}.zip", "two")
        after = packed(box, f"{method}.zip")
        same({name: record[-1] for name, record in after.items()},
             {name: before[name][-1] for name in ("one", "three")}, f"{method}: encrypted bytes")
        box.tool(program, "t", "-psesame", f"{method}.zip")


@case("what is added to encrypted entries is encrypted, if a password is given")
def _(box):
    program = seven_zip()
    box.put("one", b"one" * 500)
    box.put("two", b"two" * 500)
    box.put("d/three", b"three" * 500)
    box.put("right", b"sesame\n")
    box.put("wrong", b"open\n")
    for method in ("ZipCrypto", "AES256"):
        name = f"{method}.zip"
        box.tool(program, "a", "-tzip", f"-mem={method}", "-psesame", name, "one")
        before = box.read(name)
        box.run("add", "--password-file", "wrong", name, "two", exit=4, err=["password"])
        check(box.read(name) == before, f"{method}: changed in spite of a wrong password")
        box.run("add", "--password-file", "wrong", "--password-file", "right", name, "two", "d", err=[])
        same([entry["path"] for entry in box.entries(name) if entry["encrypted"]], ["one", "two", "d/three"])
        box.tool(program, "t", "-psesame", name)
        # A script that knows none is neither asked nor stopped.
        box.put("four", b"four")
        box.run("add", name, "four", err=["is encrypted; what was added is not"])
        same([entry["path"] for entry in box.entries(name) if not entry["encrypted"]][-1:], ["four"])
        # One that lies open is enough.
        box.put("five", b"five")
        box.run("add", "--password-file", "right", name, "five", err=[])
        check(not box.entries(name)[-1]["encrypted"], f"{method}: encrypted beside what is not")


@case("F18: hard links keep their data when the first name goes")
def _(box):
    box.put("a", b"data" * 100)
    os.link(box.path("a"), box.path("b"))
    os.link(box.path("a"), box.path("c"))
    for name in ("h.tar", "h.tar.gz"):
        with tarfile.open(at(box, name), "w:gz" if name.endswith("gz") else "w") as archive:
            for entry in "abc":
                archive.add(at(box, entry), entry)
        box.run("delete", name, "a")
        with tarfile.open(at(box, name)) as archive:
            same(archive.extractfile("b").read(), b"data" * 100, "b")
            same(archive.extractfile("c").read(), b"data" * 100, "c")


@case("Z10: of two entries of one name each can be deleted alone")
def _(box):
    with zipfile.ZipFile(at(box, "a.zip"), "w") as archive:
        archive.writestr("a.txt", b"first")
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.writestr("a.txt", b"second")
    box.run("delete", "--index", "0", "a.zip")
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        same([archive.read(info) for info in archive.infolist()], [b"second"], "left")


@case("Z10: of two entries of one name each can be renamed alone")
def _(box):
    with zipfile.ZipFile(at(box, "a.zip"), "w") as archive:
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for content in (b"first", b"second", b"third"):
                archive.writestr("a.txt", content)
    box.run("rename", "a.zip", "--index", "1", "d/b.txt")
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        same([(info.filename, archive.read(info)) for info in archive.infolist()],
             [("a.txt", b"first"), ("d/b.txt", b"second"), ("a.txt", b"third")], "entries")
    box.run("rename", "a.zip", "--index", "2", "d/b.txt", exit=3, err=[r"d/b\.txt"])
    box.run("rename", "a.zip", "--index", "3", "c.txt", exit=3, err=[r"3"])
    box.run("rename", "a.zip", "--index", "0", "--index", "2", "c.txt", exit=2, err=[r"--index"])
    box.run("rename", "a.zip", "--index", "0", "a.txt", "c.txt", exit=2, err=[r"--index"])
    same(names(box), ["a.txt", "d/b.txt", "a.txt"], "names")


@case("Z14: folders that are only implied can be renamed and deleted")
def _(box):
    make_zip(box, entries={"p/q/x": b"x", "p/y": b"y", "z": b"z"})
    box.run("rename", "a.zip", "p/q", "p/r")
    same(names(box), ["p/r/x", "p/y", "z"], "names")
    box.run("delete", "a.zip", "p/")
    same(names(box), ["z"], "names")


@case("W10: a second writer is told, and a changed archive is not touched")
def _(box):
    import fcntl
    make_zip(box)
    part = box.put(".a.zip.holdall-part")
    with open(part, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = digest(box)
        done = box.run("delete", "a.zip", "c.txt", exit=3)
        same(digest(box), before, "exit and archive")
        check("another program" in done.err, f"says only {done.err!r}")


@case("names that would leave the archive are refused")
def _(box):
    make_zip(box)
    before = digest(box)
    for bad in ("../x", "/x", "a//b", ""):
        done = box.run("rename", "a.zip", "c.txt", bad, exit=3)
        same(digest(box), before, f"rename to {bad!r}")


@case("an entry that is cut off makes the rewrite stop, not drop it")
def _(box):
    with tarfile.open(at(box, "a.tar.gz"), "w:gz") as archive:
        for name in ("one", "two"):
            info = tarfile.TarInfo(name)
            info.size = 50_000
            archive.addfile(info, io.BytesIO(os.urandom(50_000)))
    box.put("a.tar.gz", box.read("a.tar.gz")[:60_000])
    before = digest(box, "a.tar.gz")
    done = box.run("delete", "a.tar.gz", "one", exit=3)
    same(digest(box, "a.tar.gz"), before, "exit and archive")


@case("W11: a file inside a .tar.gz is replaced in one go")
def _(box):
    box.put("d/a.txt", b"old" * 100)
    box.put("d/b.txt", b"b")
    box.run("create", "a.tar.gz", "d")
    box.put("d/a.txt", b"new" * 500)
    box.run("add", "--replace", "--into", "d", "a.tar.gz", "d/a.txt")
    same(box.run("cat", "a.tar.gz", "d/a.txt").out, b"new" * 500, "content")
    with tarfile.open(at(box, "a.tar.gz"), "r:gz") as archive:
        same(archive.getnames(), ["d", "d/a.txt", "d/b.txt"], "names")


@case("W12: an archive in an archive is an entry like any other")
def _(box):
    make_zip(box, "inner.zip")
    inner = box.read("inner.zip")
    box.put("x", b"x")
    box.run("create", "outer.zip", "inner.zip", "x")
    box.run("delete", "outer.zip", "x")
    same(box.run("cat", "outer.zip", "inner.zip").out, inner, "the inner archive")


@case("P03: AES entries without a CRC are checked by their code alone, those with one by both")
def _(box):
    program = seven_zip()
    box.put("pw", b"sesame\n")
    box.put("data", b"data" * 3000)
    box.tool(program, "a", "-tzip", "-mem=AES256", "-psesame", "a.zip", "data")
    box.put("out/x")
    box.run("extract", "-C", "out", "--password-file", "pw", "a.zip")
    same(box.read("out/data"), b"data" * 3000, "content")
    damaged = bytearray(box.read("a.zip"))
    with zipfile.ZipFile(at(box, "a.zip")) as archive:
        info = archive.infolist()[0]
    # The last byte of the authentication code.
    damaged[info.header_offset + 30 + sum(struct.unpack("<HH", damaged[26:30])) + info.compress_size - 1] ^= 1
    box.put("b.zip", bytes(damaged))
    box.put("out2/x")
    done = box.start("extract", "-C", "out2", "--password-file", "pw", "b.zip", stdin=subprocess.DEVNULL,
                     stderr=subprocess.PIPE)
    _out, text = done.communicate(timeout=60)
    check(done.returncode not in (0, 99), f"exit {done.returncode}: {text!r}")
    check(not box.has("out2/data"), "something was written")


@case("G08: a name that the disk does not take is a failure that is listed")
def _(box):
    make_zip(box, entries={"good": b"g", "n" * 256: b"long"})
    box.put("out/x")
    done = box.run("extract", "-C", "out", "a.zip", exit=1)
    check("n" * 100 in done.err, f"says only {done.err!r}")
    same(box.read("out/good"), b"g", "the other one")


@case("L07: one large entry is read from front to end, once")
def _(box):
    need("strace")
    data = b"".join(b"%d\n" % i for i in range(5_000_000))
    make_zip(box, entries={"large": data})
    done = subprocess.run(["strace", "-f", "-c", "-e", "trace=pread64", "-o", box.path("count"), box.program, "cat",
                           "a.zip", "large"], cwd=box.root, capture_output=True, check=False,
                          env={**box.environment(), "ASAN_OPTIONS": "detect_leaks=0"})
    same((done.returncode, done.stdout == data), (0, True), "exit and content")
    line = next(line for line in box.read("count").decode().splitlines() if line.endswith("pread64"))
    n_reads = int(line.split()[3])
    check(n_reads <= len(box.read("a.zip")) / (128 << 10) + 20, f"{n_reads} reads")


@case("an entry never takes the place of the archive that it comes from")
def _(box):
    make_zip(box, entries={"a.zip": b"not an archive", "other": b"o"})
    before = digest(box)
    done = box.run("extract", "--conflict", "overwrite", "a.zip", exit=1)
    same(digest(box), before, "archive")
    check("a.zip" in done.err, f"says only {done.err!r}")
    box.run("move", "--conflict", "overwrite", "a.zip", "a.zip", "other", exit=1)
    same(names(box), ["a.zip"], "left in the archive")
