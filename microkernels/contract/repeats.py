"""Parts of kernels that are emitted once and appended again wherever the same is asked of a machine in the same state.

A part is emitted by verbs, which depend on the request and on the registers and stack words that are free. Where both
are equal, the instructions are the same: they were kept as a piece (encoder/pieces.py), and the machine is left in the
state in which the verbs left it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from ...encoder.asm import Assembler
from ...encoder.forks import MAKING
from ...encoder.operands import Label, Unique
from ...encoder.pieces import Piece, appended, recording
from ...encoder.records import NamedTuple
from .vector_verbs import Slot

_KEPT = 256
"""Pieces, each with some hundred instructions: those of four or five attention kernels."""
_OF_THE_KERNEL = frozenset({"asm", "target", "facts", "_holders", "_elsewhere", "_comparison", "_body"})
"""Attributes of a machine that no verb inside a kernel depends on: what it is, remarks, and the kernel's two ends."""


class _Repeat(NamedTuple):
    piece: Piece
    state: dict[str, Any]
    held: Any  # what keys name by identity, kept alive


_kept: OrderedDict[Hashable, _Repeat] = OrderedDict()


def repeated(m: Any, key: Hashable, held: Any, emit: Callable[[], None]) -> None:
    """Append what `emit` appends for this key. held: objects that the key names by their identity."""
    before = _state(m)
    if before is None or not isinstance(m.asm, Assembler):
        emit()
        return
    key = type(m), m.target, key, tuple(before.items())
    found = _kept.get(key)
    if found is not None:
        appended(m.asm, found.piece)
        for name, value in found.state.items():
            setattr(m, name, _thawed(value))
        return
    with recording(m.asm) as taken:
        emit()
        after, piece = _state(m), taken()
    if after is None or piece is None:
        return
    with MAKING:
        _kept[key] = _Repeat(piece, {name: value for name, value in after.items() if before.get(name) != value}, held)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)


def _state(m: Any) -> dict[str, Any] | None:
    """The attributes of a machine as values; None where one of them is an object of this kernel."""
    made = {name: _frozen(value) for name, value in vars(m).items() if name not in _OF_THE_KERNEL}
    return None if None in made.values() else made


class _Frozen(NamedTuple):
    kind: type
    values: tuple[Any, ...]


_PLAIN = (int, str, bool, bytes, float, type(None))


def _frozen(value: Any) -> _Frozen | None:
    """A value that can be compared, and made again; None for other objects."""
    kind = type(value)
    if kind in _PLAIN or kind is Slot or (isinstance(value, Unique) and kind is not Label):
        return _Frozen(object, (value,))
    if kind in (list, tuple):
        values = tuple(map(_frozen, value))
    elif kind is set:
        values = tuple(map(_frozen, sorted(value)))
    elif kind is dict:
        values = tuple(_frozen(item) for item in value.items())
    else:
        return None
    return None if None in values else _Frozen(kind, values)


def _thawed(frozen: _Frozen) -> Any:
    kind, values = frozen
    return values[0] if kind is object else kind(map(_thawed, values))
