"""The code of a `CallEntry` on a scalar machine.

PyObject *entry(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)

entry   guards; the kernel; return None                with all arguments
absent  guards; a new array; the kernel; return it     if the output is None, or left out as the last argument
slow    jump to the slow path                          with the original call
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Register, Scalar, ScalarMemory
from ..system import cpython
from . import guards
from .guards import CallEntry
from .guards import Runtime as Runtime
from .guards_indices import IndexEmitter

GUARDS_FAILED = 1
"""The result of a call with records of another library's arrays whose guards failed: see `dlpack_code`."""


def emit(entry: CallEntry, runtime: Runtime, machine: Scalar) -> Code:
    """Emit the code of a structure."""
    _EntryEmitter(entry, runtime, machine).run()
    code: Code = machine.asm.finish("ts_entry")
    return code


def tail_call_slow(machine: Scalar, runtime: Runtime) -> None:
    """Continue in the slow path with the original arguments, or first in the code for arrays of other libraries."""
    self, others = machine.arguments[0], machine.asm.label("others")
    machine.move(machine.x, runtime.foreign)
    machine.move(machine.x, ScalarMemory(machine.x))
    machine.branch(machine.x, "!=", 0, others)
    machine.move(self, ScalarMemory(self, runtime.slow))
    machine.jump(runtime.vectorcall)
    machine.asm.bind(others)
    machine.jump(machine.x)


class _EntryEmitter(IndexEmitter):
    def __init__(self, entry: CallEntry, runtime: Runtime, machine: Scalar) -> None:
        super().__init__(entry, machine, runtime)
        self.runtime = runtime
        self.slow = machine.asm.label("slow")

    def run(self) -> None:
        """Emit the entry with all arguments, the slow path, and the entry without the last argument."""
        m, entry = self.m, self.entry
        m.begin("entry")
        # bit 63 of nargsf says that args[-1] may be overwritten, which this code never does
        m.address(m.x, m.arguments[2], m.arguments[2])
        made = entry.allocates if self.can_allocate else None
        last = made is not None and made.position == entry.arguments - 1
        absent, fewer = (
            m.asm.label(name) if wanted else self.slow for name, wanted in (("absent", made), ("fewer", last))
        )
        m.branch(m.x, "!=", 2 * entry.arguments, fewer)
        with self._guarded(entry.arguments, absent if made else None):
            self.check_all(None)
            self._call()
            self.free_copies()
            m.close()
            self._return_none()
        if made:
            m.asm.bind(absent)
            m.move(m.arguments[3], 0)
            if last:  # a last argument of None counts as left out
                either = m.asm.label("either")
                m.jump(either)
                m.asm.bind(fewer)
                m.branch(m.x, "!=", 2 * (entry.arguments - 1), self.slow)
                m.asm.bind(either)
            with self._guarded(entry.arguments - last):
                self.check_all(made.to)
                self._allocate()
                self._call()
                self.free_copies()
                m.move(m.result, self.slot(" result"))
                m.close()
                m.ret()
        m.asm.bind(self.slow)
        tail_call_slow(m, self.runtime)
        self.put_aside()

    @property
    def can_allocate(self) -> bool:
        return self.entry.allocates is not None and bool(self.runtime.empty)

    # Frame and ends

    @contextmanager
    def _guarded(self, arguments: int, absent: Label | None = None) -> Iterator[None]:
        """Emit the frame around guards and call: no keywords are accepted, and failed guards leave through it.

        absent: where calls go whose output is None.
        """
        m = self.m
        self_, _, nargsf, kwnames = m.arguments[:4]
        m.branch(kwnames, "!=", 0, self.slow)
        m.open(self.frame, self.used)
        m.move(m.constants, ScalarMemory(self_, self.runtime.constants))
        self.fail = fail = m.asm.label("fail")
        yield
        if self.fail is not fail:
            m.asm.bind(self.fail)
            self.free_copies()
        m.asm.bind(fail)
        m.close()
        if absent is not None:
            assert self.entry.allocates is not None
            m.move(m.x, ScalarMemory(self.args, 8 * self.entry.allocates.position))
            m.move(m.y, self.runtime.none)
            m.branch(m.x, "==", m.y, absent)
        m.move(nargsf, arguments)
        m.move(kwnames, 0)
        m.jump(self.slow)

    def _return_none(self) -> None:
        self.m.move(self.m.result, self.runtime.none)
        if cpython.COUNTED_NONE:
            self.m.increment(ScalarMemory(self.m.result))
        self.m.ret()

    # The call

    def _call(self) -> None:
        m, release = self.m, self.entry.release
        if release == "always":
            self._call_released()
            return
        done, keep = m.asm.label("done"), m.asm.label("keep")
        if release == "count":
            m.branch(self.loaded(self.entry.rows, m.x), "<=", self.constant(guards.RELEASE_ABOVE), keep)
            self._call_released()
            m.jump(done)
        m.asm.bind(keep)
        self._call_kernel()
        m.asm.bind(done)

    def _call_kernel(self) -> None:
        """Pass the arguments. Values in registers are moved first: loading those on the stack may overwrite them."""
        for register, name in zip(self.m.arguments, self.entry.parameters):
            self.m.move(register, self.value(name))
        self.m.call(self.constant(guards.FUNCTION))

    def _call_released(self) -> None:
        m, thread = self.m, self.slot(" thread")
        with self.spilling():
            m.call(self.runtime.save_thread)
            m.move(thread, m.result)
        self._call_kernel()
        m.move(m.arguments[0], thread)
        m.call(self.runtime.restore_thread)

    def _allocate(self) -> None:
        """Allocate the output with PyArray_Empty, which takes over a reference to the dtype, and set the output's value
        to its data."""
        m, array = self.m, self.entry.allocates
        assert array is not None
        rank, dimensions, dtype, fortran = m.arguments[:4]
        made = m.asm.label("made")
        with self.spilling():
            m.move(rank, self.runtime.dtype)
            m.call(self.runtime.inc_ref)
            self._shape(array, dimensions)
            m.move(rank, array.rank or len(array.dimensions))
            m.move(dtype, self.runtime.dtype)
            m.move(fortran, int(self.entry.fortran))
            m.call(self.runtime.empty)
            m.move(self.slot(" result"), m.result)
            m.branch(m.result, "!=", 0, made)
            self._return_scratch()
            self.free_copies()
            m.move(m.result, 0)  # MemoryError is set
            m.close()
            m.ret()
            m.asm.bind(made)
        self._made(array)

    def _return_scratch(self) -> None:
        """Return the scratch memory of a call that ends without calling the kernel, which otherwise returns it."""
        for guard in self.entry.guards:
            if isinstance(guard, guards.ScratchSlot):
                self.m.move(self.m.x, self.slot_or_value(guard.to))
                self.m.move(self.m.y, self.slot_or_value(guard.slot))
                self.m.move(ScalarMemory(self.m.y), self.m.x)

    def _shape(self, array: guards.ExactArray, dimensions: Register) -> None:
        """Set `dimensions` to the address of a new array's dimensions: in the constants, or on the stack if the first
        one is counted."""
        m = self.m
        m.move(dimensions, self.slot(" constants"))
        if array.rank == len(array.dimensions):
            m.address(dimensions, dimensions, offset=8 * array.dimensions[0])
            return
        for columns in array.dimensions:
            m.move(dimensions, ScalarMemory(dimensions, 8 * columns))
            m.move(self.slot(" columns"), dimensions)
        m.move(dimensions, self.slot_or_value(self.entry.rows))
        m.move(self.slot(" rows"), dimensions)
        m.address(dimensions, m.stack, offset=self.slot(" rows").offset)

    def slot_or_value(self, name: str) -> Register | ScalarMemory:
        """Return where a value is while calls may change registers."""
        return self.slot(name) if name in self.slots else self.value(name)

    def _made(self, array: guards.ExactArray) -> None:
        """Set the values that depend on the new array."""
        m = self.m
        m.move(m.x, self.slot(" result"))
        m.move(m.x, ScalarMemory(m.x, cpython.DATA))
        m.move(self.value(array.to), m.x)
        if array.leading is not None:
            m.move(m.x, self.constant(array.leading.least))
            m.shift_right(m.x, array.leading.unit.bit_length() - 1)
            m.move(self.value(array.leading.to), m.x)
