"""Outer-product accumulators: square matrices of sums that grow by outer products of two vectors.

    acc[j, i] += sum over e < depth of x[j, e] * y[i, e]

x and y are vectors of *groups*: `depth` neighbours along k for each of up to `side` columns (x) or rows (y) of the
product. How a vector is loaded depends on the operand's layout:

    packed          the groups of one step are contiguous: one load
    plain           the elements of one step of k are contiguous: loads of `depth` steps are interleaved
    along k         the elements of one row are contiguous: rows are loaded into a square, whose columns are the vectors

Products are added to each sum in the order of k, rounded as the instruction rounds (docs/mixed-precision.md).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Generic, TypeAlias

from .dot_and_tile import AccumulatorsOf
from .vector_verbs import Address, AddressT, General, GeneralT


class OuterProductsOf(AccumulatorsOf, Generic[GeneralT, AddressT]):
    """The verbs of outer-product accumulators. Accumulators and vector registers are numbers; counts are of groups,
    rows or columns, up to `side`."""

    pointer: GeneralT
    """A general register for addresses that advance."""

    @abstractmethod
    def opened(self) -> AbstractContextManager[None]:
        """A scope in which the accumulators may be used. Their values are undefined at its beginning."""

    @abstractmethod
    def prepare(self, count: int) -> None:
        """Set up loads of `count` groups. Call it before any loop, once for each count."""

    @abstractmethod
    def count(self, columns: GeneralT) -> int:
        """Return a count of columns that stands for the value of a register, at most `side`, until the scope of the
        machine's `predicates` ends. `product` takes it."""

    @abstractmethod
    def prepare_elements(self, elements: int, which: str) -> None:
        """Set up `interleave` or `transpose` for this count of single elements, in the same way."""

    # Factors

    @abstractmethod
    def load(self, dst: int, address: AddressT, count: int, which: str, elements: int) -> None:
        """dst = packed groups of factor "x" or "y"; only the first `elements` of each group are used."""

    @abstractmethod
    def interleave(
        self, dst: Sequence[int], places: Sequence[AddressT], counts: Sequence[int], which: str, spare: Sequence[int]
    ) -> None:
        """dst = neighbouring vectors from plain elements. Step i of k begins at places[i]; missing steps are zero."""

    @abstractmethod
    def transpose(self, outer_product: int, places: Iterable[AddressT], elements: int, which: str) -> None:
        """Fill each row of a square with `elements` neighbours in memory, then zeros. `places` are taken in order."""

    @abstractmethod
    def columns(self, dst: Sequence[int], outer_product: int, first: int = 0) -> None:
        """dst = columns `first`, first + 1... of a square."""

    @abstractmethod
    def product(self, outer_product: int, x: int, y: int, columns: int, rows: int) -> None:
        """acc += x (x) y, for the first `columns` groups of x and `rows` groups of y."""

    # Sums

    @abstractmethod
    def lines(self, count: int | GeneralT, visit: Callable[[int], None]) -> None:
        """Emit visit(line) for the first `count` rows of every accumulator, in a loop. A line is valid during its
        visit. A register has a count of at least 1."""

    @abstractmethod
    def load_line(self, outer_product: int, line: int, address: AddressT, count: int) -> None:
        """Load a line from memory."""

    @abstractmethod
    def store_line(self, address: AddressT, outer_product: int, line: int, count: int) -> None:
        """Store a line to memory."""

    @abstractmethod
    def take(self, dst: int, outer_product: int, line: int) -> None:
        """Copy a line to a vector register."""

    @abstractmethod
    def put(self, outer_product: int, line: int, src: int) -> None:
        """Copy a vector register to a line."""


OuterProducts: TypeAlias = OuterProductsOf[General, Address]
