"""Nests of products: prove that their calls are a sum of products by its definition, each term of each element once.

The walk follows where elements go, not their values. Every element of the factors has a number; copies and transposes
move the numbers, a product notes which it has met, and each element of the result is traced to the product that made
it. Its terms are then compared with those that the definition says. The calls are those of the nest as data
(`runtime/verify/nests.py`), and each kernel is taken to do what its request says, which its own proof shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from ...emulation.numerics.expressions import evaluate
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.gemm.spec import OFFSET, STRIDE, GemmSpec
from ...microkernels.operands import AnyRows, Leading, Operand
from ...microkernels.transform.spec import TransformSpec
from ..arguments.arrays import Array, numpy_dtype
from ..arguments.epilogue import BEHIND
from .definition import layouts
from .nests import Made
from .proof import Claim

Place = tuple[int, int]
"""The place of an operand in the table of a job, and the bytes before what a call reads or writes of it."""


class ElementNumber(IntEnum):
    """Numbers other than those of elements of operands: of an element outside of a factor, which is `fill`, of memory
    that nothing was written to, of a term that the definition does not have, and of the first result of a product."""

    FILL = 0
    UNKNOWN = -1
    ABSENT = -2
    FIRST = 1 << 40


FILL, UNKNOWN, ABSENT, FIRST = map(int, ElementNumber)


class SumOfProducts(NamedTuple):
    """The elements of a result by their definition, in any order; the arrays have an entry for each.

    places   where each lies in the memory of the result, in elements
    key_a    elements of equal keys have the same factors from A in their terms
    key_b    elements of equal keys have the same factors from B
    a, b     return the factors of all terms of some elements, as numbers from 1 that count the elements of A's memory
             and of B as an array; terms that the elements do not have are ABSENT in A
    more     where each further operand has the element that belongs to it
    fill     the value of elements outside of A
    """

    places: Array
    key_a: Array
    key_b: Array
    a: Callable[[Array], Array]
    b: Callable[[Array], Array]
    more: tuple[Array, ...]
    fill: int


class Memories(NamedTuple):
    """The memory of a job's operands by their places in its table: numbers of elements at their first bytes.

    c, scratch   the places of the result and of scratch memory, the only ones that are written
    size_c       bytes of an element of the result
    tables       the bytes of the operands that hold offsets
    makes        returns what a kernel writes that makes elements of a factor from others, as weights from codes: the
                 operand, the bytes of its elements, and the numbers of these; None of other kernels
    """

    held: dict[int, Array]
    c: int
    scratch: tuple[int, ...]
    size_c: int
    tables: Mapping[int, Array] = {}
    makes: Callable[[EltwiseSpec, Sequence[Place]], list[tuple[Place, Array, Array]] | None] | None = None

    def with_result_at(self, place: int | None) -> Memories:
        """Return copies, in which the result is the memory of a further operand."""
        held = {each: array.copy() for each, array in self.held.items()}
        return self._replace(held=held if place is None else {**held, self.c: held[place]})


class _Product(NamedTuple):
    """A call of a product: the factors that rows and columns meet, and the further operands. `first` is the number of
    its first result."""

    a: Array
    b: Array
    more: tuple[Array, ...]
    first: int
    columns: int


class WrongTerms(Exception):
    """The calls are not the sum; the message says where."""


def once(
    made: Sequence[Made], memories: Memories, wanted: SumOfProducts, in_place: Mapping[str, int] | None = None
) -> Claim:
    """Return the claim that these calls leave each element of the result with each of its terms once.

    in_place   the places of further operands, by name, whose memory may be that of the result
    """
    terms = 0
    for name, place in {"": None, **(in_place or {})}.items():
        try:
            now = memories.with_result_at(place)
            terms = _compared(_walked(made, now, wanted.fill), now, wanted)
        except WrongTerms as wrong:
            return Claim("terms", False, f"{wrong}{f', with {name} in place of the result' if name else ''}")
    zeros = "" if wanted.fill else " (but for products with zeros of the padding)"
    how = (
        f"each of the {len(wanted.places)} elements of the result is the sum of its terms by the definition, "
        f"{terms} at most, each once{zeros}: elements are followed through copies and products as places of memory"
    )
    how += f"; the same with {' or '.join(in_place)} in place of the result" if in_place else ""
    return Claim("terms", True, how)


def _walked(made: Sequence[Made], memories: Memories, fill: int) -> list[_Product]:
    """Follow the calls. The memory of the result then holds the numbers of the products' results."""
    products, count = list[_Product](), FIRST
    for kernel, passed in made:
        spec, arguments = _of_call(kernel.spec, passed)
        product = getattr(spec, "product", spec)
        if isinstance(spec, EltwiseSpec) and memories.makes and (new := memories.makes(spec, arguments)) is not None:
            for where, offsets, numbers in new:
                _put(memories, where[0], offsets + where[1], numbers)
            continue
        at = _result_of(spec)[0]
        result = memories.held[arguments[at][0]]
        constant = isinstance(spec, EltwiseSpec) and not spec.program.inputs
        others = [each[0] for number, each in enumerate(arguments) if number != at and not isinstance(each, int)]
        read = [] if constant else [place for place in others if place not in memories.tables]
        if result is memories.held[memories.c] and any(memories.held[place] is result for place in read):
            raise WrongTerms(f"{kernel.name}: one kernel reads and writes the result")
        if isinstance(product, GemmSpec):
            found = _product(spec, product, arguments, memories, products, count)
            products.append(found)
            count += len(found.a) * found.columns
        elif isinstance(spec, EltwiseSpec) and _adds(spec):
            products.append(found := _sum(spec, arguments, memories, products, count))
            count += len(found.a) * found.columns
        elif isinstance(spec, EltwiseSpec):
            _elementwise(spec, arguments, memories, fill)
        elif isinstance(spec, TransformSpec):
            x, y = spec.arguments
            source, result_of = spec.layouts
            moved = np.full((y.rows, y.columns), FILL)
            moved[layouts.places(result_of, spec.m, spec.n)] = _read(memories, arguments[0], x)[
                layouts.places(source, spec.m, spec.n)
            ]
            _write(memories, arguments[1], y, moved)
        else:
            raise WrongTerms(f"{kernel.name}: neither a product nor a copy")
    return products


_Given = tuple[Any, ...]


def _of_call(spec: object, arguments: _Given) -> tuple[object, _Given]:
    """Return a request with the number of rows that a call gives: its last argument, or the one behind c, which is no
    argument of a product of that number."""
    if isinstance(spec, GemmSpec) and spec.counted:
        number = arguments[BEHIND]
        assert isinstance(number, int)
        return spec.of(number), (*arguments[:BEHIND], *arguments[BEHIND + 1 :])
    if isinstance(spec, AnyRows) and spec.dynamic:
        rows = arguments[-1]
        assert isinstance(rows, int)
        return spec.of(rows), arguments
    return spec, arguments


def _product(
    spec: object,
    product: GemmSpec,
    arguments: Sequence[Place],
    memories: Memories,
    products: Sequence[_Product],
    first: int,
) -> _Product:
    a, b, c = product.operands
    extra = getattr(spec, "extras", ())
    if product.beta not in (0, 1) or product.alpha != 1 or (product.beta and extra):
        raise WrongTerms(f"{product.stem}: a scaled product, or an epilogue of a product that adds to its result")
    of_a, of_b, more = _pairs(product, arguments, memories)
    met_a = [_read(memories, (arguments[0][0], int(at)), a)[:, : product.k] for at in of_a]
    met_b = [_read(memories, (arguments[1][0], int(at)), b)[: product.k] for at in of_b]
    extras = tuple(
        np.broadcast_to(_read(memories, where, each), (product.m, product.n)) for each, where in zip(extra, more)
    )
    made = np.arange(first, first + product.m * product.n).reshape(product.m, product.n)
    none = np.zeros((product.m, 0), int), np.zeros((0, product.n), int)
    if product.beta:  # the terms of the sums that were there are terms of these
        old = _read(memories, arguments[2], c)
        before, known = _one_product(old, products, product.stem)
        if not known.all() or before.more or before.columns != product.n or (old - before.first != made - first).any():
            raise WrongTerms(f"{product.stem}: adds to what are not sums of the same elements")
        met_a, met_b = [before.a, *met_a], [before.b, *met_b]
    written = _result_of(spec)[1]
    _write(memories, arguments[2], written, _filled_up(made, written.group))
    a_all, b_all = np.concatenate([none[0], *met_a], axis=1), np.concatenate([none[1], *met_b])
    return _Product(a_all, b_all, extras, first, product.n)


def _filled_up(made: Array, group: int) -> Array:
    """Return the results of a product with the zeros that fill up the last group of its rows."""
    return np.pad(made, ((0, -len(made) % group), (0, 0)), constant_values=FILL)


def _pairs(
    product: GemmSpec, arguments: Sequence[Place | int], memories: Memories
) -> tuple[Array, Array, Sequence[Place]]:
    """Return the places of the factors of all pairs of a product, in bytes, and those of its further operands."""
    places = [each for each in arguments if not isinstance(each, int)]
    numbers = [each for each in arguments if isinstance(each, int)]
    (_, before_a), (_, before_b), _, *more = places
    if product.batch == OFFSET:
        offsets = []
        for (table, begin), before in zip(more, (before_a, before_b)):
            held, end = memories.tables[table], begin + 8 * numbers[0]
            if not 0 <= begin <= end <= held.size:
                raise WrongTerms(f"{product.stem}: offsets at bytes {begin} to {end} of a table of {held.size}")
            offsets.append(held[begin:end].view(np.int64) + before)
        return offsets[0], offsets[1], more[2:]
    if product.batch == STRIDE and product.strides is None:
        count, step_a, step_b = numbers
        return np.arange(count) * step_a + before_a, np.arange(count) * step_b + before_b, more
    of_a, of_b = np.zeros(1, int), np.zeros(1, int)
    for count, step_a, step_b in zip(product.counts, product.distances("a"), product.distances("b"), strict=True):
        pairs = np.arange(count)
        of_a, of_b = np.add.outer(of_a, pairs * step_a).ravel(), np.add.outer(of_b, pairs * step_b).ravel()
    size_a, size_b = (ELEMENT_BYTES[each.dtype] * each.group for each in product.operands[:2])
    return of_a * size_a + before_a, of_b * size_b + before_b, more


def _adds(spec: EltwiseSpec) -> bool:
    """Whether a request adds two operands, and does nothing else."""
    steps = spec.program.steps
    last = steps[spec.program.outputs[0]]
    return len(spec.outputs) == 1 and last.op == "add" and [steps[at].op for at in last.args] == ["input", "input"]


def _sum(
    spec: EltwiseSpec, arguments: Sequence[Place], memories: Memories, products: Sequence[_Product], first: int
) -> _Product:
    """Add the results of two products, element by element: one product of the terms of both."""
    x, y = (_read(memories, where, each) for where, each in zip(arguments, spec.inputs))
    (left, known), (right, of_both) = (_one_product(each, products, spec.stem) for each in (x, y))
    at = x - left.first
    if (
        (known != of_both).any()
        or (at != y - right.first)[known].any()
        or left.columns != right.columns
        or left.more
        or right.more
    ):
        raise WrongTerms(f"{spec.stem}: adds elements of different places")
    _write(memories, arguments[2], spec.outputs[0], np.where(known, first + at, UNKNOWN))
    a, b = np.concatenate([left.a, right.a], axis=1), np.concatenate([left.b, right.b])
    return _Product(a, b, (), first, left.columns)


def _one_product(results: Array, products: Sequence[_Product], stem: str) -> tuple[_Product, Array]:
    """Return the product that has made some results, and which of them are results of products."""
    known = results >= FIRST
    found = np.unique(np.searchsorted([each.first for each in products], results[known], side="right") - 1)
    if len(found) != 1:
        raise WrongTerms(f"{stem}: adds to what is not the result of one product")
    return products[found[0]], known


def _result_of(spec: object) -> tuple[int, Operand]:
    """Return the place of the result among the arguments of a kernel, and the result."""
    product = spec if isinstance(spec, GemmSpec) else getattr(spec, "product", spec)
    every = getattr(product, "operands" if isinstance(product, GemmSpec) else "arguments")
    return next((at, each) for at, each in enumerate(every) if isinstance(each, Operand) and each.output)


def written_once(made: Sequence[Made], place: int, elements: Array, size: int) -> Claim:
    """Return the claim that calls write each of some elements of an operand once, and no other byte of it. Products
    that add to it are not counted: `once` compares the terms that they add to.

    place      of the operand in the table of the job
    elements   whether each element of its memory is one of them
    size       bytes of an element
    """
    counts = np.zeros(elements.size, int)
    for kernel, passed in made:
        spec, arguments = _of_call(kernel.spec, passed)
        at, operand = _result_of(spec)
        if arguments[at][0] != place or getattr(getattr(spec, "product", spec), "beta", 0):
            continue
        found = _places(operand, arguments[at]) // size
        if found.size and not 0 <= found.min() <= found.max() < elements.size:
            return Claim("once", False, f"{kernel.name} writes beyond the memory of the result")
        np.add.at(counts, found, 1)
    wrong = counts != elements
    if wrong.any():
        where = int(wrong.argmax())
        often = f"{int(counts[where])} times" if elements[where] else "but is no element of the result"
        return Claim("once", False, f"element {where} of the result's memory is written {often}")
    return Claim("once", True, f"the calls write each of {int(elements.sum())} elements of the result once")


def _elementwise(spec: EltwiseSpec, arguments: Sequence[Place], memories: Memories, fill: int) -> None:
    """Copy, or fill with the value of elements outside of A."""
    x, y = spec.inputs[0], spec.outputs[0]
    if len(spec.outputs) == 1 and spec.program.steps[spec.program.outputs[0]].op == "input":
        _write(memories, arguments[1], y, _read(memories, arguments[0], x))
        return
    several = {name: np.arange(4).astype(numpy_dtype(dtype)) for name, dtype in spec.program.inputs}
    values = np.unique(np.broadcast_to(evaluate(spec.program, **several)[0], (4,)))
    if len(values) > 1:
        raise WrongTerms(f"{spec.stem}: neither a copy nor a constant")
    label = FILL if float(values[0]) == fill else UNKNOWN
    _write(memories, arguments[1], y, np.full((y.rows, y.columns), label))


def _places(operand: Operand, where: Place) -> Array:
    """Return the first bytes of the elements of a matrix that begins at an offset, by rows and columns."""
    size, group = ELEMENT_BYTES[operand.dtype], operand.group
    lines, along = (operand.rows, operand.columns) if operand.view.order == "C" else (operand.columns, operand.rows)
    leading = operand.view.leading
    if isinstance(leading, Leading):
        raise WrongTerms(f"{operand.name}: a leading dimension that calls give")
    found = np.add.outer(np.arange(lines) * leading, np.arange(along))
    found = found if operand.view.order == "C" else found.T
    if group == 1:
        return np.asarray(found * size + where[1])
    inside = found[:, None, :] * group + np.arange(group)[None, :, None]  # neighbours along the depth of B
    return np.asarray(inside.reshape(-1, found.shape[1]) * size + where[1])


def _read(memories: Memories, where: Place, operand: Operand) -> Array:
    held, places = memories.held[where[0]], _places(operand, where)
    if places.size and not 0 <= places.min() <= places.max() < len(held):
        # what a product reads beyond an operand must not count: no term has this number
        inside = (places >= 0) & (places < len(held))
        return np.where(inside, held[np.where(inside, places, 0)], UNKNOWN)
    return np.asarray(held[places])


def _write(memories: Memories, where: Place, operand: Operand, values: Array) -> None:
    _put(memories, where[0], _places(operand, where), values)


def _put(memories: Memories, operand: int, places: Array, values: Array) -> None:
    held = memories.held[operand]
    if operand not in (memories.c, *memories.scratch):
        raise WrongTerms("a call writes to an operand that is read only")
    if places.size and not 0 <= places.min() <= places.max() < len(held):
        raise WrongTerms("a call writes beyond the memory of its operand")
    held[places] = values


def _compared(products: Sequence[_Product], memories: Memories, wanted: SumOfProducts) -> int:
    """Compare the terms of each element with the definition. Return how many there are at most. Raises WrongTerms."""
    results = memories.held[memories.c][wanted.places * memories.size_c]
    zeros = np.flatnonzero(results == FILL)
    if (
        ((results != FILL) & (results < FIRST)).any()
        or len(zeros)
        and (wanted.fill or wanted.more or (wanted.a(zeros) > 0).any())
    ):
        raise WrongTerms(f"{int((results < FIRST).sum())} elements of the result are no sums of products")
    of_product = np.searchsorted(np.array([each.first for each in products]), results, side="right") - 1
    order, most = np.argsort(of_product, kind="stable")[len(zeros) :], 0
    if not len(order):
        return 0
    for elements in np.split(order, np.flatnonzero(np.diff(of_product[order])) + 1):  # those of each product
        product = products[of_product[elements[0]]]
        rows, columns = np.divmod(results[elements] - product.first, product.columns)
        for number, (more, place) in enumerate(zip(product.more, wanted.more, strict=True), 1):
            if (more[rows, columns] != 1 + place[elements]).any():
                raise WrongTerms(f"a product reads further operand {number} at another element than its own")
        most = max(most, _terms(product, elements, rows, columns, wanted))
    return most


def _terms(product: _Product, elements: Array, rows: Array, columns: Array, wanted: SumOfProducts) -> int:
    """Compare the terms of the elements that a call has made. Their rows say the factors from A, their columns those
    from B, by the definition, too; so equal sets of lines of factors are equal sets of terms of each element."""
    for keys, by in ((wanted.key_a, rows), (wanted.key_b, columns)):
        pairs = np.unique(np.stack([by, keys[elements]]), axis=1)
        if len(np.unique(pairs[0])) != pairs.shape[1]:
            raise WrongTerms("a row or a column of a product belongs to elements of the result with other factors")
    some_rows, row_of = np.unique(rows, return_index=True)
    some_columns, column_of = np.unique(columns, return_index=True)
    a, b = wanted.a(elements[row_of]), wanted.b(elements[column_of])
    present = (a != ABSENT).any(axis=0)
    if (a[:, present] == ABSENT).any():
        raise WrongTerms("rows of a product have other terms than each other")
    asked = _lines(a[:, present], b[:, present], wanted.fill)
    met = _lines(product.a[some_rows], product.b[:, some_columns].T, wanted.fill)
    if not np.array_equal(asked, met):
        missing, more = len(np.setdiff1d(asked, met)), len(np.setdiff1d(met, asked))
        raise WrongTerms(
            f"element {int(wanted.places[elements[0]])} of the result has other terms than its definition: {missing} "
            f"are missing, {more} are others, and {len(met) - len(np.unique(met))} repeat one"
        )
    return len(asked)


def _lines(a: Array, b: Array, fill: int) -> Array:
    """Return the factors of each term of all rows and columns as one item, sorted. Terms that are products of what lies
    outside of A in every row with zeros add nothing, and are left out: zeros of A, or those that fill B up."""
    inside = (a != FILL).any(axis=0)
    terms = np.concatenate([a, b]).T[inside | (b != FILL).any(axis=0) if fill else inside]
    if not terms.size:
        return np.zeros(0, np.dtype((np.void, max(1, terms.shape[1]) * 8)))
    lines = np.ascontiguousarray(terms, np.int64)
    return np.sort(lines.view(np.dtype((np.void, lines.shape[1] * 8))).ravel())
