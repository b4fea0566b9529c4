"""Weights as bit masks and non-zeros: an immutable matrix that products expand as they read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.compressed.bitmask import STORED, BitmaskForm
from ...microkernels.compressed.form import STRIP
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import extent
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, as_array
from ..arguments.dtypes import numpy_dtype
from .immutable import ImmutableWeights

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, DTypeLike


class BitmaskWeights(ImmutableWeights[BitmaskForm]):
    """Weights of which many are 0: see `compressed`. dense() is an array of them."""

    __slots__ = ()

    @property
    def nonzeros(self) -> Array:
        """The weights that are not 0, in the order in which they lie in memory."""
        return self.data[self.form.nbytes :].view(numpy_dtype(self.form.dtype))

    @property
    def _stored_mask(self) -> Array:
        form = self.form
        return np.unpackbits(self.data[form.masks : form.nbytes], bitorder="little").view(bool)

    @property
    def mask(self) -> Array:
        """Where weights are not 0, an array (k, n) of bool."""
        return _in_rows(self.form, self._stored_mask)

    def dense(self, dtype: DTypeLike | None = None) -> Array:
        """Return the weights (k, n), converted to `dtype`; None: in their own type."""
        every = np.zeros(self.form.masks * STRIP, numpy_dtype(self.form.dtype))
        every[self._stored_mask] = self.nonzeros
        made = _in_rows(self.form, every)
        return made if dtype is None else made.astype(numpy_dtype(element_type("dtype", dtype)), copy=False)

    def elements(self) -> Array:
        """Return the weights (k, n) in their own type, for np.asarray."""
        return self.dense()

    def __reduce__(self) -> tuple[Callable[..., BitmaskWeights], tuple[object, ...]]:
        stored = self.data[self.form.masks : self.form.nbytes]
        return _again, (tuple(self.form), stored, self.data[self.form.nbytes :])

    def __repr__(self) -> str:
        share = self.nonzeros.size / (self.form.k * self.form.n)
        return f"<compressed weights: {self.form}, {share:.1%} not 0; {self.nbytes} bytes>"


def _in_order(form: BitmaskForm, matrix: Array) -> Array:
    """Return a matrix (k, n) in the order of the masks, filled up with zeros."""
    whole = np.zeros((form.depth, form.strips * STRIP), matrix.dtype)
    whole[: form.k, : form.n] = matrix
    parts = whole.reshape(form.depth // form.together, form.together, form.strips, STRIP)
    made: Array = parts.transpose(2, 0, 3, 1).reshape(-1)
    return made


def _in_rows(form: BitmaskForm, stored: Array) -> Array:
    """Return what is in the order of the masks as a matrix (k, n)."""
    parts = stored.reshape(form.strips, form.depth // form.together, STRIP, form.together)
    made: Array = parts.transpose(1, 3, 0, 2).reshape(form.depth, form.strips * STRIP)[: form.k, : form.n]
    return np.ascontiguousarray(made)


def masked(w: ArrayLike) -> BitmaskWeights:
    """Return weights as bit masks and non-zeros; -0 becomes 0."""
    weights = as_array("w", w)
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(f"w: a matrix (k, n) with elements, not of shape {weights.shape}")
    return _of(weights, weights != 0)


def from_bitmask(mask: ArrayLike, nonzeros: ArrayLike, *, k: int, n: int) -> BitmaskWeights:
    """Read bit masks and non-zeros in the order of rows.

    mask      bool (k, n), or bytes (k, ceil(n / 8)), column 8 i + b in bit b of byte i; bits beyond n must be 0
    nonzeros  the weights where bits are set, row after row: f32, bf16 or i8

    Raises ValueError unless there are as many non-zeros as bits.
    """
    k, n, bits = extent("k", k), extent("n", n), as_array("mask", mask)
    if bits.dtype != bool:
        if bits.dtype.itemsize != 1 or bits.shape != (k, -(-n // 8)):
            raise ValueError(f"mask: bool {(k, n)}, or bytes {(k, -(-n // 8))}, not {bits.dtype} {bits.shape}")
        every = np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=1, bitorder="little").view(bool)
        if every[:, n:].any():
            raise ValueError(f"mask: bits are set beyond the {n} columns of the matrix")
        bits = every[:, :n]
    if bits.shape != (k, n):
        raise ValueError(f"mask: bool {(k, n)}, not of shape {bits.shape}")
    values = as_array("nonzeros", nonzeros)
    if values.shape != (np.count_nonzero(bits),):
        raise ValueError(f"nonzeros: as many as bits are set, of shape ({np.count_nonzero(bits)},), not {values.shape}")
    w = np.zeros((k, n), values.dtype)
    w[bits] = values
    return _of(w, bits)


def _of(w: Array, kept: Array) -> BitmaskWeights:
    """Return the weights where `kept` is set."""
    dtype = element_type("w", w.dtype)
    if dtype not in STORED:
        raise UnsupportedError(f"w: bit masks have weights of {', '.join(STORED)}, not {dtype}; convert them")
    form = BitmaskForm(w.shape[0], w.shape[1], dtype)
    order = _in_order(form, kept)
    stored, nonzeros = np.packbits(order, bitorder="little"), _in_order(form, w)[order]
    return _made(form, stored, nonzeros.view(np.uint8))


def _made(form: BitmaskForm, stored: Array, nonzeros: Array) -> BitmaskWeights:
    """Return weights with their table; all arrays are bytes."""
    table, masks = form.masks, form.nbytes
    data = bytes_at_a_line(masks + nonzeros.size)
    of_word = np.count_nonzero(np.unpackbits(stored.reshape(-1, 8 * form.unit), axis=1), axis=1) * form.size
    data[:table].view(np.int64)[:] = masks + np.cumsum(of_word) - of_word
    data[table:masks], data[masks:] = stored, nonzeros
    data.setflags(write=False)
    return BitmaskWeights(form, data)


def _again(form: tuple[int, int, str], stored: Array, nonzeros: Array) -> BitmaskWeights:
    """Return weights that were pickled. The table is made again, so it never points outside."""
    made = BitmaskForm(extent("k", form[0]), extent("n", form[1]), form[2])
    if made.dtype not in STORED or any(each.dtype != np.uint8 for each in (stored, nonzeros)):
        raise ValueError("compressed weights: bytes, and a type that bit masks have")
    if stored.size != made.masks * 8:
        raise ValueError(f"compressed weights: masks of {made.masks * 8} bytes, not {stored.size}")
    bits = np.unpackbits(stored.reshape(-1), bitorder="little").view(bool)
    inside = _in_order(made, np.ones((made.k, made.n), bool))
    if (bits & ~inside).any() or np.count_nonzero(bits) * made.size != nonzeros.size:
        raise ValueError("compressed weights: as many non-zeros as bits are set, all inside of the matrix")
    return _made(made, stored.reshape(-1), nonzeros.reshape(-1))
