# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""convert: the new archive holds what the old one held, says what it can't, and is whole or not there."""

import gzip
import io
import os
import random
import signal
import struct
import subprocess
import tarfile
import time
import zipfile
import zlib

from cases_edit import accepted, at, make_zip, packed
from harness import Failure, case, check, need, same, seven_zip

NOISE = random.Random(7).randbytes(300_000)
FILES = {"d/a.txt": b"alpha\n" * 5000, "d/noise": NOISE, "empty": b"", "ü/x": b"x"}


def make_tar_gz(box, name, files=None, links=True):
    """Files in the order given, a link of each kind, a folder."""
    with tarfile.open(at(box, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in (FILES if files is None else files).items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime, info.mode = len(data), 1622628672, 0o640
            info.uid, info.uname = 1234, "somebody"
            archive.addfile(info, io.BytesIO(data))
        for path, kind, target in [("hollow", tarfile.DIRTYPE, ""), ("soft", tarfile.SYMTYPE, "d/a.txt"),
                                   ("hard", tarfile.LNKTYPE, "d/noise")] if links else []:
            info = tarfile.TarInfo(path)
            info.type, info.linkname, info.mtime, info.mode = kind, target, 1622628672, 0o755
            archive.addfile(info)


def check_content(box, archive, wanted):
    """Every file of @archive as an independent program, or Python, unpacks it."""
    folder = box.path("out-of-" + archive)
    os.mkdir(folder)
    if archive.endswith((".zip", ".7z")):
        box.tool(seven_zip(), "x", "-y", "-o" + os.fsdecode(folder), at(box, archive))
    else:
        need("bsdtar")
        box.tool("bsdtar", "-xf", at(box, archive), "-C", folder)
    for path, data in wanted.items():
        same(box.read("out-of-" + archive + "/" + path), data, path)
    return folder


@case("tar.gz to zip, 7z and cpio: files, folders, links, times; hard links become files")
def tar_to_others(box):
    make_tar_gz(box, "a.tar.gz")
    for new in ("b.zip", "b.7z", "b.cpio"):
        box.run("convert", "a.tar.gz", new, err=["^hard: was another name", "Owners"])
        folder = check_content(box, new, FILES | {"hard": NOISE})
        same(os.readlink(os.path.join(folder, b"soft")), b"d/a.txt")
        check(os.path.isdir(os.path.join(folder, b"hollow")), "the empty folder is lost")
        entries = {entry["path"]: entry for entry in box.entries(new)}
        same(set(entries), set(FILES) | {"hollow", "soft", "hard"})
        same(entries["d/noise"]["mtime"], "2021-06-02T10:11:12Z")
        box.run("test", "-q", new, err=[])
    accepted(box, "b.zip")
    # Nobody is bothered where nothing is lost.
    make_tar_gz(box, "c.tar.gz", links=False)
    box.run("convert", "--quiet", "c.tar.gz", "c.zip", out=b"", err=[])


@case("tar to tar keeps owners, links, attributes and names that are no Unicode")
def tar_to_tar(box):
    need("zstd")
    make_tar_gz(box, "a.tar.gz")
    with tarfile.open(at(box, "odd.tar"), "w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        info = tarfile.TarInfo("f\xfc")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"abc"))
    for old, new in (("a.tar.gz", "b.tar.zst"), ("odd.tar", "odd.tar.gz")):
        box.run("convert", old, new, out=b"", err=[])
    box.tool("zstd", "-dq", at(box, "b.tar.zst"))
    with tarfile.open(at(box, "b.tar")) as new, tarfile.open(at(box, "a.tar.gz")) as old:
        for one, other in zip(old.getmembers(), new.getmembers(), strict=True):
            for field in ("name", "type", "linkname", "uid", "uname", "mode", "mtime", "size"):
                same(getattr(other, field), getattr(one, field), one.name + " " + field)
    same([entry.get("raw") for entry in box.entries("odd.tar.gz")],
         [entry.get("raw") for entry in box.entries("odd.tar")])


@case("zip to tar.zst, tar.xz and 7z; a comment that is lost is named")
def zip_to_others(box):
    make_zip(box, "a.zip", {"d/": b""} | FILES, comment=b"hello")
    for new in ("b.tar.zst", "b.tar.xz", "b.7z"):
        box.run("convert", "a.zip", new, err=["comment of the archive is not kept"])
        check_content(box, new, FILES)


@case("zip to zip copies the packed bytes; a program in front stays behind")
def zip_to_zip(box):
    make_zip(box, "a.zip", FILES, comment=b"hello")
    box.put("sfx.exe", b"MZ" + b"\0" * 700 + box.read("a.zip"))
    for old, new in (("a.zip", "b.zip"), ("sfx.exe", "c.zip")):
        box.run("convert", old, new, out=b"", err=[])
        same(packed(box, new), packed(box, "a.zip"))
        with zipfile.ZipFile(at(box, new)) as archive:
            same(archive.comment, b"hello")
        check(box.read(new).startswith(b"PK\3\4"), "something stands in front")
        accepted(box, new)


@case("7z to zip, and what gzip wraps alone to tar and zip")
def others_to_zip(box):
    for path, data in FILES.items():
        box.put("in/" + path, data)
    box.tool(seven_zip(), "a", at(box, "a.7z"), ".", cwd=box.path("in"))
    box.run("convert", "a.7z", "b.zip", err=[])
    check_content(box, "b.zip", FILES)
    accepted(box, "b.zip")

    large = NOISE * 40
    box.put("large.gz", gzip.compress(large, 1))
    for new in ("large.zip", "large.tar"):
        box.run("convert", "large.gz", new, err=[])
        check_content(box, new, {"large": large})


def rar5(files):
    """A RAR 5 archive of stored files."""
    def number(value):
        out = b""
        while value > 127:
            out += bytes([value & 127 | 128])
            value >>= 7
        return out + bytes([value])

    def block(kind, flags, body, size=None):
        head = number(kind) + number(flags) + (number(size) if size is not None else b"") + body
        head = number(len(head)) + head
        return struct.pack("<I", zlib.crc32(head)) + head

    data = b"Rar!\x1a\x07\x01\x00" + block(1, 0, number(0))
    for name, content in files.items():
        stored = name.encode()
        body = (number(4) + number(len(content)) + number(0o100644) + struct.pack("<I", zlib.crc32(content))
                + number(0) + number(1) + number(len(stored)) + stored)
        data += block(2, 2, body, len(content)) + content
    return data + block(5, 0, number(0))


@case("rar to zip and to tar.gz")
def rar_to_others(box):
    box.put("a.rar", rar5(FILES))
    for new in ("b.zip", "b.tar.gz"):
        box.run("convert", "a.rar", new, err=[])
        check_content(box, new, FILES)


@case("an encrypted zip needs its password, and says that it was encrypted")
def encrypted(box):
    box.put("secret.txt", b"secret " * 1000)
    box.put("pw", b"pass\n")
    box.put("wrong", b"nope\n")
    box.tool(seven_zip(), "a", "-tzip", "-ppass", at(box, "a.zip"), "secret.txt")
    for options in ((), ("--password-file", "wrong")):
        box.run("convert", *options, "a.zip", "b.tar.gz", exit=4)
        check(not box.has("b.tar.gz"), "something was written")
    box.run("convert", "--password-file", "pw", "a.zip", "b.tar.gz", err=["^secret.txt: was encrypted"])
    check_content(box, "b.tar.gz", {"secret.txt": b"secret " * 1000})
    # Between two ZIP archives it stays encrypted, and nobody need know the password.
    box.run("convert", "a.zip", "c.zip", err=[])
    check(box.entries("c.zip")[0]["encrypted"], "no longer encrypted")
    same(packed(box, "c.zip"), packed(box, "a.zip"))


@case("damaged entries, small and large, are left out and named; the rest goes over")
def damaged(box):
    large = NOISE * 40
    files = {"small": b"first" * 100, "good": b"good\n" * 1000, "large": large, "last": b"last"}
    with zipfile.ZipFile(at(box, "a.zip"), "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    data = bytearray(box.read("a.zip"))
    data[data.index(b"firstfirst") + 7] ^= 1
    data[data.index(NOISE[:64]) + 11_000_000] ^= 1
    box.put("a.zip", bytes(data))
    for new in ("b.tar.gz", "b.7z"):
        box.run("convert", "a.zip", new, exit=1, err=["^small: .*CRC", "^large: .*CRC"])
        same(box.names(new), ["good", "last"])
        check_content(box, new, {"good": files["good"], "last": b"last"})

    make_tar_gz(box, "cut.tar.gz", {"good": files["good"], "large": large}, links=False)
    box.put("cut.tar.gz", box.read("cut.tar.gz")[:10_000_000])
    for new in ("c.zip", "c.tar", "c.7z"):
        box.run("convert", "cut.tar.gz", new, exit=1, err=["^large: ", "too early"])
        same(box.names(new), ["good"])


@case("nothing good in it: no archive is made")
def nothing_good(box):
    with zipfile.ZipFile(at(box, "a.zip"), "w") as archive:
        archive.writestr("d/only", b"only")
        archive.writestr("d/", b"")
    box.put("a.zip", box.read("a.zip").replace(b"onlyP", b"onlxP", 1))
    for new in ("b.tar", "b.7z"):
        box.run("convert", "a.zip", new, exit=3, err=["d/only: .*CRC"])
    same(box.tree(), ["a.zip"])


@case("entries of one name, unsafe names, devices")
def odd_entries(box):
    with tarfile.open(at(box, "a.tar"), "w") as archive:
        for path, data in (("twice.txt", b"one"), ("twice.txt", b"two"), ("../out", b"x"), ("/abs", b"abs")):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        info = tarfile.TarInfo("pipe")
        info.type = tarfile.FIFOTYPE
        archive.addfile(info)
    box.run("convert", "a.tar", "b.zip", exit=1,
            err=["^twice.txt: .*“twice \\(2\\).txt”", "^\\.\\./out: refused: ", "^pipe: "])
    same(sorted(box.names("b.zip")), ["abs", "twice (2).txt", "twice.txt"])
    box.run("cat", "b.zip", "twice (2).txt", out=b"two")


@case("what can't be: unknown formats, an existing file, itself")
def refusals(box):
    make_zip(box)
    before = box.read("a.zip")
    box.put("there.tar", b"precious")
    box.run("convert", "a.zip", "b.what", exit=3, err=["tells no format"])
    box.run("convert", "a.zip", "b.rar", exit=3, err=["no free encoder"])
    box.run("convert", "--format", "nope", "a.zip", "b", exit=2, err=["no format “nope”"])
    box.run("convert", "a.zip", "there.tar", exit=3, err=["exists already"])
    box.run("convert", "--force", "a.zip", "a.zip", exit=3, err=["into itself"])
    os.link(box.path("a.zip"), box.path("same.zip"))
    box.run("convert", "--force", "a.zip", "same.zip", exit=3, err=["into itself"])
    box.run("convert", "nothing.zip", "b.tar", exit=3)
    same(box.read("there.tar"), b"precious")
    same(box.read("a.zip"), before)
    same(box.tree(), ["a.zip", "same.zip", "there.tar"])
    box.run("convert", "--force", "--format", "tar.gz", "--level", "9", "a.zip", "there.tar", err=[])
    same(gzip.decompress(box.read("there.tar"))[257:262], b"ustar")


@case("a part of a split set, by whatever name, is neither converted nor extracted over")
def parts(box):
    box.put("sv.7z.002", NOISE)
    box.tool(seven_zip(), "a", "-v64k", at(box, "t.7z"), "sv.7z.002", cwd=box.root)
    for number in range(1, 6):
        os.rename(box.path(f"t.7z.00{number}"), box.path(f"sv.7z.00{number}"))
    os.link(box.path("sv.7z.003"), box.path("three.tar"))
    os.symlink("sv.7z.004", box.path("four.tar"))
    before = {name: box.read(name) for name in box.tree() if "->" not in name}
    for new in ("sv.7z.001", "sv.7z.002", "three.tar", "four.tar"):
        box.run("convert", "--force", "--format", "tar", "sv.7z.001", new, exit=3, err=["into itself"])
    box.run("extract", "--conflict", "overwrite", "sv.7z.001", exit=3, err=["the archive that it comes from"])
    same({name: box.read(name) for name in box.tree() if "->" not in name}, before)


@case("interrupted: nothing is left")
def interrupted(box):
    make_tar_gz(box, "a.tar.gz", {str(number): NOISE * 20 for number in range(3)}, links=False)
    before = box.read("a.tar.gz")
    for new in ("b.zip", "b.tar.xz"):
        for delay in (0.05, 0.4):
            process = box.start("convert", "a.tar.gz", new, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            try:
                status = process.wait(60)
            except Exception:
                process.kill()
                raise Failure("it does not stop") from None
            check(status in (0, 130, -signal.SIGINT), status)
            if status == 0:
                os.unlink(box.path(new))
            same(box.tree(), ["a.tar.gz"])
    same(box.read("a.tar.gz"), before)
