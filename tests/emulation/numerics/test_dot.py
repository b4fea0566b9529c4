"""emulation/numerics/dot.py against the processor itself, AArch64 under qemu, and Python's integers.

100 million lanes of each:  HYPOTHESIS_PROFILE=soak pytest tests/emulation/numerics/test_dot.py -k silicon -s
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulation.numerics.arm import on_arm
from tests.emulation.numerics.silicon import Silicon
from tests.emulation.numerics.test_fp import assert_same, blocks
from tilesmith.emulation.numerics.dot import DOTS, MATRICES
from tilesmith.emulation.numerics.rounding import Array
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import V, Z

BLOCK = 1 << 16
VNNI = ("vpdpbusd", "vpdpbusds", "vpdpwssd", "vpdpwssds")
ARM = ("sdot", "udot", "usdot", "sudot")


def operands(name: str, seed: int, count: int = BLOCK) -> tuple[Array, Array, Array]:
    """Return c, a, b: a third of the factors are at the ends of their range, half of the accumulators near them."""
    rng = np.random.default_rng(seed)
    dot = DOTS[name]

    def extreme(kind: str, share: int, near: int, size: int) -> Array:
        limits = np.iinfo(kind)
        ends = rng.choice(np.array([limits.min, limits.max]), size)
        inward = rng.integers(0, near, size).astype(limits.dtype)
        at_end = np.where(ends == limits.max, limits.max - inward, limits.min + inward)
        everywhere = rng.integers(limits.min, limits.max, size, kind, endpoint=True)
        return np.where(rng.integers(0, share, size) == 0, at_end, everywhere).astype(kind)

    factors = [extreme(kind, 3, 2, count * dot.group) for kind in (dot.first, dot.second)]
    return extreme(dot.result, 2, 1 << 14, count), *factors


@pytest.mark.parametrize("name", VNNI)
def test_vnni_as_silicon(name: str) -> None:
    silicon = Silicon(lambda asm, z: getattr(asm, name)(z[0], z[1], z[2]), "AVX512_VNNI")
    for seed in blocks(8):
        c, a, b = operands(name, seed)
        assert_same(DOTS[name](c, a, b), silicon(c, a, b), c)


@pytest.mark.parametrize("name", ["vpmaddubsw", "vpmaddwd"])
def test_multiply_add_as_silicon(name: str) -> None:
    silicon = Silicon(lambda asm, z: getattr(asm, name)(z[0], z[0], z[1]), step=32, result=32)
    for seed in blocks(8):
        _, a, b = operands(name, seed)
        assert_same(DOTS[name](None, a, b), silicon(a, b).view(DOTS[name].result))


@pytest.mark.parametrize("name", DOTS)
def test_sums_as_python_integers(name: str) -> None:
    """Results follow the definition in Python integers, the only check of instructions that this processor may lack."""
    dot = DOTS[name]
    c, a, b = operands(name, 5, 3000)
    without = name.startswith("vpmadd")
    results = dot(None if without else c, a, b)
    assert results.dtype == np.dtype(dot.result)
    bits = 8 * results.itemsize
    signed = dot.result[0] == "i"
    lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    for i, result in enumerate(results):
        pairs = range(dot.group * i, dot.group * (i + 1))
        exact = sum(int(a[j]) * int(b[j]) for j in pairs) + (0 if without else int(c[i]))
        wrapped = (exact - lowest) % (1 << bits) + lowest
        assert int(result) == (min(max(exact, lowest), highest) if dot.saturating else wrapped)


def test_shapes_and_foreign_signedness() -> None:
    """The instruction decides how bits are interpreted, and registers may be stacked along further axes."""
    c, a, b = operands("vpdpbusd", 1, 64)
    flat = DOTS["vpdpbusd"](c, a, b)
    stacked = DOTS["vpdpbusd"](c.reshape(4, 16).view(np.uint32), a.reshape(4, 64).view(np.int8), b.reshape(4, 64))
    assert np.array_equal(stacked.reshape(-1), flat)


@pytest.mark.parametrize("name", ARM)
def test_dots_as_arm(aarch64: Server, name: str) -> None:
    c, a, b = operands(name, 11)

    def emit(asm: Any) -> None:
        if name == "sudot":  # only by element: the first group of each register
            asm.sudot(V[0].s4, V[1].b16, V[2].b4[0])
        else:
            getattr(asm, name)(V[0].s4, V[1].b16, V[2].b16)

    result = on_arm(aarch64, emit, c, a.view(c.dtype), b.view(c.dtype))
    if name == "sudot":
        b = np.tile(b.reshape(-1, 4, 4)[:, :1], (1, 4, 1)).reshape(-1)
    assert_same(DOTS[name](c, a, b), result, c)


@pytest.mark.parametrize("name", ["sdot.d", "udot.d"])
def test_dots_of_words_as_arm(aarch64: Server, name: str) -> None:
    """Run SVE at a vector length of 128 bits, where registers v0 to v2 are the low parts of z0 to z2."""
    c, a, b = operands(name, 12)
    result = on_arm(
        aarch64,
        lambda asm: getattr(asm, name[:4])(Z[0].d, Z[1].h, Z[2].h),
        *(c, a.view(c.dtype), b.view(c.dtype)),
    )
    assert_same(DOTS[name](c, a, b), result, c)


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_as_arm(aarch64: Server, name: str) -> None:
    signs = {"smmla": "sdot", "ummla": "udot", "usmmla": "usdot"}[name]
    c, _, _ = operands(signs, 13)
    _, a, b = operands(signs, 14)
    c = c.view(np.int32)
    for registers in ((V[0].s4, V[1].b16, V[2].b16), (Z[0].s, Z[1].b, Z[2].b)):
        result = on_arm(aarch64, lambda asm: getattr(asm, name)(*registers), c, a.view("i4"), b.view("i4"))  # noqa: B023
        assert_same(MATRICES[name](c, a, b), result, c)
