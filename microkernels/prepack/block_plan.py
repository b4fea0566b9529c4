"""GEMM for operands in orders that no kernel multiplies directly: one operand is transposed into scratch memory first.

    C = beta * C + alpha * sum_i A_i @ B_i

A kernel needs C and one operand contiguous along the same dimension (its *vectors*). If that operand is contiguous
along k instead, blocks of it are packed on the fly: they are transposed into scratch memory, in the order that the
kernel reads. Each block is multiplied with everything it meets before the next one is packed. So packing costs one pass
over the operand, whatever the other extents are.

    for block of rows                     as many as leave room for a sensible block of k
        for group of pairs of the batch   several pairs if they are small
            for block of k                all of k if it fits
                scratch = transpose of the block(s)
                C = C + alpha * scratch @ ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..choice import Refusal, refused
from ..codegen.laid_by import WIDE, LaidBy, fitting
from ..codegen.long_sums import DYNAMIC_TERMS, MOST_TERMS, levels_of_blocks, most_of_block
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.graph import FLOATS
from ..gemm.plan import PACKED_IN_BLOCKS, RoundedTwice, planned
from ..gemm.products import refused_types
from ..gemm.spec import GemmSpec, PairBatch
from ..operands import RUNTIME
from ..transform.pack import packed_bytes, packing, padded
from ..tuning.gemm import GemmTuning
from .operand_plan import OperandPrepackPlan, PackedPart, PackLoop, PartSize


class NoHelp(UnsupportedError):
    """Raised if packing would not remove the obstacle to multiplying the operands directly."""


class _NoLevels(UnsupportedError):
    """Raised if there is no memory for the levels of the part of C of a block of so many rows."""

    def __init__(self, reason: str, rows: int) -> None:
        super().__init__(reason)
        self.rows = rows


def candidates(spec: GemmSpec, facts: Facts, unpacked: Refusal) -> list[OperandPrepackPlan | Refusal]:
    """Return the plan that packs blocks and the refusal of the unpacked product, or both refusals."""
    reason = refused_types(spec, facts)
    if reason:  # the refusal of a block would describe the block, which the user did not request
        return [refused(PACKED_IN_BLOCKS, f"{spec}: {reason}"), unpacked]
    candidate = packed(spec, facts)
    if isinstance(candidate, OperandPrepackPlan):
        return [replace(candidate, way=PACKED_IN_BLOCKS), unpacked]
    return [unpacked, candidate] if isinstance(candidate.error, NoHelp) else [candidate, unpacked]


def packed(spec: GemmSpec, facts: Facts) -> OperandPrepackPlan | Refusal:
    """Return a plan that packs the operand along the vectors, in blocks of fewer rows if there is no memory for the
    levels of the part of C of more."""
    most, vector = 0, facts.widths[0] // 8 // ELEMENT_BYTES[spec.dtype]
    while True:
        found = _packed(spec, facts, most)
        if not isinstance(found, Refusal) or not isinstance(found.error, _NoLevels) or found.error.rows <= vector:
            return found
        most = -(-found.error.rows // 2 // vector) * vector


def _packed(spec: GemmSpec, facts: Facts, most: int) -> OperandPrepackPlan | Refusal:
    """Return the plan. most: the most rows of a block, or 0."""
    tuning, order_of_c = facts.tuning.gemm, spec.order[2]
    name, order, along = ("a", "F", "m") if order_of_c == "F" else ("b", "C", "n")
    number = "ab".index(name)
    if spec.order[number] == order:
        return Refusal(PACKED_IN_BLOCKS, NoHelp(f"{name.upper()} is contiguous along {along} already"))
    size = ELEMENT_BYTES[spec.dtypes[number]]
    extent, k = (spec.m if name == "a" else spec.n), spec.k
    rows = min(extent, most or _most_rows(tuning, size))
    steps = min(k, tuning.packed_block_bytes // (padded(rows, size) * size))
    if steps < k:
        steps = max(16, steps // 16 * 16)
    pairs = _together(spec, tuning, rows, steps, size)
    several = pairs != (1 if spec.batch is None else spec.batch) or steps < k
    if several and spec.acc_dtype != spec.dtype:
        reason = (
            f"{spec}: C would be rounded to {spec.dtype} after each part of the product; pass {name} in order "
            f"{spec.order[2]!r}, or make a kernel whose c has the type of the sums, {spec.acc_dtype}"
        )
        return Refusal(PACKED_IN_BLOCKS, RoundedTwice(reason))
    counts = {pairs, spec.batch % pairs} - {0} if isinstance(spec.batch, int) else {1}
    every = [*_sizes((extent, k), (rows, steps), counts)]
    parts = _parts(spec, facts, name, every, several)
    if isinstance(parts, Refusal):
        return parts
    few = isinstance(spec.batch, PairBatch) and spec.acc_dtype in FLOATS and not spec.late and k <= MOST_TERMS
    many = _parts(replace(spec, late=True), facts, name, every, several) if few else None
    if RUNTIME in spec.leading and any(part.product.tile_shapes for part in parts.values()):
        return Refusal(PACKED_IN_BLOCKS, NoHelp("tiles need scratch memory, which a product inside loops cannot claim"))
    scale = planned(_alike(spec, name, batch=0, k=1), facts) if several and spec.beta != 1 else None
    if isinstance(scale, Refusal):
        return scale
    of_many = None if isinstance(many, Refusal) else many
    scratch = packed_bytes(rows, steps, size) * pairs
    additions = _additions(spec, steps, pairs)
    asked = _levels(spec, facts, rows, additions) if several else None
    laid_by = None if asked is None else fitting(asked, additions, most_of_block(True))
    if asked is not None and laid_by is None:
        fewer = " (a number of pairs may need less)" * isinstance(spec.batch, PairBatch)
        reason = (
            f"{spec}: sums of so many pairs or blocks of k need {asked.bytes} bytes beside C{fewer}, and a kernel has "
            f"{WIDE}; use blocks of C with fewer {'rows' if order_of_c == 'C' else 'columns'}, or pass {name} in order "
            f"{order_of_c!r}"
        )
        return Refusal(PACKED_IN_BLOCKS, _NoLevels(reason, rows))
    loop, size = PackLoop(False, scale, 0.0, of_many), (rows, steps, pairs)
    return OperandPrepackPlan(spec, size, parts, scratch, {name: scratch}, loop, laid_by)


def _additions(spec: GemmSpec, steps: int, pairs: int) -> int:
    """Return how many blocks are added to an element of C, at most."""
    batch = 1 if spec.batch is None else spec.batch if isinstance(spec.batch, int) else DYNAMIC_TERMS // spec.k
    return -(-batch // pairs) * -(-spec.k // steps)


def _levels(spec: GemmSpec, facts: Facts, rows: int, additions: int) -> LaidBy | None:
    """Return the levels of sums of so many blocks, for a block of rows along the vectors."""
    levels = levels_of_blocks(additions) if spec.dtype in FLOATS else None
    if levels is None:
        return None
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.dtype]
    return LaidBy((("c", rows),), levels, vector, spec.dtype, spec.m if spec.order[2] == "C" else spec.n)


def _parts(
    spec: GemmSpec, facts: Facts, name: str, every: Sequence[PartSize], several: bool
) -> dict[PartSize, PackedPart] | Refusal:
    """Return the parts of these sizes."""
    parts: dict[PartSize, PackedPart] = {}
    for sizes in every:
        part = _part(spec, facts, name, sizes, several)
        if isinstance(part, Refusal):
            return part
        parts[sizes] = part
    return parts


def _sizes(extents: tuple[int, int], block: tuple[int, int], counts: set[int]) -> Iterator[PartSize]:
    """Yield rows, steps of k and pairs of every block size in the loops. Pairs are packed together if a block has all
    of k."""
    (extent, k), (rows, steps) = extents, block
    for some_rows in {rows, extent % rows} - {0}:
        for some_steps in {steps, k % steps} - {0}:
            for count in counts if steps == k else {1}:
                yield some_rows, some_steps, count


def _most_rows(tuning: GemmTuning, size: int) -> int:
    """Return the most rows of a block that leave room for a sensible block of k."""
    return tuning.packed_block_bytes // (tuning.packed_block_steps * size)


def _together(spec: GemmSpec, tuning: GemmTuning, rows: int, steps: int, size: int) -> int:
    """Return the number of pairs that are packed together: the most that fit and divide the batch."""
    if not isinstance(spec.batch, int) or steps < spec.k or spec.batch == 0 or _blocked(spec, rows):
        return 1
    if RUNTIME in spec.leading or spec.strides is not None:
        return 1  # registers are scarce, or pairs are not dense
    most = max(1, tuning.packed_pairs_bytes // packed_bytes(rows, steps, size))
    return next(count for count in range(min(most, spec.batch), 0, -1) if spec.batch % count == 0)


def _blocked(spec: GemmSpec, rows: int) -> bool:
    return rows < (spec.m if spec.order[2] == "F" else spec.n)


def _alike(spec: GemmSpec, name: str, **changes: Any) -> GemmSpec:
    """Return the request with the packed operand in the order that the kernel reads, dense."""
    number = "ab".index(name)
    rows = changes.get("m" if name == "a" else "n", spec.m if name == "a" else spec.n)
    packed = padded(rows, ELEMENT_BYTES[spec.dtypes[number]])
    changes["strides"] = None
    (order_a, order_b, order_c), (lda, ldb, ldc) = spec.order, spec.leading
    if name == "a":
        return replace(spec, order=("F", order_b, order_c), leading=(packed, ldb, ldc), **changes)
    return replace(spec, order=(order_a, "C", order_c), leading=(lda, packed, ldc), **changes)


def _part(spec: GemmSpec, facts: Facts, name: str, sizes: PartSize, several: bool) -> PackedPart | Refusal:
    rows, steps, pairs = sizes
    number = "ab".index(name)
    extent = {"m" if name == "a" else "n": rows}
    beta = 1.0 if several else spec.beta
    terms = spec.k * (spec.batch if isinstance(spec.batch, int) else 1)
    late = spec.late or (several and terms > MOST_TERMS and spec.acc_dtype in FLOATS)
    batch = pairs if pairs > 1 else None
    product = planned(_alike(spec, name, **extent, k=steps, batch=batch, beta=beta, late=late), facts)
    if isinstance(product, Refusal):
        return product._replace(way=PACKED_IN_BLOCKS)
    pack = packing(rows, steps, spec.dtypes[number], spec.leading[number], facts)
    return PackedPart({name: pack}, product)
