"""Random words, which are integers, were kept between two walks in a matrix of floats, so the request was refused."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts


def test_two_walks_that_draw_the_same_numbers() -> None:
    def function(x: Any) -> Any:
        return ts.dropout(x - ts.sum(x, axis=0), 0.5) + ts.max(ts.dropout(x, 0.5), axis=0)

    x = np.arange(5 * 12, dtype=np.float32).reshape(5, 12) % 7
    plain = ts.unary("dropout", 5, 12, rate=0.5)
    dropped, moved = (np.asarray(_first(plain.run(each, 7))) for each in (x, (x - x.sum(0)).astype(np.float32)))
    found = _first(ts.equation(function, x=(5, 12), target="avx2").run(x, 7))
    assert (found == moved + dropped.max(0)).all()


def _first(made: Any) -> Any:
    return made[0] if isinstance(made, tuple) else made
