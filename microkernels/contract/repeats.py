"""Parts of kernels that are emitted once and appended again when the same part is requested in the same machine state.

The instructions of a part depend on the request and on the free registers and stack words. If both are equal, the
instructions are the same. They are kept as a piece (pieces.py), together with the state in which the verbs left the
machine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

from ...encoder.asm import Assembler
from ...encoder.forks import MAKING
from ...encoder.operands import Label, Unique
from ...encoder.records import cached_property
from .pieces import RecordedCode, Reusable, appended, recording, reusable
from .vector_verbs import Slot

_KEPT = 256
"""The most pieces that are kept. Each has some hundred instructions; four or five attention kernels need this many."""
_OF_THE_KERNEL = frozenset({"asm", "target", "facts", "_holders", "_elsewhere", "_comparison", "_body", "_reclaimed"})
"""Attributes of a machine that no verb inside a kernel depends on: identity, remarks, the kernel's two ends, and what
was computed from other attributes."""


class _Repeat:
    """A piece that was kept, and the state in which the verbs left the machine."""

    def __init__(self, piece: RecordedCode, state: dict[str, Any], held: Any) -> None:
        # held: objects that the key names by identity, kept alive here
        self.piece, self.state, self.held = piece, state, held

    @cached_property
    def ready(self) -> Reusable | None:
        """The piece prepared for appending, or None. It is prepared on first use."""
        return reusable(self.piece)


class _State:
    """The attributes of a machine between two parts, as plain values. Equal states of equal machines are one object,
    so that pieces are found by its identity."""

    __slots__ = ("kind", "target", "values", "live", "orders", "__weakref__")

    def __init__(self, m: Any, values: dict[str, tuple[Any, Any]]) -> None:
        self.kind, self.target, self.values = type(m), m.target, values
        self.live = {name: each if kind is None else kind(each) for name, (kind, each) in values.items()}
        self.orders = [(name, list(each)) for name, each in self.live.items() if type(each) is dict]

    def is_of(self, m: Any, own: dict[str, Any]) -> bool:
        """Whether a machine with these attributes is in this state. Equal dicts may still differ in their order."""
        same = self.live == own and self.kind is type(m) and self.target is m.target
        return same and all(list(own[name]) == order for name, order in self.orders)


_kept: OrderedDict[tuple[_State, Hashable], _Repeat] = OrderedDict()
_states: WeakValueDictionary[Any, _State] = WeakValueDictionary()
_recent: tuple[_State, ...] = ()
_RECENT = 8
"""The number of states that are compared first. A kernel has two or three between its parts."""


def repeated(m: Any, key: Hashable, held: Any, emit: Callable[[], None]) -> None:
    """Append the code of `emit`, from a kept piece if there is one. held: objects that the key names by identity."""
    before = _state(m) if isinstance(m.asm, Assembler) else None
    if before is None:
        emit()
        return
    part = before, key
    found = _kept.get(part)
    if found is not None and found.ready is not None:
        with MAKING, suppress(KeyError):  # another thread may have dropped it meanwhile
            _kept.move_to_end(part)
        appended(m.asm, found.ready)
        for name, (kind, values) in found.state.items():
            setattr(m, name, values if kind is None else kind(values))
        return
    with recording(m.asm) as taken:
        emit()
        after, piece = _values(_own(m)), taken()
    if after is None or piece is None:
        return
    with MAKING:
        state = {name: value for name, value in after.items() if before.values.get(name) != value}
        _kept[part] = _Repeat(piece, state, held)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)


def _state(m: Any) -> _State | None:
    """Return the machine's state. None if an attribute contains an object that belongs to this kernel."""
    global _recent
    own = _own(m)
    for each in _recent:
        if each.is_of(m, own):
            return each
    values = _values(own)
    if values is None:
        return None
    found = _states.setdefault((type(m), m.target, *values.items()), _State(m, values))
    _recent = (found, *_recent[: _RECENT - 1])
    return found


def _own(m: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(m).items() if name not in _OF_THE_KERNEL}


def _values(own: dict[str, Any]) -> dict[str, tuple[Any, Any]] | None:
    """Return attributes as pairs of a type and its values, which can be compared and restored. None if one of them
    contains an object that belongs to this kernel."""
    made: dict[str, tuple[Any, Any]] = {}
    for name, value in own.items():
        kind = type(value)
        if kind in _simple:
            made[name] = None, value
        elif kind in (list, set, dict):
            values = tuple(value.items()) if kind is dict else tuple(value if kind is list else sorted(value))
            if not _simple.issuperset(map(type, values)) and not all(map(_plain, values)):
                return None
            made[name] = kind, values
        elif _plain(value):
            made[name] = None, value
        else:
            return None
    return made


_PLAIN = frozenset({int, str, bool, bytes, float, type(None), Slot})


_simple = set(_PLAIN)
"""These types, and the types of registers that were met."""


def _plain(value: Any) -> bool:
    """Whether a value means the same in all kernels: a number, name, register, stack word, or a tuple of these."""
    kind = type(value)
    if kind in _simple:
        return True
    if kind is tuple:
        return _simple.issuperset(map(type, value)) or all(map(_plain, value))
    if isinstance(value, Unique) and kind is not Label:
        _simple.add(kind)
        return True
    return False
