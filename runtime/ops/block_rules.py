"""Which blocks a large product gets: the rules for each kind of target, and for operands that are converted.

Elements of 8 or 16 bits that a target multiplies as f32 are converted to f32 as blocks of A and B are packed, once each
instead of in every kernel that reads them. The sums are the same: the conversion is exact, and kernels for such types
convert in registers before the same multiplications.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...encoder.features import Target
from ...microkernels.codegen.long_sums import MOST_TERMS, most_of_block
from ...microkernels.dtypes import ELEMENT_BYTES, FLOAT8
from ...microkernels.gemm.products import converts, refused_types
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.products import BLOCKS, CONVERTED, PANELS, blocks_of
from .blocks import (
    L2,
    balanced_columns,
    blocks,
    depth_of_few_rows,
    even,
    lanes_of,
    private,
    resident,
)
from .panel_blocks import for_weights, narrow, panels, streamed, with_transposed_blocks
from .schedules import Blocks, OwnSums, PartsOfK
from .tile_blocks import for_tiles, prepacked

_PACKED = "F"
"""An order of A or B in which the rules pack the operand."""


def rules(product: GemmSpec, target: Target, threads: int, turns: bool, only: bool) -> Blocks:
    """Return the blocks of a product.

    turns   whether blocks of C may be transposed from scratch memory
    only    whether C is the product only: its old contents are not added, and there is no epilogue
    """
    parts = _parts_of_k(product, target) if only else None
    if parts is not None:
        return parts
    widened = _widened(product, target, threads, turns)
    plan = widened or _as_they_are(product, target, threads, turns)
    return balanced_columns(_fewer_of_k(with_transposed_blocks(plan, product) if turns else plan), threads)


def _parts_of_k(product: GemmSpec, target: Target) -> Blocks | None:
    """Return the blocks of a product with so few blocks of C that cores would get none, with k cut into parts; None if
    there are enough of them or if there is too little work."""
    m, n, k, l2 = product.m, product.n, product.k, target.l2 or L2
    size = ELEMENT_BYTES[product.acc_dtype]
    same = product.dtypes == (product.acc_dtype,) * 3 and product.acc_dtype in ("f32", "f64")
    dense = product.order[1:] == ("C", "C") and product.leading[2] == n
    tuning = facts_of(target).tuning.gemm
    many = -(-m // BLOCKS.low) * -(-n // (BLOCKS.wide * lanes_of(product, target))) > tuning.blocks_beside_parts_of_k
    if not (same and dense) or many or m * n * k < tuning.products_in_parts_of_k:
        return None
    least = tuning.least_part_of_k
    deep = min(MOST_TERMS, l2 // 2 // ((m + n) * size), max(least, k // BLOCKS.cores))
    step = even(k, max(deep, k * m * n * size // BLOCKS.packed), least)
    if step < least or -(-k // step) < tuning.parts_of_k:
        return None
    packs_a = product.order[0] == "F"
    near = step if packs_a else depth_of_few_rows(m, l2) or step
    return Blocks(m, n, k, m, n, min(near, step), PartsOfK(step, packs_a))


def _fewer_of_k(plan: Blocks) -> Blocks:
    """Return the same blocks with so many steps of k that C takes the sums of at most `most_of_block` of them."""
    times = -(-plan.k // (plan.kb * most_of_block(True)))
    return plan if times <= 1 else replace(plan, kb=plan.kb * times)


def rules_for_weights(product: GemmSpec, target: Target, threads: int) -> Blocks:
    """Return the blocks of a product whose B is packed in advance, all columns at a time."""
    facts, l2, lanes, (a, b, c) = facts_of(target), target.l2, lanes_of(product, target), product.dtypes
    converting = product.numerics == "exact" and b != "f32" and converts(a, b, facts)
    laid = replace(product, dtypes=("f32", "f32", c)) if converting else product  # blocks as of f32, for any rows
    found = _fewer_of_k(blocks(laid, l2, lanes, threads))
    if found.packs_b and facts.tile(a, b):
        return balanced_columns(prepacked(found, laid, l2), threads)
    found = for_weights(found, laid, l2, lanes, threads, facts.vector_registers <= PANELS.registers, converting)
    if converting and converted(a, b, product.m, target):
        return _converting(found, l2 or L2) or found
    return found if facts.tile(a, b) or facts.outer_product(a, b) else streamed(found, product, l2, threads)


def _converting(plan: Blocks, l2: int) -> Blocks | None:
    """Return the same blocks of packed weights, but let each worker convert parts of them to f32 and multiply many rows
    by each part; None if such a part is too large."""
    step = even(plan.k, max(CONVERTED.step, plan.k // most_of_block(True)), 16) if plan.kb == plan.k else plan.kb
    if step * plan.nb * 4 > l2 // 2:
        return None
    high = max(BLOCKS.low, int(l2 * CONVERTED.of_sums) // (4 * (step + plan.nb)) // BLOCKS.low * BLOCKS.low)
    mb = even(plan.m, high, BLOCKS.low)
    return replace(plan, mb=mb, schedule=OwnSums(min(mb, BLOCKS.low), step), widened=True)


def refusal(product: GemmSpec, target: Target) -> str:
    """Explain why the target cannot multiply elements of these types; an empty string if it can."""
    return refused_types(product, facts_of(target))


def converted(a: str, b: str, rows: int, target: Target) -> bool:
    """Whether operands of these types and so many rows of A are converted to f32 as they are packed."""
    of_bytes = CONVERTED.rows_of_bytes if {a, b} <= {*FLOAT8} else CONVERTED.rows
    least = CONVERTED.rows_by_f32 if "f32" in (a, b) else of_bytes
    return rows >= least and converts(a, b, facts_of(target))


def _as_they_are(product: GemmSpec, target: Target, threads: int, turns: bool) -> Blocks:
    """Return the blocks of a product whose operands keep their types."""
    l2, lanes, facts = target.l2, lanes_of(product, target), facts_of(target)
    few = facts.vector_registers <= PANELS.registers
    unpacked = PANELS.unpacked if few else blocks_of(l2 or L2).unpacked_as_is
    plan = private(blocks(product, l2, lanes, threads, unpacked=unpacked), product, l2)
    if facts.tile(*product.dtypes[:2]):
        return for_tiles(plan, product, l2, turns)
    if few:
        return panels(plan, product, l2, lanes)
    return narrow(resident(plan, product, l2, lanes), product, l2, lanes)


def _widened(product: GemmSpec, target: Target, threads: int, turns: bool) -> Blocks | None:
    """Return the blocks of a product whose operands are converted to f32 as they are packed, or None."""
    a, b, c = product.dtypes
    rows = product.n if turns else product.m
    if product.numerics != "exact" or not converted(a, b, rows, target):
        return None
    by_rows = turns or product.order[2] == "C"
    if c != product.acc_dtype or (by_rows and min(product.m, rows) <= CONVERTED.few and product.beta == 0):
        return _by_parts(product, target) if by_rows else None
    of_a = product.order[0] if a == "f32" else _PACKED
    wide = replace(product, dtypes=("f32", "f32", c), order=(of_a, _PACKED, product.order[2]))
    plan = _as_they_are(wide, target, threads, turns)
    return replace(plan, widened=True) if plan.packs_b and plan.packs_a == (of_a == _PACKED) else None


def _by_parts(product: GemmSpec, target: Target) -> Blocks:
    """Return blocks whose sums stay in scratch memory, for which each worker converts its own blocks of A and B, so
    that no worker waits for another."""
    m, n, k, l2 = product.m, product.n, product.k, target.l2 or L2
    lanes, cores = lanes_of(product, target), min(os.cpu_count() or 1, CONVERTED.cores)
    kb = even(k, CONVERTED.step, 16)
    most = max(lanes, int(l2 * CONVERTED.of_b) // (4 * CONVERTED.step) // lanes * lanes)
    high = max(BLOCKS.low, int(l2 * CONVERTED.of_sums) // (4 * (CONVERTED.step + most)) // BLOCKS.low * BLOCKS.low)
    across = -(-CONVERTED.shares * cores // -(-m // high)) if cores > 1 else 1  # parts, so that all cores get some
    nb = even(n, min(most, max(CONVERTED.narrowest, -(-n // across))), lanes)
    mb = even(m, high, BLOCKS.low)
    return Blocks(m, n, k, mb, nb, kb, OwnSums(min(mb, BLOCKS.low)), widened=True)
