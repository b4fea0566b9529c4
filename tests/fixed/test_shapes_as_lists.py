"""`ts.equation(f, x=[4, 5])` refused a list as a shape, which numpy takes everywhere."""

from __future__ import annotations

import pytest

import tilesmith as ts


def test_a_list_is_a_shape() -> None:
    asked = ts.equation(lambda x, b: ts.relu(x + b), x=[4, 5], b=[5])
    assert asked.spec == ts.equation(lambda x, b: ts.relu(x + b), x=(4, 5), b=(5,)).spec
    with pytest.raises(TypeError, match=r"x: a shape \(rows, columns\), not \(\)"):
        ts.equation(lambda x: ts.relu(x), x=[])
