"""Reductions down the columns and of all elements that other expressions use: one kernel with several walks over the
rows.

tests/microkernels/fused/test_random_graphs.py compares random graphs of them with long doubles, within derived bounds.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES, in_turn
from tests.slopes import slopes
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

WIDE = 600
"""So many columns of f32 are walked along whole rows instead of in strips."""
SHAPES = ((1, 7), (2, 1), (5, 37), (8, 64), (33, 21), (3, WIDE))
NATIVE = [name for name in ("avx2", "avx512") if not runs(TARGETS[name])]


def batchnorm(x: Any, gamma: Any, beta: Any) -> tuple[Any, Any, Any]:
    """Return y, mean and inverse in long double, with the eps of the kernel."""
    x, gamma, beta = (np.asarray(each, np.longdouble) for each in (x, gamma, beta))
    mean = x.mean(0)
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(0) + 1e-3)
    return (x - mean) * inverse * gamma + beta, mean, inverse


def allowed(x: Any, unit: float) -> Any:
    """Return the error bound of y for gamma = 1: m roundings of sums and a few more shift the mean and the deviation;
    eps limits the inverse."""
    size, steps = abs(x).max(0), (x.shape[0] + 8) * unit
    inverse = 1 / np.sqrt(x.var(0) + 1e-3)
    shift = steps * size * inverse  # of z by the mean; z is within sqrt(m) of 0
    return shift * (2 + x.shape[0]) + 8 * steps * np.sqrt(x.shape[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "name"),
    [(dtype, name) for number, dtype in enumerate(("f32", "f64", "bf16", "f16")) for name in in_turn(number)],
)
def test_batchnorm_on_every_machine(name: str, dtype: str) -> None:
    kind, unit = numpy_dtype(dtype), 2.0**-53 if dtype == "f64" else 2.0**-24
    for seed, (m, n) in enumerate(SHAPES):
        rng = np.random.default_rng(seed)
        x, gamma, beta = (rng.normal(size=shape).astype(kind) for shape in ((m, n), n, n))
        kernel = ts.fused("batchnorm_training", m, n, dtype=dtype, eps=1e-3, target=MACHINES[name].name)
        y, mean, inverse = kernel.run(x, gamma, beta)
        wanted = batchnorm(x, gamma, beta)
        bound = allowed(x.astype(np.longdouble), unit)
        stored = {"bf16": 2.0**-8, "f16": 2.0**-11}.get(dtype, unit)
        slack = 2.0**-24 if dtype == "f16" else 0  # denormals
        weighed = bound * abs(gamma.astype(np.longdouble)) + 4 * unit * abs(beta.astype(np.longdouble))
        assert (abs(y.astype(np.longdouble) - wanted[0]) <= weighed * 1.01 + stored * abs(wanted[0]) + slack).all()
        assert (abs(mean.reshape(n) - wanted[1]) <= (m + 2) * unit * abs(x.astype(np.longdouble)).mean(0)).all()
        assert (abs(inverse.reshape(n) - wanted[2]) <= bound * wanted[2] + 4 * unit * wanted[2]).all()


@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve256"])
def test_the_derivative_is_the_slope(name: str) -> None:
    m, n, rng = 7, 5, np.random.default_rng(9)
    g, x, gamma, beta = rng.normal(size=(m, n)), rng.normal(size=(m, n)) + 3, rng.normal(size=n), rng.normal(size=n)
    _, mean, inverse = (each.astype(float) for each in batchnorm(x, gamma, beta))
    kernel = ts.fused("batchnorm_training_inv", m, n, dtype="f64", target=name)
    found = kernel.run(g, x, mean, inverse, gamma)
    wanted = slopes(lambda x, gamma, beta: float((g * batchnorm(x, gamma, beta)[0]).sum()), [x, gamma, beta])
    for ours, slope in zip(found, wanted):
        assert np.allclose(ours.reshape(slope.shape), slope, rtol=0, atol=1e-7)


def of_columns(x: Any, c: Any) -> tuple[Any, Any, Any, Any]:
    """Reduce a one-column operand down its rows beside other reductions, and broadcast the results."""
    total = ts.sum(c, axis=0)
    return x * total, c - ts.max(ts.sum(x, axis=1) * c, axis=0), ts.prod(c, axis=0), ts.min(x, axis=0) + total


@pytest.mark.parametrize("name", ["sse", "avx", *MACHINES])
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
def test_reductions_down_operands_of_one_column(name: str, dtype: str) -> None:
    for m, n in ((1, 3), (5, 37)):
        rng = np.random.default_rng(m)
        x, c = (rng.integers(-2, 3, shape).astype(numpy_dtype(dtype)) for shape in ((m, n), (m, 1)))
        found = ts.equation(of_columns, x=(m, n), c=(m, 1), dtype=dtype, target=name).run(x, c)
        x, c = x.astype(float), c.astype(float)
        along = (x.sum(1, keepdims=True) * c).max()
        wanted = x * c.sum(), c - along, c.prod().reshape(1, 1), (x.min(0) + c.sum()).reshape(1, n)
        for one, other in zip(found, wanted):
            assert one.shape == other.shape and (one.astype(float) == other.astype(one.dtype).astype(float)).all()


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [5, 37, 64, WIDE])
def test_between_guard_pages_in_place_and_with_gaps(name: str, side: str, n: int) -> None:
    """The results have the bits of the plain call, and nothing beside them is written."""
    m, rng = 9, np.random.default_rng(3)
    x, gamma, beta = (rng.normal(size=shape).astype(np.float32) for shape in ((m, n), n, n))
    kernel = ts.fused("batchnorm_training", m, n, target=name)
    wanted = kernel(x, gamma, beta)
    held = [guarded(each, side) for each in (x, gamma, beta)]
    results = [guarded(np.zeros(shape, np.float32), side, writable=True) for shape in ((m, n), n, n)]
    kernel(*held, *results)
    for found, each in zip(results, wanted):
        check_canary(found)
        assert found.tobytes() == each.tobytes()
    assert "x" in kernel.spec.in_place and "gamma" not in kernel.spec.in_place
    over = guarded(x, side, writable=True)
    kernel(over, gamma, beta, over, *results[1:])
    check_canary(over)
    assert over.tobytes() == wanted[0].tobytes()
    wide, y = np.zeros((m, n + 9), np.float32), np.full((m, n + 3), 7, np.float32)
    wide[:, :n] = x
    for leading in ({"ldx": n + 9, "ldy": n + 3}, {"ldx": ts.RUNTIME, "ldy": ts.RUNTIME}):
        apart = ts.fused("batchnorm_training", m, n, target=name, **leading)
        apart(wide[:, :n], gamma, beta, y[:, :n], *results[1:])
        assert np.allclose(y[:, :n], wanted[0], rtol=1e-5, atol=1e-6) and (y[:, n:] == 7).all()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("accuracy", ["standard", "accurate"])
def test_softmax_down_the_columns(name: str, accuracy: str) -> None:
    """The powers are computed once and kept in the rows of y."""
    m, n = 12, 19
    x = (np.random.default_rng(4).normal(size=(m, n)) * 5).astype(np.float32)
    kernel = ts.equation(lambda x: ts.softmax(x, axis=0), x=(m, n), accuracy=accuracy, target=MACHINES[name].name)
    powers = np.exp(x.astype(np.longdouble) - x.max(0))
    wanted = powers / powers.sum(0)
    found = kernel.run(x)
    ulps = {"standard": 12, "accurate": 2}[accuracy]  # the bounds of softmax along rows
    assert (abs(found - wanted) <= ulps * 2.0**-23 * wanted).all()
    assert "kept0" in str(kernel.plan) and "x" in kernel.spec.in_place


@pytest.mark.parametrize("name", MACHINES)
def test_the_norm_of_all_elements(name: str) -> None:
    m, n = 9, 41
    kernel = ts.fused("clip_own_norm", m, n, most=2.0, target=MACHINES[name].name)
    assert "g" in kernel.spec.in_place
    for size in (0.0, 1e-3, 1.0):
        g = (np.random.default_rng(5).normal(size=(m, n)) * size).astype(np.float32)
        y, norm = kernel.run(g)
        exact = np.sqrt((g.astype(np.longdouble) ** 2).sum())
        unit = (m * n + 6) * 2.0**-24
        assert abs(norm.item() - exact) <= unit * exact
        wanted = g * np.minimum(1, 2 / exact) if size else g
        assert (abs(y - wanted) <= 2 * unit * abs(wanted)).all()


def test_values_of_rows_and_columns_together() -> None:
    """Reductions along rows and down the columns, results of every shape, a mask and random numbers are computed
    together."""
    m, n = 7, 45
    x = np.random.default_rng(6).normal(size=(m, n)).astype(np.float32)

    def function(x: Any) -> Any:
        near = ts.softmax(x, axis=1)
        mean = ts.mean(near, axis=0)
        return near - mean, ts.sqrt(mean), ts.sum(near * mean, axis=1), ts.max(mean, axis=1) * 2.0, near > mean

    powers = np.exp(x.astype(np.longdouble) - x.max(1, keepdims=True))
    near = powers / powers.sum(1, keepdims=True)
    mean = near.mean(0)
    wanted = near - mean, np.sqrt(mean)[None], (near * mean).sum(1, keepdims=True), mean.max().reshape(1, 1) * 2
    for target in ("avx2", "avx512", "neon", "sve256"):
        *found, mask = ts.equation(function, x=(m, n), target=target).run(x)
        for ours, exact in zip(found, wanted):
            assert ours.shape == exact.shape and np.allclose(ours, exact.astype(float), rtol=1e-5, atol=1e-7)
        bits = np.unpackbits(mask, axis=1, bitorder="little")[:, :n].astype(bool)
        clear = abs(near - mean) > 1e-6
        assert (bits == (near > mean))[clear].all()
    dropped = ts.equation(
        lambda x: (ts.dropout(x, 0.5) - ts.mean(ts.dropout(x, 0.5), axis=0), ts.dropout(x, 0.5)), x=(m, n)
    )
    centred, kept = dropped(x, 5)
    assert np.allclose(centred, kept - kept.mean(0), atol=1e-6)
    assert np.array_equal(kept, ts.equation(lambda x: ts.dropout(x, 0.5), x=(m, n))(x, 5))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, side: str, aarch64: Server) -> None:
    """On AArch64, between unmapped pages, the results have the bits of the emulator."""
    rng, bits = np.random.default_rng(7), 256 if target == "sve256" else None
    for n in (5, 64, WIDE):
        kernel = ts.fused("batchnorm_training", 6, n, target=target)
        x, gamma, beta = (rng.normal(size=shape).astype(np.float32) for shape in ((6, n), n, n))
        found = [np.zeros(shape, np.float32) for shape in ((6, n), n, n)]
        aarch64.call(kernel.code, x, gamma, beta, *found, side=side, vector_bits=bits)
        for ours, each in zip(found, kernel.run(x, gamma, beta)):
            assert ours.tobytes() == each.tobytes()


def test_the_plan_says_what_is_walked() -> None:
    kernel = ts.fused("batchnorm_training", 50, 37, target="avx2")
    text = str(kernel.plan)
    assert "5 walks" in text and "bytes of operands walked" in text and "in strips of" in text
    wide = ts.fused("batchnorm_training", 50, WIDE, target="avx2")
    assert "in strips of" not in str(wide.plan) and "beyond 2048" in str(wide.plan.rejected)
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec


def test_rows_that_need_all_others_are_not_divided() -> None:
    with pytest.raises(ts.UnsupportedError, match="needs all of the one before"):
        ts.spread(ts.fused("clip_own_norm", ts.RUNTIME, 64))
