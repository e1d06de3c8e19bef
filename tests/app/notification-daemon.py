#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Stands for the desktop's notifications: shows nothing, writes one line of JSON for each call to
standard output, and presses a button when it is told to on standard input.

    notification-daemon.py

Prints ["ready"], ["notify", ID, REPLACED_ID, SUMMARY, BODY, [ACTION, LABEL, …], URGENCY], ["close",
ID]; reads "ID ACTION". As everywhere, a notification is gone once one of its buttons was pressed.
"""

import json
import sys

import gi

gi.require_version("Gio", "2.0")

from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
INTERFACES = f"""
<node>
  <interface name="{NAME}">
    <method name="GetCapabilities"><arg type="as" direction="out"/></method>
    <method name="GetServerInformation">
      <arg type="s" direction="out"/><arg type="s" direction="out"/>
      <arg type="s" direction="out"/><arg type="s" direction="out"/>
    </method>
    <method name="Notify">
      <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
      <arg type="a{{sv}}" direction="in"/><arg type="i" direction="in"/>
      <arg type="u" direction="out"/>
    </method>
    <method name="CloseNotification"><arg type="u" direction="in"/></method>
    <signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
    <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
  </interface>
</node>
"""
PRESSED, CLOSED = 2, 3  # why a notification is gone

n_shown = 0


def say(*words):
    print(json.dumps(words), flush=True)


def emit(bus, signal, kind, *values):
    bus.emit_signal(None, PATH, NAME, signal, GLib.Variant(kind, values))


def call_cb(bus, _sender, _path, _interface, method, parameters, invocation):
    global n_shown  # pylint: disable=global-statement
    given = parameters.unpack()
    answer = None
    if method == "GetCapabilities":
        answer = GLib.Variant("(as)", (["actions", "body"],))
    elif method == "GetServerInformation":
        answer = GLib.Variant("(ssss)", ("stand-in", "Holdall", "1", "1.2"))
    elif method == "Notify":
        _name, replaced, _icon, summary, body, actions, hints, _timeout = given
        n_shown += 1
        number = replaced or n_shown
        say("notify", number, replaced, summary, body, actions, hints.get("urgency", 1))
        answer = GLib.Variant("(u)", (number,))
    elif method == "CloseNotification":
        say("close", given[0])
        emit(bus, "NotificationClosed", "(uu)", given[0], CLOSED)
    invocation.return_value(answer)


def read_cb(channel, _condition, bus):
    line = channel.readline().strip()
    if not line:
        sys.exit(0)
    number, action = line.split(" ", 1)
    emit(bus, "ActionInvoked", "(us)", int(number), action)
    emit(bus, "NotificationClosed", "(uu)", int(number), PRESSED)
    return True


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    node = Gio.DBusNodeInfo.new_for_xml(INTERFACES)
    bus.register_object(PATH, node.interfaces[0], call_cb, None, None)
    Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE,
                                   lambda *_: say("ready"), None)
    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, read_cb, bus)
    GLib.MainLoop().run()


main()
