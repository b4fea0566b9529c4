"""Calls of BRGEMM kernels: every wrong argument is named and nothing is written; what only looks wrong is accepted."""

import array
import re
import threading
from functools import partial

import numpy as np
import pytest

import tilesmith as ts
from tests import gemm_reference
from tests.foreign_arrays import FOREIGN, Device
from tests.guard import address
from tests.threads import switching, together

M, N, K = 3, 5, 4
SHAPES = {"a": (M, K), "b": (K, N), "c": (M, N)}
SIZES = {"f32": 4, "f64": 8}
NAMES = {"f32": "float32", "f64": "float64"}

each_dtype = pytest.mark.parametrize("dtype", SIZES)
each_operand = pytest.mark.parametrize("name", SHAPES)
each_input = pytest.mark.parametrize("name", "ab")


def numbers(shape, dtype="f32", start=1):
    """Different small integers: products and sums are exact, and any result differs from what was there."""
    return np.arange(start, start + np.prod(shape), dtype=NAMES[dtype]).reshape(shape)


def operands(dtype="f32"):
    return {name: numbers(shape, dtype, start) for start, (name, shape) in enumerate(SHAPES.items(), 1)}


def memory(value):
    """All the memory that an argument is a view of."""
    while isinstance(getattr(value, "base", None), np.ndarray):
        value = value.base
    return value


def refuses(error, kernel, *arguments, words, **keywords):
    """The call fails, its message has the words in this order, and no argument's memory has changed."""
    owners = [memory(value) for value in arguments if isinstance(value, np.ndarray)]
    before = [owner.tobytes() for owner in owners]
    with pytest.raises(error, match=".*".join(map(re.escape, words))) as caught:
        kernel(*arguments, **keywords)
    assert type(caught.value) is error
    assert [owner.tobytes() for owner in owners] == before


def gives(kernel, *arguments, pairs, c, **keywords):
    """The call gives exactly beta C + alpha sum A B, and what c is a view of keeps its other elements."""
    owner = memory(c)
    expected = gemm_reference.exact_brgemm(*zip(*pairs), c, kernel.spec.alpha, kernel.spec.beta)
    before = owner.copy()
    kernel(*arguments, **keywords)
    np.testing.assert_array_equal(c, expected)
    c[...] = 0
    place = (address(c) - address(owner)) // c.itemsize
    np.lib.stride_tricks.as_strided(before.reshape(-1)[place:], c.shape, c.strides)[...] = 0
    np.testing.assert_array_equal(owner, before)


# One array that is wrong


def misaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    return np.ndarray(x.shape, x.dtype, raw, offset=1)


def larger(x, rows, columns):
    return np.ones((x.shape[0] + rows, x.shape[1] + columns), x.dtype)


SHAPE = "shape {shape}, not {came}"
STRIDES = "strides", 'order "C"', "not {strides}"
DTYPE = "dtype {dtype} in native byte order"

# kind -> the error, how the right array goes wrong, what the message says was expected and what came, in this order
WRONG_ARRAYS = {
    "a row more":    (ValueError, lambda x: larger(x, 1, 0), SHAPE),
    "a column more": (ValueError, lambda x: larger(x, 0, 1), SHAPE),
    "transposed":    (ValueError, lambda x: x.T, SHAPE),
    "flat":          (ValueError, lambda x: x.reshape(-1), SHAPE),
    "three axes":    (ValueError, lambda x: x[None], SHAPE),
    "a number":      (ValueError, lambda x: x.dtype.type(1), SHAPE),
    "empty":         (ValueError, lambda x: x[:0], SHAPE),
    "half":          (TypeError, lambda x: x.astype(np.float16), DTYPE, "not float16"),
    "integers":      (TypeError, lambda x: x.astype(np.int32), DTYPE, "not int32"),
    "complex":       (TypeError, lambda x: x.astype(np.complex64), DTYPE, "not complex64"),
    "objects":       (TypeError, lambda x: x.astype(object), DTYPE, "not object"),
    "other float":   (TypeError, lambda x: x.astype({4: "f8", 8: "f4"}[x.itemsize]), DTYPE, "not float"),
    "big-endian":    (TypeError, lambda x: x.astype(x.dtype.newbyteorder()), DTYPE, "not", "in the other byte order"),
    "columns":       (ValueError, np.asfortranarray, *STRIDES),
    "padded":        (ValueError, lambda x: larger(x, 0, 2)[:, :-2], "leading dimension {columns}", "not {strides}"),
    "every other":   (ValueError, lambda x: np.repeat(x, 2, axis=1)[:, ::2], *STRIDES),
    "upside down":   (ValueError, lambda x: x[::-1], *STRIDES),
    "misaligned":    (ValueError, misaligned, "aligned to {size} bytes", "not at 0x"),
    "a list":        (TypeError, np.ndarray.tolist, "an array", "not list"),
    "None":          (TypeError, lambda x: None, "an array", "not NoneType"),
    "text":          (TypeError, lambda x: "12 floats", "an array", "not str"),
    "bytes":         (TypeError, lambda x: bytes(x.nbytes), DTYPE, "not uint8"),
    "on a device":   (TypeError, Device, "an array on the CPU", "it lives elsewhere"),
}  # fmt: skip


@each_dtype
@each_operand
@pytest.mark.parametrize("kind", WRONG_ARRAYS)
def test_wrong_array(name, kind, dtype):
    error, spoil, *expectation = WRONG_ARRAYS[kind]
    given = operands(dtype)
    right = given[name]
    given[name] = wrong = spoil(right)
    facts = {"shape": right.shape, "columns": right.shape[1], "dtype": right.dtype, "size": right.itemsize,
             "came": np.shape(wrong), "strides": getattr(wrong, "strides", None)}  # fmt: skip
    refuses(error, ts.brgemm(M, N, K, dtype=dtype), *given.values(),
            words=[f"{name}: ", *(text.format(**facts) for text in expectation)])  # fmt: skip


def test_right_arrays_are_computed():
    """What the tests of refusals start from would write c."""
    given = operands()
    gives(ts.brgemm(M, N, K), *given.values(), pairs=[(given["a"], given["b"])], c=given["c"])


def test_read_only_c():
    given = operands()
    given["c"].flags.writeable = False
    refuses(ValueError, ts.brgemm(M, N, K), *given.values(), words=["c: a writable array", "read-only"])


def test_c_in_immutable_bytes():
    given = operands()
    given["c"] = np.frombuffer(given["c"].tobytes(), np.float32).reshape(M, N)
    refuses(ValueError, ts.brgemm(M, N, K), *given.values(), words=["c: a writable array", "read-only"])


@pytest.mark.parametrize("count", (0, 1, 2, 4))
def test_too_few_or_too_many_arguments(count):
    given = [*operands().values(), numbers((2, 2))]
    refuses(TypeError, ts.brgemm(M, N, K), *given[:count], words=["3 arguments (a, b, c)", f"not {count}"])


@pytest.mark.parametrize(
    ("batch", "names"),
    [
        (ts.STRIDE, "6 arguments (a, b, c, count, a_stride, b_stride)"),
        (ts.OFFSET, "5 arguments (a, b, c, a_offsets, b_offsets)"),
    ],
)
def test_too_few_arguments_of_a_batch(batch, names):
    refuses(TypeError, ts.brgemm(M, N, K, batch=batch), *operands().values(), words=[names, "not 3"])


def test_keywords():
    given = operands()
    mm = ts.brgemm(M, N, K)
    refuses(TypeError, mm, *given.values(), words=["lda: not an argument", "no keywords"], lda=K)
    refuses(TypeError, mm, given["a"], given["b"], words=["c: not an argument"], c=given["c"])
    some = ts.brgemm(M, N, K, ldb=ts.RUNTIME, ldc=ts.RUNTIME)
    refuses(TypeError, some, *given.values(), words=["lda: not an argument", "ldb, ldc"], lda=K)


# Memory that c shares


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
    """(kernel, the arguments with c left out as None) for matrices of a and b at these byte offsets."""
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
    for place in (32, 64, 96):  # before, between and behind the two
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
    """a and c are columns of the same rows: their bounds overlap, their elements do not."""
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
    given[2] = rows[2:6, 4:8]  # its first column is the last of a
    refuses(ValueError, mm, *given, words=["c: must not overlap the batch of a"])


@pytest.mark.parametrize(("batch", "kind"), [(ts.OFFSET, np.int64), (ts.ADDRESS, np.uint64)], ids=str)
def test_c_overlaps_a_table(batch, kind):
    """Writing c would change where the kernel reads."""
    mm = ts.brgemm(2, 2, 2, dtype="f64", batch=batch)
    a, b, c = (numbers((2, 2), "f64", start) for start in (1, 2, 3))
    c[...] = 0
    table = c.reshape(-1).view(kind)[:1]
    other = np.zeros(1, kind)
    named = "offsets" if batch is ts.OFFSET else "addresses"
    for name, tables in (("a", (table, other)), ("b", (other, table))):
        given = (a, b, c, *tables) if batch is ts.OFFSET else (*tables, c)
        refuses(ValueError, mm, *given, words=[f"c: must not overlap {name}_{named}"])


# STRIDE


def strided(**changes):
    """The arguments of a STRIDE call over three pairs, and what is wrong with them."""
    given = {"a": numbers((3, M, K)), "b": numbers((3, K, N), start=2), "c": numbers((M, N), start=3),
             "count": 3, "a_stride": M * K * 4, "b_stride": K * N * 4}  # fmt: skip
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
        ("count", 1 << 63, ValueError, ["64 bits", str(1 << 63)]),
        ("a_stride", 48.0, TypeError, ["an integer", "not 48.0"]),
        ("a_stride", 50, ValueError, ["a multiple of 4 bytes", "not 50"]),
        ("b_stride", -3, ValueError, ["a multiple of 4 bytes", "not -3"]),
        ("b_stride", None, TypeError, ["an integer", "not None"]),
        ("a_stride", 52, ValueError, ["inside the memory of a, 144 bytes", "to 152"]),
        ("a_stride", -4, ValueError, ["inside the memory of a, 144 bytes", "from byte -8"]),
        ("b_stride", 84, ValueError, ["inside the memory of b, 240 bytes", "to 248"]),
        ("b_stride", 1 << 62, ValueError, ["inside the memory of b, 240 bytes"]),
        ("b_stride", 1 << 64, ValueError, ["64 bits", str(1 << 64)]),
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
    given = {"a": numbers((3, M, K)), "b": numbers((3, K, N), start=2), "c": numbers((M, N), start=3),
             "a_offsets": np.array([96, 0, 96, 20]), "b_offsets": np.array([0, 160, 4, 80])}  # fmt: skip
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
    words = [f"a_{named} and b_{named}: equal lengths", "not 2 and 3"]
    refuses(ValueError, ts.brgemm(M, N, K, batch=batch), *given, words=words)


# ADDRESS


def addressed(a, b, c, **changes):
    given = {"a_addresses": np.array([address(x) for x in a], np.uint64),
             "b_addresses": np.array([address(x) for x in b], np.uint64), "c": c}  # fmt: skip
    return {**given, **changes}.values()


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
    refuses(ValueError, mm, *given, words=["lda: at least 4 elements", "not 3"], lda=3)
    refuses(TypeError, mm, *given, words=["lda: an integer", "not 6.0"], lda=6.0)
    refuses(TypeError, mm, *given, words=["ldb: not an argument", "lda, ldc"], lda=6, ldb=5)
    refuses(ValueError, mm, *given, words=["ldc: 5, as in the strides of c", "not 6"], lda=6, ldc=6)


def test_addresses_of_padded_matrices_that_reach_c():
    """How far a matrix reaches follows from the leading dimension of the keyword."""
    buffer, b = numbers(64), numbers((4, 4), start=2)
    mm = ts.brgemm(4, 4, 4, batch=ts.ADDRESS, lda=ts.RUNTIME)
    c = buffer[28:44].reshape(4, 4)
    given = list(addressed([buffer], [b], c))
    refuses(ValueError, mm, *given, words=["c: must not overlap the batch of a"], lda=10)
    pairs = [(np.lib.stride_tricks.as_strided(buffer, (4, 4), (32, 4)).copy(), b)]
    gives(mm, *given, pairs=pairs, c=c, lda=8)


# Leading dimensions given at the call


@each_operand
def test_runtime_leading_dimension_is_read_from_the_strides(name):
    mm = ts.brgemm(M, N, K, **{f"ld{name}": ts.RUNTIME})
    rows, columns = SHAPES[name]
    for padding in (0, 1, 7):
        given = operands()
        given[name] = numbers((rows, columns + padding), start=4)[:, :columns]
        pairs = [(given["a"], given["b"])]
        gives(mm, *given.values(), pairs=pairs, c=given["c"])
        gives(mm, *given.values(), pairs=pairs, c=given["c"], **{f"ld{name}": columns + padding})


@each_operand
def test_wrong_runtime_leading_dimension(name):
    mm = ts.brgemm(M, N, K, **{f"ld{name}": ts.RUNTIME})
    rows, columns = SHAPES[name]
    right, given = operands(), operands()
    wide = numbers((rows, columns + 3))[:, :columns]
    for wrong, words in [
        (right[name][::-1], ["leading dimension of at least", f"{columns} elements"]),
        (np.broadcast_to(right[name][:1], (rows, columns)), ["leading dimension of at least", f"{columns} elements"]),
        (np.asfortranarray(right[name]), [str((4, rows * 4))]),
        (numbers((rows, 2 * columns))[:, ::2], ["strides"]),
    ]:
        given[name] = wrong
        refuses(ValueError, mm, *given.values(), words=[f"{name}: ", *words])
    given[name] = wide
    keyword = f"ld{name}"
    words = [f"{keyword}: {columns + 3}, as in the strides of {name}", f"not {columns}"]
    refuses(ValueError, mm, *given.values(), words=words, **{keyword: columns})
    words = [f"{keyword}: at least {columns} elements", f"not {columns - 1}"]
    refuses(ValueError, mm, *given.values(), words=words, **{keyword: columns - 1})
    refuses(TypeError, mm, *given.values(), words=[f"{keyword}: an integer"], **{keyword: float(columns + 3)})


def test_fixed_leading_dimension_is_that_of_the_array():
    mm = ts.brgemm(M, N, K, lda=6)
    given = operands()
    refuses(ValueError, mm, *given.values(), words=["a: strides (24, 4)", "leading dimension 6", "not (16, 4)"])


def test_the_stride_of_a_single_row_or_column_does_not_matter():
    row, column = numbers((1, 8))[:, :1], numbers((9, 1))[::3]
    assert row.strides == (32, 4) and column.strides == (12, 4)
    c = numbers((1, 1))
    gives(ts.brgemm(1, 1, 1), row, column[:1], c, pairs=[(row, column[:1])], c=c)


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
    assert empty[0].strides == (0, 0, 0)  # numpy's own for an array without elements: no leading dimension is in them
    told = ts.brgemm(M, N, K, batch=0, beta=0.5, lda=ts.RUNTIME, ldb=ts.RUNTIME, order=("C", "F", "C"))
    gives(told, *empty, c, pairs=[(np.zeros((M, K)), np.zeros((K, N)))], c=c)


# Arrays that are not numpy's


@pytest.mark.parametrize("wrap", FOREIGN.values(), ids=FOREIGN)
def test_other_arrays(wrap):
    given = operands()
    c, pairs = given["c"], [(given["a"], given["b"])]
    gives(ts.brgemm(M, N, K), *map(wrap, given.values()), pairs=pairs, c=c)


@pytest.mark.parametrize("wrap", FOREIGN.values(), ids=FOREIGN)
def test_other_arrays_that_are_read_only(wrap):
    given = operands()
    for x in given.values():
        x.flags.writeable = False
    a, b, c = map(wrap, given.values())
    refuses(ValueError, ts.brgemm(M, N, K), a, b, c, words=["c: a writable array"])
    writable = numbers((M, N))
    gives(ts.brgemm(M, N, K), a, b, writable, pairs=[(given["a"], given["b"])], c=writable)


def test_array_module():
    """Flat arrays of the standard library, shaped by a memoryview."""
    flat = [
        array.array("f", range(start, start + rows * columns)) for start, (rows, columns) in enumerate(SHAPES.values())
    ]
    views = [memoryview(x).cast("B").cast("f", shape) for x, shape in zip(flat, SHAPES.values())]
    arrays = [np.asarray(view) for view in views]
    gives(ts.brgemm(M, N, K), *views, pairs=[tuple(arrays[:2])], c=arrays[2])
    refuses(ValueError, ts.brgemm(M, N, K), flat[0], *arrays[1:], words=["a: shape (3, 4)", "not (12,)"])


def test_memory_that_is_mapped(tmp_path):
    given = operands()
    mapped = np.memmap(tmp_path / "c", np.float32, "w+", shape=(M, N))
    mapped[...] = given["c"]
    gives(ts.brgemm(M, N, K), given["a"], given["b"], mapped, pairs=[(given["a"], given["b"])], c=mapped)


# Threads


def test_threads_share_a_kernel():
    """Each thread has its own leading dimension: state of a call that lived in the kernel would mix them up."""
    size, calls = 8, 400
    mm = ts.brgemm(size, size, size, batch=ts.OFFSET, lda=ts.RUNTIME, ldb=ts.RUNTIME, ldc=ts.RUNTIME, beta=0.0)
    wrong = []
    ready = threading.Barrier(4)

    def work(number):
        a, b, c = (numbers((size, size + number * 3 + i), start=number)[:, :size] % 7 for i in range(3))
        a, b = (np.pad(x, ((0, 0), (0, 1 + 3 * number)))[:, :size] for x in (a, b))
        expected = a.astype(float) @ b
        zero = np.zeros(1, np.int64)
        ready.wait()
        for _ in range(calls):
            c[...] = np.nan
            mm(a, b, c, zero, zero)
            if not np.array_equal(c, expected):
                wrong.append(number)

    with switching(1e-6):
        together(*(partial(work, number) for number in range(4)))
    assert not wrong
