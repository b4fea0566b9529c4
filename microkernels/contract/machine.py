"""The contract of a vector machine: the verbs that a kernel may use on any instruction set.

A kernel is a function of a machine. It names no instruction set: a planner reads the machine's `Facts`, and the kernel
emits instructions by verbs (general_verbs, vector_verbs). Scopes hand out vector registers (`with m.vectors(4, "acc")
as acc`), `m.lanes` says how many elements of which type a verb processes, and `m.at(base, disp)` makes an address.

`MachineOf` is generic in the types of an architecture's registers and addresses; kernels use `Machine`, the same
contract on opaque types.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import field
from functools import cache
from math import gcd
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias

from ...encoder.asm import Assembler
from ...encoder.features import Target
from ...encoder.operands import Label
from ...encoder.records import dataclass
from ..errors import UnsupportedError
from ..tuning.families import tuning_of
from ..tuning.table import Tuning
from ..units import COLUMNS
from .element_moves import ElementMovesOf
from .general_verbs import GeneralVerbsOf
from .vector_verbs import (
    SCRATCH_ALIGNMENT,
    SCRATCH_LIMIT,
    STACK_LIMIT,
    STACK_PAGE,
    Address,
    AddressT,
    Amount,
    Factor,
    FactorT,
    General,
    GeneralT,
    Lanes,
    LanesT,
    Mask,
    Pattern,
    Slot,
    Vector,
    VectorScope,
    VectorVerbsOf,
    scratch_frame,
)

if TYPE_CHECKING:
    from .dot_and_tile import FragmentsOf, ResultOf, TilesOf, UnitFacts
    from .outer_product import OuterProductsOf
    from .shuffle_set import Shuffles, ShuffleVerbsOf


class InstructionSelection:
    """The operations that a machine has for expressions. Only code generation reads it: codegen/selection.py."""

    __slots__ = ()


_WAY = 4096
"""Bytes of a way of L1, where a way is a page. With larger ways, fewer lines share a set than this says."""
Types = tuple[str, str]
"""Element types of a unit's two operands: rows, then columns, of a tile product; the reverse of an outer product."""
TypesAndNumerics = tuple[str, str, str]
"""Element types of a row vector and of a group, and the numerics that the request asks for."""


def no_units(target: Target, columns: int = 1) -> Mapping[Any, Any]:
    """The empty table of units or tiles, for a machine that has none or is described without them."""
    return {}


@dataclass(frozen=True, eq=False)
class Facts:
    """The properties of a machine that planners read. Each target has one object (machines/registry.py), compared by
    identity.

    widths              register widths in bits, the widest first
    embedded_broadcast  arithmetic can broadcast an element from memory
    group_bits          bits of neighbouring elements that one load fetches so that each can be a factor (`of_group`)
    loads_together      neighbouring vectors that one instruction loads or stores
    separate_loads      arithmetic takes no operand from memory: a load is always an instruction of its own
    interleaved_rows    rows that loops process side by side, because an address costs the same at any distance; 0: none
    halves              half of a register is a narrower register, and `halve` moves the upper half there
    branches_on_masks   there is a branch on mask registers, `unless_all`
    multiply_add        instructions of `fma`: 1 rounds once; 2, a product and a sum, round twice
    fold_masks          mask registers that `folding` claims
    expands             bytes of elements that `expand` spreads
    units, mmla_units   the dot-product units by operand types and numerics; MMLA units multiply two columns at a time
    tile_units          the products of tile registers. `untiled` describes the machine without them where planners may
                        choose, and is None elsewhere

    Units, tiles and shuffles are tables of the target, made when a planner first reads them.
    """

    target: Target
    vector_registers: int
    widths: tuple[int, ...]
    arithmetic: Callable[[], InstructionSelection]
    shuffles_of: Callable[[Target], Shuffles]
    embedded_broadcast: bool = False
    group_bits: int = 0
    loads_together: int = 1
    separate_loads: bool = False
    interleaved_rows: int = 0
    halves: bool = False
    branches_on_masks: bool = False
    multiply_add: int = 1
    fold_masks: int = 0
    expands: frozenset[int] = frozenset()
    units_of: Callable[[Target, int], Mapping[TypesAndNumerics, UnitFacts]] = no_units
    tile_units_of: Callable[[Target], Mapping[Types, UnitFacts]] = no_units
    outer_products: Mapping[Types, UnitFacts] = field(default_factory=dict)
    untiled_of: Callable[[Target], Facts | None] = lambda target: None
    tuning: Tuning = field(init=False)
    l1_bytes: int = field(init=False)
    l2_bytes: int = field(init=False)
    follows_rows: bool = field(init=False)
    """Whether the prefetchers follow accesses from row to row, so that kernels need not prefetch the next row."""
    fma_latency: int = field(init=False)
    issue_width: int = field(init=False)
    broadcast_cycles: float = field(init=False)
    """Cycles for which broadcasting an element from memory occupies the load pipes, at any register width."""
    _fma: Mapping[int, float] = field(init=False, repr=False)
    _load: Mapping[int, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        target = self.target
        load_bits = target.load_bits or target.vector_bits
        derived = {
            "tuning": tuning_of(target),
            "l1_bytes": target.l1d,
            "l2_bytes": target.l2,
            "follows_rows": target.follows_rows,
            "fma_latency": target.fma_latency,
            "issue_width": target.issue_width,
            "broadcast_cycles": 1 / target.load_pipes,
            "_fma": {bits: max(1, bits // target.fma_bits) / target.fma_pipes for bits in self.widths},
            "_load": {bits: max(1, bits // load_bits) / target.load_pipes for bits in self.widths},
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def weighed_by(self, tuning: Tuning) -> Facts:
        """Return a copy of the facts with other tuning constants for the planners."""
        other = copy(self)
        object.__setattr__(other, "tuning", tuning)
        return other

    @property
    def shuffles(self) -> Shuffles:
        """The machine's shuffle instructions."""
        return self.shuffles_of(self.target)

    @property
    def units(self) -> Mapping[TypesAndNumerics, UnitFacts]:
        """The dot-product units."""
        return self.units_of(self.target, 1)

    @property
    def mmla_units(self) -> Mapping[TypesAndNumerics, UnitFacts]:
        """The units that multiply two columns at a time."""
        return self.units_of(self.target, COLUMNS)

    @property
    def tile_units(self) -> Mapping[Types, UnitFacts]:
        """The products of tile registers."""
        return self.tile_units_of(self.target)

    @property
    def untiled(self) -> Facts | None:
        """The facts of the machine without its tile registers."""
        return self.untiled_of(self.target)

    def unit(self, row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        """The unit that multiplies row vectors of one element type by groups of another; None if there is none."""
        return self.units.get((row_vector, group, numerics))

    def mmla(self, row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        """The unit for these types that multiplies two columns at a time; None if there is none."""
        return self.mmla_units.get((row_vector, group, numerics))

    def tile(self, x: str, y: str) -> UnitFacts | None:
        """The product of tiles with rows of element type x and columns of element type y; None if there is none."""
        return self.tile_units.get((x, y))

    def outer_product(self, x: str, y: str) -> UnitFacts | None:
        """The outer product of columns of element type x and rows of element type y; None if there is none."""
        return self.outer_products.get((x, y))

    def group(self, element_bytes: int) -> int:
        """The number of elements in a group; 1 where each element is broadcast on its own."""
        return max(1, self.group_bits // 8 // element_bytes)

    def group_registers(self, element_bytes: int) -> int:
        """The number of vector registers that can hold a group."""
        return self.vector_registers

    def lanes_bits(self, count: int, element_bytes: int) -> int:
        """The width in bits of the narrowest register for `count` elements."""
        return next(w for w in reversed(self.widths) if w >= count * element_bytes * 8)

    def products(self, row_vectors: int, columns: int) -> int:
        """The number of instructions that multiply and accumulate this many row vectors by this many elements."""
        return self.multiply_add * row_vectors * columns

    def broadcast_instructions(self, element_bytes: int) -> int:
        """The number of instructions that fill a register with one element of memory."""
        return 1

    def copies(self, element_bytes: int) -> int:
        """How many copies of an element must lie side by side in memory so that one load broadcasts them; 1 if one
        element suffices. It is more than 1 where broadcasting a single element takes shuffles."""
        return 1

    def fma_cycles(self, bits: int) -> float:
        """Cycles for which an FMA of this width occupies the FMA pipes."""
        return self._fma[bits]

    def load_cycles(self, bits: int) -> float:
        """Cycles for which a load of this width occupies the load pipes."""
        return self._load[bits]

    def lines_at_distance(self, distance: int) -> int:
        """The most lines at this distance in bytes that a block loads in turn: one per way of L1, and one more."""
        return (self.l1_bytes // _WAY + 1) * (_WAY // gcd(distance or 1, _WAY))

    def needs_mask_register(self, count: int, element_bytes: int) -> bool:
        """Whether a load or store of `count` elements needs a vector register for its mask."""
        return False

    def counts_lanes(self, sizes: Collection[int]) -> bool:
        """Whether a general register can hold the number of lanes, for elements of all these sizes in bytes."""
        return False


class OwnRounding(ABC):
    """Make a kernel's rounding mode independent of its caller's.

    The kernel's mode is a state of the thread's control register: rounding to nearest even, denormals kept, no
    exception trapped. A kernel that contains an instruction that depends on this register compares it at entry,
    ignoring sticky flags. If the caller's mode differs, a few instructions behind the kernel's end set the kernel's
    mode, call its body as a function (with a copy of the stack arguments) and restore the caller's mode. Under the
    usual mode, a call therefore costs one comparison at entry and nothing on return.

    Whether a kernel compares is read from the instructions that were emitted, so no kind of kernel has to declare it. A
    kernel that only moves elements, or computes with integers, has neither the comparison nor the code behind its end.
    `enter` begins with `comparing_mode`, `leave` ends with `settled_mode`.
    """

    asm: Assembler
    stacked: int = 0
    """The number of the function's arguments that are on the stack."""
    _comparison: tuple[int, int] | None = None

    @contextmanager
    def comparing_mode(self) -> Iterator[Label]:
        """A scope, at the kernel's entry, that branches to the yielded label if the mode is not the kernel's own."""
        asm = self.asm
        start = len(asm.buffer)
        asm.note("the caller's rounding mode")
        self._elsewhere = asm.label(".Lelsewhere")
        yield self._elsewhere
        self._comparison = start, len(asm.buffer)
        self._body = asm.here(".Lbody")

    def settled_mode(self) -> Label | None:
        """Return the label of the body, which the code emitted next must call under the kernel's own mode.

        The label of the branch in `comparing_mode` is bound here. If no instruction depends on the mode, the comparison
        is removed and the result is None, as it is at the end of another body of the kernel (`by_count`).
        """
        asm = self.asm
        if self._comparison is None:
            return None
        start, end = self._comparison
        self._comparison = None
        if any(map(self.follows, {form.mnemonic for form in asm.forms})):
            asm.bind(self._elsewhere)
            asm.note("under the kernel's own rounding mode")
            return self._body
        asm.labels.remove(self._body)
        asm.remove(start, end)
        return None

    @staticmethod
    @abstractmethod
    def follows(mnemonic: str) -> bool:
        """Whether the instruction's results depend on the mode, or it traps under some modes."""

    @abstractmethod
    def unless_own(self, elsewhere: Label) -> None:
        """Branch to `elsewhere` unless the control register has its initial value; no argument is changed."""

    @abstractmethod
    def under_own(self, body: Label) -> None:
        """Call the body with the kernel's arguments under the kernel's own mode, then return to the kernel's caller."""


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, (list, dict, set)) else value


__all__ = [
    "SCRATCH_ALIGNMENT",
    "SCRATCH_LIMIT",
    "STACK_LIMIT",
    "STACK_PAGE",
    "Address",
    "Amount",
    "Facts",
    "General",
    "Lanes",
    "Machine",
    "MachineOf",
    "Pattern",
    "Slot",
    "Vector",
    "scratch_frame",
]


class MachineOf(
    ElementMovesOf[GeneralT],
    GeneralVerbsOf[GeneralT, AddressT],
    VectorVerbsOf[GeneralT, AddressT, LanesT, FactorT],
    OwnRounding,
    Generic[GeneralT, AddressT, LanesT, FactorT],
):
    """The verbs for one kernel being emitted, and its free registers. The verbs append to the assembler `asm`."""

    asm: Assembler

    def __init__(self, target: Target, asm: Assembler) -> None:
        self.target, self.asm = target, asm
        self.facts = facts_of(type(self), target)
        self._free_vectors = list(range(self.facts.vector_registers - 1, -1, -1))
        self._holders: dict[str, int] = {}

    @classmethod
    @abstractmethod
    def facts_of(cls, target: Target) -> Facts:
        """The facts of this machine on a target."""

    def save_for_parts(self, most: int = 12) -> None:
        """Claim the general registers that parts of a kernel may need, at most so many, before any loop: those of the
        caller are then saved once."""
        for _ in range(min(most, self.generals_left() or most)):
            self.general("saved before any loop")

    def by_count(
        self, given: Mapping[str, GeneralT | Slot], most: Mapping[str, int], body: Callable[[bool], None]
    ) -> None:
        """Emit the rest of a kernel twice, `leave` included: body(False) for calls whose arguments are at most those of
        `most`, and, behind the kernel's end, body(True) for others. A small count costs one comparison. If `most` has
        none, the kernel has only body(True). Call it after `arguments`."""
        if not most:
            body(True)
            self.leave()
            return
        elsewhere = self.asm.label(".Lmany")
        for name, each in most.items():
            self.branch_if_more(given[name], each, elsewhere)
        state = {name: _copied(value) for name, value in vars(self).items() if name not in self._of_the_kernel}
        body(False)
        self.leave()
        claimed = self.claimed
        kept = {name: vars(self)[name] for name in self._of_the_kernel if name in vars(self)}
        vars(self).clear()
        vars(self).update(state | kept)
        self.asm.bind(elsewhere)
        body(True)
        self.leave()
        self.claimed = max(claimed, self.claimed)

    _of_the_kernel: ClassVar[frozenset[str]] = frozenset({"asm", "target", "facts", "_comparison"})
    """The attributes that the verbs of one body leave for the next."""

    def note(self, text: str) -> None:
        """Add a remark to the listing, beside the next instruction."""
        self.asm.note(text)

    def pattern(self, emit: Callable[[], None], bases: Sequence[GeneralT]) -> Pattern | None:
        """Emit instructions by calling `emit` and return them as a pattern, or None if the machine cannot. Appending
        the pattern gives the same code as calling `emit` with other displacements from `bases`, but is faster."""
        emit()
        return None

    # Places of values

    def in_register(self, value: GeneralT | Slot, role: str) -> GeneralT:
        """Return a register with the value. A value in a slot is copied to a register that is claimed."""
        register = self.general(role) if isinstance(value, Slot) else value
        if register is not value:
            self.copy(register, value)
        return register

    def named_arguments(self, parameters: Iterable[tuple[str, str]]) -> dict[str, GeneralT | Slot]:
        """Return the call's arguments, keyed by the names of the C function's parameters, which are (type, name)."""
        names = [name for _, name in parameters]
        return dict(zip(names, self.arguments(len(names))))

    def argument_registers(self, parameters: Iterable[tuple[str, str]]) -> dict[str, GeneralT]:
        """Like `named_arguments`, with each argument in a register."""
        return {name: self.in_register(value, name) for name, value in self.named_arguments(parameters).items()}

    def in_slot(self, value: GeneralT | Slot) -> GeneralT | Slot:
        """Return a place of the value that takes no register. A value in a register moves to a slot."""
        return value if isinstance(value, Slot) else self.to_slot(value)

    # Vector registers

    def vectors(
        self, count: int, role: str, neighbours: Collection[tuple[int, int]] = ()
    ) -> AbstractContextManager[list[Vector]]:
        """A scope that claims `count` vector registers for `role` and frees them at its end.

        neighbours: (first, number) of places among them whose registers are numbered one after the other
        """
        return VectorScope(self, count, role, neighbours)

    @contextmanager
    def masks(self, count: int) -> Iterator[Sequence[Mask]]:
        """A scope that claims `count` mask registers for expressions. It yields none where masks are vectors."""
        yield ()

    def vectors_left(self) -> int:
        """The number of free vector registers."""
        return len(self._free_vectors)

    @abstractmethod
    def shuffles(self) -> ShuffleVerbsOf[GeneralT, AddressT, LanesT, FactorT]:
        """The verbs that shuffle registers; `facts.shuffles` describes them."""

    # Tensor units

    def unit(
        self, row_vector: str, group: str, numerics: str, columns: int = 1
    ) -> FragmentsOf[AddressT, LanesT, FactorT]:
        """The unit that multiplies row vectors of one type by groups of another, so many columns at a time;
        `facts.unit` and `facts.mmla` describe it."""
        raise UnsupportedError(f"{self.name} multiplies no {row_vector} by {group}")

    def tiles(self, x: str, y: str) -> TilesOf[GeneralT, AddressT, LanesT]:
        """The tile registers for products of these types; `facts.tile` describes them."""
        raise UnsupportedError(f"{self.name} has no tiles")

    def outer_products(self, x: str, y: str) -> OuterProductsOf[GeneralT, AddressT]:
        """The accumulators for outer products of these types; `facts.outer_product` describes them."""
        raise UnsupportedError(f"{self.name} has no outer-product accumulators")

    def result(self, dtype: str, sums: str) -> ResultOf[AddressT, LanesT]:
        """The loads and stores that convert sums of type `sums` from and to memory of type `dtype`."""
        raise UnsupportedError(f"{self.name} converts no {sums} to {dtype}")


Machine: TypeAlias = MachineOf[General, Address, Lanes, Factor]


@cache
def facts_of(machine: type[MachineOf[Any, Any, Any, Any]], target: Target) -> Facts:
    """The facts of a machine on a target. Each pair has one object, so that caches keyed by it work."""
    return machine.facts_of(target)
