"""The plans of `matmul`: one BRGEMM for a small product, a stack of them for many, a nest for a large product.

`Products.planned` decides how arrays of some types, shapes and strides are brought into the normal form of a product,
and what computes that: the `PlannedCall` of `calls`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...encoder.deferred import lazy
from ...microkernels.choice import Refusal, tried
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import LARGEST, RUNTIME
from ..api.brgemm import brgemm, product_spec
from ..api.dispatch_table import HashTable, key_of
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..arguments.infer import type_of
from ..fastcall import entry
from ..kernel.callable import Kernel
from ..kernel.reads import Traces
from .calls import (
    Batched,
    BatchLoop,
    CallBesideC,
    CallsOfParts,
    EachProduct,
    InNormalForm,
    OfTensors,
    OneKernel,
    OneNest,
    PlannedCall,
    Prepared,
    StackedCalls,
    SumOfParts,
    Zeros,
    batched,
)
from .gemm import Gemm, gemm
from .product_parts import check_epilogue
from .product_shapes import (
    SMALL,
    GivenOperand,
    MatrixLayout,
    ProductShapes,
    Work,
    along,
    as_c_lies,
    as_vector,
    computes_transposed,
    copied,
    flipped,
    is_small,
    is_vector,
    kind_in_c,
    layout_of,
    no_terms,
    part_of,
    reads_better_transposed,
    result_arrays,
    same,
    stand_ins,
)

if TYPE_CHECKING:
    from ...microkernels.compressed.form import CompressedForm
    from . import spread, spread_stack

spread = lazy(__package__, ".spread")
spread_stack = lazy(__package__, ".spread_stack")

AXES = (3, 3, 3)
"""The most axes of a, b and out in the calls that machine code finds."""
COPIED = 32**3
"""The most multiplications per product of a batch for which an operand that kernels would have to pack is copied, so
that the batch is one call of a stack. A call for each product would take 1.3 us of Python."""
KEPT = 256
"""The number of calls that are kept, and that of kernels with an epilogue, the most recently called ones."""
LONGEST = 1 << 20
DEEP = LONGEST // 2
"""Sums of more than `LONGEST` terms are added up in parts of `DEEP` terms: f32 sums of fewer terms are more exact."""
_SUMS = ("f32", "f64", "i32")


Kept: TypeAlias = "PlannedCall | OfTensors | CallBesideC"
"""A call that is kept for products with its key."""


class Products:
    """Plans and keeps calls, and the kernels that they need."""

    def __init__(self) -> None:
        self.table = HashTable(AXES)  # the kernels that machine code finds
        self.found: dict[Any, Kept] = {}  # by types, shapes and strides, and what an epilogue reads
        self.traces = Traces()
        self._kept: dict[Any, Any] = {}  # most recently called last
        self._refused: set[Any] = set()  # small products that cannot be one BRGEMM

    def forget(self) -> None:
        """Drop all kernels; they are made again when they are needed."""
        self.found, self._kept = {}, {}
        self.traces.forget()
        self.table.forget()

    def keep(self, key: Any, call: Kept) -> None:
        """Keep the call of all products with this key."""
        if len(self.found) >= KEPT:
            self.found = {}
        self.found[key] = call

    def let_machine_code_find(self, call: PlannedCall | CallBesideC, arrays: Sequence[Array]) -> None:
        """Let machine code compute products of such arrays, if it takes them as they are."""
        run = call.run if isinstance(call, PlannedCall) and call.direct else None
        found = run.found if isinstance(run, (OneKernel, OneNest)) else None
        if found is not None:
            self.table.add(key_of(arrays, AXES), found)

    # The normal form

    def asked(
        self,
        work: Work,
        a: Array,
        b: Array,
        out: Array | None,
        extras: Mapping[str, GivenOperand],
        given: Sequence[str],
    ) -> PlannedCall | CallBesideC:
        """Return how to compute a product, with what its epilogue has beside C."""
        if work.beside is None:
            arrays = {name: each for name, each in extras.items() if not isinstance(each, int)}
            return self.planned(work, a, b, out, arrays, given)
        results = result_arrays(work)
        lying = stand_ins(work, extras)
        call = self.planned(work, a, b, results[0].new(), lying, list(lying))
        names = [*(name for name in extras if name in lying and name not in work.beside.placing)]
        names += [each.name for each in work.beside.numbers]
        origin = bool(work.shapes.batch and work.beside.numbers)
        order = tuple(map(list(given).index, names))
        return CallBesideC(call, results, work.beside.numbers, order, origin)

    def planned(
        self, work: Work, a: Array, b: Array, out: Array | None, extras: Mapping[str, Array], given: Sequence[str]
    ) -> PlannedCall:
        """Return how to compute a product, whose arrays machine code takes where they are (`calls.in_place`). The
        operands of the epilogue are in the kernel's order; `given` are their names in the order of the call."""
        shapes = work.shapes
        c = np.empty(shapes.result, numpy_dtype(work.types[2])) if out is None else out
        if not c.size:
            return PlannedCall(Zeros(), c.shape, c.dtype)
        x, y, z = (shapes.matrices(each, place) for place, each in enumerate((a, b, c)))
        written = {name for name, _ in work.beside.results} if work.beside else ()
        named: Mapping[str, Array] = {
            name: shapes.matrices(each, 2) if name in written else shapes.operand(each) for name, each in extras.items()
        }
        if work.beside is None:  # masks and random numbers have their places in each product
            x, y, z, named = _gathered(x, y, z, named)
        call = self._of_matrices(work, x, y, z, named)
        # What a view changes of a matrix, it changes of the array as well: the order of elements stays.
        pairs = zip((a, b, c, *extras.values()), (x, y, z, *named.values()), call.views or (None,) * (3 + len(extras)))
        views = [view or _seen(each, matrix.shape) for each, matrix, view in pairs]
        direct = isinstance(call.run, (OneKernel, OneNest)) and not (
            any(views) or call.turned or call.copies or call.aside
        )
        return call._replace(
            shape=c.shape,
            order=() if list(given) == list(extras) else tuple(map(list(given).index, extras)),
            views=tuple(views) if any(views) else (),
            direct=direct and (c.ndim == 2 or out is not None),  # machine code makes new results of two axes
        )

    def _of_matrices(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> PlannedCall:
        """Return how to compute c = a @ b, with the epilogue, for matrices after the axes of a batch."""
        m, n, k = c.shape[-2], c.shape[-1], a.shape[-1]
        work = work._replace(shapes=ProductShapes(c.shape[:-2], m, n, k, c.shape, (False, False)))
        if not k and work.epilogue is None:
            return PlannedCall(Zeros(), c.shape, c.dtype)
        if _is_long(work):
            to = c if layout_of(c) is not None else np.empty(c.shape, c.dtype)
            return PlannedCall(self._sum(work, a, b, to), c.shape, c.dtype, aside=to is not c)
        placed = work.beside is not None  # the rows and columns of C are those of masks and random numbers
        turned = not placed and (
            _better_transposed(work, c) or computes_transposed(work, [layout_of(a), layout_of(b), layout_of(c)], extras)
        )
        few = not (turned or placed) and reads_better_transposed(work.shapes, layout_of(a), layout_of(b))
        if turned or few:
            work, a, b, c, extras = flipped(work, a, b, c, extras)
        if max(m, n) > LARGEST and not placed:
            return PlannedCall(self._parts(work, a, b, c, extras), c.shape, c.dtype, turned=turned or few)
        copies: list[Prepared] = [None if layout_of(each) is not None else copied for each in (a, b)]
        if few:  # the smaller operand is read by rows
            smaller = 0 if a.shape[0] < b.shape[1] else 1
            copies[smaller] = None if (a, b)[smaller].flags.c_contiguous else copied
        if not k:
            copies = [partial(no_terms, axis=-1), partial(no_terms, axis=-2)]
            work = work._replace(
                shapes=ProductShapes(c.shape[:-2], c.shape[-2], c.shape[-1], 1, c.shape, (False, False))
            )
        to = c if layout_of(c) is not None and (not few or 1 in c.shape) else np.empty(c.shape, c.dtype)
        stack, copies = self._stack_of(work, a, b, to, copies)
        x, y = _like_copies(copies, a, b)
        place = layout_of(to)
        behind = work.beside.behind(bool(work.shapes.batch)) if work.beside else ()
        lying = {name: each if name in behind else as_c_lies(each, place) for name, each in extras.items()}
        for name, each in extras.items():
            if name in behind:
                copies.append(None)
            elif work.shapes.batch or not is_vector(each):
                copies.append(None if same(lying[name], each) else partial(as_c_lies, place=place))
            else:
                copies.append(None if each.ndim == 1 and same(lying[name], each) else as_vector)
        run = self._calls(work, x, y, to, lying) if stack is None else self._stacked(stack, work, x, y, to)
        needed = tuple(copies) if any(copies) else ()
        call = PlannedCall(run, c.shape, c.dtype, turned=turned or few, copies=needed, aside=to is not c)
        in_place = not (call.turned or call.copies or call.aside)
        return _by_one_thread(stack, call, run.batch, a, b, c) if isinstance(run, StackedCalls) and in_place else call

    def _sum(self, work: Work, a: Array, b: Array, c: Array) -> SumOfParts:
        """Return how to compute a product of long sums: each part is added to C."""
        if work.epilogue is not None or work.types[2] not in _SUMS:
            reason = "with an epilogue" if work.epilogue is not None else f"if the result is {work.types[2]}"
            raise UnsupportedError(
                f"matmul: k is at most {LARGEST} {reason}, not {work.shapes.k}; ask for the product in "
                f"{', '.join(_SUMS)} by dtype=, and finish it with ts.equation"
            )
        return SumOfParts(self._of_matrices(work, a[..., :DEEP], b[..., :DEEP, :], c, {}), DEEP, partial(_add, work))

    def _parts(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> CallsOfParts:
        """Return the parts of at most `LARGEST` rows and columns, the limit of one kernel."""
        calls = []
        for i in range(0, c.shape[-2], LARGEST):
            rows = slice(i, i + LARGEST)
            for j in range(0, c.shape[-1], LARGEST):
                columns = slice(j, j + LARGEST)
                part = {name: part_of(each, rows, columns) for name, each in extras.items()}
                call = self._of_matrices(work, a[..., rows, :], b[..., columns], c[..., rows, columns], part)
                calls.append((rows, columns, call))
        return CallsOfParts(tuple(calls))

    # What computes it

    def _stack_of(
        self, work: Work, a: Array, b: Array, c: Array, copies: list[Prepared]
    ) -> tuple[Kernel | None, list[Prepared]]:
        """Return the kernel of a batch of small products, or None, and the copies of a and b that it needs, or another
        kernel."""
        size = work.shapes.m * work.shapes.n * work.shapes.k
        if not work.shapes.batch or size > SMALL or work.epilogue is not None:
            return None, copies
        x, y = _like_copies(copies, a, b)
        stack = self._stack(work, [layout_of(x), layout_of(y), layout_of(c)])
        if stack is not None or size > COPIED:
            return stack, copies
        copies = [new or old for new, old in zip(along(layout_of(x), layout_of(y), layout_of(c)), copies)]
        x, y = _like_copies(copies, a, b)
        return self._stack(work, [layout_of(x), layout_of(y), layout_of(c)]), copies

    def _stacked(self, kernel: Kernel, work: Work, a: Array, b: Array, c: Array) -> StackedCalls:
        """Return the calls of the kernel of a batch of small products."""
        return StackedCalls(self._found(kernel, lambda: spread.spread(kernel)), batched(work.shapes.batch, (a, b, c)))

    def _calls(self, work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]) -> InNormalForm:
        """Return the call of a kernel or nest, or one for each product of a batch."""
        kernel = self._kernel(work, [layout_of(a), layout_of(b), layout_of(c)], extras)
        one = OneNest(kernel) if isinstance(kernel, Gemm) else OneKernel(kernel, entry.refusing(kernel))
        batch = work.shapes.batch
        if not batch:
            return one
        beside = work.beside
        each, arrays = EachProduct(one, batch, len(beside.results) if beside else 0), (a, b, c, *extras.values())
        numbers = [3 + place for place, name in enumerate(extras) if beside and name in beside.placing]
        lies = batched(batch, arrays)
        if not isinstance(kernel, Kernel) or not _fits(kernel, lies, arrays, numbers):
            return each
        loop = kernel, lies.number, lies.steps
        return BatchLoop(each, lies, lambda: self._found(loop, lambda: spread_stack.Batch(*loop)))

    def _stack(self, work: Work, places: Any) -> Kernel | None:
        """Return the kernel for any number of such products, or None if they would have to be packed."""
        size, request = (work.shapes.m, work.shapes.n, work.shapes.k), _request(work, places)
        key = "stack", size, tuple(request.items())
        if key in self._refused:
            return None
        make: Any = brgemm
        made: Kernel | Refusal = tried("a stack", lambda: make(*size, **request, stack=RUNTIME))
        if isinstance(made, Refusal):
            self._refuse(key)
            return None
        return made

    def _refuse(self, key: Any) -> None:
        """Remember that there is no such kernel."""
        self._refused = {*list(self._refused)[1 - KEPT :], key}

    def _kernel(self, work: Work, places: Any, extras: Mapping[str, Array]) -> Kernel | Gemm:
        """Return what computes one product: a kernel, or a nest with its number of threads."""
        small, key, one, nest = self._asked(work, places, extras)
        if work.epilogue is not None:
            return self._found(key, lambda: self._first(key, one, nest) if small else nest())  # type: ignore[no-any-return]
        return self._first(key, one, nest) if small else nest()  # type: ignore[no-any-return]

    def by_weights(self, work: Work, form: CompressedForm, extras: Mapping[str, Array]) -> Any:
        """Return what computes a product of row-major matrices by compressed weights, with the bits of the product by
        the expanded weights."""
        shapes = work.shapes
        places = [MatrixLayout(("C", columns)) for columns in (shapes.k, shapes.n, shapes.n)]
        small, key, one, nest = self._asked(work, places, extras)
        dense = self._found(("nest", key), nest) if work.epilogue is not None else nest()
        single = small and isinstance(self._first(key, one, nest), Kernel)
        return dense.by_weights(form, single)

    def _asked(
        self, work: Work, places: Any, extras: Mapping[str, Array]
    ) -> tuple[bool, Any, Callable[[], Any], Callable[[], Any]]:
        """Return whether a product is small, its key, and the functions that make one BRGEMM and a nest."""
        shapes = work.shapes
        size = shapes.m, shapes.n, shapes.k
        if max(size) > LARGEST:
            raise UnsupportedError(f"matmul: k is at most {LARGEST}, not {shapes.k}; split k and add two products")
        threads = work.threads
        small = is_small(work, places)
        request = _request(work, places)
        nest: Callable[[], Any] = partial(gemm, *size, **request, threads=threads)
        one: Callable[[], Any] = partial(brgemm, *size, **request)
        key: Any = small, size, tuple(request.items()), None if small else threads
        if work.epilogue is not None:
            beside, batch = work.beside, bool(shapes.batch)
            behind = beside.behind(batch) if beside else ()
            operands = {
                name: (kind_in_c(name, each, shapes), type_of(name, each))
                for name, each in extras.items()
                if name not in behind
            }
            own: dict[str, Any] = {"epilogue": work.epilogue, "operands": operands}
            if beside is not None:
                own |= {"out": beside.types or None, "origin": RUNTIME if batch and beside.numbers else None}
            nest, one = partial(nest, **own), partial(one, **own)
            spec: Any = product_spec
            asked = spec(*size, **{name: each for name, each in request.items() if name != "target"}, **own)
            if beside is None:
                check_epilogue("matmul", asked)
            key = small, asked, request["target"], None if small else threads  # equal traces are one key
        return small, key, one, nest

    def _first(self, key: Any, one: Callable[[], Any], nest: Callable[[], Any]) -> Any:
        """Return one BRGEMM, or a nest if a kernel has too little scratch memory to pack its operands."""
        if key not in self._refused:
            made = tried("one BRGEMM", one)
            if not isinstance(made, Refusal):
                return made
            self._refuse(key)
        return nest()

    def _found(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the object kept under `key`, made first if there is none. No lock is needed: threads that ask at the
        same time make equal objects, and a forked process never inherits a held lock."""
        found = self._kept.pop(key, None)
        self._kept[key] = made = make() if found is None else found
        for oldest in list(self._kept)[:-KEPT]:
            self._kept.pop(oldest, None)
        return made


def _gathered(
    a: Array, b: Array, c: Array, extras: Mapping[str, Array]
) -> tuple[Array, Array, Array, Mapping[str, Array]]:
    """Turn a batch of products by the same b into a single product of all rows, if the strides allow it, and the
    operands of the epilogue with it."""
    if c.ndim < 3 or b.ndim > 2 or a.ndim != c.ndim or a.size == 0 or b.size == 0:
        return a, b, c, extras
    x, z = (_rows_of_batch(each, c.shape[:-1]) for each in (a, c))
    beside = {name: _rows_of_batch(each, c.shape[:-1]) for name, each in extras.items()}
    if x is None or z is None or max(x.shape) > LARGEST or any(each is None for each in beside.values()):
        return a, b, c, extras
    return x, b, z, {name: each for name, each in beside.items() if each is not None}


def _rows_of_batch(array: Array, lines: tuple[int, ...]) -> Array | None:
    """Return a view of an array with the rows of all products of a batch below one another, which are `lines`; one row
    that all of them share as it is; None if there is no such view."""
    if array.size == (1, *array.shape)[-1]:
        row: Array = array.reshape(array.shape[-2:])
        return row
    whole: Array = array.reshape(-1, array.shape[-1])
    return whole if array.shape[:-1] == lines and np.shares_memory(whole, array) else None


def _seen(array: Array, shape: tuple[int, ...]) -> Prepared:
    """Return the view of an array that has another shape: a matrix that all products of a stack share is repeated."""
    if array.shape == shape:
        return None
    if array.size != math.prod(shape):
        return partial(np.broadcast_to, shape=shape)
    return methodcaller("reshape", shape)


def _like_copies(copies: Sequence[Prepared], a: Array, b: Array) -> tuple[Array, Array]:
    """Return arrays with the layouts of the copies of a and b, or these themselves."""
    of_a, of_b = copies[:2]
    return of_a(a, filled=False) if of_a else a, of_b(b, filled=False) if of_b else b


def _by_one_thread(
    stack: Kernel | None, call: PlannedCall, batch: Batched, a: Array, b: Array, c: Array
) -> PlannedCall:
    """Return the call of a stack by one thread, if it is a little work and the arrays are stacks of one axis."""
    alike = a.ndim == 2 and b.ndim == 3 or a.shape[:-2] == b.shape[:-2]
    work = batch.number * c.shape[-2] * c.shape[-1] * a.shape[-1] * a.itemsize
    if stack is None or not alike or len(batch.starts) > 1 or work >= spread_stack.LIGHT:
        return call
    views = [_seen(each, (batch.number, *each.shape[-2:])) for each in (a, b, c)]
    return call._replace(run=OneKernel(stack, entry.refusing(stack)), views=tuple(views))


def _fits(kernel: Kernel, batch: Batched, arrays: Sequence[Array], numbers: Sequence[int]) -> bool:
    """Whether the kernel takes these arrays in place. All products of a batch have the strides of the first one.
    `numbers` are the places of stand-ins for numbers."""
    firsts = [0 if place in numbers else each[(0,) * (each.ndim - 2)] for place, each in enumerate(arrays)]
    integers, _ = kernel.kind.call(kernel.spec)(*firsts)
    whole = not any(step % each.itemsize for step, each in zip(batch.steps, arrays))
    return whole and list(integers) == [each if isinstance(each, int) else address_of(each) for each in firsts]


def _better_transposed(work: Work, c: Array) -> bool:
    """Whether to compute the transposed product, for a column-major result of 16 or 8 bits: its blocks would need more
    memory for packing than kernels have."""
    place, shapes = layout_of(c), work.shapes
    small = work.epilogue is None and shapes.m * shapes.n * shapes.k <= SMALL
    return not small and place is not None and place[0] == "F" and ELEMENT_BYTES[work.types[2]] <= 2


def _is_long(work: Work) -> bool:
    """Whether the sums are added up in parts, which a later part must be able to add to: those of the types that sums
    have, without an epilogue; and all that are longer than those of one kernel."""
    addable = work.epilogue is None and work.types[2] in _SUMS
    return work.shapes.k > (LONGEST if addable else LARGEST)


def _request(work: Work, places: Any) -> dict[str, Any]:
    """Return the keywords of a product of matrices that lie so."""
    (a, lda), (b, ldb), (c, ldc) = places
    request = {"dtype": work.types, "order": a + b + c, "lda": lda, "ldb": ldb, "ldc": ldc, "beta": 0.0}
    return {**request, "target": work.target}


def _add(work: Work, a: Array, b: Array, c: Array, threads: int | None) -> None:
    """Add the product of two matrices to c."""
    make: Any = gemm
    request = _request(work, (layout_of(a), layout_of(b), layout_of(c)))
    make(*c.shape, a.shape[1], **{**request, "beta": 1.0}, threads=threads)(a, b, c)
