"""A right factor of ts.RUNTIME rows was taken for one of 64 rows, the number that stands for ts.RUNTIME in a request:
`x @ v.T` had 64 columns. Errors of functions of ts.RUNTIME rows spoke of 64 rows, which nobody had written.
"""

import pytest

import tilesmith as ts

R = ts.RUNTIME
REFUSED = {
    "right factor": (lambda x, v: x @ v, {"x": (R, 64), "v": (R, 8)}, "^v: must have a fixed number of rows"),
    "transposed": (lambda x, v: x @ v.T, {"x": (R, 8), "v": (R, 8)}, "^v: must have a fixed number of rows"),
    "other columns": (lambda x, v: x @ v, {"x": (R, 8), "v": (R, 8)}, "^v: must have a fixed number of rows"),
    "both": (
        lambda x, v: x @ v + v,
        {"x": (R, 64), "v": (R, 64)},
        "^x @ v: 64 columns on the left, m rows on the right",
    ),
    "rows of a result": (
        lambda x, w, v: (x @ w, v * 2),
        {"x": (R, 8), "w": (8, 5), "v": (1, 5)},
        "^result 1: has 1 rows, another result has ts.RUNTIME",
    ),
    "rows of a factor": (
        lambda x, w, v: x + v @ w,
        {"x": (R, 8), "w": (8, 8), "v": (1, 8)},
        "^a @ w: a has 1 rows, the results have ts.RUNTIME",
    ),
    "fixed rows": (lambda x, v: x + v, {"x": (R, 8), "v": (3, 8)}, r"^v: shape \(3, 8\) is neither \(ts.RUNTIME, 8\)"),
    "columns": (
        lambda x, v: x + v,
        {"x": (R, 8), "v": (R, 9)},
        r"^x: shape \(ts.RUNTIME, 8\) is neither \(ts.RUNTIME, 9\)",
    ),
    "not used": (lambda x, w: x * 2, {"x": (R, 8), "w": (8, 8)}, r"neither \(ts.RUNTIME, 8\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_error_speaks_of_the_rows_of_the_call(name: str) -> None:
    function, shapes, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as found:
        ts.equation(function, **shapes)
    assert "(64, " not in str(found.value) and "64 rows" not in str(found.value)
