"""Ciphers, hash functions and carry-less products. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..core.closures import Run, called
from ..numerics import galois, hashes
from .lanes import U1, U4, U8, Array, lanes, whole
from .operands import Semantic, X86Context

Words = list[int]


def _blocks(function: Callable[..., Array], sources: int) -> Semantic:
    """The semantics of a function of blocks of 16 bytes."""

    def of_bytes(*given: Array) -> Array:
        arrays = [each.reshape(-1, 16) if isinstance(each, np.ndarray) else each for each in given]
        return function(*arrays).reshape(-1)

    return whole(of_bytes, *[U1] * (sources + 1))


def _carryless(a: Array, b: Array, choice: int) -> Array:
    """vpclmulqdq: the immediate selects a half of each source in each 128-bit lane."""
    halves = a.tolist()[choice & 1 :: 2], b.tolist()[choice >> 4 & 1 :: 2]
    products = [galois.carryless(x, y) for x, y in zip(*halves)]
    return np.array([word for p in products for word in (p & (1 << 64) - 1, p >> 64)], U8)


def _affine(inverted: bool, ctx: X86Context) -> Run:
    """vgf2p8affineqb: multiply each byte by the matrix of 8 x 8 bits in its 64 bits of the second source."""
    count, constant = ctx.count(U1), ctx.operands[3] & 0xFF
    value, matrix = ctx.source(1, U1, count), ctx.source(2, U8, count // 8, suppress=False)

    def function(a: Array, b: Array) -> Array:
        a = galois.inverses()[a] if inverted else a
        return galois.affine(a.reshape(-1, 8), b.view(U1).reshape(-1, 1, 8), constant).reshape(-1)

    return called(function, [value, matrix], ctx.target(0, U1, count))


def _words(function: Callable[..., Words], dtype: np.dtype[np.generic], to: int, *counts: int) -> Semantic:
    """The semantics of a function of words: how many the result and each source register have. The destination is the
    first source, and an immediate the last argument."""

    def predecode(ctx: X86Context) -> Run:
        sources = [ctx.source(at, dtype, count) for at, count in enumerate(counts)]
        extra = [ctx.operands[-1] & 0xFF] if isinstance(ctx.operands[-1], int) else []
        write = ctx.target(0, dtype, to)
        return lambda: write(np.array(function(*[source().tolist() for source in sources], *extra), dtype))

    return predecode


def _sm4(linear: Callable[[int], int]) -> Semantic:
    def function(a: Array, b: Array) -> Array:
        lanes_of = zip(a.reshape(-1, 4).tolist(), b.reshape(-1, 4).tolist())
        return np.array([hashes.sm4(linear, x, y) for x, y in lanes_of], U4).reshape(-1)

    return whole(function, U4, U4, U4)


_SHA256 = ("msg1", hashes.sha2_msg1), ("msg2", hashes.sha2_msg2)

TABLE: dict[str, Semantic] = {
    "vaesenc": _blocks(galois.aes_round, 2),
    "vaesenclast": _blocks(partial(galois.aes_round, last=True), 2),
    "vaesdec": _blocks(galois.aes_round_back, 2),
    "vaesdeclast": _blocks(partial(galois.aes_round_back, last=True), 2),
    "vaesimc": _blocks(galois.aes_key_back, 1),
    "vaeskeygenassist": _blocks(galois.aes_key_assist, 1),
    "vpclmulqdq": whole(_carryless, U8, U8, U8),
    "vgf2p8mulb": lanes(galois.multiplied, U1, U1, U1),
    "vgf2p8affineqb": partial(_affine, False),
    "vgf2p8affineinvqb": partial(_affine, True),
    "sha1rnds4": _words(hashes.sha1rnds4, U4, 4, 4, 4),
    "sha1nexte": _words(hashes.sha1nexte, U4, 4, 4, 4),
    "sha1msg1": _words(hashes.sha1msg1, U4, 4, 4, 4),
    "sha1msg2": _words(hashes.sha1msg2, U4, 4, 4, 4),
    **{f"sha256{name}": _words(partial(function, 32), U4, 4, 4, 4) for name, function in _SHA256},
    "sha256rnds2": _words(partial(hashes.sha2_rnds2, 32), U4, 4, 4, 4, 2),
    **{
        f"vsha512{name}": _words(partial(function, 64), U8, 4, 4, 4 if name == "msg2" else 2)
        for name, function in _SHA256
    },
    "vsha512rnds2": _words(partial(hashes.sha2_rnds2, 64), U8, 4, 4, 4, 2),
    "vsm3msg1": _words(hashes.sm3msg1, U4, 4, 4, 4, 4),
    "vsm3msg2": _words(hashes.sm3msg2, U4, 4, 4, 4, 4),
    "vsm3rnds2": _words(hashes.sm3rnds2, U4, 4, 4, 4, 4),
    "vsm4rnds4": _sm4(hashes.sm4_round),
    "vsm4key4": _sm4(hashes.sm4_key),
}
