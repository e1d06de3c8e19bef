# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What a move costs: all out of an archive, and one entry of many, beside what people do without it."""

import json
import os
import shlex
import subprocess


def script(bench, name, lines):
    """A command of several steps, as a file, because hyperfine is told to start no shell."""
    path = os.path.join(bench.work, name + ".sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write("set -e\n" + "\n".join(lines) + "\n")
    return ["sh", path]


def top_items(bench, archive):
    lines = subprocess.run([bench.cli, "list", "--json", archive], stdout=subprocess.PIPE, check=True).stdout
    return sorted({json.loads(line)["path"].split("/")[0] for line in lines.decode().splitlines()})


def measure(bench, seven):
    copy, out = os.path.join(bench.work, "moved.zip"), os.path.join(bench.work, "out")
    for kind, title in (("large", "Move everything out: 20,000 streamed entries, 270 MB"),
                        ("small", "Move everything out: 300 streamed entries, 17 MB")):
        archive = bench.archive(kind)
        q_archive, q_copy, q_out, q_cli = map(shlex.quote, (archive, copy, out, bench.cli))
        prepare = script(bench, "prepare", [f"rm -rf {q_out} {q_copy}", f"mkdir {q_out}",
                                            f"cp {q_archive} {q_copy}", f"sync -f {q_out}"])
        medians = bench.compare(title, {
            "holdall-cli move": [bench.cli, "move", "--quiet", "-C", out, copy, *top_items(bench, archive)],
            "holdall-cli extract, sync": script(bench, "extract", [
                f"{q_cli} extract --quiet -C {q_out} {q_copy}", f"sync -f {q_out}"]),
            "7zz x, sync, 7zz d": script(bench, "seven", [
                f"{seven} x -bd -bso0 -y -o{q_out} {q_copy}", f"sync -f {q_out}",
                f"{seven} d -bd -bso0 {q_copy} '*'"]),
        }, prepare=" ".join(prepare))
        own, other = medians["holdall-cli extract, sync"], medians.get("7zz x, sync, 7zz d")
        move = medians["holdall-cli move"]
        bench.verdict(move <= 1.15 * own, f"{kind}: a move takes {move / own:.2f} × Holdall's own extraction"
                                          " with sync (bound 1.15)")
        if other:
            bench.verdict(move <= 0.6 * other, f"{kind}: a move takes {move / other:.2f} × the time of"
                                               " 7zz x, sync, 7zz d (bound 0.60)")

    archive = bench.archive("large")
    q_archive, q_copy = shlex.quote(archive), shlex.quote(copy)
    prepare = script(bench, "prepare", [f"rm -rf {q_out} {q_copy}", f"mkdir {q_out}",
                                        f"cp {q_archive} {q_copy}", f"sync -f {q_out}"])
    one = subprocess.run([bench.cli, "list", "--json", archive], stdout=subprocess.PIPE, check=True).stdout
    one = json.loads(one.decode().splitlines()[10_000])["path"]
    medians = bench.compare("Move 1 of 20,000 entries out, 270 MB", {
        "holdall-cli move": [bench.cli, "move", "--quiet", "-C", out, copy, one],
        "cp, sync": script(bench, "cp", [f"cp {q_archive} {q_copy}.2", f"sync {q_copy}.2"]),
        "zip -d, sync": script(bench, "zip", [f"zip -q -d {q_copy} {shlex.quote(one)}", f"sync {q_copy}"]),
    }, prepare=" ".join(prepare))
    move = medians["holdall-cli move"]
    bench.verdict(move <= 1.3 * medians["cp, sync"],
                  f"moving 1 of 20,000 takes {move / medians['cp, sync']:.2f} × cp and sync (bound 1.30)")
    if "zip -d, sync" in medians:
        bench.verdict(move <= 1.2 * medians["zip -d, sync"],
                      f"moving 1 of 20,000 takes {move / medians['zip -d, sync']:.2f} × zip -d and sync (bound 1.20)")
    for path in (copy, copy + ".2"):
        if os.path.exists(path):
            os.remove(path)
    subprocess.run(["rm", "-rf", out], check=True)
