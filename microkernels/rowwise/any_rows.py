"""Kernels whose rows the call counts are made from the request for a likely number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import lazy

if TYPE_CHECKING:
    from . import spec as rowwise_spec
    from .spec import Request, RowwiseSpec

rowwise_spec = lazy(__package__, ".spec")


def any_rows(spec: Request) -> RowwiseSpec:
    """Return the request for any number of rows, made from that for NOMINAL_ROWS rows."""
    return rowwise_spec.rowwise_spec(spec)
