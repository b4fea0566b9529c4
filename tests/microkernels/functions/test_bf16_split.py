"""Halves of f32 and sums of bf16 have the right bits on every machine; so do replicated columns."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check, elements, floats, run, strided
from tests.guard import both_sides
from tests.kernel_runs import server_for
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

machines = pytest.mark.parametrize("name", MACHINES)
BF16 = np.dtype(ml_dtypes.bfloat16)


@machines
@both_sides
@pytest.mark.parametrize("upper", ["bf16", "u16"])
@pytest.mark.parametrize("n", [1, 7, 16, 37, 64, 150])
def test_unpack_and_pack(name, request, side, upper, n):
    """Every bit is recovered, including those of NaN."""
    server, target = server_for(name, request), MACHINES[name]
    x = strided(floats("f32", (3, n), np.random.default_rng(n)), n + 2)
    word = x.view(np.uint32)
    high = (word >> np.uint32(16)).astype(np.uint16).view(numpy_dtype(upper))
    low = word.astype(np.uint16)
    found = run(primitive("unary", "unpack", 3, n, out=(upper, "u16"), ldx=n + 2), target, {"x": x}, server, side)
    assert (found[0].view(np.uint16) == high.view(np.uint16)).all() and (found[1] == low).all()
    spec = primitive(
        "binary", "pack", 3, n, dtype=(upper, "u16"), **({"compute": "i32"} if upper == "u16" else {}), out="f32"
    )
    (back,) = run(spec, target, {"x0": high, "x1": low}, server, side)
    assert (back.view(np.uint32) == word).all()


@machines
def test_sums_of_bf16(name, request):
    server, target = server_for(name, request), MACHINES[name]
    rng = np.random.default_rng(3)
    x = np.concatenate([floats("f32", (2, 200), rng), rng.standard_normal((2, 200), np.float32)], axis=1)
    parts = run(primitive("unary", "split3", 2, 400), target, {"x": x}, server, "end")
    with np.errstate(all="ignore"):
        sums = sum(part.astype(np.float64) for part in parts)
    whole = (np.abs(x) >= 2.0**-109) & np.isfinite(x)
    assert (sums[whole] == x[whole]).all()
    assert (sums[np.isinf(x)] == x[np.isinf(x)]).all()
    assert np.isnan(sums[np.isnan(x)]).all()
    two = run(primitive("unary", "split2", 2, 400), target, {"x": x}, server, "start")
    high = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    with np.errstate(all="ignore"):
        low = np.where(x == high, np.float32(0), x - high).astype(np.float32).astype(BF16)
    with np.errstate(invalid="ignore"):
        check(two, [high.astype(BF16), low])
    error = np.abs(two[0][whole].astype(np.float64) + two[1][whole].astype(np.float64) - x[whole])
    assert (error <= 2.0**-16 * np.abs(x[whole])).all()


@machines
@both_sides
@pytest.mark.parametrize("dtype", ["f64", "f32", "bf16", "f16", "i32", "i16", "u8", "i64"])
def test_replicate_columns(name, request, side, dtype):
    x = elements(dtype, (5, 1), np.random.default_rng(2))
    for n in (1, 3, 31, 64):
        spec = primitive("unary", "replicate_columns", 5, n, dtype=dtype, ldy=n + 1)
        found = run(spec, MACHINES[name], {"x": x}, server_for(name, request), side)
        check(found, [np.repeat(x, n, axis=1)])


def test_calls():
    x = np.array([[1.00390625, 3.1415927]], np.float32)
    high, low = np.empty((1, 2), BF16), np.empty((1, 2), np.uint16)
    ts.unary("unpack", 1, 2)(x, high, low)
    assert (ts.binary("pack", 1, 2)(high, low) == x).all()
    assert ts.unary("replicate_columns", 2, 3)(np.array([[1], [2]], np.float32)).tolist() == [[1, 1, 1], [2, 2, 2]]
    with pytest.raises(UnsupportedError, match="unpack: splits an f32"):
        ts.unary("unpack", 4, 4, out="i8")
    with pytest.raises(UnsupportedError, match="unpack: splits an f32"):
        ts.unary("unpack", 4, 4, dtype="f64")
    with pytest.raises(UnsupportedError, match='split2: splits an f32 into bf16 parts, not f64; compute="f32" rounds'):
        ts.unary("split2", 4, 4, dtype="f64")
    with pytest.raises(UnsupportedError, match="split3: splits an f32 into bf16 parts, not i32"):
        ts.unary("split3", 4, 4, dtype="i8")
    with pytest.raises(UnsupportedError, match="pack: dtype is"):
        ts.binary("pack", 4, 4, dtype="i8")


def test_low_halves_are_integers():
    """A packed u16 is never converted to a float on any of these targets."""
    for target in ("avx2", "avx512", "neon"):
        listing = ts.equation(
            ts.pack, high=(4, 32), low=(4, 32), dtype={"high": "bf16", "low": "u16"}, out="f32", target=target
        ).listing()
        assert not any(name in listing for name in ("vcvt", "ucvtf", "scvtf", "fcvtz")), target
