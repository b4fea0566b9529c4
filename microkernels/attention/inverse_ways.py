"""The ways to compute the backward pass: blocks that fit into scratch memory, with products in f32, in pairs, or on
tiles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..choice import Plan, Refusal, Way, attempt, choose, refused
from ..contract.dot_and_tile import TILED
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..products.untiled import without_tiles
from .blocks import SCRATCH_BYTES, rows_of
from .inverse_pairs_plan import InPairs, InversePairsOnTiles
from .inverse_plan import InversePlanner
from .plan import AttentionPlan
from .spec import AttentionSpec
from .strip_plan import fits
from .ways import least_cycles, unless_slower

_PRODUCTS = 5
"""The number of products over all scores: two make scores and slopes, three the gradients."""
_WHOLE = 32
"""Queries or keys of a tile along a sum. Blocks on tiles are a multiple of this, or smaller."""


def candidates(spec: AttentionSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    """Yield blocks that fit into scratch memory, the largest first. For bf16 there are products of pairs and on tiles
    besides those of f32."""
    vectors = without_tiles(facts)
    if spec.numerics == TILED:
        yield from in_blocks(spec, vectors, InversePairsOnTiles)
        return
    unit = facts.unit(spec.dtype, spec.dtype, "fast") if spec.dtype == "bf16" else None
    if unit is None or unit.emulated:
        yield from in_blocks(spec, vectors, InversePlanner)
        return
    quickest: Plan | Refusal = refused("products on tiles", "the target has none")
    if fits(spec, facts):
        quickest = attempt("products on tiles", lambda: choose(in_blocks(spec, facts, InversePairsOnTiles)))
        yield quickest
    for name, planner in (("products of pairs", InPairs), ("products of f32", InversePlanner)):
        least = least_cycles(spec, vectors, _PRODUCTS, pairs=planner is InPairs)
        made = unless_slower(name, partial(_chosen, spec, vectors, planner), quickest, least)
        quickest = made if isinstance(quickest, Refusal) else quickest
        yield made


def _chosen(spec: AttentionSpec, facts: Facts, planner: type[InversePlanner]) -> Plan:
    return choose(in_blocks(spec, facts, planner))


def in_blocks(spec: AttentionSpec, facts: Facts, planner: type[InversePlanner]) -> Iterator[Way | Refusal]:
    """Yield blocks of as many queries as keys, the largest first, planned by `planner`."""
    size = ELEMENT_BYTES[spec.compute]
    every = rows_of(spec, facts.widths[0] // 8 // size, facts.tuning.attention.query_bytes // size)
    fitting = [rows for rows in every if planner.bytes_of(rows, spec) <= SCRATCH_BYTES]
    if planner is InversePairsOnTiles:
        fitting = [rows for rows in fitting if rows % _WHOLE == 0 or rows < _WHOLE]
    for rows in fitting:
        yield Way(f"{rows} queries by {rows} keys", partial(_planned, spec, facts, rows, planner))
    if not fitting:
        yield refused(
            "in blocks",
            f"size {spec.size}: one query and its sums do not fit into {SCRATCH_BYTES} "
            "bytes of scratch memory; use products and softmax_inv, which keep "
            "the scores in memory",
        )


def _planned(spec: AttentionSpec, facts: Facts, rows: int, planner: type[InversePlanner]) -> AttentionPlan:
    return planner(spec, facts, rows, rows).inverse()
