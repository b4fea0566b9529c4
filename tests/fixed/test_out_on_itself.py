"""max_pool2d, permute and batch_norm wrote into an `out` whose elements share memory, where the last one won."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts

Array = np.ndarray[Any, Any]
X = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda out: ts.max_pool2d(X, 1, out=out),
        lambda out: ts.permute(X, (0, 1, 3, 2), out=out),
        lambda out: ts.batch_norm(X, training=True, out=out),
    ],
)
def test_an_output_that_shares_places_is_refused(call: Callable[[Array], object]) -> None:
    out = np.lib.stride_tricks.as_strided(np.zeros(2, np.float32), X.shape, (8, 8, 0, 4))
    with pytest.raises(ValueError, match="out: memory of its own for each element"):
        call(out)
