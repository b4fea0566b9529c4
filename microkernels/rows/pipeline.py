"""The pipeline of products with an extent given at the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..choice import Pipeline
from ..epilogue.plan import EpiloguePlan
from ..gemm import emit as gemm_emit
from ..gemm.plan import GemmPlan, Prepacked
from . import emit, ways
from .plan import RowsPlan

if TYPE_CHECKING:
    from ..epilogue import emit as epilogue_emit
    from . import prepack_emit

epilogue_emit = lazy(__package__, "..epilogue.emit")
prepack_emit = lazy(__package__, ".prepack_emit")


ROWS = Pipeline(
    ways.candidates,
    {
        RowsPlan: emit.emit,
        Prepacked: lambda m, plan: prepack_emit.emit(m, plan),
        EpiloguePlan: lambda m, plan: epilogue_emit.emit(m, plan),
        GemmPlan: gemm_emit.emit,
    },
)
