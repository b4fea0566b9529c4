"""The second call of a convolution with a zero point and a bias added the bias without the zero point's share: machine
code, which handles calls from the second one on, read the caller's bias."""

import numpy as np
import pytest

import tilesmith as ts
from tests.convolution_cases import convolution, numbers


@pytest.mark.parametrize("biased", ["at calls", "packed", "none"])
def test_every_call_gives_the_same(biased: str) -> None:
    """The sums are those of the definition in exact integers, in the first calls and in later ones."""
    x, w = numbers((1, 4, 5, 5), np.uint8, 1), numbers((8, 4, 3, 3), np.int8, 2)
    layer = ts.conv(x.shape, w.shape, padding=1, dtype=("u8", "i8", "i32"), zero_point=7, bias=biased != "none")
    bias = numbers((8,), np.int32, 3)
    exact = convolution(x.astype(np.int64) - 7, w, (1, 1), ((1, 1),) * 2, (1, 1))
    exact = exact if biased == "none" else exact + bias.reshape(-1, 1, 1)
    packed = layer.pack(w, bias=bias if biased == "packed" else None)
    given = [bias] if biased == "at calls" else []
    for _ in range(3):
        assert np.array_equal(layer(x, packed, *given), exact)
