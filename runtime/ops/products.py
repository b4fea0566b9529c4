"""The kernels of `matmul`: one BRGEMM for a small product, one with a stack for many, a nest for a large one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import LARGEST, RUNTIME
from ..api.brgemm import brgemm
from ..api.dispatch_requests import type_of
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..kernel.callable import Kernel
from ..threads.policy import checked
from .gemm import Gemm, gemm
from .product_parts import check_epilogue
from .product_shapes import Shapes, Work
from .repeated import Finished, Large, Reshaped, Small, Stacked, span
from .spread import spread
from .spread_stack import LIGHT

SMALL = 160**3
"""Multiplications up to which a product is one BRGEMM of the operands as they lie, which machine code calls: 70 us in
f32 on a Zen 4. From there on threads and packed operands gain more than the 8 us that Python takes."""
SOONER = 125**3
"""The same in f32 and f64 of rows by rows, on machines of several cores: those take so long that threads gain sooner.
us on a busy Zen 4, of one BRGEMM, a nest on one thread and on two, the best of numpy and torch on one and on two: f32
of 130 cubed 38, 44, 25, 46, 30; of 140 cubed 49, 53, 30, 58, 46; f64 of 130 cubed 76, 82, 45, 95 (numpy). Columns have
to be packed, which takes what a second thread gains (2026-11-24). It does not depend on the number of threads that
compute: a nest may add in another order."""
COPIED = 32**3
"""Multiplications of each product of a batch up to which an operand that kernels would have to pack is copied, so that
the batch is one call of a stack: a call for each product takes 1.3 us of Python."""
KEPT = 256
"""Kernels with an epilogue that are kept, those called last: each holds the function that it was traced from."""


Types = tuple[str, str, str]


class Laid(tuple[str, int]):
    """How a matrix lies in memory: its order, and the leading dimension in elements."""

    __slots__ = ()


def laid(matrix: Array) -> Laid | None:
    """How the last two axes of an array lie, if a kernel takes them as they are."""
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


def _small(work: Work, places: Any) -> bool:
    """Whether a product is one BRGEMM."""
    shapes = work.shapes
    rows = {order for order, _ in places} == {"C"} and work.types[0] in ("f32", "f64")
    most = SOONER if rows and (os.cpu_count() or 1) > 1 else SMALL
    return shapes.m * shapes.n * shapes.k <= most


class Products:
    """Finds, keeps and calls kernels."""

    everywhere: ClassVar[WeakSet[Products]] = WeakSet()

    def __init__(self) -> None:
        self.everywhere.add(self)
        self._kept: dict[Any, Any] = {}  # the last one called stands last
        self._refused: set[Any] = set()  # small products that are not one BRGEMM
        self.found: dict[Any, Large | Small | Stacked | Reshaped | Finished] = {}

    def forget(self) -> None:
        """Make all kernels anew, as they are asked for."""
        self._kept, self.found = {}, {}

    def keep(self, key: Any, work: Work, a: Array, b: Array, out: Array | None) -> Kernel | None:
        """Remember what computes the product of two matrices under what tells their call from others; the kernel, where
        machine code may call it with these arrays from now on."""
        shapes = work.shapes
        if not (a.size and b.size) or max(shapes.m, shapes.n) > LARGEST:
            return None
        if len(self.found) >= KEPT:
            self.found = {}
        if b.ndim <= 2 and not a.ndim == b.ndim == 2:
            self._keep_reshaped(key, work, a, b, out)
            return None
        if a.ndim < 2:
            return None
        places = [laid(a), laid(b), Laid(("C", shapes.n)) if out is None else laid(out)]
        if None in places:
            return None
        if shapes.batch:
            return self._keep_batch(
                key, work, (a, b, np.empty(shapes.result, numpy_dtype(work.types[2])) if out is None else out), places
            )
        call = self._of_matrices(work, places, a, b, out)
        self.found[key] = call
        return call.kernel if isinstance(call, Small) else None

    def _of_matrices(self, work: Work, places: Any, a: Array, b: Array, out: Array | None) -> Large | Small:
        """What computes the product of two matrices as they lie."""
        made: Any = self._kernel(work, places, {})
        if not isinstance(made, Gemm):
            return Small(made)
        reach = tuple(span(each) for each in ((a, b) if out is None else (a, b, out)))
        return Large(made, (work.shapes.m, work.shapes.n), numpy_dtype(work.types[2]), reach)

    def _keep_reshaped(self, key: Any, work: Work, a: Array, b: Array, out: Array | None) -> None:
        """Remember a product of vectors, or of a batch by one and the same b, as one of two matrices."""
        shapes = work.shapes
        rows = a.size // shapes.k
        flat = (rows, shapes.k), (shapes.k, shapes.n), (rows, shapes.n)
        x, y = a.reshape(flat[0]), b.reshape(flat[1])
        z = None if out is None else out.reshape(flat[2])
        pairs = ((x, a), (y, b)) if z is None or out is None else ((x, a), (y, b), (z, out))
        same = all(address_of(one) == address_of(other) for one, other in pairs)
        places = [laid(x), laid(y), Laid(("C", shapes.n)) if z is None else laid(z)]
        if not same or rows > LARGEST or None in places:
            return
        work = work._replace(shapes=Shapes((), rows, shapes.n, shapes.k, flat[2], (False, False)))
        self.found[key] = Reshaped(self._of_matrices(work, places, x, y, z), flat, shapes.result)

    def keep_finished(self, key: Any, work: Work, arrays: tuple[Array, Array, Array | None],
                      extras: Mapping[str, Array], given: Mapping[str, Array]) -> None:  # fmt: skip
        """Remember what computes a product of two matrices and an epilogue, where the operands that a call gave are
        those that kernels take."""
        a, b, out = arrays
        shapes = work.shapes
        if not a.ndim == b.ndim == 2 or not (a.size and b.size) or max(shapes.m, shapes.n) > LARGEST:
            return
        place = Laid(("C", shapes.n)) if out is None else laid(out)
        places = [laid(a), laid(b), place]
        if None in places:
            return
        if not all(_same(_as_c_lies(each, place), given[name]) for name, each in extras.items()):
            return
        if len(self.found) >= KEPT:
            self.found = {}
        call: Any = self._kernel(work, places, extras)
        names = list(given)
        self.found[key] = Finished(call, tuple(names.index(name) for name in extras), shapes.result,
                                   numpy_dtype(work.types[2]))  # fmt: skip

    def _keep_batch(self, key: Any, work: Work, arrays: tuple[Array, ...], places: Any) -> Kernel | None:
        """The same of a batch of small products whose strides make one axis of it."""
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
        """The kernel of any number of such products; None where they would have to be packed."""
        key = "stack", (shapes.m, shapes.n, shapes.k), types, tuple(places)
        if key in self._refused:
            return None
        try:
            return self._small(shapes, types, places, stack=RUNTIME)
        except UnsupportedError:
            self._refuse(key)
            return None

    def _refuse(self, key: Any) -> None:
        """Remember that there is no such kernel."""
        self._refused = {*list(self._refused)[1 - KEPT :], key}

    def compute(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> None:
        """c = a @ b of matrices behind the axes of a batch, and the epilogue of it."""
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
        self._all(work, a, b, to, {name: _as_c_lies(each, laid(to)) for name, each in extras.items()})
        if to is not c:
            c[...] = to

    def _in_parts(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> None:
        """Rows and columns by as many as one kernel has."""
        for i in range(0, c.shape[-2], LARGEST):
            rows = slice(i, i + LARGEST)
            for j in range(0, c.shape[-1], LARGEST):
                columns = slice(j, j + LARGEST)
                part = {name: _part(each, rows, columns) for name, each in extras.items()}
                self.compute(work, a[..., rows, :], b[..., columns], c[..., rows, columns], part)

    def _all(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> None:
        """Every product of the batch, in stacks where they are small."""
        shapes = work.shapes
        batch = shapes.batch
        a, b = (np.broadcast_to(each, (*batch, *each.shape[-2:])) for each in (a, b))
        moving = {name: np.broadcast_to(each, (*batch, *each.shape[-2:])) if each.ndim > 2 else each
                  for name, each in extras.items()}  # fmt: skip
        places = [laid(each) for each in (a, b, c)]
        call = self._kernel(work, places, extras)
        small = shapes.m * shapes.n * shapes.k <= SMALL
        stacked = batch and small and work.epilogue is None
        stack = self._stack(shapes, work.types, places) if stacked else None
        if stacked and stack is None and shapes.m * shapes.n * shapes.k <= COPIED:
            a, b = _along(a, b, places)
            stack = self._stack(shapes, work.types, [laid(a), laid(b), places[2]])
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
        """What computes one product: a kernel, or a nest with its number of threads."""
        shapes = work.shapes
        size = shapes.m, shapes.n, shapes.k
        if max(size) > LARGEST:
            raise UnsupportedError(f"matmul: sums of at most {LARGEST} products, not {shapes.k}; two "
                                   "of them are added")  # fmt: skip
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
        """One BRGEMM, or a nest where a kernel has too little scratch memory for the operands that it would pack."""
        if key not in self._refused:
            try:
                made = one()
            except UnsupportedError:
                self._refuse(key)
            else:
                check_epilogue("matmul", made.spec)
                return made
        return nest()

    def _found(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is kept under a key, made anew where there is nothing. No lock: threads that ask at the same time make
        the same, and a fork never meets one that is held."""
        found = self._kept.pop(key, None)
        self._kept[key] = made = make() if found is None else found
        for oldest in list(self._kept)[:-KEPT]:
            self._kept.pop(oldest, None)
        return made


def _kind(name: str, array: Array, shapes: Shapes) -> str | None:
    """Which elements of C an operand of the epilogue belongs to."""
    rows, columns = (1, *array.shape)[-2:] if array.ndim else (1, 1)
    kinds = {(shapes.m, shapes.n): None, (shapes.m, 1): "col", (1, shapes.n): "row", (1, 1): "scalar"}
    found = [kind for shape, kind in kinds.items() if shape == (rows, columns)]
    if not found:
        raise ValueError(f"operands: {name} has the shape of the result, or one row, column or element of it, "
                         f"({shapes.m}, {shapes.n}), not {array.shape}")  # fmt: skip
    return found[-1] if len(found) == 1 else "row" if shapes.m == 1 and rows == 1 else found[0]


def _as_c_lies(array: Array, place: Laid | None) -> Array:
    """An operand of the epilogue, or its copy, dense in the order in which the kernel stores C."""
    if array.ndim < 2 or 1 in array.shape[-2:] or place is None or place[0] == "C":
        return np.ascontiguousarray(array) if array.ndim else array
    by_columns: Array = np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    return by_columns


def _same(one: Array, other: Array) -> bool:
    """Whether two arrays are the same elements, which lie alike."""
    alike = one.shape == other.shape and one.strides == other.strides and one.dtype == other.dtype
    return alike and address_of(one) == address_of(other)


def _collapsed(*arrays: Array) -> tuple[Array, ...]:
    """The first two axes of a batch as one, as often as the strides of all arrays allow it: views."""
    while arrays[0].ndim > 3 and all(each.strides[0] == each.strides[1] * each.shape[1] for each in arrays):
        arrays = tuple(each.reshape(each.shape[0] * each.shape[1], *each.shape[2:]) for each in arrays)
    return arrays


def _part(operand: Array, rows: slice, columns: slice) -> Array:
    """Those elements of an operand of the epilogue that belong to a part of C."""
    if operand.ndim and operand.shape[-1] > 1:
        operand = operand[..., columns]
    return operand[..., rows, :] if operand.ndim > 1 and operand.shape[-2] > 1 else operand


def _taken(matrix: Array) -> Array:
    """The array, or a copy that kernels take."""
    if laid(matrix) is not None:
        return matrix
    return _copied(matrix)


def _copied(matrix: Array) -> Array:
    """A copy by rows, one of each matrix, not of what is broadcast."""
    once = tuple(slice(None) if stride or extent <= 1 else slice(1) for extent, stride in
                 zip(matrix.shape[:-2], matrix.strides[:-2]))  # fmt: skip
    copied = np.array(matrix[once], dtype=matrix.dtype.newbyteorder("="), order="C")
    return np.broadcast_to(copied, matrix.shape)


def _along(a: Array, b: Array, places: Any) -> tuple[Array, Array]:
    """a and b, of which the one that would be packed, since it does not lie as c does, is copied."""
    if places[2][0] == "C":
        return a, _copied(b) if places[1][0] == "F" else b
    return _copied(a.swapaxes(-1, -2)).swapaxes(-1, -2) if places[0][0] == "C" else a, b


def _gathered(a: Array, b: Array, c: Array) -> tuple[Array, Array, Array]:
    """A batch of products by one and the same b as one product of all rows."""
    if c.ndim < 3 or b.ndim > 2 or a.ndim != c.ndim or a.size == 0 or b.size == 0:
        return a, b, c
    whole = a.reshape(-1, a.shape[-1]), c.reshape(-1, c.shape[-1])
    if not all(np.shares_memory(x, y) for x, y in zip(whole, (a, c))) or max(whole[0].shape) > LARGEST:
        return a, b, c
    return whole[0], b, whole[1]
