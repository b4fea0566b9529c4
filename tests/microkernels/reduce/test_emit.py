"""Reductions on every machine, between guard pages, against numpy.

Sums of integers that need no rounding and all extrema must agree exactly. Sums of other floats are compared with
float64, within the bound for sums of that many terms in any order.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, both_sides, check_canary, guarded
from tests.kernel_runs import MACHINES, NATIVE, call, few_and_many, server_for
from tests.profiles import is_soak
from tilesmith.microkernels.operands import RUNTIME
from tilesmith.microkernels.reduce.ops import REDUCTIONS, SEARCHES
from tilesmith.microkernels.reduce.spec import ReduceSpec, reduce_spec
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]

TYPES = ("f32", "f64", "i32", "i64", "bf16", "f16", "i8", "u8", "i16", "u16", "f8e5m2", "f8e4m3")
NAMES = [(name, squared) for squared in (False, True, "both") for name in REDUCTIONS if name != "squares"]
UFUNC = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum, "absmax": np.maximum}
FEW, MANY = 20, 50
machines = pytest.mark.parametrize("target", MACHINES)


def run(spec: ReduceSpec, target: str | ts.Target, x: Array, inits: list[Array], server: Any, side: str) -> list[Array]:
    """Return the outputs of machine code, which reads and writes nothing beside its operands."""
    machine = MACHINES[target] if isinstance(target, str) else target
    outputs = [np.zeros(y.shape, numpy_dtype(y.dtype)) for y in spec.outputs]
    names = [each.name for each in spec.arguments]
    return list(call(spec, machine, dict(zip(names, [x, *inits, *outputs])), server, side).values())


def strided(array: Array, leading: int) -> Array:
    wide = np.full((array.shape[0], leading), np.nan if array.dtype.kind == "f" else 99).astype(array.dtype)
    wide[:, : array.shape[1]] = array
    return wide[:, : array.shape[1]]


def by_numpy(spec: ReduceSpec, x: Array, inits: list[Array]) -> list[Array]:
    """Return the reductions in float64 or int64."""
    wide = x.astype(np.int64 if spec.compute in ("i32", "i64") else np.float64)
    results = []
    with np.errstate(all="ignore"):
        for number, squares in enumerate({False: [False], True: [True], "both": [False, True]}[spec.squared]):
            values = wide * wide if squares else wide
            values = values.astype(np.int32).astype(np.int64) if spec.compute == "i32" else values  # squares wrap
            values = np.abs(values) if spec.name == "absmax" else values
            ufunc = UFUNC[spec.name]
            found = np.atleast_1d(ufunc.reduce(values, axis=spec.axis))
            if inits:
                first = inits[number].astype(wide.dtype)
                found = ufunc(np.abs(first) if spec.name == "absmax" else first, found)
            results.append(found)
    return results


def wrapped(values: Array, dtype: str) -> Array:
    """Return values in the output type: 32-bit sums wrap, narrower results are saturated."""
    to = numpy_dtype(dtype)
    if to.kind in "iu" and to.itemsize < 8:
        values = values.astype(np.int64).astype(np.int32)
        return np.clip(values, np.iinfo(to).min, np.iinfo(to).max).astype(to)
    with np.errstate(all="ignore"):
        return values.astype(to)


@st.composite
def requests(draw: st.DrawFn) -> ReduceSpec:
    name, squared = draw(st.sampled_from(NAMES))
    ldx = draw(st.sampled_from([None, None, 0, 5, RUNTIME]))
    n = draw(st.one_of(st.integers(1, 40), st.sampled_from([63, 64, 65, 127, 129, 256, 300, 1025])))
    m = draw(st.one_of(st.integers(1, 9), st.sampled_from([10, 17, 33])))
    multiplies = squared or name == "product"
    dtype = draw(st.sampled_from([dtype for dtype in TYPES if not (multiplies and dtype == "i64")]))
    return reduce_spec(
        name,
        m,
        n,
        axis=draw(st.sampled_from([0, 1, None])),
        dtype=dtype,
        squared=squared,
        init=draw(st.booleans()),
        ldx=n + ldx if isinstance(ldx, int) else ldx,
    )


def whole_numbers(spec: ReduceSpec, rng: np.random.Generator) -> tuple[Array, list[Array]]:
    """Return x and inits whose sums and products are exact in every type, or wrap."""
    to = numpy_dtype(spec.dtype)
    if to.kind in "iu":
        info = np.iinfo(to)
        x = rng.integers(info.min, info.max, (spec.m, spec.n), to, endpoint=True)
    elif spec.name == "product":
        x = rng.choice([1.0, -1.0, 2.0, 0.5], (spec.m, spec.n), p=[0.5, 0.4, 0.05, 0.05]).astype(to)
    else:
        # a bf16 sum is rounded once at the end, and integers below 2^24 have exact sums in f32
        x = rng.integers(-9, 9, (spec.m, spec.n)).astype(to)
    low = 0 if spec.out in ("u8", "u16") else -9
    inits = [rng.integers(low, 9, y.columns).astype(numpy_dtype(y.dtype)) for y in spec.outputs] if spec.init else []
    leading = spec.n + 3 if spec.ldx is RUNTIME else spec.ldx
    return strided(x, leading), inits


def one(spec: ReduceSpec, side: str, seed: int, target: str | ts.Target, server: Any) -> None:
    x, inits = whole_numbers(spec, np.random.default_rng(seed))
    found = run(spec, target, x, inits, server, side)
    for y, wanted in zip(found, by_numpy(spec, x, inits), strict=True):
        np.testing.assert_array_equal(y.astype(np.float64), wrapped(wanted, spec.out).astype(np.float64))


CASES = st.tuples(requests(), st.sampled_from(SIDES), st.integers(0, 1 << 30))


test_some, test_many = few_and_many(CASES, one, FEW, MANY)


@machines
@pytest.mark.parametrize("ldx", [None, RUNTIME])
def test_several_rows_of_a_block_at_a_time(target, ldx, request):
    """Every remainder of rows beside the four of a loop's body is right, in whole blocks of columns and in the rest."""
    server, machine = server_for(target, request), MACHINES[target]
    vector = machine.vector_bits // 32
    deep = []
    for m, vectors in product(range(1, 11), (5, 8, 13)):
        spec = reduce_spec("sum", m, vectors * vector - 1, axis=0, squared=True, ldx=ldx)
        deep.append(Kernel(spec, machine).plan.steps_per_turn)
        one(spec, SIDES[m % 2], m, target, server)
    assert max(deep) > 1


@machines
@pytest.mark.parametrize("name", ["sum", "max"])
@pytest.mark.parametrize("ldx", [None, RUNTIME])
def test_rows_asked_for_in_advance(target, name, ldx, request):
    """A matrix larger than L1 is prefetched if the hardware prefetchers do not follow a walk from row to row."""
    follows = MACHINES[target]
    leads = replace(follows, follows_rows=False)
    spec = reduce_spec(name, 2 + follows.l1d // 1000, 250, axis=0, ldx=ldx)
    assert Kernel(spec, leads).plan.prefetches and not Kernel(spec, follows).plan.prefetches
    one(spec, SIDES[ldx is None], 5, leads, server_for(target, request))


@machines
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("squared", [False, True])
def test_rounding(target, axis, squared, request):
    """|error| <= k u / (1 - k u) sum |terms| for k terms in any order (Higham, theorem 4.4), with u = 2^-24."""
    m, n = 23, 331
    spec = reduce_spec("sum", m, n, axis=axis, squared=squared)
    x = np.random.default_rng(4).standard_normal((m, n)).astype(np.float32)
    (y,) = run(spec, target, x, [], server_for(target, request), "end")
    terms = x.astype(np.float64) ** (2 if squared else 1)
    k = {0: m, 1: n, None: m * n}[axis] + squared
    bound = k * 2.0**-24 / (1 - k * 2.0**-24) * np.abs(terms).sum(axis=axis)
    assert (np.abs(y - terms.sum(axis=axis)) <= bound).all()


@machines
@pytest.mark.parametrize("name", ["max", "min", "absmax"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_special_values(target, name, axis, request):
    """Any NaN gives NaN, infinities and signed zeros are ordered, and a row of the identity element gives that
    element."""
    server = server_for(target, request)
    specials = [np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 1.0]
    rng = np.random.default_rng(5)
    x = rng.choice(specials, (9, 37)).astype(np.float32)
    x[2], x[:, 5] = -np.inf, -np.inf
    x[4, 36] = x[6, 0] = x[8, 17] = np.nan
    spec = reduce_spec(name, *x.shape, axis=axis)
    (y,) = run(spec, target, x, [], server, "end")
    np.testing.assert_array_equal(y, np.atleast_1d(UFUNC[name].reduce(np.abs(x) if name == "absmax" else x, axis=axis)))
    zeros = np.where(rng.integers(0, 2, (3, 21)) == 1, np.float32(0), np.float32(-0.0)).astype(np.float32)
    spec = reduce_spec(name, *zeros.shape, axis=1)
    (y,) = run(spec, target, zeros, [], server, "end")
    assert (np.signbit(y) == (name == "min")).all()


@machines
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_one_special_value_at_every_place(target, name, dtype, request):
    """Each position takes a NaN of either sign among numbers, or a zero of one sign among zeros of the other."""
    server, to = server_for(target, request), numpy_dtype(dtype)
    wins = 0.0 if name == "max" else -0.0
    for n in (5, 35):  # whole vectors and tails, in pairs and alone
        numbers = np.random.default_rng(n).standard_normal((n + 1, n))
        for nan in (np.nan, -np.nan):
            x = numbers.astype(to)
            np.fill_diagonal(x, nan)  # the last row has none
            (y,) = run(reduce_spec(name, n + 1, n, axis=1, dtype=dtype), target, x, [], server, "end")
            assert np.isnan(y[:n]).all() and y[n] == UFUNC[name].reduce(x[n])
            (y,) = run(reduce_spec(name, n, n + 1, axis=0, dtype=dtype), target, x.T.copy(), [], server, "end")
            assert np.isnan(y[:n]).all() and y[n] == UFUNC[name].reduce(x[n])
            (y,) = run(reduce_spec(name, n + 1, n, dtype=dtype), target, x, [], server, "end")
            assert np.isnan(y).all()
            rows = np.arange(n + 1)[:, None]
            x = np.where(rows % 3 == 0, numbers, x).astype(to)  # rows with and without NaN side by side
            (y,) = run(reduce_spec(name, n + 1, n, axis=1, dtype=dtype), target, x, [], server, "end")
            np.testing.assert_array_equal(y, UFUNC[name].reduce(x, axis=1))
        x = np.full((n, n), -wins, to)
        np.fill_diagonal(x, wins)
        for axis in (0, 1, None):
            (y,) = run(reduce_spec(name, n, n, axis=axis, dtype=dtype), target, x.copy(), [], server, "end")
            assert (y == 0).all() and (np.signbit(y) == np.signbit(wins)).all()


@st.composite
def searches(draw: st.DrawFn) -> ReduceSpec:
    axis = draw(st.sampled_from([0, 1, None]))
    lengths = st.one_of(st.integers(1, 40), st.sampled_from([64, 127, 129, 300]), st.integers(500, 2500))
    m, n = draw(st.integers(1, 9)), draw(lengths)
    ldx = None if axis is None else draw(st.sampled_from([None, n + 5, RUNTIME]))
    name, dtype = draw(st.sampled_from(list(SEARCHES))), draw(st.sampled_from(TYPES))
    squared = dtype != "i64" and draw(st.booleans())
    return reduce_spec(name, m, n, axis=axis, dtype=dtype, ldx=ldx, squared=squared)


@machines
def test_places(target, request):
    """The first of many equal elements counts, as in numpy. There are few different values, NaN and infinities among
    them."""
    server = server_for(target, request)

    @settings(max_examples=FEW)
    @given(searches(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def test(spec: ReduceSpec, side: str, seed: int) -> None:
        rng = np.random.default_rng(seed)
        to = numpy_dtype(spec.dtype)
        values: list[float] = [0, 1, 2, 100]
        if to.kind not in "iu":
            values += [-np.inf, np.inf, -3.5] + [np.nan] * (seed % 2)
        kept = rng.choice(values, rng.integers(1, len(values) + 1), replace=False)  # sometimes a single value
        x = rng.choice(kept, (spec.m, spec.n)).astype(to)
        (y,) = run(spec, target, strided(x, spec.n + 3 if spec.ldx is RUNTIME else spec.ldx), [], server, side)
        find = np.argmax if spec.name == "argmax" else np.argmin
        wide = x.astype(np.float64)  # its squares are exact in f32 too
        np.testing.assert_array_equal(y, np.atleast_1d(find(wide * wide if spec.squared else wide, axis=spec.axis)))

    test()


@machines
@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "bf16"])
def test_a_place_anywhere_in_a_long_row(target, dtype, request):
    """The extremum lies in every lane, in the first and last vectors of blocks, and where the last block overlaps
    another, with equal elements after it. A NaN among numbers is found too, also in a row that begins with an
    infinity."""
    server, to, machine = server_for(target, request), numpy_dtype(dtype), MACHINES[target]
    vector = machine.vector_bits // (64 if dtype == "f64" else 32)
    rng = np.random.default_rng(7)
    for n in (33 * vector, 34 * vector + 3, 131 * vector + vector // 2):
        places = sorted({*range(vector), *range(n - vector - 3, n), *rng.integers(0, n, 30).tolist()})
        x = rng.integers(-100, 100, (len(places), n)).astype(to)
        for row, place in zip(x, places):
            row[place:] = np.where(rng.integers(0, 9, n - place) == 0, to.type(120), row[place:])
            row[place] = 120
        nan = x.copy()
        if dtype != "i32":
            nan[np.arange(len(places)), places] = np.nan
            nan[:, 0] = np.where(np.arange(len(places)) % 2 == 0, nan[:, 0], np.inf)
        for number, (name, each) in enumerate((("argmax", x), ("argmin", -nan), ("argmin", -x), ("argmax", nan))):
            if not is_soak() and (number + n + len(target)) % 2:
                continue  # two of the four, others for other lengths and types
            spec = reduce_spec(name, *each.shape, axis=1, dtype=dtype)
            plan = Kernel(spec, machine).plan
            assert plan.searches_blocks or plan.exact is not None
            wanted = getattr(np, name)(each.astype(np.float64), axis=1)
            np.testing.assert_array_equal(run(spec, target, each, [], server, "end")[0], wanted)
            row = len(places) // 2
            (y,) = run(reduce_spec(name, 1, n, dtype=dtype), target, each[row : row + 1], [], server, "start")
            assert y[0] == wanted[row]


@pytest.mark.parametrize("target", ["avx512"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_a_quick_search_meets_a_nan(target, dtype, request):
    """A NaN is found in every row and column, in whole vectors and tails, after infinities and before another NaN."""
    server, to = server_for(target, request), numpy_dtype(dtype)
    for m, n in ((6, 8), (7, 41), (16, 71), (9, 16)):
        x = np.random.default_rng(n).integers(-3, 4, (m, n)).astype(to)
        x[0, ::3], x[1, ::4] = np.inf, -np.inf
        places = np.arange(n) % m
        one_each = x.copy()
        one_each[places, np.arange(n)] = np.nan
        twice = one_each.copy()
        twice[-1, :] = np.nan
        alone = x.copy()
        alone[m // 2, n - 1] = -np.nan
        for name, each, axis, squared in product(SEARCHES, (x, one_each, twice, alone), (0, 1), (False, True)):
            if squared and not (each is alone or is_soak()):
                continue
            spec = reduce_spec(name, m, n, axis=axis, dtype=dtype, squared=squared)
            assert Kernel(spec, MACHINES[target]).plan.exact is not None
            (y,) = run(spec, target, each, [], server, SIDES[n % 2])
            np.testing.assert_array_equal(y, getattr(np, name)(each * each if squared else each, axis=axis))


@pytest.mark.parametrize("target", NATIVE)
@both_sides
def test_accumulating_in_place(target, side):
    kernel = ts.reduce("sum", 6, 50, axis=0, init=True, target=target)
    x = np.arange(300, dtype=np.float32).reshape(6, 50)
    y = guarded(np.full(50, 7, np.float32), side)
    kernel(x, y, y)
    np.testing.assert_array_equal(y, x.sum(axis=0) + 7)
    check_canary(y)


def test_by_hand():
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    assert ts.reduce("sum", 2, 3, axis=0)(x).tolist() == [5, 7, 9]
    assert ts.reduce("sum", 2, 3, axis=1)(x).tolist() == [6, 15]
    assert ts.reduce("sum", 2, 3)(x).tolist() == [21]
    assert ts.reduce("product", 2, 3, axis=1)(x).tolist() == [6, 120]
    y, y2 = np.zeros(3, np.float32), np.zeros(3, np.float32)
    ts.reduce("sum", 2, 3, axis=0, squared="both")(x, y, y2)
    assert y.tolist() == [5, 7, 9] and y2.tolist() == [17, 29, 45]
    signed = np.array([[1, -6, 3], [-4, 5, 6]], np.float32)
    assert ts.reduce("argmax", 2, 3, axis=1, squared=True)(signed).tolist() == [1, 2]
    assert ts.reduce("argmin", 2, 3, squared=True)(signed).tolist() == [0]
    half = x.astype(ml_dtypes.bfloat16)
    assert ts.reduce("max", 2, 3, axis=1, dtype="bf16")(half).tolist() == [3, 6]


REFUSED = [
    (ValueError, "name", lambda: reduce_spec("median", 2, 2)),
    (ValueError, "axis", lambda: reduce_spec("sum", 2, 2, axis=2)),
    (ts.UnsupportedError, "squared", lambda: reduce_spec("argmax", 2, 2, squared="both")),
    (TypeError, "init", lambda: reduce_spec("sum", 2, 2, init=1)),
    (ValueError, "dtype", lambda: reduce_spec("sum", 2, 2, dtype="f31")),
    (ts.UnsupportedError, "dtype", lambda: reduce_spec("sum", 2, 2, dtype="u32")),
    (ValueError, "compute", lambda: reduce_spec("sum", 2, 2, compute="f16")),
    (ValueError, "m", lambda: reduce_spec("sum", 0, 2)),
    (ValueError, "ldx", lambda: reduce_spec("sum", 2, 5, ldx=4)),
    (ts.UnsupportedError, "init", lambda: reduce_spec("argmax", 2, 5, init=True)),
    (ts.UnsupportedError, "out", lambda: reduce_spec("argmax", 2, 5, out="i64")),
    (ts.UnsupportedError, "ldx", lambda: reduce_spec("argmax", 2, 5, ldx=6)),
    (ts.UnsupportedError, "indices are i32", lambda: reduce_spec("argmin", 1 << 16, (1 << 15) + 1)),
    (TypeError, "dtype: an element type", lambda: reduce_spec("sum", 2, 2, dtype=["f32"])),
]


@pytest.mark.parametrize("error, argument, ask", REFUSED)
def test_refusals(error, argument, ask):
    with pytest.raises(error, match=argument):
        ask()
