"""An array in the place of an integer, as in a call without `seen`, was reported by numpy, without the argument's name:
"only integer scalar arrays can be converted to a scalar index".
"""

import numpy as np
import pytest

import tilesmith as ts

X = np.ones((4, 4), np.float32)
HEAD = np.ones((1, 4, 4), np.float32)
CALLS = {
    "seen": lambda: ts.attention(1, 4, 4, 4, seen=ts.RUNTIME)(HEAD, HEAD, HEAD, HEAD.copy()),
    "seed": lambda: ts.unary("dropout", 4, 4, rate=0.5)(X, X.copy()),
    "count": lambda: ts.brgemm(4, 4, 4, batch=ts.STRIDE)(HEAD, HEAD, X.copy(), X, 64, 64),
    "a_stride": lambda: ts.brgemm(4, 4, 4, batch=ts.STRIDE)(HEAD, HEAD, X.copy(), 1, X, 64),
    "lda": lambda: ts.brgemm(4, 4, 4, lda=ts.RUNTIME)(X, X.copy(), X.copy(), lda=X),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_error_names_the_argument(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}: an integer, not an array of shape \(.*4, 4\) and type float32"):
        CALLS[name]()


def test_an_array_of_one_integer_is_one() -> None:
    ts.brgemm(4, 4, 4, batch=ts.STRIDE)(HEAD, HEAD, X.copy(), np.array(1), 64, 64)
