"""The machinery behind fast calls: what is checked before it is used, what makes it step back, what it shows."""

import copy
import inspect
import os
import pickle
import shutil
import subprocess
import sys
import weakref

import numpy as np
import pytest

import tilesmith as ts
from tests.oracles import tools
from tests.runtime.test_call_safety import K, M, N, is_native, make, mode, needs_native, right
from tilesmith.runtime import cpython, entry, gdb, guards, kernel, unwind
from tilesmith.runtime.kernel import Kernel

_ = mode  # a fixture

OFFSETS = ("TYPE", "DATA", "RANK", "DIMENSIONS", "STRIDES", "BASE", "DTYPE", "FLAGS", "BYTE_ORDER", "TYPE_NUMBER",
           "INT_TAG", "INT_DIGIT")  # fmt: skip


@needs_native
def test_this_process_is_as_expected():
    assert cpython._difference.__wrapped__() == ""


@needs_native
@pytest.mark.parametrize("name", OFFSETS)
@pytest.mark.parametrize("by", (-8, 8, 4))
def test_every_offset_is_checked(monkeypatch, name, by):
    monkeypatch.setattr(cpython, name, getattr(cpython, name) + by)
    assert cpython._difference.__wrapped__() != ""


@needs_native
def test_the_layout_of_int_is_checked(monkeypatch):
    monkeypatch.setattr(cpython, "SIGNED_SIZES", not cpython.SIGNED_SIZES)
    assert "int" in cpython._difference.__wrapped__()


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
    reason = cpython._difference.__wrapped__()
    monkeypatch.undo()
    assert words in reason


def test_another_processor_uses_the_fallback(monkeypatch):
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", "", "", "riscv64")))
    assert "riscv64" in entry.refusal()
    monkeypatch.undo()


def test_a_missing_function_uses_the_fallback(monkeypatch):
    if entry.refusal():
        pytest.skip(entry.refusal())
    monkeypatch.setattr(entry, "symbol", lambda name: 0)
    assert "exports no PyGILState_Ensure" in entry._unusable.__wrapped__()


def test_the_environment_forces_the_fallback(monkeypatch):
    monkeypatch.setenv(cpython.FORCE, "cffi")
    assert entry.refusal() == "TILESMITH_ENTRY=cffi" and entry.native_type(Kernel) is None
    assert type(Kernel(ts.gemm_spec(M, N, K), ts.host())) is Kernel
    monkeypatch.setenv(cpython.FORCE, "ctypes")
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
    assert type(built).__name__ == "Kernel" and type(built).__module__ == "tilesmith.runtime.kernel"
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
    for wrong in (1, 0, "yes", np.array([1, 2])):
        with pytest.raises(TypeError, match="release_gil: True, False or None"):
            ts.brgemm(M, N, K, release_gil=wrong)


def test_long_kernels_release_the_gil():
    def when(m, **request):
        return kernel._release(ts.brgemm(m, m, m, target="avx2", **request))[0]

    assert (when(4), when(512), when(4, batch=100_000), when(4, batch=ts.STRIDE)) == (
        "never", "always", "always", "count",
    )  # fmt: skip


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
    structures = [guards.gemm_entry(ts.gemm_spec(*shape), "never", 0) for shape in ((2, 3, 4), (50, 60, 70))]
    assert structures[0][0] == structures[1][0] and structures[0][1] != structures[1][1]


def test_requests_that_no_array_can_meet_have_no_entry():
    assert guards.gemm_entry(ts.gemm_spec(4, 4, 4, batch=1 << 40), "never", 0) is None
    assert guards.gemm_entry(ts.gemm_spec(4, 4, 4, batch=0), "never", 0) is None
    built = ts.brgemm(4, 4, 4, batch=0, beta=0)
    c = np.ones((4, 4), np.float32)
    assert built(np.zeros((0, 4, 4), np.float32), np.zeros((0, 4, 4), np.float32), c) is None and not c.any()


# Profilers and debuggers

PROGRAM = """
import numpy as np, tilesmith as ts
k = ts.brgemm(4, 4, 4)
x = [np.zeros((4, 4), np.float32) for _ in range(3)]
k(*x)
print(k.name, f"{k.address:x}", f"{len(k.code):x}")
"""


def run(tmp_path, **environment):
    done = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, cwd=tmp_path, check=True,
                          capture_output=True, text=True)  # fmt: skip
    return done.stdout.split()


def test_perf_map(tmp_path):
    program = "import os\n" + PROGRAM + "print(open(f'/tmp/perf-{os.getpid()}.map').read())"
    environment = {**os.environ, "TILESMITH_PERF": "map"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    first, *lines = done.stdout.splitlines()
    name, address, size = first.split()
    assert f"{address} {size} {name}" in lines
    if not entry.refusal():
        assert any(line.endswith(" ts_entry") for line in lines)


def test_jitdump(tmp_path):
    name, address, _ = run(tmp_path, TILESMITH_PERF="jitdump")
    (dump,) = tmp_path.glob("jit-*.dump")
    data = dump.read_bytes()
    assert data[:4] == b"DTiJ" and name.encode() + b"\0" in data
    code = ts.brgemm(4, 4, 4).code
    assert data[data.index(name.encode() + b"\0") + len(name) + 1 :].startswith(code)


def test_dump(tmp_path):
    name, *_ = run(tmp_path, TILESMITH_DUMP=str(tmp_path / "dump"))
    assert (tmp_path / "dump" / f"{name}.bin").read_bytes() == ts.brgemm(4, 4, 4).code
    assert "vfmadd" in (tmp_path / "dump" / f"{name}.s").read_text()


def test_unknown_profiler(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as failure:
        run(tmp_path, TILESMITH_PERF="gprof")
    assert "TILESMITH_PERF=gprof: use map or jitdump" in failure.value.stderr


def test_symbol_file_and_call_frames(tmp_path):
    """binutils read the file: the symbol lies where the code does, and frames follow push, pop, sub and add."""
    if entry.refusal():
        pytest.skip(entry.refusal())
    structure, _ = guards.gemm_entry(ts.gemm_spec(4, 4, 4, batch=ts.STRIDE), "count", 7)
    code = entry.entry_x86.emit(structure, entry._runtime(entry.native_type(Kernel)))
    path = tmp_path / "symbols"
    path.write_bytes(gdb.symbol_file(code, 0x7F0000001000))
    assert "00007f0000001000" in tools.run("readelf", "-sW", str(path)).stdout
    frames = tools.run("readelf", "--debug-dump=frames", str(path)).stdout
    assert "pc=00007f0000001000" in frames and "DW_CFA_offset: r3 (rbx) at cfa-16" in frames
    depths = [state[0] for _, state in unwind._states(code)]
    assert min(depths) == 8 and max(depths) > 100
    returns = [state for i, state in unwind._states(code) if _mnemonic(code, i) == "ret"]
    assert returns and all(state == (8, ()) for state in returns)


def _mnemonic(code, offset):
    return next(i.form.mnemonic for i in code.instructions if i.offset == offset)


def test_gdb_sees_the_kernel_and_its_callers(tmp_path):
    if entry.refusal() or shutil.which("gdb") is None:
        pytest.skip(entry.refusal() or "no gdb")
    name = ts.brgemm(4, 4, 4).name
    commands = ["set breakpoint pending on", "set debuginfod enabled off", f"break {name}", "run", "bt 4"]
    arguments = [part for command in commands for part in ("-ex", command)]
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "TILESMITH_GDB": "1", "TILESMITH_EXECMEM": "anonymous"}
    done = subprocess.run(["gdb", "-batch", *arguments, "--args", sys.executable, str(tmp_path / "program.py")],
                          env=environment, capture_output=True, text=True, timeout=120)  # fmt: skip
    frames = [line for line in done.stdout.splitlines() if line.startswith("#")]
    assert f"in {name}" in frames[0] and "in ts_entry" in frames[1], done.stdout
    assert any("_PyEval_EvalFrameDefault" in frame for frame in frames[2:]), done.stdout  # unwound beyond both


# The handle


def test_handle(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm)
    rng = np.random.default_rng(0)
    for _ in range(2):
        for dtype in (np.float32, np.float64):
            for m, n, k in ((1, 1, 1), (3, 5, 4), (5, 3, 4), (4, 3, 5), (16, 16, 16)):
                a, b, c = (rng.integers(-5, 5, shape).astype(dtype) for shape in ((m, k), (k, n), (m, n)))
                expected = c + a @ b
                assert mm(a, b, c) is None
                np.testing.assert_array_equal(c, expected)
    assert len(mm.kernels) == 10 and {k.spec.dtype for k in mm.kernels} == {"f32", "f64"}
    assert repr(mm) == "dispatch(brgemm): 10 kernels"


def test_handle_with_many_kernels(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm, beta=0, target="avx2")
    arrays = [(np.ones((m, k)), np.ones((k, 2))) for m in range(1, 9) for k in range(1, 7)]
    for _ in range(3):
        for a, b in arrays:
            c = mm(a, b)
            assert c.shape == (a.shape[0], 2) and (c == a.shape[1]).all()
    assert len(mm.kernels) == len(arrays)


def test_errors_of_a_handle(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm)
    for _ in range(3):  # cold and hot
        a, b, c = right()
        mm(a, b, c)
        for args, error, words in [
            ((a, b), TypeError, "not 2"),
            ((a,), TypeError, "not 1"),
            ((), TypeError, "not 0"),
            ((a, b, c, c), TypeError, "not 4"),
            ((a, b, a), ValueError, "c: shape"),
            ((a, b, None), TypeError, "c: an array"),
            ((a[0], b, c), ValueError, "a: a matrix"),
            ((a, b[None], c), ValueError, "b: a matrix"),
            ((b, b, c), ValueError, "b: 5 rows"),
            ((a.astype("i4"), b, c), ts.UnsupportedError, "int32"),
            ((a, b.astype("f8"), c), TypeError, "b: dtype float32"),
            ((a.astype(">f4"), b, c), TypeError, "other byte order"),
            ((a[::-1], b, c), ValueError, "a: strides"),
            (("x", b, c), TypeError, "a: an array"),
        ]:
            with pytest.raises(error, match=words):
                mm(*args)
        with pytest.raises(TypeError, match="lda: not an argument"):
            mm(a, b, c, lda=4)


@pytest.mark.parametrize(
    ("request_", "fixed", "error", "words"),
    [
        (len, {}, ts.UnsupportedError, "only brgemm"),
        (ts.brgemm, {"m": 4}, TypeError, "m follow from the arrays"),
        (ts.brgemm, {"batch": 3}, ts.UnsupportedError, "batch=None only"),
        (ts.brgemm, {"gamma": 3}, TypeError, "gamma"),
        (ts.brgemm, {"beta": "x"}, TypeError, "beta: a finite number"),
    ],
)
def test_wrong_handle(request_, fixed, error, words):
    with pytest.raises(error, match=words):
        ts.dispatch(request_, **fixed)


def test_handle_is_pickled_and_freed(mode, monkeypatch):
    monkeypatch.setenv(cpython.FORCE, mode)
    mm = ts.dispatch(ts.brgemm, beta=0)
    a, b, _ = right()
    c = mm(a, b)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(mm))(a, b), c)
    reference = weakref.ref(mm)
    del mm
    assert reference() is None
