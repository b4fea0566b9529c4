"""The guard of the kernel tests: accesses outside fault, the canary is checked, and the array is an ordinary one."""

import gc
import signal

import ml_dtypes
import numpy as np
import pytest

from tests.guard import (
    GUARD,
    PAGE,
    SIDES,
    address,
    both_sides,
    check_canary,
    guarded,
    guarded_pair,
    run_forked,
)
from tilesmith.runtime.system import libc

FAULT = -signal.SIGSEGV


def byte(where):
    """Return the byte at an address, which byte(where)[0] reads and writes."""
    return libc.ffi.cast("unsigned char *", where)


def read(where):
    return run_forked(lambda: byte(where)[0])


def write(where):
    return run_forked(lambda: byte(where).__setitem__(0, 0))


def mapped(where):
    """Return whether /proc/self/maps has a mapping that begins at or before `where` and ends after it."""
    with open("/proc/self/maps") as maps:
        ranges = [[int(end, 16) for end in line.split()[0].split("-")] for line in maps]
    return any(low <= where < high for low, high in ranges)


VIEWS = {
    "one byte": np.array([7], np.uint8),
    "row": np.arange(37, dtype=np.float32),
    "two pages": np.arange(2 * PAGE // 4 + 3, dtype=np.float32),
    "exactly a page": np.arange(PAGE // 8, dtype=np.float64),
    "padded rows": np.arange(5 * 40, dtype=np.float32).reshape(5, 40)[:, :33],
    "padded columns": np.asfortranarray(np.arange(40.0 * 5).reshape(40, 5))[:17],
    "every third": np.arange(100, dtype=np.int16)[::3],
    "reversed": np.arange(50, dtype=np.int32)[::-1],
    "reversed rows": np.arange(6 * 8, dtype=np.float32).reshape(6, 8)[::-1, 1:6],
    "batch of padded": np.arange(3 * 7 * 16, dtype=np.uint8).reshape(3, 7, 16)[:, :5, :11],
    "scalar": np.array(2.5, np.float64),
    "bfloat16": np.arange(77).astype(ml_dtypes.bfloat16),
}
views = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())


def touched(array):
    """Return the addresses of the first and the last byte of the view."""
    offsets = sum(i * stride for i, stride in zip(np.indices(array.shape), array.strides, strict=True))
    return address(array) + int(np.min(offsets)), address(array) + int(np.max(offsets)) + array.itemsize - 1


@views
@both_sides
def test_copy_is_the_same_view(view, side):
    copy = guarded(view, side)
    assert (copy.shape, copy.strides, copy.dtype) == (view.shape, view.strides, view.dtype)
    assert copy.flags.writeable and copy.flags.aligned
    np.testing.assert_array_equal(copy, view)
    check_canary(copy)


@views
def test_first_byte_and_last_byte_touch_a_guard(view):
    start, end = guarded_pair(view)
    assert touched(start)[0] % PAGE == 0
    assert (touched(end)[1] + 1) % PAGE == 0


@views
def test_one_byte_outside_faults_and_the_elements_do_not(view):
    start, end = guarded_pair(view)
    below, above = touched(start)[0] - 1, touched(end)[1] + 1
    assert [read(below), write(below), read(above), write(above)] == [FAULT] * 4
    assert [read(below + 1), write(below + 1), read(above - 1), write(above - 1)] == [0] * 4


def test_guard_is_wide():
    start, end = guarded_pair(np.zeros(3, np.float32))
    assert read(address(start) - GUARD) == read(address(end) + GUARD) == FAULT


def test_guard_is_wider_than_a_large_array():
    block = np.zeros(3 * GUARD, np.uint8)
    assert read(address(guarded(block, "end")) + 2 * block.size - 1) == FAULT


@both_sides
def test_empty_array_has_no_accessible_byte(side):
    empty = guarded(np.zeros((0, 4), np.float32), side)
    assert empty.shape == (0, 4)
    check_canary(empty)


def test_end_is_aligned_to_the_element_only():
    assert address(guarded(np.zeros(37, np.float32), "end")) % 8 == 4
    assert address(guarded(np.zeros(5, ml_dtypes.bfloat16), "end")) % 4 == 2


@both_sides
def test_read_only_elements_cannot_be_written(side):
    x = guarded(np.arange(9.0), side, writable=False)
    np.testing.assert_array_equal(x, np.arange(9.0))
    assert read(address(x)) == 0
    assert write(address(x)) == FAULT
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    check_canary(x)


@both_sides
def test_written_elements_leave_the_canary_alone(side):
    y = guarded(VIEWS["reversed rows"], side)
    y[...] = 0
    check_canary(y)
    check_canary(y[1:])


def test_canary_sees_bytes_before_past_and_between():
    source = np.zeros((3, 8), np.float32)[:, :5]
    end = guarded(source, "end")
    byte(address(end) - 2)[0] = 0
    with pytest.raises(AssertionError, match=r"stray bytes written \(1\): 2 bytes before the first element"):
        check_canary(end)
    start = guarded(source, "start")
    byte(touched(start)[1] + 1)[0] = 0
    with pytest.raises(AssertionError, match="1 bytes past the last element"):
        check_canary(start)
    gap = guarded(source)
    byte(address(gap) + 5 * 4)[0] = 0
    with pytest.raises(AssertionError, match="in the gap at byte 20 from element 0"):
        check_canary(gap)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_canary_reads_as_nan(bits):
    source = np.zeros((3, 8), f"f{bits // 8}")[:, :5]
    for copy in guarded_pair(source):
        body = np.asarray(copy.base)
        whole = np.ndarray((2, 8), copy.dtype, body, address(copy) - address(body))
        assert np.isnan(whole[:, 5:]).all()
        if bits == 16:
            assert np.isnan(whole[:, 5:].view(ml_dtypes.bfloat16).astype(np.float32)).all()


@pytest.mark.seconds
def test_pages_live_as_long_as_any_view():
    y = guarded(np.arange(8.0))
    where, tail = address(y), y[4:]
    del y
    gc.collect()
    assert mapped(where) and tail.sum() == 22
    del tail
    gc.collect()
    assert not mapped(where)


@pytest.mark.parametrize("side", SIDES)
def test_signalling_nans_survive_the_copy(side):
    source = np.array([0x7F800001, 0xFFA00000], np.uint32).view(np.float32)
    np.testing.assert_array_equal(guarded(source, side).view(np.uint32), source.view(np.uint32))


def test_misuse_is_explained():
    with pytest.raises(ValueError, match="neither 'start' nor 'end'"):
        guarded(np.zeros(3), "left")
    with pytest.raises(TypeError, match="references"):
        guarded(np.array([object()]))
    with pytest.raises(TypeError, match="not made by guarded"):
        check_canary(np.zeros(3))


def test_run_forked_reports_how_the_child_ended(capfd):
    def fail():
        raise RuntimeError("told to")

    assert run_forked(lambda: None) == 0
    assert run_forked(fail) == 1
    assert "told to" in capfd.readouterr().err
    assert read(1) == FAULT
