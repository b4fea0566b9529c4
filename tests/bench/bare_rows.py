"""Compare fused kernels with bare loops: the same loads and stores of each row, and no arithmetic. x86-64 only.

python -m tests.bench.bare_rows [rows x columns] [seconds for each contender] [offset in a page]

A bare loop walks each row once, or once to read it and once more to read and store it, as a kernel must whose result
depends on a reduction. It stores as usual or past the caches, in pieces of 16 bytes, and prefetches the next row or
not. Arrays begin 16 bytes behind a page, as numpy's do, if no offset is given.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith import x86
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.peers.elementwise import memcpy
from tilesmith.runtime.host import detect as host

LAYERS = {1: ("softmax", "layernorm", "rmsnorm"), 2: ("softmax_inv", "layernorm_inv", "rmsnorm_inv")}
"""The number of input matrices, and the layers that have so many."""
PAGE, PIECE = 4096, 16
STEP = 256  # bytes of a row in one pass of the loop
POINTERS = x86.rdi, x86.rsi, x86.rdx


def _array(rows: int, columns: int, offset: int) -> Any:
    """Return random numbers that begin `offset` bytes behind a page."""
    whole = np.empty(rows * columns * 4 + 2 * PAGE, np.uint8)
    start = -address_of(whole) % PAGE + offset
    array = whole[start : start + rows * columns * 4].view(np.float32).reshape(rows, columns)
    array[...] = np.random.default_rng(0).random(array.shape, np.float32)
    return array


def _stream(asm: Any, pointer: Any, place: int, number: int, width: int) -> None:
    """Append the stores of one vector past the caches, in pieces: an array seldom begins at a cache line."""
    extract = asm.vextractf32x4 if width == 64 else asm.vextractf128
    vector = getattr(x86, f"{'z' if width == 64 else 'y'}mm{number}")
    asm.vmovntps(x86.ptr[pointer + place], getattr(x86, f"xmm{number}"))
    for piece in range(1, width // PIECE):
        part = getattr(x86, f"xmm{8 + piece}")
        extract(part, vector, piece)
        asm.vmovntps(x86.ptr[pointer + place + piece * PIECE], part)


def _bare(arrays: Sequence[Any], walks: int, streaming: bool, ahead: bool) -> measure.Contender:
    """Return a loop over the rows of the inputs and, last, the result."""
    asm: Any = ts.assembler(None)
    width = 64 if "AVX512F" in ts.host().features else 32
    registers = [getattr(x86, f"{'z' if width == 64 else 'y'}mm{number}") for number in range(2)]
    pointers, row = POINTERS[: len(arrays)], arrays[0].shape[1] * 4
    asm.mov(x86.rax, arrays[0].shape[0])
    with asm.loop(x86.rax, align=64):
        for last in (False, True)[2 - walks :]:
            asm.mov(x86.r8, row // STEP)
            with asm.loop(x86.r8, align=32):
                for place in range(0, STEP, width):
                    for pointer, register in zip(pointers[:-1], registers):
                        asm.vmovups(register, x86.ptr[pointer + place])
                        if last and ahead and place % 64 == 0:
                            asm.prefetcht1(x86.ptr[pointer + place + row])
                    if last and streaming:
                        _stream(asm, pointers[-1], place, 0, width)
                    elif last:
                        asm.vmovups(x86.ptr[pointers[-1] + place], registers[0])
                for pointer in pointers:
                    asm.add(pointer, STEP)
            for pointer in () if last else pointers:
                asm.sub(pointer, row)
    asm.sfence()
    asm.vzeroupper()
    asm.ret()
    kernel = asm.finish("bare").kernel(**{f"x{number}": "f32 *" for number in range(len(arrays))})
    return measure.NativeCall(kernel.address, tuple(map(address_of, arrays)), (kernel, arrays))


def _layer(name: str, arrays: Sequence[Any], offset: int) -> measure.Contender:
    """Return the kernel of a layer on the same arrays."""
    kernel = ts.fused(name, *arrays[0].shape)
    spec: Any = kernel.spec
    inputs, given = iter(arrays[:-1]), {each.name for each in spec.inputs}
    operands = []
    for each in spec.operands:
        if each.rows == 1 or each.columns == 1:
            operands.append(_array(each.rows, each.columns, offset))
        else:
            operands.append(next(inputs) if each.name in given else arrays[-1])
    assert kernel.address is not None
    return measure.NativeCall(kernel.address, tuple(map(address_of, operands)), (kernel, operands))


def main(arguments: Sequence[str]) -> None:
    """Print the time of each contender, and its bytes per second relative to the C library's copy."""
    shape, seconds, offset = [*arguments, *("4096x1024", "0.5", "16")[len(arguments) :]]
    rows, columns = map(int, shape.split("x"))
    if columns * 4 % STEP:
        raise SystemExit(f"the columns must be a multiple of {STEP // 4}, got {columns}")
    print(f"{host.brand()}, f32, {rows} x {columns}, arrays {offset} bytes behind a page; ns an element (of a copy)")
    for count, layers in LAYERS.items():
        arrays = [_array(rows, columns, int(offset)) for _ in range(count + 1)]
        turns: dict[str, measure.Contender] = {"copy": memcpy(arrays[0], arrays[-1])}
        for walks, streaming, ahead in ((w, s, a) for w in (1, 2) for s in (False, True) for a in (False, True)):
            name = f"bare, walks {walks}{', streaming' * streaming}{', prefetches' * ahead}"
            turns[name] = _bare(arrays, walks, streaming, ahead)
        turns |= {name: _layer(name, arrays, int(offset)) for name in layers}
        with measure.one_cpu():
            best = {who: timing.best for who, timing in measure.seconds_per_call(turns, float(seconds)).items()}
        copy = best.pop("copy") * (count + 1) / 2
        print(f"{count} inputs and a result: a copy of as many bytes {copy / math.prod(arrays[0].shape) * 1e9:.3f}")
        for who, time in best.items():
            print(f"  {who:38} {time / math.prod(arrays[0].shape) * 1e9:.3f} ({copy / time:.2f})")


if __name__ == "__main__":
    main(sys.argv[1:])
