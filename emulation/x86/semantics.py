"""The semantics of all emulated x86-64 instructions: maps semantics keys of rows to factories of closures."""

from __future__ import annotations

from typing import Any

from ...encoder.x86.assembler import TABLE as ROWS
from ...encoder.x86.words import LEGACY
from ..core.closures import Run
from ..core.faults import Refusal
from . import atomics as x86_atomics
from . import avx10 as x86_avx10
from . import bits as x86_bits
from . import ciphers as x86_ciphers
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
from . import strings as x86_strings
from . import tiles as x86_tiles
from .operands import Context, Semantic
from .state import X86State

MODULES = (
    x86_integer,
    x86_bits,
    x86_atomics,
    x86_control,
    x86_strings,
    x86_moves,
    x86_masks,
    x86_packed,
    x86_parts,
    x86_shuffles,
    x86_float,
    x86_convert,
    x86_dots,
    x86_avx10,
    x86_ciphers,
    x86_tiles,
)
TABLE: dict[str, Semantic] = {name: semantic for module in MODULES for name, semantic in module.TABLE.items()}

_BITS = dict.fromkeys(("bt", "btc", "btr", "bts"), ("of", "sf", "pf"))
UNDEFINED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("imul", "mul"), ("zf", "sf", "pf")), **dict.fromkeys(("div", "idiv"), ("cf", "of", "zf", "sf", "pf")),
    **dict.fromkeys(("bsf", "bsr"), ("cf", "of", "sf", "pf")), **dict.fromkeys(("lzcnt", "tzcnt"), ("of", "sf", "pf")),
    **_BITS, **{f"lock {name}": flags for name, flags in _BITS.items()},
    "bextr": ("sf", "pf"), **dict.fromkeys(("blsi", "blsr", "blsmsk", "andn", "bzhi"), ("pf",)),
}  # fmt: skip
"""The flags that an instruction leaves undefined, by its semantics key. Shifts and rotates leave more, by their count."""

_TIME = "reads a clock, and a call would give another result each time; time calls from Python, or count instructions: done.steps"
_RANDOM = "gives another number each time, and the results of the emulator are reproducible; pass a number or a seed as an argument"
_MACHINE = "tells about the machine that executes it, and there is none; let the caller choose by the target"
_STATE = "saves or restores state by a layout that the operating system enables, with the x87 registers, which are not emulated; save registers with vmovups and kmovq"
_SHADOW = "needs a shadow stack, which an emulated call has none of; leave out these instructions, as for a process without CET"
_THREAD = "accesses the base of a segment of the thread, which an emulated call has none of; pass the address as an argument"

WITHOUT: dict[str, str] = {
    **dict.fromkeys(("rdtsc", "rdtscp", "rdpmc"), _TIME),
    **dict.fromkeys(("rdrand", "rdseed"), _RANDOM),
    **dict.fromkeys(("cpuid", "xgetbv", "rdpid"), _MACHINE),
    **dict.fromkeys([f"{name}{wide}" for wide in ("", "64")
                     for name in ("fxsave", "fxrstor", "xsave", "xsavec", "xsaveopt", "xrstor")], _STATE),
    **dict.fromkeys(("incsspd", "incsspq", "saveprevssp", "wrssd", "wrssq"), _SHADOW),
    **dict.fromkeys(("rdfsbase", "rdgsbase", "wrfsbase", "wrgsbase"), _THREAD),
    "syscall": "enters the operating system, and an emulated call has none; return to Python for what it does",
}  # fmt: skip
"""Why an instruction has no semantics, and what to do instead, by its semantics key."""


def predecode(state: X86State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return the instruction as a closure; `end` is the address of the next instruction."""
    key = form.row.key
    semantic = TABLE.get(key)
    if semantic is None:
        return _vector(state, form, operands, end)
    ctx = Context(state, form, operands, end)
    if form.prefix.encoding == LEGACY and form.access and x86_legacy.vectors(operands):
        return x86_legacy.wrapped(semantic(ctx), ctx, form)
    flags = UNDEFINED.get(key)
    return semantic(ctx) if flags is None else _forgetting(semantic(ctx), state, flags, form.mnemonic)


def _vector(state: X86State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return a vector instruction in its legacy encoding as the closure of its VEX form."""
    same = None if form.row.key in WITHOUT else x86_legacy.counterpart(form, operands)
    if same is not None and same[0].row.key in TABLE:
        ctx = Context(state, *same, end)
        return x86_legacy.wrapped(TABLE[same[0].row.key](ctx), ctx, form)
    raise Refusal(f"{form.mnemonic} {WITHOUT.get(form.row.key, 'is not emulated')}")


def _forgetting(run: Run, state: X86State, flags: tuple[str, ...], mnemonic: str) -> Run:
    def executed() -> None:
        run()
        state.forget(flags, mnemonic)

    return executed


def unknown() -> list[str]:
    """Return the keys of the tables that match no row of the encoder. Each is a spelling mistake."""
    keys = {row.key for mnemonic in ROWS for row in ROWS.rows(mnemonic)}
    return sorted((TABLE.keys() | UNDEFINED.keys() | WITHOUT.keys()) - keys)
