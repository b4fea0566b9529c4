"""The code that calls an object with arrays of other libraries, which become borrowed ndarrays on the stack.

PyObject *foreign(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)

Entries and handles continue here if they cannot handle a call. Arguments whose type is in the table of exporters are
described by their library's C function (DLPack). Then self is called again, through its own entry, with records that
hold what guards read of an ndarray. A record's reference count is 0, which no object has. If the entry cannot handle
the call with these records either, it comes back here; this code recognises the records and returns 1, and the original
call goes to the slow path. If the result is one of the records, the caller's own array is returned (an output). A new
array is converted to one of the library whose array came first (`dlpack_result`).

    exporter   type | describe | import | checked | keys | keys | getter | closure                type 0: the last one
    record     the fields that guards read of an ndarray (9 words) | DLTensor (6 words) | strides in bytes
               | the bytes that the array's memory holds behind its last element, negative if it is too small
    DLTensor   0 data   8 device type (int32)   16 rank (int32)   20 type: code, bits (uint8), lanes (uint16)
               24 shape (int64 *)   32 strides, in elements (int64 *), may be NULL   40 byte offset

A checked exporter is torch. A tensor that has a gradient to record, or that represents the negative or the conjugate of
its memory, is not a plain array of numbers. If torch's objects have the expected memory layout they are read directly,
because its C function takes three times as long as all the rest (`system.torch_tensors`).

Sources: dlpack.h 1.3; CPython's Include/cpython/object.h for the offset of vectorcalls in a type.
"""

from __future__ import annotations

from ...encoder.code import Code
from ..scalar.machine import Register, Scalar, ScalarMemory
from ..system import cpython, torch_tensors
from .dlpack_result import ResultEmitter
from .entry_code import GUARDS_FAILED
from .exporters import (
    CHECKED,
    CLOSURE,
    DESCRIBE,
    EXPORTER,
    GETTER,
    KEYS,
    OTHER_KEYS,
    READ,
    TYPE,
    Functions,
)

CPU = 1
MOST, MOST_AXES = 12, 6
"""The most arguments and axes. Calls with more go through Python."""
_TENSOR, _OWN_STRIDES = 72, 120
_LEFT = _OWN_STRIDES + 8 * MOST_AXES
_RECORD = _LEFT + 8
_UNKNOWN = 1 << 62  # bytes of a memory whose size its library does not tell
_DATA, _DEVICE, _RANK, _KIND, _SHAPE, _STEPS, _OFFSET = ((0, 8), (8, 4), (16, 4), (20, 4), (24, 8), (32, 8), (40, 8))
_SELF, _POSITIONAL, _NAMES, _TOTAL, _RESULT, _ARGUMENTS = range(6)
"""Slots of the frame: the call's own arguments, with the number of positional ones and of all, and those of the new
call."""
_RECORDS = _ARGUMENTS + MOST
_SLOTS = _RECORDS + MOST * _RECORD // 8
_CONTIGUOUS = cpython.C_CONTIGUOUS | cpython.F_CONTIGUOUS


def emit(functions: Functions, machine: Scalar) -> Code:
    """Emit the code for all exporters of a process."""
    _ExchangeEmitter(functions, machine).run()
    code: Code = machine.asm.finish("ts_foreign")
    return code


class _ExchangeEmitter(ResultEmitter):
    def __init__(self, functions: Functions, machine: Scalar) -> None:
        super().__init__(functions, machine, machine.slot(_RESULT))
        self.python, self.declined, self.failed, self.done = map(
            machine.asm.label, ("python", "declined", "failed", "done")
        )
        self.args, self.number, self.record, self.found, self.spare = machine.kept

    def run(self) -> None:
        """Emit the conversion of the arguments, the call, its result, and the exits for other calls."""
        m = self.m
        self_, args, nargsf, kwnames = m.arguments[:4]
        positional, (given, named, _) = m.asm.label("positional"), m.values
        m.begin("foreign")
        m.address(given, nargsf, nargsf)  # drops bit 63
        m.move(m.x, given)
        m.branch(kwnames, "==", 0, positional)
        m.move(named, ScalarMemory(kwnames, cpython.TUPLE_SIZE))
        m.add(m.x, named)
        m.add(m.x, named)
        m.asm.bind(positional)
        m.branch(m.x, "u>=", 2 * MOST + 1, self.python)
        m.branch(m.x, "==", 0, self.python)
        m.open(_SLOTS, m.kept)
        m.move(m.slot(_SELF), self_)
        m.move(m.slot(_NAMES), kwnames)
        m.move(self.args, args)
        m.shift_right(given, 1)
        m.move(m.slot(_POSITIONAL), given)
        m.shift_right(m.x, 1)
        m.move(m.slot(_TOTAL), m.x)
        m.move(self.number, m.x)
        m.address(self.record, m.stack, offset=m.slot(_RECORDS).offset)
        m.move(self.found, 0)
        self._arguments()
        m.branch(self.found, "==", 0, self.declined)
        self._call()
        self.result(self.spare, self.found, (self.number, self.record), self.done)
        m.asm.bind(self.done)
        m.move(m.result, self.spare)
        m.close()
        m.ret()
        self._slow(self_, args, nargsf, kwnames)

    def _slow(self, self_: Register, args: Register, nargsf: Register, kwnames: Register) -> None:
        """Jump to the slow path, whose pointer follows the vectorcall in every object that is called through machine
        code."""
        m = self.m
        m.asm.bind(self.failed)
        self._refusal()
        m.asm.bind(self.declined)
        m.move(self_, m.slot(_SELF))
        m.move(args, self.args)
        m.move(nargsf, m.slot(_POSITIONAL))
        m.move(kwnames, m.slot(_NAMES))
        m.close()
        m.asm.bind(self.python)
        self._vectorcall_of(self_)
        m.move(self_, ScalarMemory(m.x, 8))
        m.move(m.x, self.functions.vectorcall)
        m.jump(m.x)

    def _refusal(self) -> None:
        """Drop the error by which a library's C function refuses an array; the checks in Python say what is wrong. Such
        an error has no traceback. Any other error, such as that of a signal handler that ran in the function, is
        the result of the call: one with a traceback, which Python code raised, or one that is no Exception, such as
        KeyboardInterrupt."""
        m, functions, refused, raised = self.m, self.functions, self.m.asm.label("refused"), self.m.asm.label("raised")
        kind, value, traceback = (m.slot(_ARGUMENTS + number) for number in range(3))
        m.call(functions.occurred)
        m.branch(m.result, "==", 0, self.declined)
        m.move(m.arguments[0], functions.ordinary)
        m.call(functions.matches)
        m.move(self.answer, m.result)
        m.branch(self.answer._replace(size=4), "==", 0, raised)
        for register, slot in zip(m.arguments, (kind, value, traceback)):
            m.address(register, m.stack, offset=slot.offset)
        m.call(functions.fetch)
        m.branch(traceback, "==", 0, refused)
        for register, slot in zip(m.arguments, (kind, value, traceback)):
            m.move(register, slot)
        m.call(functions.restore)
        m.asm.bind(raised)
        m.move(self.spare, 0)
        m.jump(self.done)
        m.asm.bind(refused)
        for slot in (kind, value):
            m.move(m.arguments[0], slot)
            m.call(functions.dec_ref)

    def _vectorcall_of(self, target: Register) -> None:
        """Set x to the address at which an object keeps its vectorcall."""
        m = self.m
        m.move(m.x, ScalarMemory(target, cpython.TYPE))
        m.move(m.x, ScalarMemory(m.x, cpython.VECTORCALL_OFFSET))
        m.address(m.x, target, m.x)

    def _call(self) -> None:
        """Set spare to the result of calling self with the records: an error, None, an argument, or a new array, with
        which the code goes on."""
        m = self.m
        m.move(m.arguments[0], m.slot(_SELF))
        self._vectorcall_of(m.arguments[0])
        m.address(m.arguments[1], m.stack, offset=m.slot(_ARGUMENTS).offset)
        m.move(m.arguments[2], m.slot(_POSITIONAL))
        m.move(m.arguments[3], m.slot(_NAMES))
        m.call(ScalarMemory(m.x))
        m.move(self.spare, m.result)
        m.branch(m.result, "==", GUARDS_FAILED, self.declined)
        m.branch(m.result, "==", 0, self.done)
        m.move(m.y, self.functions.none)
        m.branch(m.result, "==", m.y, self.done)
        self._unless_argument()

    def _unless_argument(self) -> None:
        """Return the caller's own array if the result in spare is an argument of the new call: an output."""
        m, every, other = self.m, self.m.asm.label("result"), self.m.asm.label("not this one")
        m.move(self.number, m.slot(_TOTAL))
        m.asm.bind(every)
        m.address(m.y, m.stack, offset=m.slot(_ARGUMENTS).offset)
        m.element(m.x, m.y, self.number)
        m.branch(m.x, "!=", self.spare, other)
        m.element(m.x, self.args, self.number)
        m.branch(m.x, "==", self.spare, self.done)  # an array of numpy, which was passed on as it is
        m.move(self.spare, m.x)
        m.increment(ScalarMemory(self.spare))
        m.jump(self.done)
        m.asm.bind(other)
        m.subtract(self.number, 1)
        m.branch(self.number, "!=", 0, every)

    # Arguments

    def _arguments(self) -> None:
        """Convert the arguments of the new call, from the last to the first. Set `found` to the exporter of the first
        one, or 0."""
        m, asm = self.m, self.m.asm
        every, other, search, following, keep, following_argument = (
            asm.label(name) for name in ("argument", "other", "search", "next exporter", "as it is", "next argument")
        )
        asm.bind(every)
        m.element(m.x, self.args, self.number)
        m.move(m.y, ScalarMemory(m.x, cpython.TYPE))
        m.move(m.z, self.functions.array_type)
        m.branch(m.y, "!=", m.z, other)
        m.branch(ScalarMemory(m.x), "!=", 0, keep)
        m.close()  # the arguments are records: this is the returning call
        m.move(m.result, GUARDS_FAILED)
        m.ret()
        asm.bind(other)
        m.move(m.z, self.functions.exporters)
        m.jump(search)
        asm.bind(following)
        m.add(m.z, 8 * len(EXPORTER))
        asm.bind(search)
        m.move(m.values[0], ScalarMemory(m.z, TYPE))
        m.branch(m.values[0], "==", 0, keep)
        m.branch(m.values[0], "!=", m.y, following)
        m.move(self.found, m.z)
        self._plain()
        self._describe()
        m.move(m.x, self.record)
        m.add(self.record, _RECORD)
        asm.bind(keep)
        m.address(m.y, m.stack, self.number, 8, m.slot(_ARGUMENTS).offset - 8)
        m.move(ScalarMemory(m.y), m.x)
        asm.bind(following_argument)
        m.subtract(self.number, 1)
        m.branch(self.number, "!=", 0, every)

    def _plain(self) -> None:
        """Check that the array in x is plain, if its exporter, to which z points, is a checked one."""
        m, plain, usual = self.m, self.m.asm.label("plain"), self.m.asm.label("usual")
        m.branch(ScalarMemory(m.z, CHECKED), "==", 0, plain)
        m.move(m.y, ScalarMemory(m.x, torch_tensors.TENSOR))
        m.move(m.values[0], ScalarMemory(m.y, torch_tensors.KEYS))
        m.branch(m.values[0], "==", ScalarMemory(m.z, KEYS), usual)
        m.branch(m.values[0], "!=", ScalarMemory(m.z, OTHER_KEYS), self.declined)
        m.asm.bind(usual)
        m.branch(ScalarMemory(m.y, torch_tensors.AUTOGRAD), "==", 0, plain)
        m.move(m.y, ScalarMemory(m.y, torch_tensors.AUTOGRAD))
        m.branch(ScalarMemory(m.y, torch_tensors.TANGENT), "!=", 0, self.declined)
        m.move(m.arguments[0], m.x)
        m.move(m.arguments[1], ScalarMemory(m.z, CLOSURE))
        m.call(ScalarMemory(m.z, GETTER))
        m.move(self.answer, m.result)
        m.branch(m.result, "==", 0, self.failed)
        m.move(m.arguments[0], m.result)
        m.call(self.functions.dec_ref)
        m.move(m.x, self.answer)
        m.move(m.y, self.functions.false)
        m.branch(m.x, "!=", m.y, self.declined)
        m.asm.bind(plain)

    def _tensor(self, field: tuple[int, int]) -> ScalarMemory:
        return ScalarMemory(self.record, _TENSOR + field[0], field[1])

    def _describe(self) -> None:
        """Fill the record of the argument, whose exporter is `found`."""
        m, (dtype, flags, rest) = self.m, self.m.values
        aligned, ask, told = (m.asm.label(name) for name in ("aligned", "ask", "told"))
        m.branch(ScalarMemory(self.found, CHECKED), "!=", READ, ask)
        self._read()
        m.jump(told)
        m.asm.bind(ask)
        m.element(m.arguments[0], self.args, self.number)
        m.address(m.arguments[1], self.record, offset=_TENSOR)
        m.call(ScalarMemory(self.found, DESCRIBE))
        m.move(self.answer, m.result)
        # the result is an int, so its upper half is undefined
        m.branch(self.answer._replace(size=4), "!=", 0, self.failed)
        m.branch(self._tensor(_DEVICE), "!=", CPU, self.declined)
        m.move(m.x, _UNKNOWN)
        m.move(ScalarMemory(self.record, _LEFT), m.x)
        m.asm.bind(told)
        m.move(m.y, self._tensor(_RANK))
        m.branch(m.y, "u>=", MOST_AXES + 1, self.declined)
        self._dtype(self._tensor(_KIND), dtype)
        m.move(m.x, self._tensor(_DATA))
        m.branch(m.x, "==", 0, self.declined)  # no elements, or a storage whose memory was given back
        m.add(m.x, self._tensor(_OFFSET))
        for offset, value in ((cpython.DATA, m.x), (cpython.DTYPE, dtype), (cpython.RANK, m.y)):
            m.move(ScalarMemory(self.record, offset), value)
        m.move(flags, cpython.ALIGNED | cpython.WRITEABLE | _CONTIGUOUS)
        m.address(rest, m.z, offset=-1)
        m.bits_and(rest, m.x)
        m.branch(rest, "==", 0, aligned)
        m.subtract(flags, cpython.ALIGNED)
        m.asm.bind(aligned)
        m.move(m.x, self.functions.array_type)
        m.move(ScalarMemory(self.record, cpython.TYPE), m.x)
        m.move(ScalarMemory(self.record), 0)
        m.move(ScalarMemory(self.record, cpython.BASE), 0)
        self._axes(flags)
        m.move(ScalarMemory(self.record, cpython.FLAGS), flags)

    def _read(self) -> None:
        """Fill the DLTensor of a plain torch tensor as its C function would, in a tenth of the time."""
        m, layout, (rank, data, size) = self.m, torch_tensors, self.m.values
        m.element(m.y, self.args, self.number)
        m.move(m.y, ScalarMemory(m.y, layout.TENSOR))
        m.move(m.x, ScalarMemory(m.y, layout.STORAGE))
        m.branch_if_bits(ScalarMemory(m.x, layout.STORAGE_FLAGS, 4), layout.LAZY, True, self.declined)
        m.move(data, ScalarMemory(m.x, layout.DATA))
        m.move(m.z, ScalarMemory(m.x, layout.HELD))
        m.move(ScalarMemory(self.record, _LEFT), m.z)
        m.move(rank, ScalarMemory(m.y, layout.RANK))
        m.branch(rank, "u>=", layout.MOST_AXES + 1, self.declined)
        m.move(m.x, ScalarMemory(m.y, layout.DTYPE, 4))
        m.bits_and(m.x, 0xFFFF)
        m.branch(m.x, "u>=", layout.DTYPES, self.declined)
        m.multiply(m.x, 16)
        m.move(m.z, self.functions.torch_types)
        m.address(m.x, m.x, m.z)
        m.move(size, ScalarMemory(m.x, 8))
        m.multiply(size, ScalarMemory(m.y, layout.OFFSET))
        m.add(rank, ScalarMemory(m.x))  # the type is the upper half
        m.address(m.x, m.y, offset=layout.SHAPE)
        m.address(m.y, m.y, offset=layout.STEPS)
        for field, value in ((_DATA, data), (_RANK, rank), (_OFFSET, size), (_SHAPE, m.x), (_STEPS, m.y)):
            m.move(ScalarMemory(self.record, _TENSOR + field[0]), value)

    def _dtype(self, kind: ScalarMemory, dtype: Register) -> None:
        """Set `dtype` to the dtype object and z to the element size."""
        m, known = self.m, self.m.asm.label("known")
        m.move(m.x, kind)
        for number, size, found in self.functions.dtypes:
            other = m.asm.label()
            m.branch(m.x, "!=", number, other)
            m.move(dtype, found)
            m.move(m.z, size)
            m.jump(known)
            m.asm.bind(other)
        m.jump(self.declined)
        m.asm.bind(known)

    def _axes(self, flags: Register) -> None:
        """Store dimensions, byte strides and the contiguity flags, for y axes and elements of z bytes. Decline the call
        if the memory ends before the last element, because its owner made it smaller."""
        m, done = self.m, self.m.asm.label("axes done")
        self._leave(self._tensor(_OFFSET))
        self._leave(m.z)
        shape, strides = m.arguments[:2]
        m.move(shape, self._tensor(_SHAPE))
        m.address(strides, self.record, offset=_OWN_STRIDES)
        m.move(ScalarMemory(self.record, cpython.DIMENSIONS), shape)
        m.move(ScalarMemory(self.record, cpython.STRIDES), strides)
        m.branch(m.y, "==", 0, done)
        self._byte_strides(shape, strides, flags)
        self._columns(shape, strides, flags)
        m.asm.bind(done)
        m.branch(ScalarMemory(self.record, _LEFT), "<", 0, self.declined)

    def _leave(self, bytes_: Register | ScalarMemory) -> None:
        """Subtract bytes that the array takes from those that are left of its memory. x is overwritten."""
        m, left = self.m, ScalarMemory(self.record, _LEFT)
        m.move(m.x, left)
        m.subtract(m.x, bytes_)
        m.move(left, m.x)

    def _byte_strides(self, shape: Register, strides: Register, flags: Register) -> None:
        """Compute byte strides from the last axis on. If DLPack gives no strides, the array is dense in C order."""
        m, (dense, _, steps) = self.m, self.m.values
        step, place = m.constants, self.spare
        every, given, known = m.asm.label("axis"), m.asm.label("given"), m.asm.label("stride")
        m.move(dense, m.z)
        m.move(steps, self._tensor(_STEPS))
        m.asm.bind(every)
        m.branch(steps, "!=", 0, given)
        m.move(step, dense)
        m.jump(known)
        m.asm.bind(given)
        m.element(step, steps, m.y)
        m.multiply(step, m.z)
        m.asm.bind(known)
        m.address(place, strides, m.y, 8, -8)
        m.move(ScalarMemory(place), step)
        m.element(m.x, shape, m.y)
        self._contiguous(cpython.C_CONTIGUOUS, step, dense, flags)
        m.subtract(m.x, 1)
        m.multiply(step, m.x)
        self._leave(step)
        m.subtract(m.y, 1)
        m.branch(m.y, "!=", 0, every)

    def _columns(self, shape: Register, strides: Register, flags: Register) -> None:
        """Check, from the first axis on, whether the array is dense in Fortran order. Both pointers are overwritten."""
        m, dense = self.m, self.m.values[0]
        m.move(m.y, self._tensor(_RANK))
        m.move(dense, m.z)
        with m.loop(m.y):
            m.move(m.x, ScalarMemory(shape))
            m.move(m.constants, ScalarMemory(strides))
            self._contiguous(cpython.F_CONTIGUOUS, m.constants, dense, flags)
            m.add(shape, 8)
            m.add(strides, 8)

    def _contiguous(self, flag: int, step: Register, dense: Register, flags: Register) -> None:
        """Clear the flag unless the stride `step` of an axis of x elements equals `dense`, which becomes the value for
        the next axis."""
        m, fits = self.m, self.m.asm.label()
        m.branch(step, "==", dense, fits)
        m.branch(m.x, "==", 1, fits)
        m.move(self.spare, 0xFFFF ^ flag)
        m.bits_and(flags, self.spare)
        m.asm.bind(fits)
        m.multiply(dense, m.x)
