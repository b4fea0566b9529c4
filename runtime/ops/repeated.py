"""Calls of `matmul` with arrays that lie as those of an earlier call did: what they need, without another look."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, address_of, byte_bounds, overlap
from ..kernel.callable import Kernel
from .gemm import Gemm
from .spread import Spread


def _result(a: Array, b: Array, out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array | None:
    """The array that a product is written to; None where machine code does not take these arrays as they are."""
    if not (a.flags.aligned and b.flags.aligned):
        return None
    if out is None:
        return np.empty(shape, dtype)
    if not (out.flags.aligned and out.flags.writeable) or overlap(out, a) or overlap(out, b):
        return None
    return out


def span(matrix: Array) -> int:
    """Bytes from the first one to behind the last one of a matrix that `laid` takes, so that no stride is negative."""
    low, high = byte_bounds(matrix)
    return high - low


class Large(NamedTuple):
    """A product of two matrices as they lie, too large for one BRGEMM: what a call with the same arguments needs."""

    nest: Gemm
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    reach: tuple[int, ...]  # bytes from the first element to behind the last one, of a, b and an array for the result

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """The result; None where these arrays, which lie as those did, need another look."""
        if not (a.flags.aligned and b.flags.aligned):
            return None
        at_a, at_b = address_of(a), address_of(b)
        if out is None:
            out = np.empty(self.shape, self.dtype)
            at = address_of(out)
        else:
            at, (of_a, of_b, own) = address_of(out), self.reach
            apart = (at + own <= at_a or at_a + of_a <= at) and (at + own <= at_b or at_b + of_b <= at)
            if not apart or not (out.flags.aligned and out.flags.writeable):
                return None
        self.nest.at((at_a, at_b, at), threads)
        return out


class Small(NamedTuple):
    """A product of two matrices by one BRGEMM, of a call that Python takes: with threads=."""

    kernel: Kernel

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """As of a large one."""
        if out is None:
            made: Any = self.kernel(a, b)
            return made  # type: ignore[no-any-return]
        if not out.flags.writeable or overlap(out, a) or overlap(out, b):
            return None
        self.kernel(a, b, out)
        return out


class Stacked(NamedTuple):
    """A batch of small products, one axis as far as strides go: `steps` are bytes from a product to the next one."""

    run: Spread
    number: int
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """As of a large product."""
        out = _result(a, b, out, self.shape, self.dtype)
        if out is None:
            return None
        integers = address_of(a), address_of(b), address_of(out), self.number, *self.steps
        self.run.at(integers, threads)
        return out


class Reshaped(NamedTuple):
    """A product of vectors, or of a batch by one and the same matrix, as a product of two matrices of these shapes."""

    call: Large | Small
    shapes: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]  # of a, b and the result
    shape: tuple[int, ...]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """As of a large product."""
        of_a, of_b, of_c = self.shapes
        into = None if out is None else out.reshape(of_c)
        made = self.call(a.reshape(of_a), b.reshape(of_b), into, threads)
        return made if made is None else made.reshape(self.shape) if out is None else out


class Finished(NamedTuple):
    """A product of two matrices with an epilogue, whose operands lie as kernels take them.

    order   the number of each of the kernel's operands among those that calls give
    """

    call: Kernel | Gemm
    order: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None, *given: Array) -> Array | None:
        """As of a large product."""
        extras = [given[number] for number in self.order]
        if out is not None and (not out.flags.writeable or any(overlap(out, each) for each in (a, b, *extras))):
            return None
        if isinstance(self.call, Kernel):
            made: Any = self.call(a, b, out, *extras)
            return made if out is None else out
        arrays = [a, b, np.empty(self.shape, self.dtype) if out is None else out, *extras]
        if not all(each.flags.aligned for each in arrays):
            return None
        self.call.at([address_of(each) for each in arrays], threads)
        return arrays[2]
