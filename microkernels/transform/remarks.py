"""Remarks of a listing that name the elements of a tile's values. Their texts are made when the listing is read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from ...encoder.code import Remark
from ..contract.shuffle_network import UNKNOWN, ZERO, Label, Network, ShuffleStep

_SHOWN = 16  # the most elements of a register that a remark names


class Values(Protocol):
    """The values of a pass over a tile (tile_pass.py)."""

    network: Network

    @property
    def steps(self) -> dict[int, ShuffleStep]:
        """The shuffles that are needed, keyed by the values that they compute."""

    def held(self, value: int, most: int) -> list[int]:
        """Return the numbers of the first elements that a value holds, at most `most` of them."""


class Remarks(dict[int, "HeldElements"]):
    """The remarks of a pass by value, each made once."""

    def __init__(self, current: Values) -> None:
        super().__init__()
        self._current = current

    def __missing__(self, value: int) -> HeldElements:
        made = self[value] = HeldElements(self._current, value)
        return made


class HeldElements(Remark):
    """The remark that names the elements of a value, and the stage that computes it."""

    __slots__ = ("current", "value")

    def __init__(self, current: Values, value: int) -> None:
        self.current, self.value = current, value

    def __str__(self) -> str:
        current, value = self.current, self.value
        stage = f"stage {current.steps[value].stage + 1}: " if value in current.steps else ""
        shown = " ".join(elements(current.held(value, _SHOWN), current.network.order))
        return stage + shown + (" ..." if len(current.network.origins[value]) > _SHOWN else "")


def elements(held: Sequence[int], order: tuple[Label, ...]) -> list[str]:
    """Return elements as "row,column", "0" for a zero, and "-" for one that is never read. Only the first unit of each
    element is named."""
    return [*filter(None, map(_names(order).__getitem__, held))]


@lru_cache(maxsize=64)
def _names(order: tuple[Label, ...]) -> dict[int, str]:
    """Return the name of each element number. Bit k of a number is the address bit order[k]. Units after the first have
    no name."""
    positions = [(0, 0, True)]
    for label in order:
        dim, bit = label[0], 1 << int(label[1:])
        positions += [
            (i + bit * (dim == "i"), j + bit * (dim == "j"), first and dim != "e") for i, j, first in positions
        ]
    names = [f"{i},{j}" if first else "" for i, j, first in positions]
    return {**dict(enumerate(names)), UNKNOWN: "-", ZERO: "0"}
