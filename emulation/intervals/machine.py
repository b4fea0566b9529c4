"""What instructions do to the state of the analysis, on either architecture (x86.py, a64.py)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ...encoder.decode import Decoded
from ..coverage import ways_of
from ..selects import FAILED, HELD, LEFT
from .states import (
    CONDITIONS,
    ELSEWHERE,
    FRAME,
    FRAMES,
    NAMES_A64,
    OPPOSITE,
    SOMEWHERE,
    UNSIGNED,
    WORD,
    Compared,
    Interval,
    Place,
    State,
    difference,
    refined,
    shifted,
    somewhere,
)


def _branched(state: State, condition: str | None) -> State | None:
    """Return the state where a condition on the flags holds; None if it cannot hold."""
    flags = state.flags
    if flags is None or condition is None or (condition in UNSIGNED and not flags.carries):
        return state
    left = refined(condition, flags.left, flags.right)
    if left is None:
        return None
    right = flags.right
    if flags.place is not None:
        state = state.set(flags.place, left)
    if flags.result is not None:
        state = state.set(flags.result, difference(left, right))
    return state._replace(flags=flags._replace(left=left))


After = list[tuple[int, State]]


def is_zero(found: Decoded) -> bool:
    """Whether an instruction is a zero however its register is set, as the difference of it and itself."""
    name, operands = found.form.mnemonic, found.operands
    return name in ("xor", "sub", "eor") and len(operands) >= 2 and operands[-1] == operands[-2]


class Machine(ABC):
    """What instructions do to a state. Subclasses read the operands of an architecture."""

    points_to_stack = False
    """Whether the code makes pointers to its stack."""
    pushed = 0
    """The bytes that a call puts on the stack."""

    def after(self, found: Decoded, at: int, arch: str, state: State) -> After:
        """Return the offsets at which execution may go on, each with the state there."""
        name, known = found.form.mnemonic, ways_of(found, at, arch)
        if name in ("call", "bl", "blr"):
            return [
                (known[0], State({}, state.stack, None, state.numbers)),
                *((goes, self._called(state)) for goes in known[1:]),
            ]
        if len(known) == 2 or name.startswith(("b.", "cb", "tb")):
            return self.branch(found, state, known)
        after = self.followed(found, state, self.step(found, state, at))
        return [(goes, after) for goes in known]

    def _called(self, state: State) -> State:
        """Return the state at the entry of code that is called, with words by their distance from there."""
        if state.stack is None:
            return self.lost_stack(state)._replace(stack=0, flags=None)
        below = state.stack - self.pushed
        held = {(file, at - below * (file == "s")): found for (file, at), found in state.held.items()}
        numbers = frozenset((file, at - below * (file == "s")) for file, at in state.numbers)
        return State(held, 0, None, numbers)

    def lost_stack(self, state: State, at: int | None = None) -> State:
        """Return the state after the stack pointer became something that is not followed: an aligned one, for example.
        Words from there on are a frame of their own, if `at` is the offset of the instruction that made it."""
        held = {place: each for place, each in state.held.items() if place[0] == "r"}
        frame = None if at is None else FRAMES - at * FRAME
        return State(held, frame, None, somewhere(state.numbers))

    @abstractmethod
    def read(self, found: Decoded, state: State) -> list[tuple[Place, int]]:
        """Return the places that an instruction reads, each with the number of bits."""

    @abstractmethod
    def written(self, found: Decoded, state: State) -> list[Place]:
        """Return the places that an instruction writes as a whole."""

    def is_narrow(self, found: Decoded, state: State) -> bool:
        """Whether an instruction reads fewer bits of what depends on a number than that may have. Bits that a constant
        selects are all that is asked for."""
        name, last = found.form.mnemonic, found.operands[-1] if found.operands else None
        if is_zero(found) or name in ("tbz", "tbnz") or (name in ("test", "and", "tst") and isinstance(last, int)):
            return False
        return any(
            place in state.numbers and not 0 <= state.at(place)[0] <= state.at(place)[1] < 1 << bits
            for place, bits in self.read(found, state)
            if bits < 8 * WORD
        )

    def followed(self, found: Decoded, state: State, after: State) -> State:
        """Return the state after an instruction with the places that depend on numbers there."""
        written = frozenset(self.written(found, state))
        lost = SOMEWHERE in state.numbers
        depends = any(
            place in state.numbers or (lost and place[0] == "s" and place not in state.held)
            for place, _ in self.read(found, state)
        ) and not is_zero(found)
        numbers = state.numbers | written if depends else state.numbers - (written - {SOMEWHERE, ELSEWHERE})
        return after if numbers == after.numbers else after._replace(numbers=numbers)

    @abstractmethod
    def is_pointer_to_stack(self, found: Decoded) -> bool:
        """Whether an instruction writes a pointer to the stack into another register."""

    def elsewhere(self, state: State) -> State:
        """Return the state after a number was stored through a pointer other than the stack pointer."""
        held = (
            state.held
            if not self.points_to_stack
            else {place: found for place, found in state.held.items() if place[0] == "r" or place[1] >= 0}
        )
        return state._replace(held=held)

    @abstractmethod
    def branch(self, found: Decoded, state: State, known: list[int]) -> After:
        """Return what follows a conditional branch: behind it, and at its target."""

    @abstractmethod
    def step(self, found: Decoded, state: State, at: int) -> State:
        """Return the state after an instruction that is no branch."""

    def chosen(self, state: State, condition: str | int, found: Decoded) -> list[int]:
        """Return what an instruction may choose by a condition on the flags, or leave of what it shifts."""
        if condition == LEFT:
            ((place, _), *_), by = self.read(found, state), found.operands[-1]
            return [HELD] if isinstance(by, int) and shifted(state.at(place), by)[1] > 0 else [FAILED]
        name = CONDITIONS.get(NAMES_A64[condition] if isinstance(condition, int) else condition)
        pairs = ((FAILED, _branched(state, OPPOSITE.get(name or ""))), (HELD, _branched(state, name)))
        return [way for way, after in pairs if after is not None]

    def both(self, state: State, condition: str | None, known: list[int]) -> After:
        """Return what follows a branch on the flags."""
        away = OPPOSITE.get(condition or "")
        pairs = ((known[0], _branched(state, away)), (known[1], _branched(state, condition)))
        return [(goes, after) for goes, after in pairs if after is not None]

    def computed(
        self, state: State, to: Place | None, found: Interval, compared: tuple[Any, ...] | None, carries: bool = True
    ) -> State:
        """Return the state after `to` was written. `compared` holds the intervals and the place that set the flags."""
        after = state.set(to, found)
        if compared is None:
            return after
        left, right, place = compared
        return after._replace(flags=Compared(left, right, None if place == to else place, to, carries))
