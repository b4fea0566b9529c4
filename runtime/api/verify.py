"""`verify`: prove that hand-written code computes a traced expression or a request."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...encoder.code import Code
from ...encoder.deferred import deferred
from ..kernel.callable import Kernel
from .eltwise import equation

if TYPE_CHECKING:
    from ..verify.proof import Proof


@deferred
def _proofs() -> ModuleType:
    from ..verify import check

    return check


def verify(code: Code, spec: Callable[..., Any] | Kernel, *, any_mode: bool = False, **operands: Any) -> Proof:
    """Return a `Proof` that hand-written code computes `spec` for all inputs. It is falsy, with the reason, if the code
    does not.

    code       the result of an assembler: asm.finish(...). Its function takes a pointer for each operand in the order
               of `spec`, the result last, as `kernel.c_prototype` of a request shows
    spec       an expression of arrays, as `equation` takes it, whose operands and options are the keywords: x=(8, 16),
               dtype="f64"; or a kernel of any kind that `Kernel.verify` proves: code that may replace it
    any_mode   whether results must not depend on the caller's rounding mode and flushing of denormals, as those of
               kernels do not; otherwise the default mode is trusted, and the proof says so

    Raises UnsupportedError if there is no proof of this kind yet: docs/soundness.md lists the existing ones.
    """
    if not isinstance(code, Code):
        raise TypeError(f"code: a Code, which asm.finish(...) returns, not {type(code).__name__}")
    if isinstance(spec, Kernel):
        if operands:
            raise TypeError(f"{next(iter(operands))}=: a kernel says what its operands are")
        kernel = spec
    else:
        kernel = equation(spec, **{"target": code.target, **operands})
    if kernel.target.arch != code.target.arch:
        raise ValueError(f"{kernel.name} is for {kernel.target.name}, the code for {code.target.name}")
    proof: Proof = _proofs().verify(code.data, code.target, kernel.spec, kernel.kind, any_mode)
    return proof
