"""Numbers for sums of computed elements: some for which the order of the sums does not matter, and some far apart.

    of_computed_sums(spec, call)        draws for fused kernels and attention

A power or a maximum that is wrong in its last bit shows in a result only if the result is compared bit for bit. So rows
have two powers that are not zero: their sum is the same in any order. A maximum that leaves out an element gives the
same quotients of powers unless something overflows. So other numbers lie far apart and far from zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from tests.side_by_side.executed import Draw
from tilesmith.runtime.verify.operands import Call
from tilesmith.runtime.verify.trusted import kind

Array = np.ndarray[Any, Any]
Fill = Callable[[np.random.Generator, Call], None]
_FIRST = 100
"""The first seed; smaller seeds belong to the draws of `executed`."""
_FAR = (-1e4, -1e4, -1e4, -1e9, -3e38, -np.inf)
"""Differences from the largest number of a row for which the power of a number is zero."""
_UNDERFLOWS = {2: (8, 18), 4: (86, 105), 8: (707, 746)}
"""The range of differences of two numbers for which the quotient of their powers is denormal or zero, keyed by the
bytes of an element."""
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 1e-40, -1e-45, 60_000.0, -60_000.0, 3e38, -3e38, np.inf, -np.inf, np.nan, -np.nan)


def of_computed_sums(spec: Any, call: Call) -> Iterator[Draw]:
    """Yield draws whose sums are exact and other draws in turn, without end."""
    exact = _EXACT.get(getattr(spec, "name", "")) or _EXACT.get(kind(spec), ())
    for seed in count(_FIRST):
        for words, draw in exact:
            yield Draw(call, f"{words}, draw {seed}", partial(_filled, draw, seed, call), junk=seed)
        if seed % 4 == 0:
            words, draw = _NEAR[seed // 4 % len(_NEAR)]
            yield Draw(call, f"{words}, draw {seed}", partial(_filled, draw, seed, call), True, junk=seed)


def _filled(draw: Fill, seed: int, call: Call, given: Call) -> None:
    with np.errstate(all="ignore"):
        draw(np.random.default_rng(seed), given)


def _two_numbers(rng: np.random.Generator, shape: tuple[int, ...], width: int, size: int) -> Array:
    """Return rows with two numbers that count; the powers of all others are zero relative to theirs."""
    one = (*shape, 1)
    base = np.choose(
        rng.integers(0, 6, one),
        [
            rng.normal(size=one),
            rng.normal(size=one) * 4,
            rng.uniform(-220, 220, one),
            rng.choice([500.0, -500.0], one),
            rng.choice([-5000.0, 20_000.0], one),
            np.zeros(one),
        ],
    )
    apart = np.choose(
        rng.integers(0, 6, one),
        [
            rng.uniform(0, 2, one),
            rng.uniform(0, 10, one),
            rng.uniform(0, 40, one),
            rng.uniform(*_UNDERFLOWS[size], one),
            rng.uniform(*_UNDERFLOWS[size], one),
            rng.choice([0.0, 200.0, 1000.0], one),
        ],
    )
    rows = np.full((*shape, width), rng.choice(_FAR)) + base
    places = np.argsort(rng.random((*shape, width)), axis=-1)[..., :2]
    pair = np.concatenate([base, base - apart], axis=-1)
    np.put_along_axis(rows, places, pair[..., : places.shape[-1]], axis=-1)
    return rows


def _rows_of_two(rng: np.random.Generator, call: Call) -> None:
    for array in call.arrays:
        array[...] = _two_numbers(rng, array.shape[:-1], array.shape[-1], array.itemsize).astype(array.dtype)


def _two_beside_many(rng: np.random.Generator, x: Array) -> None:
    """Fill rows with one repeated number, except for two others. Sums are exact, the mean is not, but it is so close to
    the repeated number that only two squares count, and their sum is the same in any order."""
    unit = 2.0**-10 if x.itemsize == 2 else 2.0**-20
    rows = np.broadcast_to(2.0 ** rng.integers(-3, 0, (*x.shape[:-1], 1)), x.shape).copy()
    apart = rng.integers(1, 10 << 6, (*x.shape[:-1], 1)) / 64.0
    places = np.argsort(rng.random(x.shape), axis=-1)[..., :2]
    pair = np.concatenate([apart, -apart + rng.integers(-3, 4, apart.shape) * unit], axis=-1)
    np.put_along_axis(rows, places, np.take_along_axis(rows, places, axis=-1) + pair[..., : places.shape[-1]], axis=-1)
    x[...] = rows.astype(x.dtype)


def _opposite(rng: np.random.Generator, x: Array) -> None:
    """Fill rows with pairs a and -a, some of them so small that their squares are rounded off: the mean is zero, and
    the sum of squares is the same in any order."""
    shape = (*x.shape[:-1], x.shape[-1] // 2)
    half = rng.integers(-5, 5, shape, endpoint=True) * rng.choice([1.0, 1.0, 2.0**-19], shape)
    rows = np.concatenate([half, np.zeros((*x.shape[:-1], x.shape[-1] % 2)), -half], axis=-1)
    x[...] = (rng.permuted(rows, axis=-1) * 2.0 ** rng.integers(-8, 9)).astype(x.dtype)


def _first(draw: Callable[[np.random.Generator, Array], None], down: bool) -> Fill:
    """Return a draw that fills the rows of the first operand (or its columns if `down`), and the other operands with
    ordinary numbers."""

    def fill(rng: np.random.Generator, call: Call) -> None:
        for array in call.arrays:
            array[...] = rng.normal(size=array.shape).astype(array.dtype)
        draw(rng, call.arrays[0].T if down else call.arrays[0])

    return fill


def _named(call: Call) -> dict[str, Array]:
    """Return the arrays of a call that may be filled, keyed by the operand's name."""
    return {
        region.name: array for region in call.regions for array in call.arrays if np.shares_memory(region.array, array)
    }


def _two_keys(rng: np.random.Generator, call: Call) -> None:
    """Fill q and k so that each score is a single product and only two keys have nonzero powers. Each column of the
    values uses one of these two keys."""
    named = _named(call)
    q, k, v = (named[name] for name in "qkv")
    q[...] = 0
    k[...] = rng.integers(-2, 2, k.shape, endpoint=True).astype(k.dtype)
    v[...] = 0
    for head in range(k.shape[0]):
        column = int(rng.integers(0, k.shape[-1]))
        scores = _two_numbers(rng, (), k.shape[1], k.itemsize)
        k[head, :, column] = scores.astype(k.dtype)
        heads = slice(head * len(q) // len(k), (head + 1) * len(q) // len(k))
        q[heads, :, column] = rng.choice([1.0, 2.0, 0.5, 1.25], q[heads, :, column].shape).astype(q.dtype)
        greatest = np.argsort(scores)[::-1][:2]
        for place in range(v.shape[-1]):
            v[head, int(rng.choice(greatest)), place] = rng.normal()
    if "mask" in named:
        named["mask"][...] = 0


def _far_apart(rng: np.random.Generator, call: Call) -> None:
    for array in call.arrays:
        array[...] = (rng.normal(size=array.shape) * 10.0 ** rng.integers(-1, 5, array.shape)).astype(array.dtype)


def _one_special(rng: np.random.Generator, call: Call) -> None:
    """Fill operands with ordinary numbers and one special number each."""
    for array in call.arrays:
        array[...] = rng.normal(size=array.shape).astype(array.dtype)
        if array.size and array.dtype.kind not in "iub":
            array.reshape(-1)[rng.integers(array.size)] = rng.choice(_SPECIAL)


def _all_special(rng: np.random.Generator, call: Call) -> None:
    for array in call.arrays:
        array[...] = rng.choice(_SPECIAL, array.shape).astype(array.dtype)


def _far_from_zero(rng: np.random.Generator, call: Call) -> None:
    """Fill operands with numbers of one sign and similar size."""
    for array in call.arrays:
        array[...] = (rng.choice([-1.0, 1.0]) * rng.uniform(1, 200, array.shape)).astype(array.dtype)


def _least_scores(rng: np.random.Generator, call: Call) -> None:
    """Fill operands so that scores are near the smallest finite number, from which maxima start, or are minus
    infinity."""
    named = _named(call)
    if not {"q", "k"} <= named.keys():
        _far_apart(rng, call)
        return
    for array in call.arrays:
        array[...] = rng.normal(size=array.shape).astype(array.dtype)
    least = np.finfo(named["q"].dtype).max
    named["q"][...] = named["k"][...] = 0
    column = int(rng.integers(0, named["q"].shape[-1]))
    places = named["q"][..., column].shape
    whole = -float(least) * np.exp2(-100) * np.sqrt(named["q"].shape[-1]) / np.log2(np.e)
    named["q"][..., column] = whole * (1 + rng.integers(-6, 7, places) * np.finfo(least).eps / 2)
    named["k"][..., column] = np.exp2(rng.choice([100.0, 103.0], named["k"][..., column].shape))


_NEAR: tuple[tuple[str, Fill], ...] = (
    ("numbers far apart", _far_apart),
    ("numbers of one sign", _far_from_zero),
    ("one special number", _one_special),
    ("special numbers", _all_special),
    ("the least scores", _least_scores),
)
_OF_TWO = (("rows of two numbers", _rows_of_two),)
_EXACT: dict[str, tuple[tuple[str, Fill], ...]] = {
    "softmax": _OF_TWO,
    "log_softmax": _OF_TWO,
    "AttentionSpec": (("two keys", _two_keys),),
    **{
        name: (
            ("two numbers beside many", _first(_two_beside_many, down)),
            ("opposite numbers", _first(_opposite, down)),
        )
        for name, down in (("layernorm", False), ("batchnorm_training", True))
    },
}
