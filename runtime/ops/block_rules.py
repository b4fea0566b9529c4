"""Which blocks a large product gets: the rules for each kind of target, and for operands that are converted.

Elements of 8 or 16 bits that a target multiplies as f32 are converted to f32 as blocks of A and B are packed, once each
instead of in every kernel that reads them. The sums are the same: the conversion is exact, and kernels for such types
convert in registers before the same multiplications.
"""

from __future__ import annotations

from dataclasses import replace

from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES, FLOAT8
from ...microkernels.gemm.products import converts
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.machines.registry import facts_of
from .blocks import L2, LOW, UNPACKED_SHARE, Blocks, blocks, dealt, even, private, resident
from .panel_blocks import REGISTERS, UNPACKED_SHARE_OF_FEW, for_weights, narrow, panels, turned
from .tile_blocks import for_tiles, prepacked, summed

_ROWS, _ROWS_BY_F32, _ROWS_OF_BYTES = 24, 64, 8
"""The fewest rows of A (of A' if C is transposed) for which operands are converted as they are packed: with fewer, each
element of B is converted about once in any case. `_ROWS_BY_F32`: if one operand is f32. `_ROWS_OF_BYTES`: if both are
floats of 8 bits, whose conversion takes several instructions. On one thread of an Emerald Rapids, 24 x 1024 x 1024 in
f16 takes 0.72 of the time, 8 x 1024 x 1024 in f8e4m3 0.54, but 48 x 1024 x 1024 in f32 by i8 1.09 (docs/log/gemm.md).
"""
_STEP, _OF_ROWS = 256, 0.25
"""`_STEP`: the steps of k of packed weights that are converted at a time, if all of k is one block. `_OF_ROWS`: the
share of L2 for the rows of A and their sums."""
_PACKED = "F"
"""An order of A or B in which the rules pack the operand."""


def rules(product: GemmSpec, target: Target, threads: int, turns: bool) -> Blocks:
    """Return the blocks of a product; `turns`: whether blocks of C may be transposed from scratch memory."""
    widened = _widened(product, target, threads, turns)
    plan = widened or _as_they_are(product, target, threads, turns)
    return dealt(turned(plan, product) if turns else plan, threads)


def rules_for_weights(product: GemmSpec, target: Target, threads: int) -> Blocks:
    """Return the blocks of a product whose B is packed in advance, all columns at a time."""
    facts, l2, lanes, (a, b, c) = facts_of(target), target.l2, lanes_of(product, target), product.dtypes
    converting = product.numerics == "exact" and b != "f32" and converts(a, b, facts)
    if converting:  # blocks as of f32, for any number of rows
        product = replace(product, dtypes=("f32", "f32", c))
    found = blocks(product, l2, lanes, threads)
    if found.packs_b and facts.tile(a, b):
        return dealt(prepacked(found, product, l2), threads)
    found = for_weights(found, product, l2, lanes, threads, facts.vector_registers <= REGISTERS)
    return _converting(found, l2 or L2) or found if converting and converted(a, b, product.m, target) else found


def _converting(plan: Blocks, l2: int) -> Blocks | None:
    """Return the same blocks of packed weights, but let each worker convert parts of them to f32 and multiply many rows
    by each part; None if such a part is too large."""
    step = even(plan.k, _STEP, 16) if plan.kb == plan.k else plan.kb
    if step * plan.nb * 4 > l2 // 2:
        return None
    high = max(LOW, int(l2 * _OF_ROWS) // (4 * (step + plan.nb)) // LOW * LOW)
    mb = even(plan.m, high, LOW)
    return replace(plan, mb=mb, nc=plan.nb, ng=plan.nb, packs_a=True, own_b=True, rb=min(mb, LOW), lines=step,
                   widened=True)  # fmt: skip


def converted(a: str, b: str, rows: int, target: Target) -> bool:
    """Whether operands of these types and so many rows of A are converted to f32 as they are packed."""
    least = _ROWS_BY_F32 if "f32" in (a, b) else _ROWS_OF_BYTES if {a, b} <= {*FLOAT8} else _ROWS
    return rows >= least and converts(a, b, facts_of(target))


def lanes_of(product: GemmSpec, target: Target) -> int:
    """Return the number of accumulator elements per vector register."""
    return max(1, target.vector_bits // (8 * ELEMENT_BYTES[product.acc_dtype]))


def _as_they_are(product: GemmSpec, target: Target, threads: int, turns: bool) -> Blocks:
    """Return the blocks of a product whose operands keep their types."""
    l2, lanes, facts = target.l2, lanes_of(product, target), facts_of(target)
    few = facts.vector_registers <= REGISTERS
    unpacked = UNPACKED_SHARE_OF_FEW if few else UNPACKED_SHARE
    plan = private(blocks(product, l2, lanes, threads, unpacked=unpacked), product, l2)
    if facts.tile(*product.dtypes[:2]):
        return for_tiles(plan, product, l2, turns)
    if few:
        return panels(plan, product, l2, lanes)
    return narrow(resident(plan, product, l2, lanes), product, l2, lanes)


def _widened(product: GemmSpec, target: Target, threads: int, turns: bool) -> Blocks | None:
    """Return the blocks of a product whose operands are converted to f32 as they are packed, or None."""
    rows = product.n if turns else product.m
    if product.numerics != "exact" or not converted(*product.dtypes[:2], rows, target):
        return None
    of_a = product.order[0] if product.dtypes[0] == "f32" else _PACKED
    wide = replace(product, dtypes=("f32", "f32", product.dtypes[2]), order=(of_a, _PACKED, product.order[2]))
    if product.dtypes[2] == product.acc_dtype:
        plan = _as_they_are(wide, target, threads, turns)
        return replace(plan, widened=True) if plan.packs_b and plan.packs_a == (of_a == _PACKED) else None
    first = blocks(wide, target.l2, lanes_of(product, target), threads)
    found = summed(first, wide, target.l2 or L2, turns=turns)
    return replace(found, widened=True) if found else None
