"""A tensor instruction that no table has: its kernels are planned, executed by the emulator, and proved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.encoder.errors import EncodeError
from tilesmith.microkernels.contract.dot_and_tile import UnitFacts
from tilesmith.microkernels.contract.tensor_instruction import GROUPS_OF_2, GROUPS_OF_4, ProductForm
from tilesmith.microkernels.machines.a64.dot_native import NeonDot
from tilesmith.microkernels.machines.x86.dot_native import NativeDot
from tilesmith.microkernels.tensorize.expressions import TensorProgram

ROW = ts.tensorize.TensorUnit("f16", "f16", UnitFacts("VDPPHPS", 2, embeds=True, temporaries=1), GROUPS_OF_2, NativeDot)


def product(m: int, n: int, k: int, dtype: str = "f16") -> TensorProgram:
    i, j = ts.axis(m, n, names="i j")
    each = ts.reduce_axis(k, names="k")
    x, y = ts.tensor((m, k), dtype), ts.tensor((k, n), dtype)
    return ts.sum(ts.f32(x[i, each]) * ts.f32(y[each, j]), axis=each)


@pytest.mark.parametrize("extents", [(13, 20, 11), (1, 33, 4), (7, 5, 1)])
def test_its_kernels_run_in_the_emulator(extents: tuple[int, int, int]) -> None:
    kernel = ts.tensorize(product(*extents), target="avx10_2", instruction=ROW)
    assert kernel.instruction.name == "VDPPHPS" and "vdpphps" in kernel.listing()
    rng, (m, n, k) = np.random.default_rng(0), extents
    x, y = (rng.integers(-8, 9, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    wanted = x.astype(np.float32) @ y.astype(np.float32)
    np.testing.assert_array_equal(kernel.run(x, kernel.pack(y), workers=2), wanted)
    np.testing.assert_array_equal(kernel.run(x, y), wanted)


def test_its_kernels_are_proved() -> None:
    kernel = ts.tensorize(product(3, 20, 5), target="avx10_2", instruction=ROW)
    assert kernel.verify(), kernel.verify()


def wrong(facts: UnitFacts, form: ProductForm = GROUPS_OF_2, target: str = "avx10_2", unit: Any = NativeDot) -> Any:
    row = ts.tensorize.TensorUnit("f16", "f16", facts, form, unit)
    return lambda: ts.tensorize(product(3, 20, 5), target=target, instruction=row)


def test_rows_that_are_wrong_are_refused() -> None:
    right = UnitFacts("VDPPHPS", 2, temporaries=1)
    for words, made in {
        "has groups of 4 by its facts, of 2 by its form": wrong(right._replace(depth=4)),
        "has groups of 2 by its facts, of 4 by its form": wrong(right, GROUPS_OF_4),
        r"does not compute c\[i\] \+= x\[4\*i\+e\]": wrong(right._replace(depth=4), GROUPS_OF_4),
        r"does not compute c\[i\] \+= x\[2\*i\+e\]": wrong(right._replace(name="VDPBF16PS")),
        "does not fit avx10_2 or the row's facts": wrong(right._replace(temporaries=0)),
        "does not fit sve256": wrong(right, target="sve256"),
        "takes no f16 by f16 on neon": wrong(right._replace(name="FMLAL"), target="neon", unit=NeonDot),
        "an index equation is": wrong(right, ProductForm("c[i] = x[i]", c="i", x="i", y="*")),
    }.items():
        with pytest.raises(ValueError, match=words):
            made()


def test_the_target_itself_is_as_before() -> None:
    assert ts.tensorize(product(3, 20, 5), target="avx10_2").instruction.name != "VDPPHPS"
    with pytest.raises(EncodeError, match="target avx512.VDPPHPS has no AVX10_2"):
        ts.tensorize(product(3, 20, 5), target="avx512", instruction=ROW).listing()
    with pytest.raises(ValueError, match="for bf16 x bf16 on avx10_2.VDPPHPS, not 'VDPPHPS'"):
        ts.tensorize(product(3, 20, 5, "bf16"), target="avx10_2", instruction=ROW)
