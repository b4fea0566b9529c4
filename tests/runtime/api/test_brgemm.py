"""Requests of BRGEMM: equal ones share a kernel, errors name the wrong parameter, ts.supported agrees with brgemm."""

import gc
import itertools
import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest

import tilesmith as ts
from tests.threads import together
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host import detect as host


def test_equal_requests_share_a_kernel():
    first = ts.brgemm(8, 6, 4)
    same = [
        ts.brgemm(8, 6, 4),
        ts.brgemm(m=8, n=6, k=4),
        ts.brgemm(np.int64(8), np.uint8(6), 4),
        ts.brgemm(8, 6, 4, dtype="f32", order="C", alpha=1, beta=1, batch=None, target=None),
        ts.brgemm(8, 6, 4, dtype=("f32", "f32", "f32"), order=("C", "C", "C")),
        ts.brgemm(8, 6, 4, dtype=["f32"] * 3, order=["C"] * 3),
        ts.brgemm(8, 6, 4, lda=4, ldb=6, ldc=6),
        ts.brgemm(8, 6, 4, alpha=np.float32(1), beta=1.0 + 1e-12),  # f32 has no number between 1 + 1e-12 and 1
    ]
    assert all(kernel is first for kernel in same)


def test_zeros_of_either_sign_are_the_same_factor():
    assert ts.brgemm(8, 6, 4, beta=0.0) is ts.brgemm(8, 6, 4, beta=-0.0)
    assert ts.brgemm(8, 6, 4, alpha=0) is ts.brgemm(8, 6, 4, alpha=-0.0)


def test_the_same_request_for_another_target_is_another_kernel():
    kernels = [ts.brgemm(8, 6, 4, target=name) for name in (*TARGETS, None)]
    assert len({id(kernel) for kernel in kernels}) == len(kernels)
    assert len({kernel.name for kernel in kernels}) == len(kernels)  # so their objects can be linked into one program


def test_threads_that_ask_at_once_share_a_kernel():
    for n in range(1, 20):
        ready, found = threading.Barrier(4), []

        def ask(n=n, ready=ready, found=found):
            ready.wait()
            found.append(ts.brgemm(3, n, 31))

        together(*[ask] * 4)
        assert len(found) == 4 and len({id(kernel) for kernel in found}) == 1


@pytest.mark.seconds
def test_an_unreferenced_kernel_is_freed():
    held, dropped = ts.brgemm(5, 4, 3), weakref.ref(ts.brgemm(5, 4, 2))
    ts.brgemm.cache_clear()
    gc.collect()
    assert dropped() is None
    assert ts.brgemm(5, 4, 3) is held


def test_targets_are_names_that_requests_accept():
    assert set(ts.targets()) >= {"avx2", "avx512"}
    for name in ts.targets():
        assert ts.brgemm(4, 4, 4, target=name).target.name == name


def test_target_may_be_the_host():
    assert ts.brgemm(4, 4, 4).target == ts.host()
    assert ts.brgemm(4, 4, 4, target=ts.host()) is ts.brgemm(4, 4, 4)


# parameter -> a wrong value, the error, a part of the message
WRONG = [
    ("m", 0, ValueError, ["m: from 1 to", "not 0"]),
    ("n", -3, ValueError, ["n: from 1 to", "not -3"]),
    ("k", 1 << 40, ValueError, ["k: from 1 to", f"not {1 << 40}"]),
    ("m", 8.0, TypeError, ["m: a positive integer", "not 8.0"]),
    ("n", True, TypeError, ["n: a positive integer", "not True"]),
    ("k", "4", TypeError, ["k: a positive integer", "not '4'"]),
    ("k", None, TypeError, ["k: a positive integer", "not None"]),
    ("m", [8], TypeError, ["m: a positive integer", "not [8]"]),
    ("m", np.array([8.0]), TypeError, ["m: a positive integer", "not array"]),
    ("dtype", "f33", ValueError, ["dtype: no element type is called 'f33'", 'did you mean "f32"?', "f64, f32, f16"]),
    ("dtype", np.bool_, ValueError, ["dtype: no element type is called 'bool'"]),
    ("dtype", ("f32", "f32", "f64"), ts.UnsupportedError, ["dtype ('f32', 'f32', 'f64')", "('u8', 'i8', 'i32')"]),
    ("dtype", ("f32", "f32"), ValueError, ["dtype: one value, or three", "not 2"]),
    ("dtype", ["f32", "f64", "f32"], ts.UnsupportedError, ["dtype ['f32', 'f64', 'f32']"]),
    ("dtype", {"f32": 1}, TypeError, ["dtype: an element type", "not {'f32': 1}"]),
    ("order", "c", ValueError, ["order:", '"C"', '"F"', 'three letters for a, b and c, as "CFC"', "not 'c'"]),
    ("order", "CXF", ValueError, ["order:", "three letters", "not 'CXF'"]),
    ("order", ("C", None, "C"), TypeError, ["order of b:", "not None"]),
    ("order", ("C", "C"), ValueError, ["order: one value, or three", "not 2"]),
    ("order", ["C", "C", 3], TypeError, ["order of c:", "not 3"]),
    ("lda", -1, ValueError, ["lda: from 0 to", "not -1"]),
    ("ldc", 5, ValueError, ["ldc: at least 6 elements", "not 5"]),
    ("ldc", 6.0, TypeError, ["ldc: a positive integer", "not 6.0"]),
    ("ldc", "RUNTIME", TypeError, ["ldc: a positive integer", "not 'RUNTIME'"]),
    ("lda", ts.STRIDE, TypeError, ["lda: a positive integer", "not STRIDE"]),
    ("ldb", 1 << 31, ValueError, ["ldb: from 0 to", f"not {1 << 31}"]),
    ("batch", -1, ValueError, ["batch: a count from 0", "not -1"]),
    ("batch", 1 << 60, ValueError, ["batch: a count from 0", f"not {1 << 60}"]),
    ("batch", 2.0, TypeError, ["batch: None, a count, a tuple of counts, STRIDE, OFFSET or ADDRESS", "not 2.0"]),
    ("batch", True, TypeError, ["batch: None, a count", "not True"]),
    ("batch", "STRIDE", TypeError, ["batch: None, a count", "not 'STRIDE'"]),
    ("batch", ts.RUNTIME, TypeError, ["batch: None, a count", "not RUNTIME"]),
    ("alpha", float("nan"), ValueError, ["alpha: a finite number", "not nan"]),
    ("alpha", float("inf"), ValueError, ["alpha: a finite number", "not inf"]),
    ("beta", -float("inf"), ValueError, ["beta: a finite number", "not -inf"]),
    ("beta", np.float64("nan"), ValueError, ["beta: a finite number", "nan"]),
    ("alpha", 1e39, ValueError, ["alpha: finite in f32", "not 1e+39"]),
    ("beta", -3.4028236e38, ValueError, ["beta: finite in f32", "not -3.4028236e+38"]),
    ("beta", 10**400, ValueError, ["beta: finite in f32", "not an integer of 1329 bits"]),
    ("alpha", "2", TypeError, ["alpha: a finite number", "not '2'"]),
    ("alpha", None, TypeError, ["alpha: a finite number", "not None"]),
    ("beta", 1j, TypeError, ["beta: a finite number", "not 1j"]),
    ("beta", [1.0], TypeError, ["beta: a finite number", "not [1.0]"]),
    ("target", "sse2", ValueError, ["target: one of avx2, avx512", "not 'sse2'"]),
    ("target", 5, TypeError, ["target: one of avx2", "not 5"]),
    ("target", ["avx2"], TypeError, ["target: one of avx2", "not ['avx2']"]),
]


@pytest.mark.parametrize(("name", "value", "error", "words"), WRONG)
def test_wrong_request(name, value, error, words):
    right = {"m": 8, "n": 6, "k": 4, "batch": 1}
    ts.brgemm(**right)  # a wrong value that equals a right one (8.0, True) must not find the kernel of this request
    with pytest.raises(error) as caught:
        ts.brgemm(**{**right, name: value})
    assert type(caught.value) is error
    assert all(word in str(caught.value) for word in words), caught.value


def test_factors_beyond_f32_are_accepted_for_f64():
    assert ts.brgemm(8, 6, 4, dtype="f64", alpha=1e39).spec.alpha == 1e39
    with pytest.raises(ValueError, match="alpha: finite in f64"):
        ts.brgemm(8, 6, 4, dtype="f64", alpha=10**400)


def test_unknown_keyword():
    with pytest.raises(TypeError, match="gamma"):
        ts.brgemm(8, 6, 4, gamma=1)


@pytest.mark.parametrize("order", list(itertools.product("CF", repeat=3)), ids="".join)
@pytest.mark.parametrize("target", TARGETS)
def test_supported_agrees_with_brgemm(order, target):
    """Test all eight orders, with leading dimensions that are dense and that are given at the call."""
    for leading in (None, ts.RUNTIME):
        request = {"order": order, "lda": leading, "ldb": leading, "ldc": leading}
        assert ts.supported(ts.gemm_spec(8, 6, 4, **request), target) is True
        ts.brgemm(8, 6, 4, target=target, **request)


def test_supported_of_an_unknown_target():
    with pytest.raises(ValueError, match="target: one of avx2, .*, not 'z80'"):
        ts.supported(ts.gemm_spec(8, 6, 4), "z80")


def test_supported_takes_the_spec_of_a_kernel():
    assert ts.supported(ts.brgemm(8, 6, 4).spec) is True


def test_a_target_that_this_machine_cannot_run_still_generates():
    more = replace(host.host(), name="more", features=host.host().features | {"UNHEARD_OF"})
    assert "UNHEARD_OF" in host.runs(more)
    kernel = ts.brgemm(8, 6, 4, target=more)
    assert kernel.address is None
    assert kernel.code == ts.brgemm(8, 6, 4).code
