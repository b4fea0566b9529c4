"""Units of one's own: a tensor instruction that a target's table does not have, as a row beside it.

    row = TensorUnit("f16", "f16", UnitFacts("VDPPHPS", 2, embeds=True, temporaries=1), GROUPS_OF_2, NativeDot)

The emitter is a class with the verbs of a unit, such as those of the machines' own instructions. A target with the row,
`with_unit(target, row)`, is one of its own: its kernels multiply the row's types by the row's instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from .dot_and_tile import HALF, PAIRED, PLAIN, UnitFacts, UnitOf
from .tensor_instruction import ProductForm


class TensorUnit(NamedTuple):
    """A row of one's own.

    row_vectors, groups   the types of x, whose rows are neighbours, and of y
    facts                 what planners read: UnitFacts(name, depth), and perhaps latency, temporaries, embeds
    form                  the equation, and which element each place of a register holds
    unit                  makes the emitter for a machine, facts and both types: a class of verbs, as dot_native.py's
    numerics              "" for all
    """

    row_vectors: str
    groups: str
    facts: UnitFacts
    form: ProductForm
    unit: Callable[..., UnitOf[Any, Any, Any]]
    numerics: str = ""


def with_unit(target: Target, row: TensorUnit) -> Target:
    """Return a target with a row of one's own, which comes before those of its machine."""
    return replace(target, name=f"{target.name}+{row.facts.name}", units=(row, *target.units))


def types_of(target: Target, rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the types of x and y of the rows of one's own, and those of the machine's rows."""
    yield from ((each.row_vectors, each.groups) for each in own_units(target))
    yield from rows


def own_units(target: Target) -> Iterator[TensorUnit]:
    """Yield the rows of one's own."""
    for each in target.units:
        assert isinstance(each, TensorUnit)
        yield each


def own_unit(target: Target, row_vector: str, group: str, numerics: str) -> TensorUnit | None:
    """Return the row of one's own for these types, if there is one."""
    possible = (numerics,) if numerics in (HALF, PAIRED, PLAIN) else ("", numerics)
    fit = (each for each in own_units(target) if (each.row_vectors, each.groups) == (row_vector, group))
    return next((each for each in fit if each.numerics in possible), None)
