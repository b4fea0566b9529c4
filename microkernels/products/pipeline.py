"""The pipelines of products: the ways to compute one, and the emitter of each plan.

If C is narrower than the sums and the product is computed in several parts, C would be rounded more than once. The sums
then go to scratch memory, and a walk over them stores C. That is an identity epilogue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..choice import Pipeline, Plan, Refusal, refused
from ..contract.machine import Facts, Machine
from ..gemm import emit as gemm_emit
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, RoundedTwice
from ..gemm.spec import GemmSpec
from ..operands import RUNTIME
from ..prepack.ways import rounding_once, with_and_without_tiles

if TYPE_CHECKING:
    from ..epilogue import emit as epilogue_emit
    from ..epilogue import plan
    from ..epilogue.plan import EpiloguePlan
    from ..prepack import emit
    from ..rows import emit as rows_emit
    from ..rows import prepack_emit, ways
    from ..stack import emit as stack_emit
    from ..stack import plan as stack

emit = lazy(__package__, "..prepack.emit")
plan = lazy(__package__, "..epilogue.plan")
epilogue_emit = lazy(__package__, "..epilogue.emit")
rows_emit = lazy(__package__, "..rows.emit")
prepack_emit = lazy(__package__, "..rows.prepack_emit")
ways = lazy(__package__, "..rows.ways")
stack_emit = lazy(__package__, "..stack.emit")
stack = lazy(__package__, "..stack.plan")


def _rounded_once(spec: GemmSpec, facts: Facts, error: RoundedTwice) -> list[Plan | Refusal]:
    """Return plans with sums in scratch memory, from which an identity epilogue rounds C once."""
    if spec.leading[2] is RUNTIME:
        way = "sums in scratch memory, rounded at the end"
        return [refused(way, f"{error}; with an ldc that is a number it is rounded once")]
    return [*plan.rounded_once(spec, facts)]


_EMITTERS: dict[type, Callable[[Any, Any], None]] = {
    GemmPlan: gemm_emit.emit,
    Prepacked: lambda m, made: emit.emit(m, made),
    AroundProduct: lambda m, made: epilogue_emit.emit(m, made),
}
GEMM = Pipeline(with_and_without_tiles(rounding_once(_rounded_once)), _EMITTERS)
EPILOGUE = Pipeline(with_and_without_tiles(lambda spec, facts: plan.candidates(spec, facts)), _EMITTERS)
STACK = Pipeline(
    with_and_without_tiles(lambda spec, facts: stack.candidates(spec, facts)),
    {GemmPlan: lambda m, made: stack_emit.emit(m, made)},
)


def _emit(m: Machine, made: GemmPlan) -> None:
    (rows_emit if made.dynamic else gemm_emit).emit(m, made)


def _emit_epilogue(m: Machine, made: EpiloguePlan) -> None:
    emitted: Callable[[Machine, EpiloguePlan], None]
    emitted = rows_emit.emit_with_epilogue if made.spec.shared else epilogue_emit.emit
    emitted(m, made)


ANY_EXTENT = Pipeline(
    lambda spec, facts: ways.candidates(spec, facts),
    {
        GemmPlan: _emit,
        Prepacked: lambda m, made: prepack_emit.emit(m, made),
        AroundProduct: _emit_epilogue,
    },
)
"""The pipeline of products of which each call gives an extent, with an epilogue or without."""
