"""Arrays of other libraries through Python's DLPack protocol, with types that numpy lacks; and jax, if installed."""

import gc
import sys

import numpy as np
import pytest

import tilesmith as ts
from tests.foreign_arrays import Capsule, Device
from tilesmith.runtime.arguments import foreign_arrays
from tilesmith.runtime.arguments.dtypes import numpy_dtype
from tilesmith.runtime.system import cpython, dlpack
from tilesmith.runtime.system.cpython import word
from tilesmith.runtime.system.libc import ffi

pytestmark = pytest.mark.skipif(bool(cpython.difference()), reason="capsules are read where objects lie as expected")


class Relabelled:
    """An array whose capsule states another element type of the same size; `old`: a capsule before DLPack version 1."""

    def __init__(self, x, code, lanes=1, old=False, device=1):
        self.x, self.code, self.lanes, self.old, self.device = x, code, lanes, old, device

    def __dlpack__(self, **options):
        if self.old and options:
            raise TypeError("no options")
        capsule = self.x.__dlpack__(**options)
        tensor = word(id(capsule) + 16) + (32 if options else 0)
        ffi.cast("uint8_t *", tensor + 20)[0] = self.code
        ffi.cast("uint16_t *", tensor + 22)[0] = self.lanes
        return capsule

    def __dlpack_device__(self):
        return self.device, 0


@pytest.mark.parametrize("name", ["bf16", "f8e5m2", "f8e4m3"])
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T, lambda x: x[1:, ::2], lambda x: x[0]])
def test_types_that_only_ml_dtypes_has(name, view):
    dtype = numpy_dtype(name)
    x = view(np.arange(24).reshape(4, 6).astype(dtype))
    found = foreign_arrays.as_ndarray("x", Relabelled(x.view(f"u{dtype.itemsize}"), dlpack.CODES[name]))
    assert (found.dtype, found.shape, found.strides) == (dtype, x.shape, x.strides)
    assert (found == x).all()
    assert np.shares_memory(found, x)
    assert found.flags.writeable


def test_read_only_and_old_capsules():
    x = np.zeros((2, 2), np.uint16)
    assert not foreign_arrays.as_ndarray("x", Relabelled(x, 4, old=True)).flags.writeable
    x.flags.writeable = False
    assert not foreign_arrays.as_ndarray("x", Relabelled(x, 4)).flags.writeable


@pytest.mark.parametrize("what", [{"code": 3}, {"code": 4, "lanes": 2}, {"code": 6}])
def test_unknown_types(what):
    with pytest.raises(TypeError, match="^x: an array on the CPU; DLPack of Relabelled refuses"):
        foreign_arrays.as_ndarray("x", Relabelled(np.zeros((2, 2), np.uint16), **what))


def test_devices():
    with pytest.raises(TypeError, match=r"^x: the array is on a device \(CUDA\)"):
        foreign_arrays.as_ndarray("x", Relabelled(np.zeros((2, 2), np.uint16), 4, device=2))
    with pytest.raises(TypeError, match="^x: an array on the CPU; DLPack of Device refuses: it lives elsewhere"):
        foreign_arrays.as_ndarray("x", Device(np.zeros(3)))


def test_memory_is_given_back_once():
    """When no view is left, the exporter's array has as many references as before, even if its type was refused."""
    x = np.zeros((2, 2), np.uint16)
    gc.collect()
    before = sys.getrefcount(x)
    for code in (4, 3, 4):
        views = []
        for _ in range(100):
            try:
                views.append(foreign_arrays.as_ndarray("x", Relabelled(x, code))[1:])
            except TypeError:
                gc.collect()  # the error's traceback holds the capsule
        del views
        gc.collect()
        assert sys.getrefcount(x) == before


def test_results_are_ndarrays_unless_the_library_makes_arrays():
    made = np.zeros(3)
    assert foreign_arrays.returned(made, (Capsule(np.zeros(3)), 5)) is made
    assert foreign_arrays.returned(made, (np.zeros(3), Capsule(np.zeros(3)))) is made
    assert foreign_arrays.returned(made, ()) is made


@pytest.mark.parametrize("name", ["f32", "bf16", "f8e4m3"])
def test_jax(name):
    """jax arrays are read-only inputs, and the results are jax arrays."""
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(12).reshape(3, 4).astype(numpy_dtype(name))
    kernel = ts.transpose(3, 4, dtype=name)
    y = kernel(x)
    assert isinstance(y, jax.Array)
    assert y.dtype == x.dtype
    assert (y == x.T).all()
    with pytest.raises(ValueError, match="y: a writable array, this one is read-only"):
        kernel(x, y)
