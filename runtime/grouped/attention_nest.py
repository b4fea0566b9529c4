"""The nests and tables of attention over sequences of different lengths, forward and backward.

A sequence's queries are cut into pieces of a few lengths, each of which is a call of a kernel of so many queries, to
which the number of keys is an argument. So other lengths need no code and no padding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import cached_property, dataclass
from ...microkernels.attention.plan import AttentionPlan
from ...microkernels.codegen.long_sums import MOST_OF_BLOCK
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.tuning.attention import SEQUENCES
from ...microkernels.tuning.products import GROUPS
from ..kernel.callable import kept
from ..loops.code import Address, Affine, Call, Header, Load, Loop, Node, When, affine, index
from ..ops.dealt import WORD, dealt, with_bounds
from ..ops.row_kernels import Steps

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.attention.spec import AttentionSpec
    from ..arguments.arrays import Array

PIECE = "row", "key", "head", "kv", "line", "keys", "kind"
"""A piece of the queries of a head: its first query, the first key, its head and that of k and v, the bytes before its
lse, how many keys there are, and which kernel computes it."""
UNIT = "piece0", "pieces"
"""The pieces that add to the same gradients: the place of the first one in the table, and how many there are."""


@dataclass(frozen=True)
class SequencesNest:
    """Attention of pieces, or its gradients. The operands of the job are the arrays, in the order of the kernels'
    arguments, and then the address of the table.

    requests  those of the kernels of the kinds of pieces
    steps     where the rows and heads of each array lie, by its name
    """

    requests: tuple[AttentionSpec, ...]
    steps: tuple[tuple[str, Steps], ...]
    target: Target

    @property
    def blocks(self) -> list[int]:
        """The blocks of queries of a kernel of each kind."""
        plans = [kept(each, self.target).plan for each in self.requests]
        return [sum(each.times for each in plan.blocks) for plan in plans if isinstance(plan, AttentionPlan)]

    @property
    def inverse(self) -> bool:
        """Whether these are the gradients, whose pieces of one head of k and v follow each other."""
        return self.requests[0].inverse

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops."""
        table = len(self.steps)
        body = [When(index("kind") - kind, "==", (self._call(kind),)) for kind in range(len(self.requests))]
        if not self.inverse:
            return dealt(table, PIECE, body)
        place = index("piece of unit") * (WORD * len(PIECE)) + index("piece0")
        piece = Load(PIECE, table, place, tuple(body))
        pieces = Loop(Header("piece of unit", affine(0), (index("pieces"),), 1, 1), (piece,))
        return dealt(table, UNIT, [pieces])

    def _call(self, kind: int) -> Call:
        """Return the call of the kernel of a kind of pieces."""
        places = {name: number for number, (name, _) in enumerate(self.steps)}
        steps = dict(self.steps)
        given: list[Address | Affine] = []
        for each in self.requests[kind].arguments:
            name = each.name
            if name not in places:
                given.append(index("keys"))
            elif name == "lse":
                given.append(Address(places[name], index("line")))
            else:
                row, head = ("key", "kv") if name.removeprefix("g") in ("k", "v") else ("row", "head")
                given.append(Address(places[name], steps[name].at(index(row), affine(0), index(head))))
        return Call(kept(self.requests[kind], self.target), tuple(given))


@dataclass(frozen=True)
class Sequences:
    """Sequences that lie one after the other.

    total            the queries of all
    ends, key_ends   where the queries and the keys of each one end
    heads, group     the heads of q, and those that share a head of k and v
    """

    total: int
    ends: Array
    key_ends: Array
    heads: int
    group: int

    @cached_property
    def queries(self) -> Array:
        """The number of queries of each sequence."""
        return np.diff(self.ends, prepend=0)

    @cached_property
    def keys(self) -> Array:
        """The number of keys of each sequence."""
        return np.diff(self.key_ends, prepend=0)

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The most queries and the most keys of a sequence."""
        return int(self.queries.max(initial=0)), int(self.keys.max(initial=0))

    @cached_property
    def beyond(self) -> bool:
        """Whether some sequence has queries beyond its last key."""
        return bool((self.queries > self.keys).any())

    @cached_property
    def pairs(self) -> int:
        """The number of pairs of a query and a key of its sequence, for all heads."""
        return self.heads * int((self.queries * self.keys).sum())


def _cut(counts: Array, first: Array) -> tuple[Array, Array, Array]:
    """Cut so many queries of each sequence, from the `first` one on, into pieces of known lengths."""
    made: list[tuple[Array, Array, Array]] = []
    done = np.zeros_like(counts)
    for rows in SEQUENCES.rows:
        many = (counts - done) // rows
        sequence = np.repeat(np.arange(len(counts)), many)
        number = np.arange(len(sequence)) - np.repeat(np.cumsum(many) - many, many)
        made.append((sequence, (first + done)[sequence] + number * rows, np.full(len(sequence), rows)))
        done = done + many * rows
    sequence, start, rows_of = (np.concatenate(each) for each in zip(*made))
    return sequence, start, rows_of


def kinds_of(causal: bool, beyond: bool) -> tuple[tuple[int, bool], ...]:
    """Return the kinds of pieces: queries, and whether they are those of the last keys. beyond: whether there are
    queries beyond the last key, which see all keys with the causal mask too."""
    hiding = tuple((rows, True) for rows in SEQUENCES.rows if rows > 1 and causal)
    others = tuple((rows, False) for rows in SEQUENCES.rows if not causal or beyond or rows == 1)
    return (*hiding, *others)


def table_of(nest: SequencesNest, sequences: Sequences, kinds: tuple[tuple[int, bool], ...], causal: bool) -> Array:
    """Return the table of a call. Raises UnsupportedError if a gradient is a sum of more blocks than numerics.md
    promises."""
    queries, keys, nothing = sequences.queries, sequences.keys, np.zeros_like(sequences.ends)
    hidden = np.minimum(queries, keys) if causal else nothing
    hiding, others = _cut(hidden, nothing), _cut(queries - hidden, hidden)
    sequence, start, rows = (np.concatenate(each) for each in zip(hiding, others))
    seen = np.concatenate((hiding[1] + hiding[2], keys[others[0]]))
    place = {kind: number for number, kind in enumerate(kinds)}
    kind = [place[each, each > 1] for each in hiding[2].tolist()] + [place[each, False] for each in others[2].tolist()]
    head = np.repeat(np.arange(sequences.heads), len(sequence))
    every = (sequence, start, rows, seen, np.array(kind, np.int64))
    sequence, start, rows, seen, kinds_there = (np.tile(each, sequences.heads) for each in every)
    order = np.lexsort((start, head, sequence))
    sequence, start, rows, seen, kinds_there, head = (
        each[order] for each in (sequence, start, rows, seen, kinds_there, head)
    )
    row = (sequences.ends - queries)[sequence] + start
    line = (head * sequences.total + row) * ELEMENT_BYTES[nest.requests[0].compute]
    first, kv = (sequences.key_ends - keys)[sequence], head // sequences.group
    pieces = np.stack([row, first, head, kv, line, seen, kinds_there], axis=1).astype(np.int64)
    cost = (rows + SEQUENCES.around) * (seen + SEQUENCES.around)
    if not nest.inverse:
        return with_bounds(cost, pieces)
    units = len(queries) * (sequences.heads // sequences.group)
    unit = sequence * (sequences.heads // sequences.group) + kv
    _check_sums(nest, sequences, unit, kinds_there)
    many = np.bincount(unit, minlength=units)
    begin = WORD * (GROUPS.parts + 1 + units * len(UNIT))
    of_units = np.stack([begin + WORD * len(PIECE) * (np.cumsum(many) - many), many], axis=1)
    return np.concatenate((with_bounds(np.bincount(unit, cost, units), of_units), pieces.ravel()))


def _check_sums(nest: SequencesNest, sequences: Sequences, unit: Array, kinds: Array) -> None:
    """Raise UnsupportedError if a gradient of k and v is a sum of too many blocks of queries."""
    longest, _ = sequences.longest
    if longest * sequences.group <= MOST_OF_BLOCK:
        return
    blocks = int(np.bincount(unit, np.array(nest.blocks)[kinds]).max(initial=0))
    if blocks > MOST_OF_BLOCK:
        raise UnsupportedError(
            f"gradients of k and v that are sums over {longest} queries of {sequences.group} heads, {blocks} blocks: "
            f"at most {MOST_OF_BLOCK}; compute them for some of the queries at a time, and add them"
        )
