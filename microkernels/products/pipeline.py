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
from ..prepack.ways import Ways, rounding_once, with_and_without_tiles

if TYPE_CHECKING:
    from ..epilogue import emit as epilogue_emit
    from ..epilogue import plan
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


def _of_any_extent(known: Ways) -> Ways:
    """Return the candidates of products, those with an extent given at the call among them."""
    return lambda spec, facts: (ways.candidates if spec.counted else known)(spec, facts)


def _emit(m: Machine, made: GemmPlan) -> None:
    (rows_emit if made.dynamic else gemm_emit).emit(m, made)


def _emit_packed(m: Machine, made: Prepacked) -> None:
    (prepack_emit if made.spec.shared else emit).emit(m, made)


def _emit_epilogue(m: Machine, made: AroundProduct) -> None:
    emitted: Callable[[Machine, Any], None] = rows_emit.emit_with_epilogue if made.spec.shared else epilogue_emit.emit
    emitted(m, made)


_EMITTERS: dict[type, Callable[[Any, Any], None]] = {
    GemmPlan: _emit,
    Prepacked: _emit_packed,
    AroundProduct: _emit_epilogue,
}
GEMM = Pipeline(_of_any_extent(with_and_without_tiles(rounding_once(_rounded_once))), _EMITTERS)
EPILOGUE = Pipeline(_of_any_extent(with_and_without_tiles(lambda spec, facts: plan.candidates(spec, facts))), _EMITTERS)
STACK = Pipeline(
    with_and_without_tiles(lambda spec, facts: stack.candidates(spec, facts)),
    {GemmPlan: lambda m, made: stack_emit.emit(m, made)},
)
