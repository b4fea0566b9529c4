"""Finished sums of a GEMM in vector registers, and what may be done with them there instead of storing them to C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ...encoder.records import NamedTuple
from ..contract.machine import Address, Lanes, Vector


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


class Part(NamedTuple):
    """Sums of one row vector in a column of the buffer."""

    row: int  # of the panel
    disp: int  # bytes from the start of a column of the buffer
    elements: int


class LineEpilogue(Epilogue, Protocol):
    """The interface of an epilogue that is handed the sums of one column at a time."""

    def opened(self, parts: Sequence[Part], line: int) -> AbstractContextManager[None]:
        """A scope in which the other verbs may be used. line: bytes of a column of the buffer."""

    def forward(self, columns: int, buffer: bool = False) -> None:
        """So many more columns are done; buffer: it too is read from the next one on."""

    def line(self, take: Callable[[int, Vector], None]) -> None:
        """Compute a column; take(number of a part, register) brings its sums."""


class BufferedEpilogue(LineEpilogue, Protocol):
    """The interface of an epilogue that reads the sums of a grid from a buffer, column by column."""

    interleaved: bool  # with the products of the next grid
    ready: bool  # for sums while the product is under way
    looped: bool  # in a loop, a few columns at each step of k

    def buffer(self, disp: int) -> Address:
        """Where the next sums go."""

    def swap(self) -> None:
        """The sums just stored are those to be read."""

    def lines_of(self, count: int) -> int:
        """About how often `columns` stops."""

    def columns(self, first: int, count: int) -> Iterator[None]:
        """Compute columns behind those that are done, line by line."""

    def rewind(self, columns: int) -> None:
        """The buffer is read from so many columns before."""

    def all_columns(self, count: int) -> None:
        """Compute every column of the buffer, in a loop."""
