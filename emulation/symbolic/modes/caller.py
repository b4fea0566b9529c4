"""Execute code for every floating-point mode that a caller may have: MXCSR on x86-64, FPCR and FPSR on AArch64.

    caller = Caller("x86")
    while caller.next():
        done = execute(code, target, integers, regions, symbolic, caller=caller)
    caller.paths                the ways through the code, and for which modes each is taken

No bit of the register is known, the sticky flags included. An integer computed from it is a `ControlWord`, an
expression of the register. If a branch or an address depends on one, the execution goes on as for one mode, and the
path remembers the condition. So one execution stands for all modes for which the conditions of its path have the same
outcomes, and `next` chooses a mode that no path covers yet, until there is none (cases.py).

An instruction that follows the mode settles it: the bits that control instructions become known, which divides the
modes unless the code has already told them apart. If one of the exceptions could trap, the instruction is refused.
Which sticky flags it raises is left open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....encoder.a64 import control as fpcr
from ....encoder.records import NamedTuple
from ....encoder.x86 import control as mxcsr
from ...core.closures import Run
from ...core.faults import CannotRun
from ...numerics.rounding import Environment
from ..values import UNDEFINED, Table, Undecided, place
from ..words import Word
from . import cases

_NODE_BYTES = 8
_ALL = (1 << 64) - 1


class Register(NamedTuple):
    """A control register.

    bits      how many of its bits a caller may set
    control   those that control instructions
    usual     its value as programs start
    follows   whether an instruction follows it
    flags     the sticky flags of exceptions, if it holds them
    """

    name: str
    bits: int
    control: int
    usual: int
    follows: Callable[[str], bool]
    flags: int


REGISTERS = {
    "x86": Register("MXCSR", 16, mxcsr.CONTROL, mxcsr.USUAL, mxcsr.follows, mxcsr.FLAGS),
    "a64": Register("FPCR", 32, 0xFFFF_FFFF, fpcr.USUAL, fpcr.follows, 0),
}
MOST_WAYS = 24
"""The most ways through the code that are executed."""


class Caller:
    """A caller of which the floating-point mode is not known, over one execution or several."""

    def __init__(self, arch: str, usual: bool = False) -> None:
        """usual: the mode is known to be that which programs start with."""
        self.register, self.usual = REGISTERS[arch], usual
        self.paths: list[cases.Path] = []
        self.mode = self.register.usual
        self._path: dict[cases.Expression, int] = {}
        self._nodes: dict[int, cases.Expression] = {}
        self._words: dict[cases.Expression, int] = {}
        self._open = 0

    @property
    def text(self) -> str:
        """The mode that the execution stands for."""
        return f"{self.register.name} {self.mode:#x}"

    def next(self) -> bool:
        """Choose a mode that no path covers, and begin another execution. Return False if there is none.

        Raises Undecided if there are too many ways or cases.
        """
        try:
            found = cases.outside(tuple(self.paths), self.register.bits) if self.paths else self.register.usual
        except cases.TooManyCases:
            found = -1
        if found == -1 or (found is not None and len(self.paths) >= MOST_WAYS):
            raise Undecided(f"the code tells more than {MOST_WAYS} kinds of values of {self.register.name} apart")
        self._path, self._open = {}, 0
        if found is not None:
            self.mode = found
        return found is not None

    def ends(self) -> None:
        """End an execution: its path covers the modes for which it would be the same."""
        self.paths.append(tuple(self._path.items()))

    def begin(self, process: Any, table: Table) -> None:
        """Make the register of a process unknown at its entry."""
        table.held = self.held
        self._table = table
        if self.usual:
            return
        word = ControlWord(cases.register(self.register.bits), self)
        process.receive(word, self._unsettled(0xFFFF_FFFF))

    def _unsettled(self, mask: int) -> ControlWord:
        self._open += 1
        return ControlWord(cases.unsettled(self._open, mask), self)

    def outcome(self, expression: cases.Expression) -> int | None:
        """Return the value of an expression for the mode, or None if the mode does not decide it."""
        return cases.outcome(expression, cases.Cube(_ALL, self.mode))

    def decide(self, expression: cases.Expression) -> bool:
        """Return whether a condition holds, and remember it."""
        known = self.outcome(expression)
        if known is None:
            raise Undecided("exception flags that instructions raise decide on a path, an address or a result")
        if cases.outcome(expression, cases.ANY) is None:
            self._path[expression] = known
        return bool(known)

    # As bytes

    def bytes_of(self, expression: cases.Expression, size: int) -> list[int]:
        """Return the bytes of an expression, as memory and vector registers hold them."""
        if size > _NODE_BYTES:  # of a pair of registers
            low, high = cases.operation("and", expression, _ALL), cases.shifted(expression, -8 * _NODE_BYTES)
            return [*self.bytes_of(low, _NODE_BYTES), *self.bytes_of(high, size - _NODE_BYTES)]
        known, value = cases.bits_of(expression, cases.ANY)
        if isinstance(expression, int) or known & _ALL == _ALL:
            return [-1 - (value >> 8 * at & 0xFF) for at in range(size)]
        node = self._words.get(expression)
        if node is None:
            node = int(self._table.inputs("control register", 1, _NODE_BYTES, UNDEFINED)[0])
            self._words[expression], self._nodes[node] = node, expression
        data = self._table.split(node, _NODE_BYTES)
        return [-1 - (value >> 8 * at & 0xFF) if known >> 8 * at & 0xFF == 0xFF else data[at] for at in range(size)]

    def held(self, data: tuple[int, ...]) -> Any:
        """Return bytes as a general register holds them: a `ControlWord` if they are those of one."""
        constant = 0
        parts: dict[tuple[cases.Expression, int], int] = {}
        for at, byte in enumerate(data):
            if byte < 0:
                constant |= -1 - byte << 8 * at
                continue
            node, which = place(byte)
            if node not in self._nodes:
                return Word(data, self._table)
            moved = self._nodes[node], 8 * (at - which)
            parts[moved] = parts.get(moved, 0) | 0xFF << 8 * which
        total: cases.Expression = constant
        for (expression, by), mask in parts.items():
            total = cases.operation("or", total, cases.shifted(cases.conjunction(expression, mask), by))
        return total if isinstance(total, int) else ControlWord(total, self)


class ControlWord(Word):
    """An integer computed from a caller's control register. Whatever needs its value decides on the path."""

    __slots__ = ("expression", "caller")
    late = True
    """Flags of such integers are found when they are read."""

    def __init__(self, expression: cases.Expression, caller: Caller) -> None:
        self.expression, self.caller, self.table = expression, caller, caller._table

    @property
    def data(self) -> tuple[int, ...]:  # type: ignore[override]
        """The bytes."""
        return tuple(self.bytes(_NODE_BYTES))

    def bytes(self, size: int) -> list[int]:
        """Return the lowest bytes."""
        return self.caller.bytes_of(self.expression, size)

    def _of(self, expression: Any) -> Any:
        return expression if isinstance(expression, int) else ControlWord(expression, self.caller)

    def _with(self, name: str, other: Any, swapped: bool = False) -> Any:
        if isinstance(other, ControlWord):
            other = other.expression
        elif not isinstance(other, int):
            return NotImplemented
        pair = (other, self.expression) if swapped else (self.expression, other)
        return self._of(cases.operation(name, *pair))

    def __and__(self, other: Any) -> Any:
        return self._with("and", other)

    def __or__(self, other: Any) -> Any:
        return self._with("or", other)

    def __xor__(self, other: Any) -> Any:
        return self._with("xor", other)

    def __add__(self, other: Any) -> Any:
        return self._with("add", other)

    def __sub__(self, other: Any) -> Any:
        return self._with("subtract", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("subtract", other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with("multiply", other)

    __rand__, __ror__, __rxor__, __radd__, __rmul__ = __and__, __or__, __xor__, __add__, __mul__

    def __invert__(self) -> Any:
        return self._with("xor", -1)

    def __neg__(self) -> Any:
        return self._with("subtract", 0, swapped=True)

    def __lshift__(self, by: Any) -> Any:
        return self._of(cases.shifted(self.expression, int(by)))

    def __rshift__(self, by: Any) -> Any:
        return self._of(cases.shifted(self.expression, -int(by)))

    def is_even(self) -> bool:
        """The parity flag of the lowest byte."""
        return self.caller.decide(("even", self.expression))

    # Decisions

    def _compared(self, name: str, other: Any, swapped: bool = False, wanted: bool = True) -> bool:
        if isinstance(other, ControlWord):
            other = other.expression
        elif not isinstance(other, int):
            raise Undecided("data in a general register is compared with a control register")
        pair = (other, self.expression) if swapped else (self.expression, other)
        if pair[0] == pair[1]:
            return (name == "equal") == wanted
        return self.caller.decide((name, *pair)) == wanted

    def __eq__(self, other: Any) -> Any:
        return self is other or self._compared("equal", other)

    def __ne__(self, other: Any) -> Any:
        return self is not other and self._compared("equal", other, wanted=False)

    def __lt__(self, other: Any) -> Any:
        return self._compared("less", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared("less", other, wanted=False)

    def __gt__(self, other: Any) -> Any:
        return self._compared("less", other, swapped=True)

    def __le__(self, other: Any) -> Any:
        return self._compared("less", other, swapped=True, wanted=False)

    def __bool__(self) -> bool:
        return self._compared("equal", 0, wanted=False)

    def may_be(self) -> bool:
        """Whether the integer is not zero, or flags that instructions raise decide on it."""
        return self.caller.outcome(self.expression) is None or bool(self)

    def __int__(self) -> int:
        known = self.caller.outcome(self.expression)
        if known is None or not self.caller.decide(("equal", self.expression, known)):
            raise Undecided("exception flags that instructions raise decide on an address or a count")
        return known

    __index__ = __int__
    __hash__ = object.__hash__

    def __format__(self, spec: str) -> str:
        known = self.caller.outcome(self.expression)
        return "unknown" if known is None else format(known, spec)

    def raised(self, flags: int) -> ControlWord:
        """Return the word after instructions that may have raised these flags."""
        held = self.expression
        if isinstance(held, tuple) and held[0] == "or" and isinstance(held[2], tuple) and held[2][0] == "unsettled":
            return ControlWord(held, self.caller)  # the flags that were raised before are among these
        return ControlWord(("or", held, self.caller._unsettled(flags).expression), self.caller)


# Instructions that follow the mode


def guarded(caller: Caller, process: Any, run: Run) -> Run:
    """Return an instruction that follows the mode as one that settles the mode before it executes."""
    state = process.state
    if caller.register.flags:

        def of_x86() -> int | None:
            if state.mxcsr is not process.settled:
                process.settled = _settle_x86(caller, state)
            return run()

        return of_x86

    def of_a64() -> int | None:
        if state.fpcr is not process.settled:
            process.settled = _settle_a64(caller, state)
        return run()

    return of_a64


def _settle_x86(caller: Caller, state: Any) -> Any:
    word = state.mxcsr
    value = int(word & mxcsr.CONTROL)
    if value & mxcsr.MASKS != mxcsr.MASKS:
        raise CannotRun(
            f"computes under MXCSR {value:#x}, which does not mask every exception, so that it may trap; a "
            "kernel computes under a mode of its own, with 0x1f80 set in it"
        )
    state.env = Environment.of_mxcsr(value)
    whole = word if isinstance(word, ControlWord) else ControlWord(word, caller)
    state.mxcsr = whole.raised(mxcsr.FLAGS)
    return state.mxcsr


def _settle_a64(caller: Caller, state: Any) -> Any:
    callers = isinstance(state.fpcr, ControlWord)
    value = int(state.fpcr)
    if value & fpcr.TRAPS:
        raise CannotRun(
            f"computes under FPCR {value:#x}, in which exceptions may trap; a kernel computes under a mode "
            "of its own, such as 0"
        )
    other = value & ~fpcr.ROUNDING
    if other and callers:
        raise CannotRun(
            f"computes under the caller's FPCR {value:#x}, of which the bits {other:#x} change arithmetic on "
            "processors that have them"
        )
    if other:
        raise Undecided(f"computes under FPCR {value:#x}, and the emulator has no arithmetic for its bits {other:#x}")
    state.env, state.half_env = Environment.of_fpcr(value), Environment.of_fpcr(value, half=True)
    return state.fpcr
