"""The pipeline of products with an extent given at the call."""

from __future__ import annotations

from types import ModuleType

from ...encoder.deferred import deferred
from ..choice import Pipeline
from ..gemm.plan import Prepacked
from . import emit, ways
from .plan import RowsPlan


@deferred
def _prepack_emit() -> ModuleType:
    from . import prepack_emit

    return prepack_emit


ROWS = Pipeline(ways.candidates, {RowsPlan: emit.emit, Prepacked: lambda m, plan: _prepack_emit().emit(m, plan)})
