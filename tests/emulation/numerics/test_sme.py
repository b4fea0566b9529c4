"""emulation/numerics/sme.py against AArch64 under qemu; integer products also against sums of Python integers.

qemu-user 7.2 computes integer outer products of bytes wrongly: the server's probes find this, and the test is skipped
with the reason. TILESMITH_QEMU names a newer emulator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulation.numerics.arm import EVERYTHING
from tests.emulation.numerics.floats import floats
from tests.emulation.numerics.test_fp import assert_same
from tilesmith.emulation.core.faults import CannotRun
from tilesmith.emulation.numerics.rounding import BF16, F16, F32, F64, Array, Environment
from tilesmith.emulation.numerics.sme import OUTER_PRODUCTS, Matrix
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import PATTERNS, SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import ZA, D, P, W, X, Z, mem, sp
from tilesmith.encoder.code import Code

SIZES = (16, 32, 64)  # bytes of a streaming vector
FPCRS = (0, 1 << 25, 1 << 24 | 1 << 19, 3 << 22, 1 << 22 | 1 << 24)
FLOATS = [name for name, product in OUTER_PRODUCTS.items() if product.result.kind == "f" and product.element > 2]
INTEGERS = [name for name, product in OUTER_PRODUCTS.items() if product.result.kind == "i"]
FEATURES = {
    "fmopa.s.h": "SME_F16F32",
    "bfmopa.s.h": "SME_B16F32",
    ".s.b": "SME_I8I32",
    ".d.h": "SME_I16I64",
    ".d": "SME_F64F64",
}


def outer_code(name: str) -> Code:
    """Return f(rows, columns, row predicate, column predicate, tile, fpcr), which updates tile 0."""
    mnemonic, element, *factor = name.split(".")
    asm = A64Assembler(EVERYTHING)
    load, store = (asm.ld1w, asm.st1w) if element == "s" else (asm.ld1d, asm.st1d)
    fpcr = SYSTEM_REGISTERS["fpcr"]
    asm.mrs(X[9], fpcr)
    asm.msr(fpcr, X[5])
    asm.sub(sp, sp, 64)
    for i in range(0, 8, 2):
        asm.stp(D[8 + i], D[9 + i], mem[sp, 8 * i])
    asm.smstart()
    asm.ptrue(P[2].b, PATTERNS["all"])
    asm.ldr(Z[0], mem[X[0]])
    asm.ldr(Z[1], mem[X[1]])
    asm.ldr(P[0], mem[X[2]])
    asm.ldr(P[1], mem[X[3]])
    asm.rdsvl(X[10], 1)
    for move in (load, store):
        if move is store:
            tile, of = getattr(ZA[0], element), factor[0] if factor else element
            getattr(asm, mnemonic)(tile, P[0].m, P[1].m, getattr(Z[0], of), getattr(Z[1], of))
        asm.lsr(X[11], X[10], 2 if element == "s" else 3)
        asm.mov(X[13], X[4])
        asm.load_immediate(W[12], 0)
        with asm.loop(X[11]):
            predicate = P[2].z if move is load else P[2]
            move(ZA[0].view(element).h[W[12], 0], predicate, mem[X[13]])
            asm.add(X[13], X[13], X[10])
            asm.add(W[12], W[12], 1)
    asm.smstop()
    for i in range(0, 8, 2):
        asm.ldp(D[8 + i], D[9 + i], mem[sp, 8 * i])
    asm.add(sp, sp, 64)
    asm.msr(fpcr, X[9])
    asm.ret()
    return asm.finish(name.replace(".", "_"))


def operands(rng: np.random.Generator, name: str, size: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return the tile (rows of bytes), rows, columns, and their predicates, one bool per byte."""
    product = OUTER_PRODUCTS[name]

    def elements(kind: Any, count: int) -> Array:
        if kind.kind == "f":
            return floats(rng, count, {2: F16, 4: F32, 8: F64}[kind.itemsize]).view(np.uint8)
        if name.startswith("bf"):
            return floats(rng, count, BF16).view(np.uint8)
        return rng.integers(0, 256, count * kind.itemsize, np.uint8)

    count = size // product.element
    tile = elements(product.result, count * count).reshape(count, -1)
    rows, columns = (elements(kind, size // kind.itemsize) for kind in (product.first, product.second))
    masks = [rng.integers(0, 4, size) > 0 for _ in range(2)]
    return tile, rows, columns, *masks


def run(server: Server, name: str, size: int, seeds: range, fpcr: int = 0) -> None:
    code = outer_code(name)
    element = OUTER_PRODUCTS[name].element
    for seed in seeds:
        rng = np.random.default_rng([seed, size, fpcr])
        tile, rows, columns, row_mask, column_mask = operands(rng, name, size)
        za = Matrix(size)
        za.switch(streaming=True, enabled=True)
        za.tile(0, element)[:] = tile.view(f"u{element}")
        za.outer(name, 0, rows, columns, row_mask, column_mask, Environment.of_fpcr(fpcr))
        packed = [np.packbits(mask, bitorder="little") for mask in (row_mask, column_mask)]
        got = tile.copy()
        server.call(code, rows, columns, *packed, got, fpcr, streaming_bits=8 * size)
        assert_same(
            za.tile(0, element).reshape(-1), got.view(f"u{element}").reshape(-1), tile.view(f"u{element}").reshape(-1)
        )


def require(server: Server, name: str) -> None:
    """Skip if the emulator lacks an instruction or is known to compute it wrongly."""
    base = name.replace("mops", "mopa")
    feature = next((feature for suffix, feature in FEATURES.items() if base.endswith(suffix)), "SME")
    if base[0] in "su" and base.endswith(".s.h"):
        feature = "SME2"
    reason = server.features()[feature]
    if reason:
        pytest.skip(f"{name}: {server.command[0] if server.command else 'this machine'}: {feature}: {reason}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_as_arm(aarch64: Server, name: str, size: int) -> None:
    require(aarch64, name)
    for fpcr in FPCRS:
        run(aarch64, name, size, range(6), fpcr)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_as_arm(aarch64: Server, name: str, size: int) -> None:
    require(aarch64, name)
    run(aarch64, name, size, range(10))


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_as_python_integers(name: str) -> None:
    """Results follow the definition: products of active pairs of elements, summed modulo the size of an element."""
    product = OUTER_PRODUCTS[name]
    rng = np.random.default_rng(1)
    size = 32
    tile, rows, columns, row_mask, column_mask = operands(rng, name, size)
    za = Matrix(size)
    za.switch(streaming=True, enabled=True)
    za.tile(1, product.element)[:] = tile.view(f"u{product.element}")
    za.outer(name, 1, rows, columns, row_mask, column_mask)
    a, b, step = rows.view(product.first), columns.view(product.second), product.first.itemsize
    got = za.tile(1, product.element).view(product.result)
    for i in range(size // product.element):
        for j in range(size // product.element):
            total = int(tile.view(product.result)[i, j])
            for k in range(product.group):
                p, q = product.group * i + k, product.group * j + k
                if row_mask[p * step] and column_mask[q * step]:
                    total += (-1 if product.subtracts else 1) * int(a[p]) * int(b[q])
            bits = 8 * product.element
            assert int(got[i, j]) == (total + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def test_tiles_are_interleaved_vectors() -> None:
    za = Matrix(32)
    za.switch(enabled=True)
    za.bytes[:] = np.arange(32)[:, None]
    assert za.tile(1, 4)[:, 0].tolist() == [0x01010101 * row for row in range(1, 32, 4)]
    assert za.tile(0, 1).shape == (32, 32) and za.tile(15, 16).shape == (2, 32)
    za.slice(3, 8, 5, vertical=False)[:] = 7  # slice 5 modulo 4 slices is the second one: vector 3 + 8
    assert (za.vector(11).view(np.uint64) == 7).all()
    za.slice(0, 16, 1, vertical=True)[:] = 9
    assert (za.bytes[::16, 16:] == 9).all() and not (za.bytes[::16, :16] == 9).any()
    za.zero(0b0000_1001)
    assert not za.bytes[0::8].any() and not za.bytes[3::8].any() and za.bytes[1::8].all()


def test_modes() -> None:
    za = Matrix(16)
    with pytest.raises(CannotRun, match="ZA is off"):
        za.tile(0, 4)
    assert za.switch(streaming=True, enabled=True)  # the change of mode clears the vectors
    za.bytes[:] = 1
    assert not za.switch(streaming=True)  # it was on already
    assert za.bytes.all()
    assert za.switch(streaming=False)
    with pytest.raises(CannotRun, match="outside of streaming mode"):
        za.outer("fmopa.s", 0, *[np.zeros(16, np.uint8)] * 2, *[np.ones(16, bool)] * 2)
    za.switch(enabled=False)
    za.switch(enabled=True)
    assert not za.bytes.any()
