"""The errors of foreign code, as exceptions that say which rule it broke, where, and by how much."""

from __future__ import annotations

from collections.abc import Mapping

from ...encoder.records import NamedTuple

SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}  # asm-generic/signal.h
SIGKILL = 9


class ServerError(RuntimeError):
    """The code did not run to its end or violated the calling convention, or there is no server to run it."""


class ServerUnavailable(ServerError):
    """There is no emulator, or it does not start."""


class NoSuchLength(ServerError):
    """The processor has no vectors of this length."""


class CallTimeout(ServerError):
    """The code did not return in time, and its process was killed."""


class AbiViolation(ServerError):
    """The code returned with other values in `registers` than a callee must leave. Each entry is (found, wanted)."""

    def __init__(self, message: str, registers: Mapping[str, tuple[int, int]]) -> None:
        super().__init__(message)
        self.registers = dict(registers)


class StrayWrite(ServerError):
    """The code returned after it had written outside of an argument: into a gap, or next to it on the same pages."""


class GuestFault(ServerError):
    """A signal ended the code.

    signal      the signal's name
    address     the address of the access; the pc for an illegal instruction
    offset      the instruction's offset in the code; None if it was elsewhere
    registers   x0 to x30, sp, pc, pstate
    """

    def __init__(
        self, message: str, signal: str, address: int, offset: int | None, registers: Mapping[str, int]
    ) -> None:
        super().__init__(message)
        self.signal, self.address, self.offset, self.registers = signal, address, offset, dict(registers)


class NamedBytes(NamedTuple):
    """Bytes to which the address of a fault can be related."""

    name: str
    start: int
    end: int
    writable: bool = True


def place(address: int, regions: list[NamedBytes]) -> str:
    """Return a description of the address, such as "3 bytes behind b" or "in the stack"."""
    if address < 1 << 16:
        return f"address {address:#x}, near null"
    near = min(regions, key=lambda region: _distance(address, region), default=None)
    if near is None or _distance(address, near) > 1 << 30:
        return f"address {address:#x}, far from every argument"
    if address < near.start:
        return f"{_bytes(near.start - address)} before {near.name}"
    if address >= near.end:
        return f"{_bytes(address - near.end + 1)} behind {near.name}"
    return f"byte {address - near.start} of {near.name}" + (", which is read-only" if not near.writable else "")


def _distance(address: int, region: NamedBytes) -> int:
    return max(region.start - address, address - region.end + 1, 0)


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"


def access(word: int) -> str:
    """Return what the load or store with this encoding does: "reads", "writes", "updates" for both, else "touches".

    Source: Arm ARM (DDI 0487) C4.1.
    """
    if word >> 25 & 0b0101 == 0b0100:  # op0 x1x0: integer and NEON
        if _is_atomic(word):
            return "updates"
        return "writes" if _stores(word) else "reads"
    if word >> 25 & 0b1111 == 0b0010:  # SVE: bits 31 to 29 are 100, 101 and 110 for loads, 111 for stores
        return "writes" if word >> 29 == 0b111 else "reads"
    if word >> 25 in (0b1110000, 0b1010000):  # SME and lists of SVE vectors: bit 21 stores
        return "writes" if word >> 21 & 1 else "reads"
    return "touches"


def _stores(word: int) -> bool:
    kind = word >> 24 & 0b111111
    if kind >> 3 == 0b011 and not kind & 1:  # literal
        return False
    if not kind & 0b100 and (kind >> 4 == 0b11 or kind == 0b011001):  # one general register: opc 00 stores, others load
        return word >> 22 & 3 == 0
    return not word >> 22 & 1  # L, and the low bit of opc of vector registers


def _is_atomic(word: int) -> bool:
    kind, middle, low = word >> 24 & 0b111111, word >> 21 & 1, word >> 10 & 3
    if kind == 0b001000:  # compare and swap, among exclusives
        return middle == 1 and (word >> 23 & 1 == 1 or not word >> 31)
    is_acquire = word >> 12 & 0b1111 == 0b1100  # ldapr
    return kind == 0b111000 and middle == 1 and low == 0 and not is_acquire
