"""Quantization has numpy's bits on every machine: per matrix, row and column, for all integer types, and for ties."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check, floats, run, sizes, strided
from tests.guard import SIDES
from tests.kernel_runs import few_and_many, server_for
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]

FEW, MANY = 12, 25
machines = pytest.mark.parametrize("name", MACHINES)
SHAPES = {"scalar": lambda m, n: (1, 1), "row": lambda m, n: (1, n), "col": lambda m, n: (m, 1)}
WHOLE = ("i8", "u8", "i16", "u16")


def quantized(x: Array, scale: Array, zero: Array, out: str) -> Array:
    """Quantize by definition: the quotient in the scale's type, the rest in f64, which is exact."""
    info = np.iinfo(numpy_dtype(out))
    with np.errstate(all="ignore"):
        whole = np.rint(x.astype(scale.dtype) / scale).astype(np.float64) + zero
    return np.clip(np.where(np.isnan(whole), 0, whole), info.min, info.max).astype(info.dtype)


def dequantized(q: Array, scale: Array, zero: Array, out: str) -> Array:
    whole = q.astype(np.int64) - zero.astype(np.int64)
    with np.errstate(all="ignore"):
        return (whole.astype(scale.dtype) * scale).astype(numpy_dtype(out))


def numbers(dtype: str, m: int, n: int, rng: np.random.Generator) -> Array:
    """Return ordinary numbers, multiples of one half, which are ties for powers of two as scales, and special
    values."""
    x = floats(dtype, (m, n), rng)
    halves = (rng.integers(-700, 700, (m, n)) / 2).astype(x.dtype)
    return np.where(rng.integers(0, 2, (m, n)) == 1, halves, x).astype(x.dtype)


def scales(shape: tuple[int, int], rng: np.random.Generator, dtype: Any = np.float32) -> Array:
    """Return scales: powers of two, which produce ties, and others."""
    powers = 2.0 ** rng.integers(-3, 4, shape)
    return np.where(rng.integers(0, 2, shape) == 1, powers, rng.uniform(0.01, 9, shape)).astype(dtype)


@st.composite
def requests(draw: st.DrawFn) -> tuple[dict[str, Any]]:
    case = {
        "m": draw(st.integers(1, 6)),
        "n": draw(sizes),
        "way": draw(st.sampled_from(list(SHAPES))),
        "whole": draw(st.sampled_from(WHOLE)),
        "real": draw(st.sampled_from(["f32", "f64", "bf16", "f16"])),
        "count": draw(st.sampled_from([2, 3])),
        "gap": draw(st.sampled_from([0, 0, 7])),
        "side": draw(st.sampled_from(SIDES)),
        "seed": draw(st.integers(0, 1 << 20)),
    }
    return (case,)


def one(case: dict[str, Any], name: str, server: Any) -> None:
    m, n, way, whole, count = (case[each] for each in ("m", "n", "way", "whole", "count"))
    rng, kind = np.random.default_rng(case["seed"]), {2: "binary", 3: "ternary"}[case["count"]]
    shape = SHAPES[way](m, n)
    info = np.iinfo(numpy_dtype(whole))
    scale = scales(shape, rng, np.float64 if case["real"] == "f64" else np.float32)
    zero = rng.integers(info.min, info.max, shape, np.int32, endpoint=True) if count == 3 else np.zeros(shape, np.int32)
    x = numbers(case["real"], m, n, rng)
    leading = {"ldx0": n + case["gap"]}
    spec = primitive(kind, "quantize", m, n, bcast=way, dtype=case["real"], out=whole, **leading)
    arrays = {"x0": strided(x, n + case["gap"]), "x1": scale, "x2": zero}
    target = MACHINES[name]
    found = run(spec, target, arrays, server, case["side"])
    check(found, [quantized(x, scale, zero, whole)])
    q = rng.integers(info.min, info.max, (m, n), info.dtype, endpoint=True)
    spec = primitive(kind, "dequantize", m, n, bcast=way, dtype=whole, out=case["real"], **leading)
    found = run(spec, target, arrays | {"x0": strided(q, n + case["gap"])}, server, case["side"])
    check(found, [dequantized(q, scale, zero, case["real"])])


test_some, test_many = few_and_many(requests(), one, FEW, MANY)


@machines
@pytest.mark.parametrize("whole", WHOLE)
def test_numbers_in_the_kernel(name, request, whole):
    """If scale and zero point are constants of a unary kernel, every integer is recovered."""
    server = server_for(name, request)
    info = np.iinfo(numpy_dtype(whole))
    q = np.linspace(info.min, info.max, 256).astype(info.dtype).reshape(2, 128)
    zero = 3
    back = run(
        primitive("unary", "dequantize", 2, 128, dtype=whole, scale=0.1, zero=zero),
        MACHINES[name],
        {"x": q},
        server,
        "end",
    )
    check(back, [dequantized(q, np.float32(0.1), np.array(zero), "f32")])
    again = run(
        primitive("unary", "quantize", 2, 128, out=whole, scale=0.1, zero=zero),
        MACHINES[name],
        {"x": back[0]},
        server,
        "start",
    )
    check(again, [q])


@machines
@pytest.mark.parametrize("whole", WHOLE)
def test_f64_with_numbers_in_the_kernel(name, request, whole):
    """The scale is an f64, and quotients just below a tie, which f32 would round to the tie, are rounded correctly."""
    server = server_for(name, request)
    info, scale = np.iinfo(numpy_dtype(whole)), 0.1
    q = np.linspace(info.min, info.max, 256).astype(info.dtype).reshape(2, 128)
    spec = primitive("unary", "dequantize", 2, 128, dtype=whole, out="f64", scale=scale, zero=3)
    (back,) = run(spec, MACHINES[name], {"x": q}, server, "end")
    check([back], [dequantized(q, np.array(scale), np.array(3), "f64")])
    beside = np.concatenate([back, back + scale * (0.5 - 2.0**-30), back + scale * (0.5 + 2.0**-30)], axis=1)
    spec = primitive("unary", "quantize", *beside.shape, dtype="f64", out=whole, scale=scale, zero=3)
    (again,) = run(spec, MACHINES[name], {"x": beside}, server, "start")
    check([again], [quantized(beside, np.array(scale), np.array(3), whole)])
    above = np.minimum(q.astype(np.int64) + 1, info.max).astype(info.dtype)
    assert (again == np.concatenate([q, q, above], axis=1)).all()


@machines
def test_f64_by_f32_scales(name, request):
    """With f64 elements and f32 scales, the quotient is rounded to f64."""
    server = server_for(name, request)
    rng = np.random.default_rng(4)
    x, scale = numbers("f64", 3, 50, rng), scales((3, 1), rng)
    spec = primitive("binary", "quantize", 3, 50, dtype=("f64", "f32"), out="u8", bcast="col")
    found = run(spec, MACHINES[name], {"x0": x, "x1": scale}, server, "end")
    check(found, [quantized(x, scale.astype(np.float64), np.zeros((3, 1)), "u8")])


def test_special_values():
    """Ties go to even, results are saturated at both ends, and infinities and NaN are converted as documented."""
    x = np.array([[0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 1e30, -1e30, np.inf, -np.inf, np.nan]], np.float32)
    scale, zero = np.ones((1, 1), np.float32), np.full((1, 1), 1, np.int32)
    found = ts.ternary("quantize", 1, 12)(x, scale, zero)
    assert found.tolist() == [[1, 3, 3, 1, -1, 127, 127, 127, -128, 127, -128, 0]]
    assert found.dtype == np.int8
    unsigned = ts.ternary("quantize", 1, 12, out="u8")(x, scale, zero)
    assert unsigned.tolist() == [[1, 3, 3, 1, 0, 127, 129, 255, 0, 255, 0, 0]]


def test_against_the_exact_quotient():
    """If the exact quotient is not a tie, rounding it to f32 first does not change the integer. Rational numbers check
    this."""
    rng = np.random.default_rng(7)
    x, scale = rng.uniform(-40, 40, (1, 500)).astype(np.float32), np.array([[0.37]], np.float32)
    found = ts.binary("quantize", 1, 500)(x, scale)
    for value, q in zip(x[0], found[0]):
        exact = round(Fraction(float(value)) / Fraction(float(scale[0, 0])))
        assert int(q) == max(-128, min(127, exact))


def test_bf16_in_and_out():
    x = np.array([[1.5, -3.25, 100]], ml_dtypes.bfloat16)
    q = ts.unary("quantize", 1, 3, dtype="bf16", out="i8", scale=0.5)(x)
    assert q.tolist() == [[3, -6, 127]]
    assert ts.unary("dequantize", 1, 3, dtype="i8", out="bf16", scale=0.5)(q).tolist() == [[1.5, -3.0, 63.5]]


def test_scale_and_zero_may_be_numpy_numbers():
    x = np.linspace(-9, 9, 12, dtype=np.float32).reshape(3, 4)
    ours = ts.unary("quantize", 3, 4, scale=np.float32(0.25), zero=np.int8(3))
    assert (ours(x) == ts.unary("quantize", 3, 4, scale=0.25, zero=3)(x)).all()


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (UnsupportedError, "out is i8", lambda: ts.ternary("quantize", 4, 4, out="i32")),
        (UnsupportedError, "out is i8", lambda: ts.unary("quantize", 4, 4, out="f32", scale=1.0)),
        (TypeError, "give scale=", lambda: ts.unary("quantize", 4, 4, out="i8")),
        (ValueError, "scale: positive", lambda: ts.unary("quantize", 4, 4, out="i8", scale=0.0)),
        (TypeError, "zero: a whole number", lambda: ts.unary("quantize", 4, 4, out="i8", scale=1.0, zero=1.5)),
        (TypeError, "zero: a whole number", lambda: ts.unary("dequantize", 4, 4, scale=1.0, zero=True)),
        (ValueError, "zero: from -16777216", lambda: ts.unary("dequantize", 4, 4, scale=1.0, zero=10**9)),
        (ValueError, "zero: from 0 to 255", lambda: ts.unary("quantize", 4, 4, out="u8", scale=1.0, zero=-1)),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
