"""A parameter that the traced function does not use, of a shape that does not fit, raised KeyError: '@column' beside
argmax or dropout: the column and the seed are inputs of the expression, but no parameters.
"""

import pytest

import tilesmith as ts


@pytest.mark.parametrize("rows", [16, ts.RUNTIME])
def test_argmax(rows: int) -> None:
    with pytest.raises(ValueError, match=r"^w: the traced function does not use it, and its shape \(7, 3\) is neither"):
        ts.equation(lambda x, w: ts.argmax(x, axis=1), x=(rows, 100), w=(7, 3), out="i32")


def test_dropout() -> None:
    with pytest.raises(ValueError, match=r"^w: the traced function does not use it, and its shape \(7, 3\) is neither"):
        ts.equation(lambda x, w: ts.dropout(x, 0.5), x=(16, 100), w=(7, 3))
