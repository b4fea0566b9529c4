"""LDTILECFG and TILERELEASE as functions, for contexts in which kernels share a configuration of tile registers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from ...encoder.features import TARGETS
from ...encoder.x86.assembler import X86Assembler
from ...encoder.x86.registers import REGISTERS, mem
from ...microkernels.contract.dot_and_tile import TileShape
from ...microkernels.machines.x86.amx import configuration
from ..memory.executable import ExecutableBlock, publish
from ..system.libc import ffi


def configure(shapes: Sequence[TileShape]) -> None:
    """Give this thread's tile registers these shapes. All become zero."""
    _functions()[0](configuration(shapes))


def release() -> None:
    """Release this thread's tile registers."""
    _functions()[1]()


@functools.cache
def _functions() -> tuple[Callable[[bytes], None], Callable[[], None], ExecutableBlock]:
    """Return void configure(const char *), void release(void), and the pages that contain them."""
    asm = X86Assembler(TARGETS["amx"])
    asm.here("configure")
    asm.endbr64()
    asm.ldtilecfg(mem(REGISTERS["rdi"]))
    asm.ret()
    asm.align(16)
    asm.here("release")
    asm.endbr64()
    asm.tilerelease()
    asm.ret()
    code = asm.finish("tiles")
    block = publish(code.data)
    return (
        ffi.cast("void(*)(const char *)", block.address + code.labels["configure"]),
        ffi.cast("void(*)(void)", block.address + code.labels["release"]),
        block,
    )
