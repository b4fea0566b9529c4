"""Code of a few instructions for the tests of the server."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tilesmith.emulation.qemu.buffers import SIDES
from tilesmith.emulation.qemu.faults import (
    ServerError,
)
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.registers import Q, V, W, X, mem
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.code import Code

sides = pytest.mark.parametrize("side", SIDES)


def emitted(emit: Callable[[A64Assembler], object], target: str = "neon") -> Code:
    """Return the code of f(x0, x1, ...): what `emit` appends, and a return."""
    asm = A64Assembler(TARGETS[target])
    emit(asm)
    asm.ret()
    return asm.finish()


def copy_bytes(asm: A64Assembler) -> None:
    """Emit f(source, destination, count), which copies count bytes, at least one."""
    with asm.loop(X[2]):
        asm.ldrb(W[9], mem[X[0]].post(1))
        asm.strb(W[9], mem[X[1]].post(1))


def add_four(asm: A64Assembler) -> None:
    """Emit f(x, y, z): z = x + y for four f32."""
    asm.ldr(Q[0], mem[X[0]])
    asm.ldr(Q[1], mem[X[1]])
    asm.fadd(V[0].s4, V[0].s4, V[1].s4)
    asm.str(Q[0], mem[X[2]])


def three(count: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.arange(count, dtype=np.float32)
    return x, 10 * x, np.zeros(count, np.float32)


def raises(error: type[ServerError], match: str):
    return pytest.raises(error, match=match)


def still_works(server: Server) -> bool:
    x, y, z = three()
    server.call(emitted(add_four), x, y, z)
    return z.tolist() == [0, 11, 22, 33]


def running(server: Server) -> object:
    server.start()
    return server._process


def usable_server(**options: object) -> Server:
    """Return a new server. It must start, since the fixture `aarch64` ends the test if there can be no server."""
    server = Server(**options)
    server.start()
    return server
