"""ts.matmul passed the operands of an epilogue in the order of the dictionary instead of that of the parameters. With
{"q": q, "p": p} for lambda c, p, q the two were silently swapped."""

import numpy as np
import pytest

import tilesmith as ts

RNG = np.random.default_rng(6)


def finished(c, p, q, r=1.0):
    return (c + p) * q - r


@pytest.mark.parametrize("size", [8, 300])
@pytest.mark.parametrize("shapes", [((), ()), (None, None), ("row", "row"), ("col", "row"), ("row", "col")])
def test_operands_are_taken_by_name(size, shapes):
    a, b = (RNG.integers(-2, 3, (size, size)).astype(np.float32) for _ in "ab")
    of = {None: (size, size), "row": (size,), "col": (size, 1), (): ()}
    p, q, r = (RNG.integers(-2, 3, of[each]).astype(np.float32) for each in (*shapes, "row"))
    for given in ({"p": p, "q": q}, {"q": q, "p": p}, {"r": r, "q": q, "p": p}, {"q": q, "r": r, "p": p}):
        expected = (a @ b + p) * q - given.get("r", 1.0)
        assert np.array_equal(ts.matmul(a, b, epilogue=finished, operands=given), expected)
        out = np.empty((size, size), np.float32, order="F")
        assert np.array_equal(ts.matmul(a, b, out, epilogue=finished, operands=given), expected)
        batch = ts.matmul(np.stack([a, a]), b, epilogue=finished, operands=given)
        assert np.array_equal(batch[1], expected)
