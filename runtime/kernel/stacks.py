"""The kinds of products counted at the call: stacks of independent ones, and those of any number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.rows.spec import RowsSpec
from ...microkernels.rows.spec import parameters as rows_parameters
from ...microkernels.stack.spec import StackSpec, parameters
from ..arguments import rows, stack
from ..fastcall.guards_rows import rows_entry
from ..fastcall.guards_stack import stack_entry
from .kind import Kind, pipeline_of, revalidation

if TYPE_CHECKING:
    from ...microkernels.rows import pipeline as rows_pipeline
    from ...microkernels.stack import pipeline as stack_pipeline

stack_pipeline = lazy(__package__, "...microkernels.stack.pipeline")
rows_pipeline = lazy(__package__, "...microkernels.rows.pipeline")


def _products(spec: StackSpec) -> int | None:
    """Return how many products a call computes, or None if the call says it."""
    return spec.stack if isinstance(spec.stack, int) else None


ROWS: dict[type, Kind] = {
    StackSpec: Kind(
        pipeline_of(stack_pipeline, "STACK"),
        parameters,
        stack.StackCall,
        stack_entry,
        stack.signature,
        stack.description,
        stack.regions,
        _products,
        lambda spec: revalidation.stack(spec),
    ),
    RowsSpec: Kind(
        pipeline_of(rows_pipeline, "ROWS"),
        rows_parameters,
        rows.RowsCall,
        rows_entry,
        rows.signature,
        rows.description,
        rows.regions,
        lambda spec: None,
        lambda spec: revalidation.rows(spec),
    ),
}
