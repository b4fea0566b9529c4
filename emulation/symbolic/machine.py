"""Execute a function on symbolic elements: the emulator's decoder, states and semantics, with values of a table.

    done = execute(code, target, integers, regions, {"x": 4})
    done.memory.held(region)      the final value of every byte of an operand

Addresses, counters, masks and branches are concrete, as in the emulator. At the return, the state is compared with what
the calling convention requires to be preserved. Every vector register starts with undefined values of its own, so the
comparison detects a register that was restored from the wrong place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..a64.state import A64State
from ..core.call import STACK
from ..core.closures import Run
from ..core.faults import CannotRun, Fault
from ..core.memory import READ, MemoryFault, Region
from ..core.u64 import placed
from ..coverage import met
from ..cpu import BACK, CALLS, CODE, Step, fault_of, predecoded
from ..selects import condition, noted
from ..workers import BARRIER, CLAIM
from ..x86.state import RSP, bits
from . import masks as masks
from . import movements as movements
from . import narrowing as narrowing
from . import primitives as primitives
from .addresses import CODE_NAME, Address
from .bounds import Endless, States, check
from .given.call import place, plain, words_of
from .given.words import Words
from .lanes import Lanes
from .loops.summaries import Loops
from .masks import MaskBits
from .memory import SymbolicMemory
from .modes.caller import Caller, guarded
from .rewrites import SIMPLIFIERS
from .values import UNDEFINED, Array, Repeats, Table, Undecided, Unknown, encoded
from .words import Word

_NOT_FOLLOWED = (
    "the prover does not follow this instruction where it computes with an address, with data, or with a number that "
    "the call gives: of these it follows moves, sums, differences, products, logic, and shifts by constants"
)
LIMIT = 5_000_000
"""The number of instructions after which a symbolic execution is abandoned."""
ENDLESS, LONG = "endless", "long"
_SAVED = range(8, 16)  # d8 to d15 are callee-saved (AAPCS64, 6.1.2)
_UNTOUCHED = 16  # the bytes of an x86 vector register that instructions without VEX access


class Undecidable(Exception):
    """Raised for an instruction that cannot be executed symbolically, with the reason, its text and its offset."""

    def __init__(self, reason: str, text: str, offset: int, unknown: bool = False, endless: str = "") -> None:
        super().__init__(f"at {offset:#x}: {text}: {reason}")
        self.reason, self.text, self.offset = reason, text, offset
        self.unknown = unknown
        """Whether the deciding value is undefined at entry. No code may depend on such a value."""
        self.endless = endless
        """ENDLESS if the code never returns, LONG if it does not within the bound on instructions, else ""."""


class Done(NamedTuple):
    """The final state of an execution."""

    table: Table
    memory: SymbolicMemory
    steps: int
    lost: tuple[str, ...]
    """What the calling convention requires to be preserved but was not."""
    warnings: tuple[str, ...]
    loops: tuple[str, ...] = ()
    """Descriptions of the loops that were summarised."""
    words: Words | None = None
    """The words that the call gives, and what they decided."""


def execute(
    code: bytes,
    target: Target,
    integers: Sequence[int],
    regions: Sequence[Region],
    symbolic: Mapping[str, int],
    *,
    limit: int = LIMIT,
    summaries: bool = True,
    like: Done | None = None,
    caller: Caller | None = None,
    phase: int = 0,
) -> Done:
    """Call the function that starts at the beginning of the code.

    symbolic    the element size in bytes of each symbolic region, keyed by name
    summaries   whether loops may be summarised (loops/summaries.py)
    like        another execution whose table and inputs are reused, so that equal results are equal nodes
    caller      a caller whose floating-point mode is unknown; None for one with the mode that programs start with
    phase       how many bytes below its usual place the stack begins, a multiple of 16

    Raises Fault where the emulator would, and Undecidable if an address, a count or a branch depends on data.
    """
    table = Table(SIMPLIFIERS) if like is None else like.table
    if caller is not None and like is None:  # it will be executed again for other modes
        table.repeats = Repeats()
    memory = SymbolicMemory(regions, table, symbolic, None if like is None else like.memory.inputs)
    memory.add("the code", CODE, len(code), READ, bytes(code))
    words, given = words_of(symbolic, memory, integers)
    table.words = words
    process, entry = begun(memory, target, given, caller, phase)
    loops = Loops(process) if summaries else None
    try:
        steps, _ = run_to(process, bytes(code), target, limit, CODE, (BACK,), loops, caller)
        lost, warnings = kept(process, entry)
        if caller is not None:
            caller.ends()
    except Undecided as undecided:  # a code address or a register that must be preserved holds data
        raise Undecidable(str(undecided), "ret", len(code)) from undecided
    finally:
        memory.bases.end()
        table.held = table.words = table.places = None  # otherwise they and the table refer to each other
        bits.cache_clear()  # the cache refers to symbolic masks and thereby keeps their table alive
    found = () if loops is None else tuple(loops.summaries.values())
    return Done(table, memory, steps, lost, warnings, found, words)


def begun(
    memory: SymbolicMemory, target: Target, integers: Sequence[Any], caller: Caller | None = None, phase: int = 0
) -> tuple[Any, Entry]:
    """Return a process at the entry of a function, and what its registers hold there. The integers may be words that
    the call gives."""
    process = CALLS[target.arch](memory, target, plain(integers), BACK, phase=phase)
    undefine_stack(memory, process.state)
    place(process, integers)
    entry = undefined(process, memory.table, caller)
    state: Any = process.state
    if isinstance(state, A64State):
        setattr(state, "sp", memory.of_stack(state.sp))  # noqa: B010
    else:
        state.r[RSP] = memory.of_stack(state.r[RSP])
    return process, entry


class Entry(NamedTuple):
    """The contents of registers at entry: the bytes of vector registers, and the undefined general registers."""

    vectors: Array
    general: dict[int, Word]


def undefined(process: Any, table: Table, caller: Caller | None = None) -> Entry:
    """Make undefined all registers, tiles and flags about which the calling convention says nothing, and the mode of a
    caller whose mode is unknown."""
    state = process.state
    table.held = None
    if caller is not None:
        caller.begin(process, table)
    count, size = state.vectors.shape
    nodes = table.inputs("register", count * size // 8, 8, UNDEFINED)
    raw = table.bytes_of(nodes, 8).reshape(count, size, 1)
    state.vectors = Lanes(raw, np.uint8, table)
    if isinstance(state, A64State):
        state.za.bytes = Lanes(encoded(state.za.bytes), np.uint8, table)  # type: ignore[assignment]
    else:
        state.tiles.data = Lanes(encoded(state.tiles.data), np.uint8, table)
    if hasattr(state, "predicates"):
        rows, bits_of = state.predicates.shape
        unknown = table.inputs("predicate", rows * bits_of, 1, UNDEFINED)
        state.predicates = Lanes(table.bytes_of(unknown, 1).reshape(rows, bits_of, 1), bool, table)
    else:
        for number in range(len(state.k)):
            unknown = table.inputs("mask", _MASK_BITS, 1, UNDEFINED)
            state.k[number] = MaskBits(Lanes(table.bytes_of(unknown, 1), bool, table))
    general = {number: _unknown("general register", table) for number in process.open}
    for number, word in general.items():
        process.general[number] = word
    for name in process.flags:
        setattr(state, name, _unknown("flag", table))
    return Entry(raw.copy(), general)


def _unknown(name: str, table: Table) -> Word:
    node = int(table.inputs(name, 1, _WORD_BYTES, UNDEFINED)[0])
    return Word(table.split(node, _WORD_BYTES), table)


def undefine_stack(memory: SymbolicMemory, state: Any) -> None:
    """Make the stack below the caller's data undefined."""
    memory.undefine("stack", STACK, (state.sp if isinstance(state, A64State) else state.r[RSP]) - STACK)


_MASK_BITS = 64
_WORD_BYTES = 8


def run_to(
    process: Any,
    code: bytes,
    target: Target,
    limit: int,
    address: int,
    stops: Sequence[int],
    loops: Loops | None = None,
    caller: Caller | None = None,
) -> tuple[int, int]:
    """Execute from an address to the first of several stop addresses. Return the number of instructions and the address
    reached. `loops` summarises loops; if it is None, every iteration is executed. `caller`: see `execute`."""
    left = limit
    steps: dict[int, Step] = {}
    memory: SymbolicMemory = process.state.memory
    find = steps.get
    taken: set[tuple[int, int]] = set()
    states = States(process)
    address = placed(address)
    with np.errstate(all="ignore"):
        while address not in stops:
            step = find(address)
            if step is None:
                step = steps[address] = _prepared(process, code, target, address, caller, taken)
            memory.at = step.offset
            try:
                goes = step.run()
            except MemoryFault as fault:
                raise fault_of(step, str(fault), fault.address, fault.name, fault.outside) from None
            except CannotRun as refusal:
                raise fault_of(step, str(refusal)) from None
            except Undecided as undecided:
                raise Undecidable(
                    str(undecided), step.form.text(step.operands), step.offset, isinstance(undecided, Unknown)
                ) from undecided
            except (TypeError, ValueError, AttributeError) as error:
                raise Undecidable(_NOT_FOLLOWED, step.form.text(step.operands), step.offset) from error
            if goes is None:
                step.fell += 1
                address = step.after
            else:
                taken.add((step.offset, goes - CODE))
                if goes <= address:
                    left = _repeated(states, loops, steps, step, goes, left)
                address = goes
            left -= 1
            if left <= 0 and address not in stops:
                reason = f"more than {limit:,} instructions, which are the most of one execution: an endless loop?"
                raise Undecidable(reason, step.form.text(step.operands), step.offset, endless=LONG)
    met(code, steps.values(), taken)
    return limit - left, address


def _repeated(states: States, loops: Loops | None, steps: dict[int, Step], step: Step, goes: int, left: int) -> int:
    """Summarise a loop at the branch back to its begin, and return the number of instructions left. Raise Undecidable
    for a loop without an end."""
    check()
    try:
        states.at(step.offset)
        return left if loops is None else loops.at(steps, step, goes, left)
    except Endless as endless:
        raise Undecidable(
            str(endless), step.form.text(step.operands), step.offset, endless=ENDLESS if endless.certain else LONG
        ) from endless


def _prepared(
    process: Any, code: bytes, target: Target, address: int, caller: Caller | None, taken: set[tuple[int, int]]
) -> Step:
    try:
        step = predecoded(process, code, target, address)
        if step.form.mnemonic in _INDIRECT and not (step.operands and isinstance(step.operands[0], int)):
            step.run = _to_code(step.run)
        chosen = condition(process.arch, step.form.mnemonic, step.operands)
        if chosen is not None:
            step.run = noted(process, step.run, chosen, step.operands, lambda way, at=step.offset: taken.add((at, way)))  # type: ignore[misc]
        if caller is not None and caller.register.follows(step.form.mnemonic):
            step.run = guarded(caller, process, step.run)
        return step
    except Fault:
        raise
    except (TypeError, ValueError, AttributeError, Undecided) as error:
        raise Undecidable(f"{error}", "", address - CODE) from error


_INDIRECT = ("jmp", "call", "ret", "br", "blr")


def _to_code(run: Run) -> Run:
    """Return a jump to an address in a register or in memory as one that goes to the code, back, or to a barrier."""

    def execute() -> int | None:
        goes: object = run()
        if isinstance(goes, Address):
            if goes.base is None or goes.base.names != CODE_NAME:
                raise CannotRun(f"goes to an address that begins at {goes.words()}")
        elif isinstance(goes, int) and goes not in (BACK, BARRIER, CLAIM):
            raise CannotRun(f"goes to {goes:#x}, a number of the code: where the code lies is the caller's choice")
        return placed(goes)

    return execute


def kept(process: Any, entry: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of what was not preserved, and those of what is slow but allowed."""
    state, lost, warnings = process.state, [], []
    raw, vectors, general = state.vectors.raw, entry.vectors, process.general
    for number, value in process.expected.items():
        held = general[number]
        if isinstance(held, Word):
            whole = not isinstance(held, Address) and held.bytes(_WORD_BYTES) == entry.general[number].bytes(
                _WORD_BYTES
            )
            general[number] = value if whole else ~value
    if isinstance(state, A64State):
        lost += [f"d{number}" for number in _SAVED if (raw[number, :8] != vectors[number, :8]).any()]
        raw[_SAVED, :8] = encoded(process.wanted)
    elif raw.shape[1] > _UNTOUCHED:
        upper = raw[:16, _UNTOUCHED:]
        dirty = ((upper != -1) & (upper != vectors[:16, _UNTOUCHED:])).any(axis=(1, 2))
        warnings += [f"upper half of ymm{number}" for number in np.flatnonzero(dirty).tolist()]
    if isinstance(state, A64State):
        state.sp = placed(state.sp)
    else:
        state.r[RSP] = placed(state.r[RSP])
    try:
        process.check()
    except RuntimeError as error:
        lost.append(str(error).partition("restoring ")[2] or str(error))
    return tuple(lost), tuple(warnings)
