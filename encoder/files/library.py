"""Functions as a shared library, which a dynamic linker loads: an ET_DYN file of ELF64, made without a linker.

The library is position-independent and needs no relocations, no libraries and no memory that is written. Its sections
lie in three segments, in the order of the file: what is only read (symbols, call frames, constants), instructions, and
.dynamic, which dynamic linkers write to and then protect (PT_GNU_RELRO). Each segment begins on a page of its own in
memory, and in the file where the last one ends. Sources: System V gABI, chapter 5 (dynamic section, hash table); LSB
5.0, 10.6.2 (.eh_frame_hdr); the Linux gABI extensions (PT_GNU_PROPERTY).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from .. import elf
from ..code import CODE_ALIGNMENT, Code
from ..elf import Distance, Linkable, ProgramHeader, Section

_DYNAMIC_FILE = 3  # e_type
_HASH, _DYNAMIC, _DYNSYM = 5, 6, 11  # sh_type
_PT_DYNAMIC, _PT_NOTE, _PT_FRAMES, _PT_RELRO, _PT_PROPERTY = 2, 4, 0x6474E550, 0x6474E552, 0x6474E553  # p_type
_END, _TAG_HASH, _TAG_STRINGS, _TAG_SYMBOLS, _STRINGS_SIZE, _SYMBOL_SIZE, _NAME = 0, 4, 5, 6, 10, 11, 14  # d_tag
_TAG = struct.Struct("<Qq")
_RELATIVE, _UNSIGNED_4, _TABLE = 0x1B, 0x03, 0x3B  # DW_EH_PE: from its own address; a number; from the section's
_ALLOC_WRITE = 1 | 2  # sh_flags
_FDE_HEAD = 8  # bytes of an FDE before the distance to its function


def shared(name: str, codes: Sequence[Code]) -> bytes:
    """Return a shared library with this name (DT_SONAME), which exports each `code.symbol` as a function.

    Unwinders can pass through the functions, and the library makes the promises that `elf.relocatable` makes. Raises
    EncodeError for codes that cannot be functions of one file.
    """
    own = elf.parts(codes)
    every = _sections(own, name, {})
    start = elf.HEADER.size + elf.PROGRAM.size * len(_programs(every, *2 * [[0] * len(every)]))
    offsets = elf.offsets_of(every, start)
    addresses = [
        place + _segment(section) * elf.PAGE if section.flags & elf.ALLOC else 0
        for section, place in zip(every, offsets)
    ]
    every = _sections(own, name, {section.name: address for section, address in zip(every, addresses)})
    programs = _programs(every, offsets, addresses)
    return elf.packed(own.arch, _DYNAMIC_FILE, every, offsets, addresses, programs)


def _segment(section: Section) -> int:
    """Return the number of the segment that a section in memory belongs to."""
    return {elf.ALLOC: 0, elf.ALLOC_EXEC: 1, _ALLOC_WRITE: 2}[section.flags]


def _sections(own: Linkable, name: str, addresses: Mapping[str, int]) -> list[Section]:
    """Return the sections. Their sizes and order do not depend on the addresses, which are 0 where none is given."""
    at = {".text": 0, ".rodata": 0, ".eh_frame": 0, ".eh_frame_hdr": 0, ".hash": 0, ".dynsym": 0, ".dynstr": 0}
    at |= addresses
    text, names = elf.strings([*(each.name for each in own.symbols), name])
    reading: list[Section] = [elf.note_section(own.note)] if own.note else []
    first = 1 + len(reading)  # the index of .hash; .dynsym and .dynstr follow
    reading += [
        Section(".hash", _HASH, elf.ALLOC, _hash([each.name for each in own.symbols]), first + 1, 0, 8, 4),
        Section(".dynsym", _DYNSYM, elf.ALLOC, b"", first + 2, 1, 8, elf.SYMBOL.size),
        Section(".dynstr", elf.STRTAB, elf.ALLOC, text, align=1),
    ]
    if own.frames:
        table = _frame_table(own, at[".eh_frame_hdr"], at[".eh_frame"], at[".text"])
        frames = _linked(own.frames, own.described, at[".eh_frame"], at[".text"]) + bytes(4)
        reading.append(Section(".eh_frame_hdr", elf.PROGBITS, elf.ALLOC, table, align=4))
        reading.append(elf.frames_section(own.arch, frames))
    if own.constants:
        reading.append(Section(".rodata", elf.PROGBITS, elf.ALLOC, own.constants, align=CODE_ALIGNMENT))
    index = 1 + len(reading)
    symbols = [each._replace(section=index) for each in (*own.marks, *own.symbols)]
    exported = elf.symbol_table(symbols[len(own.marks) :], names, at[".text"])
    reading[first] = reading[first]._replace(data=exported)
    instructions = _linked(own.text, own.references, at[".text"], at[".rodata"])
    tags = _tags(at, len(text), names[-1])
    return elf.named(
        [
            *reading,
            Section(".text", elf.PROGBITS, elf.ALLOC_EXEC, instructions, align=CODE_ALIGNMENT),
            Section(".dynamic", _DYNAMIC, _ALLOC_WRITE, tags, first + 2, 0, 8, _TAG.size),
            *elf.symbol_sections(symbols, index + 2, at[".text"]),
        ]
    )


def _linked(data: bytes, distances: Sequence[Distance], here: int, there: int) -> bytes:
    """Return the bytes at the address `here` with their distances to the part at the address `there`."""
    made = bytearray(data)
    for position, addend in distances:
        struct.pack_into("<i", made, position, there + addend - (here + position))
    return bytes(made)


def _tags(at: Mapping[str, int], strings_size: int, name: int) -> bytes:
    """Return the contents of .dynamic. `name` is the offset of the library's name in its strings."""
    rows = [
        (_NAME, name),
        (_TAG_HASH, at[".hash"]),
        (_TAG_STRINGS, at[".dynstr"]),
        (_TAG_SYMBOLS, at[".dynsym"]),
        (_STRINGS_SIZE, strings_size),
        (_SYMBOL_SIZE, elf.SYMBOL.size),
        (_END, 0),
    ]
    return b"".join(_TAG.pack(*row) for row in rows)


def _hash(names: Sequence[str]) -> bytes:
    """Return the hash table of symbols 1 to len(names): a bucket for each, and the chains of those that share one."""
    buckets, chains = [0] * len(names), [0] * (1 + len(names))
    for number, name in enumerate(names, 1):
        bucket = _hash_of(name) % len(buckets)
        chains[number], buckets[bucket] = buckets[bucket], number
    words = len(buckets), len(chains), *buckets, *chains
    return struct.pack(f"<{len(words)}I", *words)


def _hash_of(name: str) -> int:
    """Return the hash of a symbol's name, by the gABI."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF000_0000
        value = (value ^ high >> 24) & ~high
    return value


def _frame_table(own: Linkable, here: int, frames: int, text: int) -> bytes:
    """Return the contents of .eh_frame_hdr at the address `here`: where the call frames are, and for each function in
    order of their addresses, where it begins and where its entry is."""
    head = struct.pack("<4BiI", 1, _RELATIVE, _UNSIGNED_4, _TABLE, frames - (here + 4), len(own.described))
    rows = ((text + addend - here, frames + position - _FDE_HEAD - here) for position, addend in own.described)
    return head + b"".join(struct.pack("<2i", *row) for row in sorted(rows))


def _programs(sections: Sequence[Section], offsets: Sequence[int], addresses: Sequence[int]) -> list[ProgramHeader]:
    """Return the program headers."""
    loaded = [
        (
            section,
            ProgramHeader(elf.LOAD, elf.READ, place, address, len(section.data), len(section.data), section.align),
        )
        for section, place, address in zip(sections, offsets, addresses)
        if section.flags & elf.ALLOC
    ]
    by_name = {section.name: place for section, place in loaded}
    dynamic = by_name[".dynamic"]
    end = dynamic.address + dynamic.size
    whole = end + -end % elf.PAGE - dynamic.address  # up to the end of a page, so that all of it can be protected
    by_kind = [(kind, name) for name, kinds in _DESCRIBED.items() if name in by_name for kind in kinds]
    return [
        _load(0, elf.READ, [each for section, each in loaded if _segment(section) == 0]),
        _load(1, elf.READ | elf.EXECUTE, [by_name[".text"]]),
        _load(2, elf.READ | elf.WRITE, [dynamic])._replace(memory=whole),
        dynamic._replace(type=_PT_DYNAMIC, flags=elf.READ | elf.WRITE),
        dynamic._replace(type=_PT_RELRO, memory=whole, align=1),
        ProgramHeader(elf.STACK, elf.READ | elf.WRITE, 0, 0, 0, 0, 16),
        *(by_name[name]._replace(type=kind) for kind, name in by_kind),
    ]


def _load(number: int, access: int, sections: Sequence[ProgramHeader]) -> ProgramHeader:
    """Return the header of a segment. The first one begins with the file, so that its headers are in memory too."""
    begin = sections[0].offset if number else 0
    size = sections[-1].offset + sections[-1].size - begin
    return ProgramHeader(elf.LOAD, access, begin, begin + number * elf.PAGE, size, size, elf.PAGE)


_DESCRIBED = {".note.gnu.property": (_PT_NOTE, _PT_PROPERTY), ".eh_frame_hdr": (_PT_FRAMES,)}
"""The headers that lead the dynamic linker and unwinders to sections."""
