"""How a reduction is cut: vectors, accumulators, and the code of each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .arithmetic import Arithmetic, own
from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .expr import BITS, INTEGER_OF, MASKS, Expr, bits, from_bits, operand
from .lower import GIVEN, Lowered, lower
from .machine import Facts
from .reduce_spec import ReduceSpec
from .reductions import FLOATS, REDUCTIONS, add, running
from .running import Apart, Running, State
from .storage import narrowed, widened

MOST = {1: 4, None: 8}
"""Vectors that a step takes, by axis: along rows accumulators are joined for each row, and the next row begins while
they wait, so there are no more than needed."""
LONG = 64, 8
"""Vectors of a row that is long, and those that a step takes there."""
STEP, NARROW, WIDE = 4, 2, 6
"""The same down columns, and how many steps make a block: in a near cache blocks are narrow, so that a few rows of some
columns go by before the same rows of the next ones; elsewhere they are wide, as prefetchers follow those."""
ROWS, LIGHT = 4, 5
"""Rows that go by in such a block before the next columns, and up to how many operations for a vector that pays."""
ROOM, TIGHT = 64, 7
"""Registers that the code of a part may take: all that it wants, or so many, with constants in memory."""
GROUPS = 16, 4, 1
"""Rows that are folded together, at most: one after the other would wait for each other's loads and stores. Fewer where
registers are short."""
UNITS = 32
"""Vectors of a loop's body where rows are walked side by side, of all rows."""
STRAIGHT, BODY = 32, 16
"""Vectors of a row up to which there is no loop, and of a loop's body, at most."""


@dataclass(frozen=True)
class Output:
    """The code of one output. Down columns nothing is folded: a result comes from the state."""

    running: Running
    first: int  # of its registers, among those of all outputs
    join: Lowered | None  # of two states
    settle: Lowered | None  # where registers of the state become others before they are folded
    fold: Lowered | None
    result: Lowered
    adds: bool = False  # whether folding is nothing but additions of floats
    apart: Apart | None = None  # how it is folded without its masks

    @property
    def parts(self) -> int:
        """Registers that a result comes from."""
        return len(self.running.types if self.fold is None else self.running.settled("a"))


@dataclass(frozen=True)
class ReducePlan:
    """The code of each part; `step` has as many copies as there are accumulators that take turns."""

    spec: ReduceSpec
    rows: int  # as they are walked: all of a matrix without gaps is one row
    columns: int
    vector: int  # elements of a whole vector
    step: Lowered
    single: Lowered  # the step for one vector
    tail: Lowered | None
    first: Lowered | None  # of a row: a step from nothing
    outputs: tuple[Output, ...]
    arithmetic: Arithmetic
    cycles: float
    together_rows: int = 1  # that are folded together, at most
    runs: int = 1  # of `step` for a row of a block of columns
    abreast: int = 0  # rows that are walked side by side, at most; 0: one after the other
    widths: tuple[int, ...] = ()  # elements of registers, the widest first
    held: bool = False  # all constants stay in registers from the first row to the last
    ahead: bool = False  # the next row's columns are asked for in advance
    deep: int = 1  # rows of a few columns that go by before the next columns

    @property
    def accumulators(self) -> int:
        """Each is a state of every output."""
        return self.abreast or self.step.copies * self.runs

    @property
    def together(self) -> int:
        """Vectors that one accumulator takes at a time."""
        return self.outputs[0].running.together

    @property
    def types(self) -> tuple[str, ...]:
        """Of the registers of an accumulator."""
        return tuple(dtype for each in self.outputs for dtype in each.running.types)

    @cached_property
    def masked(self) -> tuple[bool, ...]:
        """Which of them are mask registers."""
        return tuple(dtype in MASKS and self.arithmetic.masks > 0 for dtype in self.types)

    @property
    def starts(self) -> list[int]:
        """Bits other than 0 that vector registers begin with: kept in registers where there are any."""
        if self.first is not None:
            return []
        states = [(bits, dtype) for each in self.outputs if not each.running.counts
                  for bits, dtype in zip(each.running.start, each.running.types)]  # fmt: skip
        return sorted({bits for (bits, _), mask in zip(states, self.masked) if bits and not mask})

    @property
    def group(self) -> int:
        """Rows that are folded together."""
        return min(self.together_rows, self.rows, self.vector) if self.spec.axis == 1 else 1

    @cached_property
    def stored(self) -> set[int]:
        """How many results are stored at a time: those of a group, or whole vectors of columns and what is left."""
        if self.spec.axis is None:
            return {1}
        if self.abreast:
            return {count for rows, _ in self.bands for count in self._pieces(rows)}
        count, most = (self.columns, self.vector) if self.spec.axis == 0 else (self.rows, self.group)
        return {min(most, count), count % most} - {0}

    @property
    def bands(self) -> list[tuple[int, int]]:
        """Rows that are walked side by side, and how often; as equal as may be."""
        count = -(-self.rows // self.abreast)
        wide = self.rows - (self.abreast - 1) * count
        return [(rows, times) for rows, times in ((self.abreast, wide), (self.abreast - 1, count - wide)) if times]

    def _pieces(self, rows: int) -> set[int]:
        """Results of a band that are stored at a time."""
        width = min([count for count in self.widths if count >= rows], default=self.vector)
        return {min(width, rows), rows % width} - {0}

    @property
    def narrower(self) -> tuple[int, ...]:
        """Elements of narrower registers, that what is in registers may be folded into before the tree."""
        return tuple(count for count in self.widths if count < self.vector) if self.spec.axis != 0 else ()

    @property
    def codes(self) -> list[Lowered]:
        """What runs for every row."""
        codes = [self.step, *([self.single] if self.together > 1 else []), self.tail, self.first]
        codes += [code for each in self.outputs for code in (each.join, each.settle, each.fold)]
        return [code for code in codes if code is not None]

    @cached_property
    def tree(self) -> int:
        """Registers of the deepest fold: a line for each level where two different ones meet, and what is beside it.

        A row alone has no lines: its outputs are all there, one of them with what is beside it.
        """
        if self.spec.axis == 0:
            return 0
        parts = [each.parts for each in self.outputs]
        if self.abreast:
            return self.states + max(parts)
        deep = (self.group - 1).bit_length()
        return max(parts) * (deep + 2) if self.group > 1 else sum(parts) + max(parts)

    @property
    def states(self) -> int:
        """Vector registers of all accumulators."""
        return self.accumulators * (len(self.types) - sum(self.masked))

    @cached_property
    def vectors(self) -> int:
        """Vector registers held at a time."""
        results = max(each.result.vectors for each in self.outputs)
        those = [code.vectors for code in self.codes]
        most = sum(those) + results if self.held else max(*those, results)
        starts = len(self.starts) if self.held else 0
        return max(self.states, self.tree) + most + starts + self.arithmetic.spare

    @cached_property
    def masks(self) -> int:
        """The same of mask registers."""
        results = max(each.result.masks for each in self.outputs)
        those = [code.masks for code in self.codes]
        most = sum(those) + results if self.held else max(*those, results)
        return self.accumulators * sum(self.masked) + most

    def _heights(self) -> str:
        return " + ".join(f"{times} x {rows}" for rows, times in self.bands)

    def __str__(self) -> str:
        ahead = ", the next row asked for in advance" if self.ahead else ""
        ahead += f", of as many rows side by side ({self._heights()})" if self.abreast else ""
        return (f"{self.spec}\n{self.accumulators} accumulators of {self.vector}, {self.together} vectors at a time"
                f"{ahead}; {self.step}; {self.cycles:.0f} cycles")  # fmt: skip


def plan(spec: ReduceSpec, facts: Facts) -> ReducePlan:
    """As many accumulators as there are registers for, at most `MOST`."""
    arithmetic: Arithmetic = facts.arithmetic
    vector = facts.widths[0] // BITS[spec.compute]
    tables = [(spec.dtype, arithmetic.loads), *([] if spec.search else [(spec.out, arithmetic.stores)])]
    for dtype, table in tables:
        if dtype != spec.compute and (dtype, spec.compute) not in table:
            raise UnsupportedError(f"{dtype} computed in {spec.compute}: this target does not convert them")
    whole = spec.axis is None and spec.ldx == spec.n
    rows, columns = (1, spec.m * spec.n) if whole else (spec.m, spec.n)
    for made in _candidates(spec, facts, rows, columns, vector):
        if made.vectors + _lane_masks(made, facts) <= facts.vector_registers and made.masks <= arithmetic.masks:
            return made
    raise UnsupportedError(f"{spec.equation}: this target has too few registers for one accumulator of each kind")


def _candidates(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int) -> Iterator[ReducePlan]:
    """The best first."""
    vectors = -(-columns // vector)
    size = rows * columns * ELEMENT_BYTES[spec.dtype]
    near = size <= facts.near_bytes
    if spec.axis == 1 and size <= facts.middle_bytes:
        yield from _side_by_side(spec, facts, rows, columns, vector, facts.abreast if near else facts.abreast // 2)
    if spec.axis == 0:
        yield from _down_columns(spec, facts, rows, columns, vector, rows > 1 and not near)
        return
    most = LONG[1] if spec.axis == 1 and vectors > LONG[0] else MOST[spec.axis]
    tried = [(copies, ROOM) for copies in range(min(most, vectors), 0, -1)]
    for copies, room in (*tried, (1, TIGHT)):
        made = _parts(spec, facts, rows, columns, vector, copies, room)
        if made is None:
            continue
        for together in GROUPS if spec.axis == 1 else (1,):
            held = (True, False) if rows > 1 and together > GROUPS[-1] else (False,)
            yield from (replace(made, held=each, together_rows=together) for each in held)


def _down_columns(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int,
                  far: bool) -> Iterator[ReducePlan]:  # fmt: skip
    """Blocks of columns: of those that registers allow, the ones whose accumulators wait least for each other. Several
    rows go by at a time where a vector takes so few instructions that loads are what takes time."""
    vectors, between = -(-columns // vector), facts.fma_latency / facts.load_cycles(facts.widths[0])

    def waiting(block: tuple[int, int]) -> float:
        full, rest = divmod(vectors, block[0] * block[1])
        return full * max(block[0] * block[1], between) + (max(rest, between) if rest else 0)

    runs = range(WIDE, 0, -1) if far else (*range(NARROW, WIDE + 1), 1)
    blocks = [(STEP, times) for times in runs if (times - 1) * STEP < vectors]
    blocks += [(copies, 1) for copies in range(min(2 * STEP, vectors), 0, -1) if copies != STEP]
    tried = [(*block, ROOM) for block in sorted(blocks, key=waiting)]
    for copies, times, room in (*tried, (1, 1, TIGHT)):
        made = _parts(spec, facts, rows, columns, vector, copies, room)
        light = made is not None and times > 1 and made.step.operations <= LIGHT
        if made is not None and (far or light or times == 1):
            yield replace(made, ahead=far, runs=times, deep=ROWS if light and not far else 1)


def _side_by_side(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int,
                  most: int) -> Iterator[ReducePlan]:  # fmt: skip
    """The same along up to `most` rows that are walked side by side: of a matrix in a near cache, where several walks
    are as good as one. Bands are as high as registers allow, and so high that accumulators do not wait."""
    between = facts.fma_latency / facts.load_cycles(facts.widths[0])
    heights = {-(-rows // -(-rows // height)) for height in range(2, most + 1)}
    for abreast in sorted(heights, reverse=True):
        for copies in (abreast, -(-abreast // 2)):
            made = _parts(spec, facts, rows, columns, vector, copies, ROOM, abreast)
            if made is not None and made.bands[-1][0] * made.together >= between:
                yield from (replace(made, held=held) for held in (True, False))


def _lane_masks(made: ReducePlan, facts: Facts) -> int:
    """Vector registers that the masks of lanes take."""
    spec, rest = made.spec, made.columns % made.vector
    loaded = {(rest, dtype) for dtype in (spec.compute, spec.dtype)} if rest else set()
    stored = {(count, dtype) for count in made.stored for dtype in (spec.compute, spec.out)}
    return sum(facts.needs_mask_register(count, ELEMENT_BYTES[dtype]) for count, dtype in loaded | stored)


def _parts(spec: ReduceSpec, facts: Facts, rows: int, columns: int, vector: int, copies: int, room: int,
           abreast: int = 0) -> ReducePlan | None:  # fmt: skip
    """The code with so many accumulators; None where it cannot be had."""
    arithmetic = facts.arithmetic
    ahead = {0: 1, 1: vector if abreast else copies * vector, None: copies * vector}[spec.axis]
    kept = [running(name, spec.compute, arithmetic, 1 if spec.axis == 0 else 2, ahead) for name in spec.reductions]
    together = kept[0].together
    if not abreast:
        copies = max(1, min(copies // together, -(-columns // (vector * together))))
    rest = columns % vector if spec.axis != 0 else 0
    xs = tuple(operand(f"x{i}", spec.compute) for i in range(together))
    firsts = [sum(len(each.types) for each in kept[:i]) for i in range(len(kept))]
    names = [f"s{first + i}" for first, each in zip(firsts, kept) for i in range(len(each.types))]

    stored = {f"x{i}": spec.dtype for i in range(together)}

    def stepped(elements: Sequence[Expr], count: int, pad: int) -> Lowered | None:
        results: list[Expr] = []
        for first, each in zip(firsts, kept):
            state = tuple(operand(f"s{first + i}", dtype) for i, dtype in enumerate(each.types))
            results += each.step(state, [_padded(x, each.start[0], pad, vector) for x in elements])
        return _checked(lower(widened(tuple(results), stored), arithmetic, room, count, names), len(names))

    def begun() -> Lowered | None:
        """Where every accumulator of a row begins with whole vectors, or a row of a column block is the first."""
        results: list[Expr] = []
        least = (1 if abreast else copies) * together * vector
        for each in kept:
            if spec.axis is None or rows == 1 or each.first is None or columns < least:
                return None
            results += each.first(xs)
        return _checked(lower(widened(tuple(results), stored), arithmetic, room, copies, names), len(names))

    alone = copies if abreast else 1
    step, single = stepped(xs, copies, 0), stepped(xs[:1], alone, 0)
    tail = stepped(xs[:1], alone, rest) if rest else None
    those = zip(spec.reductions, kept, firsts)
    outputs = [_output(spec, name, each, first, arithmetic, room, abreast > 0) for name, each, first in those]
    if step is None or single is None or (rest and tail is None):
        return None
    cycles = rows * -(-columns // vector) * max(1.0, step.operations / together / 4)
    found = tuple(each for each in outputs if each is not None)
    if len(found) < len(outputs):
        return None
    widths = tuple(bits // BITS[spec.compute] for bits in facts.widths if facts.halves)
    return ReducePlan(spec, rows, columns, vector, step, single, tail, begun(), found, arithmetic, cycles,
                      abreast=abreast, widths=widths)  # fmt: skip


def _output(spec: ReduceSpec, name: str, kept: Running, first: int, arithmetic: Arithmetic, room: int,
            abreast: bool) -> Output | None:  # fmt: skip
    """What becomes of the registers of an output after the last element."""

    def made(results: Sequence[Expr], *given: State) -> Lowered | None:
        names = [each.value for state in given for each in state]
        return _checked(lower(results, arithmetic, room, 1, names), len(names))

    state, a, b = kept.inputs("a"), kept.settled("a"), kept.settled("b")
    if spec.axis == 0:
        result = made(_stored(spec, name, kept.value(state)), state)
        return None if result is None else Output(kept, first, None, None, None, result)
    if abreast and kept.apart is not None:
        other = kept.inputs("b")
        fold = made((kept.apart.fold(state[0], other[0]),), state[:1], other[:1])
        result = made(_stored(spec, name, kept.apart.result(*state)), state)
        return Output(kept, first, None, None, fold, result, apart=kept.apart) if fold and result else None
    settled = kept.settle(state)
    as_it_is = all(new is old for new, old in zip(settled, state))
    settle = None if as_it_is else made(settled, state)
    join = None if kept.join is None else made(kept.join(state, kept.inputs("b")), state, kept.inputs("b"))
    fold = made(kept.fold(a, b), a, b)
    result = made(_stored(spec, name, kept.result(a)), a)
    if fold is None or result is None or (settle is None and not as_it_is) or (join is None and kept.join is not None):
        return None
    adds = not spec.search and REDUCTIONS[name].join is add and spec.compute in FLOATS
    return Output(kept, first, join, settle, fold, result, adds)


def _stored(spec: ReduceSpec, name: str, value: Expr) -> tuple[Expr, ...]:
    """What is stored of a finished value."""
    if spec.search:
        return (value,)
    if spec.init:
        value = REDUCTIONS[name].join(value, operand("init", spec.compute))
    return widened((narrowed(value, spec.out),), {"init": spec.out})


def _checked(code: Lowered | None, given: int) -> Lowered | None:
    """Results go to the registers of the inputs of the same number: none of those may be read after that."""
    for i, line in enumerate(code.lines if code is not None else ()):
        if line.op == "store":
            home = line.copy * given + line.value
            later = code.lines[i + 1 :] if code is not None else ()
            assert line.srcs[0] == (GIVEN, home) or all((GIVEN, home) not in each.srcs for each in later), code
    return code


def _padded(x: Expr, identity: int, rest: int, vector: int) -> Expr:
    """x with the identity in the elements beyond the row, which were loaded as zeros."""
    if identity == 0 or not rest:
        return x
    integer = INTEGER_OF[x.dtype]
    pad = own("const", integer, value=(0,) * rest + (identity,) * (vector - rest))
    return from_bits(bits(x) | pad) if x.dtype != integer else x | pad
