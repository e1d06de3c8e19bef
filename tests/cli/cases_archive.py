# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""ZIP archives that are odd, broken, large in number or no archives at all."""

import gzip
import io
import os
import random
import struct
import zipfile

from harness import case, check, need, same, seven_zip
from zipmaker import MADE_BY_FAT, MADE_BY_UNIX, STREAMED, Entry, extended_time, folder, make_zip


def good_and_tested(box, archive, wanted):
    """@wanted: path → bytes; all of it and nothing else comes out, and the test agrees."""
    box.run("test", "--quiet", archive, err=[])
    box.run("extract", "-C", "out", archive, err=[])
    same(sorted(path for path in box.tree("out") if not path.endswith("/")), sorted(wanted))
    for path, data in wanted.items():
        same(box.read("out/" + path), data, path)


@case("Z01 Z02 streamed by Info-ZIP: sizes from the directory; the same inside gzip")
def streamed(box):
    need("zip")
    box.put("a", b"aaaa" * 1000)
    box.put("b", b"")
    box.tool("zip", "-qfd", "dd.zip", "a", "b")
    entries = box.entries("dd.zip")
    same([(entry["size"], entry["descriptor"]) for entry in entries], [(4000, True), (0, True)])
    good_and_tested(box, "dd.zip", {"a": b"aaaa" * 1000, "b": b""})
    box.put("dd.zip.gz", gzip.compress(box.read("dd.zip")))
    same(box.names("dd.zip.gz"), ["dd.zip"], "a ZIP inside gzip is one file")
    box.run("cat", "dd.zip.gz", "dd.zip", out=box.read("dd.zip"))


@case("Z02 only the local size is true, the rest of the local header zero")
def local_size_only(box):
    box.put("a.zip", make_zip([Entry(b"a", b"abc" * 99, method=8, flags=STREAMED, local_size=297)]))
    good_and_tested(box, "a.zip", {"a": b"abc" * 99})


@case("Z03 stored with a descriptor")
def stored_streamed(box):
    box.put("a.zip", make_zip([Entry(b"a", b"PK\x07\x08" * 50, flags=STREAMED), Entry(b"b", b"b")]))
    good_and_tested(box, "a.zip", {"a": b"PK\x07\x08" * 50, "b": b"b"})


@case("Z04 bit 3 without a descriptor")
def no_descriptor(box):
    box.put("a.zip", make_zip([Entry(b"a", b"x" * 50, method=8, flags=STREAMED, descriptor=b""),
                               Entry(b"b", b"y", flags=STREAMED, descriptor=b"")]))
    box.run("extract", "-C", "out", "a.zip")
    same((box.read("out/a"), box.read("out/b")), (b"x" * 50, b"y"))


@case("Z07 junk behind the end, comment that looks like an end record")
def trailing_junk(box):
    need("unzip")
    data = make_zip([Entry(b"a", b"x")])
    box.put("junk.zip", data + b"\0\r\n" + b"junk " * 1000)
    same(box.names("junk.zip"), ["a"])
    # It stays behind the end of whatever the archive becomes.
    junk = b"\0\r\n" + b"junk " * 1000
    box.put("b", b"b" * 1000)
    for verb, name, left in (("add", "b", ["a", "b"]), ("delete", "a", ["b"]), ("delete", "b", [])):
        box.run(verb, "junk.zip", name)
        same(box.names("junk.zip"), left)
        check(box.read("junk.zip")[:-len(junk)][-22:].startswith(b"PK\5\6") and box.read("junk.zip").endswith(junk),
              f"{verb} {name}: what stood behind the end does not")
        if left:
            box.tool("unzip", "-tq", "junk.zip")
            box.tool(seven_zip(), "t", "junk.zip")
    # Elsewhere it means nothing.
    box.put("junk.zip", data + junk)
    box.run("convert", "junk.zip", "other.zip")
    check(b"junk" not in box.read("other.zip"), "behind a new archive")
    box.put("comment.zip", make_zip([Entry(b"a", b"x")], comment=b"PK\x05\x06 is no end, " * 4))
    good_and_tested(box, "comment.zip", {"a": b"x"})


@case("Z08 a program in front")
def prefix(box):
    data = make_zip([Entry(b"a", b"x" * 40, method=8), Entry(b"d/b", b"y")])
    box.put("sfx.exe", b"MZ" + b"\x90" * 1022 + data)
    good_and_tested(box, "sfx.exe", {"a": b"x" * 40, "d/b": b"y"})
    box.put("shifted.zip", make_zip([Entry(b"a", b"x")], prefix=b"#!/bin/sh\n" * 200))
    same(box.names("shifted.zip"), ["a"])


@case("Z10 two entries of one name: both shown, both reachable, none lost in silence")
def duplicates(box):
    box.put("a.zip", make_zip([Entry(b"a.txt", b"first"), Entry(b"a.txt", b"second")]))
    same(box.names("a.zip"), ["a.txt", "a.txt"])
    box.run("cat", "a.zip", "--index", "0", out=b"first")
    box.run("cat", "a.zip", "--index", "1", out=b"second")
    box.run("cat", "a.zip", "a.txt", exit=2, out=b"", err=[r"--index"])
    for policy in ("skip", "rename"):
        box.run("extract", "-C", policy, "--conflict", policy, "a.zip", err=[r"^a\.txt: .*a \(2\)\.txt"])
        same((box.read(policy + "/a.txt"), box.read(policy + "/a (2).txt")), (b"first", b"second"))
    # Whoever wants to overwrite means it; the later one wins, as in a tar that was appended to.
    box.run("extract", "-C", "last", "--conflict", "overwrite", "a.zip", err=[r"^a\.txt: "])
    same((box.tree("last"), box.read("last/a.txt")), (["a.txt"], b"second"))
    box.run("extract", "-C", "one", "a.zip", "--index", "1", err=[])
    same(box.read("one/a.txt"), b"second")


@case("Z12 a folder marked by the DOS attribute only")
def dos_folder(box):
    box.put("a.zip", make_zip([Entry(b"d", made_by=MADE_BY_FAT, external=0x10), Entry(b"d/f.txt", b"x")]))
    same(box.entries("a.zip")[0]["type"], "folder")
    good_and_tested(box, "a.zip", {"d/f.txt": b"x"})


@case("Z13 a folder with data; a file that is a folder's name too")
def file_against_folder(box):
    box.put("data.zip", make_zip([folder(b"d/", data=b"data"), Entry(b"d/f", b"x")]))
    box.run("extract", "-C", "data", "data.zip", exit=box.run("test", "data.zip", exit=0).exit)
    same(box.read("data/d/f"), b"x")
    box.put("clash.zip", make_zip([Entry(b"Foo/Bar", b""), Entry(b"Foo/Bar/Baz", b"x")]))
    same(box.names("clash.zip"), ["Foo/Bar", "Foo/Bar/Baz"])
    result = box.run("extract", "-C", "clash", "clash.zip")
    check("Foo/Bar" in result.err, result.err)
    same(box.tree("clash"), ["Foo/", "Foo/Bar (2)", "Foo/Bar/", "Foo/Bar/Baz"])
    box.run("cat", "clash.zip", "Foo/Bar/Baz", out=b"x")


@case("Z14 folders that only names imply: named, they bring all below")
def implied(box):
    box.put("a.zip", make_zip([Entry(b"a/b/c/one", b"1"), Entry(b"a/b/two", b"2"), Entry(b"x", b"3")]))
    box.run("extract", "-C", "out", "a.zip", "a/b", err=[])
    same(box.tree("out"), ["a/", "a/b/", "a/b/c/", "a/b/c/one", "a/b/two"])
    box.run("extract", "-C", "slash", "a.zip", "a/b/c/", err=[])
    same(box.tree("slash"), ["a/", "a/b/", "a/b/c/", "a/b/c/one"])


@case("Z15 a backslash separates if FAT made it, and is a letter if UNIX did")
def backslashes(box):
    box.put("fat.zip", make_zip([Entry(b"dir\\sub\\f.txt", b"x", made_by=MADE_BY_FAT)]))
    box.put("unix.zip", make_zip([Entry(b"dir\\sub\\f.txt", b"x", made_by=MADE_BY_UNIX)]))
    same(box.names("fat.zip"), ["dir/sub/f.txt"])
    same(box.names("unix.zip"), ["dir\\sub\\f.txt"])
    box.put("evil.zip", make_zip([Entry(b"..\\evil", b"x", made_by=MADE_BY_FAT)]))
    same(box.entries("evil.zip")[0]["unsafe"], "dotdot")
    box.run("extract", "-C", "in/out", "evil.zip", exit=1, err=[r"evil"])
    check(not box.has("in/evil"), "escaped")


@case("Z17 no permission bits at all mean that none were recorded")
def no_permissions(box):
    box.put("a.zip", make_zip([folder(b"d/", mode=0o40000), Entry(b"d/f", b"x", mode=0o100000)]))
    box.run("extract", "-C", "out", "a.zip", err=[])
    same((box.mode("out/d"), box.mode("out/d/f")), (0o755, 0o644))


@case("Z18 Z19 a method that can't be decoded: marked in the list, the others extracted")
def unknown_method(box):
    box.put("a.zip", make_zip([Entry(b"good", b"1" * 50, method=8),
                               Entry(b"odd", b"x" * 50, method=77, packed_data=b"x" * 50), Entry(b"last", b"3")]))
    same(len(box.entries("a.zip")), 3)
    box.run("extract", "-C", "out", "a.zip", exit=1, err=[r"^odd: "])
    same(box.tree("out"), ["good", "last"])
    box.run("cat", "a.zip", "odd", exit=3, out=b"", err=[r"^odd: "])
    box.run("test", "a.zip", exit=1, err=[r"^odd: "])


@case("Z18 methods of 7-Zip: bzip2, lzma, ppmd; deflate64 comes out or is named")
def seven_zip_methods(box):
    data = b"the quick brown fox " * 5000
    box.put("f.txt", data)
    for method in ("BZip2", "LZMA", "PPMd"):
        box.tool(seven_zip(), "a", "-tzip", "-mm=" + method, method + ".zip", "f.txt")
        box.run("cat", method + ".zip", "f.txt", out=data, err=[])
    box.tool(seven_zip(), "a", "-tzip", "-mm=Deflate64", "d64.zip", "f.txt")
    same(len(box.entries("d64.zip")), 1)
    readable = box.entries("d64.zip")[0].get("readable", True)
    box.run("extract", "-C", "out", "d64.zip", exit=0 if readable else 3)
    same(box.has("out/f.txt"), readable)


@case("Z21 one part of a split set: said so, not 'no archive'")
def split(box):
    need("zip")
    box.put("r.bin", random.Random(1).randbytes(200_000))
    box.tool("zip", "-q0", "-s", "64k", "sp.zip", "r.bin")
    result = box.run("list", "sp.zip", exit=box.start("list", "-q", "sp.zip", stdout=-3, stderr=-3).wait())
    if result.exit == 0:
        box.run("cat", "sp.zip", "r.bin", out=box.read("r.bin"))
        os.remove(box.path("sp.z02"))
        box.run("extract", "-C", "out", "sp.zip", exit=3, err=[r"(?i)part|volume|split"])
    else:
        same(result.exit, 3)
        check("part" in result.err or "split" in result.err or "volume" in result.err, result.err)


@case("Z22 two records over one place, a bomb: listed, tested without harm")
def overlap(box):
    data = b"\0" * 10_000_000
    box.put("bomb.zip", make_zip([Entry(b"a", data, method=8), Entry(b"b", data, method=8, offset=0, no_local=True)]))
    same(len(box.entries("bomb.zip")), 2)
    box.run("extract", "-C", "out", "bomb.zip", "a")
    same(os.path.getsize(box.path("out/a")), len(data))


@case("Z24 times: UT first, DOS as local time")
def times(box):
    box.put("a.zip", make_zip([Entry(b"ut", b"", extra=extended_time(1600000001)), Entry(b"dos", b"")]))
    same([entry["mtime"] for entry in box.entries("a.zip")], ["2020-09-13T12:26:41Z", "2021-06-02T10:11:12Z"])
    box.run("extract", "-C", "out", "a.zip", env={"TZ": "America/Chicago"})
    same(os.stat(box.path("out/ut")).st_mtime, 1600000001)
    # Ten o'clock in Chicago in summer is 15 UTC.
    same(os.stat(box.path("out/dos")).st_mtime, 1622628672 + 5 * 3600)


@case("Z25 a file and a folder of one name with a space behind: exactly the file")
def trailing_space(box):
    box.put("a.zip", make_zip([Entry(b"doc.pdf ", b"pdf"), Entry(b"doc.pdf /doc.pdf .cmd", b"evil")]))
    box.run("cat", "a.zip", "--index", "0", out=b"pdf")
    box.run("extract", "-C", "out", "a.zip", "--index", "0", err=[])
    same(box.tree("out"), ["doc.pdf "])


@case("bad CRC: that entry fails and leaves nothing, the others come out")
def bad_crc(box):
    box.put("a.zip", make_zip([Entry(b"a", b"1"), Entry(b"d/bad", b"2" * 500_000, method=8, crc=7), Entry(b"c", b"3")]))
    box.put("out/keep", b"mine")
    box.run("extract", "-C", "out", "a.zip", exit=1, err=[r"^d/bad: "])
    same([path for path in box.tree("out") if not path.endswith("/")], ["a", "c", "keep"])
    box.run("cat", "a.zip", "d/bad", exit=3, err=[r"^d/bad: "])


@case("a declared size that lies, either way")
def lying_size(box):
    box.put("a.zip", make_zip([Entry(b"more", b"x" * 1000, method=8, size=10), Entry(b"less", b"x" * 10, method=8,
                                                                                   size=1 << 31)]))
    box.run("test", "a.zip", exit=3, err=[r"^more: ", r"^less: "])
    result = box.run("extract", "-C", "out", "a.zip", exit=3, err=[r"^more: ", r"^less: "])
    same(len(result.err.splitlines()), 2, "each is told once")
    same(box.tree("out") if box.has("out") else [], [])


@case("not an archive: empty, random, text, a folder, missing: one sentence, exit 3")
def not_archives(box):
    box.put("empty", b"")
    box.put("random", random.Random(2).randbytes(10_000))
    box.put("text.txt", b"Dear reader,\nthis is a letter.\n" * 40)
    box.put("lie.zip", b"PK\x03\x04 but no more")
    os.mkdir(box.path("folder"))
    for name in ("empty", "random", "text.txt", "lie.zip", "folder", "missing", "missing/x.zip"):
        for verb in ("list", "info", "test", "extract"):
            result = box.run(verb, name, exit=3, out=b"")
            same(len(result.err.splitlines()), 1, f"{verb} {name}: lines of {result.err!r}")
            check("(null)" not in result.err, result.err)
        box.run("cat", name, "x", exit=3, out=b"")
    same(box.tree(), ["empty", "folder/", "lie.zip", "random", "text.txt"])


@case("no permission to read")
def no_permission(box):
    box.put("a.zip", make_zip([Entry(b"a", b"x")]), mode=0o600)
    box.run("list", "a.zip", exit=3, err=[r"a\.zip"], as_nobody=True)


@case("an archive without entries")
def no_entries(box):
    box.put("a.zip", make_zip([]))
    same(box.names("a.zip"), [])
    box.run("extract", "-C", "out", "a.zip")
    same(box.tree("out") if box.has("out") else [], [])


@case("cut off at any byte: no crash, no junk; what comes out is true")
def truncated(box):
    whole = make_zip([Entry(b"a", b"a" * 300, method=8), Entry(b"d/b", b"b" * 60), folder(b"e/")], comment=b"note")
    for length in list(range(0, len(whole) - 1, 11)) + [len(whole) - 1]:
        box.put("cut.zip", whole[:length])
        got = box.start("extract", "-q", "-C", "out", "cut.zip", stdout=-3, stderr=-3).wait()
        check(got in (0, 1, 3), f"exit {got} at {length}")
        if box.has("out/a"):
            same(box.read("out/a"), b"a" * 300)
        if box.has("out/d/b"):
            same(box.read("out/d/b"), b"b" * 60)
        if length < 31:
            same(got, 3, f"exit at {length}")
        # Without a directory the list may lack entries, and that is said. Of the comment alone nobody needs the end.
        if length < whole.index(b"PK\x05\x06") + 22:
            listed = box.run("list", "-q", "cut.zip", exit=1 if length > 30 else 3, err=[r"cut\.zip"])
            same(listed.out == b"", length <= 30, f"silence at {length}")


@case("random bytes turned over: no crash")
def fuzzed(box):
    chance = random.Random(3)
    whole = make_zip([Entry(b"a", b"a" * 300, method=8, flags=STREAMED, extra=extended_time(1)), folder(b"d/"),
                      Entry(b"d/b", b"b" * 60, comment=b"c")], comment=b"note")
    for _ in range(25):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        box.put("f.zip", data)
        for verb in (["list", "--json"], ["test", "-q"]):
            got = box.start(*verb, "f.zip", stdout=-3, stderr=-3).wait()
            check(got in (0, 1, 3, 4), f"{verb}: exit {got} with {bytes(data)!r}")


@case("L03 65,535 entries and 65,537; a count that wrapped")
def many(box):
    box.put("most.zip", make_zip([Entry(b"f%d" % number) for number in range(65535)]))
    same(len(box.run("list", "most.zip", err=[]).out.splitlines()), 65535)
    box.put("wrapped.zip", make_zip([Entry(b"f%d" % number) for number in range(65540)]))
    same(len(box.run("list", "wrapped.zip").out.splitlines()), 65540, "wrapped")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number in range(65537):
            archive.writestr(f"d{number % 100}/f{number}", b"")
    box.put("zip64.zip", data.getvalue())
    same(len(box.run("list", "zip64.zip", err=[]).out.splitlines()), 65537)


@case("ZIP64 extra field with sizes and offset")
def zip64(box):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        with archive.open(zipfile.ZipInfo("big"), "w", force_zip64=True) as file:
            file.write(b"x" * 1000)
        archive.writestr("after", b"y")
    box.put("a.zip", data.getvalue())
    good_and_tested(box, "a.zip", {"big": b"x" * 1000, "after": b"y"})


@case("an end record that points nowhere")
def bad_end(box):
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 5, 5, 0xFFFFFFF0, 0xFFFFFF00, 0)
    box.put("a.zip", b"PK\x03\x04" + b"\xff" * 100 + end)
    box.run("list", "a.zip", exit=3)


@case("Z06 above 4 GiB without ZIP64, as Finder writes it: sizes and offsets modulo 2^32")
def modulo_4g(box):
    hole = (1 << 32) + 100
    with open(box.path("a.zip"), "wb") as file:
        first = make_zip([Entry(b"hole", size=100, crc=0, packed_data=b"")])
        start = first.index(b"hole") + 4
        file.write(first[:start])
        second = make_zip([Entry(b"small", b"after the hole")])
        local = second[:second.index(b"PK\x01\x02")]
        file.seek(start + hole)
        file.write(local)
        central = len(local) + start + hole
        record = first[first.index(b"PK\x01\x02"):first.index(b"PK\x05\x06")]
        record = record[:20] + struct.pack("<I", 100) + record[24:]
        other = second[second.index(b"PK\x01\x02"):second.index(b"PK\x05\x06")]
        other = other[:42] + struct.pack("<I", (start + hole) & 0xFFFFFFFF) + other[46:]
        file.write(record + other)
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 2, 2, len(record + other), central & 0xFFFFFFFF, 0))
    same(box.names("a.zip"), ["hole", "small"])
    box.run("cat", "a.zip", "small", out=b"after the hole")
    box.run("extract", "-C", "out", "a.zip", "small")
    same(box.read("out/small"), b"after the hole")
