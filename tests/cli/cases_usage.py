# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The contract itself: verbs, options, exit statuses, the exact form of list --json."""

import json

from harness import case, check, same
from zipmaker import STREAMED, Entry, extended_time, folder, make_zip, symlink

# Arguments, exit status, what standard output and standard error must hold.
TABLE = [
    ([], 2, b"", r"--help"),
    (["--help"], 0, b"extract", None),
    (["-h"], 0, b"Exit status", None),
    (["list", "--help"], 0, b"--json", None),
    (["--help", "extract"], 0, b"--conflict", None),
    (["--version"], 0, b"holdall-cli 0.", None),
    (["frobnicate", "a.zip"], 2, b"", r"no verb .frobnicate"),
    (["list"], 2, b"", r"usage: holdall-cli list"),
    (["list", "a.zip", "b.zip"], 2, b"", r"too much"),
    (["list", "--frobnicate", "a.zip"], 2, b"", r"no option"),
    (["list", "-Z", "a.zip"], 2, b"", r"no option"),
    (["list", "--json=yes", "a.zip"], 2, b"", r"takes no value"),
    (["extract", "--json", "a.zip"], 2, b"", r"does not take --json"),
    (["extract", "--conflict", "maybe", "a.zip"], 2, b"", r"maybe"),
    (["extract", "--conflict", "a.zip"], 2, b"", r"conflict"),
    (["extract", "a.zip", "-C"], 2, b"", r"needs a value"),
    (["extract", "a.zip", "-C", ""], 2, b"", r"folder"),
    (["extract", "--jobs", "0", "a.zip"], 2, b"", r"number"),
    (["extract", "--jobs=x", "a.zip"], 2, b"", r"number"),
    (["extract", "--index", "-1", "a.zip"], 2, b"", r"number"),
    (["list", "--encoding", "no-such", "a.zip"], 2, b"", r"no-such"),
    (["list", "--password-file", "missing", "a.zip"], 2, b"", r"missing"),
    (["list", "--password-file", "/dev/null", "a.zip"], 2, b"", r"empty"),
    (["cat", "a.zip"], 2, b"", r"PATH or --index"),
    (["cat", "a.zip", "f", "--index", "0"], 2, b"", r"PATH or --index"),
    (["list", "nowhere.zip"], 3, b"", r"nowhere.zip"),
    (["--quiet", "list", "--", "a.zip"], 0, b"f", None),
    (["--json", "--quiet", "list", "a.zip"], 0, b'"path":"f"', None),
    (["list", "a.zip", "--json"], 0, b'"path":"f"', None),
    (["-q", "-j2", "-C", "out", "extract", "a.zip"], 0, b"", None),
    (["-qj", "2", "extract", "a.zip", "-Cout2"], 0, b"", None),
    (["extract", "--directory=out3", "a.zip", "f"], 0, b"", None),
    (["extract", "a.zip", "nothing"], 3, b"", r"^nothing: "),
    (["extract", "a.zip", ""], 3, b"", r"no such entry"),
    (["extract", "-C", "out4", "a.zip", "nothing", "f"], 1, b"", r"^nothing: "),
    (["extract", "-C", "out5", "a.zip", "--index", "7"], 3, b"", r"7"),
    (["cat", "a.zip", "nothing"], 3, b"", r"^nothing: "),
    (["create", "--format", "nope", "b.zip", "a.zip"], 2, b"", r"no format"),
    (["create", "--encrypt", "b.tar", "a.zip"], 3, b"", r"encrypt"),
    (["create", "--encrypt", "b.zip", "a.zip"], 4, b"", r"password"),
    (["formats"], 0, b"zip", None),
    (["formats", "x"], 2, b"", r"too much"),
]


def add_row(arguments, exit_status, out, err):
    @case("usage: " + (" ".join(arguments) or "(nothing)"))
    def run_row(box):
        box.put("a.zip", make_zip([Entry(b"f", b"text")]))
        result = box.run(*arguments, exit=exit_status, err=[err] if err else [])
        check(out in result.out, f"{out!r} is not in {result.out!r}")
        if exit_status != 0:
            same(result.out, b"", "standard output")


for row in TABLE:
    add_row(*row)


@case("list --json: one object a line, in the order and form of the contract")
def list_json(box):
    box.put("a.zip", make_zip([
        folder(b"docs/", extra=extended_time(1622628672)),
        Entry(b"docs/a.txt", b"hello " * 100, method=8, flags=STREAMED, extra=extended_time(1622628672),
              comment=b"a remark"),
        symlink(b"docs/l", b"a.txt", extra=extended_time(1622628672)),
    ]))
    result = box.run("list", "--json", "a.zip", err=[])
    lines = result.out.decode("ascii").splitlines()
    same(len(lines), 3, "lines")
    entry = json.loads(lines[1])
    packed = entry.pop("packed")
    check(0 < packed < 100, f"packed {packed}")
    same(entry, {
        "path": "docs/a.txt", "type": "file", "size": 600, "mtime": "2021-06-02T10:11:12Z",
        "mode": "0644", "method": "deflate", "crc32": entry["crc32"], "encrypted": False, "link": None,
        "comment": "a remark", "descriptor": True, "index": 1})
    check(lines[1].startswith('{"path":"docs/a.txt","type":"file","size":600,"packed":'), lines[1])
    first, last = json.loads(lines[0]), json.loads(lines[2])
    same((first["path"], first["type"], first["mode"]), ("docs", "folder", "0755"))
    same((last["path"], last["type"], last["link"]), ("docs/l", "symlink", "a.txt"))


@case("list --json: strings are escaped, implied folders are not listed")
def list_json_strings(box):
    name = 'q"uo\\te\n\t\x01é\u2028'.encode()
    box.put("a.zip", make_zip([Entry(b"x/" + name, b"1"), Entry(b"y", b"2", comment=b"\x1b[2J")]))
    entries = box.entries("a.zip")
    same([entry["path"] for entry in entries], ["x/" + name.decode(), "y"])
    same(entries[1]["comment"], "\x1b[2J")
    check(b"\x1b" not in box.run("list", "--json", "a.zip").out, "a raw control character")


@case("list: for people, names are escaped, links and unsafe names marked")
def list_text(box):
    box.put("a.zip", make_zip([
        Entry(b"a\nb\x1b[31m.txt", b"1234"), symlink(b"l", b"a\tb"), folder(b"d/"), Entry(b"../up", b"")]))
    out = box.run("list", "a.zip").out
    check(b"\x1b" not in out and b"\t" not in out, out)
    same(len(out.splitlines()), 4, "lines")
    for part in (b"-rw-r--r--", b"a\\nb", b" -> a\\tb", b"  d/\n", b"unsafe: dotdot", b"2021-06-02 10:11"):
        check(part in out, f"{part!r} not in {out!r}")


@case("info: format, sizes, capabilities and reasons")
def info(box):
    box.put("a.zip", make_zip([folder(b"d/"), Entry(b"d/f", b"x" * 1000, method=8)], comment=b"About\x1b[2J it"))
    out = box.run("info", "a.zip", err=[]).out.decode()
    for part in ("ZIP (zip)", "1000 bytes", "1 files, 1 folders", "About", "read"):
        check(part in out, f"{part!r} not in {out!r}")
    check("\x1b" not in out, "control characters of the comment")
    record = json.loads(box.run("info", "--json", "a.zip").out)
    same((record["format"], record["entries"], record["unpacked"], record["unpacked_complete"]),
         ("zip", 2, 1000, True))
    same(record["comment"], "About\x1b[2J it")
    check("read" in record["capabilities"], record)
    check(all(record["missing"].values()), record)


@case("formats --json: each missing capability has a reason")
def formats(box):
    rows = [json.loads(line) for line in box.run("formats", "--json", err=[]).out.splitlines()]
    by_id = {row["id"]: row for row in rows}
    check({"zip", "tar", "tar.gz", "7z", "rar", "iso", "gz"} <= set(by_id), sorted(by_id))
    for row in rows:
        check(all(row["missing"].values()), row)
        check(row["suffixes"] or row["mime_types"], row)
        check(not set(row["capabilities"]) & set(row["missing"]), row)


@case("cat: bytes and nothing else")
def cat(box):
    data = bytes(range(256)) * 5000
    box.put("a.zip", make_zip([Entry(b"bin", data, method=8), folder(b"d/"), Entry(b"d/f", b"in d"),
                               symlink(b"l", b"d/f")]))
    box.run("cat", "a.zip", "bin", out=data, err=[])
    box.run("cat", "a.zip", "--index", "2", out=b"in d", err=[])
    box.run("cat", "a.zip", "d", exit=3, out=b"", err=[r"^d: .*folder"])
    box.run("cat", "a.zip", "l", out=b"d/f")


@case("test: names what is bad, writes nothing")
def test(box):
    box.put("good.zip", make_zip([Entry(b"a", b"1" * 99, method=8), Entry(b"b", b"2")]))
    box.put("bad.zip", make_zip([Entry(b"a", b"1" * 99, method=8), Entry(b"b", b"2", crc=5)]))
    before = box.tree()
    box.run("test", "good.zip", out=b"good.zip: 2 of 2 entries are good\n", err=[])
    box.run("test", "bad.zip", exit=1, out=b"bad.zip: 1 of 2 entries are good\n", err=[r"^b: "])
    box.run("test", "--quiet", "good.zip", out=b"", err=[])
    same(box.tree(), before)
