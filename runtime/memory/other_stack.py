"""Code before a function that runs it on a stack of its own, so that it works in a thread whose stack is small.

A kernel keeps its scratch memory on the stack: in C it needs no more than its operands. Threads of musl have 128 KiB,
and a program may give its threads less. A function that needs more than `LARGEST` bytes of a frame therefore runs, when
this process calls it, on memory of the C library, which is given back when it returns. If there is none left, it runs
on the thread's own stack.
"""

from __future__ import annotations

from ...encoder.code import CODE_ALIGNMENT
from ...encoder.operands import Label
from ..scalar.machine import Scalar, ScalarMemory
from ..scalar.native import scalar_machine
from ..system.environment import tells_tools
from ..system.libc import address

LARGEST = 16 << 10
"""The most bytes of scratch memory that lie on the stack of a thread."""
_ROOM = 48 << 10
"""Bytes beside the scratch memory: the rest of the frame, and signal handlers, for which the system stores up to 12 KiB
of registers."""


def on_other_stack(function: bytes, parameters: int, scratch: int) -> bytes:
    """Return the code of a function of so many integers and pointers, which needs `scratch` bytes of scratch memory,
    behind the code that gives it a stack if it needs one. A profiler or a debugger that is told of the function could
    not follow its frames from there: for them it stays on the thread's stack."""
    if scratch <= LARGEST or tells_tools() or not (address("malloc") and address("free")):
        return function
    machine = scalar_machine()
    label = machine.asm.label("function")
    _emit(machine, label, parameters, scratch + _ROOM)
    buffer = machine.asm.buffer
    buffer += machine.asm.fill * (-len(buffer) % CODE_ALIGNMENT // len(machine.asm.fill))
    machine.asm.bind(label)
    buffer += function
    data: bytes = machine.asm.finish("ts_other_stack").data
    return data


def _emit(m: Scalar, function: Label, parameters: int, size: int) -> None:
    memory, before, top = used = m.kept[:3]
    registers = m.arguments[:parameters]
    stacked = parameters - len(registers)
    alone = m.asm.label("alone")
    m.begin("other stack")
    m.open(len(registers), used)
    for number, register in enumerate(registers):
        m.move(m.slot(number), register)
    m.move(m.arguments[0], size)
    m.call(address("malloc"))
    m.move(memory, m.result)
    m.branch(memory, "==", 0, alone)
    m.move(top, size - -(-stacked // 2) * 16)  # malloc aligns to 16 bytes, as stacks are
    m.add(top, memory)
    for number in range(stacked):
        m.move(m.result, m.given(len(m.arguments) + number))
        m.move(ScalarMemory(top, 8 * number), m.result)
    m.address(before, m.stack)
    for number, register in enumerate(registers):
        m.move(register, m.slot(number))
    m.address(m.stack, top)
    m.call(function)
    m.address(m.stack, before)
    m.move(m.arguments[0], memory)
    m.call(address("free"))
    m.close()
    m.ret()
    m.asm.bind(alone)
    for number, register in enumerate(registers):
        m.move(register, m.slot(number))
    m.close()
    m.jump(function)
