# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Real programs that are not file managers: browsers with a page that sends away what it is given,
a mail program, editors of pictures and of text."""

import email
import email.policy
import http.server
import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse
import zlib

import archives
import doors
import harness
from harness import check

# What a page, a mail or an editor may be given: also names that need care in an address.
PERCENT_NAME = "100% Überblick 日本.txt"


def make_picture():
    """A small PNG."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    lines = b"".join(b"\0" + bytes([row * 4, 120, 40]) * 64 for row in range(64))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def given_files():
    return {"read me.txt": b"Hello\n" * 50, PERCENT_NAME: b"odd\n" * 100,
            "photo.png": make_picture(), "numbers.bin": bytes(range(256)) * 8000}


def start(app):
    """The program with an archive of these; returns what is in it."""
    files = given_files()
    app.start(archives.make_zip(app.path("given.zip"), files))
    app.wait_open()
    return files


PAGE = """<!DOCTYPE html>
<meta charset="utf-8"><title>holdall page</title>
<style>
  body { margin: 0; font: 16px sans-serif }
  #zone { height: 200px; background: #cde }
  #input { display: block; width: 100%; height: 120px; background: #dec }
  #paste { height: 100px; background: #eee }
</style>
<div id="zone">drop</div>
<input id="input" type="file" multiple>
<div id="paste" tabindex="0">paste</div>
<script>
async function send (door, files)
{
  const names = [];
  for (const file of files)
    {
      names.push (file.name);
      try
        {
          const body = await file.arrayBuffer ();
          await fetch ("/file?door=" + door + "&name=" + encodeURIComponent (file.name),
                       { method: "POST", body: body });
        }
      catch (error)
        {
          await fetch ("/error?words=" + encodeURIComponent (file.name + ": " + error),
                       { method: "POST" });
        }
    }
  await fetch ("/done?door=" + door, { method: "POST", body: JSON.stringify (names) });
}
zone.ondragover = event => { event.preventDefault (); event.dataTransfer.dropEffect = "copy"; };
zone.ondrop = event => { event.preventDefault (); send ("zone", event.dataTransfer.files); };
input.onchange = () => { send ("input", input.files); };
document.onpaste = event => { event.preventDefault (); send ("paste", event.clipboardData.files); };
setInterval (() => {
  const left = window.mozInnerScreenX ?? window.screenX + (outerWidth - innerWidth) / 2;
  const top = window.mozInnerScreenY ?? window.screenY + outerHeight - innerHeight;
  const places = {};
  for (const item of [zone, input, paste])
    {
      const box = item.getBoundingClientRect ();
      places[item.id] = [left + box.left + box.width / 2, top + box.top + box.height / 2];
    }
  fetch ("/places", { method: "POST", body: JSON.stringify (places) });
}, 200);
</script>
"""


class Page:
    """Serves the page and keeps what it sends."""

    def __init__(self):
        self.files = {}
        self.done = {}
        self.errors = []
        self.places = []
        page = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One request."""

            def answer(self, data=b"", kind="text/plain"):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):  # pylint: disable=invalid-name
                self.answer(PAGE.encode(), "text/html; charset=utf-8")

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                address = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(address.query))
                page.take(address.path, query, body)
                self.answer()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def take(self, path, query, body):
        if path == "/places":
            self.places.append({name: [int(n) for n in place]
                                for name, place in json.loads(body).items()})
        elif path == "/file":
            self.files.setdefault(query["door"], {})[query["name"]] = body
        elif path == "/error":
            self.errors.append(query["words"])
        elif path == "/done":
            self.done[query["door"]] = json.loads(body)

    def place(self, name):
        """Where on the screen a part of the page is, once it no longer moves."""
        self.places = []
        harness.wait_for("the page to stand still", lambda: len(self.places) > 3
                         and all(places == self.places[-1] for places in self.places[-4:]))
        return self.places[-1][name]

    def forget(self):
        self.files, self.done, self.errors = {}, {}, []

    def wait(self, door, expected, only_one=False):
        """What arrived through one door is exactly this, or one file of it."""
        harness.wait_for(f"the page to send what came by '{door}'", lambda: door in self.done)
        check(not self.errors, f"the page could not read: {self.errors}")
        arrived = self.files.get(door, {})
        if only_one:
            expected = {name: data for name, data in expected.items() if name in self.done[door]}
            check(len(expected) == 1, f"a paste brought {self.done[door]}")
        check(arrived == expected, f"arrived by '{door}': "
              f"{ {name: len(data) for name, data in arrived.items()} } of {self.done[door]}")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Program(doors.FileManager):
    """A window of another program beside ours; ended with all that it has started."""

    def __init__(self, app, command, window_class, **more):
        doors.need(command[0], "xdotool")
        self.app = app
        self.program = command[0]
        self.window_class = window_class
        self.folder = tempfile.mkdtemp(prefix="holdall-other-")
        env = app.environment()
        # Warnings of others are theirs.
        for name in ("G_DEBUG", "G_SLICE", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
                     "G_MESSAGES_DEBUG"):
            env.pop(name, None)
        env.update(HOME=self.folder, **more)
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            env[name] = os.path.join(self.folder, name)
            os.mkdir(env[name])
        self.prepare()
        self.process = subprocess.Popen([word.format(home=self.folder) for word in command], env=env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            # They are large, and the machine may be busy.
            self.window = harness.wait_for(self.program, self.find_window, 4 * harness.PATIENCE)
            self.arrange()
        except BaseException:
            self.__exit__()
            raise

    def prepare(self):
        """Files that the program expects in its home folder."""

    def arrange(self):
        """Side by side, as far as the program lets itself be made that small."""
        left = harness.wait_for("the window", self.app.windows)[0]
        for window, x, width in ((left, 0, 620), (self.window, 640, 620)):
            harness.run("xdotool", "windowsize", window, str(width), "600",
                        "windowmove", window, str(x), "30", patience=harness.PATIENCE)

        def stands():
            x, _y, width, _height = self.app.geometry(self.window)
            return x >= 620 and width <= 660
        harness.wait_for(f"{self.program} to stand on the right", stands)

    def find_window(self):
        check(self.process.poll() is None, f"{self.program} has ended")
        found = harness.run("xdotool", "search", "--onlyvisible", "--class",
                            self.window_class).stdout.split()
        # Whatever is small is a splash screen.
        found = [window for window in found if self.app.geometry(window)[3] > 150]
        return found[-1] if found else None

    def drop_point(self):
        """Around the middle there may be docks and bars."""
        x, y, width, height = self.app.geometry(self.window)
        return x + width // 2, y + height // 2

    def titles(self):
        """Of all its windows."""
        found = harness.run("xdotool", "search", "--onlyvisible", "--class",
                            self.window_class).stdout.split()
        return [harness.run("xdotool", "getwindowname", window).stdout.strip() for window in found]

    def wait_title(self, words):
        try:
            harness.wait_for(f"a window called '{words}'",
                             lambda: any(words in title for title in self.titles()))
        except harness.Failure as failure:
            raise harness.Failure(f"{failure}; there are {self.titles()}") from failure

    def __exit__(self, *_):
        for signum in (15, 9):
            try:
                os.killpg(self.process.pid, signum)
                self.process.wait(5)
                break
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        time.sleep(0.2)
        shutil.rmtree(self.folder, ignore_errors=True)


class Firefox(Program):
    """Shows one page."""

    # Of several files on the clipboard a page gets one, whichever program has copied them.
    PASTES_ONE = True

    PREFERENCES = {"browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False,
                   "datareporting.policy.dataSubmissionEnabled": False,
                   "datareporting.policy.firstRunURL": "", "app.update.enabled": False,
                   "browser.startup.homepage_override.mstone": "ignore",
                   "toolkit.telemetry.reportingpolicy.firstRun": False,
                   "browser.tabs.warnOnClose": False, "trailhead.firstrun.didSeeAboutWelcome": True,
                   "termsofuse.bypassNotification": True, "browser.termsofuse.enabled": False,
                   "network.captive-portal-service.enabled": False,
                   "network.connectivity-service.enabled": False}

    def __init__(self, app, url):
        self.name = next((name for name in ("firefox-esr", "firefox") if shutil.which(name)), None)
        if self.name is None:
            raise harness.Skip("Firefox is not installed")
        super().__init__(app, [self.name, "--no-remote", "--profile", "{home}/profile",
                               "--new-window", url], "firefox", MOZ_ENABLE_WAYLAND="0",
                         MOZ_CRASHREPORTER_DISABLE="1")

    def prepare(self):
        profile = os.path.join(self.folder, "profile")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in self.PREFERENCES.items():
                file.write(f'user_pref("{name}", {json.dumps(value)});\n')
        # A window without a past fills the screen, and cannot be moved then.
        with open(os.path.join(profile, "xulstore.json"), "w", encoding="utf-8") as file:
            json.dump({"chrome://browser/content/browser.xhtml": {"main-window": {
                "screenX": "640", "screenY": "30", "width": "620", "height": "600",
                "sizemode": "normal"}}}, file)


class Chromium(Program):
    """Shows one page, without tabs around it."""

    PASTES_ONE = False

    def __init__(self, app, url):
        name = next((name for name in ("chromium", "chromium-browser", "google-chrome")
                     if shutil.which(name)), None)
        if name is None:
            raise harness.Skip("Chromium is not installed")
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        super().__init__(app, [name, "--user-data-dir={home}/profile", "--no-first-run",
                               "--no-default-browser-check", "--disable-gpu",
                               "--disable-background-networking", "--disable-dev-shm-usage",
                               "--password-store=basic", "--ozone-platform=x11", *options,
                               "--app=" + url], "chrom")


class ClawsMail(Program):
    """A message that is being written; nothing is ever sent."""

    FOLDERS = {"inbox": "inbox", "sent": "outbox", "draft": "draft", "queue": "queue",
               "trash": "trash"}

    def __init__(self, app):
        super().__init__(app, ["claws-mail", "--compose", "mailto:somebody@example.org"],
                         "claws-mail")

    def prepare(self):
        settings = os.path.join(self.folder, ".claws-mail")
        os.mkdir(settings)
        items = ""
        for name, kind in self.FOLDERS.items():
            os.makedirs(os.path.join(self.folder, "Mail", name))
            items += f'<folderitem type="{kind}" identifier="{name}" name="{name}" path="{name}"/>'
        texts = {"accountrc": "[Account: 1]\naccount_name=test\nis_default=1\nname=Test\n"
                              "address=test@example.org\nprotocol=0\nreceive_server=localhost\n"
                              "smtp_server=localhost\n",
                 "folderlist.xml": '<?xml version="1.0" encoding="UTF-8"?><folderlist><folder '
                                   'type="mh" identifier="Mail" path="Mail" name="Mail"><folderitem '
                                   'type="normal" name="Mail" path="" identifier=""/>'
                                   f"{items}</folder></folderlist>",
                 # What is dropped becomes an attachment, without a question.
                 "clawsrc": "[Common]\nenable_aspell=0\ncompose_dnd_insert_or_attach=2\n"}
        for name, text in texts.items():
            with open(os.path.join(settings, name), "w", encoding="utf-8") as file:
                file.write(text)

    def find_window(self):
        check(self.process.poll() is None, f"{self.program} has ended")
        found = harness.run("xdotool", "search", "--onlyvisible", "--name",
                            "Compose message").stdout.split()
        return found[-1] if found else None

    def arrange(self):
        """Its other window would lie over both."""
        found = harness.run("xdotool", "search", "--onlyvisible", "--class", "claws-mail").stdout
        for window in found.split():
            if window != self.window:
                harness.run("xdotool", "windowminimize", window)
        super().arrange()

    def read_attachments(self):
        """Saves the message as a draft; returns name → bytes of what is attached to the newest."""
        drafts = os.path.join(self.folder, "Mail", "draft")
        harness.run("xdotool", "windowactivate", "--sync", self.window, patience=harness.PATIENCE)
        self.app.key("ctrl+s")

        def newest():
            names = sorted((name for name in os.listdir(drafts) if name.isdigit()), key=int)
            return names[-1] if names else None
        name = harness.wait_for("a draft", newest)
        message = email.message_from_bytes(doors.read(os.path.join(drafts, name)),
                                           policy=email.policy.default)
        return {part.get_filename(): part.get_payload(decode=True) for part in message.walk()
                if part.get_filename()}


class Editor(Program):
    """An editor that opens what is dropped on it, and has the name of that in its title."""

    def __init__(self, app, command, window_class):
        super().__init__(app, command.split(), window_class)
