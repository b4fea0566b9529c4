"""The assemblers that `ts.assembler` gives, each with its architecture's table."""

from __future__ import annotations

from ...encoder.a64.assembler import A64Assembler
from ...encoder.x86.assembler import X86Assembler
from ..handwritten.kernel import HandCode


class X86ByHand(X86Assembler):
    """The x86-64 assembler, whose `finish` returns a code that `kernel` makes callable."""

    result = HandCode

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the pool, bind the labels, check features; the assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code


class A64ByHand(A64Assembler):
    """The AArch64 assembler, whose `finish` returns a code that `kernel` makes callable."""

    result = HandCode

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the pool, bind the labels, check features; the assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code
