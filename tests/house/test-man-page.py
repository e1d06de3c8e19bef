#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The man page of holdall-cli and its --help name the same verbs and options, in TAP.

    tests/house/test-man-page.py MAN-PAGE HOLDALL-CLI
"""

import re
import subprocess
import sys


def helped(program, *arguments):
    answer = subprocess.run([program, *arguments, "--help"], stdout=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, text=True, encoding="utf-8", check=True)
    return answer.stdout


def report(number, name, missing):
    for word in missing:
        print("# " + word)
    print(("not ok" if missing else "ok") + f" {number} {name}", flush=True)
    return bool(missing)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    program = sys.argv[2]
    listed = helped(program).partition("Verbs:")[2].partition("\n\n")[0]
    verbs = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)
    options = set()
    for verb in verbs:
        text = helped(program, verb).partition("\nOptions:")[2].partition("\n\n")[0]
        options |= set(re.findall(r"^\s+(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))
    described = set(re.findall(r"^\.It Cm ([a-z]+)$", page, re.MULTILINE))
    named = {"--" + word for word in re.findall(r"Fl -([a-z-]+)", page)}
    print("1..4")
    failed = report(1, "the help names verbs and options",
                    [] if len(verbs) > 3 and "--json" in options else ["it names none"])
    failed |= report(2, "the page describes every verb", sorted(set(verbs) - described))
    failed |= report(3, "the page describes no other verb", sorted(described - set(verbs)))
    failed |= report(4, "the page and the help name the same options", sorted(options ^ named))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
