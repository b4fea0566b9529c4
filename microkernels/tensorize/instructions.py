"""The tensor instructions of a target, as programs: the rows of its units, and the multiply-add of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Protocol, TypeVar

from ...encoder.features import Target
from ..contract.dot_and_tile import OWN, PLAIN
from ..contract.tensor_instruction import TensorInstruction as TensorInstruction
from ..machines.registry import facts_of

KeyT = TypeVar("KeyT", bound="tuple[str, ...]")
MULTIPLY_ADD = "FMA"
_KEYS = ((), ("exact",), (OWN,), (PLAIN,))
"""What follows the types in keys of the tables, of the default numerics."""


class Described(Protocol):
    """An entry of a table of units."""

    @property
    def instruction(self) -> TensorInstruction | None: ...


@lru_cache(maxsize=32)
def instructions(target: Target) -> tuple[TensorInstruction, ...]:
    """Return the tensor instructions of a target: tiles and outer products first, then units of several columns, dot
    products, and the multiply-add of f32 and f64."""
    facts = facts_of(target)
    columns = (*_rows(facts.tile_units), *_rows(facts.outer_products), *_rows(facts.mmla_units))
    found = (*columns, *_rows(facts.units))
    return tuple(dict.fromkeys(sorted(found, key=lambda row: row.name == MULTIPLY_ADD)))


def _rows(table: Mapping[KeyT, Described]) -> Iterator[TensorInstruction]:
    for key, each in table.items():
        if key[2:] in _KEYS and each.instruction is not None:
            yield each.instruction
