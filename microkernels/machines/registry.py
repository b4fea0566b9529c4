"""The machine and the assembler of each target. They are imported when a target first needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from ...encoder.asm import Assembler
from ...encoder.deferred import deferred
from ...encoder.features import Target
from ..contract.machine import Facts, Machine, MachineOf
from ..contract.machine import facts_of as machine_facts_of
from ..errors import TooMuchToHold
from .targets import TARGETS as TARGETS

_AnyMachine: TypeAlias = MachineOf[Any, Any, Any, Any]  # from here on the types of its registers are opaque


@deferred
def _avx2() -> type[_AnyMachine]:
    from .x86.avx2 import Avx2

    return Avx2


@deferred
def _avx512() -> type[_AnyMachine]:
    from .x86.avx512 import Avx512

    return Avx512


@deferred
def _avx() -> type[_AnyMachine]:
    from .x86.older.avx import Avx

    return Avx


@deferred
def _sse() -> type[_AnyMachine]:
    from .x86.older.sse import Sse

    return Sse


@deferred
def _neon() -> type[_AnyMachine]:
    from .a64.neon import Neon

    return Neon


@deferred
def _sve() -> type[_AnyMachine]:
    from .a64.sve import Sve

    return Sve


@deferred
def _sme() -> type[_AnyMachine]:
    from .a64.sme import Sme

    return Sme


MACHINES: dict[str, Callable[[], type[_AnyMachine]]] = {
    "sse": _sse, "avx": _avx, "avx2": _avx2, "avx512": _avx512, "neon": _neon, "sve": _sve, "sme": _sme,
}  # fmt: skip
"""Maps an instruction set to the function that imports its machine."""


@deferred
def _x86_assembler() -> type[Assembler]:
    from ...encoder.x86.assembler import X86Assembler

    return X86Assembler


@deferred
def _a64_assembler() -> type[Assembler]:
    from ...encoder.a64.assembler import A64Assembler

    return A64Assembler


_ASSEMBLERS = {"x86": _x86_assembler, "a64": _a64_assembler}


def machine_class(target: Target) -> type[Machine]:
    """The machine class of a target's instruction set."""
    return MACHINES[target.isa]()


@cache
def facts_of(target: Target) -> Facts:
    """The properties of a target's machine that planners read. Each target has one object."""
    return machine_facts_of(machine_class(target), target)


@cache
def classes_of(target: Target) -> tuple[type[Machine], type[Assembler]]:
    """The classes of a target's machine and assembler. `machine(target, assembler(target))` appends to a new buffer."""
    return machine_class(target), _ASSEMBLERS[target.arch]()


@deferred
def _spilled_x86() -> tuple[type[_AnyMachine], type[Assembler]]:
    from .spilled.x86 import SpilledX86, SpillingX86

    return SpilledX86, SpillingX86


@deferred
def _spilled_a64() -> tuple[type[_AnyMachine], type[Assembler]]:
    from .spilled.a64 import SpilledA64, SpillingA64

    return SpilledA64, SpillingA64


@deferred
def _observed() -> type[_AnyMachine]:
    from .spilled.machine import Observed

    return Observed


_SPILLED = {"x86": _spilled_x86, "a64": _spilled_a64}
SPILLED = (64, 512)
"""The numbers of further general registers, in memory, that a kernel gets if those of the processor do not suffice: the
first that does."""


def spilled(target: Target, emit: Callable[[Machine], None]) -> Machine:
    """Return a machine to which a kernel was emitted, with general registers in memory beside those of the processor,
    and with operands that may lie farther from their pointers than the displacements of instructions reach.

    The most used values are in registers. The kernel is emitted more than once to find them (spilled/claims.py).
    """
    mixin, assembler = _SPILLED[target.arch]()
    machine = machine_class(target)

    def made(mixins: tuple[type, ...], values: int, **more: Any) -> Machine:
        described = {"described": machine, "values": values, **more}
        found: Machine = type(machine.__name__, (*mixins, machine), described)(target, assembler(target))
        return found

    observed: Any = made((_observed(), mixin), SPILLED[-1])
    emit(observed)
    memory = observed.claims.in_memory(made((mixin,), 2, memory=()).generals_left())
    for values in SPILLED:
        found = made((mixin,), values, memory=memory)
        try:
            emit(found)
        except TooMuchToHold:
            if values == SPILLED[-1]:
                raise
        else:
            break
    return found


def machine_for(target: Target) -> Machine:
    """Return a machine with a new assembler."""
    machine, assembler = classes_of(target)
    return machine(target, assembler(target))
