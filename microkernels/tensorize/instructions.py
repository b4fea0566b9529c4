"""The tensor instructions of a target, as programs: those of its units' tables, and the multiply-add of vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import OWN
from ..contract.equation import Equation
from ..machines.registry import facts_of

_MULTIPLY_ADD = "c[i] += x[i] * y[0]"
_KEYS = ((), ("exact",), (OWN,))
"""What follows the types in keys of the tables, of the default numerics."""


class Described(Protocol):
    """An entry of a table of units."""

    @property
    def name(self) -> str: ...

    @property
    def equation(self) -> Equation | None: ...


class TensorInstruction(NamedTuple):
    """An instruction, or a sequence of them that gives the same bits, as a tensor program whose operands are registers.

    name       as the plans of kernels call it
    equation   c are the accumulators; an extent of None is their number, which the width of registers decides
    replaced   whether a sequence stands in for the instruction, which the target lacks
    """

    name: str
    equation: Equation
    replaced: bool = False

    def __str__(self) -> str:
        x, y, c = self.equation.types
        extents = ", ".join(f"{name} {extent or 'lanes'}" for name, extent in self.equation.extents)
        return f"{self.name}: {self.equation.text}   x {x}, y {y}, c {c}; {extents}"


@lru_cache(maxsize=32)
def instructions(target: Target) -> tuple[TensorInstruction, ...]:
    """Return the tensor instructions of a target: tiles and outer products first, then units of several columns, dot
    products, and the multiply-add of f32 and f64."""
    facts = facts_of(target)
    found: list[TensorInstruction] = []
    for table in (facts.tile_units, facts.outer_products, facts.mmla_units, facts.units):
        found += _described((key[2:], each) for key, each in table.items())
    for dtype in ("f32", "f64"):
        found.append(TensorInstruction("FMA", Equation(_MULTIPLY_ADD, (dtype,) * 3, (("i", None),))))
    return tuple(dict.fromkeys(found))


def _described(entries: Iterable[tuple[tuple[str, ...], Described]]) -> Iterator[TensorInstruction]:
    for numerics, each in entries:
        if numerics in _KEYS and each.equation is not None:
            yield TensorInstruction(each.name, each.equation, bool(getattr(each, "emulated", False)))
