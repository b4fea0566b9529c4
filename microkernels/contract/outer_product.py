"""Square accumulators: matrices of sums that grow by outer products of two vectors.

    acc[j, i] += sum over e < depth of x[j, e] * y[i, e]

x and y are vectors of *groups*, `depth` neighbours along k for each of up to `side` columns (x) or rows (y) of the
product. Where these neighbours lie in memory decides how a vector comes about:

    packed          the groups of one step side by side: a load
    plain           single elements of one step of k side by side: loads of `depth` steps, interleaved
    along k         the elements of one row side by side: rows are loaded into a square, whose columns are the vectors

Each sum is added to in the order of k, as the instruction rounds (docs/mixed-precision.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Generic, NamedTuple, TypeAlias

from .equation import Equation
from .values import Address, AddressT, General, GeneralT


class OuterProductFacts(NamedTuple):
    """What a planner must know of square accumulators."""

    name: str
    depth: int  # elements of a group
    side: int  # rows and columns of a square
    outer_products: int
    turned: int  # groups of k that one turn of rows into columns brings
    latency: int = 4  # cycles from a product to the next on the same square; one product begins every cycle
    load_cycles: float = 0.5  # of a vector, and of a row of a square
    equation: Equation | None = None  # what one product computes


class OuterProductsOf(ABC, Generic[GeneralT, AddressT]):
    """The verbs. Squares and vector registers are numbers; counts are of groups, rows or columns, up to `side`."""

    facts: OuterProductFacts
    pointer: GeneralT
    """A general register for walks through memory."""

    @abstractmethod
    def opened(self) -> AbstractContextManager[None]:
        """A scope in which squares exist. What they hold at its beginning is undefined."""

    @abstractmethod
    def prepare(self, count: int) -> None:
        """To be asked before any loop for each count of groups."""

    @abstractmethod
    def prepare_plain(self, elements: int, which: str) -> None:
        """The same for single elements that are interleaved."""

    @abstractmethod
    def prepare_turn(self, elements: int, which: str) -> None:
        """The same for elements of a turn."""

    # Factors

    @abstractmethod
    def load(self, dst: int, place: AddressT, count: int, which: str, elements: int) -> None:
        """A vector from packed groups of factor "x" or "y"; of each group only the first `elements` count."""

    @abstractmethod
    def interleave(
        self, dst: Sequence[int], places: Sequence[AddressT], counts: Sequence[int], which: str, spare: Sequence[int]
    ) -> None:
        """Neighbouring vectors from plain elements, whose steps of k begin at `places`; missing steps are zero."""

    @abstractmethod
    def turn(self, outer_product: int, places: Iterable[AddressT], elements: int, which: str) -> None:
        """Rows of a square = `elements` neighbours in memory each, zeros behind them; places are asked for in order."""

    @abstractmethod
    def columns(self, dst: Sequence[int], outer_product: int, first: int = 0) -> None:
        """Vectors from the columns of a square."""

    @abstractmethod
    def product(self, outer_product: int, x: int, y: int, columns: int, rows: int) -> None:
        """acc += x (x) y, for the first `columns` groups of x and `rows` groups of y."""

    # Sums

    @abstractmethod
    def zero(self, outer_product: int) -> None:
        """acc = 0."""

    @abstractmethod
    def lines(self, count: int, visit: Callable[[int], None]) -> None:
        """visit(line) for the first rows of squares, in a loop: a line is named only while it is visited."""

    @abstractmethod
    def load_line(self, outer_product: int, line: int, place: AddressT, count: int) -> None:
        """A line = memory."""

    @abstractmethod
    def store_line(self, place: AddressT, outer_product: int, line: int, count: int) -> None:
        """Memory = a line."""

    @abstractmethod
    def take(self, dst: int, outer_product: int, line: int) -> None:
        """A vector register = a line."""

    @abstractmethod
    def put(self, outer_product: int, line: int, src: int) -> None:
        """A line = a vector register."""


OuterProducts: TypeAlias = OuterProductsOf[General, Address]
