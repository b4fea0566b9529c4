"""Arm SME: ZA, streaming mode and outer products, bit for bit.

    za = Matrix(64)                                          # a streaming vector length of 64 bytes
    za.switch(streaming=True, enabled=True)                  # smstart; True: vectors and predicates become zero
    za.outer("fmopa.s", 0, rows, columns, row_mask, column_mask)      # za0.s += rows (x) columns
    za.tile(0, 4)                                            # its elements, a view of uint32

Predicates are arrays of bool with one element for each byte of a vector; vectors are arrays of uint8. Sources: Arm ARM
DDI 0487 (SME): FMOPA, BFMOPA, SMOPA, FPMulAdd_ZA, FPDotAdd_ZA, BFDotAdd, with FPCR.EBF = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..core.faults import CannotRun
from . import bf16, fp
from .exact import odd_sum
from .primitive import primitive
from .rounding import ARM, DEFAULT_NANS, F32, Array, Environment, pack

Outer = Callable[[Array, Array, Array, Environment], Array]


class Matrix:
    """ZA, which consists of `size` vectors of `size` bytes, and whether ZA and streaming mode are enabled."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.streaming = False
        self.enabled = False
        self.bytes = np.zeros((size, size), np.uint8)
        self.table = np.zeros(64, np.uint8)
        """ZT0, which is on together with ZA."""

    def switch(self, streaming: bool | None = None, enabled: bool | None = None) -> bool:
        """SMSTART and SMSTOP. None leaves a state unchanged. Return whether all vectors, predicates and FFR become
        zero.

        They do whenever streaming mode changes. ZA is zeroed when it is switched on or off.
        """
        cleared = streaming is not None and streaming != self.streaming
        if streaming is not None:
            self.streaming = streaming
        if enabled is not None and enabled != self.enabled:
            self.enabled = enabled
            self.bytes[:] = 0
            self.table[:] = 0
        return cleared

    def tile(self, number: int, element: int) -> Array:
        """Return a tile of elements of 1, 2, 4, 8 or 16 bytes: every `element`-th vector of ZA, as a view of unsigned
        numbers."""
        self._require_za()
        vectors = self.bytes[number::element]
        return vectors if element == 16 else vectors.view(f"u{element}")

    def slice(self, number: int, element: int, index: int, vertical: bool) -> Array:
        """Return a row, or a column if `vertical`, of a tile as a view. The index wraps around, as in hardware."""
        tile = self.tile(number, element)
        index %= len(tile)
        if element == 16 and vertical:
            return tile[:, 16 * index : 16 * index + 16]
        return tile[:, index] if vertical else tile[index]

    def vector(self, index: int) -> Array:
        """Return the bytes of one vector of ZA, for LDR and STR, as a view."""
        self._require_za()
        vector: Array = self.bytes[index % self.size]
        return vector

    def zero(self, mask: int) -> None:
        """ZERO: bit i of the mask stands for the 64-bit tile i."""
        self._require_za()
        for number in range(8):
            if mask >> number & 1:
                self.bytes[number::8] = 0

    def outer(
        self,
        name: str,
        number: int,
        rows: Array,
        columns: Array,
        row_mask: Array,
        column_mask: Array,
        env: Environment = ARM,
    ) -> None:
        """Apply one of OUTER_PRODUCTS to a tile. An element changes if its row and its column are active."""
        self._require_za()
        if not self.streaming:
            raise CannotRun(f"{name} outside of streaming mode: smstart comes first")
        product = OUTER_PRODUCTS[name]
        tile = self.tile(number, product.element)
        tile[:] = product(tile, rows, columns, row_mask, column_mask, env).view(tile.dtype)

    def _require_za(self) -> None:
        if not self.enabled:
            raise CannotRun("ZA is off: smstart comes first")


class OuterProduct:
    """An outer product: the types of the result and of the factors, whether it subtracts, and how it adds.

    `group` neighbouring elements of each factor contribute to one element of the result.
    """

    def __init__(self, result: str, first: str, second: str, subtracts: bool, add: Outer, group: int) -> None:
        self.result, self.first, self.second = np.dtype(result), np.dtype(first), np.dtype(second)
        self.subtracts, self.add, self.group = subtracts, add, group

    @property
    def element(self) -> int:
        """The size of a tile element in bytes."""
        return self.result.itemsize

    def __call__(
        self, tile: Array, rows: Array, columns: Array, row_mask: Array, column_mask: Array, env: Environment
    ) -> Array:
        """Return the new tile. Inactive elements of the factors count as +0. Elements without an active pair do not
        change."""
        size = self.first.itemsize
        a = rows.view(self.first)
        if self.subtracts:
            a = a ^ np.uint16(0x8000) if self.add in (_bf16_pairs, _bf16_fused) else -a.astype(self._signed())
        a = np.where(row_mask[::size], a, a.dtype.type(0)).reshape(-1, 1, self.group)
        b = np.where(column_mask[::size], columns.view(self.second), self.second.type(0)).reshape(1, -1, self.group)
        meets = row_mask[::size].reshape(-1, 1, self.group) & column_mask[::size].reshape(1, -1, self.group)
        old = tile.view(self.result)
        new = self.add(old, a, b, replace(env, nans=DEFAULT_NANS))
        return np.where(meets.any(-1), new, old)

    def _signed(self) -> type:
        return np.int64 if self.first.kind in "iu" else self.first.type


def _fused(c: Array, a: Array, b: Array, env: Environment) -> Array:
    return fp.fma(a[..., 0], b[..., 0], c, env)


def _f16_pairs(c: Array, a: Array, b: Array, env: Environment) -> Array:
    """Return c + (the sum of two products, rounded once to f32), where every NaN is the default NaN."""
    if env.daz16:
        a, b = fp.flushed(a), fp.flushed(b)
    with np.errstate(all="ignore"):
        products = a.astype(np.float64) * b.astype(np.float64)
        total = _paired(products[..., 0], products[..., 1], env)
    return fp.add(c, total, env)


@primitive
def _paired(first: Array, second: Array, env: Environment) -> Array:
    """Return the sum of two products that are exact in f64, rounded once to f32."""
    return pack(odd_sum(first, second), 0.0, 0, F32, env).view(np.float32)


def _bf16_pairs(c: Array, a: Array, b: Array, env: Environment) -> Array:
    a, b = np.broadcast_arrays(a, b)
    return bf16.bfdot(c, a.reshape(*c.shape[:-1], -1), b.reshape(*c.shape[:-1], -1))


def _bf16_fused(c: Array, a: Array, b: Array, env: Environment) -> Array:
    a, b = np.broadcast_arrays(a[..., 0], b[..., 0])
    return bf16.fma(a, b, c, env)


def _matches(c: Array, a: Array, b: Array, env: Environment) -> Array:
    return c + _agreeing(a, b)


def _mismatches(c: Array, a: Array, b: Array, env: Environment) -> Array:
    return c - _agreeing(a, b)


def _agreeing(a: Array, b: Array) -> Array:
    """Return how many bits of the factors agree."""
    equal = np.ascontiguousarray(~(a ^ b)[..., 0])
    bits = np.unpackbits(equal.view(np.uint8), axis=-1).reshape(*equal.shape, -1)
    agreeing: Array = bits.sum(axis=-1, dtype=np.uint32)
    return agreeing


def _integers(c: Array, a: Array, b: Array, env: Environment) -> Array:
    """Return exact sums modulo the size of an element. Products of inactive elements are zero."""
    total: Array = c.astype(np.int64) + (a.astype(np.int64) * b.astype(np.int64)).sum(-1)
    return total.astype(c.dtype)


def _rows() -> dict[str, OuterProduct]:
    rows: dict[str, OuterProduct] = {}
    for name, subtracts in (("mopa", False), ("mops", True)):
        for kind, suffix in (("f4", "s"), ("f8", "d")):
            rows[f"f{name}.{suffix}"] = OuterProduct(kind, kind, kind, subtracts, _fused, 1)
        rows[f"f{name}.h"] = OuterProduct("f2", "f2", "f2", subtracts, _fused, 1)
        rows[f"bf{name}.h"] = OuterProduct("u2", "u2", "u2", subtracts, _bf16_fused, 1)
        rows[f"b{name}.s"] = OuterProduct("u4", "u4", "u4", False, _mismatches if subtracts else _matches, 1)
        rows[f"f{name}.s.h"] = OuterProduct("f4", "f2", "f2", subtracts, _f16_pairs, 2)
        rows[f"bf{name}.s.h"] = OuterProduct("f4", "u2", "u2", subtracts, _bf16_pairs, 2)
        for sign, first, second in (("s", "i", "i"), ("u", "u", "u"), ("su", "i", "u"), ("us", "u", "i")):
            rows[f"{sign}{name}.s.b"] = OuterProduct("i4", f"{first}1", f"{second}1", subtracts, _integers, 4)
            rows[f"{sign}{name}.d.h"] = OuterProduct("i8", f"{first}2", f"{second}2", subtracts, _integers, 4)
            if first == second:
                rows[f"{sign}{name}.s.h"] = OuterProduct("i4", f"{first}2", f"{second}2", subtracts, _integers, 2)
    return rows


OUTER_PRODUCTS = _rows()
"""Outer products by mnemonic, tile element and, if different, factor element: "fmopa.s", "bfmopa.s.h", "smopa.d.h"."""
