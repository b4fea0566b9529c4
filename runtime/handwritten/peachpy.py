"""Functions that PeachPy assembled, as callables: `ts.from_peachpy(function.finalize(abi.detect()).encode())`.

This module does not import PeachPy. It reads PeachPy's EncodedFunction by attribute, or a `Moved` form of it, which
comes from another interpreter as JSON (docs/peachpy.md has the few lines that write it). Code and constants are laid
out as by PeachPy's own loader, but in one block: the constants follow the code, and neither is writable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...encoder.decode import disassemble, instructions
from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import address_of, as_array, numpy_dtype
from ..arguments.c_declaration import C_NAMES, PASSED, TYPES, Parameter, address, check_number
from ..host import detect as host
from ..memory.executable import publish
from ..system.libc import ffi

ABI = "SystemV x86-64 ABI"
_PADDING = b"\xcc"  # int3, PeachPy's filler
_PAGE = 4096  # bytes: the alignment of a block, and the largest one of a section


class Relocation(NamedTuple):
    """Four bytes of code that hold the distance of a constant from the end of their instruction."""

    offset: int
    program_counter: int  # the end of the instruction
    constant: int  # offset into the constants


class Moved(NamedTuple):
    """The parts of an EncodedFunction that are needed to call it."""

    name: str
    code: bytes
    constants: bytes
    alignment: int  # of the constants, in bytes
    relocations: tuple[Relocation, ...]
    arguments: tuple[tuple[str, str], ...]  # name and C type
    result: str  # C type, "void" for none

    def linked(self) -> bytes:
        """Return the code followed by its constants, with every distance filled in."""
        start = -(-len(self.code) // self.alignment) * self.alignment
        made = bytearray(self.code.ljust(start, _PADDING) if self.constants else self.code) + self.constants
        for at, behind, constant in self.relocations:
            if not (0 <= at <= len(self.code) - 4 and 0 <= constant < len(self.constants)):
                raise UnsupportedError(f"{self.name}: a relocation at {at} of constant {constant} is out of bounds")
            old = int.from_bytes(made[at : at + 4], "little", signed=True)
            distance = old + start + constant - behind
            if not -(1 << 31) <= distance < 1 << 31:
                raise UnsupportedError(f"{self.name}: a relocation at {at} reaches {distance} bytes far")
            made[at : at + 4] = distance.to_bytes(4, "little", signed=True)
        return bytes(made)


def from_peachpy(function: Any) -> PeachPyFunction:
    """Make a callable of PeachPy's EncodedFunction, or of its moved form: a mapping or JSON text (docs/peachpy.md).

    Arguments and results may be integers, float, double and pointers, under the System V ABI. UnsupportedError names
    any other type or ABI, and the instructions that this processor lacks.
    """
    if isinstance(function, (str, bytes)):
        try:
            function = json.loads(function)
        except ValueError as error:
            raise UnsupportedError(f"no JSON of a PeachPy function, as docs/peachpy.md writes it: {error}") from None
    moved = _of_mapping(function) if isinstance(function, Mapping) else _of_object(function)
    return PeachPyFunction(moved)


class PeachPyFunction:
    """Machine code by PeachPy. Call it with integers, floats, and arrays or addresses for pointers; nothing is copied.

    code      the bytes, constants included
    address   the entry in this process
    """

    __slots__ = ("name", "arguments", "result", "code", "_block", "_function", "_size")

    def __init__(self, moved: Moved) -> None:
        self.name, self.arguments, self.result = moved.name, moved.arguments, moved.result
        types = ", ".join(_c_type(moved.name, name, text) for name, text in moved.arguments)
        signature = f"{_c_type(moved.name, 'result', moved.result)}(*)({types or 'void'})"
        if not 1 <= moved.alignment <= _PAGE or moved.alignment & moved.alignment - 1:
            raise UnsupportedError(
                f"{moved.name}: its constants are aligned to {moved.alignment} bytes; only powers "
                f"of two up to {_PAGE} are supported"
            )
        self.code, self._size = moved.linked(), len(moved.code)
        _check_host(moved.name, moved.code)
        self._block = publish(self.code)
        self._function = ffi.cast(signature, self._block.address)

    @property
    def address(self) -> int:
        """The entry's address in this process."""
        return self._block.address

    def __call__(self, *args: Any) -> Any:
        """Run the code. Raises TypeError for a wrong number of arguments, or for an array of other elements than
        declared, and ValueError for a number that its type does not hold."""
        if len(args) != len(self.arguments):
            names = ", ".join(f"{text} {name}" for name, text in self.arguments)
            raise TypeError(f"{self.name}({names}) takes {len(self.arguments)} arguments, not {len(args)}")
        values = [_value(name, text, arg) for (name, text), arg in zip(self.arguments, args)]
        return self._function(*values)  # `args` keeps the arrays alive

    def listing(self) -> str:
        """The instructions as text, with offsets and bytes."""
        return disassemble(self.code[: self._size], "x86")

    def __reduce__(self) -> str:
        raise TypeError("a PeachPyFunction is code in this process; move its JSON instead (docs/peachpy.md)")

    def __repr__(self) -> str:
        names = ", ".join(f"{text} {name}" for name, text in self.arguments)
        return f"<{self.result} {self.name}({names}), {len(self.code)} bytes at {self.address:#x}>"


# Reading PeachPy's objects


def _of_object(function: Any) -> Moved:
    """Return the moved form of an EncodedFunction, from its attributes."""
    try:
        code, data = function.code_section, function.const_section
        relocations = [(r.offset, r.program_counter, r.symbol.offset, r.type.name) for r in code.relocations]
        arguments = tuple((a.name, str(a.c_type)) for a in function.arguments)
        result = "void" if function.result_type is None else str(function.result_type)
        name, abi = function.name, str(function.abi)
        parts = bytes(code.content), bytes(data.content), int(data.alignment)
    except AttributeError as error:
        raise UnsupportedError(
            f"{type(function).__name__} is not what function.finalize(abi.detect()).encode() of "
            f"PeachPy 0.2 returns: {error}"
        ) from None
    if data.relocations or any(kind != "rip_disp32" for *_, kind in relocations):
        raise UnsupportedError(
            f"{name}: only rip-relative relocations to the code's own constants are supported, and it has others"
        )
    _check_abi(name, abi)
    return Moved(name, *parts, tuple(Relocation(*places) for *places, _ in relocations), arguments, result)


def _of_mapping(moved: Mapping[str, Any]) -> Moved:
    """Return the moved form from the mapping that docs/peachpy.md writes; bytes may be given in hexadecimal."""
    try:
        name, abi = moved["name"], moved["abi"]
        code, constants = (_bytes(moved[key]) for key in ("code", "constants"))
        relocations = tuple(Relocation(*map(int, places)) for places in moved["relocations"])
        arguments = tuple((str(name), str(text)) for name, text in moved["arguments"])
        made = Moved(
            str(name), code, constants, int(moved["alignment"]), relocations, arguments, str(moved["result"] or "void")
        )
    except (KeyError, TypeError, ValueError) as error:
        keys = "name, code, constants, alignment, relocations, arguments, result, abi"
        raise UnsupportedError(f"a moved PeachPy function has {keys}: {error!r}") from None
    _check_abi(name, abi)
    return made


def _bytes(value: Any) -> bytes:
    if isinstance(value, int):
        raise TypeError(f"bytes, or a string of hexadecimal digits, not {value}")
    return bytes.fromhex(value) if isinstance(value, str) else bytes(value)


def _check_abi(name: str, abi: str) -> None:
    if abi != ABI:
        raise UnsupportedError(f"{name}: made for {abi}; use finalize(peachpy.x86_64.abi.system_v_x86_64_abi)")


def _check_host(name: str, code: bytes) -> None:
    """Raise UnsupportedError if this machine lacks an instruction of the code, as far as our tables know them."""
    needed = {feature for _, _, found in instructions(code, "x86") if found for feature in found.form.features}
    refusal = host.runs(Target(name, "x86", "peachpy", frozenset(needed), vector_bits=128, fma_bits=128))
    if refusal:
        raise UnsupportedError(refusal)


# Types


def _c_type(function: str, name: str, text: str) -> str:
    """Return the type as cffi knows it. Pointers are passed as integers."""
    if text.endswith("*") or text.endswith("* const"):
        return "uintptr_t"
    if text == "void" and name == "result":
        return text
    kind = TYPES.get(text.removeprefix("const "))
    if kind not in PASSED:
        raise UnsupportedError(f"{function}: {name} is {text}; integers, float, double and pointers can be passed")
    return C_NAMES[kind][0]


def _value(name: str, text: str, arg: Any) -> Any:
    """Return the value to pass for an argument: a number, or the address of an array."""
    if "*" not in text:
        return check_number(name, Parameter(name, TYPES[text.removeprefix("const ")]), arg)
    place = address(name, arg)
    if place is not None:
        return place
    array = as_array(name, arg)
    base = text[: text.index("*")].strip()
    kind = "u64" if text.count("*") > 1 else TYPES.get(base.removeprefix("const "))
    if kind and array.dtype != numpy_dtype(kind):
        raise TypeError(f"{name}: {text} takes an array of {numpy_dtype(kind)}, not of {array.dtype}")
    if not base.startswith("const ") and not array.flags.writeable:
        raise TypeError(f"{name}: {text} is written through, and this array is read-only")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise TypeError(f"{name}: {text} takes a contiguous array; pass the address of any other memory as an integer")
    return address_of(array)
