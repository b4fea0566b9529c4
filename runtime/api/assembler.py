"""`ts.assembler`: write instructions by hand, for any target, and call the result."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, overload

from ...encoder.deferred import deferred
from ...encoder.features import Target
from ..host import detect as host

if TYPE_CHECKING:
    from ..handwritten.assemblers import A64ByHand, X86ByHand
    from .typed import A64Name, X86Name

_NAMES = {"x86": "X86ByHand", "a64": "A64ByHand"}


@deferred
def _assemblers() -> ModuleType:
    from ..handwritten import assemblers

    return assemblers


@overload
def assembler(target: X86Name) -> X86ByHand: ...
@overload
def assembler(target: A64Name) -> A64ByHand: ...
@overload
def assembler(target: str | Target | None = None) -> X86ByHand | A64ByHand: ...
def assembler(target: str | Target | None = None) -> X86ByHand | A64ByHand:
    """Return an assembler for a target name; None means this host. Its methods are instructions, `finish` returns the
    code, and `code.kernel(declaration)` returns a callable that takes arrays.

        from tilesmith.x86 import ptr, rdi, rsi, rdx, ymm0       # for AArch64: tilesmith.a64
        asm = ts.assembler("avx2")
        asm.vmovups(ymm0, ptr[rsi])
        asm.vmovups(ptr[rdi], ymm0)
        asm.ret()
        copy8 = asm.finish("copy8").kernel("void copy8(float y[8], const float x[8])")

    Every operand is checked. An EncodeError names the operand and the available forms, or the feature that the target
    lacks and the targets that have it. `tilesmith docs assembler` prints the guide. Raises UnsupportedError for a
    target that is not one of `ts.targets()`.
    """
    found = host.resolve(target)
    made: X86ByHand | A64ByHand = getattr(_assemblers(), _NAMES[found.arch])(found)
    return made
