"""Machine code that XLA calls: XLA_FFI_Error *handler(XLA_FFI_CallFrame *frame).

A handler belongs to one kernel and to buffers of certain types and extents. It compares the buffers of a call with
them, puts their addresses into registers or into the table of a job, and calls. A difference is an error of XLA's. A
batch is a loop around the call, whose steps are added to the addresses. Handlers hold no lock, allocate nothing and
keep all state on their stack, so that several threads of XLA may call one at a time, with or without the GIL. Jobs
begin a region on our workers, which runs on the calling thread alone if these are taken.

When a handler is registered, XLA calls it with an extension that asks for the version of the interface it was made for.
It answers with the version that XLA offers, since it reads the sizes of all structs itself (`frame`). An XLA that tells
none, as of minor version 1, gets the one that the handler was made with.
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
from .frame import (
    FRAME_SIZE,
    TYPES,
    CallArrays,
    CallBuffer,
    CallExtension,
    CallFrame,
    ErrorArguments,
    HandlerMetadata,
    OfferedApi,
)


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


class WordBase:
    """What words of no buffer are offsets from: zero, scratch memory, or the barrier of jobs and its argument."""

    NUMBER, SCRATCH, BARRIER, STATE = -1, -2, -3, -4


class HandlerWord(NamedTuple):
    """A parameter of a kernel, or a word of a job's table.

    base    what it is an offset from: the number of a buffer, of the arguments and then of the results, or a `WordBase`
    offset  bytes, or the number itself
    """

    base: int
    offset: int = 0


def number(value: int) -> HandlerWord:
    """Return a word that is a number."""
    return HandlerWord(WordBase.NUMBER, value)


class HandlerRegion(NamedTuple):
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
    words: tuple[HandlerWord, ...]
    job: bool = False
    region: HandlerRegion | None = None
    barrier: tuple[int, int] = (0, 0)
    scratch: int = 0
    code: bytes = b""
    keep: object = None


class HandlerLoop(NamedTuple):
    """A loop around a call: how many times, and by how many bytes each buffer's address moves."""

    times: int
    steps: tuple[int, ...]


class Handler(NamedTuple):
    """A handler: its name in errors, the buffers of its calls, what it calls, loops around it, outermost first, and the
    minor version of an interface that does not tell its own."""

    name: str
    arguments: tuple[ArrayType, ...]
    results: tuple[ArrayType, ...]
    callee: Callee
    loops: tuple[HandlerLoop, ...] = ()
    minor: int = 3

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


def emit(m: Scalar, plan: Handler) -> Code:
    """Emit a handler."""
    return _HandlerEmitter(m, plan).run()


class _HandlerEmitter:
    """Slots of the frame: arguments of the call, or the job's table; then the address of each buffer, the last one that
    of scratch memory if there is any; the counter of each loop; and the arguments of XLA_FFI_Error_Create."""

    def __init__(self, m: Scalar, plan: Handler) -> None:
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
        m.move(m.x, ScalarMemory(self.frame, CallFrame.EXTENSIONS))
        m.branch(m.x, "==", 0, called)
        asm.bind(look)
        m.branch(ScalarMemory(m.x, CallExtension.KIND, 4), "==", CallExtension.METADATA, metadata)
        m.move(m.x, ScalarMemory(m.x, CallExtension.NEXT))
        m.branch(m.x, "!=", 0, look)
        asm.bind(called)
        self._check_frame()
        self._check_part("argument", CallFrame.ARGUMENTS, self.plan.arguments, self.buffers)
        self._check_part("result", CallFrame.RESULTS, self.plan.allocated, self.buffers + len(self.plan.arguments))
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
        self, place: ScalarMemory, condition: str, value: int, message: str, code: int = ErrorArguments.INVALID_ARGUMENT
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
            (0, "u>=", FRAME_SIZE),
            (CallFrame.ARGUMENTS, "==", CallArrays.SIZE),
            (CallFrame.RESULTS, "u>=", CallArrays.SIZE),
        ):
            self._require(ScalarMemory(self.frame, offset), condition, size, other, ErrorArguments.FAILED_PRECONDITION)
        stage = ScalarMemory(self.frame, CallFrame.STAGE, 4)
        self._require(stage, "==", CallFrame.EXECUTE, "called in another stage than execution")

    def _check_part(self, role: str, offset: int, types: Sequence[ArrayType], first: int) -> None:
        """Check the arguments or the results, and keep their addresses."""
        m = self.m
        count = ScalarMemory(self.frame, offset + CallArrays.COUNT)
        self._require(count, "==", len(types), f"another number of {role}s than {len(types)}")
        m.move(self.pointers, ScalarMemory(self.frame, offset + CallArrays.POINTERS))
        for number, each in enumerate(types):
            message = f"{role} {number}: not {each}, for which the kernel was made"
            m.move(m.x, ScalarMemory(self.pointers, 8 * number))
            self._require(ScalarMemory(m.x), "u>=", CallBuffer.SIZE, "a buffer without extents")
            self._require(ScalarMemory(m.x, CallBuffer.TYPE, 4), "==", TYPES[each.dtype], message)
            self._require(ScalarMemory(m.x, CallBuffer.RANK), "==", len(each.shape), message)
            m.move(m.y, ScalarMemory(m.x, CallBuffer.DATA))
            m.move(m.slot(first + number), m.y)
            if each.shape:
                m.move(m.x, ScalarMemory(m.x, CallBuffer.EXTENTS))
            for axis, extent in enumerate(each.shape):
                if extent >> 31:
                    raise UnsupportedError(f"{self.plan.name}: axes of less than 2 ** 31 elements, not {extent}")
                self._require(ScalarMemory(m.x, 8 * axis), "==", extent, message)

    # The call

    def _loop(self, loops: Sequence[HandlerLoop], counter: int) -> None:
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

    def _load(self, register: object, word: HandlerWord) -> None:
        """Load a word into a register. Those of kernels are buffers or numbers; offsets of others may need m.y."""
        m = self.m
        first, second = self.callee.barrier
        values = {WordBase.NUMBER: word.offset, WordBase.BARRIER: first, WordBase.STATE: second}
        if word.base in values:
            m.move(register, values[word.base])
            return
        number = self.counters - 1 if word.base == WordBase.SCRATCH else self.buffers + word.base
        m.move(register, m.slot(number))
        if word.offset >> 31:
            m.move(m.y, word.offset)
            m.add(register, m.y)
        elif word.offset:
            m.add(register, word.offset)

    # What XLA asks when it registers, and errors

    def _answer(self) -> None:
        """Answer with the version that XLA offers, if it is of the major version of these structs, or that was told."""
        m = self.m
        wrong = ErrorArguments.FAILED_PRECONDITION
        m.move(self.pointers, ScalarMemory(m.x, CallExtension.ANSWER))
        older = "XLA asks for metadata of another layout than that of its API version 0.3"
        self._require(
            ScalarMemory(self.pointers), "u>=", HandlerMetadata.SIZE, older, ErrorArguments.FAILED_PRECONDITION
        )
        m.move(m.x, ScalarMemory(self.frame, CallFrame.API))
        offers, answered = m.asm.label("offers"), m.asm.label("answered")
        m.branch(m.x, "!=", 0, offers)
        m.move(m.y, self.plan.minor << 32 | OfferedApi.VERSION)
        m.jump(answered)
        m.asm.bind(offers)
        self._require(ScalarMemory(m.x), "u>=", OfferedApi.SIZE, older, wrong)
        major = f"handlers are made for version {OfferedApi.VERSION} of XLA's foreign function interface"
        self._require(
            ScalarMemory(m.x, OfferedApi.MAJOR, 4), "==", OfferedApi.VERSION, major, ErrorArguments.FAILED_PRECONDITION
        )
        m.move(m.y, ScalarMemory(m.x, OfferedApi.MAJOR))
        m.asm.bind(answered)
        m.move(ScalarMemory(self.pointers, HandlerMetadata.MAJOR), m.y)
        m.move(m.y, 0)
        m.move(ScalarMemory(self.pointers, HandlerMetadata.TRAITS), m.y)
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
        m.move(at[ErrorArguments.MESSAGE // 8], m.y)
        m.move(at[ErrorArguments.CODE // 8], m.x)
        m.move(at[1], 0)
        m.move(m.x, ErrorArguments.SIZE)
        m.move(at[0], m.x)
        m.address(m.arguments[0], m.stack, offset=8 * self.error)
        m.move(m.x, ScalarMemory(self.frame, CallFrame.API))
        m.call(ScalarMemory(m.x, OfferedApi.ERROR_CREATE))
        m.close()
        m.ret()
