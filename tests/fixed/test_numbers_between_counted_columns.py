"""For order "F" and rows given at the call, a fixed leading dimension was compared with 64, the number of rows that
planners assume. Now every fixed one is refused with the reason."""

import pytest

import tilesmith as ts

R = ts.RUNTIME


@pytest.mark.parametrize("ldx", [40, 64, 100])
@pytest.mark.parametrize(
    "request_",
    [
        lambda **ld: ts.unary("relu", R, 21, order="F", **ld),
        lambda **ld: ts.fused("softmax", R, 21, order="F", **ld),
        lambda **ld: ts.equation(lambda x: ts.sum(x, axis=1), x=(R, 21), order="F", **ld),
    ],
    ids=["unary", "fused", "equation"],
)
def test_the_array_says_how_far_columns_are_apart(request_, ldx):
    with pytest.raises(ts.UnsupportedError, match=r"ldx: cannot be a number, for lines lie along m, .*ts.RUNTIME"):
        request_(ldx=ldx)
    assert request_(ldx=R).spec.operands
