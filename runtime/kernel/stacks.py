"""The kinds of products counted at the call: stacks of independent ones, and those of any number of rows."""

from __future__ import annotations

from ...microkernels.rows.spec import RowsSpec
from ...microkernels.rows.spec import parameters as rows_parameters
from ...microkernels.stack.spec import StackSpec, parameters
from ..arguments import rows, stack
from ..fastcall.guards_rows import rows_entry
from ..fastcall.guards_stack import stack_entry
from . import pipelines
from .kind import Kind, revalidation


def _products(spec: StackSpec) -> int | None:
    """Return how many products a call computes, or None if the call says it."""
    return spec.stack if isinstance(spec.stack, int) else None


ROWS: dict[type, Kind] = {
    StackSpec: Kind(
        pipelines.stack, parameters, stack.StackCall, stack_entry, stack.signature, stack.description, stack.regions,
        _products, lambda spec: revalidation().stack(spec),
    ),
    RowsSpec: Kind(
        pipelines.rows, rows_parameters, rows.RowsCall, rows_entry, rows.signature, rows.description, rows.regions,
        lambda spec: None, lambda spec: revalidation().rows(spec),
    ),
}  # fmt: skip
