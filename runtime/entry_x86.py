"""The x86-64 code of an Entry.

PyObject *entry(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)

entry   guards; the kernel; return None                with all arguments
fewer   guards; a new array; the kernel; return it     the last one left out, where the entry allows it
slow    jump to the slow path                          with the call as it came
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ..encoder.code import Code
from ..encoder.x86.abi import ARGUMENTS
from ..encoder.x86.registers import ptr, qword
from . import cpython, guards
from .guards import Entry
from .guards_x86 import POINTERS, SPILLED, GuardEmitter, ecx, edi, edx, r10, r11, rax, rcx, rdi, rdx, rsi, rsp


class Runtime(NamedTuple):
    """Where the process has what entries need: offsets in the callable object, addresses of functions and objects."""

    slow: int  # offset of the slow path's function
    constants: int  # offset of the pointer to the constants
    vectorcall: int
    none: int
    save_thread: int
    restore_thread: int
    inc_ref: int = 0
    empty: int = 0  # numpy's PyArray_Empty
    dtype: int = 0  # of a new array


def emit(entry: Entry, runtime: Runtime) -> Code:
    """The code of a structure."""
    emitter = _Emitter(entry, runtime)
    emitter.run()
    return emitter.asm.finish("ts_entry")


class _Emitter(GuardEmitter):
    def __init__(self, entry: Entry, runtime: Runtime) -> None:
        super().__init__(entry)
        self.runtime = runtime
        self.slow = self.asm.label("slow")

    def run(self) -> None:
        """Entry with all arguments, the slow path, and the entry without the last argument."""
        asm, entry = self.asm, self.entry
        asm.here("entry")
        asm.endbr64()
        asm.lea(rax, ptr[rdx + rdx])  # bit 63 says that args[-1] may be written to, which nobody does
        asm.cmp(rax, 2 * entry.arguments)
        fewer = asm.label("fewer") if self.can_allocate else self.slow
        asm.jne(fewer)
        with self._guarded(entry.arguments):
            self.check_all(with_output=True)
            self._call()
            self._leave()
            self._return_none()
        if self.can_allocate:
            asm.bind(fewer)
            asm.cmp(rax, 2 * (entry.arguments - 1))
            asm.jne(self.slow)
            with self._guarded(entry.arguments - 1):
                self.check_all(with_output=False)
                self._allocate()
                self._call()
                asm.mov(rax, self.slot("result"))
                self._leave()
                asm.ret()
        asm.bind(self.slow)
        self._tail_call_slow()
        self.unusual_dtypes()

    @property
    def can_allocate(self) -> bool:
        return self.entry.allocates is not None and bool(self.runtime.empty)

    # Frame and ends

    @contextmanager
    def _guarded(self, arguments: int) -> Iterator[None]:
        """Around guards and call: no keywords, the frame, and where guards go that do not hold."""
        asm = self.asm
        asm.test(rcx, rcx)
        asm.jne(self.slow)
        for register in self.saved:
            asm.push(register)
        asm.sub(rsp, self.frame)
        asm.mov(r11, qword[rdi + self.runtime.constants])
        self.fail = asm.label("fail")
        yield
        asm.bind(self.fail)
        self._leave()
        asm.mov(edx, arguments)
        asm.xor(ecx, ecx)
        self._tail_call_slow()

    def _leave(self) -> None:
        self.asm.add(rsp, self.frame)
        for register in reversed(self.saved):
            self.asm.pop(register)

    def _tail_call_slow(self) -> None:
        self.asm.mov(rdi, qword[rdi + self.runtime.slow])
        self.asm.mov(rax, self.runtime.vectorcall)
        self.asm.jmp(rax)

    def _return_none(self) -> None:
        self.asm.mov(rax, self.runtime.none)
        if cpython.COUNTED_NONE:
            self.asm.inc(qword[rax])
        self.asm.ret()

    # The call

    def _call(self) -> None:
        asm, release = self.asm, self.entry.release
        if release == "always":
            self._call_released()
            return
        done = asm.label("done")
        keep = asm.label("keep")
        if release == "count":
            asm.mov(rax, self.slot("count"))
            asm.cmp(rax, self.constant(guards.RELEASE_ABOVE))
            asm.jle(keep)
            self._call_released()
            asm.jmp(done)
        asm.bind(keep)
        self._call_kernel()
        asm.bind(done)

    def _call_kernel(self) -> None:
        asm = self.asm
        for register, pointer in zip(ARGUMENTS, POINTERS.values()):
            asm.mov(register, pointer)
        for register, name in list(zip(ARGUMENTS, self.entry.parameters))[3:]:
            asm.mov(register, self.slot(name))
        asm.call(self.constant(guards.FUNCTION))

    def _call_released(self) -> None:
        asm = self.asm
        with self._spilled():
            asm.mov(rax, self.runtime.save_thread)
            asm.call(rax)
            asm.mov(self.slot("thread"), rax)
        self._call_kernel()
        asm.mov(rdi, self.slot("thread"))
        asm.mov(rax, self.runtime.restore_thread)
        asm.call(rax)

    @contextmanager
    def _spilled(self) -> Iterator[None]:
        """Keep the values in registers over a call."""
        for register in SPILLED:
            self.asm.mov(self.slot(register.name), register)
        yield
        for register in SPILLED:
            self.asm.mov(register, self.slot(register.name))

    def _allocate(self) -> None:
        """c := the data of a new array, which PyArray_Empty makes; it takes over a reference to the dtype."""
        asm, array = self.asm, self.entry.allocates
        assert array is not None
        made = asm.label("made")
        with self._spilled():
            asm.mov(rdi, self.runtime.dtype)
            asm.mov(rax, self.runtime.inc_ref)
            asm.call(rax)
            asm.mov(rsi, self.slot("r11"))
            asm.lea(rsi, ptr[rsi + 8 * array.dimensions[0]])
            asm.mov(edi, len(array.dimensions))
            asm.mov(rdx, self.runtime.dtype)
            asm.mov(ecx, int(self.entry.fortran))
            asm.mov(rax, self.runtime.empty)
            asm.call(rax)
            asm.mov(self.slot("result"), rax)
            asm.test(rax, rax)
            asm.jne(made)
            self._leave()  # MemoryError is set
            asm.ret()
            asm.bind(made)
        asm.mov(rax, self.slot("result"))
        asm.mov(r10, qword[rax + cpython.DATA])
        if array.leading is not None:
            asm.mov(rax, self.constant(array.leading.least))
            asm.shr(rax, self.shift)
            asm.mov(self.slot(array.leading.to), rax)
