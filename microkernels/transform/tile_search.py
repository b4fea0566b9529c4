"""The tiles that the planner compares: for each way of loading registers the tiles with the cheapest networks, and
wider tiles that move whole cache lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ...encoder.records import NamedTuple
from ..contract.machine import Facts
from ..contract.shuffle_network import Label
from ..operands import CACHE_LINE
from ..tuning.transform import TransformTuning
from .network_search import search
from .spec import TransformSpec
from .strides import StridedMatrix, nominal
from .tile import Loading, ShuffledTile, variant
from .tile_pass import pass_registers, whole

_MOST_EMPTY = 4  # the most address bits of loaded registers that address no element
_SPARE = 1  # vector registers beside the values, for incomplete pieces
_MASKS = 4  # vector registers for masks, on machines whose masks are vector registers


class Fitted(NamedTuple):
    """A tile in the number of passes that it needs to fit the registers, and the order of its actions."""

    tile: ShuffledTile
    depth_first: bool


def loadings(spec: TransformSpec, facts: Facts) -> Iterator[Loading]:
    """Yield the ways of loading registers: every width, whole or in pieces. `spec.loads` may exclude one of these."""
    for shuffle_set in facts.shuffles.sets():
        if spec.loads != "pieces":
            yield Loading(shuffle_set, None)
        if spec.loads != "whole":
            yield from (Loading(shuffle_set, insert) for insert in shuffle_set.inserts)


def tiles(
    loading: Loading, spec: TransformSpec, x: StridedMatrix, y: StridedMatrix, most_bits: int
) -> list[ShuffledTile | str]:
    """Return the tiles of one way of loading, or for each the reason why there is none."""
    shuffle_set, insert = loading
    count = (shuffle_set.bytes // x.unit).bit_length() - 1
    whole, goal = x.contiguous(count), y.contiguous(count)
    if insert is not None:
        low = (insert.piece // x.unit).bit_length() - 1
        piece, upper = whole[:low], goal[low:]
        if set(upper) & set(piece):
            return ["a piece holds elements that are in different pieces of a stored register"]
        return [_tile(loading, x.unit, (*piece, *upper), goal, most_bits)]
    attempts = []
    # Registers that are loaded half full make smaller tiles. If the machine can load in pieces, that is better.
    for empty in range(1 if shuffle_set.inserts and not spec.loads else min(_MOST_EMPTY, count)):
        start = (*whole[: count - empty], *(f"_{k}" for k in range(empty)))
        attempts.append(_tile(loading, x.unit, start, goal, most_bits))
        across = len({*start[: count - empty], *goal}) - count
        if 2 << across <= shuffle_set.registers:
            break
    return attempts


@lru_cache(maxsize=512)
def _tile(
    loading: Loading, unit: int, start: tuple[Label, ...], goal: tuple[Label, ...], most_bits: int
) -> ShuffledTile | str:
    """Return the tile of these address bits with the cheapest stages, or the reason why there is none."""
    shuffle_set = loading.shuffle_set
    across = tuple(label for label in goal if label not in start)
    registers = 1 << len(across) - sum(label[0] == "_" for label in start)
    if len(across) > most_bits or registers > shuffle_set.registers:
        return f"a tile takes {registers} registers, of which there are {shuffle_set.registers}"
    network = search(shuffle_set, unit, start, across, goal)
    if network is None:
        return "no sequence of shuffles brings the elements into the order of y"
    return ShuffledTile(loading, unit, start, across, goal, network.stages, 1)


def widened(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, tuning: TransformTuning) -> Iterator[ShuffledTile]:
    """Yield the tile with more rows or columns: such that it writes whole cache lines, and such that it also reads
    them."""
    line_bits = [(CACHE_LINE // min(tile.unit, matrix.size)).bit_length() - 1 for matrix in (y, x)]
    written, read = y.contiguous(line_bits[0]), x.contiguous(line_bits[1])
    limits = (written, tuning.most_register_bits), ((*written, *read), tuning.most_read_register_bits)
    for labels, most_bits in limits:
        more = tuple(label for label in dict.fromkeys(labels) if label not in tile.labels)
        if more and len(tile.across) + len(more) <= most_bits and "_0" not in tile.labels:
            yield variant(tile, (*tile.across, *more), 1)


def fit(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, facts: Facts, taken: int = 0) -> Fitted | None:
    """Return the tile in the fewest passes that fit the registers beside `taken` others, or None if none fit."""
    masks = _MASKS if facts.needs_mask_register(3, tile.unit) else 0
    budget = tile.shuffle_set.registers - len(tile.tables) - masks - (_SPARE if tile.insert else 0) - taken
    return _fit(tile, nominal(x), nominal(y), budget, facts.tuning.transform.most_passes)


@lru_cache(maxsize=512)
def _fit(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, budget: int, most_passes: int) -> Fitted | None:
    passes = 1
    while passes <= min(most_passes, 1 << len(tile.across)):
        candidate = variant(tile, tile.across, passes)
        for depth_first in (False, True) if candidate.connected else (True,):
            if pass_registers(candidate, x, y, whole(candidate), 0, depth_first) <= budget:
                return Fitted(candidate, depth_first)
        passes *= 2
    return None
