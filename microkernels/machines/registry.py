"""Which machine and assembler generate code for a target."""

from __future__ import annotations

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.targets import TARGETS as _A64_TARGETS
from ...encoder.asm import Assembler
from ...encoder.features import TARGETS as _X86_TARGETS
from ...encoder.features import Target
from ...encoder.x86.assembler import X86Assembler
from ..machine import Machine
from .avx2 import Avx2
from .avx512 import Avx512
from .neon import Neon
from .sve import Sve

MACHINES: dict[str, type[Machine]] = {machine.name: machine for machine in (Avx2, Avx512, Neon, Sve)}
_ASSEMBLERS: dict[str, type[Assembler]] = {asm.arch: asm for asm in (X86Assembler, A64Assembler)}
TARGETS: dict[str, Target] = {**_X86_TARGETS, **_A64_TARGETS}
"""The names that a request may give as its target, every one with a machine."""


def machine_class(target: Target) -> type[Machine]:
    """The machine of a target's instruction set."""
    return MACHINES[target.isa]


def machine_for(target: Target) -> Machine:
    """A machine with a new assembler."""
    return MACHINES[target.isa](target, _ASSEMBLERS[target.arch](target))
