"""Which machine and assembler generate code for a target. They are imported when the first target needs them."""

from __future__ import annotations

from functools import cache

from ...encoder.a64.targets import TARGETS as _A64_TARGETS
from ...encoder.asm import Assembler
from ...encoder.features import TARGETS as _X86_TARGETS
from ...encoder.features import Target
from ...encoder.forks import load
from ..contract.machine import Facts, Machine

TARGETS: dict[str, Target] = {**_X86_TARGETS, **_A64_TARGETS}
"""The names that a request may give as its target, every one with a machine."""

MACHINES = {"avx2": "Avx2", "avx512": "Avx512", "neon": "Neon", "sve": "Sve", "sme": "Sme"}
"""Instruction set, which is the name of its module here, and its machine."""
_ASSEMBLERS = {"x86": "X86Assembler", "a64": "A64Assembler"}


@cache
def _machine(isa: str) -> type[Machine]:
    machine: type[Machine] = getattr(load(f".{isa}", __package__), MACHINES[isa])
    return machine


@cache
def _assembler(arch: str) -> type[Assembler]:
    encoder = __package__.rsplit(".", 2)[0] + ".encoder"
    assembler: type[Assembler] = getattr(load(f"{encoder}.{arch}.assembler"), _ASSEMBLERS[arch])
    return assembler


def machine_class(target: Target) -> type[Machine]:
    """The machine of a target's instruction set."""
    return _machine(target.isa)


@cache
def facts_of(target: Target) -> Facts:
    """What planners read of a target's machine: one object, so that what they remember of it is found again."""
    return machine_class(target).facts_of(target)


def machine_for(target: Target) -> Machine:
    """A machine with a new assembler."""
    return _machine(target.isa)(target, _assembler(target.arch)(target))
