"""Code as ELF64 files: a relocatable object for a linker, and a static executable.

Layout (System V gABI, chapters 4 and 5): file header | program headers | contents of the sections | section headers. An
object defines global functions in .text. Their constants are in .rodata with relocations to them. If a reference is not
whole bytes (AArch64), the constants are behind the code in .text and need no relocation. Two more sections describe the
functions: .eh_frame lets debuggers and C++ exceptions pass through them (`cfi`), and .note.gnu.property keeps the
promises of the files that the object is linked with (`properties`). Each is omitted if hand-written code cannot be
shown to satisfy it. `files.library` links the same parts to a shared library.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .code import CODE_ALIGNMENT, Code
from .deferred import lazy
from .errors import EncodeError
from .records import NamedTuple

if TYPE_CHECKING:
    from . import cfi, properties, walk

walk = lazy(__package__, ".walk")
cfi = lazy(__package__, ".cfi")
properties = lazy(__package__, ".properties")

MACHINE = {"x86": 62, "a64": 183}  # e_machine: EM_X86_64, EM_AARCH64

HEADER = struct.Struct("<4s5B7x2HI3QI6H")
PROGRAM = struct.Struct("<2I6Q")
_SECTION = struct.Struct("<2I4Q2I2Q")
SYMBOL = struct.Struct("<I2B H2Q")
_RELOCATION = struct.Struct("<2Qq")
PROGBITS, SYMTAB, STRTAB, _RELA, NOTE, _X86_64_UNWIND = 1, 2, 3, 4, 7, 0x7000_0001  # sh_type
ALLOC, ALLOC_EXEC, _INFO_LINK = 2, 2 | 4, 0x40  # sh_flags
_LOCAL_SECTION, _LOCAL, GLOBAL_FUNCTION = 3, 0, 1 << 4 | 2  # st_info
_RELOCATABLE, _EXECUTABLE = 1, 2  # e_type
_PC32 = {"x86": 2, "a64": 261}  # R_X86_64_PC32, R_AARCH64_PREL32: S + A - P in 32 bits
LOAD, STACK, READ, WRITE, EXECUTE = 1, 0x6474E551, 4, 2, 1  # p_type, p_flags
_IMAGE = 0x40_0000  # the load address of an executable
PAGE = 0x1_0000  # the largest page of either architecture


class Section(NamedTuple):
    """A section, without its place in the file."""

    name: str
    type: int = 0
    flags: int = 0
    data: bytes = b""
    link: int = 0  # of .symtab: index of its strings
    info: int = 0  # of .symtab: index of the first global symbol; of .rela.text: index of .text
    align: int = 0
    entry_size: int = 0


class ElfSymbol(NamedTuple):
    """A symbol. In an object, its value counts from the beginning of its section."""

    name: str
    info: int
    section: int
    value: int
    size: int


class ProgramHeader(NamedTuple):
    """A program header: bytes of the file and where they are in memory."""

    type: int
    flags: int
    offset: int
    address: int
    size: int
    memory: int  # bytes in memory, size or more
    align: int

    @property
    def packed(self) -> bytes:
        """The bytes of the header."""
        kind, flags, offset, address, size, memory, align = self
        return PROGRAM.pack(kind, flags, offset, address, address, size, memory, align)


class Distance(NamedTuple):
    """Four bytes that a linker sets to the address of a part of the file + addend - their own address."""

    position: int
    addend: int


class Linkable(NamedTuple):
    """What a linker needs of several functions: instructions and constants, which lie apart, and what describes them.

    symbols     the functions, at offsets in `text`
    marks       the symbols between instructions and data, which AArch64 has
    references  the distances in `text` to places in `constants`
    frames      the contents of .eh_frame, without an end mark
    described   the distances in `frames` to functions in `text`
    note        the contents of .note.gnu.property, or b""
    """

    arch: str
    text: bytes
    constants: bytes
    symbols: list[ElfSymbol]
    marks: list[ElfSymbol]
    references: list[Distance]
    frames: bytes
    described: list[Distance]
    note: bytes


def parts(codes: Sequence[Code]) -> Linkable:
    """Return the functions together. Raises EncodeError unless they can be functions of one file."""
    check_together(codes)
    text, constants, frames = bytearray(), bytearray(), b""
    symbols, marks, references, described, notes = [], [], [], [], []
    for code in codes:
        own, pool = _split(code)
        text += bytes(-len(text) % CODE_ALIGNMENT)
        constants += bytes(-len(constants) % CODE_ALIGNMENT)
        start = len(text)
        symbols.append(ElfSymbol(code.symbol, GLOBAL_FUNCTION, 1, start, len(own)))
        marks += _marks(code, start)
        for reference in code.references:
            at = reference.position
            own[at : at + reference.size] = bytes(reference.size)  # the linker adds to these zeros
            addend = reference.target - code.pool[0].offset - (reference.origin - at) + len(constants)
            references.append(Distance(start + at, addend))
        known = walk.trace(code)
        notes.append(properties.note(code, known))
        unwinding = cfi.relocatable_eh_frame(code, known)
        if unwinding is not None:
            described.append(Distance(len(frames) + unwinding.place, start))
            frames += unwinding.data
        text += own
        constants += pool
    note = properties.shared(notes)
    return Linkable(codes[0].arch, bytes(text), bytes(constants), symbols, marks, references, frames, described, note)


def relocatable(*codes: Code) -> bytes:
    """Return an ET_REL object that defines each `code.symbol` as a global function, which C calls by address or name.

    Unwinders can pass through a function if its code moves the stack pointer in ways that can be followed (see `walk`).
    Other hand-written code gets no entry in .eh_frame. The object promises to the linker only what holds for all codes.
    """
    own = parts(codes)
    sections = [Section(".text", PROGBITS, ALLOC_EXEC, own.text, align=CODE_ALIGNMENT)]
    places = [ElfSymbol("", _LOCAL_SECTION, 1, 0, 0)]
    if own.references:
        places.append(ElfSymbol("", _LOCAL_SECTION, 2, 0, 0))
        sections.append(Section(".rodata", PROGBITS, ALLOC, own.constants, align=CODE_ALIGNMENT))
        sections.append(_relocations(own.arch, sections[0], 1, 2, own.references))
    if own.frames:
        sections.append(frames_section(own.arch, own.frames))
        sections.append(_relocations(own.arch, sections[-1], len(sections), 1, own.described))
    if own.note:
        sections.append(note_section(own.note))
    return _file(own.arch, _RELOCATABLE, sections, [*places, *own.marks, *own.symbols])


def frames_section(arch: str, frames: bytes) -> Section:
    """Return the section for unwinders."""
    return Section(".eh_frame", _X86_64_UNWIND if arch == "x86" else PROGBITS, ALLOC, frames, align=8)


def note_section(note: bytes) -> Section:
    """Return the section of promises to the linker."""
    return Section(".note.gnu.property", NOTE, ALLOC, note, align=properties.ALIGNMENT)


def _relocations(arch: str, of: Section, index: int, symbol: int, distances: Iterable[Distance]) -> Section:
    """Return the relocations of the section with this index: its distances to the symbol."""
    data = b"".join(_RELOCATION.pack(at, symbol << 32 | _PC32[arch], addend) for at, addend in distances)
    return Section(f".rela{of.name}", _RELA, _INFO_LINK, data, info=index, align=8, entry_size=_RELOCATION.size)


def _marks(code: Code, start: int) -> list[ElfSymbol]:
    """Return the symbols that tell disassemblers and linkers where instructions and data begin. ELF for AArch64
    requires them (section 5.5.5), ELF for x86-64 has none."""
    if code.arch != "a64":
        return []
    data = [ElfSymbol("$d", _LOCAL, 1, start + code.text_size, 0)] if len(code.data) > code.text_size else []
    return [ElfSymbol("$x", _LOCAL, 1, start, 0), *data]


def _split(code: Code) -> tuple[bytearray, bytes]:
    """Return the instructions and the constants separately; both together if references to constants are not whole
    bytes."""
    if not code.references:
        return bytearray(code.data), b""
    return bytearray(code.data[: code.text_size]), code.data[code.pool[0].offset :]


def check_together(codes: Sequence[Code]) -> None:
    """Raise EncodeError unless the codes can be functions of one file."""
    if not codes:
        raise EncodeError("an object has at least one function")
    for code in codes:
        _check(code)
    names = [code.symbol for code in codes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise EncodeError(f"two functions of an object are named {twice}")
    arches = sorted({code.arch for code in codes})
    if len(arches) > 1:
        raise EncodeError(f"functions of one object are for one architecture, not for {' and '.join(arches)}")


def _check(code: Code) -> None:
    """Raise EncodeError unless ELF knows the architecture."""
    if code.arch not in MACHINE:
        raise EncodeError(f"no ELF machine for architecture {code.arch!r}: one of {', '.join(MACHINE)}")


def executable(code: Code) -> bytes:
    """Return a static ET_EXEC that starts at the label `_start` or at the first instruction. The code itself must
    exit."""
    _check(code)
    text = Section(".text", PROGBITS, ALLOC_EXEC, code.data, align=CODE_ALIGNMENT)
    labels = [
        ElfSymbol(name, _LOCAL, 1, offset, 0) for name, offset in code.labels.items() if not name.startswith(".L")
    ]
    function = ElfSymbol(code.symbol, GLOBAL_FUNCTION, 1, 0, len(code.data))
    return _file(code.arch, _EXECUTABLE, [text], [*_marks(code, 0), *labels, function], code.labels.get("_start", 0))


def strings(names: Iterable[str]) -> tuple[bytes, list[int]]:
    """Return a string table and the offset of each name in it."""
    table, offsets = b"\0", []
    for name in names:
        offsets.append(len(table) if name else 0)
        table += name.encode() + b"\0" if name else b""
    return table, offsets


def symbol_table(symbols: Sequence[ElfSymbol], names: Sequence[int], base: int = 0) -> bytes:
    """Return a symbol table. `names` are offsets in its strings, `base` is what the values count from."""
    packed = (
        SYMBOL.pack(name, each.info, 0, each.section, base + each.value, each.size)
        for each, name in zip(symbols, names)
    )
    return bytes(SYMBOL.size) + b"".join(packed)


def symbol_sections(symbols: Sequence[ElfSymbol], index: int, base: int = 0) -> list[Section]:
    """Return .symtab, which has this index in its file, and its strings. Local symbols come first."""
    text, names = strings(symbol.name for symbol in symbols)
    first_global = 1 + next(i for i, symbol in enumerate(symbols) if symbol.info >> 4)
    table = symbol_table(symbols, names, base)
    return [
        Section(".symtab", SYMTAB, 0, table, index + 1, first_global, 8, SYMBOL.size),
        Section(".strtab", STRTAB, 0, text, align=1),
    ]


def named(sections: Sequence[Section]) -> list[Section]:
    """Return the sections of a file: the empty first one, these, and the one of their names."""
    every = [Section(""), *sections, Section(".shstrtab", STRTAB, align=1)]
    return [*every[:-1], every[-1]._replace(data=strings(each.name for each in every)[0])]


def offsets_of(sections: Iterable[Section], start: int) -> list[int]:
    """Return the offset of each section in a file that has `start` bytes of headers before them."""
    found, end = [], start
    for section in sections:
        end += -end % max(section.align, 1)
        found.append(end if section.type else 0)
        end += len(section.data)
    return found


def _file(arch: str, kind: int, sections: list[Section], symbols: list[ElfSymbol], entry: int = 0) -> bytes:
    """Return the file. `sections` get indices from 1; the symbols (local ones first) and strings follow them."""
    base = _IMAGE if kind == _EXECUTABLE else 0
    programs = 2 if kind == _EXECUTABLE else 0
    start = -(-(HEADER.size + programs * PROGRAM.size) // CODE_ALIGNMENT) * CODE_ALIGNMENT  # offset of .text
    at = len(sections) + 2  # index of .symtab
    every = named(
        [
            *(section._replace(link=at) if section.type == _RELA else section for section in sections),
            Section(".note.GNU-stack", PROGBITS, align=1),
            *symbol_sections(symbols, at, base + start if base else 0),
        ]
    )
    offsets = offsets_of(every, start)
    addresses = [base + place if base and each.flags & ALLOC else 0 for each, place in zip(every, offsets)]
    loaded = start + len(sections[0].data)
    image = [
        ProgramHeader(LOAD, READ | EXECUTE, 0, base, loaded, loaded, PAGE),
        ProgramHeader(STACK, READ | WRITE, 0, 0, 0, 0, 16),
    ]
    return packed(arch, kind, every, offsets, addresses, image[:programs], base + start + entry if base else 0)


def packed(
    arch: str,
    kind: int,
    sections: Sequence[Section],
    offsets: Sequence[int],
    addresses: Sequence[int],
    programs: Sequence[ProgramHeader],
    entry: int = 0,
) -> bytes:
    """Return a file of this e_type with `named` sections at these offsets and addresses."""
    body, headers = bytearray(), b""
    end = max(place + len(each.data) for each, place in zip(sections, offsets))
    end += -end % 8
    header = HEADER.pack(
        b"\x7fELF",
        2,
        1,
        1,
        0,
        0,
        kind,
        MACHINE[arch],
        1,
        entry,
        HEADER.size if programs else 0,
        end,
        0,
        HEADER.size,
        PROGRAM.size if programs else 0,
        len(programs),
        _SECTION.size,
        len(sections),
        len(sections) - 1,
    )
    body += header + b"".join(each.packed for each in programs)
    _, names = strings(section.name for section in sections)
    for section, name, place, address in zip(sections, names, offsets, addresses):
        body += bytes(place - len(body)) + section.data if section.type else b""
        size, links = len(section.data), (section.link, section.info)
        row = name, section.type, section.flags, address, place, size, *links, section.align, section.entry_size
        headers += _SECTION.pack(*row)
    return bytes(body + bytes(end - len(body))) + headers
