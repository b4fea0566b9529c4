"""Code of a few instructions for the tests of the emulator, and the fault that a call of it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tilesmith.emulation.cpu import Fault, call
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.targets import TARGETS as A64_TARGETS
from tilesmith.encoder.features import TARGETS, Target
from tilesmith.encoder.x86 import registers as x86
from tilesmith.encoder.x86.assembler import X86Assembler

AVX2, AVX512, NEON, SVE = TARGETS["avx2"], TARGETS["avx512"], A64_TARGETS["neon"], A64_TARGETS["sve256"]
R = {reg.name: reg for reg in x86.R64}
rdi, rsi, rax, rcx, rsp, rbx = (R[name] for name in ("rdi", "rsi", "rax", "rcx", "rsp", "rbx"))
X = a64.X


def assembled(target: Target, emit: Callable[[Any], None], ends: bool = True) -> bytes:
    """Return the bytes of what `emit` appends, followed by a return."""
    asm: Any = (X86Assembler if target.arch == "x86" else A64Assembler)(target)
    emit(asm)
    if ends:
        asm.ret()
    return bytes(asm.finish("test").data)


def fault_of(code: bytes, target: Target, *arguments: Any, **options: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        call(code, target, *arguments, **options)
    return caught.value
