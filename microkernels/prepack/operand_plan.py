"""GEMM for units that take one order only: operands in the other one are transposed into scratch memory first.

    scratch_i = transpose of A_i or B_i, or of both, for every pair of the batch
    C = beta * C + alpha * sum_i A_i @ B_i                                        with all operands in C's order

Tile registers want the rows of one factor and of C contiguous, and k contiguous in the other factor. All of an operand
is transposed, so that the product is one kernel with its own order of sums: it gives the bits that it gives where all
operands are in one order. Kernels that stand in for tiles go this way too. The factor whose rows are contiguous they
want in groups along k: a plain one is brought into groups on the way where that is quicker than at every use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.dot_and_tile import TILED
from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, as_they_lie, planned, scratch_sizes
from ..gemm.products import changes
from ..gemm.spec import Batch, GemmSpec
from ..operands import RUNTIME, Operand
from ..transform.pack import block_bytes, packing
from ..transform.plan import TransformPlan
from .pair_plan import PairPrepackPlan, pair_by_pair

TRANSPOSED, PACKED = "operands transposed first", "operands packed first"
"""The ways that this module plans."""


@dataclass(frozen=True)
class OperandPrepackPlan(Prepacked, AroundProduct):
    """The changes of layout by operand, and the product."""

    spec: GemmSpec
    changes: Mapping[str, TransformPlan]
    product: GemmPlan
    scratch: int  # bytes of it, with those of the product

    @property
    def count(self) -> int:
        """Pairs of the batch."""
        return 1 if self.spec.batch is None else int(self.spec.batch)  # type: ignore[arg-type]

    @property
    def cycles(self) -> float:
        """The estimate for one pair: its products and its changes of layout."""
        return sum(change.cycles for change in self.changes.values()) + self.product.cycles

    def __str__(self) -> str:
        lines = [str(self.spec)]
        for name, change in self.changes.items():
            done = "transposed" if change.spec.transposes else f"brought to {change.spec.result}"
            lines.append(f"  {name} is {done} in scratch memory, about {change.cycles:.0f} cycles a matrix")
        return "\n".join([*lines, "  then:", *(f"  {line}" for line in str(self.product).splitlines())])


def candidates(
    spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT
) -> list[GemmPlan | OperandPrepackPlan | PairPrepackPlan | Refusal]:
    """The operands transposed, the product as they lie, and with what tiles want packed packed too.

    room: bytes of scratch memory. What stands in for tiles only transposes.
    """
    transposed, tile = changes(spec, 1), facts.tile(spec.dtypes[0], spec.dtypes[1])
    if spec.numerics == TILED:
        return _every(spec, facts, room, transposed, TRANSPOSED)
    assert tile is not None, "see `wants_changes`"
    packed = changes(spec, tile.depth)
    candidates: list[GemmPlan | OperandPrepackPlan | PairPrepackPlan | Refusal] = []
    if transposed:
        candidates += _every(spec, facts, room, transposed, TRANSPOSED)
    candidates.append(as_they_lie(spec, facts))
    if packed:
        candidates += (
            _every(spec, facts, room, packed, PACKED)
            if transposed
            else [packed_first(spec, facts, room, packed, PACKED)]
        )
    return candidates


def _every(
    spec: GemmSpec, facts: Facts, room: int, changes: Mapping[str, str], way: str
) -> list[GemmPlan | OperandPrepackPlan | PairPrepackPlan | Refusal]:
    """All pairs at once where their number is known and they fit, else pair by pair."""
    together = packed_first(spec, facts, room, changes, way)
    if isinstance(together, OperandPrepackPlan) or spec.batch is None:
        return [together]
    return [pair_by_pair(spec, facts, changes, room), together]


def packed_first(
    spec: GemmSpec, facts: Facts, room: int, changes: Mapping[str, str], way: str
) -> OperandPrepackPlan | Refusal:
    """The product of operands in scratch memory."""
    order, count = spec.order[2], 1 if spec.batch is None else spec.batch
    leading, groups, plans, needed = [*spec.leading], [*spec.groups], {}, 0
    for operand in spec.operands[:2]:
        if operand.name not in changes:
            continue
        reason = _obstacle(spec, operand)
        if reason:
            return refused(way, reason)
        assert isinstance(count, int), "see `_obstacle`"
        lines, length = (
            (operand.rows, operand.columns) if operand.view.order == "C" else (operand.columns, operand.rows)
        )
        plans[operand.name] = pack = packing(
            lines, length, operand.dtype, operand.view.leading, facts, changes[operand.name]
        )
        number, result = "ab".index(operand.name), pack.spec.layouts[1]
        assert isinstance(pack.spec.ldy, int)
        groups[number] = max(result.block(dim) for dim in "ij")
        leading[number] = pack.spec.ldy // groups[number]
        needed += SCRATCH_ALIGNMENT + block_bytes(pack.spec) * count
    places = (leading[0], leading[1], leading[2])
    uniform = replace(spec, order=(order, order, order), leading=places, groups=(groups[0], groups[1]))
    product = planned(uniform, facts)
    if isinstance(product, Refusal):
        return product._replace(way=way)
    needed += SCRATCH_ALIGNMENT + sum(scratch_sizes(product))
    if needed > room:
        return refused(way, f"{spec}: {needed} bytes for transposed operands, a kernel has {max(room, 0)}; use "
                            f"smaller blocks or batches, or pass operands in order {order!r}")  # fmt: skip
    return OperandPrepackPlan(spec, plans, product, needed, way=way, rejected=product.rejected)


def _obstacle(spec: GemmSpec, operand: Operand) -> str:
    """Why an operand cannot be transposed on the fly; empty where it can."""
    order = spec.order[2]
    if operand.group > 1:
        reason = f'{operand.name} is packed; pass it plain, or as it lies in order "{order}"'
    elif isinstance(spec.batch, Batch):
        reason = f"it needs a batch whose size is known ({spec.batch!r} is not); give a count"
    elif spec.strides is RUNTIME:
        reason = "it needs pairs that lie densely"
    else:
        return ""
    return (f'{spec}: tiles take operands in the order of C, "{order}". {operand.name} could be '
            f"transposed on the fly, but {reason}, or pass a transposed copy")  # fmt: skip
