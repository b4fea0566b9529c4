"""The GEMM of the x86 tests on NEON and on SVE of every length, run by the kernel server between guard pages.

The cases are those of microkernels/gemm/test_emit.py, drawn by the same strategy. The server checks the calling
convention, canaries and guards of every call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import DTYPES, Case, cases, extents, matrices_of
from tests.guard import SIDES
from tests.profiles import quick, scaled
from tilesmith.emulation.qemu.server import Pointers, Server
from tilesmith.encoder.decode import decode
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.testing import reference as gemm_reference
from tilesmith.runtime.testing.reference import Array

FEW, MANY = quick(20), scaled(20, 5000)  # cases of each type on each target
MOST = 1 << 18  # multiplications; the emulator computes a hundred million a second
LONG = {f"sve{bits}": replace(TARGETS["sve512"], name=f"sve{bits}", vector_bits=bits) for bits in (1024, 2048)}
MACHINES: dict[str, Target] = {name: TARGETS[name] for name in ("neon", "sve128", "sve256", "sve512")} | LONG

each_machine = pytest.mark.parametrize("name", MACHINES)
each_dtype = pytest.mark.parametrize("dtype", DTYPES)


def forwards(case: Case) -> Case:
    """Return the case with all matrices of a batch after the first, since the server's pointers point to the start of
    an array."""
    if case.batch is ts.STRIDE:
        strides = tuple(abs(stride) for stride in case.strides)
        places = tuple(tuple(i * stride for i in range(len(p))) for stride, p in zip(strides, case.places))
        return replace(case, strides=strides, places=places, first=(0, 0))
    return replace(case, first=(0, 0))


def arguments(case: Case, flat: list[Array], matrices: list[list[Array]], c: Array) -> list[Any]:
    """Return the arguments of the kernel's C function, with arrays for pointers."""
    count, size = len(matrices[0]), c.itemsize
    inputs: list[Any] = list(flat)
    rest: list[Any] = []
    if case.batch is ts.STRIDE:
        rest = [count, *(stride * size for stride in case.strides)]
    elif case.batch is ts.OFFSET:
        rest = [*(np.array(places, np.int64) * size for places in case.places), count]
    elif case.batch is ts.ADDRESS:
        inputs = [Pointers(those) for those in matrices]
        rest = [count]
    leading = [case.leading[i] for i in range(3) if case.asked[i] is ts.RUNTIME]
    return [*inputs, c, *rest, *leading]


def check(server: Server, case: Case, target: Target, side: str) -> None:
    case = forwards(case)
    request = case.request
    kernel = Kernel(ts.gemm_spec(**request), target)
    flat, matrices, c = matrices_of(case)
    before = c.copy()
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *arguments(case, flat, matrices, c), side=side, vector_bits=bits)
    expected, bound = gemm_reference.brgemm(*matrices, before, case.alpha, case.beta)
    gemm_reference.check(c, expected, 0 if case.exact else bound)


def property_of(aarch64: Server, name: str, dtype: str, examples: int) -> None:
    @settings(max_examples=examples)
    @given(cases(dtype, extents(MOST)), st.sampled_from(SIDES))
    def test(case: Case, side: str) -> None:
        check(aarch64, case, MACHINES[name], side)

    test()


@pytest.mark.seconds
@each_machine
@each_dtype
def test_some(aarch64, name, dtype):
    property_of(aarch64, name, dtype, FEW)


@pytest.mark.slow
@each_machine
@each_dtype
@pytest.mark.grid(5)
def test_many(aarch64, name, dtype):
    property_of(aarch64, name, dtype, MANY)


@pytest.mark.parametrize(("leading", "most"), [(None, 66), (ts.RUNTIME, 94)])
def test_the_course_kernel_takes_few_instructions(leading, most):
    """The kernel of 16x6x1 takes at most 66 instructions, as many as the chapter's listing 7.2.2, which saves no
    registers and sets no rounding mode. With leading dimensions given at the call it takes at most 94."""
    kernel = ts.brgemm(16, 6, 1, order="F", lda=leading, ldb=leading, ldc=leading, target="neon")
    found = [decode(kernel.code, offset, "a64") for offset in range(0, len(kernel.code), 4)]
    assert [each is not None and each.form.mnemonic for each in found].index("ret") + 1 <= most
