"""The pipelines of products: which ways there are to compute one, and what emits the plan of each.

Where a target leaves open whether tile registers are used, every way is tried with them and without, and the estimate
of a whole call decides: a kernel on tiles configures them once a call, which takes as long as 16 x 16 x 32 by vector
instructions. A target that is named for its tiles always uses them, since their sums have an order of their own.

A C that is narrower than the sums and whose product comes in several parts would be rounded more than once. Its sums go
to scratch memory, and a walk over them stores C: an epilogue that changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from ...encoder.deferred import deferred
from ..choice import Pipeline, Plan, Refusal, refused
from ..contract.dot_and_tile import OWN
from ..contract.machine import Facts
from ..gemm import emit as gemm_emit
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, RoundedTwice
from ..gemm.spec import GemmSpec
from ..operands import RUNTIME
from ..prepack import ways


@deferred
def _prepack_emit() -> ModuleType:
    from ..prepack import emit

    return emit


@deferred
def _epilogue_plan() -> ModuleType:
    from ..epilogue import plan

    return plan


@deferred
def _epilogue_emit() -> ModuleType:
    from ..epilogue import emit

    return emit


Ways = Callable[[Any, Facts], Sequence[Plan | Refusal]]
UNTILED = "without tile registers"


def with_and_without_tiles(ways: Ways) -> Callable[[Any, Facts], list[Plan | Refusal]]:
    """The candidates of both, where the target leaves it open and the kernel would configure tiles for itself."""

    def candidates(spec: Any, facts: Facts) -> list[Plan | Refusal]:
        tried = [*ways(spec, facts)]
        plans = [candidate for candidate in tried if isinstance(candidate, Plan)]
        if any(not getattr(candidate, "tile_shapes", ()) for candidate in plans):
            return tried
        if facts.untiled is not None and spec.tiles == OWN:
            return tried + [_renamed(candidate, UNTILED) for candidate in ways(spec, facts.untiled)]
        if plans:
            reason = (
                f"the tiles are {spec.tiles}: the caller relies on them"
                if spec.tiles != OWN
                else (
                    "a target that is named for its tiles always uses them, since their sums have an order of their own"
                )
            )
            tried.append(refused(UNTILED, reason))
        return tried

    return candidates


def _renamed(candidate: Plan | Refusal, addition: str) -> Plan | Refusal:
    way = f"{candidate.way}, {addition}"
    return candidate._replace(way=way) if isinstance(candidate, Refusal) else replace(candidate, way=way)


def _product_ways(spec: GemmSpec, facts: Facts) -> list[Plan | Refusal]:
    tried = ways.candidates(spec, facts)
    for candidate in tried:
        if isinstance(candidate, Refusal) and isinstance(candidate.error, RoundedTwice):
            return [*_rounded_once(spec, facts, candidate.error), *tried]
    return [*tried]


def _rounded_once(spec: GemmSpec, facts: Facts, error: RoundedTwice) -> list[Plan | Refusal]:
    """Sums in scratch memory, and C rounded from them by an epilogue that changes nothing."""
    if spec.leading[2] is RUNTIME:
        way = "sums in scratch memory, rounded at the end"
        return [refused(way, f"{error}; with an ldc that is a number it is rounded once")]
    return [*_epilogue_plan().rounded_once(spec, facts)]


_EMITTERS: dict[type, Callable[[Any, Any], None]] = {
    GemmPlan: gemm_emit.emit,
    Prepacked: lambda m, plan: _prepack_emit().emit(m, plan),
    AroundProduct: lambda m, plan: _epilogue_emit().emit(m, plan),
}
GEMM = Pipeline(with_and_without_tiles(_product_ways), _EMITTERS)
EPILOGUE = Pipeline(with_and_without_tiles(lambda spec, facts: _epilogue_plan().candidates(spec, facts)), _EMITTERS)
