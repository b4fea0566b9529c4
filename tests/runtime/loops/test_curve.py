"""The Hilbert curve visits every place once; in squares of a power of two, successive places are neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from tilesmith.runtime.loops.curve import order, table


@pytest.mark.parametrize("rows, columns", [(1, 1), (1, 9), (9, 1), (3, 5), (16, 7), (64, 64)])
def test_every_place_once(rows: int, columns: int) -> None:
    places = order(rows, columns)
    assert len(places) == rows * columns and len({tuple(each) for each in places.tolist()}) == rows * columns
    assert (places >= 0).all() and (places < (rows, columns)).all()
    np.testing.assert_array_equal(np.frombuffer(table(rows, columns), np.uint32).reshape(-1, 2), places)


@pytest.mark.parametrize("size", [2, 4, 32, 64])
def test_steps_of_one(size: int) -> None:
    steps = np.abs(np.diff(order(size, size), axis=0)).sum(axis=1)
    assert (steps == 1).all()


def test_fewer_blocks_are_new_than_row_by_row() -> None:
    """The last 16 places have fewer different rows and columns than row by row, so more blocks stay in a cache."""

    def new(places: np.ndarray) -> int:  # type: ignore[type-arg]
        return sum(len({*places[at : at + 16, axis].tolist()}) for at in range(len(places) - 16) for axis in (0, 1))

    rows = np.stack([each.reshape(-1) for each in np.indices((24, 24))], axis=1)
    assert new(order(24, 24)) < 0.7 * new(rows)
