# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What every file owes: a licence and a reason to exist, a bounded size, a place in the build and
in the list of translatable files. Each check yields complaints; none is good."""

import os
import re
import subprocess

from tree import line_of

# Files of more than 1,000 lines, each with the reason why it is not split.
LONG_FILES = {
}
MAX_LINES = 1000
MAX_COLUMNS = 120  # the aim is 100, as .editorconfig says

TEXT = (".c", ".h", ".py", ".ui", ".xml", ".in", ".css", ".build", ".md", ".txt", ".json", ".sh",
        ".1", ".po")
SPDX = "SPDX-License-Identifier:"

# Only what belongs to one machine: examples in texts use /home/you or no path at all.
MACHINE_PATHS = re.compile(r"(?<![\w.$}~])/(work|root|home/(?!(you|me|user)\b)\w+|Users|mnt|build)/\w")


def is_script(tree, path):
    if os.path.islink(tree.full(path)) or "." in os.path.basename(path):
        return path.endswith(".py")
    with open(tree.full(path), "rb") as file:
        return file.read(2) == b"#!"


def scripts(tree):
    return [path for path in tree.paths
            if not path.startswith("tests/fixtures/") and is_script(tree, path)]


def first_comments(text):
    """The comments that open a C file, joined, without their marks."""
    match = re.match(r"\s*((/\*.*?\*/\s*)+)", text, re.DOTALL)
    return re.sub(r"[/*\s]+", " ", match.group(1)) if match else ""


def complaints_header(tree):
    """SPDX first, then why the file exists."""
    for path in tree.paths:
        if path.startswith("tests/fixtures/"):
            continue
        if path.endswith((".c", ".h")):
            text = tree.text(path)
            if SPDX not in text.partition("\n")[0]:
                yield f"{path}: the first line is not the SPDX line"
            words = re.sub(r"SPDX-License-Identifier: \S+|Copyright.*?developers", "",
                           first_comments(text)).split()
            if len(words) < 5:
                yield f"{path}: no comment says why the file exists"
        elif path.endswith((".ui", ".css", ".gresource.xml")) or path in scripts(tree):
            if SPDX not in "\n".join(tree.text(path).split("\n")[:5]):
                yield f"{path}: no SPDX line among the first five"


def complaints_size(tree):
    for path in tree.files("", ".c", ".h", ".py", ".ui"):
        n_lines = tree.text(path).count("\n")
        if n_lines > MAX_LINES and path not in LONG_FILES:
            yield f"{path}: {n_lines} lines; split it, or give a reason in LONG_FILES"
    for path in LONG_FILES:
        if not tree.has(path) or tree.text(path).count("\n") <= MAX_LINES:
            yield f"{path}: stands in LONG_FILES and is not long"


def complaints_goto(tree):
    for path in tree.files("", ".c", ".h"):
        code = tree.code(path)
        for match in re.finditer(r"\bgoto\b", code):
            yield f"{path}:{line_of(code, match.start())}: goto"


def complaints_white(tree):
    for path in tree.paths:
        if path.startswith("tests/fixtures/"):
            continue
        if not (path.endswith(TEXT) or path in scripts(tree)):
            continue
        text = tree.text(path)
        if text and not text.endswith("\n"):
            yield f"{path}: the last line has no end"
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield f"{path}:{number}: white space at the end of the line"
            if path.endswith((".c", ".h", ".py", ".ui")) and "\t" in line:
                yield f"{path}:{number}: a tab"
            # Headers may end a declaration with a remark; code may not hide behind the edge.
            if path.endswith(".c") and len(line) > MAX_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns"


def complaints_machine(tree):
    for path in tree.paths:
        if path.startswith("tests/fixtures/") or path.startswith("tests/house/"):
            continue
        if not (path.endswith(TEXT) or path in scripts(tree)):
            continue
        text = tree.text(path)
        for match in MACHINE_PATHS.finditer(text):
            yield f"{path}:{line_of(text, match.start())}: {match.group(0)}…: a path of one machine"


def complaints_scripts(tree):
    """Scripts parse."""
    for path in scripts(tree):
        first = tree.text(path).partition("\n")[0]
        if "python" in first or path.endswith(".py"):
            try:
                compile(tree.text(path), path, "exec")
            except SyntaxError as error:
                yield f"{path}:{error.lineno}: {error.msg}"
        else:
            shell = "bash" if "bash" in first else "sh"
            answer = subprocess.run([shell, "-n", tree.full(path)], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False)
            if answer.returncode != 0:
                yield f"{path}: {answer.stdout.strip()}"


def nearest_builds(tree, path):
    """The text of the meson.build of the file's folder and of those above it."""
    folder, texts = os.path.dirname(path), []
    while True:
        build = (folder + "/" if folder else "") + "meson.build"
        if tree.has(build):
            texts.append(tree.text(build))
        if not folder:
            return "\n".join(texts)
        folder = os.path.dirname(folder)


def named_in(name, text):
    return re.search(r"(?<![\w.-])" + re.escape(name) + r"(?![\w.-])", text) is not None


def complaints_build(tree):
    """Every C file is built, every .ui file is in a resource bundle, every test runs."""
    for path in tree.files("", ".c"):
        if path.startswith(("src/", "tests/")) and not path.startswith("tests/fixtures/"):
            name = os.path.basename(path)
            build = nearest_builds(tree, path)
            # Lists of tests may leave the beginning and the suffix to a loop.
            stem = re.sub(r"^test-", "", os.path.splitext(name)[0])
            if not named_in(name, build) and f"'{stem}'" not in build:
                yield f"{path}: stands in no meson.build"
    bundles = "\n".join(tree.text(path) for path in tree.files("src/", ".gresource.xml"))
    for path in tree.files("src/", ".ui", ".css"):
        if not named_in(os.path.basename(path), bundles):
            yield f"{path}: stands in no .gresource.xml"
    for path in tree.files("tests/", ".py", ".sh"):
        name = os.path.basename(path)
        if name.startswith("test") and not path.startswith("tests/fixtures/"):
            build = nearest_builds(tree, path)
            stem = re.sub(r"^test-", "", os.path.splitext(name)[0])
            if not named_in(name, build) and f"'{stem}'" not in build:
                yield f"{path}: is a test that nothing runs"


def listed(tree, path):
    return [line.strip() for line in tree.text(path).split("\n")
            if line.strip() and not line.startswith("#")]


def translatable(tree):
    """Files with words for people."""
    marks = re.compile(r"(?<![A-Za-z0-9_])(N?C?_|ngettext|g_dngettext|g_dpgettext2?)\s*\(\s*\"\"")
    for path in tree.paths:
        if not path.startswith(("src/", "data/")):
            continue
        if path.endswith((".c", ".h")):
            if marks.search(tree.code(path)):
                yield path
        elif path.endswith(".ui"):
            if re.search(r"translatable=\"(yes|true|1)\"", tree.text(path)):
                yield path
        elif path.endswith((".desktop.in", ".metainfo.xml.in", ".types.xml.in", ".gschema.xml")):
            yield path


def complaints_potfiles(tree):
    """po/POTFILES names every file with words for people (build-aux/update-potfiles)."""
    if not tree.has("po/POTFILES"):
        yield "po/POTFILES is missing"
        return
    names = listed(tree, "po/POTFILES")
    for name in names:
        if not tree.has(name):
            yield f"po/POTFILES: {name} does not exist"
    if names != sorted(names):
        yield "po/POTFILES: not sorted"
    for path in translatable(tree):
        if path not in names:
            yield f"po/POTFILES: {path} has translatable words and is not listed"


def complaints_design(tree):
    """src/DESIGN.md has a paragraph on every folder below src/."""
    folders = set()
    for path in tree.files("src/", ".c", ".h"):
        folders.add(os.path.dirname(path)[4:])
    text = tree.text("src/DESIGN.md") if tree.has("src/DESIGN.md") else ""
    for folder in sorted(folders):
        if f"`{folder}/`" not in text:
            yield f"src/DESIGN.md: says nothing on `{folder}/`"
