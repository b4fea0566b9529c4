"""The kind of reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.reduce.spec import ReduceSpec
from ..arguments.eltwise import ReductionCall
from .elementwise import of_lines
from .kind import Kind, array_kind, pipeline_of, revalidation

if TYPE_CHECKING:
    from ...microkernels.reduce import pipeline as reduce_pipeline

reduce_pipeline = lazy(__package__, "...microkernels.reduce.pipeline")

ROWS: dict[type, Kind] = {
    ReduceSpec: of_lines(
        array_kind(pipeline_of(reduce_pipeline, "REDUCE"), lambda spec: revalidation.reduction(spec)), ReductionCall
    ),
}
