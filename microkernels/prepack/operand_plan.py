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

from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.dot_and_tile import TILED
from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, planned, scratch_sizes, unpacked_plan
from ..gemm.products import changes, refused_types
from ..gemm.spec import GemmSpec, PairBatch
from ..operands import Operand
from ..transform.plan import TransformPlan
from .pair_plan import Changed, PairPrepackPlan, pair_by_pair

TRANSPOSED, PACKED = "operands transposed first", "operands packed first"
"""The ways that this module plans."""


@dataclass(frozen=True)
class OperandPrepackPlan(Prepacked, AroundProduct):
    """The changes of layout by operand, and the product."""

    spec: GemmSpec
    changes: Mapping[str, TransformPlan]
    product: GemmPlan | AroundProduct  # of packed operands; of rows whose number the call gives: a RowsPlan
    scratch: int  # bytes of scratch memory, including the product's
    scratch_of: Mapping[str, int]  # of these, the bytes for each operand

    @property
    def of_packed(self) -> GemmPlan:
        """The product of the packed operands, with NOMINAL_ROWS if the call gives the number of rows."""
        made = self.product if isinstance(self.product, GemmPlan) else self.product.product
        assert isinstance(made, GemmPlan)
        return made

    @property
    def count(self) -> int:
        """The number of pairs of the batch."""
        return 1 if self.spec.batch is None else int(self.spec.batch)  # type: ignore[arg-type]

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair: its products and its changes of layout."""
        return sum(change.cycles for change in self.changes.values()) + self.product.cycles

    def __str__(self) -> str:
        lines = [str(self.spec)]
        for name, change in self.changes.items():
            done = "transposed" if change.spec.transposes else f"brought to {change.spec.result}"
            lines.append(f"  {name} is {done} in scratch memory, about {change.cycles:.0f} cycles a matrix")
        return "\n".join([*lines, "  then:", *(f"  {line}" for line in str(self.product).splitlines())])


def candidates(
    spec: GemmSpec, facts: Facts, scratch_bytes: int = SCRATCH_LIMIT
) -> list[GemmPlan | OperandPrepackPlan | PairPrepackPlan | Refusal]:
    """Return the product with operands transposed, without packing, and with operands also packed as tiles need them.

    scratch_bytes: bytes of scratch memory. Kernels that stand in for tiles only transpose.
    """
    transposed, tile = changes(spec, 1), facts.tile(spec.dtypes[0], spec.dtypes[1])
    if spec.numerics == TILED:
        return _every(spec, facts, scratch_bytes, transposed, TRANSPOSED)
    assert tile is not None, "see `wants_changes`"
    packed = changes(spec, tile.depth)
    candidates: list[GemmPlan | OperandPrepackPlan | PairPrepackPlan | Refusal] = []
    if transposed:
        candidates += _every(spec, facts, scratch_bytes, transposed, TRANSPOSED)
    candidates.append(unpacked_plan(spec, facts))
    if packed:
        candidates += (
            _every(spec, facts, scratch_bytes, packed, PACKED)
            if transposed
            else [packed_first(spec, facts, scratch_bytes, packed, PACKED)]
        )
    return candidates


def _every(
    spec: GemmSpec, facts: Facts, scratch_bytes: int, changes: Mapping[str, str], way: str
) -> list[GemmPlan | OperandPrepackPlan | PairPrepackPlan | Refusal]:
    """Pack all pairs at once if their number is known and they fit, else pair by pair."""
    together = packed_first(spec, facts, scratch_bytes, changes, way)
    if isinstance(together, OperandPrepackPlan) or spec.batch is None:
        return [together]
    return [pair_by_pair(spec, facts, changes, scratch_bytes), together]


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
