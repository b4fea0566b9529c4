"""Kernels whose rows the call counts are made from the request for a likely number of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...encoder.deferred import deferred

if TYPE_CHECKING:
    from .spec import Request, RowwiseSpec


@deferred
def _rowwise_spec() -> Callable[[Request], RowwiseSpec]:
    from .spec import rowwise_spec

    return rowwise_spec


def any_rows(spec: Request) -> RowwiseSpec:
    """Return the request for any number of rows, made from that for LIKELY_ROWS rows."""
    return _rowwise_spec()(spec)
