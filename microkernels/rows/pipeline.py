"""The pipeline of products with an extent given at the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..choice import Pipeline
from ..gemm.plan import Prepacked
from . import emit, ways
from .plan import RowsPlan

if TYPE_CHECKING:
    from . import prepack_emit

prepack_emit = lazy(__package__, ".prepack_emit")


ROWS = Pipeline(ways.candidates, {RowsPlan: emit.emit, Prepacked: lambda m, plan: prepack_emit.emit(m, plan)})
