"""Virtual registers of x86-64, which stand in operands as those of the processor do.

Two assemblers take them: that of microkernels/machines/spilled keeps their values in memory, and those of
encoder/allocation give them registers. No other one encodes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ..errors import EncodeError
from .registers import R8, R16, R32, R64, UNENCODED, XMM, YMM, ZMM, K, Mem, Reg

BANKS = (
    {"r64": R64, "r32": R32, "r16": R16, "r8": R8},
    {"ymm": YMM, "xmm": XMM, "zmm": ZMM},
    {"k": K},
)
"""The registers of each bank by the names of their parts: registers of a bank with the same number overlap."""
_REAL = {file: registers for bank in BANKS for file, registers in bank.items()}


class _PartOf:
    """An attribute that is a part of a virtual register."""

    def __init__(self, file: str) -> None:
        self.file = file

    def __get__(self, register: Virtual, owner: type | None = None) -> Virtual:
        return register.part(self.file)


class Virtual(Reg):
    """A virtual register, or a part of one: `i.r32`, `sum.xmm`.

    number   its identity: a number, or the object that a register is allocated for
    file     the part that the operand names: r64 r32 r16 r8, zmm ymm xmm, or k
    """

    __slots__ = ("number", "_parts")
    r64, r32, r16, r8 = _PartOf("r64"), _PartOf("r32"), _PartOf("r16"), _PartOf("r8")
    zmm, ymm, xmm = _PartOf("zmm"), _PartOf("ymm"), _PartOf("xmm")

    def __init__(self, number: Any, file: str, parts: dict[str, Virtual] | None = None) -> None:
        name = f"value{number}" if isinstance(number, int) else str(number)
        width = _REAL[file][0].width
        super().__init__(name if parts is None else f"{name}.{file}", file, int(file == "k"), width)
        self.number = number
        self.code, self.kind = (), file + UNENCODED
        self._parts = {file: self} if parts is None else parts

    def part(self, file: str) -> Virtual:
        """Return a part of the register, one object. EncodeError if the register has no such part."""
        if not any(file in bank and self.file in bank for bank in BANKS):
            raise EncodeError(f"{self} has no part {file}")
        if file not in self._parts:
            self._parts[file] = Virtual(self.number, file, self._parts)
        return self._parts[file]

    def _decorated(self) -> Virtual:
        return Virtual(self.number, self.file, self._parts)


@cache
def virtual(number: int) -> Virtual:
    """Return the virtual register of this number, whose value lies in memory, one object."""
    return Virtual(number, "r64")


def lowest(register: Reg, width: int = 32) -> Reg:
    """Return the name of the lowest bits of a general register."""
    file = f"r{width}"
    return register.part(file) if isinstance(register, Virtual) else _REAL[file][register.num]


def registers(operand: object) -> Iterator[Reg]:
    """Yield the registers that an operand names: itself and its mask, or the base, the index and the mask of memory."""
    if isinstance(operand, Mem):
        yield from (each for each in (operand.base, operand.index, operand.mask) if each is not None)
    elif isinstance(operand, Reg):
        yield operand
        if operand.mask is not None:
            yield operand.mask


def numbers(operand: object) -> Iterator[Any]:
    """Yield the identities of the virtual registers that an operand names."""
    for each in registers(operand):
        if isinstance(each, Virtual):
            yield each.number


def carried(operand: object, held: Mapping[Any, int]) -> Any:
    """Return the operand with registers of the processor, by their numbers, in place of virtual ones."""
    if isinstance(operand, Mem):
        base, index, mask = (_carried(each, held) for each in (operand.base, operand.index, operand.mask))
        same = base is operand.base and index is operand.index and mask is operand.mask
        return operand if same else operand._with(base=base, index=index, mask=mask)
    if not isinstance(operand, Reg):
        return operand
    register = _carried(operand, held)
    assert register is not None
    if operand.mask is None or (register is operand and not isinstance(operand.mask, Virtual)):
        return register
    mask = _carried(operand.mask, held)
    assert mask is not None
    return register._under(mask, operand.zeroing)


def _carried(register: Reg | None, held: Mapping[object, int]) -> Reg | None:
    """Return the register without its mask, or one that stands for it."""
    if isinstance(register, Virtual):
        return _REAL[register.file][held[register.number]]
    if isinstance(register, Reg) and isinstance(register.mask, Virtual):
        return _REAL[register.file][register.num]
    return register


def effect(operand: Mem | Reg, access: str) -> tuple[bool, bool]:
    """Whether an operand that is a virtual register, or an address with one, reads it, and whether it writes it. A
    write of 32 bits clears the others, a write of fewer keeps them."""
    if isinstance(operand, Mem):
        return True, False
    return access in "rx" or operand.width < 32, access in "wx"
