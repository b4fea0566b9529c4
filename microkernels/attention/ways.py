"""The ways to compute attention: blocks that fit into scratch memory, with products on vectors and on tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from ..choice import P, Plan, Refusal, Way, attempt, choose, refused
from ..contract.dot_and_tile import TILED
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..products.untiled import without_tiles
from .blocks import SCRATCH_BYTES, rows_of
from .converting_plan import ConvertingPlanner, emulated_pairs, least_conversions, with_conversions
from .few_plan import few
from .laid_by import keys_of_block
from .plan import AttentionPlan
from .planner import AttentionPlanner
from .spec import AttentionSpec
from .strip_plan import STRIP, StripPlanner, fits

OF_PAIRS: dict[str, type[AttentionPlanner]] = {
    "products of f32": ConvertingPlanner,
    "products of pairs": AttentionPlanner,
}
"""The ways in bf16 without an instruction for pairs. Both give the same bits."""

ROWS_BESIDE_TILES = 4
"""The most queries for which products on tiles, of 16 rows, are not considered. On an Emerald Rapids, 8 heads of 64
over 2048 keys in bf16: 2 queries 0.92 ms on tiles and 0.52 on vectors, 4 queries 0.91 and 0.81, 8 queries 0.77 and
2.6."""


def candidates(spec: AttentionSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    """Yield vectors along queries. If queries are fewer than the elements of a vector, vectors along keys are an
    alternative."""
    if spec.numerics == TILED or spec.causal or spec.queries >= facts.widths[0] // 8 // ELEMENT_BYTES[spec.compute]:
        yield from along_queries(spec, facts)
        return
    made, vectors = together(spec), without_tiles(facts)
    along = facts if made.queries > ROWS_BESIDE_TILES else vectors
    asked = None if made is spec else spec

    def wide() -> AttentionPlan:
        plan = choose(along_queries(made, along))
        assert isinstance(plan, AttentionPlan)
        return replace(plan, asked=asked)

    yield attempt("vectors along queries", wide)
    yield attempt("vectors along keys", lambda: replace(few(made, vectors), asked=asked))


def together(spec: AttentionSpec) -> AttentionSpec:
    """Return the request in which the queries of all heads of a group are those of one head. They see the same keys,
    which are then read once, and fill more of a vector. The arrays are the same."""
    adjacent = all(
        spec.head_step(name) == spec.size * spec.queries and (spec.queries == 1 or spec.row_step(name) == spec.size)
        for name in ("q", "out")
    )
    apart = spec.of_pairs or spec.masks[1] > 1 or spec.positions - {"key"} or spec.part
    if spec.group == 1 or apart or not adjacent:
        return spec
    views = tuple((name, view) for name, view in spec.views if name in ("k", "v"))
    return replace(spec, heads=spec.kv_heads, queries=spec.queries * spec.group, views=views)


def along_queries(spec: AttentionSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    """Yield blocks that fit into scratch memory, the largest first. If tiles can be used, they are tried before
    vectors."""
    vectors = without_tiles(facts)
    if spec.numerics == TILED:
        yield from in_strips(spec, vectors)
    elif fits(spec, facts):
        on_tiles = attempt("products on tiles", lambda: choose(in_strips(spec, facts)))
        yield on_tiles
        yield unless_slower(
            "products on vectors",
            lambda: choose(in_blocks(spec, vectors, AttentionPlanner)),
            on_tiles,
            least_cycles(spec, vectors, 2, pairs=True),
        )
    elif emulated_pairs(spec, facts):
        yield from _without_pairs(spec, vectors)
    else:
        yield from in_blocks(spec, vectors, AttentionPlanner)


def _without_pairs(spec: AttentionSpec, facts: Facts) -> Iterator[Plan | Refusal]:
    """Yield the ways in bf16 without an instruction for pairs. Their products have the same FMAs, so a way is not
    planned if its conversions take longer than those of the way before it. That saves milliseconds."""
    before: AttentionPlan | Refusal | None = None
    for name, planner in OF_PAIRS.items():
        if isinstance(before, AttentionPlan) and before.block_cycles < (least := least_conversions(before, facts)):
            yield refused(
                name,
                f"conversions in its loops take at least {least:.0f} cycles for a block of queries and "
                f"keys, those of the chosen way {before.block_cycles:.0f}",
            )
            continue
        before = attempt(name, partial(_converting, spec, facts, planner))
        yield before


def _converting(spec: AttentionSpec, facts: Facts, planner: type[AttentionPlanner]) -> AttentionPlan:
    plan = choose(in_blocks(spec, facts, planner))
    assert isinstance(plan, AttentionPlan)
    return with_conversions(plan, facts)


def least_cycles(spec: AttentionSpec, facts: Facts, products: int, *, pairs: bool) -> float:
    """Return a lower bound of the cycles that `products` products over all scores take on vectors. It counts the FMAs
    of the widest registers, or half as many for products of pairs."""
    width = facts.widths[0]
    of_score = products * spec.size * facts.fma_cycles(width) / (width // 8 // ELEMENT_BYTES[spec.compute])
    return spec.heads * spec.pairs * of_score / (2 if pairs else 1)


def unless_slower(name: str, plan: Callable[[], P], other: Plan | Refusal, least: float) -> P | Refusal:
    """Return the plan of this way, or a refusal if even its lower bound is slower than the other way. Planning takes
    milliseconds, so it is skipped then."""
    if isinstance(other, Refusal) or other.call_cycles > least:
        return attempt(name, plan)
    return refused(name, f"at least {least:.0f} cycles, the chosen way takes {other.call_cycles:.0f}")


def in_blocks(spec: AttentionSpec, facts: Facts, planner: type[AttentionPlanner]) -> Iterator[Way | Refusal]:
    """Yield blocks of queries and keys, the largest first, planned by `planner`."""
    size, tuning = ELEMENT_BYTES[spec.compute], facts.tuning.attention
    every = list(rows_of(spec, facts.widths[0] // 8 // size, tuning.query_bytes // size))
    for rows in every:
        keys = rows if spec.causal else keys_of_block(spec.keys, tuning.keys)
        yield Way(f"{rows} queries by {keys} keys", partial(_planned, spec, facts, rows, keys, planner))
    if not every:
        yield refused(
            "in blocks",
            f"size {spec.size}: one query and its sums do not fit into {SCRATCH_BYTES} "
            "bytes of scratch memory; use products and ts.fused('softmax'), "
            "which keep the scores in memory",
        )


def in_strips(spec: AttentionSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield blocks of strips and keys for products on tiles, the largest first."""
    rows, most, keys = min(STRIP, spec.queries), facts.tuning.attention.strips, facts.tuning.attention.keys
    needed = -(-spec.queries // rows)
    sizes = [(most >> halved, keys) for halved in range(most.bit_length())]
    for strips, columns in (*sizes, (1, keys // 2)):
        if spec.causal:
            columns = strips * rows
        if strips < 2 * needed and columns <= keys:
            name = f"{strips} strips of {rows} queries by {columns} keys"
            yield Way(name, partial(_in_strips, spec, facts, strips, columns))


def _in_strips(spec: AttentionSpec, facts: Facts, strips: int, keys: int) -> AttentionPlan:
    return StripPlanner(spec, facts, strips, keys).plan()


def _planned(spec: AttentionSpec, facts: Facts, rows: int, keys: int, planner: type[AttentionPlanner]) -> AttentionPlan:
    return planner(spec, facts, rows, keys).plan()
