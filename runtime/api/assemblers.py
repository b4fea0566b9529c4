"""The assemblers that `ts.assembler` returns, each with its architecture's instruction table."""

from __future__ import annotations

from ...encoder.a64.assembler import A64Assembler
from ...encoder.x86.assembler import X86Assembler
from ..handwritten.kernel import HandCode


class X86ByHand(X86Assembler):
    """The x86-64 assembler. Its `finish` returns code that `kernel` makes callable."""

    result = HandCode

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the constant pool, bind the labels and check features. The assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code


class A64ByHand(A64Assembler):
    """The AArch64 assembler. Its `finish` returns code that `kernel` makes callable."""

    result = HandCode

    def finish(self, name: str = "kernel") -> HandCode:
        """Place the constant pool, bind the labels and check features. The assembler must not be used afterwards."""
        code = super().finish(name)
        assert isinstance(code, HandCode)
        return code
