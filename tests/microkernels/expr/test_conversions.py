"""Conversions between all pairs of element types are rounded once, on every machine, between guard pages.

The expected result is searched among all numbers of the narrow type: the nearest, or of two equally near ones the even
one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check, elements, expected, inputs_of, run, sizes, strided
from tests.guard import SIDES
from tests.kernel_runs import few_and_many, server_for
from tilesmith.microkernels.dtypes import FLOAT8
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.coverage.trial import same_bits
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.verify.definition.conversions import stored

Array = np.ndarray[Any, Any]

FEW, MANY = 20, 50
machines = pytest.mark.parametrize("name", MACHINES)
NARROW = ("bf16", "f16", *FLOAT8)
FLOATS = ("f64", "f32", *NARROW)
WHOLES = ("i64", "i32", "i16", "u16", "i8", "u8")
REFUSED = {(of, "i64") for of in ("f32", *NARROW)}
"""These pairs are refused, because their default arithmetic is f32, which has no i64; compute="f64" converts them."""
EXACT = np.longdouble  # holds every f64 and every i64


@cache
def table(dtype: str) -> Array:
    """Return all finite numbers from 0 up and the next one that the format would have: larger numbers round to
    infinity."""
    to = numpy_dtype(dtype)
    words = np.arange(1 << 8 * to.itemsize - 1).astype(np.dtype(f"u{to.itemsize}"))
    found = words.view(to)
    with np.errstate(invalid="ignore"):
        found = found[np.isfinite(found)].astype(EXACT)
    return np.append(found, 2 * found[-1] - found[-2])


def nearest(x: Array, dtype: str) -> Array:
    """Return x rounded to a narrow float, by definition."""
    to, numbers = numpy_dtype(dtype), table(dtype)
    exact = x.astype(EXACT)
    size = np.minimum(np.where(np.isnan(exact), 0, np.abs(exact)), numbers[-1])
    below = np.clip(np.searchsorted(numbers, size, "right") - 1, 0, len(numbers) - 2)
    middle = (numbers[below] + numbers[below + 1]) / 2
    up = (size > middle) | ((size == middle) & (below % 2 == 1))
    word = np.where(np.isnan(exact), 0, below + up).astype(np.dtype(f"u{to.itemsize}"))
    found = np.copysign(word.view(to).astype(np.float64), exact.astype(np.float64)).astype(np.float32).astype(to)
    return np.where(np.isnan(exact), np.array(np.nan, to), found).astype(to)


def held(x: Array, dtype: str) -> Array:
    """Return the nearest integer, ties to even, saturated to the range of a type."""
    info = np.iinfo(numpy_dtype(dtype))

    def one(value: Any) -> int:
        if value != value:
            return 0
        if abs(value) == float("inf"):
            return int(info.max if value > 0 else info.min)
        return max(info.min, min(info.max, round(value)))

    wide = x if x.dtype.kind in "iu" else x.astype(np.float64)
    return np.array([one(value) for value in wide.ravel().tolist()], numpy_dtype(dtype)).reshape(x.shape)


def wanted(x: Array, of: str, to: str, compute: str | None = None) -> Array:
    """Return the result of a conversion by definition."""
    with np.errstate(all="ignore"):
        if compute == "f32":
            x = x.astype(np.float32)
        if to in WHOLES:
            return held(x, to)
        if to in NARROW:
            return nearest(x.astype(np.float32) if of in WHOLES[1:] else x, to)
        return x.astype(numpy_dtype(to))


def values(of: str, to: str, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Return numbers of a type, many of them midpoints of the other type or numbers very close to one."""
    x = elements(of, shape, rng)
    if of not in ("f64", "f32", "i64"):
        return x
    if to in NARROW:
        numbers = table(to)
        at = rng.integers(0, len(numbers) - 1, shape)
        hard = ((numbers[at] + numbers[at + 1]) / 2).astype(np.float64)
        beside = rng.choice(np.array([0.0, 0.0, 2.0**-26, -(2.0**-26), 2.0**-45, -(2.0**-45), 2.0**-52]), shape)
        hard = (hard + hard * beside) * rng.choice(np.array([1.0, -1.0]), shape)
    elif to in WHOLES:
        info = np.iinfo(numpy_dtype(to))
        ends = rng.choice(np.array([info.min, info.max, 0], np.float64), shape)
        hard = ends + rng.integers(-5, 6, shape) / 2 * rng.choice(np.array([1.0, 2.0**-30, 2.0**11]), shape)
    else:
        odd = rng.integers(1 << 23, 1 << 24, shape) * 2.0 + 1  # midpoints of f32
        beside = rng.choice(np.array([1.0, 1 + 2.0**-50, 1 - 2.0**-50]), shape)
        hard = odd * 2.0 ** rng.integers(-180, 105, shape) * beside
    with np.errstate(all="ignore"):  # numbers beyond the range of f32
        if of == "i64":
            near = np.where(np.abs(hard) < 2.0**62, hard, 0).astype(np.int64)
            far = x >> rng.integers(0, 62, shape)
            big = rng.integers(1 << 7, 1 << 8, shape) * 2 + 1 << rng.integers(44, 54, shape)  # midpoints of bf16
            hard = np.choose(rng.integers(0, 3, shape), [near, far, big + rng.integers(-1, 2, shape)])
        return np.where(rng.integers(0, 3, shape) > 0, hard, x).astype(x.dtype)


@st.composite
def requests(draw: st.DrawFn) -> tuple[dict[str, Any]]:
    pairs = [(of, to) for of in FLOATS + WHOLES for to in FLOATS + WHOLES if (of, to) not in REFUSED]
    wide = [pair for pair in pairs if {"f64", "i64"} & set(pair)]
    of, to = draw(st.sampled_from(wide + pairs))
    compute = draw(st.sampled_from([None, "f32"])) if of in FLOATS and to in FLOATS else None
    return (
        {
            "of": of,
            "to": to,
            "compute": compute,
            "m": draw(st.integers(1, 4)),
            "n": draw(sizes),
            "gaps": draw(st.tuples(*[st.sampled_from([0, 0, 1, 7])] * 2)),
            "side": draw(st.sampled_from(SIDES)),
            "seed": draw(st.integers(0, 1 << 20)),
        },
    )


def one(case: dict[str, Any], name: str, server: Any) -> None:
    of, to, m, n = (case[each] for each in ("of", "to", "m", "n"))
    x = values(of, to, (m, n), np.random.default_rng(case["seed"]))
    spec = primitive(
        "unary",
        "identity",
        m,
        n,
        dtype=of,
        out=to,
        compute=case["compute"],
        ldx=n + case["gaps"][0],
        ldy=n + case["gaps"][1],
    )
    found = run(spec, MACHINES[name], {"x": strided(x, n + case["gaps"][0])}, server, case["side"])
    if of != to or case["compute"]:
        check(found, [wanted(x, of, to, case["compute"])])
    else:
        check(found, [x])


test_some, test_many = few_and_many(requests(), one, FEW, MANY)


@machines
@pytest.mark.parametrize("of", ["f64", "i64"])
def test_every_pair_with_a_wide_type(name, of, request):
    """One kernel per pair converts in each direction."""
    server, rng = server_for(name, request), np.random.default_rng(3)
    for pair in [(of, to) for to in FLOATS + WHOLES] + [(to, of) for to in FLOATS + WHOLES]:
        if pair in REFUSED:
            with pytest.raises(UnsupportedError, match='compute="f64" converts'):
                primitive("unary", "identity", 3, 77, dtype=pair[0], out=pair[1]).expressions()
            continue
        x = values(*pair, (3, 77), rng)
        spec = primitive("unary", "identity", 3, 77, dtype=pair[0], out=pair[1], ldy=80)
        check(run(spec, MACHINES[name], {"x": x}, server, "end"), [wanted(x, *pair)])


@machines
@pytest.mark.parametrize("of", ["f32", *NARROW])
def test_floats_to_i64_by_f64(name, of, request):
    x = elements(of, (2, 41), np.random.default_rng(1))
    spec = primitive("unary", "identity", 2, 41, dtype=of, out="i64", compute="f64")
    check(run(spec, MACHINES[name], {"x": x}, server_for(name, request), "start"), [wanted(x, of, "i64")])


@machines
@pytest.mark.parametrize("to", NARROW)
def test_every_middle(name, to, request):
    """The f64 values are every number of a narrow type, every midpoint between two, and both neighbours of each
    midpoint."""
    numbers = table(to).astype(np.float64)
    middles = (numbers[:-1] + numbers[1:]) / 2
    x = np.concatenate([numbers, middles, np.nextafter(middles, 0), np.nextafter(middles, np.inf)])
    x = np.concatenate([x, -x, [np.inf, -np.inf, np.nan, 5e-324, 1e308]])[None]
    spec = primitive("unary", "identity", *x.shape, dtype="f64", out=to)
    found = run(spec, MACHINES[name], {"x": x}, server_for(name, request), "end")
    check(found, [nearest(x, to)])
    if to == "f16":
        with np.errstate(over="ignore"):
            check(found, [x.astype(np.float16)])  # numpy rounds once


@machines
@pytest.mark.parametrize("of", NARROW)
def test_every_narrow_number_is_an_f64_exactly(name, of, request):
    to = numpy_dtype(of)
    x = np.arange(1 << 8 * to.itemsize).astype(np.dtype(f"u{to.itemsize}")).view(to)[None]
    spec = primitive("unary", "identity", *x.shape, dtype=of, out="f64", compute="f64")
    with np.errstate(invalid="ignore"):  # signaling NaN
        check(run(spec, MACHINES[name], {"x": x}, server_for(name, request), "end"), [x.astype(np.float64)])


@machines
def test_emulated(name):
    """The emulator implements every instruction of these kernels."""
    rng = np.random.default_rng(6)
    for of, to, compute in [
        *(("f64", to, None) for to in FLOATS + WHOLES),
        *((of, "f64", None) for of in FLOATS + WHOLES),
        ("f64", "f64", "f32"),
        ("i64", "bf16", None),
        ("i64", "i16", None),
        ("i32", "i64", None),
    ]:
        x = values(of, to, (1, 19), rng)
        made = Kernel(primitive("unary", "identity", 1, 19, dtype=of, out=to, compute=compute), MACHINES[name])
        check([made.run(x)], [wanted(x, of, to, compute) if of != to or compute else x])


def test_where_rounding_twice_is_wrong():
    """1 + 2^-8 + 2^-40 lies above the midpoint of two bf16 numbers. Rounded to f32 it equals the midpoint, which rounds
    to the even number."""
    x = np.array([[1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11 + 2.0**-40]])
    assert ts.unary("identity", 1, 2, dtype="f64", out="bf16")(x).astype(float).tolist()[0][0] == 1 + 2.0**-7
    assert ts.unary("identity", 1, 2, dtype="f64", out="f16")(x).tolist()[0][1] == 1 + 2.0**-10
    twice = ts.unary("identity", 1, 2, dtype="f64", out="bf16", compute="f32")(x).astype(float)
    assert twice.tolist()[0][0] == 1.0


def test_the_model_of_the_stores_agrees():
    """`converted`, the model of stores in other tests, also rounds once."""
    for of, to in ((of, to) for of in ("f64", "i64") for to in (*NARROW, *WHOLES)):
        x = values(of, to, (8, 300), np.random.default_rng(5))
        assert same_bits(stored(x, to), wanted(x, of, to)).all(), (of, to)


# Arithmetic with elements of other types


@st.composite
def sums(draw: st.DrawFn) -> tuple[dict[str, Any]]:
    compute = draw(st.sampled_from(["f64", "f32", "i64"]))
    types = {"f64": FLOATS + WHOLES, "f32": ("f64", "f32", *NARROW, *WHOLES[1:]), "i64": WHOLES}[compute]
    outs = {"f64": FLOATS + WHOLES, "f32": (*FLOATS, *WHOLES[1:]), "i64": WHOLES + FLOATS}[compute]
    ways = draw(st.tuples(*[st.sampled_from([None, None, "row", "col", "scalar"])] * 2))
    return (
        {
            "compute": compute,
            "dtype": draw(st.tuples(*[st.sampled_from(types)] * 2)),
            "ways": ways,
            "out": draw(st.sampled_from(outs)),
            "m": draw(st.integers(1, 9)),
            "n": draw(sizes),
            "name": draw(st.sampled_from(["add", "sub", "max", "lt"])),
            "gap": draw(st.sampled_from([0, 0, 3])),
            "side": draw(st.sampled_from(SIDES)),
            "seed": draw(st.integers(0, 1 << 20)),
        },
    )


def one_sum(case: dict[str, Any], name: str, server: Any) -> None:
    """Check one binary function: numpy evaluates the expression, and `converted`, which was compared above, stores
    it."""
    out = None if case["name"] == "lt" else case["out"]
    spec = primitive(
        "binary",
        case["name"],
        case["m"],
        case["n"],
        dtype=case["dtype"],
        out=out,
        bcast=case["ways"],
        compute=case["compute"],
        ldy=case["n"] + case["gap"],
    )
    arrays = inputs_of(spec, np.random.default_rng(case["seed"]))
    check(run(spec, MACHINES[name], arrays, server, case["side"]), expected(spec, arrays))


test_some_sums, test_many_sums = few_and_many(sums(), one_sum, FEW, MANY)


@machines
def test_masks_beside_wider_elements(name, request):
    """Bits of comparisons in f32 of f64 operands, and the selection by these bits, are correct."""
    server = server_for(name, request)
    spec = primitive("unary", "relu_mask", 5, 43, dtype="f64", compute="f32", out=("f64", "bits"))
    arrays = inputs_of(spec, np.random.default_rng(2))
    found = run(spec, MACHINES[name], arrays, server, "end")
    check(found, expected(spec, arrays))
    spec = primitive("ternary", "blend", 5, 43, dtype=("f64", "bf16", "bits"), compute="f32", out="f64")
    arrays = inputs_of(spec, np.random.default_rng(3))
    check(run(spec, MACHINES[name], arrays, server, "start"), expected(spec, arrays))


@pytest.mark.parametrize(
    ("match", "ask"),
    [
        ('f64 computed in i32.*compute="f32" takes', lambda: ts.binary("add", 4, 4, dtype="f64", compute="i32")),
        ("i64 computed in f32", lambda: ts.binary("add", 4, 4, dtype="i64", out="f32", compute="f32")),
        ('stored as i64.*compute="f64" converts', lambda: ts.unary("relu", 4, 4, dtype="bf16", out="i64")),
        (
            "bias: f64 is wider than f32",
            lambda: ts.brgemm(8, 8, 8, epilogue=lambda c, bias: c + bias, operands={"bias": ("row", "f64")}),
        ),
    ],
)
def test_refusals(match, ask):
    with pytest.raises(UnsupportedError, match=match):
        ask()


def test_f64_sums_with_a_narrow_bias():
    """Epilogues load operands of the types that f64 kernels load."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 8, 8))
    bias = rng.integers(-9, 9, (1, 8)).astype(np.int8)
    mm = ts.brgemm(8, 8, 8, dtype="f64", beta=0, epilogue=lambda c, bias: c + bias, operands={"bias": ("row", "i8")})
    c = np.zeros((8, 8))
    mm(a, b, c, bias)
    np.testing.assert_allclose(c, a @ b + bias, rtol=1e-13)
