"""Weights that other programs have quantised, as compressed weights: what each format puts where.

Formats keep the transpose, (n, k), in words or bytes of several codes. Nothing is quantised anew: the codes, scales and
zero points are those of the format, in another order. docs/compressed-weights.md has drawings.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.compressed.form import FLOATS, CompressedForm, unit_of
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import extent
from ..arguments.arrays import Array, as_array
from .weights import CompressedWeights, compress, of_codes, values_of

if TYPE_CHECKING:
    from ..api.typed import DTypeLike

_OF_WORD = np.arange(0, 32, 4, dtype=np.uint32)
"""Where the eight codes of a word begin."""


def from_gptq(
    qweight: object,
    qzeros: object,
    scales: object,
    *,
    g_idx: object = None,
    version: int = 1,
    kept: DTypeLike | None = None,
) -> CompressedWeights:
    """Read 4-bit weights of GPTQ (AutoGPTQ, GPTQModel): codes of eight rows of k in a word, the first in the lowest
    bits."""
    words, zeros, scale = _words("qweight", qweight), _words("qzeros", qzeros), as_array("scales", scales)
    k, n = words.shape[0] * 8, words.shape[1]
    if version not in (1, 2):
        raise ValueError(f"version: 1 (zero points are stored minus 1) or 2, not {version!r}")
    group = _group_of(f"qweight {words.shape} of eight rows a word", k, n, scale, zeros)
    codes = _codes(words).transpose(0, 2, 1).reshape(k, n)
    points = _codes(zeros).reshape(len(zeros), -1)[:, :n]
    groups = np.arange(k) // group if g_idx is None else as_array("g_idx", g_idx)
    if groups.shape != (k,):
        raise ValueError(f"g_idx: the group of each of {k} rows, shape ({k},), not {groups.shape}")
    if not np.array_equal(groups, np.arange(k) // group):
        raise UnsupportedError(
            "g_idx: rows must be in groups of neighbours; weights of act-order are reordered by "
            "order = np.argsort(g_idx, kind='stable'), and so are the columns of x"
        )
    return compress(codes, "u4", group=group, scale=scale, zero=points + (version == 1), scales=kept)


def from_awq(qweight: object, qzeros: object, scales: object, *, kept: DTypeLike | None = None) -> CompressedWeights:
    """Read 4-bit weights of AWQ (the GEMM version): codes of eight columns in a word, columns 0, 2, 4, 6, 1, 3, 5, 7 of
    each eight from the lowest bits on."""
    words, zeros, scale = _words("qweight", qweight), _words("qzeros", qzeros), as_array("scales", scales)
    group = _group_of(f"qweight {words.shape} of eight columns a word", len(words), words.shape[1] * 8, scale, zeros)
    order = np.argsort((0, 2, 4, 6, 1, 3, 5, 7))  # these are the columns of a word's codes
    codes, points = (_codes(each)[..., order].reshape(len(each), -1) for each in (words, zeros))
    return compress(codes, "u4", group=group, scale=scale, zero=points, scales=kept)


def from_torchao(
    qdata: object, scale: object, zero_point: object = None, *, kept: DTypeLike | None = None
) -> CompressedWeights:
    """Read 4-bit weights of torchao, whose zero points are floats: weight = scale * q + zero_point, with q from -8 to
    7.

    qdata        bytes (n, k / 2) as those of Int4Tensor, even k in the low half, both of two's complement; or i32 (n,
                 k) from 0 to 15, the argument of _convert_weight_to_int4pack, which stand for -8 to 7
    scale        (groups, n), or (groups, n, 2) with the zero points
    """
    codes, scales = as_array("qdata", qdata), as_array("scale", scale)
    if codes.ndim != 2 or codes.dtype.kind not in "iu":
        raise TypeError(f"qdata: bytes (n, k / 2), or i32 (n, k), not {codes.dtype} {codes.shape}")
    if scales.ndim == 3 and scales.shape[2] == 2:
        scales, zero_point = scales[..., 0], scales[..., 1]
    if codes.dtype.itemsize == 1:
        halves = codes.view(np.uint8)
        codes = (np.stack((halves & 15, halves >> 4), 2).reshape(len(halves), -1).astype(np.int16) ^ 8) - 8
    else:
        codes = codes.astype(np.int64) - 8
    group = _group_of(f"qdata {as_array('qdata', qdata).shape}", codes.shape[1], len(codes), scales, None, "scale")
    offset = None if zero_point is None else as_array("zero_point", zero_point)
    return compress(codes.T, "i4", group=group, scale=scales, offset=offset, scales=kept)


def from_onnx(
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
    """Read the weights of ONNX Runtime's MatMulNBits of 4 or 8 bits: b (n, blocks, block_size * bits / 8) of bytes,
    codes and packed zero points from the low half of each byte on, scales (n, blocks)."""
    if bits not in (4, 8):
        raise UnsupportedError(f"bits: 4 or 8, not {bits}")
    k, n, block_size = extent("k", k), extent("n", n), extent("block_size", block_size)
    blocks = -(-k // block_size)
    stored = _parted("b", as_array("b", b), (n, blocks, block_size * bits // 8))
    codes = _bytes(stored, bits).reshape(n, -1)[:, :k]
    scale = _parted("scales", as_array("scales", scales), (n, blocks)).T
    points: Array | None = None
    if zero_points is not None:
        given = as_array("zero_points", zero_points)
        if given.dtype != np.uint8:
            points = _parted("zero_points", given, (n, blocks)).T
        else:
            points = _bytes(_parted("zero_points", given, (n, -(-blocks * bits // 8))), bits)[:, :blocks].T
    if points is not None and (points != np.rint(points)).any():
        centre = 1 << bits - 1
        offset = scale.astype(np.float32) * (centre - points.astype(np.float32))
        return compress(codes.T, f"u{bits}", group=block_size, scale=scale, offset=offset, scales=kept)
    return compress(codes.T, f"u{bits}", group=block_size, scale=scale, zero=points, scales=kept)


def from_gguf(data: object, kind: str, *, k: int, n: int, kept: DTypeLike = "f16") -> CompressedWeights:
    """Read the blocks of a tensor of llama.cpp, (n, k) with k inside: kind "Q4_0", "Q8_0" or "Q4_K".

    kept    the type of scales. Those of Q4_0 and Q8_0 are f16. The scales and minima of Q4_K are products of an f16 and
            6 bits: "f32" keeps them exactly, "f16" rounds them
    """
    if kind not in _GGUF:
        raise UnsupportedError(f"kind: {', '.join(_GGUF)}, not {kind!r}")
    rows, size, read = _GGUF[kind]
    k, n = extent("k", k), extent("n", n)
    if k % rows:
        raise ValueError(f"k: a multiple of {rows}, the weights of a block of {kind}, not {k}")
    blocks = as_array("data", data).view(np.uint8).reshape(-1)
    if blocks.size != n * (k // rows) * size:
        raise ValueError(f"data: {n * (k // rows) * size} bytes of {n * (k // rows)} blocks, not {blocks.size}")
    made: CompressedWeights = read(blocks.reshape(n, k // rows, size), kept)
    return made


def from_mx(
    elements: object, scales: object, format: str | None = None, *, kept: DTypeLike = "bf16"
) -> CompressedWeights:
    """Read weights in blocks of the OCP's microscaling formats, MXFP4 and MXFP8: 32 neighbours along k share a power of
    two.

    elements  (n, k) of ml_dtypes.float4_e2m1fn, float8_e4m3fn or float8_e5m2, or of their bits, bytes that `format`
              names: those of "f4e2m1" two in a byte, (n, k / 2), the first in the lower half
    scales    (n, k / 32) of ml_dtypes.float8_e8m0fnu, or its bytes: 2^(byte - 127)
    kept      the type of scales, "bf16" or "f32", which hold all powers
    """
    given, powers = as_array("elements", elements), as_array("scales", scales)
    named, block = _MX.get(str(given.dtype)) or next((each for each in _MX.values() if each[0] == format), ("", 0))
    if not named or (format is not None and format != named):
        raise TypeError(f"elements: {', '.join(_MX)}, or bytes and format= of {', '.join(FLOATS)}, not {given.dtype}")
    if given.ndim != 2 or given.dtype.itemsize != 1 or powers.dtype.itemsize != 1:
        raise TypeError(f"elements, scales: matrices of bytes, not {given.dtype} {given.shape} and {powers.dtype}")
    packed_in_bytes = named == "f4e2m1" and str(given.dtype) not in _MX
    codes = _bytes(given.view(np.uint8), 4 if packed_in_bytes else 8)
    codes = codes & 15 if named == "f4e2m1" else codes
    n, k = codes.shape
    exponents = powers.view(np.uint8)
    if exponents.shape != (n, -(-k // block)):
        raise ValueError(f"scales: shape {(n, -(-k // block))}, one for {block} elements, not {exponents.shape}")
    if (exponents == 255).any() or np.isnan(values_of(named)[codes]).any():
        raise ValueError("elements, scales: finite numbers; infinities and NaN cannot be weights")
    kind = element_type("kept", kept)
    if kind not in ("bf16", "f32"):
        raise UnsupportedError(f"kept: bf16 or f32, which hold powers of two from 2^-127 to 2^127, not {kind}")
    form = CompressedForm(named, k, n, min(block, k), kind, False, False, 0)
    return of_codes(form, codes.T, np.ldexp(np.float32(1), exponents.T.astype(np.int32) - 127))


_MX = {"float4_e2m1fn": ("f4e2m1", 32), "float8_e4m3fn": ("f8e4m3", 32), "float8_e5m2": ("f8e5m2", 32)}
"""The formats of elements and the elements of a block, by the names of types in ml_dtypes."""


def _q4_0(blocks: Array, kept: DTypeLike) -> CompressedWeights:
    """A block: a scale of f16, and 16 bytes, of which byte i has elements i (low half) and i + 16."""
    halves = blocks[..., 2:]
    codes = np.concatenate((halves & 15, halves >> 4), -1).reshape(len(blocks), -1)
    return compress(codes.T, "u4", group=32, scale=_halves(blocks)[..., 0].T, scales=kept)


def _q8_0(blocks: Array, kept: DTypeLike) -> CompressedWeights:
    """A block: a scale of f16, and 32 bytes."""
    codes = np.ascontiguousarray(blocks[..., 2:]).view(np.int8).reshape(len(blocks), -1)
    return compress(codes.T, "i8", group=32, scale=_halves(blocks)[..., 0].T, scales=kept)


def _q4_k(blocks: Array, kept: DTypeLike) -> CompressedWeights:
    """A block: f16 d and dmin, 12 bytes of eight scales and eight minima of 6 bits, and 128 bytes of eight groups of
    32, two to 32 bytes: weight = d * scale * q - dmin * minimum."""
    d, least = (_halves(blocks)[..., place, None].astype(np.float32) for place in (0, 1))
    low, middle, high = blocks[..., 4:8], blocks[..., 8:12], blocks[..., 12:16]
    scales = np.concatenate((low & 63, high & 15 | low >> 6 << 4), -1)
    minima = np.concatenate((middle & 63, high >> 4 | middle >> 6 << 4), -1)
    halves = blocks[..., 16:].reshape(*blocks.shape[:2], 4, 1, 32)
    codes = np.concatenate((halves & 15, halves >> 4), 3).reshape(len(blocks), -1)
    scale, offset = ((each * six).reshape(len(blocks), -1).T for each, six in ((d, scales), (least, minima)))
    return compress(codes.T, "u4", group=32, scale=scale, zero=0, offset=-offset, scales=kept)


_GGUF = {"Q4_0": (32, 18, _q4_0), "Q8_0": (32, 34, _q8_0), "Q4_K": (256, 144, _q4_k)}
"""For each kind, the weights and the bytes of a block, and its reader."""


def _halves(blocks: Array) -> Array:
    return np.ascontiguousarray(blocks[..., :4]).view(np.float16)


def _parted(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    """Return an array in the shape that it has, or that its elements have one after the other."""
    if array.size != math.prod(shape):
        raise ValueError(f"{name}: shape {shape}, by k, n, bits and block_size, not {array.shape}")
    return array.reshape(shape)


def _words(name: str, value: object) -> Array:
    words = as_array(name, value)
    if words.ndim != 2 or words.dtype.itemsize != 4 or words.dtype.kind not in "iu":
        raise TypeError(f"{name}: a matrix of i32, eight codes in each, not {words.dtype} {words.shape}")
    return words.view(np.uint32)


def _codes(words: Array) -> Array:
    """Return the eight codes of each word, on a new last axis, from the lowest bits on."""
    return (words[..., None] >> _OF_WORD & 15).astype(np.int16)


def _bytes(stored: Array, bits: int) -> Array:
    """Return the codes of bytes, on the last axis."""
    if bits == 8:
        return stored
    return np.stack((stored & 15, stored >> 4), -1).reshape(*stored.shape[:-1], -1)


def _group_of(codes: str, k: int, n: int, scales: Array, zeros: Array | None, name: str = "scales") -> int:
    """Return the rows of a group, of as many as there are rows of scales. Raises ValueError unless scales (groups, n)
    and words of zero points (groups, n / 8) are those of codes (k, n)."""
    if scales.ndim != 2 or scales.shape[1] != n or not len(scales):
        raise ValueError(f"{name}: (groups, {n}), since {codes} is {k} rows by {n} columns, not {scales.shape}")
    groups = len(scales)
    if zeros is not None and zeros.shape != (groups, -(-n // 8)):
        raise ValueError(
            f"qzeros: {(groups, -(-n // 8))}, eight columns a word beside {name} {scales.shape}, not {zeros.shape}"
        )
    rows = -(-k // groups)
    if -(-k // rows) != groups or not unit_of(rows, k):
        raise ValueError(f"{name}: a row for each group of a multiple of 16 rows, not {groups} for {k} rows of {codes}")
    return rows
