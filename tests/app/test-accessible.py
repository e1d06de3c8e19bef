#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""What a person without a mouse, or without sight, meets: everything that can be reached has a name,
is reached by keys, and says what came of it. The names are those that AT-SPI gives a screen reader.

GTK 4.8 has no state "showing"; what has no size is not shown. Where a widget has no name, GTK gives
that of its class: that is no name either.
"""

import contextlib
import os
import re
import subprocess
import sys
import time

import archives
import harness
from harness import check, wait_for

# A warning of the library that looks at programs is none of the program's: only the latter ends
# with one.
DEBUG = os.environ.pop("G_DEBUG", "")

# The bindings belong to the Python of the system, which need not be the one that is first in PATH.
try:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
except (ImportError, ValueError):
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):
        os.environ["G_DEBUG"] = DEBUG
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    Atspi = None

LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher",
             "/usr/lib/at-spi-bus-launcher")
CLASS_NAME = re.compile(r"^(Gtk|Adw|Holdall)[A-Z]\w+$")
# What a person can press, type into or choose, whether or not it takes the focus.
ACTIVE_ROLES = ("push button", "toggle button", "check box", "radio button", "menu item", "entry",
                "text", "password text", "combo box", "slider", "spin button", "progress bar",
                "table row", "list item", "page tab", "link", "check menu item", "radio menu item")


def role_of(node):
    """The role in the words of at-spi2 2.46; newer ones say "button"."""
    role = node.get_role_name()
    return "push button" if role == "button" else role


def start_listening():
    """Starts the bus of AT-SPI, once for the script."""
    launcher = next((path for path in LAUNCHERS if os.access(path, os.X_OK)), None)
    if Atspi is None or launcher is None:
        return False
    subprocess.Popen([launcher, "--launch-immediately"], stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)
    wait_for("the bus of AT-SPI", lambda: harness.run(
        "gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus",
        "--method", "org.a11y.Bus.GetAddress").returncode == 0)
    return True


def start(app, *arguments, **env):
    if not IS_LISTENING:
        raise harness.Skip("AT-SPI and its bindings for Python are not installed")
    app.start(*arguments, GTK_A11Y="atspi", G_DEBUG=DEBUG, **env)
    wait_for("the program on the bus of AT-SPI", lambda: find_program() is not None)


def open_sample(app, **env):
    files = archives.sample_files()
    start(app, archives.make_zip(app.path("sample.zip"), files), **env)
    app.wait_open()
    app.focus(wait_for("the window", app.windows)[-1])
    return files


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child


def find_program():
    """The program as AT-SPI sees it now: nothing that was remembered, unless it cannot change."""
    while GLib.MainContext.default().iteration(False):
        pass
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    found = [node for node in children(desktop) if node.get_name() == "holdall"]
    if not found:
        return None
    found[-1].set_cache_mask(Atspi.Cache.NONE)
    found[-1].clear_cache()
    return found[-1]


def has_state(node, state):
    return node.get_state_set().contains(state)


def is_shown(node):
    if not has_state(node, Atspi.StateType.VISIBLE):
        return False
    try:
        extents = node.get_extents(Atspi.CoordType.WINDOW)
    except GLib.Error:
        return True
    return role_of(node) in ("application", "frame", "dialog") or \
        extents.width > 0 and extents.height > 0


def walk(node, way=()):
    """All that is shown below a node, each with the way to it."""
    try:
        if way and not is_shown(node):
            return
        yield node, way
        # Whether the list is open, and whether the switcher fits, is not told.
        if role_of(node) == "combo box" or node.get_name() == "AdwViewSwitcherTitle":
            return
        for child in children(node):
            yield from walk(child, way + (f"{role_of(node)} “{node.get_name()}”",))
    except GLib.Error:  # it has gone meanwhile
        return


def has_name(node):
    name = node.get_name()
    return bool(name.strip()) and CLASS_NAME.match(name) is None


def is_focusable(node):
    """A scrolled area and a box of rows take the focus only where nothing in them does."""
    return has_state(node, Atspi.StateType.FOCUSABLE) and \
        role_of(node) not in ("scroll pane", "list")


def check_names(state):
    """Fails for anything that can be reached and is not called by words, a moment after it came up."""
    time.sleep(0.3)  # where drawing takes longer less of it is looked at

    def ask():
        problem[0] = find_problem(state)
        return problem[0] is None
    problem = [None]
    try:
        wait_for("names", ask, 20)
    except harness.Failure:
        raise harness.Failure(problem[0]) from None


def find_problem(state):
    nameless, underlined, count = [], [], 0
    for node, way in walk(find_program()):
        if not (is_focusable(node) or role_of(node) in ACTIVE_ROLES):
            continue
        count += 1
        words = f"{' > '.join(way[-4:])} > {role_of(node)} “{node.get_name()}”"
        if not has_name(node):
            nameless.append(words)
        elif re.search(r"(^|\s)_\w|_\w+ \w", node.get_name()):
            underlined.append(words)
    if count <= 3:
        return f"{state}: only {count} things were found"
    if nameless:
        return f"{state}: without a name:\n" + "\n".join(nameless)
    if underlined:
        return f"{state}: named with the mark of a mnemonic:\n" + "\n".join(underlined)
    return None


def find(role, name=None, must=True):
    """The first of a role whose name begins with some words."""
    for node, _ in walk(find_program()):
        if role_of(node) == role and (name is None or node.get_name().startswith(name)):
            return node
    check(not must, f"no {role} “{name}”")
    return None


def wait_find(role, name=None):
    return wait_for(f"{role} “{name}”", lambda: find(role, name, must=False), interval=0.2)


def focused():
    """What has the keyboard, innermost."""
    result, depth = None, 0
    for node, way in walk(find_program()):
        if result is not None and len(way) <= depth:
            break
        if has_state(node, Atspi.StateType.FOCUSED):
            result, depth = node, len(way)
    return result


def is_elsewhere(stop):
    """The focus has left what has that role and name."""
    node = focused()
    return node is not None and (role_of(node), node.get_name()) != stop


def press(node):
    check(node.do_action(0), f"{role_of(node)} “{node.get_name()}” does nothing")


class Ear:
    """Collects what is announced while it is open."""

    EVENT = "object:property-change:accessible-description"
    # What newer versions of GTK have for it; it comes from no matter where.
    ANNOUNCEMENT = "object:announcement"

    def __init__(self):
        self.heard = []
        self.listener = Atspi.EventListener.new(self.on_event)

    def on_event(self, event):
        """As screen readers do: only what has the focus, and only what is new."""
        try:
            if event.type.startswith(self.ANNOUNCEMENT) or \
                    has_state(event.source, Atspi.StateType.FOCUSED):
                self.heard.append(str(event.any_data))
        except GLib.Error:  # it has gone meanwhile
            pass

    def __enter__(self):
        self.listener.register(self.EVENT)
        self.listener.register(self.ANNOUNCEMENT)
        return self

    def __exit__(self, *_):
        self.listener.deregister(self.EVENT)
        self.listener.deregister(self.ANNOUNCEMENT)

    def wait(self, words):
        def ask():
            while GLib.MainContext.default().iteration(False):
                pass
            return any(words in heard for heard in self.heard)
        try:
            wait_for(f"“{words}” to be said", ask)
        except harness.Failure as failure:
            raise harness.Failure(f"{failure}; heard: {self.heard}") from failure


# Names.


def test_names_welcome(app):
    start(app)
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")
    check_names("welcome page")
    wait_find("push button", "Open")


def test_names_list(app):
    """Rows say in one breath what their cells show."""
    open_sample(app)
    app.activate("show-tree", must=False)
    app.activate("show-preview", must=False)
    app.activate("select", "['read me.txt']")
    app.wait_status("the selection", lambda s: s["selected"] == 1)
    check_names("list with tree and preview")
    row = wait_find("table row", "read me.txt")
    check(re.search(r"read me\.txt, .*text.*, 300", row.get_name()), f"{row.get_name()}")
    check(has_state(row, Atspi.StateType.SELECTED), "the row does not say that it is selected")
    wait_find("list item", "tool")


def test_names_grid(app):
    open_sample(app)
    app.activate_string("view", "grid")
    app.wait_status("the grid", lambda s: s["view"] == "grid" and not s["busy"])
    check_names("grid")
    wait_for("a tile that is called by its name", lambda: any(
        node.get_name().startswith("read me.txt, ") for node, _ in walk(find_program())
        if is_focusable(node)))


def test_names_search(app):
    open_sample(app)
    app.key("ctrl+f")
    app.type("photo")
    app.wait_status("results", lambda s: s["rows"] == 12)
    check_names("search")
    wait_for("the search entry to have the focus", focused)


def test_names_dialogs(app):
    """Properties, preferences, shortcuts and what asks for a name."""
    open_sample(app)
    app.activate("select", "['read me.txt']")
    app.wait_status("the selection", lambda s: s["selected"] == 1)
    for what, window in (("properties", 1), ("new-folder", 1), ("new-archive", 1),
                         ("preferences", None)):
        app.activate(what, window=window)
        app.wait_dialog()
        check_names(what)
        app.key("Escape")
        app.wait_dialog_gone()


def test_new_archive_password(app):
    """How good it is, and why there can be none, is said with the field."""
    start(app)
    app.wait_status("the welcome page", lambda s: s["page"] == "welcome")

    def field():
        for dialog in children(find_program()):
            if dialog.get_name() == "New Archive":
                for node, _ in walk(dialog):
                    # Newer versions of GTK have a role of its own for it.
                    if node.get_name() == "Password" and role_of(node) in ("text", "password text"):
                        return node
        return None

    def wait_told(what, words, sensitive):
        def is_told():
            node = field()
            return node is not None and node.get_description().startswith(words) and \
                has_state(node, Atspi.StateType.SENSITIVE) == sensitive
        wait_for(what, is_told, interval=0.2)

    app.activate("pack", "['/nowhere/letter.txt']")
    app.focus(app.wait_dialog())
    wait_told("that it may be empty", "Without a password", True)
    app.key("alt+p")
    app.type("secret")
    wait_told("a weak one", "Weak", True)
    app.type(" kettles sing at noon")
    wait_told("a strong one", "Strong", True)
    check_names("new archive with a password")
    app.key("alt+n", "ctrl+a")
    app.type("letter.tar.gz")
    wait_told("that there can be none", "Holdall can encrypt ZIP", False)
    wait_find("label", "Holdall can encrypt ZIP")
    app.key("ctrl+a")
    app.type("letter.zip")
    wait_told("that it is there again", "Strong", True)
    app.key("Escape")
    app.wait_dialog_gone()

    app.activate("new-archive")
    app.focus(app.wait_dialog())
    wait_told("that there is nothing to encrypt", "An empty archive", False)
    app.key("Escape")
    app.wait_dialog_gone()


def test_names_error(app):
    with open(app.path("broken.zip"), "wb") as file:
        file.write(bytes((i * 7919 >> 3) & 0xFF for i in range(5000)))
    start(app, app.path("broken.zip"))
    app.wait_status("the error page", lambda s: s["page"] == "error")
    check_names("error page")


def test_names_questions(app):
    """The questions of a job, and its row: what the bar measures is said."""
    start(app, archives.make_encrypted_zip(app.path("letters.zip"), "letter.txt", b"Dear " * 99, "x"))
    app.wait_open()
    app.focus(wait_for("the window", app.windows)[-1])
    os.mkdir(app.path("out"))
    with open(app.path("out", "letter.txt"), "wb") as file:
        file.write(b"old")
    app.activate_string("extract-into", app.path("out"))
    app.wait_question("conflict")
    app.focus(app.wait_dialog())
    check_names("conflict")
    bar = wait_find("progress bar")
    check("letters.zip" in bar.get_name() or "Extract" in bar.get_name(),
          f"the bar is called “{bar.get_name()}”")
    app.key("alt+r")
    app.wait_question("password")
    app.focus(app.wait_dialog())
    check_names("password")
    app.key("Escape")
    app.wait_job(state="cancelled")


def test_encoding_dialog(app):
    """The names follow the list of encodings; nothing changes before the answer."""
    path = archives.make_zip(app.path("old.zip"), {"?p_kt.txt": b"x" * 9, "plain.txt": b"y"})
    with open(path, "rb") as file:  # "Über.txt"-like names in CP850, without a mark of Unicode
        data = file.read()
    with open(path, "wb") as file:
        file.write(data.replace(b"?p_kt.txt", "Öpökt.txt".encode("cp850")))
    start(app, path)
    app.wait_open()
    app.focus(wait_for("the window", app.windows)[-1])
    app.activate_string("encoding", "CP850")
    app.wait_status("the names", lambda s: "Öpökt.txt" in s["first_rows"] and not s["busy"])
    app.activate("choose-encoding")
    app.focus(app.wait_dialog())
    check_names("encodings")
    dialog = wait_find("list item", "Western (DOS, CP850)")
    check(has_state(dialog, Atspi.StateType.SELECTED), "what is in use is not selected")
    wait_find("label", "Öpökt.txt")
    app.key("End")
    app.key("Home", "Down")
    wait_find("label", "Cannot be read")  # as UTF-8
    check("Öpökt.txt" in app.status()["first_rows"], "the archive changed before the answer")
    for _ in range(3):
        app.key("Down")
    name = "Öpökt.txt".encode("cp850").decode("cp1252")
    wait_find("label", name)
    app.key("Return")
    app.key("alt+u")
    app.wait_status("other names", lambda s: name in s["first_rows"])


def test_grey_items_say_why(app):
    """In words in the menu, and as the description of each item."""
    path = archives.make_zip(app.path("cut.zip"), archives.sample_files())
    os.truncate(path, os.path.getsize(path) * 2 // 3)  # its list is gone: saved to be read only
    start(app, path)
    app.wait_status("the archive", lambda s: s["page"] == "archive" and not s["busy"])
    app.focus(wait_for("the window", app.windows)[-1])
    app.key("F10")
    item = wait_find("menu item", "Add")
    check(not has_state(item, Atspi.StateType.SENSITIVE), "an archive without its end can be changed")
    check(len(item.get_description()) > 10, f"“{item.get_name()}” does not say why it is grey")
    wait_find("label", item.get_description())  # not only a tooltip
    app.key("Escape")


def test_jobs_of_other_windows(app):
    """A ring in each header bar leads to all jobs of the program, also to those of other windows."""
    start(app, archives.make_big_stored_zip(app.path("image.zip"), "disk.img", 4095 << 20))
    app.wait_open()
    app.second_start(archives.make_zip(app.path("sample.zip"), archives.sample_files()))
    app.wait_open(window=2)
    check(find("push button", "1 job is at work", must=False) is None, "a ring without a job")
    app.activate_string("extract-into", app.path("out"))
    job = wait_for("the job", lambda: next((j for j in app.jobs() if j["state"] == "running"), None))
    app.call(harness.APP_PATH + "/jobs", "Activate", "pause", f"[<uint32 {job['id']}>]", "{}")
    wait_for("a ring in each window", lambda: sum(
        node.get_name().startswith("1 job is at work") and is_focusable(node)
        for node, _ in walk(find_program())) == 2)
    wait_find("progress bar")
    bars = [node for node, _ in walk(find_program()) if role_of(node) == "progress bar"]
    check(len(bars) == 1, f"{len(bars)} windows show a job that one of them began")
    sample = next(node for node in children(find_program()) if node.get_name() == "sample.zip")
    ring = [node for node, _ in walk(sample) if node.get_name().startswith("1 job is at work")][-1]
    press(ring)
    cancel = wait_for("its button to cancel", lambda: next(
        (node for node, _ in walk(sample) if role_of(node) == "push button"
         and node.get_name() == "Cancel"), None))
    check_names("list of jobs")
    press(cancel)
    app.wait_job(state="cancelled")
    wait_for("the rings to be gone", lambda: not any(
        node.get_name().startswith("1 job") for node, _ in walk(find_program())))


# What is said.


def test_announces(app):
    """Neither a job's end nor an error has the focus; they are said nevertheless."""
    open_sample(app)
    with Ear() as ear:
        app.activate_string("extract-into", app.path("out"))
        app.wait_job()
        ear.wait("Extracted")
        app.activate("select", "['read me.txt']")
        app.wait_status("the selection", lambda s: s["selected"] == 1)
        app.activate("delete")
        ear.wait("Deleted 1 item")
        app.activate("undo")
        ear.wait("Undone")


# Keys.


def test_tab_goes_round(app):
    """Tab reaches every part of the window, each with a name, and comes back to where it began."""
    open_sample(app)
    stops = []
    for _ in range(16):
        node = wait_for(f"a focus after {stops}", focused)
        check(has_name(node), f"the focus is on a nameless {role_of(node)} after {stops}")
        stop = (role_of(node), node.get_name())
        if stop in stops:
            break
        stops.append(stop)
        app.key("Tab")
        wait_for(f"Tab to leave {stop}", lambda s=stop: is_elsewhere(s))
    names = [name for _, name in stops]
    for wanted in ("Extract", "Search", "Main Menu", "sample.zip"):
        check(any(name.startswith(wanted) for name in names), f"Tab never reaches {wanted}: {names}")
    check(stop == stops[0], f"Tab comes back to {stop} and not to where it began: {names}")


def walk_to(app, path):
    """Down or up, row by row. A key that a menu swallows as it closes is pressed again, and one that only
    came late is made good."""
    for _ in range(20):
        status = app.status()
        rows, chosen = status["first_rows"], status["selected_paths"]
        if chosen == [path]:
            return
        is_below = not chosen or rows.index(path) > rows.index(chosen[-1])
        app.key("Down" if is_below else "Up")
        with contextlib.suppress(harness.Failure):
            app.wait_status("the next row", lambda s: s["selected_paths"] != chosen, patience=5)
    raise harness.Failure(f"{path} is not reached by keys: {app.status()['selected_paths']}")


def test_journey_by_keys(app):
    """Find a row by its words, walk, rename, delete, undo, extract: no mouse at all."""
    open_sample(app)
    app.key("F10")
    wait_find("menu item", "Preferences")
    check_names("main menu")
    app.key("Escape")
    wait_for("the menu to be gone", lambda: find("menu item", "Preferences", must=False) is None)
    wait_find("table row", "tool, ")
    app.activate("select", "['empty']")
    app.wait_status("the first row", lambda s: s["selected_paths"] == ["empty"])
    walk_to(app, "tool")
    app.key("Return")
    app.wait_status("its folder", lambda s: s["folder"] == "tool" and s["rows"] == 2 and not s["busy"])
    walk_to(app, "tool/Makefile")
    app.key("shift+F10")
    wait_find("menu item", "Rename")
    check_names("context menu")
    app.key("Escape")
    wait_for("the menu to be gone", lambda: find("menu item", "Rename", must=False) is None)
    app.key("F2")
    app.wait_status("the entry for the name", lambda s: s["focus"] == "GtkText")
    app.key("ctrl+a")
    app.type("Makefile.old")
    app.key("Return")
    app.wait_status("the new name", lambda s: "tool/Makefile.old" in s["first_rows"])
    app.key("Delete")
    app.wait_status("one row less", lambda s: s["rows"] == 1)
    app.key("ctrl+z")
    app.wait_status("the row again", lambda s: s["rows"] == 2)
    app.key("ctrl+shift+e")
    app.wait_dialog()
    app.key("Escape")
    app.wait_dialog_gone()
    app.key("alt+Up")
    app.wait_status("the top", lambda s: s["folder"] == "")


IS_LISTENING = start_listening()

if __name__ == "__main__":
    harness.main(globals())
