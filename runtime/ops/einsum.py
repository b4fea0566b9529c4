"""`einsum` of two arrays, as a product by `matmul` or as a contraction (runtime/contraction/arrays.py)."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from functools import reduce as reduced
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES, element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import product_types
from ..arguments.arrays import Array, as_array, ascends, numpy_dtype, overlap, overlaps_itself
from ..arguments.factors import native, types_of
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..contraction.arrays import Summed, summed
from ..contraction.form import Contraction, IndexedArray, IndexedAxis
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import CallsAlike
from ..loops.code import index
from ..threads.policy import workers_of
from ..walks.outputs import output_of
from .matmul import matmul
from .sums import sums_over

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, DTypeLike, TargetLike

_LETTERS = frozenset(string.ascii_letters)


class Subscripts(NamedTuple):
    """The letters of the axes of both factors and of the result."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    c: tuple[str, ...]


Run = Callable[["Array", "Array", "Array | None", "int | None"], "Array"]
"""What computes the sums of two arrays into a third, or into a new one, with a number of threads."""
Changed = Callable[["Array"], "Array"]
"""A view or a copy of an array, or sums of it."""

_FOUND = CallsAlike[Run]()
"""What computes a result, by subscripts, and types, shapes and strides of arrays."""


@shortening
def einsum(
    subscripts: str,
    a: ArrayLike,
    b: ArrayLike = None,
    out: ArrayLike = None,
    *,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return a sum of products of two arrays as numpy.einsum does: einsum("nhwc,ck->nhwk", a, b).

    subscripts  a letter for each axis of a and of b, and after -> for those of the result. Letters that the result does
                not have are summed over. Without -> it has those that occur once, in alphabetical order. "..." stands
                for further axes. An axis of one element is broadcast
    out         an array for the result, returned as well; it shares no memory with a and b
    dtype       the type of the result, as in `matmul`: i32 for integers of 8 and 16 bits, f32 for floats of 8
    threads     the number of threads; None: ts.num_threads(). Any number gives the same bits

    A product of matrices, of vectors, or of a batch of them, in whatever letters, is computed by `matmul` on views,
    with the same bits; other sums are computed as contractions. Write a sum of more than two arrays as several: the
    order is the caller's. Raises ValueError naming the letter, UnsupportedError for types that no kernel takes.
    """
    if b is None:
        raise TypeError(f"b: a second array, whose products with a are summed; {_of_one(subscripts)}")
    x, y = (each if type(each) is np.ndarray else as_array(n, of_tensor(n, each)) for n, each in (("a", a), ("b", b)))
    to = out if out is None or type(out) is np.ndarray else as_array("out", of_tensor("out", out))
    into = None if to is None else (to.dtype, to.shape, to.strides)
    key = (subscripts, x.dtype, x.shape, x.strides, y.dtype, y.shape, y.strides, into, dtype, target)
    run = _FOUND.find(key) if type(subscripts) is str else None
    if run is None:
        run = _planned(subscripts, x, y, to, None if dtype is None else element_type("dtype", dtype), target)
        _FOUND.keep(key, run)
    if to is not None and (overlap(to, x) or overlap(to, y)):
        raise ValueError("out: shares memory with a or b")
    if to is not None and not to.flags.writeable:
        raise ValueError("out: read-only")
    made = run(x, y, to, threads)
    return out if out is not None else made if a is x and b is y else returned(made, (a, b))


def _of_one(subscripts: str) -> str:
    """Return what to call for subscripts of one array."""
    before, arrow, after = str(subscripts).replace(" ", "").partition("->")
    if arrow and len(set(before)) == len(before) and sorted(before) == sorted(after) and _LETTERS.issuperset(before):
        return f"ts.permute(a, {tuple(map(before.index, after))}) does what {subscripts!r} says of one"
    return "ts.permute(a, axes) orders the axes of one, a.sum(axis=...) sums it, and numpy.einsum returns diagonals"


def _planned(subscripts: str, x: Array, y: Array, to: Array | None, dtype: str | None, target: TargetLike) -> Run:
    """Return what computes the result, after a check of the arguments."""
    native("a", x), native("b", y)
    found = parsed(subscripts, x.shape, y.shape)
    extents = _extents(found, x.shape, y.shape)
    shape = tuple(extents[letter] for letter in found.c)
    if to is not None:
        output_of(to, shape)
    types = types_of(x, y, to, dtype, f"ts.einsum({subscripts!r}, {{}})")
    made = np.empty(shape, numpy_dtype(types[2])) if to is None else to
    if 0 in extents.values():
        return partial(_zeros, shape, made.dtype)
    changes: list[list[Changed]] = [[], []]
    left = [*found]
    for place, shape_of in enumerate((x.shape, y.shape)):
        _each_once(left, place, extents, shape_of, changes)
    for place, other in ((0, 1), (1, 0)):
        _alone(left, place, other, extents, types[place], changes)
    seen = [reduced(lambda array, change: change(array), each, array) for each, array in zip(changes, (x, y))]
    run = _of_loops(Subscripts(left[0], left[1], left[2]), extents, types, seen[0], seen[1], made, target)
    return partial(_changed, changes, run) if any(changes) else run


def _zeros(
    shape: Sequence[int], dtype: np.dtype[np.generic], a: Array, b: Array, c: Array | None, threads: int | None
) -> Array:
    made = np.empty(shape, dtype) if c is None else c
    made[...] = 0
    return made


def _changed(
    changes: Sequence[Sequence[Changed]], run: Run, a: Array, b: Array, c: Array | None, threads: int | None
) -> Array:
    """Run on factors that are changed first."""
    for change in changes[0]:
        a = change(a)
    for change in changes[1]:
        b = change(b)
    return run(a, b, c, threads)


def parsed(subscripts: str, a: Sequence[int], b: Sequence[int]) -> Subscripts:
    """Return the letters of the axes of arrays of these shapes. Those of "..." get names of their own."""
    if not isinstance(subscripts, str):
        raise TypeError(f'subscripts: letters of the axes, as "ij,jk->ik", not {type(subscripts).__name__}')
    text = subscripts.replace(" ", "")
    before, arrow, after = text.partition("->")
    terms = before.split(",")
    if len(terms) != 2:
        raise UnsupportedError(
            f"subscripts: of two arrays, not {len(terms)}; write a sum of several as several sums, in your own order"
        )
    wide = max(_further(name, term, shape) for name, term, shape in zip("ab", terms, (a, b)))
    names = [f"...{place}" for place in range(wide)]
    found = [_letters(name, term, shape, names) for name, term, shape in zip("ab", terms, (a, b))]
    if arrow:
        result = _letters("the result", after, None, names)
    else:
        every = [each for each in before if each in _LETTERS]
        result = (*names, *sorted(each for each in set(every) if every.count(each) == 1))
    for letter in result:
        if result.count(letter) > 1:
            raise ValueError(f"subscripts: {letter} is twice in the result")
        if letter not in found[0] and letter not in found[1]:
            raise ValueError(f"subscripts: {letter} of the result is in neither array")
    return Subscripts(found[0], found[1], result)


def _further(name: str, term: str, shape: Sequence[int]) -> int:
    """Return how many axes "..." stands for."""
    letters = term.replace("...", "")
    bad = sorted({*letters} - _LETTERS)
    if bad or term.count("...") > 1:
        raise ValueError(f"subscripts: letters and at most one ... for the axes of {name}, not {term!r}")
    further = len(shape) - len(letters)
    if further < 0 or (further and "..." not in term):
        raise ValueError(f"{name}: {len(letters)} axes, as {term!r} says, not shape {tuple(shape)}")
    return further


def _letters(name: str, term: str, shape: Sequence[int] | None, names: Sequence[str]) -> tuple[str, ...]:
    if shape is None:
        _further(name, term, [0] * len(term.replace("...", "")))
    count = len(names) if shape is None else len(shape) - len(term.replace("...", ""))
    first, dots, last = term.partition("...")
    return (*first, *(names[len(names) - count :] if dots else ()), *last)


def _extents(found: Subscripts, a: Sequence[int], b: Sequence[int]) -> dict[str, int]:
    """Return the iterations of each loop."""
    extents: dict[str, int] = {}
    for name, letters, shape in (("a", found.a, a), ("b", found.b, b)):
        own: dict[str, int] = {}
        for letter, extent in zip(letters, shape):
            if own.setdefault(letter, extent) != extent:
                raise ValueError(f"subscripts: {letter} has {own[letter]} elements and {extent} in {name}")
        for letter, extent in own.items():
            if extents.setdefault(letter, extent) == 1:
                extents[letter] = extent
            elif extent not in (1, extents[letter]):
                raise ValueError(f"subscripts: {letter} has {extents[letter]} elements and {extent}")
    return extents


def _each_once(
    left: list[tuple[str, ...]],
    place: int,
    extents: Mapping[str, int],
    shape: Sequence[int],
    changes: Sequence[list[Changed]],
) -> None:
    """Let a factor have each letter once, and no axis of one element that is broadcast."""
    letters = left[place]
    wide = [extent > 1 or extents[letter] == 1 for letter, extent in zip(letters, shape)]
    if not all(wide):
        changes[place].append(itemgetter(tuple(slice(None) if each else 0 for each in wide)))
        letters = tuple(letter for letter, each in zip(letters, wide) if each)
    once = tuple(dict.fromkeys(letters))
    if len(once) < len(letters):  # a diagonal, which numpy returns as a view
        taken = [once.index(each) for each in letters]
        changes[place].append(lambda array: np.einsum(array, taken, [*range(len(once))]))
    left[place] = once


def _alone(
    left: list[tuple[str, ...]],
    place: int,
    other: int,
    extents: Mapping[str, int],
    dtype: str,
    changes: Sequence[list[Changed]],
) -> None:
    """Sum a factor over the letters that neither the other factor nor the result has. Elements of less than 32 bits are
    summed with the products instead: the other factor gets these letters, as axes along which its elements repeat."""
    letters, others = left[place], {*left[other], *left[2]}
    alone = [axis for axis, letter in enumerate(letters) if letter not in others]
    if not alone:
        return
    if ELEMENT_BYTES[dtype] < 4:
        more = tuple(extents[letters[axis]] for axis in alone)
        places = (..., *(None for _ in alone))
        changes[other].append(lambda array: np.broadcast_to(array[places], (*array.shape, *more)))
        left[other] = (*left[other], *(letters[axis] for axis in alone))
        return
    changes[place].append(partial(sums_over, alone))
    left[place] = tuple(letter for axis, letter in enumerate(letters) if axis not in alone)


def _of_loops(
    found: Subscripts,
    extents: Mapping[str, int],
    types: Sequence[str],
    a: Array,
    b: Array,
    c: Array,
    target: TargetLike,
) -> Run:
    """Return what computes a contraction of arrays that have each letter once."""
    arrays = a, b, c
    loops = {letter: extent for letter, extent in extents.items() if extent > 1}
    product = None if target is not None else _product(found, loops, arrays)
    if product is not None:
        named = {} if types[2] == product_types(types[0], types[1], None)[2] else {"dtype": types[2]}
        of_a, of_b, of_c = map(_view, arrays, product)
        return partial(_by_matmul, of_a, of_b, of_c, c.shape, c.dtype, named)
    copied = [not (ascends(each) and not overlaps_itself(each)) for each in (a, b)]
    a, b = (np.array(each, order="C") if copy else each for each, copy in zip((a, b), copied))
    aside = not ascends(c)
    to = np.empty(c.shape, c.dtype) if aside else c
    x, y, z = (_operand(dtype, letters, array) for dtype, letters, array in zip(types, found, (a, b, to)))
    order = [*found.c, *(letter for letter in (*found.a, *found.b) if letter not in found.c)]
    contraction = Contraction(tuple((letter, extents[letter]) for letter in dict.fromkeys(order)), x, y, z)
    return partial(
        _as_contraction, summed(contraction, host.resolve(target), "einsum"), copied, aside, c.shape, c.dtype
    )


def _as_contraction(
    kernel: Summed,
    copied: Sequence[bool],
    aside: bool,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    a: Array,
    b: Array,
    c: Array | None,
    threads: int | None,
) -> Array:
    to = np.empty(shape, dtype) if c is None or aside or not c.flags.aligned else c
    kernel.on((a, b), copied, to, workers_of(threads, None))
    if c is None or to is c:
        return to
    c[...] = to
    return c


def _by_matmul(
    of_a: Changed | None,
    of_b: Changed | None,
    of_c: Changed | None,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    named: Mapping[str, Any],
    a: Array,
    b: Array,
    c: Array | None,
    threads: int | None,
) -> Array:
    x, y = of_a(a) if of_a else a, of_b(b) if of_b else b
    if threads is not None:
        named = {**named, "threads": workers_of(threads, None)}
    if c is None and not of_c:
        return np.asarray(matmul(x, y, **named))
    made = np.empty(shape, dtype) if c is None else c
    matmul(x, y, of_c(made) if of_c else made, **named)
    return made


def _view(array: Array, lying: tuple[list[int], list[int]]) -> Changed | None:
    """Return what permutes and joins the axes of an array; None if it does not change them."""
    order, shape = lying
    if order == [*range(array.ndim)] and shape == [*array.shape]:
        return None
    return lambda each: each.transpose(order).reshape(shape)


def _product(
    found: Subscripts, loops: Mapping[str, int], arrays: Sequence[Array]
) -> list[tuple[list[int], list[int]]] | None:
    """Return for each array the order of its axes and its shape as matrices after the axes of a batch, or as a vector;
    None if it is no such product on views. Loops of one role are one axis where they are in memory; others of rows and
    columns are axes of a batch along which the other factor is repeated."""
    inside = [[letter for letter in each if letter in loops] for each in found]
    of_a, of_b, of_c = map(set, inside)
    steps = [{letter: array.strides[each.index(letter)] for letter in each} for each, array in zip(found, arrays)]
    rows = _joint((of_a & of_c) - of_b, loops, steps[0], steps[2])
    columns = _joint((of_b & of_c) - of_a, loops, steps[1], steps[2])
    depth = _joint((of_a & of_b) - of_c, loops, steps[0], steps[1])
    batch = [letter for letter in inside[2] if letter not in (*rows, *columns)]
    if {*depth} != (of_a & of_b) - of_c or not (depth and not batch or bool(rows) + bool(columns) + bool(depth) > 1):
        return None
    made = []
    vectors = depth and not batch
    for letters, roles in zip(found, ((rows, depth), (depth, columns), (rows, columns))):
        order = [letters.index(each) for each in (*batch, *roles[0], *roles[1]) if each in letters]
        ones = [axis for axis in range(len(letters)) if letters[axis] not in loops]
        shape = [loops[letter] if letter in letters else 1 for letter in batch]
        shape += [math.prod(map(loops.__getitem__, role)) for role in roles if role or not vectors]
        made.append(([*ones, *order], shape))
    return made


def _joint(role: set[str], loops: Mapping[str, int], *steps: Mapping[str, int]) -> list[str]:
    """Return the letters of a role, outermost first, that are one axis in two arrays with the one that is innermost in
    the second."""
    order = sorted(role, key=lambda letter: (abs(steps[1][letter]), letter))
    found = order[:1]
    for letter in order[1:]:
        if any(each[letter] != loops[found[0]] * each[found[0]] for each in steps):
            break
        found.insert(0, letter)
    return found


def _operand(dtype: str, letters: Sequence[str], array: Array) -> IndexedArray:
    size = array.itemsize
    if any(step % size for step in array.strides):
        raise UnsupportedError("a, b: strides of whole elements; np.ascontiguousarray(...) copies an array")
    axes = (
        IndexedAxis(extent, step // size, index(letter))
        for extent, step, letter in zip(array.shape, array.strides, letters)
    )
    return IndexedArray(dtype, tuple(axes))
