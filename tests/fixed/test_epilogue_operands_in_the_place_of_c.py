"""A bias in the place of c, as in `layer(a, b, bias)`, was an error that said only that the bias was missing."""

import numpy as np
import pytest

import tilesmith as ts

A, BIAS = np.ones((4, 4), np.float32), np.ones(4, np.float32)


def test_the_error_says_where_c_is() -> None:
    layer = ts.brgemm(4, 4, 4, beta=0, epilogue=lambda c, bias: c + bias)
    with pytest.raises(TypeError, match="bias missing; c comes before bias: pass None for it to get a new array"):
        layer(A, A, BIAS)
    assert (layer(A, A, None, BIAS) == 5).all()


def test_a_kernel_that_adds_to_c_says_so() -> None:
    layer = ts.brgemm(4, 4, 4, epilogue=lambda c, bias: c + bias)
    with pytest.raises(TypeError, match="bias missing; beta is 1, so this kernel adds to c"):
        layer(A, A, BIAS)
