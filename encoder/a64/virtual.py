"""Virtual registers of AArch64, which stand in operands as those of the processor do.

Two assemblers take them: that of microkernels/machines/spilled keeps their values in memory, and those of
encoder/allocation give them registers. No other one encodes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ..errors import EncodeError
from .operand import Element, General, Shifted
from .registers import (
    PN,
    B,
    D,
    Governing,
    H,
    Mem,
    Operand,
    P,
    Predicate,
    Q,
    RegList,
    S,
    Scalable,
    Slice,
    V,
    Vector,
    View,
    W,
    X,
    Z,
    listed,
    mem,
)

BANKS: tuple[dict[str, tuple[Operand, ...]], ...] = (
    {"x": X, "w": W},
    {"v": V, "z": Z, "q": Q, "d": D, "s": S, "h": H, "b": B},
    {"p": P, "pn": PN},
)
"""The registers of each bank by the kinds of their parts: registers of a bank with the same number overlap."""
_REAL = {kind: registers for bank in BANKS for kind, registers in bank.items()}


class Virtual(Operand):
    """A virtual register, or a part of one: `W[i]`, `Q[sum]`.

    number   its identity: a number, or the object that a register is allocated for
    """

    number: Any
    _parts: dict[str, Virtual]

    @classmethod
    def of(cls, number: Any, kind: str, parts: dict[str, Virtual] | None = None) -> Virtual:
        """Return the part of the kind. `parts` are those made before, with the kinds of the same bank."""
        name = f"value{number}" if isinstance(number, int) else str(number)
        made: Virtual = _CLASSES.get(kind, _VirtualScalar)(
            name if parts is None else f"{kind.upper()}[{name}]", kind, -1
        )
        made.number, made._parts = number, {kind: made} if parts is None else parts
        return made

    def part(self, kind: str) -> Virtual:
        """Return a part of the register, one object. EncodeError if the register has no such part."""
        if not any(kind in bank and self.kind in bank for bank in BANKS):
            raise EncodeError(f"{self} has no part {kind}")
        if kind not in self._parts:
            self._parts[kind] = self.of(self.number, kind, self._parts)
        return self._parts[kind]


class _VirtualGeneral(General, Virtual):
    pass


class _VirtualVector(Vector, Virtual):
    pass


class _VirtualScalable(Scalable, Virtual):
    pass


class _VirtualPredicate(Predicate, Virtual):
    pass


class _VirtualScalar(Virtual):
    pass


_CLASSES: dict[str, type[Virtual]] = {
    "x": _VirtualGeneral,
    "w": _VirtualGeneral,
    "v": _VirtualVector,
    "z": _VirtualScalable,
    "p": _VirtualPredicate,
    "pn": _VirtualPredicate,
}


@cache
def virtual(number: int) -> Virtual:
    """Return the virtual general register of this number, whose value lies in memory, one object."""
    return Virtual.of(number, "x")


def lowest(register: General) -> General:
    """Return the name of the lowest 32 bits of a general register."""
    if not isinstance(register, Virtual):
        return W[register.num]
    low = register.part("w")
    assert isinstance(low, General)
    return low


def registers(operand: object) -> Iterator[Operand]:
    """Yield the registers that an operand names: alone, shifted, as elements or in a list, or as base and offset of
    memory."""
    if isinstance(operand, (Shifted, View, Governing)):
        yield from registers(operand.reg)
    elif isinstance(operand, Element):
        yield from registers(operand.of)
    elif isinstance(operand, RegList):
        for each in operand.regs:
            yield from registers(each)
    elif isinstance(operand, Mem):
        yield from registers(operand.base)
        yield from registers(operand.offset)
    elif isinstance(operand, Slice):
        yield from registers(operand.index)
    elif isinstance(operand, Operand) and operand.kind in _REAL:
        yield operand


def numbers(operand: object) -> Iterator[Any]:
    """Yield the identities of the virtual registers that an operand names."""
    for each in registers(operand):
        if isinstance(each, Virtual):
            yield each.number


def carried(operand: object, held: Mapping[Any, int]) -> Any:
    """Return the operand with registers of the processor, by their numbers, in place of virtual ones."""
    if isinstance(operand, Virtual):
        return _REAL[operand.kind][held[operand.number]]
    if not any(isinstance(each, Virtual) for each in registers(operand)):
        return operand
    if isinstance(operand, Shifted):
        return carried(operand.reg, held)._shifted(operand.op, operand.amount)
    if isinstance(operand, View):
        return carried(operand.reg, held).view(operand.arrangement)
    if isinstance(operand, Governing):
        return getattr(carried(operand.reg, held), operand.mode)
    if isinstance(operand, Element):
        return carried(operand.of, held)[operand.index]
    if isinstance(operand, RegList):
        return listed(*[carried(each, held) for each in operand.regs])
    if isinstance(operand, Mem):
        base, offset = carried(operand.base, held), carried(operand.offset, held)
        plain = mem[base, offset] if operand.mode != "," else mem[base].post(offset)
        return plain.pre if operand.mode == "!" else plain
    raise EncodeError(f"{operand}: no virtual register selects a slice; name one of w8 to w15")


def effect(operand: object, access: str) -> tuple[bool, bool]:
    """Whether an operand reads its virtual registers, and whether it writes them. Addresses are read, and written if
    the base moves. A write of 32 bits clears the others."""
    if isinstance(operand, Mem):
        return True, bool(operand.mode)
    return access in "rx", access in "wx"
