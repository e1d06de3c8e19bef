#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Stands for the desktop's session manager, as far as GTK talks to it. Writes one line for each call
to standard output, and ends the session when it is told to on standard input.

    session-manager.py

Prints "ready", "register", "inhibit FLAGS REASON", "uninhibit", "may-end BOOLEAN"; reads "ask" (may
the session end?) and "end".
"""

import sys

import gi

gi.require_version("Gio", "2.0")

from gi.repository import Gio, GLib  # noqa: E402

MANAGER = "org.gnome.SessionManager"
CLIENT_PATH = "/org/gnome/SessionManager/Client1"
INTERFACES = f"""
<node>
  <interface name="{MANAGER}">
    <method name="RegisterClient">
      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="o" direction="out"/>
    </method>
    <method name="UnregisterClient"><arg type="o" direction="in"/></method>
    <method name="Inhibit">
      <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
      <arg type="u" direction="in"/><arg type="u" direction="out"/>
    </method>
    <method name="Uninhibit"><arg type="u" direction="in"/></method>
    <method name="IsInhibited"><arg type="u" direction="in"/><arg type="b" direction="out"/></method>
  </interface>
  <interface name="{MANAGER}.ClientPrivate">
    <method name="EndSessionResponse">
      <arg type="b" direction="in"/><arg type="s" direction="in"/>
    </method>
    <signal name="QueryEndSession"><arg type="u"/></signal>
    <signal name="EndSession"><arg type="u"/></signal>
    <signal name="Stop"/>
  </interface>
</node>
"""


def say(words):
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def call_cb(_bus, _sender, _path, _interface, method, parameters, invocation):
    given = parameters.unpack()
    answer = None
    if method == "RegisterClient":
        say("register")
        answer = GLib.Variant("(o)", (CLIENT_PATH,))
    elif method == "Inhibit":
        say(f"inhibit {given[3]} {given[2]}")
        answer = GLib.Variant("(u)", (7,))
    elif method == "Uninhibit":
        say("uninhibit")
    elif method == "IsInhibited":
        answer = GLib.Variant("(b)", (False,))
    elif method == "EndSessionResponse":
        say(f"may-end {given[0]}")
    invocation.return_value(answer)


def read_cb(channel, _condition, bus):
    line = channel.readline().strip()
    if not line:
        sys.exit(0)
    bus.emit_signal(None, CLIENT_PATH, MANAGER + ".ClientPrivate",
                    {"ask": "QueryEndSession", "end": "EndSession"}[line],
                    GLib.Variant("(u)", (0,)))
    return True


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    node = Gio.DBusNodeInfo.new_for_xml(INTERFACES)
    paths = ["/org/gnome/SessionManager", CLIENT_PATH]
    for path, interface in zip(paths, node.interfaces):
        bus.register_object(path, interface, call_cb, None, None)
    Gio.bus_own_name_on_connection(bus, MANAGER, Gio.BusNameOwnerFlags.NONE,
                                   lambda *_: say("ready"), None)
    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, read_cb, bus)
    GLib.MainLoop().run()


main()
