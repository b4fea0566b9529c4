"""One call of a rung of the precision ladder: operands are split into terms, bins of terms are summed, sums become C.

Scratch memory belongs to one call at a time; `Ladder` keeps it between calls. It holds the terms, the remainder of one
operand, and the sums: see `scratch_bytes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.precision.ladder_bins import bins, pieces
from ..arguments.arrays import numpy_dtype
from ..kernel.callable import Kernel
from .ladder_steps import LadderKernels, Rung

Array = np.ndarray[Any, Any]
Extents = tuple[int, int, int]


class Powers(NamedTuple):
    """The largest element of each row or column as a power of two, in two factors, and the inverses of the factors."""

    up0: Array
    up1: Array
    down0: Array
    down1: Array


class SplitOperand(NamedTuple):
    """An operand in terms: the result of `Ladder.split_a` and `split_b`, which calls accept instead of it."""

    name: str
    rung: tuple[str, int]  # dtype, terms
    extents: Extents
    pairs: int
    terms: Array  # a: (terms, pairs, m, k); b: (terms, pairs, groups of k, n * group), the smallest term first
    powers: Powers
    beyond: Array | None  # which rows or columns contain an infinity or a NaN
    matrices: tuple[Array, ...]  # the matrices, or only their signs if all elements are finite

    @property
    def nbytes(self) -> int:
        """The bytes of memory that it keeps."""
        return int(self.terms.nbytes + sum(each.nbytes for each in (*self.powers, *self.matrices)))


def scratch_sizes(rung: Rung, extents: Extents, pairs: int) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return the shape and element type of everything that a call keeps in scratch memory."""
    m, n, k = extents
    packed = -(-k // rung.group) * rung.group
    sizes: dict[str, tuple[tuple[int, ...], str]] = {
        "a": ((rung.terms, pairs, m, k), rung.term),
        "b": ((rung.terms, pairs, packed // rung.group, n * rung.group), rung.term),
        "plain": ((rung.terms, k, n), rung.term),
        "transposed": ((max(m * k, k * n),), rung.element),
        "sums": ((m, n), rung.sums),
    }
    if rung.digits:
        sizes |= {"high": ((m, n), "f64"), "low": ((m, n), "f64")}
    if not rung.split_once:
        sizes |= {name: ((max(m * k, k * n),), "f64") for name in ("rest", "carry")}
    return sizes


class LadderScratch:
    """The scratch memory of one call at a time, allocated when first used."""

    def __init__(self, rung: Rung, extents: Extents, pairs: int) -> None:
        self._sizes, self._made = scratch_sizes(rung, extents, pairs), dict[str, Array]()

    def __getitem__(self, name: str) -> Array:
        if name not in self._made:
            shape, dtype = self._sizes[name]
            self._made[name] = np.zeros(shape, numpy_dtype(dtype))
        return self._made[name]


class LadderCall:
    """The steps on arrays, by machine code, or by the emulator with `emulate`."""

    def __init__(self, steps: LadderKernels, scratch: LadderScratch, emulate: bool) -> None:
        self.steps, self.rung, self.scratch, self.emulate = steps, steps.rung, scratch, emulate

    def _do(self, kernel: Kernel, *arguments: Any) -> None:
        if self.emulate:
            kernel.run(*arguments)
        else:
            kernel(*arguments)

    def split(self, name: str, matrices: Sequence[Array], into: Array, keep: bool) -> SplitOperand:
        """Split every matrix of an operand into terms, with the same powers of two for all matrices. With `keep`, the
        result refers to no memory of the caller. Next to an infinity, only the signs and zeros of the other operand
        matter."""
        rows = [self._rows(name, each) for each in matrices] if len(matrices) == 1 else []
        length = self.steps.extents["ab".index(name)]
        tops = np.zeros(length)
        for each in matrices:
            found = np.empty(length)
            self._do(self.steps.top(name), rows[0] if rows else self._rows(name, each), found)
            tops = np.maximum(tops, found)
        powers = [np.empty((1, length)) for _ in range(4)]
        self._do(self.steps.powers(name), tops.reshape(1, -1), *powers)
        if name == "a":
            powers = [each.reshape(-1, 1) for each in powers]
        made = Powers(*powers)
        for pair, each in enumerate(matrices):
            self._terms(name, rows[0] if rows else self._rows(name, each), made, into[:, pair])
        beyond = None if np.isfinite(tops).all() else ~np.isfinite(tops)
        given = tuple(matrices)
        if keep:
            given = tuple(np.array(x if beyond is not None else np.sign(x).astype(np.int8), order="C") for x in given)
        key = self.rung.dtype, self.rung.terms
        return SplitOperand(name, key, self.steps.extents, len(matrices), into, made, beyond, given)

    def _rows(self, name: str, matrix: Array) -> Array:
        """Return the matrix with contiguous rows: itself, or a copy in scratch memory if its columns are contiguous."""
        if contiguous_rows(matrix):
            return matrix
        transposed: Array = self.scratch["transposed"][: matrix.size].reshape(matrix.shape)
        self._do(self.steps.transposed(name), matrix.T, transposed)
        return transposed

    def _terms(self, name: str, matrix: Array, powers: Powers, into: Array) -> None:
        """Compute the terms of one matrix. Those of b start with the smallest and are grouped along k."""
        plain = into if name == "a" else self.scratch["plain"]
        (first, count), *further = self.steps.splits(name)
        left = [self.scratch[each][: matrix.size].reshape(matrix.shape) for each in ("rest", "carry") if further]
        self._do(first, matrix, powers.up0, powers.up1, *plain[:count], *left)
        for kernel, _ in further:
            self._do(kernel, *left, *plain[count:])
        if name == "b":
            last = self.rung.terms - 1
            for i in range(self.rung.terms):
                self._do(self.steps.packs(), plain[i], into[last - i])

    def sums(self, a: SplitOperand, b: SplitOperand) -> tuple[Array, ...]:
        """Return the sum of all bins, the smallest first: f32 sums, or totals of two words."""
        rung, (_, n, k) = self.rung, self.steps.extents
        sums: Array = self.scratch["sums"]
        parts = list(pieces(a.pairs, k, rung.terms, rung.limit))
        if not parts:
            sums[...] = 0
        totals = (self.scratch["high"], self.scratch["low"]) if rung.digits else ()
        for total in totals:
            total[...] = 0
        first = True
        for each in bins(rung.terms, rung.every):
            smaller = True
            for part in parts:
                # the distance, in matrices, between neighbouring matrices of the part
                apart = 1 if part.pairs == a.pairs else a.pairs
                count = each.terms * part.pairs
                of_a = a.terms[each.a, part.pair, :, part.start : part.start + part.extent]
                groups = part.start // rung.group, -(-(part.start + part.extent) // rung.group)
                of_b = b.terms[each.b, part.pair, groups[0] : groups[1]].reshape(-1, n, rung.group)
                strides = [apart * terms[0, 0].nbytes for terms in (a.terms, b.terms)]
                self._do(self.steps.product(part.extent, first or rung.digits), of_a, of_b, sums, count, *strides)
                first = False
                if rung.digits:
                    line = [x.reshape(1, -1) for x in (*totals, sums, *totals)]
                    self._do(self.steps.added(smaller), *line)
                    smaller = False
        if a.beyond is not None or b.beyond is not None:
            self._ordinary(a, b, totals or (sums,))
        return totals or (sums,)

    def _ordinary(self, a: SplitOperand, b: SplitOperand, totals: Sequence[Array]) -> None:
        """Replace rows of A and columns of B with an infinity or a NaN by those of the element type's own product."""
        m, n, k = self.steps.extents
        made = np.zeros((m, n), numpy_dtype(self.rung.element))
        rows = np.zeros(m, bool) if a.beyond is None else a.beyond
        columns = np.zeros(n, bool) if b.beyond is None else b.beyond
        for pair, given in enumerate(zip(a.matrices, b.matrices)):
            x, y = (np.array(each, made.dtype, order="C") for each in given)
            self._do(self.steps.ordinary(pair == 0), x, y, made)
        where = rows[:, None] | columns
        np.copyto(totals[0], made, where=where)
        for low in totals[1:]:
            np.copyto(low, 0, where=where)

    def finish(
        self,
        sums: Sequence[Array],
        powers: tuple[Powers, Powers],
        factors: tuple[float, float],
        c: Sequence[Array],
        into: Sequence[Array],
    ) -> None:
        """Store beta * C + alpha times the sums, to C or to the memory that an epilogue reads."""
        (p, q), (alpha, beta) = powers, factors
        down = p.down0, p.down1, q.down0, q.down1
        if not (self.rung.pair and beta):
            old = tuple(c) if beta else ()
            self._do(self.steps.finished(alpha, beta), *sums, *down, *old, *into)
            return
        words = [np.empty_like(each) for each in sums]
        self._do(self.steps.finished(alpha, 0.0), *sums, *down, *words)
        self._do(self.steps.updated(beta), *words, *c, *into)

    def epilogue(self, kernel: Kernel, c: Array, extras: Sequence[Array], into: Array) -> None:
        """Apply the epilogue to the finished elements."""
        self._do(kernel, c, *extras, into)


def contiguous_rows(matrix: Array) -> bool:
    """Whether the elements of each row are contiguous, and rows follow each other without overlap."""
    rows, columns = matrix.shape
    across, along = matrix.strides
    size = matrix.itemsize
    return (columns == 1 or along == size) and (rows == 1 or (across >= columns * size and across % size == 0))
