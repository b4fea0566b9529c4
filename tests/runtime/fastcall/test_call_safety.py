"""Calls through machine code do what calls through Python do: the same results, the same errors, nothing else.

Each case is called on a kernel in native mode, cold and in a loop that was hot with right arguments, and on one in
fallback mode. What passes must give the same c, what fails the same exception with the same message.
"""

import contextlib
import gc
import os
import pickle
import re
import resource
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import address, guarded, run_forked
from tests.profiles import scaled
from tests.threads import switching, ticks_during, together
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import cpython

MODES = ("native", "cffi")
M, N, K = 3, 5, 4
needs_native = pytest.mark.skipif(bool(entry.refusal()), reason=f"calls go through Python: {entry.refusal()}")


_environment = threading.Lock()


def make(mode, *request, release_gil=None, **keywords):
    """A kernel of its own, whose calls go this way."""
    with _environment:
        before = os.environ.get(cpython.FORCE)
        os.environ[cpython.FORCE] = mode
        try:
            return Kernel(ts.gemm_spec(*request, **keywords), ts.host(), release_gil)
        finally:
            os.environ.pop(cpython.FORCE)
            if before is not None:
                os.environ[cpython.FORCE] = before


@pytest.fixture(params=MODES)
def mode(request):
    if request.param == "native" and entry.refusal():
        pytest.skip(entry.refusal())
    return request.param


def is_native(kernel):
    return type(kernel) is not Kernel


def numbers(shape, dtype="f4", start=1):
    return np.arange(start, start + int(np.prod(shape)), dtype=np.float64).astype(dtype).reshape(shape)


def right(batch=None):
    """Right arguments of each batch mode."""
    a, b, c = numbers((M, K)), numbers((K, N), start=2), numbers((M, N), start=3)
    whole_a, whole_b = numbers((3, M, K)), numbers((3, K, N), start=2)
    if batch is None:
        return [a, b, c]
    if batch == 3:
        return [whole_a, whole_b, c]
    if batch is ts.STRIDE:
        return [whole_a, whole_b, c, 3, M * K * 4, K * N * 4]
    if batch is ts.OFFSET:
        return [whole_a, whole_b, c, np.array([0, 48, 96]), np.array([160, 80, 0])]
    tables = [np.array([address(x) for x in whole], np.uint64) for whole in (whole_a, whole_b)]
    return [*tables, c, whole_a, whole_b]  # the last two only stay alive


def arguments(batch):
    return right(batch)[: {ts.STRIDE: 6, ts.OFFSET: 5}.get(batch, 3)]


def outcome(kernel, args, keywords=None):
    """What a call did: its result or error (without addresses), and the memory of all arguments afterwards."""
    try:
        result = kernel(*args, **(keywords or {}))
    except Exception as error:
        result = type(error).__name__, re.sub("0x[0-9a-f]+", "0x", str(error))
    return result, [x.tobytes() for x in args if issubclass(type(x), np.ndarray) and x.dtype != object]


def equal(x, y):
    return np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y


def agree(request, build, keywords=None, **spec):
    """The three ways to call give the same; `build` makes fresh arguments, equal each time but for addresses."""
    kernel, python = make("native", *request, **spec), make("cffi", *request, **spec)
    assert is_native(kernel) and not is_native(python)
    expected, memory = outcome(python, build(), keywords)
    for heat in (0, 300):
        for _ in range(heat):
            kernel(*right(spec.get("batch"))[: len(arguments(spec.get("batch")))])
        found, touched = outcome(kernel, build(), keywords)
        assert type(found) is type(expected) and equal(found, expected), (found, expected)
        assert touched == memory
    return expected


# Wrong and unusual arguments


class Subclass(np.ndarray):
    pass


class Pretender:
    """Looks like an array to whoever only asks for attributes."""

    dtype, shape, strides, ndim = np.dtype("f4"), (M, K), (16, 4), 2
    data = 0
    __class__ = np.ndarray


def misaligned(x):
    return np.ndarray(x.shape, x.dtype, np.frombuffer(bytearray(b"\0" + x.tobytes()), np.uint8), 1)


def frozen(x):
    x.flags.writeable = False
    return x


UNUSUAL = {
    "none": lambda x: None,
    "an int": lambda x: 5,
    "a float": lambda x: 5.0,
    "a list": lambda x: x.tolist(),
    "text": lambda x: "abcdefgh" * 9,
    "a type": lambda x: np.ndarray,
    "a pretender": lambda x: Pretender(),
    "0-d": lambda x: np.array(1, x.dtype),
    "scalar": lambda x: x.dtype.type(1),
    "zero rows": lambda x: x[..., :0, :],
    "zero columns": lambda x: x[..., :0],
    "flat": lambda x: x.reshape(-1),
    "one more axis": lambda x: x[None],
    "32 axes": lambda x: x.reshape((1,) * 28 + x.shape),
    "one row more": lambda x: np.concatenate([x, x[..., :1, :]], axis=-2),
    "transposed": lambda x: np.swapaxes(x, -1, -2),
    "columns": lambda x: np.asfortranarray(x),
    "upside down": lambda x: x[..., ::-1, :],
    "mirrored": lambda x: x[..., ::-1],
    "every other": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "padded": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
    "broadcast": lambda x: np.broadcast_to(x[..., :1, :], x.shape),
    "f8": lambda x: x.astype("f8"),
    "f2": lambda x: x.astype("f2"),
    "i4": lambda x: x.astype("i4"),
    "c8": lambda x: x.astype("c8"),
    "object": lambda x: x.astype(object),
    "record": lambda x: x.view([("x", "f4")]),
    "big-endian": lambda x: x.astype(">f4"),
    "misaligned": misaligned,
    "read-only": frozen,
    "subclass": lambda x: x.view(Subclass),
    "matrix": lambda x: np.asmatrix(x) if x.ndim == 2 else x.view(Subclass),
    "recarray": lambda x: x.view(np.recarray),
    "unpickled": lambda x: pickle.loads(pickle.dumps(x)),
    "unpickled dtype": lambda x: x.view(pickle.loads(pickle.dumps(x.dtype))),
    "named dtype": lambda x: x.view(np.dtype("f4", metadata={"a": 1})),
    "memoryview": memoryview,
    "as a view": lambda x: x.view(),
    "as it is": lambda x: x,
}  # fmt: skip


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


class Index:
    def __index__(self):
        return 3

    def __repr__(self):  # test ids must be the same in every process
        return "Index()"


INTEGERS = (-1, 0, 1, 2, 4, 48, 49, 80, 1 << 29, 1 << 30, (1 << 30) - 4, -(1 << 30), 1 << 31, 1 << 62, 1 << 64, -48,
            -80, True, False, 3.0, None, "3", np.int64(2), np.uint8(2), np.int32(-1), np.uint64(1 << 63),
            np.int64(48), np.int64(-48), np.int64(1 << 29), np.int64(1 << 30), np.int64(-(1 << 30)), np.int64(1 << 62),
            np.int64(-(1 << 63)), np.int64(0), np.bool_(True), np.array(2), Index())  # fmt: skip


@needs_native
@pytest.mark.parametrize("position", (3, 4, 5))
@pytest.mark.parametrize("value", INTEGERS, ids=repr)
def test_integer_argument(position, value):
    def build():
        args = arguments(ts.STRIDE)
        args[position] = value
        return args

    agree((M, N, K), build, batch=ts.STRIDE)


TABLES = {
    "reversed": lambda t: t[::-1],
    "every other": lambda t: np.repeat(t, 2)[::2],
    "empty": lambda t: t[:0],
    "shorter": lambda t: t[:2],
    "longer": lambda t: np.concatenate([t, t]),
    "two axes": lambda t: t[None],
    "0-d": lambda t: t[0],
    "0-d array": lambda t: t[0, ...],
    "other sign": lambda t: t.view({"i": "u8", "u": "i8"}[t.dtype.kind]),
    "int32": lambda t: t.astype("i4"),
    "floats": lambda t: t.astype("f8"),
    "big-endian": lambda t: t.astype(t.dtype.newbyteorder(">")),
    "list": lambda t: t.tolist(),
    "long long": lambda t: t.view({"i": "q", "u": "Q"}[t.dtype.kind]),
    "read-only": frozen,
    "misaligned": misaligned,
    "odd entry": lambda t: t + np.array([0, 2, 0], t.dtype),
    "an element on": lambda t: t + np.array([0, 0, 4], t.dtype),
    "zero entry": lambda t: t * np.array([1, 0, 1], t.dtype),
    "as it is": lambda t: t,
}


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
    """Addresses differ between calls, and so would messages that show one; those have tests in
    runtime/arguments/test_gemm.py.
    """
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


# Overlaps: machine code refuses what may overlap by its bounds, Python decides exactly


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
@given(*[st.integers(0, 40)] * 2, st.integers(0, 4), st.integers(-12, 40), st.integers(-12, 40), st.integers(0, 3),
       st.integers(0, 3), st.booleans())  # fmt: skip
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
    """Views with any steps of three buffers: machine code takes exactly what Python takes."""
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


# Outputs that are left out


@pytest.mark.parametrize("order", ("C", "F"))
@pytest.mark.parametrize("ldc", (None, 7, ts.RUNTIME), ids=str)
def test_new_output(mode, order, ldc):
    kernel = make(mode, M, N, K, order=order, beta=0, ldc=ldc)
    a, b = (np.asarray(x, order=order) for x in right()[:2])
    for _ in range(3):
        c = kernel(a, b)
        assert type(c) is np.ndarray and c.dtype == np.float32 and c.flags.writeable and c.flags.aligned
        np.testing.assert_array_equal(c, a @ b)
        assert c.strides[order == "C"] == 4 and c.strides[order == "F"] == 4 * (
            7 if ldc == 7 else (N if order == "C" else M)
        )
        assert sys.getrefcount(c) == 2
    assert kernel(a, b, None).tolist() == c.tolist()
    out = np.empty_like(c) if ldc != 7 else kernel(a, b)
    assert kernel(a, b, out) is None
    np.testing.assert_array_equal(out, c)


def test_new_output_of_batches(mode):
    for batch in (3, ts.STRIDE, ts.OFFSET, ts.ADDRESS):
        kernel, plain = make(mode, M, N, K, batch=batch, beta=0), make("cffi", M, N, K, batch=batch, beta=0)
        keep = right(batch)
        args = keep[: len(arguments(batch))]
        plain(*args)
        expected, args[2] = args[2], None
        np.testing.assert_array_equal(kernel(*args), expected)
        if len(args) == 3:
            np.testing.assert_array_equal(kernel(*args[:2]), expected)


def test_no_new_output_if_c_is_read(mode):
    kernel = make(mode, M, N, K)
    with pytest.raises(TypeError, match=r"3 arguments \(a, b, c\), not 2"):
        kernel(*right()[:2])
    with pytest.raises(TypeError, match="c: an array"):
        kernel(*right()[:2], None)


# Where arrays come from


def test_memory_map(mode, tmp_path):
    kernel = make(mode, M, N, K)
    a, b, c = right()
    expected = c + a @ b
    mapped = np.memmap(tmp_path / "c", np.float32, "w+", shape=(M, N))
    mapped[...] = c
    kernel(a, b, mapped)
    np.testing.assert_array_equal(mapped, expected)


def test_masked_array_is_refused(mode):
    kernel = make(mode, M, N, K)
    for position in range(3):
        args = right()
        args[position] = np.ma.masked_array(args[position], mask=args[position] > 3)
        with pytest.raises(TypeError, match=f"{'abc'[position]}: .*mask"):
            kernel(*args)


def test_arrays_at_guard_pages(mode):
    """Machine code that read a byte beyond what it may would fault."""
    for spec in ({}, {"lda": ts.RUNTIME, "ldc": ts.RUNTIME}):
        kernel = make(mode, M, N, K, **spec)
        for side in ("start", "end"):
            a, b, c = (guarded(x, side) for x in right())
            expected = c + a @ b
            kernel(a, b, c)
            np.testing.assert_array_equal(c, expected)


# References and memory


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def counts(*objects):
    return [sys.getrefcount(x) for x in objects]


@pytest.mark.seconds
def test_calls_keep_no_references(mode):
    kernel, allocating = make(mode, M, N, K), make(mode, M, N, K, beta=0)
    a, b, c = right()
    objects = (kernel, allocating, a, b, c, a.dtype, np.ndarray, M)

    def calls():
        kernel(a, b, c)
        allocating(a, b)
        for args in ((a, b), (a, b, 3), (a, a, c), (a, b, a[0])):
            with contextlib.suppress(TypeError, ValueError):
                kernel(*args)

    calls()
    gc.collect()
    before, none = counts(*objects), sys.getrefcount(None)
    for _ in range(1000):
        calls()
    gc.collect()
    assert counts(*objects) == before
    assert abs(sys.getrefcount(None) - none) < 200


def flat(body, count):
    """Resident bytes that the second half of `count` runs adds: by then allocators have what they keep.

    Nothing is collected in between: that returns pages to the system, and the next runs take them again.
    """
    body(count // 2)
    before = resident()
    body(count // 2)
    return resident() - before


def call_many(kernel, args):
    def body(count):
        for _ in range(count):
            kernel(*args)

    return body


@pytest.mark.slow
def test_ten_million_calls(mode):
    kernel, count = make(mode, M, N, K), scaled(1_000_000, 10_000_000) if mode == "native" else scaled(20_000, 100_000)
    a, b, c = right()
    c[...] = 0
    before, none = counts(a, b, c, a.dtype, kernel), sys.getrefcount(None)
    grown = flat(call_many(kernel, (a, b, c)), count)
    after = counts(a, b, c, a.dtype, kernel)  # not within an assertion: pytest holds on to what it may have to show
    assert after == before
    assert abs(sys.getrefcount(None) - none) < 100
    assert grown < 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize("batch", (None, ts.STRIDE, ts.OFFSET, ts.ADDRESS), ids=str)
def test_a_million_calls_of_other_kinds(mode, batch):
    count = scaled(200_000, 1_000_000) if mode == "native" else scaled(10_000, 20_000)
    kernel = make(mode, M, N, K, batch=batch, beta=0, release_gil=True)
    keep = right(batch)
    args = keep[: len(arguments(batch))]
    if batch is None:
        args = args[:2]
    arrays = [x for x in keep if isinstance(x, np.ndarray)]
    before = counts(*arrays)
    grown = flat(call_many(kernel, args), count)
    after = counts(*arrays)
    assert after == before
    assert grown < 1 << 20


@pytest.mark.slow
def test_twenty_thousand_kernels(mode):
    """Made, called, dropped; the collector runs as ever, since planning leaves cycles behind. Kernels have none."""

    def body(count):
        args = right()
        for i in range(count):
            make(mode, M, N, K, beta=i % 7)(*args)

    count = scaled(4_000, 20_000)
    # an emulator keeps what it translates: 2.3 KB for each kernel that ran, 0.15 KB for one that did not
    translated = 4096 * count // 2 if "QEMU_CPU" in os.environ else 0
    assert flat(body, count) < (2 << 20) + translated


def test_a_dropped_kernel_is_freed_at_once(mode):
    def mappings():
        with open("/proc/self/maps") as file:
            return sum("memfd:tilesmith" in line for line in file)

    make(mode, M, N, K)(*right())
    gc.collect()
    before = mappings()
    gc.disable()
    try:
        for _ in range(10):
            make(mode, M, N, K)(*right())
        assert mappings() == before
    finally:
        gc.enable()


def test_the_collector_sees_through_a_kernel(mode):
    kernel = make(mode, M, N, K)
    assert any(type(x).__name__ == "function" for x in gc.get_referents(kernel))
    assert gc.is_tracked(kernel)


@needs_native
def test_programs_cannot_reach_what_the_entry_reads():
    kernel = make("native", M, N, K)
    for change in (lambda: setattr(kernel, "_slow", None), lambda: delattr(kernel, "_slow")):
        with pytest.raises(AttributeError):
            change()
    for name in ("_block", "_checked"):  # these can be reached, and are not what keeps the code alive
        delattr(kernel, name)
    gc.collect()
    kernel(*right())
    with pytest.raises(TypeError):
        kernel(1, 2, 3)


# Threads, fork, the end


@pytest.mark.seconds
def test_four_threads_make_and_call_kernels(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)

    def work(number):
        def run():
            for i in range(30):
                m = 1 + (number * 7 + i) % 9
                kernel = Kernel(ts.gemm_spec(m, N, K), ts.host(), bool(i % 2))
                a, b, c = numbers((m, K)), numbers((K, N)), numbers((m, N))
                for _ in range(50):
                    expected = c + a @ b
                    kernel(a, b, c)
                    np.testing.assert_allclose(c, expected, rtol=1e-5)
                    with pytest.raises(ValueError):
                        kernel(b, a, c)

        return run

    with switching(1e-5):
        together(*map(work, range(4)))


def test_the_environment_may_change_at_any_time(mode, monkeypatch):
    """Between a kernel's making and its setting up, say by another thread: what it was made as is what it stays."""
    if entry.refusal():
        pytest.skip(entry.refusal())
    other = MODES[mode == "native"]
    monkeypatch.setenv(cpython.FORCE, mode)
    kernel = Kernel.__new__(Kernel, ts.gemm_spec(M, N, K), ts.host())
    monkeypatch.setenv(cpython.FORCE, other)
    kernel.__init__(ts.gemm_spec(M, N, K), ts.host())
    a, b, c = right()
    expected = c + a @ b
    kernel(a, b, c)
    np.testing.assert_array_equal(c, expected)
    assert is_native(kernel) == (mode == "native")


LONG = {"batch": ts.STRIDE, "beta": 0.0}


def long_call(kernel, size, seconds):
    """(arguments of a call of about this long, its seconds)."""
    a, b, c = (np.zeros((size, size), np.float32) for _ in range(3))
    count = 1000
    while True:
        start = time.perf_counter()
        kernel(a, b, c, count, 0, 0)
        took = time.perf_counter() - start
        if took > seconds:
            return (a, b, c, count, 0, 0), took
        count = min(count * 4, (1 << 30) - 1)


@pytest.mark.seconds
@pytest.mark.parametrize("release", (None, True))
def test_others_run_during_a_long_kernel(mode, release):
    """A thread that only counts gets on while a kernel runs: it would stand still if the kernel kept the GIL."""
    kernel = make(mode, 16, 16, 16, release_gil=release, **LONG)
    args, took = long_call(kernel, 16, 0.3)
    ticks, start, end = ticks_during(lambda: kernel(*args))
    assert sum(start < at < end for at in ticks) > 3  # a busy machine wakes it late; with the GIL kept there is none


@needs_native
def test_nobody_runs_during_a_kernel_that_keeps_the_gil():
    kernel = make("native", 16, 16, 16, release_gil=False, **LONG)
    args, took = long_call(kernel, 16, 0.2)

    def ticks_amid() -> int:
        ticks, start, end = ticks_during(lambda: kernel(*args))
        return sum(start + 0.02 < at < end - 0.02 for at in ticks)

    # On a busy machine this thread may lose its processor before the kernel begins: once of three times is enough.
    assert min(ticks_amid() for _ in range(3)) == 0


def test_two_threads_in_one_kernel(mode):
    kernel = make(mode, 16, 16, 16, release_gil=True, **LONG)
    args, took = long_call(kernel, 16, 0.2)
    spans = []

    def work():
        own = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
        start = time.perf_counter()
        kernel(*own)
        spans.append((start, time.perf_counter()))

    together(work, work)
    (first, end), (second, other) = sorted(spans)
    assert second < end  # they overlapped


def test_fork(mode):
    kernel = make(mode, M, N, K)
    args = right()

    def child():
        expected = args[2] + args[0] @ args[1]
        kernel(*args)
        np.testing.assert_array_equal(args[2], expected)
        another = make(mode, M, N, K, beta=0)
        np.testing.assert_array_equal(another(*args[:2]), args[0] @ args[1])
        with pytest.raises(TypeError):
            another(1, 2)

    assert run_forked(child) == 0
    kernel(*args)
    made_after = make(mode, M, N, K, beta=0)
    np.testing.assert_array_equal(made_after(*args[:2]), args[0] @ args[1])
    assert run_forked(child) == 0


SHUTDOWN = """
import sys, threading, time
import numpy as np
import tilesmith as ts
k = ts.brgemm(16, 16, 16, batch=ts.STRIDE, beta=0, release_gil=True)
a, b, c = (np.zeros((16, 16), np.float32) for _ in range(3))
started = threading.Event()
def work():
    while True:
        started.set()
        k(a, b, c, 3_000_000, 0, 0)
threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.05)
print("end", flush=True)
"""


def test_shutdown_during_a_kernel(mode):
    environment = {**os.environ, cpython.FORCE: mode}
    done = subprocess.run([sys.executable, "-c", SHUTDOWN], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_shutdown_with_kernels_alive(mode):
    program = """
import numpy as np, tilesmith as ts
class Cycle: pass
cycle, kept = Cycle(), ts.brgemm(4, 4, 4)
cycle.me, cycle.kernel, np.kept = cycle, ts.brgemm(4, 4, 5), kept
x = [np.zeros((4, 4), np.float32) for _ in range(3)]
kept(*x)
"""
    environment = {**os.environ, cpython.FORCE: mode}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.seconds
def test_recursion_through_an_argument(mode):
    """An argument's own code may call the kernel, drop it, and change what is being checked."""
    a, b, c = right()
    holder = [make(mode, M, N, K)]

    class Hostile:
        @property
        def __array_interface__(self):
            if holder[0] is not None:  # numpy asks more than once
                holder[0](a, b, c)
            holder[0] = None
            gc.collect()
            return a.__array_interface__

    for _ in range(3):
        holder[0](Hostile(), b, c)
        assert holder[0] is None
        holder[0] = make(mode, M, N, K)


def test_deep_recursion_ends_in_an_error(mode):
    kernel = make(mode, M, N, K)

    class Deep:
        @property
        def __array_interface__(self):
            return kernel(self, self, self)

    with pytest.raises(RecursionError):
        kernel(Deep(), *right()[1:])


@pytest.mark.skipif("QEMU_CPU" in os.environ, reason="qemu does not impose RLIMIT_AS")
def test_memory_limit_is_an_error():
    def child():
        kernel = make("native" if not entry.refusal() else "cffi", 4096, 4096, 1, beta=0)
        a, b = np.ones((4096, 1), np.float32), np.ones((1, 4096), np.float32)
        kernel(a, b)
        resource.setrlimit(resource.RLIMIT_AS, (resident() + (4 << 20), resource.RLIM_INFINITY))
        keep = []
        with pytest.raises(MemoryError):
            for _ in range(100):
                keep.append(kernel(a, b))

    assert run_forked(child) == 0
