"""`einsum` of two arrays, as a product by `matmul` or as a contraction (runtime/contraction/arrays.py)."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, address_of, as_array, ascends, numpy_dtype, overlap, overlaps_itself
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..contraction.arrays import Summed
from ..contraction.form import Contraction, IndexedArray, IndexedAxis
from ..contraction.roles import LoopStrides, Roles, assigned
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import RECENT
from ..loops.code import affine, index
from ..threads.policy import workers_of
from .matmul import matmul, native, types_of

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import ArrayLike, DTypeLike, TargetLike

_LETTERS = frozenset(string.ascii_letters)


class Subscripts(NamedTuple):
    """The loops of the axes of both factors and of the result. An axis that is broadcast has none."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    c: tuple[str, ...]


@lru_cache(maxsize=RECENT)
def _summed(contraction: Contraction, target: Target) -> Summed:
    return Summed(contraction, target, "einsum")


@shortening
def einsum(
    subscripts: str,
    a: ArrayLike,
    b: ArrayLike,
    out: ArrayLike = None,
    *,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return a sum of products of two arrays as numpy.einsum does: einsum("nhwc,ck->nhwk", a, b).

    subscripts  a letter for each axis of a and of b, and after -> for those of the result. Letters that the result does
                not have are summed over. Without -> it has those that occur once, in alphabetical order. "..." stands
                for further axes, which are broadcast
    out         an array for the result, returned as well; it shares no memory with a and b
    dtype       the type of the result, as in `matmul`: i32 for integers of 8 and 16 bits, f32 for floats of 8
    threads     the number of threads; None: ts.num_threads(). Any number gives the same bits

    A contraction that is a product of matrices, or a batch of them, is computed by `matmul`. A sum of more than two
    arrays is to be written as several: the order is the caller's. Raises ValueError naming the letter, UnsupportedError
    for types that no kernel takes.
    """
    x, y = (native(name, as_array(name, of_tensor(name, each))) for name, each in (("a", a), ("b", b)))
    found = parsed(subscripts, x.shape, y.shape)
    extents = _extents(found, x.shape, y.shape)
    to = None if out is None else as_array("out", of_tensor("out", out))
    shape = tuple(extents[letter] for letter in found.c)
    if to is not None and to.shape != shape:
        raise ValueError(f"out: shape {shape}, not {to.shape}")
    types = types_of(x, y, to, None if dtype is None else element_type("dtype", dtype))
    x, letters_a = _alone("a", x, found.a, {*found.b, *found.c})
    y, letters_b = _alone("b", y, found.b, {*letters_a, *found.c})
    made = np.empty(shape, numpy_dtype(types[2])) if to is None else to
    if to is not None and (overlap(to, x) or overlap(to, y)):
        raise ValueError("out: shares memory with a or b")
    if to is not None and overlaps_itself(to):
        raise ValueError(
            f"out: memory of its own for each element, not strides {to.strides}, with which several share one place"
        )
    left = Subscripts(letters_a, letters_b, found.c)
    extents = {letter: extent for letter, extent in extents.items() if any(letter in each for each in left)}
    if 0 in extents.values() or 0 in (x.size, y.size):
        made[...] = 0
    else:
        _compute(
            Subscripts(letters_a, letters_b, found.c), extents, types, x, y, made, workers_of(threads, None), target
        )
    return out if out is not None else returned(made, (a, b))


def parsed(subscripts: str, a: Sequence[int], b: Sequence[int]) -> Subscripts:
    """Return the loops of the axes of arrays of these shapes. Those of "..." get names of their own."""
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
    of_a, of_b = (
        tuple("" if letter in names and extent == 1 else letter for letter, extent in zip(each, shape))
        for each, shape in zip(found, (a, b))
    )
    return Subscripts(of_a, of_b, result)


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
    for letters, shape in ((found.a, a), (found.b, b)):
        for letter, extent in zip(letters, shape):
            if letter and extents.setdefault(letter, extent) != extent:
                raise ValueError(f"subscripts: {letter} has {extents[letter]} elements and {extent}")
    for letter in found.c:  # an axis of one element in both arrays
        extents.setdefault(letter, 1)
    return extents


def _alone(name: str, array: Array, letters: Sequence[str], others: set[str]) -> tuple[Array, tuple[str, ...]]:
    """Return an array summed over the axes whose letters nothing else has."""
    places = {letter: place for place, letter in enumerate(dict.fromkeys(letters))}
    if "" not in places and len(places) < len(letters):  # a diagonal, which numpy returns as a view
        array, letters = np.einsum(array, [places[each] for each in letters], list(places.values())), tuple(places)
    alone = [axis for axis, letter in enumerate(letters) if letter and letter not in others]
    if not alone:
        return array, tuple(letters)
    if array.dtype.itemsize < 4:
        raise UnsupportedError(
            f"{name}: {letters[alone[0]]} is in neither the other array nor the result, and sums of {array.dtype} need "
            f"a wider type; pass {name}.sum(axis={alone[0]}, dtype=...)"
        )
    kept = tuple(letter for axis, letter in enumerate(letters) if axis not in alone)
    return np.asarray(array.sum(axis=tuple(alone), dtype=array.dtype)), kept


def _compute(
    found: Subscripts,
    extents: Mapping[str, int],
    types: Sequence[str],
    a: Array,
    b: Array,
    c: Array,
    workers: int,
    target: TargetLike,
) -> None:
    steps = [_steps(letters, array) for letters, array in zip(found, (a, b, c))]
    loops = {letter: extent for letter, extent in extents.items() if extent > 1}
    strides = [{letter: step for letter, step in each.items() if letter in loops} for each in steps]
    product = _product(loops, *strides) if target is None else None
    if product is not None:
        views = [
            np.lib.stride_tricks.as_strided(array, [extent for extent, _ in axes], [step for _, step in axes])
            for array, axes in zip((a, b, c), product)
        ]
        matmul(views[0], views[1], views[2], threads=workers)
        return
    a, b = (each if ascends(each) and not overlaps_itself(each) else np.array(each, order="C") for each in (a, b))
    to = c if ascends(c) else np.empty(c.shape, c.dtype)
    x, y, z = (_operand(dtype, letters, array) for dtype, letters, array in zip(types, found, (a, b, to)))
    order = [*found.c, *(letter for letter in extents if letter not in found.c)]
    contraction = Contraction(tuple((letter, extents[letter]) for letter in order), x, y, z)
    kernel = _summed(contraction, host.resolve(target))
    kernel.at([address_of(each) for each in (a, b, to)], workers)
    if to is not c:
        c[...] = to


def _steps(letters: Sequence[str], array: Array) -> dict[str, int]:
    """Return the bytes that a step of each loop moves."""
    found: dict[str, int] = {}
    for letter, step in zip(letters, array.strides):
        if letter:
            found[letter] = found.get(letter, 0) + step
    return found


def _product(
    loops: Mapping[str, int], a: Mapping[str, int], b: Mapping[str, int], c: Mapping[str, int]
) -> tuple[list[tuple[int, int]], ...] | None:
    """Return the extents and strides of the axes of a product of matrices, or of a batch of them, that the loops are;
    None if they are no such product."""
    apart = [name for name in loops if name in a and name in b and name in c]
    inside = {name: extent for name, extent in loops.items() if name not in apart}
    roles: Roles = assigned(LoopStrides(inside, a, b, c, packed=False))
    single = not (roles.over or roles.across or roles.batch) and len(apart) <= 1
    whole = roles.rows.extent * roles.columns.extent * roles.depth.extent == math.prod(inside.values())
    if not (single and whole and roles.rows.names and roles.columns.names and roles.depth.names):
        return None
    rows, columns, depth = roles.rows, roles.columns, roles.depth
    axes = (
        [(rows.extent, rows.a), (depth.extent, depth.a)],
        [(depth.extent, depth.b), (columns.extent, columns.b)],
        [(rows.extent, rows.c), (columns.extent, columns.c)],
    )
    if not apart:
        return axes
    each = apart[0]
    return tuple([(loops[each], place[each]), *of] for place, of in zip((a, b, c), axes))


def _operand(dtype: str, letters: Sequence[str], array: Array) -> IndexedArray:
    size = array.itemsize
    if any(step % size for step in array.strides):
        raise UnsupportedError("a, b: strides of whole elements; np.ascontiguousarray(...) copies an array")
    axes = (
        IndexedAxis(extent, step // size, index(letter) if letter else affine(0))
        for extent, step, letter in zip(array.shape, array.strides, letters)
    )
    return IndexedArray(dtype, tuple(axes))
