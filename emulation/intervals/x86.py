"""What x86-64 instructions do to the state of the analysis of intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...encoder.decode import Instruction
from ...encoder.x86.abi import ARGUMENTS
from ...encoder.x86.effects import FLAGS, implicit
from ...encoder.x86.registers import Mem, Reg
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
    masked,
    product,
    shifted,
    single,
    span,
    total,
    without,
)

_SP = 4


def _access(found: Instruction) -> str:
    """Return a letter for each operand: r, w, or another one if it is read and written. Empty: all are read."""
    letters: str = getattr(found.form, "access")  # noqa: B009
    return letters


class X86(Machine):
    pushed = WORD

    def is_pointer_to_stack(self, found: Instruction) -> bool:
        name, operands = found.form.mnemonic, found.operands
        given = operands if name == "push" else operands[1:]
        lea = name == "lea" and any(isinstance(each, Mem) and getattr(each.base, "num", -1) == _SP for each in operands)
        return lea or any(isinstance(each, Reg) and each.file == "r64" and each.num == _SP for each in given)

    def _word(self, operand: Mem, state: State) -> Place | None:
        """Return the word of the stack that an operand in memory is, None if it is no part of the stack."""
        if operand.rip or operand.base is None or operand.base.num != _SP:
            return None
        return self._place(operand, state) or SOMEWHERE

    def _is_elsewhere(self, found: Instruction, operand: Mem) -> bool:
        """Whether an operand may be a word of the stack by another pointer than the stack pointer, in an instruction on
        general registers."""
        others = [each for each in found.operands if isinstance(each, Reg)]
        named = operand.base is not None and operand.base.num != _SP and not operand.rip
        return self.points_to_stack and named and all(each.file.startswith("r") for each in others)

    def read(self, found: Instruction, state: State) -> list[tuple[Place, int]]:
        places: list[tuple[Place, int]] = []
        for operand, access in zip(found.operands, _access(found) or "r" * len(found.operands)):
            if isinstance(operand, Reg) and operand.file in _BITS and (access != "w" or _BITS[operand.file] < 32):
                places.append((("r", operand.num), 64 if access == "w" else _BITS[operand.file]))
            elif isinstance(operand, Mem):
                if found.form.mnemonic == "lea":
                    places += [(("r", each.num), 64) for each in (operand.base, operand.index) if each is not None]
                word = self._word(operand, state)
                if word is not None and access != "w":
                    places.append((word, operand.size or 64))
                elif access != "w" and self._is_elsewhere(found, operand):
                    places.append((ELSEWHERE, operand.size or 64))
        return places

    def written(self, found: Instruction, state: State) -> list[Place]:
        hidden = implicit(getattr(found, "form")).writes  # noqa: B009
        places: list[Place] = [("r", _HIDDEN[name]) for name in hidden if name in _HIDDEN]
        for operand, access in zip(found.operands, _access(found) or "r" * len(found.operands)):
            if isinstance(operand, Reg) and operand.file in _BITS and access != "r":
                places.append(("r", operand.num))
            elif isinstance(operand, Mem) and access != "r":
                word = self._word(operand, state)
                places += [word] if word is not None else [ELSEWHERE] if self._is_elsewhere(found, operand) else []
        if found.form.mnemonic == "push":
            places.append(SOMEWHERE if state.stack is None else ("s", state.stack - WORD))
        return places

    def argument(self, position: int) -> Place:
        if position < len(ARGUMENTS):
            return "r", ARGUMENTS[position].num
        return "s", 8 * (position - len(ARGUMENTS) + 1)

    def branch(self, found: Instruction, state: State, known: list[int]) -> After:
        name = found.form.mnemonic
        if name.startswith("loop"):
            return [(goes, state.set(("r", _HIDDEN["rcx"]), ANYTHING)) for goes in known]
        return self.both(state, CONDITIONS.get(name[1:]), known)

    def _place(self, operand: Any, state: State) -> Place | None:
        if isinstance(operand, Reg) and operand.file == "r64":
            return "r", operand.num
        stack = isinstance(operand, Mem) and operand.base is not None and operand.base.num == _SP
        if stack and operand.index is None and state.stack is not None and not operand.rip:
            return "s", state.stack + operand.disp
        return None

    def _read(self, operand: Any, state: State) -> Interval:
        return single(operand) if isinstance(operand, int) else state.at(self._place(operand, state))

    def step(self, found: Instruction, state: State, at: int) -> State:
        after = self._step(found, state, at)
        if not found.operands and found.form.mnemonic.startswith(("stos", "movs", "rep")):
            return self.elsewhere(after)
        to = found.operands[0] if found.operands else None
        if not isinstance(to, Mem) or _access(found)[:1] in ("", "r"):  # LDMXCSR is no store, for example
            return after
        if to.rip or to.base is None or to.base.num != _SP:
            vector = any(isinstance(each, Reg) and not each.file.startswith("r") for each in found.operands)
            return after if vector else self.elsewhere(after)
        exact = self._place(to, state)
        if exact is None:
            return after._replace(held={place: each for place, each in after.held.items() if place[0] == "r"})
        kept, size = after.held.get(exact), (getattr(to, "size", 0) or 512) // 8
        held = without(after.held, exact[1], exact[1] + size)
        return after._replace(held=held if kept is None else {**held, exact: kept})

    def _step(self, found: Instruction, state: State, at: int) -> State:
        name, operands = found.form.mnemonic, found.operands
        general = [each for each in operands if isinstance(each, Reg) and each.file.startswith("r")]
        if general and general[0] is operands[0] and general[0].num == _SP and name not in _READS_ONLY:
            return self._stack(name, operands, state, at)
        if name in ("push", "pop"):
            moved = None if state.stack is None else state.stack + (WORD if name == "pop" else -WORD)
            if name == "pop":
                return state.set(self._place(operands[0], state), ANYTHING)._replace(stack=moved)
            word = None if moved is None else ("s", moved)
            return state.set(word, self._read(operands[0], state))._replace(stack=moved)
        wide = all(each.file == "r64" for each in general)
        memory = [each for each in operands if isinstance(each, Mem)]
        words = general or (memory and getattr(memory[0], "size", 0) == 8 * WORD)
        if wide and operands and name in _ARITHMETIC and words and (name != "imul" or len(operands) > 1):
            return self._arithmetic(name, operands, state)
        if name == "xor" and len(general) == 2 and general[0] is general[1] and general[0].file in ("r32", "r64"):
            return state.set(("r", general[0].num), single(0))._replace(flags=None)
        if name == "mov" and general and general[0] is operands[0] and general[0].file == "r32":
            low = single(operands[1]) if isinstance(operands[1], int) else span(0, (1 << 32) - 1)
            return state.set(("r", general[0].num), low if low[0] >= 0 else ANYTHING)
        return self._forgotten(found, state)

    def _forgotten(self, found: Instruction, state: State) -> State:
        """Return the state after an instruction that may write anything to what it names."""
        effects = implicit(getattr(found, "form"))  # noqa: B009
        for operand in found.operands:
            if isinstance(operand, Reg) and operand.file.startswith("r"):
                half = operand.file == "r32" and operand is found.operands[0]
                state = state.set(("r", operand.num), span(0, (1 << 32) - 1) if half else ANYTHING)
            elif isinstance(operand, Mem):
                state = state.set(self._place(operand, state), ANYTHING)
        for hidden in effects.writes - {*FLAGS, "mxcsr", "xmm0"}:
            state = state.set(("r", _HIDDEN.get(hidden, -1)), ANYTHING)
        return state._replace(flags=None) if effects.writes & {*FLAGS} else state

    def _stack(self, name: str, operands: tuple[Any, ...], state: State, at: int) -> State:
        by = operands[1] if name in ("add", "sub") and isinstance(operands[1], int) else None
        if by is None or state.stack is None:
            return self.lost_stack(state, at)
        return state._replace(stack=state.stack + (by if name == "add" else -by), flags=None)

    def _arithmetic(self, name: str, operands: tuple[Any, ...], state: State) -> State:
        to, first = self._place(operands[0], state), self._read(operands[0], state)
        second = self._read(operands[1], state) if len(operands) > 1 else single(1)
        if name == "mov":
            return state.set(to, second)
        if name == "lea":
            mem = operands[1]
            plain = mem.base is not None and not mem.rip and mem.base.num != _SP
            base = self._read(mem.base, state) if plain else ANYTHING
            index = product(self._read(mem.index, state), single(mem.scale)) if mem.index is not None else single(0)
            return state.set(to, total(total(base, index), single(mem.disp)))
        if name == "imul":
            factors = (second, self._read(operands[2], state)) if len(operands) == 3 else (first, second)
            return state.set(to, product(*factors))._replace(flags=None)
        if name in ("sub", "dec", "cmp"):
            return self.computed(
                state,
                None if name == "cmp" else to,
                difference(first, second),
                (first, second, to),
                carries=name != "dec",
            )
        if name == "test":
            same = to is not None and to == self._place(operands[1], state)
            return state._replace(flags=Compared(first, single(0), to, None) if same else None)
        if name in ("add", "inc"):
            return state.set(to, total(first, second))._replace(flags=None)
        if name == "and":
            return state.set(to, masked(first, second))._replace(flags=None)
        return state.set(to, shifted(first, second[0]) if second[0] == second[1] else ANYTHING)._replace(flags=None)


_READS_ONLY = ("cmp", "test", "push")
_ARITHMETIC = ("mov", "lea", "imul", "sub", "dec", "cmp", "test", "add", "inc", "and", "shr")
_BITS = {"r64": 64, "r32": 32, "r16": 16, "r8": 8}
_HIDDEN = {"rax": 0, "rcx": 1, "rdx": 2, "rbx": 3, "rbp": 5, "rsi": 6, "rdi": 7}


_CONFIGURED, _ROWS = 48, 16
"""Where the rows of tiles lie in a configuration, a byte each, and how many tiles it has room for."""


def rows_of_tiles(decoded: Mapping[int, Instruction | None]) -> frozenset[int]:
    """Return the offsets of instructions that store a byte as the rows of a tile: into the configuration that LDTILECFG
    loads behind them, with no jump between, by the same register. LDTILECFG refuses more than 16 rows."""
    found: set[int] = set()
    for at, each in decoded.items():
        if each is None or each.form.mnemonic != "ldtilecfg" or each.operands[0].base is None:
            continue
        config, ends = each.operands[0], {at}
        before = [(offset, one) for offset, one in decoded.items() if offset < at and one is not None]
        for offset, one in sorted(before, key=lambda pair: -pair[0]):
            if offset + one.length not in ends or not _is_row(one, config):
                break
            ends = {offset}
            found.add(offset)
    return frozenset(found)


def _is_row(found: Instruction, config: Mem) -> bool:
    to = found.operands[0] if found.form.mnemonic == "mov" else None
    if not isinstance(to, Mem) or to.size != 8 or to.index is not None or config.index is not None:
        return False
    if to.base is None or config.base is None:
        return False
    return to.base.num == config.base.num and _CONFIGURED <= to.disp - config.disp < _CONFIGURED + _ROWS
