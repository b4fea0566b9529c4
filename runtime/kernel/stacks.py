"""The kind of stacks of independent products."""

from __future__ import annotations

from ...microkernels.stack.spec import StackSpec, parameters
from ..arguments import stack
from ..fastcall.guards_stack import stack_entry
from . import pipelines
from .kind import Kind, revalidation


def _products(spec: StackSpec) -> int | None:
    """How many products a call computes; None: as many as it says."""
    return spec.stack if isinstance(spec.stack, int) else None


ROWS: dict[type, Kind] = {
    StackSpec: Kind(
        pipelines.stack, parameters, stack.StackCall, stack_entry, stack.signature, stack.description, stack.regions,
        _products, lambda spec: revalidation().stack(spec),
    ),
}  # fmt: skip
