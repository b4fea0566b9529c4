"""Activations in f64 keep their error contracts, measured with 80-bit floats, and have the same bits on every
machine."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import MACHINES, NATIVE, check, expected, run
from tests.guard import check_canary, guarded
from tests.kernel_runs import in_turn, server_for
from tests.microkernels.functions.test_activations import arrays_of
from tests.profiles import is_soak, scaled
from tests.ulp import reference_f64
from tests.ulp.reference_f64 import EXACT, drawn, errors, number_of, wanted
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.functions.accuracies import ACCURACIES
from tilesmith.microkernels.functions.activations import CATALOGUE, contract_of
from tilesmith.runtime.api.eltwise import request
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]

SLOPED = [*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)]
POINTS = scaled(60_000, 3_000_000)
"""The number of arguments for each function's error; docs/numerics.md states the errors over many more."""
NAN = np.array([np.nan, -np.nan, np.uint64(0x7FF << 52 | 1).view(np.float64)])
long_doubles = pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="80-bit floats of x86 are the reference")


def spec_of(name: str, count: int, accuracy: str, **options: Any) -> EltwiseSpec:
    """Return a request of one row. A gradient has g as its second input."""
    kind, inputs = ("binary", 2) if name.endswith("_inv") else ("unary", 1)
    asked = {"dtype": "f64", "out": None, "compute": None, **options}
    return request(kind, name, 1, count, bcast=(None,) * inputs, accuracy=accuracy, **asked)


def found(name: str, x: Array, accuracy: str) -> Array:
    """Return the results on this processor."""
    spec = spec_of(name, x.size, accuracy)
    y = ts.unary(name, 1, x.size, dtype="f64", accuracy=accuracy) if len(spec.inputs) == 1 else None
    kernel = y or ts.binary(name, 1, x.size, dtype="f64", accuracy=accuracy)
    result: Array = kernel(*arrays_of(spec, x).values())
    return result.ravel()


@cache
def sample(points: int, steps: int) -> Array:
    return drawn(points, np.random.default_rng(1), steps)


@cache
def few() -> Array:
    """Return a smaller sample and all special numbers, for other machines and numpy's exact FMA."""
    x = sample(800, 2)
    return np.concatenate([x[:: len(x) // 1500], x[:3], x[-3:], NAN, [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022]])


@cache
def by_numpy(name: str, accuracy: str) -> Array:
    """Return numpy's evaluation of `few()`."""
    spec = spec_of(name, few().size, accuracy)
    return expected(spec, arrays_of(spec, few()), 16)[0]


@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("name", SLOPED)
class TestContract:
    @long_doubles
    def test_error(self, name, accuracy):
        bound = contract_of(name, "f64").bound(accuracy, 16)
        x = sample(POINTS, 40)
        y = found(name, x, accuracy)
        error = errors(y, wanted(name, x), bound.floor)
        worst = int(np.argmax(error))
        assert error[worst] <= bound.ulp, f"{error[worst]} ulp at {x[worst]!r}: {y[worst]!r}"

    def test_special_values(self, name, accuracy):
        contract = contract_of(name, "f64")
        assert np.isnan(found(name, NAN, accuracy)).all()
        outside = sample(POINTS, 40)[(sample(POINTS, 40) < contract.domain[0])]
        assert np.isnan(found(name, outside, accuracy)).all() if outside.size else True
        x, true = np.array(contract.at).T.copy()
        y = found(name, x, accuracy)
        if accuracy != "fast":
            assert (y.view(np.uint64) == true.view(np.uint64)).all(), (x, y, true)
        else:
            bound = contract.bound(accuracy, 16)
            assert (errors(y, true, bound.floor) <= bound.ulp).all(), (x, y, true)

    def test_odd(self, name, accuracy):
        if contract_of(name, "f64").odd:
            y, opposite = (found(name, x, accuracy) for x in (sample(POINTS, 40), -sample(POINTS, 40)))
            assert (opposite.view(np.uint64) == (-y).view(np.uint64)).all()


class TestEdges:
    """Results that overflow, and results that pass through the denormals to zero."""

    def test_overflow(self):
        last = 709.782712893384  # the largest f64 whose exponential is finite
        x = np.array([last, np.nextafter(last, np.inf), 1e300])
        y = found("exp", x, "accurate")
        assert y[0] > 1.797e308 and np.isfinite(y[0]) and (y[1:] == np.inf).all()
        assert (found("exp2", np.array([1023.0, 1024.0]), "accurate") == [2.0**1023, np.inf]).all()

    def test_denormals(self):
        x = np.arange(-1080.0, -1020.0)
        exact = np.ldexp(1.0, x.astype(np.int32))
        assert (found("exp2", x, "accurate") == exact).all()
        assert (found("log", exact[exact > 0], "accurate") == np.log(exact[exact > 0])).all()
        y = found("exp", np.array([-745.13321910194, -745.13321910195, -746.0]), "accurate")
        assert (y == [5e-324, 0.0, 0.0]).all()

    @pytest.mark.parametrize("name", ["tanh", "elu"])
    def test_small_numbers_stay(self, name):
        """Below 2^-54 the functions return x, denormals included."""
        x = sample(POINTS, 40)
        x = x[np.abs(x) < 2.0**-54]
        assert (found(name, x, "accurate").view(np.uint64) == x.view(np.uint64)).all()

    def test_ranges(self):
        """In the accurate form, rounding never exceeds the values at infinity."""
        x = sample(POINTS, 40)
        assert np.abs(found("tanh", x, "accurate")).max() == 1.0
        y = found("sigmoid", x, "accurate")
        assert y.min() == 0.0 and y.max() == 1.0
        assert found("elu", x, "accurate").min() == -1.0


@pytest.mark.parametrize(
    ("name", "accuracy", "target"),
    [
        (name, accuracy, target)
        for number, (name, accuracy) in enumerate(product(SLOPED, ACCURACIES))
        for target in in_turn(number + number // 3)
    ],
)
@pytest.mark.grid(16)
def test_bits(name, accuracy, target, request):
    """Machine code gives the bits of numpy's evaluation, between guard pages."""
    server = server_for(target, request)
    spec = spec_of(name, few().size, accuracy)
    check(run(spec, MACHINES[target], arrays_of(spec, few()), server, "end"), [by_numpy(name, accuracy)])


REMAINDERS = ("log", "tanh", "gelu", "softplus")


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("name", REMAINDERS)
def test_remainders(name, target):
    """Every width of a row gives the same elements and touches nothing beyond the row. The widths are divided among
    functions."""
    for count in range(1, 36):
        if not is_soak() and count % len(REMAINDERS) != REMAINDERS.index(name):
            continue
        x = few()[-count:] if count < 20 else few()[100 : 100 + count]
        spec = spec_of(name, count, "accurate")
        whole = by_numpy(name, "accurate")
        wanted_row = whole[:, -count:] if count < 20 else whole[:, 100 : 100 + count]
        check(run(spec, MACHINES[target], arrays_of(spec, x), None, "start" if count % 2 else "end"), [wanted_row])


@pytest.mark.parametrize("target", MACHINES)
def test_equation(target, request):
    """Functions have the same bits inside a larger expression."""
    server = server_for(target, request)
    spec = ts.eltwise_spec(
        lambda x, g: ts.tanh(x) * ts.sigmoid(g) + ts.log(abs(x)),
        "both",
        {"x": (5, 37), "g": (5, 37)},
        dtype="f64",
        accuracy="accurate",
    )
    rng = np.random.default_rng(4)
    arrays = {name: rng.uniform(-8, 8, (5, 37)) for name in "xg"}
    check(run(spec, MACHINES[target], arrays, server, "end"), expected(spec, arrays, 16))


@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("target", NATIVE)
def test_epilogue(target, accuracy):
    """gelu of a product plus a bias has the bits of numpy's evaluation of the plain product plus the bias."""
    m, n, k = 13, 22, 9
    rng = np.random.default_rng(5)
    a, b, bias = rng.standard_normal((m, k)), rng.standard_normal((k, n)), rng.standard_normal(n)
    sums = Kernel(ts.gemm_spec(m, n, k, dtype="f64", beta=0.0), MACHINES[target])(a, b)
    mm = ts.brgemm(
        m,
        n,
        k,
        dtype="f64",
        beta=0.0,
        epilogue=lambda c, bias: ts.gelu(c + bias),
        operands={"bias": "row"},
        accuracy=accuracy,
        target=target,
    )
    c = guarded(np.zeros((m, n)), "end")
    mm(guarded(a, "end", writable=False), guarded(b, "end", writable=False), c, guarded(bias, "end", writable=False))
    check_canary(c)
    spec = spec_of("gelu", m * n, accuracy)
    check([np.asarray(c)], [expected(spec, arrays_of(spec, (sums + bias).ravel()), 16)[0].reshape(m, n)])


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize("target", NATIVE)
def test_narrower_elements(target, storage):
    """Narrower elements are computed in f64, after which rounding to f32 is correct except for one in 2^28 results."""
    x = np.random.default_rng(6).uniform(-9, 9, 999).astype({"f32": np.float32, "f16": np.float16}[storage])
    for name in ("exp", "gelu"):
        spec = spec_of(name, x.size, "accurate", dtype=storage, compute="f64")
        y = run(spec, MACHINES[target], arrays_of(spec, x), None, "end")
        check(y, expected(spec, arrays_of(spec, x), 16))
        exact = reference_f64.wanted(name, x.astype(np.float64)).astype(x.dtype)
        assert (y[0].ravel() == exact).all()


@long_doubles
@pytest.mark.parametrize("name", SLOPED)
def test_the_reference_against_mpmath(name):
    """80-bit floats have an error below 2^-5 ulp of f64; near roots, of the contract's floor."""
    x = sample(4000, 1)
    low, high = contract_of(name, "f64").domain
    x = x[np.isfinite(x) & (x != 0) & (x >= low) & (x <= high) & (np.abs(x) < 1100)]
    x = np.random.default_rng(2).choice(x, 120)
    floor = contract_of(name, "f64").floor[0]
    with mpmath.workdps(700):  # enough for 1 - e^-745
        for v, near in zip(x, wanted(name, x), strict=True):
            true = EXACT[name](mpmath.mpf(float(v)))
            size = max(abs(true), mpmath.mpf(floor), mpmath.mpf(2) ** -1022)
            assert abs(true - number_of(near)) <= size * mpmath.mpf(2) ** -58, (v, near)
