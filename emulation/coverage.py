"""Which instructions and which ways of branches executions of a code met, and which ones its control flow has besides.

    with recorded() as seen:
        execute(code, ...)                      the emulator's or the symbolic execution, any number of times
    left = unreached(code, "x86", seen.of(code))
    left.ranges, left.ways                      code that was not executed, and the ways of branches that were not taken

The control flow is that of the decoder: from the first byte on, behind each instruction, and to the target of each
direct branch. Where an indirect branch goes is known from the executions alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..encoder.decode import Decoded, decode
from ..encoder.records import NamedTuple
from .selects import FAILED, HELD, LEFT, condition

Way = tuple[int, int]
"""The offset of an instruction, and the offset at which execution goes on; of an instruction that chooses by the flags
also HELD or FAILED, of one that shifts to the right HELD if something is left, and ANYWHERE of a jump to an address in
a register."""
ANYWHERE = -1
_WORDS = {
    ANYWHERE: "an address in a register",
    HELD: "what it chooses if its condition holds, or what a shift leaves",
    FAILED: "what it chooses if its condition fails",
}


class Seen:
    """The ways that executions took, for each code."""

    def __init__(self) -> None:
        self.ways: dict[bytes, set[Way]] = {}

    def of(self, code: bytes) -> set[Way]:
        """Return the ways that were taken in a code."""
        return self.ways.setdefault(bytes(code), set())


_SEEN: ContextVar[Seen | None] = ContextVar("_SEEN", default=None)


@contextmanager
def recorded() -> Iterator[Seen]:
    """Record the ways of all executions of the body."""
    seen = Seen()
    token = _SEEN.set(seen)
    try:
        yield seen
    finally:
        _SEEN.reset(token)


def met(code: bytes, steps: Iterable[Any], taken: Iterable[Way]) -> None:
    """Note the executed steps, which count how often execution went on behind them, and the branches that were taken,
    all by offsets."""
    seen = _SEEN.get()
    if seen is not None:
        ways = seen.of(code)
        ways |= {(step.offset, step.offset + step.length) for step in steps if step.fell}
        ways |= set(taken)


# Control flow

_CALL, _JUMP, _END = ("call", "bl", "blr"), ("jmp", "b", "br"), ("ret", "retaa", "retab")
_CONDITIONAL_A64 = ("b.", "bc.", "cb", "tb")


def ways_of(found: Any, offset: int, arch: str) -> list[int]:
    """Return the offsets at which execution may go on behind an instruction, as far as it says so itself. The first is
    the one behind it, if execution may go on there."""
    name, behind = found.form.mnemonic, offset + found.length
    if name in _END:
        return []
    conditional = name.startswith(("j", "loop") if arch == "x86" else _CONDITIONAL_A64) and name != "jmp"
    if not conditional and name not in _CALL and name not in _JUMP:
        return [behind]
    distance = found.operands[-1]
    target = [(behind if arch == "x86" else offset) + distance] if isinstance(distance, int) else []
    return target if name in _JUMP else [behind, *target]


class Unreached(NamedTuple):
    """Code that no execution reached.

    ranges    (first, end) of instructions that were not executed, though the control flow leads there
    ways      (branch, where it would go on) of instructions that were executed
    """

    ranges: tuple[tuple[int, int], ...]
    ways: tuple[Way, ...]

    def __bool__(self) -> bool:
        return bool(self.ranges or self.ways)

    def __str__(self) -> str:
        code = [f"{first:#x}-{end:#x}" for first, end in self.ranges]
        return ", ".join([*code, *(f"{at:#x} to {_WORDS.get(goes, hex(goes))}" for at, goes in self.ways)])


def unreached(code: bytes, arch: str, taken: set[Way]) -> Unreached:
    """Return what executions that took these ways left out."""
    executed = {at for at, _ in taken}
    lengths, missing = _followed(code, arch, taken)
    behind: dict[int, int] = {at: at + length for at, length in lengths.items() if at not in executed}
    ranges: list[tuple[int, int]] = []
    for at in sorted(behind):
        if ranges and ranges[-1][1] == at:
            ranges[-1] = ranges[-1][0], behind[at]
        else:
            ranges.append((at, behind[at]))
    return Unreached(tuple(ranges), tuple(sorted(missing)))


def _is_anywhere(found: Decoded, at: int, goes: list[int], code: bytes, arch: str) -> bool:
    """Whether an instruction may go to an address that a register holds: an indirect jump or call, or a return to code
    that is not behind a call."""
    name = found.form.mnemonic
    if name in _END:
        return any(0 <= each < len(code) and not _is_behind_a_call(code, each, arch) for each in goes)
    return (name in _CALL or name in _JUMP) and not isinstance(found.operands[-1], int)


def _is_behind_a_call(code: bytes, offset: int, arch: str) -> bool:
    before = [decode(code, at, arch) for at in range(max(offset - 7, 0) if arch == "x86" else offset - 4, offset)]
    return any(
        each is not None and each.form.mnemonic in _CALL and each.length == offset - at
        for at, each in zip(range(offset - len(before), offset), before)
    )


def _followed(code: bytes, arch: str, taken: set[Way]) -> tuple[Mapping[int, int], list[Way]]:
    """Return the length of each instruction to which the control flow leads, and the ways out of executed ones that
    were not taken."""
    targets: dict[int, list[int]] = {}
    for at, goes in taken:
        targets.setdefault(at, []).append(goes)
    lengths: dict[int, int] = {}
    missing: list[Way] = []
    waiting = [0]
    while waiting:
        at = waiting.pop()
        if at in lengths or not 0 <= at < len(code):
            continue
        found = decode(code, at, arch)
        if found is None:
            lengths[at] = 1
            continue
        lengths[at] = found.length
        known = ways_of(found, at, arch)
        if at in targets:
            of_call = found.form.mnemonic in _CALL
            chooses = condition(arch, found.form.mnemonic, found.operands)
            needed = [*known[of_call:], *(() if chooses is None else (HELD,) if chooses == LEFT else (HELD, FAILED))]
            missing += [(at, goes) for goes in needed if goes not in targets[at]]
            if _is_anywhere(found, at, targets[at], code, arch):
                missing.append((at, ANYWHERE))
        waiting += [*known, *targets.get(at, ())]
    return lengths, missing
