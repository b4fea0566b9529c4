"""Vector instructions in their legacy encodings (SSE to SSE4.2): each is executed as its 128-bit VEX form.

`addps xmm1, m` is `vaddps xmm1, xmm1, m` with two differences. The bits of xmm1 above bit 127 are kept, and memory
operands of 16 bytes must be aligned, except for those of a few instructions (encoder/x86/effects.py). Source: Intel
SDM vol. 1, 14.9 and 15.4.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...encoder.errors import EncodeError
from ...encoder.x86.assembler import TABLE as ROWS
from ...encoder.x86.effects import implicit
from ...encoder.x86.forms import X86Form
from ...encoder.x86.registers import Reg
from ...encoder.x86.words import LEGACY, VEX
from ..core.closures import Run
from .operands import X86Context

_VECTOR = 16  # bytes
_PREDICATES = 7  # a mask for comparison predicates: the legacy encodings have only the first eight


@cache
def vex_forms(mnemonic: str) -> tuple[X86Form, ...]:
    """Return the 128-bit forms of the VEX instruction of the same name."""
    try:
        found: Any = ROWS.forms(f"v{mnemonic}")
    except EncodeError:
        return ()
    return tuple(form for form in found if form.prefix.encoding == VEX and form.prefix.length == 8 * _VECTOR)


def counterpart(form: X86Form, operands: tuple[Any, ...]) -> tuple[X86Form, tuple[Any, ...]] | None:
    """Return the VEX form that has the same effect on the low 128 bits, with its operands, or None if there is none."""
    if form.prefix.encoding != LEGACY or form.row.key != form.mnemonic:  # movsd of strings is another instruction
        return None
    if form.access[:1] == "x":
        operands = operands[0], *operands
    if form.row.operands.endswith(",u8") and form.mnemonic.startswith("cmp"):
        operands = *operands[:-1], operands[-1] & _PREDICATES
    same = next((other for other in vex_forms(form.mnemonic) if other.accepts(operands)), None)
    return None if same is None else (same, operands)


def vectors(operands: tuple[Any, ...]) -> bool:
    """Whether an operand is a vector register."""
    return any(isinstance(operand, Reg) and operand.file == "xmm" for operand in operands)


def wrapped(run: Run, ctx: X86Context, form: X86Form) -> Run:
    """Return a closure in the differences of the legacy encoding; `form` is in that encoding, the context may be of
    its VEX form."""
    operands = ctx.operands
    to = operands[0]
    if "xmm0" in implicit(form).writes:
        run = _kept(run, ctx.state.vectors[0, _VECTOR:])
    elif isinstance(to, Reg) and to.file == "xmm":
        run = _kept(run, ctx.state.vectors[to.num, _VECTOR:])
    return run


def _kept(run: Run, above: Any) -> Run:
    above = getattr(above, "raw", above)  # for symbolic elements, the array that holds them

    def kept() -> int | None:
        before = above.copy()
        result = run()
        above[:] = before
        return result

    return kept
