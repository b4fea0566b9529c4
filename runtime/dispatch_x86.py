"""The x86-64 code of a handle: finds the kernel of the arguments' type and shape, and goes on in its entry.

The handle's constants are two words: the type ndarray, and the address of a table, which one store replaces.

    table    mask | record 0 | record 1 | ...                     as many records as the mask + 1, a power of two
    record   m | k | n | type number | kernel | entry             kernel 0: free

A record's place is a hash of its key, or the next free one after it: a search costs the same for any number of kernels.
Only what is needed to read the key is checked here; the kernel's entry checks everything.
"""

from __future__ import annotations

from ..encoder.code import Code
from ..encoder.features import TARGETS
from ..encoder.x86.assembler import X86Assembler
from ..encoder.x86.registers import dword, ptr, qword
from . import cpython
from .entry_x86 import Runtime
from .guards_x86 import ecx, r8, r9, r10, r11, rax, rbx, rcx, rdi, rdx, rsi

RECORD = 6  # words
FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
"""Of k, n and the type number in the hash: xxHash's primes."""


def place(m: int, k: int, n: int, number: int, mask: int) -> int:
    """Where the search for a key begins."""
    total = m + sum(factor * value for factor, value in zip(FACTORS, (k, n, number)))
    return ((total * FACTORS[0] & 0xFFFF_FFFF_FFFF_FFFF) >> 32) & mask


def emit(runtime: Runtime) -> Code:
    """PyObject *dispatch(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)."""
    asm = X86Assembler(TARGETS["avx2"])
    slow, fail = asm.label("slow"), asm.label("fail")
    asm.here("dispatch")
    asm.endbr64()
    asm.test(rcx, rcx)
    asm.jne(slow)
    asm.lea(rax, ptr[rdx + rdx])
    asm.cmp(rax, 2 * 2)
    asm.jb(slow)
    asm.mov(r11, qword[rdi + runtime.constants])
    for position, dimensions in enumerate((r8, r9)):
        asm.mov(rax, qword[rsi + 8 * position])
        asm.mov(rcx, qword[rax + cpython.TYPE])
        asm.cmp(rcx, qword[r11])
        asm.jne(fail)
        asm.cmp(dword[rax + cpython.RANK], 2)
        asm.jne(fail)
        asm.mov(dimensions, qword[rax + cpython.DIMENSIONS])
        if position == 0:
            asm.mov(r10, qword[rax + cpython.DTYPE])
            asm.movsxd(r10, dword[r10 + cpython.TYPE_NUMBER])
    asm.mov(r11, qword[r11 + 8])  # the table
    asm.push(rbx)
    asm.push(rdx)
    asm.mov(rdx, qword[r8 + 8])  # k
    asm.mov(r8, qword[r8])  # m
    asm.mov(r9, qword[r9 + 8])  # n
    asm.mov(rax, r8)
    for value, factor in zip((rdx, r9, r10), FACTORS):
        asm.mov(ecx, factor)
        asm.imul(rcx, value)
        asm.add(rax, rcx)
    asm.mov(ecx, FACTORS[0])
    asm.imul(rax, rcx)
    asm.shr(rax, 32)
    following, search, missed = asm.label("next"), asm.label("search"), asm.label("missed")
    asm.jmp(search)
    asm.bind(following)
    asm.add(rax, 1)
    asm.bind(search)
    asm.and_(rax, qword[r11])
    asm.imul(rcx, rax, 8 * RECORD)
    asm.lea(rcx, ptr[r11 + rcx + 8])
    asm.mov(rbx, qword[rcx + 32])
    asm.test(rbx, rbx)
    asm.je(missed)
    for i, value in enumerate((r8, rdx, r9, r10)):
        asm.cmp(value, qword[rcx + 8 * i])
        asm.jne(following)
    asm.mov(rdi, rbx)
    asm.mov(rax, qword[rcx + 40])
    asm.pop(rdx)
    asm.pop(rbx)
    asm.xor(ecx, ecx)
    asm.jmp(rax)
    asm.bind(missed)
    asm.pop(rdx)
    asm.pop(rbx)
    asm.bind(fail)
    asm.xor(ecx, ecx)
    asm.bind(slow)
    asm.mov(rdi, qword[rdi + runtime.slow])
    asm.mov(rax, runtime.vectorcall)
    asm.jmp(rax)
    return asm.finish("ts_dispatch")
