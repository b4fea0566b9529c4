"""How a transform is done: `plan(spec, facts)`, a pure function that prints.

The planner tries every register width of the machine, loading registers whole or in pieces, and takes the tile that
needs the fewest cycles on its busiest resource: load pipes, store pipe, shuffle pipes, or the issue of instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from ..choice import Plan
from ..contract.machine import Facts
from ..contract.shuffle_network import Label, describe
from ..contract.shuffle_set import Insert, Repertoire
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from .layouts import Layout
from .network_search import search
from .spec import TransformSpec
from .tile import Bounds, Memory, Tile, cut_of

_SPARE = 1  # vector registers beside the values: for pieces below their size
_MASKS = 4  # vector registers for masks where they cost some
_LOOP = 2.0  # cycles of a loop's instructions, for each tile
_PER_INSTRUCTION = 0.02  # between equals the shorter wins
_MOST_PASSES = 8
_PART_OF_LINE, _PART_OF_STREAM = 0.01, 1.0  # what stores of parts of cache lines add, as fractions
_PART_READ = 0.002  # and loads, where the rest may have left the first cache before it is read: between equals
_BLOCK = 1024  # columns of a stream that are walked together: as many rows of y, each of them a page to be translated
_BAND = 128  # rows of a stream that are walked together where x may lie in a cache: y is then written in longer runs
_CACHED = 3  # x may: where x and y have at most so many times the bytes from which on they are streamed
_BIG = 4 << 20  # bytes of x and y: no second cache holds them, and all walks go along the rows of x
_MANY = 16  # tiles along the rows of x: of so many, three more are not much
_LINE = 64  # bytes of a cache line
_LARGE = 1 << 12  # rows and columns
_WIDENED = 2  # of the tiles, the best ones are tried in wider forms
_MOST_ACROSS = 6  # bits between the registers of a tile
_MOST_READ = 5  # the same, of a tile widened to read whole lines: measured, 64 registers gain nothing by it


class Leaf(NamedTuple):
    """A stretch of rows or columns: as many as x has of it, as many as y has."""

    source: int
    result: int


class Node(NamedTuple):
    """`times` stretches of `size` rows or columns side by side; each is a leaf or cut further."""

    times: int
    size: int
    parts: Leaf | tuple[Node, ...]


class Cost(NamedTuple):
    """Cycles of each resource, for a tile or a whole matrix."""

    loads: float
    stores: float
    shuffles: float
    vectors: float  # of all vector pipes
    instructions: int
    issue: float

    def plus(self, other: Cost, times: int = 1) -> Cost:
        """The sum with another, several times."""
        return Cost(*(mine + times * theirs for mine, theirs in zip(self, other)))  # type: ignore[arg-type]

    @property
    def cycles(self) -> float:
        """On the busiest resource."""
        return max(self.resources.values())

    @property
    def resources(self) -> dict[str, float]:
        """Cycles by name."""
        kinds = {"loads": self.loads, "stores": self.stores, "shuffles": self.shuffles}
        return kinds | ({"vector pipes": self.vectors} if self.vectors else {}) | {"issue": self.issue}

    @property
    def busiest(self) -> str:
        """Its name."""
        return max(self.resources, key=lambda name: self.resources[name])


_NOTHING = Cost(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class TransformPlan(Plan):
    """The tile, the walk over the matrix, and why."""

    spec: TransformSpec
    tile: Tile
    x: Memory
    y: Memory
    nest: tuple[tuple[str, tuple[int, ...]], ...]  # loops from outside: a dimension and the sizes that cut it
    depth_first: bool
    registers: int
    streaming: bool  # whole registers are stored past the caches, where y is aligned to `boundary`
    boundary: int
    shifts: bool  # where y is not aligned, tiles begin at its first boundary, and others overlap them at both ends
    cost: Cost
    others: tuple[tuple[str, float], ...]  # what else was considered: (words, cycles)

    @property
    def cycles(self) -> float:
        """Estimate for one call, data in the first cache."""
        return self.cost.cycles

    def __str__(self) -> str:
        tile = self.tile
        lines = [str(self.spec), f"  tile {tile.extent('i')} x {tile.extent('j')}: {words(tile)}"]
        lines.append(f"    loaded: bits {describe(tile.start)} inside, {describe(tile.across)} between registers")
        for number, stage in enumerate(tile.stages, 1):
            entering = f", {stage.entering} enters" if stage.entering else ""
            lines.append(f"    stage {number}: {stage.exchange.name}{entering}")
        lines.append(f"    stored: bits {describe(tile.goal)} inside")
        if tile.passes > 1:
            lines.append(f"    in {tile.passes} passes over the loads, to fit the registers")
        cost = self.cost
        loops = " > ".join(f"{dim} by {', '.join(map(str, sizes))}" for dim, sizes in self.nest)
        lines.append(
            f"  loops {loops}"
            + ("; prefetches, stores past the caches" if self.streaming else "")
            + (" from the first cache line of y on" if self.shifts else "")
        )
        lines.append(
            f"  about {cost.cycles:.0f} cycles ({cost.busiest}): "
            + ", ".join(f"{name} {cycles:.0f}" for name, cycles in cost.resources.items())
            + f"; {cost.instructions} instructions{_pipes(tile.repertoire)}"
        )
        for text, cycles in self.others:
            lines.append(f"  not {text}: {cycles:.0f} cycles")
        return "\n".join(lines)


def _pipes(repertoire: Repertoire) -> str:
    """What the machine has to say of its pipes."""
    count = repertoire.shuffle_pipes
    if not count:
        return ""
    apart = ", which inserts from memory do not need" * bool(repertoire.vector)
    return f"; {count} pipe{'s' * (count > 1)} for shuffles{apart}"


def words(tile: Tile) -> str:
    """A tile for people."""
    registers = 1 << sum(label[0] != "_" for label in tile.across)
    how = f"loaded in pieces of {tile.insert.piece} bytes" if tile.insert else "loaded whole"
    return f"{registers} registers of {8 * tile.repertoire.bytes} bits {how}, {stages_of(tile)}"


def stages_of(tile: Tile) -> str:
    """How many, for people."""
    count = len(tile.stages)
    return f"{count} stage{'s' * (count != 1)} of shuffles"


def plan(spec: TransformSpec, facts: Facts, *, far: bool = False) -> TransformPlan:
    """The cheapest way that the machine's shuffles allow. `far`: x is not in the first cache, whatever its size."""
    size = ELEMENT_BYTES[spec.dtype]
    unit = min(size, 8)
    x, y = (Memory(layout, spec.m, spec.n, size, unit) for layout in spec.layouts)
    tiles = [tile for each in facts.shuffles.repertoires() for tile in _tiles(spec, each, x, y, unit)]
    found = [made for tile in tiles if (made := _priced(tile, x, y, facts)) is not None]
    found.sort(key=lambda made: made.cost.cycles)
    wider = [tile for made in found[:_WIDENED] for tile in _widened(made.tile, x, y)]
    found += [made for tile in wider if (made := _priced(tile, x, y, facts)) is not None]
    if not found:
        raise UnsupportedError(f"{spec}: the machine has no shuffles that move elements of {size} bytes so")
    streaming = _streams(spec, facts)
    large = _moved(spec) > facts.shuffles.first_cache
    found.sort(key=lambda made: _price(made, large, streaming))
    best = found[0]
    others = _others(found)
    along_rows = far or streaming or _along_rows(spec, best, facts.shuffles.first_cache)
    row_blocks = streaming and _moved(spec) <= _CACHED * facts.shuffles.streaming
    nest = _nest(best.tile, x, y, spec.transposes and along_rows, row_blocks)
    registers = max(best.registers, *_needed(best, x, y))
    boundary, shifts = _boundary(spec, best.tile)
    return TransformPlan(spec, best.tile, x, y, nest, best.depth_first, registers, streaming, boundary,
                         streaming and shifts, best.cost, others[:4])  # fmt: skip


def _needed(best: _Priced, x: Memory, y: Memory) -> Iterator[int]:
    """Registers of the tiles as the matrix cuts them."""
    tile = best.tile
    source, result = _nominal(x.layout, x.size, x.unit), _nominal(y.layout, y.size, y.unit)
    for rows, columns in product(_kinds("i", tile, x, y), _kinds("j", tile, x, y)):
        bounds = Bounds((rows.source, columns.source), (rows.result, columns.result))
        for number in range(tile.passes):
            yield _registers(tile, source, result, bounds, number, best.depth_first)


@lru_cache(maxsize=4096)
def _registers(tile: Tile, x: Memory, y: Memory, bounds: Bounds, number: int, depth_first: bool) -> int:
    """Of one pass over a tile, or what the matrix has of it."""
    cut = cut_of(tile, x, y, bounds, number)
    return cut.registers(cut.schedule(depth_first))


def _others(found: list[_Priced]) -> tuple[tuple[str, float], ...]:
    """What else there was, each way of loading at each width once: wider forms of a tile are no news."""
    made: dict[tuple[int, Insert | None], tuple[str, float]] = {}
    for each in found:
        made.setdefault((each.tile.repertoire.bytes, each.tile.insert), (words(each.tile), each.cost.cycles))
    return tuple(made.values())[1:]


def _price(made: _Priced, large: bool, streaming: bool) -> float:
    """Cycles, and a little for each instruction. Lines that are moved in parts cost more, streams of parts much."""
    whole = made.tile.repertoire.bytes >= _LINE
    dear = _PART_OF_LINE * _parts(made.tile, made.lines) + (_PART_OF_STREAM if streaming and not whole else 0)
    dear += _PART_READ * _parts(made.tile, made.read) if large else 0
    return (made.cost.cycles + _PER_INSTRUCTION * made.cost.instructions) * (1 + dear)


def _parts(tile: Tile, lines: tuple[Label, ...]) -> int:
    """In how many more parts than one a tile moves a cache line."""
    return (1 << sum(label not in tile.labels for label in lines)) - 1


def _streams(spec: TransformSpec, facts: Facts) -> bool:
    """Whether y goes past the caches: where they could not hold x and y, and rows of y keep their alignment."""
    size = ELEMENT_BYTES[spec.dtype]
    if not facts.shuffles.streaming or spec.square or not isinstance(spec.ldy, int):
        return False
    return _moved(spec) >= facts.shuffles.streaming and spec.ldy * size % _LINE == 0


def _moved(spec: TransformSpec) -> int:
    """Bytes of x and y."""
    return sum(operand.rows * operand.columns for operand in spec.arguments) * ELEMENT_BYTES[spec.dtype]


def _boundary(spec: TransformSpec, tile: Tile) -> tuple[int, bool]:
    """Where a y begins that is streamed as it lies; whether tiles may begin at the first such place of any other."""
    bytes_ = tile.extent("i") * ELEMENT_BYTES[spec.dtype]
    boundary = tile.repertoire.bytes if bytes_ % _LINE else _LINE
    many = spec.m >= _MANY * tile.extent("i")  # three more tiles than without
    plain = spec.transposes and isinstance(spec.ldx, int) and spec.ldx < 1 << 31
    return boundary, many and plain and bytes_ % boundary == 0


# Tiles


def _tiles(spec: TransformSpec, repertoire: Repertoire, x: Memory, y: Memory, unit: int) -> Iterator[Tile]:
    """The tiles to choose from at one register width."""
    count = (repertoire.bytes // unit).bit_length() - 1
    whole, goal = x.contiguous(count), y.contiguous(count)
    if len(whole) < count or len(goal) < count:
        return
    if spec.loads != "pieces":
        # loads that fill less of a register need fewer of them; pieces do that better
        for empty in range(1 if repertoire.inserts and not spec.loads else min(4, count)):
            start = (*whole[: count - empty], *(f"_{k}" for k in range(empty)))
            if made := _tile(repertoire, unit, start, goal, None):
                yield made
            if 2 << len({*start[: count - empty], *goal}) - count <= repertoire.registers:
                break
    if spec.loads == "whole":
        return
    for insert in repertoire.inserts:
        low = (insert.piece // unit).bit_length() - 1
        piece, upper = x.contiguous(low), goal[low:]
        fits = low >= 0 and len(piece) == low and not set(upper) & set(piece)
        if fits and (made := _tile(repertoire, unit, (*piece, *upper), goal, insert)):
            yield made


def _widened(tile: Tile, x: Memory, y: Memory) -> Iterator[Tile]:
    """The tile with more rows or columns, so that whole cache lines are written, or also read, at a time."""
    count = (_LINE // tile.unit).bit_length() - 1
    both = *y.contiguous(count), *x.contiguous(count)
    for lines, most in ((y.contiguous(count), _MOST_ACROSS), (both, _MOST_READ)):
        more = tuple(label for label in dict.fromkeys(lines) if label not in tile.labels)
        if more and len(tile.across) + len(more) <= most and "_0" not in tile.labels:
            yield _variant(tile, (*tile.across, *more), 1)


@lru_cache(maxsize=512)
def _variant(tile: Tile, across: tuple[Label, ...], passes: int) -> Tile:
    """One object for equal tiles: what is known of them is looked up by object."""
    return replace(tile, across=across, passes=passes)


@lru_cache(maxsize=512)
def _tile(
    repertoire: Repertoire, unit: int, start: tuple[Label, ...], goal: tuple[Label, ...], insert: Insert | None
) -> Tile | None:
    """The tile of these bits, with the cheapest stages; None if it is too large or cannot be made."""
    across = tuple(label for label in goal if label not in start)
    fewest = 1 << len(across) - sum(label[0] == "_" for label in start)
    if len(across) > _MOST_ACROSS or fewest > repertoire.registers:
        return None
    found = search(repertoire, unit, start, across, goal)
    if found is None:
        return None
    return Tile(repertoire, unit, start, across, goal, found.stages, insert, 1)


class _Priced(NamedTuple):
    tile: Tile
    depth_first: bool
    registers: int
    cost: Cost
    lines: tuple[Label, ...]  # the bits of a place in a cache line of y
    read: tuple[Label, ...]  # and of x


def _priced(tile: Tile, x: Memory, y: Memory, facts: Facts) -> _Priced | None:
    """A tile with its passes and loops; None if it does not fit the registers."""
    masks = _MASKS if facts.needs_mask_register(3, tile.unit) else 0
    room = tile.repertoire.registers - len(tile.tables) - masks - (_SPARE if tile.insert else 0)
    found = _fitted(tile, _nominal(x.layout, x.size, x.unit), _nominal(y.layout, y.size, y.unit), room)
    if found is None:
        return None
    tile, depth_first, registers = found
    lines, read = (memory.contiguous((_LINE // tile.unit).bit_length() - 1) for memory in (y, x))
    return _Priced(tile, depth_first, registers, _cost(tile, x, y), lines, read)


@lru_cache(maxsize=512)
def _fitted(tile: Tile, x: Memory, y: Memory, room: int) -> tuple[Tile, bool, int] | None:
    """The tile in as many passes as it needs for `room` registers, the order of its actions, and the registers."""
    whole = tile.extent("i"), tile.extent("j")
    passes = 1
    while passes <= min(_MOST_PASSES, 1 << len(tile.across)):
        made = _variant(tile, tile.across, passes)
        cut = cut_of(made, x, y, Bounds(whole, whole), 0)
        for depth_first in (False, True) if made.connected else (True,):
            registers = cut.registers(cut.schedule(depth_first))
            if registers <= room:
                return made, depth_first, registers
        passes *= 2
    return None


@lru_cache(maxsize=64)
def _nominal(layout: Layout, size: int, unit: int) -> Memory:
    """Some large matrix of a layout: what a tile costs does not depend on where its rows lie."""
    return Memory(layout, _LARGE, _LARGE, size, unit)


def _cost(tile: Tile, x: Memory, y: Memory) -> Cost:
    """Of the whole matrix."""
    total = _NOTHING
    kinds = {dim: _kinds(dim, tile, x, y) for dim in "ij"}
    source, result = _nominal(x.layout, x.size, x.unit), _nominal(y.layout, y.size, y.unit)
    for (rows, row_count), (columns, column_count) in product(kinds["i"].items(), kinds["j"].items()):
        bounds = Bounds((rows.source, columns.source), (rows.result, columns.result))
        for number in range(tile.passes):
            total = total.plus(_cut_cost(tile, source, result, bounds, number), row_count * column_count)
    return total


def _kinds(dim: str, tile: Tile, x: Memory, y: Memory) -> dict[Leaf, int]:
    """The kinds of stretches that a tile's rows or columns cut the matrix into, and how many of each."""
    size, made = tile.extent(dim), dict[Leaf, int]()
    source, result = x.extents[dim], y.extents[dim]
    full = min(source, result) // size
    if full:
        made[Leaf(size, size)] = full
    for start in range(full * size, result, size):
        leaf = Leaf(max(0, min(size, source - start)), min(size, result - start))
        made[leaf] = made.get(leaf, 0) + 1
    return made


@lru_cache(maxsize=4096)
def _cut_cost(tile: Tile, x: Memory, y: Memory, bounds: Bounds, number: int) -> Cost:
    """Of one pass over a tile, or what the matrix has of it."""
    cut = cut_of(tile, x, y, bounds, number)
    repertoire = tile.repertoire
    loads = shuffles = vectors = 0.0
    count = len(cut.outputs)
    for value in cut.live.inputs:
        pieces = cut.pieces(value)
        count += len(pieces)
        if tile.insert is None or not pieces:
            loads += repertoire.load
        else:
            loads += repertoire.inserts[-1].load * (len(pieces) - 1) + repertoire.load / 2
            shuffles += tile.insert.shuffle * (len(pieces) - 1)
            vectors += tile.insert.vector * (len(pieces) - 1)
    for _, step in cut.live.steps:
        shuffles += tile.stages[step.stage].exchange.cycles
        vectors += repertoire.vector
        count += 1 + step.shuffle.destructive * (
            step.a == step.b or step.shuffle is tile.stages[step.stage].exchange.low
        )
    stores = repertoire.store * len(cut.outputs)
    return Cost(loads, stores, shuffles, vectors, count, (count + _LOOP) / repertoire.issue)


# Loops


def _nest(
    tile: Tile, x: Memory, y: Memory, along_rows: bool, row_blocks: bool
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Along the rows of x, many columns at a time, a tile's rows or a band of them; or along the rows of y. Each
    dimension is cut where the strides of a layout change.
    """
    cuts = {}
    for dim in "ij":
        size = tile.extent(dim)
        boundaries = {*x.layout.boundaries(dim), *y.layout.boundaries(dim)}
        cuts[dim] = (*sorted((each for each in boundaries if each > size), reverse=True), size)
    if along_rows:
        blocks = (("j", (_BLOCK,)),) if tile.extent("j") < _BLOCK < x.extents["j"] else ()
        if row_blocks and blocks and tile.extent("i") < _BAND < x.extents["i"]:
            return (*blocks, ("i", (_BAND,)), ("j", cuts["j"]), ("i", cuts["i"]))
        return (*blocks, ("i", cuts["i"]), ("j", cuts["j"]))
    inner = next(digit.dim for digit in y.layout.digits[1:] if not digit.radix)
    outer = "j" if inner == "i" else "i"
    return (outer, cuts[outer]), (inner, cuts[inner])


def _along_rows(spec: TransformSpec, best: _Priced, first_cache: int) -> bool:
    """Whether a transpose goes along the rows of x, and so writes lines of y one by one, wherever they lie.

    Along the rows of y it reads x as far apart, and a line of x that is read in several parts may be gone before the
    next one is. Rows of y that begin amid lines make a line of y be written in two parts instead. What pays was
    measured (docs/transposes.md).
    """
    moved, parts = _moved(spec), 1 + _parts(best.tile, best.read)
    if moved >= _BIG:
        return True
    bytes_ = spec.ldy * ELEMENT_BYTES[spec.dtype] if isinstance(spec.ldy, int) else 1
    whole = bytes_ % _LINE == 0
    if parts == 1:
        return moved > first_cache and whole and spec.m < spec.n
    return moved > 4 * first_cache and (whole or bytes_ > 8 * _LINE) and spec.m < parts * spec.n


def stretches(sizes: tuple[int, ...], source: int, result: int) -> tuple[Node, ...]:
    """`result` rows or columns, of which x has `source`, cut into these sizes, each of them into the next."""
    size, *rest = sizes

    def parts(source: int, result: int) -> Leaf | tuple[Node, ...]:
        return stretches(tuple(rest), source, result) if rest else Leaf(source, result)

    full = min(source, result) // size
    nodes = [Node(full, size, parts(size, size))] if full else []
    for start in range(full * size, result, size):
        part = parts(max(0, min(size, source - start)), min(size, result - start))
        if nodes and nodes[-1].parts == part:
            nodes[-1] = nodes[-1]._replace(times=nodes[-1].times + 1)
        else:
            nodes.append(Node(1, size, part))
    return tuple(nodes)
