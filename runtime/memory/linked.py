"""Emitted functions with the addresses of this process filled in: from the cache on disk, or emitted now.

If a profiler or a debugger is to be informed of the code, the code is emitted, since these tools need more than bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..cache.stubs import Emitted, Stub, Symbol, stub
from ..scalar.native import scalar_machine
from ..system.architecture import arch
from ..system.environment import tells_tools

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ..debug import profilers
    from ..scalar.machine import Scalar

profilers = lazy(__package__, "..debug.profilers")

__all__ = ["Symbol", "placed"]


def placed(
    place: Callable[[bytes], int],
    name: str,
    emit: Callable[[Scalar], Code],
    addresses: Mapping[str, int],
    structure: str = "",
    available: frozenset[str] = frozenset(),
) -> int:
    """Return the address of a function that `emit` makes with Symbols, after it is linked and placed.

    `structure` distinguishes functions of the same name. `available` are features of this processor that the code may
    need; without them it has instructions on general registers only.
    """

    def emitted() -> Emitted:
        machine = scalar_machine(available)
        return emit(machine), machine.relocations

    if tells_tools():
        code, relocations = emitted()
        data = Stub(name, code.arch, code.data, tuple(relocations), code.labels).linked(addresses)
        address = place(data)
        profilers.announce(replace(code, data=data), address)
        return address
    return place(stub(name, structure, arch(), emitted, available).linked(addresses))
