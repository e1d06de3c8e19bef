#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Installs what is built below a folder (DESTDIR), looks at what is there, uninstalls it, in TAP.

    tests/house/test-install.py BUILD-FOLDER

That the installed program works is tested by tests/app/test-desktop.py.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

APP_ID = "io.github.holdall.Holdall"

# Below the prefix.
WANTED = [
    "bin/holdall-cli",
    "share/man/man1/holdall-cli.1",
    "share/bash-completion/completions/holdall-cli",
    "share/zsh/site-functions/_holdall-cli",
    "share/fish/vendor_completions.d/holdall-cli.fish",
]
WANTED_WITH_APP = [
    "bin/holdall",
    f"share/applications/{APP_ID}.desktop",
    f"share/metainfo/{APP_ID}.metainfo.xml",
    f"share/dbus-1/services/{APP_ID}.service",
    f"share/glib-2.0/schemas/{APP_ID}.gschema.xml",
    f"share/icons/hicolor/scalable/apps/{APP_ID}.svg",
    f"share/icons/hicolor/symbolic/apps/{APP_ID}-symbolic.svg",
    f"share/mime/packages/{APP_ID}.xml",
    "share/man/man1/holdall.1",
    "share/kio/servicemenus/holdall-extract.desktop",
    "share/nemo/actions/holdall-extract-here.nemo_action",
    "share/Thunar/sendto/thunar-sendto-holdall.desktop",
    f"libexec/thunar-archive-plugin/{APP_ID}.tap",
]


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, check=False)


def options(build):
    answer = subprocess.run(["meson", "introspect", build, "--buildoptions"], check=True,
                            stdout=subprocess.PIPE)
    return {option["name"]: option["value"] for option in json.loads(answer.stdout)}


def files_below(folder):
    return [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names]


def languages(source):
    with open(os.path.join(source, "po", "LINGUAS"), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def missing_files(root, with_app):
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    wanted = WANTED + (WANTED_WITH_APP if with_app else [])
    if with_app:
        wanted += [f"share/locale/{name}/LC_MESSAGES/holdall.mo" for name in languages(source)]
    return ["missing: " + path for path in wanted if not os.path.exists(os.path.join(root, path))]


def wrong_paths(root, build):
    """Nothing that is installed points into the build folder."""
    complaints = []
    for path in files_below(os.path.join(root, "share")):
        with open(path, "rb") as file:
            if os.fsencode(build) in file.read():
                complaints.append(f"{path} names the build folder")
    return complaints


def wrong_commands(root, prefix):
    """What desktop and bus call is there: by its name in the prefix or by its path."""
    complaints = []
    for path in files_below(os.path.join(root, "share")):
        if not path.endswith((".desktop", ".service", ".nemo_action")):
            continue
        with open(path, encoding="utf-8") as file:
            for command in re.findall(r"^Exec=(\S+)", file.read(), re.MULTILINE):
                name = command[len(prefix) + len("/bin/"):] if command.startswith(prefix) else command
                if name != "gapplication" and not os.path.exists(os.path.join(root, "bin", name)):
                    complaints.append(f"{path}: {command} is not installed")
    return complaints


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    stage = tempfile.mkdtemp(prefix="holdall-install-")
    settings = options(build)
    prefix = settings["prefix"]
    with_app = settings["app"] != "disabled"
    root = stage + prefix
    n_failed = 0
    print("1..5")

    def report(number, name, notes):
        for note in notes:
            print("# " + note.replace("\n", "\n# "))
        print(("not ok" if notes else "ok") + f" {number} {name}", flush=True)
        return bool(notes)

    try:
        answer = run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage)
        n_failed += report(1, "installs below DESTDIR", [answer.stdout] if answer.returncode else [])
        n_failed += report(2, "everything is there", missing_files(root, with_app))
        n_failed += report(3, "no path of the build folder", wrong_paths(root, build))
        n_failed += report(4, "what is called is there", wrong_commands(root, prefix))
        answer = run("ninja", "-C", build, "uninstall")
        left = ["left: " + path for path in files_below(stage)]
        n_failed += report(5, "uninstalling leaves no file",
                           left + ([answer.stdout] if answer.returncode else []))
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
