"""A tensor instruction that no table has: its kernels are planned, executed by the emulator and by qemu, and proved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.encoder.a64.registers import V
from tilesmith.encoder.errors import EncodeError
from tilesmith.microkernels.contract.dot_and_tile import UnitFacts
from tilesmith.microkernels.contract.multiply_add import MultiplyAddOf
from tilesmith.microkernels.contract.tensor_instruction import GROUPS_OF_2, GROUPS_OF_4, SINGLE, ProductForm
from tilesmith.microkernels.contract.unit_table import with_unit
from tilesmith.microkernels.machines.a64.dot_native import NeonDot
from tilesmith.microkernels.machines.targets import TARGETS
from tilesmith.microkernels.machines.x86.dot_native import NativeDot
from tilesmith.microkernels.tensorize.expressions import TensorProgram
from tilesmith.runtime.api.brgemm import product_spec
from tilesmith.runtime.kernel.callable import Kernel

ROW = ts.tensorize.TensorUnit("f16", "f16", UnitFacts("VDPPHPS", 2, embeds=True, temporaries=1), GROUPS_OF_2, NativeDot)


class Fmlal(MultiplyAddOf[Any, Any, Any, Any]):
    """FMLAL of Armv8.2: factors of f16, sums of f32."""

    def product(self, phase: int, acc: int, x: int, y: Any, lanes: Any, spare: Any) -> None:
        """Emit the form on four elements."""
        self.m.asm.fmlal(V[acc].s4, V[x].h4, V[y].h4)


FMLAL = ts.tensorize.TensorUnit("f16", "f16", UnitFacts("FMLAL", 1), SINGLE, Fmlal)


def product(m: int, n: int, k: int, dtype: str = "f16") -> TensorProgram:
    i, j = ts.axis(m, n, names="i j")
    each = ts.reduce_axis(k, names="k")
    x, y = ts.tensor((m, k), dtype), ts.tensor((k, n), dtype)
    return ts.sum(ts.f32(x[i, each]) * ts.f32(y[each, j]), axis=each)


@pytest.mark.parametrize(
    "row, target, extents",
    [
        (ROW, "avx10_2", (13, 20, 11)),
        (ROW, "avx10_2", (1, 33, 4)),
        (ROW, "avx10_2", (7, 5, 1)),
        (FMLAL, "neon_bf16", (5, 7, 6)),
    ],
)
def test_its_kernels_run_in_the_emulator(row: Any, target: str, extents: tuple[int, int, int]) -> None:
    kernel = ts.tensorize(product(*extents), target=target, instruction=row)
    name = row.facts.name
    assert kernel.instruction.name == name and name.lower() in kernel.listing()
    rng, (m, n, k) = np.random.default_rng(0), extents
    x, y = (rng.integers(-8, 9, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    wanted = x.astype(np.float32) @ y.astype(np.float32)
    np.testing.assert_array_equal(kernel.run(x, kernel.pack(y), workers=2), wanted)
    np.testing.assert_array_equal(kernel.run(x, y), wanted)


@pytest.mark.parametrize("side", ["start", "end"])
def test_its_products_run_in_qemu(aarch64: Any, side: str) -> None:
    rng, (m, n, k) = np.random.default_rng(1), (3, 21, 9)
    a, b = (rng.integers(-8, 9, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    spec = product_spec(m, n, k, dtype=("f16", "f16", "f32"))
    kernel = Kernel(spec, with_unit(TARGETS["neon_bf16"], FMLAL))
    c = np.zeros((m, n), np.float32)
    aarch64.call(kernel.code, a, b, c, side=side)
    assert "fmlal" in kernel.listing()
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


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
