"""Rounding errors of standard forms in f64 are bounded for all arguments, below what is promised."""

from __future__ import annotations

import pytest

from tests import profiles
from tests.ulp import bound
from tilesmith.microkernels.functions.accuracies import STANDARD
from tilesmith.microkernels.functions.activations import contract_of

BEYOND = {"silu_inv": 0.1}
"""What is allowed beyond the promise: the bound of silu' just below 0, docs/numerics.md."""
NAMES = [*bound.ENDS] if profiles.is_soak() else ["sigmoid", "tanh", "elu"]


@pytest.mark.parametrize("name", NAMES)
def test_roundings_and_coefficients(name, monkeypatch):
    monkeypatch.setattr(bound, "SAMPLES", profiles.scaled(200, 4000))
    roundings, at, coefficients = bound.bound(name)
    promised = contract_of(name, "f64").bound(STANDARD, 0).ulp
    assert roundings + coefficients <= promised + BEYOND.get(name, 0.0), at
