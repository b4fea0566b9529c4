"""Patterns: instructions that are appended again with other displacements equal newly emitted ones."""

import random
from typing import NamedTuple

import pytest

import tilesmith as ts
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.forms import pattern
from tilesmith.encoder.x86.registers import REGISTERS, K, mem
from tilesmith.microkernels.machines.x86.core import X86Machine

RAX, R12, R13, RSP, RCX = (REGISTERS[name] for name in ("rax", "r12", "r13", "rsp", "rcx"))
XMM1, YMM2, ZMM3, ZMM20 = (REGISTERS[name] for name in ("xmm1", "ymm2", "zmm3", "zmm20"))
DISTANCES = (0, 4, 8, 60, 64, -64, 128, 127, -128, -129, 8128, 8192, 1 << 20, -(1 << 20))
FORWARD = tuple(each for each in DISTANCES if each >= 0)


class Emitting(NamedTuple):
    """The part of a machine that a pattern uses."""

    asm: X86Assembler


def body(asm, a, b, c):
    """Emit instructions of each encoding, with and without indices, masks, broadcasts and immediates."""
    asm.vmovups(ZMM3, mem(RAX, a))
    asm.vfmadd231ps(ZMM20, ZMM3, mem(R13, b, None, 1, True))
    asm.vmovups(mem(R12, c).k(K[1]), ZMM20)
    asm.vaddps(YMM2, YMM2, YMM2)
    asm.vinsertps(XMM1, XMM1, mem(R13, b, RCX, 4), 16)
    asm.vmovups(YMM2, mem(RSP, 32))
    asm.add(mem(RAX, a)._with(size=64), 5)
    asm.vblendvps(YMM2, YMM2, mem(RAX, a, RCX, 8), YMM2)


@pytest.mark.parametrize("seed", range(20))
def test_a_pattern_equals_emitted_instructions(seed):
    draw = random.Random(seed)
    starts = [draw.choice(DISTANCES) for _ in range(3)]
    again, anew = X86Assembler(TARGETS["avx512"]), X86Assembler(TARGETS["avx512"])
    body(anew, *starts)
    repeated = pattern(Emitting(again), lambda: body(again, *starts), (RAX, R13, R12))
    for _ in range(8):
        distances = [draw.choice(FORWARD if seed % 2 else DISTANCES) for _ in range(3)]
        repeated.append(distances)
        body(anew, *map(sum, zip(starts, distances)))
    made, meant = again.finish("same"), anew.finish("same")
    assert made.data == meant.data
    for syntax in ("intel", "gas"):
        assert listing(made, syntax) == listing(meant, syntax)


def test_labels_and_notes_make_no_pattern():
    asm = X86Assembler(TARGETS["avx512"])
    assert pattern(Emitting(asm), lambda: asm.jmp(asm.here()), (RAX,)) is None
    assert pattern(Emitting(asm), lambda: asm.note("here"), (RAX,)) is None
    assert pattern(Emitting(asm), lambda: asm.vmovups(XMM1, mem(RAX)), (RAX,)) is not None


def test_a_displacement_that_does_not_fit_is_an_error():
    asm = X86Assembler(TARGETS["avx512"])
    repeated = pattern(Emitting(asm), lambda: asm.vmovups(XMM1, mem(RAX, 8)), (RAX,))
    with pytest.raises(EncodeError, match="displacement 2147483651 does not fit 32 bits"):
        repeated.append([0x7FFF_FFFB])


@pytest.mark.parametrize("target", ["sse", "avx", "avx2", "avx512"])
def test_kernels_are_the_same_without_patterns(target, monkeypatch):
    """Products with remainders of k, one to three leftover rows, several sets, and leading dimensions of the call."""
    requests = [
        (13, 18, 27, {}),
        (29, 34, 59, {}),
        (4, 4, 200, {}),
        (3, 24, 70, {"order": "F", "lda": ts.RUNTIME}),
        (21, 9, 8, {"alpha": 2.0, "beta": 3.0}),
        (9, 1, 40, {"ldb": ts.RUNTIME}),
    ]

    def listings():
        ts.brgemm.cache_clear()
        made = [ts.brgemm(*shape, target=target, **more) for *shape, more in requests]
        return [kernel.listing() for kernel in made]

    asked = []
    with_patterns = listings()
    monkeypatch.setattr(X86Machine, "pattern", lambda self, emit, bases: asked.append(emit()))
    assert listings() == with_patterns
    assert asked


def test_instructions_before_repeated_ones_are_removed():
    again, anew = X86Assembler(TARGETS["avx512"]), X86Assembler(TARGETS["avx512"])
    for asm in (again, anew):
        asm.vaddps(YMM2, YMM2, YMM2)
        asm.vmulps(YMM2, YMM2, YMM2)
    pattern(Emitting(again), lambda: body(again, 0, 0, 0), (RAX, R13, R12)).append((64, -129, 1 << 20))
    body(anew, 0, 0, 0)
    body(anew, 64, -129, 1 << 20)
    for asm in (again, anew):
        asm.remove(4, 8)
    made, meant = again.finish("same"), anew.finish("same")
    assert made.data == meant.data and made.features == meant.features and listing(made) == listing(meant)
