# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Taking files out: nothing outside the target, nothing of the person's lost, all of it told."""

import io
import os
import tarfile

from harness import NOBODY, Failure, Skip, case, check, need, need_root, same, seven_zip
from zipmaker import Entry, extended_time, folder, make_zip, symlink


def make_tar(members, compress=""):
    """@members: name, then bytes for a file, None for a folder, or a dict of TarInfo fields."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:" + compress, format=tarfile.PAX_FORMAT) as archive:
        for name, content, *fields in members:
            info = tarfile.TarInfo(name)
            info.mtime = 1000000000
            info.mode = 0o644
            if content is None:
                info.type = tarfile.DIRTYPE
                info.mode = 0o755
            for key, value in (fields[0] if fields else {}).items():
                setattr(info, key, value)
            info.size = len(content or b"")
            archive.addfile(info, io.BytesIO(content or b""))
    return data.getvalue()


def link(name, target, kind=tarfile.SYMTYPE):
    return (name, b"", {"type": kind, "linkname": target})


@case("S01 names that leave the folder: refused by name, the rest extracted")
def traversal(box):
    box.put("a.zip", make_zip([Entry(b"../evil.txt", b"x"), Entry(b"/abs.txt", b"x"), Entry(b"d/../../e2", b"x"),
                               Entry(b"ok.txt", b"fine")]))
    box.put("a.tar", make_tar([("../evil.txt", b"x"), ("/abs.txt", b"x"), ("d/../../e2", b"x"), ("ok.txt", b"fine")]))
    for archive in ("a.zip", "a.tar"):
        unsafe = [entry.get("unsafe") for entry in box.entries(archive)]
        same(unsafe, ["dotdot", "absolute", "dotdot", None])
        target = "in/" + archive + ".out"
        box.run("extract", "-C", target, archive, exit=1, err=[r"^\.\./evil\.txt: ", r"e2: "])
        same(box.read(target + "/ok.txt"), b"fine")
        check(not os.path.exists("/abs.txt"), "wrote /abs.txt")
        check(set(box.tree(target)) <= {"ok.txt", "abs.txt"}, box.tree(target))
    same(box.tree("in")[0], "a.tar.out/")
    check("evil.txt" not in box.tree("in") and "e2" not in box.tree("in"), box.tree("in"))


@case("S02 a link of the archive, then a file 'inside' it")
def link_then_inside(box):
    os.mkdir(box.path("precious"))
    outside = os.fsdecode(box.path("precious"))
    box.put("a.tar", make_tar([link("l", outside), ("l/pwn", b"x"), ("ok", b"1")]))
    box.put("a.zip", make_zip([symlink(b"l", outside.encode()), Entry(b"l/pwn", b"x"), Entry(b"ok", b"1")]))
    box.put("rel.tar", make_tar([("real", None), link("l", "real"), ("l/pwn", b"x"), link("l2", "l/../.."),
                                 ("l2/precious/pwn", b"x"), ("ok", b"1")]))
    # A link that leads out is refused, so that its name may become a real folder.
    for archive, told in (("a.tar", r"^l: "), ("a.zip", r"^l: "), ("rel.tar", r"^l2: ")):
        box.run("extract", "-C", "out", archive, exit=1, err=[told])
        same(box.tree("precious"), [], archive)
        same(box.read("out/ok"), b"1")
        box.tool("rm", "-rf", "out")


@case("S02 the person's own link stands where the archive has a folder")
def own_link_in_the_way(box):
    os.mkdir(box.path("precious"))
    os.mkdir(box.path("out"))
    os.symlink("../precious", box.path("out/d"))
    box.put("a.zip", make_zip([Entry(b"d/f", b"x"), Entry(b"g", b"y")]))
    for policy in ("skip", "overwrite", "newer"):
        box.run("extract", "-C", "out", "--conflict", policy, "a.zip", exit=1, err=[r"^d"])
        same(box.tree("precious"), [])
        os.remove(box.path("out/g"))
    # Beside the link, then.
    box.run("extract", "-C", "out", "--conflict", "rename", "a.zip")
    same(box.tree("precious"), [])
    same(box.tree("out"), ["d (2)/", "d (2)/f", "d -> ../precious", "g"])


@case("S04 the target itself is a link, or lies behind one")
def target_link(box):
    os.makedirs(box.path("real/deep"))
    os.symlink("real", box.path("dest"))
    box.put("a.tar", make_tar([("f", b"x")]))
    box.run("extract", "-C", "dest", "a.tar", err=[])
    box.run("extract", "-C", "dest/deep", "a.tar", err=[])
    same(box.tree("real"), ["deep/", "deep/f", "f"])


@case("S06 P10 a failed extraction leaves what was there, and nothing else")
def failure_leaves(box):
    box.put("f", b"secret" * 100)
    box.tool(seven_zip(), "a", "-tzip", "-ptrue", "enc.zip", "f")
    box.put("wrong", b"false\n")
    box.put("right", b"true\nsecond line")
    box.put("out/keep.txt", b"mine")
    box.run("extract", "-C", "out", "enc.zip", exit=4, err=[r"password"])
    box.run("extract", "-C", "out", "--password-file", "wrong", "enc.zip", exit=4, err=[r"password"])
    same(box.tree("out"), ["keep.txt"])
    box.run("extract", "-C", "out", "--password-file", "wrong", "--password-file", "right", "enc.zip", err=[])
    same((box.read("out/f"), box.read("out/keep.txt")), (b"secret" * 100, b"mine"))


@case("passwords: ZipCrypto and AES, each tried, from standard input too; never needed for the list")
def passwords(box):
    box.put("f", b"secret")
    for method in ("ZipCrypto", "AES128", "AES256"):
        archive = method + ".zip"
        box.tool(seven_zip(), "a", "-tzip", "-mem=" + method, "-pge heim", archive, "f")
        same(box.entries(archive)[0]["encrypted"], True)
        box.run("cat", archive, "f", exit=4, out=b"", err=[r"password"])
        box.run("cat", archive, "f", "--password-file", "-", data=b"wrong\n", exit=4, out=b"", err=[r"password"])
        box.run("cat", archive, "f", "--password-file", "-", data=b"ge heim\r\n", out=b"secret", err=[])
        box.run("test", archive, "--password-file", "-", "--password-file", "-", data=b"a\nge heim")
        box.run("test", archive, exit=4)


@case("S07 links that leave the archive are refused or named, others made")
def escaping_links(box):
    box.put("a.tar", make_tar([link("etc", "/etc/passwd"), link("up", "../../x"), link("in", "ok"), ("ok", b"1")]))
    same([entry.get("unsafe") for entry in box.entries("a.tar")], ["link-escape", "link-escape", None, None])
    box.run("extract", "-C", "out", "a.tar", exit=1, err=[r"^etc: ", r"^up: "])
    same(box.tree("out"), ["in -> ok", "ok"])


@case("setuid and owners are dropped, exec bits kept (X08)")
def modes(box):
    box.put("a.zip", make_zip([Entry(b"script", b"#!", mode=0o100755), Entry(b"plain", b"", mode=0o100600)]))
    box.put("a.tar", make_tar([("suid", b"x", {"mode": 0o4755, "uid": 4242, "gid": 4242}),
                               ("sgid", None, {"mode": 0o2775})]))
    box.run("extract", "-C", "out", "a.zip", err=[])
    box.run("extract", "-C", "out", "a.tar")
    same([box.mode("out/" + name) for name in ("script", "plain", "suid", "sgid")], [0o755, 0o600, 0o755, 0o755])
    same(os.stat(box.path("out/suid")).st_uid, os.getuid())


@case("X06 X07 folder times last; folders that were there are left alone")
def folders(box):
    box.put("a.tar", make_tar([("./", None, {"mode": 0o700}), ("d", None, {"mode": 0o555}), ("d/f", b"x"),
                               ("mine", None, {"mode": 0o700}), ("mine/g", b"y")]))
    os.makedirs(box.path("out/mine"))
    os.chmod(box.path("out"), 0o751)
    os.chmod(box.path("out/mine"), 0o750)
    box.run("extract", "-C", "out", "a.tar", err=[])
    same([box.mode("out"), box.mode("out/mine"), box.mode("out/d")], [0o751, 0o750, 0o555])
    same(os.stat(box.path("out/d")).st_mtime, 1000000000)
    check(os.stat(box.path("out/mine")).st_mtime > 1500000000, "time of an existing folder was changed")


@case("X03 conflict policies")
def conflicts(box):
    box.put("a.zip", make_zip([Entry(b"old", b"new", extra=extended_time(1000000000)),
                               Entry(b"recent", b"new", extra=extended_time(2000000000))]))

    def reset():
        box.tool("rm", "-rf", "out")
        for name in ("old", "recent"):
            os.utime(box.put("out/" + name, b"mine"), (1500000000, 1500000000))

    reset()
    box.run("extract", "-C", "out", "a.zip", exit=1, err=[r"^old: skipped", r"^recent: skipped"])
    same((box.read("out/old"), box.read("out/recent")), (b"mine", b"mine"))
    box.run("extract", "-C", "out", "--conflict", "overwrite", "a.zip", err=[])
    same((box.read("out/old"), box.read("out/recent")), (b"new", b"new"))
    reset()
    box.run("extract", "-C", "out", "--conflict", "newer", "a.zip", exit=1, err=[r"^old: skipped"])
    same((box.read("out/old"), box.read("out/recent")), (b"mine", b"new"))
    reset()
    box.run("extract", "-C", "out", "--conflict", "rename", "a.zip")
    same(box.tree("out"), ["old", "old (2)", "recent", "recent (2)"])
    same((box.read("out/old"), box.read("out/old (2)")), (b"mine", b"new"))


@case("overwriting a link replaces the link, a hard link keeps its other name")
def overwrite_links(box):
    box.put("precious", b"precious")
    os.mkdir(box.path("out"))
    os.symlink("../precious", box.path("out/s"))
    os.link(box.path("precious"), box.path("out/h"))
    box.put("a.zip", make_zip([Entry(b"s", b"new"), Entry(b"h", b"new")]))
    box.run("extract", "-C", "out", "--conflict", "overwrite", "a.zip", err=[])
    same((box.read("precious"), box.read("out/s"), box.read("out/h")), (b"precious", b"new", b"new"))
    check(not os.path.islink(box.path("out/s")), "still a link")


@case("X09 X10 a folder where a file goes, a file where a folder goes: told, the rest goes on")
def in_the_way(box):
    box.put("out/name/inside", b"mine")
    box.put("out/p", b"mine")
    box.put("a.zip", make_zip([Entry(b"name", b"x"), Entry(b"p/q", b"x"), Entry(b"ok", b"1")]))
    for policy in ("skip", "overwrite"):
        box.run("extract", "-C", "out", "--conflict", policy, "a.zip", exit=1, err=[r"^name: ", r"^p"])
        same((box.read("out/name/inside"), box.read("out/p"), box.read("out/ok")), (b"mine", b"mine", b"1"))
        os.remove(box.path("out/ok"))


@case("X10 a folder that an ordinary person may not write")
def unwritable(box):
    need_root()
    box.put("a.zip", make_zip([Entry(b"shut/f", b"x"), Entry(b"ok", b"1")]), mode=0o644)
    os.makedirs(box.path("out/shut"))
    os.chown(box.path("out"), NOBODY, NOBODY)
    os.chmod(box.path("out/shut"), 0o755)
    box.run("extract", "-C", "out", "a.zip", exit=1, err=[r"^shut/f: .*(?i:permission)"], as_nobody=True)
    same(box.tree("out"), ["ok", "shut/"])
    box.run("extract", "-C", "shut2", "a.zip", exit=3, err=[r"(?i)permission"], as_nobody=True)


@case("a read-only folder of the archive gets its children first, for an ordinary person too")
def read_only_folder(box):
    need_root()
    box.put("a.tar", make_tar([("d", None, {"mode": 0o555}), ("d/e", None, {"mode": 0o500}), ("d/e/f", b"x")]), mode=0o644)
    os.mkdir(box.path("out"))
    os.chown(box.path("out"), NOBODY, NOBODY)
    box.run("extract", "-C", "out", "a.tar", err=[], as_nobody=True)
    same((box.mode("out/d"), box.mode("out/d/e"), box.read("out/d/e/f")), (0o555, 0o500, b"x"))


@case("G07 everything is there already: skipped at once, all of it named")
def nothing_to_do(box):
    box.put("a.zip", make_zip([Entry(b"f%d" % number, b"x") for number in range(50)]))
    box.run("extract", "-C", "out", "a.zip", err=[])
    result = box.run("extract", "-C", "out", "a.zip", exit=1)
    same(len(result.err.splitlines()), 50)
    # Folders that exist are no conflict.
    box.put("d.zip", make_zip([folder(b"d/"), folder(b"d/e/")]))
    for _ in range(2):
        box.run("extract", "-C", "folders", "d.zip", err=[])


@case("F21 an archive without suffix that holds a file of its own name")
def own_name(box):
    box.put("f", make_zip([Entry(b"f", b"inside")]))
    before = box.read("f")
    box.run("extract", "f", exit=1, err=[r"^f: skipped"])
    same(box.read("f"), before)
    box.run("extract", "-C", "out", "f", err=[])
    same(box.read("out/f"), b"inside")


@case("umask is obeyed")
def obey_umask(box):
    box.put("a.zip", make_zip([folder(b"d/", mode=0o40777), Entry(b"d/f", b"x", mode=0o100777)]))
    old = os.umask(0o027)
    try:
        box.run("extract", "-C", "out", "a.zip", err=[])
    finally:
        os.umask(old)
    same((box.mode("out/d"), box.mode("out/d/f")), (0o750, 0o750))


@case("more folders than are kept open, in turn: 4,000 small files in 400 folders")
def many_folders(box):
    box.put("a.zip", make_zip([Entry(b"d%d/f%d" % (number % 400, number), b"%d" % number, method=8)
                               for number in range(4000)]))
    box.run("extract", "-C", "out", "a.zip", err=[])
    for number in range(4000):
        same(box.read(f"out/d{number % 400}/f{number}"), b"%d" % number)
    same(len(box.tree("out")), 4400)


@case("Z20 names that differ in case only, on a disk that does not tell them apart")
def case_insensitive(box):
    need_root()
    need("mkfs.ext4", "chattr")
    with open(box.path("disk"), "wb") as file:
        file.truncate(8_000_000)
    box.tool("mkfs.ext4", "-q", "-O", "casefold", "disk")
    os.mkdir(box.path("mnt"))
    try:
        box.tool("mount", "-o", "loop", "disk", "mnt")
    except Failure:
        raise Skip("no disk that folds case can be mounted here") from None
    try:
        os.mkdir(box.path("mnt/out"))
        box.tool("chattr", "+F", "mnt/out")
        box.put("a.zip", make_zip([Entry(b"A.txt", b"upper"), Entry(b"a.txt", b"lower"), Entry(b"B/x", b"1"),
                                   Entry(b"b/y", b"2")]))
        for target, policy, status in (("s", "skip", 1), ("r", "rename", 0)):
            box.run("extract", "-C", "mnt/out/" + target, "--conflict", policy, "a.zip", exit=status)
            # Which of the two comes first is up to the threads.
            check(box.read(f"mnt/out/{target}/A.txt") in (b"upper", b"lower"), target)
            same((box.read(f"mnt/out/{target}/B/x"), box.read(f"mnt/out/{target}/B/y")), (b"1", b"2"))
        same(len(box.tree("mnt/out/r")), 5)
    finally:
        box.tool("umount", "mnt")
