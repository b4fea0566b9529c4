"""The model of places refused the part of a spread gradient of a group norm that adds to the sums of earlier samples:
it took these, which the call gives, for a result that nothing has written."""

from __future__ import annotations

import tilesmith as ts
from tilesmith.runtime.verify.places.check import overwritten


def test_parts_that_add_to_sums() -> None:
    kernel = ts.fused("groupnorm_training_inv", 8 * 3, 1000, groups=4, channels=8)
    parts = ts.spread(kernel).called()
    assert any("ggamma_before" in str(each.spec) for each in parts)
    assert all(overwritten(each.plan) is None for each in parts)
