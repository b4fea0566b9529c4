"""Helpers for the rungs of executable memory: code to publish, the mappings of the process, failing calls of libc."""

import os
import platform
import signal

from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.system import libc

RUNGS = ("sealed", "memfd", "anonymous")
MEMFDS = RUNGS[:2]
FAULT = -signal.SIGSEGV


def answering(number):
    """Return the code of a function that returns a number below 256; the bytes are those of GNU as."""
    if platform.machine() == "aarch64":
        return (0x5280_0000 | number << 5).to_bytes(4, "little") + bytes.fromhex("c0035fd6")  # movz w0, #number; ret
    return bytes([0xB8, number]) + bytes.fromhex("000000c3")  # mov eax, number; ret


ANSWER = answering(42)


def call(block):
    return libc.ffi.cast("int(*)(void)", block.address)()


def contents(block):
    return bytes(libc.ffi.buffer(libc.ffi.cast("char *", block.address), block.size))


def write(where):
    libc.ffi.cast("char *", where)[0] = b"\xc3"


def mappings():
    """Return (first address, permissions, line) of every mapping of this process."""
    with open("/proc/self/maps") as maps:
        return [(int(line.split("-")[0], 16), line.split()[1], line) for line in maps]


def permissions(block):
    return [permission for address, permission, _ in mappings() if address == block.address]


def refuse(monkeypatch, rung, code, message="mmap: refused by the test"):
    """Make one rung fail; the returned list grows by one element at each attempt."""
    attempts = []

    def refused(code_bytes):
        attempts.append(rung)
        raise OSError(code, message)

    monkeypatch.setitem(memory._RUNGS, rung, refused)
    return attempts


def failing(monkeypatch, name, code, when):
    """Make a libc function fail with an errno for calls whose arguments satisfy `when`."""
    real = getattr(libc, name)

    def call(*arguments):
        if when(*arguments):
            raise OSError(code, f"{name}: {os.strerror(code)}")
        return real(*arguments)

    monkeypatch.setattr(libc, name, call)
