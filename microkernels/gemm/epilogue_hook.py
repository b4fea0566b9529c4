"""The interface through which a GEMM passes finished sums in vector registers to an epilogue instead of storing them to
C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ...encoder.records import NamedTuple
from ..contract.machine import Lanes, Vector
from .blocking import Panel


class Sum(NamedTuple):
    """A register of finished sums, and their place in the column-major product, relative to the current block."""

    register: Vector
    lanes: Lanes
    row: int  # row of the first element
    column: int
    along_rows: bool = True  # whether the elements are adjacent rows of a column


class Epilogue(Protocol):
    """The interface through which a panel passes its finished sums to an epilogue."""

    def prepare(self, counts: Sequence[int]) -> None:
        """Prepare for registers with these numbers of elements. Called before any loop of a panel."""

    def begin_panel(self, panel: Panel) -> None:
        """Prepare for panels of this kind. Called before any loop of a panel."""

    def end_of_panel(self) -> None:
        """The panel's last block is done, and the current block is still in it."""

    def move(self, rows: int, columns: int) -> None:
        """Move the current block by `rows` rows and `columns` columns of the product."""

    def at_first_column(self) -> None:
        """Keep the place of the first column. Called before the panels of a product whose columns the call counts."""

    def next_panel(self, rows: int) -> None:
        """Move the current block to the first column, `rows` rows further down, after a panel of such a product."""

    def apply(self, sums: Sequence[Sum], idle: Sequence[Vector]) -> None:
        """Compute the results of these sums and store them. Overwrites the sums and the idle registers."""


class ColumnSums(NamedTuple):
    """The sums of one row vector in a column of the buffer."""

    row: int  # row within the panel
    disp: int  # bytes from the start of a column of the buffer
    elements: int


class LineEpilogue(Epilogue, Protocol):
    """The interface of an epilogue that receives the sums of one column at a time."""

    def opened(self, parts: Sequence[ColumnSums], line: int) -> AbstractContextManager[None]:
        """A scope in which the other methods may be used. line: bytes of a column of the buffer."""

    def forward(self, columns: int, buffer: bool = False) -> None:
        """Advance past `columns` columns. buffer: whether reading the buffer advances, too."""

    def line(self, take: Callable[[int, Vector], None]) -> None:
        """Compute a column. take(number of a part, register) loads its sums."""
