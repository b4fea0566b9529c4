"""The entries of fast calls: what is verified before they are used, when calls fall back to Python, and attributes."""

import copy
import inspect
import pickle
import sys
import weakref
from functools import partial

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.fastcall.call_cases import K, M, N, is_native, make, needs_native, right
from tilesmith.runtime.fastcall import entry, guards_array
from tilesmith.runtime.kernel import callable as kernel
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system import cpython, environment

OFFSETS = (
    "TYPE",
    "DATA",
    "RANK",
    "DIMENSIONS",
    "STRIDES",
    "BASE",
    "DTYPE",
    "FLAGS",
    "BYTE_ORDER",
    "TYPE_NUMBER",
    "INT_TAG",
    "INT_DIGIT",
    "INT64_VALUE",
)


@needs_native
def test_this_process_is_as_expected():
    assert cpython.difference.__wrapped__() == ""


@needs_native
@pytest.mark.parametrize("name", OFFSETS)
@pytest.mark.parametrize("by", (-8, 8, 4))
def test_every_offset_is_checked(monkeypatch, name, by):
    monkeypatch.setattr(cpython, name, getattr(cpython, name) + by)
    assert cpython.difference.__wrapped__() != ""


@needs_native
def test_the_layout_of_int_is_checked(monkeypatch):
    monkeypatch.setattr(cpython, "SIGNED_SIZES", not cpython.SIGNED_SIZES)
    assert "int" in cpython.difference.__wrapped__()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.setattr(sys.implementation, "name", "pypy"), "pypy"),
        (lambda m: m.setattr(sys, "abiflags", "t"), "free-threaded"),
        (lambda m: m.setattr(sys, "byteorder", "big"), "little-endian"),
    ],
)
def test_other_pythons_use_the_fallback(monkeypatch, change, words):
    change(monkeypatch)
    reason = cpython.difference.__wrapped__()
    monkeypatch.undo()
    assert words in reason


def test_another_processor_uses_the_fallback(monkeypatch):
    monkeypatch.setattr(entry, "arch", lambda: "riscv64")
    assert "riscv64" in entry.refusal()


def test_a_known_interpreter_is_called_through_machine_code():
    """If a known interpreter used the fallback, a defect of ours would skip all tests of native calls."""
    assert cpython.refusal() or not entry.refusal()


def test_a_missing_function_uses_the_fallback(monkeypatch):
    if entry.refusal():
        pytest.skip(entry.refusal())
    monkeypatch.setattr(entry, "symbol", lambda name: 0)
    assert "exports no PyGILState_Ensure" in entry._unusable.__wrapped__()


def test_the_environment_forces_the_fallback(monkeypatch):
    monkeypatch.setenv(environment.ENTRY, "cffi")
    assert entry.refusal() == "TILESMITH_ENTRY=cffi" and entry.native_type(Kernel) is None
    assert type(Kernel(ts.gemm_spec(M, N, K), ts.host())) is Kernel
    monkeypatch.setenv(environment.ENTRY, "ctypes")
    with pytest.raises(ValueError, match=r"TILESMITH_ENTRY=ctypes.*native\|cffi"):
        entry.refusal()


@needs_native
def test_without_numpys_function_table_python_allocates(monkeypatch):
    monkeypatch.setattr(cpython, "numpy_functions", lambda call: 0)
    entry.code_of.cache_clear()
    try:
        built = make("native", M, N, K, beta=0)
        a, b, _ = right()
        np.testing.assert_array_equal(built(a, b), a @ b)
    finally:
        entry.code_of.cache_clear()


def test_kernel_is_a_kernel(mode):
    built = make(mode, M, N, K)
    assert isinstance(built, ts.Kernel) and callable(built)
    assert type(built).__name__ == "Kernel" and type(built).__module__ == "tilesmith.runtime.kernel.callable"
    assert is_native(built) == (mode == "native")
    with pytest.raises(AttributeError):
        built.anything = 1
    assert hash(built) == hash(built) and built == built


def test_weak_references(mode):
    built = make(mode, M, N, K)
    gone = []
    reference = weakref.ref(built, gone.append)
    assert reference() is built
    del built
    assert reference() is None and gone == [reference]


def test_a_pickle_is_the_request():
    for release in (None, True, False):
        built = ts.brgemm(M, N, K, beta=0.5, release_gil=release)
        for other in (pickle.loads(pickle.dumps(built)), copy.copy(built), copy.deepcopy(built)):
            assert other is built and other.release_gil is release


def test_release_gil_is_part_of_the_request_and_not_of_the_code():
    built = {release: ts.brgemm(M, N, K, release_gil=release) for release in (None, True, False)}
    assert len({id(x) for x in built.values()}) == 3
    assert len({x.code for x in built.values()}) == 1
    assert len({x.spec for x in built.values()}) == 1


@pytest.mark.parametrize(
    "request_",
    [
        partial(ts.brgemm, M, N, K),
        partial(ts.brgemm, M, N, K, epilogue=lambda c: c + 1),
        partial(ts.unary, "relu", M, N),
        partial(ts.equation, lambda x: x + 1, x=(M, N)),
        partial(ts.reduce, "sum", M, N, axis=0),
        partial(ts.transpose, M, N),
        partial(ts.transform, "vnni2", M, N, "bf16"),
        partial(ts.gather, "rows", M, N, size=K),
        partial(ts.embedding_bag, M, N, size=K, count=K),
    ],
)
def test_release_gil_is_a_truth_value(request_):
    """release_gil=1 is refused even if an equal request with True is remembered, although 1 == True."""
    held = [request_(release_gil=right) for right in (True, False, None)]
    assert len({id(kernel) for kernel in held}) == 3
    for wrong in (1, 0, "yes", np.array([1, 2])):
        with pytest.raises(TypeError, match="release_gil: True, False or None"):
            request_(release_gil=wrong)


def test_long_kernels_release_the_gil():
    def when(m, **request):
        return kernel.release(ts.brgemm(m, m, m, target="avx2", **request))[0]

    assert (when(4), when(512), when(4, batch=100_000), when(4, batch=ts.STRIDE)) == (
        "never",
        "always",
        "always",
        "count",
    )


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, "(a, b, c, /)"),
        ({"beta": 0}, "(a, b, c=None, /)"),
        ({"lda": ts.RUNTIME, "ldc": ts.RUNTIME}, "(a, b, c, /, *, lda=None, ldc=None)"),
        ({"batch": ts.STRIDE}, "(a, b, c, count, a_stride, b_stride, /)"),
        ({"batch": ts.OFFSET}, "(a, b, c, a_offsets, b_offsets, /)"),
        ({"batch": ts.ADDRESS, "ldb": ts.RUNTIME}, "(a_addresses, b_addresses, c, /, *, ldb=None)"),
    ],
)
def test_signature_and_documentation(mode, request_, text):
    built = make(mode, M, N, K, **request_)
    assert str(inspect.signature(built)) == text
    assert built.__doc__.startswith(f"mm{text}") and "f32 (3, 4), order 'C'" in built.__doc__
    assert (
        ts.Kernel.__doc__.startswith("A compiled request")
        and list(inspect.signature(ts.Kernel).parameters)[0] == "spec"
    )


def test_kernels_of_one_structure_share_their_entry():
    if entry.refusal():
        pytest.skip(entry.refusal())
    structures = [guards_array.gemm_entry(ts.gemm_spec(*shape), "never", 0) for shape in ((2, 3, 4), (50, 60, 70))]
    assert structures[0][0] == structures[1][0] and structures[0][1] != structures[1][1]


def test_requests_that_no_array_can_meet_have_no_entry():
    assert guards_array.gemm_entry(ts.gemm_spec(4, 4, 4, batch=1 << 40), "never", 0) is None
    assert guards_array.gemm_entry(ts.gemm_spec(4, 4, 4, batch=0), "never", 0) is None
    built = ts.brgemm(4, 4, 4, batch=0, beta=0)
    c = np.ones((4, 4), np.float32)
    assert built(np.zeros((0, 4, 4), np.float32), np.zeros((0, 4, 4), np.float32), c) is None and not c.any()
