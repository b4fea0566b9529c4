"""Softmax, norms and related composites against numpy in higher precision, on every machine, natively between guard
pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.kernel_runs import MACHINES, NATIVE, runs_here
from tests.profiles import scaled
from tests.ulp.fused import peaks, softmax_ulp
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs
from tilesmith.runtime.testing.guard import SIDES

EPS = {"f32": 2.0**-24, "f64": 2.0**-53, "bf16": 2.0**-8, "f16": 2.0**-11}


def exact(name: str, x: Any, *more: Any) -> Any:
    """Return the composite of f64 operands, computed in long double."""
    x, *more = (np.asarray(each, np.longdouble) for each in (x, *more))
    if name in ("softmax", "log_softmax"):
        powers = np.exp(x - x.max(axis=1, keepdims=True))
        total = powers.sum(axis=1, keepdims=True)
        return powers / total if name == "softmax" else x - x.max(axis=1, keepdims=True) - np.log(total)
    if name == "softmax_inv":
        return more[0] * (x - (x * more[0]).sum(axis=1, keepdims=True))
    if name == "layernorm":
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * more[0] + more[1]
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6) * more[0]


NAMES = ("softmax", "softmax_inv", "log_softmax", "layernorm", "rmsnorm")
"""Other composites are in test_layers.py, test_down.py and tests/microkernels/sweeps."""
ROWS = {"layernorm": 2, "rmsnorm": 1}
MATRICES = {"softmax_inv": 2}


def operands(name: str, m: int, n: int, dtype: str, rng: np.random.Generator) -> list[Any]:
    shapes = [(m, n)] * MATRICES.get(name, 1) + [(n,)] * ROWS.get(name, 0)
    return [(rng.standard_normal(shape) * 3).astype(numpy_dtype(dtype)) for shape in shapes]


def called(kernel: Any, machine: str, arrays: list[Any], y: Any, side: str) -> Any:
    if machine not in NATIVE or runs(kernel.target):
        kernel.run(*arrays, y)
        return y
    held = [*(guarded(each, side) for each in arrays), guarded(y, side, writable=True)]
    kernel(*held)
    check_canary(held[-1])
    return held[-1]


@pytest.mark.parametrize("machine", MACHINES)
def test_every_composite(machine):
    @settings(max_examples=scaled(12, 20))
    @given(
        st.sampled_from(NAMES),
        st.sampled_from(list(EPS)),
        st.integers(1, 5),
        st.integers(1, 90),
        st.sampled_from(SIDES),
        st.integers(0, 99),
    )
    def check(name, dtype, m, n, side, seed):
        rng = np.random.default_rng(seed)
        arrays = operands(name, m, n, dtype, rng)
        kernel = ts.fused(name, m, n, dtype=dtype, target=MACHINES[machine].name)
        y = np.full((m, n), 7, numpy_dtype(dtype))
        found = called(kernel, machine, arrays, y, side).astype(np.longdouble)
        wanted = exact(name, *arrays)
        # sums of n terms as large as the largest element, and the rounding of the result
        size = np.abs(wanted).max() + (np.abs(arrays[1]).astype(float).max() * 30 if name == "softmax_inv" else 4)
        unit = EPS["f64"] if dtype == "f64" else EPS["f32"]
        denormal = 2.0**-25 if dtype == "f16" else 0.0
        bound = (n + 12) * unit * size + 1.01 * EPS[dtype] * np.abs(wanted) + denormal
        assert np.all(np.abs(found - wanted) <= bound)

    check()


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize(("accuracy", "most"), [("standard", 6), ("accurate", 2)])
@pytest.mark.parametrize("columns", [500, 4096])
def test_softmax_is_within_its_bound(target, accuracy, most, columns):
    """Every result is within `most` ulp, since the difference from the maximum loses no bits; numpy's formula in f32
    has an error of 60 ulp. Rows of narrow width around 10^6 have many equal elements, whose sum loses bits in one
    direction."""
    rows = 16 if runs_here(target) else 2
    kernel = ts.fused("softmax", rows, columns, target=target, accuracy=accuracy)
    rng = np.random.default_rng(1)
    for width, shift in ((1, 0), (10, 100), (40, -190), (0.1, 1e6), (0.1, 0)):
        x = (rng.standard_normal((rows, columns)) * width + shift).astype(np.float32)
        wanted = exact("softmax", x)
        found = np.empty_like(x)
        (kernel.run if runs(kernel.target) else kernel)(x, found)
        ulp = np.abs(found - wanted) / np.maximum(np.spacing(np.abs(wanted).astype(np.float32)), 2.0**-149)
        assert np.all(ulp[wanted > 2.0**-126] <= most)
        assert np.all(found[wanted < 2.0**-151] == 0)


@pytest.mark.parametrize(
    ("target", "dtype", "columns"),
    [
        ("sse", "f32", 150),
        ("avx", "f32", 300),
        ("avx2", "f32", 150),
        ("avx2", "f32", 4099),
        ("avx2", "f64", 150),
        ("sse", "f64", 150),
        ("avx", "f64", 300),
        ("avx512", "f32", 600),
        ("neon", "f32", 150),
        ("sve256", "f32", 300),
        ("avx2", "bf16", 150),
    ],
)
def test_softmax_of_equal_elements_behind_a_larger_one(target, dtype, columns):
    """A plain sum lost half a bit per addition of their powers: 150 columns had an error of 8 ulp on AVX2, 4096 of 16.
    The numbers of columns give whole steps, vectors that do not fill a step, and a tail."""
    native = not runs(ts.fused("softmax", 1, 1, target=target).target)
    x = peaks(24, columns, 52 if dtype == "f64" else 23)[12 :: 1 if native else 6].astype(numpy_dtype(dtype))
    for accuracy, most in (("standard", 6), ("accurate", 2))[: 2 if native else 1]:
        kernel = ts.fused("softmax", *x.shape, dtype=dtype, target=target, accuracy=accuracy)
        found = np.empty_like(x)
        (kernel if native else kernel.run)(x, found)
        assert softmax_ulp(x, found, dtype) <= most


def test_denormal_results_of_softmax():
    """The error of denormal results is at most as many least denormals as that of other results is ulps."""
    x = np.linspace(-110, -80, 300, dtype=np.float32)[None]
    x[0, 0] = 0
    for accuracy, most in (("standard", 6), ("accurate", 2)):
        found = np.empty_like(x)
        ts.fused("softmax", *x.shape, target="avx2", accuracy=accuracy).run(x, found)
        assert np.any((found > 0) & (found < 2.0**-126))
        assert softmax_ulp(x, found) <= most


def test_fast_softmax_beside_a_multiple_of_log_2():
    """One power was wrong by a factor of two, because its integer part was rounded up after its fraction had been
    taken."""
    x = np.full((1, 16), 6.931471, np.float32)
    x[0, 0] = 32.580162
    wanted = exact("softmax", x)
    for target in ("avx512", "avx2"):
        found = ts.fused("softmax", 1, 16, accuracy="fast", target=target).run(x)
        assert np.all(abs(found - wanted) <= 2.0**-15 * wanted)


def test_a_large_mean_loses_nothing():
    """Layer norm is accurate for rows whose mean is 1e4 standard deviations."""
    rng = np.random.default_rng(2)
    x = (rng.standard_normal((8, 256)) + 1e4).astype(np.float32)
    gamma, beta = np.ones(256, np.float32), np.zeros(256, np.float32)
    found = ts.fused("layernorm", 8, 256, accuracy="accurate")(x, gamma, beta)
    wanted = exact("layernorm", x, gamma, beta)
    assert np.abs(found - wanted).max() < 1e-5 * np.abs(wanted).max()
    shifted = (x - np.float32(1e4)).astype(np.float32)
    near = exact("layernorm", shifted, gamma, beta)
    assert np.abs(near - wanted).max() < 1e-5


@pytest.mark.parametrize(
    ("target", "accuracy", "close"),
    [
        ("avx512", "standard", 1e-6),
        ("avx2", "standard", 1e-6),
        ("avx512", "fast", 2.0**-15),
        ("avx2", "fast", 2.0**-15),
        ("sve512", "fast", 2.0**-15),
        ("neon", "fast", 2.0**-15),
    ],
)
def test_special_values(target, accuracy, close):
    """`close` allows for two powers of 128 ulp each in the fast form, see docs/numerics.md."""
    inf, nan = np.inf, np.nan
    x = np.array(
        [
            [0, -inf, 1, -inf],
            [nan, 0, 0, 0],
            [-inf] * 4,
            [inf, 0, 0, 0],
            [3e38, -3e38, 0, 1],
            [-3e38, -3e38, -inf, -3e38],
        ],
        np.float32,
    )
    found = ts.fused("softmax", *x.shape, accuracy=accuracy, target=target).run(x)
    e = np.exp(np.float64(-1))
    assert np.allclose(found[0], [e / (1 + e), 0, 1 / (1 + e), 0], rtol=close, atol=0)
    assert np.isnan(found[1:4]).all()
    assert found[4].tolist() == [1, 0, 0, 0]
    assert np.allclose(found[5], [1 / 3, 1 / 3, 0, 1 / 3], rtol=close, atol=0)


def test_powers_far_below_are_zero():
    """Powers of elements far below the maximum are 0, for maxima of all magnitudes. The clamp of the argument once
    ensured this."""
    for largest in (0.0, 100.0, -100.0, 207.0, -207.0, 1e6, -1e30, 3e38):
        below = np.float32(largest) - np.array([0, 88, 104, 120, 300, 1e4, 1e9, 3e38], np.float32)
        x = np.maximum(below, -3.4e38).astype(np.float32)[None]
        for accuracy, close in (("standard", 1e-6), ("fast", 2.0**-15)):
            found = ts.fused("softmax", 1, 8, accuracy=accuracy, target="avx512").run(x)[0]
            powers = np.exp(x[0].astype(np.float64) - x[0].max())
            assert np.allclose(found, powers / powers.sum(), rtol=close, atol=2.0**-125), (largest, accuracy)


def test_long_rows_from_memory_go_one_at_a_time():
    """Rows are processed one at a time if a row takes more than 4 KiB and the matrices 16 MiB. The bits are those of
    two rows at a time."""
    shapes = (4096, 1024), (64, 1024), (8192, 384)
    planned = [ts.fused("softmax", *shape, target="avx512").plan.interleave for shape in shapes]
    assert planned == [1, 2, 2]
    far, near = ts.fused("softmax", 4096, 1024), ts.fused("softmax", 64, 1024)
    x = np.random.default_rng(6).standard_normal((4096, 1024)).astype(np.float32)
    assert np.array_equal(far(x)[:64], near(x[:64].copy()))


@pytest.mark.parametrize("name", ["softmax", "layernorm"])
def test_in_place_and_with_gaps(name):
    rng = np.random.default_rng(3)
    arrays = operands(name, 6, 37, "f32", rng)
    wanted = exact(name, *arrays)
    x = arrays[0].copy()
    kernel = ts.fused(name, 6, 37)
    assert "x" in kernel.spec.in_place
    kernel(x, *arrays[1:], x)
    assert np.allclose(x, wanted.astype(float), rtol=1e-5, atol=1e-6)
    wide = np.zeros((6, 50), np.float32)
    wide[:, :37] = arrays[0]
    y = np.full((6, 45), 7, np.float32)
    for leading in ({"ldx": 50, "ldy": 45}, {"ldx": ts.RUNTIME, "ldy": ts.RUNTIME}):
        ts.fused(name, 6, 37, **leading)(wide[:, :37], *arrays[1:], y[:, :37])
        assert np.allclose(y[:, :37], wanted.astype(float), rtol=1e-5, atol=1e-6) and (y[:, 37:] == 7).all()


def test_what_is_refused():
    with pytest.raises(ValueError, match="did you mean softmax"):
        ts.fused("sofmax", 3, 4)
    with pytest.raises(ts.UnsupportedError, match='its results are real numbers; out="f32" keeps them'):
        ts.fused("softmax", 3, 4, dtype="i32")
    assert ts.fused("softmax", 3, 4, dtype="i32", out="f32").spec.outputs[0].dtype == "f32"
    with pytest.raises(ts.UnsupportedError, match="axis=0"):
        ts.equation(lambda x: x - ts.max(x, axis=2), x=(3, 4))
    with pytest.raises(TypeError, match=r'ts\.reduce\("sum"'):
        ts.sum(np.ones((2, 2)), axis=1)
    with pytest.raises(ts.UnsupportedError, match="one value for the whole row"):
        ts.equation(lambda x: ts.sum(ts.max(x, axis=1), axis=1) + x, x=(3, 4))
