"""The machine and the assembler of each target. They are imported when a target first needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ...encoder.asm import Assembler
from ...encoder.deferred import lazy
from ...encoder.features import Target
from ..contract.machine import Facts, Machine, MachineOf
from ..contract.machine import facts_of as machine_facts_of
from ..errors import TooMuchToHold
from .targets import TARGETS as TARGETS

if TYPE_CHECKING:
    from ...encoder.a64 import assembler as a64_assembler
    from ...encoder.x86 import assembler as x86_assembler
    from .a64 import neon, sme, sve
    from .spilled import a64 as spilled_a64
    from .spilled import machine as spilled_machine
    from .spilled import x86 as spilled_x86
    from .x86 import avx2, avx512
    from .x86.older import avx, sse

avx2 = lazy(__package__, ".x86.avx2")
avx512 = lazy(__package__, ".x86.avx512")
avx = lazy(__package__, ".x86.older.avx")
sse = lazy(__package__, ".x86.older.sse")
neon = lazy(__package__, ".a64.neon")
sve = lazy(__package__, ".a64.sve")
sme = lazy(__package__, ".a64.sme")
x86_assembler = lazy(__package__, "...encoder.x86.assembler")
a64_assembler = lazy(__package__, "...encoder.a64.assembler")
spilled_machine = lazy(__package__, ".spilled.machine")
spilled_x86 = lazy(__package__, ".spilled.x86")
spilled_a64 = lazy(__package__, ".spilled.a64")

_AnyMachine: TypeAlias = MachineOf[Any, Any, Any, Any]  # from here on the types of its registers are opaque


MACHINES: dict[str, Callable[[], type[_AnyMachine]]] = {
    "sse": lambda: sse.Sse,
    "avx": lambda: avx.Avx,
    "avx2": lambda: avx2.Avx2,
    "avx512": lambda: avx512.Avx512,
    "neon": lambda: neon.Neon,
    "sve": lambda: sve.Sve,
    "sme": lambda: sme.Sme,
}
"""Maps an instruction set to the function that imports its machine."""


_ASSEMBLERS: dict[str, Callable[[], type[Assembler]]] = {
    "x86": lambda: x86_assembler.X86Assembler,
    "a64": lambda: a64_assembler.A64Assembler,
}


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


_SPILLED: dict[str, Callable[[], tuple[type[_AnyMachine], type[Assembler]]]] = {
    "x86": lambda: (spilled_x86.SpilledX86, spilled_x86.SpillingX86),
    "a64": lambda: (spilled_a64.SpilledA64, spilled_a64.SpillingA64),
}
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

    observed: Any = made((spilled_machine.Observed, mixin), SPILLED[-1])
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
