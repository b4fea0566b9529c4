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
from typing import Any

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


class CopiedElements(NamedTuple):
    """A change of layout: each element of some lines of `length` becomes several adjacent copies (copies_plan.py)."""

    lines: int
    length: int
    vector: int  # elements that are copied at a time
    copies: int
    cycles: float

    @property
    def pitch(self) -> int:
        """Elements of a line, of which copies lie in scratch memory."""
        return -(-self.length // self.vector) * self.vector

    @property
    def vectors(self) -> int:
        """Vector registers: of elements, and of their copies."""
        return 1 + self.copies

    def __str__(self) -> str:
        return f"copied, each element {self.copies} times,"


class PackedPart(NamedTuple):
    """What is packed at a time, the changes of layout by operand, and the product of it."""

    changes: Mapping[str, TransformPlan | CopiedElements]
    product: GemmPlan

    @property
    def cycles(self) -> float:
        """Estimated cycles."""
        return sum(change.cycles for change in self.changes.values()) + self.product.cycles


PartSize = tuple[int, int, int]
"""Rows (those of the packed operand along vectors), steps of k, and pairs of a part."""


class PackLoop(NamedTuple):
    """A loop over parts, each of which is packed and multiplied before the next one.

    by_pairs       whether a part is a pair (pair_plan.py), not a block of one operand (block_plan.py)
    first          the product by which the sums start, as 0 or as beta * C; None: they are C
    finish         cycles of C = beta * C + alpha * S at the end; 0 if S is C
    of_many_pairs  the parts for so many pairs, if the call gives their number, that each pair is summed by itself
                   before it is added to C; None: the same
    """

    by_pairs: bool
    first: GemmPlan | None = None
    finish: float = 0.0
    of_many_pairs: Mapping[PartSize, PackedPart] | None = None


@dataclass(frozen=True)
class OperandPrepackPlan(Prepacked, AroundProduct):
    """The parts that are packed: the whole operands, or in a loop pairs or blocks."""

    spec: GemmSpec
    part: PartSize  # the most frequent one
    parts: Mapping[PartSize, PackedPart]
    scratch: int  # bytes of scratch memory, including the product's, if it is one of whole operands or pairs
    scratch_of: Mapping[str, int]  # of these, those of each operand and, in a loop, of "tiles" and sums that are not C
    loop: PackLoop | None = None
    laid_by: LaidBy | None = None
    """The levels of the sums of many pairs, or of the part of C of a block of rows, to which many sums are added. If
    the call gives the number of pairs, they go with `of_many_pairs`."""

    @property
    def whole(self) -> PackedPart:
        """The most frequent part."""
        return self.parts[self.part]

    @property
    def changes(self) -> Mapping[str, Any]:
        """The changes of layout by operand."""
        return self.whole.changes

    @property
    def product(self) -> GemmPlan:
        """The product of what is packed."""
        return self.whole.product

    def with_product(self, product: GemmPlan) -> OperandPrepackPlan:
        """Return the plan with another product of the most frequent part."""
        return replace(self, parts={**self.parts, self.part: self.whole._replace(product=product)})

    @property
    def packed(self) -> str:
        """The name of the only operand that is packed, as that of blocks."""
        (name,) = self.changes
        return name

    @property
    def extents(self) -> tuple[int, int]:
        """Extents of the packed operand: along the vectors, and along k."""
        return (self.spec.m if self.packed == "a" else self.spec.n), self.spec.k

    @property
    def additions(self) -> int:
        """The additions of a pair to a sum."""
        blocks = self.loop is not None and not self.loop.by_pairs
        return int(self.spec.k) if blocks else self.product.additions(self.product.product.k)

    @property
    def together(self) -> int:
        """The pairs between two additions to levels, of which the sums of one product of the whole batch have as
        many."""
        return 1 if self.laid_by is None else max(1, self.laid_by.levels.steps // self.additions)

    @property
    def pairs_without_levels(self) -> int:
        """See `ProductPlan`."""
        if self.loop is None or not isinstance(self.spec.batch, PairBatch):
            return 0
        few = self.laid_by is not None if self.loop.by_pairs else self.loop.of_many_pairs is not None
        return MOST_TERMS // self.additions if few else 0

    def of_sums(self, long: bool) -> OperandPrepackPlan:
        """See `Prepacked`."""
        many = None if self.loop is None else self.loop.of_many_pairs
        if self.loop is None or (many is None and not self.loop.by_pairs):
            return self
        if not long:
            return replace(self, laid_by=None)
        return self if many is None else replace(self, parts=many, loop=self.loop._replace(of_many_pairs=None))

    @property
    def count(self) -> int:
        """The number of pairs of the batch."""
        return 1 if self.spec.batch is None else int(self.spec.batch)  # type: ignore[arg-type]

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair: its products, its changes of layout, and its share of the work after a loop."""
        if self.loop is None:
            return self.whole.cycles
        if self.loop.by_pairs:
            pairs = self.spec.batch if isinstance(self.spec.batch, int) else self.tuning.likely_pairs
            return self.whole.cycles + self.loop.finish / max(1, pairs)
        row_blocks, blocks = (-(-all_ // one) for all_, one in zip(self.extents, self.part))
        return row_blocks * blocks * self.whole.cycles

    def __str__(self) -> str:
        lines, (rows, steps, pairs) = [str(self.spec)], self.part
        if self.loop is not None:
            block = f"{pairs} pairs of " * (pairs > 1) + f"{rows} x {steps} of {self.packed}"
            lines.append("  for each pair:" if self.loop.by_pairs else f"  for each block, {block}:")
        for name, change in self.changes.items():
            cycles = f"about {change.cycles:.0f} cycles a matrix, {change.cycles / self.whole.cycles:.0%} of the work"
            lines.append(f"  {name} is {_done(change)} in scratch memory, {cycles}")
        lines += [f"  {self.laid_by}"] * (self.laid_by is not None)
        lines += ["  then:", *(f"  {line}" for line in str(self.product).splitlines())]
        if self.loop is not None and self.loop.finish:
            lines.append(f"  C is made of sums in scratch memory at the end, about {self.loop.finish:.0f} cycles")
        return "\n".join(lines)


def _done(change: TransformPlan | CopiedElements) -> str:
    """Return what is done to an operand, as text."""
    if isinstance(change, CopiedElements):
        return str(change)
    i, j = (change.tile.extents[dim] for dim in "ij")
    done = "transposed" if change.spec.transposes else f"brought to {change.spec.result}"
    return f"{done} by tiles of {i} x {j}, {change.tile.stages_text},"


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
    size = spec.m if order == "F" else spec.n, spec.k, count
    parts = {size: PackedPart(changed.plans, product)}
    return OperandPrepackPlan(spec, size, parts, needed, changed.scratch_of, way=way, rejected=product.rejected)


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
