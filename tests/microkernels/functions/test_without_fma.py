"""Functions in f64 on targets without an FMA instruction, where most products are rounded separately, keep their
contracts, measured with 80-bit floats. The bounds of tests/ulp/bound.py hold for all arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.eltwise_cases import check, expected, run
from tests.microkernels.functions.test_activations_f64 import (
    NAN,
    SLOPED,
    arrays_of,
    few,
    long_doubles,
    sample,
    spec_of,
)
from tests.profiles import is_soak, scaled
from tests.ulp import bound
from tests.ulp.reference_f64 import errors, wanted
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.functions.accuracies import ACCURACIES, STANDARD
from tilesmith.microkernels.functions.activations import contract_of
from tilesmith.runtime.host.detect import runs
from tilesmith.runtime.kernel.callable import Kernel

Array = np.ndarray[Any, Any]
POINTS = scaled(8_000, 1_000_000)
NAMES = [*bound.ENDS] if is_soak() else ["exp"]
native = pytest.mark.skipif(bool(runs(TARGETS["avx"])), reason="not an x86 processor with AVX")


def found(name: str, x: Array, accuracy: str) -> Array:
    """Return the results on AVX."""
    spec = spec_of(name, x.size, accuracy)
    result: Array = np.zeros((1, x.size))
    Kernel(spec, TARGETS["avx"])(*arrays_of(spec, x).values(), result)
    return result.ravel()


@native
@long_doubles
@pytest.mark.parametrize("name", SLOPED)
def test_contracts(name: str) -> None:
    contract, x = contract_of(name, "f64"), sample(POINTS, 10)
    for accuracy in ACCURACIES:
        promised, y = contract.bound(accuracy, 0), found(name, x, accuracy)
        error = errors(y, wanted(name, x), promised.floor)
        worst = int(np.argmax(error))
        assert error[worst] <= promised.ulp, f"{accuracy}: {error[worst]} ulp at {x[worst]!r}: {y[worst]!r}"
        assert np.isnan(found(name, NAN, accuracy)).all()
        at, true = np.array(contract.at).T.copy()
        y = found(name, at, accuracy)
        if accuracy != "fast":
            assert (y.view(np.uint64) == true.view(np.uint64)).all(), (at, y, true)


@native
@pytest.mark.parametrize("name", ["exp", "exp2_inv", "sigmoid", "gelu", "gelu_tanh_inv", "log", "silu_inv", "softplus"])
def test_both_targets_have_the_bits_of_the_expression(name: str) -> None:
    x = few()[::7].copy()
    for target in ("sse", "avx"):
        spec = spec_of(name, x.size, STANDARD)
        arrays = arrays_of(spec, x)
        check(run(spec, TARGETS[target], arrays, None, "end"), expected(spec, arrays, 0, TARGETS[target]))


@long_doubles
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_roundings_and_coefficients(name: str) -> None:
    _, _, total, at = bound.bound(name, apart=True)
    assert total <= contract_of(name, "f64").bound(STANDARD, 0).ulp, at


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_softmax_is_proved(target: str) -> None:
    assert ts.fused("softmax", 2, 5, dtype="f64", target=target).verify()


@pytest.mark.parametrize("target", ["sse", "avx"])
@pytest.mark.parametrize("accuracy", ACCURACIES[:2])
def test_every_composite_is_made(target: str, accuracy: str) -> None:
    """softmax, losses, gated units and accurate norms, which were once refused, are within their bounds."""
    rng = np.random.default_rng(3)
    x, labels = rng.normal(size=(5, 13)) * 4, rng.integers(0, 13, (5, 1)).astype(np.int32)
    exact = x.astype(np.longdouble)
    power = np.exp(exact - exact.max(1, keepdims=True))
    share = power / power.sum(1, keepdims=True)
    made = ts.fused("softmax", 5, 13, dtype="f64", target=target, accuracy=accuracy).run(x)
    assert (abs(made - share) <= 6 * np.spacing(share.astype(float))).all()
    loss = ts.fused("cross_entropy", 5, 13, dtype="f64", target=target, accuracy=accuracy).run(x, labels)
    truth = -np.log(np.take_along_axis(share, labels.astype(np.int64), 1))
    assert (abs(loss - truth) <= 40 * 2.0**-53 * (1 + abs(exact).max(1, keepdims=True))).all()
    gated = ts.fused("swiglu", 5, 13, dtype="f64", target=target, accuracy=accuracy).run(x, x + 1)
    truth = exact / (1 + np.exp(-exact)) * (exact + 1)
    assert (abs(gated - truth) <= 6 * np.spacing(abs(truth).astype(float))).all()


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_attention(target: str) -> None:
    """The error is at most 64 units of the largest value. The softmax step once needed more registers than these
    targets have."""
    rng, shapes = np.random.default_rng(4), ((2, 7, 16), (2, 19, 16), (2, 19, 16))
    q, k, v = (rng.normal(size=shape) for shape in shapes)
    scores = np.einsum("hqd,hkd->hqk", *(each.astype(np.longdouble) for each in (q, k))) / 4
    power = np.exp(scores - scores.max(-1, keepdims=True))
    truth = np.einsum("hqk,hkd->hqd", power / power.sum(-1, keepdims=True), v)
    for accuracy in ACCURACIES[:2]:
        y = ts.attention(2, 7, 19, 16, dtype="f64", target=target, accuracy=accuracy).run(q, k, v)
        assert (abs(y.reshape(truth.shape) - truth) <= 64 * 2.0**-53 * abs(v).max()).all()
