"""GEMM for units that take only one order: operands in the other order are transposed into scratch memory first.

    scratch_i = transpose of A_i or B_i, or of both, for every pair of the batch
    C = beta * C + alpha * sum_i A_i @ B_i                                        with all operands in C's order

Tile registers need the rows of one factor and of C contiguous, and k contiguous in the other factor. A whole operand is
transposed, so that the product is one kernel with its own order of sums. It gives the same bits as a product whose
operands are all in one order. Kernels that stand in for tiles are planned here, too. Tiles need the factor with
contiguous rows in groups along k. A plain factor is packed into groups first if that is faster than at every use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...encoder.records import NamedTuple, dataclass
from ..choice import Refusal, refused
from ..codegen.laid_by import LaidBy
from ..codegen.long_sums import MOST_TERMS
from ..contract.machine import SCRATCH_ALIGNMENT, Facts
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, planned, scratch_sizes
from ..gemm.products import refused_types
from ..gemm.spec import GemmSpec, PairBatch
from ..operands import LeadingDimension, Operand
from ..transform.pack import block_bytes, packing
from ..transform.plan import TransformPlan

TRANSPOSED, PACKED = "operands transposed first", "operands packed first"
"""The ways that this module plans."""


class PairLoop(NamedTuple):
    """The work before and after a loop over pairs, each of which is changed and multiplied by itself (pair_plan.py)."""

    zero: GemmPlan | None  # S = 0, if the sums do not start as C
    finish: float  # cycles of C = beta * C + alpha * S; 0 if S is C


@dataclass(frozen=True)
class OperandPrepackPlan(Prepacked, AroundProduct):
    """The changes of layout by operand, and the product."""

    spec: GemmSpec
    changes: Mapping[str, TransformPlan]
    product: GemmPlan  # of packed operands; of one pair, if there is a loop over pairs
    scratch: int  # bytes of scratch memory, including the product's
    scratch_of: Mapping[str, int]  # of these, those of each operand and, in a loop, of "tiles" and sums that are not C
    loop: PairLoop | None = None  # if operands are changed pair by pair
    laid_by: LaidBy | None = None  # the levels of the sums of many pairs

    @property
    def additions(self) -> int:
        """The additions of a pair to a sum."""
        return self.product.additions(self.product.product.k)

    @property
    def together(self) -> int:
        """The pairs between two additions to levels, of which the sums of one product of the whole batch have as
        many."""
        return 1 if self.laid_by is None else max(1, self.laid_by.levels.steps // self.additions)

    @property
    def pairs_without_levels(self) -> int:
        """See `ProductPlan`."""
        dynamic = self.laid_by is not None and isinstance(self.spec.batch, PairBatch)
        return MOST_TERMS // self.additions if dynamic else 0

    def of_sums(self, long: bool) -> OperandPrepackPlan:
        """See `Prepacked`."""
        return self if long or self.laid_by is None else replace(self, laid_by=None)

    @property
    def pairs(self) -> int:
        """The number of pairs packed at a time in a loop."""
        return 1

    @property
    def count(self) -> int:
        """The number of pairs of the batch."""
        return 1 if self.spec.batch is None else int(self.spec.batch)  # type: ignore[arg-type]

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair: its products, its changes of layout, and its share of the work after a loop."""
        each = sum(change.cycles for change in self.changes.values()) + self.product.cycles
        pairs = self.spec.batch if isinstance(self.spec.batch, int) else self.tuning.likely_pairs
        return each if self.loop is None else each + self.loop.finish / max(1, pairs)

    def __str__(self) -> str:
        lines = [str(self.spec), *["  for each pair:"] * (self.loop is not None)]
        for name, change in self.changes.items():
            done = "transposed" if change.spec.transposes else f"brought to {change.spec.result}"
            lines.append(f"  {name} is {done} in scratch memory, about {change.cycles:.0f} cycles a matrix")
        lines += ["  then:", *(f"  {line}" for line in str(self.product).splitlines())]
        if self.loop is not None and self.loop.finish:
            lines.append(f"  C is made of sums in scratch memory at the end, about {self.loop.finish:.0f} cycles")
        return "\n".join(lines)


class Changed(NamedTuple):
    """What becomes of the factors of a product, some of which are changed: their leading dimensions and groups, the
    plans of the changes, and the scratch memory of the results, by name."""

    leading: tuple[LeadingDimension, LeadingDimension]
    groups: tuple[int, int]
    plans: dict[str, TransformPlan]
    scratch_of: dict[str, int]

    @classmethod
    def of(cls, spec: GemmSpec, facts: Facts, changes: Mapping[str, str], pairs: int = 1) -> Changed:
        """Change the operands in `changes` to the layouts there, so many pairs at once."""
        leading, groups, plans, scratch_of = [*spec.leading[:2]], [*spec.groups], {}, {}
        for number, each in enumerate(spec.operands[:2]):
            if each.name not in changes:
                continue
            lines, length = (each.rows, each.columns) if each.view.order == "C" else (each.columns, each.rows)
            pack = packing(lines, length, each.dtype, each.view.leading, facts, changes[each.name])
            assert isinstance(pack.spec.ldy, int)
            groups[number] = max(pack.spec.layouts[1].block(dim) for dim in "ij")
            leading[number] = pack.spec.ldy // groups[number]
            plans[each.name], scratch_of[each.name] = pack, block_bytes(pack.spec) * pairs
        return cls((leading[0], leading[1]), (groups[0], groups[1]), plans, scratch_of)


def packed_first(
    spec: GemmSpec, facts: Facts, scratch_bytes: int, changes: Mapping[str, str], way: str
) -> OperandPrepackPlan | Refusal:
    """Return the product of operands in scratch memory."""
    order, count = spec.order[2], 1 if spec.batch is None else spec.batch
    reason = next((why for each in spec.operands[:2] if each.name in changes and (why := _obstacle(spec, each))), "")
    if reason:
        return refused(way, reason)
    assert isinstance(count, int), "see `_obstacle`"
    changed = Changed.of(spec, facts, changes, count)
    of_packed = replace(spec, order=(order,) * 3, leading=(*changed.leading, spec.leading[2]), groups=changed.groups)
    product = planned(of_packed, facts)
    if isinstance(product, Refusal):
        reason = refused_types(spec, facts)
        return refused(way, f"{spec}: {reason}") if reason else product._replace(way=way)
    needed = sum(SCRATCH_ALIGNMENT + size for size in (*changed.scratch_of.values(), sum(scratch_sizes(product))))
    if needed > scratch_bytes:
        return refused(
            way,
            f"{spec}: {needed} bytes for transposed operands, a kernel has {max(scratch_bytes, 0)}; use "
            f"smaller blocks or batches, or pass operands in order {order!r}",
        )
    found = product.rejected
    return OperandPrepackPlan(spec, changed.plans, product, needed, changed.scratch_of, way=way, rejected=found)


def _obstacle(spec: GemmSpec, operand: Operand) -> str:
    """Return the reason why an operand cannot be transposed on the fly, or an empty string if it can."""
    order = spec.order[2]
    if operand.group > 1:
        reason = f'{operand.name} is packed; pass it plain, or as it lies in order "{order}"'
    elif isinstance(spec.batch, PairBatch):
        reason = f"it needs a batch whose size is known ({spec.batch!r} is not); give a count"
    elif spec.strides is not None:
        reason = "it needs pairs that lie densely"
    else:
        return ""
    return (
        f'{spec}: tiles take operands in the order of C, "{order}". {operand.name} could be '
        f"transposed on the fly, but {reason}, or pass a transposed copy"
    )
