"""Tables of a batch: short ones are copied to the call's frame, longer ones to allocated memory that is freed."""

import tracemalloc

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.fastcall.guards_batch import FRAMED

COUNTS = (1, 2, 3, 4, 5, 7, 8, 31, FRAMED - 1, FRAMED, FRAMED + 1, 3 * FRAMED)
pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason=f"calls go through Python: {entry.refusal()}")
each_batch = pytest.mark.parametrize("batch", (ts.OFFSET, ts.ADDRESS), ids=str)
each_release = pytest.mark.parametrize("release", (None, False, True), ids=lambda value: f"release {value}")
SQUARE = 4 * 4 * 4  # bytes of a 4 x 4 matrix of f32


def operands(batch, count):
    """Return (a, b, their tables, the sum of the products)."""
    rng = np.random.default_rng(count)
    a, b = (rng.integers(-4, 5, (9, 4, 4)).astype(np.float32) for _ in range(2))
    places = [rng.integers(0, 9, count) for _ in range(2)]
    product = sum((a[i] @ b[j] for i, j in zip(*places)), np.zeros((4, 4), np.float32))
    tables = [place * SQUARE for place in places]
    if batch is ts.ADDRESS:
        tables = [(table + address(x)).astype(np.uint64) for table, x in zip(tables, (a, b))]
    return a, b, tables, product


def arguments(batch, a, b, c, tables):
    return (a, b, c, *tables) if batch is ts.OFFSET else (*tables, c)


@each_batch
@each_release
def test_any_number_of_entries(batch, release, monkeypatch):
    monkeypatch.setattr(
        "tilesmith.runtime.arguments.gemm.GemmCall.__call__", pytest.fail
    )  # machine code takes them all
    mm, new = (ts.brgemm(4, 4, 4, batch=batch, release_gil=release, beta=beta) for beta in (1, 0))
    for count in COUNTS:
        a, b, tables, product = operands(batch, count)
        kept, c = [table.copy() for table in tables], np.ones((4, 4), np.float32)
        mm(*arguments(batch, a, b, c, tables))
        assert (c == product + 1).all(), count
        assert (new(*arguments(batch, a, b, None, tables)) == product).all(), count
        assert all((table == before).all() for table, before in zip(tables, kept))


@each_batch
@pytest.mark.parametrize("which", (0, 1))
def test_one_wrong_entry(batch, which):
    """If one entry of a table is wrong, wherever it is, the call is refused and c is not written."""
    mm = ts.brgemm(4, 4, 4, batch=batch)
    for count in COUNTS:
        a, b, tables, _ = operands(batch, count)
        for place in {0, 1, 2, 3, 4, count // 2, count - 2, count - 1} & set(range(count)):
            right = tables[which][place]
            for wrong in (0 if batch is ts.ADDRESS else 9 * SQUARE, int(right) + 2, (1 << 63) - 4, 1 << 62):
                c = np.ones((4, 4), np.float32)
                if batch is ts.ADDRESS and wrong > 1 << 60:
                    continue  # an address that is not known to be wrong
                tables[which][place] = wrong
                with pytest.raises(ValueError, match=f"{'ab'[which]}_"):
                    mm(*arguments(batch, a, b, c, tables))
                assert (c == 1).all()
            tables[which][place] = right


@each_batch
@each_release
def test_long_tables_are_given_back(batch, release):
    mm = ts.brgemm(4, 4, 4, batch=batch, release_gil=release, beta=0)
    a, b, tables, _ = operands(batch, 1000)
    c = np.zeros((4, 4), np.float32)
    wrong = [tables[0], tables[1] + 2]

    def calls():
        for _ in range(50):
            mm(*arguments(batch, a, b, c, tables))
            mm(*arguments(batch, a, b, None, tables))
            with pytest.raises(ValueError):
                mm(*arguments(batch, a, b, c, wrong))

    tracemalloc.start()
    try:
        calls()
        before, _ = tracemalloc.get_traced_memory()
        calls()
        after, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < tables[0].nbytes < most - before  # the copies were allocated and freed
