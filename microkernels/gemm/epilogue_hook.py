"""Finished sums of a GEMM in vector registers, and what may be done with them there instead of storing them to C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..contract.machine import Lanes, Vector


class Sum(NamedTuple):
    """A register of finished sums, and their place in the column-major product, from the block at hand."""

    register: Vector
    lanes: Lanes
    row: int  # of the first element
    column: int
    along_rows: bool = True  # whether the elements are neighbours in a column: one row below the other


class Epilogue(Protocol):
    """The interface through which a panel hands its finished sums to an epilogue."""

    def prepare(self, counts: Sequence[int]) -> None:
        """Before any loop of a panel: the elements that its registers hold."""

    def move(self, rows: int, columns: int) -> None:
        """The block at hand moves by as many rows and columns of the product."""

    def apply(self, sums: Sequence[Sum], idle: Sequence[Vector]) -> None:
        """Compute and store what becomes of these sums; destroys them and the idle registers."""
