"""The libraries that benchmarks compare with, as contenders for `measure.seconds_per_call`.

LIBXSMM 1.17 is Debian's libxsmm-dev, a static library. gcc links it into a shared object that is kept in the user's
cache. Its kernels are C functions, which the same emitted loop calls as ours. NumPy is timed from Python, as its users
call it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import _cffi_backend
import numpy as np

from ....encoder.features import Target
from ...arguments.arrays import Array, address_of
from ...system.libc import ffi
from ..measure import NativeCall, PythonCall

Library = Any
"""A shared object or a function of one: cffi has no types."""
LIBXSMM = Path("/usr/lib/libxsmm.a"), Path("/usr/lib/libxsmmnoblas.a")
LIBXSMM_HEADER = Path("/usr/include/libxsmm.h")

# With a batch, strides are in bytes, and the kernel takes a pointer to the count as its fourth argument.
_SOURCE = """
#include <libxsmm.h>
#include <libxsmm_generator.h>

#define GEMM(NAME, P, T)                                                                                         \\
  void *NAME(int m, int n, int k, int lda, int ldb, int ldc, int batch, T beta) {                                \\
    T alpha = 1;                                                                                                 \\
    int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;                                   \\
    int stride_a = lda * k * (int)sizeof(T), stride_b = ldb * n * (int)sizeof(T);                                \\
    libxsmm_init();                                                                                              \\
    if (ARCH) libxsmm_set_target_archid(ARCH);                                                                   \\
    if (batch == 0)                                                                                              \\
      return (void *)libxsmm_##P##mmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);       \\
    return (void *)libxsmm_##P##mmdispatch_reducebatch_strd(m, n, k, stride_a, stride_b, &lda, &ldb, &ldc,       \\
                                                            &alpha, &beta, &flags, &prefetch);                   \\
  }

GEMM(gemm_f32, s, float)
GEMM(gemm_f64, d, double)

void *gemm_bf16(int m, int n, int k, int lda, int ldb, int ldc, int batch, float beta) {
  float alpha = 1;
  int flags = LIBXSMM_GEMM_FLAG_VNNI_A, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  libxsmm_init();
  if (ARCH) libxsmm_set_target_archid(ARCH);
  if (batch == 0)
    return (void *)libxsmm_bsmmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
  return (void *)libxsmm_bsmmdispatch_reducebatch_strd(m, n, k, 2 * lda * k, 2 * ldb * n, &lda, &ldb, &ldc, &alpha,
                                                       &beta, &flags, &prefetch);
}

void *transpose(int size, int m, int n) {
  libxsmm_descriptor_blob blob;
  libxsmm_init();
  if (ARCH) libxsmm_set_target_archid(ARCH);
  return (void *)libxsmm_dispatch_trans(libxsmm_trans_descriptor_init(&blob, size, m, n, n));
}

void transpose_any(void *out, const void *in, int size, int m, int n) {
  libxsmm_otrans(out, in, size, m, n, m, n);
}
"""

_ARCHS = {"sse": "LIBXSMM_X86_SSE4", "avx": "LIBXSMM_X86_AVX", "avx2": "LIBXSMM_X86_AVX2", "avx512": "0"}
"""What LIBXSMM may use, keyed by vector machine; 0 is everything that it finds."""


class BaselineMissing(RuntimeError):
    """A library to compare with is not installed. The message says which one, and how to install it."""


# LIBXSMM


def libxsmm_gemm(target: Target, c: Array, a: Array, b: Array, beta: float = 1.0) -> NativeCall:
    """Return LIBXSMM's kernel for C = A @ B + beta * C, column-major, for the vector machine of `target`.

    c is (m, n), a (m, k), b (k, n); or a is (batch, m, k) and b (batch, k, n), whose products are summed. Every matrix
    is dense and column-major. Raises BaselineMissing if LIBXSMM or gcc is not installed or LIBXSMM has no such kernel.
    """
    dtype = {4: "f32", 8: "f64"}[c.itemsize]
    return _libxsmm_call(target.isa, dtype, (*c.shape, a.shape[-1]), a.shape[0] if a.ndim == 3 else 0, (a, b, c), beta)


def libxsmm_bf16(a: Array, b: Array, c: Array) -> NativeCall:
    """Return LIBXSMM's kernel for C = A @ B + C, f32 += bf16 * bf16, column-major, with all features of this machine.

    The arrays in memory layout: a (batch, k / 2, m, 2), b (batch, n, k), c (1, 1, m * n). Raises BaselineMissing if
    there is no such kernel: k must be even.
    """
    (batch, _, m, _), (n, k) = a.shape, b.shape[1:]
    if k % 2:
        raise BaselineMissing("libxsmm: no bf16 kernels for odd k")
    return _libxsmm_call("avx512", "bf16", (m, n, k), batch if batch > 1 else 0, (a, b, c), 1.0)


def _libxsmm_call(
    isa: str, dtype: str, extents: tuple[int, ...], batch: int, arrays: tuple[Array, ...], beta: float
) -> NativeCall:
    """Return a kernel on dense column-major matrices; the number of products follows them in a batch."""
    m, n, k = extents
    kernel = int(ffi.cast("uintptr_t", _libxsmm_function(isa, dtype)(m, n, k, m, k, m, batch, beta)))
    if not kernel:
        raise BaselineMissing(f"libxsmm: no kernel for {m}x{n}x{k} {dtype} on this machine")
    count = ffi.new("unsigned long long *", batch)
    extra = (int(ffi.cast("uintptr_t", count)),) if batch else ()
    return NativeCall(kernel, (*map(address_of, arrays), *extra), (arrays, count))


def libxsmm_transpose(target: Target, y: Array, x: Array) -> NativeCall:
    """Return LIBXSMM's y = x.T of dense matrices with contiguous rows: its kernel, or its general function if there is
    none."""
    rows, columns = x.shape  # column-major, as LIBXSMM sees it: m = columns
    library = _libxsmm(target.isa)
    dispatch = library.load_function(ffi.typeof("void *(*)(int, int, int)"), "transpose")
    kernel = int(ffi.cast("uintptr_t", dispatch(x.itemsize, columns, rows)))
    if kernel:
        leading = ffi.new("unsigned int[2]", [columns, rows])
        at = int(ffi.cast("uintptr_t", leading))
        return NativeCall(kernel, (address_of(x), at, address_of(y), at + 4), (x, y, leading))
    function = library.load_function(ffi.typeof("void(*)(void *, const void *, int, int, int)"), "transpose_any")
    arguments = address_of(y), address_of(x), x.itemsize, columns, rows
    return NativeCall(int(ffi.cast("uintptr_t", function)), arguments, (x, y))


@functools.cache
def _libxsmm_function(isa: str, dtype: str) -> Library:
    real = "double" if dtype == "f64" else "float"
    signature = f"void *(*)(int, int, int, int, int, int, int, {real})"
    return _libxsmm(isa).load_function(ffi.typeof(signature), f"gemm_{dtype}")


@functools.cache
def _libxsmm(isa: str) -> Library:
    """Return the shared object for one vector machine. LIBXSMM keeps one kernel per shape, so each machine needs its
    own copy, and only our own functions are exported. It is never unloaded: LIBXSMM has functions that run at exit."""
    if not (LIBXSMM_HEADER.exists() and LIBXSMM[0].exists()):
        raise BaselineMissing("libxsmm: libxsmm-dev is not installed (make oracles)")
    link = ["-Wl,--exclude-libs,ALL", *map(str, LIBXSMM), "-lpthread", "-lrt", "-ldl", "-lm"]
    stamp = f"libxsmm-{isa}-{LIBXSMM[0].stat().st_mtime_ns}"
    return compiled(stamp, _SOURCE, ["-O2", f"-DARCH={_ARCHS[isa]}"], link)


def compiled(name: str, source: str, flags: Sequence[str], link: Sequence[str]) -> Library:
    """Return the shared object that gcc makes of a source in C, kept in the user's cache. It is linked without the
    flags: -ffast-math would flush denormals in the process that loads it."""
    compiler, what = shutil.which("gcc"), name.partition("-")[0]
    if compiler is None:
        raise BaselineMissing(f"{what}: gcc is not installed (make oracles)")
    stamp = hashlib.sha256(f"{source}{flags}{link}{os.uname().release}".encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilesmith"
    path = cache / f"{name}-{stamp}.so"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            text, made, built = (Path(folder, f"peer.{ending}") for ending in ("c", "o", "so"))
            text.write_text(source)
            for command in (["-c", "-fPIC", *flags, text, "-o", made], ["-shared", made, "-o", built, *link]):
                done = subprocess.run([compiler, *map(str, command)], capture_output=True, text=True)
                if done.returncode:
                    raise BaselineMissing(f"{what}: gcc refused it:\n{done.stderr.strip()}")
            os.replace(built, path)  # atomic: another process may do the same
    return _cffi_backend.load_library(str(path), os.RTLD_NOW | os.RTLD_NODELETE)


# NumPy


def numpy_gemm(c: Array, a: Array, b: Array) -> PythonCall:
    """Return NumPy's C = A @ B (sum over the batch) for the operands of `libxsmm_gemm`, without beta."""
    if a.ndim == 2:
        return PythonCall(lambda: np.matmul(b.T, a.T, out=c.T))
    a_rows, b_rows = a.transpose(0, 2, 1), b.transpose(0, 2, 1)
    products = np.empty((len(a), *c.T.shape), c.dtype)
    return PythonCall(lambda: np.sum(np.matmul(b_rows, a_rows, out=products), axis=0, out=c.T))


@contextlib.contextmanager
def numpy_single_thread() -> Iterator[bool]:
    """Restrict NumPy's OpenBLAS to one thread meanwhile; yields whether that was possible.

    OPENBLAS_NUM_THREADS is read when NumPy is imported, and pinning this thread does not restrict OpenBLAS' workers.
    Therefore this calls the library that NumPy has loaded.
    """
    found = _openblas()
    if found is None:
        yield False
        return
    read, write = found
    before = read()
    write(1)
    try:
        yield True
    finally:
        write(before)


def _openblas() -> tuple[Library, Library] | None:
    """Return OpenBLAS' functions that get and set its number of threads, or None if NumPy uses another library."""
    for path in _loaded_libraries("openblas"):
        library = _cffi_backend.load_library(path, os.RTLD_NOW)
        for name in ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}"):
            with contextlib.suppress(AttributeError):
                read = library.load_function(ffi.typeof("int(*)(void)"), name.format("get_num_threads"))
                return read, library.load_function(ffi.typeof("void(*)(int)"), name.format("set_num_threads"))
    return None


def _loaded_libraries(part: str) -> list[str]:
    """Return paths of shared objects in this process whose file name contains `part`."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if len(line.split(maxsplit=5)) == 6}
    return sorted(path for path in paths if part in Path(path).name)
