"""`ts.assembler`: instructions by hand, for any target, and a callable of what was assembled."""

from __future__ import annotations

from typing import Literal, overload

from ...encoder.a64.assembler import A64Assembler
from ...encoder.features import Target
from ...encoder.x86.assembler import X86Assembler
from ..host import detect as host
from ..kernel.by_hand import HandCode

X86Name = Literal["avx2", "avx512", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx", "amx_fp16"]
A64Name = Literal["neon", "neon_bf16", "sve128", "sve256", "sve512", "sme"]


class X86ByHand(X86Assembler):
    """The x86-64 assembler, whose `finish` returns a code that `kernel` makes callable."""

    result = HandCode

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the pool, bind the labels, check features; the assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code


class A64ByHand(A64Assembler):
    """The AArch64 assembler, whose `finish` returns a code that `kernel` makes callable."""

    result = HandCode

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the pool, bind the labels, check features; the assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code


@overload
def assembler(target: X86Name) -> X86ByHand: ...
@overload
def assembler(target: A64Name) -> A64ByHand: ...
@overload
def assembler(target: str | Target | None = None) -> X86ByHand | A64ByHand: ...
def assembler(target: str | Target | None = None) -> X86ByHand | A64ByHand:
    """An assembler for a target by name, None for this host. Instructions are its methods, `finish` returns the code,
    and `code.kernel(declaration)` a callable that takes arrays.

        from tilesmith.x86 import ptr, rdi, rsi, rdx, ymm0       # for AArch64: tilesmith.a64
        asm = ts.assembler("avx2")
        asm.vmovups(ymm0, ptr[rsi])
        asm.vmovups(ptr[rdi], ymm0)
        asm.ret()
        copy8 = asm.finish("copy8").kernel("void copy8(float y[8], const float x[8])")

    Every operand is checked; EncodeError names the operand and the forms that there are. `finish` refuses instructions
    that the target lacks. `tilesmith docs assembler` prints the guide.
    Raises UnsupportedError for a target that is not one of `ts.targets()`.
    """
    found = host.resolve(target)
    return X86ByHand(found) if found.arch == "x86" else A64ByHand(found)
