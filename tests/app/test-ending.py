#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""How the program ends while there is work: Quit while a job asks, the end of the session, signals.
Nothing is lost then, and nothing left behind."""

import contextlib
import os
import signal
import subprocess

import archives
import harness
from doors import staged
from harness import check

LOGOUT, SUSPEND = 1, 4
PYTHON = "/usr/bin/python3"  # the one that the distribution's gi is for


def start_with_question(app):
    app.start(archives.make_zip(app.path("c.zip"), {"a.txt": b"new a"}),
              G_DEBUG="gc-friendly")  # GLib warns when nobody on the bus shows notifications
    app.wait_open()
    os.makedirs(app.path("out"))
    with open(app.path("out", "a.txt"), "wb") as file:
        file.write(b"old")
    app.activate_string("extract-into", app.path("out"))
    app.wait_question("conflict", "a.txt")
    app.wait_dialog()


def start_long_job(app, **env):
    app.start(archives.make_big_stored_zip(app.path("big.zip"), "big.bin", 3 << 30), **env)
    app.wait_open()
    app.activate_string("extract-into", app.path("out"))
    harness.wait_for("bytes", lambda: any(j["bytes_done"] > 0 for j in app.jobs()))


def quit_and_wait_question(app):
    n_windows = len(app.windows())
    app.activate("quit", window=None)
    return app.wait_dialog(n_windows)


def wait_end(app):
    app.process.wait(harness.PATIENCE)
    check(app.process.returncode == 0, f"ended with {app.process.returncode}")


# Quit.


def test_quit_asks_first(app):
    """Esc goes back to the job's question, which then can be answered; nothing has closed."""
    start_with_question(app)
    n_windows = len(app.windows())
    app.focus(quit_and_wait_question(app))
    app.key("Escape")
    app.wait_dialog_gone(n_windows)
    check(app.jobs()[0]["state"] == "asking", f"{app.jobs()}")
    dialog = app.wait_dialog()
    app.focus(dialog)
    app.key("alt+s")
    app.wait_job()
    check(archives.read_tree(app.path("out")) == {"a.txt": b"old"}, "it was not skipped")


def test_quit_cancels_what_asks(app):
    start_with_question(app)
    app.focus(quit_and_wait_question(app))
    app.key("alt+c")
    wait_end(app)
    check(archives.read_tree(app.path("out"))["a.txt"] == b"old", "the old file is gone")


def test_quit_twice_asks_once(app):
    start_with_question(app)
    quit_and_wait_question(app)
    n_windows = len(app.windows())
    app.activate("quit", window=None)
    check(app.jobs()[0]["state"] == "asking" and len(app.windows()) == n_windows, "asked twice")
    app.focus(app.windows()[-1])
    app.key("alt+c")
    wait_end(app)


# The session.


@contextlib.contextmanager
def session_manager(app):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "session-manager.py")
    probe = harness.run(PYTHON, "-c", "import gi; gi.require_version('Gio', '2.0')")
    if probe.returncode != 0:
        raise harness.Skip("python3-gi is not installed")
    with open(app.path("session"), "wb") as output, \
            subprocess.Popen([PYTHON, script], stdin=subprocess.PIPE, stdout=output,
                             text=True) as process:
        try:
            expect(app, 0, "ready")
            yield process
        finally:
            process.kill()


def expect(app, number, beginning):
    """Waits for the line of that number, which must begin so."""
    def ask():
        return harness.whole_lines(app.path("session"))[number:]
    line = harness.wait_for(f"the session manager to be told “{beginning}”", ask)[0].strip()
    check(line.startswith(beginning), f"“{line}” instead of “{beginning}”")
    return line


def tell(process, word):
    process.stdin.write(word + "\n")
    process.stdin.flush()


def need_registration(app):
    """Newer versions of GTK have the portal speak to the session manager, which is not there."""
    with open(f"/proc/{app.process.pid}/maps", encoding="utf-8", errors="replace") as maps:
        library = next(line.split()[-1] for line in maps if "/libgtk-4.so" in line)
    with open(library, "rb") as file:
        if b"UnregisterClient" not in file.read():
            raise harness.Skip("this GTK speaks to the portal only")


def test_session_waits_for_what_writes(app):
    """Looking into an archive keeps nobody; extracting does, with a reason, until it is over."""
    with session_manager(app):
        start_long_job(app)
        need_registration(app)
        expect(app, 1, "register")
        line = expect(app, 2, "inhibit")
        check(int(line.split()[1]) == LOGOUT | SUSPEND and "big.zip" in line, line)
        job = app.jobs()[0]
        app.call(harness.APP_PATH + "/jobs", "Activate", "cancel", f"[<uint32 {job['id']}>]", "{}")
        expect(app, 3, "uninhibit")


def test_session_ends(app):
    """It ends all the same, by a person's will: then what was begun is undone."""
    with session_manager(app) as session:
        start_long_job(app)
        need_registration(app)
        expect(app, 1, "register")
        expect(app, 2, "inhibit")
        tell(session, "ask")
        expect(app, 3, "may-end")
        tell(session, "end")
        wait_end(app)
    check(archives.read_tree(app.path("out")) == {}, "something half-written is left")


# Signals.


def end_by(app, number):
    app.process.send_signal(number)
    wait_end(app)


def test_term_while_extracting(app):
    start_long_job(app)
    end_by(app, signal.SIGTERM)
    check(archives.read_tree(app.path("out")) == {}, "something half-written is left")


def test_term_while_a_question_waits(app):
    start_with_question(app)
    end_by(app, signal.SIGTERM)
    check(archives.read_tree(app.path("out"))["a.txt"] == b"old", "the old file is gone")


def test_term_while_an_archive_is_written(app):
    path = archives.make_zip(app.path("a.zip"), {"a.txt": b"a" * 99})
    with open(path, "rb") as file:
        before = file.read()
    with open(app.path("big.bin"), "wb") as file:
        file.truncate(8 << 30)
    app.start(path)
    app.wait_open()
    app.activate("add-files", f"[{harness.to_gvariant(app.path('big.bin'))}]")
    harness.wait_for("bytes", lambda: any(j["bytes_done"] > 0 for j in app.jobs("update")))
    end_by(app, signal.SIGTERM)
    with open(path, "rb") as file:
        check(file.read() == before, "the archive has changed")
    check(not [name for name in os.listdir(app.folder) if "part" in name], os.listdir(app.folder))


def test_term_leaves_no_staging(app):
    """What was unpacked for a copy and a cut goes with the program."""
    app.start(archives.make_zip(app.path("a.zip"), {"a.txt": b"a" * 99, "b.txt": b"b"}))
    app.wait_open()
    for action in ("copy", "cut"):
        app.activate("select-all")
        app.activate(action)
        app.wait_job(number=0 if action == "copy" else 1)
    check(staged(app), "nothing was unpacked; this tests nothing")
    end_by(app, signal.SIGTERM)
    check(not staged(app), f"left behind: {staged(app)}")


harness.main(globals())
