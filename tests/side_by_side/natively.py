"""Call functions on this x86-64 processor under any MXCSR, also code that may crash or not end.

left = called(address, words, 0x1F80)           the MXCSR that the function leaves
verdict = apart(lambda: "" or "what is wrong")  the text of a forked child, or how it ended
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from tilesmith.encoder.features import Target
from tilesmith.encoder.x86.abi import ARGUMENTS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import R32, R64, dword, qword
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

STACKED = 8  # words on the stack of a call
SECONDS = 10.0


def runs_here(target: Target) -> bool:
    """Whether this processor executes code for a target."""
    return host().arch == target.arch == "x86" and target.features <= host().features


@cache
def trampoline() -> tuple[Any, Any]:
    """Return uint32_t call(function, const uint64_t *words, uint32_t mxcsr), which calls a function under this MXCSR
    and returns the MXCSR that it leaves."""
    asm, (eax, rsp, rbx) = X86Assembler(host()), (R32[0], R64[4], R64[3])
    callers, own = dword[rsp + 8 * STACKED], dword[rsp + 8 * STACKED + 4]
    asm.push(rbx)
    asm.sub(rsp, 8 * STACKED + 16)
    asm.mov(rbx, ARGUMENTS[0])
    asm.mov(R64[0], ARGUMENTS[1])
    asm.stmxcsr(callers)
    asm.mov(own, R32[ARGUMENTS[2].num])
    for number in range(STACKED):
        asm.mov(R64[10], qword[R64[0] + 8 * (len(ARGUMENTS) + number)])
        asm.mov(qword[rsp + 8 * number], R64[10])
    for number, register in enumerate(ARGUMENTS):
        asm.mov(register, qword[R64[0] + 8 * number])
    asm.ldmxcsr(own)
    asm.call(rbx)
    asm.stmxcsr(own)
    asm.ldmxcsr(callers)
    asm.mov(eax, own)
    asm.add(rsp, 8 * STACKED + 16)
    asm.pop(rbx)
    asm.ret()
    block = publish(asm.finish("under").data)
    return block, ffi.cast("uint32_t(*)(uintptr_t, uint64_t *, uint32_t)", block.address)


def called(address: int, words: Sequence[int], mxcsr: int) -> int:
    """Call a function with integers under an MXCSR, and return the MXCSR that it leaves."""
    block, function = trampoline()
    given = [each & (1 << 64) - 1 for each in words]
    left = function(address, ffi.new("uint64_t[]", given + [0] * (6 + STACKED - len(given))), mxcsr)
    assert block.address
    return int(left)


def apart(look: Callable[[], str]) -> str:
    """Return the text of `look` in a forked child, or the name of the signal that ended it, or "endless"."""
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            for name in ("SIGSEGV", "SIGFPE", "SIGILL", "SIGBUS"):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
            os.write(its, (look() or "-").encode()[:4000])
        finally:
            os._exit(0)
    os.close(its)
    try:
        ended = bool(select.select([ours], [], [], SECONDS)[0])
        if not ended:
            os.kill(child, signal.SIGKILL)
        text = os.read(ours, 4096).decode() if ended else ""
    finally:
        os.close(ours)
        _, status = os.waitpid(child, 0)
    if not ended:
        return "endless"
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "no answer" if not text else text.removeprefix("-")
