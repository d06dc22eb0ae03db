#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""Takes out of a 64-bit ELF program, in place, what depends on the folder of its build.

Swift's hashes of modules and summaries for the debugger do, and nothing reads them as the program runs. Their bytes become
zeros: without the sections themselves strip would lose the mark of what is made read-only. The build-id, which the linker
made over them, becomes a hash of what is left.
"""

import hashlib
import struct
import sys


def sections(program):
    """Name → (offset, size) of each section."""
    (headers,) = struct.unpack_from("<Q", program, 0x28)
    size, count, names = struct.unpack_from("<HHH", program, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", program, headers + size * index) for index in range(count)]
    texts = rows[names][4]
    found = {}
    for name, _, _, _, offset, length in rows:
        start = texts + name
        found[program[start:program.index(b"\0", start)].decode()] = (offset, length)
    return found


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        program = bytearray(file.read())
    known = sections(program)
    for name in (".swift_modhash", ".lldbsummaries"):
        if name in known:
            offset, length = known[name]
            program[offset:offset + length] = bytes(length)
    # The note's header has 16 bytes; the identity is that of SHA-1.
    offset, length = known[".note.gnu.build-id"]
    if length != 36:
        sys.exit(f"{path}: a build-id of an unknown form")
    program[offset + 16:offset + 36] = bytes(20)
    program[offset + 16:offset + 36] = hashlib.sha1(program).digest()
    with open(path, "wb") as file:
        file.write(program)


main()
