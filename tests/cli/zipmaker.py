# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright the Holdall developers
"""Writes ZIP archives record by record, also such as no good program would write."""

import dataclasses
import struct
import zlib

# 2021-06-02 10:11:12, as DOS has it.
DOS_TIME = (10 << 11) | (11 << 5) | (12 // 2)
DOS_DATE = ((2021 - 1980) << 9) | (6 << 5) | 2
UNIX_TIME = 1622628672

STREAMED = 0x0008
UNICODE = 0x0800
MADE_BY_FAT = 0
MADE_BY_UNIX = 3


@dataclasses.dataclass
class Entry:
    """One entry. What is None is filled in truly."""

    name: bytes
    data: bytes = b""
    method: int = 0
    flags: int = 0
    made_by: int = MADE_BY_UNIX
    mode: int = 0o100644
    external: int | None = None
    extra: bytes = b""
    comment: bytes = b""
    date: int = DOS_DATE
    time: int = DOS_TIME
    central_name: bytes | None = None
    crc: int | None = None
    size: int | None = None
    packed_data: bytes | None = None
    local_size: int | None = None
    descriptor: bytes | None = None     # None: written if STREAMED is set
    offset: int | None = None           # central record: points elsewhere
    no_local: bool = False

    def packed(self):
        if self.packed_data is not None:
            return self.packed_data
        if self.method == 8:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            return packer.compress(self.data) + packer.flush()
        return self.data


def extended_time(seconds):
    return struct.pack("<HHBi", 0x5455, 5, 1, seconds)


def unicode_name(header_name, text, crc=None):
    """Extra field 0x7075."""
    crc = zlib.crc32(header_name) if crc is None else crc
    name = text.encode("utf-8")
    return struct.pack("<HHBI", 0x7075, 5 + len(name), 1, crc) + name


def make_zip(entries, prefix=b"", suffix=b"", comment=b"", count=None):
    out = bytearray(prefix)
    central = bytearray()
    for entry in entries:
        packed = entry.packed()
        crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
        size = len(entry.data) if entry.size is None else entry.size
        offset = len(out) if entry.offset is None else entry.offset
        streamed = bool(entry.flags & STREAMED)
        if not entry.no_local:
            local = (0, 0, 0) if streamed else (crc, len(packed), size)
            if entry.local_size is not None:
                local = (local[0], local[1], entry.local_size)
            out += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, entry.flags, entry.method, entry.time,
                               entry.date, *local, len(entry.name), len(entry.extra))
            out += entry.name + entry.extra + packed
            if entry.descriptor is not None:
                out += entry.descriptor
            elif streamed:
                out += struct.pack("<IIII", 0x08074B50, crc, len(packed), size)
        name = entry.name if entry.central_name is None else entry.central_name
        external = entry.mode << 16 if entry.external is None else entry.external
        central += struct.pack("<IBBHHHHHIIIHHHHHII", 0x02014B50, 20, entry.made_by, 20, entry.flags,
                               entry.method, entry.time, entry.date, crc, len(packed), size, len(name),
                               len(entry.extra), len(entry.comment), 0, 0, external, offset)
        central += name + entry.extra + entry.comment
    start = len(out)
    n = len(entries) if count is None else count
    out += central
    out += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n & 0xFFFF, n & 0xFFFF, len(central), start,
                       len(comment))
    return bytes(out + comment + suffix)


def folder(name, mode=0o40755, **kwargs):
    return Entry(name, mode=mode, **kwargs)


def symlink(name, target, **kwargs):
    return Entry(name, target, mode=0o120777, **kwargs)
