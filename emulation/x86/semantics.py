"""The semantics of all emulated x86-64 instructions: maps semantics keys of rows to factories of closures."""

from __future__ import annotations

from typing import Any

from ...encoder.x86.assembler import TABLE as ROWS
from ..core.closures import Run
from ..core.faults import Refusal
from . import bits as x86_bits
from . import control as x86_control
from . import convert as x86_convert
from . import dots as x86_dots
from . import float as x86_float
from . import integer as x86_integer
from . import legacy as x86_legacy
from . import masks as x86_masks
from . import moves as x86_moves
from . import packed as x86_packed
from . import parts as x86_parts
from . import shuffles as x86_shuffles
from . import tiles as x86_tiles
from .operands import Context, Semantic
from .state import X86State

MODULES = (
    x86_integer,
    x86_bits,
    x86_control,
    x86_moves,
    x86_masks,
    x86_packed,
    x86_parts,
    x86_shuffles,
    x86_float,
    x86_convert,
    x86_dots,
    x86_tiles,
)
TABLE: dict[str, Semantic] = {name: semantic for module in MODULES for name, semantic in module.TABLE.items()}


def predecode(state: X86State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return the instruction as a closure; `end` is the address of the next instruction."""
    semantic = TABLE.get(form.row.key)
    same = None if semantic is not None else x86_legacy.counterpart(form, operands)
    if same is not None and same[0].row.key in TABLE:
        return x86_legacy.predecode(state, TABLE[same[0].row.key], *same, end)
    if semantic is None:
        raise Refusal(
            f"{form.mnemonic} has no semantics yet: add a line for {form.row.key!r} to a TABLE of emulation/x86/"
        )
    return semantic(Context(state, form, operands, end))


def unknown() -> list[str]:
    """Return the keys of the tables that match no row of the encoder. Each is a spelling mistake."""
    return sorted(TABLE.keys() - {row.key for mnemonic in ROWS for row in ROWS.rows(mnemonic)})
