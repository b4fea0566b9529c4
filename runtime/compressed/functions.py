"""`ts.compressed`: weights of 4 or 8 bits with scales, from arrays and from the formats of other programs."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from .weights import CompressedWeights, compress

if TYPE_CHECKING:
    from ..api.typed import DTypeLike
    from . import readers

readers = lazy(__package__, ".readers")


class Compressing:
    """compressed(w, format="i4", *, group=32, scale=None, zero=None, offset=None, scales=None): compress weights."""

    __name__ = "compressed"
    __slots__ = ()

    def __call__(
        self,
        w: Any,
        format: str = "i4",
        *,
        group: int | None = 32,
        scale: Any = None,
        zero: Any = None,
        offset: Any = None,
        scales: DTypeLike | None = None,
    ) -> CompressedWeights:
        """Return compressed weights: see the documentation of this function."""
        return compress(w, format, group=group, scale=scale, zero=zero, offset=offset, scales=scales)


Compressing.__doc__ = f"""{Compressing.__doc__}

{inspect.cleandoc(compress.__doc__ or "")}
"""
compressed = Compressing()
