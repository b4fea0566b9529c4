"""Code as a relocatable ELF64 object: one global function, its constants behind it in .text, nothing to relocate.

Layout (System V gABI, chapter 4): file header | contents of the sections | section headers.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from .code import CODE_ALIGNMENT, Code
from .errors import EncodeError

MACHINE = {"x86": 62, "a64": 183}  # e_machine: EM_X86_64, EM_AARCH64

_HEADER = struct.Struct("<4s5B7x2HI3QI6H")
_SECTION = struct.Struct("<2I4Q2I2Q")
_SYMBOL = struct.Struct("<I2B H2Q")
_PROGBITS, _SYMTAB, _STRTAB = 1, 2, 3  # sh_type
_ALLOC_EXEC = 2 | 4  # sh_flags
_GLOBAL_FUNCTION = 1 << 4 | 2  # st_info: STB_GLOBAL, STT_FUNC
_RELOCATABLE = 1  # e_type


class _Section(NamedTuple):
    name: str
    type: int = 0
    flags: int = 0
    data: bytes = b""
    link: int = 0  # of .symtab: the index of its strings
    info: int = 0  # of .symtab: the index of the first global symbol
    align: int = 0
    entry_size: int = 0


def _strings(names: list[str]) -> tuple[bytes, list[int]]:
    """A string table, and where each name begins in it."""
    table, offsets = b"\0", []
    for name in names:
        offsets.append(len(table) if name else 0)
        table += name.encode() + b"\0" if name else b""
    return table, offsets


def relocatable(code: Code) -> bytes:
    """An ET_REL object that defines `code.symbol` as a global function; C calls it by its address or its name."""
    if code.arch not in MACHINE:
        raise EncodeError(f"no ELF machine for architecture {code.arch!r}: one of {', '.join(MACHINE)}")
    strings, (name,) = _strings([code.symbol])
    symbols = bytes(_SYMBOL.size) + _SYMBOL.pack(name, _GLOBAL_FUNCTION, 0, 1, 0, len(code.data))
    sections = [
        _Section(""),
        _Section(".text", _PROGBITS, _ALLOC_EXEC, code.data, align=CODE_ALIGNMENT),
        _Section(".note.GNU-stack", _PROGBITS, align=1),
        _Section(".symtab", _SYMTAB, 0, symbols, link=4, info=1, align=8, entry_size=_SYMBOL.size),
        _Section(".strtab", _STRTAB, 0, strings, align=1),
    ]
    names, offsets = _strings([section.name for section in sections] + [".shstrtab"])
    sections.append(_Section(".shstrtab", _STRTAB, 0, names, align=1))
    return _file(MACHINE[code.arch], sections, offsets)


def _file(machine: int, sections: list[_Section], names: list[int]) -> bytes:
    body, headers = bytearray(_HEADER.size), b""
    for section, name in zip(sections, names):
        body += bytes(-len(body) % max(section.align, 1))
        place = len(body) if section.type else 0
        headers += _SECTION.pack(name, section.type, section.flags, 0, place, len(section.data),
                                 section.link, section.info, section.align, section.entry_size)  # fmt: skip
        body += section.data
    body += bytes(-len(body) % 8)
    _HEADER.pack_into(
        body, 0, b"\x7fELF", 2, 1, 1, 0, 0, _RELOCATABLE, machine, 1, 0, 0, len(body), 0,
        _HEADER.size, 0, 0, _SECTION.size, len(sections), len(sections) - 1,
    )  # fmt: skip
    return bytes(body) + headers
