"""GDB's JIT interface: registers each code as a small ELF file in memory that has its name and call frames.

GDB looks for the symbols __jit_debug_register_code and __jit_debug_descriptor in the files that the process has loaded.
No library of a Python process has them, so this module writes a shared object (four instructions and a table, without a
compiler) and loads it. Sources: GDB manual, "JIT Compilation Interface"; System V gABI, chapters 4 and 5.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _cffi_backend

from ...encoder.code import Code
from ...encoder.deferred import lazy
from ...encoder.elf import MACHINE
from ...encoder.records import NamedTuple
from ..system.interpreters import at_exit
from ..system.libc import ffi

if TYPE_CHECKING:
    from ...encoder import cfi

cfi = lazy(__package__, "...encoder.cfi")

_REGISTER, _UNREGISTER = 1, 2
_PROGBITS, _SYMTAB, _STRTAB, _HASH, _DYNAMIC, _NOBITS, _DYNSYM = 1, 2, 3, 5, 6, 8, 11
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_FUNCTION, _OBJECT = 1 << 4 | 2, 1 << 4 | 1  # global
_GNU_STACK = 0x6474E551
_PAGE = 0x10000  # the largest page size of AArch64


class _DebugSection(NamedTuple):
    name: str
    kind: int
    flags: int
    address: int
    data: bytes
    size: int = 0  # size of a section without data
    link: int = 0
    info: int = 0
    entry: int = 0


def _elf(kind: int, machine: int, programs: bytes, sections: Sequence[_DebugSection], place: Any) -> bytes:
    """Return an ELF64 file; place(address) is the file offset of a section's data, or None for the next free offset."""
    names = b"\0" + b"".join(section.name.encode() + b"\0" for section in sections) + b".shstrtab\0"
    sections = [*sections, _DebugSection(".shstrtab", _STRTAB, 0, 0, names)]
    out = bytearray(64) + programs
    headers = [bytes(64)]
    for section in sections:
        at = place(section.address) if section.flags & _ALLOC and section.data else None
        start = (len(out) + 15 & ~15) if at is None else at
        out.extend(bytes(max(0, start + len(section.data) - len(out))))
        out[start : start + len(section.data)] = section.data
        headers.append(
            struct.pack(
                "<IIQQQQIIQQ",
                names.index(b"\0" + section.name.encode() + b"\0") + 1,
                section.kind,
                section.flags,
                section.address,
                start,
                section.size or len(section.data),
                section.link,
                section.info,
                16,
                section.entry,
            )
        )
    out.extend(bytes(-len(out) % 8))
    out[:64] = struct.pack(
        "<4s5B7x2HI3QI6H",
        b"\x7fELF",
        2,
        1,
        1,
        0,
        0,
        kind,
        machine,
        1,
        0,
        64 if programs else 0,
        len(out),
        0,
        64,
        56,
        len(programs) // 56,
        64,
        len(headers),
        len(headers) - 1,
    )
    return bytes(out) + b"".join(headers)


def symbol_file(code: Code, address: int) -> bytes:
    """Return the ELF file that tells a debugger the name and the frames of the code at an address."""
    name = code.symbol.encode()
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, _FUNCTION, 0, 1, address, code.text_size)
    sections = [
        _DebugSection(".text", _NOBITS, _ALLOC | _EXECUTE, address, b"", len(code.data)),
        _DebugSection(".symtab", _SYMTAB, 0, 0, symbols, link=3, info=1, entry=24),
        _DebugSection(".strtab", _STRTAB, 0, 0, b"\0" + name + b"\0"),
    ]
    frames: bytes = cfi.eh_frame(code, address)
    if frames:  # a fictitious address after the code: this file is never mapped
        sections.append(_DebugSection(".eh_frame", _PROGBITS, _ALLOC, address + (len(code.data) + 63 & ~63), frames))
    return _elf(2, MACHINE[code.arch], b"", sections, lambda address: None)


def hook_library(machine: int, ret: bytes) -> bytes:
    """Return a shared object with the function and the descriptor that GDB looks for."""
    strings = b"\0__jit_debug_register_code\0__jit_debug_descriptor\0"
    text, data, dynamic = 0x800, _PAGE, _PAGE + 0x100
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, _FUNCTION, 0, 4, text, len(ret))
    symbols += struct.pack("<IBBHQQ", 27, _OBJECT, 0, 5, data, 24)
    table = struct.pack("<6I", 1, 3, 1, 0, 2, 0)  # one bucket; chain 1 -> 2
    tags = ((4, 0x400), (5, 0x300), (6, 0x200), (10, len(strings)), (11, 24), (0, 0))
    entries = b"".join(struct.pack("<QQ", *tag) for tag in tags)
    sections = [
        _DebugSection(".dynsym", _DYNSYM, _ALLOC, 0x200, symbols, link=2, info=1, entry=24),
        _DebugSection(".dynstr", _STRTAB, _ALLOC, 0x300, strings),
        _DebugSection(".hash", _HASH, _ALLOC, 0x400, table, link=1, entry=4),
        _DebugSection(".text", _PROGBITS, _ALLOC | _EXECUTE, text, ret),
        _DebugSection(".data", _PROGBITS, _ALLOC | _WRITE, data, struct.pack("<IIQQ", 1, 0, 0, 0)),
        _DebugSection(".dynamic", _DYNAMIC, _ALLOC | _WRITE, dynamic, entries, link=2, entry=16),
    ]
    programs = b"".join(
        struct.pack("<IIQQQQQQ", *program)
        for program in (
            (1, 5, 0, 0, 0, _PAGE, _PAGE, _PAGE),
            (1, 6, _PAGE, _PAGE, _PAGE, 0x200, 0x200, _PAGE),
            (2, 6, dynamic, dynamic, dynamic, len(entries), len(entries), 8),
            (
                _GNU_STACK,
                6,
                0,
                0,
                0,
                0,
                0,
                16,
            ),  # without it glibc asks for an executable stack, or, from 2.41 on, refuses
        )
    )
    return _elf(3, machine, programs, sections, lambda address: address)


class Debugger:
    """The linked list of registered code of this process, in the layout that GDB reads."""

    def __init__(self, machine: int, ret: bytes) -> None:
        # tempfile is avoided, because its import takes a quarter as long as Tilesmith's
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"tilesmith-gdb-{os.getpid()}-{time.monotonic_ns()}.so")
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(hook_library(machine, ret))
        at_exit(Path(path).unlink, missing_ok=True)  # GDB opens the file by its name until exit
        self.library = _cffi_backend.load_library(path, 2)
        load = self.library.load_function
        self.notify = load(ffi.typeof("void(*)(void)"), "__jit_debug_register_code")
        where = int(ffi.cast("uintptr_t", load(ffi.typeof("void(*)(void)"), "__jit_debug_descriptor")))
        self.actions = ffi.cast("uint32_t *", where)
        self.links = ffi.cast("uint64_t *", where + 8)  # relevant entry, first entry
        self.entries: list[tuple[Any, Any]] = []

    def register(self, code: Code, address: int) -> None:
        """Register code with GDB. Entries are never removed, because a stale one does less harm than a missing one."""
        data = symbol_file(code, address)
        image = ffi.new("char[]", data)
        entry = ffi.new(
            "uint64_t[4]", [self.links[1], 0, int(ffi.cast("uintptr_t", image)), len(data)]
        )  # next, previous
        here = int(ffi.cast("uintptr_t", entry))
        if self.links[1]:
            ffi.cast("uint64_t *", self.links[1])[1] = here
        self.entries.append((entry, image))
        self.links[0] = self.links[1] = here
        self.actions[1] = _REGISTER
        self.notify()
