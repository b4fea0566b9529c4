"""The kernels of `matmul`: one BRGEMM for a small product, a stack of them for many, a nest for a large product."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import LARGEST, RUNTIME
from ..api.brgemm import brgemm
from ..api.dispatch_requests import type_of
from ..arguments.arrays import Array, address_of, byte_bounds, numpy_dtype, overlap
from ..kernel.callable import Kernel
from ..threads.policy import checked
from .gemm import Gemm, gemm
from .product_shapes import Shapes, Work
from .spread import Spread, spread
from .spread_stack import LIGHT

SMALL = 160**3
"""The most multiplications for which a product is one BRGEMM on the operands in place, called by machine code: 70 us in
f32 on a Zen 4. Above that, threads and packed operands gain more than the 8 us that Python takes."""
SOONER = 125**3
"""The same limit for f32 and f64 with row-major operands on machines with several cores, where threads pay off sooner:
on a Zen 4, f32 of 130 cubed takes 38 us as one BRGEMM and 25 as a nest on two threads (docs/log/gemm.md). Column-major
operands have to be packed, which costs what a second thread gains. The limit does not depend on the number of threads,
since a nest may add in another order."""
KEPT = 256
"""The number of kernels with an epilogue that are kept, the most recently called ones. Each holds the function that
it was traced from."""


Types = tuple[str, str, str]


class Laid(tuple[str, int]):
    """The layout of a matrix in memory: its order, and the leading dimension in elements."""

    __slots__ = ()


def laid(matrix: Array) -> Laid | None:
    """Return the layout of the last two axes of an array, or None if no kernel takes it in place."""
    size = matrix.itemsize
    (rows, columns), (down, along) = matrix.shape[-2:], matrix.strides[-2:]
    if not matrix.flags.aligned or not matrix.dtype.isnative:
        return None
    for order, lines, length, outer, inner in (("C", rows, columns, down, along), ("F", columns, rows, along, down)):
        if inner != size and length != 1:
            continue
        if lines == 1:
            return Laid((order, length))
        if outer % size == 0 and length * size <= outer <= LARGEST * size:
            return Laid((order, outer // size))
    return None


def _result(a: Array, b: Array, out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array | None:
    """Return the array that the product is written to, or None if machine code does not take these arrays in place."""
    if not (a.flags.aligned and b.flags.aligned):
        return None
    if out is None:
        return np.empty(shape, dtype)
    if not (out.flags.aligned and out.flags.writeable) or overlap(out, a) or overlap(out, b):
        return None
    return out


def _small(work: Work, places: Any) -> bool:
    """Whether a product is one BRGEMM."""
    shapes = work.shapes
    rows = {order for order, _ in places} == {"C"} and work.types[0] in ("f32", "f64")
    most = SOONER if rows and (os.cpu_count() or 1) > 1 else SMALL
    return shapes.m * shapes.n * shapes.k <= most


def _span(matrix: Array) -> int:
    """Return the bytes from the first to past the last byte of a matrix that `laid` accepts, which has no negative
    strides."""
    low, high = byte_bounds(matrix)
    return high - low


class Large(NamedTuple):
    """A product of two matrices in place, too large for one BRGEMM, with all that a call with the same layouts
    needs."""

    nest: Gemm
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    reach: tuple[int, ...]  # bytes from the first element to past the last one: of a, b and an array for the result

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Return the result, or None if these arrays, though of the same layout, must be checked again."""
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
    """A product of two matrices by one BRGEMM, for calls that Python handles: those with threads=."""

    kernel: Kernel

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Return the result, or None if out overlaps a or b."""
        if out is None:
            made: Any = self.kernel(a, b)
            return made  # type: ignore[no-any-return]
        if overlap(out, a) or overlap(out, b):
            return None
        self.kernel(a, b, out)
        return out


class Stacked(NamedTuple):
    """A batch of small products along one axis of constant strides. `steps` are the bytes between neighbouring
    products."""

    run: Spread
    number: int
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __call__(self, a: Array, b: Array, out: Array | None, threads: int | None) -> Array | None:
        """Return the result, or None if these arrays must be checked again."""
        out = _result(a, b, out, self.shape, self.dtype)
        if out is None:
            return None
        integers = address_of(a), address_of(b), address_of(out), self.number, *self.steps
        self.run.at(integers, threads)
        return out


class Products:
    """Finds, keeps and calls kernels."""

    everywhere: ClassVar[WeakSet[Products]] = WeakSet()

    def __init__(self) -> None:
        self.everywhere.add(self)
        self._kept: dict[Any, Any] = {}  # most recently called last
        self._refused: set[Any] = set()  # small products that cannot be one BRGEMM
        self.found: dict[Any, Large | Small | Stacked] = {}

    def forget(self) -> None:
        """Drop all kernels; they are made again when they are needed."""
        self._kept, self.found = {}, {}

    def keep(self, key: Any, work: Work, a: Array, b: Array, out: Array | None) -> Kernel | None:
        """Remember the kernel or nest of a product under the key of its call. Return the kernel if machine code may
        call it with such arrays from now on, otherwise None."""
        shapes = work.shapes
        if min(a.ndim, b.ndim) < 2 or not (a.size and b.size) or max(shapes.m, shapes.n) > LARGEST:
            return None
        places = [laid(a), laid(b), Laid(("C", shapes.n)) if out is None else laid(out)]
        if None in places:
            return None
        if len(self.found) >= KEPT:
            self.found = {}
        if shapes.batch:
            return self._keep_batch(
                key, work, (a, b, np.empty(shapes.result, numpy_dtype(work.types[2])) if out is None else out), places
            )
        made: Any = self._kernel(work, places, {})
        if isinstance(made, Gemm):
            reach = tuple(_span(each) for each in ((a, b) if out is None else (a, b, out)))
            self.found[key] = Large(made, (shapes.m, shapes.n), numpy_dtype(work.types[2]), reach)
            return None
        self.found[key] = Small(made)
        return made  # type: ignore[no-any-return]

    def _keep_batch(self, key: Any, work: Work, arrays: tuple[Array, ...], places: Any) -> Kernel | None:
        """Remember a batch of small products if its axes collapse into one of constant strides."""
        shapes = work.shapes
        size = shapes.m * shapes.n * shapes.k
        if size > SMALL or arrays[1].ndim == 2:
            return None
        stack = self._stack(shapes, work.types, places)
        wide = (np.broadcast_to(each, (*shapes.batch, *each.shape[-2:])) for each in arrays)
        whole = _collapsed(*wide)
        if stack is None or whole[0].ndim > 3:
            return None
        light = len(whole[0]) * size * arrays[0].itemsize < LIGHT
        steps = tuple(each.strides[0] for each in whole)
        run = self._found(stack, lambda: spread(stack))
        self.found[key] = Stacked(run, len(whole[0]), steps, shapes.result, numpy_dtype(work.types[2]))
        alike = arrays[0].ndim == 3 and arrays[0].shape[0] == arrays[1].shape[0] and arrays[1].ndim == 3
        return stack if alike and light else None

    def _small(self, shapes: Shapes, types: Types, places: Any, **more: Any) -> Kernel:
        (a, lda), (b, ldb), (c, ldc) = places
        make: Any = brgemm
        request = {"dtype": types, "order": a + b + c, "lda": lda, "ldb": ldb, "ldc": ldc, "beta": 0.0, **more}
        made: Kernel = make(shapes.m, shapes.n, shapes.k, **request)
        return made

    def _stack(self, shapes: Shapes, types: Types, places: Any) -> Kernel | None:
        """Return the kernel for any number of such products, or None if they would have to be packed."""
        try:
            return self._small(shapes, types, places, stack=RUNTIME)
        except UnsupportedError:
            return None

    def compute(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> None:
        """Compute c = a @ b, with the epilogue, for matrices after the axes of a batch."""
        a, b, c = _gathered(a, b, c) if not extras else (a, b, c)
        m, n, k = c.shape[-2], c.shape[-1], a.shape[-1]
        shapes = Shapes(c.shape[:-2], m, n, k, c.shape, (False, False))
        work = work._replace(shapes=shapes)
        if not k and work.epilogue is None:
            c[...] = 0
            return
        if max(m, n) > LARGEST:
            self._in_parts(work, a, b, c, extras)
            return
        if not k:
            a, b = np.zeros((*a.shape[:-1], 1), a.dtype), np.zeros((*b.shape[:-2], 1, n), b.dtype)
            work = work._replace(shapes=Shapes(c.shape[:-2], m, n, 1, c.shape, (False, False)))
        a, b = _taken(a), _taken(b)
        to = c if laid(c) is not None else np.empty(c.shape, c.dtype)
        self._all(work, a, b, to, extras)
        if to is not c:
            c[...] = to

    def _in_parts(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> None:
        """Compute in parts of at most `LARGEST` rows and columns, the limit of one kernel."""
        for i in range(0, c.shape[-2], LARGEST):
            rows = slice(i, i + LARGEST)
            for j in range(0, c.shape[-1], LARGEST):
                columns = slice(j, j + LARGEST)
                part = {name: _part(each, rows, columns) for name, each in extras.items()}
                self.compute(work, a[..., rows, :], b[..., columns], c[..., rows, columns], part)

    def _all(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> None:
        """Compute every product of the batch; small ones as stacks."""
        shapes = work.shapes
        batch = shapes.batch
        a, b = (np.broadcast_to(each, (*batch, *each.shape[-2:])) for each in (a, b))
        moving = {name: np.broadcast_to(each, (*batch, *each.shape[-2:])) if each.ndim > 2 else each
                  for name, each in extras.items()}  # fmt: skip
        places = [laid(each) for each in (a, b, c)]
        call = self._kernel(work, places, extras)
        small = shapes.m * shapes.n * shapes.k <= SMALL
        stack = self._stack(shapes, work.types, places) if batch and small and work.epilogue is None else None
        if stack is not None:
            a, b, c = _collapsed(a, b, c)
            run = self._found(stack, lambda: spread(stack))
            for index in np.ndindex(c.shape[:-3]):
                run(a[index], b[index], c[index], threads=work.threads)
            return
        for index in np.ndindex(batch):
            more = [each[index] if each.ndim > 2 else each for each in moving.values()]
            call(a[index], b[index], c[index], *more)

    def _kernel(self, work: Work, places: Any, extras: Mapping[str, Array]) -> Callable[..., Any]:
        """Return the callable that computes one product: a kernel, or a nest with its number of threads."""
        shapes = work.shapes
        size = shapes.m, shapes.n, shapes.k
        if max(size) > LARGEST:
            raise UnsupportedError(f"matmul: k is at most {LARGEST}, not {shapes.k}; split k and add two products")
        threads = None if work.threads is None else checked(work.threads, "threads")
        small = _small(work, places)
        (a, lda), (b, ldb), (c, ldc) = places
        request = {"dtype": work.types, "order": a + b + c, "lda": lda, "ldb": ldb, "ldc": ldc, "beta": 0.0}
        nest: Callable[[], Any] = partial(gemm, *size, **request, threads=threads)
        one: Callable[[], Any] = partial(brgemm, *size, **request)
        key: Any = small, size, tuple(request.items()), None if small else threads
        if work.epilogue is not None:
            operands = {name: (_kind(name, each, shapes), type_of(name, each)) for name, each in extras.items()}
            own = {"epilogue": work.epilogue, "operands": operands}
            nest, one = partial(nest, **own), partial(one, **own)
            key = *key, work.epilogue, tuple(operands.items())
            return self._found(key, lambda: self._first(key, one, nest) if small else nest())  # type: ignore[no-any-return]
        return self._first(key, one, nest) if small else nest()  # type: ignore[no-any-return]

    def _first(self, key: Any, one: Callable[[], Any], nest: Callable[[], Any]) -> Any:
        """Return one BRGEMM, or a nest if a kernel has too little scratch memory to pack its operands."""
        if key not in self._refused:
            try:
                return one()
            except UnsupportedError:
                self._refused = {*list(self._refused)[1 - KEPT :], key}
        return nest()

    def _found(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the object kept under `key`, made first if there is none. No lock is needed: threads that ask at the
        same time make equal objects, and a forked process never inherits a held lock."""
        found = self._kept.pop(key, None)
        self._kept[key] = made = make() if found is None else found
        for oldest in list(self._kept)[:-KEPT]:
            self._kept.pop(oldest, None)
        return made


def _kind(name: str, array: Array, shapes: Shapes) -> str | None:
    """Return which elements of C an operand of the epilogue applies to."""
    rows, columns = (1, *array.shape)[-2:] if array.ndim else (1, 1)
    kinds = {(shapes.m, shapes.n): None, (shapes.m, 1): "col", (1, shapes.n): "row", (1, 1): "scalar"}
    found = [kind for shape, kind in kinds.items() if shape == (rows, columns)]
    if not found:
        raise ValueError(f"operands: {name} has the shape of the result, or one row, column or element of it, "
                         f"({shapes.m}, {shapes.n}), not {array.shape}")  # fmt: skip
    return found[-1] if len(found) == 1 else "row" if shapes.m == 1 and rows == 1 else found[0]


def _collapsed(*arrays: Array) -> tuple[Array, ...]:
    """Merge the first two axes of a batch as long as the strides of all arrays allow it. The results are views."""
    while arrays[0].ndim > 3 and all(each.strides[0] == each.strides[1] * each.shape[1] for each in arrays):
        arrays = tuple(each.reshape(each.shape[0] * each.shape[1], *each.shape[2:]) for each in arrays)
    return arrays


def _part(operand: Array, rows: slice, columns: slice) -> Array:
    """Return the elements of an epilogue's operand that belong to a part of C."""
    if operand.ndim and operand.shape[-1] > 1:
        operand = operand[..., columns]
    return operand[..., rows, :] if operand.ndim > 1 and operand.shape[-2] > 1 else operand


def _taken(matrix: Array) -> Array:
    """Return the array, or a copy in a layout that kernels take. A matrix that is broadcast is copied once."""
    if laid(matrix) is not None:
        return matrix
    once = tuple(slice(None) if stride or extent <= 1 else slice(1) for extent, stride in
                 zip(matrix.shape[:-2], matrix.strides[:-2]))  # fmt: skip
    copied = np.array(matrix[once], dtype=matrix.dtype.newbyteorder("="), order="C")
    return np.broadcast_to(copied, matrix.shape)


def _gathered(a: Array, b: Array, c: Array) -> tuple[Array, Array, Array]:
    """Turn a batch of products by the same b into a single product of all rows, if the strides allow it."""
    if c.ndim < 3 or b.ndim > 2 or a.ndim != c.ndim or a.size == 0 or b.size == 0:
        return a, b, c
    whole = a.reshape(-1, a.shape[-1]), c.reshape(-1, c.shape[-1])
    if not all(np.shares_memory(x, y) for x, y in zip(whole, (a, c))) or max(whole[0].shape) > LARGEST:
        return a, b, c
    return whole[0], b, whole[1]
