"""Calls with arrays of another library, which emitted code reads by DLPack's C functions; a stand-in replaces torch.

The stand-in breaks Python's own protocol, so a call that succeeds went through the C functions.
"""

import contextlib
import gc
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tests import exporter
from tests.exporter import Tensor
from tests.guard import both_sides, check_canary, guarded
from tests.profiles import scaled
from tests.this_process import resident
from tilesmith.runtime.arguments.dtypes import numpy_dtype
from tilesmith.runtime.fastcall import dlpack, entry
from tilesmith.runtime.system import dlpack as protocol

pytestmark = pytest.mark.skipif(bool(entry.refusal()), reason=entry.refusal())


@pytest.fixture(autouse=True)
def registered():
    assert dlpack.register(Tensor)
    yield
    Tensor.device, Tensor.broken, Tensor.refusing = 1, False, ""


def dense(*shape, dtype="f4"):
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype(dtype)


@pytest.mark.parametrize("name", protocol.CODES)
def test_every_type(name):
    x = dense(3, 5, dtype=np.uint8).astype(numpy_dtype(name))
    y = Tensor(np.zeros((5, 3), x.dtype))
    ts.transpose(3, 5, dtype=name)(Tensor(x), y)
    assert (y.x == x.T).all()


def test_types_that_no_kernel_has():
    mm = ts.brgemm(4, 4, 4)
    with pytest.raises(TypeError, match="a: "):
        mm(Tensor(dense(4, 4).astype(bool)), Tensor(dense(4, 4)), Tensor(dense(4, 4)))


VIEWS = {
    "dense": lambda x: Tensor(x),
    "no strides": lambda x: Tensor(x, dense=True),
    "an offset": lambda x: Tensor(x, offset=64),
    "numpy's": lambda x: x,
}


@pytest.mark.parametrize("first", VIEWS)
@pytest.mark.parametrize("second", VIEWS)
def test_views_and_mixtures(first, second):
    a, b, c = dense(4, 6), dense(6, 5), np.ones((4, 5), np.float32)
    ts.brgemm(4, 5, 6)(VIEWS[first](a), VIEWS[second](b), Tensor(c))
    assert (c == 1 + a @ b).all()


def test_strides():
    a, b, c = dense(6, 9)[:, :6], dense(5, 6).T, np.ones((6, 12), np.float32)[:, 2:7]
    expected = c + a @ b
    ts.brgemm(6, 5, 6, order=("C", "F", "C"), lda=9, ldc=ts.RUNTIME)(Tensor(a), Tensor(b), Tensor(c))
    assert (c == expected).all()


@pytest.mark.parametrize("entries", [3, 200])  # more than 192 entries are copied to allocated memory
def test_batches(entries):
    a, b, c = dense(entries, 4, 4), dense(entries, 4, 4), np.zeros((4, 4), np.float32)
    table = np.arange(entries) * 64
    ts.brgemm(4, 4, 4, batch=ts.STRIDE)(Tensor(a), Tensor(b), Tensor(c), entries, 64, np.int64(64))
    ts.brgemm(4, 4, 4, batch=ts.OFFSET)(Tensor(a), Tensor(b), Tensor(c), table, Tensor(table))
    assert (c == 2 * (a @ b).sum(0)).all()
    with pytest.raises((TypeError, ValueError)):
        ts.brgemm(4, 4, 4, batch=ts.STRIDE)(Tensor(a), Tensor(b), Tensor(c), entries + 1, 64, 64)


def test_the_gil_released():
    a, b, c = (Tensor(dense(8, 8)) for _ in range(3))
    expected = c.x + a.x @ b.x
    ts.brgemm(8, 8, 8, release_gil=True)(a, b, c)
    assert (c.x == expected).all()


def test_a_handle():
    mm = ts.dispatch(ts.brgemm, beta=0)
    for n in (3, 4, 3, 5):
        a, b = dense(n, 4), dense(4, n)
        mm(a, b)  # a miss needs ndarrays, since Python's protocol is broken
        made = mm(Tensor(a), Tensor(b))
        assert type(made) is Tensor
        assert (made.x == a @ b).all()
    c, memory = Tensor(np.zeros((3, 3), np.float32)), dense(9, 4)
    mm(dense(3, 4), dense(4, 3), c.x)  # a miss for another kernel, to which c is given
    mm(memory[:4], dense(4, 4), dense(4, 4))
    with pytest.raises(TypeError, match="emitted code only"):  # the kernel is found, and refuses the overlap
        mm(Tensor(memory[:4]), Tensor(dense(4, 4)), Tensor(memory[3:7]))
    with pytest.raises((TypeError, ValueError)):
        mm(Tensor(dense(3, 4)), Tensor(dense(4, 3)), Tensor(dense(2, 2)))
    mm(dense(3, 4), dense(4, 3), np.zeros((3, 3), np.float32))  # a miss, as above
    mm(Tensor(dense(3, 4)), Tensor(dense(4, 3)), c)
    assert (c.x == dense(3, 4) @ dense(4, 3)).all()


@both_sides
def test_nothing_outside_is_touched(side):
    a, b = guarded(dense(5, 7), side, writable=False), guarded(dense(7, 3), side, writable=False)
    c = guarded(np.zeros((5, 3), np.float32), side)
    ts.brgemm(5, 3, 7)(Tensor(a), Tensor(b), Tensor(c))
    check_canary(c)
    assert (c == a @ b).all()


# What is refused


REFUSED = {
    "shape": lambda: Tensor(dense(4, 5)),
    "rank": lambda: Tensor(dense(4)),
    "axes": lambda: Tensor(dense(1, 1, 1, 1, 1, 4, 4)),
    "type": lambda: Tensor(dense(4, 4, dtype="f8")),
    "strides": lambda: Tensor(dense(4, 8)[:, ::2]),
    "empty": lambda: Tensor(dense(0, 4)),
    "other": lambda: object(),
}


@pytest.mark.parametrize("which", REFUSED)
@pytest.mark.parametrize("position", range(3))
def test_refused(which, position):
    """The call reaches the checks in Python, whose error names the argument; nothing is written."""
    args = [Tensor(dense(4, 4)), Tensor(dense(4, 4)), Tensor(dense(4, 4))]
    args[position] = REFUSED[which]()
    with pytest.raises(TypeError, match="[abc]: "):
        ts.brgemm(4, 4, 4)(*args)
    if position < 2:
        assert (args[2].x == dense(4, 4)).all()


def test_overlap_and_misaligned():
    mm, memory = ts.brgemm(4, 4, 4), dense(9, 4)
    with pytest.raises(TypeError, match="DLPack of Tensor refuses: emitted code only"):
        mm(Tensor(memory[:4]), Tensor(dense(4, 4)), Tensor(memory[3:7]))
    odd = np.zeros(65, np.uint8)[1:].view(np.float32).reshape(4, 4)
    with pytest.raises(TypeError, match="emitted code only"):
        mm(Tensor(odd), Tensor(dense(4, 4)), Tensor(dense(4, 4)))


def test_devices_and_errors_of_the_library():
    args = [Tensor(dense(4, 4)) for _ in range(3)]
    mm = ts.brgemm(4, 4, 4)
    Tensor.device = 2
    with pytest.raises(TypeError, match=r"a: the array is on a device \(CUDA\), kernels run on the CPU"):
        mm(*args)
    Tensor.device, Tensor.broken = 1, True
    with pytest.raises(TypeError, match="a: an array on the CPU; DLPack of Tensor refuses"):
        mm(*args)


def test_keywords_and_counts():
    mm, args = ts.brgemm(4, 4, 4), [Tensor(dense(4, 4)) for _ in range(3)]
    for wrong in (lambda: mm(*args, lda=4), lambda: mm(*args[:2]), lambda: mm(*args, *args, *args, *args, *args)):
        with pytest.raises(TypeError):
            wrong()


@given(st.data())
def test_views_are_accepted_as_those_of_numpy(data):
    """Emitted code accepts the same views as the checks of numpy's views do, except in the two cases below."""
    order, gap = data.draw(st.sampled_from(("C", "F"))), data.draw(st.sampled_from((None, ts.RUNTIME)))
    m, n = data.draw(st.sampled_from(((1, 1), (1, 3), (3, 1), (2, 3))))
    memory = np.arange(64, dtype=np.float32)
    sizes = data.draw(st.sampled_from(((m, n), (n, m), (m, n, 1))))
    steps = [data.draw(st.sampled_from((1, 2, 3, 4, 8))) for _ in sizes]
    x = np.lib.stride_tricks.as_strided(memory, sizes, [4 * step for step in steps])
    kernel = ts.brgemm(m, n, n, beta=0, order=(order, "C", "C"), lda=gap)
    one, mine, theirs = np.eye(n, dtype=np.float32), *np.zeros((2, m, n), np.float32)
    if x.ndim > 2:  # the way through Python drops axes of length one; emitted code does not
        with pytest.raises(TypeError):
            kernel(Tensor(x), one, Tensor(mine))
        return
    try:
        kernel(x, one, theirs)
    except (TypeError, ValueError):
        with pytest.raises(TypeError):
            kernel(Tensor(x), one, Tensor(mine))
        return
    try:
        kernel(Tensor(x), one, Tensor(mine))
    except TypeError:
        assert 1 in x.shape, "the way through Python takes any stride along one element, emitted code the dense one"
        return
    assert (mine == theirs).all()


# Results


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ["f32", "bf16", "f64"])
def test_results_are_of_the_type_that_came_in(name, order):
    a, b = dense(4, 6).astype(numpy_dtype(name)), dense(6, 5).astype(numpy_dtype(name))
    mm = ts.brgemm(4, 5, 6, dtype=name, beta=0, order=("C", "C", order))
    made = mm(Tensor(a), b)
    assert type(made) is Tensor
    assert made.x.dtype == a.dtype
    assert (made.x.astype(float) == a.astype(float) @ b.astype(float)).all()
    assert made.x.flags.f_contiguous == (order == "F")
    assert type(mm(a, Tensor(b))) is Tensor
    assert type(mm(Tensor(a), Tensor(b), None)) is Tensor


def test_memory_of_results_is_given_back_once():
    """Results have 32 KiB each, so 5,000 results that were leaked would take 160 MB."""
    mm, a, b = ts.brgemm(64, 128, 4, beta=0), Tensor(dense(64, 4)), Tensor(dense(4, 128))
    mm(a, b)
    before = resident()
    for _ in range(scaled(5_000, 100_000)):
        made = mm(a, b)
    exporter.release(made)  # further releases are not needed
    assert resident() - before < 8 << 20


@pytest.mark.parametrize("how", ["keeping it", "after releasing"])
def test_a_library_that_refuses_the_result(how):
    mm, a, b = ts.brgemm(64, 128, 4, beta=0), Tensor(dense(64, 4)), Tensor(dense(4, 128))
    mm(a, b)
    Tensor.refusing = how
    before = resident()
    for _ in range(scaled(2_000, 100_000)):
        with pytest.raises(BufferError, match="refuses to take over the result"):
            mm(a, b)
    assert resident() - before < 8 << 20
    Tensor.refusing = ""
    assert (mm(a, b).x == a.x @ b.x).all()


def test_references():
    """No object has more or fewer references after many calls, some of which are refused."""
    mm, new = ts.brgemm(4, 4, 4), ts.brgemm(4, 4, 4, beta=0)
    a, b, c, wrong = (Tensor(dense(4, 4)) for _ in range(4))
    wrong.x = dense(4, 4)[:2]
    wrong.shape[0] = 2
    watched = [a, b, c, wrong, Tensor, mm, new, None, np.dtype("f4"), np.ndarray, True, False]
    mm(a, b, c), new(a, b)
    gc.collect()
    before, memory = [sys.getrefcount(each) for each in watched], resident()
    for i in range(scaled(10_000, 1_000_000)):
        mm(a, b, c)
        if i % 16 == 0:
            new(a, b)
        if i % 128 == 0:
            with contextlib.suppress(TypeError):
                mm(a, wrong, c)
    gc.collect()
    after = [sys.getrefcount(each) for each in watched]
    assert max(abs(x - y) for x, y in zip(before, after)) < 20, list(zip(before, after))
    assert resident() - memory < 4 << 20


# Registration


def test_types_without_the_functions():
    class Plain:
        pass

    class Empty:
        __dlpack_c_exchange_api__ = 5

    name = exporter.ffi.new("char[]", b"another name")

    class Other:
        __dlpack_c_exchange_api__ = exporter.capsule(exporter._TABLE, name)

    table = exporter.ffi.new("int64_t[7]", [2, 0, 0, 0, 16, 16, 0])

    class Later:
        __dlpack_c_exchange_api__ = exporter.capsule(table)

    assert not any(map(dlpack.register, (Plain, Empty, Other, Later)))
