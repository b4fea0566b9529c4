"""If a product had more columns than one kernel allows, an operand of C's shape was split into slices. The kernel of a
part refused them, because they are not dense."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.ops import products

RNG = np.random.default_rng(2)


def whole(*shape):
    return RNG.integers(-2, 3, shape).astype(np.float32)


@pytest.mark.parametrize(("m", "n"), [(3, 40), (40, 3), (40, 35), (16, 17)])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_in_parts(monkeypatch, m, n, batch):
    monkeypatch.setattr(products, "LARGEST", 16)
    a, b, x = whole(*batch, m, 5), whole(*batch, 5, n), whole(*batch, m, n)
    wide = np.repeat(x, 2, axis=-1)[..., ::2]
    for operand in (x, wide, np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2), x[..., :1], x[..., :1, :]):
        for out in (None, np.empty_like(x), np.empty((*batch, n, m), np.float32).swapaxes(-1, -2)):
            made = ts.matmul(a, b, out, epilogue=lambda c, x: c + x, operands={"x": operand})
            assert np.array_equal(made, a @ b + operand)
