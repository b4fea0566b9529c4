"""An operand of an epilogue that was named row or column, like the numbers of an origin, raised a KeyError."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ("avx2", "sse", "neon"))
def test_operands_are_called_row_and_column(target):
    a, b = np.arange(20.0, dtype="f4").reshape(4, 5) % 3, np.arange(30.0, dtype="f4").reshape(5, 6) % 4
    row, column = np.arange(6, dtype="f4"), np.arange(4, dtype="f4")[:, None]
    mm = ts.brgemm(
        4,
        6,
        5,
        beta=0,
        target=target,
        epilogue=lambda c, row, column: (c + row) * column,
        operands={"row": "row", "column": "col"},
    )
    c = np.zeros((4, 6), "f4")
    mm.run(a, b, c, row, column)
    assert np.array_equal(c, (a @ b + row) * column)
