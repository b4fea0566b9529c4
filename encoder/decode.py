"""Decode bytes to instructions: the form that writes them and its operands, read with the same fields.

decode(b"\\x62\\xf1\\x74\\x48\\x58\\xc2").text        vaddps zmm0, zmm1, zmm2
print(disassemble(code.data, "x86"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from .deferred import lazy
from .errors import EncodeError, shown
from .operands import Label, integer, name_of
from .records import NamedTuple
from .table import Form, InstructionTable

if TYPE_CHECKING:
    from .a64 import decode as a64_decode
    from .x86 import decode as x86_decode

x86_decode = lazy(__package__, ".x86.decode")
a64_decode = lazy(__package__, ".a64.decode")

Places = Callable[[int], "tuple[Label, int] | None"]
"""An offset of the code -> the label there, or that of the constant that contains it, and the bytes behind the
label."""


class _Architecture(NamedTuple):
    """The functions that read one architecture."""

    decode: Callable[[bytes, int], tuple[Any, tuple[Any, ...], int] | None]  # returns form, operands, length
    # takes form, operands, offset behind the instruction
    targets: Callable[[Any, tuple[Any, ...], int], tuple[Any, ...]]
    why: Callable[[bytes, int], str]  # why bytes that are not decoded are refused
    run: Callable[[bytes, int], int]  # the bytes that belong together at an offset where nothing is decoded
    labelled: Callable[[Any, tuple[Any, ...], int, Places], tuple[Any, ...]]
    table: InstructionTable


class Decoded(NamedTuple):
    """One decoded instruction."""

    form: Form
    operands: tuple[Any, ...]
    length: int

    @property
    def text(self) -> str:
        """The instruction in the notation of its architecture's manual. A branch shows its distance."""
        return self.form.text(self.operands)


def decode(data: bytes, offset: int = 0, arch: str = "x86") -> Decoded | None:
    """Return the instruction at `offset`; None if no row of the architecture's table writes these bytes."""
    offset = integer(offset, "offset")
    if offset < 0:
        raise EncodeError(f"offset {shown(offset)}: must not be negative, it counts from the first byte")
    found = _architecture(arch).decode(_bytes(data), offset)
    return Decoded(*found) if found else None


def why_undefined(data: bytes, offset: int, arch: str) -> str:
    """Return the condition that bytes violate which `decode` takes for no instruction, such as two operands that must
    not be the same register; "" if they are none whatever their operands."""
    return _architecture(arch).why(_bytes(data), offset)


def rows_version(arch: str) -> int:
    """A number that changes when rows are added to the architecture's table, which may change how bytes are read."""
    return _architecture(arch).table.version


def instructions(data: bytes, arch: str = "x86") -> Iterator[tuple[int, bytes, Decoded | None]]:
    """Yield offset, bytes and instruction from the first byte on. An instruction that no row writes is None, with its
    bytes; where there is no instruction, the bytes are prefixes and one more."""
    offset, run = 0, _architecture(arch).run
    while offset < len(_bytes(data)):
        found = decode(data, offset, arch)
        length = found.length if found else run(data, offset)
        yield offset, data[offset : offset + length], found
        offset += length


def texts(data: bytes, arch: str = "x86", base: int = 0) -> Iterator[tuple[int, bytes, str]]:
    """Yield offset, bytes and text of each instruction. Branch targets are offsets plus `base`, the address of the
    first byte. An instruction that no row writes is one .byte with all of its bytes. A prefix that compilers write and
    no row has stands before its instruction: `cs nop`, `fs mov`, `rep ret`."""
    prefixed = _prefixed if name_of(arch, "architecture") == "x86" else None
    for offset, chunk, found in instructions(data, arch):
        if found is None and prefixed:
            names, found, skipped = prefixed(chunk)
            if found:
                yield offset, chunk, names + _text(found, offset + skipped, base, arch)
                continue
        if found:
            yield offset, chunk, _text(found, offset, base, arch)
        else:
            yield offset, chunk, f".byte {', '.join(f'{byte:#04x}' for byte in chunk)}"


def _text(found: Decoded, offset: int, base: int, arch: str) -> str:
    """An instruction at an offset, with the targets of branches as addresses."""
    targets = _architecture(arch).targets
    return found.form.text(targets(found.form, found.operands, base + offset + found.length))


_SEGMENTS = {0x26: "es", 0x2E: "cs", 0x36: "ss", 0x3E: "ds", 0x64: "fs", 0x65: "gs"}
_PREFIXES = {**_SEGMENTS, 0x66: "data16", 0xF2: "bnd", 0xF3: "rep", 0x48: "rex.w"}
"""Prefixes by their names in GNU as, which accepts them before an instruction."""


def _prefixed(chunk: bytes) -> tuple[str, Decoded | None, int]:
    """Read an instruction behind prefixes that do not change what it is. Return the prefixes as text, the instruction
    (None if there is none) and the number of prefixes."""
    at = 0
    while at < len(chunk) and chunk[at] in _PREFIXES:
        at += 1
        found = decode(chunk, at)
        if found and at + found.length == len(chunk) and _precede(chunk[:at], found):
            return "".join(f"{_PREFIXES[each]} " for each in chunk[:at]), found, at
    return "", None, 0


def _precede(prefixes: bytes, found: Decoded) -> bool:
    """Whether these bytes before an instruction leave it what it is: padding before a nop, a segment before memory,
    hints before branches, and an operand size of 16 bits before an instruction whose REX prefix says 64."""
    before, form = set(prefixes), cast(Any, found.form)
    branch = form.mnemonic in ("ret", "jmp", "call")
    memory = any(each.touches_memory for each in form.classes)
    nothing = form.mnemonic == "nop" or found.text == "xchg ax, ax"
    size = {0x66} if form.prefix.w and form.mnemonic == "lea" else set()
    return (
        nothing
        and before <= {*_SEGMENTS, 0x66, 0x48}
        or (memory or branch)
        and before <= {*_SEGMENTS} | size
        or branch
        and before <= {0xF2, 0xF3, 0x3E}
    )


def disassemble(data: bytes, arch: str = "x86") -> str:
    """Return a line for each instruction: offset, bytes, text."""
    return "".join(line(*each) for each in texts(data, arch))


def line(offset: int, chunk: bytes, text: str) -> str:
    """Return a line of a disassembly."""
    return f"{offset:6x}  {chunk.hex(' '):<33}  {text}\n"


def labelled(form: Any, operands: tuple[Any, ...], end: int, places: Places, arch: str) -> tuple[Any, ...]:
    """Return the operands of an instruction that ends at `end`, with labels instead of distances where there are
    labels."""
    return _architecture(arch).labelled(form, operands, end, places)


@cache
def _of(decode: Any) -> _Architecture:
    return _Architecture(decode.decode, decode.targets, decode.why_undefined, decode.run, decode.labelled, decode.TABLE)


_ARCHITECTURES = {"x86": lambda: _of(x86_decode), "a64": lambda: _of(a64_decode)}


def _bytes(data: bytes) -> bytes:
    """Return the data. Raises EncodeError unless it is bytes."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise EncodeError(f"{shown(data)}: code must be bytes")
    return data


def _architecture(arch: str) -> _Architecture:
    """The decoder of an architecture, imported on first use."""
    name = name_of(arch, "architecture")
    if name not in _ARCHITECTURES:
        raise EncodeError(f"no decoder for architecture {shown(name)}: one of {', '.join(_ARCHITECTURES)}")
    return _ARCHITECTURES[name]()
