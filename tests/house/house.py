#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Tests that hold for the source tree itself, in TAP.

    tests/house/house.py SOURCE-FOLDER [BUILD-FOLDER]

Every check runs twice: on the checkout, where it must find nothing, and on a small tree with one
fault, where it must find it. So no check can rot into one that always agrees.
"""

import os
import sys
import tempfile

import checks_files
import checks_flatpak
import checks_layers
import checks_po
import checks_tools
from bad_trees import BAD, GOOD
from tree import Tree

# Name, check, whether it wants the build folder too.
CHECKS = [
    ("layers: zip", checks_layers.complaints_zip, False),
    ("layers: engine", checks_layers.complaints_engine, False),
    ("layers: cli and app", checks_layers.complaints_front, False),
    ("layers: rooms of the app", checks_layers.complaints_rooms, False),
    ("layers: the main thread asks no disk", checks_layers.complaints_disk, False),
    ("layers: guards in headers", checks_layers.complaints_guards, False),
    ("files: licence and reason", checks_files.complaints_header, False),
    ("files: size", checks_files.complaints_size, False),
    ("files: no goto", checks_files.complaints_goto, False),
    ("files: white space and columns", checks_files.complaints_white, False),
    ("files: no paths of one machine", checks_files.complaints_machine, False),
    ("files: scripts parse", checks_files.complaints_scripts, False),
    ("files: all in the build", checks_files.complaints_build, False),
    ("files: POTFILES", checks_files.complaints_potfiles, False),
    ("files: DESIGN.md", checks_files.complaints_design, False),
    ("tools: desktop file", checks_tools.complaints_desktop, True),
    ("tools: metainfo", checks_tools.complaints_metainfo, True),
    ("tools: settings schema", checks_tools.complaints_schema, True),
    ("tools: icons", checks_tools.complaints_icons, True),
    ("tools: man pages", checks_tools.complaints_man, True),
    ("tools: translations", checks_tools.complaints_po, True),
    ("tools: interface files", checks_tools.complaints_ui, True),
    ("translations: complete", checks_po.complaints_complete, True),
    ("translations: the engine", checks_po.complaints_engine, True),
    ("translations: literals", checks_po.complaints_literals, True),
    ("flatpak: manifests", checks_flatpak.complaints_manifests, True),
]
MAX_SHOWN = 60


def ask(check, wants_build, tree, build):
    return list(check(tree, build) if wants_build else check(tree))


def write_tree(folder, files):
    for path, content in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(content)


class Tap:
    def __init__(self, n_planned):
        self.number = 0
        self.n_failed = 0
        print(f"1..{n_planned}", flush=True)

    def report(self, good, name, notes=(), skip=None):
        self.number += 1
        self.n_failed += not good
        for note in notes:
            for line in str(note).split("\n"):
                print("# " + line)
        print(("ok" if good else "not ok") + f" {self.number} {name}"
              + (f" # SKIP {skip}" if skip else ""), flush=True)


def check_checkout(tap, tree, build):
    for name, check, wants_build in CHECKS:
        try:
            complaints = ask(check, wants_build, tree, build)
        except checks_tools.Skip as reason:
            tap.report(True, name, skip=reason)
            continue
        shown = complaints[:MAX_SHOWN]
        if len(complaints) > MAX_SHOWN:
            shown.append(f"… and {len(complaints) - MAX_SHOWN} more")
        tap.report(not complaints, name, shown)


def check_the_checks(tap):
    """One tree without faults, then each of its faulty variants."""
    with tempfile.TemporaryDirectory(prefix="holdall-house-") as folder:
        write_tree(folder, GOOD)
        complaints = []
        for name, check, wants_build in CHECKS:
            try:
                complaints += [f"{name}: {words}"
                               for words in ask(check, wants_build, Tree(folder), None)]
            except checks_tools.Skip:
                pass
        tap.report(not complaints, "self-test: a good tree passes", complaints)
    by_name = {name: (check, wants_build) for name, check, wants_build in CHECKS}
    for fault, name, changes, word in BAD:
        check, wants_build = by_name[name]
        with tempfile.TemporaryDirectory(prefix="holdall-house-") as folder:
            files = {**GOOD, **changes}
            write_tree(folder, {path: text for path, text in files.items() if text is not None})
            try:
                complaints = ask(check, wants_build, Tree(folder), None)
            except checks_tools.Skip as reason:
                tap.report(True, f"self-test: {name} finds {fault}", skip=reason)
                continue
            found = any(word in str(complaint) for complaint in complaints)
            tap.report(found, f"self-test: {name} finds {fault}", [] if found else complaints)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    source = os.path.abspath(sys.argv[1])
    build = os.path.abspath(sys.argv[2]) if len(sys.argv) == 3 else None
    tested = {name for _, name, _, _ in BAD}
    untested = [name for name, _, _ in CHECKS if name not in tested]
    tap = Tap(len(CHECKS) + len(BAD) + 2)
    check_checkout(tap, Tree(source), build)
    tap.report(not untested, "self-test: every check has a fault to find", untested)
    check_the_checks(tap)
    return 1 if tap.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
