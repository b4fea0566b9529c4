"""Tensor units: what multiplies a few steps of k at a time, on accumulators of 32 bits in vector registers.

    acc[i] += sum over e < depth of x[i, e] * y[e]

x is a *chunk*: for each row a group of `depth` neighbours along k; y is one such group, the same for every row.
Planners read a unit's `UnitFacts`; kernels use the verbs of `Unit`. An emulated unit has the same verbs and gives the
same bits by other instructions. It may need several *phases*: passes over the accumulators, each with a part of every
group.

A unit says in which order it adds and how it rounds (docs/mixed-precision.md); kernels apply it to each accumulator in
the order of the batch and of k, so a result does not depend on how a product is cut.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Generic, NamedTuple, TypeAlias

from .equation import Equation
from .values import Address, AddressT, Factor, FactorT, General, GeneralT, Lanes, LanesT, Slot


class UnitFacts(NamedTuple):
    """What a planner must know of a unit. Counts of instructions are those of one phase."""

    name: str
    depth: int  # elements of a group
    emulated: bool = False
    phases: int = 1
    product: int = 1  # instructions for one product of a chunk and a group, on the pipes of an FMA
    latency: int = 4  # cycles from an accumulator to the same
    packed: int = 1  # instructions to load a chunk that lies packed in memory
    plain: int = 1  # the same from rows of single elements
    fetch: int = 1  # instructions to fetch a group whose elements are neighbours
    apart: int = 1  # the same where they lie apart
    embeds: bool = False  # the product takes a group from memory itself
    temporaries: int = 0  # vector registers destroyed by loads and products
    constants: int = 0  # vector registers that keep their value while the kernel runs
    block: int = 0  # steps of k whose sum is made apart, in one accumulator for each phase, before it is added
    columns: int = 1  # of one product; 2 where units of quads multiply (contract/mmla.py), which have other verbs
    corrected: bool = False  # each chunk has an accumulator of its own, to be subtracted from all others at the end
    half: bool = False  # sums are f16, not 32 bits wide
    equation: Equation | None = None  # what one product computes; the tables fill it in


class Scopes:
    """What stands around a unit's verbs: nothing, unless it has constants or modes of its own."""

    def opened(self) -> AbstractContextManager[None]:
        """A scope in which the other verbs may be used: the unit's constants and modes."""
        return nullcontext()

    def closed(self) -> AbstractContextManager[None]:
        """A scope inside `opened` for ordinary arithmetic, under the caller's modes."""
        return nullcontext()


class UnitOf(Scopes, ABC, Generic[AddressT, LanesT, FactorT]):
    """The verbs of a unit. x, y, acc are vector registers, `lanes` those of the accumulators; `phase` counts from 0."""

    facts: UnitFacts

    @abstractmethod
    def prepare(self, lanes: LanesT) -> None:
        """To be asked before any loop for each count of rows."""

    @abstractmethod
    def load(self, phase: int, x: int, place: AddressT, lanes: LanesT, elements: int) -> None:
        """A packed chunk; of each group only the first `elements` count, the others are 0."""

    @abstractmethod
    def load_rows(self, phase: int, x: int, places: Sequence[AddressT], lanes: LanesT, spare: Sequence[int]) -> None:
        """A chunk from rows of single elements, one for each step of k; missing ones count as 0."""

    @abstractmethod
    def fetch(self, phase: int, y: int, place: AddressT, lanes: LanesT, embed: bool) -> int | FactorT:
        """A whole group of neighbours as the operand of `product`: y, or with `embed` perhaps the memory itself."""

    @abstractmethod
    def fetch_apart(self, phase: int, y: int, places: Sequence[AddressT], lanes: LanesT) -> int | FactorT:
        """A group from single elements; missing ones are 0."""

    @abstractmethod
    def product(self, phase: int, acc: int, x: int, y: int | FactorT, lanes: LanesT, spare: Sequence[int]) -> None:
        """acc += x * y."""

    def finish(self, acc: int, lanes: LanesT) -> None:  # noqa: B027  # of most units nothing
        """What is left to be done to a sum when all products have been added."""

    def fold(self, acc: int, parts: Sequence[int], lanes: LanesT) -> None:
        """acc += the sum of what each phase summed apart; destroys that. Only where `facts.block`."""
        raise NotImplementedError

    def correct(self, correction: int, x: int, lanes: LanesT) -> None:
        """Note in the chunk's own accumulator what products with x add too much; only where `corrected`."""
        raise NotImplementedError

    def subtract(self, acc: int, correction: int, lanes: LanesT) -> None:
        """acc -= what was noted."""
        raise NotImplementedError


class ResultOf(ABC, Generic[AddressT, LanesT]):
    """How sums go to and from memory of C's element type."""

    scaled = ""  # the type that sums are converted to before anything else is done with them; empty: none

    def convert(self, acc: int, lanes: LanesT) -> None:
        """acc = the sum as `scaled`, which is the type of `lanes`."""
        raise NotImplementedError

    @abstractmethod
    def load(self, acc: int, place: AddressT, of_c: LanesT, lanes: LanesT) -> None:
        """acc = C as the type of the sums; `of_c` and `lanes` are the same count of C's elements and of sums."""

    @abstractmethod
    def store(self, place: AddressT, acc: int, of_c: LanesT, lanes: LanesT, spare: Sequence[int]) -> None:
        """C = acc, rounded once to nearest even; destroys acc and the spare registers."""


Unit: TypeAlias = UnitOf[Address, Lanes, Factor]
Result: TypeAlias = ResultOf[Address, Lanes]


class TileFacts(NamedTuple):
    """What a planner must know of a unit that multiplies matrices held in tile registers.

    A tile has at most `rows` rows of `row_bytes` bytes. C (j, i) += X (j, steps) @ Y (steps, i), where a row of Y holds
    a group of each column.
    """

    name: str
    depth: int  # elements of a group
    rows: int = 16
    row_bytes: int = 64
    tiles: int = 8
    product_cycles: int = 16
    load_cycles: int = 8
    split_cycles: int = 45  # of a load whose rows lie in two cache lines each; such a store takes twice as long
    store_cycles: int = 16
    latency: int = 52  # of a product
    emulated: bool = False
    equation: Equation | None = None

    @property
    def steps(self) -> int:
        """Groups of one product."""
        return min(self.rows, self.row_bytes // GROUP_BYTES)


NUMERICS = ("exact", "fast")
HALF = "half"
"""Numerics of kernels whose sums are f16."""
TILED = "tiled"
"""Numerics of kernels that stand in for one on tile registers: sums in the order of those, on other instructions."""
GROUP_BYTES = 4
LIKELY_PAIRS = 4
"""Of a batch whose size is given at the call."""
CONFIGURE_CYCLES = 204
"""Of LDTILECFG and TILERELEASE."""

TileShape = tuple[int, int]
"""Rows, and bytes of a row."""

OWN, SHARED, HELD = "own", "shared", "held"
"""Who configures tile registers: the kernel; who calls it, unless the kernel finds another configuration; who calls."""


class TilesOf(ABC, Generic[GeneralT, AddressT, LanesT]):
    """The verbs of tile registers, which are numbers."""

    facts: TileFacts
    state_bytes: int  # of memory that `opened` needs to compare configurations

    @abstractmethod
    def opened(self, shapes: Sequence[TileShape], who: str, place: AddressT | None) -> AbstractContextManager[None]:
        """A scope in which the registers from 0 on have these shapes. `place`: memory, where who is SHARED."""

    @abstractmethod
    def prepare(self, lanes: LanesT) -> None:
        """To be asked before any loop for each count of columns of plain rows."""

    @abstractmethod
    def interleave(self, dst: int, places: Iterable[AddressT], lanes: LanesT, spare: int) -> None:
        """A row of Y in a vector register: groups from plain rows, which are asked for one after the other."""

    @abstractmethod
    def zero(self, tile: int) -> None:
        """tile = 0."""

    @abstractmethod
    def load(self, tile: int, place: AddressT, stride: int | GeneralT | Slot) -> None:
        """tile = memory, rows a stride apart."""

    @abstractmethod
    def store(self, place: AddressT, stride: int | GeneralT | Slot, tile: int) -> None:
        """memory = tile."""

    @abstractmethod
    def product(self, c: int, x: int, y: int) -> None:
        """c += x @ y."""


Tiles: TypeAlias = TilesOf[General, Address, Lanes]
