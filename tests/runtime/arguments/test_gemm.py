"""Calls of BRGEMM kernels: errors name the wrong argument, nothing is written, unusual right arrays are accepted."""

import array
import threading
from functools import partial

import numpy as np
import pytest

import tilesmith as ts
from tests.foreign_arrays import FOREIGN, Device
from tests.runtime.arguments.gemm_calls import SHAPES, SIZES, K, M, N, gives, misaligned, numbers, operands, refuses
from tests.threads import switching, together

each_dtype = pytest.mark.parametrize("dtype", SIZES)
each_operand = pytest.mark.parametrize("name", SHAPES)


# One wrong array


def larger(x, rows, columns):
    return np.ones((x.shape[0] + rows, x.shape[1] + columns), x.dtype)


SHAPE = "shape {shape}, not {came}"
STRIDES = "strides", 'order "C"', "not {strides}"
DTYPE = "dtype {dtype} in native byte order"

# kind -> the error, a function that spoils the right array, the expected and the given value in the message, in this
# order
WRONG_ARRAYS = {
    "a row more": (ValueError, lambda x: larger(x, 1, 0), SHAPE),
    "a column more": (ValueError, lambda x: larger(x, 0, 1), SHAPE),
    "transposed": (ValueError, lambda x: x.T, SHAPE),
    "flat": (ValueError, lambda x: x.reshape(-1), SHAPE),
    "three axes": (ValueError, lambda x: x[None], SHAPE),
    "a number": (ValueError, lambda x: x.dtype.type(1), SHAPE),
    "empty": (ValueError, lambda x: x[:0], SHAPE),
    "half": (TypeError, lambda x: x.astype(np.float16), DTYPE, "not float16"),
    "integers": (TypeError, lambda x: x.astype(np.int32), DTYPE, "not int32"),
    "complex": (TypeError, lambda x: x.astype(np.complex64), DTYPE, "not complex64"),
    "objects": (TypeError, lambda x: x.astype(object), DTYPE, "not object"),
    "other float": (TypeError, lambda x: x.astype({4: "f8", 8: "f4"}[x.itemsize]), DTYPE, "not float"),
    "big-endian": (TypeError, lambda x: x.astype(x.dtype.newbyteorder()), DTYPE, "not", "in the other byte order"),
    "columns": (ValueError, np.asfortranarray, *STRIDES),
    "padded": (ValueError, lambda x: larger(x, 0, 2)[:, :-2], "leading dimension {columns}", "not {strides}"),
    "every other": (ValueError, lambda x: np.repeat(x, 2, axis=1)[:, ::2], *STRIDES),
    "upside down": (ValueError, lambda x: x[::-1], *STRIDES),
    "misaligned": (ValueError, misaligned, "aligned to {size} bytes", "not at 0x"),
    "a list": (TypeError, np.ndarray.tolist, "an array", "not list"),
    "None": (TypeError, lambda x: None, "an array", "not NoneType"),
    "text": (TypeError, lambda x: "12 floats", "an array", "not str"),
    "bytes": (TypeError, lambda x: bytes(x.nbytes), DTYPE, "not uint8"),
    "on a device": (TypeError, Device, "an array on the CPU", "it lives elsewhere"),
}


@each_dtype
@each_operand
@pytest.mark.parametrize("kind", WRONG_ARRAYS)
def test_wrong_array(name, kind, dtype):
    error, spoil, *expectation = WRONG_ARRAYS[kind]
    given = operands(dtype)
    right = given[name]
    given[name] = wrong = spoil(right)
    facts = {
        "shape": right.shape,
        "columns": right.shape[1],
        "dtype": right.dtype,
        "size": right.itemsize,
        "came": np.shape(wrong),
        "strides": getattr(wrong, "strides", None),
    }
    refuses(
        error,
        ts.brgemm(M, N, K, dtype=dtype),
        *given.values(),
        words=[f"{name}: ", *(text.format(**facts) for text in expectation)],
    )


def test_right_arrays_are_computed():
    """The arguments that the tests of refusals start from are right, and a call with them writes c."""
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
    refuses(TypeError, mm, *given.values(), words=["lda: not an argument", "it takes a, b, c, out="], lda=K)
    refuses(TypeError, mm, given["a"], given["b"], words=["d: not an argument"], c=given["c"], d=1)
    some = ts.brgemm(M, N, K, ldb=ts.RUNTIME, ldc=ts.RUNTIME)
    refuses(TypeError, some, *given.values(), words=["lda: not an argument", "ldb=, ldc="], lda=K)


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
    least = columns if name == "c" else 0
    short = np.lib.stride_tricks.as_strided(right[name], (rows, columns), (4, 4))
    for wrong, words in [
        (right[name][::-1], ["leading dimension of at least", f"{least} elements"]),
        *([(short, ["leading dimension of at least", f"{columns} elements"])] * (name == "c")),
        (np.asfortranarray(right[name]), [str((4, rows * 4))]),
        (numbers((rows, 2 * columns))[:, ::2], ["strides"]),
    ]:
        given[name] = wrong
        refuses(ValueError, mm, *given.values(), words=[f"{name}: ", *words])
    given[name] = wide
    keyword = f"ld{name}"
    words = [f"{keyword}: must be {columns + 3}, as the strides of {name} say", f"not {columns}"]
    refuses(ValueError, mm, *given.values(), words=words, **{keyword: columns})
    words = [f"{keyword}: at least {least} elements", f"not {least - 1}"]
    refuses(ValueError, mm, *given.values(), words=words, **{keyword: least - 1})
    refuses(TypeError, mm, *given.values(), words=[f"{keyword}: an integer"], **{keyword: float(columns + 3)})


@pytest.mark.parametrize("name", "ab")
@pytest.mark.parametrize("step", (0, 1, 2))
def test_lines_that_overlap_at_the_call(name, step):
    """The lines of a factor, which are only read, may overlap: one line for all, or windows of a vector."""
    rows, columns = SHAPES[name]
    given = operands()
    given[name] = np.lib.stride_tricks.as_strided(given[name], (rows, columns), (4 * step, 4))
    pairs = [(given["a"].copy(), given["b"].copy())]
    gives(ts.brgemm(M, N, K, **{f"ld{name}": ts.RUNTIME}), *given.values(), pairs=pairs, c=given["c"])


def test_fixed_leading_dimension_is_that_of_the_array():
    mm = ts.brgemm(M, N, K, lda=6)
    given = operands()
    refuses(ValueError, mm, *given.values(), words=["a: strides (24, 4)", "leading dimension 6", "not (16, 4)"])


def test_the_stride_of_a_single_row_or_column_does_not_matter():
    row, column = numbers((1, 8))[:, :1], numbers((9, 1))[::3]
    assert row.strides == (32, 4) and column.strides == (12, 4)
    c = numbers((1, 1))
    gives(ts.brgemm(1, 1, 1), row, column[:1], c, pairs=[(row, column[:1])], c=c)


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
    """Flat arrays of the standard library are accepted if a memoryview gives them two axes, and refused otherwise."""
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
    """Each thread has its own leading dimension: if the kernel stored state of a call, threads would mix it up."""
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
