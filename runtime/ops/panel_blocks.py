"""How wide the packed blocks of B of a large product are: one panel of a kernel.

A panel is what a kernel multiplies while its sums stay in registers. A block as wide as one panel is contiguous in the
order in which it is read, so the processor's prefetches keep up with it; the panels of a wider block would be short
pieces, far apart. This is the micro-panel of Goto and van de Geijn (blocks.py).

With sixteen vector registers (SSE, AVX, AVX2) a panel has twelve accumulators, three vectors of columns by four rows.
Each step of k loads three vectors of B for twelve multiplications, twice as many loads per multiplication as with
thirty-two registers. Such targets have other block heights and depths, too. The measurements are in docs/log/gemm.md.
"""

from __future__ import annotations

import os
from dataclasses import replace

from ...microkernels.codegen.long_sums import MOST_TERMS, most_of_block
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.tuning.products import BLOCKS, PANELS, blocks_of
from .blocks import (
    L2,
    balanced,
    balanced_columns,
    even,
    leading_a,
    lowest,
    packed_blocks,
    packed_column,
)
from .schedules import Blocks, SharedB


def narrow(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, ahead: bool = False) -> Blocks:
    """Return the same blocks, but with packed blocks of B one panel wide, on a target with thirty-two vector registers,
    or `plan` itself if k is short, if each worker packs its own block of B, or if L2 is so large that it holds several
    panels, unless B is packed `ahead` of the product."""
    dot, size = ELEMENT_BYTES[spec.dtypes[1]] < ELEMENT_BYTES[spec.acc_dtype], ELEMENT_BYTES[spec.dtypes[1]]
    nb = (PANELS.of_dot if dot else PANELS.vectors) * lanes
    wide = plan.own_b or plan.rb or plan.k < PANELS.shallow or (blocks_of(l2 or L2).resident > 0 and not ahead)
    if not plan.packs_b or wide or plan.n <= plan.nb or plan.nb <= nb:
        return plan
    nc = even(plan.n, max(nb, BLOCKS.packed // packed_column(plan.kb, spec) // nb * nb), nb)
    lines = PANELS.lines if spec.order[1] == "C" and size >= 4 else 0
    return replace(plan, nb=nb, schedule=SharedB(nc, nc, plan.packs_a, lines, plan.whole))


def panel(spec: GemmSpec, lanes: int, ahead: bool = False) -> tuple[int, int]:
    """Return (columns, depth) of a packed block of B on a target with sixteen vector registers. If B is packed `ahead`
    of the product, they do not depend on the number of rows of A."""
    most = PANELS.short if spec.m <= PANELS.few_rows and not ahead else PANELS.steps
    return min(spec.n, PANELS.vectors * lanes), spec.k if _is_whole(spec) else even(spec.k, most, 16)


def panels(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, cores: int | None = None, ahead: bool = False) -> Blocks:
    """Return the blocks for sixteen vector registers, or `plan` itself if B is not packed or no wider than a panel.
    `lanes` is the number of accumulator elements per vector register, `cores` the number of cores (None: this
    machine's); ahead: see `panel`."""
    (nb, kb), l2, size = panel(spec, lanes, ahead), l2 or L2, ELEMENT_BYTES[spec.dtypes[1]]
    lines = PANELS.lines if spec.order[1] == "C" and size >= 4 and not _is_whole(spec) else 0
    if not plan.packs_b or plan.n == nb or (plan.own_b and not lines):
        return plan
    packs_a, rows = spec.order[0] == "F", PANELS.rows
    if packs_a:
        row = leading_a(kb, size) * size
        rows = max(lowest(row, l2), int(l2 * PANELS.of_a) // row // PANELS.few * PANELS.few)
    mb = even(plan.m, rows, PANELS.few)
    mb = balanced(plan.m, mb, min(cores or os.cpu_count() or 1, BLOCKS.cores)) or mb
    nc = even(plan.n, max(nb, BLOCKS.packed // packed_column(kb, spec) // nb * nb), nb)
    return replace(plan, mb=mb, nb=nb, kb=kb, schedule=SharedB(nc, nc, packs_a, lines))


def with_transposed_blocks(plan: Blocks, spec: GemmSpec) -> Blocks:
    """Return the same blocks, but let each block of a column-major C be computed by rows in scratch memory and then
    transposed, if it has all columns and all of k, or if its sums stay in scratch memory. Kernels that store by columns
    write pieces of cache lines."""
    whole = plan.nc == plan.n and plan.kb == plan.k and not (plan.packs_a and ELEMENT_BYTES[spec.dtypes[0]] >= 4)
    few = plan.mb * plan.n * ELEMENT_BYTES[spec.dtypes[2]] <= PANELS.block
    if not plan.packs_b or (plan.own_b and not plan.rb) or not (plan.rb or (whole and few)):
        return plan
    shared = plan.schedule
    whole_rows = replace(shared, ng=shared.nc) if isinstance(shared, SharedB) else shared
    return replace(plan, turned=True, schedule=whole_rows)


def for_weights(plan: Blocks, spec: GemmSpec, l2: int, lanes: int, threads: int, few: bool, wide: bool) -> Blocks:
    """Return the blocks for a B that is packed in advance, all columns at a time. The layout of B does not depend on
    the number of rows of A. `few` says whether there are only sixteen vector registers, `wide` whether parts of blocks
    are converted before they are multiplied, so that a large L2 holds several panels of them."""
    if not plan.packs_b:
        nb, kb = panel(spec, lanes, ahead=True) if few else packed_blocks(spec, l2, lanes)
        kb = plan.k if plan.kb == plan.k else kb  # few rows: the steps are short, packed blocks are not
        found = replace(plan, nb=nb, kb=kb, schedule=SharedB(plan.n, plan.n))
        found = found if few else narrow(found, spec, l2, lanes, not wide)
        return replace(found, schedule=SharedB(plan.n, plan.n, found.packs_a))
    found = panels(plan, spec, l2, lanes, ahead=True) if few else narrow(plan, spec, l2, lanes, not wide)
    size, narrowed = ELEMENT_BYTES[spec.dtypes[0]], not few and found.nb < plan.nb
    found = balanced_columns(found, threads)
    found = replace(found, schedule=SharedB(plan.n, found.ng, found.packs_a))
    return _tall(found, size, l2, threads, narrowed)


def streamed(plan: Blocks, spec: GemmSpec, l2: int, threads: int) -> Blocks:
    """Return the blocks for a B that is packed in advance and read once, from beyond L2: as several streams if the sum
    may be cut, else block by block. Return `plan` itself if there are many rows, or if L2, or a near part of the
    last-level cache, holds B."""
    size, shared = spec.n * packed_column(spec.k, spec), plan.schedule
    if spec.m > PANELS.few_of_weights or not isinstance(shared, SharedB) or size <= (l2 or L2):
        return plan
    if _is_whole(spec) or ELEMENT_BYTES[spec.dtypes[1]] < 4:
        return replace(plan, schedule=replace(shared, fetched=True))
    if spec.m > PANELS.stream_rows or size <= PANELS.near * (l2 or L2):
        return plan
    fetched = spec.m > PANELS.rows_at_rest or (spec.m > 1 and size > PANELS.far)
    groups = -(-spec.n // ((PANELS.fetched_streams if fetched else PANELS.streams) * plan.nb))
    groups = -(-groups // threads) * threads  # the same number for each thread
    ng = even(spec.n, -(-spec.n // groups), plan.nb)
    shared = replace(shared, ng=ng, lines=_steps_of_streams(spec.k), fetched=fetched)
    return replace(plan, schedule=shared)


def _steps_of_streams(k: int) -> int:
    """Return the steps of k for which each panel is multiplied in turn: the fewest with which a term passes MOST_TERMS
    additions, to the sum of these steps and then to C (codegen/long_sums.py)."""
    steps = -(-k // (PANELS.stream_steps * MOST_TERMS)) * PANELS.stream_steps
    while min(steps, most_of_block(True)) - (-k // steps) > MOST_TERMS:
        steps += PANELS.stream_steps
    return steps


def _tall(plan: Blocks, size: int, l2: int, threads: int, panels: bool = False) -> Blocks:
    """Return the blocks for prepacked weights: higher ones if a block of B is as deep as k and does not fit L2, or if
    blocks of B are `panels`, which are read as streams. `size` is the bytes of an element of A."""
    deep = plan.kb * size
    if not panels and (plan.kb < plan.k or deep * plan.nb <= (l2 or L2) // 2):
        return plan
    mb = even(plan.m, max(plan.mb, PANELS.tall // deep // PANELS.few * PANELS.few), PANELS.few)
    items = PANELS.shares * threads if threads > 1 else 1
    ng = even(plan.nc, -(-plan.nc // max(1, -(-items // -(-plan.m // mb)))), plan.nb)
    return replace(plan, mb=mb, schedule=SharedB(plan.nc, ng, plan.packs_a))


def _is_whole(spec: GemmSpec) -> bool:
    """Whether the sum must not be cut, because C is narrower than its accumulators."""
    return spec.dtypes[2] != spec.acc_dtype
