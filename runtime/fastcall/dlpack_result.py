"""The code that passes a new ndarray to another library, as that library's array of the same memory.

    managed   0 version   8 owner   16 deleter   24 flags   32 DLTensor   80 state   88 strides in elements

From then on the library owns the managed tensor, and calls its deleter once, from any thread. During the handover the
deleter only records that it was called: a library that refuses the tensor may or may not have called it, and in both
cases the memory is freed here, once.
"""

from __future__ import annotations

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Register, Scalar, ScalarMemory
from ..system import cpython
from .exporters import IMPORT, Functions, Release

_VERSION, _OWNER, _DELETER, _FLAGS = 0, 8, 16, 24
_DATA, _DEVICE, _RANK, _SHAPE, _STEPS, _OFFSET = 32, 40, 48, 56, 64, 72
_STATE, _STRIDES = 80, 88
_LIVE, _HANDED_OVER, _RELEASED = 0, 1, 2
_MOST_AXES = 6
_BYTES = _STRIDES + 8 * _MOST_AXES


def deleter(functions: Release, machine: Scalar) -> Code:
    """Emit void deleter(managed), which frees the array and the managed tensor, unless the interpreter is gone."""
    m, asm = machine, machine.asm
    managed, state = used = m.kept[:2]
    leave, live = asm.label("leave"), asm.label("live")
    m.begin("released")
    m.open(1, used)
    m.move(managed, m.arguments[0])
    m.branch(ScalarMemory(managed, _STATE), "==", _LIVE, live)
    m.move(ScalarMemory(managed, _STATE), _RELEASED)
    m.jump(leave)
    asm.bind(live)
    m.call(functions.initialized)
    m.move(m.slot(0), m.result)
    m.branch(m.slot(0)._replace(size=4), "==", 0, leave)
    m.call(functions.ensure)
    m.move(state, m.result)
    m.move(m.arguments[0], ScalarMemory(managed, _OWNER))
    m.call(functions.dec_ref)
    m.move(m.arguments[0], managed)
    m.call(functions.free)
    m.move(m.arguments[0], state)
    m.call(functions.release)
    asm.bind(leave)
    m.close()
    m.ret()
    code: Code = asm.finish("ts_released")
    return code


class ResultEmitter:
    """Emits the conversion of a result on a machine."""

    def __init__(self, functions: Functions, machine: Scalar, answer: ScalarMemory) -> None:
        self.functions, self.m = functions, machine
        self.answer = answer  # a slot of the frame

    def result(self, made: Register, exporter: Register, free: tuple[Register, Register], done: Label) -> None:
        """Set `made` to the exporter's array of the memory of the ndarray `made`, or to 0 with an error set."""
        m, functions = self.m, self.functions
        managed, _ = free
        memory, given, set_, dead = (m.asm.label(name) for name in ("memory", "given", "error set", "dead"))
        m.branch(ScalarMemory(exporter, IMPORT), "==", 0, done)
        self._kind(made, free[1], done)
        m.move(m.arguments[0], _BYTES)
        m.call(functions.allocate)
        m.move(managed, m.result)
        m.branch(m.result, "!=", 0, memory)
        m.move(m.arguments[0], made)
        m.call(functions.dec_ref)
        m.call(functions.no_memory)
        m.move(made, 0)
        m.jump(done)
        m.asm.bind(memory)
        self._fill(managed, made, free[1])
        m.move(m.arguments[0], managed)
        m.address(m.arguments[1], m.stack, offset=self.answer.offset)
        m.move(self.answer, 0)
        m.call(ScalarMemory(exporter, IMPORT))
        m.move(free[1], self.answer)  # the array that is handed over
        m.move(self.answer, m.result)
        m.branch(self.answer._replace(size=4), "==", 0, given)
        m.call(functions.occurred)
        m.branch(m.result, "!=", 0, set_)
        m.move(m.arguments[0], functions.exception)
        m.move(m.arguments[1], functions.message)
        m.call(functions.set_string)
        m.asm.bind(set_)
        m.move(free[1], 0)
        m.jump(dead)
        m.asm.bind(given)
        m.move(m.x, _RELEASED)
        m.branch(ScalarMemory(managed, _STATE), "==", m.x, dead)
        m.move(ScalarMemory(managed, _STATE), _LIVE)
        m.move(made, free[1])
        m.jump(done)
        m.asm.bind(dead)
        self._release(managed, made)
        m.move(made, free[1])

    def _release(self, managed: Register, made: Register) -> None:
        m = self.m
        m.move(m.arguments[0], made)
        m.call(self.functions.dec_ref)
        m.move(m.arguments[0], managed)
        m.call(self.functions.free)

    def _kind(self, made: Register, kind: Register, unknown: Label) -> None:
        """Set `kind` to the type and the rank of an ndarray, encoded in one word as in DLPack."""
        m, known = self.m, self.m.asm.label("kind")
        m.move(m.x, ScalarMemory(made, cpython.DTYPE))
        for number, _, dtype in self.functions.dtypes:
            other = m.asm.label()
            m.move(m.y, dtype)
            m.branch(m.x, "!=", m.y, other)
            m.move(kind, number << 32)
            m.jump(known)
            m.asm.bind(other)
        m.jump(unknown)
        m.asm.bind(known)
        m.move(m.y, ScalarMemory(made, cpython.RANK, 4))
        m.branch(m.y, "u>=", _MOST_AXES + 1, unknown)
        m.add(kind, m.y)

    def _fill(self, managed: Register, made: Register, kind: Register) -> None:
        """Fill the managed tensor of a dense ndarray."""
        m = self.m
        fields: tuple[tuple[int, object], ...] = (
            (_VERSION, 1),
            (_OWNER, made),
            (_FLAGS, 0),
            (_DEVICE, 1),
            (_RANK, kind),
            (_OFFSET, 0),
            (_STATE, _HANDED_OVER),
        )
        for offset, value in fields:
            m.move(ScalarMemory(managed, offset), value)
        m.move(m.x, self.functions.released)
        m.move(ScalarMemory(managed, _DELETER), m.x)
        for offset, source in ((_DATA, cpython.DATA), (_SHAPE, cpython.DIMENSIONS)):
            m.move(m.x, ScalarMemory(made, source))
            m.move(ScalarMemory(managed, offset), m.x)
        m.address(m.x, managed, offset=_STRIDES)
        m.move(ScalarMemory(managed, _STEPS), m.x)
        self._steps(managed, made)

    def _steps(self, managed: Register, made: Register) -> None:
        """Compute strides in elements. The array is new, so it is dense in C or Fortran order."""
        m, (shape, steps, dense) = self.m, self.m.values
        columns, done = m.asm.label("columns"), m.asm.label("steps")
        m.move(m.y, ScalarMemory(made, cpython.RANK, 4))
        m.branch(m.y, "==", 0, done)
        m.move(shape, ScalarMemory(made, cpython.DIMENSIONS))
        m.address(steps, managed, offset=_STRIDES)
        m.move(dense, 1)
        m.branch_if_bits(ScalarMemory(made, cpython.FLAGS, 4), cpython.C_CONTIGUOUS, False, columns)
        m.address(steps, steps, m.y, 8, -8)
        with m.loop(m.y):
            m.move(ScalarMemory(steps), dense)
            m.subtract(steps, 8)
            m.element(m.x, shape, m.y)
            m.multiply(dense, m.x)
        m.jump(done)
        m.asm.bind(columns)
        with m.loop(m.y):
            m.move(ScalarMemory(steps), dense)
            m.add(steps, 8)
            m.multiply(dense, ScalarMemory(shape))
            m.add(shape, 8)
        m.asm.bind(done)
