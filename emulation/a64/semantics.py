"""What every AArch64 instruction that is emulated does: mnemonic -> how it is made ready (see a64_operands.Context).

A mnemonic may mean different things for general registers, vectors and predicates: the first operand decides.
"""

from __future__ import annotations

from typing import Any

from ...encoder.a64.assembler import TABLE as ROWS
from ..core.closures import Run
from ..core.faults import Refusal
from . import control as a64_control
from . import convert as a64_convert
from . import dots as a64_dots
from . import estimates as a64_estimates
from . import float as a64_float
from . import integer as a64_integer
from . import loads as a64_loads
from . import matrix as a64_matrix
from . import permutes as a64_permutes
from . import predicates as a64_predicates
from . import shifts as a64_shifts
from . import vector as a64_vector
from .operands import GENERAL, Context, Semantic
from .state import A64State

_ANY: dict[str, Semantic] = {**a64_loads.TABLE, **a64_control.TABLE}
_VECTORS: dict[str, Semantic] = {
    **a64_vector.TABLE, **a64_shifts.TABLE, **a64_permutes.TABLE, **a64_float.TABLE, **a64_convert.TABLE,
    **a64_dots.TABLE, **a64_estimates.TABLE, **a64_predicates.COUNTS,
}  # fmt: skip
_WITHOUT = frozenset(("SME2", "SVE2p1", "SME2_OR_SVE2p1", "B16B16", "SME_B16B16", "SME_F16F16"))
_ILLEGAL = (
    "adr aesd aese aesimc aesmc bdep bext bfmmla bgrp compact expand fadda fexpa fmmla ftmad ftsmul ftssel histcnt "
    "histseg ld1rob ld1rod ld1roh ld1row ldff1b ldff1d ldff1h ldff1sb ldff1sh ldff1sw ldff1w ldnf1b ldnf1d ldnf1h "
    "ldnf1sb ldnf1sh ldnf1sw ldnf1w match nmatch rax1 rdffr rdffrs setffr sm4e sm4ekey smmla ummla usmmla wrffr"
)
_NOT_STREAMING = frozenset(_ILLEGAL.split())
"""Besides what has operands of NEON, or gathers. Arm ARM DDI 0487, at each of them: Illegal in Streaming SVE mode."""
_MODES = ("smstart", "smstop", "rdsvl", "addsvl", "addspl")
_PREDICATES: dict[str, Semantic] = {**_VECTORS, **a64_predicates.TABLE}
_GENERAL: dict[str, Semantic] = {**_VECTORS, **a64_integer.TABLE}


def semantic_of(form: Any, operands: tuple[Any, ...]) -> Semantic | None:
    """What the table says about an instruction: nothing about SME2 and SVE2.1, which share mnemonics with others."""
    if form.features & _WITHOUT:
        return None
    if any(map(a64_matrix.is_matrix, operands)) or form.mnemonic in _MODES:
        return a64_matrix.TABLE.get(form.mnemonic)
    found = _ANY.get(form.mnemonic)
    if found is not None:
        return found
    kind = getattr(operands[0], "kind", "") if operands else ""
    table = _GENERAL if kind in GENERAL else _PREDICATES if kind.startswith("p") else _VECTORS
    return table.get(form.mnemonic)


def predecode(state: A64State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """The instruction as a function; `end` is the address behind it."""
    semantic = semantic_of(form, operands)
    if semantic is None:
        raise Refusal(f"{form.mnemonic} has no semantics yet: add a line to a TABLE of emulation/a64_*.py")
    run = semantic(Context(state, form, operands, end))
    return _outside_streaming(state, run, form) if not in_streaming(form, operands) else run


def in_streaming(form: Any, operands: tuple[Any, ...]) -> bool:
    """Whether an instruction exists in streaming mode (without FA64, which no target has)."""
    kinds = [_kind(operand) for operand in operands]
    gathers = any(kind.startswith("[z") or (kind[:1] == "[" and ",z" in kind) for kind in kinds)
    scalable = not any(kind[:1] == "x" for kind in kinds)  # adr of general registers is another instruction
    return not (gathers or any(kind[:1] == "v" for kind in kinds) or (scalable and form.mnemonic in _NOT_STREAMING))


def _kind(operand: Any) -> str:
    """The kind of an operand, of a list that of its registers."""
    found = getattr(operand, "kind", "")
    return found.lstrip("{") if isinstance(found, str) else ""


def _outside_streaming(state: A64State, run: Run, form: Any) -> Run:
    """The instruction where streaming mode is off."""

    def checked() -> int | None:
        if state.za.streaming:
            raise Refusal(f"{form.mnemonic} with these operands does not exist in streaming mode")
        return run()

    return checked


def mnemonics() -> set[str]:
    """Every mnemonic that has semantics for some operands."""
    return {name for name in {*_ANY, *_PREDICATES, *_GENERAL, *a64_matrix.TABLE} if name in ROWS}
