"""BRGEMM on BFDOT, SDOT and USDOT of NEON and SVE, run by the kernel server between guard pages, against the models."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES
from tests.mixed_cases import (
    BF16,
    BF16_F32,
    INTEGERS,
    SCALED,
    Mixed,
    expected,
    flat,
    in_integers,
    matrix,
    mixed,
    narrowed,
    pairs_by_bfdot,
    passed,
    same,
)
from tilesmith.emulation import bf16
from tilesmith.emulation.aarch64_server import Pointers, Server
from tilesmith.emulation.rounding import ARM
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arrays import numpy_dtype
from tilesmith.runtime.kernel import Kernel

FEW = int(os.environ.get("MIXED_CASES", "12"))  # of each type on each target
MACHINES = {name: TARGETS[name] for name in ("neon_bf16", "sve128", "sve256", "sve512")}
TYPES = (BF16_F32, BF16, *INTEGERS[:3], SCALED[0])


def narrow(sums: Any, dtype: str) -> Any:
    """BFCVT, as FPCR says."""
    if dtype == "bf16":
        return bf16.bfcvt(sums, ARM).astype(np.uint16).view(numpy_dtype("bf16"))
    return narrowed(sums, dtype)


def check(server: Server, case: Mixed, target: Any, side: str) -> None:
    rng = np.random.default_rng(case.seed)
    memories, values = zip(*(flat(case, operand, rng) for operand in range(3)))
    c = passed(case, 2, matrix(case, 2, memories[2]))
    wanted = expected(
        case, list(values), in_integers if case.dtypes[0] in ("i8", "u8") else pairs_by_bfdot, narrow, ARM
    )
    offsets = [np.arange(case.count, dtype=np.int64) * case.distance(i) * memories[i].itemsize for i in range(2)]
    inputs: list[Any] = list(memories[:2])
    rest: list[Any] = []
    if case.batch is ts.STRIDE:
        rest = [case.count, *(case.distance(i) * memories[i].itemsize for i in range(2))]
    elif case.batch is ts.OFFSET:
        rest = [*offsets, case.count]
    elif case.batch is ts.ADDRESS:
        inputs = [
            Pointers([np.asarray(memories[i][n * case.distance(i) :]) for n in range(case.count)]) for i in range(2)
        ]
        rest = [case.count]
    leading = [case.leading(i) for i, kind in enumerate(case.kinds) if kind == "runtime"]
    kernel = Kernel(ts.gemm_spec(**case.request), target)
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *inputs, c, *rest, *leading, side=side, vector_bits=bits)
    same(np.array(c), wanted)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_units_give_the_bits_of_their_models(aarch64, dtypes, name):
    @settings(max_examples=FEW)
    @given(mixed(dtypes, most=24), st.sampled_from(SIDES))
    def test(case, side):
        if case.count == 0:  # an empty operand has no pages to be guarded by
            case = replace(case, batch=None, count=1)
        check(aarch64, case, MACHINES[name], side)

    test()


def test_targets_without_the_unit_say_so():
    for dtype in ("bf16", "i8", "i16", "f16"):
        with pytest.raises(ts.UnsupportedError, match="this target multiplies no"):
            ts.brgemm(8, 8, 8, dtype=dtype, target="neon")
