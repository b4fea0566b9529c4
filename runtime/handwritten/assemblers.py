"""The assemblers that `ts.assembler` returns, each with its architecture's instruction table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.targets import TARGETS as A64_TARGETS
from ...encoder.allocation.a64 import AllocatingA64
from ...encoder.allocation.assembler import Allocating
from ...encoder.allocation.recorder import Passed
from ...encoder.allocation.x86 import AllocatingX86
from ...encoder.asm import Assembler
from ...encoder.code import Recorded
from ...encoder.errors import EncodeError
from ...encoder.features import TARGETS as X86_TARGETS
from ...encoder.features import Target
from ...encoder.x86.assembler import X86Assembler
from ..arguments.c_declaration import Declaration, declaration
from ..host import detect as host
from .kernel import HandCode, HandKernel, check_ends

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

    def function(self, declared: str) -> X86Function:
        """Return an assembler of one function on virtual registers, from its C declaration.

            f = ts.assembler("avx2").function("float dot(const float x[n], const float y[n], long n)")
            x, y, n = f.arguments

        Raises ValueError for a declaration that cannot be parsed.
        """
        return X86Function(self.target, declaration(declared))


class A64ByHand(_ByHand, A64Assembler):
    """The AArch64 assembler, see `ts.assembler`."""

    def function(self, declared: str) -> A64Function:
        """Return an assembler of one function on virtual registers, from its C declaration.

            f = ts.assembler("neon").function("float dot(const float x[n], const float y[n], long n)")
            x, y, n = f.arguments

        Raises ValueError for a declaration that cannot be parsed.
        """
        return A64Function(self.target, declaration(declared))


class _Function(Allocating):
    """A function on virtual registers with a C declaration."""

    result = HandCode

    def __init__(self, target: Target, declared: Declaration) -> None:
        self.declaration = declared
        parameters = [Passed(each.name, "u64" if each.pointer else each.type) for each in declared.parameters]
        super().__init__(target, declared.name, parameters, declared.result)

    def _advice(self, missing: Sequence[str]) -> str:
        return f"; {_others(self.target, missing)}"

    def kernel(self) -> HandKernel:
        """Give registers to the virtual ones, and return the function as a callable that checks its arguments. Raises
        EncodeError as `finish` does, and if the code runs off its end."""
        code = self.finish()
        check_ends(code)
        return HandKernel(code, self.declaration)

    def finish(self, name: str = "") -> HandCode:
        """Give registers to the virtual ones, and return the code. The assembler must not be used afterwards.

        EncodeError names the line where more registers are needed than there are, or where one is read that nothing
        wrote.
        """
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code


class X86Function(_Function, AllocatingX86):
    """A function of x86-64 on virtual registers, see `X86ByHand.function`."""


class A64Function(_Function, AllocatingA64):
    """A function of AArch64 on virtual registers, see `A64ByHand.function`."""
