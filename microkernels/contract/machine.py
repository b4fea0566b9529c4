"""The contract of a vector machine: what a kernel may ask of any instruction set.

A kernel is a function of a machine. It reads no instruction set's name: a planner reads the machine's facts, and the
kernel uses these verbs. Registers are opaque values handed out by scopes (`with m.vectors(4, "acc") as acc`); an amount
of elements to process is a `Lanes`, which loads, stores and arithmetic verbs take; an address is `m.at(base, disp)`.

General values (pointers, strides, counts) are a register (`m.general`) or a `Slot` of the stack frame, and verbs that
take an amount take a plain int as well. General registers are claimed at the top of a kernel, before any loop.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from ...encoder.asm import Assembler
from ...encoder.features import Target
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..tuning.families import tuning_of
from .dot_and_tile import Result, TileFacts, Tiles, Unit, UnitFacts
from .element_moves import ElementMoves
from .mmla import MmlaUnit
from .outer_product import OuterProductFacts, OuterProducts
from .own_rounding import OwnRounding

Vector: TypeAlias = int  # a vector register, opaque outside machines/
Address: TypeAlias = Any  # what m.at() gives
General: TypeAlias = Any  # a general register
Amount: TypeAlias = Any  # int, General or Slot

SCRATCH_LIMIT = 64 << 10
"""Bytes of scratch memory that a plan may ask for."""
STACK_LIMIT = SCRATCH_LIMIT + (16 << 10)
"""Bytes of stack that one kernel may claim, so that tiles have room beside any plan: one by six of them pass through at
most thirteen. A thread has at least 2 MiB of stack under Linux, and 128 KiB under musl.
"""
SCRATCH_ALIGNMENT = 64
STACK_PAGE = 4096
"""Claims touch the stack once a page, so that no claim steps over the guard page below it."""


def scratch_frame(size: int, claimed: int) -> int:
    """Bytes by which the stack pointer moves for an aligned claim of `size`, after `claimed` bytes of others."""
    frame = -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT + SCRATCH_ALIGNMENT
    if size < 1 or claimed + frame > STACK_LIMIT + SCRATCH_ALIGNMENT:
        raise UnsupportedError(
            f"{size} bytes of scratch memory beside {claimed}: a kernel has at most {STACK_LIMIT}; "
            "block the problem so that a kernel works on less at a time"
        )
    return frame


@dataclass(frozen=True)
class Slot:
    """A 64-bit place in the stack frame."""

    number: int


class Lanes:
    """`count` elements of type `dtype`, held in the narrowest register that has room for them.

    `capacity` is the number of elements of that register; `mask` is what the machine needs to touch fewer in memory.
    """

    __slots__ = ("dtype", "count", "capacity", "mask", "bytes", "ops")

    def __init__(self, dtype: str, count: int, capacity: int, mask: Any, ops: Any) -> None:
        self.dtype, self.count, self.capacity, self.mask, self.ops = dtype, count, capacity, mask, ops
        self.bytes = count * ELEMENT_BYTES[dtype]

    @property
    def full(self) -> bool:
        """Whether every element of the register is used."""
        return self.count == self.capacity

    def __repr__(self) -> str:
        return f"{self.count}/{self.capacity} {self.dtype}"


class Facts:
    """What planners read: register counts, and what an instruction of a width costs, in cycles of a busy machine."""

    def __init__(
        self,
        target: Target,
        vector_registers: int,
        *,
        embedded_broadcast: bool,
        widths: Sequence[int],
        group_bits: int = 0,
        loads_together: int = 1,
        loads_apart: bool = False,
        interleaved_rows: int = 0,
        halves: bool = False,
        fold_masks: int = 0,
        units: Callable[[str, str, str], UnitFacts | None] = lambda x, y, numerics: None,
        mmla: Callable[[str, str, str], UnitFacts | None] = lambda x, y, numerics: None,
        tiles: Callable[[str, str], TileFacts | None] = lambda x, y: None,
        untiled: Facts | None = None,
        outer_products: Callable[[str, str], OuterProductFacts | None] = lambda x, y: None,
        arithmetic: Any = None,
        shuffles: Any = None,
    ) -> None:
        self.tile = tiles  # of element types of the rows and of the columns of a product of tiles
        self.untiled = untiled  # the same machine without tiles, where planners may choose
        self.outer_product = outer_products  # of the same of an outer product
        self.unit = units  # of element types of a chunk and of a group, and "exact" or "fast"
        self.mmla = mmla  # the same, of units that multiply two columns at a time
        self.vector_registers = vector_registers
        self.arithmetic = arithmetic  # what expressions are made of: see codegen/selection.py
        self.shuffles = shuffles  # of the elements of registers: see contract/shuffle_set.py
        self.group_bits = group_bits  # of neighbouring elements that one load brings, to be multiplied by their place
        self.loads_together = loads_together  # neighbouring vectors that one instruction loads
        self.loads_apart = loads_apart  # arithmetic takes no operand from memory: a load is always an instruction
        self.interleaved_rows = (
            interleaved_rows  # rows that loops walk side by side: an address costs nothing, whatever the distance
        )
        self.halves = halves  # half of a register is a narrower register, and `halve` brings the other half there
        self.fold_masks = fold_masks  # mask registers of `folding`
        self.embedded_broadcast = embedded_broadcast  # arithmetic can broadcast an element from memory
        self.widths = tuple(widths)  # register widths in bits, widest first
        self.tuning = tuning_of(target)
        self.l1_bytes = target.l1d  # of the nearest cache
        self.l2_bytes = target.l2  # of the next one
        self.follows_rows = target.follows_rows  # nobody need ask for the next row in advance
        self.fma_latency = target.fma_latency
        self.issue_width = target.issue_width
        self._fma = {w: max(1, w // target.fma_bits) / target.fma_pipes for w in widths}
        load_bits = target.load_bits or target.vector_bits
        self.broadcast_cycles = 1 / target.load_pipes  # an element from memory, whatever register it fills
        self._load = {w: max(1, w // load_bits) / target.load_pipes for w in widths}

    def group(self, element_bytes: int) -> int:
        """Elements of a group: 1 where each is broadcast on its own."""
        return max(1, self.group_bits // 8 // element_bytes)

    def group_registers(self, element_bytes: int) -> int:
        """Vector registers that can hold a group."""
        return self.vector_registers

    def lanes_bits(self, count: int, element_bytes: int) -> int:
        """Width of the narrowest register for `count` elements."""
        return next(w for w in reversed(self.widths) if w >= count * element_bytes * 8)

    def fma_cycles(self, bits: int) -> float:
        """Cycles an FMA of this width occupies the FMA pipes."""
        return self._fma[bits]

    def load_cycles(self, bits: int) -> float:
        """Cycles a load of this width occupies the load pipes."""
        return self._load[bits]

    def needs_mask_register(self, count: int, element_bytes: int) -> bool:
        """Whether touching `count` elements costs a vector register for a mask."""
        return False


class Machine(ElementMoves, OwnRounding):
    """Verbs that every vector instruction set offers. `asm` is the assembler that the verbs append to."""

    name: ClassVar[str]

    def __init__(self, target: Target, asm: Assembler) -> None:
        self.target, self.asm = target, asm
        self.facts = self.facts_of(target)
        self._free_vectors = list(range(self.facts.vector_registers - 1, -1, -1))
        self._holders: dict[str, int] = {}

    @classmethod
    @abstractmethod
    def facts_of(cls, target: Target) -> Facts:
        """The facts of this machine on a target."""

    # Vector registers

    @contextmanager
    def vectors(self, count: int, role: str) -> Iterator[list[Vector]]:
        """`count` vector registers for `role`, free again at the end of the scope."""
        if count > len(self._free_vectors):
            held = ", ".join(f"{n} {r}" for r, n in self._holders.items() if n)
            raise UnsupportedError(f"{count} vector registers for {role}: {len(self._free_vectors)} free, held: {held}")
        taken = [self._free_vectors.pop() for _ in range(count)]
        self._holders[role] = self._holders.get(role, 0) + count
        try:
            yield taken
        finally:
            self._free_vectors += reversed(taken)
            self._holders[role] -= count

    @contextmanager
    def masks(self, count: int) -> Iterator[Sequence[Any]]:
        """`count` mask registers for expressions; none where masks are vectors."""
        yield ()

    def vectors_left(self) -> int:
        """Free vector registers."""
        return len(self._free_vectors)

    # Predicates

    @abstractmethod
    def predicates(self) -> AbstractContextManager[None]:
        """A scope of `lanes`: what the machine set up for them inside is given back at its end."""

    @abstractmethod
    def lanes(self, dtype: str, count: int) -> Lanes:
        """`count` elements; the first request sets the machine up for them, so make it before any loop."""

    # Vector verbs; x, y, acc, dst are vector registers, `lanes` says how many elements. A verb on a register narrower
    # than the widest clears the rest of it.

    @abstractmethod
    def zero(self, dst: Vector, lanes: Lanes) -> None:
        """dst = 0."""

    @abstractmethod
    def load(self, dst: Vector, address: Address, lanes: Lanes) -> None:
        """dst = memory; elements beyond `lanes.count` become 0 and are not read."""

    @abstractmethod
    def store(self, address: Address, src: Vector, lanes: Lanes) -> None:
        """memory = src; nothing beyond `lanes.count` elements is written. May destroy src."""

    @abstractmethod
    def broadcast(self, dst: Vector, address: Address, lanes: Lanes) -> None:
        """Every element of dst = one element of memory."""

    @abstractmethod
    def constant(self, dst: Vector, value: float, lanes: Lanes) -> None:
        """Every element of dst = value, from the constant pool."""

    @abstractmethod
    def scalar(self, address: Address) -> Any:
        """An element of memory as the last operand of `fma` and `mul`, broadcast by the instruction itself.

        Only where `facts.embedded_broadcast`.
        """

    @abstractmethod
    def fma(self, acc: Vector, x: Vector, y: Any, lanes: Lanes) -> None:
        """acc += x * y, rounded once; y a register, the `scalar` of an address, or a place `of_group`."""

    @abstractmethod
    def mul(self, dst: Vector, x: Vector, y: Any, lanes: Lanes) -> None:
        """dst = x * y; y as in `fma`."""

    @abstractmethod
    def add(self, dst: Vector, x: Vector, y: Any, lanes: Lanes) -> None:
        """dst = x + y; y as in `fma`."""

    def add_memory(self, acc: Vector, address: Address, lanes: Lanes, spare: Vector) -> None:
        """acc += memory; reads `lanes.count` elements."""
        self.load(spare, address, lanes)
        self.add(acc, acc, spare, lanes)

    def fma_memory(self, acc: Vector, x: Vector, address: Address, lanes: Lanes, spare: Vector) -> None:
        """acc += x * memory; reads `lanes.count` elements."""
        self.load(spare, address, lanes)
        self.fma(acc, x, spare, lanes)

    def mul_memory(self, dst: Vector, x: Vector, address: Address, lanes: Lanes, spare: Vector) -> None:
        """dst = x * memory; reads `lanes.count` elements."""
        self.load(spare, address, lanes)
        self.mul(dst, x, spare, lanes)

    def load_next(self, dst: Sequence[Vector], address: Address, lanes: Sequence[Lanes]) -> None:
        """One or two neighbouring vectors, the first at `address`."""
        for register, each in zip(dst, lanes):
            self.load(register, address, each)
            address = self.further(address, each.bytes)

    def load_group(self, dst: Vector, address: Address, count: int, lanes: Lanes) -> None:
        """`count` neighbouring elements, to be multiplied one by one; only where `facts.group` is more than 1.

        A count below a whole group must have been asked of `lanes` before.
        """
        raise NotImplementedError

    def of_group(self, group: Vector, place: int) -> Any:
        """One element of a group as the last operand of `fma` and `mul`."""
        raise NotImplementedError

    @abstractmethod
    def gather(self, dst: Vector, addresses: Sequence[Address], lanes: Lanes, spare: Vector) -> None:
        """dst = the elements at these addresses (as many as `lanes.count`), one load each; destroys `spare`."""

    def folding(self) -> AbstractContextManager[None]:
        """Within it `neighbours` has `facts.fold_masks` mask registers for what is less work with them."""
        return nullcontext()

    @abstractmethod
    def neighbours(self, level: int, low: Vector, high: Vector, x: Vector, y: Vector, lanes: Lanes) -> None:
        """What one step of a fold takes together: low and high hold neighbouring groups of x, and beside them of y.

        Levels go from 0 to log2(capacity) - 1; after the last one element j is that of column j, where x and y of a
        level are the columns' next to each other. high may be x, and y may be x.
        """

    def halve(self, dst: Vector, src: Vector, lanes: Lanes) -> None:
        """dst = the upper half of src, in a register of half the width; only where `facts.halves`."""
        raise UnsupportedError(f"{self.name} has no narrower registers")

    def pairwise(self, level: int, dst: Vector, x: Vector, y: Vector, spare: Vector, lanes: Lanes) -> None:
        """One step of `sum_columns`: dst, which may be x, = the sums of neighbouring groups of x and y."""
        self.neighbours(level, spare, dst, x, y, lanes)
        self.add(dst, dst, spare, lanes)

    def sum_columns(self, columns: Sequence[Vector], lanes: Lanes, spare: Vector) -> Vector:
        """One register whose element j is the sum over the elements of columns[j]; destroys all of them.

        At most `lanes.capacity` columns. A tree of log2(capacity) levels; each step adds two registers into one, so
        sixteen columns of sixteen elements take 15 adds.
        """
        level, current = 0, list(columns)
        for level in range((lanes.capacity - 1).bit_length()):
            pairs = [(current[i], current[min(i + 1, len(current) - 1)]) for i in range(0, len(current), 2)]
            for x, y in pairs:
                self.pairwise(level, x, x, y, spare, lanes)
            current = [x for x, _ in pairs]
        return current[0]

    @abstractmethod
    def elements(self, src: Vector, count: int, spare: Sequence[Vector], lanes: Lanes) -> Iterator[Vector]:
        """Registers that hold element 0, 1, ... count - 1 of src in their first place, one after the other.

        Each is valid until the next is asked for; two spare registers are destroyed, src is kept.
        """

    # Tensor units

    def unit(self, row_vector: str, group: str, numerics: str) -> Unit:
        """The unit that multiplies chunks of one element type by groups of another; `facts.unit` describes it."""
        raise UnsupportedError(f"{self.name} multiplies no {row_vector} by {group}")

    def mmla(self, row_vector: str, group: str, numerics: str) -> MmlaUnit:
        """The unit of quads for these types; `facts.quads` describes it."""
        raise UnsupportedError(f"{self.name} has no quads of {row_vector} by {group}")

    def tiles(self, x: str, y: str) -> Tiles:
        """The tile registers for products of these types; `facts.tile` describes them."""
        raise UnsupportedError(f"{self.name} has no tiles")

    def outer_products(self, x: str, y: str) -> OuterProducts:
        """The square accumulators for outer products of these types; `facts.square` describes them."""
        raise UnsupportedError(f"{self.name} has no square accumulators")

    def keep_low(self, dst: Vector, bits: int, lanes: Lanes) -> None:
        """Clear all but the lowest `bits` bits of every 32 bits of dst."""
        raise UnsupportedError(f"{self.name} has no tiles, which this is for")

    def result(self, dtype: str, sums: str) -> Result:
        """How sums of one type go to and from memory of another."""
        raise UnsupportedError(f"{self.name} converts no {sums} to {dtype}")

    # General registers

    @abstractmethod
    def arguments(self, count: int) -> list[General | Slot]:
        """Where the function's integer and pointer arguments are, in order; call it first."""

    @abstractmethod
    def general(self, role: str) -> General:
        """A free general register."""

    @abstractmethod
    def release(self, register: General) -> None:
        """Give a general register back."""

    def generals_left(self) -> int:
        """Free general registers, for what can do without."""
        return 0

    @abstractmethod
    def reclaim(self, kept: Sequence[General | Slot]) -> None:
        """All general registers but those in `kept` are free again: nothing else is needed any more."""

    @abstractmethod
    def scratch(self, size: int) -> General:
        """A register with the address of `size` bytes of the stack, aligned to 64, that the kernel may use until it
        returns. Claim it at the top of a kernel, before any loop. UnsupportedError beyond `STACK_LIMIT` bytes.
        """

    @abstractmethod
    def park(self, register: General) -> General | Slot:
        """Move a general register to the stack frame and give it back, where registers are short."""

    @contextmanager
    def set_aside(self, registers: Sequence[General | Slot]) -> Iterator[None]:
        """General registers that the body may claim, and that hold what they held again behind it.

        Nothing here: where registers are short, what lasts is parked.
        """
        yield

    @abstractmethod
    def at(self, base: General, disp: int = 0) -> Address:
        """The address base + disp bytes."""

    @abstractmethod
    def further(self, address: Address, disp: int) -> Address:
        """The address `disp` bytes on."""

    @abstractmethod
    def counter(self, role: str) -> General | Slot:
        """Where a cold loop counts: a register if there are many, else a slot."""

    @abstractmethod
    def multiples(self, stride: Amount, count: int) -> Sequence[General]:
        """What `column` needs to address base + j * stride for j < count; claims registers when stride is one."""

    @abstractmethod
    def column(self, base: General, stride: Amount, multiples: Sequence[General], j: int, disp: int) -> Address:
        """The address base + j * stride + disp bytes."""

    @abstractmethod
    def copy(self, dst: General | Slot, amount: Amount) -> None:
        """dst = amount."""

    @abstractmethod
    def load_general(self, dst: General, base: General, index: General | None) -> None:
        """dst = the 64-bit word at base + 8 * index."""

    @abstractmethod
    def advance(self, dst: General | Slot, amount: Amount, times: int = 1) -> None:
        """dst += amount * times."""

    @abstractmethod
    def shift_left(self, dst: General, bits: int) -> None:
        """dst <<= bits."""

    # Control

    @abstractmethod
    def loop(self, counter: General | Slot, count: Amount) -> AbstractContextManager[None]:
        """The body `count` times, count at least 1."""

    @abstractmethod
    def index_loop(self, index: General, limit: Amount) -> AbstractContextManager[None]:
        """The body for index = 0 .. limit - 1, limit at least 1."""

    @abstractmethod
    def unless_zero(self, amount: General | Slot) -> AbstractContextManager[None]:
        """The body unless amount is 0."""

    @abstractmethod
    def enter(self, vectors: int) -> None:
        """The function's first instructions; `vectors` is the most vector registers it will hold at a time. Behind them
        the kernel has the rounding mode that it needs (contract/own_rounding.py)."""

    @abstractmethod
    def leave(self) -> None:
        """Restore what the calling convention asks for, the caller's rounding mode included, and return."""

    def note(self, text: str) -> None:
        """A remark for the listing, beside the next instruction."""
        self.asm.note(text)
