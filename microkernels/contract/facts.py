"""What planners read of a machine on a target: register counts, costs in cycles, and which tensor units there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import field
from typing import TYPE_CHECKING

from ...encoder.features import Target
from ...encoder.records import dataclass
from ..tuning.families import tuning_of
from ..tuning.table import Tuning

if TYPE_CHECKING:
    from .dot_and_tile import TileFacts, UnitFacts
    from .outer_product import OuterProductFacts
    from .shuffle_set import Shuffles


class InstructionSelection:
    """What expressions are made of on a machine. Only code generation asks for it: codegen/selection.py."""

    __slots__ = ()


Types = tuple[str, str]
"""Element types of the two operands of a unit: rows and columns of a tile product, columns and rows of an outer one."""
TypesAndNumerics = tuple[str, str, str]
"""Element types of a row vector and of a group, and the numerics that the request asks for."""


def _none(target: Target) -> Mapping[TypesAndNumerics, UnitFacts]:
    return {}


@dataclass(frozen=True, eq=False)
class Facts:
    """What planners read. There is one object for each target (machines/registry.py), compared as such.

    widths              of registers in bits, the widest first
    embedded_broadcast  arithmetic can broadcast an element from memory
    group_bits          of neighbouring elements that one load brings, each to be multiplied by its index (`of_group`)
    loads_together      neighbouring vectors that one instruction loads or stores
    loads_apart         arithmetic takes no operand from memory: a load is always an instruction of its own
    interleaved_rows    rows that loops walk side by side, since an address costs the same at any distance; 0: none
    halves              half of a register is a narrower register, and `halve` moves the upper half there
    branches_on_masks   there is a branch on mask registers, `unless_all`
    multiply_add        instructions of `fma`: 1 rounds once; 2, a product and a sum, round twice
    fold_masks          mask registers that `folding` claims
    units, mmla_units   the dot-product units by operand types and numerics; MMLA units multiply two columns at a time.
                        They and the shuffles are tables of the target, made when a planner first reads them
    tile_units          the products of tile registers; `untiled` describes the machine without them where planners may
                        choose, and is None elsewhere
    """

    target: Target
    vector_registers: int
    widths: tuple[int, ...]
    arithmetic: Callable[[], InstructionSelection]
    shuffles_of: Callable[[Target], Shuffles]
    embedded_broadcast: bool = False
    group_bits: int = 0
    loads_together: int = 1
    loads_apart: bool = False
    interleaved_rows: int = 0
    halves: bool = False
    branches_on_masks: bool = False
    multiply_add: int = 1
    fold_masks: int = 0
    units_of: Callable[[Target], Mapping[TypesAndNumerics, UnitFacts]] = _none
    mmla_units_of: Callable[[Target], Mapping[TypesAndNumerics, UnitFacts]] = _none
    tile_units: Mapping[Types, TileFacts] = field(default_factory=dict)
    outer_products: Mapping[Types, OuterProductFacts] = field(default_factory=dict)
    untiled: Facts | None = None
    tuning: Tuning = field(init=False)
    l1_bytes: int = field(init=False)
    l2_bytes: int = field(init=False)
    follows_rows: bool = field(init=False)
    """Whether the prefetchers follow a walk from row to row, so that kernels need not prefetch the next row."""
    fma_latency: int = field(init=False)
    issue_width: int = field(init=False)
    broadcast_cycles: float = field(init=False)
    """Cycles that the broadcast of an element from memory occupies the load pipes, whatever register it fills."""
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
        """The same machine with other numbers for its planners."""
        other = copy(self)
        object.__setattr__(other, "tuning", tuning)
        return other

    @property
    def shuffles(self) -> Shuffles:
        """What the machine shuffles with."""
        return self.shuffles_of(self.target)

    @property
    def units(self) -> Mapping[TypesAndNumerics, UnitFacts]:
        """The dot-product units."""
        return self.units_of(self.target)

    @property
    def mmla_units(self) -> Mapping[TypesAndNumerics, UnitFacts]:
        """The units that multiply two columns at a time."""
        return self.mmla_units_of(self.target)

    def unit(self, row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        """The unit that multiplies row vectors of one element type by groups of another; None if there is none."""
        return self.units.get((row_vector, group, numerics))

    def mmla(self, row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        """The same of units that multiply two columns at a time."""
        return self.mmla_units.get((row_vector, group, numerics))

    def tile(self, x: str, y: str) -> TileFacts | None:
        """The product of tiles with rows of element type x and columns of element type y."""
        return self.tile_units.get((x, y))

    def outer_product(self, x: str, y: str) -> OuterProductFacts | None:
        """The outer product of columns of element type x and rows of element type y."""
        return self.outer_products.get((x, y))

    def group(self, element_bytes: int) -> int:
        """Elements of a group: 1 where each element is broadcast on its own."""
        return max(1, self.group_bits // 8 // element_bytes)

    def group_registers(self, element_bytes: int) -> int:
        """Vector registers that can hold a group."""
        return self.vector_registers

    def lanes_bits(self, count: int, element_bytes: int) -> int:
        """Width of the narrowest register for `count` elements."""
        return next(w for w in reversed(self.widths) if w >= count * element_bytes * 8)

    def products(self, row_vectors: int, columns: int) -> int:
        """Instructions with which so many row vectors are multiplied by so many elements and added up."""
        return self.multiply_add * row_vectors * columns

    def broadcast_instructions(self, element_bytes: int) -> int:
        """Instructions with which an element of memory fills a register."""
        return 1

    def copies(self, element_bytes: int) -> int:
        """How often an element must lie in memory, side by side, for a broadcast of all copies to be a load, where
        that of one element takes shuffles; 1: once."""
        return 1

    def fma_cycles(self, bits: int) -> float:
        """Cycles that an FMA of this width occupies the FMA pipes."""
        return self._fma[bits]

    def load_cycles(self, bits: int) -> float:
        """Cycles that a load of this width occupies the load pipes."""
        return self._load[bits]

    def needs_mask_register(self, count: int, element_bytes: int) -> bool:
        """Whether a load or store of `count` elements needs a vector register for its mask."""
        return False
