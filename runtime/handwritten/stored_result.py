"""Code in front of a hand-written function that stores its result, so that a proof, which compares memory, sees it.

push rcx            ; where the result goes: the argument behind those of the function
mov rcx, r11        ; which the function does not get: r11 is undefined
call function
pop rcx
movss [rcx], xmm0
ret
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.registers import D, S, W, X, mem, sp
from ...encoder.code import CODE_ALIGNMENT, Code
from ...encoder.x86 import names as x86
from ...encoder.x86.assembler import X86Assembler
from ...encoder.x86.registers import ptr
from ...microkernels.errors import UnsupportedError
from ..arguments.c_declaration import Declaration

SIZE = CODE_ALIGNMENT
"""The bytes in front: as many as keep the alignment of the code."""
_X86_ARGUMENTS = x86.rdi, x86.rsi, x86.rdx, x86.rcx, x86.r8, x86.r9
_A64_ARGUMENTS = tuple(X[number] for number in range(8))
_X86_STORES: dict[str, tuple[str, Any]] = {
    "f32": ("movss", x86.xmm0),
    "f64": ("movsd", x86.xmm0),
    "i32": ("mov", x86.eax),
    "u32": ("mov", x86.eax),
    "i64": ("mov", x86.rax),
    "u64": ("mov", x86.rax),
    "i16": ("mov", x86.ax),
    "u16": ("mov", x86.ax),
    "i8": ("mov", x86.al),
    "u8": ("mov", x86.al),
}
_A64_STORES: dict[str, tuple[str, Any]] = {
    "f32": ("str", S[0]),
    "f64": ("str", D[0]),
    "i32": ("str", W[0]),
    "u32": ("str", W[0]),
    "i64": ("str", X[0]),
    "u64": ("str", X[0]),
    "i16": ("strh", W[0]),
    "u16": ("strh", W[0]),
    "i8": ("strb", W[0]),
    "u8": ("strb", W[0]),
}


def storing(code: Code, declared: Declaration) -> Code:
    """Return code that calls the function and stores its result where one more argument, the last, points.

    Raises UnsupportedError if that argument would not be in a general register.
    """
    count, places = len(declared.parameters), _X86_ARGUMENTS if code.arch == "x86" else _A64_ARGUMENTS
    if count >= len(places):
        raise UnsupportedError(
            f"verify: {declared.name} returns a number and has {count} parameters; with at most "
            f"{len(places) - 1} its result can be compared. Let it store the number through a "
            "pointer"
        )
    front = (_x86 if code.arch == "x86" else _a64)(code, declared.result, count)
    assert len(front) == SIZE
    return replace(code, data=front + code.data)


def _x86(code: Code, result: str, count: int) -> bytes:
    asm = X86Assembler(code.target)
    function = asm.label()
    asm.push(_X86_ARGUMENTS[count])
    asm.mov(_X86_ARGUMENTS[count], x86.r11)
    asm.call(function)
    asm.pop(x86.rcx)
    mnemonic, register = _X86_STORES[result]
    getattr(asm, mnemonic)(ptr[x86.rcx], register)
    asm.ret()
    asm.align(SIZE)
    asm.bind(function)
    return asm.finish().data


def _a64(code: Code, result: str, count: int) -> bytes:
    asm = A64Assembler(code.target)
    function = asm.label()
    asm.stp(X[30], _A64_ARGUMENTS[count], mem[sp, -16].pre)
    asm.mov(_A64_ARGUMENTS[count], X[15])
    asm.bl(function)
    asm.ldp(X[30], X[9], mem[sp].post(16))
    mnemonic, register = _A64_STORES[result]
    getattr(asm, mnemonic)(register, mem[X[9]])
    asm.ret(X[30])
    asm.align(SIZE)
    asm.bind(function)
    return asm.finish().data
