"""The ways to compute a product: from its operands directly, or with some of them packed or transposed first.

If a target leaves open whether tile registers are used, every way is tried with and without them, and the estimate of a
whole call decides: a kernel on tiles configures them once per call, which takes as long as 16 x 16 x 32 by vector
instructions. Of `ordered` sums, k alone decides. A target that is named for its tiles always uses them, since their
sums have an order of their own.

The planners that pack are imported when a request needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ...encoder.deferred import lazy
from ..choice import Plan, Refusal, best, refused
from ..contract.dot_and_tile import OWN
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.plan import PACKED_IN_BLOCKS, GemmPlan, Prepacked, RoundedTwice, unpacked_plan
from ..gemm.products import wants_changes
from ..gemm.spec import GemmSpec

if TYPE_CHECKING:
    from . import block_plan, copies_plan, pair_plan

block_plan = lazy(__package__, ".block_plan")
pair_plan = lazy(__package__, ".pair_plan")
copies_plan = lazy(__package__, ".copies_plan")


def candidates(
    spec: GemmSpec, facts: Facts, scratch_bytes: int = SCRATCH_LIMIT
) -> list[GemmPlan | Prepacked | Refusal]:
    """Return the ways on a machine. If all refuse, the first refusal gives the reason.

    scratch_bytes: bytes of scratch memory for operands that are packed or transposed as a whole.
    """
    if spec.names_hints:
        return [
            unpacked_plan(spec, facts),
            refused(PACKED_IN_BLOCKS, "prefetch= and streaming= apply only to operands in place"),
        ]
    if wants_changes(spec, facts):
        return [*pair_plan.candidates(spec, facts, scratch_bytes)]
    unpacked = unpacked_plan(spec, facts)
    if isinstance(unpacked, GemmPlan):
        twice = (
            [copies_plan.candidate(unpacked, facts, scratch_bytes)]
            if facts.copies(ELEMENT_BYTES[spec.dtype]) > 1
            else []
        )
        return [unpacked, *twice, refused(PACKED_IN_BLOCKS, "not needed: the operands are multiplied unpacked")]
    if spec.groups != (1, 1):
        return [
            unpacked,
            refused(PACKED_IN_BLOCKS, "an operand is packed by the caller, and only plain operands are transposed"),
        ]
    return [*block_plan.candidates(spec, facts, unpacked)]


def planned(spec: GemmSpec, facts: Facts, scratch_bytes: int = SCRATCH_LIMIT) -> GemmPlan | Prepacked | Refusal:
    """Return the way with the fewest cycles, or the first refusal if there is none."""
    return cast(GemmPlan | Prepacked | Refusal, best(candidates(spec, facts, scratch_bytes)))


Ways = Callable[[Any, Facts], Sequence[Plan | Refusal]]
UNTILED = "without tile registers"
ALWAYS_TILED = "a target that is named for its tiles always uses them, since their sums have an order of their own"


def with_and_without_tiles(ways: Ways) -> Callable[[Any, Facts], list[Plan | Refusal]]:
    """Return the candidates with and without tiles, if the target leaves that open and the kernel configures its own
    tiles."""

    def candidates(spec: Any, facts: Facts) -> list[Plan | Refusal]:
        tried = [*ways(spec, facts)]
        plans = [candidate for candidate in tried if isinstance(candidate, Plan)]
        if any(not getattr(candidate, "tile_shapes", ()) for candidate in plans):
            return tried
        if spec.ordered and facts.untiled is not None and not _is_for_tiles(spec, facts):
            return [*ways(spec, facts.untiled)]
        if facts.untiled is not None and spec.tiles == OWN and not (spec.ordered and plans):
            return tried + [_renamed(candidate, UNTILED) for candidate in ways(spec, facts.untiled)]
        if plans:
            reason = f"the tiles are {spec.tiles}: the caller relies on them" if spec.tiles != OWN else ALWAYS_TILED
            tried.append(refused(UNTILED, reason))
        return tried

    return candidates


def _is_for_tiles(spec: GemmSpec, facts: Facts) -> bool:
    """Whether the steps of k fill tiles at least half. Sums of floats on tiles have an order of their own, so that
    where the order is asked for, nothing else may decide."""
    tile = facts.tile(*spec.dtypes[:2])
    return tile is not None and 2 * spec.k >= tile.depth * tile.steps


def _renamed(candidate: Plan | Refusal, addition: str) -> Plan | Refusal:
    way = f"{candidate.way}, {addition}"
    return candidate._replace(way=way) if isinstance(candidate, Refusal) else replace(candidate, way=way)


def rounding_once(rounded: Callable[[GemmSpec, Facts, RoundedTwice], list[Plan | Refusal]]) -> Ways:
    """Return the candidates for a product. If a way would round C more than once, the ones that `rounded` gives come
    first."""

    def tried(spec: GemmSpec, facts: Facts) -> list[Plan | Refusal]:
        found = candidates(spec, facts)
        for candidate in found:
            if isinstance(candidate, Refusal) and isinstance(candidate.error, RoundedTwice):
                return [*rounded(spec, facts, candidate.error), *found]
        return [*found]

    return tried
