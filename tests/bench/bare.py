"""Bare loops in x86-64: the loads and stores of a kernel, and no arithmetic. They bound kernels that move memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tilesmith as ts
from tilesmith import x86
from tilesmith.runtime.bench.measure import NativeCall
from tilesmith.runtime.bench.operands import address_of

PIECE = 16
STEP = 256  # bytes of a row in one pass of the loop
AT_ONCE = 64
"""The elements for which the loop of a step loads all operands before it stores."""
POINTERS = x86.rdi, x86.rsi, x86.rdx, x86.rcx
WIDTH = 64 if "AVX512F" in ts.host().features else 32


def vector(number: int, width: int = WIDTH) -> Any:
    """Return a register of this many bytes."""
    return getattr(x86, f"{'xyz'[(16, 32, 64).index(width)]}mm{number}")


def called(asm: Any, arrays: Sequence[Any]) -> NativeCall:
    """Finish the code and return its call on the arrays."""
    asm.vzeroupper()
    asm.ret()
    kernel = asm.finish("bare").kernel(**{f"x{number}": "f32 *" for number in range(len(arrays))})
    return NativeCall(kernel.address, tuple(map(address_of, arrays)), (kernel, arrays))


def step(arrays: Sequence[Any], updated: int) -> NativeCall:
    """Return a loop that loads all operands and stores the first ones, which are `updated`, as they are."""
    asm: Any = ts.assembler(None)
    asm.mov(x86.rax, arrays[0].size // AT_ONCE)
    with asm.loop(x86.rax, align=64):
        for number, (pointer, array) in enumerate(zip(POINTERS, arrays)):
            places = range(0, AT_ONCE * array.itemsize, WIDTH)
            for place, register in zip(places, map(vector, range(16))):
                asm.vmovups(register, x86.ptr[pointer + place])
            for place, register in zip(places, map(vector, range(16))) if number < updated else ():
                asm.vmovups(x86.ptr[pointer + place], register)
        for pointer, array in zip(POINTERS, arrays):
            asm.add(pointer, AT_ONCE * array.itemsize)
    return called(asm, arrays)


def rows(arrays: Sequence[Any], walks: int, streaming: bool, ahead: bool) -> NativeCall:
    """Return a loop over the rows of the inputs and, last, the result: once, or once to read and once more to read and
    store. It stores past the caches if `streaming`, and prefetches the next row if `ahead`."""
    asm: Any = ts.assembler(None)
    pointers, row = POINTERS[: len(arrays)], arrays[0].shape[1] * 4
    asm.mov(x86.r11, arrays[0].shape[0])
    with asm.loop(x86.r11, align=64):
        for last in (False, True)[2 - walks :]:
            asm.mov(x86.r8, row // STEP)
            with asm.loop(x86.r8, align=32):
                for place in range(0, STEP, WIDTH):
                    for number, pointer in enumerate(pointers[:-1]):
                        asm.vmovups(vector(number), x86.ptr[pointer + place])
                        if last and ahead and place % 64 == 0:
                            asm.prefetcht1(x86.ptr[pointer + place + row])
                    if last and streaming:
                        _stream(asm, pointers[-1], place)
                    elif last:
                        asm.vmovups(x86.ptr[pointers[-1] + place], vector(0))
                for pointer in pointers:
                    asm.add(pointer, STEP)
            for pointer in () if last else pointers:
                asm.sub(pointer, row)
    asm.sfence()
    return called(asm, arrays)


def _stream(asm: Any, pointer: Any, place: int) -> None:
    """Append the stores of vector 0 past the caches, in pieces: an array seldom begins at a cache line."""
    asm.vmovntps(x86.ptr[pointer + place], vector(0, PIECE))
    for piece in range(1, WIDTH // PIECE):
        (asm.vextractf32x4 if WIDTH == 64 else asm.vextractf128)(vector(8 + piece, PIECE), vector(0), piece)
        asm.vmovntps(x86.ptr[pointer + place + piece * PIECE], vector(8 + piece, PIECE))
