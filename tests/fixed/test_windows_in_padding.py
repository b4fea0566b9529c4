"""Largest elements of windows whose taps all lie in the padding were 0, and an IndexError with return_indices=True."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("indices", [False, True])
def test_a_window_without_elements_is_refused(indices: bool) -> None:
    x = -np.ones((1, 1, 1, 2), np.float32)
    # the first window has the places -2 and 2 of an axis of 2 elements
    with pytest.raises(ValueError, match="padding: a window along the width has no element of x"):
        ts.max_pool2d(x, (1, 2), 1, padding=(0, 2), dilation=(1, 4), return_indices=indices)
