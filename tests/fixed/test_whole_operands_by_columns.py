"""For a column-major C, a large product read an epilogue's operand of C's shape as row-major, so results were wrong and
reads went beyond it. A walk over C assumed that the operand of a block is dense."""

from dataclasses import replace

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, guarded
from tilesmith.runtime.api.brgemm import product_spec
from tilesmith.runtime.host import detect
from tilesmith.runtime.kernel.callable import kept

RNG = np.random.default_rng(5)


def whole(*shape):
    """Return numbers whose products and sums are exact."""
    return RNG.integers(-2, 3, shape).astype(np.float32)


def held(x, order, side):
    """Return the matrix in an order, next to a guard page."""
    return guarded(x, side) if order == "C" else guarded(np.ascontiguousarray(x.T), side).T


@both_sides
@pytest.mark.parametrize("order", ["CCC", "CCF", "FFF", "FCF", "CFC"])
@pytest.mark.parametrize(("m", "n", "k"), [(130, 500, 90), (600, 400, 90)])
def test_large_products(m, n, k, order, side):
    a, b, c, r, s = whole(m, k), whole(k, n), np.zeros((m, n), np.float32), whole(m, n), whole(m, 1)
    product = ts.gemm(
        m, n, k, order=order, beta=0, epilogue=lambda c, r, s: c * s + r, operands={"r": None, "s": "col"}
    )
    out = held(c, order[2], side)
    product(held(a, order[0], side), held(b, order[1], side), out, held(r, order[2], side), s)
    assert np.array_equal(out, a @ b * s + r)


@pytest.mark.parametrize("order", ["CCC", "CCF", "FCF"])
def test_a_block_of_a_longer_operand(order):
    m, n, k = 48, 40, 30
    spec = product_spec(m, n, k, order=order, beta=0.0, epilogue=lambda c, r: c + r, operands={"r": None})
    (extra,) = spec.extras
    view = extra.view._replace(leading=extra.view.leading + 5)
    kernel = kept(replace(spec, extras=(extra._replace(view=view),)), detect.resolve(None))
    a, b, r = whole(m, k), whole(k, n), whole(m, n + 5)[:, :n] if order[2] == "C" else whole(n, m + 5)[:, :m].T
    a, b, out = (np.asarray(x, order=o) for x, o in zip((a, b, np.zeros((m, n), np.float32)), order))
    kernel(a, b, out, r)
    assert np.array_equal(out, a @ b + r)
