"""Where an epilogue is computed: on the finished sums in registers, or in a walk over C after the product.

On sums in registers nothing is stored but results, so C may be narrower than the sums and of any size. The expression
runs for a few sums at a time, in the registers that the sum over k has left; if these are too few, some sums wait in
scratch memory. It is written out for each sum of a block, so a long expression walks instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from ..codegen.linear_scan import TIME, Lowered, Straight
from ..codegen.selection import Arithmetic, arithmetic_of
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import MOST_UNROLLED, EltwisePlan, check_types, flat
from ..eltwise.plan import plan as walk_plan
from ..errors import UnsupportedError
from ..expr.graph import Expr
from ..gemm.blocking import Panel
from ..gemm.plan import AroundProduct, GemmPlan
from ..prepack.block_emit import registers as product_registers
from ..prepack.block_plan import BlockPrepackPlan, RoundedTwice
from ..prepack.operand_plan import OperandPrepackPlan
from ..prepack.ways import plan as gemm_plan
from .spec import EpilogueSpec

MOST_OPERATIONS = 40
"""Of an expression on sums in registers where a walk is possible. The body of a walk is short and has all registers:
on a Zen 4 both take the same time with gelu (19 or 33 operations, by vector length), and with 100 the walk less."""
MOST_INSTRUCTIONS = 2500
"""Of an epilogue that is written out for all sums of all blocks; 8 bytes each fill half of a first cache."""
MOST_WITHOUT_WALK = 8000
"""The same where C is narrower than the sums, and these do not fit into scratch memory."""

_START = 60  # instructions in the time that a walk waits for what the product has just stored
_SCHEMES = ("outer", "unit", "quad", "dot")  # of panels whose sums end in vector registers
_STEP = 8  # registers from one attempt to the next


class Room(NamedTuple):
    """Vector registers when a block's sums are finished."""

    sums: int  # at a time
    free: int
    used: int  # by these sums, and by what is kept for all blocks
    blocks: int  # of this kind
    times: int = 1  # how often the epilogue is written out for as many


@dataclass(frozen=True)
class EpiloguePlan(AroundProduct):
    """How the product is cut, and where the epilogue is computed."""

    spec: EpilogueSpec
    product: GemmPlan | BlockPrepackPlan | OperandPrepackPlan
    code: Lowered | None  # on sums in registers; None: in a walk
    resident: tuple[str, ...]  # operands that are loaded once for all columns of a block
    rooms: tuple[Room, ...]
    walk: EltwisePlan | None
    why: str

    @property
    def cycles(self) -> float:
        """Of one pair of the batch, and of the epilogue."""
        if self.walk is not None:
            return self.product.cycles + self.walk.cycles
        assert self.code is not None and isinstance(self.product, GemmPlan)
        vectors = self.spec.m * self.spec.n / self.product.vector
        return self.product.cycles + vectors * self.code.operations

    @property
    def registers(self) -> int:
        """The most vector registers held at a time."""
        product = product_registers(self.product)
        if self.code is None:
            assert self.walk is not None
            return max(product, self.walk.registers)
        return max(product, *(room.used + self.needed for room in self.rooms))

    @property
    def needed(self) -> int:
        """Vector registers for the expression, beside the sums."""
        assert self.code is not None
        return self.code.vectors + len(self.resident) + self.code.arithmetic.spare

    @property
    def waiting(self) -> int:
        """The most sums of a block that wait in scratch memory."""
        return max(0, *(self.needed - room.free for room in self.rooms)) if self.code else 0

    def __str__(self) -> str:
        if self.code is None:
            return f"{self.product}\nepilogue: a walk over C, {self.why}\n{self.walk}"
        waiting = f"; {self.waiting} sums wait in scratch memory" if self.waiting else ""
        return f"{self.product}\nepilogue: on the sums in registers, {self.code}{waiting}"


def plan(spec: EpilogueSpec, facts: Facts) -> EpiloguePlan:
    """On sums in registers where that is possible and short, else in a walk."""
    product = _product(spec, facts)
    arithmetic = arithmetic_of(facts)
    outputs = spec.walk.expressions(arithmetic.tables)
    check_types(spec.walk, arithmetic)
    packed = 0 if isinstance(product, GemmPlan) else product.scratch
    walks = spec.scratch + packed <= SCRATCH_LIMIT
    rooms: tuple[Room, ...] = ()
    found: tuple[Lowered, tuple[str, ...]] | str = "because an operand is packed first"
    if isinstance(product, GemmPlan):
        rooms = tuple(_rooms(spec, product, facts))
        walked = _walked(spec, facts) if walks else inf
        found = _on_sums(outputs, arithmetic, rooms, _of_rows(spec, product), walked)
    if not isinstance(found, str):
        return EpiloguePlan(spec, product, *found, rooms, None, "")
    if not walks:
        raise UnsupportedError(
            f"epilogue: {found}, so a walk over {spec.scratch} bytes of {spec.acc_dtype} sums for a C of {spec.dtype} is "
            f"needed, and a kernel has {SCRATCH_LIMIT - packed} left; use a smaller block, or a C of type {spec.acc_dtype}"
        )
    apart = gemm_plan(spec.plain, facts, _room(spec)) if spec.scratch else product
    return EpiloguePlan(spec, apart, None, (), (), walk_plan(spec.walk, facts), found)


def _product(spec: EpilogueSpec, facts: Facts) -> GemmPlan | BlockPrepackPlan | OperandPrepackPlan:
    """As C is; of the sums' own type where C would be rounded too often."""
    try:
        return gemm_plan(spec.product, facts, _room(spec))
    except RoundedTwice:
        return gemm_plan(spec.plain, facts, _room(spec))


def _room(spec: EpilogueSpec) -> int:
    """Bytes of scratch memory beside the sums of a walk."""
    return SCRATCH_LIMIT - spec.scratch


def _of_rows(spec: EpilogueSpec, plan: GemmPlan) -> tuple[str, ...]:
    """Operands with one column, in the product's terms."""
    straight = plan.product.a.argument == "a"
    return tuple(each.name for each in spec.extras if (each.columns if straight else each.rows) == 1)


def _walked(spec: EpilogueSpec, facts: Facts) -> float:
    """Vectors of a walk."""
    rows, columns = flat(spec.walk)
    return rows * -(-columns // (facts.widths[0] // 8 // ELEMENT_BYTES[spec.compute]))


def _on_sums(outputs: Sequence[Expr], arithmetic: Arithmetic, rooms: Sequence[Room], of_rows: tuple[str, ...],
             walked: float) -> tuple[Lowered, tuple[str, ...]] | str:  # fmt: skip
    """The code for sums in registers and what it keeps there, or why there is none.

    walked: vectors of a walk, infinitely many where there can be none.
    """
    if not rooms:
        return "because its sums are in no vector registers of their own"
    straight = Straight(outputs, arithmetic)
    walks = walked < inf
    if walks and straight.operations > MOST_OPERATIONS:
        return f"because {straight.operations} operations cost more than to store and load the sums"
    found = _cheapest(straight, rooms, of_rows)
    if found is None:
        return "because the registers of a block do not suffice for its expression"
    written = found[0].operations * sum(room.sums * room.times for room in rooms)
    limit = MOST_INSTRUCTIONS if walks else MOST_WITHOUT_WALK
    if written > limit:
        return f"because {written} instructions for all sums of its blocks are more than {limit}"
    here, there = _cost(rooms, *found), walked * (TIME[2] * found[0].operations + 2) + _START
    if here > there:
        return f"because it takes about {there:.0f} instructions, and {here:.0f} for each block when its sums are there"
    return found


def _cost(rooms: Sequence[Room], code: Lowered, resident: tuple[str, ...]) -> float:
    """Instructions of all blocks: for each sum, for those that wait, and for what each block loads first."""
    needed, first = code.vectors + len(resident) + code.arithmetic.spare, len(code.resident) + len(resident)
    return sum(
        room.blocks * room.times * (room.sums * code.time + 2 * max(0, needed - room.free) + first) for room in rooms
    )


def _cheapest(straight: Straight, rooms: Sequence[Room],
              of_rows: tuple[str, ...]) -> tuple[Lowered, tuple[str, ...]] | None:  # fmt: skip
    """With the registers that are left, or some more: then as many sums wait, which costs two instructions each."""
    spare = straight.arithmetic.spare
    least = max(1, min(room.free for room in rooms) - spare)
    most = min(room.free + room.sums - 1 for room in rooms) - spare
    best, cost, registers = None, inf, least
    while registers <= most:
        for resident in (of_rows, ()):
            code = straight.fitted(registers - len(resident), MOST_UNROLLED, given="c", loop_invariant=resident)
            if code is None:
                continue
            needed = code.vectors + len(resident) + spare
            waiting = sum(max(0, needed - room.free) / room.sums for room in rooms) / len(rooms)
            if code.time + 2 * waiting < cost:
                best, cost = (code, resident), code.time + 2 * waiting
            break
        if best is not None and not best[0].missing and best[0].unroll == MOST_UNROLLED:
            break
        registers += _STEP if best else 1
    return best


def _rooms(spec: EpilogueSpec, plan: GemmPlan, facts: Facts) -> Iterator[Room]:
    """What every block leaves."""
    if any(panel.scheme not in _SCHEMES for panel in plan.panels) or spec.acc_dtype == "f16":
        return  # in tiles, or narrower than what is computed with
    if any(_too_many_masks(spec, panel, plan, facts) for panel in plan.panels):
        return  # while the sums are made
    in_a_row = plan.product.c.leading == 1
    for panel in plan.panels:
        for block in panel.blocks:
            blocks = panel.repeat * block.repeat
            free = facts.vector_registers - _masks(spec, panel, block.columns, plan, facts)
            if panel.scheme != "dot":
                sums, times = block.columns * len(panel.row_vectors), 1
                used = sums + panel.held
            elif in_a_row:
                sums, times, used = 1, 1, 1 + _held(panel)
            else:  # one element at a time, beside the sums of all rows, beta, and what extracts elements
                sums, times, used = 1, panel.rows * block.columns, 1 + panel.rows + 3 + _held(panel)
            yield Room(sums, free - used, used, blocks, times)


def _too_many_masks(spec: EpilogueSpec, panel: Panel, plan: GemmPlan, facts: Facts) -> bool:
    """Whether masks for elements of other sizes than the sums', which the product has none of, take its registers."""
    masks = max(_masks(spec, panel, block.columns, plan, facts) for block in panel.blocks)
    others = {ELEMENT_BYTES[each.dtype] for each in spec.walk.operands} != {ELEMENT_BYTES[plan.product.dtype]}
    return others and panel.registers + masks > facts.vector_registers


def _held(panel: Panel) -> int:
    """Registers that a dot panel keeps for all blocks."""
    return panel.held + 1 if panel.held else 0


def _masks(spec: EpilogueSpec, panel: Panel, columns: int, plan: GemmPlan, facts: Facts) -> int:
    """Vector registers for the masks of a panel, at most."""
    walk = spec.walk
    sizes = {ELEMENT_BYTES[walk.compute], ELEMENT_BYTES[plan.product.dtype]}
    if arithmetic_of(facts).packed:
        sizes |= {ELEMENT_BYTES[each.dtype] for each in walk.operands}
    counts = set(panel.row_vectors)
    if panel.scheme == "dot":
        counts = {1, plan.product.k % plan.vector or plan.vector, *(block.columns for block in panel.blocks)}
    return sum(facts.needs_mask_register(count, size) for count in counts for size in sizes if size > 2)
