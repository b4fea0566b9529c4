"""`ts.save`: write several kernels to one file, which has a function for each or declares them."""

from __future__ import annotations

from pathlib import Path

from ...encoder.files.store import write
from ..handwritten.kernel import HandKernel
from ..kernel.callable import Kernel
from ..loops.job import JobKernel

_KERNELS = Kernel, HandKernel, JobKernel


def save(
    path: str | Path, /, *unnamed: Kernel | HandKernel | JobKernel, **kernels: Kernel | HandKernel | JobKernel
) -> None:
    """Write an object (.o), an archive (.a) or a shared library (.so) with a C function for each kernel, named by its
    keyword, or the C header (.h) or Fortran module (.f90) for it.

        ts.save("layers.o", hidden=ts.brgemm(64, 48, 64), activate=ts.unary("gelu", 64, 48))
        ts.save("layers.h", hidden=..., activate=...)

    Kernels, loop nests, products of `ts.gemm`, layers and hand-written functions (`ts.assembler`) may be mixed, but
    must be for one architecture. The header says what each computes, with orders and leading dimensions. Of an archive,
    a linker takes only the functions that are called. Raises ValueError for another suffix, for no kernels and for
    names that Fortran cannot tell apart, and EncodeError if the kernels are for different architectures.
    """
    if unnamed or isinstance(path, _KERNELS):
        raise TypeError(
            "save: each kernel by the name that its function gets: save('k.o', product=kernel); "
            "kernel.save('k.o') writes one kernel under its own name"
        )
    if not kernels:
        raise ValueError("save: at least one kernel, by the name of its function: save('k.o', product=kernel)")
    for name, kernel in kernels.items():
        if not isinstance(kernel, _KERNELS):
            raise TypeError(f"{name}: a kernel, a nest, or a function of ts.assembler, not {type(kernel).__name__}")
    write(path, [kernel.declared(name) for name, kernel in kernels.items()])
