"""Decode bytes to instructions: the form that writes them and its operands, read with the same fields.

decode(b"\\x62\\xf1\\x74\\x48\\x58\\xc2").text        vaddps zmm0, zmm1, zmm2
print(disassemble(code.data, "x86"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .deferred import deferred
from .errors import EncodeError, shown
from .operands import Label, integer, name_of
from .records import NamedTuple
from .table import Form, Table

Places = Callable[[int], "tuple[Label, int] | None"]
"""An offset of the code -> the label there, or that of the constant that contains it, and the bytes behind the
label."""


class _Architecture(NamedTuple):
    """The functions that read one architecture."""

    decode: Callable[[bytes, int], tuple[Any, tuple[Any, ...], int] | None]  # returns form, operands, length
    # takes form, operands, offset behind the instruction
    targets: Callable[[Any, tuple[Any, ...], int], tuple[Any, ...]]
    unit: int  # bytes to skip if nothing can be decoded
    labelled: Callable[[Any, tuple[Any, ...], int, Places], tuple[Any, ...]]
    table: Table


class Instruction(NamedTuple):
    """One decoded instruction."""

    form: Form
    operands: tuple[Any, ...]
    length: int

    @property
    def text(self) -> str:
        """The instruction in the notation of its architecture's manual. A branch shows its distance."""
        return self.form.text(self.operands)


def decode(data: bytes, offset: int = 0, arch: str = "x86") -> Instruction | None:
    """Return the instruction at `offset`; None if no row of the architecture's table writes these bytes."""
    offset = integer(offset, "offset")
    if offset < 0:
        raise EncodeError(f"offset {shown(offset)}: must not be negative, it counts from the first byte")
    found = _architecture(arch).decode(_bytes(data), offset)
    return Instruction(*found) if found else None


def rows_version(arch: str) -> int:
    """A number that changes when rows are added to the architecture's table, which may change how bytes are read."""
    return _architecture(arch).table.version


def instructions(data: bytes, arch: str = "x86") -> Iterator[tuple[int, bytes, Instruction | None]]:
    """Yield offset, bytes and instruction from the first byte on. If there is no instruction, the bytes are the least
    that can be skipped."""
    offset = 0
    while offset < len(_bytes(data)):
        found = decode(data, offset, arch)
        length = found.length if found else _architecture(arch).unit
        yield offset, data[offset : offset + length], found
        offset += length


def disassemble(data: bytes, arch: str = "x86") -> str:
    """Return a line for each instruction: offset, bytes, text; branch targets as offsets, unknown bytes as .byte."""
    targets = _architecture(arch).targets
    lines = []
    for offset, chunk, found in instructions(data, arch):
        if found:
            text = found.form.text(targets(found.form, found.operands, offset + found.length))
        else:
            text = f".byte {', '.join(f'{byte:#04x}' for byte in chunk)}"
        lines.append(f"{offset:6x}  {chunk.hex(' '):<33}  {text}\n")
    return "".join(lines)


def labelled(form: Any, operands: tuple[Any, ...], end: int, places: Places, arch: str) -> tuple[Any, ...]:
    """Return the operands of an instruction that ends at `end`, with labels instead of distances where there are
    labels."""
    return _architecture(arch).labelled(form, operands, end, places)


@deferred
def _x86() -> _Architecture:
    from .x86 import decode

    return _Architecture(decode.decode, decode.targets, 1, decode.labelled, decode.TABLE)


@deferred
def _a64() -> _Architecture:
    from .a64 import decode

    return _Architecture(decode.decode, decode.targets, 4, decode.labelled, decode.TABLE)


_ARCHITECTURES = {"x86": _x86, "a64": _a64}


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
