"""Wrong and unusual arguments: calls through machine code and through Python give the same results and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tests.runtime.fastcall.call_cases import (
    INTEGERS,
    MODES,
    TABLES,
    UNUSUAL,
    K,
    M,
    N,
    agree,
    arguments,
    equal,
    make,
    needs_native,
    numbers,
    outcome,
    right,
)


@needs_native
@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("batch", (None, 3, ts.STRIDE, ts.OFFSET), ids=str)
def test_unusual_array(batch, position, kind):
    def build():
        args = arguments(batch)
        args[position] = UNUSUAL[kind](args[position])
        return args

    agree((M, N, K), build, batch=batch)


@needs_native
@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("position", range(3))
def test_unusual_array_of_runtime_leading_dimension(position, kind):
    def build():
        args = right()
        args[position] = UNUSUAL[kind](args[position])
        return args

    agree((M, N, K), build, lda=ts.RUNTIME, ldb=ts.RUNTIME, ldc=ts.RUNTIME)


@needs_native
@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("orders", ("FFF", "CCC", "FCF", "CFF"))
def test_unusual_array_in_each_order(orders, kind):
    for position in range(3):

        def build(position=position):
            args = [np.asarray(x, order=order) for x, order in zip(right(), orders)]
            args[position] = UNUSUAL[kind](args[position])
            return args

        kernel, python = (make(way, M, N, K, order=tuple(orders)) for way in MODES)
        expected, memory = outcome(python, build())
        found, touched = outcome(kernel, build())
        assert equal(found, expected) and touched == memory


@needs_native
@pytest.mark.parametrize("position", (3, 4, 5))
@pytest.mark.parametrize("value", INTEGERS, ids=repr)
def test_integer_argument(position, value):
    def build():
        args = arguments(ts.STRIDE)
        args[position] = value
        return args

    agree((M, N, K), build, batch=ts.STRIDE)


@needs_native
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("position", (3, 4))
def test_table_of_offsets(position, kind):
    def build():
        args = arguments(ts.OFFSET)
        args[position] = TABLES[kind](args[position])
        return args

    agree((M, N, K), build, batch=ts.OFFSET)


@needs_native
@pytest.mark.parametrize("value", (-4, 100, 1 << 40, (1 << 63) - 4, -(1 << 63), 1 << 46, 1 << 47, -(1 << 47)))
@pytest.mark.parametrize("position", (3, 4))
def test_offset_that_leads_outside(position, value):
    def build():
        args = arguments(ts.OFFSET)
        args[position][1] = value
        return args

    found = agree((M, N, K), build, batch=ts.OFFSET)
    assert found is None if (position, value) == (4, 100) else found[0] == "ValueError"


@needs_native
@pytest.mark.parametrize("kind", [kind for kind in TABLES if kind not in ("misaligned", "odd entry")])
@pytest.mark.parametrize("position", (0, 1))
def test_table_of_addresses(position, kind):
    """Messages with an address differ between calls; runtime/arguments/test_gemm_batch.py tests them."""
    keep = right(ts.ADDRESS)

    def build():
        args = [*keep[:2], numbers((M, N), start=3)]
        args[position] = TABLES[kind](args[position].copy())
        return args

    agree((M, N, K), build, batch=ts.ADDRESS)


@needs_native
@pytest.mark.parametrize("batch", (None, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS), ids=str)
@pytest.mark.parametrize("count", range(9))
def test_number_of_arguments(batch, count):
    def build():
        return (arguments(batch) + [numbers((2, 2))] * 9)[:count]

    if count != len(arguments(batch)):
        error, _ = agree((M, N, K), build, batch=batch)
        assert error == "TypeError"


@needs_native
def test_many_arguments_do_not_overflow_the_stack():
    kernel = make("native", M, N, K)
    with pytest.raises(TypeError, match="not 1000000"):
        kernel(*[None] * 1_000_000)
    with pytest.raises(TypeError, match="x77: not an argument"):
        kernel(*right(), **{f"x{i}": i for i in range(77, 10_000)})


@needs_native
def test_keywords():
    for keywords in ({"lda": K}, {"c": 1}, {"": 1}):
        agree((M, N, K), right, keywords)
    agree((M, N, K), right, {"lda": K}, lda=ts.RUNTIME)
    agree((M, N, K), right, {"lda": K + 1}, lda=ts.RUNTIME)


# Overlaps: machine code refuses views whose bounds overlap, and Python then decides exactly


@needs_native
@given(st.sampled_from(["a", "b"]), st.integers(0, 60), st.integers(0, 60))
def test_overlap_of_dense_matrices(name, at, c_at):
    buffer = numbers(100)

    def build():
        whole = buffer.copy()
        args = right()
        size = M * K if name == "a" else K * N
        args["ab".index(name)] = whole[at : at + size].reshape((M, K) if name == "a" else (K, N))
        args[2] = whole[c_at : c_at + M * N].reshape(M, N)
        return args

    found, _ = outcome(KERNELS["native"], build()), None
    assert repr(found) == repr(outcome(KERNELS["cffi"], build()))


KERNELS = {mode: make(mode, M, N, K) for mode in MODES}
STRIDED = {mode: make(mode, M, N, K, batch=ts.STRIDE, lda=ts.RUNTIME, ldc=ts.RUNTIME) for mode in MODES}


@needs_native
@given(
    *[st.integers(0, 40)] * 2,
    st.integers(0, 4),
    st.integers(-12, 40),
    st.integers(-12, 40),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_strided_batches_in_one_buffer(a_at, c_at, count, a_stride, b_stride, a_pad, c_pad, whole):
    buffer = numbers(160)

    def build():
        own = buffer.copy()
        strided = np.lib.stride_tricks.as_strided
        a = own[a_at : a_at + M * (K + a_pad)].reshape(M, K + a_pad)[:, :K]
        c = own[c_at : c_at + M * (N + c_pad)].reshape(M, N + c_pad)[:, :N]
        b = numbers((3, K, N))
        if whole:
            a = strided(own[a_at:], (2, M, K), (4 * max(0, a_stride), *a.strides), writeable=False)
        return [a, b, c, count, 4 * a_stride, 4 * b_stride]

    assert repr(outcome(STRIDED["native"], build())) == repr(outcome(STRIDED["cffi"], build()))


SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))


@needs_native
@given(st.data())
def test_any_views(data):
    """Machine code accepts the same views of three buffers as Python, with any strides."""
    m, n, k = (data.draw(st.sampled_from((1, 2, 4))) for _ in range(3))
    leading = {f"ld{x}": data.draw(st.sampled_from((None, 6, ts.RUNTIME))) for x in "abc"}
    spec = ts.gemm_spec(m, n, k, **leading)
    kernels = [make(mode, m, n, k, **leading) for mode in MODES]
    steps = [(data.draw(st.integers(-2, 9)), data.draw(st.sampled_from((1, 1, 1, 2, -1, 0)))) for _ in "abc"]

    def build():
        args = []
        for (_, rows, columns, *_), (outer, inner) in zip(spec.operands, steps):
            owner = numbers(200)
            strides = (4 * outer, 4 * inner)
            args.append(np.lib.stride_tricks.as_strided(owner[100:], (rows, columns), strides))
        return args

    native, python = (outcome(kernel, build()) for kernel in kernels)
    assert repr(native) == repr(python)
