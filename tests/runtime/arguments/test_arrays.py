"""Arrays of any library: an accepted array becomes a view of the same memory, with known bounds and overlaps."""

import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.foreign_arrays import FOREIGN, Device, OldCapsule
from tilesmith.runtime.arguments.arrays import address_of, array_at, as_array, byte_bounds, overlap, owner_bounds

FLOATS = np.arange(12, dtype=np.float32).reshape(3, 4)


WRAPS = {"itself": lambda x: x, **FOREIGN}
each_wrap = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


@each_wrap
@pytest.mark.parametrize("view", [FLOATS, FLOATS.T, FLOATS[::2, 1:3], FLOATS[0]], ids=str)
def test_a_view_of_the_same_memory(wrap, view):
    found = as_array("x", wrap(view))
    assert isinstance(found, np.ndarray)
    assert (found.shape, found.strides, found.dtype) == (view.shape, view.strides, view.dtype)
    assert address_of(found) == view.__array_interface__["data"][0]
    assert found.flags.writeable


@each_wrap
def test_read_only_stays_read_only(wrap):
    view = FLOATS.view()
    view.flags.writeable = False
    assert not as_array("x", wrap(view)).flags.writeable


def test_dlpack_of_old():
    assert np.shares_memory(as_array("x", OldCapsule(FLOATS)), FLOATS)
    view = FLOATS.view()
    view.flags.writeable = False
    with pytest.raises(TypeError, match="x: an array on the CPU; DLPack of OldCapsule refuses"):
        as_array("x", OldCapsule(view))


def test_memory_of_a_device():
    with pytest.raises(TypeError, match="x: an array on the CPU; DLPack of Device refuses: it lives elsewhere"):
        as_array("x", Device(FLOATS))


def test_buffers():
    numbers = array.array("d", [1, 2, 3])
    found = as_array("x", numbers)
    found[1] = 5
    assert list(numbers) == [1, 5, 3]
    assert not as_array("x", b"abcd").flags.writeable
    assert as_array("x", bytearray(8)).flags.writeable


@pytest.mark.parametrize("value", [[1.0], (1.0,), None, 1.0, "text", {}, object()], ids=lambda v: type(v).__name__)
def test_not_an_array(value):
    with pytest.raises(TypeError, match=f"alpha: an array .*, not {type(value).__name__}"):
        as_array("alpha", value)


# Bounds and overlaps of views of 64 bytes, compared with the addresses of their elements

MEMORY = np.zeros(64, np.uint8)


@st.composite
def placed(draw):
    """Draw a view of MEMORY with up to three axes and strides of either sign."""
    kind = np.dtype(draw(st.sampled_from(("u1", "<u2", "<f4"))))
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    strides = [draw(st.integers(-9, 9)) for _ in shape]
    reach = [(n - 1) * stride for n, stride in zip(shape, strides)] if 0 not in shape else []
    low, high = -sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach) + kind.itemsize
    offset = draw(st.integers(low, 64 - high)) if high + low <= 64 else None
    if offset is None:
        shape, strides, offset = [], [], 0
    return np.ndarray(shape, kind, MEMORY, offset, strides)


def touched(x):
    """Return the addresses of all bytes of all elements."""
    start = x.__array_interface__["data"][0]
    steps = [sum(i * s for i, s in zip(index, x.strides)) for index in np.ndindex(x.shape)]
    return {start + step + byte for step in steps for byte in range(x.itemsize)}


@given(placed())
def test_bounds(x):
    bytes_ = touched(x)
    low, high = byte_bounds(x)
    assert (low, high) == ((min(bytes_), max(bytes_) + 1) if bytes_ else (low, low))
    start = MEMORY.__array_interface__["data"][0]
    assert owner_bounds(x) == owner_bounds(x[..., None]) == (start, start + 64)


@given(placed(), placed())
def test_overlap(x, y):
    assert overlap(x, y) == bool(touched(x) & touched(y))


@given(placed())
def test_view_at_an_address(x):
    y = array_at(address_of(x), x.shape, x.strides, x.dtype)
    assert (address_of(y), y.shape, y.strides, y.dtype) == (address_of(x), x.shape, x.strides, x.dtype)
    assert not y.flags.writeable


def test_owner_of_foreign_memory_is_the_view():
    data = bytearray(32)
    x = np.frombuffer(data, np.float32)[2:4]
    low, high = owner_bounds(x)
    assert (high - low, address_of(x) - low) == (32, 8)
