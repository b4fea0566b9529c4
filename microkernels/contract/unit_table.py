"""Tables of tensor units in vector registers: a row for each instruction, and for each sequence that replaces one.

    row = TensorUnit("f16", "f16", UnitFacts("VDPPHPS", 2, embeds=True, temporaries=1), GROUPS_OF_2, NativeDot)

The emitter is a class with the verbs of a unit, such as those of the machines' own instructions. A target may have rows
of one's own, which come before those of its machine: `with_unit(target, row)` is a target whose kernels multiply the
row's types by the row's instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from .dot_and_tile import HALF, NUMERICS, PAIRED, PLAIN, FragmentsOf, UnitFacts, Units
from .tensor_instruction import ProductForm

AnyUnit: TypeAlias = FragmentsOf[Any, Any, Any]


class TensorUnit(NamedTuple):
    """A row.

    row_vectors, groups   the types of x, whose rows are neighbours, and of y
    facts                 what planners read: UnitFacts(name, depth), and perhaps latency, temporaries, embeds
    form                  the equation, and which element each place of a register holds
    unit                  makes the emitter for a machine, facts and both types: a class of verbs, as dot_native.py's
    numerics              "" for all
    features              the processors' features of which one is needed; () for a row of one's own
    machine               the machine that has it; "" for all
    """

    row_vectors: str
    groups: str
    facts: UnitFacts
    form: ProductForm
    unit: Callable[..., AnyUnit]
    numerics: str = ""
    features: tuple[str, ...] = ()
    machine: str = ""


def with_unit(target: Target, row: TensorUnit) -> Target:
    """Return a target with a row of one's own, which comes before those of its machine."""
    return replace(target, name=f"{target.name}+{row.facts.name}", units=(row, *target.units))


class UnitTable:
    """The rows of an architecture, each instruction before the sequences that replace it; the first that fits applies.

    features   returns the features of a target that count
    counted    returns the facts of a row on a machine, with the counts of its instructions
    """

    def __init__(
        self,
        rows: Sequence[TensorUnit],
        features: Callable[[Target], frozenset[str]],
        counted: Callable[[TensorUnit, Any], UnitFacts],
    ) -> None:
        self.rows, self.features, self.counted = rows, features, counted

    def _rows(self, target: Target, columns: int) -> Iterator[TensorUnit]:
        """Yield the rows that multiply so many columns at a time, those of one's own first."""
        for each in (*target.units, *self.rows):
            assert isinstance(each, TensorUnit)
            if each.facts.columns == columns:
                yield each

    def row(self, target: Target, types: tuple[str, str], numerics: str, columns: int) -> TensorUnit | None:
        """Return the row for types of row vectors and of groups, or None."""
        possible = (numerics,) if numerics in (HALF, PAIRED, PLAIN) else ("", numerics)
        features = self.features(target)
        for each in self._rows(target, columns):
            there = not each.features or not features.isdisjoint(each.features)
            if there and each.machine in ("", target.isa) and each[:2] == types and each.numerics in possible:
                return each
        return None

    def units(self, machine: Callable[[Target], Any], target: Target, columns: int) -> Units:
        """Return the units that multiply so many columns at a time. machine: makes a machine for the target."""

        def find(row_vector: str, group: str, numerics: str) -> UnitFacts | None:
            asked = columns == 1 or numerics in NUMERICS
            row = self.row(target, (row_vector, group), numerics, columns) if asked else None
            return None if row is None else self.counted(row, machine(target))

        return Units(((each.row_vectors, each.groups) for each in self._rows(target, columns)), find)

    def unit(self, m: Any, row_vector: str, group: str, numerics: str, columns: int) -> AnyUnit:
        """Return the emitter of a unit for a kernel."""
        row = self.row(m.target, (row_vector, group), numerics, columns)
        facts = (m.facts.unit if columns == 1 else m.facts.mmla)(row_vector, group, numerics)
        assert row is not None and facts is not None, "planners use only units that the facts describe"
        return row.unit(m, facts, row_vector, group)
