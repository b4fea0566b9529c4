"""What every AArch64 instruction that is emulated does: mnemonic -> how it is made ready (see a64_operands.Context).

A mnemonic may mean different things for general registers, vectors and predicates: the first operand decides.
"""

from __future__ import annotations

from typing import Any

from ..encoder.a64.assembler import TABLE as ROWS
from . import (
    a64_control,
    a64_convert,
    a64_dots,
    a64_estimates,
    a64_float,
    a64_integer,
    a64_loads,
    a64_matrix,
    a64_permutes,
    a64_predicates,
    a64_vector,
)
from .a64_integer import Semantic
from .a64_operands import GENERAL, Context, Run
from .a64_state import A64State
from .cpu_faults import Refusal

_ANY: dict[str, Semantic] = {**a64_loads.TABLE, **a64_control.TABLE}
_VECTORS: dict[str, Semantic] = {
    **a64_vector.TABLE, **a64_permutes.TABLE, **a64_float.TABLE, **a64_convert.TABLE, **a64_dots.TABLE,
    **a64_estimates.TABLE,
    **a64_predicates.COUNTS,
}  # fmt: skip
_WITHOUT = frozenset(("SME2", "SVE2p1", "SME2_OR_SVE2p1", "B16B16", "SME_F16F16"))
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


def ready(state: A64State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """The instruction as a function; `end` is the address behind it."""
    semantic = semantic_of(form, operands)
    if semantic is None:
        raise Refusal(f"{form.mnemonic} has no semantics yet: add a line to a TABLE of emulation/a64_*.py")
    if any(kind[:1] == "v" for kind in map(_kind, operands)):
        return _outside_streaming(state, semantic(Context(state, form, operands, end)))
    return semantic(Context(state, form, operands, end))


def _kind(operand: Any) -> str:
    """The kind of an operand, of a list that of its registers."""
    found = getattr(operand, "kind", "")
    return found.lstrip("{") if isinstance(found, str) else ""


def _outside_streaming(state: A64State, run: Run) -> Run:
    """NEON vectors do not exist in streaming mode (without FA64, which no target has)."""
    if not state.za.streaming:
        return run

    def refused() -> None:
        raise Refusal("a NEON instruction in streaming mode")

    return refused


def mnemonics() -> set[str]:
    """Every mnemonic that has semantics for some operands."""
    return {name for name in {*_ANY, *_PREDICATES, *_GENERAL, *a64_matrix.TABLE} if name in ROWS}
