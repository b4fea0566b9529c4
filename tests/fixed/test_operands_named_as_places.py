"""Spread kernels with random numbers gave a part the address of an operand that is called row or column as the place
where it begins, so that other elements were dropped."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts


@pytest.mark.parametrize("rows", [300, ts.RUNTIME])
@pytest.mark.parametrize("product", [False, True])
def test_an_operand_called_row_is_refused(rows: Any, product: bool) -> None:
    if product:
        kernel = ts.equation(lambda x, w, row: ts.dropout(x @ w + row, 0.5), x=(rows, 40), w=(40, 16), row=(16,))
    else:
        kernel = ts.equation(lambda x, row: ts.dropout(x + row, 0.5), x=(rows, 40), row=(40,))
    with pytest.raises(ts.UnsupportedError, match="row is an operand, and the number .*rename the operand"):
        ts.spread(kernel)
