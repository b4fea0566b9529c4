"""Machine code that XLA calls: XLA_FFI_Error *handler(XLA_FFI_CallFrame *frame).

A handler belongs to one kernel and to buffers of certain types and extents. It compares the buffers of a call with
them, puts their addresses into registers or into the table of a job, and calls. A difference is an error of XLA's. A
batch is a loop around the call, whose steps are added to the addresses. Handlers hold no lock, allocate nothing and
keep all state on their stack, so that several threads of XLA may call one at a time, with or without the GIL. Jobs
begin a region on our workers, which runs on the calling thread alone if these are taken.

When a handler is registered, XLA calls it with an extension that asks for the version of the interface it was made for.
It answers with the version that XLA offers, since it reads the sizes of all structs itself (`frame`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ....encoder.code import Code
from ....encoder.operands import Label
from ....encoder.records import NamedTuple
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.errors import UnsupportedError
from ...loops.scratch import ALIGNMENT
from ...scalar.machine import Scalar, ScalarMemory
from . import frame

_LARGEST = (1 << 31) - 1
_INT = 4  # bytes of a C int


class ArrayType(NamedTuple):
    """The element type and the shape of an array."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Its bytes without gaps."""
        return prod(self.shape) * ELEMENT_BYTES[self.dtype]

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


class Word(NamedTuple):
    """A parameter of a kernel, or a word of a job's table.

    base    what it is an offset from: the number of a buffer, of the arguments and then of the results, or one of the
            following
    offset  bytes, or the number itself
    """

    base: int
    offset: int = 0


NUMBER, SCRATCH, BARRIER, STATE = -1, -2, -3, -4
"""Bases of words that are no buffers: a number, scratch memory, the barrier of jobs and its argument."""


class Region(NamedTuple):
    """How workers run a job: the address of `region.entry`'s function, how many workers, and its last argument."""

    entry: int
    workers: int
    amount: int


class Callee(NamedTuple):
    """What a handler calls.

    address   of the kernel or the job, or where it lies behind the handler
    words     the parameters of a kernel, or the table of a job
    job       whether it is a job
    region    of a job on several workers
    barrier   the address of the barrier, and its argument
    scratch   bytes of scratch memory, which XLA allocates as a further result
    code      its machine code, by which it is told from others
    keep      what must not be freed
    """

    address: int | Label
    words: tuple[Word, ...]
    job: bool = False
    region: Region | None = None
    barrier: tuple[int, int] = (0, 0)
    scratch: int = 0
    code: bytes = b""
    keep: object = None


class BatchLoop(NamedTuple):
    """A loop around a call: how often, and by how many bytes each buffer's address moves."""

    count: int
    steps: tuple[int, ...]


class HandlerPlan(NamedTuple):
    """A handler: its name in errors, the buffers of its calls, what it calls, and loops around it, outermost first."""

    name: str
    arguments: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]
    callee: Callee
    loops: tuple[BatchLoop, ...] = ()

    @property
    def allocated(self) -> tuple[ArrayType, ...]:
        """The results as XLA allocates them, with scratch memory."""
        size = self.callee.scratch
        return (*self.results, ArrayType("u8", (size + ALIGNMENT,))) if size else self.results

    @property
    def structure(self) -> str:
        """All but the addresses of a process, as text."""
        callee = self.callee
        region = callee.region and callee.region[1:]
        return repr((self.name, self.arguments, self.results, self.loops, callee.words, callee.job, region))


def emit(m: Scalar, plan: HandlerPlan) -> Code:
    """Emit a handler."""
    return _Emitter(m, plan).run()


class _Emitter:
    """Slots of the frame: arguments of the call, or the job's table; then the address of each buffer, the last one that
    of scratch memory if there is any; the counter of each loop; and the arguments of XLA_FFI_Error_Create."""

    def __init__(self, m: Scalar, plan: HandlerPlan) -> None:
        self.m, self.plan, self.callee = m, plan, plan.callee
        words, buffers = len(plan.callee.words), len(plan.arguments) + len(plan.allocated)
        self.buffers = words if plan.callee.job else max(0, words - len(m.arguments))
        self.counters = self.buffers + buffers
        self.error = self.counters + len(plan.loops)
        self.slots = self.error + 4
        self.frame, self.pointers = m.kept[:2]
        self.failures: list[tuple[Label, str, int]] = []

    def run(self) -> Code:
        """Emit the function."""
        m, asm = self.m, self.m.asm
        called, metadata, look = asm.label("called"), asm.label("metadata"), asm.label("look")
        m.begin("handler")
        m.open(self.slots, (self.frame, self.pointers))
        m.move(self.frame, m.arguments[0])
        m.move(m.x, ScalarMemory(self.frame, frame.EXTENSIONS))
        m.branch(m.x, "==", 0, called)
        asm.bind(look)
        m.branch(ScalarMemory(m.x, frame.KIND, _INT), "==", frame.METADATA, metadata)
        m.move(m.x, ScalarMemory(m.x, frame.NEXT))
        m.branch(m.x, "!=", 0, look)
        asm.bind(called)
        self._check_frame()
        self._check_part("argument", frame.ARGUMENTS, self.plan.arguments, self.buffers)
        self._check_part("result", frame.RESULTS, self.plan.allocated, self.buffers + len(self.plan.arguments))
        if self.callee.scratch:
            scratch = m.slot(self.counters - 1)
            m.move(m.x, scratch)
            m.add(m.x, ALIGNMENT - 1)
            m.bits_and(m.x, -ALIGNMENT)
            m.move(scratch, m.x)
        self._loop(self.plan.loops, self.counters)
        self._leave()
        asm.bind(metadata)
        self._answer()
        self._fail()
        code: Code = asm.finish("ts_xla_handler")
        return code

    def _leave(self) -> None:
        """Return without an error."""
        self.m.move(self.m.result, 0)
        self.m.close()
        self.m.ret()

    # Checks

    def _require(
        self, place: ScalarMemory, condition: str, value: int, message: str, code: int = frame.INVALID_ARGUMENT
    ) -> None:
        """Fail with a message if the condition is false."""
        same = next((label for label, text, _ in self.failures if text == message), None)
        label = same or self.m.asm.label(f"failure{len(self.failures)}")
        if same is None:
            self.failures.append((label, message, code))
        opposite = {"==": "!=", "u>=": "u<"}[condition]
        self.m.branch(place, opposite, value, label)

    def _check_frame(self) -> None:
        other = "XLA's call frame has another layout than that of its API version 0.3, which this handler reads"
        for offset, condition, size in (
            (0, "u>=", frame.FRAME_SIZE),
            (frame.ARGUMENTS, "==", frame.PART_SIZE),
            (frame.RESULTS, "u>=", frame.PART_SIZE),
        ):
            self._require(ScalarMemory(self.frame, offset), condition, size, other, frame.FAILED_PRECONDITION)
        stage = ScalarMemory(self.frame, frame.STAGE, _INT)
        self._require(stage, "==", frame.EXECUTE, "called in another stage than execution")

    def _check_part(self, role: str, offset: int, types: Sequence[ArrayType], first: int) -> None:
        """Check the arguments or the results, and keep their addresses."""
        m = self.m
        count = ScalarMemory(self.frame, offset + frame.COUNT)
        self._require(count, "==", len(types), f"another number of {role}s than {len(types)}")
        m.move(self.pointers, ScalarMemory(self.frame, offset + frame.POINTERS))
        for number, each in enumerate(types):
            message = f"{role} {number}: not {each}, for which the kernel was made"
            m.move(m.x, ScalarMemory(self.pointers, 8 * number))
            self._require(ScalarMemory(m.x), "u>=", frame.BUFFER_SIZE, "a buffer without extents")
            self._require(ScalarMemory(m.x, frame.TYPE, _INT), "==", frame.TYPES[each.dtype], message)
            self._require(ScalarMemory(m.x, frame.RANK), "==", len(each.shape), message)
            m.move(m.y, ScalarMemory(m.x, frame.DATA))
            m.move(m.slot(first + number), m.y)
            if each.shape:
                m.move(m.x, ScalarMemory(m.x, frame.EXTENTS))
            for axis, extent in enumerate(each.shape):
                if extent > _LARGEST:
                    raise UnsupportedError(f"{self.plan.name}: axes of at most {_LARGEST} elements, not {extent}")
                self._require(ScalarMemory(m.x, 8 * axis), "==", extent, message)

    # The call

    def _loop(self, loops: Sequence[BatchLoop], counter: int) -> None:
        """Emit the loops and the call in them."""
        if not loops:
            self._call()
            return
        m, top = self.m, self.m.asm.label("batch")
        count, steps = loops[0]
        m.move(m.slot(counter), count)
        m.asm.bind(top)
        self._loop(loops[1:], counter + 1)
        self._step(steps)
        m.move(m.x, m.slot(counter))
        m.subtract(m.x, 1)
        m.move(m.slot(counter), m.x)
        m.branch(m.x, "!=", 0, top)
        if counter > self.counters:  # a loop around this one begins where it began
            self._step([-count * step for step in steps])

    def _step(self, steps: Sequence[int]) -> None:
        m = self.m
        for number, step in enumerate(steps):
            if step:
                m.move(m.x, m.slot(self.buffers + number))
                m.move(m.y, step)
                m.add(m.x, m.y)
                m.move(m.slot(self.buffers + number), m.x)

    def _call(self) -> None:
        m, callee = self.m, self.callee
        if not callee.job:
            inside = len(m.arguments)
            for number, word in enumerate(callee.words[inside:]):
                self._load(m.x, word)
                m.move(m.slot(number), m.x)
            for register, word in zip(m.arguments, callee.words):
                self._load(register, word)
            m.call(callee.address)
            return
        for number, word in enumerate(callee.words):
            self._load(m.x, word)
            m.move(m.slot(number), m.x)
        first, second, third, fourth = m.arguments[:4]
        region = callee.region
        if region is None:
            m.address(first, m.stack)
            m.move(second, 0)
            m.move(third, 1)
            m.call(callee.address)
            return
        assert isinstance(callee.address, int)
        m.move(first, callee.address)
        m.address(second, m.stack)
        m.move(third, region.workers)
        m.move(fourth, region.amount)
        m.call(region.entry)

    def _load(self, register: object, word: Word) -> None:
        """Load a word into a register. Those of kernels are buffers or numbers; offsets of others may need m.y."""
        m = self.m
        if word.base in (NUMBER, BARRIER, STATE):
            values = {NUMBER: word.offset, BARRIER: self.callee.barrier[0], STATE: self.callee.barrier[1]}
            m.move(register, values[word.base])
            return
        number = self.counters - 1 if word.base == SCRATCH else self.buffers + word.base
        m.move(register, m.slot(number))
        if word.offset > _LARGEST:
            m.move(m.y, word.offset)
            m.add(register, m.y)
        elif word.offset:
            m.add(register, word.offset)

    # What XLA asks when it registers, and errors

    def _answer(self) -> None:
        """Answer with the version that XLA offers, if it is of the major version of these structs."""
        m = self.m
        m.move(self.pointers, ScalarMemory(m.x, frame.METADATA_OF))
        older = "XLA asks for metadata of another layout than that of its API version 0.3"
        self._require(ScalarMemory(self.pointers), "u>=", frame.METADATA_SIZE, older, frame.FAILED_PRECONDITION)
        m.move(m.x, ScalarMemory(self.frame, frame.API))
        self._require(ScalarMemory(m.x), "u>=", frame.API_SIZE, older, frame.FAILED_PRECONDITION)
        major = f"handlers are made for version {frame.MAJOR} of XLA's foreign function interface"
        self._require(ScalarMemory(m.x, frame.VERSION, _INT), "==", frame.MAJOR, major, frame.FAILED_PRECONDITION)
        m.move(m.y, ScalarMemory(m.x, frame.VERSION))
        m.move(ScalarMemory(self.pointers, frame.VERSION_OF_HANDLER), m.y)
        m.move(m.y, 0)
        m.move(ScalarMemory(self.pointers, frame.TRAITS), m.y)
        self._leave()

    def _fail(self) -> None:
        """Return an error of XLA's with the message of what differs."""
        m, asm, raising = self.m, self.m.asm, self.m.asm.label("raising")
        for label, message, code in self.failures:
            asm.bind(label)
            m.constant(m.y, f"{self.plan.name}: {message}".encode() + b"\0")
            m.move(m.x, code)
            m.jump(raising)
        asm.bind(raising)
        at = [m.slot(self.error + word) for word in range(4)]
        m.move(at[frame.ERROR_MESSAGE // 8], m.y)
        m.move(at[frame.ERROR_CODE // 8], m.x)
        m.move(at[1], 0)
        m.move(m.x, frame.ERROR_SIZE)
        m.move(at[0], m.x)
        m.address(m.arguments[0], m.stack, offset=8 * self.error)
        m.move(m.x, ScalarMemory(self.frame, frame.API))
        m.call(ScalarMemory(m.x, frame.ERROR_CREATE))
        m.close()
        m.ret()
