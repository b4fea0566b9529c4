"""The kinds of kernels that `spread` takes, and the phases of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...microkernels.errors import UnsupportedError
from ...microkernels.fused.spec import FusedSpec
from . import spread_cuts, spread_moves
from .spread_cuts import CountedParts, Request, SpreadCut, SpreadPhases, is_reordered

if TYPE_CHECKING:
    from ..kernel.callable import Kernel

CUTS: Mapping[str, Callable[[Request], SpreadCut]] = {
    "EltwiseSpec": lambda spec: spread_moves.reordered(spec) if is_reordered(spec) else spread_cuts.elements(spec),
    "FusedSpec": spread_cuts.elements,
    "AttentionSpec": spread_cuts.heads,
    "ChainSpec": spread_cuts.bands,
    "IndexedSpec": spread_cuts.found_rows,
    "GroupedSpec": spread_moves.groups,
    "ReduceSpec": spread_moves.reductions,
    "TransformSpec": spread_moves.transforms,
    "GatherSpec": spread_moves.moved_rows,
    "BagSpec": spread_moves.bags,
}
"""How each kind of kernel is cut, by the name of its requests: what of a request does not depend on the rest, and how
its operands move along it."""
CUT_KINDS = (
    "elementwise and fused kernels",
    "attention and its gradients",
    "reductions",
    "transposes and transforms",
    "gathers, scatters and embedding bags",
    "norms of groups",
    "stacks of products",
)


def counted_parts(kernel: Kernel, spec: Request) -> CountedParts | None:
    """Return the cut of a gather, of an embedding bag or of groups along rows, bags or samples that the call counts;
    None if it is cut along a number of the request."""
    if type(spec).__name__ == "GroupedSpec" and spec.interface.extents:
        return CountedParts(kernel, spec, _cut(spec), spec.interface.extents[0].name)
    if not getattr(spec, "at_call", ()):
        return None
    cut = _cut(spec)
    part = cut.request(1)
    extent = next(name for name in ("m", "n", "bags") if getattr(part, name, 1) != getattr(spec, name, 1))
    return CountedParts(kernel, spec, cut, extent) if extent in spec.at_call else None


def phases_of(spec: Request) -> SpreadPhases:
    """Return how a request is cut; raise UnsupportedError if its parts depend on each other."""
    if not isinstance(spec, FusedSpec) or not (spec.swept or spec.divides_by_rows):
        return SpreadPhases((_cut(spec),))
    spread_cuts.check(spec)
    sweeps, requests = spec.cut_by(spec.m)  # rows read reductions of all rows: each sweep over the rows is a phase
    stored = {place.name: place for sweep in sweeps for _, place in sweep.made if place.name}
    return SpreadPhases(
        tuple(map(spread_cuts.elements, requests)),
        {name: spec.place(place) for name, place in stored.items() if place.result is None},
        {name: spec.outputs[place.result].name for name, place in stored.items() if place.result is not None},
    )


def _cut(spec: Request) -> SpreadCut:
    cut = CUTS.get(type(spec).__name__)
    if cut is None:
        raise UnsupportedError(
            f"spread: {', '.join(CUT_KINDS)} can be spread, not {spec}; for products of any size use ts.gemm or "
            "ts.matmul"
        )
    made: SpreadCut = cut(spec)
    return made
