"""C must not share memory with an input, a matrix of the batch or a table; adjacent memory is accepted."""

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address
from tests.runtime.arguments.gemm_calls import SHAPES, K, M, N, gives, numbers, operands, refuses

each_input = pytest.mark.parametrize("name", "ab")


@each_input
def test_c_overlaps_an_input(name):
    buffer = numbers(40)
    given = operands()
    given[name] = buffer[: given[name].size].reshape(SHAPES[name])
    given["c"] = buffer[given[name].size - 1 :][: M * N].reshape(M, N)
    refuses(ValueError, ts.brgemm(M, N, K), *given.values(), words=[f"c: must not overlap {name}"])
    given["c"] = buffer[given[name].size :][: M * N].reshape(M, N)
    pairs = [(given["a"].copy(), given["b"].copy())]
    gives(ts.brgemm(M, N, K), *given.values(), pairs=pairs, c=given["c"])


def test_c_is_an_input():
    x, y = numbers((4, 4)), numbers((4, 4), start=3)
    mm = ts.brgemm(4, 4, 4)
    refuses(ValueError, mm, x, y, x, words=["c: must not overlap a"])
    refuses(ValueError, mm, y, x, x, words=["c: must not overlap b"])
    refuses(ValueError, mm, x, y, x[::1], words=["c: must not overlap a"])


def test_c_overlaps_a_hidden_by_the_buffer_protocol():
    x, y = numbers((4, 4)), numbers((4, 4), start=3)
    refuses(ValueError, ts.brgemm(4, 4, 4), memoryview(x), y, x, words=["c: must not overlap a"])


def test_a_and_b_may_be_the_same():
    x, c = numbers((4, 4)), numbers((4, 4), start=9)
    gives(ts.brgemm(4, 4, 4), x, x, c, pairs=[(x, x)], c=c)


SQUARE = 4 * 4 * 4  # bytes of a 4 x 4 matrix of f32


def batch_call(batch, a, b, places):
    """Return (kernel, arguments with None for c) for matrices of a and b at these byte offsets."""
    mm = ts.brgemm(4, 4, 4, batch=batch, lda=12 if a.strides[0] == 48 else None)
    if batch is ts.STRIDE:
        assert places == [i * places[1] for i in range(len(places))]
        return mm, [a, b, None, len(places), places[1], 0]
    if batch is ts.OFFSET:
        return mm, [a, b, None, np.array(places), np.zeros(len(places), np.int64)]
    table = np.array([address(a) + place for place in places], np.uint64)
    return mm, [table, np.full(len(places), address(b), np.uint64), None]


each_batch = pytest.mark.parametrize("batch", (ts.STRIDE, ts.OFFSET, ts.ADDRESS), ids=str)


@each_batch
def test_c_is_a_matrix_of_the_batch(batch):
    whole, b = numbers((4, 4, 4)), numbers((4, 4), start=2)
    mm, given = batch_call(batch, whole[0], b, [0, SQUARE, 2 * SQUARE])
    given[2] = whole[2]
    refuses(ValueError, mm, *given, words=["c: must not overlap the batch of a"])
    given[2] = whole[3]
    pairs = [(x.copy(), b) for x in whole[:3]]
    gives(mm, *given, pairs=pairs, c=whole[3])


@each_batch
def test_c_overlaps_a_matrix_of_the_batch_by_one_element(batch):
    buffer, b = numbers(12 * 16), numbers((4, 4), start=2)
    a = buffer[48:64].reshape(4, 4)
    mm, given = batch_call(batch, a, b, [0, 2 * SQUARE])
    for place in (33, 63, 65, 95):
        given[2] = buffer[place : place + 16].reshape(4, 4)
        refuses(ValueError, mm, *given, words=["c: must not overlap the batch of a"])
    for place in (32, 64, 96):  # before, between and behind the two matrices
        given[2] = c = buffer[place : place + 16].reshape(4, 4)
        pairs = [(x.reshape(4, 4).copy(), b) for x in (buffer[48:64], buffer[80:96])]
        gives(mm, *given, pairs=pairs, c=c)


def test_c_is_a_matrix_of_a_fixed_batch():
    whole, b = numbers((3, 4, 4)), numbers((3, 4, 4), start=2)
    mm = ts.brgemm(4, 4, 4, batch=3)
    for i in range(3):
        refuses(ValueError, mm, whole, b, whole[i], words=["c: must not overlap a"])
        refuses(ValueError, mm, b, whole, whole[i], words=["c: must not overlap b"])


@pytest.mark.parametrize("batch", (None, 1, ts.STRIDE, ts.OFFSET, ts.ADDRESS), ids=str)
def test_interleaved_matrices_do_not_overlap(batch):
    """a and c are columns of the same rows: their bounds overlap, but their elements do not."""
    rows = numbers((8, 12))
    a, c, b = rows[:4, 1:5], rows[2:6, 6:10], numbers((4, 4), start=2)
    pairs = [(a.copy(), b)]
    if batch is None or batch == 1:
        mm = ts.brgemm(4, 4, 4, batch=batch, lda=12, ldc=12)
        gives(mm, *((a, b) if batch is None else (a[None], b[None])), c, pairs=pairs, c=c)
        return
    _, given = batch_call(batch, a, b, [0, 48])
    mm = ts.brgemm(4, 4, 4, batch=batch, lda=12, ldc=12)
    given[2] = c
    pairs.append((rows[1:5, 1:5].copy(), b))
    gives(mm, *given, pairs=pairs, c=c)
    given[2] = rows[2:6, 4:8]  # its first column is the last column of a
    refuses(ValueError, mm, *given, words=["c: must not overlap the batch of a"])


@pytest.mark.parametrize(("batch", "kind"), [(ts.OFFSET, np.int64), (ts.ADDRESS, np.uint64)], ids=str)
def test_c_overlaps_a_table(batch, kind):
    """If c overlapped a table, writing c would change the addresses that the kernel reads."""
    mm = ts.brgemm(2, 2, 2, dtype="f64", batch=batch)
    a, b, c = (numbers((2, 2), "f64", start) for start in (1, 2, 3))
    c[...] = 0
    table = c.reshape(-1).view(kind)[:1]
    other = np.zeros(1, kind)
    named = "offsets" if batch is ts.OFFSET else "addresses"
    for name, tables in (("a", (table, other)), ("b", (other, table))):
        given = (a, b, c, *tables) if batch is ts.OFFSET else (*tables, c)
        refuses(ValueError, mm, *given, words=[f"c: must not overlap {name}_{named}"])
