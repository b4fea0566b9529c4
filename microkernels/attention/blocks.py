"""Blocks of queries and keys: how many fit into scratch memory, and which go alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...encoder.records import NamedTuple
from ..contract.machine import STACK_LIMIT
from ..dtypes import ELEMENT_BYTES
from .spec import AttentionSpec

ROOM = STACK_LIMIT - 8192
"""Bytes of scratch memory for a block; the rest is for tables beside it and for what a transpose needs."""


class Blocks(NamedTuple):
    """Some blocks of queries that go alike.

    rows    queries of a block; times: how many blocks
    whole   whole blocks of keys of each; None: as many as there are blocks of queries before it (causal)
    last    keys of a last block, 0 for none
    hidden  whether the causal mask hides keys of the last block: it goes in parts, each without the queries before it
    again   queries of the first block that the second one computes again, to the same bits: so the last block, which
            needs as many vectors, is a whole one, and has no code of its own
    back    queries of the block before it that a last, shorter block computes again, to the same bits: so it has whole
            vectors, and the code of its parts is that of other lengths
    beyond  places behind the last query, with the causal mask for the same end: what the block before left there is
            computed on and not stored
    """

    rows: int
    times: int
    whole: int | None
    last: int
    hidden: bool
    again: int = 0
    back: int = 0
    beyond: int = 0

    @property
    def stored(self) -> int:
        """Queries of the block that exist."""
        return self.rows - self.beyond

    def parts(self, step: int) -> list[tuple[int, int, int]]:
        """(first key and query, queries, keys) of the products of the last block."""
        if not self.hidden:
            return [(0, self.rows, self.last)] if self.last else []
        return [(key, self.rows - key, min(step, self.last - key)) for key in range(0, self.last, step)]


def rows_of(spec: AttentionSpec, vector: int, most: int) -> Iterator[int]:
    """Queries of a block, the most first."""
    size = ELEMENT_BYTES[spec.compute]
    count = most
    while count:
        if 2 * count * spec.size * size <= ROOM * 5 // 8 and (count <= 2 * spec.queries or count <= vector):
            yield count
        count = count - vector if count > vector else count // 2


def whole_vectors(rows: int, vectors: Sequence[int]) -> int:
    """So many rows or a few more, which fill vectors: the last one is the narrowest that has room."""
    full, rest = divmod(rows, vectors[0])
    return full * vectors[0] + (min(each for each in vectors if each >= rest) if rest else 0)


def blocks_of(spec: AttentionSpec, rows: int, keys: int, vectors: Sequence[int], summed: bool = False
              ) -> Iterator[Blocks]:  # fmt: skip
    """The blocks of queries in their order. vectors: elements of registers, the widest first; summed: whether sums over
    queries are taken, which have each of them once: the blocks whose queries come again are told apart."""
    full, rest = divmod(spec.queries, rows)
    whole, last = divmod(spec.keys, keys)
    if not spec.causal:
        if full and rest > rows - vectors[0] and not summed:
            yield Blocks(rows, full + 1, whole, last, False, rows - rest)
            return
        if full:
            yield Blocks(rows, full, whole, last, False)
        if rest:
            back = whole_vectors(rest, vectors) - rest if full else 0
            yield Blocks(rest + back, 1, whole, last, False, back=back)
        return
    made: list[Blocks] = []
    for number in range(full + bool(rest)):
        first, here = number * rows, rows if number < full else rest
        beyond = whole_vectors(here, vectors) - here if full else 0
        each = (Blocks(here + beyond, 1, None, min(here, spec.keys - first), True, beyond=beyond) if first < spec.keys
                else Blocks(here + beyond, 1, whole, last, False, beyond=beyond))  # fmt: skip
        if made and made[-1]._replace(times=1) == each:
            made[-1] = made[-1]._replace(times=made[-1].times + 1)
        else:
            made.append(each)
    if made[0].times == 1 and made[0].whole is None:
        made[0] = made[0]._replace(whole=0)
    yield from made
