"""`tilesmith disasm`: the instructions in ELF files of either architecture, in raw bytes, or in a pipe's data.

It reads ELF64, little-endian, for x86-64 or AArch64 (System V gABI, chapters 4 and 5). For an object, a shared library
or a program, every section with instructions is listed, with the names of its functions and the linker's references.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from ...encoder.decode import disassemble, instructions, line, texts
from ...encoder.elf import MACHINE
from ...encoder.records import NamedTuple

_MAGIC, _ARCHIVE = b"\x7fELF", b"!<arch>\n"
_MACH_O = [bytes.fromhex(magic) for magic in ("cffaedfe", "cefaedfe", "feedfacf", "feedface", "cafebabe", "cafebabf")]
_PE_HEADER_AT = 60
_COFF, _COFF_MACHINES = struct.Struct("<2H3I2H"), (0x8664, 0xAA64)
_CLASS_64, _LITTLE = 2, 1
_HEADER = struct.Struct("<16s2HI3QI6H")
_SECTION = struct.Struct("<2I4Q2I2Q")
_SYMBOL = struct.Struct("<I2B H2Q")
_RELOCATION = struct.Struct("<2Qq")
_SYMTAB, _RELA, _NOBITS, _DYNSYM = 2, 4, 8, 11  # sh_type
_EXECINSTR = 4  # sh_flags
_SECTION_SYMBOL, _FUNCTION, _INDIRECT = 3, 2, 10  # of st_info; STT_GNU_IFUNC is a function that chooses one
_RELOCATABLE = 1  # e_type
_LOOKED_AT = 1 << 14  # the bytes of a file that determine its architecture
_A64_SHARE = 0.55
MOST_BYTES = 1 << 26
"""The most bytes that are read from a pipe or a device."""


class Text(NamedTuple):
    """A section of instructions: its name, its address (0 in an object), its bytes, and by offset the names of
    functions and of linker references, and whether data (True) or code begin there, as objects for AArch64 say."""

    name: str
    address: int
    data: bytes
    functions: dict[int, str]
    references: dict[int, str]
    data_begins: dict[int, bool]


class _ObjectSection(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int


def read(path: Path) -> bytes:
    """Return the bytes of a file; `-` stands for the standard input. Raise ValueError if a pipe or a device, whose size
    is not known in advance, has more than MOST_BYTES."""
    if str(path) == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    elif path.is_file():
        return path.read_bytes()
    else:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(
            f"file: {path} has more than {MOST_BYTES >> 20} MiB, and may have no end; write what you want "
            "to see to a file, and give its name"
        )
    return data


def listed(data: bytes, arch: str | None) -> str:
    """Return a line for each instruction of an ELF file or of raw bytes. Raise ValueError for other data, and if `arch`
    is not the file's. Without `arch`, the architecture of raw bytes is guessed (`guessed`)."""
    if not data:
        raise ValueError("file: it is empty")
    if data.startswith(_ARCHIVE):
        raise ValueError("file: an archive (.a); `ar x` takes its objects out, which disasm reads")
    other = _other_format(data)
    if other:
        raise ValueError(f"file: {other}; disasm reads ELF files and raw bytes, `llvm-objdump -d` reads this one")
    if arch is None and _is_text(data):
        raise ValueError("file: text, not code; gcc -c makes an object of a source, which disasm reads")
    if not data.startswith(_MAGIC):
        return disassemble(data, arch or guessed(data))
    own, texts = sections(data)
    if arch not in (None, own):
        raise ValueError(f"--arch: the file says {own}, not {arch}")
    return "".join(f"{text.name}: {own}, {len(text.data)} bytes\n{''.join(_lines(text, own))}" for text in texts)


def _other_format(data: bytes) -> str:
    """The name of a format that is neither ELF nor raw bytes; empty if it is none of those that are known."""
    if data[:4] in _MACH_O:
        return "a Mach-O file, of macOS"
    if data[:2] == b"MZ" and len(data) >= _PE_HEADER_AT + 4:
        (header,) = struct.unpack_from("<I", data, _PE_HEADER_AT)
        return "a PE file, of Windows" if data[header : header + 4] == b"PE\0\0" else ""
    if len(data) > _COFF.size:
        machine, count, _, symbols, _, optional, _ = _COFF.unpack_from(data)
        if machine in _COFF_MACHINES and not optional and 0 < count < 1 << 12 and _COFF.size <= symbols < len(data):
            return "a COFF object, of Windows"
    return ""


def _is_text(data: bytes) -> bool:
    """Whether these are lines of printable ASCII."""
    return data.count(b"\n") > 1 and data.isascii() and data.translate(None, b"\t\n\r").decode().isprintable()


def guessed(data: bytes) -> str:
    """Return the likely architecture of raw bytes. Nearly any bytes are x86 instructions, so the decision counts words
    that are A64 instructions: at least 66 % of our A64 kernels (the others are constants), at most 47 % of x86
    kernels."""
    looked = data[:_LOOKED_AT]
    words = sum(len(chunk) for _, chunk, found in instructions(looked, "a64") if found)
    return "a64" if words > _A64_SHARE * len(looked) else "x86"


def _lines(text: Text, arch: str) -> Iterator[str]:
    """Yield the output of `disassemble`, with names between the lines and references after them. Data are words."""
    is_data = False
    for offset, chunk, shown in _decoded(text, arch):
        is_data = text.data_begins.get(offset, is_data)
        if offset in text.functions:
            yield f"{text.functions[offset]}:\n"
        names = [text.references[at] for at in range(offset, offset + len(chunk)) if at in text.references]
        shown = f".word {int.from_bytes(chunk, 'little'):#010x}" if is_data else shown
        made = line(text.address + offset, chunk, shown)
        yield f"{made.rstrip():<80} ; {', '.join(names)}\n" if names else made


def _decoded(text: Text, arch: str) -> Iterator[tuple[int, bytes, str]]:
    """Yield the offset, bytes and text of each instruction. One begins where a function does, whatever the bytes before
    it look like: padding and constants between functions are no instructions."""
    size = len(text.data)
    starts = sorted({0, *(at for at in (*text.functions, *text.data_begins) if 0 < at < size)})
    for start, end in pairwise([*starts, size]):
        for offset, chunk, shown in texts(text.data[start:end], arch, text.address + start):
            yield start + offset, chunk, shown


def sections(data: bytes) -> tuple[str, list[Text]]:
    """Return the architecture of an ELF file and its sections of instructions. Raise ValueError for other files."""
    try:
        return _sections(data)
    except (struct.error, IndexError, OverflowError, UnicodeDecodeError):
        raise ValueError("file: an ELF file that is cut off or damaged") from None


def _sections(data: bytes) -> tuple[str, list[Text]]:
    ident, kind, machine, _, _, _, start, _, _, _, _, size, count, names_at = _HEADER.unpack_from(data)
    arch = next((name for name, number in MACHINE.items() if number == machine), None)
    if ident[4:6] != bytes((_CLASS_64, _LITTLE)) or arch is None:
        raise ValueError(
            f"file: an ELF file of 64 bits, little-endian, for {' or '.join(MACHINE)}, not of class {ident[4]}, "
            f"byte order {ident[5]} and machine {machine}"
        )
    rows = [_ObjectSection(*_SECTION.unpack_from(data, start + i * size)) for i in range(count)]
    found = []
    for index, row in enumerate(rows):
        if row.flags & _EXECINSTR and row.type != _NOBITS and row.size:
            address = 0 if kind == _RELOCATABLE else row.address
            functions, data_begins = _symbols_of(data, rows, index, address)
            found.append(
                Text(
                    _text(data, rows[names_at], row.name),
                    address,
                    _content(data, row),
                    functions,
                    _references(data, rows, index, names_at),
                    data_begins,
                )
            )
    if not found:
        raise ValueError("file: an ELF file without sections of instructions")
    return arch, found


def _content(data: bytes, row: _ObjectSection) -> bytes:
    if row.offset + row.size > len(data):
        raise IndexError(row.offset)
    return data[row.offset : row.offset + row.size]


def _text(data: bytes, strings: _ObjectSection, offset: int) -> str:
    """Return a name from a string table."""
    table = _content(data, strings)
    return table[offset:].partition(b"\0")[0].decode()


def _symbols(data: bytes, table: _ObjectSection) -> list[tuple[int, int, int, int, int, int]]:
    """Return the name, info, other, section, value and size of each symbol."""
    return list(_SYMBOL.iter_unpack(_content(data, table)[: table.size // _SYMBOL.size * _SYMBOL.size]))


def _symbols_of(
    data: bytes, rows: list[_ObjectSection], index: int, base: int
) -> tuple[dict[int, str], dict[int, bool]]:
    """Return the functions of a section, keyed by their offset in it, and where data and code begin according to the
    symbols $d and $x (ELF for AArch64, section 5.5.5). A library without its symbol table has those that the dynamic
    linker needs."""
    functions, data_begins = {}, {}
    for kind in (_DYNSYM, _SYMTAB):  # where both have a name for a place, that of the symbol table
        for table in (row for row in rows if row.type == kind):
            for name, info, _, section, value, _ in _symbols(data, table):
                if section == index and info & 15 in (_FUNCTION, _INDIRECT):
                    functions[value - base] = _text(data, rows[table.link], name)
                elif section == index and info == 0 and name:
                    marker = _text(data, rows[table.link], name).partition(".")[0]
                    if marker in ("$d", "$x"):
                        data_begins[value - base] = marker == "$d"
    return functions, data_begins


def _references(data: bytes, rows: list[_ObjectSection], index: int, names_at: int) -> dict[int, str]:
    """Return what the linker writes into a section, keyed by offset: a symbol or section, and an addend in bytes."""
    found = {}
    for row in rows:
        if row.type == _RELA and row.info == index:
            table = rows[row.link]
            symbols = _symbols(data, table)
            for at, what, addend in _RELOCATION.iter_unpack(_content(data, row)):
                name, info, _, section, _, _ = symbols[what >> 32]
                own = info & 15 == _SECTION_SYMBOL
                shown = _text(data, rows[names_at], rows[section].name) if own else _text(data, rows[table.link], name)
                found[at] = f"{shown}{addend:+#x}" if addend else shown
    return found
