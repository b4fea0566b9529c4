"""Remembered calls of `matmul`. A call whose arrays have the same layout as those of an earlier call reuses its kernel.

Each class holds the kernel and the facts of one kind of call. Calling an instance returns the result, or None if these
arrays have to be examined again: for example, if one is not aligned, or if `out` is read-only or overlaps an operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, address_of, byte_bounds, overlap
from ..fastcall import entry
from ..kernel.callable import Kernel
from ..threads.policy import num_threads
from .gemm import Gemm
from .product_shapes import as_column, by_rows, collapsed

if TYPE_CHECKING:
    from .spread import Spread
    from .spread_stack import Batch


def _in_place(a: Array, b: Array, out: Array | None, extras: Sequence[Array] = ()) -> bool:
    """Whether machine code can take these arrays, whose layouts fit, in place. Asking first leaves every error to the
    caller: what a call raises, such as the exception of a signal handler, says nothing about its arguments."""
    if not (a.flags.aligned and b.flags.aligned and all(each.flags.aligned for each in extras)):
        return False
    if out is None:
        return True
    writable = out.flags.aligned and out.flags.writeable
    return writable and not any(overlap(out, each) for each in (a, b, *extras))


def _result(a: Array, b: Array, out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array | None:
    """Return the array for the result, a new one if `out` is None. Return None if machine code cannot take these arrays
    in place."""
    if not _in_place(a, b, out):
        return None
    return np.empty(shape, dtype) if out is None else out


class Asking(NamedTuple):
    """A kernel that Python calls, or a nest. A call that machine code could not take returns NotImplemented."""

    call: Kernel | Gemm

    def __call__(self, a: Array, b: Array, out: Array | None, *extras: Array) -> Any:
        """Return the result of the kernel."""
        return self.call(a, b, out, *extras) if _in_place(a, b, out, extras) else NotImplemented


def refusing(call: Any) -> Any:
    """Return an object that computes as a kernel or nest, but returns NotImplemented for arrays that have to be
    examined again."""
    return entry.refusing(call) or Asking(call)


def _called(call: Any, a: Array, b: Array, out: Array | None, *extras: Array) -> Array | None:
    """Return the result of an object of `refusing`, or None if the arrays have to be examined again."""
    made: Any = call(a, b, out, *extras)
    return None if made is NotImplemented else made if out is None else out


def _on(nest: Gemm, threads: int | None) -> Any:
    """Return an object of `refusing` for a nest on a number of threads. Where the number depends on the Python thread,
    machine code would refuse to find it out."""
    return nest.on(num_threads() if threads is None else threads).refusing


def span(matrix: Array) -> int:
    """Return the number of bytes from the first to the end of the last element of a matrix. `laid` has accepted the
    matrix, so no stride is negative."""
    low, high = byte_bounds(matrix)
    return high - low


class Large(NamedTuple):
    """A product of two matrices in place that is too large for one BRGEMM."""

    nest: Gemm
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    reach: tuple[int, ...]  # the `span` of a, of b and, if `out` was given, of out

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Return the result, or None if the arrays have to be examined again."""
        if self.nest.direct:
            return _called(_on(self.nest, threads), a, b, out)
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
    """A product of two matrices by one BRGEMM, an object of `refusing`, for calls that machine code does not take, such
    as those with threads=."""

    kernel: Any

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        return _called(self.kernel, a, b, out)


class Turned(NamedTuple):
    """A product as that of the transposes: see `product_shapes.reads_better_turned`.

    in_place   whether `out` is given and its transpose is row-major; otherwise the result is copied
    """

    call: Large
    in_place: bool

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        x, y = by_rows(b.T, a.T)
        if self.in_place and out is not None:
            return out if self.call(x, y, out.T, threads) is not None else None
        if out is not None and not out.flags.writeable:
            return None
        made = self.call(x, y, None, threads)
        if made is None or out is None:
            return made if made is None else np.ascontiguousarray(made.T)
        out[...] = made.T
        return out


class Gathered(NamedTuple):
    """A product of matrices that no kernel takes in place, such as every second column: both are copied first unless
    they are row-major."""

    call: OfMatrices

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        x, y = np.ascontiguousarray(a), np.ascontiguousarray(b)
        if out is not None and (overlap(out, a) or overlap(out, b)):
            return None
        return self.call(x, y, out, threads)


class Empty(NamedTuple):
    """A product whose result has no elements."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        if out is None:
            return np.empty(self.shape, self.dtype)
        return out if out.flags.writeable else None


class Light(NamedTuple):
    """A few small products, by one call of a kernel of a stack (an object of `refusing`), which takes a, b and the
    result as `stacks` with one axis of products. All of them may share a matrix of two axes as a."""

    kernel: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    stacks: tuple[tuple[int, ...], ...]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        if a.ndim == 2:
            arrays = [np.broadcast_to(a, self.stacks[0]), b, out]
        elif a.ndim == 3:
            arrays = [a, b, out]
        else:
            arrays = [each.reshape(stack) for each, stack in zip((a, b, out), self.stacks)]
        return out if self.kernel(*arrays) is not NotImplemented else None


class Stacked(NamedTuple):
    """A batch of small products whose batch axes have the strides of a single axis. `steps` has, for a, b and the
    result, the bytes from one product to the next."""

    run: Spread
    number: int
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        out = _result(a, b, out, self.shape, self.dtype)
        if out is None:
            return None
        integers = address_of(a), address_of(b), address_of(out), self.number, *self.steps
        self.run.at(integers, threads)
        return out


class Reshaped(NamedTuple):
    """A product of vectors, or of a batch by a single matrix, as a product of two matrices with these shapes."""

    call: OfMatrices
    shapes: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]  # those of a, b and the result
    shape: tuple[int, ...]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Like `Large.__call__`."""
        of_a, of_b, of_c = self.shapes
        into = None if out is None else out.reshape(of_c)
        made = self.call(a.reshape(of_a), b.reshape(of_b), into, threads)
        return made if made is None else made.reshape(self.shape) if out is None else out


class Finished(NamedTuple):
    """A product of two matrices with an epilogue, on operands that the kernel takes in place.

    call    an object of `refusing` for one kernel, or a nest
    order   for each operand of the kernel's epilogue, its position in `given`
    """

    call: Any
    order: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None, *given: Array) -> Array | None:
        """Like `Large.__call__`. `given` has the operands of the epilogue in the order of the call."""
        extras = [given[number] for number in self.order]
        if out is not None and any(overlap(out, each) for each in extras):
            return None
        if not isinstance(self.call, Gemm):
            return _called(self.call, a, b, out, *extras)
        if self.call.direct:
            return _called(_on(self.call, threads), a, b, out, *extras)
        if not _in_place(a, b, out, extras):
            return None
        arrays = [a, b, np.empty(self.shape, self.dtype) if out is None else out, *extras]
        self.call.at([address_of(each) for each in arrays], threads)
        return arrays[2]


class FinishedTensors(NamedTuple):
    """A product like `Finished`, of tensors that machine code takes as they are. `reach` has the bytes from the first
    to the last element of each operand of the epilogue, and of `out`."""

    product: Finished
    reach: tuple[int, ...]

    def __call__(self, a: Any, b: Any, out: Any, threads: int | None, *given: Any) -> Any:
        """Return the result, a tensor, or None if the tensors have to be examined again."""
        call, order, _, _ = self.product
        if out is not None:
            at = out.data_ptr()
            end = at + self.reach[-1]
            for each, reach in zip(given, self.reach):
                there = each.data_ptr()
                if at < there + reach and there < end:
                    return None  # the operand may be overwritten before it is read
        extras = [given[number] for number in order]
        return _called(_on(call, threads) if isinstance(call, Gemm) else call, a, b, out, *extras)

    @classmethod
    def of(cls, product: Any, out: Any, given: Iterable[Any]) -> FinishedTensors | None:
        """Return the product for tensors that lie like these, or None if Python calls it, which takes arrays only."""
        direct = type(product) is Finished and (not isinstance(product.call, Gemm) or product.call.direct)
        reach = [_reach(each) for each in given] + [0 if out is None else _reach(out)]
        return cls(product, tuple(reach)) if direct else None


def _reach(tensor: Any) -> int:
    last = sum((extent - 1) * step for extent, step in zip(tensor.shape, tensor.stride()))
    return int((last + 1) * tensor.element_size())


class Flipped(NamedTuple):
    """A product as that of the transposes, in place: see `Products.turns`."""

    call: Large | Finished
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None, *given: Array) -> Array | None:
        """Like `Finished.__call__`."""
        made = np.empty(self.shape, self.dtype) if out is None else out
        found = self.call(b.T, a.T, made.T, threads, *map(as_column, given))
        return made if found is not None else None


OfMatrices = Large | Small | Turned | Flipped


class FinishedStack(NamedTuple):
    """A batch of small products, with an epilogue or without, which a loop in machine code computes along one axis.

    order    for each operand of the kernel's epilogue, its position in `given`
    starts   for each step along the other axes of the batch, the bytes from the first product to those of that step, in
             a, b, the result and the operands
    """

    run: Batch
    order: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    starts: tuple[tuple[int, ...], ...]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None, *given: Array) -> Array | None:
        """Like `Finished.__call__`."""
        out = _result(a, b, out, self.shape, self.dtype)
        extras = [given[number] for number in self.order]
        if out is None or not all(each.flags.aligned and not overlap(out, each) for each in extras):
            return None
        addresses = [address_of(each) for each in (a, b, out, *extras)]
        for start in self.starts:
            self.run.at([at + further for at, further in zip(addresses, start)], threads)
        return out


class Loop(NamedTuple):
    """A batch of products as `Batch` takes it."""

    kernel: Kernel
    number: int
    steps: tuple[int, ...]


def loop_of(kernel: Kernel, arrays: Sequence[Array]) -> tuple[Loop, Sequence[Array]]:
    """Return the loop over the last axis of a batch, and the arrays with as few axes as their strides allow."""
    moving = iter(collapsed(*(each for each in arrays if each.ndim > 2)))
    arrays = [next(moving) if each.ndim > 2 else each for each in arrays]
    steps = tuple(each.strides[-3] if each.ndim > 2 else 0 for each in arrays)
    return Loop(kernel, arrays[2].shape[-3], steps), arrays


def fits(loop: Loop, arrays: Sequence[Array]) -> bool:
    """Whether the kernel takes these arrays in place. All products of a batch have the strides of the first one."""
    firsts = [each[(0,) * (each.ndim - 2)] if each.ndim > 2 else each for each in arrays]
    integers, _ = loop.kernel.kind.call(loop.kernel.spec)(*firsts)
    whole = not any(step % each.itemsize for step, each in zip(loop.steps, arrays))
    return whole and list(integers) == [address_of(each) for each in firsts]
