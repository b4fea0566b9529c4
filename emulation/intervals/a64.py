"""What AArch64 instructions do to the state of the analysis of intervals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...encoder.a64.abi import ARGUMENTS
from ...encoder.decode import Decoded
from .machine import After, Machine
from .states import (
    ANYTHING,
    CONDITIONS,
    ELSEWHERE,
    SOMEWHERE,
    WORD,
    Compared,
    Interval,
    Place,
    State,
    difference,
    hull,
    masked,
    product,
    shifted,
    single,
    span,
    total,
    without,
)


class A64(Machine):
    def is_pointer_to_stack(self, found: Decoded) -> bool:
        kinds = [getattr(each, "kind", "") for each in found.operands]
        return "sp" in kinds[1:] and kinds[0] != "sp"

    def _words(self, found: Decoded, state: State) -> list[Place]:
        """Return the words of the stack that an instruction loads or stores."""
        (mem,) = [each for each in found.operands if type(each).__name__ == "Mem"]
        if mem.base.kind != "sp":
            general = self.points_to_stack and self._registers(found.operands[:-1])
            return [ELSEWHERE] if general else []
        if state.stack is None or not isinstance(mem.offset, int):
            return [SOMEWHERE]
        at = state.stack + (0 if mem.mode == "," else mem.offset)
        return [("s", at + WORD * number) for number in range(len(found.operands) - 1)]

    def _registers(self, operands: Iterable[object]) -> list[tuple[Place, int]]:
        inside = [getattr(each, "reg", each) for each in operands]
        kinds = [(each, getattr(each, "kind", "")) for each in inside]
        given = [(each, kind) for each, kind in kinds if kind in ("x", "w")]
        return [(("r", getattr(each, "num")), 64 if kind == "x" else 32) for each, kind in given]  # noqa: B009

    def read(self, found: Decoded, state: State) -> list[tuple[Place, int]]:
        name, operands = found.form.mnemonic, found.operands
        if any(type(each).__name__ == "Mem" for each in operands):
            if name.startswith("st"):
                return self._registers(operands)
            narrow = name not in ("ldr", "ldp", "ldur") or any(kind == 32 for _, kind in self._registers(operands))
            return [(place, 32 if narrow else 64) for place in self._words(found, state)]
        own = name in (*_READS_FIRST, "movk", "bfi", "bfxil", "bfm") or name.startswith(("cb", "tb", "ccm"))
        read = self._registers(operands if own else operands[1:])
        to_the_left = name == "ubfm" and operands[3] + 1 == operands[2]
        return [(place, 32) for place, _ in read] if name in _FIELDS and not to_the_left else read

    def written(self, found: Decoded, state: State) -> list[Place]:
        name, operands = found.form.mnemonic, found.operands
        if any(type(each).__name__ == "Mem" for each in operands):
            if name.startswith("st"):
                return self._words(found, state)
            return [place for place, _ in self._registers(operands[:-1])]
        if name in _READS_FIRST or name.startswith(("b", "cb", "tb", "ccm")) and name not in ("bfi", "bfxil", "bic"):
            return []
        return [place for place, _ in self._registers(operands[:1])]

    def argument(self, position: int) -> Place:
        count = len(ARGUMENTS)
        return ("r", position) if position < count else ("s", 8 * (position - count))

    def branch(self, found: Decoded, state: State, known: list[int]) -> After:
        name = found.form.mnemonic
        if name in ("cbz", "cbnz"):
            place = self._place(found.operands[0])
            asked = state._replace(flags=Compared(state.at(place), single(0), place, None) if place else None)
            return self.both(asked, "eq" if name == "cbz" else "ne", known)
        if name.startswith("b."):
            return self.both(state, CONDITIONS.get(name[2:], "ne" if name[2:] == "ne" else None), known)
        return [(goes, state) for goes in known]

    def _place(self, operand: Any) -> Place | None:
        return ("r", operand.num) if getattr(operand, "kind", "") == "x" else None

    def _read(self, operand: Any, state: State) -> Interval:
        if isinstance(operand, int):
            return single(operand)
        kind = getattr(operand, "kind", "")
        if kind == "xzr":
            return single(0)
        if kind == _TO_THE_LEFT:
            return product(state.at(("r", operand.num)), single(1 << operand.amount))
        return state.at(self._place(operand))

    def step(self, found: Decoded, state: State, at: int) -> State:
        name, operands = found.form.mnemonic, found.operands
        kinds = [getattr(each, "kind", "") for each in operands]
        memory = [each for each in operands if type(each).__name__ == "Mem"]
        if memory:
            return self._access(name, operands, kinds, memory[0], state)
        if kinds and kinds[0] in ("sp", "wsp"):
            by = operands[2] if name in ("add", "sub") and kinds[1] == "sp" and isinstance(operands[2], int) else None
            if by is None or state.stack is None:
                return self.lost_stack(state, at)
            return state._replace(stack=state.stack + (by if name == "add" else -by))
        if (
            kinds
            and kinds[0] in ("x", "xzr")
            and name in _ARITHMETIC
            and all(isinstance(each, int) or kind in ("x", "xzr", _TO_THE_LEFT) for each, kind in zip(operands, kinds))
        ):
            return self._arithmetic(name, operands, state)
        if name == "mrs" and str(operands[1]) == "tpidr2_el0":
            return state.set(self._place(operands[0]), single(0))
        if name == "csel" and kinds[0] == "x":
            one, other = (self._read(each, state) for each in operands[1:3])
            return state.set(self._place(operands[0]), hull(one, other))
        for operand, kind in zip(operands, kinds):
            if kind in ("x", "w"):
                half = kind == "w" and operand is operands[0]
                state = state.set(("r", operand.num), span(0, (1 << 32) - 1) if half else ANYTHING)
        return state._replace(flags=None) if _sets_flags(found.form) else state

    def _access(self, name: str, operands: tuple[Any, ...], kinds: list[str], mem: Any, state: State) -> State:
        """Return the state after a load or a store, of words of the stack if the base is the stack pointer."""
        stack, fixed = mem.base.kind == "sp", isinstance(mem.offset, int)
        at = None
        if stack and fixed and state.stack is not None:
            at = state.stack + (0 if mem.mode == "," else mem.offset)
        if name.startswith(_STORES):
            state = self._stored_over(state, kinds, at, stack)
        for number, (operand, kind) in enumerate(zip(operands, kinds)):
            place = ("s", at + 8 * number) if at is not None and kind in ("x", "xzr") else None
            if name in ("str", "stp", "stur"):
                state = state.set(place, self._read(operand, state)) if kind in ("x", "xzr", "w") else state
            elif kind in ("x", "w"):
                whole = kind == "x" and name in ("ldr", "ldp", "ldur")
                state = state.set(("r", operand.num), state.at(place) if whole else ANYTHING)
        if not mem.mode:
            return state
        if not stack:
            return state.set(self._place(mem.base), ANYTHING)
        moved = state.stack + mem.offset if state.stack is not None and fixed else None
        held = state.held if moved is not None else {place: e for place, e in state.held.items() if place[0] == "r"}
        return state._replace(held=held, stack=moved)

    def _stored_over(self, state: State, kinds: list[str], at: int | None, stack: bool) -> State:
        """Return the state without the words that a store overlaps, before what it stores is noted."""
        given = [each for each in kinds if not each.startswith("[")]
        if not stack:
            return self.elsewhere(state) if all(each in _GENERAL for each in given) else state
        if at is None or any(each not in _BYTES for each in given):
            return state._replace(held={place: each for place, each in state.held.items() if place[0] == "r"})
        return state._replace(held=without(state.held, at, at + sum(_BYTES[each] for each in given)))

    def _arithmetic(self, name: str, operands: tuple[Any, ...], state: State) -> State:
        to, given = self._place(operands[0]), [self._read(each, state) for each in operands[1:]]
        if name == "mov":
            return state.set(to, given[0])
        if name == "movz":
            return state.set(to, single(operands[1] << (operands[2] if len(operands) > 2 else 0)))
        if name in ("sub", "subs"):
            flags = (given[0], given[1], self._place(operands[1])) if name == "subs" else None
            return self.computed(state, to, difference(*given[:2]), flags)
        if name == "cmp":
            first = self._read(operands[0], state)
            return self.computed(state, None, ANYTHING, (first, given[0], to))
        if name in ("add", "adds"):
            after = state.set(to, total(*given[:2]))
            return after._replace(flags=None) if name == "adds" else after
        if name == "madd":
            return state.set(to, total(product(given[0], given[1]), given[2]))
        if name == "mul":
            return state.set(to, product(*given))
        if name == "and":
            return state.set(to, masked(*given))
        return state.set(to, shifted(given[0], given[1][0]) if given[1][0] == given[1][1] >= 0 else ANYTHING)


_ARITHMETIC = ("mov", "movz", "sub", "subs", "cmp", "add", "adds", "madd", "mul", "and", "lsr")
_TO_THE_LEFT = "x lsl"
_READS_FIRST = ("cmp", "cmn", "tst")
_FIELDS = ("ubfx", "sbfx", "ubfiz", "sbfiz", "bfxil", "bfi", "ubfm", "sbfm", "bfm")
"""Instructions that read some bits of a register, which count as the lower half."""
_STORES = ("st", "swp", "cas", "ldadd", "ldclr", "ldeor", "ldset", "ldsm", "ldum")
_GENERAL = ("x", "xzr", "w", "wzr")
_BYTES = {"x": 8, "xzr": 8, "w": 4, "wzr": 4, "d": 8, "s": 4, "h": 2, "b": 1, "q": 16}


def _sets_flags(form: object) -> bool:
    """Whether an instruction writes the flags."""
    effects: str = getattr(form, "row").effects  # noqa: B009
    return any(part[:2] in ("w:", "x:") and "nzcv" in part for part in effects.split())
