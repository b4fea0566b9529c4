"""Accurate `batchnorm_training` gave NaN for the mean of a column with an infinity, which is infinite."""

import numpy as np
import pytest

import tilesmith as ts

BAD = {1: (np.inf,), 2: (-np.inf,), 3: (np.nan,), 4: (np.inf, -np.inf), 5: (np.inf,) * 4}
"""What some columns hold, from their first row on."""


@pytest.mark.parametrize("accuracy", ["standard", "accurate", "fast"])
def test_the_statistics_are_those_of_the_formula(accuracy: str) -> None:
    x = np.random.default_rng(1).standard_normal((4, 9)).astype("f4")
    for column, values in BAD.items():
        x[: len(values), column] = values
    wide = x.astype("f8")
    with np.errstate(invalid="ignore"):
        mean = wide.mean(0)
        inverse = 1 / np.sqrt(((wide - mean) ** 2).mean(0) + 1e-5)
        wanted = (wide - mean) * inverse, mean, inverse
    found = ts.fused("batchnorm_training", 4, 9, accuracy=accuracy)(x, np.ones(9, "f4"), np.zeros(9, "f4"))
    for each, exact in zip(found, wanted):
        np.testing.assert_allclose(np.reshape(each, exact.shape), exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("accuracy", ["standard", "accurate", "fast"])
def test_the_statistics_of_groups(accuracy: str) -> None:
    """They are the same function, of the elements of a group in one row."""
    x = np.ones((3, 40), "f4")
    x[0, 3], x[2, 7] = np.inf, np.nan
    mean = ts.fused("group_stats", 3, 40, accuracy=accuracy)(x)[0]
    np.testing.assert_array_equal(np.ravel(mean), [np.inf, 1.0, np.nan])
