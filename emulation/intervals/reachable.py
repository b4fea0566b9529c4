"""Which ways of branches no number can take: intervals of what general registers and words of the stack hold.

    possible = ways(code, "x86", {3: (0, 1 << 47)})        integer argument 3 is a number from 0 on

The intervals hold for every call whose arguments lie in theirs. They follow moves, sums, products and comparisons;
whatever else an instruction writes may be anything. An interval has a step: the numbers of elements of m rows of three
are 0, 3, 6 and so on, so that after blocks of six no two pairs are left.

Words of the stack are those at fixed distances from the stack pointer at entry. A store through the stack pointer ends
what was known of the words that it overlaps, and so does a store of a general register through another pointer, of the
words of the own frame, if the code makes pointers to its stack. It is assumed that vectors are not stored through such
a pointer over a word that holds a counter: if they were, the symbolic execution would find data where it needs a
number, and refuse. On AArch64, TPIDR2_EL0 is 0, as executions have it: no caller has left the saving of ZA to its
callees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from ...encoder.decode import Decoded, decode
from ...encoder.records import NamedTuple
from ...encoder.x86.registers import Mem, Reg
from ..coverage import Way
from ..selects import condition
from .a64 import A64
from .states import ANYTHING, LEAST, LIMIT, MOST, PATIENCE, State, either, grown, hull, somewhere, span
from .x86 import X86, rows_of_tiles


class Reachable(NamedTuple):
    """What calls may do whose numbers lie in some intervals.

    ways     the ways that they can take
    narrow   the offsets of instructions that read fewer bits of a number, or of what was computed of one, than it has
    """

    ways: frozenset[Way]
    narrow: tuple[int, ...]


def ways(code: bytes, arch: str, numbers: Mapping[int, tuple[int, int]]) -> frozenset[Way] | None:
    """Return the ways that a call can take whose integer arguments lie in these intervals, by their position; None if
    the analysis does not come to an end."""
    found = reached(code, arch, numbers)
    return None if found is None else found.ways


def reached(code: bytes, arch: str, numbers: Mapping[int, tuple[int, int]]) -> Reachable | None:
    """Return what a call can do whose integer arguments lie in these intervals, by their position; None if the analysis
    does not come to an end."""
    return _reached(code, arch, tuple(sorted(numbers.items())))


@lru_cache(maxsize=4)  # the numbers of a proof are chosen by it, and its claims say the same of them
def _reached(code: bytes, arch: str, numbers: tuple[tuple[int, tuple[int, int]], ...]) -> Reachable | None:
    machine: X86 | A64 = X86() if arch == "x86" else A64()
    machine.points_to_stack = any(machine.is_pointer_to_stack(each) for each in _instructions(code, arch))
    held = {machine.argument(position): span(*found) for position, found in numbers}
    states: dict[int, State] = {0: State(held, 0, None, frozenset(held))}
    visits: dict[int, int] = {}
    decoded: dict[int, Decoded | None] = {}
    steps = thresholds(code, arch)
    waiting, possible = [0], set[Way]()
    for _ in range(LIMIT):
        if not waiting:
            read = [(at, found) for at, found in sorted(decoded.items(), key=lambda each: each[0]) if found is not None]
            rows = rows_of_tiles(decoded)
            narrow = (at for at, found in read if at not in rows and machine.is_narrow(found, states[at]))
            return Reachable(frozenset(possible), tuple(narrow))
        at = waiting.pop()
        found = decoded[at] if at in decoded else decoded.setdefault(at, decode(code, at, arch))
        if found is None:
            continue
        chosen = condition(arch, found.form.mnemonic, found.operands)
        if chosen is not None:
            possible |= {(at, way) for way in machine.chosen(states[at], chosen, found)}
        for goes, after in machine.after(found, at, arch, states[at]):
            possible.add((at, goes))
            if not 0 <= goes < len(code):
                continue
            before = states.get(goes)
            visits[goes] = visits.get(goes, 0) + 1
            joined = after if before is None else _joined(before, after, steps if visits[goes] > PATIENCE else None)
            if joined != before:
                states[goes] = joined
                waiting.append(goes)
    return None


def thresholds(code: bytes, arch: str) -> list[int]:
    """Return the numbers at which growing intervals stop: those that the code names beside general registers and words
    in memory, and their neighbours. The places of vectors and the distances of jumps are none of them."""
    found = {0, LEAST, MOST}
    for one in _instructions(code, arch):
        named = [each for each in one.operands if isinstance(each, int)]
        for each in named if all(map(_is_number, one.operands)) and len(named) < len(one.operands) else ():
            found |= {sign * each + more for sign in (1, -1) for more in (-1, 0, 1)}
    return sorted(each for each in found if LEAST <= each <= MOST)


def _is_number(operand: object) -> bool:
    """Whether an operand is a number, a general register or a word in memory."""
    if isinstance(operand, Reg):
        return operand.file.startswith("r")
    return (
        isinstance(operand, (int, Mem)) or getattr(operand, "kind", "") in ("x", "w", "sp") or hasattr(operand, "base")
    )


def _instructions(code: bytes, arch: str) -> Iterator[Decoded]:
    """Yield what the decoder finds from the first byte to the last one, constants included."""
    at = 0
    while at < len(code):
        one = decode(code, at, arch)
        at += one.length if one else (1 if arch == "x86" else 4)
        if one:
            yield one


def _joined(one: State, other: State, steps: list[int] | None) -> State:
    held = {}
    for place, before in one.held.items():
        found = hull(before, other.held.get(place, ANYTHING))
        if steps is not None:
            found = grown(before, found, steps)
        if found != ANYTHING:
            held[place] = found
    same = one.stack == other.stack
    if not same:
        held = {place: found for place, found in held.items() if place[0] == "r"}
    numbers = one.numbers | other.numbers
    if not same:
        numbers = somewhere(numbers)
    return State(held, one.stack if same else None, either(one.flags, other.flags), numbers)
