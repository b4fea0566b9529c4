"""The x86-64 code that makes an ndarray of another library's array: PyObject *view(self, args, nargsf, kwnames).

Takes one argument, which must be of the type that the exchange functions belong to. DLPack's function describes it in
a DLTensor on the stack; the result is an ndarray of the same memory with the argument as its base, or None.

    DLTensor    0 data   8 device type (int32)   16 rank (int32)   20 type: code, bits (uint8), lanes (uint16)
                24 shape (int64 *)   32 strides, in elements (int64 *), may be NULL   40 byte offset

Sources: dlpack.h 1.3; numpy/core/code_generators/numpy_api.py for the numbers of numpy's functions.
"""

from __future__ import annotations

from typing import NamedTuple

from ..encoder.code import Code
from ..encoder.features import TARGETS
from ..encoder.x86.abi import ARGUMENTS
from ..encoder.x86.assembler import X86Assembler
from ..encoder.x86.registers import dword, ptr, qword
from .guards_x86 import eax, ecx, edx, r8, r10, r11, r12, rax, rbp, rbx, rcx, rdi, rdx, rsi, rsp

DATA, DEVICE, RANK, KIND, SHAPE, STRIDES, OFFSET = 0, 8, 16, 20, 24, 32, 40
CPU, MOST_AXES = 1, 8
_STACK, _BYTE_STRIDES, _FRAME = (
    24,
    80,
    80 + 8 * MOST_AXES,
)  # DLTensor between the arguments on the stack and its strides
WRITEABLE = 0x400


class Functions(NamedTuple):
    """Addresses. `dtypes`: (type as DLPack's four bytes, element's bytes, dtype object)."""

    describe: int  # DLPackDLTensorFromPyObjectNoSync
    new: int  # PyArray_NewFromDescr
    set_base: int  # PyArray_SetBaseObject
    inc_ref: int
    clear: int  # PyErr_Clear
    array_type: int
    none: int
    dtypes: tuple[tuple[int, int, int], ...]


def emit(functions: Functions) -> Code:
    """The code for one library's functions."""
    asm = X86Assembler(TARGETS["avx2"])
    none, known = asm.label("none"), asm.label("known")
    saved = (rbx, rbp, r12)

    def call(address: int) -> None:
        asm.mov(rax, address)
        asm.call(rax)

    def leave() -> None:
        asm.add(rsp, _FRAME)
        for register in reversed(saved):
            asm.pop(register)
        asm.ret()

    asm.here("view")
    asm.endbr64()
    for register in saved:
        asm.push(register)
    asm.sub(rsp, _FRAME)  # with three pushes: aligned to 16 bytes at the calls
    asm.mov(rbx, qword[rsi])
    asm.mov(rdi, rbx)
    asm.lea(rsi, ptr[rsp + _STACK])
    call(functions.describe)
    asm.test(eax, eax)
    asm.jne(none)
    asm.cmp(dword[rsp + _STACK + DEVICE], CPU)
    asm.jne(none)
    asm.mov(ecx, dword[rsp + _STACK + RANK])
    asm.cmp(ecx, MOST_AXES)
    asm.ja(none)
    asm.mov(eax, dword[rsp + _STACK + KIND])
    for kind, size, dtype in functions.dtypes:
        other = asm.label()
        asm.cmp(eax, kind)
        asm.jne(other)
        asm.mov(rbp, dtype)
        asm.mov(edx, size)
        asm.jmp(known)
        asm.bind(other)
    asm.jmp(none)
    asm.bind(known)
    _byte_strides(asm, none)
    asm.mov(rdi, rbp)
    call(functions.inc_ref)  # the new array takes this reference over
    asm.mov(rdi, functions.array_type)
    asm.mov(rsi, rbp)
    asm.mov(edx, dword[rsp + _STACK + RANK])
    asm.mov(rcx, qword[rsp + _STACK + SHAPE])
    asm.lea(r8, ptr[rsp + _BYTE_STRIDES])
    asm.mov(ARGUMENTS[5], qword[rsp + _STACK + DATA])
    asm.add(ARGUMENTS[5], qword[rsp + _STACK + OFFSET])
    asm.mov(qword[rsp], WRITEABLE)
    asm.mov(qword[rsp + 8], 0)
    call(functions.new)
    asm.mov(r12, rax)
    asm.test(rax, rax)
    asm.je(none)
    asm.mov(rdi, rbx)
    call(functions.inc_ref)  # the array's base takes this one over
    asm.mov(rdi, r12)
    asm.mov(rsi, rbx)
    call(functions.set_base)
    asm.mov(rax, r12)
    leave()
    asm.bind(none)
    call(functions.clear)
    asm.mov(rdi, functions.none)
    call(functions.inc_ref)
    asm.mov(rax, functions.none)
    leave()
    return asm.finish("ts_view")


def _byte_strides(asm: X86Assembler, none: object) -> None:
    """Strides of rcx axes in bytes, elements of rdx bytes; where DLPack gives none the array is dense, in C order."""
    dense, done, given = asm.label("dense"), asm.label("done"), asm.label("given")
    asm.test(ecx, ecx)
    asm.je(done)
    asm.mov(r10, qword[rsp + _STACK + STRIDES])
    asm.test(r10, r10)
    asm.je(dense)
    asm.bind(given)
    asm.mov(rax, qword[r10 + rcx * 8 - 8])
    asm.imul(rax, rdx)
    asm.mov(qword[rsp + rcx * 8 + (_BYTE_STRIDES - 8)], rax)
    asm.dec(rcx)
    asm.jne(given)
    asm.jmp(done)
    asm.bind(dense)
    asm.mov(r11, qword[rsp + _STACK + SHAPE])
    with asm.loop(rcx):
        asm.mov(qword[rsp + rcx * 8 + (_BYTE_STRIDES - 8)], rdx)
        asm.imul(rdx, qword[r11 + rcx * 8 - 8])
    asm.bind(done)
