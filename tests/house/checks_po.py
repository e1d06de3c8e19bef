# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""That every language says everything that the program says: the template of all messages is made
anew from the sources, and each po/*.po held against it. build-aux/update-po makes its template here
too, so that the two can't disagree."""

import os
import re
import tempfile
from ast import literal_eval

from checks_tools import run

KEYWORDS = ("_", "N_", "C_:1c,2", "NC_:1c,2", "g_dcgettext:2", "g_dngettext:2,3",
            "g_dpgettext2:2c,3")
FORMATS = ("N_:1:pass-c-format", "C_:2:pass-c-format", "NC_:2:pass-c-format",
           "g_dngettext:2:pass-c-format", "g_strdup_printf:1:c-format",
           "g_string_append_printf:2:c-format", "g_error_new:3:c-format")
DIRECTIVE = re.compile(r"%(?:\d+\$)?[-+ #0'.\d]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]")
SHOWING = re.compile(r"\b(?:adw_toast_new|adw_message_dialog_new|gtk_button_new_with_(?:label|mnemonic)"
                     r"|gtk_label_new|holdall_\w*_?announce"
                     r"|\w+_set_(?:label|text|title|subtitle|tooltip_text|heading|body|description"
                     r"|button_label|placeholder_text)) \([^;]*;")
PLURALS = {"ar": 6, "de": 2, "es": 2, "fr": 2, "ja": 1, "pt_BR": 2, "ru": 3, "zh_CN": 1}


class Message:
    """One entry of a .po file. Its key is what gettext finds it by: context and text."""

    def __init__(self):
        self.flags = []
        self.parts = {}  # "msgid", "msgstr[0]"… → text

    @property
    def key(self):
        return self.parts.get("msgctxt", ""), self.parts["msgid"]

    @property
    def translations(self):
        return [text for name, text in sorted(self.parts.items()) if name.startswith("msgstr")]


def parse(text):
    """The messages of a .po file, the header (whose text is empty) among them."""
    for block in re.split(r"\n[ \t]*\n", text):
        message = Message()
        name = None
        for line in block.split("\n"):
            if line.startswith("#,"):
                message.flags += [flag.strip() for flag in line[2:].split(",")]
            elif line and not line.startswith("#"):
                head, quote, rest = line.partition('"')
                name = head.strip() or name
                message.parts[name] = message.parts.get(name, "") + literal_eval(quote + rest)
        if "msgid" in message.parts:
            yield message


def make_template(root, output):
    """Writes the template of all messages of the files in po/POTFILES. Returns what xgettext has to
    complain about."""
    status, words = run("xgettext", "--directory=" + root,
                        "--files-from=" + os.path.join(root, "po", "POTFILES"),
                        "--from-code=UTF-8", "--add-comments=Translators",
                        "--add-location=file", "--package-name=holdall", "--output=" + output,
                        *("--keyword=" + keyword for keyword in KEYWORDS),
                        *("--flag=" + format for format in FORMATS))
    return words or "xgettext failed" if status != 0 else ""


def languages(tree):
    for line in tree.text("po/LINGUAS").split("\n"):
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def complaints_message(message):
    """What msgfmt does not see: lost mnemonics, and directives of texts that it takes for plain."""
    source = message.parts["msgid"]
    is_plural = "msgid_plural" in message.parts
    plural = message.parts.get("msgid_plural", source)
    wanted = sorted(re.sub(r"\d+\$", "", found) for found in DIRECTIVE.findall(plural))
    for text in message.translations:
        shown = sorted(re.sub(r"\d+\$", "", found) for found in DIRECTIVE.findall(text))
        # "One file" and "two files" may do without the figure.
        if "c-format" in message.flags and shown != wanted and (shown or not is_plural):
            yield f"“{source}”: the directives of “{text}” differ"
        if text.count("_") != source.count("_"):
            yield f"“{source}”: “{text}” has another number of mnemonics"
        if (text[:1] == "\n", text[-1:] == "\n") != (source[:1] == "\n", source[-1:] == "\n"):
            yield f"“{source}”: “{text}” begins or ends another line"


def complaints_language(tree, language, template):
    path = f"po/{language}.po"
    messages = {message.key: message for message in parse(tree.text(path))}
    header = messages.pop(("", ""), None)
    count = header and re.search(r"nplurals=(\d+);", header.translations[0])
    if count is None:
        yield f"{path}: the header says nothing of plural forms"
        return
    n_plurals = int(count.group(1))
    if n_plurals != PLURALS.get(language, n_plurals):
        yield f"{path}: {n_plurals} plural forms instead of {PLURALS[language]}"
    for key, source in template.items():
        message = messages.get(key)
        n_wanted = n_plurals if "msgid_plural" in source.parts else 1
        if message is None or not all(message.translations):
            yield f"{path}: “{key[1]}” is not translated"
        elif "fuzzy" in message.flags:
            yield f"{path}: “{key[1]}” is fuzzy"
        elif len(message.translations) != n_wanted:
            yield f"{path}: “{key[1]}” has {len(message.translations)} forms instead of {n_wanted}"
        else:
            for complaint in complaints_message(message):
                yield f"{path}: {complaint}"
    for key in messages.keys() - template.keys():
        yield f"{path}: “{key[1]}” is said nowhere (build-aux/update-po)"


def complaints_complete(tree, _build):
    """Every language of po/LINGUAS has every message of the sources, in the right form."""
    listed = list(languages(tree))
    if listed != sorted(listed):
        yield "po/LINGUAS: not sorted"
    with tempfile.TemporaryDirectory(prefix="holdall-house-") as folder:
        output = os.path.join(folder, "holdall.pot")
        words = make_template(tree.root, output)
        if words:
            yield words
            return
        with open(output, encoding="utf-8") as file:
            template = {message.key: message for message in parse(file.read())}
    template.pop(("", ""), None)
    for language in listed:
        if tree.has(f"po/{language}.po"):
            yield from complaints_language(tree, language, template)


def literals(code):
    """Text of the C string literals in a piece of code, those that touch joined."""
    for run_of in re.finditer(r'"(?:\\.|[^"\\])*"(?:\s*"(?:\\.|[^"\\])*")*', code):
        yield "".join(literal_eval(part)
                      for part in re.findall(r'"(?:\\.|[^"\\])*"', run_of.group(0)))


def engine_words(tree):
    """Sentences and labels of the engine that the window shows, each with where it is said."""
    path = "src/engine/hold-format.c"
    if tree.has(path):
        table = re.search(r"Reason reasons\[\] = \{(.*?)\n\};", tree.text(path), re.DOTALL)
        for line in re.findall(r"\{[^{}]*\}", table.group(1) if table else ""):
            if not re.search(r"HOLD_CAP_(MANY|RANDOM|COMMENT|RAW)", line):
                yield path, list(literals(line))[-1]
    for path in tree.files("src/engine/", ".c"):
        text = tree.text(path)
        for call in re.finditer(r"remove_caps \([^;]*;|why = g_strdup_printf \([^;]*;"
                                r"|add_(line|time|detail) \(\w+, \"[^;]*?[,)]", text):
            for words in list(literals(call.group(0)))[:1]:
                yield path, words


def complaints_engine(tree, _build):
    """The engine knows no gettext: what people see of it is repeated in the app."""
    table = "src/app/text/holdall-engine-text.c"
    known = set(literals(tree.text(table))) if tree.has(table) else set()
    for path, words in engine_words(tree):
        if words not in known:
            yield f"{path}: “{words}” is not in {table} and can't be translated"


def complaints_literals(tree, _build):
    """What the app shows went through gettext."""
    for path in tree.files("src/app/", ".c"):
        for call in SHOWING.finditer(tree.text(path)):
            if re.search(r"\b(N?C?_|\w*gettext) \(|\b_\(", call.group(0)):
                continue
            for words in literals(call.group(0)):
                if re.search(r"[A-Za-z]{3}", re.sub(r"%\S+", "", words)):
                    yield f"{path}: “{words}” is shown as it is"
