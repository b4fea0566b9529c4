"""Tables of offsets among the operands of a nest: the check of their numbers, which each call makes.

When the nest is made, the iterations say between which numbers each entry of a table must lie, so that what a kernel
reads there lies within its operand. A call copies the table, compares the copy with these bounds, and gives it to the
workers: some microseconds, and what other threads write to the array meanwhile has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array
from .accesses import CallAccess, Happening, happening
from .grammar import Range
from .trace import Block, NestMatrix, offset_of

_ENTRY = "<i8"


class OffsetBounds(NamedTuple):
    """The least and the greatest number that each entry of a table may have, and the operand that they are offsets
    in."""

    table: NestMatrix
    operand: NestMatrix
    least: Array
    most: Array

    def check(self, table: Array) -> None:
        """Raise IndexError or ValueError for a table with an offset that leads out of the operand."""
        flat = table.ravel()
        wrong = (flat < self.least) | (flat > self.most)
        if wrong.any():
            at = int(np.argmax(wrong))
            place = tuple(map(int, np.unravel_index(at, table.shape)))
            raise IndexError(
                f"{self.table.name}{[*place]} is {flat[at]}: offsets in {self.operand.name} are from {self.least[at]} "
                f"to {self.most[at]} bytes there, so that what is read lies within it"
            )
        size = self.operand.size
        uneven = (flat % size != 0) & (self.least > np.iinfo(_ENTRY).min)  # of those that are read
        if uneven.any():
            at = int(np.argmax(uneven))
            raise ValueError(
                f"{self.table.name}: multiples of {size} bytes, since elements of {self.operand.name} must be aligned; "
                f"entry {at} is {flat[at]}"
            )


def bounds_of(found: Sequence[CallAccess], names: Mapping[str, Range]) -> tuple[OffsetBounds, ...]:
    """Return the bounds of all tables. Raises UnsupportedError for tables and operands that the nest itself writes."""
    written = {each.matrix.name for each in found if each.writes}
    made: dict[tuple[str, str], OffsetBounds] = {}
    for access in found:
        if access.table is None:
            continue
        for each in (access.table.matrix, access.matrix):
            if each.name in written or each.each:
                raise UnsupportedError(
                    f"{each.name}: {access.call.kernel.name} finds what it reads by offsets that each call gives, so "
                    "neither they nor what they lead to may be written by the nest or be scratch memory; offsets that "
                    "are numbers in the body are proved when the nest is made"
                )
        key = access.table.matrix.name, access.matrix.name
        bounds = made.setdefault(key, _unbounded(access.table.matrix, access.matrix))
        _narrow(bounds, access, access.table, names)
    return tuple(made.values())


def _unbounded(table: NestMatrix, operand: NestMatrix) -> OffsetBounds:
    count, ends = table.bytes // table.size, np.iinfo(_ENTRY)
    return OffsetBounds(table, operand, np.full(count, ends.min, _ENTRY), np.full(count, ends.max, _ENTRY))


def _narrow(bounds: OffsetBounds, access: CallAccess, table: Block, names: Mapping[str, Range]) -> None:
    """Narrow the bounds to what one call needs in all its iterations."""
    if not access.matrices:
        return
    entries = offset_of(table.matrix, table.places)
    when: Happening = happening(access, [access.offset, entries], names)
    first, behind = min(each.start for each in access.matrices), max(each.stop for each in access.matrices)
    places = np.broadcast_to(when.value(access.offset), np.shape(when.holds))[when.holds].ravel()
    begin = np.broadcast_to(when.value(entries), np.shape(when.holds))[when.holds].ravel() // table.matrix.size
    at = begin[:, None] + np.arange(len(access.matrices))
    np.maximum.at(bounds.least, at, (-places - first)[:, None])
    np.minimum.at(bounds.most, at, (access.matrix.bytes - places - behind)[:, None])
