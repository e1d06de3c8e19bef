# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Archives for tests of the window, and what comes out of them."""

import functools
import os
import struct
import subprocess
import sys
import zipfile
import zlib

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench")


def make_zip(path, files):
    """files: name → bytes (a name that ends in "/" is a folder)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2021, 6, 2, 10, 11, 12))
            info.external_attr = (0o40755 if name.endswith("/") else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return path


def sample_files():
    """A tree as one meets it: folders, an empty one, names in several scripts."""
    files = {"read me.txt": b"Hello\n" * 50, "empty/": b"", "Übersicht.txt": b"u" * 3000,
             "日本語.txt": b"n" * 10}
    for number in range(1, 13):
        files[f"pictures/photo {number}.png"] = bytes([number]) * 5000
    for number in range(1, 5):
        files[f"tool/lib/part{number}.c"] = b"int x;\n" * 400
    files["tool/Makefile"] = b"all:\n"
    return files


def make_streamed(kind, path, *options):
    subprocess.run([sys.executable, os.path.join(TOOLS, "make-streamed"),
                    kind, path, *options], check=True, stdout=subprocess.DEVNULL)
    return path


def make_encrypted_zip(path, name, content, password):
    """One deflated entry in traditional PKWARE encryption (APPNOTE 6.1), since zipfile only reads it."""
    keys = [0x12345678, 0x23456789, 0x34567890]
    table = []
    for i in range(256):
        value = i
        for _ in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)

    def update(byte):
        keys[0] = (keys[0] >> 8) ^ table[(keys[0] ^ byte) & 0xFF]
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = (keys[2] >> 8) ^ table[(keys[2] ^ (keys[1] >> 24)) & 0xFF]

    def encrypt(data):
        out = bytearray()
        for byte in data:
            mask = (keys[2] | 2) & 0xFFFF
            out.append(byte ^ ((mask * (mask ^ 1) >> 8) & 0xFF))
            update(byte)
        return bytes(out)

    for byte in password.encode():
        update(byte)
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    crc = zlib.crc32(content)
    data = encrypt(bytes(range(11)) + bytes([crc >> 24]) + packed)
    raw = name.encode()
    fields = struct.pack("<HHHHHIIIH", 20, 0x0801, 8, 0x5165, 0x52C2, crc, len(data), len(content),
                         len(raw))
    local = b"PK\3\4" + fields + struct.pack("<H", 0) + raw + data
    central = (b"PK\1\2" + struct.pack("<H", 0x0314) + fields
               + struct.pack("<HHHHII", 0, 0, 0, 0, 0o100644 << 16, 0) + raw)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    with open(path, "wb") as file:
        file.write(local + central + end)
    return path


def crc_of_zeros(n_bytes):
    """Without looking at each: what a number of zero bytes makes of the checksum's 32 bits, doubled
    and doubled again."""
    def apply(operator, value):
        return functools.reduce(lambda x, i: x ^ operator[i] if value >> i & 1 else x, range(32), 0)

    # One zero byte after another: the checksum without its inversion at both ends.
    operator = [zlib.crc32(b"\0", (1 << i) ^ 0xFFFFFFFF) ^ 0xFFFFFFFF for i in range(32)]
    value = 0xFFFFFFFF
    while n_bytes:
        if n_bytes & 1:
            value = apply(operator, value)
        operator = [apply(operator, column) for column in operator]
        n_bytes >>= 1
    return value ^ 0xFFFFFFFF


def make_big_stored_zip(path, name, n_bytes):
    """One stored entry of zeros that takes no room: a hole in the file. n_bytes < 4 GiB."""
    crc = crc_of_zeros(n_bytes)
    raw = name.encode()
    fields = struct.pack("<HHHHHIIIH", 20, 0, 0, 0x5165, 0x52C2, crc, n_bytes, n_bytes, len(raw))
    local = b"PK\3\4" + fields + struct.pack("<H", 0) + raw
    central = (b"PK\1\2" + struct.pack("<H", 0x0314) + fields
               + struct.pack("<HHHHII", 0, 0, 0, 0, 0o100644 << 16, 0) + raw)
    offset = len(local) + n_bytes
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), offset, 0)
    with open(path, "wb") as file:
        file.write(local)
        file.seek(offset)
        file.write(central + end)
    return path


def read_tree(folder):
    """path → bytes of everything below a folder; folders end in "/" and have no content."""
    tree = {}
    for parent, folders, files in os.walk(folder):
        for name in folders:
            tree[os.path.relpath(os.path.join(parent, name), folder) + "/"] = b""
        for name in files:
            with open(os.path.join(parent, name), "rb") as file:
                tree[os.path.relpath(os.path.join(parent, name), folder)] = file.read()
    return tree
