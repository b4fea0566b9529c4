"""Parts of the extremum of a set S of floats, and the forms that an expression of such parts may have.

To prove what an expression is, its parts are replaced by variables, and the expression is compared with an
`ExtremumForm` of these variables.

On x86, the running extremum, the signs of all elements and the presence of a NaN are kept in separate registers
(microkernels/machines/x86/extrema.py). They are combined into an integer that is ordered like floats before lanes are
folded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np

from ....encoder.records import NamedTuple
from ..exact import OPERATIONS
from ..facts import NOTHING, Facts
from ..lanes import Lanes, lane
from ..primitives import applied
from ..values import Table


class PartKind(Enum):
    """What a part of an extremum is."""

    EXACT = "the extremum of S, NaN being one value"
    KEY = "its bits as an integer in the order of floats, NaN beyond all others"
    ORDERED = "the extremum of S if that has no NaN"
    NUMERIC = "the same but for the sign of a zero"
    MASK = "all bits set if an element of S is a NaN, else none"
    NAN = "a float that is a NaN if an element of S is one, and no other"
    LOST = "the condition that an element of S is a NaN"
    SOUND = "the condition that none is"
    SIGN = "what is negative if all elements of S are, for a minimum if one is: so is an extremum that is a zero"
    SIZE = "what is the extremum of S but for its sign: an element whose size is compared"


CONDITIONS = (PartKind.LOST, PartKind.SOUND)
_FLAGS = frozenset((*CONDITIONS, PartKind.MASK))
_ENDS = (PartKind.EXACT, PartKind.KEY, PartKind.SIZE)
_NUMBERS = {
    PartKind.ORDERED: (PartKind.EXACT, PartKind.SIZE, PartKind.ORDERED),
    PartKind.NUMERIC: (PartKind.EXACT, PartKind.SIZE, PartKind.ORDERED, PartKind.NUMERIC),
}
_TOLD = (PartKind.EXACT, PartKind.SIZE, PartKind.KEY, PartKind.MASK, PartKind.NAN, *CONDITIONS)
_WHOLE = (PartKind.EXACT, PartKind.SIZE, PartKind.KEY, PartKind.ORDERED, PartKind.NUMERIC, PartKind.NAN)
"""Kinds that are floats, or keys of floats, and are not NaN if no element is."""


class ExtremumPart(NamedTuple):
    """A part as a variable: its kinds, the variable, its number, and conditions for a NaN and for a negative number.

    Nothing is assumed about a variable except that a key is a valid key, and that a condition or mask has one of two
    values. For absmax, the number is the absolute value.
    """

    kinds: frozenset[PartKind]
    node: int
    value: int
    lost: int
    negative: int

    def first(self, wanted: Iterable[PartKind]) -> PartKind | None:
        """Return the first of these kinds that the part has, or None."""
        return next((kind for kind in wanted if kind in self.kinds), None)


class ExtremumForm(NamedTuple):
    """An expression of variables that has a certain kind.

    parts   the parts it uses, and as which kind; their sets together make up S, or each is S if `alike` is set
    facts   what holds if no element is a NaN, for kinds that only describe that case
    """

    parts: tuple[tuple[int, PartKind], ...]
    alike: bool
    node: int
    facts: Facts


class ExtremumForms:
    """Variables and forms. `name` is max, min or absmax; absmax compares the absolute values of elements."""

    def __init__(self, table: Table, name: str, dtype: np.dtype[Any]) -> None:
        self.table, self.name, self.dtype, self.size = table, name, dtype, dtype.itemsize
        self.unsigned, self.signed = (np.dtype(f"{kind}{dtype.itemsize}") for kind in "ui")

    # Variables

    def part(self, at: int, kinds: frozenset[PartKind]) -> ExtremumPart:
        """Return variable number `at` with these kinds."""
        if kinds & _FLAGS:
            leaf = Lanes(self.table.bytes_of(self._leaf(at, 1), 1), np.uint8, self.table)
            told = applied(_condition, [leaf])
            lost = ~told if PartKind.SOUND in kinds else told
            return ExtremumPart(kinds, _node(self._mask(told) if PartKind.MASK in kinds else told), -1, _node(lost), -1)
        leaf = Lanes(self.table.bytes_of(self._leaf(at, self.size), self.size), self.dtype, self.table)
        value = OPERATIONS["a64"]["abs"](leaf, None) if self.name == "absmax" else leaf
        node = self._key(value) if PartKind.KEY in kinds else leaf
        return ExtremumPart(kinds, _node(node), _node(value), _node(np.isnan(value)), _node(self._negative(leaf)))

    def _leaf(self, at: int, size: int) -> Any:
        return self.table.inputs(f"@{self.name}{at}", 1, size)

    # Comparisons

    def compared(self, kind: PartKind, node: int) -> int:
        """Return the aspect of a node in which a part and its form must be equal."""
        if kind is PartKind.NUMERIC:
            value, zero = self._lane(node), self.dtype.type(0)
            return _node(np.where(value == zero, zero, value))
        if kind is PartKind.NAN:
            return _node(np.isnan(self._lane(node)))
        return _node(self._joined_sign(node)) if kind is PartKind.SIGN and self.table.size(node) > 1 else node

    def _joined_sign(self, node: int) -> Any:
        """Return whether an AND or OR of variables is negative, as an AND or OR of conditions."""
        operation, args = self.table.parts(node)
        if operation is None or operation.name not in ("bitwise_and", "bitwise_or"):
            return self._negative(self._lane(node))
        return getattr(np, operation.name)(*[self._joined_sign(arg) for arg in args])

    # Forms

    def of(self, kind: PartKind, parts: Sequence[ExtremumPart]) -> Iterator[ExtremumForm]:
        """Yield all forms of these parts that have a kind."""
        if kind is PartKind.EXACT:
            yield from self._of_extrema(parts)
            yield from self._of_registers(parts)
        elif kind is PartKind.KEY:
            for form in self._of_extrema(parts):
                yield form._replace(node=_node(self._key(self._lane(form.node))))
            yield from self._of_registers(parts, keys=True)
            if all(PartKind.KEY in part.kinds for part in parts):
                yield from self._of_keys(parts)
        elif kind in _NUMBERS:
            yield from self._of_numbers(kind, parts)
        elif kind is PartKind.SIGN:
            if all(kind in part.kinds for part in parts):
                every = [self._lane(part.negative, np.dtype(bool)) for part in parts]
                zero: Any = reduce(_both if self.name == "max" else _either, every)
                yield ExtremumForm(tuple((at, kind) for at in range(len(parts))), False, _node(zero), NOTHING)
        else:
            yield from self._of_flags(kind, parts)

    def _of_extrema(self, parts: Sequence[ExtremumPart]) -> Iterator[ExtremumForm]:
        """Yield a single extremum (or the extremum of a single key), or the extremum of two extrema."""
        ends = [(at, kind) for at, part in enumerate(parts) if (kind := part.first(_ENDS)) is not None]
        if len(ends) == len(parts) == 1:
            yield ExtremumForm(tuple(ends), False, parts[0].value, NOTHING)
        if len(ends) == len(parts) == 2 and {kind for _, kind in ends} <= {PartKind.EXACT, PartKind.SIZE}:
            yield ExtremumForm(tuple(ends), False, self._extremum(parts), NOTHING)

    def _of_keys(self, parts: Sequence[ExtremumPart]) -> Iterator[ExtremumForm]:
        """Yield the extremum of two keys, or of a key and the smallest key, which is that of an infinity."""
        choose, infinity = (np.minimum, np.inf) if self.name == "min" else (np.maximum, -np.inf)
        least = self._in_order(np.array([0 if self.name == "absmax" else infinity], self.dtype))
        keys = [self._lane(part.node, self.signed) for part in parts] + ([least] if len(parts) == 1 else [])
        for pair in (keys, keys[::-1]) if len(keys) == 2 else ():
            yield ExtremumForm(
                tuple((at, PartKind.KEY) for at in range(len(parts))), False, _node(choose(*pair)), NOTHING
            )

    def _of_registers(self, parts: Sequence[ExtremumPart], keys: bool = False) -> Iterator[ExtremumForm]:
        """Yield the combination of a number, a NaN flag and, if the number leaves it open, the sign of a zero; or the
        key of these."""
        for chosen in self._roles(parts):
            (number, kind), (lost, _), *sign = chosen
            value: Any = self._lane(parts[number].node)
            if sign:
                top = self.unsigned.type(1 << 8 * self.size - 1)
                zero = self._lane(parts[sign[0][0]].node, self.unsigned) & top
                value = np.where(value == self.dtype.type(0), zero.view(self.dtype), value)
            missing = self._lane(parts[lost].lost, np.dtype(bool))
            nan = self._beyond if keys else self.dtype.type(np.nan)
            made = np.where(missing, nan, self._in_order(value) if keys else value)
            yield ExtremumForm(tuple(chosen), True, _node(made), NOTHING)

    def _roles(self, parts: Sequence[ExtremumPart]) -> Iterator[list[tuple[int, PartKind]]]:
        """Yield assignments of the parts to the roles of number, flag and sign, with none left over."""
        every = range(len(parts))
        for number in every:
            kind = parts[number].first((PartKind.ORDERED, PartKind.NUMERIC))
            signed = [((at, PartKind.SIGN),) for at in every if PartKind.SIGN in parts[at].kinds]
            signs: Any = [()] if kind is PartKind.ORDERED else signed
            for lost in every:
                flag = parts[lost].first((*_FLAGS, PartKind.NAN))
                for sign in signs:
                    if kind is None or flag is None:
                        break
                    if {number, lost, *(at for at, _ in sign)} == set(every):
                        yield [(number, kind), (lost, flag), *sign]

    def _of_numbers(self, kind: PartKind, parts: Sequence[ExtremumPart]) -> Iterator[ExtremumForm]:
        """Yield a single number, or the extremum of two, for the case that no element is a NaN."""
        told = [(at, own) for at, part in enumerate(parts) if (own := part.first(_NUMBERS[kind])) is not None]
        facts = self._without_nan(parts)
        for at, own in told:
            yield ExtremumForm(((at, own),), False, parts[at].value, facts)
            if own is not PartKind.SIZE:
                yield ExtremumForm(((at, own),), False, parts[at].node, facts)
        for pair in combinations(told, 2):
            yield ExtremumForm(pair, False, self._extremum([parts[at] for at, _ in pair]), facts)

    def _of_flags(self, kind: PartKind, parts: Sequence[ExtremumPart]) -> Iterator[ExtremumForm]:
        """Yield whether there is a NaN, as a condition, a mask or a float."""
        own = [(at, told) for at, part in enumerate(parts) if (told := part.first(_TOLD)) is not None]
        if len(own) == len(parts):
            lost: Any = reduce(_either, [self._lane(part.lost, np.dtype(bool)) for part in parts])
            if kind is PartKind.MASK:
                lost = self._mask(lost)
            if kind is PartKind.NAN:
                lost = np.where(lost, self.dtype.type(np.nan), self.dtype.type(0))
            yield ExtremumForm(tuple(own), False, _node(~lost if kind is PartKind.SOUND else lost), NOTHING)

    def _without_nan(self, parts: Sequence[ExtremumPart]) -> Facts:
        """Return the facts that hold if no element is a NaN."""
        floats = [part for part in parts if part.first(_WHOLE) is not None]
        values = {
            part.node: self.table.constant(int(PartKind.SOUND in part.kinds), self.table.size(part.node))
            for part in parts
            if part.kinds & _FLAGS
        }
        whole = {part.node for part in floats if PartKind.KEY not in part.kinds} | {part.value for part in floats}
        return NOTHING._replace(whole=frozenset(whole), values=values)

    # Expressions

    def absolute(self, node: int) -> int:
        """Return a float without its sign."""
        return _node(OPERATIONS["a64"]["abs"](self._lane(node), None))

    def _lane(self, node: int, dtype: np.dtype[Any] | None = None) -> Lanes:
        return lane(self.table, node, self.dtype if dtype is None else dtype)

    def _extremum(self, parts: Sequence[ExtremumPart]) -> int:
        name = "max" if self.name == "absmax" else self.name
        return _node(OPERATIONS["a64"][name](*[self._lane(part.value) for part in parts], None))

    def _negative(self, value: Any) -> Any:
        return value.view(self.unsigned) >> self.unsigned.type(8 * self.size - 1) != self.unsigned.type(0)

    def _mask(self, condition: Any) -> Any:
        return -condition.astype(self.signed)

    @property
    def _beyond(self) -> Any:
        """The key of a NaN."""
        ends = np.iinfo(self.signed)
        return self.signed.type(ends.min if self.name == "min" else ends.max)

    def _in_order(self, value: Any) -> Any:
        """Return the bits of a float as a signed integer with the same order. Absolute values are already in order."""
        bits = value.view(self.signed)
        if self.name == "absmax":
            return bits
        return bits ^ ((bits >> self.signed.type(8 * self.size - 1)) & self.signed.type(np.iinfo(self.signed).max))

    def _key(self, value: Any) -> Any:
        return np.where(np.isnan(value), self._beyond, self._in_order(value))


def _both(one: Any, other: Any) -> Any:
    return one & other


def _either(one: Any, other: Any) -> Any:
    return one | other


def _condition(x: Any) -> Any:
    """Return an unknown condition."""
    return x != 0


def _node(value: Any) -> int:
    return int(value.nodes()[0])
