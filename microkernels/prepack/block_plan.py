"""GEMM for operands in orders that no kernel multiplies as they lie: one is transposed into scratch memory first.

    C = beta * C + alpha * sum_i A_i @ B_i

A kernel needs C and one operand contiguous along the same dimension (its *vectors*). Where that operand is contiguous
along k instead, blocks of it are packed on the fly: transposed into scratch memory, in the order that the kernel wants,
and multiplied with all that they meet before the next block is packed, so that packing costs one pass over the operand,
whatever the other extents are.

    for block of rows                     as many as leave room for a sensible block of k
        for group of pairs of the batch   several pairs where they are small
            for block of k                all of k where it fits
                scratch = transpose of the block(s)
                C = C + alpha * scratch @ ...
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..choice import Plan
from ..contract.dot_and_tile import TileShape
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..gemm import plan as gemm_plan
from ..gemm.plan import GemmPlan, call_cycles
from ..gemm.spec import GemmSpec
from ..operands import RUNTIME
from ..transform.pack import packed_bytes, packing, padded
from ..transform.plan import TransformPlan

_ROOM = 32 << 10  # bytes of scratch memory that a block may fill: as much as a first cache
_TOGETHER = 16 << 10  # bytes of blocks of several pairs: the other half is for what they meet
_STEPS = 64  # of k, the least that a block of rows leaves room for


class RoundedTwice(UnsupportedError):
    """Several parts of a product would each be rounded to the type of C."""


@dataclass(frozen=True)
class Part:
    """A block as the loops meet it: how it is packed, and the product of what is packed."""

    rows: int
    steps: int  # of k
    pack: TransformPlan
    product: GemmPlan


@dataclass(frozen=True)
class BlockPrepackPlan(Plan):
    """The blocks, and why."""

    spec: GemmSpec
    packed: str  # the operand that is transposed, "a" or "b"
    rows: int  # of a block, along the vectors
    steps: int  # of a block, along k
    pairs: int  # packed together
    parts: dict[tuple[int, int, int], Part]  # by rows, steps and pairs
    scale: GemmPlan | None  # C = beta * C, where products come in several parts

    @property
    def whole(self) -> Part:
        """The block that comes most often."""
        return self.parts[self.rows, self.steps, self.pairs]

    @property
    def emulated(self) -> bool:
        """Whether the product's instructions replace others."""
        return self.whole.product.emulated

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Of the tile registers; empty where none are used."""
        return self.whole.product.tile_shapes

    @property
    def scratch(self) -> int:
        """Bytes of scratch memory."""
        place = "ab".index(self.packed)
        return packed_bytes(self.rows, self.steps, ELEMENT_BYTES[self.spec.dtypes[place]]) * self.pairs

    @property
    def stand_in(self) -> None:
        """None: no product on tile registers is packed for."""
        return None

    @property
    def cycles(self) -> float:
        """Of one pair: its products and its packing."""
        row_blocks, blocks = (-(-all_ // one) for all_, one in zip(self.extents, (self.rows, self.steps)))
        return row_blocks * blocks * (self.whole.pack.cycles + self.whole.product.cycles)

    @property
    def call_cycles(self) -> float:
        """Of one call."""
        return call_cycles(self.spec, self.cycles, bool(self.tile_shapes))

    @property
    def extents(self) -> tuple[int, int]:
        """Of the packed operand: along the vectors, and along k."""
        return (self.spec.m if self.packed == "a" else self.spec.n), self.spec.k

    def __str__(self) -> str:
        whole = self.whole
        product = "\n".join(f"  {line}" for line in str(whole.product).splitlines())
        pack = whole.pack
        block = f"{self.pairs} pairs of " * (self.pairs > 1) + f"{self.rows} x {self.steps}"
        share = pack.cycles / (pack.cycles + whole.product.cycles)
        return (
            f"{self.spec}\n  {self.packed} is packed into scratch memory by a transpose: {block},"
            f" about {pack.cycles:.0f} cycles a block, {share:.0%} of the work with it\n"
            f"    {pack.tile.extents['i']} x {pack.tile.extents['j']} tiles, {pack.tile.stages_text}\n"
            f"  then, for each block:\n{product}"
        )


def packed(spec: GemmSpec, facts: Facts, refusal: UnsupportedError) -> BlockPrepackPlan:
    """A plan with the operand along the vectors packed; the refusal where that would not help."""
    name, order = ("a", "F") if spec.order[2] == "F" else ("b", "C")
    place = "ab".index(name)
    if spec.order[place] == order:
        raise refusal
    size = ELEMENT_BYTES[spec.dtypes[place]]
    rows, k = (spec.m if name == "a" else spec.n), spec.k
    steps = min(k, _ROOM // (padded(min(rows, _most_rows(size)), size) * size))
    rows = min(rows, _most_rows(size))
    if steps < k:
        steps = max(16, steps // 16 * 16)
    pairs = _together(spec, rows, steps, k, size)
    several = pairs != (1 if spec.batch is None else spec.batch) or steps < k
    if several and spec.acc_dtype != spec.dtype:
        raise RoundedTwice(f"{spec}: C would be rounded to {spec.dtype} after each part of the product")
    parts: dict[tuple[int, int, int], Part] = {}
    counts = {pairs, spec.batch % pairs} - {0} if isinstance(spec.batch, int) else {1}
    extent = spec.m if name == "a" else spec.n
    for each in {rows, extent % rows} - {0}:
        for part in {steps, k % steps} - {0}:
            for count in counts if steps == k else {1}:
                made = _part(spec, facts, name, (each, part, count), several)
                parts[each, part, count] = made
    if RUNTIME in spec.leading and any(part.product.tile_shapes for part in parts.values()):
        raise refusal  # tiles claim scratch memory, which a product inside of loops cannot
    scale = gemm_plan.plan(_alike(spec, name, batch=0, k=1), facts) if several and spec.beta != 1 else None
    return BlockPrepackPlan(spec, name, rows, steps, pairs, parts, scale)


def _most_rows(size: int) -> int:
    """Rows of a block that leave room for a sensible block of k."""
    return _ROOM // (_STEPS * size)


def _together(spec: GemmSpec, rows: int, steps: int, k: int, size: int) -> int:
    """Pairs that are packed together: the most that fit and divide the batch."""
    if not isinstance(spec.batch, int) or steps < k or spec.batch == 0 or _blocked(spec, rows):
        return 1
    if RUNTIME in spec.leading:
        return 1  # registers are short
    most = max(1, _TOGETHER // packed_bytes(rows, steps, size))
    return next(count for count in range(min(most, spec.batch), 0, -1) if spec.batch % count == 0)


def _blocked(spec: GemmSpec, rows: int) -> bool:
    return rows < (spec.m if spec.order[2] == "F" else spec.n)


def _alike(spec: GemmSpec, name: str, **changes: Any) -> GemmSpec:
    """The request with the packed operand in the order that the kernel wants, dense."""
    place = "ab".index(name)
    rows = changes.get("m" if name == "a" else "n", spec.m if name == "a" else spec.n)
    packed = padded(rows, ELEMENT_BYTES[spec.dtypes[place]])
    (order_a, order_b, order_c), (lda, ldb, ldc) = spec.order, spec.leading
    if name == "a":
        return replace(spec, order=("F", order_b, order_c), leading=(packed, ldb, ldc), **changes)
    return replace(spec, order=(order_a, "C", order_c), leading=(lda, packed, ldc), **changes)


def _part(spec: GemmSpec, facts: Facts, name: str, sizes: tuple[int, int, int], several: bool) -> Part:
    rows, steps, pairs = sizes
    place = "ab".index(name)
    extent = {"m" if name == "a" else "n": rows}
    beta = 1.0 if several else spec.beta
    inner = _alike(spec, name, **extent, k=steps, batch=pairs if pairs > 1 else None, beta=beta)
    leading, dtype = spec.leading[place], spec.dtypes[place]
    pack = packing(rows, steps, dtype, leading, facts)
    return Part(rows, steps, pack, gemm_plan.plan(inner, facts))
