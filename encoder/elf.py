"""Code as ELF64 files: a relocatable object for a linker, a static executable, and a C header beside the object.

Layout (System V gABI, chapters 4 and 5): file header | program headers | contents of the sections | section headers.
An object defines one global function in .text. Its constants are in .rodata with relocations to them, or behind the
code in .text with nothing to relocate where a reference is not whole bytes (AArch64). Beside them: .eh_frame, by which
debuggers and C++ exceptions pass through the function (`cfi`), and .note.gnu.property, which keeps the promises of the
files that it is linked with (`properties`); each is left out where the code by hand does not show that it would hold.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from types import ModuleType
from typing import NamedTuple

from .code import CODE_ALIGNMENT, Code
from .deferred import deferred
from .errors import EncodeError

MACHINE = {"x86": 62, "a64": 183}  # e_machine: EM_X86_64, EM_AARCH64

_HEADER = struct.Struct("<4s5B7x2HI3QI6H")
_PROGRAM = struct.Struct("<2I6Q")
_SECTION = struct.Struct("<2I4Q2I2Q")
_SYMBOL = struct.Struct("<I2B H2Q")
_RELOCATION = struct.Struct("<2Qq")
_PROGBITS, _SYMTAB, _STRTAB, _RELA, _NOTE, _X86_64_UNWIND = 1, 2, 3, 4, 7, 0x7000_0001  # sh_type
_ALLOC, _ALLOC_EXEC, _INFO_LINK = 2, 2 | 4, 0x40  # sh_flags
_LOCAL_SECTION, _LOCAL, _GLOBAL_FUNCTION = 3, 0, 1 << 4 | 2  # st_info
_RELOCATABLE, _EXECUTABLE = 1, 2  # e_type
_PC32 = {"x86": 2, "a64": 261}  # R_X86_64_PC32, R_AARCH64_PREL32: S + A - P in 32 bits
_LOAD, _STACK, _READ, _WRITE, _EXECUTE = 1, 0x6474E551, 4, 2, 1  # p_type, p_flags
_IMAGE = 0x40_0000  # where an executable is loaded
_PAGE = 0x1_0000  # the largest page of either architecture


class _Section(NamedTuple):
    name: str
    type: int = 0
    flags: int = 0
    data: bytes = b""
    link: int = 0  # of .symtab: the index of its strings
    info: int = 0  # of .symtab: the index of the first global symbol; of .rela.text: that of .text
    align: int = 0
    entry_size: int = 0


class _Symbol(NamedTuple):
    name: str
    info: int
    section: int
    value: int
    size: int


def relocatable(code: Code) -> bytes:
    """An ET_REL object that defines `code.symbol` as a global function; C calls it by its address or its name.

    Unwinders pass through it if the code moves the stack pointer in ways that can be followed (`walk` says which): code
    by hand that does not gets no .eh_frame. What the code does not show to hold is not promised to the linker.
    """
    _check(code)
    split = bool(code.references)
    text, constants = (code.data[: code.text_size], code.data[code.pool[0].offset :]) if split else (code.data, b"")
    blank = bytearray(text)  # the linker adds to zeros
    relocations = b""
    for reference in code.references:
        blank[reference.position : reference.position + reference.size] = bytes(reference.size)
        addend = reference.target - code.pool[0].offset - (reference.origin - reference.position)
        relocations += _relocation(code, reference.position, 2, addend)
    symbols = [_Symbol("", _LOCAL_SECTION, 1, 0, 0)]
    sections = [_Section(".text", _PROGBITS, _ALLOC_EXEC, bytes(blank), align=CODE_ALIGNMENT)]
    if split:
        symbols.append(_Symbol("", _LOCAL_SECTION, 2, 0, 0))
        sections += [
            _Section(".rodata", _PROGBITS, _ALLOC, constants, align=CODE_ALIGNMENT),
            _Section(".rela.text", _RELA, _INFO_LINK, relocations, info=1, align=8, entry_size=_RELOCATION.size),
        ]
    sections += _described(code, len(sections) + 1)
    function = _Symbol(code.symbol, _GLOBAL_FUNCTION, 1, 0, len(text))
    return _file(code, _RELOCATABLE, sections, [*symbols, function])


@deferred
def _walk() -> ModuleType:
    from . import walk

    return walk


@deferred
def _cfi() -> ModuleType:
    from . import cfi

    return cfi


@deferred
def _properties() -> ModuleType:
    from . import properties

    return properties


def _described(code: Code, index: int) -> list[_Section]:
    """The sections for unwinders and for the linker, the first of which has this index."""
    known = _walk().trace(code)
    frames, note = _cfi().relocatable_eh_frame(code, known), _properties().note(code, known)
    sections = []
    if frames is not None:
        kind = _X86_64_UNWIND if code.arch == "x86" else _PROGBITS
        address = _relocation(code, frames.place, 1, 0)  # of .text: its symbol is the first
        sections += [
            _Section(".eh_frame", kind, _ALLOC, frames.data, align=8),
            _Section(".rela.eh_frame", _RELA, _INFO_LINK, address, info=index, align=8, entry_size=_RELOCATION.size),
        ]
    if note:
        sections.append(_Section(".note.gnu.property", _NOTE, _ALLOC, note, align=_properties().ALIGNMENT))
    return sections


def _relocation(code: Code, position: int, symbol: int, addend: int) -> bytes:
    """Four bytes become the symbol's address + addend - their own."""
    return _RELOCATION.pack(position, symbol << 32 | _PC32[code.arch], addend)


def executable(code: Code) -> bytes:
    """A static ET_EXEC that starts at the label `_start`, or at the first instruction; the code itself must exit."""
    text = _Section(".text", _PROGBITS, _ALLOC_EXEC, code.data, align=CODE_ALIGNMENT)
    labels = [_Symbol(name, _LOCAL, 1, offset, 0) for name, offset in code.labels.items() if not name.startswith(".L")]
    function = _Symbol(code.symbol, _GLOBAL_FUNCTION, 1, 0, len(code.data))
    return _file(code, _EXECUTABLE, [text], [*labels, function], code.labels.get("_start", 0))


def header(code: Code, result: str, parameters: Iterable[str]) -> str:
    """A C and C++ header that declares the function of an object: `header(code, "void", ["float *c", "long n"])`."""
    guard = f"{code.symbol.upper()}_H"
    declaration = f"{result} {code.symbol}({', '.join(parameters) or 'void'});"
    needs = ", ".join(sorted(code.features)) or "nothing beyond the base instructions"
    title = " ".join(code.name.replace("*/", "* /").split())
    return "\n".join([
        f"/* {title}: {code.arch}, {len(code.data)} bytes; needs {needs}. */",
        f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
        "#ifdef __cplusplus", 'extern "C" {', "#endif", "", declaration, "",
        "#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", "",
    ])  # fmt: skip


def _strings(names: Iterable[str]) -> tuple[bytes, list[int]]:
    """A string table, and where each name begins in it."""
    table, offsets = b"\0", []
    for name in names:
        offsets.append(len(table) if name else 0)
        table += name.encode() + b"\0" if name else b""
    return table, offsets


def _check(code: Code) -> None:
    """EncodeError unless ELF knows the architecture."""
    if code.arch not in MACHINE:
        raise EncodeError(f"no ELF machine for architecture {code.arch!r}: one of {', '.join(MACHINE)}")


def _file(code: Code, kind: int, sections: list[_Section], symbols: list[_Symbol], entry: int = 0) -> bytes:
    """The file: `sections` get indices from 1, the symbols (local ones first) and strings come behind them."""
    _check(code)
    base = _IMAGE if kind == _EXECUTABLE else 0
    programs = 2 if kind == _EXECUTABLE else 0
    start = -(-(_HEADER.size + programs * _PROGRAM.size) // CODE_ALIGNMENT) * CODE_ALIGNMENT  # of .text
    strings, names = _strings(symbol.name for symbol in symbols)
    table = bytes(_SYMBOL.size)
    for symbol, name in zip(symbols, names):
        place = base + start + symbol.value if base else symbol.value
        table += _SYMBOL.pack(name, symbol.info, 0, symbol.section, place, symbol.size)
    first_global = 1 + next(i for i, symbol in enumerate(symbols) if symbol.info >> 4)
    at = len(sections) + 2  # of .symtab
    relocating = (section._replace(link=at) if section.type == _RELA else section for section in sections)
    sections = [
        _Section(""), *relocating, _Section(".note.GNU-stack", _PROGBITS, align=1),
        _Section(".symtab", _SYMTAB, 0, table, at + 1, first_global, 8, _SYMBOL.size),
        _Section(".strtab", _STRTAB, 0, strings, align=1),
    ]  # fmt: skip
    section_names, offsets = _strings([section.name for section in sections] + [".shstrtab"])
    sections.append(_Section(".shstrtab", _STRTAB, 0, section_names, align=1))
    body, headers = _contents(sections, offsets, start, base)
    if programs:
        loaded = start + len(code.data)
        _PROGRAM.pack_into(body, _HEADER.size, _LOAD, _READ | _EXECUTE, 0, base, base, loaded, loaded, _PAGE)
        _PROGRAM.pack_into(body, _HEADER.size + _PROGRAM.size, _STACK, _READ | _WRITE, 0, 0, 0, 0, 0, 16)
    _HEADER.pack_into(
        body, 0, b"\x7fELF", 2, 1, 1, 0, 0, kind, MACHINE[code.arch], 1, base + start + entry if base else 0,
        _HEADER.size if programs else 0, len(body), 0, _HEADER.size, _PROGRAM.size if programs else 0, programs,
        _SECTION.size, len(sections), len(sections) - 1,
    )  # fmt: skip
    return bytes(body) + headers


def _contents(sections: list[_Section], names: list[int], start: int, base: int) -> tuple[bytearray, bytes]:
    """Everything up to the section headers, and these."""
    body, headers = bytearray(start), b""
    for section, name in zip(sections, names):
        body += bytes(-len(body) % max(section.align, 1))
        place = len(body) if section.type else 0
        address = base + place if base and section.flags & _ALLOC else 0
        headers += _SECTION.pack(name, section.type, section.flags, address, place, len(section.data),
                                 section.link, section.info, section.align, section.entry_size)  # fmt: skip
        body += section.data
    return body + bytes(-len(body) % 8), headers
