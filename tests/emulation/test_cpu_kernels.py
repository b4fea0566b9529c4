"""Whole kernels in the emulator give the bits of a processor and touch no byte beside a matrix.

Every matrix is a region of its own, so the padding between its rows is in no region and a read there is a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import DTYPES, Case, cases, matrices_of
from tests.microkernels.gemm.test_aarch64 import arguments, forwards
from tests.profiles import scaled
from tilesmith.emulation.cpu import Region, address_of, execute
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.testing.reference import Array

EXAMPLES = scaled(8, 400)  # per type and target
MOST = 40_000  # multiplications of a case
X86 = [name for name, target in TARGETS.items() if target.arch == "x86"]
A64 = [name for name, target in TARGETS.items() if target.arch == "a64"]

SMALL = st.fixed_dictionaries({name: st.integers(1, 24) for name in "mnk"})


def placed(case: Case, flat: list[Array], matrices: list[list[Array]], c: Array) -> tuple[list[int], list[Region], Any]:
    """Return the integers of a call, the regions that it may touch, and the tables that must stay alive."""
    given = arguments(case, flat, matrices, c)
    regions = [Region(f"{name}{i}", x, False) for name, those in zip("ab", matrices) for i, x in enumerate(those)]
    regions.append(Region("c", c))
    integers, tables = [], []
    for at, value in enumerate(given):
        if isinstance(value, tuple):
            value = np.array([address_of(x) for x in value], np.uint64)
        if isinstance(value, np.ndarray):
            if at > 2 or value.dtype == np.uint64:
                tables.append(value)
                regions.append(Region(f"argument {at}", value, False))
            value = address_of(value)
        integers.append(int(value))
    return integers, regions, tables


def emulated(case: Case, kernel: ts.Kernel, target: Any) -> tuple[Array, list[int], tuple[Any, ...]]:
    """Return C as the emulator leaves it, the integers of the call, and what they point to, restored."""
    flat, matrices, c = matrices_of(case)
    before = c.copy()
    integers, regions, kept = placed(case, flat, matrices, c)
    execute(kernel.code, target, integers, regions)
    result = c.copy()
    c[...] = before
    return result, integers, (flat, matrices, c, kept)


def same_bits(left: Array, right: Array) -> None:
    bits = f"u{left.itemsize}"
    np.testing.assert_array_equal(np.ascontiguousarray(left).view(bits), np.ascontiguousarray(right).view(bits))


def for_cases(dtype: str, check: Callable[[Case], None]) -> None:
    """Run a check on small drawn cases."""

    @settings(max_examples=EXAMPLES)
    @given(cases(dtype, SMALL))
    def test(case: Case) -> None:
        assume(case.m * case.n * case.k <= MOST)
        check(forwards(case))

    test()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", X86)
@pytest.mark.grid(8)
def test_x86_kernels_give_the_bits_of_this_processor(name: str, dtype: str) -> None:
    if host.runs(TARGETS[name]):
        pytest.skip(host.runs(TARGETS[name]))

    def check(case: Case) -> None:
        kernel = case.kernel(name)
        result, integers, operands = emulated(case, kernel, kernel.target)  # the integers are addresses in the operands
        types = ", ".join(["int64_t"] * len(integers))
        ffi.cast(f"void(*)({types})", kernel.address)(*(n - (n >> 63 << 64) for n in integers))
        same_bits(result, operands[2])

    for_cases(dtype, check)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", A64)
@pytest.mark.grid(8)
def test_aarch64_kernels_give_the_bits_of_the_server(aarch64: Any, name: str, dtype: str) -> None:
    if aarch64.lacks(TARGETS[name]):
        pytest.skip(aarch64.lacks(TARGETS[name]))

    def check(case: Case) -> None:
        kernel = case.kernel(name)
        result, _, (flat, matrices, c, _) = emulated(case, kernel, kernel.target)
        lengths = {"sve": "vector_bits", "sme": "streaming_bits"}
        length = {name: kernel.target.vector_bits for isa, name in lengths.items() if isa == kernel.target.isa}
        aarch64.call(kernel.code, *arguments(case, flat, matrices, c), **length)
        same_bits(result, c)

    for_cases(dtype, check)


# Kernels that are not products


REQUESTS: dict[str, Any] = {
    "transpose f32": lambda target: ts.transpose(7, 13, target=target),
    "transpose i8": lambda target: ts.transpose(17, 9, dtype="i8", target=target),
    "vnni2": lambda target: ts.transform("vnni2", 7, 13, "bf16", target=target),
    "tanh f32": lambda target: ts.unary("tanh", 3, 19, target=target),
    "gelu bf16": lambda target: ts.unary("gelu", 3, 19, dtype="bf16", target=target),
    "max f32": lambda target: ts.binary("max", 3, 19, target=target),
    "mixed u8": lambda target: ts.brgemm(5, 20, 7, dtype=("u8", "i8", "i32"), target=target),
    "mixed bf16": lambda target: ts.brgemm(5, 20, 7, dtype=("bf16", "bf16", "f32"), target=target),
}


def operands_of(kernel: ts.Kernel) -> list[Array]:
    """Return random numbers for every argument, with a few NaN, infinities and zeros if the type has them."""
    rng = np.random.default_rng(3)
    made = []
    for operand in kernel.spec.operands if hasattr(kernel.spec, "operands") else kernel.spec.arguments:
        dtype = numpy_dtype(operand.dtype)
        shape = (operand.rows, operand.columns)
        values = rng.standard_normal(shape) * 3
        if dtype.kind in "iu":
            made.append(rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape).astype(dtype))
            continue
        special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42], shape)
        made.append(np.where(rng.random(shape) < 0.1, special, values).astype(dtype))
    return made


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("name", X86)
def test_other_kernels_give_the_bits_of_this_processor(name: str, request_: str) -> None:
    """On a processor without tiles, the native kernel is the one that replaces tiles; the emulator runs the tiles."""
    kernel = REQUESTS[request_](name)
    if kernel.address is None:
        pytest.skip(host.runs(TARGETS[name]))
    native = operands_of(kernel)
    emulated_ = [x.copy() for x in native]
    kernel(*native)
    kernel.run(*emulated_)
    for left, right in zip(emulated_, native):
        assert left.tobytes() == right.tobytes()
