"""`ts.save`: write several kernels to one object file, or the header that declares them."""

from __future__ import annotations

from pathlib import Path

from ...encoder.elf import headers, path_of, relocatable, store
from ..handwritten.kernel import HandKernel
from ..kernel.callable import Kernel
from ..loops.job import JobKernel

_KERNELS = Kernel, HandKernel, JobKernel


def save(
    path: str | Path, /, *unnamed: Kernel | HandKernel | JobKernel, **kernels: Kernel | HandKernel | JobKernel
) -> None:
    """Write an object (.o) with a C function for each kernel, named by its keyword, or the header (.h) for it.

        ts.save("layers.o", hidden=ts.brgemm(64, 48, 64), activate=ts.unary("gelu", 64, 48))
        ts.save("layers.h", hidden=..., activate=...)

    Kernels, loop nests, products of `ts.gemm`, layers and hand-written functions (`ts.assembler`) may be mixed, but
    must be for one architecture. The header says what each computes, with orders and leading dimensions. Raises
    ValueError for another suffix and for no kernels, and EncodeError if the kernels are for different architectures.
    """
    if unnamed or isinstance(path, _KERNELS):
        raise TypeError(
            "save: each kernel by the name that its function gets: save('k.o', product=kernel); "
            "kernel.save('k.o') writes one kernel under its own name"
        )
    path = path_of(path)
    if path.suffix not in (".o", ".h"):
        raise ValueError(f"path: a name ending in .o or .h, not {str(path)!r}; k.save writes other forms of one kernel")
    if not kernels:
        raise ValueError("save: at least one kernel, by the name of its function: save('k.o', product=kernel)")
    for name, kernel in kernels.items():
        if not isinstance(kernel, _KERNELS):
            raise TypeError(f"{name}: a kernel, a nest, or a function of ts.assembler, not {type(kernel).__name__}")
    functions = [kernel.declared(name) for name, kernel in kernels.items()]
    if path.suffix == ".o":
        store(path, relocatable(*(each.code for each in functions)))
    else:
        store(path, headers(path.stem, functions))
