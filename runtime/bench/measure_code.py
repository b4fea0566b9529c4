"""The loops that bench/measure.py runs, each written once over the scalar machine or a vector machine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from ...encoder.code import Code
from ...encoder.features import Target
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.machines.registry import machine_for
from ..scalar.machine import ScalarMemory
from ..scalar.native import scalar_machine

_LINE = 64  # bytes of code that a processor fetches together; loops begin at such a line
_ROUNDS = 4  # of all accumulators in one pass of the FMA loop
_TOGETHER = 8  # registers that are loaded one after the other
CHAIN = 256
"""Additions in one pass of `chain`."""


def register_arguments() -> int:
    """Return how many arguments a function receives in registers."""
    return len(scalar_machine().arguments)


def repeat(arguments: int, each: bool = False) -> Code:
    """Emit void repeat(void *function, const uint64_t *args, uint64_t count), count >= 1; `each`: new args per call.

    Every iteration loads every argument, as a caller with its operands in memory does: the first ones into registers,
    the others onto the stack, which belongs to the callee and may have been changed by it.
    """
    s = scalar_machine()
    used = function, args, count = s.kept[:3]
    s.begin("repeat")
    s.open(max(0, arguments - len(s.arguments)), used=used)
    for register, argument in zip(used, s.arguments):
        s.move(register, argument)
    s.asm.align(_LINE)
    with s.loop(count):
        for number in reversed(range(arguments)):  # the stack first: its values pass through a register
            place, value = s.argument(number), ScalarMemory(args, 8 * number)
            if isinstance(place, ScalarMemory):
                s.move(s.x, value)
                s.move(place, s.x)
            else:
                s.move(place, value)
        s.call(function)
        if each:
            s.add(args, 8 * arguments)
    s.close()
    s.ret()
    code: Code = s.asm.finish("repeat")
    return code


def empty() -> Code:
    """Emit void empty(void)."""
    s = scalar_machine()
    s.begin("empty")
    s.ret()
    code: Code = s.asm.finish("empty")
    return code


def chain() -> Code:
    """Emit void chain(uint64_t passes), in which each addition waits for the one before.

    The additions are register to register: Intel's newer cores fold additions of immediates at no cost while renaming.
    """
    s = scalar_machine()
    passes, step, *_ = s.arguments
    s.begin("chain")
    s.asm.align(_LINE)
    with s.loop(passes):
        for _ in range(CHAIN):
            s.add(s.result, step)
    s.ret()
    code: Code = s.asm.finish("chain")
    return code


def fmas(target: Target, dtype: str) -> tuple[Code, int]:
    """Emit void fmas(uint64_t passes); return it with the number of full-vector FMAs per pass.

    Each FMA of an accumulator waits only for the accumulator's last one, which is long done. The values are not zero,
    since multiplying zeros needs less power and might allow a higher clock; the sums stay finite.
    """
    m = machine_for(target)
    count = m.facts.vector_registers
    m.enter(count)
    (passes,) = m.arguments(1)
    with m.predicates(), m.vectors(2, "factors") as (x, y), m.vectors(count - 2, "sums") as sums:
        lanes = m.lanes(dtype, target.vector_bits // 8 // ELEMENT_BYTES[dtype])
        for register, value in ((x, 1.37), (y, -0.73), *((register, 0.01) for register in sums)):
            m.constant(register, value, lanes)
        left = m.general("passes")
        m.copy(left, passes)
        m.asm.align(_LINE)
        with m.loop(left, left):
            for register in sums * _ROUNDS:
                m.fma(register, x, y, lanes)
        m.leave()
    return m.asm.finish(f"fmas_{dtype}"), len(sums) * _ROUNDS


def moves(
    target: Target, arrays: int, steps: Sequence[tuple[int, int, int]], passes: int, bits: int = 0, adding: bool = False
) -> Code:
    """Emit void moves(a, b, ...), which computes nothing of use: loads, and stores of what was loaded.

    steps     (source, bytes, result) of a pass, in order: numbers of arrays, or -1 for no store
    passes    each array goes on by its bytes in a pass
    bits      of the registers; 0 is the widest
    adding    each register is added to a sum, which is discarded
    """
    m = machine_for(target)
    width = (bits or m.facts.widths[0]) // 8
    count = max(size for _, size, _ in steps) // width
    pointers = m.arguments(arrays)
    m.enter(count * (2 if adding else 1))
    with m.predicates(), m.vectors(count, "moved") as registers, m.vectors(count * adding, "sums") as sums:
        lanes = m.lanes("f32", width // 4)
        for register in sums:
            m.zero(register, lanes)
        with m.loop(m.general("count"), passes) if passes > 1 else nullcontext():
            offsets = [0] * arrays
            for source, size, result in steps:
                group = registers[: size // width]
                for number, register in enumerate(group):
                    m.load(register, m.at(pointers[source], offsets[source] + number * width), lanes)
                    if adding:
                        m.add(sums[number], sums[number], register, lanes)
                for number, register in enumerate(group if result >= 0 else ()):
                    m.store(m.at(pointers[result], offsets[result] + number * width), register, lanes)
                for moved in {source, result} - {-1}:
                    offsets[moved] += size
            for pointer, offset in zip(pointers, offsets):
                if passes > 1:
                    m.advance(pointer, offset)
    m.leave()
    return m.asm.finish("moves")


def loads(target: Target, count: int, bits: int = 0, *, adding: bool = False) -> Code:
    """Emit void loads(const float *x): loads of `count` f32, a multiple of eight registers of `bits` (0: the widest).

    With `adding`, each register is added to one of eight sums, which are discarded.
    """
    size = _TOGETHER * (bits or machine_for(target).facts.widths[0]) // 8
    return moves(target, 1, [(0, size, -1)], count * 4 // size, bits, adding)
