"""The kind of reductions."""

from __future__ import annotations

from ...microkernels.reduce.spec import ReduceSpec
from ..arguments.eltwise import ReductionCall
from . import pipelines
from .elementwise import of_lines
from .kind import Kind, array_kind, revalidation

ROWS: dict[type, Kind] = {
    ReduceSpec: of_lines(array_kind(pipelines.reduce, lambda spec: revalidation().reduction(spec)), ReductionCall),
}
