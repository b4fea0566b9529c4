"""The pipeline of products with an extent given at the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..choice import Pipeline
from ..contract.machine import Machine
from ..epilogue.plan import EpiloguePlan
from ..gemm import emit as gemm_emit
from ..gemm.plan import GemmPlan, Prepacked
from . import emit, ways

if TYPE_CHECKING:
    from ..epilogue import emit as epilogue_emit
    from . import prepack_emit

epilogue_emit = lazy(__package__, "..epilogue.emit")
prepack_emit = lazy(__package__, ".prepack_emit")


def _with_epilogue(m: Machine, plan: EpiloguePlan) -> None:
    (epilogue_emit.emit if plan.spec.counted == "k" else emit.emit_with_epilogue)(m, plan)


ROWS = Pipeline(
    ways.candidates,
    {
        GemmPlan: lambda m, plan: (emit if plan.dynamic else gemm_emit).emit(m, plan),
        Prepacked: lambda m, plan: prepack_emit.emit(m, plan),
        EpiloguePlan: _with_epilogue,
    },
)
