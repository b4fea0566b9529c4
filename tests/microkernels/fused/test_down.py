"""Reductions down the columns beside reductions along rows: their results are one row, computed in the same kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak
from tests.slopes import slopes
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host

MACHINES = ("sse", "avx", "avx2", "avx512", "neon", "sve256")
NAMES = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min}
SHAPES = ((3, 37), (1, 9), (5, 64), (2, 1), (7, 3), (4, 130))


def allowed(x: Any, name: str, unit: float) -> Any:
    """Return the error bound of rows that are added or multiplied one after the other, with one division before
    that."""
    steps = (x.shape[0] + 1) * unit
    size = np.prod(abs(x), axis=0) if name == "prod" else abs(x).sum(0)
    return size * steps / (1 - steps)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_every_reduction(name: str, dtype: str) -> None:
    unit = 2.0**-24 if dtype == "f32" else 2.0**-53
    for seed, shape in enumerate(SHAPES if is_soak() else SHAPES[:5]):
        x = np.random.default_rng(seed).normal(size=shape).astype(numpy_dtype(dtype))
        kernel = ts.equation(
            lambda x: (*(getattr(ts, each)(x, axis=0) for each in NAMES), ts.absmax(x, axis=0), x - ts.sum(x, axis=1)),
            x=shape,
            dtype=dtype,
            target=name,
        )
        *found, largest, rest = kernel.run(x)
        exact = x.astype(np.longdouble)
        for each, y in zip(NAMES, found):
            error = abs(y.reshape(-1) - NAMES[each](exact, axis=0))
            assert (error <= (0 if each in ("max", "min") else allowed(exact, each, unit))).all(), each
        assert np.array_equal(largest.reshape(-1), abs(x).max(0))
        error = abs(rest - (exact - exact.sum(1, keepdims=True)))
        assert (error <= 2 * shape[1] * unit * abs(exact).sum(1, keepdims=True) + unit * abs(exact)).all()


def gradients(g: Any, x: Any, gamma: Any, eps: float) -> list[Any]:
    """Return the gradients of layernorm by central differences."""

    def loss(x: Any, gamma: Any, beta: Any) -> Any:
        middle = x - x.mean(1, keepdims=True)
        return (g * (middle / np.sqrt((middle**2).mean(1, keepdims=True) + eps) * gamma + beta)).sum()

    return slopes(loss, [x, gamma, np.zeros_like(gamma)])


@pytest.mark.parametrize("name", MACHINES)
def test_layernorm_inv_is_the_slope(name: str) -> None:
    if name in ("sse", "avx"):
        pytest.skip("norms in f64 take FMA; f32 is tested below")
    rng = np.random.default_rng(7)
    g, x, gamma = rng.normal(size=(4, 11)), rng.normal(size=(4, 11)), rng.normal(size=11)
    found = ts.fused("layernorm_inv", 4, 11, dtype="f64", eps=1e-3, target=name).run(g, x, gamma)
    for ours, slope in zip(found, gradients(g, x, gamma, 1e-3)):
        assert np.allclose(ours.reshape(slope.shape), slope, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in ("avx2", "avx512") if not host.runs(TARGETS[name])])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_norms_backward_on_this_processor(name: str, side: str, dtype: str) -> None:
    """The gradients agree with the same formula in long double, between guard pages."""
    rng = np.random.default_rng(8)
    g, x = (rng.normal(size=(9, 133)).astype(numpy_dtype(dtype)) for _ in range(2))
    gamma = rng.normal(size=133).astype(numpy_dtype(dtype))
    given = [guarded(each, side) for each in (g, x, gamma)]
    gx = guarded(np.zeros((9, 133), numpy_dtype(dtype)), side)
    sums = [guarded(np.zeros(133, np.float32), side) for _ in range(2)]
    ts.fused("rmsnorm_inv", 9, 133, dtype=dtype, eps=1e-3, target=name)(*given, gx, sums[0])
    exact = [each.astype(np.longdouble) for each in (g, x, gamma)]
    size = np.sqrt((exact[1] ** 2).mean(1, keepdims=True) + 1e-3)
    z, h = exact[1] / size, exact[0] * exact[2]
    wanted = (h - z * (h * z).mean(1, keepdims=True)) / size
    unit = 2.0**-8 if dtype == "bf16" else 0.0
    assert (abs(gx.astype(np.longdouble) - wanted) <= unit * abs(wanted) + 150 * 2.0**-24 * abs(h).max() / size).all()
    assert (abs(sums[0] - (exact[0] * z).sum(0)) <= 150 * 2.0**-24 * abs(exact[0] * z).sum(0)).all()
    ts.fused("layernorm_inv", 9, 133, dtype=dtype, eps=1e-3, target=name)(*given, gx, *sums)
    assert (abs(sums[1] - exact[0].sum(0)) <= 10 * 2.0**-24 * abs(exact[0]).sum(0)).all()
    for each in (gx, *sums):
        check_canary(each)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: ts.sum(ts.sum(x, axis=0), axis=0) * x, "one row already"),
        (lambda x: ts.softmax(x, axis=2), "axis=0"),
    ],
    ids=["twice", "softmax"],
)
def test_what_is_refused(function: Any, says: str) -> None:
    with pytest.raises(ts.UnsupportedError, match=says):
        ts.equation(function, x=(4, 5))


@pytest.mark.grid(3)
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_sums_of_narrow_types_are_rounded_once(dtype: str, target: str) -> None:
    """Sums are accumulated in the type of the arithmetic and converted after the last row."""
    kind = numpy_dtype(dtype)
    for m, n in ((300, 5), (1, 9), (7, 700)):
        kernel = ts.equation(
            lambda x: (ts.sum(x, axis=0), ts.max(x), ts.mean(x, axis=0), x * 2.0), x=(m, n), dtype=dtype, target=target
        )
        x = np.random.default_rng(m).integers(-3, 4, (m, n)).astype(kind)
        exact = x.astype(np.float64)
        sums, largest, means, doubled = kernel.run(x)
        assert np.array_equal(sums[0], exact.sum(0).astype(np.float32).astype(kind)) and largest[0, 0] == exact.max()
        assert np.array_equal(means[0], (exact.sum(0).astype(np.float32) / np.float32(m)).astype(kind))
        assert np.array_equal(doubled.astype(np.float64), 2 * exact)
    x = np.ones((4, 5), numpy_dtype("bf16"))
    assert (ts.equation(lambda x: ts.sum(x, axis=0), x=(4, 5), dtype="bf16", out="f32").run(x) == 4).all()


def test_a_sum_may_not_lie_over_an_operand() -> None:
    kernel = ts.fused("layernorm_inv", 4, 11)
    assert "gamma" not in kernel.spec.in_place
    arrays = [np.ones((4, 11), "f4"), np.ones((4, 11), "f4"), np.ones(11, "f4")]
    with pytest.raises(ValueError, match="overlap"):
        kernel(*arrays, np.ones((4, 11), "f4"), arrays[2], np.ones(11, "f4"))


def batch_loss(g: Any, x: Any, gamma: Any, beta: Any) -> Any:
    """Return the sum of g times batchnorm(x), with eps 1e-3."""
    near = x - x.mean(0)
    return (g * (near / np.sqrt((near**2).mean(0) + 1e-3) * gamma + beta)).sum()


@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve256"])
def test_batchnorm_and_its_slopes(name: str) -> None:
    """The forward kernels agree with numpy in f64, the two backward kernels with central differences."""
    m, n, rng = 7, 5, np.random.default_rng(9)
    g, x, gamma, beta = rng.normal(size=(m, n)), rng.normal(size=(m, n)) + 3, rng.normal(size=n), rng.normal(size=n)
    made = {
        each: ts.fused(each, m, n, dtype="f64", target=name).run
        for each in ("batch_mean", "batch_variance", "batchnorm", "batchnorm_sums", "batchnorm_inv")
    }
    mean = made["batch_mean"](x).reshape(n)
    variance = made["batch_variance"](x, mean).reshape(n)
    inverse = ts.equation(lambda v: 1.0 / ts.sqrt(v + 1e-3), v=(1, n), dtype="f64", target=name).run(variance[None])[0]
    y = made["batchnorm"](x, mean, inverse, gamma, beta)
    unit = 2.0**-53
    assert np.all(abs(mean - x.mean(0)) <= 2 * (m + 1) * unit * abs(x).sum(0))
    assert np.isclose((g * y).sum(), batch_loss(g, x, gamma, beta), rtol=1e-12)
    ggamma, gbeta = (each.reshape(n) for each in made["batchnorm_sums"](g, x, mean, inverse))
    gx = made["batchnorm_inv"](g, x, mean, inverse, gamma, ggamma, gbeta, np.full((1, 1), 1 / m))
    step, point = 1e-6, (x, gamma, beta)
    for number, found in enumerate((gx, ggamma, gbeta)):
        for place in np.ndindex(found.shape):
            ends = []
            for by in (step, -step):
                moved = [each.copy() for each in point]
                moved[number][place] += by
                ends.append(batch_loss(g, *moved))
            assert abs((ends[0] - ends[1]) / (2 * step) - found[place]) <= 1e-7
