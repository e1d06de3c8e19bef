# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Formats beside ZIP: what comes out is what went in, or the reason is said."""

import bz2
import gzip
import json
import lzma
import os
import random
import struct
import subprocess
import zlib

from cases_extract import link, make_tar
from harness import case, check, need, same, seven_zip
from zipmaker import Entry, make_zip

TEXT = b"the quick brown fox jumps over the lazy dog\n" * 3000


@case("tar with each compression")
def tars(box):
    tar = make_tar([("d", None), ("d/f", TEXT), ("empty", b"")])
    box.put("a.tar", tar)
    box.put("a.tar.gz", gzip.compress(tar))
    box.put("a.tar.bz2", bz2.compress(tar))
    box.put("a.tar.xz", lzma.compress(tar))
    box.put("a.tar.lzma", lzma.compress(tar, format=lzma.FORMAT_ALONE))
    for program, suffix in (("zstd", "zst"), ("lz4", "lz4"), ("lzip", "lz"), ("compress", "Z")):
        try:
            need(program)
        except Exception:
            continue
        box.put("a.tar." + suffix, box.tool(program, "-c", data=tar))
    for name in [name for name in os.listdir(box.path()) if name.startswith(b"a.tar")]:
        name = os.fsdecode(name)
        same(box.names(name), ["d", "d/f", "empty"], name)
        box.run("cat", name, "d/f", out=TEXT, err=[])
        box.run("test", "-q", name, err=[])
        box.run("extract", "-C", name + ".out", name, err=[])
        same(box.read(name + ".out/d/f"), TEXT)


@case("F13 F12 single compressed files: named after the archive, sizes unknown are null")
def single_files(box):
    box.put("a.txt.gz", gzip.compress(TEXT))
    box.put("b.txt.xz", lzma.compress(TEXT))
    box.put("c.txt.bz2", bz2.compress(TEXT))
    for archive, name in (("a.txt.gz", "a.txt"), ("b.txt.xz", "b.txt"), ("c.txt.bz2", "c.txt")):
        entries = box.entries(archive)
        same([entry["path"] for entry in entries], [name])
        check(entries[0]["size"] in (None, len(TEXT)), entries)
        box.run("cat", archive, name, out=TEXT)
        box.run("extract", "-C", "out", archive, err=[])
        same(box.read("out/" + name), TEXT)


@case("F12 the name stored in a gzip file never leads anywhere")
def gzip_name(box):
    stored = b"../../x\0"
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(TEXT) + packed.flush()
    data = b"\x1f\x8b\x08\x08" + b"\0" * 6 + stored + body + struct.pack("<II", zlib.crc32(TEXT), len(TEXT))
    box.put("in/shown.txt.gz", data)
    same(len(box.names("in/shown.txt.gz")), 1)
    box.run("extract", "-C", "in/out", "in/shown.txt.gz")
    same(box.tree("in"), ["out/", "out/" + box.names("in/shown.txt.gz")[0], "shown.txt.gz"])


@case("F12 text in gzip that looks like an mtree file stays text")
def mtree_trap(box):
    text = b"#mtree\n/set type=file uid=0\nfoo type=file size=3\n"
    box.put("spec.gz", gzip.compress(text))
    same(box.names("spec.gz"), ["spec"])
    box.run("cat", "spec.gz", "spec", out=text)


@case("F01 sparse members")
def sparse(box):
    need("tar")
    with open(box.path("h"), "wb") as file:
        file.truncate(5_000_000)
        file.seek(4_999_990)
        file.write(b"0123456789")
    whole = box.read("h")
    for kind in ("gnu", "posix"):
        box.tool("tar", "--sparse", "--format=" + kind, "-cf", kind + ".tar", "h")
        same(box.entries(kind + ".tar")[0]["size"], 5_000_000)
        box.run("extract", "-C", kind, kind + ".tar", err=[])
        check(box.read(kind + "/h") == whole, "other bytes")
        box.run("cat", kind + ".tar", "h", out=whole)


@case("F18 hard links: both files, one alone, never empty")
def hard_links(box):
    import tarfile
    box.put("h.tar", make_tar([("a", TEXT), link("b", "a", tarfile.LNKTYPE)]))
    same(box.entries("h.tar")[1]["type"], "hardlink")
    box.run("extract", "-C", "both", "h.tar", err=[])
    same(box.read("both/b"), TEXT)
    box.run("extract", "-C", "one", "h.tar", "b", exit=0)
    same(box.read("one/b"), TEXT)
    same(box.tree("one"), ["b"])
    box.run("cat", "h.tar", "b", out=TEXT)


@case("F17 7z made on UNIX keeps exec bits and links; PPMd and solid blocks read (F05)")
def seven(box):
    box.put("script", b"#!/bin/sh\n", mode=0o755)
    box.put("big", TEXT)
    os.symlink("script", box.path("link"))
    box.tool(seven_zip(), "a", "-snl", "-ms=on", "t.7z", "script", "link", "big")
    box.tool(seven_zip(), "a", "-m0=PPMd", "p.7z", "big")
    box.run("extract", "-C", "out", "t.7z", err=[])
    same((box.mode("out/script"), os.readlink(box.path("out/link")), box.read("out/big")), (0o755, b"script", TEXT))
    box.run("cat", "p.7z", "big", out=TEXT)


@case("P05 P06 encrypted 7z: a password or one clear sentence, never '(null)' or an empty list")
def seven_encrypted(box):
    box.put("a", b"secret")
    box.put("pw", b"X\n")
    box.tool(seven_zip(), "a", "-pX", "n.7z", "a")
    box.tool(seven_zip(), "a", "-pX", "-mhe=on", "he.7z", "a")
    for archive in ("n.7z", "he.7z"):
        for options in ([], ["--password-file", "pw"]):
            process = box.start("extract", *options, "-C", "out", archive, stdout=-1, stderr=-1)
            _out, err = process.communicate()
            if process.returncode == 0:
                same(box.read("out/a"), b"secret")
                box.tool("rm", "-rf", "out")
                continue
            check(process.returncode in (1, 3, 4), f"exit {process.returncode}")
            check(err and b"(null)" not in err, err)
            check(not box.has("out/a"), "something was left")


@case("F19 .7z.001: joined, or said what is missing")
def seven_volumes(box):
    data = random.Random(4).randbytes(200_000)
    box.put("r.bin", data)
    box.tool(seven_zip(), "a", "-v64k", "sv.7z", "r.bin")
    box.run("cat", "sv.7z.001", "r.bin", out=data)
    os.remove(box.path("sv.7z.003"))
    result = box.run("extract", "-C", "out", "sv.7z.001", exit=3)
    check("(null)" not in result.err and result.err, result.err)


@case("F20 content decides, not the suffix")
def wrong_suffix(box):
    box.put("a.rar", make_zip([Entry(b"z", b"zip")]))
    box.put("b.zip", make_tar([("t", b"tar")]))
    box.put("c", gzip.compress(make_tar([("g", b"gz")])))
    for archive, name, data in (("a.rar", "z", b"zip"), ("b.zip", "t", b"tar"), ("c", "g", b"gz")):
        box.run("cat", archive, name, out=data, err=[])


def make_deb(control, data):
    out = b"!<arch>\n"
    for name, content in (("debian-binary", b"2.0\n"), control, data):
        out += (f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode()
                + content + b"\n" * (len(content) % 2))
    return out


@case("F14 deb with zstd payload")
def deb(box):
    need("zstd")
    inner = box.tool("zstd", "-c", data=make_tar([("./usr/share/doc/x", b"doc")]))
    box.put("x.deb", make_deb(("control.tar.gz", gzip.compress(make_tar([("./control", b"c")]))),
                              ("data.tar.zst", inner)))
    names = box.names("x.deb")
    check("debian-binary" in names and "data.tar.zst" in names, names)
    box.run("cat", "x.deb", "data.tar.zst", out=inner)


@case("F15 zstd with a 2 GiB window: read, or the reason said")
def zstd_long(box):
    need("zstd")
    box.put("l.zst", box.tool("zstd", "--long=31", "-c", data=b"small"))
    process = box.start("cat", "l.zst", "l", stdout=-1, stderr=-1)
    out, err = process.communicate()
    check((process.returncode == 0 and out == b"small") or (process.returncode == 3 and err), (process.returncode, err))


def make_lha(name, data, level, time):
    """A stored entry without anything about an owner."""
    header = struct.pack("<5sIIIBB", b"-lh0-", len(data), len(data), time, 0x20, level)
    header += bytes([len(name)]) + name + struct.pack("<H", crc16(data))
    return bytes([len(header), sum(header) & 0xFF]) + header + data + b"\0"


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xA001 if crc & 1 else 0)
    return crc


@case("F10 LHA with neither owner nor time")
def lha(box):
    box.put("a.lzh", make_lha(b"hello.txt", b"hello", 0, 0))
    entries = box.entries("a.lzh")
    same([entry["path"] for entry in entries], ["hello.txt"])
    check(entries[0]["mtime"] is None or not entries[0]["mtime"].startswith("1970"), entries)
    box.run("cat", "a.lzh", "hello.txt", out=b"hello")


@case("E09 LHA with Czech letters in CP852: listed, whatever the charset, never a dead end")
def lha_czech(box):
    name = "příliš žluťoučký kůň úpěl ďábelské ódy.txt"
    box.put("a.lzh", make_lha(name.encode("cp852"), b"hello", 0, 0x52C2510A))
    same(box.names("a.lzh", "--encoding", "CP852"), [name])
    same(len(box.names("a.lzh")), 1)
    box.run("cat", "a.lzh", "--index", "0", out=b"hello")


@case("F08 ISO by genisoimage: deep folders are where they belong, not in rr_moved")
def iso_deep(box):
    need("genisoimage")
    deep = "/".join(f"d{number}" for number in range(11)) + "/f"
    box.put("src/" + deep, b"deep")
    box.tool("genisoimage", "-quiet", "-r", "-o", "a.iso", "src")
    names = box.names("a.iso")
    check(deep in names, names)
    box.run("cat", "a.iso", deep, out=b"deep")


def make_cab(name, data):
    folder_offset, file_offset = 36, 44
    data_offset = file_offset + 16 + len(name) + 1
    block = struct.pack("<IHH", 0, len(data), len(data)) + data
    size = data_offset + len(block)
    header = struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, size, 0, file_offset, 0, 3, 1, 1, 1, 0, 0, 0)
    assert len(header) == folder_offset
    cab_folder = struct.pack("<IHH", data_offset, 1, 0)
    file = struct.pack("<IIHHHH", len(data), 0, 0, (41 << 9) | (6 << 5) | 2, (10 << 11), 0x20) + name + b"\0"
    return header + cab_folder + file + block


@case("F09 CAB, stored")
def cab(box):
    box.put("a.cab", make_cab(b"hello.txt", TEXT[:3000]))
    same(box.names("a.cab"), ["hello.txt"])
    box.run("cat", "a.cab", "hello.txt", out=TEXT[:3000])


@case("F07 F08 ISO: long names by Rock Ridge, deep folders")
def iso(box):
    need("bsdtar")
    long_names = ["n" * 89 + letter for letter in "ab"]
    deep = "/".join(f"d{number}" for number in range(11)) + "/f"
    for name in (*long_names, deep):
        box.put("src/" + name, name.encode())
    box.tool("bsdtar", "--format=iso9660", "-cf", "a.iso", "-C", "src", ".")
    names = box.names("a.iso")
    check(set(long_names) <= set(names), names)
    box.run("cat", "a.iso", long_names[1], out=long_names[1].encode())
    box.run("extract", "-C", "out", "a.iso")
    same(box.read("out/" + deep), deep.encode())
    box.put("elf.iso", b"\x7fELF" + box.read("a.iso")[4:])
    check(set(long_names) <= set(box.names("elf.iso")), "F16 an ISO behind an ELF head")


@case("cpio, ar, xar, warc by bsdtar")
def by_bsdtar(box):
    need("bsdtar")
    box.put("f", TEXT)
    for kind in ("cpio", "newc", "ar", "xar", "warc", "shar"):
        archive = "a." + kind
        # Without an XML library a libarchive knows no XAR; Debian's after 13 has none.
        if kind == "xar" and subprocess.run(["bsdtar", "--format=xar", "-cf", os.devnull, "f"],
                                            cwd=box.root, stderr=subprocess.DEVNULL,
                                            check=False).returncode != 0:
            continue
        box.tool("bsdtar", "--format=" + kind, "-cf", archive, "f")
        if kind == "shar":
            box.run("list", archive, exit=3)
            continue
        check("f" in box.names(archive) or kind == "warc", archive)
        if kind != "warc":
            box.run("cat", archive, "f", out=TEXT)


@case("F06 the last bytes cut off: an error is an error")
def cut_off(box):
    tar = make_tar([("a", TEXT), ("b", TEXT)])
    box.put("t.tar.gz", gzip.compress(tar)[:-100])
    box.put("t.tar", tar[:len(TEXT) + 5000])
    box.put("t.txt.xz", lzma.compress(random.Random(5).randbytes(50_000))[:-100])
    box.put("big", random.Random(6).randbytes(50_000))
    box.tool(seven_zip(), "a", "t.7z", "big")
    box.put("t.7z", box.read("t.7z")[:-100])
    for archive in ("t.tar.gz", "t.tar", "t.txt.xz", "t.7z"):
        if archive.startswith("t.tar"):
            box.run("list", archive, exit=1, err=[r"^holdall-cli: t\.tar"])
        for verb in (["extract", "-C", "out"], ["test"]):
            process = box.start(*verb, archive, stdout=-1, stderr=-1)
            _out, err = process.communicate()
            check(process.returncode in (1, 3), f"{verb} {archive}: exit {process.returncode}")
            check(err and b"(null)" not in err, err)
    check(not box.has("out/t.txt") and not box.has("out/big"), "a cut file was left")


@case("a 7z header that counts more folders than it has bytes, whole or cut off")
def absurd_folders(box):
    header = bytes.fromhex("01 04 06 00 02 09 08 08 0a 01 5f2a2ebb 38417dec 00 07 0b e3219d01 00") + b"\0" * 60
    start = struct.pack("<QQI", 0, len(header), zlib.crc32(header))
    data = b"7z\xbc\xaf\x27\x1c\0\2" + struct.pack("<I", zlib.crc32(start)) + start + header
    for length in (len(data), len(data) - 20):
        box.put("a.7z", data[:length])
        box.run("list", "a.7z", exit=3, err=["counts more folders"])


@case("a program with a 7z archive behind it, wherever it begins; it is not edited away")
def self_extractors(box):
    box.put("in/f", TEXT)
    box.tool(seven_zip(), "a", box.path("a.7z"), ".", cwd=box.path("in"))
    # One that only looks like the start of an archive comes first; blocks of reading end in the middle of another.
    for size in (600, 262_130, 900_000):
        front = b"MZ" + (b"7z\xbc\xaf\x27\x1c" + b"7" * 40).ljust(size, b"\0")
        box.put("a.exe", front + box.read("a.7z"))
        same(box.names("a.exe"), ["f"], size)
        box.run("cat", "a.exe", "f", out=TEXT, err=[])
        before = box.read("a.exe")
        box.run("delete", "a.exe", "f", exit=3, err=["program"])
        same(box.read("a.exe"), before)
    box.run("convert", "a.exe", "b.zip", err=[])
    box.run("cat", "b.zip", "f", out=TEXT)
    box.put("nothing.exe", b"MZ" + b"7z" * 200_000)
    box.run("list", "nothing.exe", exit=3)


@case("duplicate members of a tar: numbered, none lost")
def tar_duplicates(box):
    box.put("a.tar", make_tar([("f", b"old"), ("f", b"new")]))
    same(box.names("a.tar"), ["f", "f"])
    box.run("extract", "-C", "o", "a.tar", err=[r"f \(2\)"])
    same((box.read("o/f"), box.read("o/f (2)")), (b"old", b"new"))
    box.run("extract", "-C", "last", "a.tar", "--index", "1", err=[])
    same(box.read("last/f"), b"new")


@case("G06 what came out of a damaged file is kept on request, and said to be damaged")
def keep_damaged(box):
    box.put("a.txt.gz", gzip.compress(random.Random(7).randbytes(900_000))[:-200_000])
    box.run("extract", "-C", "out", "a.txt.gz", exit=3, err=[r"a\.txt"])
    check(not box.has("out/a.txt"), "kept unasked")
    box.run("extract", "-C", "out", "--keep-damaged", "a.txt.gz", exit=1, err=[r"^a\.txt: .*damaged"])
    check(0 < len(box.read("out/a.txt")) < 900_000, "nothing kept")


def make_small_cab(method, checksum, data, date=0x5AA1):
    """A cabinet with one file of five bytes in one block."""
    name = b"x.txt\0"
    files_at = 36 + 8
    data_at = files_at + 16 + len(name)
    size = data_at + 8 + len(data)
    header = struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, size, 0, files_at, 0, 3, 1, 1, 1, 0, 0, 0)
    folder = struct.pack("<IHH", data_at, 1, method)
    entry = struct.pack("<IIHHHH", 5, 0, 0, date, 0, 0x20) + name
    return header + folder + entry + struct.pack("<IHH", checksum, len(data), 5) + data


def make_small_rar(date):
    """A RAR 4 archive with a stored file of five bytes."""
    def block(kind, flags, body):
        head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
        return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head

    entry = struct.pack("<IIBIIBBHI", 5, 5, 3, zlib.crc32(b"hello"), date << 16, 20, 0x30, 1, 0o100644) + b"x"
    return b"Rar!\x1a\x07\x00" + block(0x73, 0, b"\0" * 6) + block(0x74, 0x8000, entry) + b"hello"


@case("a DOS date of 0 is no date, wherever one lives")
def no_dos_date(box):
    for zone in ("UTC", "America/New_York", "Asia/Tokyo"):
        for date, shown in ((0, None), (0x5AB4, "2025-05-")):
            box.put("a.cab", make_small_cab(0, 0, b"hello", date))
            box.put("a.rar", make_small_rar(date))
            for name in ("a.cab", "a.rar"):
                line = box.run("list", "--json", name, env={"TZ": zone}).out
                mtime = json.loads(line)["mtime"]
                check(mtime.startswith(shown) if shown else mtime is None, f"{name} {zone} {mtime}")


@case("F09: packed data that nothing vouches for is no success")
def _(box):
    box.put("stored.cab", make_small_cab(0, 0, b"hello"))
    box.run("extract", "-C", "a", "stored.cab")
    same(box.read("a/x.txt"), b"hello", "stored without a checksum")
    box.put("lzx.cab", make_small_cab(0x0F03, 0, bytes([0, 0x22, 0xFF, 0xFF, 0xFF, 0xFF]) + bytes(28)))
    done = box.start("extract", "-C", "b", "lzx.cab", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _out, text = done.communicate(timeout=60)
    check(done.returncode in (1, 3), f"exit {done.returncode}: {text!r}")
