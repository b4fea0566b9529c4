"""Code as ELF64 files: a relocatable object for a linker, a static executable, and a C header for the object.

Layout (System V gABI, chapters 4 and 5): file header | program headers | contents of the sections | section headers. An
object defines global functions in .text. Their constants are in .rodata with relocations to them. If a reference is not
whole bytes (AArch64), the constants are behind the code in .text and need no relocation. Two more sections describe the
functions: .eh_frame lets debuggers and C++ exceptions pass through them (`cfi`), and .note.gnu.property keeps the
promises of the files that the object is linked with (`properties`). Each is omitted if hand-written code cannot be
shown to satisfy it.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .code import CODE_ALIGNMENT, Code
from .deferred import lazy
from .errors import EncodeError
from .frames import Untraceable
from .records import NamedTuple

if TYPE_CHECKING:
    import pathlib
    from pathlib import Path

    from . import cfi, listing, properties, walk

listing = lazy(__package__, ".listing")
walk = lazy(__package__, ".walk")
cfi = lazy(__package__, ".cfi")
properties = lazy(__package__, ".properties")
pathlib = lazy(None, "pathlib")

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
_IMAGE = 0x40_0000  # the load address of an executable
_PAGE = 0x1_0000  # the largest page of either architecture


class _Section(NamedTuple):
    name: str
    type: int = 0
    flags: int = 0
    data: bytes = b""
    link: int = 0  # of .symtab: index of its strings
    info: int = 0  # of .symtab: index of the first global symbol; of .rela.text: index of .text
    align: int = 0
    entry_size: int = 0


class _Symbol(NamedTuple):
    name: str
    info: int
    section: int
    value: int
    size: int


def relocatable(*codes: Code) -> bytes:
    """Return an ET_REL object that defines each `code.symbol` as a global function, which C calls by address or name.

    Unwinders can pass through a function if its code moves the stack pointer in ways that can be followed (see `walk`).
    Other hand-written code gets no entry in .eh_frame. The object promises to the linker only what holds for all codes.
    """
    _check_together(codes)
    text, constants, relocations = bytearray(), bytearray(), b""
    starts, symbols, marks = [], [], []
    for code in codes:
        own, pool = _split(code)
        text += bytes(-len(text) % CODE_ALIGNMENT)
        constants += bytes(-len(constants) % CODE_ALIGNMENT)
        starts.append(len(text))
        symbols.append(_Symbol(code.symbol, _GLOBAL_FUNCTION, 1, len(text), len(own)))
        marks += _marks(code, len(text))
        for reference in code.references:
            at = reference.position
            own[at : at + reference.size] = bytes(reference.size)  # the linker adds to these zeros
            addend = reference.target - code.pool[0].offset - (reference.origin - at) + len(constants)
            relocations += _relocation(code, len(text) + at, 2, addend)
        text += own
        constants += pool
    sections = [_Section(".text", _PROGBITS, _ALLOC_EXEC, bytes(text), align=CODE_ALIGNMENT)]
    places = [_Symbol("", _LOCAL_SECTION, 1, 0, 0)]
    if relocations:
        places.append(_Symbol("", _LOCAL_SECTION, 2, 0, 0))
        sections += [
            _Section(".rodata", _PROGBITS, _ALLOC, bytes(constants), align=CODE_ALIGNMENT),
            _Section(".rela.text", _RELA, _INFO_LINK, relocations, info=1, align=8, entry_size=_RELOCATION.size),
        ]
    sections += _described(codes, starts, len(sections) + 1)
    return _file(codes[0], _RELOCATABLE, sections, [*places, *marks, *symbols])


def _marks(code: Code, start: int) -> list[_Symbol]:
    """Return the symbols that tell disassemblers and linkers where instructions and data begin. ELF for AArch64
    requires them (section 5.5.5), ELF for x86-64 has none."""
    if code.arch != "a64":
        return []
    data = [_Symbol("$d", _LOCAL, 1, start + code.text_size, 0)] if len(code.data) > code.text_size else []
    return [_Symbol("$x", _LOCAL, 1, start, 0), *data]


def _split(code: Code) -> tuple[bytearray, bytes]:
    """Return the instructions and the constants separately; both together if references to constants are not whole
    bytes."""
    if not code.references:
        return bytearray(code.data), b""
    return bytearray(code.data[: code.text_size]), code.data[code.pool[0].offset :]


def _check_together(codes: Sequence[Code]) -> None:
    """Raise EncodeError unless the codes can be functions of one object."""
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


def _described(codes: Sequence[Code], starts: Sequence[int], index: int) -> list[_Section]:
    """Return the sections for unwinders and for the linker. The first has this index."""
    frames, relocations, notes = b"", b"", []
    for code, start in zip(codes, starts):
        known = walk.trace(code)
        own = cfi.relocatable_eh_frame(code, known)
        notes.append(properties.note(code, known))
        if own is not None:
            relocations += _relocation(code, len(frames) + own.place, 1, start)  # the symbol of .text is the first
            frames += own.data
    sections = []
    if frames:
        kind = _X86_64_UNWIND if codes[0].arch == "x86" else _PROGBITS
        sections += [
            _Section(".eh_frame", kind, _ALLOC, frames, align=8),
            _Section(
                ".rela.eh_frame", _RELA, _INFO_LINK, relocations, info=index, align=8, entry_size=_RELOCATION.size
            ),
        ]
    note = properties.shared(notes)
    if note:
        sections.append(_Section(".note.gnu.property", _NOTE, _ALLOC, note, align=properties.ALIGNMENT))
    return sections


def _relocation(code: Code, position: int, symbol: int, addend: int) -> bytes:
    """Return a relocation that sets four bytes to the symbol's address + addend - their own address."""
    return _RELOCATION.pack(position, symbol << 32 | _PC32[code.arch], addend)


def executable(code: Code) -> bytes:
    """Return a static ET_EXEC that starts at the label `_start` or at the first instruction. The code itself must
    exit."""
    text = _Section(".text", _PROGBITS, _ALLOC_EXEC, code.data, align=CODE_ALIGNMENT)
    labels = [_Symbol(name, _LOCAL, 1, offset, 0) for name, offset in code.labels.items() if not name.startswith(".L")]
    function = _Symbol(code.symbol, _GLOBAL_FUNCTION, 1, 0, len(code.data))
    return _file(code, _EXECUTABLE, [text], [*_marks(code, 0), *labels, function], code.labels.get("_start", 0))


_RESERVED = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
    requires restrict return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while
    xor xor_eq
"""
"""Words of C and C++ that cannot name a function or a parameter."""


def c_name(name: str) -> str:
    """Return the name if it can name a C function, else raise TypeError or ValueError."""
    if not isinstance(name, str):
        raise TypeError(f"name: a string that names a C function, not {name!r}")
    if not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII):
        raise ValueError(f"name: letters, digits and underscores, no digit first, not {name!r}")
    if name in _RESERVED.split():
        raise ValueError(f"name: {name} is a reserved word of C or C++ and cannot name a function")
    return name


def c_parameter(kind: str, name: str) -> str:
    """Return a C parameter declaration. A name that is a word of C or C++ gets a trailing underscore."""
    return f"{kind}{name}{'_' * (name in _RESERVED.split())}"


class Declared(NamedTuple):
    """A function of an object, as its header declares it."""

    code: Code
    result: str
    parameters: tuple[str, ...]
    about: str = ""  # lines that say what it computes and expects
    macros: tuple[tuple[str, int], ...] = ()  # numbers that its callers need

    @property
    def declaration(self) -> str:
        """The declaration in C."""
        return f"{self.result} {self.code.symbol}({', '.join(self.parameters) or 'void'});"

    @property
    def _stack(self) -> str:
        """How much stack a call needs, in words. Code whose frames are not known, such as that of other assemblers,
        says nothing."""
        try:
            return f" A call needs {walk.stack_bytes(self.code)} bytes of stack."
        except Untraceable:
            return ""

    @property
    def comment(self) -> str:
        """A comment for readers, including what the processor and the process must have."""
        code = self.code
        needs = ", ".join(sorted(code.features)) or "nothing beyond the base instructions"
        title = f"{' '.join(code.name.split())}: {code.arch}, {len(code.data)} bytes; needs {needs}."
        title += self._stack
        asks = _TILE_DATA if "AMX_TILE" in code.features else ""
        lines = [title, *(f"{self.about}{asks}".splitlines())]
        shown = (f" * {line.replace('*/', '* /')}".rstrip() for line in lines)
        return "/" + "\n".join(shown).lstrip() + " */"


_TILE_DATA = """
Linux gives a process tile registers when it asks for them, once, before the first call:
syscall(SYS_arch_prctl, 0x1023 (ARCH_REQ_XCOMP_PERM), 18), which returns 0."""


def header(code: Code, result: str, parameters: Iterable[str], about: str = "") -> str:
    """Return a C and C++ header that declares an object's function: `header(code, "void", ["float *c", "long n"])`."""
    return headers(code.symbol, [Declared(code, result, tuple(parameters), about)])


def headers(name: str, functions: Sequence[Declared]) -> str:
    """Return a header that declares several functions. Its guard is named after `name`."""
    guard = re.sub(r"\W", "_", name.upper(), flags=re.ASCII) + "_H"
    declared = [
        line
        for each in functions
        for line in (each.comment, *(f"#define {macro} {value}" for macro, value in each.macros), each.declaration, "")
    ]
    return "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#include <stdint.h>",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            *declared,
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "",
            f"#endif /* {guard} */",
            "",
        ]
    )


def path_of(path: str | Path) -> Path:
    """Return the path of a file, or raise TypeError."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path: the name of a file, not {type(path).__name__}")
    return pathlib.Path(path)


def write(path: str | Path, function: Declared) -> None:
    """Write a function in the form that the suffix names: .s (GNU as), .o (an object), .h (its header) or .bin."""
    path = path_of(path)
    if path.suffix == ".s":
        store(path, listing.listing(function.code, "gas"))
    elif path.suffix == ".o":
        store(path, relocatable(function.code))
    elif path.suffix == ".h":
        store(path, headers(function.code.symbol, [function]))
    elif path.suffix == ".bin":
        store(path, function.code.data)
    else:
        made = _LINKED.get(path.suffix, "").format(path.name, path.with_suffix(".o").name)
        raise ValueError(f"path: a name ending in .s, .o, .h or .bin, not {str(path)!r}{made}")


_LINKED = {
    ".a": "; `ar rcs {} {}` makes an archive of an object",
    ".so": "; `gcc -shared -o {} {}` makes a shared library of an object",
}
"""What makes other files of an object, by their endings."""


def store(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8 whatever the locale is."""
    with whole(path):
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole(path: Path) -> Iterator[None]:
    """Write a file inside of this context. If its content cannot be written, because the disk is full, the part that
    was written is removed, and the error names the file. Programs such as make would take the part for the file."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:  # it was not opened, so it is as it was
            raise
        if path.is_file() and not path.is_symlink():
            path.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def _strings(names: Iterable[str]) -> tuple[bytes, list[int]]:
    """Return a string table and the offset of each name in it."""
    table, offsets = b"\0", []
    for name in names:
        offsets.append(len(table) if name else 0)
        table += name.encode() + b"\0" if name else b""
    return table, offsets


def _check(code: Code) -> None:
    """Raise EncodeError unless ELF knows the architecture."""
    if code.arch not in MACHINE:
        raise EncodeError(f"no ELF machine for architecture {code.arch!r}: one of {', '.join(MACHINE)}")


def _file(code: Code, kind: int, sections: list[_Section], symbols: list[_Symbol], entry: int = 0) -> bytes:
    """Return the file. `sections` get indices from 1; the symbols (local ones first) and strings follow them."""
    _check(code)
    base = _IMAGE if kind == _EXECUTABLE else 0
    programs = 2 if kind == _EXECUTABLE else 0
    start = -(-(_HEADER.size + programs * _PROGRAM.size) // CODE_ALIGNMENT) * CODE_ALIGNMENT  # offset of .text
    strings, names = _strings(symbol.name for symbol in symbols)
    table = bytes(_SYMBOL.size)
    for symbol, name in zip(symbols, names):
        place = base + start + symbol.value if base else symbol.value
        table += _SYMBOL.pack(name, symbol.info, 0, symbol.section, place, symbol.size)
    first_global = 1 + next(i for i, symbol in enumerate(symbols) if symbol.info >> 4)
    at = len(sections) + 2  # index of .symtab
    relocating = (section._replace(link=at) if section.type == _RELA else section for section in sections)
    sections = [
        _Section(""),
        *relocating,
        _Section(".note.GNU-stack", _PROGBITS, align=1),
        _Section(".symtab", _SYMTAB, 0, table, at + 1, first_global, 8, _SYMBOL.size),
        _Section(".strtab", _STRTAB, 0, strings, align=1),
    ]
    section_names, offsets = _strings([section.name for section in sections] + [".shstrtab"])
    sections.append(_Section(".shstrtab", _STRTAB, 0, section_names, align=1))
    body, headers = _contents(sections, offsets, start, base)
    if programs:
        loaded = start + len(code.data)
        _PROGRAM.pack_into(body, _HEADER.size, _LOAD, _READ | _EXECUTE, 0, base, base, loaded, loaded, _PAGE)
        _PROGRAM.pack_into(body, _HEADER.size + _PROGRAM.size, _STACK, _READ | _WRITE, 0, 0, 0, 0, 0, 16)
    _HEADER.pack_into(
        body,
        0,
        b"\x7fELF",
        2,
        1,
        1,
        0,
        0,
        kind,
        MACHINE[code.arch],
        1,
        base + start + entry if base else 0,
        _HEADER.size if programs else 0,
        len(body),
        0,
        _HEADER.size,
        _PROGRAM.size if programs else 0,
        programs,
        _SECTION.size,
        len(sections),
        len(sections) - 1,
    )
    return bytes(body) + headers


def _contents(sections: list[_Section], names: list[int], start: int, base: int) -> tuple[bytearray, bytes]:
    """Return everything up to the section headers, and the section headers."""
    body, headers = bytearray(start), b""
    for section, name in zip(sections, names):
        body += bytes(-len(body) % max(section.align, 1))
        place = len(body) if section.type else 0
        address = base + place if base and section.flags & _ALLOC else 0
        headers += _SECTION.pack(
            name,
            section.type,
            section.flags,
            address,
            place,
            len(section.data),
            section.link,
            section.info,
            section.align,
            section.entry_size,
        )
        body += section.data
    return body + bytes(-len(body) % 8), headers
