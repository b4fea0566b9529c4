"""The calls of ts.matmul that Python keeps."""

from __future__ import annotations

from tilesmith.runtime.ops.calls import PlannedCall
from tilesmith.runtime.ops.matmul import PRODUCTS


def kept_calls() -> list[PlannedCall]:
    """Return all calls of numpy's arrays that are kept."""
    return [call for call in PRODUCTS.found.values() if isinstance(call, PlannedCall)]


def forget() -> None:
    """Forget all of them."""
    PRODUCTS.forget()
