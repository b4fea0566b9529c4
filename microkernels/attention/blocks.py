"""Blocks of queries and keys: how many fit into scratch memory, where, and which blocks share code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from ...encoder.records import NamedTuple
from ..contract.machine import STACK_LIMIT
from ..dtypes import ELEMENT_BYTES
from .spec import AttentionSpec

SCRATCH_BYTES = STACK_LIMIT - 8192
"""Bytes of scratch memory for a block. The rest is for tables beside it and for transposes."""


class AttentionSchedule(Enum):
    """What is computed of a block of queries and keys, as the plan's text calls it."""

    BLOCKS = "blocks of {rows} queries by {keys} keys, vectors of {vector} queries"
    STRIPS = "strips of {rows} queries by {keys} keys, vectors of {vector} queries"
    FEW = "blocks of {rows} queries by {keys} keys, vectors of keys and of columns"
    INVERSE = "gradients of blocks of {rows} queries by {keys} keys, vectors of {vector} queries"
    PAIRS = "gradients of blocks of {rows} queries by {keys} keys, products of pairs"


class ScratchOffsets(NamedTuple):
    """Byte offsets in scratch memory. values: a copy of a block of k or v, transposed or converted; tiles: scratch
    memory of products on tiles. far: the sums, maxima and totals of all blocks but the last ones, and their correction,
    if blocks are so many that their sums are laid by. beside: the mask of a block whose scores a function takes; kept:
    the factors of its powers, if some are dropped."""

    queries: int
    scores: int
    powers: int
    sums: int
    largest: int
    total: int
    correction: int
    window: int
    beside: int
    kept: int
    far_sums: int
    far_largest: int
    far_total: int
    far_correction: int
    values: int
    tiles: int
    end: int


class QueryBlocks(NamedTuple):
    """Blocks of queries that run the same code.

    rows    queries of a block; times: the number of blocks
    whole   whole blocks of keys for each block; None: as many as there are blocks of queries before it (causal)
    last    keys of the last block of keys, 0 for none
    hidden  whether the causal mask hides keys of the last block. It is then computed in parts, each of which leaves out
            the queries before it
    again   queries of the first block that the second block computes again, with the same bits. The last block, which
            needs the same number of vectors, is then a whole block and needs no code of its own
    back    queries of the block before it that a shorter last block computes again, with the same bits. It then has
            whole vectors, and its parts share the code of other lengths
    most    the most keys that the call can give: whole blocks while as many keys are left, then blocks of the next
            powers of two, down to one. With the causal mask these are the keys before the last block. None: the call
            gives no number
    beyond  rows past the last query that fill the last vector, with the causal mask. They hold data of the previous
            block; their results are computed and not stored
    """

    rows: int
    times: int
    whole: int | None
    last: int
    hidden: bool
    again: int = 0
    back: int = 0
    beyond: int = 0
    most: int | None = None

    @property
    def stored(self) -> int:
        """The number of the block's queries that exist."""
        return self.rows - self.beyond

    def __str__(self) -> str:
        whole = "all whole blocks of keys before it" if self.whole is None else f"{self.whole} blocks of keys"
        last = f", then {self.last}{' with those after a query hidden' * self.hidden}" if self.last else ""
        again = f", {self.again} of the first block twice" if self.again else ""
        again += f", {self.back} of the block before twice" if self.back else ""
        again += f", {self.beyond} of them past the last one" if self.beyond else ""
        if self.most is not None:
            whole = f"of up to {self.most} keys blocks, then of half as many, down to one"
        return f"{self.times} x {self.rows} queries{again}: {whole}{last}"

    def parts(self, step: int) -> list[tuple[int, int, int]]:
        """Return the products of the last block as tuples (first key and query, queries, keys)."""
        if not self.hidden:
            return [(0, self.rows, self.last)] if self.last else []
        return [(key, self.rows - key, min(step, self.last - key)) for key in range(0, self.last, step)]

    def lengths(self, keys: int) -> list[int]:
        """Return the lengths of the blocks of keys before the last one, if a whole block has so many. Lengths beyond
        what the call can give are left out."""
        if self.most is None:
            return [keys] if self.whole != 0 else []
        halved = (1 << power for power in reversed(range((keys - 1).bit_length())))
        return [each for each in (keys, *halved) if each <= self.most]


def further(place: tuple[str, int], disp: int) -> tuple[str, int]:
    """Return the place `disp` bytes after another one, which is a buffer and an offset."""
    return place[0], place[1] + disp


def pieces(keys: int, most: int) -> list[tuple[int, int]]:
    """Cut a block of keys into pieces of `most` keys, or not at all if that is 0. Returns first keys and lengths."""
    return [(first, min(most, keys - first)) for first in range(0, keys, most)] if most else [(0, keys)]


def rows_of(spec: AttentionSpec, vector: int, most: int) -> Iterator[int]:
    """Yield the numbers of queries per block that fit into scratch memory, the largest first."""
    size = ELEMENT_BYTES[spec.compute]
    count = most
    while count:
        if 2 * count * spec.size * size <= SCRATCH_BYTES * 5 // 8 and (count <= 2 * spec.queries or count <= vector):
            yield count
        count = count - vector if count > vector else count // 2


def whole_vectors(rows: int, vectors: Sequence[int]) -> int:
    """Round `rows` up so that they fill vectors. The last vector is the narrowest that has room for the remainder."""
    full, rest = divmod(rows, vectors[0])
    return full * vectors[0] + (min(each for each in vectors if each >= rest) if rest else 0)


def keys_of_all(spec: AttentionSpec, keys: int) -> tuple[int | None, int, int | None]:
    """Return `whole`, `last` and `most` of blocks of queries that see all keys, in blocks of so many."""
    return (None, 0, spec.keys) if spec.seen else (*divmod(spec.keys, keys), None)


def blocks_of(
    spec: AttentionSpec, rows: int, keys: int, vectors: Sequence[int], summed: bool = False
) -> Iterator[QueryBlocks]:
    """Yield the blocks of queries in order.

    vectors  elements per register, the widest first
    summed   whether the results are sums over queries, in which each query may count only once. Blocks that repeat
             queries are then kept apart.
    """
    full, rest = divmod(spec.queries, rows)
    if not spec.causal:
        whole, last, most = keys_of_all(spec, keys)
        if full and rest > rows - vectors[0] and not summed:
            yield QueryBlocks(rows, full + 1, whole, last, False, rows - rest, most=most)
            return
        if full:
            yield QueryBlocks(rows, full, whole, last, False, most=most)
        if rest:
            back = whole_vectors(rest, vectors) - rest if full else 0
            yield QueryBlocks(rest + back, 1, whole, last, False, back=back, most=most)
        return
    yield from causal_blocks(spec, rows, keys, lambda here: whole_vectors(here, vectors) if full else here)


def causal_blocks(
    spec: AttentionSpec, rows: int, keys: int, filled: Callable[[int], int], tiles: Callable[[int], int] = int
) -> Iterator[QueryBlocks]:
    """Yield the blocks of queries with the causal mask, in order.

    filled  returns the queries that a block of this many computes
    tiles   returns the keys that its last block of keys has, if there are as many
    """
    made: list[QueryBlocks] = []
    first = 0
    if spec.seen:
        times, rest = divmod(spec.queries, rows)
        before = spec.keys - rest  # those of the last block
        if times:
            yield QueryBlocks(rows, times, None, rows, True, most=before - rows)
        if rest:
            yield QueryBlocks(filled(rest), 1, None, rest, True, beyond=filled(rest) - rest, most=before)
        return
    while first < spec.queries:
        here = min(rows, spec.queries - first)
        beyond, alike = filled(here) - here, max(1, (spec.queries - first) // rows)
        if first < spec.keys:
            last = tiles(here)
            alike = min(alike, max(0, spec.keys - last - first) // rows + 1)
            each = QueryBlocks(here + beyond, alike, None, min(last, spec.keys - first), True, beyond=beyond)
        else:
            each = QueryBlocks(here + beyond, alike, *divmod(spec.keys, keys), False, beyond=beyond)
        if made and made[-1]._replace(times=alike) == each:
            made[-1] = made[-1]._replace(times=made[-1].times + alike)
        else:
            made.append(each)
        first += alike * rows
    if made[0].times == 1 and made[0].whole is None:
        made[0] = made[0]._replace(whole=0)
    yield from made
