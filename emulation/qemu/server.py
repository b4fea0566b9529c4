"""Run AArch64 code on numpy arrays, in a process under qemu or natively on an Arm machine.

    server = Server()
    server.call(code, a, b, c, 64)      # arrays as pointers, integers as they are; c holds the result

Every call is checked: accesses outside of an array fault or leave a trace, and the code must preserve what the calling
convention requires. Whatever the code does, the server survives or is restarted by the next call.
"""

from __future__ import annotations

import functools
import operator
import os
import shlex
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import SupportsIndex

import numpy as np

from ...encoder.code import Code
from ...encoder.features import Target
from ..core.extent import reach
from ..core.memory import Pointers as Pointers
from ..core.u64 import WORD
from . import guest
from .buffers import SIDES, Array, Buffer, Slots
from .faults import SIGNALS, AbiViolation, GuestFault, NamedBytes, NoSuchLength, access, place
from .guest import Outcome
from .probes import LENGTHS, PROBES, Probe
from .process import SME_SET, SVE_SET, GuestMemory, Process

EMULATOR = "TILESMITH_QEMU"
"""The environment variable that names the emulator; the default is `qemu-aarch64`."""
CPU = "max,sme_fa64=off,sve-default-vector-length=-1"
"""Everything the emulator has, except that streaming mode executes only what real processors execute in it."""
MOST_ARGUMENTS = 8 + 64  # in registers, then on the stack

_LEFT = struct.Struct(f"<{len(guest.LEFT_REGISTERS)}Q")
_FAULT = struct.Struct(f"<3Q{len(guest.FAULT_REGISTERS)}Q")
_PAGE = os.sysconf("SC_PAGESIZE")


def _wanted(register: str, fpcr: int = 0) -> int:
    """Return what a register must hold after the code has returned."""
    kind, number = register[0], register[1:]
    known = {"sp": guest.ENTRY_SP, "fpcr": fpcr, "svcr": 0}
    return known[register] if register in known else {"x": guest.JUNK, "d": guest.NAN}[kind] + int(number)


@functools.cache
def _intact(fpcr: int) -> bytes:
    """Return the state that a call must leave."""
    return _LEFT.pack(*(_wanted(register, fpcr) for register in guest.LEFT_REGISTERS))


_ABOVE_STACK = guest.STACK + guest.STACK_SIZE - guest.ENTRY_SP
_FRAME = b"\xf5\xff" * (_ABOVE_STACK // 2)


class Server:
    """Executes AArch64 code. It starts with the first call and is thread-safe; `close()` or `with` ends it early.

    emulator    a command, "" to run natively; by default $TILESMITH_QEMU, or qemu-aarch64 on machines other than Arm
    cpu         the emulator's processor (`-cpu`)
    options     further options of the emulator: ["-d", "in_asm"]
    pin         the processor that host and guest share during calls (a wake-up across processors costs more than a
                call): an index into those this process may use, or None to let the system choose
    timeout     the number of seconds that a call may take
    """

    def __init__(
        self,
        emulator: str | None = None,
        cpu: str = CPU,
        options: Sequence[str] = (),
        pin: int | None = None,
        timeout: float = 30.0,
    ) -> None:
        native = os.uname().machine == "aarch64"
        prefix = shlex.split(
            os.environ.get(EMULATOR, "" if native else "qemu-aarch64") if emulator is None else emulator
        )
        self.command = [*prefix, "-cpu", cpu, *options] if prefix else []
        self.timeout = timeout
        self._pin = pin
        self._lock = threading.RLock()
        self._process: Process | None = None
        self._features: dict[str, str] = {}
        self._lengths_right: dict[str, tuple[int, ...]] = {}

    def call(
        self,
        code: Code | bytes,
        *arguments: Array | Pointers | int,
        names: Sequence[str] = (),
        side: str = "end",
        vector_bits: int | None = None,
        streaming_bits: int | None = None,
        timeout: float | None = None,
        fpcr: int = 0,
    ) -> int:
        """Call the function that starts at the beginning of the code. Return x0, which is meaningless without a result.

        arguments       arrays are passed as the address of their element 0 and are copied back (an array that is not
                        writable lies on read-only pages); one array passed twice is one buffer; integers become int64
        names           the names of the arguments, for messages
        side            which end of every array touches unmapped pages, "start" or "end"
        vector_bits     the SVE vector length; by default that of the code's SVE target, else the processor's
        streaming_bits  the SME vector length; by default that of the code's SME target, else the processor's
        fpcr            the caller's FPCR; only bits that the processor has
        Raises GuestFault, AbiViolation, StrayWrite, CallTimeout, all of them ServerError. After a fault the arrays are
        as they were before.
        """
        if side not in SIDES:
            raise ValueError(f"call: side={side!r} is neither 'start' nor 'end'")
        with self._lock, self._pinned():
            process = self._ready()
            process.set_length(SVE_SET, vector_bits or _own_bits(code, "sve") or self._lengths[SVE_SET])
            process.set_length(SME_SET, streaming_bits or _own_bits(code, "sme") or self._lengths[SME_SET])
            placing = _Placing(self._slots, self._memory, side)
            words = [placing.word(value, name) for value, name in zip(arguments, _names(arguments, names))]
            limit = self.timeout if timeout is None else timeout
            return self._run(process, code, words, placing.buffers, limit, fpcr)

    def _run(
        self, process: Process, code: Code | bytes, words: list[int], buffers: list[Buffer], timeout: float, fpcr: int
    ) -> int:
        entry = process.place(code.data if isinstance(code, Code) else code)
        frame = b"".join(word.to_bytes(8, "little") for word in words[8:])
        self._memory.write(guest.ENTRY_SP, frame + _FRAME[len(frame) :])
        if process.call(entry, words[:8], timeout, fpcr) is Outcome.FAULT:
            raise _fault(process.report(guest.FAULT_STATE, _FAULT.size), entry, code, buffers)
        left = process.report(guest.LEFT, _LEFT.size)
        if left != _intact(fpcr):
            raise _violation(_LEFT.unpack(left), fpcr)
        # The stack above the arguments belongs to the caller.
        if self._memory.read(guest.ENTRY_SP + len(frame), _ABOVE_STACK - len(frame)) != _FRAME[len(frame) :]:
            raise AbiViolation("the code wrote to its caller's stack frame, above sp on entry", {})
        for buffer in buffers:
            buffer.check()
        for buffer in buffers:
            buffer.copy_back()
        return int.from_bytes(process.report(guest.RESULT, 8), "little", signed=True)

    # The processor's features

    def features(self) -> Mapping[str, str]:
        """Return each probed feature with "" if the processor has it and computes it right, else with the reason."""
        if not self._features:
            self.start()
            streaming = self._lengths[SME_SET]
            for probe in PROBES:
                at = probe._replace(bits=streaming) if probe.streaming and streaming else probe
                self._features[probe.feature] = self._wrong(at)
        return MappingProxyType(self._features)

    def vector_lengths(self) -> tuple[int, ...]:
        """Return the SVE vector lengths in bits at which a kernel computes the right answer."""
        return self._right("SVE")

    def streaming_lengths(self) -> tuple[int, ...]:
        """Return the SME vector lengths in bits at which a kernel computes the right answer."""
        return self._right("SME")

    def lacks(self, target: Target) -> str:
        """Return "" if the processor can execute code for the target, else the reason why it cannot."""
        known = self.features()
        reasons = [f"{name} ({known[name]})" for name in sorted(target.features) if known.get(name)]
        if not reasons and target.isa == "sve" and target.vector_bits not in self.vector_lengths():
            reasons = [f"SVE vectors of {target.vector_bits} bits"]
        if not reasons and target.isa == "sme" and target.vector_bits not in self.streaming_lengths():
            reasons = [f"streaming vectors of {target.vector_bits} bits"]
        where = f"the processor of {' '.join(self.command)!r}" if self.command else "this machine"
        return f"{where} lacks what target {target.name} needs: {', '.join(reasons)}" if reasons else ""

    def _right(self, feature: str) -> tuple[int, ...]:
        if feature not in self._lengths_right:
            probe = next(probe for probe in PROBES if probe.feature == feature)
            right = tuple(bits for bits in LENGTHS if not self._wrong(probe._replace(bits=bits)))
            self._lengths_right[feature] = right
        return self._lengths_right[feature]

    def _wrong(self, probe: Probe) -> str:
        """Return "" if the answer is right, else a description of what happened."""
        found, x, y, wanted = probe.case()
        vector_bits = probe.bits if probe.scalable and not probe.streaming else None
        streaming_bits = probe.bits if probe.streaming else None
        try:
            self.call(probe.code(), found, x, y, vector_bits=vector_bits, streaming_bits=streaming_bits)
        except (GuestFault, NoSuchLength) as error:
            return error.signal if isinstance(error, GuestFault) else f"no vectors of {probe.bits} bits"
        wrong = int((found != wanted).sum())
        return f"{wrong} of {wanted.size} values are wrong" if wrong else ""

    # The process

    def start(self) -> None:
        """Start the guest now. Raise ServerUnavailable if there is no emulator or if it fails."""
        with self._lock, self._pinned():
            self._ready()

    def _ready(self) -> Process:
        """Return the running guest. Start one before the first call, after a timeout, in a forked child."""
        if self._process is None or not self._process.usable:
            self.close()
            self._memory = GuestMemory()
            self._process = Process(self.command, self._memory)
            self._slots = Slots(self._memory, _PAGE, self._process.map)
            self._lengths = dict(self._process.lengths)
        return self._process

    @contextmanager
    def _pinned(self) -> Iterator[None]:
        if self._pin is None:
            yield
            return
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {sorted(allowed)[self._pin % len(allowed)]})
        try:
            yield
        finally:
            os.sched_setaffinity(0, allowed)

    def close(self) -> None:
        """End the guest. The next call starts another one."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
            self._process = None

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Placing:
    """Converts the arguments of one call to words, and keeps the buffers that it made."""

    def __init__(self, slots: Slots, memory: GuestMemory, side: str) -> None:
        self.buffers: list[Buffer] = []
        self._slots, self._memory, self._side = slots, memory, side
        self._by_array: dict[int, Buffer] = {}
        slots.release()

    def word(self, value: object, name: str) -> int:
        """Return the 64 bits of an argument."""
        if isinstance(value, np.ndarray):
            return self._buffer(value, name).address
        if isinstance(value, Pointers):
            pointers = [self._buffer(array, f"{name}[{i}]").address for i, array in enumerate(value)]
            table = np.array(pointers, np.uint64)
            table.setflags(write=False)
            return self._buffer(table, name).address
        if not isinstance(value, SupportsIndex):
            raise TypeError(f"call: {name} is {value!r}; an argument is an array, Pointers or an integer")
        number = operator.index(value)
        if not -(1 << 63) <= number < 1 << 64:
            raise ValueError(f"call: {name} is {number}, which 64 bits cannot hold")
        return number & WORD

    def _buffer(self, array: Array, name: str) -> Buffer:
        buffer = self._by_array.get(id(array))
        if buffer is None:
            if array.dtype.hasobject:
                raise TypeError(f"call: {name} has elements of {array.dtype}, which are references")
            below, above = reach(array)
            slot = self._slots.take(below + above, array.flags.writeable)
            buffer = self._by_array[id(array)] = Buffer(name, array, self._side, slot, self._memory)
            self.buffers.append(buffer)
        return buffer


def _own_bits(code: Code | bytes, isa: str) -> int:
    """Return the vector length that the code was made for, or 0 if it is for another instruction set or unknown."""
    return code.target.vector_bits if isinstance(code, Code) and code.target.isa == isa else 0


def _names(arguments: Sequence[object], names: Sequence[str]) -> list[str]:
    if len(arguments) > MOST_ARGUMENTS:
        raise ValueError(f"call: {len(arguments)} arguments; at most {MOST_ARGUMENTS}")
    return [*names[: len(arguments)], *(f"argument {i}" for i in range(len(names), len(arguments)))]


def _violation(left: Sequence[int], fpcr: int) -> AbiViolation:
    pairs = {name: (value, _wanted(name, fpcr)) for name, value in zip(guest.LEFT_REGISTERS, left)}
    wrong = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    text = ", ".join(f"{name} holds {found:#x}, not {wanted:#x}" for name, (found, wanted) in wrong.items())
    return AbiViolation(f"the code returned and did not preserve {', '.join(wrong)}: {text}", wrong)


def _fault(state: bytes, entry: int, code: Code | bytes, buffers: list[Buffer]) -> GuestFault:
    """Return the exception for a fault that the signal handler recorded."""
    number, _, address, *values = _FAULT.unpack(state)
    registers = dict(zip(guest.FAULT_REGISTERS, values))
    data = code.data if isinstance(code, Code) else code
    offset = registers["pc"] - entry
    regions = [
        *(buffer.region for buffer in buffers),
        NamedBytes("the stack", guest.STACK, guest.STACK + guest.STACK_SIZE),
        NamedBytes("the code", entry, entry + len(data), writable=False),
    ]
    signal = SIGNALS.get(number, f"signal {number}")
    if not 0 <= offset < len(data):
        called = registers["x30"] - entry
        last = f", last call from offset {called - 4:#x}" if 0 <= called < len(data) else ""
        message = f"{signal}: jumped to {place(registers['pc'], regions)}{last}"
        return GuestFault(message, signal, address, None, registers)
    word = data[offset : offset + 4]
    did = "cannot be executed"
    if signal in ("SIGSEGV", "SIGBUS"):
        did = f"{access(int.from_bytes(word, 'little'))} {place(address, regions)}"
    message = f"{signal} at offset {offset:#x}: {_text(code, offset) or word.hex()} {did}"
    return GuestFault(message, signal, address, offset, registers)


def _text(code: Code | bytes, offset: int) -> str:
    """Return the text of the instruction at an offset, if it is known."""
    instructions = code.instructions if isinstance(code, Code) else ()
    return next((f"`{line.text}`" for line in instructions if line.offset == offset), "")
