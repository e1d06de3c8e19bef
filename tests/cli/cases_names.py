# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Names: charsets, bytes that are no text, characters that break shells and terminals."""

from harness import case, check, same
from zipmaker import MADE_BY_FAT, UNICODE, Entry, make_zip, unicode_name


@case("E01 Cyrillic names in CP866: guessed, or as told, and extracted so")
def cyrillic(box):
    words = ["Отчёт за год.txt", "Фотографии/Море и горы.jpg", "Договор поставки.doc", "Письмо директору.txt"]
    box.put("a.zip", make_zip([Entry(word.encode("cp866"), b"x", made_by=MADE_BY_FAT) for word in words]))
    same(box.names("a.zip", "--encoding", "CP866"), words)
    same(box.names("a.zip"), words, "guessed")
    box.run("extract", "--encoding", "IBM866", "-C", "out", "a.zip", err=[])
    check(box.has("out/" + words[1]), box.tree("out"))
    box.run("extract", "-C", "one", "--encoding", "CP866", "a.zip", words[0], err=[])
    same(box.tree("one"), [words[0]])


@case("E02 Japanese and Chinese names in CP932 and CP950")
def east_asian(box):
    japanese = ["日本語の資料.txt", "写真/東京タワー.jpg", "予定表と会議の記録.doc"]
    chinese = ["繁體中文文件.txt", "照片/臺北車站.jpg", "會議記錄與計畫.doc"]
    box.put("j.zip", make_zip([Entry(word.encode("cp932"), b"x", made_by=MADE_BY_FAT) for word in japanese]))
    box.put("c.zip", make_zip([Entry(word.encode("cp950"), b"x", made_by=MADE_BY_FAT) for word in chinese]))
    same(box.names("j.zip", "--encoding", "CP932"), japanese)
    same(box.names("c.zip", "--encoding", "CP950"), chinese)


@case("CP932 names whose second byte is 0x5c or 0x2f: decoded first, split afterwards")
def backslash_in_character(box):
    name = "ソース/表示.txt"
    stored = name.encode("cp932")
    check(b"\\" in stored, "no backslash byte in it")
    box.put("a.zip", make_zip([Entry(stored, b"x", made_by=MADE_BY_FAT)]))
    same(box.names("a.zip", "--encoding", "CP932"), [name])


@case("E04 a Unicode name in every locale")
def unicode_mark(box):
    box.put("a.zip", make_zip([Entry("日本語/ファイル.txt".encode(), b"data", flags=UNICODE)]))
    same(box.names("a.zip"), ["日本語/ファイル.txt"])
    box.run("cat", "a.zip", "日本語/ファイル.txt", out=b"data", err=[])
    box.run("extract", "-C", "out", "a.zip", "日本語", err=[])
    same(box.read("out/日本語/ファイル.txt"), b"data")


@case("E05 extra field 0x7075 counts if its CRC fits, else not")
def unicode_extra(box):
    name = "übung.txt".encode("cp850")
    box.put("good.zip", make_zip([Entry(name, b"x", made_by=MADE_BY_FAT, extra=unicode_name(name, "übung ☃.txt"))]))
    box.put("stale.zip", make_zip([Entry(name, b"x", made_by=MADE_BY_FAT,
                                         extra=unicode_name(name, "other.txt", crc=1))]))
    same(box.names("good.zip"), ["übung ☃.txt"])
    same(box.names("stale.zip", "--encoding", "CP850"), ["übung.txt"])


@case("E06 central name broken, local name good: listed, extracted, no invalid crash")
def central_name_broken(box):
    box.put("a.zip", make_zip([Entry("gut-é.txt".encode(), b"x", flags=UNICODE,
                                     central_name=b"\xff\xfe\x81\x90\x9d.txt")]))
    entries = box.entries("a.zip")
    same(len(entries), 1)
    box.run("extract", "-C", "out", "a.zip", "--index", "0")
    same(len(box.tree("out")), 1, "files")


@case("E07 UTF-8 without the mark")
def unmarked_utf8(box):
    box.put("a.zip", make_zip([Entry("naïve/Größe.txt".encode(), b"x", made_by=MADE_BY_FAT)]))
    same(box.names("a.zip"), ["naïve/Größe.txt"])


@case("E08 composed, decomposed and Latin-1 stay three files")
def three_cafes(box):
    names = [b"caf\xc3\xa9.txt", b"cafe\xcc\x81.txt", b"caf\xe9.txt"]
    box.put("a.zip", make_zip([Entry(name, str(i).encode()) for i, name in enumerate(names)]))
    paths = box.names("a.zip")
    same(len(set(paths)), 3, "different names")
    box.run("extract", "-C", "out", "a.zip")
    same(len(box.tree("out")), 3, "files")
    for number, path in enumerate(paths):
        box.run("cat", "a.zip", path, out=str(number).encode())
        box.run("cat", "a.zip", "--index", str(number), out=str(number).encode())


@case("bytes that no charset explains: %XX and raw; every entry can be named and reached")
def undecodable(box):
    box.put("a.zip", make_zip([Entry(b"a\xff\xfeb", b"1", flags=UNICODE), Entry(b"a%FF%FEb", b"2")]))
    entries = box.entries("a.zip")
    same(entries[0]["raw"], "61fffe62")
    check("raw" not in entries[1], entries[1])
    check("%FF" in entries[0]["path"].upper(), entries[0])
    box.run("cat", "a.zip", "--index", "0", out=b"1")
    box.run("cat", "a.zip", "--index", "1", out=b"2")
    box.run("extract", "-C", "out", "a.zip", "--index", "0")
    check(box.has(b"out/a\xff\xfeb"), box.tree("out"))


@case("X11 newline, brackets, dash, dollar, hash, percent: no shell, no patterns")
def awkward(box):
    names = [b"a\nb.txt", b"-rf", b"[x].txt", b"$(touch pwned).txt", b"a #b", b"100%.txt", b"*", b"q?", b" lead",
             b"trail ", b"'q'", b"`id`", b"~", b"a;b", b"{x,y}"]
    box.put("a.zip", make_zip([Entry(name, name) for name in names] + [Entry(b"x.txt", b"decoy")]))
    same(box.names("a.zip")[:-1], [name.decode() for name in names])
    box.run("extract", "-C", "out", "a.zip", err=[])
    for name in names:
        same(box.read(b"out/" + name), name)
    box.run("extract", "-C", "one", "a.zip", "--", "-rf", "*", "[x].txt", err=[])
    same(box.tree("one"), ["*", "-rf", "[x].txt"])
    check(not box.has("pwned"), "a name was run")


@case("control characters of names never reach the terminal")
def terminal(box):
    box.put("a.zip", make_zip([Entry(b"\x1b]0;owned\x07\r\n.txt", b"x", crc=1)]))
    box.run("extract", "-C", "out", "a.zip", exit=3, err=[r"owned"])
    box.run("extract", "a.zip", "\x1b[31m", exit=3, err=[r"no such entry"])
    box.run("list", "\x1b[31m.zip", exit=3)


@case("a name of 255 bytes fits, one of 256 is refused by name and the rest goes on")
def long_names(box):
    box.put("a.zip", make_zip([Entry(b"n" * 255, b"1"), Entry(b"m" * 256, b"2"), Entry(b"d/" * 2500 + b"f", b"3"),
                               Entry(b"ok", b"4")]))
    entries = box.entries("a.zip")
    same([entry.get("unsafe") for entry in entries], [None, "too-long", "too-long", None])
    box.run("extract", "-C", "out", "a.zip", exit=1, err=[r"^m{200}", r"^d/d/"])
    same(box.tree("out"), ["n" * 255, "ok"])
