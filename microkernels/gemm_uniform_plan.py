"""GEMM for units that take one order only: operands in the other one are transposed into scratch memory first.

    scratch_i = transpose of A_i or B_i, or of both, for every pair of the batch
    C = beta * C + alpha * sum_i A_i @ B_i                                        with all operands in C's order

Tile registers want the rows of one factor and of C contiguous, and k contiguous in the other factor. All of an operand
is transposed, so that the product is one kernel with its own order of sums: it gives the bits that it gives where all
operands are in one order. Kernels that stand in for tiles go this way too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .gemm_plan import AroundProduct, GemmPlan, mixed
from .gemm_plan import plan as gemm_plan
from .gemm_spec import HALF, TILED, Batch, GemmSpec
from .gemm_tile import scratch_sizes
from .machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from .operands import Operand
from .pack import packed_bytes, packing, padded
from .transform_plan import TransformPlan


@dataclass(frozen=True)
class UniformPlan(AroundProduct):
    """The transposes by operand, and the product."""

    spec: GemmSpec
    transposes: Mapping[str, TransformPlan]
    product: GemmPlan
    scratch: int  # bytes of it, with those of the product

    @property
    def count(self) -> int:
        """Pairs of the batch."""
        return 1 if self.spec.batch is None else int(self.spec.batch)  # type: ignore[arg-type]

    @property
    def cycles(self) -> float:
        """Of one pair: its products and its transposes."""
        return sum(each.cycles for each in self.transposes.values()) + self.product.cycles

    def __str__(self) -> str:
        lines = [str(self.spec)]
        for name, each in self.transposes.items():
            lines.append(f"  {name} is transposed into scratch memory, about {each.cycles:.0f} cycles a matrix")
        return "\n".join([*lines, "  then:", *(f"  {line}" for line in str(self.product).splitlines())])


def applies(spec: GemmSpec, facts: Facts) -> bool:
    """Whether a request is for a unit of one order, or for what stands in for one, and has operands in another."""
    if len({*spec.order}) == 1 or spec.numerics == HALF or not mixed(spec):
        return False
    return spec.numerics == TILED or facts.tile(spec.dtypes[0], spec.dtypes[1]) is not None


def plan(spec: GemmSpec, facts: Facts) -> GemmPlan | UniformPlan:
    """The product as the operands lie, if single rows and columns allow that, else with operands transposed."""
    if spec.numerics != TILED:
        try:
            return gemm_plan(spec, facts)
        except UnsupportedError:
            pass
    order = spec.order[2]
    others = [each for each in spec.operands[:2] if each.view.order != order]
    for each in others:
        _check(spec, each)
    leading = [*spec.leading]
    transposes, needed = {}, 0
    for each in others:
        lines, length = (each.rows, each.columns) if each.view.order == "C" else (each.columns, each.rows)
        size = ELEMENT_BYTES[each.dtype]
        transposes[each.name] = packing(lines, length, each.dtype, each.view.leading, size, facts)
        leading["ab".index(each.name)] = padded(lines, size)
        needed += SCRATCH_ALIGNMENT + packed_bytes(lines, length, size) * (1 if spec.batch is None else int(spec.batch))  # type: ignore[arg-type]
    uniform = replace(spec, order=(order, order, order), leading=(leading[0], leading[1], leading[2]))
    product = gemm_plan(uniform, facts)
    needed += SCRATCH_ALIGNMENT + sum(scratch_sizes(product))
    if needed > SCRATCH_LIMIT:
        raise UnsupportedError(f"{spec}: {needed} bytes for transposed operands, a kernel has {SCRATCH_LIMIT}; use "
                               f"smaller blocks or batches, or pass operands in order {order!r}")  # fmt: skip
    return UniformPlan(spec, transposes, product, needed)


def _check(spec: GemmSpec, operand: Operand) -> None:
    """Whether an operand can be transposed on the fly."""
    order = spec.order[2]
    if operand.group > 1:
        reason = f'{operand.name} is packed; pass it plain, or as it lies in order "{order}"'
    elif isinstance(spec.batch, Batch):
        reason = f"it needs a batch whose size is known ({spec.batch!r} is not); give a count"
    else:
        return
    raise UnsupportedError(f'{spec}: tiles take operands in the order of C, "{order}". {operand.name} could be '
                           f"transposed on the fly, but {reason}, or pass a transposed copy")  # fmt: skip
