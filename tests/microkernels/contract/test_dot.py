"""Emulated dot-product units against the instructions that they replace, on this processor, lane by lane, and the numpy
models against the same instructions.

One step of k computes each element of C as one lane of the instruction: C + A B with A (m, group), B (group, n). The
operand classes are random bits, ordinary numbers, numbers near overflow, and denormal sums, factors and addends. A soak
tests 100 million lanes.
"""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.mixed_cases import BF16_F32, BYTES, WORDS, in_integers, pairs_by_fma, same
from tests.profiles import scaled
from tilesmith.microkernels.contract.dot_and_tile import UnitFacts
from tilesmith.microkernels.contract.machine import Facts
from tilesmith.microkernels.machines.registry import TARGETS, machine_class
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host

LANES = scaled(1_000_000, 100_000_000)  # of each type on each target
SIDE = 512  # one call computes the square of this many lanes
NATIVE = {"bf16": "avx512_bf16", "u8": "avx512_vnni", "i8": "avx512_vnni", "i16": "avx512_vnni"}
EMULATED = [name for name in ("avx2", "avx512") if not host.runs(TARGETS[name])]
TYPES = (BF16_F32, *BYTES, WORDS[0])

# Each class: the range of the exponents of bf16 factors, and that of the f32 addend
CLASSES = {
    "ordinary": ((96, 160), (64, 192)),
    "near overflow": ((188, 193), (250, 255)),
    "small sums": ((56, 66), (0, 4)),  # products from 2^-142 to 2^-122
    "denormal factors": ((0, 3), (0, 255)),
    "all": ((0, 256), (0, 256)),
}


def floats(rng, shape, exponents, width):
    """Return floats with random signs and fractions and exponents of a given range. `width` is the bits of the
    fraction."""
    fraction = rng.integers(0, 1 << width, shape) * rng.integers(0, 2, shape)
    return rng.integers(0, 2, shape) << 8 + width | rng.integers(*exponents, shape) << width | fraction


def operands(rng, dtypes, kind):
    """Return A, B and C of one call."""
    group = 4 // numpy_dtype(dtypes[0]).itemsize
    shapes = (SIDE, group), (group, SIDE), (SIDE, SIDE)
    if dtypes[2] == "i32":
        made = []
        for shape, dtype in zip(shapes, dtypes):
            info = np.iinfo(numpy_dtype(dtype))
            values = rng.integers(info.min, info.max, shape, endpoint=True)
            extreme = rng.choice([info.min, info.max], shape)
            made.append(np.where(rng.random(shape) < 0.3, extreme, values).astype(numpy_dtype(dtype)))
        return made
    of_factors, of_addend = CLASSES[kind]
    a, b = (floats(rng, shape, of_factors, 7).astype(np.uint16).view(numpy_dtype("bf16")) for shape in shapes[:2])
    return [a, b, floats(rng, shapes[2], of_addend, 23).astype(np.uint32).view(np.float32)]


def kernel(dtypes, target):
    return ts.brgemm(SIDE, SIDE, 4 // numpy_dtype(dtypes[0]).itemsize, dtype=dtypes, target=target)


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_emulated_units_give_the_bits_of_the_instruction(dtypes, target):
    native = NATIVE[dtypes[0]]
    if host.runs(TARGETS[native]):
        pytest.skip(f"this machine lacks {native}")
    emulated, instruction = kernel(dtypes, target), kernel(dtypes, native)
    assert emulated.emulated and not instruction.emulated
    rng = np.random.default_rng(3)
    kinds = list(CLASSES) if dtypes[2] == "f32" else ["any"]
    for number in range(-(-LANES // SIDE**2)):
        a, b, c = operands(rng, dtypes, kinds[number % len(kinds)])
        found, wanted = c.copy(), c.copy()
        emulated(a, b, found)
        instruction(a, b, wanted)
        same(found, wanted)


@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
def test_models_give_the_bits_of_the_instruction(dtypes):
    native = NATIVE[dtypes[0]]
    if host.runs(TARGETS[native]):
        pytest.skip(f"this machine lacks {native}")
    instruction = kernel(dtypes, native)
    rng = np.random.default_rng(4)
    for kind in CLASSES if dtypes[2] == "f32" else ["any"]:
        a, b, c = operands(rng, dtypes, kind)
        wanted = (in_integers if dtypes[2] == "i32" else pairs_by_fma)(c, a, b)
        instruction(a, b, c)
        same(c, wanted)


def test_mxcsr_is_restored():
    """The exact emulation flushes denormals by MXCSR and restores it: numpy adds denormals correctly after the call."""
    tiny = np.full((8, 16), np.float32(1e-40))
    bf16 = numpy_dtype("bf16")
    for target in EMULATED:
        for batch, count in ((None, 1), (0, 0), (ts.STRIDE, 0), (ts.STRIDE, 2)):
            a, b = np.zeros((8, 2), bf16), np.zeros((2, 16), bf16)
            c = tiny.copy()
            more = (count, 0, 0) if batch is ts.STRIDE else ()
            mm = ts.brgemm(8, 16, 2, dtype=BF16_F32, target=target, batch=batch)
            mm(*((a, b) if batch != 0 else (np.zeros((0, 8, 2), bf16), np.zeros((0, 2, 16), bf16))), c, *more)
            assert (c == (0 if count else tiny)).all()
            assert (tiny + tiny > tiny).all()


def facts(target) -> Facts:
    return machine_class(TARGETS[target]).facts_of(TARGETS[target])


def test_facts_name_the_unit():
    def unit(target, dtype, other=None, numerics="exact") -> UnitFacts:
        found = facts(target).unit(dtype, other or dtype, numerics)
        assert found is not None
        return found

    assert unit("avx512_bf16", "bf16").name == "VDPBF16PS" and not unit("avx512_bf16", "bf16").emulated
    assert unit("avx512", "bf16").emulated and unit("avx512", "bf16").phases == 2
    assert unit("avx2_vnni", "u8", "i8").depth == 4 and not unit("avx2_vnni", "u8", "i8").emulated
    assert unit("avx512_vnni", "i8").corrected and not unit("avx512", "i8").corrected
    assert unit("avx2_vnni", "u8").corrected and unit("avx2_vnni_int8", "u8").name == "VPDPBUUD"
    assert unit("avx10_2", "i16", "u16").name == "VPDPWSUD" and unit("avx512", "i16", "u16").emulated
    assert unit("sve256", "bf16").name == "BFDOT" and not unit("sve256", "bf16").emulated
    assert facts("avx512").tile("bf16", "bf16") is None
    tile = facts("amx").tile("u8", "i8")
    assert tile is not None and (tile.name, tile.depth, tile.steps) == ("TDPBUSD", 4, 16)
    assert (tile := facts("amx").tile("u8", "u8")) is not None and tile.name == "TDPBUUD"
    assert facts("amx").tile("f16", "f16") is None and facts("amx_fp16").tile("f16", "f16") is not None
