"""Which loops of a contraction are the rows, the columns, the depth and the levels of the batch of its kernels.

The operands that have a loop say what it may be: loops of A and C are rows, of B and C columns, of A and B summed, and
each iteration of a loop of all three is a product of its own. Loops act as one, a *chain*, where in each operand that
has them the outer one moves as far as all iterations of the inner one: the taps of a row and the channels of an image
with channels last are such a chain. No place of A must differ from another: rows may overlap. B takes part in no rule,
if it is packed. The loops of the sum then keep the order of the contraction, so that the order of a sum does not depend
on how the arrays lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain as joined

from ...encoder.records import dataclass


@dataclass(frozen=True)
class LoopStrides:
    """Where operands lie: elements from one iteration to the next of the loops that they have.

    extents   the iterations of each loop
    more      the further operands, which lie beside C
    packed    whether B is packed for the product, so that its strides say nothing
    deep      the loops that may be the depth; None: all
    along     whether vectors lie along the rows, which are neighbours in A and C, and not along the columns
    alone     loops that no other one acts with as one
    """

    extents: Mapping[str, int]
    a: Mapping[str, int]
    b: Mapping[str, int]
    c: Mapping[str, int]
    more: tuple[Mapping[str, int], ...] = ()
    packed: bool = True
    deep: tuple[str, ...] | None = None
    along: bool = False
    alone: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chain:
    """Loops that act as one, outermost first. A single place without loops has extent 1.

    a, b, c   elements from one place to the next in A, B and C; 0 in an operand that has none of the loops
    """

    names: tuple[str, ...] = ()
    extent: int = 1
    a: int = 0
    b: int = 0
    c: int = 0

    def __str__(self) -> str:
        return f"{' '.join(self.names)} ({self.extent})" if self.names else "none"


@dataclass(frozen=True)
class Roles:
    """The roles of the loops inside of a tile, outermost first where there may be several.

    over      of A and C, outside of the rows
    rows      the rows of a product
    across    of B and C, outside of the columns
    columns   the columns of a product, neighbours in C
    batch     of A and B, outside of the depth: the levels of the batch
    depth     the depth of a product, neighbours in A in order "C"; a single place if no summed loop has any there
    order     "F" if it is the rows that are neighbours in A
    """

    over: tuple[Chain, ...]
    rows: Chain
    across: tuple[Chain, ...]
    columns: Chain
    batch: tuple[Chain, ...]
    depth: Chain
    order: str = "C"

    def __str__(self) -> str:
        lines = [
            ("over", self.over),
            ("rows", (self.rows,)),
            ("across", self.across),
            ("columns", (self.columns,)),
            ("batch", self.batch),
            ("depth", (self.depth,)),
        ]
        return "; ".join(f"{name} {', '.join(map(str, chains))}" for name, chains in lines if chains)


def refused(strides: LoopStrides) -> str:
    """Return why loops have no role; an empty string if each has one."""
    for name in strides.extents:
        a, b, c = name in strides.a, name in strides.b, name in strides.c
        if a + b + c == 0 or c and not a and not b:
            return f"loop {name} is in neither factor, so that it repeats elements: leave it out"
        if a + b + c == 1:
            return f"loop {name} is in one factor only: sum that operand over it first"
    return ""


def assigned(strides: LoopStrides) -> Roles:
    """Return the roles of the loops. If B is not packed, the rows may be what is near in A, and columns are neighbours
    in B and C or there is one."""
    a, b, c, first = strides.a, strides.b, strides.c, None
    down = [name for name in strides.extents if name in a and name in c and name not in b]
    across = [name for name in strides.extents if name in b and name in c and name not in a]
    summed = [name for name in strides.extents if name in a and name in b and name not in c]
    near, beside = (next((name for name in reversed(each) if a[name] == 1), None) for each in (summed, down))
    by_rows = not strides.packed and near is None and beside is not None
    deep = [name for name in summed if strides.deep is None or name in strides.deep]
    if strides.packed:
        first = next((name for name in down if a[name] == c[name] == 1), None)
        near = next((name for name in summed[-1:] if name in deep and (strides.along or name == near)), None)
    depth = _chain(strides, deep, _innermost(summed, a) if by_rows else near, strides.packed)
    rows = _chain(strides, down, first if strides.along else beside if by_rows else _innermost(down, c))
    along = _innermost(across, c)
    columns = _chain(strides, across, along if strides.packed or along is None or b[along] == c[along] == 1 else None)
    return Roles(
        _rest(strides, down, rows, c),
        rows,
        _rest(strides, across, columns, c),
        columns,
        _rest(strides, summed, depth, a, strides.packed),
        depth,
        "F" if by_rows or strides.along else "C",
    )


def _innermost(names: Sequence[str], by: Mapping[str, int]) -> str | None:
    """Return the loop whose iterations are nearest to each other."""
    return min(reversed(names), key=lambda name: abs(by[name]), default=None)


def _chain(strides: LoopStrides, names: Sequence[str], first: str | None, in_order: bool = False) -> Chain:
    """Return the longest chain whose innermost loop is `first`; `in_order`, of neighbours among `names` alone."""
    if first is None:
        return Chain()
    found, extent = [first], strides.extents[first]
    lie = (strides.a, strides.c, *strides.more) if strides.packed else (strides.a, strides.b, strides.c, *strides.more)
    operands = [(each, each[first]) for each in lie if first in each]
    while first not in strides.alone:
        further = [name for name in names if name not in (*found, *strides.alone)]
        if in_order:
            further = [*names[: names.index(found[0])]][-1:]
        outer = next((n for n in further if all(each.get(n) == extent * step for each, step in operands)), None)
        if outer is None:
            break
        found.insert(0, outer)
        extent *= strides.extents[outer]
    return Chain(tuple(found), extent, *(each.get(first, 0) for each in (strides.a, strides.b, strides.c)))


def _rest(
    strides: LoopStrides, names: Sequence[str], taken: Chain, by: Mapping[str, int], in_order: bool = False
) -> tuple[Chain, ...]:
    """Return the chains of the other loops, outermost first; `in_order`, in that of `names`."""
    found = [taken]
    while True:
        gone = {*joined.from_iterable(each.names for each in found)}
        left = [name for name in names if name not in gone]
        if not left:
            return tuple(reversed(found[1:]))
        found.append(_chain(strides, left, left[-1] if in_order else _innermost(left, by), in_order))
