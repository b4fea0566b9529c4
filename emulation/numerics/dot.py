"""Integer dot products of x86 and Arm: exact sums that wrap or saturate once, at the end.

    DOTS["vpdpbusd"](c, a, b)        c[i] + sum_j a[4i+j] b[4i+j]
    DOTS["vpmaddubsw"](None, a, b)   no accumulator
    MATRICES["smmla"](c, a, b)       C (2, 2) + A (2, 8) @ B (2, 8).T for every four accumulators

Operands are arrays of integers of any signedness; each instruction reinterprets them as its own types. The last axis of
a and b is longer than that of the result by the group size, and the other axes broadcast. Sources: Intel SDM and ISA
extensions reference (AVX-VNNI-INT8/16); Arm ARM DDI 0487 (DotProd, I8MM).
"""

from __future__ import annotations

import numpy as np

from ...encoder.records import dataclass
from .rounding import Array


@dataclass(frozen=True)
class Dot:
    """One instruction: the element types of its two sources and of its result, and whether the result saturates."""

    first: str
    second: str
    result: str
    saturating: bool = False

    @property
    def group(self) -> int:
        """The number of products per element of the result."""
        return np.dtype(self.result).itemsize // np.dtype(self.first).itemsize

    def __call__(self, c: Array | None, a: Array, b: Array) -> Array:
        """Return the result as a new array of its type."""
        total = grouped(_as(a, self.first) * _as(b, self.second), self.group)
        if c is not None:
            total = total + _as(c, self.result)
        if self.saturating:
            limits = np.iinfo(self.result)
            total = np.clip(total, limits.min, limits.max)
        return total.astype(self.result)


@dataclass(frozen=True)
class Mmla:
    """A product of matrices of two rows, stored row by row in a register: C + A @ B.T, modulo 2^32."""

    first: str
    second: str

    def __call__(self, c: Array, a: Array, b: Array) -> Array:
        """Return the result as a new array of int32."""
        rows = _as(a, self.first).reshape(*a.shape[:-1], -1, 2, 1, 8)
        columns = _as(b, self.second).reshape(*b.shape[:-1], -1, 1, 2, 8)
        total: Array = _as(c, "i4") + (rows * columns).sum(-1).reshape(c.shape)
        return total.astype(np.int32)


def grouped(products: Array, group: int) -> Array:
    """Return sums of `group` neighbours along the last axis."""
    sums: Array = products.reshape(*products.shape[:-1], -1, group).sum(-1)
    return sums


def _as(x: Array, kind: str) -> Array:
    """Reinterpret the elements as integers of this type and extend them to 64 bits."""
    return x.view(kind).astype(np.int64)


_BYTES = {"s": "i1", "u": "u1"}
_WORDS = {"s": "i2", "u": "u2"}


def _vnni(letter: str, signs: str, types: dict[str, str]) -> dict[str, Dot]:
    """Return a VPDP pair: one that wraps, and one that saturates (to unsigned numbers if both sources are unsigned)."""
    first, second = (types[sign] for sign in signs)
    name = f"vpdp{letter}{signs}d"
    return {name: Dot(first, second, "i4"), f"{name}s": Dot(first, second, "u4" if signs == "uu" else "i4", True)}


DOTS: dict[str, Dot] = {
    **{name: dot for signs in ("ss", "su", "us", "uu") for name, dot in _vnni("b", signs, _BYTES).items()},
    **{name: dot for signs in ("ss", "su", "us", "uu") for name, dot in _vnni("w", signs, _WORDS).items()},
    "vpmaddubsw": Dot("u1", "i1", "i2", saturating=True),
    "vpmaddwd": Dot("i2", "i2", "i4"),
    "sdot": Dot("i1", "i1", "i4"),
    "udot": Dot("u1", "u1", "u4"),
    "usdot": Dot("u1", "i1", "i4"),
    "sudot": Dot("i1", "u1", "i4"),
    "sdot.h": Dot("i2", "i2", "i4"),
    "udot.h": Dot("u2", "u2", "u4"),
    "sdot.d": Dot("i2", "i2", "i8"),
    "udot.d": Dot("u2", "u2", "u8"),
}
"""Dot products by mnemonic. SVE's dot products of 16-bit elements into 64-bit ones have the suffix .d, those into
32-bit ones .h."""

MATRICES = {"smmla": Mmla("i1", "i1"), "ummla": Mmla("u1", "u1"), "usmmla": Mmla("u1", "i1")}
