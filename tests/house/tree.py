# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""The source tree as the checks see it: which files there are, and C code without its comments."""

import os
import re

SKIPPED_FOLDERS = re.compile(r"^(_build.*|\.git|\.flatpak-builder|__pycache__|\..*cache)$")

# Comments, string and character literals, in one pass, since each may contain the others' marks.
TOKENS = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]", re.MULTILINE)


class Tree:
    """A checkout. Paths are relative to it, with "/" between their parts."""

    def __init__(self, root):
        self.root = root
        self.paths = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not SKIPPED_FOLDERS.match(name))
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                self.paths.append(path.replace(os.sep, "/"))

    def files(self, folder="", *suffixes):
        """Paths below a folder that end in one of the suffixes (any, if none is given)."""
        for path in self.paths:
            if path.startswith(folder) and (not suffixes or path.endswith(suffixes)):
                yield path

    def full(self, path):
        return os.path.join(self.root, path)

    def has(self, path):
        return os.path.exists(self.full(path))

    def text(self, path):
        with open(self.full(path), encoding="utf-8") as file:
            return file.read()

    def code(self, path):
        """C source with comments blanked and literals emptied; line numbers stay right."""
        def blank(match):
            token = match.group(0)
            newlines = "\n" * token.count("\n")
            return (token[0] + token[0] if token[0] in "\"'" else " ") + newlines
        return TOKENS.sub(blank, self.text(path))

    def includes(self, path):
        """(line, "<" or '"', name) of every #include."""
        without_comments = re.sub(
            r"/\*.*?\*/", lambda match: "\n" * match.group(0).count("\n"), self.text(path),
            flags=re.DOTALL)
        for match in INCLUDE.finditer(without_comments):
            line = without_comments.count("\n", 0, match.start(1)) + 1
            yield line, match.group(1), match.group(2)


def line_of(text, position):
    return text.count("\n", 0, position) + 1
