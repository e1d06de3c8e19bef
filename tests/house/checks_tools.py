# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What other programs judge better: desktop file, metainfo, settings schema, man pages,
translations, interface files. A check whose program is not installed says so and is skipped."""

import os
import re
import shutil
import subprocess

APP_ID = "io.github.holdall.Holdall"

# What a person reads or hears in an interface file, where it is not marked for translation.
SHOWN_TEXT = re.compile(
    r"<(?:property|attribute) name=\"(?:label|title|tooltip-text|subtitle|description|heading|body"
    r"|placeholder-text|help-text|value-text)\">([^<]+)<|<item>([^<]+)</item>")


class Skip(Exception):
    """The check cannot be made here; the text says why."""


def run(*command):
    """The exit status and all that the command says."""
    if shutil.which(command[0]) is None:
        raise Skip(command[0] + " is not installed")
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            stdin=subprocess.DEVNULL, text=True, check=False,
                            env={**os.environ, "LC_ALL": "C.UTF-8"})
    return answer.returncode, answer.stdout.strip()


def data_file(tree, build, name):
    """A generated file of data/: from the build folder, or the tree itself (the self-test)."""
    for folder in (build, tree.root):
        if folder and os.path.exists(os.path.join(folder, "data", name)):
            return os.path.join(folder, "data", name)
    raise Skip(f"data/{name} was not built")


def complaints_desktop(tree, build):
    path = data_file(tree, build, APP_ID + ".desktop")
    status, words = run("desktop-file-validate", "--no-hints", path)
    if status != 0 or words:
        yield words
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "application/zip;" not in text:
        yield f"{path}: does not open application/zip"
    if "@" in text:
        yield f"{path}: a placeholder was not filled"


def complaints_metainfo(tree, build):
    path = data_file(tree, build, APP_ID + ".metainfo.xml")
    status, words = run("appstreamcli", "validate", "--no-net", "--explain", path)
    if status != 0:
        yield words


def complaints_schema(tree, _build):
    if not tree.has(f"data/{APP_ID}.gschema.xml"):
        yield "the settings schema is missing"
        return
    status, words = run("glib-compile-schemas", "--strict", "--dry-run", tree.full("data"))
    if status != 0 or words:
        yield words


def complaints_icons(tree, _build):
    """The icon exists in both forms, and both are well-formed SVG of the right size."""
    for folder, name, size in (("scalable", APP_ID, 128), ("symbolic", APP_ID + "-symbolic", 16)):
        path = f"data/icons/hicolor/{folder}/apps/{name}.svg"
        if not tree.has(path):
            yield f"{path} is missing"
        elif f'viewBox="0 0 {size} {size}"' not in tree.text(path):
            yield f"{path}: not drawn on {size} by {size}"


def complaints_man(tree, _build):
    pages = list(tree.files("docs/", ".1"))
    if not pages:
        yield "there are no man pages"
    for page in pages:
        _, words = run("mandoc", "-T", "lint", "-W", "style", tree.full(page))
        for line in words.split("\n"):
            # Whether the pages it refers to are installed is no matter of ours.
            if line and "mandoc.db" not in line and "referenced manual not found" not in line:
                yield line.replace(tree.root + "/", "")


def complaints_po(tree, _build):
    languages = tree.text("po/LINGUAS").split("\n") if tree.has("po/LINGUAS") else []
    languages = [line.strip() for line in languages if line.strip() and not line.startswith("#")]
    for path in tree.files("po/", ".po"):
        if os.path.basename(path)[:-3] not in languages:
            yield f"{path}: not listed in po/LINGUAS"
        status, words = run("msgfmt", "--check", "-o", os.devnull, tree.full(path))
        if status != 0:
            yield words
    for language in languages:
        if not tree.has(f"po/{language}.po"):
            yield f"po/LINGUAS: po/{language}.po is missing"


def complaints_ui(tree, _build):
    """Interface files are well-formed and have nothing that GTK 4 would drop."""
    for path in tree.files("src/", ".ui"):
        text = tree.text(path)
        if "<interface" not in text:
            yield f"{path}: no <interface>"
        if re.search(r"<requires lib=\"gtk\+\"", text):
            yield f"{path}: written for GTK 3"
        for match in SHOWN_TEXT.finditer(text):
            words = match.group(1) or match.group(2)
            if re.search(r"[A-Za-z]{3}", words):
                yield f"{path}: \"{words}\" is not translatable"
