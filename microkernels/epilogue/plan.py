"""Where an epilogue is computed: on the finished sums in registers, or in a walk over C after the product.

On sums in registers, only results are stored, so C may be narrower than the sums and of any size. The expression runs
for a few sums at a time, in the registers that the sum over k has left. If these are too few, some sums wait in scratch
memory. The code is repeated for each sum of a block, so a long expression is computed in a walk instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import cast

from ...encoder.records import NamedTuple, dataclass
from ..choice import Refusal, attempt, best, refused, required, tried
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic, arithmetic_of
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.pipeline import planned as walk_planned
from ..eltwise.plan import EltwisePlan, check_types, flat
from ..expr.graph import Expr
from ..gemm.blocking import Panel, Scheme
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, RoundedTwice
from ..gemm.spec import PLAIN, GemmSpec
from ..operands import CACHE_LINE
from ..prepack.emit import registers as product_registers
from ..prepack.ways import planned as gemm_planned
from ..tuning.epilogue import EpilogueTuning
from .spec import EpilogueSpec, epilogue_spec
from .stored import overwritten, refusal
from .tile_plan import TileEpiloguePlan, in_tiles, on_grids

_SCHEMES = (Scheme.FMA, Scheme.DOT, Scheme.MMLA, Scheme.ALONG_K)
"""Schemes of panels whose sums end in vector registers."""
ON_ACCUMULATORS, WALK = "epilogue on the accumulators", "epilogue in a walk over C"
"""The ways that this module plans."""


class RegisterBudget(NamedTuple):
    """The vector registers when a block's sums are finished."""

    sums: int  # sums of a block at a time
    free: int
    used: int  # registers used by these sums, and by values that are held for all blocks
    blocks: int  # number of blocks of this kind
    times: int = 1  # how often the epilogue's code is repeated for that many sums


@dataclass(frozen=True)
class EpiloguePlan(AroundProduct):
    """The plan of the product, and where the epilogue is computed."""

    spec: EpilogueSpec
    product: GemmPlan | Prepacked
    code: Lowered | None  # the code on sums in registers; None: in a walk
    resident: tuple[str, ...]  # operands that are loaded once for all columns of a block
    budgets: tuple[RegisterBudget, ...]
    elementwise: EltwisePlan | MovedPlan | None
    why: str

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair of the batch, plus those of the epilogue."""
        if self.elementwise is not None:
            return self.product.cycles + self.elementwise.cycles
        assert self.code is not None and isinstance(self.product, GemmPlan)
        vectors = self.spec.m * self.spec.n / self.product.vector
        return self.product.cycles + vectors * self.code.operations

    @property
    def registers(self) -> int:
        """The most vector registers held at a time."""
        product = product_registers(self.product)
        if self.code is None:
            assert self.elementwise is not None
            return max(product, self.elementwise.registers)
        return max(product, *(budget.used + self.needed for budget in self.budgets))

    def bytes_inside(self, vector: int) -> int:
        """Return the bytes of scratch memory that the product may claim inside another kernel: levels of long sums, and
        sums that wait."""
        levels = super().bytes_inside(vector) if isinstance(self.product, GemmPlan) else 0
        return levels + (self.waiting * vector + 2 * CACHE_LINE if self.waiting else 0)

    @property
    def needed(self) -> int:
        """Vector registers for the expression, beside the sums."""
        assert self.code is not None
        return self.code.vectors + len(self.resident) + self.code.arithmetic.spare

    @property
    def waiting(self) -> int:
        """The most sums of a block that wait in scratch memory."""
        return max(0, *(self.needed - budget.free for budget in self.budgets)) if self.code else 0

    def __str__(self) -> str:
        if self.code is None:
            return f"{self.product}\nepilogue: a walk over C, {self.why}\n{self.elementwise}"
        return f"{self.product}\n{self.computed}"

    @property
    def computed(self) -> str:
        """What is computed on the sums in registers, as text."""
        waiting = f"; {self.waiting} sums wait in scratch memory" if self.waiting else ""
        return f"epilogue: on the sums in registers, {self.code}{waiting}"


def plan(spec: EpilogueSpec, facts: Facts) -> EpiloguePlan | TileEpiloguePlan:
    """Return the plan on the accumulators if that is possible and short, else in a walk. Raises UnsupportedError if
    neither is."""
    return cast(EpiloguePlan | TileEpiloguePlan, required(best(candidates(spec, facts))))


def rounded_once(spec: GemmSpec, facts: Facts) -> Sequence[EpiloguePlan | TileEpiloguePlan | Refusal]:
    """Return plans of a product whose C is rounded by an identity epilogue."""
    return candidates(epilogue_spec(spec, lambda c: c, {}, "fast"), facts)


def candidates(
    spec: EpilogueSpec, facts: Facts, given: GemmPlan | Refusal | None = None
) -> list[EpiloguePlan | TileEpiloguePlan | Refusal]:
    """Return the plan on the accumulators, or else in a walk, with the refusal of the other. On tile registers, return
    the plan on each grid and the plan in a walk."""
    packed = spec.c_layout != PLAIN
    product = given or (gemm_planned(spec.plain, facts, _scratch_left(spec)) if packed else _product(spec, facts))
    if isinstance(product, Refusal):
        return [product]
    if packed:
        return [*_over_c(spec, facts, product, refused(ON_ACCUMULATORS, "c is packed when it is stored"))]
    arithmetic = arithmetic_of(facts, spec.elementwise.numerics)
    outputs = spec.elementwise.expressions(arithmetic.tables, arithmetic.converts)
    types = tried(ON_ACCUMULATORS, lambda: check_types(spec.elementwise, arithmetic))
    if isinstance(types, Refusal):
        return [types]
    unpacked = product if isinstance(product, GemmPlan) else None
    if in_tiles(product) or (facts.tile_units and unpacked is None):
        return _on_tiles(spec, facts, product, outputs)
    if unpacked is None:
        return [*_over_c(spec, facts, product, refused(ON_ACCUMULATORS, "an operand is packed first"))]
    cannot = refusal(spec, unpacked)
    if cannot:
        return [*_over_c(spec, facts, product, refused(ON_ACCUMULATORS, cannot))]
    budgets = tuple(_budgets(spec, unpacked, facts))
    walks = spec.scratch <= SCRATCH_LIMIT and not spec.shared
    vectors = _vectors_of_c(spec, facts) if walks else inf
    estimate = EpilogueEstimate(facts.tuning.epilogue, vectors, facts.tuning.codegen.unrolled_time[1])
    straight = Straight.of(outputs, facts, overwritten(spec), arithmetic=arithmetic)
    masks = _masks_left(spec, unpacked, arithmetic)
    chosen = _on_accumulators(straight, facts, budgets, _of_rows(spec, unpacked), estimate, masks)
    if isinstance(chosen, Refusal):
        return [*_over_c(spec, facts, product, chosen)]
    plan = EpiloguePlan(
        spec, product, chosen.code, chosen.resident, budgets, None, "", way=ON_ACCUMULATORS, rejected=product.rejected
    )
    return [plan, _not_over_c(chosen, estimate)]


def _on_tiles(
    spec: EpilogueSpec, facts: Facts, product: GemmPlan | Prepacked, outputs: Sequence[Expr]
) -> list[EpiloguePlan | TileEpiloguePlan | Refusal]:
    """Return the plan on each grid, whose sums need no scratch memory and so leave more for packed operands, and the
    plan in a walk."""
    free = gemm_planned(spec.product, facts) if spec.scratch else product
    grids = free if isinstance(free, Refusal) else on_grids(spec, facts, free, outputs)
    why = grids if isinstance(grids, Refusal) else refused(ON_ACCUMULATORS, "its sums are in tiles")
    return [grids, *(each for each in _over_c(spec, facts, product, why) if each is not grids)]


def _over_c(
    spec: EpilogueSpec, facts: Facts, product: GemmPlan | Prepacked, refusal: Refusal
) -> list[EpiloguePlan | Refusal]:
    """Return the plan of a walk over C or over its sums in scratch memory, and why the epilogue is not on the
    accumulators."""
    if spec.shared:
        reason = (
            f"epilogue: since {refusal.error}, C would be computed in a second walk, over lines that only the call "
            "counts; ts.equation(lambda x, w: f(x @ w), x=(ts.RUNTIME, k), w=(k, n)) computes it in bands of rows"
        )
        return [refused(WALK, reason), refusal]
    left = SCRATCH_LIMIT - (0 if isinstance(product, GemmPlan) else product.scratch)
    if spec.scratch > left:
        reason = (
            f"epilogue: since {refusal.error}, C is computed in a second walk over its sums; {spec.scratch} bytes of "
            f"{spec.acc_dtype} sums for a C of {spec.dtype} are needed, and a kernel has {left} left; use a smaller "
            f"block, or a C of type {spec.acc_dtype}"
        )
        return [refused(WALK, reason), refusal]
    apart = gemm_planned(spec.plain, facts, _scratch_left(spec)) if spec.scratch else product
    if isinstance(apart, Refusal):
        return [apart, refusal]
    elementwise = attempt(WALK, lambda: walk_planned(spec.elementwise, facts))
    if isinstance(elementwise, Refusal):
        return [elementwise, refusal]
    plan = EpiloguePlan(
        spec, apart, None, (), (), elementwise, f"because {refusal.error}", way=WALK, rejected=apart.rejected
    )
    return [refusal, plan]


def _product(spec: EpilogueSpec, facts: Facts) -> GemmPlan | Prepacked | Refusal:
    """Plan the product with C's type, or with the type of the sums if C would be rounded more than once."""
    product = gemm_planned(spec.product, facts, _scratch_left(spec))
    if isinstance(product, Refusal) and isinstance(product.error, RoundedTwice):
        return gemm_planned(spec.plain, facts, _scratch_left(spec))
    return product


def _scratch_left(spec: EpilogueSpec) -> int:
    """Return the bytes of scratch memory that the sums of a walk leave."""
    return SCRATCH_LIMIT - spec.scratch


def _of_rows(spec: EpilogueSpec, plan: GemmPlan) -> tuple[str, ...]:
    """Return the operands with one column, as the product counts them."""
    straight = plan.product.a.argument == "a"
    if spec.statistics:  # line by line: no row of the product is finished before the next one
        return ()
    return tuple(extra.name for extra in spec.extras if (extra.columns if straight else extra.rows) == 1)


def _vectors_of_c(spec: EpilogueSpec, facts: Facts) -> float:
    rows, columns = flat(spec.elementwise)
    return rows * -(-columns // (facts.widths[0] // 8 // ELEMENT_BYTES[spec.compute]))


class EpilogueEstimate(NamedTuple):
    """The alternative to the accumulators: a walk over `vectors` vectors, or infinitely many if no walk is possible."""

    tuning: EpilogueTuning
    vectors: float
    two_vectors: float  # time of an operation with two vectors interleaved, relative to one vector

    @property
    def over_c(self) -> bool:
        """Whether a walk is possible."""
        return self.vectors < inf

    def instructions(self, operations: int) -> float:
        """Estimate the instructions of a walk with this many operations on each vector."""
        return self.vectors * (self.two_vectors * operations + 2) + self.tuning.walk_start_instructions


class ChosenCode(NamedTuple):
    """The code of an epilogue on accumulators, and the operands that it loads once for all columns of a block."""

    code: Lowered
    resident: tuple[str, ...]
    instructions: float  # of all blocks


def _not_over_c(chosen: ChosenCode, elementwise: EpilogueEstimate) -> Refusal:
    """Return a refusal of the loop over C: the reason why the epilogue is computed on the accumulators."""
    if not elementwise.over_c:
        return refused(WALK, "the sums do not fit into scratch memory, or only the call counts them")
    there = elementwise.instructions(chosen.code.operations)
    return refused(WALK, f"about {there:.0f} instructions, on the accumulators {chosen.instructions:.0f}")


def _on_accumulators(
    straight: Straight,
    facts: Facts,
    budgets: Sequence[RegisterBudget],
    of_rows: tuple[str, ...],
    elementwise: EpilogueEstimate,
    masks: int,
) -> ChosenCode | Refusal:
    """Return the code for finished sums in registers, or a refusal if it does not fit or a walk is shorter. `masks` is
    the number of mask registers that the code may take."""
    tuning = elementwise.tuning
    if not budgets:
        return refused(ON_ACCUMULATORS, "its sums are not in vector registers")
    if elementwise.over_c and straight.operations > tuning.most_operations:
        reason = f"its {straight.operations} operations cost more on the accumulators than storing and loading the sums"
        return refused(ON_ACCUMULATORS, reason)
    cheapest = _cheapest(
        straight, budgets, of_rows, tuning.register_step, facts.tuning.eltwise.unroll_in_epilogue, masks
    )
    if cheapest is None:
        return refused(ON_ACCUMULATORS, "the registers of a block do not suffice for its expression")
    code, resident = cheapest
    written = code.operations * sum(budget.sums * budget.times for budget in budgets)
    limit = tuning.most_instructions if elementwise.over_c else tuning.most_instructions_without_walk
    if written > limit:
        return refused(ON_ACCUMULATORS, f"{written} instructions for all sums of its blocks are more than {limit}")
    here, there = _cost(budgets, code, resident), elementwise.instructions(code.operations)
    if here > there:
        reason = f"a walk takes about {there:.0f} instructions, the accumulators of all blocks {here:.0f}"
        return refused(ON_ACCUMULATORS, reason)
    return ChosenCode(code, resident, here)


def _cost(budgets: Sequence[RegisterBudget], code: Lowered, resident: tuple[str, ...]) -> float:
    """Return the instructions of all blocks: for each sum, for each sum that waits, and for the loads at the start of a
    block."""
    needed, first = code.vectors + len(resident) + code.arithmetic.spare, len(code.resident) + len(resident)
    return sum(
        budget.blocks * budget.times * (budget.sums * code.time + 2 * max(0, needed - budget.free) + first)
        for budget in budgets
    )


def _cheapest(
    straight: Straight, budgets: Sequence[RegisterBudget], of_rows: tuple[str, ...], step: int, unroll: int, masks: int
) -> tuple[Lowered, tuple[str, ...]] | None:
    """Return the cheapest code, in the registers that are left or in more, `step` at a time. Each extra one makes one
    more sum wait in memory, which costs two instructions."""
    spare = straight.arithmetic.spare
    least = max(1, min(budget.free for budget in budgets) - spare)
    most = min(budget.free + budget.sums - 1 for budget in budgets) - spare
    best, cost, registers = None, inf, least
    while registers <= most:
        for resident in (of_rows, ()):
            found = (
                straight.fitted(registers - len(resident), copies, given="c", loop_invariant=resident)
                for copies in range(unroll, 0, -1)
            )
            code = next((each for each in found if each is None or each.masks <= masks), None)
            if code is None:
                continue
            needed = code.vectors + len(resident) + spare
            waiting = sum(max(0, needed - budget.free) / budget.sums for budget in budgets) / len(budgets)
            if code.time + 2 * waiting < cost:
                best, cost = (code, resident), code.time + 2 * waiting
            break
        if best is not None and not best[0].missing and best[0].unroll == unroll:
            break
        registers += step if best else 1
    return best


def _budgets(spec: EpilogueSpec, plan: GemmPlan, facts: Facts) -> Iterator[RegisterBudget]:
    """Yield the registers that each block leaves for the epilogue; nothing if no epilogue can work on the
    accumulators."""
    if any(panel.scheme not in _SCHEMES for panel in plan.panels) or spec.acc_dtype == "f16":
        return  # sums are in tiles, or narrower than the expression's type
    if any(_too_many_masks(spec, panel, plan, facts) for panel in plan.panels):
        return  # masks would take registers while the sums are computed
    in_a_row = plan.product.c.leading == 1
    for panel in plan.panels:
        free = facts.vector_registers - _masks(spec, panel, plan, facts)
        for block in panel.blocks:
            blocks = panel.repeat * block.repeat
            if panel.scheme is not Scheme.ALONG_K:
                sums, times = block.columns * len(panel.row_vectors), 1
                used = sums + panel.held
            elif in_a_row:
                sums, times, used = 1, 1, 1 + _held(panel)
            else:  # one element at a time, beside the sums of all rows, beta, and the registers that extract elements
                sums, times, used = 1, panel.rows * block.columns, 1 + panel.rows + 3 + _held(panel)
            yield RegisterBudget(sums, free - used, used, blocks, times)


def _too_many_masks(spec: EpilogueSpec, panel: Panel, plan: GemmPlan, facts: Facts) -> bool:
    """Whether masks for element sizes that the product lacks do not fit beside its registers."""
    masks = _masks(spec, panel, plan, facts)
    others = {ELEMENT_BYTES[operand.dtype] for operand in spec.elementwise.operands} != {
        ELEMENT_BYTES[plan.product.dtype]
    }
    return others and panel.registers + masks > facts.vector_registers


def _held(panel: Panel) -> int:
    """Return the registers that a panel along k holds for all blocks."""
    return panel.held + 1 if panel.held else 0


def _masks(spec: EpilogueSpec, panel: Panel, plan: GemmPlan, facts: Facts) -> int:
    """Return the most vector registers for the masks of a panel."""
    elementwise = spec.elementwise
    sizes = {ELEMENT_BYTES[elementwise.compute], ELEMENT_BYTES[plan.product.dtype]}
    if arithmetic_of(facts).packed:
        sizes |= {ELEMENT_BYTES[operand.dtype] for operand in elementwise.operands}
    counts = _counts(panel, plan)
    return sum(facts.needs_mask_register(count, size) for count in counts for size in sizes if size > 2)


def _counts(panel: Panel, plan: GemmPlan) -> set[int]:
    """Return the counts of elements of the vectors of a panel and of its epilogue."""
    if panel.scheme is not Scheme.ALONG_K:
        return set(panel.row_vectors)
    return {1, plan.product.k % plan.vector or plan.vector, *(block.columns for block in panel.blocks)}


def _masks_left(spec: EpilogueSpec, plan: GemmPlan, arithmetic: Arithmetic) -> int:
    """Return the mask registers that the expression may take. A panel holds one for each count of elements that is part
    of a register, but one element of 4 bytes or more needs none."""
    if not arithmetic.further_masks:
        return arithmetic.masks
    alone = set() if any(ELEMENT_BYTES[each.dtype] < 4 for each in spec.elementwise.operands) else {1}
    partial = max(
        (len({each for each in _counts(panel, plan) if each < plan.vector} - alone) for panel in plan.panels), default=0
    )
    return arithmetic.masks + min(0, arithmetic.further_masks - partial)
