"""`ts.compressed`: weights of 4 or 8 bits with scales or as bit masks, from arrays and from other programs' formats."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...microkernels.compressed.bitmask import BITMASK
from ..arguments.tracebacks import shortening
from .bitmask import BitmaskWeights, from_bitmask, masked
from .weights import CompressedWeights, compress

if TYPE_CHECKING:
    from ..api.typed import DTypeLike
    from . import readers

readers = lazy(__package__, ".readers")


class Compressing:
    """compressed(w, format="i4", *, group=32, scale=None, zero=None, offset=None, scales=None,
    numerics="exact"): compress weights."""

    __name__ = "compressed"
    __slots__ = ()

    @shortening
    def __call__(
        self,
        w: object,
        format: str = "i4",
        *,
        group: int | None = 32,
        scale: object = None,
        zero: object = None,
        offset: object = None,
        scales: DTypeLike | None = None,
        numerics: str = "exact",
    ) -> CompressedWeights | BitmaskWeights:
        """Return compressed weights: see the documentation of this function."""
        if format == BITMASK:
            if (group, numerics) != (32, "exact") or any(each is not None for each in (scale, zero, offset, scales)):
                raise TypeError('format: "bitmask" keeps weights as they are; it has no group, scale, zero or offset')
            return masked(w)
        return compress(w, format, group=group, scale=scale, zero=zero, offset=offset, scales=scales, numerics=numerics)

    def from_gptq(
        self,
        qweight: object,
        qzeros: object,
        scales: object,
        *,
        g_idx: object = None,
        version: int = 1,
        kept: DTypeLike | None = None,
    ) -> CompressedWeights:
        """Read 4-bit weights of GPTQ (AutoGPTQ, GPTQModel): qweight (k / 8, n), qzeros (groups, n / 8), scales (groups,
        n). version: 1, whose zero points are stored minus 1, or 2. kept: the type of scales; None: theirs."""
        return readers.from_gptq(qweight, qzeros, scales, g_idx=g_idx, version=version, kept=kept)

    def from_awq(
        self, qweight: object, qzeros: object, scales: object, *, kept: DTypeLike | None = None
    ) -> CompressedWeights:
        """Read 4-bit weights of AWQ: qweight (k, n / 8), qzeros (groups, n / 8), scales (groups, n). kept: the type of
        scales; None: theirs."""
        return readers.from_awq(qweight, qzeros, scales, kept=kept)

    def from_torchao(
        self, qdata: object, scale: object, zero_point: object = None, *, kept: DTypeLike | None = None
    ) -> CompressedWeights:
        """Read 4-bit weights of torchao: qdata (n, k / 2) of bytes or (n, k) of i32, scale and zero_point (groups, n).
        kept: the type of scales; None: theirs."""
        return readers.from_torchao(qdata, scale, zero_point, kept=kept)

    def from_onnx(
        self,
        b: object,
        scales: object,
        zero_points: object = None,
        *,
        k: int,
        n: int,
        bits: int = 4,
        block_size: int = 32,
        kept: DTypeLike | None = None,
    ) -> CompressedWeights:
        """Read weights of ONNX Runtime's MatMulNBits: its inputs, and its attributes. kept: the type of scales; None:
        theirs."""
        return readers.from_onnx(b, scales, zero_points, k=k, n=n, bits=bits, block_size=block_size, kept=kept)

    def from_mx(
        self, elements: object, scales: object, format: str | None = None, *, kept: DTypeLike = "bf16"
    ) -> CompressedWeights:
        """Read blocks of the OCP's microscaling formats, MXFP4 and MXFP8: elements (n, k) of ml_dtypes' float4_e2m1fn,
        float8_e4m3fn or float8_e5m2, or their bytes and format= "f4e2m1" (two in a byte), "f8e4m3" or "f8e5m2"; scales
        (n, k / 32) of float8_e8m0fnu. kept: the type of scales, "bf16" or "f32"."""
        return readers.from_mx(elements, scales, format, kept=kept)

    def from_bitmask(self, mask: object, nonzeros: object, *, k: int, n: int) -> BitmaskWeights:
        """Read bit masks, bool (k, n) or bytes (k, ceil(n / 8)) with the first column in the lowest bit, and non-zeros
        row after row: f32, bf16 or i8."""
        return from_bitmask(mask, nonzeros, k=k, n=n)

    def from_gguf(self, data: object, kind: str, *, k: int, n: int, kept: DTypeLike = "f16") -> CompressedWeights:
        """Read the blocks of a tensor of llama.cpp: kind "Q4_0", "Q8_0" or "Q4_K". kept: the type of scales; "f32"
        keeps those of Q4_K exactly."""
        return readers.from_gguf(data, kind, k=k, n=n, kept=kept)


Compressing.__doc__ = f"""{Compressing.__doc__}

{inspect.cleandoc(compress.__doc__ or "")}
"""
compressed = Compressing()
