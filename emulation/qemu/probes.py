"""Probe the features of the guest's processor with known answers: a feature counts if its instruction computes them.

An emulator may lack an instruction (SIGILL), or may have it and compute something else. Inputs are small integers, so
every answer is exact in any order of summation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.names import PATTERNS
from ...encoder.a64.registers import ZA, D, P, Q, V, W, X, Z, listed, mem, sp, za
from ...encoder.a64.targets import IMPLIES
from ...encoder.code import Code
from ...encoder.features import Target
from ...encoder.records import NamedTuple

Array = np.ndarray[Any, Any]
Emit = Callable[[A64Assembler], None]
Answer = Callable[[Array, Array, Array], Any]  # a function of integers

LENGTHS = (128, 256, 512, 1024, 2048)
"""The vector lengths in bits that are tried. The architecture permits others."""

_EVERYTHING = Target("probe", "a64", "neon", frozenset(IMPLIES).union(*IMPLIES.values()), vector_bits=128, fma_bits=128)


class Probe(NamedTuple):
    """One instruction of a feature. It updates accumulators (register 0) with elements (registers 1 and 2) by the rule
    `answer`."""

    feature: str
    frame: Callable[[A64Assembler, Emit], None]  # loads the registers and stores the result
    emit: Emit
    elements: str
    accumulators: str
    answer: Answer
    bits: int = 128  # the vector length

    @property
    def scalable(self) -> bool:
        """Whether the instruction depends on a vector length."""
        return self.frame is not _neon

    @property
    def streaming(self) -> bool:
        """Whether it depends on the vector length of streaming mode."""
        return self.frame not in (_neon, _scalable)

    def code(self) -> Code:
        """Return the code of f(accumulators, elements, elements), whose first array becomes the result."""
        asm = A64Assembler(_EVERYTHING)
        self.frame(asm, self.emit)
        return asm.finish(f"probe_{self.feature}")

    def case(self) -> tuple[Array, Array, Array, Array]:
        """Return accumulators, two vectors of elements, and the expected accumulators."""
        count = self.bits // 8 // _packed(self.elements, np.zeros(1)).itemsize
        start = _accumulators(self)
        x, y = (np.arange(count) * factor % modulus - modulus // 2 for factor, modulus in ((7, 11), (5, 9)))
        wanted = self.answer(start, x, y)
        return (
            _packed(self.accumulators, start),
            _packed(self.elements, x),
            _packed(self.elements, y),
            _packed(self.accumulators, wanted),
        )


def _accumulators(probe: Probe) -> Array:
    count = probe.bits // 8 // np.dtype(probe.accumulators).itemsize
    shape = (count, count) if probe.frame in (_tile_s, _tile_d) else (count,)
    return np.zeros(shape, int) if len(shape) == 2 else np.arange(count) % 5


def _packed(kind: str, values: Array) -> Array:
    """Convert numbers to elements; "bf16" is the upper half of f32."""
    if kind == "bf16":
        return (values.astype("f4").view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(kind)


# Frames


def _neon(asm: A64Assembler, emit: Emit) -> None:
    for i in range(3):
        asm.ldr(Q[i], mem[X[i]])
    emit(asm)
    asm.str(Q[0], mem[X[0]])
    asm.ret()


def _scalable(asm: A64Assembler, emit: Emit) -> None:
    asm.ptrue(P[0].b, PATTERNS["all"])
    for i in range(3):
        asm.ldr(Z[i], mem[X[i]])
    emit(asm)
    asm.str(Z[0], mem[X[0]])
    asm.ret()


def _streaming(asm: A64Assembler, body: Emit) -> None:
    """Emit the body in streaming mode with ZA. Switching the mode on and off clears the vector registers."""
    asm.sub(sp, sp, 64)
    for i in range(0, 8, 2):
        asm.stp(D[8 + i], D[9 + i], mem[sp, 8 * i])
    asm.smstart()
    asm.ptrue(P[0].b, PATTERNS["all"])
    for i in range(3):
        asm.ldr(Z[i], mem[X[i]])
    asm.zero(za)
    body(asm)
    asm.smstop()
    for i in range(0, 8, 2):
        asm.ldp(D[8 + i], D[9 + i], mem[sp, 8 * i])
    asm.add(sp, sp, 64)
    asm.ret()


def _streaming_vector(asm: A64Assembler, emit: Emit) -> None:
    def body(asm: A64Assembler) -> None:
        emit(asm)
        asm.str(Z[0], mem[X[0]])

    _streaming(asm, body)


def _tile_s(asm: A64Assembler, emit: Emit) -> None:
    _tile(asm, emit, "s", asm.st1w)


def _tile_d(asm: A64Assembler, emit: Emit) -> None:
    _tile(asm, emit, "d", asm.st1d)


def _tile(asm: A64Assembler, emit: Emit, element: str, store: Callable[..., None]) -> None:
    """Store the whole tile 0, because a wrong answer may be in any of its rows."""

    def body(asm: A64Assembler) -> None:
        emit(asm)
        asm.rdsvl(X[3], 1)
        asm.lsr(X[4], X[3], 2 if element == "s" else 3)
        asm.load_immediate(W[12], 0)
        with asm.loop(X[4]):
            store(ZA[0].view(element).h[W[12], 0], P[0], mem[X[0]])
            asm.add(X[0], X[0], X[3])
            asm.add(W[12], W[12], 1)

    _streaming(asm, body)


def _groups(asm: A64Assembler) -> None:
    """Compute z0 = z0 * z2 by way of two vectors of ZA."""
    asm.load_immediate(W[8], 0)
    asm.fmla(za.s[W[8], 0, 2], listed(Z[0].s, Z[1].s), Z[2].s)
    asm.mova(listed(Z[0].d, Z[1].d), za.d[W[8], 0, 2])


# Answers


def _each(acc: Array, x: Array, y: Array) -> Any:
    return acc + x * y


def _dot(acc: Array, x: Array, y: Array) -> Any:
    return acc + (x * y).reshape(len(acc), -1).sum(1)


def _low(acc: Array, x: Array, y: Array) -> Any:
    return acc + (x * y)[: len(acc)]


def _even(acc: Array, x: Array, y: Array) -> Any:
    return acc + (x * y)[::2]


def _matrices(acc: Array, x: Array, y: Array) -> Any:
    """Return 2x2 += 2xk @ kx2 for each group of four accumulators; the second factor is stored by columns."""
    rows = [operand.reshape(len(acc) // 4, 2, -1) for operand in (x, y)]
    return acc + np.einsum("gik,gjk->gij", *rows).reshape(-1)


def _outer(acc: Array, x: Array, y: Array) -> Any:
    return acc + x.reshape(len(acc), -1) @ y.reshape(len(acc), -1).T


def _product(acc: Array, x: Array, y: Array) -> Any:
    return acc * y


# fmt: off
PROBES = (
    Probe("NEON", _neon, lambda a: a.fmla(V[0].s4, V[1].s4, V[2].s4), "f4", "f4", _each),
    Probe("FP16", _neon, lambda a: a.fmla(V[0].h8, V[1].h8, V[2].h8), "f2", "f2", _each),
    Probe("FHM", _neon, lambda a: a.fmlal(V[0].s4, V[1].h4, V[2].h4), "f2", "f4", _low),
    Probe("DOTPROD", _neon, lambda a: a.sdot(V[0].s4, V[1].b16, V[2].b16), "i1", "i4", _dot),
    Probe("BF16", _neon, lambda a: a.bfmmla(V[0].s4, V[1].h8, V[2].h8), "bf16", "f4", _matrices),
    Probe("I8MM", _neon, lambda a: a.smmla(V[0].s4, V[1].b16, V[2].b16), "i1", "i4", _matrices),
    Probe("SVE", _scalable, lambda a: a.fmla(Z[0].s, P[0].m, Z[1].s, Z[2].s), "f4", "f4", _each),
    Probe("F32MM", _scalable, lambda a: a.fmmla(Z[0].s, Z[1].s, Z[2].s), "f4", "f4", _matrices),
    Probe("F64MM", _scalable, lambda a: a.fmmla(Z[0].d, Z[1].d, Z[2].d), "f8", "f8", _matrices, 256),
    Probe("SVE2", _scalable, lambda a: a.smlalb(Z[0].s, Z[1].h, Z[2].h), "i2", "i4", _even),
    Probe("SVE2p1", _scalable, lambda a: a.sdot(Z[0].s, Z[1].h, Z[2].h), "i2", "i4", _dot),
    Probe("SME", _tile_s, lambda a: a.fmopa(ZA[0].s, P[0].m, P[0].m, Z[1].s, Z[2].s), "f4", "f4", _outer),
    Probe("SME_F16F32", _tile_s, lambda a: a.fmopa(ZA[0].s, P[0].m, P[0].m, Z[1].h, Z[2].h), "f2", "f4", _outer),
    Probe("SME_B16F32", _tile_s, lambda a: a.bfmopa(ZA[0].s, P[0].m, P[0].m, Z[1].h, Z[2].h), "bf16", "f4", _outer),
    Probe("SME_I8I32", _tile_s, lambda a: a.smopa(ZA[0].s, P[0].m, P[0].m, Z[1].b, Z[2].b), "i1", "i4", _outer),
    Probe("SME_F64F64", _tile_d, lambda a: a.fmopa(ZA[0].d, P[0].m, P[0].m, Z[1].d, Z[2].d), "f8", "f8", _outer),
    Probe("SME_I16I64", _tile_d, lambda a: a.smopa(ZA[0].d, P[0].m, P[0].m, Z[1].h, Z[2].h), "i2", "i8", _outer),
    Probe("SME2", _streaming_vector, _groups, "f4", "f4", _product),
)
# fmt: on
"""One probe for each feature that kernels are generated for. SME_F16F32, SME_B16F32 and SME_I8I32 are parts of SME that
Linux reports separately (HWCAP2) and that emulators get wrong separately."""
