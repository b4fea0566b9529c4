"""Conditions and loops as scopes of Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..errors import EncodeError
from ..operands import Label
from ..records import NamedTuple
from .recorder import Recording


class LoopLabels(NamedTuple):
    """The labels of a loop: `next` begins the next turn, behind `end` the code goes on."""

    next: Label
    end: Label


class Structured(Recording):
    """The part that jumps for conditions and loops."""

    def _jump(self, label: Label, condition: object = None) -> None:
        """Append a jump, if a condition holds."""
        raise NotImplementedError

    def _opposite(self, condition: object) -> object:
        """Return the condition that holds where this one does not. EncodeError if it is none."""
        raise NotImplementedError

    # Control

    @contextmanager
    def if_(self, condition: object, *compared: object) -> Iterator[None]:
        """Execute the body if a condition holds: of the flags, or of two operands, which are compared first.

        with f.if_("b", i, n):          # x86-64: unsigned i < n
        with f.if_(LO, i, n):           # AArch64
        """
        behind = self._label()
        opposite = self._opposite(condition)
        self._compare(compared)
        self._jump(behind, opposite)
        yield
        self._flush()
        self._else = behind

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Execute the body where the one of the `if_` before, which ends here, is not executed."""
        before, self._else = self._else, None
        if before is None:
            raise EncodeError("else_: stands directly behind the body of an if_")
        behind = self._label()
        self._jump(behind)
        self.bind(before)
        yield
        self.bind(behind)

    @contextmanager
    def while_(self, condition: object = None, *compared: object) -> Iterator[LoopLabels]:
        """Execute the body again and again while a condition of two operands holds, which are compared before each
        turn; without a condition, until a jump leaves it. A jump to `loop.next` ends a turn, one to `loop.end` the
        loop.

            with f.while_("b", i, n) as loop:
        """
        if condition is not None and len(compared) != 2:
            raise EncodeError("while_: takes a condition and the two operands that are compared before each turn")
        loop = LoopLabels(self._label(), self._label())
        if condition is not None:
            opposite = self._opposite(condition)
            self._compare(compared)
            self._jump(loop.end, opposite)
        top = self.here()
        yield loop
        self.bind(loop.next)
        if condition is not None:
            self._compare(compared)
        self._jump(top, condition)
        self.bind(loop.end)

    def _compare(self, compared: Sequence[object]) -> None:
        if len(compared) not in (0, 2):
            raise EncodeError(f"{len(compared)} operands: a condition compares two, or takes the flags as they are")
        if compared:
            self.cmp(*compared)
