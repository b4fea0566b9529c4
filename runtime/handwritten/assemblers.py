"""The assemblers that `ts.assembler` returns, each with its architecture's instruction table."""

from __future__ import annotations

from collections.abc import Iterable

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.targets import TARGETS as A64_TARGETS
from ...encoder.asm import Assembler
from ...encoder.code import Recorded
from ...encoder.errors import EncodeError
from ...encoder.features import TARGETS as X86_TARGETS
from ...encoder.features import Target
from ...encoder.x86.assembler import X86Assembler
from ..host import detect as host
from .kernel import HandCode

_SHOWN = 6
"""The most names of targets in a message."""


class _Checked(list[Recorded]):
    """The record of instructions. It refuses one that the target lacks, so that the error is raised at its line."""

    __slots__ = ("_asm",)

    def __init__(self, asm: Assembler) -> None:
        super().__init__()
        self._asm = asm

    def append(self, recorded: Recorded) -> None:
        """Append an instruction, or raise EncodeError and leave the assembler as it was."""
        form = recorded[0]
        missing = self._asm.target.missing(form.features)
        if missing:
            self._asm._forget_fixups()
            raise EncodeError(
                f"{form.syntax()}: target {self._asm.target.name} has no {', '.join(missing)}; "
                f"{_others(self._asm.target, missing)}"
            )
        super().append(recorded)


def _others(target: Target, missing: Iterable[str]) -> str:
    """Return which targets have these features, as advice."""
    known = {**X86_TARGETS, **A64_TARGETS}.values()
    names = [each.name for each in known if each.arch == target.arch and not each.missing(missing)]
    if names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"targets that have it: {', '.join(names[:_SHOWN])}{more}"
    if host.arch() == target.arch and not host.host().missing(missing):
        return "no named target has it, but this host has it: ts.assembler() without a name"
    more = "{" + ", ".join(map(repr, missing)) + "}"
    return (
        "no named target has it; for a processor that does, ts.assembler(dataclasses.replace(asm.target, "
        f"features=asm.target.features | {more}))"
    )


class _ByHand(Assembler):
    """An assembler that refuses what its target lacks at once. Its `finish` returns code that `kernel` makes
    callable."""

    result = HandCode

    def _new_record(self) -> list[Recorded]:
        return _Checked(self)

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the constant pool and bind the labels. The assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code


class X86ByHand(_ByHand, X86Assembler):
    """The x86-64 assembler, see `ts.assembler`."""


class A64ByHand(_ByHand, A64Assembler):
    """The AArch64 assembler, see `ts.assembler`."""
