"""A running guest: start it, ring its doorbells, and set up its memory and signals by system calls made through it."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import weakref
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import numpy as np

from . import guest
from .faults import SIGKILL, SIGNALS, CallTimeout, NoSuchLength, ServerError, ServerUnavailable
from .guest import Outcome, Request

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

START_TIMEOUT = 30.0  # seconds, for a guest that only has to answer
_DOORBELLS = {request: struct.pack("<Q", request) for request in Request}
_ANSWERS = {struct.pack("<Q", outcome): outcome for outcome in Outcome}
_WORDS = struct.Struct("<9Q")  # TARGET and ARGUMENTS
_PAGE = os.sysconf("SC_PAGESIZE")

# linux/prctl.h
SVE_SET, _SVE_GET, SME_SET, _SME_GET = 50, 51, 63, 64
_MFD_EXEC = 0x10  # linux/memfd.h
_VL_BITS = 0xFFFF * 8  # applied to the answer times 8, it selects the vector length in bits; flags are above
_SIGACTION_FLAGS = 0x4 | 0x0800_0000 | 0x4000_0000  # SA_SIGINFO, SA_ONSTACK, SA_NODEFER (asm-generic/signal-defs.h)


class GuestMemory:
    """The memory file that host and guest share. `bytes` maps all of it; only touched pages use memory."""

    def __init__(self) -> None:
        self.file = os.memfd_create("tilesmith-guest-memory")
        os.ftruncate(self.file, guest.SHARED_END - guest.SHARED)
        with open(self.file, "r+b", closefd=False) as opened:
            self.bytes: Bytes = np.memmap(opened, np.uint8, "r+").view(np.ndarray)

    # Bound as a default: at interpreter shutdown, the globals of this module may be gone before the last object is.
    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        close(self.file)

    def read(self, address: int, size: int) -> bytes:
        """Return the bytes at a guest address."""
        return self.bytes[address - guest.SHARED :][:size].tobytes()

    def write(self, address: int, data: bytes) -> None:
        """Set the bytes at a guest address."""
        self.bytes[address - guest.SHARED :][: len(data)] = np.frombuffer(data, np.uint8)


class Process:
    """A guest that serves requests until `kill`. The constructor raises ServerUnavailable if it does not start."""

    def __init__(self, command: Sequence[str], memory: GuestMemory) -> None:
        self.memory = memory
        self._owner = os.getpid()
        self._control = memoryview(memory.bytes)[: guest.CONTROL_SIZE]  # type: ignore[arg-type]
        self._arena = guest.ARENA
        self._placed: dict[bytes, int] = {}
        lifeline, self._errors, self._process = _spawn(command, memory.file)
        self._end = weakref.finalize(self, _end, self._owner, self._process, (lifeline, self._errors))
        assert self._process.stdin and self._process.stdout
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        try:
            self._exchange(struct.pack("<Q", memory.file), START_TIMEOUT)
            self._prepare()
        except (ServerError, OSError) as error:
            self.kill()
            raise ServerUnavailable(f"{' '.join(command) or 'the guest'}: {error}") from None

    def _prepare(self) -> None:
        """Map the areas, install signal handlers, and find out which vector registers the processor has."""
        writable = guest.PROT_READ | guest.PROT_WRITE
        self.map(guest.SIGNAL_STACK, guest.SIGNAL_STACK_SIZE, writable)
        self.map(guest.STACK, guest.STACK_SIZE, writable)
        self.map(guest.STAGING, guest.STAGING_SIZE, guest.PROT_READ)
        private = guest.MAP_PRIVATE | guest.MAP_ANONYMOUS
        self._map(guest.ARENA, guest.ARENA_SIZE, guest.PROT_READ, private, -1, 0)
        stack = self._structure("<QiiQ", guest.SIGNAL_STACK, 0, 0, guest.SIGNAL_STACK_SIZE)
        self.system("sigaltstack", guest.SIGALTSTACK, stack, 0)
        handler = guest.ENTRY + guest.program().labels["signal_handler"]
        action = self._structure("<4Q", handler, _SIGACTION_FLAGS, 0, 0)
        for signal in SIGNALS:
            self.system("rt_sigaction", guest.SIGACTION, signal, action, 0, 8)
        known = {SVE_SET: self._prctl(_SVE_GET), SME_SET: self._prctl(_SME_GET)}
        self.lengths = {option: max(length, 0) * 8 & _VL_BITS for option, length in known.items()}
        self.states = guest.SVE * (self.lengths[SVE_SET] > 0) | guest.SME * (self.lengths[SME_SET] > 0)

    def _structure(self, layout: str, *fields: int) -> int:
        """Store a C structure in the control block and return its guest address."""
        struct.pack_into(layout, self._control, guest.STRUCTURES, *fields)
        return guest.SHARED + guest.STRUCTURES

    # Requests

    def map(self, start: int, size: int, rights: int) -> None:
        """Map a part of the shared memory at its fixed address."""
        self._map(start, size, rights, guest.MAP_SHARED, self.memory.file, start - guest.SHARED)

    def _map(self, start: int, size: int, rights: int, flags: int, file: int, offset: int) -> None:
        flags |= guest.MAP_FIXED_NOREPLACE
        if self.system("mmap", guest.MMAP, start, size, rights, flags, file, offset) != start:
            # Linux before 4.17 treats the address as a hint
            raise ServerUnavailable(f"the guest's address {start:#x} is taken")

    def system(self, name: str, number: int, *arguments: int) -> int:
        """Make a system call in the guest. Raise OSError if it fails."""
        result = self._syscall(number, *arguments)
        if result < 0:
            raise OSError(-result, f"{name} in the guest: {os.strerror(-result)}")
        return result

    def _syscall(self, number: int, *arguments: int) -> int:
        self._request(number, *arguments)
        self._expect_done(Request.SYSCALL)
        return self._result()

    def _request(self, target: int, *arguments: int) -> None:
        words = [argument & (1 << 64) - 1 for argument in (target, *arguments)]
        _WORDS.pack_into(self._control, guest.TARGET, *words, *[0] * (9 - len(words)))

    def _result(self) -> int:
        return int.from_bytes(self._control[guest.RESULT : guest.RESULT + 8], "little", signed=True)

    def _prctl(self, option: int, value: int = 0) -> int:
        return self._syscall(guest.PRCTL, option, value, 0, 0, 0)

    def set_length(self, option: int, bits: int) -> None:
        """Set the vector length of SVE_SET or SME_SET in bits. Raise NoSuchLength if the processor does not have it."""
        if self.lengths[option] == bits:
            return
        got = self._prctl(option, bits // 8) * 8 if bits % 128 == 0 and bits > 0 and self.lengths[option] else -1
        self.lengths[option] = got & _VL_BITS if got > 0 else self.lengths[option]
        if self.lengths[option] != bits:
            kind = "SVE" if option == SVE_SET else "SME"
            known = f"; the nearest is {self.lengths[option]}" if got > 0 else ""
            raise NoSuchLength(f"the guest's processor has no {kind} vectors of {bits} bits{known}")

    def place(self, code: bytes) -> int:
        """Return the address of the code in the guest's arena. The code is copied there unless it already is."""
        address = self._placed.get(code)
        if address is not None:
            return address
        # at least one zero word, an undefined instruction, follows the code
        size = -(-(len(code) + 4) // _PAGE) * _PAGE
        if not code or size > guest.STAGING_SIZE:
            raise ValueError(f"place: {len(code)} bytes of code; from 1 byte to {guest.STAGING_SIZE - _PAGE}")
        if self._arena + size > guest.ARENA + guest.ARENA_SIZE:
            self._arena = guest.ARENA
            self._placed.clear()
        address = self._arena
        self.memory.write(guest.STAGING, code.ljust(size, b"\0"))
        self._request(0, address, size, guest.STAGING)
        self._expect_done(Request.PLACE)
        if self._result():
            raise OSError(-self._result(), f"mprotect in the guest: {os.strerror(-self._result())}")
        self._arena += size
        self._placed[code] = address
        return address

    def call(self, address: int, arguments: Sequence[int], timeout: float, fpcr: int = 0) -> Outcome:
        """Run the function at an address with at most 8 arguments."""
        junk = [guest.JUNK + i for i in range(len(arguments), 8)]
        _WORDS.pack_into(self._control, guest.TARGET, address, *arguments, *junk)
        struct.pack_into("<2Q", self._control, guest.STATES, self.states, fpcr)
        return self.ring(Request.CALL, timeout)

    def report(self, place: int, size: int) -> bytes:
        """Return bytes of the control block."""
        return bytes(self._control[place : place + size])

    # Doorbells

    def ring(self, request: Request, timeout: float) -> Outcome:
        """Ring a doorbell and wait for the answer. Kill the process if none comes or if the wait is interrupted."""
        try:
            return self._exchange(_DOORBELLS[request], timeout)
        except BaseException:
            self.kill()
            raise

    def _exchange(self, doorbell: bytes, timeout: float) -> Outcome:
        try:
            os.write(self._in, doorbell)
        except BrokenPipeError:
            raise ServerError(f"the guest has ended{self._last_words()}") from None
        if not self._poll.poll(timeout * 1000):
            raise CallTimeout(f"no answer within {timeout:g} s: an endless loop? The guest was killed")
        answer = os.read(self._out, 8)
        if answer not in _ANSWERS:  # nothing, or a message that an emulator writes as it ends
            raise ServerError(f"the guest has ended{self._last_words()}")
        return _ANSWERS[answer]

    def _expect_done(self, request: Request) -> None:
        if self.ring(request, START_TIMEOUT) is not Outcome.DONE:
            self.kill()
            raise ServerError(f"the guest itself failed at {request.name}")

    def _last_words(self) -> str:
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ", or closed its end of the doorbells"
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace").strip()
        return f" with status {status}" + (f": {text}" if text else "")

    @property
    def usable(self) -> bool:
        """Whether the guest still runs and belongs to this process. A forked child must not ring its parent's guest."""
        return self._owner == os.getpid() and self._process.poll() is None

    def kill(self) -> None:
        """End the guest, whatever it is doing. A forked child only drops its reference. This happens automatically when
        the object is collected."""
        self._end()


def _end(owner: int, process: subprocess.Popen[bytes], files: Sequence[BinaryIO]) -> None:
    if owner == os.getpid():
        process.kill()
        process.wait()
    for file in (process.stdin, process.stdout, *files):
        if file:
            file.close()


def _spawn(command: Sequence[str], memory: int) -> tuple[BinaryIO, BinaryIO, subprocess.Popen[bytes]]:
    """Start the guest. Return its lifeline, a file with its standard error output, and its process.

    The lifeline is a pipe that is never written to. When this process ends for whatever reason, its end of the pipe is
    closed, and the kernel kills the guest. Without it, the guest would notice only when it reads its next doorbell.
    """
    program, errors = _executable(), os.fdopen(os.memfd_create("tilesmith-guest-errors"), "rb")
    there, here = os.pipe()
    try:
        process = subprocess.Popen(
            [*command, f"/proc/self/fd/{program}"],
            bufsize=0,
            pass_fds=(program, memory, there),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        fcntl.fcntl(there, fcntl.F_SETOWN, process.pid)
        fcntl.fcntl(there, fcntl.F_SETSIG, SIGKILL)
        fcntl.fcntl(there, fcntl.F_SETFL, os.O_ASYNC)
    except OSError as error:
        os.close(here)
        errors.close()
        raise ServerUnavailable(f"{' '.join(command) or 'the guest'}: {error.strerror}") from None
    finally:
        os.close(there)
        os.close(program)
    return os.fdopen(here, "wb"), errors, process


def _executable() -> int:
    """Return a file that contains the guest."""
    try:
        file = os.memfd_create("tilesmith-guest", os.MFD_CLOEXEC | _MFD_EXEC)
    except OSError:  # before Linux 6.3 every memfd is executable
        file = os.memfd_create("tilesmith-guest")
    os.write(file, guest.executable())
    return file
