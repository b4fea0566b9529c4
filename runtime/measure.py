"""Time of calls, without Python in it: emitted loops make the calls, contenders take turns, the best of many counts.

    beside = {"ours": NativeCall(kernel.address, (a, b, c)), "peer": NativeCall(address, (a, b, c))}
    timings = seconds_per_call(beside, budget=0.1)

One sample runs a contender for a fraction of a millisecond, so that the microsecond of Python adds nothing; then the
next contender has its turn. A disturbance (interrupt, change of frequency, stolen time) so hits all alike, and the
minimum leaves it out.
"""

from __future__ import annotations

import contextlib
import functools
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..encoder.code import Code
from ..encoder.features import TARGETS, Target
from ..encoder.x86.abi import ARGUMENTS, CALLEE_SAVED, SCRATCH
from ..encoder.x86.assembler import X86Assembler
from ..encoder.x86.registers import R64, YMM, ZMM, ptr
from ..microkernels.errors import UnsupportedError
from .host import runs
from .libc import ffi
from .memory import ExecutableBlock, publish

SAMPLE = 400e-6
"""Seconds that one sample should take: long against a call from Python, short against a time slice of the scheduler."""
MIN_SAMPLES = 5
"""A contender gets so many samples at least, whatever the budget."""

BYTES = {"f32": 4, "f64": 8}


class Contender(Protocol):
    """Something that can be timed."""

    def run(self, count: int) -> None:
        """Do it `count` times, count >= 1."""


@dataclass(frozen=True)
class NativeCall:
    """A C function at an address, called with these integer and pointer arguments by the emitted repeat loop.

    `keep` holds what must stay alive: the pages of the code, the arrays behind the pointers.
    """

    address: int
    args: tuple[int, ...] = ()
    keep: object = None

    def run(self, count: int) -> None:
        repeat(self.address, self.args, count)


@dataclass(frozen=True)
class PythonCall:
    """A Python callable without arguments; the interpreter's loop is part of its time."""

    function: Callable[[], object]

    def run(self, count: int) -> None:
        function = self.function
        for _ in range(count):
            function()


class Timing(NamedTuple):
    """Seconds per call."""

    best: float
    median: float
    samples: int
    calls: int  # in one sample


# Timing


def seconds_per_call(contenders: Mapping[str, Contender], budget: float = 0.1) -> dict[str, Timing]:
    """Time the contenders side by side, about `budget` seconds for each: samples alternate between all of them."""
    counts = {name: _calibrate(contender) for name, contender in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    end = time.perf_counter() + budget * len(contenders)
    while time.perf_counter() < end or len(samples[order[0]]) < MIN_SAMPLES:
        for name in order:
            samples[name].append(_sample(contenders[name], counts[name]))
        order.reverse()  # nobody always comes after the same neighbour
    return {
        name: Timing(min(times), statistics.median(times), len(times), counts[name]) for name, times in samples.items()
    }


def _sample(contender: Contender, count: int) -> float:
    """Seconds per call over `count` calls."""
    start = time.perf_counter_ns()
    contender.run(count)
    return (time.perf_counter_ns() - start) * 1e-9 / count


def _calibrate(contender: Contender) -> int:
    """Calls that fill a sample; finding out also warms the caches and the branch predictors."""
    count = 1
    while True:
        # The better of two: a disturbance must not pass for a slow call.
        seconds = min(_sample(contender, count) for _ in range(2)) * count
        if seconds >= SAMPLE / 4:
            return max(1, round(count * SAMPLE / seconds))
        count *= max(2, min(16, int(SAMPLE / 2 / (seconds + 1e-9))))


@contextlib.contextmanager
def one_cpu() -> Iterator[int]:
    """Stay on one processor meanwhile (a migration costs the hot caches); yields its number.

    Only the calling thread is held: worker threads that a library has already started stay free.
    """
    allowed = os.sched_getaffinity(0)
    cpu = max(allowed)  # the first one serves more interrupts
    os.sched_setaffinity(0, {cpu})
    try:
        yield cpu
    finally:
        os.sched_setaffinity(0, allowed)


def empty_call_seconds(budget: float = 0.02) -> float:
    """Seconds that the repeat loop needs for one call of a function that only returns: part of every NativeCall."""
    code, block = _published(_empty_code)
    return seconds_per_call({"empty": NativeCall(block.address + code.labels["empty"])}, budget)["empty"].best


# The repeat loop


def repeat(function: int, args: Sequence[int], count: int) -> None:
    """Call the C function at address `function` with integer arguments, `count` times, from an emitted loop."""
    if count < 1:
        raise ValueError(f"repeat: count={count}: at least one call")
    passed = [*args, *[0] * (len(ARGUMENTS) - len(args))]
    code, block = _published(_repeat_code, len(passed) - len(ARGUMENTS))
    values = ffi.new("uint64_t[]", [value & 0xFFFF_FFFF_FFFF_FFFF for value in passed])
    loop = ffi.cast("void(*)(uintptr_t, uint64_t *, uint64_t)", block.address + code.labels["repeat"])
    loop(function, values, count)


@functools.cache
def _published(emit: Callable[..., Code], *arguments: object) -> tuple[Code, ExecutableBlock]:
    """The code of an emitter, in executable pages that stay for good."""
    code = emit(*arguments)
    return code, publish(code.data)


def _repeat_code(stack_arguments: int) -> Code:
    """void repeat(void *function, const uint64_t *args, uint64_t count), count >= 1.

    Loads every argument in every iteration, as a caller with its operands in memory does: six to registers, the others
    to the stack, which belongs to the callee and may have been changed by it.
    """
    asm = X86Assembler(TARGETS["avx2"])
    function, args, count = kept = CALLEE_SAVED[:3]
    rax, rsp = SCRATCH[0], R64[4]
    asm.here("repeat")
    asm.endbr64()
    for register in kept:  # three pushes: the stack is aligned to 16 bytes at the call
        asm.push(register)
    for register, argument in zip(kept, ARGUMENTS):
        asm.mov(register, argument)
    frame = -(-8 * stack_arguments // 16) * 16
    asm.sub(rsp, frame)
    with asm.loop(count, align=64):
        for i in range(stack_arguments):
            asm.mov(rax, ptr[args + 8 * (len(ARGUMENTS) + i)])
            asm.mov(ptr[rsp + 8 * i], rax)
        for i, argument in enumerate(ARGUMENTS):
            asm.mov(argument, ptr[args + 8 * i])
        asm.call(function)
    asm.add(rsp, frame)
    for register in reversed(kept):
        asm.pop(register)
    asm.ret()
    return asm.finish("repeat")


def _empty_code() -> Code:
    """void empty(void)."""
    asm = X86Assembler(TARGETS["avx2"])
    asm.here("empty")
    asm.endbr64()
    asm.ret()
    return asm.finish("empty")


# What the processor can do


class Peak(NamedTuple):
    """A contender that issues nothing but independent FMAs, and the FLOPs of one call of it."""

    call: NativeCall
    flops: int


def fma_peak(target: Target, dtype: str, budget: float = 0.1) -> float:
    """FLOP/s of one core for a target's full vectors: independent FMAs on registers only, the best of many samples."""
    peak = fma_loop(target, dtype)
    return peak.flops / seconds_per_call({"peak": peak.call}, budget)["peak"].best


def fma_loop(target: Target, dtype: str) -> Peak:
    """The loop behind `fma_peak`, to be timed beside kernels. UnsupportedError where this machine cannot run it."""
    reason = runs(target) if dtype in BYTES else f"no FMA loop for {dtype!r}: use one of {', '.join(BYTES)}"
    if reason:
        raise UnsupportedError(reason)
    code, block = _published(_fma_code, target, dtype)
    iterations = 200  # 3 to 5 us, so that entry and exit are nothing
    lanes = target.vector_bits // (8 * BYTES[dtype])
    fmas = sum(instruction.form.mnemonic.startswith("vfmadd") for instruction in code.instructions)
    return Peak(NativeCall(block.address, (iterations,), block), iterations * fmas * lanes * 2)


def _fma_code(target: Target, dtype: str) -> Code:
    """void peak(uint64_t iterations): each FMA of an accumulator waits for its last one only, which is long done.

    The values are not zero, since multiplying zeros needs less power and so may clock higher; the sums stay finite.
    """
    asm = X86Assembler(target)
    x, y, *sums = ZMM if target.isa == "avx512" else YMM[:16]
    if dtype == "f32":
        fma, splat, const = asm.vfmadd231ps, asm.vbroadcastss, asm.const_f32
    else:
        fma, splat, const = asm.vfmadd231pd, asm.vbroadcastsd, asm.const_f64
    for register, value in ((x, 1.37), (y, -0.73), *((register, 0.01) for register in sums)):
        splat(register, ptr[const(value)])
    with asm.loop(ARGUMENTS[0], align=64):
        for register in sums * 4:
            fma(register, x, y)
    asm.vzeroupper()
    asm.ret()
    return asm.finish(f"peak_{dtype}")


def frequency(budget: float = 0.05) -> float:
    """Clock cycles per second, from a chain of additions that take one cycle each."""
    code, block = _published(_chain_code)
    iterations = 100
    call = NativeCall(block.address, (iterations,), block)
    adds = sum(instruction.form.mnemonic == "add" for instruction in code.instructions)
    return iterations * adds / seconds_per_call({"chain": call}, budget)["chain"].best


def _chain_code() -> Code:
    """void chain(uint64_t iterations).

    Register to register: Intel's newer cores fold additions of immediates while renaming, in no time at all.
    """
    asm = X86Assembler(TARGETS["avx2"])
    count, step, total = ARGUMENTS[0], ARGUMENTS[1], SCRATCH[0]
    with asm.loop(count, align=64):
        for _ in range(256):
            asm.add(total, step)
    asm.ret()
    return asm.finish("chain")
