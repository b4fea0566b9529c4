"""The candidate blocks of a product, and a model of the time that each of them takes.

The predicted time lies between two bounds. The lower bound is the slowest of the arithmetic and of the transfers from
each cache and from memory, as if all the others were hidden behind it; the upper bound is their sum, as if nothing were
hidden. The model takes the mean of both, which separates blocks that are equal by arithmetic alone. The time of packing
is added, since nothing hides it.

All figures are those of the busiest worker. Source: the model of Georganas et al., PARLOOPER, section 2.4, for the
single loop order that `blocks` has. The machine's figures are measured (runtime/loops/machine_facts.py).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import product as every

from ...encoder.records import dataclass
from ...microkernels.codegen.long_sums import most_of_block
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.tuning.products import CANDIDATES
from ..loops.machine_facts import MachineFacts
from .blocks import balanced_columns, is_balanced, is_bounded, owned
from .panel_blocks import with_transposed_blocks
from .schedules import Blocks, InPlace, SharedB


@dataclass(frozen=True)
class ModelledMachine:
    """A machine as the model sees it.

    facts     bandwidths and caches
    workers   the number of workers
    rate      operations per second of one worker on blocks in its nearest caches
    lanes     accumulator elements per vector register
    """

    facts: MachineFacts
    workers: int
    rate: float
    lanes: int


def candidates(
    untuned: Blocks, product: GemmSpec, lanes: int, l2: int, threads: int, like: Blocks | None = None
) -> list[Blocks]:
    """Return all candidate blocks whose scratch memory is bounded, except the untuned ones. The sum is not cut if C is
    narrower than its accumulators, nor into more blocks than C may take the sums of (docs/numerics.md), and blocks of C
    are transposed if those of the untuned blocks are. With `like`, only those of the candidates that have the height,
    width and depth of these blocks are made."""
    found: dict[Blocks, None] = {}
    plain = replace(untuned, turned=False, widened=False)
    for each in (*_packed(plain, product, lanes, threads, like), *_unpacked(plain, product, l2, threads, like)):
        plan = with_transposed_blocks(each, product) if untuned.turned else each
        computes = plan.turned == untuned.turned and plan.fits(product) and -(-plan.k // plan.kb) <= most_of_block(True)
        if plan != untuned and computes and is_bounded(plan, product, l2, lanes):
            found[plan] = None
    return list(found)


def is_candidate(plan: Blocks, untuned: Blocks, product: GemmSpec, lanes: int, l2: int, threads: int) -> bool:
    """Whether blocks are the untuned ones or one of the candidates."""
    return plan == untuned or plan in candidates(untuned, product, lanes, l2, threads, plan)


def _only(sizes: list[int], like: Blocks | None, name: str) -> list[int]:
    return sizes if like is None else [each for each in sizes if each == getattr(like, name)]


def _packed(untuned: Blocks, product: GemmSpec, lanes: int, threads: int, like: Blocks | None) -> Iterator[Blocks]:
    """Yield blocks with B packed, by all workers together or by each for itself, and with A packed or unpacked."""
    m, n, k, size = product.m, product.n, product.k, ELEMENT_BYTES[product.dtypes[1]]
    heights = _only(sorted({min(m, each) for each in (*CANDIDATES.heights, untuned.mb)}), like, "mb")
    widths = sorted({*(min(n, each * lanes) for each in CANDIDATES.widths), untuned.nb})
    depths = _only(sorted({min(k, each) for each in (*CANDIDATES.depths, untuned.kb)}), like, "kb")
    depths = [k] if product.dtypes[2] != product.acc_dtype else depths
    packings = (True,) if product.order[0] == "F" else (False, True)
    for mb, nb, kb, most, packs_a in every(heights, _only(widths, like, "nb"), depths, CANDIDATES.packed, packings):
        nc = min(n, max(nb, most // (kb * size) // nb * nb))
        schedule = SharedB(nc, nc, packs_a, untuned.lines, untuned.whole if packs_a else 1, untuned.fetched)
        plan = replace(untuned, mb=mb, nb=nb, kb=kb, schedule=schedule)
        yield balanced_columns(plan, threads)
        if not packs_a:
            yield owned(plan)


def _unpacked(untuned: Blocks, product: GemmSpec, l2: int, threads: int, like: Blocks | None) -> Iterator[Blocks]:
    """Yield blocks that multiply rows of A by all of B, both unpacked."""
    n, k, cores = product.n, product.k, os.cpu_count() or 1
    if n * k * ELEMENT_BYTES[product.dtypes[1]] <= CANDIDATES.unpacked * l2:
        for mb in _only(sorted({min(product.m, each) for each in (*CANDIDATES.heights, untuned.mb)}), like, "mb"):
            if is_balanced(product.m, mb, max(threads, cores)):  # no other height gives equal parts
                yield replace(untuned, mb=mb, nb=n, kb=k, schedule=InPlace(n))


def predicted(plan: Blocks, product: GemmSpec, machine: ModelledMachine) -> float:
    """Return the predicted seconds of the busiest worker."""
    m, n, k = product.m, product.n, product.k
    of_a, of_b, of_c = (ELEMENT_BYTES[each] for each in product.dtypes)
    share = _share(plan, machine.workers)
    wide = _padded(n, plan.nb, machine.lanes)
    moved = [0.0] * len(machine.facts.levels)

    def move(total: float, footprint: float) -> None:
        moved[_level(machine.facts, footprint)] += total * share

    groups = math.ceil(n / plan.nc)
    block_b = plan.nb * plan.kb * of_b
    move(m * k * of_a * groups, m * k * of_a)
    move(m * k * of_a * n / plan.nb, plan.mb * plan.kb * of_a + block_b)
    move(m / plan.mb * n * k * of_b, (plan.nc if plan.packs_b else n) * plan.kb * of_b)
    move(2 * m * n * of_c * math.ceil(k / plan.kb), m * n * of_c)
    computing = 2.0 * m * wide * k * share / machine.rate
    bandwidths = [machine.facts.bandwidth(place, machine.workers) for place in range(len(moved))]
    times = [computing, *(each / bandwidth for each, bandwidth in zip(moved, bandwidths))]
    packing = 0.0
    if plan.packs_b:
        packing += 2 * n * k * of_b / machine.workers / bandwidths[_level(machine.facts, n * k * of_b)]
    if plan.packs_a:
        packing += 2 * m * k * of_a * n / plan.ng * share / bandwidths[min(1, len(moved) - 1)]
    return (max(times) + sum(times)) / 2 + packing


def _share(plan: Blocks, workers: int) -> float:
    """Return the fraction of the product that the worker with the most parts computes."""
    parts = math.ceil(plan.n / plan.nb) if plan.own_b else math.ceil(plan.m / plan.mb) * math.ceil(plan.nc / plan.ng)
    return math.ceil(parts / workers) / parts


def _padded(extent: int, block: int, lanes: int) -> int:
    """Return the number of columns, with the last vector of each block filled up."""
    whole, rest = divmod(extent, block)
    return whole * math.ceil(block / lanes) * lanes + math.ceil(rest / lanes) * lanes


def _level(facts: MachineFacts, footprint: float) -> int:
    """Return the index of the first cache that holds `footprint` bytes, or the index of memory."""
    return next(
        (place for place, each in enumerate(facts.levels[:-1]) if footprint <= each.size), len(facts.levels) - 1
    )
