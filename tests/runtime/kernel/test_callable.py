"""Kernel objects: attributes and listings; saved files that other tools assemble, link and call; and lifetimes."""

import copy
import gc
import os
import pickle
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given, settings

import tilesmith as ts
from tests.gemm_cases import RUNNING, X86, cases
from tests.oracles import gnu, tools
from tests.profiles import scaled
from tests.this_process import mapped
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.host import x86 as host_x86
from tilesmith.runtime.kernel.callable import Kernel

each_target = pytest.mark.parametrize("target", X86)  # targets that the oracles here assemble
SPEC = ts.gemm_spec(6, 20, 9, dtype="f32", beta=0.5)


def operands(spec):
    """Return matrices of small integers, so the kernel's sums are exact."""
    rng = np.random.default_rng(0)
    dtype = {"f32": np.float32, "f64": np.float64}[spec.dtype]
    shapes = (spec.m, spec.k), (spec.k, spec.n), (spec.m, spec.n)
    return [rng.integers(-8, 9, shape).astype(dtype) for shape in shapes]


# Printing


@each_target
def test_attributes(target):
    kernel = ts.brgemm(6, 20, 9, target=target)
    assert kernel.spec == ts.gemm_spec(6, 20, 9)
    assert kernel.target is TARGETS[target]
    assert kernel.flops == 2 * 6 * 20 * 9
    assert ts.brgemm(6, 20, 9, batch=5, target=target).flops == 5 * kernel.flops
    assert ts.brgemm(6, 20, 9, batch=ts.OFFSET, target=target).flops == kernel.flops  # the flops of one pair
    assert kernel.emulated is False
    assert isinstance(kernel.code, bytes)


@each_target
def test_repr_explains_the_kernel(target):
    kernel = ts.brgemm(6, 20, 9, target=target)
    text = str(kernel)
    assert text.startswith(str(kernel.plan))
    assert kernel.c_prototype in text
    assert f"{len(kernel.code)} bytes for {target}" in text
    assert (f"at {kernel.address:#x}" if kernel.address else "not executable here") in text
    assert "vfmadd231ps" in kernel.listing() or (target in ("sse", "avx") and "mulps" in kernel.listing())
    lines = kernel.listing().splitlines()
    tail = text[text.index(lines[0]) :].splitlines()
    assert tail[:-1] == lines[: len(tail) - 1]
    assert tail[-1] == f"... {len(lines) - len(tail) + 1} more lines: k.listing()"


@each_target
def test_intel_listing_holds_the_code(target):
    """The bytes of the listing, at their offsets, are the kernel's code."""
    kernel = ts.brgemm(7, 19, 5, alpha=2, target=target)
    lines = re.findall(r"^ *([0-9a-f]+)  ((?:[0-9a-f]{2} )+)", kernel.listing("intel"), re.MULTILINE)
    assert lines
    for offset, data in lines:
        found = bytes.fromhex(data)
        assert kernel.code[int(offset, 16) :][: len(found)] == found
    instructions = {offset for offset, _, _ in gnu.disassemble(kernel.code)}
    assert {int(offset, 16) for offset, _ in lines[:20]} <= instructions


def test_unknown_syntax():
    with pytest.raises(ValueError, match="masm"):
        ts.brgemm(6, 20, 9).listing("masm")


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ({}, "const float *a, const float *b, float *c"),
        ({"batch": 3}, "const float *a, const float *b, float *c"),
        (
            {"dtype": "f64", "batch": ts.STRIDE},
            "const double *a, const double *b, double *c, int64_t count, int64_t a_stride, int64_t b_stride",
        ),
        (
            {"batch": ts.OFFSET},
            "const float *a, const float *b, float *c, "
            "const int64_t *a_offsets, const int64_t *b_offsets, int64_t count",
        ),
        (
            {"batch": ts.ADDRESS, "lda": ts.RUNTIME, "ldc": ts.RUNTIME},
            "const float *const *a, const float *const *b, float *c, int64_t count, int64_t lda, int64_t ldc",
        ),
    ],
)
def test_prototype(request_, parameters):
    kernel = ts.brgemm(6, 20, 9, **request_)
    assert kernel.c_prototype == f"void {kernel.name}({parameters});"
    assert kernel.name.isidentifier()


# Saving


@each_target
def test_save(tmp_path, target):
    kernel = ts.brgemm(6, 20, 9, target=target)
    for suffix in (".s", ".o", ".bin"):
        kernel.save(tmp_path / f"k{suffix}")
        kernel.save(str(tmp_path / f"again{suffix}"))
        assert (tmp_path / f"k{suffix}").read_bytes() == (tmp_path / f"again{suffix}").read_bytes()
    assert (tmp_path / "k.bin").read_bytes() == kernel.code
    assert gnu.assemble((tmp_path / "k.s").read_text()) == kernel.code
    tools.run("objcopy", "-O", "binary", "-j", ".text", str(tmp_path / "k.o"), str(tmp_path / "text"))
    assert (tmp_path / "text").read_bytes() == kernel.code


@pytest.mark.parametrize("name", ("k.dll", "k", "k.S", ".o"))
def test_save_under_another_name(tmp_path, name):
    with pytest.raises(ValueError, match=r"path: a name ending in \.o, \.a, \.so, \.h, \.f90, \.s or \.bin, not"):
        ts.brgemm(6, 20, 9).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.seconds
@settings(max_examples=scaled(4, 100))
@given(cases("f32"), cases("f64"))
def test_gas_reassembles_to_the_same_bytes(single, double):
    """GNU as, the oracle, assembles the listings of kernels of all kinds of requests to the same bytes."""
    for case in (single, double):
        for target in X86:
            kernel = case.kernel(target)
            assert gnu.assemble(kernel.listing("gas")) == kernel.code


M, N, K, COUNT, PAD = 7, 19, 5, 3, 2
PROGRAM = """
#include <stdint.h>
#include <stdio.h>
{prototype}
enum {{ M = {m}, N = {n}, K = {k}, COUNT = {count}, LDA = {lda}, LDB = {ldb}, LDC = {ldc} }};
static T a[COUNT * M * LDA], b[COUNT * K * LDB], c[M * LDC], expected[M * LDC];
int main(void) {{
    for (int i = 0; i < COUNT * M * LDA; i++) a[i] = i % 11 - 5;
    for (int i = 0; i < COUNT * K * LDB; i++) b[i] = i % 7 - 3;
    for (int i = 0; i < M * LDC; i++) expected[i] = c[i] = i % 5;
    for (int p = 0; p < COUNT; p++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                for (int l = 0; l < K; l++)
                    expected[i * LDC + j] += a[(p * M + i) * LDA + l] * b[(p * K + l) * LDB + j];
    const int64_t ao[] = {{0, M * LDA * sizeof(T), 2 * M * LDA * sizeof(T)}};
    const int64_t bo[] = {{0, K * LDB * sizeof(T), 2 * K * LDB * sizeof(T)}};
    const T *aa[] = {{a, a + M * LDA, a + 2 * M * LDA}}, *ba[] = {{b, b + K * LDB, b + 2 * K * LDB}};
    (void)ao, (void)bo, (void)aa, (void)ba;
    {call};
    for (int i = 0; i < M * LDC; i++)
        if (c[i] != expected[i]) return printf("c[%d]: %g, not %g\\n", i, (double)c[i], (double)expected[i]);
    puts("equal");
    return 0;
}}
"""
CALLS = {
    None: "{name}(a, b, c{leading})",
    COUNT: "{name}(a, b, c{leading})",
    ts.STRIDE: "{name}(a, b, c, COUNT, ao[1], bo[1]{leading})",
    ts.OFFSET: "{name}(a, b, c, ao, bo, COUNT{leading})",
    ts.ADDRESS: "{name}(aa, ba, c, COUNT{leading})",
}


@pytest.mark.parametrize("batch", CALLS, ids=str)
@pytest.mark.parametrize("leading", ("dense", "padded", "runtime"))
def test_object_called_from_c(tmp_path, batch, leading):
    """gcc compiles the expected result and a call by the prototype that the kernel prints, and links the object."""
    dtype, target = ("f64", RUNNING[0]) if batch is ts.OFFSET else ("f32", RUNNING[-1])
    padding = 0 if leading == "dense" else PAD
    sizes = {"lda": K + padding, "ldb": N + padding, "ldc": N + padding}
    asked = {name: ts.RUNTIME if leading == "runtime" else size for name, size in sizes.items()}
    kernel = ts.brgemm(M, N, K, dtype=dtype, batch=batch, target=target, **asked)
    given_leading = ", LDA, LDB, LDC" if leading == "runtime" else ""
    source = PROGRAM.format(
        prototype=kernel.c_prototype,
        m=M,
        n=N,
        k=K,
        count=1 if batch is None else COUNT,
        **sizes,
        call=CALLS[batch].format(name=kernel.name, leading=given_leading),
    )
    (tmp_path / "main.c").write_text(source)
    kernel.save(tmp_path / "kernel.o")
    program = tmp_path / "program"
    element = {"f32": "float", "f64": "double"}[dtype]
    flags = ("-std=c11", "-Wall", "-Werror", "-O1", f"-DT={element}")
    tools.run("gcc", *flags, "-o", str(program), str(tmp_path / "main.c"), str(tmp_path / "kernel.o"))
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "equal\n")


# A target that does not run here


@pytest.fixture
def no_avx512(monkeypatch):
    """Make the probe report a host without AVX-512."""
    monkeypatch.setattr(host_x86, "available", lambda: TARGETS["avx2"].features)
    host.always_runs.cache_clear()
    yield
    host.always_runs.cache_clear()


@pytest.mark.skipif(host.arch() != "x86", reason="what an x86-64 host without AVX-512 says")
def test_kernel_that_the_host_cannot_run(no_avx512, tmp_path):
    kernel = Kernel(SPEC, TARGETS["avx512"])
    assert kernel.address is None
    assert "not executable here" in repr(kernel) and "not executable here" in str(kernel)
    a, b, c = operands(SPEC)
    before = c.copy()
    with pytest.raises(ts.UnsupportedError, match="target avx512 needs AVX512BW.*which this machine lacks") as caught:
        kernel(a, b, c)
    assert "What works here: listings, objects, and k.run" in str(caught.value)
    np.testing.assert_array_equal(c, before)
    kernel.save(tmp_path / "k.bin")
    assert (tmp_path / "k.bin").read_bytes() == ts.brgemm(6, 20, 9, beta=0.5, target="avx512").code
    assert "zmm" in kernel.listing()


# Lifetime


@pytest.mark.parametrize("target", RUNNING)
def test_kernel_and_its_pages_are_freed(target):
    kernel = Kernel(SPEC, TARGETS[target])
    address, alive = kernel.address & -os.sysconf("SC_PAGESIZE"), weakref.ref(kernel)
    assert mapped(address)
    del kernel
    gc.collect()
    assert alive() is None
    assert not mapped(address)


def test_pickle_and_copy_find_the_same_kernel():
    kernel = ts.brgemm(6, 20, 9, batch=ts.STRIDE, lda=ts.RUNTIME, beta=0.5)
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    assert copy.copy(kernel) is kernel
    assert copy.deepcopy([kernel])[0] is kernel


@pytest.mark.seconds
def test_pickle_in_another_process(tmp_path):
    """The other process generates the same code and calls it."""
    kernel = ts.brgemm(6, 20, 9, beta=0.5)
    a, b, c = operands(kernel.spec)
    (tmp_path / "kernel").write_bytes(pickle.dumps((kernel, kernel.code, a, b, c)))
    script = (
        "import pickle, sys, numpy as np\n"
        "kernel, code, a, b, c = pickle.load(open(sys.argv[1], 'rb'))\n"
        "assert kernel.code == code\n"
        "expected = 0.5 * c + a @ b\n"
        "kernel(a, b, c)\n"
        "assert np.array_equal(c, expected)\n"
    )
    subprocess.run([sys.executable, "-c", script, "kernel"], cwd=tmp_path, check=True, timeout=60)


def test_kernels_work_in_a_forked_child():
    kernel = ts.brgemm(6, 20, 9)
    a, b, c = operands(kernel.spec)
    expected = c + a @ b
    child = os.fork()
    if not child:
        status = 1
        try:
            kernel(a, b, c)
            status = 0 if np.array_equal(c, expected) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
