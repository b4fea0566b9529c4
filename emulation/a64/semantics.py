"""The semantics of all emulated AArch64 instructions: maps semantics keys of rows to factories of closures.

A key is a domain and an operation (`vector.add`), because the meaning of a mnemonic depends on the registers that it
names.
"""

from __future__ import annotations

from typing import Any

from ...encoder.a64.assembler import TABLE as ROWS
from ...encoder.a64.registers import RegList
from ..core.closures import Run
from ..core.faults import CannotRun
from . import atomics as a64_atomics
from . import ciphers as a64_ciphers
from . import control as a64_control
from . import convert as a64_convert
from . import counters as a64_counters
from . import dots as a64_dots
from . import estimates as a64_estimates
from . import float as a64_float
from . import groups as a64_groups
from . import integer as a64_integer
from . import loads as a64_loads
from . import matrix as a64_matrix
from . import permutes as a64_permutes
from . import predicates as a64_predicates
from . import quads as a64_quads
from . import saturating as a64_saturating
from . import searches as a64_searches
from . import shifts as a64_shifts
from . import vector as a64_vector
from .operands import A64Context, Semantic
from .state import A64State

_VECTOR: dict[str, Semantic] = {
    **a64_vector.TABLE,
    **a64_shifts.TABLE,
    **a64_permutes.TABLE,
    **a64_float.TABLE,
    **a64_convert.TABLE,
    **a64_dots.TABLE,
    **a64_estimates.TABLE,
    **a64_ciphers.TABLE,
    **a64_saturating.TABLE,
    **a64_searches.TABLE,
    **a64_predicates.COUNTS,
}
_ONE_VECTOR = {**_VECTOR, **a64_dots.SVE2P1}


def _listed(name: str) -> Semantic:
    """Return the semantics of an operation that SME2 has for vectors of ZA, for lists of vectors, or for both."""

    def predecode(ctx: A64Context) -> Run:
        one = isinstance(ctx.operands[0], RegList) and name in _EACH
        return a64_groups.each(_ONE_VECTOR, ctx) if one else a64_groups.TABLE[name](ctx)

    return predecode


_EACH = (
    "add",
    "smax",
    "smin",
    "umax",
    "umin",
    "srshl",
    "urshl",
    "sqdmulh",
    "fmax",
    "fmin",
    "fmaxnm",
    "fminnm",
    "frinta",
    "frintm",
    "frintn",
    "frintp",
    "fcvtzs",
    "fcvtzu",
    "scvtf",
    "ucvtf",
    "sclamp",
    "uclamp",
    "fclamp",
    "bfmax",
    "bfmin",
    "bfmaxnm",
    "bfminnm",
    "bfclamp",
)
"""Operations of SME2 that execute one of SVE for every vector of a list."""

_DOMAINS: dict[str, dict[str, Semantic]] = {
    "memory": {**a64_loads.TABLE, **a64_atomics.TABLE},
    "control": {**a64_control.TABLE, **a64_predicates.CONTROL},
    "general": {**a64_integer.TABLE, **a64_permutes.GENERAL_TABLE, **a64_convert.GENERAL_TABLE},
    "predicate": {**a64_predicates.TABLE, **a64_searches.PREDICATES},
    "matrix": a64_matrix.TABLE,
    "vector": _VECTOR,
    "sve2p1": {**a64_quads.TABLE, **a64_dots.SVE2P1, **a64_groups.OF_SVE2P1, **a64_counters.TABLE},
    "sme2": {
        **a64_counters.LISTS,
        **a64_matrix.OF_SME2,
        **{name: _listed(name) for name in (*a64_groups.TABLE, *_EACH)},
    },
}
TABLE: dict[str, Semantic] = {
    f"{domain}.{name}": semantic for domain, table in _DOMAINS.items() for name, semantic in table.items()
}


def semantic_of(form: Any) -> Semantic | None:
    """Return the entry of the table for an instruction, or None if it is not emulated."""
    return TABLE.get(form.row.key)


def predecode(state: A64State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return the instruction as a closure; `end` is the address of the next instruction."""
    semantic = semantic_of(form)
    if semantic is None:
        raise CannotRun(
            f"{form.mnemonic} is not emulated: its row names the operation {form.row.key!r}, which the emulator does "
            "not have. A row that is added to the table can name that of another instruction that does the same, for "
            "example key:vector.add"
        )
    run = semantic(A64Context(state, form, operands, end))
    return _outside_streaming(state, run, form) if not in_streaming(form, operands) else run


def in_streaming(form: Any, operands: tuple[Any, ...]) -> bool:
    """Return whether an instruction exists in streaming mode on targets without FA64; no target here has it."""
    return form.row.streaming and not any(map(_is_neon_or_gather, operands))


def _is_neon_or_gather(operand: Any) -> bool:
    kind = _kind(operand)
    return kind == "v" or kind[:2] in ("v.", "[z") or (kind[:1] == "[" and ",z" in kind)


def _kind(operand: Any) -> str:
    """Return the kind of an operand, or of the registers of a list."""
    kind = getattr(operand, "kind", "")
    return kind.lstrip("{") if isinstance(kind, str) else ""


def _outside_streaming(state: A64State, run: Run, form: Any) -> Run:
    """Wrap the closure in a check that streaming mode is off."""

    def checked() -> int | None:
        if state.za.streaming:
            raise CannotRun(f"{form.mnemonic} with these operands does not exist in streaming mode")
        return run()

    return checked


def mnemonics() -> set[str]:
    """Return every mnemonic that has semantics for some operands."""
    return {mnemonic for mnemonic in ROWS if any(row.key in TABLE for row in ROWS.rows(mnemonic))}


def unknown() -> list[str]:
    """Return the keys of the tables that match no row of the encoder. Each is a spelling mistake."""
    return sorted(TABLE.keys() - {row.key for mnemonic in ROWS for row in ROWS.rows(mnemonic)})
