"""Vector instructions in their legacy encodings (SSE to SSE4.2): each is executed as its 128-bit VEX form.

`addps xmm1, m` is `vaddps xmm1, xmm1, m` with two differences. The bits of xmm1 above bit 127 are kept, and memory
operands of 16 bytes must be aligned, except for the unaligned moves. Source: Intel SDM vol. 1, 14.9 and 15.4; vol. 3,
6.15 (#GP).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...encoder.errors import EncodeError
from ...encoder.x86.assembler import TABLE as ROWS
from ...encoder.x86.forms import X86Form
from ...encoder.x86.registers import Mem, Reg
from ...encoder.x86.words import LEGACY, VEX
from ..core.closures import Run
from ..core.faults import Refusal
from .operands import Context, Semantic
from .state import X86State

UNALIGNED = ("movups", "movupd", "movdqu", "lddqu")
"""Moves of 16 bytes that accept any address."""
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
    if form.mnemonic.startswith("cmp"):
        operands = *operands[:-1], operands[-1] & _PREDICATES
    same = next((other for other in vex_forms(form.mnemonic) if other.accepts(operands)), None)
    return None if same is None else (same, operands)


def predecode(state: X86State, semantic: Semantic, same: X86Form, operands: tuple[Any, ...], end: int) -> Run:
    """Return the closure of the VEX form, wrapped in the differences of the legacy encoding."""
    ctx = Context(state, same, operands, end)
    run = semantic(ctx)
    to = operands[0]
    if isinstance(to, Reg) and to.file == "xmm":
        run = _kept(run, state.vectors[to.num, _VECTOR:])
    at = next((i for i, operand in enumerate(operands) if isinstance(operand, Mem)), None)
    if at is None or same.classes[at].size != 8 * _VECTOR or same.mnemonic[1:] in UNALIGNED:
        return run
    return _aligned(run, ctx.address(operands[at]))


def _kept(run: Run, above: Any) -> Run:
    above = getattr(above, "raw", above)  # for symbolic elements, the array that holds them

    def kept() -> int | None:
        before = above.copy()
        result = run()
        above[:] = before
        return result

    return kept


def _aligned(run: Run, address: Any) -> Run:
    def tested() -> int | None:
        pointer = address()
        if pointer % _VECTOR:
            raise Refusal(f"the address {pointer:#x} must be a multiple of {_VECTOR}")
        return run()

    return tested
