"""Calls of batches by stride, offset and address, and of fixed batches, with right and with wrong arguments."""

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address
from tests.runtime.arguments.gemm_calls import K, M, N, addressed, gives, misaligned, numbers, refuses

# STRIDE


def strided(**changes):
    """Return the arguments of a STRIDE call over three pairs, with the given ones replaced."""
    given = {
        "a": numbers((3, M, K)),
        "b": numbers((3, K, N), start=2),
        "c": numbers((M, N), start=3),
        "count": 3,
        "a_stride": M * K * 4,
        "b_stride": K * N * 4,
    }
    return {**given, **changes}.values()


def test_stride_call():
    a, b, c, *rest = strided()
    gives(ts.brgemm(M, N, K, batch=ts.STRIDE), a, b, c, *rest, pairs=list(zip(a, b)), c=c)
    gives(ts.brgemm(M, N, K, batch=ts.STRIDE), a[0], b[0], c, *rest, pairs=list(zip(a, b)), c=c)
    backwards = [3, -M * K * 4, K * N * 4]
    gives(ts.brgemm(M, N, K, batch=ts.STRIDE), a[2], b, c, *backwards, pairs=list(zip(a[::-1], b)), c=c)
    gives(ts.brgemm(M, N, K, batch=ts.STRIDE), a, b, c, 4, 0, 0, pairs=[(a[0], b[0])] * 4, c=c)


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("count", -1, ValueError, ["0 or more", "not -1"]),
        ("count", 3.0, TypeError, ["an integer", "not 3.0"]),
        ("count", True, TypeError, ["an integer", "not True"]),
        ("count", None, TypeError, ["an integer", "not None"]),
        ("count", "3", TypeError, ["an integer", "not '3'"]),
        ("count", 1 << 63, ValueError, [f"to {(1 << 63) - 1}", str(1 << 63)]),
        ("a_stride", 48.0, TypeError, ["an integer", "not 48.0"]),
        ("a_stride", 50, ValueError, ["a multiple of 4 bytes", "not 50"]),
        ("b_stride", -3, ValueError, ["a multiple of 4 bytes", "not -3"]),
        ("b_stride", None, TypeError, ["an integer", "not None"]),
        ("a_stride", 52, ValueError, ["inside the memory of a, 144 bytes", "to 152"]),
        ("a_stride", -4, ValueError, ["inside the memory of a, 144 bytes", "from byte -8"]),
        ("b_stride", 84, ValueError, ["inside the memory of b, 240 bytes", "to 248"]),
        ("b_stride", 1 << 62, ValueError, ["inside the memory of b, 240 bytes"]),
        ("b_stride", 1 << 64, ValueError, [f"to {(1 << 63) - 1}", str(1 << 64)]),
        ("a", numbers((0, M, K)), ValueError, ["at least one matrix", "(0, 3, 4)"]),
        ("a", numbers((3, M, K + 1)), ValueError, ["shape (3, 4)", "not (3, 5)"]),
        ("b", numbers((3, K, N), "f64"), TypeError, ["dtype float32", "not float64"]),
        ("b", numbers((2, 3, K, N)), ValueError, ["shape (4, 5)", "not (2, 3, 4, 5)"]),
        ("c", numbers((1, M, N)), ValueError, ["shape (3, 5)", "not (1, 3, 5)"]),
    ],
)
def test_wrong_argument_of_a_stride_call(name, value, error, words):
    given = strided(**{name: value})
    refuses(error, ts.brgemm(M, N, K, batch=ts.STRIDE), *given, words=[f"{name}: ", *words])


@pytest.mark.parametrize("count", (0, 1))
def test_stride_of_no_second_matrix_leads_nowhere(count):
    a, b, c, *_ = strided()
    pairs = list(zip(a, b))[:count] or [(np.zeros((M, K), np.float32), b[0])]
    gives(ts.brgemm(M, N, K, batch=ts.STRIDE), a, b, c, count, 1 << 40, -(1 << 40), pairs=pairs, c=c)


# OFFSET


def offset(**changes):
    given = {
        "a": numbers((3, M, K)),
        "b": numbers((3, K, N), start=2),
        "c": numbers((M, N), start=3),
        "a_offsets": np.array([96, 0, 96, 20]),
        "b_offsets": np.array([0, 160, 4, 80]),
    }
    return {**given, **changes}.values()


def at(x, byte, shape):
    return x.reshape(-1)[byte // x.itemsize :][: shape[0] * shape[1]].reshape(shape)


def test_offset_call():
    a, b, c, *tables = offset()
    pairs = [(at(a, i, (M, K)), at(b, j, (K, N))) for i, j in zip(*tables)]
    mm = ts.brgemm(M, N, K, batch=ts.OFFSET)
    gives(mm, a, b, c, *tables, pairs=pairs, c=c)
    gives(mm, a[1], b[2], c, tables[0] - 48, tables[1] - 160, pairs=pairs, c=c)


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("a_offsets", [0, 0, 0, 0], TypeError, ["an array", "not list"]),
        ("a_offsets", np.zeros(4, np.int32), TypeError, ["int64", "not int32"]),
        ("a_offsets", np.zeros(4, np.uint64), TypeError, ["int64", "not uint64"]),
        ("b_offsets", np.zeros(4), TypeError, ["int64", "not float64"]),
        ("b_offsets", np.zeros(4, ">i8"), TypeError, ["int64", "not >i8"]),
        ("b_offsets", np.zeros((4, 1), np.int64), TypeError, ["one-dimensional", "(4, 1)"]),
        ("a_offsets", np.zeros(8, np.int64)[::2], ValueError, ["contiguous", "(16,)"]),
        ("a_offsets", misaligned(np.zeros(4, np.int64)), ValueError, ["aligned", "at 0x"]),
        ("a_offsets", np.array([0, 4, 9, 10]), ValueError, ["multiples of 4 bytes", "entry 2 is 9"]),
        ("a_offsets", np.array([0, 100, 96, 0]), ValueError, ["inside the memory of a, 144 bytes", "to 148"]),
        ("b_offsets", np.array([0, -4, 0, 0]), ValueError, ["inside the memory of b, 240 bytes", "from byte -4"]),
        ("b_offsets", np.array([0, 1 << 62, 0, 0]), ValueError, ["inside the memory of b, 240 bytes"]),
        ("a_offsets", np.array([0, (1 << 63) - 4, 0, 0]), ValueError, ["inside the memory of a, 144 bytes"]),
        ("a_offsets", np.array([0, -(1 << 63), 0, 0]), ValueError, ["inside the memory of a, 144 bytes"]),
        ("a", numbers((0, M, K)), ValueError, ["at least one matrix", "(0, 3, 4)"]),
    ],
)
def test_wrong_argument_of_an_offset_call(name, value, error, words):
    given = offset(**{name: value})
    refuses(error, ts.brgemm(M, N, K, batch=ts.OFFSET), *given, words=[f"{name}: ", *words])


@pytest.mark.parametrize("batch", (ts.OFFSET, ts.ADDRESS), ids=str)
def test_tables_of_different_lengths(batch):
    a, b, c, *_ = offset()
    if batch is ts.OFFSET:
        given, named = (a, b, c, np.zeros(2, np.int64), np.zeros(3, np.int64)), "offsets"
    else:
        tables = (np.full(n, address(x), np.uint64) for n, x in ((2, a), (3, b)))
        given, named = (*tables, c), "addresses"
    words = [f"a_{named} and b_{named}: must have equal lengths", "not 2 and 3"]
    refuses(ValueError, ts.brgemm(M, N, K, batch=batch), *given, words=words)


# ADDRESS


def test_address_call():
    a, b, c = numbers((3, M, K)), numbers((3, K, N), start=2), numbers((M, N), start=3)
    order_a, order_b = [2, 0, 0, 1], [1, 1, 2, 0]
    pairs = list(zip(a[order_a], b[order_b]))
    given = addressed([a[i] for i in order_a], [b[i] for i in order_b], c)
    gives(ts.brgemm(M, N, K, batch=ts.ADDRESS), *given, pairs=pairs, c=c)


@pytest.mark.parametrize(
    ("name", "spoil", "error", "words"),
    [
        ("a_addresses", lambda t: t.tolist(), TypeError, ["an array", "not list"]),
        ("a_addresses", lambda t: t.astype(np.int64), TypeError, ["uint64", "not int64"]),
        ("b_addresses", lambda t: t.astype(object), TypeError, ["uint64", "not object"]),
        ("b_addresses", lambda t: t[:, None], TypeError, ["one-dimensional", "(3, 1)"]),
        ("b_addresses", lambda t: t[::-1], ValueError, ["contiguous", "(-8,)"]),
        ("a_addresses", lambda t: t * np.array([1, 1, 0], np.uint64), ValueError, ["entry 2 is null"]),
        (
            "b_addresses",
            lambda t: t + np.array([0, 2, 0], np.uint64),
            ValueError,
            ["multiples of 4 bytes", "entry 1 is"],
        ),
    ],
)
def test_wrong_argument_of_an_address_call(name, spoil, error, words):
    a, b, c = numbers((3, M, K)), numbers((3, K, N), start=2), numbers((M, N), start=3)
    given = dict(zip(("a_addresses", "b_addresses", "c"), addressed(a, b, c)))
    given[name] = spoil(given[name])
    refuses(error, ts.brgemm(M, N, K, batch=ts.ADDRESS), *given.values(), words=[f"{name}: ", *words])


def test_addresses_of_arrays_take_leading_dimensions_as_keywords():
    a, b, c = numbers((2, M, K + 2)), numbers((2, K, N), start=2), numbers((M, N), start=3)
    mm = ts.brgemm(M, N, K, batch=ts.ADDRESS, lda=ts.RUNTIME, ldc=ts.RUNTIME)
    given = list(addressed(a, b, c))
    gives(mm, *given, pairs=list(zip(a[:, :, :K], b)), c=c, lda=K + 2)
    refuses(TypeError, mm, *given, words=["lda: give it as a keyword"])
    refuses(ValueError, mm, *given, words=["lda: at least 0 elements", "not -1"], lda=-1)
    refuses(TypeError, mm, *given, words=["lda: an integer", "not 6.0"], lda=6.0)
    refuses(TypeError, mm, *given, words=["ldb: not an argument", "lda=, ldc="], lda=6, ldb=5)
    refuses(ValueError, mm, *given, words=["ldc: must be 5, as the strides of c say", "not 6"], lda=6, ldc=6)


def test_addresses_of_padded_matrices_that_reach_c():
    """The leading dimension that is given as a keyword decides how far a matrix reaches, so whether it overlaps c."""
    buffer, b = numbers(64), numbers((4, 4), start=2)
    mm = ts.brgemm(4, 4, 4, batch=ts.ADDRESS, lda=ts.RUNTIME)
    c = buffer[28:44].reshape(4, 4)
    given = list(addressed([buffer], [b], c))
    refuses(ValueError, mm, *given, words=["c: must not overlap the batch of a"], lda=10)
    pairs = [(np.lib.stride_tricks.as_strided(buffer, (4, 4), (32, 4)).copy(), b)]
    gives(mm, *given, pairs=pairs, c=c, lda=8)


# Fixed batches


def test_fixed_batch():
    a, b, c = numbers((2, M, K)), numbers((2, K, N), start=2), numbers((M, N), start=3)
    mm = ts.brgemm(M, N, K, batch=2)
    gives(mm, a, b, c, pairs=list(zip(a, b)), c=c)
    refuses(ValueError, mm, a[:1], b, c, words=["a: shape (2, 3, 4)", "not (1, 3, 4)"])
    refuses(ValueError, mm, a, b[0], c, words=["b: shape (2, 4, 5)", "not (4, 5)"])
    refuses(ValueError, mm, a, b, c[None], words=["c: shape (3, 5)", "not (1, 3, 5)"])
    gaps = numbers((4, M, K))[::2]
    refuses(ValueError, mm, gaps, b, c, words=["a: strides (48, 16, 4)", "not (96, 16, 4)"])


def test_empty_batch_scales_c():
    c = numbers((M, N))
    empty = np.zeros((0, M, K), np.float32), np.zeros((0, K, N), np.float32)
    mm = ts.brgemm(M, N, K, batch=0, beta=0.5)
    gives(mm, *empty, c, pairs=[(np.zeros((M, K)), np.zeros((K, N)))], c=c)
    refuses(ValueError, mm, np.zeros((0, M, K + 1), np.float32), empty[1], c, words=["a: shape (0, 3, 4)"])
    assert empty[0].strides == (0, 0, 0)  # numpy's strides of an array without elements: not leading dimensions
    told = ts.brgemm(M, N, K, batch=0, beta=0.5, lda=ts.RUNTIME, ldb=ts.RUNTIME, order=("C", "F", "C"))
    gives(told, *empty, c, pairs=[(np.zeros((M, K)), np.zeros((K, N)))], c=c)
