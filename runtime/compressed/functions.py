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

    def from_gptq(self, qweight: Any, qzeros: Any, scales: Any, **more: Any) -> CompressedWeights:
        """Read 4-bit weights of GPTQ: qweight (k / 8, n), qzeros (groups, n / 8), scales (groups, n); g_idx=None,
        version=1 or 2, kept= the type of scales."""
        return readers.from_gptq(qweight, qzeros, scales, **more)

    def from_awq(self, qweight: Any, qzeros: Any, scales: Any, **more: Any) -> CompressedWeights:
        """Read 4-bit weights of AWQ: qweight (k, n / 8), qzeros (groups, n / 8), scales (groups, n); kept= the type of
        scales."""
        return readers.from_awq(qweight, qzeros, scales, **more)

    def from_torchao(self, qdata: Any, scale: Any, zero_point: Any = None, **more: Any) -> CompressedWeights:
        """Read 4-bit weights of torchao: qdata (n, k / 2) of bytes or (n, k) of i32, scale and zero_point (groups, n);
        kept= the type of scales."""
        return readers.from_torchao(qdata, scale, zero_point, **more)

    def from_onnx(self, b: Any, scales: Any, zero_points: Any = None, **more: Any) -> CompressedWeights:
        """Read weights of MatMulNBits: its inputs, and its attributes k=, n=, bits=4, block_size=32; kept= the type of
        scales."""
        return readers.from_onnx(b, scales, zero_points, **more)

    def from_gguf(self, data: Any, kind: str, *, k: int, n: int, kept: DTypeLike = "f16") -> CompressedWeights:
        """Read the blocks of a tensor of llama.cpp: kind "Q4_0", "Q8_0" or "Q4_K"; kept= the type of scales."""
        return readers.from_gguf(data, kind, k=k, n=n, kept=kept)


Compressing.__doc__ = f"""{Compressing.__doc__}

{inspect.cleandoc(compress.__doc__ or "")}
"""
compressed = Compressing()
