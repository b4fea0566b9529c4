"""The panels of a GEMM on square accumulators.

    acc (j, i) += X (j, k) (x) Y (i, k)         a step of k is one outer product for each square of C

X are columns of the product's B, Y rows of its A; lines of a square are columns of C, which lie contiguously. A sum
starts as C where C = C + A B is asked, else as +0. What else becomes of C is done in vector registers, line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from ..contract.machine import Address, Amount, General, Vector
from ..contract.outer_product import Squares
from .blocking import Block, Panel
from .search_outer import split, turned
from .state import Frame
from .update import Scaling

_WORK = 6  # vector registers for what becomes of C
Visit = Callable[[int, int, Address, int], None]
"""(square, line, place in C, chunk)."""


@contextmanager
def squared(frame: Frame) -> Iterator[None]:
    """A scope with square accumulators, for a product that has them."""
    plan = frame.plan
    if plan.product.square is None or not plan.panels:
        yield
        return
    dtypes = dict(zip("abc", plan.spec.dtypes))
    frame.squares = frame.m.squares(dtypes[plan.product.b.argument], dtypes[plan.product.a.argument])
    frame.result = frame.m.result(plan.spec.dtype, plan.product.dtype)
    with frame.squares.opened():
        yield


class SquarePanel:
    """Blocks of columns of one panel of rows."""

    def __init__(self, frame: Frame, panel: Panel, scope: ExitStack) -> None:
        assert isinstance(frame.squares, Squares) and frame.result is not None
        self.frame, self.m, self.result = frame, frame.m, frame.result
        self.squares, self.facts = frame.squares, frame.squares.facts
        product, spec = frame.product, frame.plan.spec
        self.chunks = panel.chunks
        self.starts = [sum(panel.chunks[:i]) for i in range(len(panel.chunks))]
        self.scaling = Scaling(frame, early_c=spec.starts_as_c)
        self.direct = spec.dtype == product.dtype and spec.alpha == 1 and not self.scaling.reads_c
        self.turns_x, self.turns_y = turned(product)
        self.total = product.k * self.facts.depth - (self.facts.depth - product.rest if product.rest else 0)
        self.turn = self.facts.turned * self.facts.depth  # elements of k
        self.kept = self.facts.squares - 1  # the square that turns
        self.steps = [each if isinstance(each, int) else 0 for each in (frame.b_step, frame.a_step)]
        self._prepare(panel)

    def _prepare(self, panel: Panel) -> None:
        """Everything that loops need."""
        product, spec, m, facts = self.frame.product, self.frame.plan.spec, self.m, self.facts
        for block in panel.blocks:
            self._prepare_factor(split(block.columns, facts.side), product.b.steps, "x", self.turns_x)
        self._prepare_factor(self.chunks, product.a.steps, "y", self.turns_y)
        self.lanes = [m.lanes(self.result.scaled or product.dtype, count) for count in self.chunks]
        self.of_c = self.lanes if self.direct else [m.lanes(spec.dtype, count) for count in self.chunks]

    def _prepare_factor(self, counts: tuple[int, ...], steps: int, which: str, turns: bool) -> None:
        for count in counts:
            self.squares.prepare(count)
        if turns:
            self.squares.prepare_turn(self.total % self.turn, which)
        elif steps > 1:
            for first in range(0, len(counts), self.facts.depth):
                self.squares.prepare_plain(sum(counts[first : first + self.facts.depth]), which)

    def block(self, block: Block) -> None:
        """One grid of squares: start it, sum over the batch and k, update C."""
        frame, m = self.frame, self.m
        self.columns = split(block.columns, self.facts.side)
        m.note(f"{len(self.chunks)} x {len(self.columns)} squares of C")
        self._start()
        if frame.count != 0:
            with ExitStack() as scope:
                self._claim(scope)
                with frame.pairs():
                    frame.start_k()
                    self._sum_turned() if self.turns_x or self.turns_y else self._sum(block)
        self._finish()

    def _claim(self, scope: ExitStack) -> None:
        """Vectors of both factors: one for each square along a side, or a turn of them."""
        product, turns = self.frame.product, self.facts.turned
        plain = any(
            operand.steps > 1 and not turns_it
            for operand, turns_it in ((product.b, self.turns_x), (product.a, self.turns_y))
        )
        keeps_x, keeps_y = self.turns_x, self.turns_y and not self.turns_x
        self.x, self.y, self.spare = (
            scope.enter_context(self.m.vectors(count, role))
            for count, role in (
                (turns if keeps_x else len(self.columns), "columns of B"),
                (turns if keeps_y else len(self.chunks), "rows of A"),
                (self.facts.depth + 2 if plain else 0, "plain rows"),
            )
        )

    def _square(self, i: int, j: int) -> int:
        return i * len(self.columns) + j

    # The sum, from vectors as they lie

    def _sum(self, block: Block) -> None:
        frame, rest, depth = self.frame, self.frame.product.rest, self.facts.depth

        def step(kk: int, elements: int) -> None:
            self._load_x(kk, elements)
            self._load_y(kk, elements)
            self._products(self.x, self.y)

        self.m.note(f"k: {len(self.chunks) * len(self.columns)} outer products a step")
        final = (lambda kk, left: step(kk, rest)) if rest else None
        frame.walk_k(frame.product.k, block.unroll, lambda kk, left: step(kk, depth), frame.a_step, frame.b_step, final)

    def _load_x(self, kk: int, elements: int) -> None:
        frame, product = self.frame, self.frame.product
        self._load("x", self.x, self.columns, product.b.place, product.b.steps, frame.b_k, frame.ldb, frame.b_places,
                   kk * self.steps[0], elements)  # fmt: skip

    def _load_y(self, kk: int, elements: int) -> None:
        frame, product = self.frame, self.frame.product
        self._load("y", self.y, self.chunks, product.a.place, product.a.steps, frame.a_k, frame.lda, frame.a_multiples,
                   kk * self.steps[1], elements)  # fmt: skip

    def _load(
        self, which: str, dst: list[Vector], counts: tuple[int, ...], place: int, steps: int, base: General,
        leading: Amount, multiples: Sequence[General], disp: int, elements: int,
    ) -> None:  # fmt: skip
        """Vectors of one step: groups where they are packed, else from plain elements."""
        m = self.m
        if steps > 1:
            places = [m.column(base, leading, multiples, e, disp) for e in range(elements)]
            self.squares.interleave(dst, places, counts, which, self.spare)
            return
        for register, count in zip(dst, counts):
            self.squares.load(register, m.at(base, disp), count, which, elements)
            disp += count * place

    def _products(self, x: list[Vector], y: list[Vector]) -> None:
        for i, rows in enumerate(self.chunks):
            for j, columns in enumerate(self.columns):
                self.squares.product(self._square(i, j), x[j], y[i], columns, rows)

    # The sum, with operands that are contiguous along k

    def _sum_turned(self) -> None:
        """Turns of k, each of as many steps as a square has columns, or as registers may keep."""
        frame, m = self.frame, self.m
        full, tail = divmod(self.total, self.turn)
        m.note(f"k: {self.facts.turned} steps a turn")
        if full:
            with m.loop(frame.k_counter, full):
                self._one_turn(self.turn)
                if full > 1 or tail:
                    self._advance(self.facts.turned, whole=True)
        if tail:
            self._one_turn(tail)

    def _advance(self, steps: int, whole: bool) -> None:
        """Along k: by distances known only at the call at every step, by others after a turn."""
        frame = self.frame
        for pointer, distance in ((frame.a_k, frame.a_step), (frame.b_k, frame.b_step)):
            if isinstance(distance, int) == whole:
                self.m.advance(pointer, distance, steps)

    def _one_turn(self, elements: int) -> None:
        groups = -(-elements // self.facts.depth)
        if self.turns_x:
            self._keep("x", self.x[:groups], self._rows_of_x(), elements)
        else:
            self._keep("y", self.y[:groups], self._rows_of_y(0), elements)
        if self.turns_x and self.turns_y:
            for i in range(len(self.chunks)):
                self.squares.turn(self.kept, self._rows_of_y(i), elements, "y")
                for s in range(groups):
                    self.squares.columns([self.y[i]], self.kept, s)
                    self.squares.product(self._square(i, 0), self.x[s], self.y[i], self.columns[0], self.chunks[i])
            return
        for s in range(groups):
            part = min(self.facts.depth, elements - s * self.facts.depth)
            if self.turns_x:
                self._load_y(s, part)
                self._products([self.x[s]], self.y)
            else:
                self._load_x(s, part)
                self._products(self.x, [self.y[s]])
            self._advance(1, whole=False)

    def _keep(self, which: str, dst: list[Vector], rows: Iterator[Address], elements: int) -> None:
        self.squares.turn(self.kept, rows, elements, which)
        self.squares.columns(dst, self.kept)

    def _rows_of_x(self) -> Iterator[Address]:
        return self._walk(self.frame.b_k, self.frame.b_column, 0, self.columns[0])

    def _rows_of_y(self, i: int) -> Iterator[Address]:
        return self._walk(self.frame.a_k, self.frame.a_row, self.starts[i], self.chunks[i])

    def _walk(self, base: General, distance: Amount, first: int, count: int) -> Iterator[Address]:
        """Places a distance apart; each is valid until the next is asked for."""
        m, pointer = self.m, self.squares.pointer
        m.copy(pointer, base)
        m.advance(pointer, distance, first)
        for number in range(count):
            if number:
                m.advance(pointer, distance)
            yield m.at(pointer)

    # C

    def _each_line(self, visit: Visit) -> None:
        """Every line of every square, in the order of C's columns."""
        m, frame, pointer, size = self.m, self.frame, self.squares.pointer, self.frame.product.c.place
        m.copy(pointer, frame.c)

        def at_line(j: int, line: int) -> None:
            for i, start in enumerate(self.starts):
                visit(self._square(i, j), line, m.at(pointer, start * size), i)
            m.advance(pointer, frame.ldc)

        for j, count in enumerate(self.columns):
            self.squares.lines(count, partial(at_line, j))

    def _start(self) -> None:
        squares = self.squares
        if not self.scaling.early_c:
            for square in range(len(self.chunks) * len(self.columns)):
                squares.zero(square)
        elif self.direct:
            self._each_line(lambda square, line, place, i: squares.load_line(square, line, place, self.chunks[i]))
        else:
            with self.m.vectors(1, "C") as (acc,):
                self._each_line(lambda square, line, place, i: self._load_line(square, line, place, i, acc))

    def _load_line(self, square: int, line: int, place: Address, i: int, acc: Vector) -> None:
        self.result.load(acc, place, self.of_c[i], self.lanes[i])
        self.squares.put(square, line, acc)

    def _finish(self) -> None:
        self.m.note("C")
        if self.direct:
            self._each_line(lambda square, line, place, i: self.squares.store_line(place, square, line, self.chunks[i]))
            return
        scaling, widest = self.scaling, max(self.lanes, key=lambda lanes: lanes.capacity)
        with self.m.vectors(_WORK, "C") as work:
            for register, factor, needed in (
                (work[0], scaling.alpha, scaling.alpha != 1),
                (work[1], scaling.beta, scaling.reads_c and scaling.beta != 1),
            ):
                if needed:
                    self.m.constant(register, factor, widest)
            self._each_line(lambda square, line, place, i: self._update(square, line, place, i, work))

    def _update(self, square: int, line: int, place: Address, i: int, work: list[Vector]) -> None:
        """One line: scale, add C, store. With beta = 0 C is not read: it may hold NaN."""
        m, scaling, lanes = self.m, self.scaling, self.lanes[i]
        alpha, beta, c, acc, *spare = work
        self.squares.take(acc, square, line)
        if self.result.scaled:
            self.result.convert(acc, lanes)
        if scaling.alpha != 1:
            m.mul(acc, acc, alpha, lanes)
        if scaling.reads_c:
            self.result.load(c, place, self.of_c[i], lanes)
            if scaling.beta == 1:
                m.add(acc, acc, c, lanes)
            else:
                m.fma(acc, c, beta, lanes)
        self.result.store(place, acc, self.of_c[i], lanes, [*spare, c])
