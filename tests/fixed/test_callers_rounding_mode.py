"""Results of kernels depended on the caller's MXCSR or FPCR.

Stores to i8 and subnormal fp8 followed the caller's rounding mode while bf16 and f16 did not, and DAZ changed max,
select and floor. Each request below is called under every mode, natively, in the emulator and on AArch64's kernel
server. The bits must be equal, and the caller's mode must be preserved.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import run_forked
from tests.side_by_side.natively import called
from tilesmith.emulation.cpu import Region, execute
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import X, xzr
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.operands import Number
from tilesmith.runtime.arguments.arrays import Array, numpy_dtype
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.kernel.callable import Kernel

USUAL, FLAGS = 0x1F80, 0x15  # the MXCSR of a new process; sticky flags that were raised before a call
MXCSR = [USUAL | rounding << 13 | flush | FLAGS for rounding in range(4) for flush in (0, 0x8040)]
FZ, FZ16, DN, AHP, AH, FIZ, EBF = (1 << bit for bit in (24, 19, 25, 26, 1, 0, 13))
FPCR = [rounding << 22 | flush for rounding in range(4) for flush in (0, FZ | FZ16)] + [DN | AHP, AH | FIZ | EBF]
X86, A64 = ("avx2", "avx512", "avx512_bf16", "amx"), ("neon", "neon_bf16", "sve256", "sme512")

Make = Callable[[str], Kernel]


def gemm(dtype: Any, **more: Any) -> Make:
    return lambda target: ts.brgemm(5, 18, 6, dtype=dtype, target=target, **more)


def unary(name: str, dtype: str = "f32", **more: Any) -> Make:
    return lambda target: ts.unary(name, 6, 19, dtype=dtype, target=target, **more)


def binary(name: str, dtype: Any = "f32", **more: Any) -> Make:
    return lambda target: ts.binary(name, 6, 19, dtype=dtype, target=target, **more)


def total(name: str, dtype: str = "f32", axis: int | None = 1, **more: Any) -> Make:
    return lambda target: ts.reduce(name, 6, 19, axis=axis, dtype=dtype, target=target, **more)


ROUNDING: dict[str, Make] = {
    "gemm f32": gemm("f32", alpha=1.5, beta=0.5),
    "gemm f32, nine arguments": gemm("f32", batch=ts.STRIDE, lda=ts.RUNTIME, ldb=ts.RUNTIME, ldc=ts.RUNTIME),
    "gemm f64": gemm("f64"),
    "gemm bf16 to f32": gemm(("bf16", "bf16", "f32"), alpha=1.5),
    "gemm bf16 on C": gemm(("bf16", "bf16", "f32")),
    "gemm f16": gemm("f16"),
    "gemm f8e4m3": gemm("f8e4m3"),
    "gemm u8 i8 to f32": gemm(("u8", "i8", "f32"), alpha=0.3),
    "gemm in columns": gemm("f32", order="F"),
    "gelu of gemm to bf16": gemm("bf16", epilogue=lambda c, bias: ts.gelu(c + bias)),
    "quantized gemm": gemm(("i8", "i8", "i8"), beta=0, epilogue=lambda c, s: c * s, operands={"s": ("row", "f32")}),
    "ladder": lambda target: ts.brgemm(5, 18, 6, dtype="f32x3bf16", target=target),
    "slices": lambda target: ts.brgemm(4, 8, 6, dtype="f64xi8", target=target),
    "to i8": unary("identity", out="i8"),
    "to f8e5m2": unary("identity", out="f8e5m2"),
    "to f8e4m3": unary("identity", out="f8e4m3"),
    "to f16": unary("identity", out="f16"),
    "f64 to f32": unary("identity", "f64", out="f32"),
    "f64 to i64": unary("identity", "f64", out="i64"),
    "i32 to f32": unary("identity", "i32", out="f32"),
    "relu": unary("relu"),
    "floor": lambda target: ts.equation(lambda x: ts.floor(x), x=(6, 19), target=target),
    "exp": unary("exp"),
    "accurate gelu in bf16": unary("gelu", "bf16", accuracy="accurate"),
    "tanh f64": unary("tanh", "f64"),
    "max": binary("max"),
    "less": binary("lt"),
    "select": lambda target: ts.equation(lambda x, y: ts.select(x > y, x, y), x=(6, 19), y=(1, 19), target=target),
    "dropout": unary("dropout", rate=0.3),
    "uniform": unary("uniform"),
    "round_stochastic": unary("round_stochastic", out="bf16"),
    "quantize": binary("quantize", "f32", out="i8", bcast=(None, "col")),
    "sum": total("sum"),
    "max of columns": total("max", axis=0),
    "sum of squares": total("sum", "bf16", None, squared=True, out="f32"),
    "weighted bag": lambda target: ts.embedding_bag(4, 19, size=6, count=9, weights=True, target=target),
}
FLAT: dict[str, Make] = {
    "gemm i8": gemm("i8"),
    "gemm u8": gemm(("u8", "u8", "i32")),
    "copy": unary("identity"),
    "f16 moved": unary("identity", "f16"),
    "bits changed": binary("add", "i32"),
    "transpose": lambda target: ts.transpose(7, 13, target=target),
    "vnni2": lambda target: ts.transform("vnni2", 7, 13, "bf16", target=target),
    "gather": lambda target: ts.gather("rows", 4, 19, size=6, target=target),
    "scatter": lambda target: ts.scatter("columns", 4, 6, size=9, target=target),
    "sum of i32": total("sum", "i32"),
    "bag of i32": lambda target: ts.embedding_bag(4, 19, size=6, count=9, dtype="i32", target=target),
}
EVERY = {**ROUNDING, **FLAT}
# Instructions of these kernels have a rounding of their own, or compare floats as integers
INDIFFERENT = {"gemm bf16 on C": ("avx512_bf16", "amx"), "relu": X86}


@functools.cache
def made(name: str, target: str) -> Kernel | None:
    """Return the kernel, or None if the target does not support it."""
    try:
        return EVERY[name](target)
    except ts.UnsupportedError:
        return None


# Operands: rows of ordinary numbers, of denormals, and of numbers halfway between integers

TINY = {"f64": 2.0**-1040, "f32": 2.0**-133, "bf16": 2.0**-131, "f16": 2.0**-19, "f8e5m2": 2.0**-16, "f8e4m3": 2.0**-8}


def values(operand: Any, rng: np.random.Generator) -> Array:
    """Return the values of one operand. b of a product is always ordinary, so that rows of denormals remain
    denormal."""
    dtype, shape = numpy_dtype(operand.dtype), operand.shape
    if operand.name == "index":
        return rng.permutation(6).astype(dtype).repeat(2)[: int(np.prod(shape))].reshape(shape)
    if operand.name == "offsets":
        return np.array([0, 2, 2, 5, 9], dtype)
    if dtype.kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, endpoint=True).astype(dtype)
    made = rng.standard_normal((int(np.prod(shape[:-1])), shape[-1])) * 3
    if operand.name != "b":
        made[1::3] *= TINY[operand.dtype]
        made[2::3] = np.round(made[2::3] * 7) + 0.5
        made[2::3, 1::2] *= 2.0**-15  # subnormal in the 8-bit types
    return made.reshape(shape).astype(dtype)


def operands(kernel: Kernel) -> list[Any]:
    """Return the arguments of a call as the kernel's C function takes them."""
    rng, spec = np.random.default_rng(11), kernel.spec
    if not hasattr(spec, "order"):
        return [0x1234_5678_9ABC if isinstance(each, Number) else values(each, rng) for each in spec.arguments]
    arrays: list[Any] = [values(each, rng) for each in (*spec.operands, *getattr(spec, "extras", ()))]
    if spec.batch is ts.STRIDE:
        arrays[:2] = (np.stack([x, x + x.dtype.type(1)]) for x in arrays[:2])
        return [*arrays, 2, arrays[0][0].nbytes, arrays[1][0].nbytes, spec.k, spec.n, spec.n]
    return arrays


def address(value: Any) -> int:
    return value.__array_interface__["data"][0] if isinstance(value, np.ndarray) else value


def require_same(
    call: Callable[[Kernel, list[Any], int], None], kernel: Kernel, usual: int, words: Iterable[int]
) -> None:
    """Check that a call leaves the same operands under every word as under the usual one."""

    def left(word: int) -> list[bytes]:
        arguments = operands(kernel)
        call(kernel, arguments, word)
        return [each.tobytes() for each in arguments if isinstance(each, np.ndarray)]

    wanted = left(usual)
    for word in words:
        assert left(word) == wanted, f"{kernel.name} for {kernel.target.name} under {word:#x}"


# Natively on x86-64


def natively(kernel: Kernel, arguments: list[Any], mxcsr: int) -> None:
    """Call the kernel under this MXCSR, and check that it keeps the mode and clears no flag."""
    assert kernel.address is not None
    left = called(kernel.address, [address(each) for each in arguments], mxcsr)
    assert left & ~0x3F == mxcsr & ~0x3F and left & mxcsr & 0x3F == mxcsr & 0x3F, f"{left:#x} is left of {mxcsr:#x}"


@pytest.mark.skipif(host().arch != "x86", reason="MXCSR is a register of x86-64")
@pytest.mark.parametrize("name", EVERY)
def test_mxcsr_changes_no_bit(name: str) -> None:
    for target in X86:
        kernel = made(name, target)
        if kernel is not None and kernel.address is not None:
            require_same(natively, kernel, USUAL, MXCSR)


@pytest.mark.skipif(host().arch != "x86", reason="MXCSR is a register of x86-64")
def test_a_caller_that_traps_gets_no_trap() -> None:
    """If no exception is masked, an inexact sum would raise SIGFPE."""
    kernels = [each for each in (made(name, "avx2") for name in ("gemm f32", "exp", "to i8", "sum")) if each]
    assert len(kernels) == 4

    def call() -> None:
        for kernel in kernels:
            natively(kernel, operands(kernel), 0)

    assert run_forked(call) == 0


# In the emulator


def emulated(kernel: Kernel, arguments: list[Any], word: int) -> None:
    integers = [address(each) for each in arguments]
    regions = [Region(f"argument {i}", each) for i, each in enumerate(arguments) if isinstance(each, np.ndarray)]
    execute(kernel.code, kernel.target, integers, regions, control=word)


@pytest.mark.parametrize("target", ["avx2", "amx", "neon", "sve256", "sme512"])
def test_no_mode_of_the_emulator_changes_a_bit(target: str) -> None:
    usual, words = (USUAL, MXCSR[5:6]) if target in X86 else (0, FPCR[5:6])
    for name in ("gemm f32, nine arguments", "gemm bf16 to f32", "to f8e4m3", "floor", "max", "copy"):
        kernel = made(name, target)
        if kernel is not None:
            require_same(emulated, kernel, usual, words)


# On AArch64


def served(server: Any, kernel: Kernel, arguments: list[Any], fpcr: int) -> None:
    lengths = {"sve": "vector_bits", "sme": "streaming_bits"}
    isa, bits = kernel.target.isa, kernel.target.vector_bits
    plain = [x.view(f"u{x.itemsize}") if isinstance(x, np.ndarray) and x.dtype.kind in "Vc" else x for x in arguments]
    server.call(kernel.code, *plain, fpcr=fpcr, **({lengths[isa]: bits} if isa in lengths else {}))


@functools.cache
def kept_by(server: Any, fpcr: int) -> int:
    """Return the bits of FPCR that the processor implements."""
    register, asm = SYSTEM_REGISTERS["fpcr"], A64Assembler(Target("probe", "a64", "neon", frozenset(), 128, 128))
    asm.msr(register, X[0])
    asm.mrs(X[0], register)
    asm.msr(register, xzr)
    asm.ret()
    return int(server.call(asm.finish("probe"), fpcr))


@pytest.mark.parametrize("target", A64)
def test_fpcr_changes_no_bit(aarch64: Any, target: str) -> None:
    if aarch64.lacks(TARGETS[target]):
        pytest.skip(aarch64.lacks(TARGETS[target]))
    words = dict.fromkeys(kept_by(aarch64, word) for word in FPCR)
    for name in EVERY:
        kernel = made(name, target)
        if kernel is not None:
            require_same(functools.partial(served, aarch64), kernel, 0, words)


# Which kernels check the mode


@pytest.mark.parametrize("target", [*X86, *A64])
@pytest.mark.grid(4)
def test_only_kernels_that_follow_the_mode_compare_it(target: str) -> None:
    for name in EVERY:
        kernel = made(name, target)
        if kernel is not None:
            compares = any(each in kernel.listing() for each in ("vstmxcsr", "fpcr"))
            wanted = name in ROUNDING and target not in INDIFFERENT.get(name, ())
            assert compares == wanted, f"{name} for {target}"
