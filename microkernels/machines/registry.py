"""Which machine and assembler generate code for a target."""

from __future__ import annotations

from ...encoder.asm import Assembler
from ...encoder.features import Target
from ...encoder.x86.assembler import X86Assembler
from ..machine import Machine
from .avx2 import Avx2
from .avx512 import Avx512

MACHINES: dict[str, type[Machine]] = {machine.name: machine for machine in (Avx2, Avx512)}
_ASSEMBLERS: dict[str, type[Assembler]] = {X86Assembler.arch: X86Assembler}


def machine_class(target: Target) -> type[Machine]:
    """The machine of a target's instruction set."""
    return MACHINES[target.isa]


def machine_for(target: Target) -> Machine:
    """A machine with a new assembler."""
    return MACHINES[target.isa](target, _ASSEMBLERS[target.arch](target))
