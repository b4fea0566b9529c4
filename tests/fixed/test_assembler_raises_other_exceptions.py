"""Wrong operands must raise an EncodeError that names them; each operand below raised another exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import lsl, system_register
from tilesmith.encoder.a64.registers import ZA, V, W, X, listed, mem, tiles, vl
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.decode import decode, disassemble
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import R64, ZMM, Address, Mem, ptr

rax, z1 = R64[0], ZMM[1]
HUGE = 1 << 20_000


def looped(asm: Any, *arguments: Any) -> None:
    with asm.loop(*arguments):
        asm.nop()


X86: list[tuple[Callable[[X86Assembler], Any], str]] = [
    (lambda a: a.jrcxz(128), "jrcxz 128: a distance that does not fit 8 bits"),
    (lambda a: a.jrcxz(-129), "-129"),
    (lambda a: a.const_f32(1e39), r"1e\+39: is too large for 32 bits"),
    (lambda a: a.const_f64(HUGE), "integer of 20001 bits: is too large for 64 bits"),
    (lambda a: a.const_f32("1"), "'1': is not a real number"),
    (lambda a: a.const(5), "5: is not bytes"),
    (lambda a: a.const(np.array([None])), "array.*: is not bytes"),
    (lambda a: a.const("x"), "'x': is not bytes"),
    (lambda a: ptr[rax * 1.0], "1.0: is not a Python integer"),
    (lambda a: ptr[rax + 1.5], "1.5: is not a Python integer"),
    (lambda a: ptr[rax - rax], "rax: is not a Python integer"),
    (lambda a: ptr[None], r"\[None\]: an address"),
    (lambda a: ptr[ptr[rax]], r"\[\[rax\]\]: an address"),
    (lambda a: ptr[Address(index=5)], "5: an address"),  # type: ignore[arg-type]
    (lambda a: ptr[HUGE], "integer of 20001 bits does not fit"),
    (lambda a: Mem("rax"), "'rax': a base"),  # type: ignore[arg-type]
    (lambda a: Mem(label="end"), "'end': is not a label"),  # type: ignore[arg-type]
    (lambda a: Mem(rax, size=33), "size 33"),
    (lambda a: Mem(rax, broadcast=3), "broadcast 3"),
    (lambda a: Mem(index=z1, broadcast=1, mask=NotImplemented), "NotImplemented: memory is masked by"),
    (lambda a: z1.k("k1"), "'k1'"),  # type: ignore[arg-type]
    (lambda a: ptr[rax].k(None), "None: memory is masked by"),  # type: ignore[arg-type]
    (lambda a: ptr[rax].to("4"), "'4'"),  # type: ignore[arg-type]
    (lambda a: a.mov(rax, [1]), r"\[1\] is not a Python integer"),
    (lambda a: a.mov(rax, HUGE), "integer of 20001 bits"),
    (lambda a: a.bind("end"), "'end': is not a label"),
    (lambda a: a.label(5), "5: a name is a string"),
    (lambda a: a.note(None), "None: a name is a string"),
    (lambda a: a.finish(None), "None: a name is a string"),
    (lambda a: a.align("16"), "'16': is not a Python integer"),
    (lambda a: looped(a, rax, 4, "16"), "'16': is not a Python integer"),
    (lambda a: X86Assembler("avx2"), "'avx2': is not a Target"),  # type: ignore[arg-type]
    (lambda a: decode(b"\x90", -1), "offset -1"),
    (lambda a: decode(5), "5: code must be bytes"),  # type: ignore[arg-type]
    (lambda a: disassemble(b"\x90", ["x86"]), r"\['x86'\]"),  # type: ignore[arg-type]
]
A64: list[tuple[Callable[[A64Assembler], Any], str]] = [
    (lambda a: a.and_(X[0], X[1], 1.5), "1.5 is not a Python integer"),
    (lambda a: a.add(X[0], X[1], 5.0), "5.0 is not a Python integer"),
    (lambda a: a.ldr(X[0], mem[X[1], [8]]), r"\[x1, \[8\]\]|\(x1, \[8\]\)"),
    (lambda a: mem[X[1], 8, 8], "an address is a base register"),
    (lambda a: X[1].lsl("3"), "'3': is not a Python integer"),
    (lambda a: a.add(X[0], X[1], X[1].lsl(HUGE)), "must be shifted by lsl"),
    (lambda a: V[0].s[[1]], r"\[1\]: is not a Python integer"),
    (lambda a: V[0].view(["4s"]), r"\['4s'\]: an arrangement is one of"),
    (lambda a: listed(V[0].s4, 5), "5: is not a register"),  # type: ignore[arg-type]
    (lambda a: tiles(5), "5: is not a tile"),  # type: ignore[arg-type]
    (lambda a: "2" * vl, "'2': is not a Python integer"),
    (lambda a: ZA[0].s.h[W[12]], "w12"),
    (lambda a: ZA[0].s.h[W[12], 0:4:2], "a range of offsets has no step"),
    (lambda a: a.mova(ZA[0].s.h[W[12], 0.5], X[0], X[0]), "0.5: is not a Python integer"),
    (lambda a: lsl([16]), r"\[16\]: is not a Python integer"),
    (lambda a: system_register(3, "8", 0, 0, 0), "'8': is not a Python integer"),  # type: ignore[arg-type]
    (lambda a: a.load_immediate("x0", 5), "'x0' is not a general register"),
    (lambda a: a.load_immediate(X[0], 1.5), "1.5: is not a Python integer"),
    (lambda a: looped(a, X[0], 1.5), "1.5: is not a Python integer"),
    (lambda a: a.mov(X[0], np.array([1, 2])), r"array\(\[1, 2\]\)"),
]


@pytest.mark.parametrize(("attempt", "message"), X86)
def test_x86_names_the_operand(attempt: Any, message: str):
    with pytest.raises(EncodeError, match=message):
        attempt(X86Assembler(TARGETS["avx512"]))


@pytest.mark.parametrize(("attempt", "message"), A64)
def test_a64_names_the_operand(attempt: Any, message: str):
    with pytest.raises(EncodeError, match=message):
        attempt(A64Assembler(A64_TARGETS["sme512"]))
