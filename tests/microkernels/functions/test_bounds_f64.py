"""The proven error bounds of standard forms in f64 hold for all arguments and are below the promised ones."""

from __future__ import annotations

import random
import shutil

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tests import profiles
from tests.ulp import bound, native_f64
from tests.ulp.reference_f64 import EXACT
from tilesmith.microkernels.functions.accuracies import STANDARD
from tilesmith.microkernels.functions.activations import contract_of

NAMES = [*bound.ENDS] if profiles.is_soak() else ["sigmoid", "tanh", "elu"]
long_doubles = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="80-bit floats round the intervals' ends")
soak = pytest.mark.skipif(not profiles.is_soak() or not shutil.which("gcc"), reason="for soak, with gcc")


@long_doubles
@pytest.mark.grid(1)
@pytest.mark.parametrize("name", NAMES)
def test_roundings_and_coefficients(name, monkeypatch):
    _, coefficients, total, at = bound.bound(name)
    assert total <= contract_of(name, "f64").bound(STANDARD, 0).ulp, at
    if name != "log":
        monkeypatch.setattr(bound, "SAMPLES", profiles.scaled(100, 2000))
        assert bound.left_by_coefficients(name) <= coefficients + 2.0**-9


@soak
@pytest.mark.parametrize("name", native_f64.RANGES)
def test_the_reference_of_the_sweep(name):
    """The reference has an error below 2^-6 ulp; near roots, of the contract's floor."""
    rows = random.Random(1).sample(native_f64.sampled(name), 300)
    floor = max(contract_of(name, "f64").bound(STANDARD, 0).floor, 2.0**-1022)
    with mpmath.workdps(420):
        for x, high, low, n, _ in rows:
            true = EXACT[name](mpf(x))
            if abs(true) < mpf(2) ** 1024:
                found = mpmath.ldexp(mpf(high) + mpf(low), int(n))
                assert abs(found - true) <= max(abs(true), floor) * mpf(2) ** -59, x


@soak
@pytest.mark.parametrize("name", native_f64.RANGES)
def test_many_numbers(name):
    """The error of 10^8 arguments, or of a share of them, is within the bound; docs/numerics.md states the errors of
    10^9."""
    found = native_f64.measured(name, "standard", None, profiles.scaled(10**6, 10**8), None)
    assert found.wrong == 0 and found.worst <= contract_of(name, "f64").bound(STANDARD, 0).ulp, found
