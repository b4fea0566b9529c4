"""The semantics of all emulated x86-64 instructions: maps semantics keys of rows to factories of closures."""

from __future__ import annotations

from typing import Any

from ...encoder.x86.assembler import TABLE as ROWS
from ...encoder.x86.effects import alignment
from ...encoder.x86.registers import Mem
from ...encoder.x86.words import LEGACY
from ..core.closures import Run
from ..core.faults import CannotRun
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
from .operands import Semantic, X86Context
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
_LOCKED_BITS = {f"lock {name}": flags for name, flags in _BITS.items() if name != "bt"}
UNDEFINED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("imul", "mul"), ("zf", "sf", "pf")),
    **dict.fromkeys(("div", "idiv"), ("cf", "of", "zf", "sf", "pf")),
    **dict.fromkeys(("bsf", "bsr"), ("cf", "of", "sf", "pf")),
    **dict.fromkeys(("lzcnt", "tzcnt"), ("of", "sf", "pf")),
    **_BITS,
    **_LOCKED_BITS,
    "bextr": ("sf", "pf"),
    **dict.fromkeys(("blsi", "blsr", "blsmsk", "andn", "bzhi"), ("pf",)),
}
"""The flags that an instruction leaves undefined, by its semantics key. Shifts and rotates leave more, by their count.
"""

_CLOCK = ("it reads a clock, which gives another number each time", "measure calls of the kernel from Python")
_COUNTER = (
    "it reads a counter of the processor, and there is none",
    "count events of the kernel's calls with perf: docs/debugging.md",
)
_RANDOM = (
    "its number is another one each time, and what the emulator computes can be repeated",
    "pass a number or a seed as an argument",
)
_MACHINE = (
    "it tells about the processor that executes it, and there is none",
    "let the caller decide, by the features of a target",
)
_STATE = (
    "the layout of what it saves is the operating system's choice and contains registers that are not emulated",
    "save the registers that you use, with vmovups and kmovq",
)
_SHADOW = (
    "an emulated call has no shadow stack, like any process for which Linux has not enabled one",
    "leave it out, or skip it if rdsspq has left its register unchanged",
)
_THREAD = ("an emulated call has no segment of a thread", "pass the address as an argument")
_SYSTEM = ("an emulated call has no operating system", "return to Python for what the system call does")

WITHOUT: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("rdtsc", "rdtscp"), _CLOCK),
    "rdpmc": _COUNTER,
    **dict.fromkeys(("rdrand", "rdseed"), _RANDOM),
    **dict.fromkeys(("cpuid", "xgetbv", "rdpid"), _MACHINE),
    **dict.fromkeys(
        [
            f"{name}{wide}"
            for wide in ("", "64")
            for name in ("fxsave", "fxrstor", "xsave", "xsavec", "xsaveopt", "xrstor")
        ],
        _STATE,
    ),
    **dict.fromkeys(("incsspd", "incsspq", "saveprevssp", "wrssd", "wrssq"), _SHADOW),
    **dict.fromkeys(("rdfsbase", "rdgsbase", "wrfsbase", "wrgsbase"), _THREAD),
    "syscall": _SYSTEM,
}
"""Why an instruction has no semantics, and what works instead, by its semantics key."""


def predecode(state: X86State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return the instruction as a closure; `end` is the address of the next instruction."""
    need = alignment(form)
    run = _unaligned(state, form, operands, end)
    if need == 1 or not isinstance(operands[form.memory], Mem):
        return run
    address, require = X86Context(state, form, operands, end).address(operands[form.memory]), state.memory.require

    def aligned() -> int | None:
        require(address(), need)
        return run()

    return aligned


def _unaligned(state: X86State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return the instruction without the test of the address that its memory operand may need."""
    key = form.row.key
    semantic = TABLE.get(key)
    if semantic is None:
        return _vector(state, form, operands, end)
    ctx = X86Context(state, form, operands, end)
    if form.prefix.encoding == LEGACY and form.access and x86_legacy.vectors(operands):
        return x86_legacy.wrapped(semantic(ctx), ctx, form)
    flags = UNDEFINED.get(key)
    return semantic(ctx) if flags is None else _forgetting(semantic(ctx), state, flags, form.mnemonic)


def _vector(state: X86State, form: Any, operands: tuple[Any, ...], end: int) -> Run:
    """Return a vector instruction in its legacy encoding as the closure of its VEX form."""
    same = None if form.row.key in WITHOUT else x86_legacy.counterpart(form, operands)
    if same is not None and same[0].row.key in TABLE:
        ctx = X86Context(state, *same, end)
        return x86_legacy.wrapped(TABLE[same[0].row.key](ctx), ctx, form)
    if form.row.key not in WITHOUT:
        raise CannotRun(
            "the emulator does not know this instruction: add a line for its key "
            f"{form.row.key!r} to a table of emulation/x86, or call the kernel on a processor that has it"
        )
    why, instead = WITHOUT[form.row.key]
    raise CannotRun(f"the emulator does not execute this instruction: {why}; {instead}")


def _forgetting(run: Run, state: X86State, flags: tuple[str, ...], mnemonic: str) -> Run:
    def executed() -> None:
        run()
        state.forget(flags, mnemonic)

    return executed


def unknown() -> list[str]:
    """Return the keys of the tables that match no row of the encoder. Each is a spelling mistake."""
    keys = {row.key for mnemonic in ROWS for row in ROWS.rows(mnemonic)}
    return sorted((TABLE.keys() | UNDEFINED.keys() | WITHOUT.keys()) - keys)
