"""Activations keep their error contracts: numpy evaluates a stratified sample of f32 and every bf16 and f16 number, and
machine code gives the same bits on every target."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import FOREIGN, MACHINES, NATIVE, check, expected, run
from tests.kernel_runs import in_turn
from tests.profiles import scaled
from tests.ulp.reference import REFERENCE, SLOPES, errors, rounded_to
from tilesmith.microkernels.codegen.selection import arithmetic_of
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.expr.graph import program
from tilesmith.microkernels.functions.accuracies import ACCURACIES, ACCURATE, STANDARD
from tilesmith.microkernels.functions.activations import CATALOGUE, Contract
from tilesmith.microkernels.functions.coefficients_f32 import (
    GELU_CELLS,
    SIGMOID_CELLS,
    SILU_CELLS,
    TANH_CELLS,
    TANH_OFFSET,
)
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.runtime.api.eltwise import request

Array = np.ndarray[Any, Any]

TABLES = (0, 16)
SLOPED = [*CATALOGUE, *(f"{name}_inv" for name in CATALOGUE)]
SIZE = scaled(40, 2000)
"""The number of random fractions for each exponent and sign."""
HALVES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}

BREAKS = [
    0.35,
    0.5,
    1.0,
    2.0,
    6.5,
    8.0,
    9.02,
    9.9,
    10.9,
    13.0,
    14.5,
    17.5,
    87.0,
    88.72284,
    87.33655,
    89.0,
    103.97208,
    104.0,
    112.0,
    126.0,
    127.0,
    128.0,
    149.0,
    150.0,
    151.0,
    0.7071068,
    1.4142135,
    0.7517916,
    1.2784645,
    *(2.0**e * (1 + q / 4) - TANH_OFFSET for e in range(-2, 4) for q in range(4)),
    *(i / 8 for i in range(1, 93)),
    *(cells[1] for cells in (TANH_CELLS, SIGMOID_CELLS, SILU_CELLS, GELU_CELLS)),
]
"""Arguments at which an expression changes its formula, clamps, or has a root."""


def around(values: Any, steps: int = 40) -> Array:
    """Return the f32 at each value and its neighbours."""
    centres = np.asarray(values, np.float32).view(np.int32)
    return (centres[:, None] + np.arange(-steps, steps + 1, dtype=np.int32)).astype(np.int32).ravel().view(np.float32)


@cache
def sample() -> Array:
    """Return f32 numbers in ascending order: every exponent and sign, neighbours of break points, the range where the
    functions curve, infinities and zeros."""
    rng = np.random.default_rng(1)
    exponents = np.arange(256, dtype=np.uint32) << 23
    fractions = np.concatenate(
        [rng.integers(0, 1 << 23, (256, SIZE), dtype=np.uint32), np.tile([0, 1, (1 << 23) - 1], (256, 1))], axis=1
    )
    positive = (exponents[:, None] | fractions.astype(np.uint32)).ravel().view(np.float32)
    ln2 = np.log(2)
    near = around([b for b in BREAKS if b > 0])
    halves = around((np.arange(0, 260) + 0.5) * ln2, 2)
    bend = rng.uniform(0, 20, 300 * SIZE).astype(np.float32)
    small = rng.uniform(0, 1, 100 * SIZE).astype(np.float32)
    both = np.concatenate([positive, near, halves, bend, small, [np.float32(np.inf), np.float32(0)]])
    both = both[~np.isnan(both)]
    return np.sort(np.concatenate([both, -both])).astype(np.float32)


def contract_of(name: str) -> Contract:
    of = CATALOGUE[name.removesuffix("_inv")]
    return of.slope_contract if name.endswith("_inv") else of.contract


def wanted_of(name: str, x: Array) -> Array:
    reference = (SLOPES if name.endswith("_inv") else REFERENCE)[name.removesuffix("_inv")]
    with np.errstate(all="ignore"):
        return reference(x.astype(np.float64))


def spec_of(name: str, count: int, accuracy: str, dtype: str = "f32") -> EltwiseSpec:
    """Return a request of one row. A gradient has g as its second input."""
    kind, inputs = ("binary", 2) if name.endswith("_inv") else ("unary", 1)
    return request(kind, name, 1, count, bcast=(None,) * inputs, dtype=dtype, out=None, accuracy=accuracy, compute=None)


def arrays_of(spec: EltwiseSpec, x: Array) -> dict[str, Array]:
    x = x.reshape(1, -1)
    return {each.name: x if each is spec.inputs[-1] else np.ones_like(x) for each in spec.inputs}


def by_numpy(name: str, x: Array, accuracy: str, tables: int, dtype: str = "f32") -> Array:
    spec = spec_of(name, x.size, accuracy, dtype)
    return expected(spec, arrays_of(spec, x), tables)[0].ravel()


def tables_of(target: Any) -> int:
    return arithmetic_of(facts_of(target)).tables


def has_two_forms(name: str, accuracy: str) -> bool:
    """Return whether the function has a form with a table and one without."""
    spec = spec_of(name, 1, accuracy)
    return program(*spec.expanded(0)) != program(*spec.expanded(16))


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("name", SLOPED)
class TestContract:
    def test_error(self, name, accuracy, tables):
        contract = contract_of(name)
        x = sample()
        y = by_numpy(name, x, accuracy, tables)
        with np.errstate(all="ignore"):
            bound = contract.bound(accuracy, tables)
            error = errors(y, wanted_of(name, x), bound.floor)
        worst = int(np.argmax(error))
        assert error[worst] <= bound.ulp, f"{error[worst]} ulp at {x[worst]!r}: {y[worst]!r}"

    def test_special_values(self, name, accuracy, tables):
        contract = contract_of(name)
        nan = np.array([np.nan, -np.nan, np.uint32(0x7F800001).view(np.float32)], np.float32)
        assert np.isnan(by_numpy(name, nan, accuracy, tables)).all()
        outside = sample()[(sample() < contract.domain[0]) & (sample() != 0)]
        if outside.size:
            assert np.isnan(by_numpy(name, outside, accuracy, tables)).all()
        x, wanted = np.array(contract.at, np.float32).T.copy()
        y = by_numpy(name, x, accuracy, tables)
        if accuracy == "fast":
            bound = contract.bound(accuracy, tables)
            error = errors(y, wanted.astype(np.float64), bound.floor)
            assert (error <= bound.ulp).all(), (x, y)
        else:
            assert (y.view(np.uint32) == wanted.view(np.uint32)).all(), (x, y, wanted)

    def test_odd(self, name, accuracy, tables):
        if not contract_of(name).odd:
            return
        y = by_numpy(name, sample(), accuracy, tables)
        assert (by_numpy(name, -sample(), accuracy, tables).view(np.uint32) == (-y).view(np.uint32)).all()

    def test_monotone(self, name, accuracy, tables):
        if not contract_of(name).monotone or accuracy != ACCURATE:
            return
        low, high = contract_of(name).domain
        y = by_numpy(name, sample()[(sample() >= low) & (sample() <= high)], accuracy, tables)
        assert (y[1:] >= y[:-1]).all()


class TestCells:
    """Fast forms with tables of 16 cells keep further properties besides the error bound."""

    def test_bounds(self):
        """Rounding never exceeds the values at infinity, not even close to the end of the table."""
        for name, cells, low, high in (("tanh", TANH_CELLS, -1.0, 1.0), ("sigmoid", SIGMOID_CELLS, 0.0, 1.0)):
            x = self.near(cells)
            y = by_numpy(name, np.concatenate([x, -x]), "fast", 16)
            assert low <= y.min() and y.max() <= high
            assert (by_numpy(name, np.float32([cells[1], 100.0, np.inf]), "fast", 16) == 1.0).all()
        for name, cells in (("silu", SILU_CELLS), ("gelu", GELU_CELLS)):
            x = self.near(cells)
            y = by_numpy(name, x, "fast", 16)
            assert (by_numpy(name, -x, "fast", 16) <= 0.0).all() and (y <= x).all()
            beyond = np.array([cells[1], 100.0, 1e38, np.inf], np.float32)
            assert (by_numpy(name, beyond, "fast", 16) == beyond).all()
            assert (by_numpy(name, -beyond, "fast", 16) == 0.0).all()

    @staticmethod
    def near(cells: tuple[float, float]) -> Array:
        """Return the last f32 numbers before the end of the table, and the positive numbers of the sample."""
        end = int(np.float32(cells[1]).view(np.int32))
        last = np.arange(end - 50_000, end + 100, dtype=np.int32).view(np.float32)
        return np.concatenate([last, sample()[sample() > 0]])

    def test_sigmoid_at_the_far_end(self):
        """The fast sigmoid has its least value, 2^-41, from the end of the table on."""
        x = -np.array([SIGMOID_CELLS[1], 11.0, 3e38, np.inf], np.float32)
        assert (by_numpy("sigmoid", x, "fast", 16) == 2.0**-41).all()

    def test_sigmoid_is_symmetric(self):
        """sigmoid(x) + sigmoid(-x) differs from 1 by one rounding at most."""
        x = sample()
        both = by_numpy("sigmoid", x, "fast", 16).astype(np.float64) + by_numpy("sigmoid", -x, "fast", 16)
        assert np.abs(both - 1.0).max() <= 2.0**-25

    def test_zeros_and_small_numbers(self):
        """Zeros keep their signs, and the error is relative where the function is close to a multiple of x."""
        small = sample()[(sample() != 0) & (np.abs(sample()) < 2.0**-12) & (np.abs(sample()) > 2.0**-100)]
        for name, slope in (("tanh", 1.0), ("silu", 0.5), ("gelu", 0.5)):
            zeros = by_numpy(name, np.float32([0.0, -0.0]), "fast", 16)
            assert (zeros.view(np.uint32) == np.float32([0.0, -0.0]).view(np.uint32)).all()
            y = by_numpy(name, small, "fast", 16).astype(np.float64)
            wanted = wanted_of(name, small)
            assert (np.abs(y - wanted) <= 2.0**-12 * slope * np.abs(small)).all()

    def test_fast_exp_never_falls(self):
        whole = np.arange(1, 150) * np.float32(np.log(2))  # where the polynomial starts anew
        x = np.sort(np.concatenate([sample(), around(whole, 60), around(-whole, 60)]))
        y = by_numpy("exp", x, "fast", 16)
        assert (y[1:] >= y[:-1]).all()


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("accuracy", [ACCURATE, STANDARD])
@pytest.mark.parametrize("name", SLOPED)
def test_every_half_is_correctly_rounded(name, accuracy, dtype):
    """For all 65,536 inputs the result is the true value, rounded once. Gradients are those of g = 1."""
    x = np.arange(1 << 16, dtype=np.uint16).view(HALVES[dtype])
    with np.errstate(all="ignore"):
        wanted = rounded_to(wanted_of(name, x.astype(np.float32)), HALVES[dtype])
    nan = np.isnan(wanted.astype(np.float32))
    for tables in TABLES if has_two_forms(name, accuracy) else TABLES[:1]:
        y = by_numpy(name, x, accuracy, tables, dtype)
        # zeros are compared by value, since `Contract.at` defines the sign of results that underflow
        same = (y == wanted) | (np.isnan(y.astype(np.float32)) & nan)
        assert same.all(), (x[~same][:9], y[~same][:9], wanted[~same][:9])


@pytest.mark.parametrize("dtype, fraction", [("f16", 10), ("bf16", 7)])
def test_a_longer_expression_in_half_precision(dtype, fraction):
    """For all 65,536 inputs of a product of two functions, the error in f32 is 4 ulp per function and half an ulp for
    the product. The result is rounded once more, as docs/numerics.md says."""
    x = np.arange(1 << 16, dtype=np.uint16).view(HALVES[dtype]).reshape(1, -1)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        true = np.where(np.isfinite(wide), REFERENCE["silu"](wide) * REFERENCE["sigmoid"](wide), 0.0)
        small = float(ml_dtypes.finfo(HALVES[dtype]).smallest_normal)
        size = np.exp2(np.frexp(np.maximum(np.abs(true), small))[1] - 1.0 - fraction)
    for tables in TABLES:
        spec = ts.eltwise_spec(lambda x: ts.silu(x) * ts.sigmoid(x), "product", {"x": x.shape}, dtype=dtype)
        y = expected(spec, {"x": x}, tables)[0].astype(np.float64)
        error = np.where(np.isfinite(wide), np.abs(y - true), 0.0) / size
        assert error.max() <= 0.5 + 8.5 * 2.0 ** (fraction + 1 - 23), x.ravel()[np.argmax(error)]


def _agrees(name: str, target: str, accuracy: str, dtype: str, x: Array, server: Any) -> None:
    """Check that machine code gives the bits of numpy's evaluation."""
    machine = MACHINES[target]
    spec = spec_of(name, x.size, accuracy, dtype)
    arrays = arrays_of(spec, x)
    check(run(spec, machine, arrays, server, "end"), expected(spec, arrays, tables_of(machine)))


@pytest.mark.parametrize("accuracy", ACCURACIES)
@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("name", SLOPED)
@pytest.mark.grid(12)
def test_native(name, target, accuracy):
    x = np.concatenate([sample(), np.array([np.nan], np.float32)])
    _agrees(name, target, accuracy, "f32", x, None)
    _agrees(name, target, accuracy, "f16", np.arange(1 << 16, dtype=np.uint16).view(np.float16), None)
    _agrees(name, target, accuracy, "bf16", np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16), None)


@pytest.mark.parametrize(
    ("name", "target", "accuracy"),
    [
        (name, target, accuracy)
        for number, (name, accuracy) in enumerate(product(SLOPED, ACCURACIES))
        for target in in_turn(number + number // 3, FOREIGN)
    ],
)
def test_foreign(name, target, accuracy, aarch64):
    x = np.concatenate([sample()[::37], np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)])
    _agrees(name, target, accuracy, "f32", x, aarch64)
    _agrees(name, target, accuracy, "f16", np.arange(7, 1 << 16, 61, dtype=np.uint16).view(np.float16), aarch64)


def test_the_reference_against_mpmath():
    """tests/ulp/reference.py has an error below 2^-20 ulp of f32; near roots, of the contract's floor."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-20, 20, 60), rng.uniform(-1, 1, 30), np.float32([-14.2, -0.7517916, -1.2784645])])
    x = x.astype(np.float32)
    mpmath.mp.dps = 40

    def u(v: Any) -> Any:
        return mpmath.sqrt(2 / mpmath.pi) * (v + mpmath.mpf("0.044715") * v**3)

    def slope_of_gelu_tanh(v: Any) -> Any:
        rise = mpmath.sqrt(2 / mpmath.pi) * (1 + 3 * mpmath.mpf("0.044715") * v**2)
        return (1 + mpmath.tanh(u(v))) / 2 + v / 2 * mpmath.sech(u(v)) ** 2 * rise

    exact = {
        "gelu": lambda v: v * mpmath.ncdf(v),
        "gelu_inv": lambda v: mpmath.ncdf(v) + v * mpmath.npdf(v),
        "gelu_tanh": lambda v: v / 2 * (1 + mpmath.tanh(u(v))),
        "gelu_tanh_inv": slope_of_gelu_tanh,
        "silu": lambda v: v / (1 + mpmath.exp(-v)),
        "silu_inv": lambda v: (lambda s: s * (1 + v * (1 - s)))(1 / (1 + mpmath.exp(-v))),
        "sigmoid": lambda v: 1 / (1 + mpmath.exp(-v)),
        "sigmoid_inv": lambda v: mpmath.sech(v / 2) ** 2 / 4,
        "tanh": mpmath.tanh,
        "tanh_inv": lambda v: mpmath.sech(v) ** 2,
        "exp": mpmath.exp,
        "exp2": lambda v: mpmath.mpf(2) ** v,
        "elu": lambda v: v if v > 0 else mpmath.expm1(v),
        "softplus": lambda v: mpmath.log1p(mpmath.exp(v)),
    }
    with mpmath.workdps(250):
        for name, function in exact.items():
            wanted = wanted_of(name, x)
            for v, found in zip(x, wanted, strict=True):
                true = function(mpmath.mpf(float(v)))
                size = max(abs(true), mpmath.mpf(max(contract_of(name).floor[0], 2.0**-150)))
                assert abs(true - mpmath.mpf(float(found))) <= size * mpmath.mpf(2) ** -44, (name, v)


def test_types_without_the_functions_are_refused():
    with pytest.raises(ts.UnsupportedError, match="float"):
        ts.unary("tanh", 4, 4, dtype="i32", compute="i32")
