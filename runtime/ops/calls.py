"""How `matmul` computes arrays of certain types, shapes and strides. `products` plans a `PlannedCall`, once; the first
call with such arrays and all later ones run it.

A `PlannedCall` brings the arrays into the normal form of a product: matrices after the axes of a batch, in layouts that
kernels take in place. What computes these is its `run`: one kernel or nest, a stack, a loop over a batch, or parts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, address_of, overlap
from ..arguments.operands import number_of
from ..kernel.callable import Kernel
from ..threads.policy import num_threads
from .gemm import Gemm
from .product_shapes import (
    Computed,
    GivenOperand,
    ResultArray,
    Results,
    along_batch,
    as_column,
    as_vector,
    collapsed,
    is_vector,
    names_of,
    part_of,
    taken,
)

if TYPE_CHECKING:
    from ...microkernels.operands import Number
    from .spread import Spread
    from .spread_stack import Batch

STARTS = 1024
"""The most steps along the axes of a batch whose places in memory are kept."""
MANY = 512
"""The number of products from which a batch is a loop in machine code at its first call. The loop takes 0.8 ms to make,
as long as some 600 calls of a kernel from Python, so smaller batches get one at their second call."""

Prepared = Callable[..., Array] | None
"""A view or a copy of an array; None: the array itself."""


class InNormalForm(Protocol):
    """What computes a product in normal form."""

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        """Compute. Return False, with nothing computed, for arrays that are not aligned, or a C that is read-only or
        overlaps an operand. These depend on the addresses, so that no plan knows them. Asking first leaves every error
        to the caller: what a call raises, such as the exception of a signal handler, says nothing about its arrays."""


class PlannedCall(NamedTuple):
    """How a product is computed.

    run      what computes the normal form
    shape    that of the result
    dtype    that of the result
    direct   whether machine code takes the arrays of the call as they are, and makes a new result
    order    for each operand of the kernel's epilogue, its position in the call, if these differ
    views    for a, b, the result and the operands, their views as matrices after the axes of a batch
    turned   whether the product of the transposes is computed, C' = B' A'
    copies   for a, b and the operands, their copies in layouts that kernels take
    aside    whether C is computed in a new array and copied, because no kernel stores it where it lies
    """

    run: InNormalForm
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    direct: bool = False
    order: tuple[int, ...] = ()
    views: tuple[Prepared, ...] = ()
    turned: bool = False
    copies: tuple[Prepared, ...] = ()
    aside: bool = False

    def native(self, a: Any, b: Any, out: Any, threads: int | None, given: Iterable[Any]) -> Any:
        """Return the result of machine code, which checks the arrays, or tensors, itself; NotImplemented if it does not
        take them. `given` has the operands of the epilogue in the order of the call."""
        run: Any = self.run  # of One or Nest, where `direct` is true
        native = run.native or run.on(threads)
        if native is None:
            return NotImplemented
        made = native(a, b, out, *(self._ordered(given) if self.order else given))
        return made if out is None or made is NotImplemented else out

    def __call__(
        self, a: Array, b: Array, out: Array | None, threads: int | None, given: Iterable[GivenOperand]
    ) -> Any:
        """Return the result, or None if `run` does not take arrays at these addresses."""
        run, shape, dtype, direct, order, views, turned, copies, aside = self
        if direct and (made := self.native(a, b, out, threads, given)) is not NotImplemented:
            return made
        c = result = np.empty(shape, dtype) if out is None else out
        extras: Any = self._ordered(given) if order else given
        if views:
            of_a, of_b, of_c = views[:3]
            a, b, c = of_a(a) if of_a else a, of_b(b) if of_b else b, of_c(c) if of_c else c
            if extras:
                extras = [view(each) if view else each for view, each in zip(views[3:], extras)]
        if turned:
            a, b, c, extras = b.swapaxes(-1, -2), a.swapaxes(-1, -2), c.swapaxes(-1, -2), [*map(as_column, extras)]
        if copies:
            of_a, of_b = copies[:2]
            a, b = of_a(a) if of_a else a, of_b(b) if of_b else b
            if extras:
                extras = [copy(each) if copy else each for copy, each in zip(copies[2:], extras)]
        if not aside:
            return result if run(a, b, c, extras, threads) else None
        to = np.empty(c.shape, c.dtype)
        if not c.flags.writeable or not run(a, b, to, extras, threads):
            return None
        c[...] = to
        return result

    def _ordered(self, given: Iterable[Any]) -> Iterable[Any]:
        named = tuple(given)
        return [named[number] for number in self.order]


class OfTensors(NamedTuple):
    """A call whose machine code takes tensors as they are: `direct` is true."""

    call: PlannedCall

    def __call__(self, a: Any, b: Any, out: Any, threads: int | None, given: Iterable[Any]) -> Any:
        """Return the result, or None if machine code does not take these tensors."""
        made = self.call.native(a, b, out, threads, given)
        return None if made is NotImplemented else made


class CallBesideC(NamedTuple):
    """How a product is computed whose epilogue has further results or draws random numbers.

    call      the product, whose operands are followed by the numbers and the results beside C
    results   C and the others
    numbers   the names of the numbers, in the kernel's order
    order     for each operand of the kernel and each number, its position in the call
    origin    whether the row and the column of C's first element follow the numbers
    """

    call: PlannedCall
    results: tuple[ResultArray, ...]
    numbers: tuple[Number, ...]
    order: tuple[int, ...]
    origin: bool

    def __call__(
        self, a: Array, b: Array, out: Results, threads: int | None, given: Iterable[GivenOperand]
    ) -> Computed | None:
        """Return all results, or None if `call` does not take arrays at these addresses."""
        named = tuple(given)
        behind = [named[place] for place in self.order]
        operands = behind[: len(behind) - len(self.numbers)]
        numbers = [number_of(*each) for each in zip(self.numbers, behind[len(operands) :])]
        missing = (None,) * (len(self.results) - 1)
        asked: Sequence[Array | None] = out if isinstance(out, tuple) else (out, *missing)
        for name, array in zip(names_of(asked), asked):
            if array is not None and not array.flags.writeable:
                raise ValueError(f"{name}: a writable array, this one is read-only")
        used: list[Array] = [a, b, *(each for each in operands if not isinstance(each, int))]
        into: list[Array] = []
        for kind, array in zip(self.results, asked):
            into.append(array if array is not None and kind.takes(array, used) else kind.new())
            used.append(into[-1])
        c, *others = into
        behind = [*operands, *numbers, *((0, 0) if self.origin else ()), *others]
        if self.call(a, b, c, threads, behind) is None:
            return None
        for array, made in zip(asked, into):
            if array is not None and array is not made:
                array[...] = made
        if len(into) == 1:
            return c if asked[0] is None else asked[0]
        return tuple(made if array is None else array for array, made in zip(asked, into))


def aligned(array: Array) -> Array:
    """Return an array, or a copy if its elements do not begin at multiples of their size."""
    return array if array.flags.aligned else array.copy()


def in_place(a: Array, b: Array, c: Array | None, extras: Iterable[GivenOperand] = ()) -> bool:
    """Whether machine code can take these arrays, whose layouts fit, in place: see `InNormalForm`. None: C is new."""
    arrays = [each for each in extras if not isinstance(each, int)]
    if not (a.flags.aligned and b.flags.aligned and all(each.flags.aligned for each in arrays)):
        return False
    if c is None:
        return True
    return c.flags.aligned and c.flags.writeable and not any(overlap(c, each) for each in (a, b, *arrays))


# One product


class OneKernel(NamedTuple):
    """One product, or several products by one call of a kernel. `native` is an object of `entry.refusing`: machine code
    that returns NotImplemented for arrays that it does not take. It is None where Python makes all calls."""

    kernel: Kernel
    native: Any

    def on(self, threads: int | None) -> Any:
        """Return `native`, for any number of threads."""
        return self.native

    @property
    def found(self) -> Any:
        """The object that machine code may call for arrays of such types and strides, or None."""
        return self.native

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        native = self.native
        if native is not None and native(a, b, c, *extras) is not NotImplemented:
            return True
        if not in_place(a, b, c, extras):
            return False
        self.kernel(a, b, c, *extras)
        return True


class OneNest(NamedTuple):
    """One large product. The machine code of its calls depends on the number of threads."""

    nest: Gemm
    native: None = None

    def on(self, threads: int | None) -> Any:
        """Return an object like `native` of `OneKernel`; None before the first call of the nest. Where the number of
        threads depends on the Python thread, machine code would refuse to find it out."""
        nest = self.nest
        return nest.on(num_threads() if threads is None else threads).refusing if nest.direct else None

    @property
    def found(self) -> Any:
        """Like that of `OneKernel`."""
        return self.nest.refusing

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        native = self.on(threads)
        if native is not None and native(a, b, c, *extras) is not NotImplemented:
            return True
        if not in_place(a, b, c, extras):
            return False
        self.nest(a, b, c, *extras, threads=threads)
        return True


# Batches


class Batched(NamedTuple):
    """A batch whose last axis has constant strides, or has become such an axis together with axes before it. The arrays
    are a, b, C and the operands of an epilogue; all products have the same strides.

    number   of products along that axis
    steps    the bytes from one product to the next, in each array
    starts   for each step along the axes before it, the bytes from the first product to those of that step
    """

    number: int
    steps: tuple[int, ...]
    starts: Collection[tuple[int, ...]]

    def places(self, arrays: Iterable[Array | int]) -> Iterator[list[int]]:
        """Yield the addresses of the first matrices of each step along the other axes; numbers move as addresses do."""
        first = [each if isinstance(each, int) else address_of(each) for each in arrays]
        return ([at + further for at, further in zip(first, start)] for start in self.starts)


def batched(batch: tuple[int, ...], arrays: Sequence[Array]) -> Batched:
    """Return where the products of a batch lie. All of them share an array of two axes."""
    moving = iter(collapsed(*(along_batch(batch, each) for each in arrays if each.ndim > 2)))
    whole = [next(moving) if each.ndim > 2 else each for each in arrays]
    extents = whole[2].shape[:-3]
    strides = [each.strides[:-2] if each.ndim > 2 else (0,) * (len(extents) + 1) for each in whole]
    starts = Starts(extents, [each[:-1] for each in strides])
    return Batched(
        whole[2].shape[-3],
        tuple(each[-1] for each in strides),
        tuple(starts) if len(starts) <= STARTS else starts,
    )


class Starts(Collection[tuple[int, ...]]):
    """The bytes from the first element of each array to those of each step along axes, too many to keep."""

    def __init__(self, extents: tuple[int, ...], strides: Sequence[tuple[int, ...]]) -> None:
        self.extents, self.strides = extents, strides

    def __len__(self) -> int:
        return math.prod(self.extents)

    def __contains__(self, start: object) -> bool:
        return any(each == start for each in self)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for index in itertools.product(*map(range, self.extents)):
            yield tuple([sum(map(mul, index, each)) for each in self.strides])


class StackedCalls(NamedTuple):
    """A batch of small products, by calls of a spread kernel for any number of them."""

    spread: Spread
    batch: Batched

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        if not in_place(a, b, c):
            return False
        for places in self.batch.places((a, b, c)):
            self.spread.at([*places, self.batch.number, *self.batch.steps], threads)
        return True


class EachProduct(NamedTuple):
    """A batch, by one call for each product. The last `results` of what follows C are written. Numbers among it are
    those of a call, then the row and the column of C's first element."""

    one: OneKernel | OneNest
    axes: tuple[int, ...]
    results: int = 0

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        if not in_place(a, b, c, extras):
            return False
        for x, y, z, *own in self.products(a, b, c, extras):
            self.one(x, y, z, own, threads)
        return True

    def products(self, a: Array, b: Array, c: Array, extras: Iterable[Array]) -> Iterator[tuple[Array, ...]]:
        """Yield the arrays of each product."""
        x, y = (np.broadcast_to(each, (*self.axes, *each.shape[-2:])) for each in (a, b))
        given = list(extras)
        ends = len(given) - self.results
        moving = [each if isinstance(each, int) else along_batch(self.axes, each) for each in given[:ends]] + given[
            ends:
        ]
        numbers = [place for place, each in enumerate(moving) if isinstance(each, int)]
        for number, index in enumerate(np.ndindex(self.axes)):
            own = [each if isinstance(each, int) or each.ndim < 3 else each[index] for each in moving]
            if numbers:
                own[numbers[-2]] += number * c.shape[-2]  # the row of C's first element
            operands = [
                each if isinstance(each, int) or not is_vector(each) else as_vector(each) for each in own[:ends]
            ]
            yield x[index], y[index], c[index], *operands, *own[ends:]


class BatchLoop:
    """A batch, by a loop in machine code along one axis, with calls of a kernel. `make` returns the loop; before it is
    worth its time (`MANY`), or if it cannot run here, `each` computes the batch."""

    def __init__(self, each: EachProduct, batch: Batched, make: Callable[[], Batch]) -> None:
        self.each, self.batch, self.make = each, batch, make
        self.met = batch.number >= MANY
        self.loop: Batch | None = None

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        if self.loop is None and self.met:
            self.loop = self.make()
        self.met = True
        if self.loop is None or not self.loop.job.runs:
            return self.each(a, b, c, extras, threads)
        if not in_place(a, b, c, extras):
            return False
        for places in self.batch.places((a, b, c, *extras)):
            self.loop.at(places, threads)
        return True


# Products that are computed in parts


class Zeros:
    """A result of zeros: a sum of no terms, or no elements at all."""

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        if not c.flags.writeable:
            return False
        if c.size:
            c[...] = 0
        return True


class CallsOfParts(NamedTuple):
    """Products with more rows or columns than a kernel takes: calls for some of C's rows and columns."""

    calls: tuple[tuple[slice, slice, PlannedCall], ...]

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        if not in_place(a, b, c, extras):
            return False
        for rows, columns, call in self.calls:
            own = [part_of(each, rows, columns) for each in extras]
            call(a[..., rows, :], b[..., columns], c[..., rows, columns], threads, own)
        return True


class SumOfParts(NamedTuple):
    """A product of long sums, by a call for the first `depth` terms, and nests that add each further part to C."""

    first: PlannedCall
    depth: int
    add: Callable[[Array, Array, Array, int | None], None]

    def __call__(self, a: Array, b: Array, c: Array, extras: Iterable[Array], threads: int | None) -> bool:
        if not in_place(a, b, c):
            return False
        self.first(a[..., : self.depth], b[..., : self.depth, :], c, threads, ())
        left, right = (np.broadcast_to(each, (*c.shape[:-2], *each.shape[-2:])) for each in (a, b))
        for index in np.ndindex(c.shape[:-2]):
            for start in range(self.depth, a.shape[-1], self.depth):
                terms = slice(start, start + self.depth)
                self.add(taken(left[index][:, terms]), taken(right[index][terms]), c[index], threads)
        return True
