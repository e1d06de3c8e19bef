#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The man pages and --help name the same verbs and options, in TAP.

    tests/house/test-man-page.py MAN-PAGE HOLDALL-CLI [MAN-PAGE-OF-HOLDALL HOLDALL]
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
    if len(sys.argv) not in (3, 5):
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
    print("1..4" if len(sys.argv) == 3 else "1..5")
    failed = report(1, "the help names verbs and options",
                    [] if len(verbs) > 3 and "--json" in options else ["it names none"])
    failed |= report(2, "the page describes every verb", sorted(set(verbs) - described))
    failed |= report(3, "the page describes no other verb", sorted(described - set(verbs)))
    failed |= report(4, "the page and the help name the same options", sorted(options ^ named))
    if len(sys.argv) == 5:
        with open(sys.argv[3], encoding="utf-8") as file:
            named = {"--" + word for word in re.findall(r"Fl -([a-z-]+)", file.read())}
        options = set(re.findall(r"(?:^|, )\s*(--[a-z-]+)", helped(sys.argv[4]), re.MULTILINE))
        # The toolkit's: more kinds of help, and how the bus starts the program.
        options = {word for word in options if not word.startswith("--help-")}
        failed |= report(5, "the page of the program names the options of the program",
                         sorted(options ^ (named - {"--gapplication-service"})))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
