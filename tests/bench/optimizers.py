"""Compare in-place steps of optimizers with the faster of two copies of as many bytes: in L2 and in memory.

python -m tests.bench.optimizers [seconds for each contender]

    momentum    w, v f32 and a gradient f32: 20 bytes read and written per element
    split-SGD   the upper and lower halves of f32 weights (bf16, u16) and a gradient f32: 12 bytes
    Adam        w, m, v f32 and a gradient f32: 28 bytes

The copies, by our kernel and by the C library, read one half of the operands' bytes and write the other half. The
bare loop, written by hand, loads and stores what the step does, and computes nothing: it bounds the step where more
streams of memory take longer than the two of a copy. Contenders take turns on one processor; the best sample over
several places in memory counts. The goal is 0.9 of the copy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from rich.console import Console

import tilesmith as ts
from tilesmith import x86
from tilesmith.encoder.records import NamedTuple
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.goals import Goal, goal_table
from tilesmith.runtime.bench.peers.elementwise import memcpy
from tilesmith.runtime.host import detect as host

BYTES = {"L2": 384 << 10, "memory": 192 << 20}
"""The bytes of all operands together."""
PLACES = 3
SHARE = 0.9
COMPUTES = ("Adam",)
"""Steps without a goal: in L2 the square root and division take longer than the memory accesses."""
LINE, PAGE = 64, 4096
ROW = 1024  # elements
AT_ONCE = 64
"""The elements for which the bare loop loads all operands before it stores."""


def momentum(w: Any, v: Any, g: Any) -> Any:
    """Do a step of heavy-ball momentum."""
    v = 0.9 * v + g
    return w - 0.1 * v, v


def split_sgd(high: Any, low: Any, g: Any) -> Any:
    """Do a step of SGD on weights in halves, of which the upper ones are the model."""
    return ts.unpack(ts.pack(high, low) - 0.01 * g)


def adam(w: Any, m: Any, v: Any, g: Any) -> Any:
    """Do a step of Adam without bias correction."""
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 0.001 * m / (ts.sqrt(v) + 1e-8), m, v


class Step(NamedTuple):
    """An optimizer: its function, and the types of its operands, of which the first `updated` ones are updated."""

    function: Any
    operands: dict[str, str]
    updated: int

    @property
    def bytes(self) -> tuple[int, int]:
        """The bytes per element of all operands, and the bytes read and written per element."""
        sizes = [np.dtype(NUMPY[dtype]).itemsize for dtype in self.operands.values()]
        return sum(sizes), sum(sizes) + sum(sizes[: self.updated])


NUMPY: dict[str, Any] = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "u16": np.uint16}
STEPS = {
    "momentum": Step(momentum, {"w": "f32", "v": "f32", "g": "f32"}, 2),
    "split-SGD": Step(split_sgd, {"high": "bf16", "low": "u16", "g": "f32"}, 2),
    "Adam": Step(adam, {"w": "f32", "m": "f32", "v": "f32", "g": "f32"}, 3),
}


def _operands(step: Step, count: int) -> list[Any]:
    """Return operands of small numbers. Each begins at a cache line, and no two have the same offset in a page."""
    rng = np.random.default_rng(0)
    made = []
    for number, dtype in enumerate(step.operands.values()):
        size = count * np.dtype(NUMPY[dtype]).itemsize
        whole = np.zeros(size + 2 * PAGE, np.uint8)
        start = -address_of(whole) % PAGE + 5 * LINE * (len(step.operands) - number)
        array = whole[start : start + size].view(NUMPY[dtype]).reshape(count // ROW, ROW)
        array[...] = rng.integers(1, 9, array.shape) if dtype == "u16" else rng.random(array.shape, np.float32)
        made.append(array)
    return made


def _copies(size: int, target: str | None) -> dict[str, measure.Contender]:
    """Return the copies of one half of the operands' bytes to the other half."""
    count = size // 8 // ROW * ROW
    x, y = (np.ones(count + 2 * PAGE // 4, np.float32) for _ in "xy")
    x, y = (each[-address_of(each) % PAGE // 4 + 80 * place :][:count].reshape(count // ROW, ROW)
            for place, each in ((1, x), (0, y)))  # fmt: skip
    kernel = ts.unary("identity", count // ROW, ROW, target=target)
    assert kernel.address is not None
    ours = measure.NativeCall(kernel.address, (address_of(x), address_of(y)), (kernel, x, y))
    return {"copy": ours, "libc": memcpy(x, y)}


def _bare_loop(step: Step, arrays: Sequence[Any]) -> dict[str, measure.Contender]:
    """Return a loop that loads all operands and stores the updated ones as they are; nothing on AArch64."""
    if ts.host().arch != "x86":
        return {}
    asm = ts.assembler(None)
    wide = "AVX512F" in ts.host().features
    registers = [getattr(x86, f"{'z' if wide else 'y'}mm{number}") for number in range(16)]
    width, steps = 64 if wide else 32, x86.rax
    pointers = [x86.rdi, x86.rsi, x86.rdx, x86.rcx][: len(arrays)]
    asm.mov(steps, arrays[0].size // AT_ONCE)
    with asm.loop(steps, align=64):
        for number, (pointer, array) in enumerate(zip(pointers, arrays)):
            places = range(0, AT_ONCE * array.itemsize, width)
            for place, register in zip(places, registers):
                asm.vmovups(register, x86.ptr[pointer + place])
            for place, register in zip(places, registers) if number < step.updated else ():
                asm.vmovups(x86.ptr[pointer + place], register)
        for pointer, array in zip(pointers, arrays):
            asm.add(pointer, AT_ONCE * array.itemsize)
    asm.vzeroupper()
    asm.ret()
    kernel = asm.finish("bare").kernel(**dict.fromkeys(step.operands, "f32 *"))
    return {"bare": measure.NativeCall(kernel.address, tuple(map(address_of, arrays)), (kernel, arrays))}


def shares(name: str, place: str, seconds: float, target: str | None = None) -> dict[str, float]:
    """Return the bytes per second of each contender for one step in L2 or memory."""
    step = STEPS[name]
    stored, moved = step.bytes
    count = BYTES[place] // stored // ROW * ROW
    out: Any = tuple(step.operands.values())[: step.updated]
    kernel = ts.equation(step.function, dtype=step.operands, out=out, target=target,
                         **dict.fromkeys(step.operands, (count // ROW, ROW)))  # fmt: skip
    assert kernel.address is not None
    best: dict[str, float] = {}
    held = []  # kept alive so that the next arrays lie elsewhere
    with measure.one_cpu():
        for _ in range(PLACES if place == "L2" else 1):
            arrays = _operands(step, count)
            held.append(arrays)
            places = tuple(address_of(each) for each in (*arrays, *arrays[: step.updated]))
            ours = measure.NativeCall(kernel.address, places, (kernel, arrays))
            turns = {"step": ours, **_bare_loop(step, arrays), **_copies(count * stored, target)}
            for who, timing in measure.seconds_per_call(turns, seconds / PLACES).items():
                best[who] = min(best.get(who, math.inf), timing.best)
    return {who: (moved if who in ("step", "bare") else stored) * count / time for who, time in best.items()}


def main(arguments: Sequence[str]) -> list[Goal]:
    """Print a row for each step and place, and the goals."""
    seconds = float(arguments[0]) if arguments else 0.3
    console = Console(width=110)
    console.print(f"{host.brand()}, numpy {np.__version__}; GB/s read and written")
    goals = []
    for place in BYTES:
        for name in STEPS:
            rates = shares(name, place, seconds)
            copy, bare = max(rates["copy"], rates["libc"]), rates.get("bare", math.nan)
            console.print(f"{place:7} {name:10} {rates['step'] / 1e9:7.1f}   copies: ours {rates['copy'] / 1e9:.1f}, "
                          f"libc {rates['libc'] / 1e9:.1f}; bare loop {bare / 1e9:.1f}")  # fmt: skip
            if name not in COMPUTES:
                goals.append(Goal(f"{name} in place, in {place}, by copy", SHARE, rates["step"] / copy))
    console.print(goal_table(goals))
    return goals


if __name__ == "__main__":
    main(sys.argv[1:])
