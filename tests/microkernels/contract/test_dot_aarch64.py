"""Dot-product units of NEON and SVE, run lane by lane by the kernel server: the instruction, its replacement and the
model.

One step of k computes each element of C as one lane: C + A B with A (m, group), B (group, n). The operands are those of
microkernels/contract/test_dot.py. A soak tests 100 million lanes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.microkernels.contract.test_dot import CLASSES, SIDE, facts, operands
from tests.mixed_cases import BF16_F32, INTEGERS, in_integers, pairs_by_bfdot
from tests.profiles import scaled
from tilesmith.emulation.numerics import bf16, dot
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.kernel.callable import Kernel

LANES = scaled(500_000, 100_000_000)  # of each type
TYPES = (BF16_F32, *INTEGERS[:3])
TARGETS_OF_DOTS = ("neon", "neon_dotprod", "neon_bf16", "sve256")


MMLA = {"bf16": "BFMMLA", "i8": "SMMLA", "u8": "USMMLA"}


def run(server: Server, dtypes: tuple[str, str, str], name: str, values: list[Any], layout: str = "plain") -> Any:
    """Return C computed by the kernel of a target. The MMLA layout packs the operands first."""
    a, b, c = values[0], values[1], values[2].copy()
    spec = ts.gemm_spec(SIDE, SIDE, a.shape[1], dtype=dtypes, a_layout=layout, b_layout=layout)
    kernel = Kernel(spec, TARGETS[name])
    if layout == "mmla":
        assert f"  {MMLA['u8' if 'u8' in dtypes else dtypes[0]]}" in str(kernel.plan)
        a, b = packed(a), packed(b.T)
    bits = TARGETS[name].vector_bits if TARGETS[name].isa == "sve" else None
    server.call(kernel.code, a, b, c, vector_bits=bits)
    return c


@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_lanes_of_sequences_instructions_and_models(aarch64, dtypes):
    """The bits are equal, including those of NaN."""
    rng = np.random.default_rng(5)
    model = in_integers if dtypes[2] == "i32" else pairs_by_bfdot
    kinds = list(CLASSES) if dtypes[2] == "f32" else ["any"]
    for number in range(-(-LANES // SIDE**2)):
        values = operands(rng, dtypes, kinds[number % len(kinds)])
        wanted = model(values[2], values[0], values[1])
        for name in TARGETS_OF_DOTS:
            same_bits(run(aarch64, dtypes, name, values), wanted, name)


def packed(x: Any) -> Any:
    """Return a matrix packed in blocks of two rows and eight bytes."""
    size = x.itemsize
    rows = x.reshape(SIDE // 2, 2, -1, 8 // size).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(rows).reshape(SIDE // 2, -1, 16 // size)


def blocks(x: Any, rows: int) -> Any:
    """Return each pair of rows side by side, repeated for each of `rows` other pairs."""
    return np.broadcast_to(x.reshape(SIDE // 2, 1, -1), (SIDE // 2, rows, x.shape[1] * 2))


def mmla(c: Any, a: Any, b: Any, product: Any) -> Any:
    """Apply the model of the instruction to every 2 x 2 block of C."""
    half = SIDE // 2
    sums = c.reshape(half, 2, half, 2).transpose(0, 2, 1, 3).reshape(half, half, 4)
    found = product(sums, blocks(a, half), blocks(np.ascontiguousarray(b.T), half).transpose(1, 0, 2))
    return found.reshape(half, half, 2, 2).transpose(0, 2, 1, 3).reshape(SIDE, SIDE)


@pytest.mark.seconds
@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_lanes_of_mmla(aarch64, dtypes):
    """BFMMLA, SMMLA and USMMLA, or the dot products that replace them, give the bits of the models, with eight bytes
    per row."""
    rng = np.random.default_rng(6)
    kinds = list(CLASSES) if dtypes[2] == "f32" else ["any"]
    order = dtypes if dtypes[0] != "i8" or dtypes[1] != "u8" else ("u8", "i8", "i32")
    product = bf16.bfmmla if dtypes[2] == "f32" else dot.MATRICES[MMLA[order[0]].lower()]
    for number in range(-(-LANES // SIDE**2)):
        parts = [operands(rng, dtypes, kinds[(number + step) % len(kinds)]) for step in range(2)]
        a, b = (np.concatenate([part[i] for part in parts], 1 - i) for i in range(2))
        c = parts[0][2]
        if order == dtypes:
            wanted = mmla(c, *(x.view(np.uint16) if dtypes[0] == "bf16" else x for x in (a, b)), product)
        else:
            wanted = np.ascontiguousarray(mmla(np.ascontiguousarray(c.T), b.T, a.T, product).T)
        for name in TARGETS_OF_DOTS:
            blocks = dtypes[2] != "i32" or "I8MM" in TARGETS[name].features
            layout = "mmla" if blocks else "plain"
            same_bits(run(aarch64, dtypes, name, [a, b, c], layout), wanted, name)


def same_bits(found: Any, wanted: Any, name: str) -> None:
    different = np.argwhere(found.view(np.uint32) != wanted.view(np.uint32))
    assert not len(different), (name, *different[0], len(different))


@pytest.mark.parametrize("name", TARGETS_OF_DOTS[2:])
def test_plans_say_which_unit(name):
    for dtypes in TYPES:
        plan = str(ts.brgemm(64, 64, 64, dtype=dtypes, target=name).plan)
        assert f"  {MMLA['u8' if 'u8' in dtypes else dtypes[0]]}, " in plan
    assert "  BFDOT, 2 of k a step" in str(ts.brgemm(64, 64, 2, dtype=BF16_F32, target=name).plan)


def test_facts_name_the_unit():
    def unit(target: str, dtype: str, numerics: str = "exact") -> Any:
        return facts(target).unit(dtype, dtype, numerics)

    assert unit("neon", "bf16").name == "BFDOT" and unit("neon", "bf16").emulated
    assert unit("neon", "bf16", "fast").phases == 2
    assert unit("neon_dotprod", "i8").name == "SDOT" and unit("neon_dotprod", "u8").name == "UDOT"
    assert unit("neon_dotprod", "bf16").emulated and facts("neon_dotprod").mmla("i8", "i8", "exact") is None
    mixed = [facts("neon_dotprod").unit(*types, "exact") for types in (("u8", "i8"), ("i8", "u8"))]
    assert [(each.name, each.corrected, each.emulated) for each in mixed if each] == [
        ("UDOT", True, False),
        ("SDOT", True, False),
    ]
    assert unit("neon_bf16", "bf16", "fast").name == unit("sve256", "bf16").name == "BFDOT"
    assert unit("neon", "i8").emulated and unit("neon", "i16").name == "SMLAL" and unit("sve512", "i16").name == "MLA"
    assert facts("neon").unit("f64", "bf16", "exact") is None
