"""Letters that are divided among workers may share an axis of what is written, if their steps keep elements apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts

X = ((24, 8), "f32")


def made(string: str, place: Any, rows: int = 1, **loops: tuple[int, int, int]) -> ts.Kernel:
    square = ts.unary("square", rows, 8)
    return ts.nest(string, loops, lambda i, x, y: square(x[place(i), 0], y[place(i), 0]), x=X, y=X)


def called(nest: Any) -> None:
    x = np.random.default_rng(0).standard_normal(X[0]).astype(np.float32)
    for threads in (1, 2, 3, 7):
        y = np.zeros_like(x)
        nest(x, y, threads=threads)
        np.testing.assert_array_equal(y, x * x)
    y = np.zeros_like(x)
    nest.run(x, y, workers=3)
    np.testing.assert_array_equal(y, x * x)


@pytest.mark.parametrize("string", ["AB", "BA", "Ab", "bA", "aB", "A{R}b", "A{R:2}b{C}"])
def test_two_letters_of_one_axis(string: str) -> None:
    called(made(string, lambda i: 6 * i.a + 2 * i.b, 2, a=(0, 4, 1), b=(0, 3, 1)))


def test_rows_of_blocks_that_do_not_divide() -> None:
    square = ts.unary("square", 1, 8)

    def body(i: Any, x: Any, y: Any) -> None:
        with ts.when(i.a + i.b < 24):
            square(x[i.a + i.b], y[i.a + i.b])

    called(ts.nest("Ab", {"a": (0, 24, 7), "b": (0, 7, 1)}, body, x=X, y=X))


@pytest.mark.parametrize(
    ("string", "place", "rows"),
    [
        ("AB", lambda i: 5 * i.a + 2 * i.b, 2),  # 6 rows from every fifth one on
        ("A{R}b", lambda i: 5 * i.a + 2 * i.b, 2),
        ("AB", lambda i: 6 * i.a + 2 * i.b, 3),
        ("AB", lambda i: i.a + i.b, 1),
    ],
)
def test_letters_that_overlap(string: str, place: Any, rows: int) -> None:
    with pytest.raises(ts.RaceError, match=r"axis 0 of y is indexed by i.[ab] together with i.[ab], .* or reshape y"):
        made(string, place, rows, a=(0, 3, 1), b=(0, 3, 1))


def test_reads_at_other_places_of_the_same_block() -> None:
    """Other rows of the own block may be read, those of the next block not."""
    square, loops, y = ts.unary("square", 1, 8), {"a": (0, 6, 1)}, ((24, 8), "f32")
    ts.nest("A", loops, lambda i, y: square(y[4 * i.a], y[4 * i.a + 3]), y=y)
    with pytest.raises(ts.RaceError, match="another writes"):
        ts.nest("A", {"a": (0, 5, 1)}, lambda i, y: square(y[4 * i.a], y[4 * i.a + 4]), y=y)
    with pytest.raises(ts.RaceError, match="another writes"):
        ts.nest("A", loops, lambda i, y: square(y[4 * i.a], y[20 - 4 * i.a + 3]), y=y)
