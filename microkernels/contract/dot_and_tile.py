"""Tensor units, which multiply several steps of k at a time, in vector registers (`Unit`) or tiles (`Tiles`).

    acc[i] += sum over e < depth of x[i, e] * y[e]

x is a *row vector*: for each row a group of `depth` neighbours along k. y is one such group, the same for every row.
Planners read a unit's `UnitFacts`; kernels use the verbs of `Unit`. An emulated unit has the same verbs and gives the
same bits by other instructions. It may need several *phases*: passes over the accumulators, each of which multiplies a
part of every group.

A unit defines the order of its additions and how it rounds (docs/mixed-precision.md). Kernels apply it to each
accumulator in the order of the batch and of k, so the result does not depend on the register blocking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Generic, TypeAlias

from ...encoder.records import NamedTuple
from ..units import HALF as HALF
from ..units import HELD as HELD
from ..units import NUMERICS as NUMERICS
from ..units import OWN as OWN
from ..units import PAIRED as PAIRED
from ..units import PLAIN as PLAIN
from ..units import SHARED as SHARED
from ..units import TILED as TILED
from .vector_verbs import Address, AddressT, Factor, FactorT, General, GeneralT, Lanes, LanesT, Slot

if TYPE_CHECKING:
    from .tensor_instruction import TensorInstruction


Registers: TypeAlias = Sequence[int]
Columns: TypeAlias = Sequence[Sequence[AddressT]]
"""The places of each column."""


class VerbCounts(NamedTuple):
    """The code of a verb: its instructions, how many of them read memory, and their time on the FMA pipes in full
    FMAs."""

    instructions: float = 0
    loads: float = 0
    slots: float = 0


class UnitCode(NamedTuple):
    """What the verbs of a unit append on whole registers for one phase, counted by emitting them (counting.py). On an
    MMLA unit, what they append for one register of X, or for two columns of Y."""

    product: VerbCounts = VerbCounts()  # a product of a row vector and a group
    packed: VerbCounts = VerbCounts()  # a packed row vector; on an MMLA unit, neighbouring blocks of rows
    plain: VerbCounts = VerbCounts()  # a row vector from rows of single elements
    fetch: VerbCounts = VerbCounts()  # a group of neighbours; on an MMLA unit, `ROW_BYTES` of each column
    strided: VerbCounts = VerbCounts()  # a group from single elements
    several: VerbCounts = VerbCounts()  # as many neighbouring groups as a register of them holds, if `by_element`
    rows_of_groups: VerbCounts = VerbCounts()  # MMLA units: a row vector from rows of groups of `GROUP_BYTES`
    columns_of_groups: VerbCounts = VerbCounts()  # MMLA units: columns from groups of `GROUP_BYTES`
    block: VerbCounts = VerbCounts()  # MMLA units: a packed block of two columns


class UnitFacts(NamedTuple):
    """Properties of a unit that planners read.

    The sums of most units are in vector registers. Others have accumulators of several rows and columns of sums: tile
    registers, or those of outer products.
    """

    name: str
    depth: int  # elements of a group
    emulated: bool = False
    phases: int = 1
    latency: int = 4  # cycles until the next product can use the same accumulator
    gathered: int = 1  # loads of a register of blocks that are not neighbours, on an MMLA unit
    embeds: bool = False  # the product can take its group from memory
    by_element: bool = False  # the product can take its group out of a register that holds several (`Facts.group`)
    loads_in_slots: bool = False  # operands are loaded by instructions of which some take slots that products need
    temporaries: int = 0  # vector registers that loads and products destroy
    temporaries_of_rows: int = 0  # the further ones that loads of rows of single elements destroy
    constants: int = 0  # vector registers with constants, held while the kernel runs
    block: int = 0  # steps of k that each phase sums in one accumulator before `fold` adds them; 0: none
    columns: int = 1  # columns of one product; 2 for MMLA units, whose fragments contract/mmla.py describes
    corrected: bool = False  # each row vector has a correction, to be subtracted from its accumulators at the end
    half: bool = False  # sums are f16 instead of 32 bits wide
    to_odd: bool = False  # each sum is rounded to odd, by operations on integers
    widest: int = 0  # bits of the row vectors that run fastest; 0: the machine's widest registers
    accumulators: int = 0  # those of several rows and columns; 0: sums are in vector registers
    side: int = 0  # rows and columns of such an accumulator
    steps: int = 1  # groups along k in one product; more than one only for tiles, of which also x and y consist
    transposed: int = 0  # groups along k that one transposition of rows in an accumulator yields
    product_cycles: float = 1  # cycles from a product of an accumulator to the next
    load_cycles: float = 0  # cycles to load a tile, or a vector or row of an outer product
    split_cycles: float = 0  # cycles to load a tile whose rows all cross a cache line; a store takes twice as long
    store_cycles: float = 0  # cycles to store a tile
    lone_instructions: tuple[int, int] = (0, 0)
    """The fewest and the most vector instructions behind a product in whose midst a zeroed tile keeps a vector port
    from waking up, which stalls them; (0, 0): no port sleeps."""
    instruction: TensorInstruction | None = None  # its row; the tables fill it in
    code: UnitCode = UnitCode()  # the instructions of its verbs; the tables count them

    @property
    def of_tiles(self) -> bool:
        """Whether sums and factors are in tile registers."""
        return self.steps > 1

    @property
    def of_outer_products(self) -> bool:
        """Whether sums are in accumulators of outer products."""
        return self.accumulators > 0 and self.steps == 1

    @property
    def step(self) -> int:
        """The elements along k of one product."""
        return self.depth * self.steps

    @property
    def row_bytes(self) -> int:
        """The bytes of a row of a tile."""
        return self.side * GROUP_BYTES


class Units(Mapping[tuple[str, str, str], UnitFacts]):
    """The units of a target by the types of row vectors and groups and by numerics. `find` describes a unit, or returns
    None. It is called when a unit is first asked for, because it emits the unit's verbs."""

    def __init__(self, types: Iterable[tuple[str, str]], find: Callable[[str, str, str], UnitFacts | None]) -> None:
        every = (*NUMERICS, HALF, TILED, PAIRED, PLAIN)
        self._keys = tuple((*pair, numerics) for pair in dict.fromkeys(types) for numerics in every)
        self._find, self._found = find, dict[tuple[str, str, str], UnitFacts | None]()

    def __getitem__(self, key: tuple[str, str, str]) -> UnitFacts:
        if key not in self._found:
            self._found[key] = self._find(*key) if key in self._keys else None
        found = self._found[key]
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return (key for key in self._keys if key in self)

    def __len__(self) -> int:
        return sum([1 for _ in self])


class GroupsOf(NamedTuple):
    """How a step of k of a row or column lies in memory: each place has `elements` neighbours along k, of which `used`
    count in the whole step. across: the rows or columns of a place, two in blocks."""

    elements: int
    element_bytes: int
    across: int
    used: int

    @property
    def bytes(self) -> int:
        """The bytes of a place."""
        return self.elements * self.element_bytes * self.across


class FragmentsOf(ABC, Generic[AddressT, LanesT, FactorT]):
    """The verbs on fragments, the same for all units in vector registers. acc, x and y are the registers of a fragment
    of sums, of a row vector, and of `facts.columns` columns; `lanes` describes a row vector's sums.

    registers   of a row vector, and of the sums of `facts.columns` columns of one
    embeds      whether the caller has one row vector, so that a product may take its columns from memory
    """

    facts: UnitFacts
    registers = 1
    embeds = False

    def opened(self) -> AbstractContextManager[None]:
        """A scope in which the other verbs may be used. It sets up the unit's constants and rounding mode."""
        return nullcontext()

    def closed(self) -> AbstractContextManager[None]:
        """A scope inside `opened` for ordinary arithmetic, under the kernel's rounding mode."""
        return nullcontext()

    @abstractmethod
    def prepare_rows(self, lanes: LanesT, place: int) -> None:
        """Set up loads. Call it before any loop for each count of rows; `place` is the bytes of a place of a row."""

    def offsets(self, register: int, stride: int | General | Slot) -> None:
        """Set `register` to the offsets of blocks a stride apart, which later loads of row vectors need. Only where
        `facts.gathered` is more than 1."""
        raise NotImplementedError("a register holds a single block")

    @abstractmethod
    def load_a(
        self, phase: int, x: Registers, places: Sequence[AddressT], groups: GroupsOf, lanes: LanesT, spare: Registers
    ) -> None:
        """Load a row vector from the places of a step of k."""

    @abstractmethod
    def load_b(
        self, phase: int, y: int, places: Columns[AddressT], groups: GroupsOf, lanes: LanesT, spare: Registers
    ) -> int | FactorT:
        """Load columns, each from its places, into y or as a memory operand. Return the operand of `mma`."""

    @abstractmethod
    def mma(self, phase: int, acc: Registers, x: Registers, y: int | FactorT, lanes: LanesT, spare: Registers) -> None:
        """acc += x * y, as defined by the unit's equation."""

    def load_c(self, acc: Registers, spare: int) -> None:  # noqa: B027  # a column of sums is a fragment of most units
        """Convert columns of sums, loaded from C, to a fragment."""

    def store_c(self, acc: Registers, spare: int) -> None:  # noqa: B027
        """Convert a fragment to columns of sums, to be stored."""

    def finish(self, acc: int, lanes: LanesT) -> None:  # noqa: B027  # most units do nothing here
        """Complete a register of sums after the last product."""


class UnitOf(FragmentsOf[AddressT, LanesT, FactorT]):
    """The verbs of a dot-product unit. x, y and acc are vectors, `lanes` describes the accumulators, `phase` counts
    from 0."""

    def prepare_rows(self, lanes: LanesT, place: int) -> None:
        """Set up partial loads."""
        self.prepare(lanes)

    def load_a(
        self, phase: int, x: Registers, places: Sequence[AddressT], groups: GroupsOf, lanes: LanesT, spare: Registers
    ) -> None:
        """Load packed groups, or rows of single elements."""
        if groups.elements == self.facts.depth:
            self.load(phase, x[0], places[0], lanes, groups.used)
        else:
            self.load_rows(phase, x[0], places, lanes, spare)

    def load_b(
        self, phase: int, y: int, places: Columns[AddressT], groups: GroupsOf, lanes: LanesT, spare: Registers
    ) -> int | FactorT:
        """Fetch a group of neighbours, or single elements."""
        if groups.elements == self.facts.depth:
            return self.fetch(phase, y, places[0][0], lanes, self.embeds)
        return self.fetch_strided(phase, y, places[0], lanes)

    def mma(self, phase: int, acc: Registers, x: Registers, y: int | FactorT, lanes: LanesT, spare: Registers) -> None:
        """Emit the product."""
        self.product(phase, acc[0], x[0], y, lanes, spare)

    @abstractmethod
    def prepare(self, lanes: LanesT) -> None:
        """Set up partial loads. Call it before any loop for each count of rows."""

    @abstractmethod
    def load(self, phase: int, x: int, address: AddressT, lanes: LanesT, elements: int) -> None:
        """x = a packed row vector. Only the first `elements` of each group are used; the others count as 0."""

    @abstractmethod
    def load_rows(self, phase: int, x: int, places: Sequence[AddressT], lanes: LanesT, spare: Sequence[int]) -> None:
        """x = a row vector from rows of single elements, one row for each step of k. Missing rows count as 0."""

    @abstractmethod
    def fetch(self, phase: int, y: int, address: AddressT, lanes: LanesT, embed: bool) -> int | FactorT:
        """Load a whole group of neighbours as the operand of `product`: into y, or, with `embed` and if the unit can,
        as a memory operand."""

    @abstractmethod
    def fetch_strided(self, phase: int, y: int, places: Sequence[AddressT], lanes: LanesT) -> int | FactorT:
        """Load a group from single elements as the operand of `product`. Missing elements are 0."""

    def fetch_several(self, y: int, address: AddressT, lanes: LanesT) -> Sequence[FactorT]:
        """Load `Facts.group` neighbouring groups into y, and return each as the operand of `product`; only where
        `facts.by_element`."""
        raise NotImplementedError

    @abstractmethod
    def product(self, phase: int, acc: int, x: int, y: int | FactorT, lanes: LanesT, spare: Sequence[int]) -> None:
        """acc += x * y, as defined by the unit's equation."""

    def fold(self, acc: int, parts: Sequence[int], lanes: LanesT) -> None:
        """acc += the sum of `parts`, one for each phase; destroys the parts. Only where `facts.block`."""
        raise NotImplementedError

    def correct(self, correction: int, x: int, lanes: LanesT) -> None:
        """correction += the excess that one product with x adds; only where `facts.corrected`."""
        raise NotImplementedError

    def subtract(self, acc: int, correction: int, lanes: LanesT) -> None:
        """acc -= correction; only where `facts.corrected`."""
        raise NotImplementedError


class ResultOf(ABC, Generic[AddressT, LanesT]):
    """Loads and stores of sums, from and to memory of C's element type."""

    together = 1  # number of whole vectors that `store_together` stores as one
    scaled = ""  # the type that sums are converted to before they are scaled and stored; empty: no conversion

    def convert(self, acc: int, lanes: LanesT) -> None:
        """acc = the sum converted to `scaled`, the type of `lanes`."""
        raise NotImplementedError

    @abstractmethod
    def load(self, acc: int, address: AddressT, of_c: LanesT, lanes: LanesT) -> None:
        """acc = C, converted to the type of the sums. `of_c` and `lanes` describe C's elements and the sums, with equal
        counts."""

    @abstractmethod
    def store(self, address: AddressT, acc: int, of_c: LanesT, lanes: LanesT, spare: Sequence[int]) -> None:
        """C = acc, rounded once to nearest even. Destroys acc and the spare registers."""

    def store_together(self, address: AddressT, sums: Sequence[int], lanes: LanesT) -> None:
        """Store `together` whole vectors of `lanes` each, whose results lie side by side."""
        raise NotImplementedError


Fragments: TypeAlias = FragmentsOf[Address, Lanes, Factor]
Unit: TypeAlias = UnitOf[Address, Lanes, Factor]
Result: TypeAlias = ResultOf[Address, Lanes]


GROUP_BYTES = 4

TileShape = tuple[int, int]
"""The number of rows, and the bytes of a row."""


class AccumulatorsOf(ABC):
    """What accumulators of several rows and columns of sums have in common. An accumulator is a number."""

    facts: UnitFacts

    @abstractmethod
    def zero(self, accumulator: int) -> None:
        """acc = 0."""


class TilesOf(AccumulatorsOf, Generic[GeneralT, AddressT, LanesT]):
    """The verbs of tile registers, for sums and factors."""

    state_bytes: int  # bytes of memory in which `opened` compares configurations and `opened_dynamic` makes one

    @abstractmethod
    def opened(self, shapes: Sequence[TileShape], who: str, address: AddressT | None) -> AbstractContextManager[None]:
        """A scope in which the registers from 0 on have these shapes. `address`: `state_bytes` of memory for SHARED."""

    @abstractmethod
    def configure(self, shapes: Sequence[TileShape]) -> None:
        """Within a scope of OWN: give the registers from 0 on these shapes and zero them."""

    @abstractmethod
    def opened_dynamic(self, shapes: Sequence[TileShape], address: AddressT) -> AbstractContextManager[None]:
        """A scope of OWN that begins with a copy of the configuration of these shapes in `state_bytes` of memory.
        `configure_dynamic` configures the tiles."""

    @abstractmethod
    def configure_dynamic(self, dynamic: Iterable[int], rows: GeneralT | Slot, address: AddressT) -> None:
        """Within a scope of `opened_dynamic`: give the registers in `dynamic` `rows` rows, a number known at the call,
        and zero all registers. `address`: that of the scope."""

    @abstractmethod
    def prepare(self, lanes: LanesT) -> None:
        """Set up `interleave`. Call it before any loop for each count of columns of plain rows."""

    @abstractmethod
    def interleave(self, dst: int, places: Iterable[AddressT], lanes: LanesT, spare: int) -> None:
        """dst = a row of Y: groups interleaved from plain rows, whose addresses are taken from `places` in order."""

    @abstractmethod
    def load(self, tile: int, address: AddressT, stride: int | GeneralT | Slot, streaming: bool = False) -> None:
        """tile = memory, with rows a stride apart. streaming: bypass L1."""

    @abstractmethod
    def store(self, address: AddressT, stride: int | GeneralT | Slot, tile: int) -> None:
        """memory = tile."""

    @abstractmethod
    def product(self, c: int, x: int, y: int) -> None:
        """c += x @ y."""


Tiles: TypeAlias = TilesOf[General, Address, Lanes]
