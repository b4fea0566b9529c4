"""The bound of exp2' in f64 took log 2 as one number for exact: the form is off by 0.3 ulp more than it said."""

import pytest

from tests.ulp import bound


@pytest.mark.slow
def test_the_bound_of_coefficients_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact arithmetic on the constants as they are, against the function, at a few arguments."""
    monkeypatch.setattr(bound, "SAMPLES", 20)
    monkeypatch.setitem(bound.ENDS, "exp2_inv", (-3.0, 3.0))
    assert bound.left_by_coefficients("exp2_inv") <= bound.bound("exp2_inv")[1]
