"""The pipelines of products: the ways to compute one, and the emitter of each plan.

If C is narrower than the sums and the product is computed in several parts, C would be rounded more than once. The sums
then go to scratch memory, and a walk over them stores C. That is an identity epilogue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..choice import Pipeline, Plan, Refusal, refused
from ..contract.machine import Facts
from ..gemm import emit as gemm_emit
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, RoundedTwice
from ..gemm.spec import GemmSpec
from ..operands import RUNTIME
from ..prepack.ways import rounding_once, with_and_without_tiles

if TYPE_CHECKING:
    from ..epilogue import emit as epilogue_emit
    from ..epilogue import plan
    from ..prepack import emit

emit = lazy(__package__, "..prepack.emit")
plan = lazy(__package__, "..epilogue.plan")
epilogue_emit = lazy(__package__, "..epilogue.emit")


def _rounded_once(spec: GemmSpec, facts: Facts, error: RoundedTwice) -> list[Plan | Refusal]:
    """Return plans with sums in scratch memory, from which an identity epilogue rounds C once."""
    if spec.leading[2] is RUNTIME:
        way = "sums in scratch memory, rounded at the end"
        return [refused(way, f"{error}; with an ldc that is a number it is rounded once")]
    return [*plan.rounded_once(spec, facts)]


_EMITTERS: dict[type, Callable[[Any, Any], None]] = {
    GemmPlan: gemm_emit.emit,
    Prepacked: lambda m, plan: emit.emit(m, plan),
    AroundProduct: lambda m, plan: epilogue_emit.emit(m, plan),
}
GEMM = Pipeline(with_and_without_tiles(rounding_once(_rounded_once)), _EMITTERS)
EPILOGUE = Pipeline(with_and_without_tiles(lambda spec, facts: plan.candidates(spec, facts)), _EMITTERS)
