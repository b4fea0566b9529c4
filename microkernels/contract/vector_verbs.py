"""The values that a kernel passes between verbs, and the verbs on vector registers: loads, stores, arithmetic, moves.

Registers, addresses, amounts and lanes are opaque: a kernel receives `General`, `Address` and `Lanes` from one verb,
passes them to another, and never looks inside. The type parameters stand for each architecture's own types. For
example, an x86 machine implements `MachineOf[Reg, X86Address, X86Lanes, Mem]`. Kernels see `Machine`, the same contract
on opaque types.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from ...encoder.code import Role
from ...encoder.records import dataclass, new
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from ...encoder.asm import Assembler

Vector: TypeAlias = int
"""The number of a vector register."""

SCRATCH_LIMIT = 64 << 10
"""The most bytes of scratch memory that a plan may request."""
STACK_LIMIT = SCRATCH_LIMIT + (16 << 10)
"""The most bytes of stack that one kernel may claim. It exceeds `SCRATCH_LIMIT` so that tiles have room beside any
plan: blocks of one by six tiles need at most 13 KiB. A thread has at least 2 MiB of stack under Linux, 128 KiB under
musl."""
LEVELS_LIMIT = 4 << 20
"""The most bytes more for the levels of sums that wait in memory: of wide rows, of C, of gradients. Called from Python,
such a kernel runs on memory of the C library; a C program finds the bytes of stack that it needs in the comment of its
declaration. The main thread of a program has 8 MiB of stack under Linux."""
SCRATCH_ALIGNMENT = 64
STACK_PAGE = 4096
"""A claim of stack memory touches every page in order, so that it cannot skip the guard page below the stack."""


class General:
    """A 64-bit integer or pointer that a kernel holds in a general register or in a `Slot`."""

    __slots__ = ()


@dataclass(frozen=True)
class Slot(General):
    """A 64-bit word of the stack frame that holds a general value."""

    number: int

    def __hash__(self) -> int:
        return self.number


class Address:
    """A memory address, from `at`, `further` or `column`."""

    __slots__ = ()


class Factor:
    """An operand of `fma`, `mul` or `add` that is not a vector register. It comes from `scalar` or `of_group`."""

    __slots__ = ()


class Mask(Protocol):
    """A mask register, from `masks`."""

    @property
    def name(self) -> str:
        """The register's name in assembly."""


class Pattern(Protocol):
    """Emitted instructions that can be emitted again with other displacements from their base registers."""

    def append(self, distances: Sequence[int], /) -> None:
        """Emit the instructions with each address moved by this many bytes, one distance per base."""


class Lanes:
    """`count` elements of type `dtype`, held in the narrowest register that has room for them.

    `capacity` is the number of elements of that register. A machine's subclass adds what its instructions need.
    """

    __slots__ = ("dtype", "count", "capacity", "bytes")

    def __init__(self, dtype: str, count: int, capacity: int) -> None:
        self.dtype, self.count, self.capacity = dtype, count, capacity
        self.bytes = count * ELEMENT_BYTES[dtype]

    @property
    def full(self) -> bool:
        """Whether every element of the register is used."""
        return self.count == self.capacity

    def __repr__(self) -> str:
        return f"{self.count}/{self.capacity} {self.dtype}"


def breadth(lanes: Lanes) -> tuple[int, int]:
    """A key for the widest of several lanes: those of the widest register, and of these the ones that touch the most
    elements. A tail that fills its register in part has the capacity of a whole vector, and moves less to memory."""
    return lanes.capacity, lanes.count


class ScratchArea:
    """Scratch memory that is handed out in parts: `size` bytes from `base` on, of which the first `used` are taken."""

    __slots__ = ("base", "size", "used")

    def __init__(self, base: Any, size: int) -> None:
        self.base, self.size, self.used = base, size, 0


class VectorScope:
    """The scope of some vector registers of a machine: a class, since a kernel has hundreds, and a generator takes
    twice as long."""

    __slots__ = ("_m", "_count", "_role", "_neighbours", "_taken", "_start")

    def __init__(self, m: Any, count: int, role: str, neighbours: Collection[tuple[int, int]] = ()) -> None:
        self._m, self._count, self._role, self._neighbours = m, count, role, neighbours

    def __enter__(self) -> list[Vector]:
        m, count, role = self._m, self._count, self._role
        free, holders = m._free_vectors, m._holders
        if count > len(free):
            held = ", ".join(f"{n} {r}" for r, n in holders.items() if n)
            raise UnsupportedError(f"{count} vector registers for {role}: {len(free)} free, held: {held}")
        taken = self._taken = self._runs() if self._neighbours else [free.pop() for _ in range(count)]
        self._start = len(m.asm.buffer)
        holders[role] = holders.get(role, 0) + count
        return taken

    def _runs(self) -> list[Vector]:
        """Take registers for the places that must be neighbours first, then those for the others."""
        free, places = self._m._free_vectors, dict[int, Vector]()
        for first, number in sorted(self._neighbours, key=lambda run: (-run[1], run[0])):
            if first in places:
                continue  # part of a longer run
            runs = ([start + i for i in range(number)] for start in reversed(free))
            run = next((run for run in runs if all(each in free for each in run)), None)
            if run is None:
                raise UnsupportedError(f"{number} neighbouring vector registers for {self._role}: none free")
            places |= zip(range(first, first + number), run)
            for each in run:
                free.remove(each)
        return [places[place] if place in places else free.pop() for place in range(self._count)]

    def __exit__(self, *error: object) -> None:
        m, count, role = self._m, self._count, self._role
        m._free_vectors += reversed(self._taken)
        m._holders[role] -= count
        if count:
            m.asm.roles.append(new(Role, (role, tuple(self._taken), self._start, len(m.asm.buffer))))


Amount: TypeAlias = int | General | Slot
"""A count or a distance: a number known when the kernel is made, or a general value."""

T = TypeVar("T")
GeneralT = TypeVar("GeneralT")
AddressT = TypeVar("AddressT")
LanesT = TypeVar("LanesT", bound=Lanes)
FactorT = TypeVar("FactorT")


def claimed(register: T | None) -> T:
    """Return a register that the plan claims only for some kernels, this one among them."""
    assert register is not None, "the plan claims no such register"
    return register


def known(amount: Amount) -> int:
    """Return an amount that is a number in every kernel that calls this."""
    assert isinstance(amount, int), "the plan has a number here"
    return amount


def held(amount: Amount) -> General:
    """Return an amount that is a general value in every kernel that calls this."""
    assert not isinstance(amount, int), "the plan has a general value here"
    return amount


def scratch_frame(size: int, claimed: int) -> int:
    """The number of bytes by which the stack pointer moves for an aligned claim of `size` bytes, after `claimed` bytes
    of other claims."""
    frame = -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT + SCRATCH_ALIGNMENT
    most = STACK_LIMIT + LEVELS_LIMIT
    if size < 1 or claimed + frame > most + SCRATCH_ALIGNMENT:
        raise UnsupportedError(
            f"{size} bytes of scratch memory in addition to {claimed}: a kernel has at most {most}; block the "
            "problem so that a kernel works on less at a time"
        )
    return frame


class VectorVerbsOf(ABC, Generic[GeneralT, AddressT, LanesT, FactorT]):
    """The verbs on vector registers: x, y, acc and dst. `lanes` says how many elements of which type a verb processes.

    A verb on a register that is narrower than the widest clears the rest of it.
    """

    name: ClassVar[str]
    asm: Assembler

    # Lanes

    @abstractmethod
    def predicates(self) -> AbstractContextManager[None]:
        """A scope in which `lanes` may be called. Masks that the machine sets up for them are released at its end."""

    @abstractmethod
    def lanes(self, dtype: str, count: int) -> LanesT:
        """Describe `count` elements. The first request emits setup code, such as a mask, so make it before any loop."""

    def dynamic_lanes(self, dtype: str, count: int, many: GeneralT) -> None:
        """Make `lanes` of this type and count mean the first `many` elements, at most `count`, until the scope of
        `predicates` ends. Only where `facts.counts_lanes` holds."""
        raise NotImplementedError("facts.counts_lanes is false")

    # Loads and stores

    @abstractmethod
    def zero(self, dst: Vector, lanes: LanesT) -> None:
        """dst = 0."""

    @abstractmethod
    def load(self, dst: Vector, address: AddressT, lanes: LanesT) -> None:
        """dst = memory; elements beyond `lanes.count` become 0 and are not read."""

    @abstractmethod
    def store(self, address: AddressT, src: Vector, lanes: LanesT) -> None:
        """memory = src; nothing beyond `lanes.count` elements is written. May destroy src."""

    @abstractmethod
    def broadcast(self, dst: Vector, address: AddressT, lanes: LanesT) -> None:
        """Every element of dst = one element of memory."""

    def twice(self, low: Vector, high: Vector, src: Vector) -> None:
        """low, high = src with each element doubled; it has four of 32 bits. Only where `facts.copies` is 2."""
        raise NotImplementedError("facts.copies is 1")

    @abstractmethod
    def constant(self, dst: Vector, value: float, lanes: LanesT) -> None:
        """Every element of dst = value, from the constant pool."""

    def load_next(self, dst: Sequence[Vector], address: AddressT, lanes: Sequence[LanesT]) -> None:
        """Load one or two neighbouring vectors, the first from `address`."""
        if len(dst) == 1:
            self.load(dst[0], address, lanes[0])
            return
        for register, held in zip(dst, lanes):
            self.load(register, address, held)
            address = self.further(address, held.bytes)

    def store_next(self, address: AddressT, src: Sequence[Vector], lanes: Sequence[LanesT]) -> None:
        """Store one or two vectors to neighbouring places, the first at `address`. May destroy src."""
        if len(src) == 1:
            self.store(address, src[0], lanes[0])
            return
        for register, held in zip(src, lanes):
            self.store(address, register, held)
            address = self.further(address, held.bytes)

    def load_group(self, dst: Vector, address: AddressT, count: int, lanes: LanesT) -> None:
        """Load `count` neighbouring elements for `of_group`; only where `facts.group` is more than 1.

        For a count below a whole group, `lanes` must have been called with that count before.
        """
        raise UnsupportedError(f"{self.name} multiplies by no elements of a register")

    @abstractmethod
    def gather(self, dst: Vector, addresses: Sequence[AddressT], lanes: LanesT, spare: Vector) -> None:
        """dst = the `lanes.count` elements at these evenly spaced addresses; destroys `spare`."""

    def expand(self, dst: Vector, elements: GeneralT, mask: AddressT, size: int) -> None:
        """dst = a whole vector: the next of the elements of `size` bytes where a bit of the mask in memory is set, else
        0. Reads no more elements than that, and moves `elements` behind them. Needs `facts.expands`."""
        raise NotImplementedError("facts.expands has no such elements")

    @abstractmethod
    def prefetch_line(self, address: AddressT, level: int, written: bool = False) -> None:
        """Prefetch an address's cache line into the caches from this level on. `written`: it will be stored to."""

    @abstractmethod
    def further(self, address: AddressT, disp: int) -> AddressT:
        """The address `disp` bytes behind this one."""

    # Arithmetic

    @abstractmethod
    def scalar(self, address: AddressT) -> FactorT:
        """One element of memory as the last operand of `fma` and `mul`, broadcast by the instruction itself.

        Only where `facts.embedded_broadcast`.
        """

    def of_group(self, group: Vector, index: int) -> FactorT:
        """Element `index` of a group, as the last operand of `fma` and `mul`."""
        raise UnsupportedError(f"{self.name} multiplies by no elements of a register")

    @abstractmethod
    def fma(self, acc: Vector, x: Vector, y: Vector | FactorT, lanes: LanesT) -> None:
        """acc += x * y, rounded once, or twice where `facts.multiply_add` is 2.

        y is a register, the `scalar` of an address, or an element `of_group`.
        """

    @abstractmethod
    def mul(self, dst: Vector, x: Vector, y: Vector | FactorT, lanes: LanesT) -> None:
        """dst = x * y; y as in `fma`."""

    @abstractmethod
    def add(self, dst: Vector, x: Vector, y: Vector, lanes: LanesT) -> None:
        """dst = x + y."""

    def add_memory(self, acc: Vector, address: AddressT, lanes: LanesT, spare: Vector) -> None:
        """acc += memory; reads `lanes.count` elements, may destroy `spare`."""
        self.load(spare, address, lanes)
        self.add(acc, acc, spare, lanes)

    def fma_memory(self, acc: Vector, x: Vector, address: AddressT, lanes: LanesT, spare: Vector) -> None:
        """acc += x * memory; reads `lanes.count` elements, may destroy `spare`."""
        self.load(spare, address, lanes)
        self.fma(acc, x, spare, lanes)

    def fma_column(
        self,
        accumulators: Sequence[Vector],
        row_vectors: Sequence[Vector],
        y: Vector,
        lanes: Sequence[LanesT],
        spent: bool,
    ) -> None:
        """accumulators[i] += row_vectors[i] * y, rounded as in `fma`. May destroy y and, if `spent`, the row
        vectors."""
        for acc, x, held in zip(accumulators, row_vectors, lanes):
            self.fma(acc, x, y, held)

    def mul_memory(self, dst: Vector, x: Vector, address: AddressT, lanes: LanesT, spare: Vector) -> None:
        """dst = x * memory; reads `lanes.count` elements, may destroy `spare`."""
        self.load(spare, address, lanes)
        self.mul(dst, x, spare, lanes)

    def keep_low(self, dst: Vector, bits: int, lanes: LanesT) -> None:
        """Clear all but the lowest `bits` bits of every 32-bit element of dst; only where there are tiles."""
        raise UnsupportedError(f"{self.name} has no tiles, which this is for")

    def unless_all(self, masks: Sequence[Mask], lanes: LanesT) -> AbstractContextManager[None]:
        """Run the body unless these comparison masks have all bits of the lanes' register set. Destroys the masks. Only
        where `facts.branches_on_masks`."""
        raise UnsupportedError(f"{self.name} has no branch on masks")

    # Moves between elements

    def folding(self) -> AbstractContextManager[None]:
        """A scope in which `neighbours` may use `facts.fold_masks` mask registers to take fewer cycles."""
        return nullcontext()

    @abstractmethod
    def neighbours(self, level: int, low: Vector, high: Vector, x: Vector, y: Vector, lanes: LanesT) -> None:
        """Do one step of a fold: low and high = the elements of x that the step combines, with those of y beside them.

        Levels go from 0 to log2(capacity) - 1. If every level combines low and high by one operation, element j after
        the last level is the fold of column j, where x and y of a level are neighbouring columns. high and y may each
        be x.
        """

    def halve(self, dst: Vector, src: Vector, lanes: LanesT) -> None:
        """dst = the upper half of src, in a register of half the width; only where `facts.halves`."""
        raise UnsupportedError(f"{self.name} has no narrower registers")

    def pairwise(self, level: int, dst: Vector, x: Vector, y: Vector, spare: Vector, lanes: LanesT) -> None:
        """Do one step of `sum_columns`: dst = the sums of neighbours in x and in y. dst may be x."""
        self.neighbours(level, spare, dst, x, y, lanes)
        self.add(dst, dst, spare, lanes)

    def sum_columns(self, columns: Sequence[Vector], lanes: LanesT, spare: Vector) -> Vector:
        """Return a register whose element j is the sum of the elements of columns[j]; destroys all columns.

        There are at most `lanes.capacity` columns. They are summed in a tree of log2(capacity) levels; each step adds
        two registers into one, so sixteen columns of sixteen elements take 15 adds.
        """
        current = list(columns)
        for level in range((lanes.capacity - 1).bit_length()):
            pairs = [(current[i], current[min(i + 1, len(current) - 1)]) for i in range(0, len(current), 2)]
            for x, y in pairs:
                self.pairwise(level, x, x, y, spare, lanes)
            current = [x for x, _ in pairs]
        return current[0]

    @abstractmethod
    def elements(self, src: Vector, count: int, spare: Sequence[Vector], lanes: LanesT) -> Iterator[Vector]:
        """Yield registers whose first element is element 0, 1, ... count - 1 of src, one after the other.

        Each is valid until the next is requested. Two spare registers are destroyed; src is preserved.
        """
