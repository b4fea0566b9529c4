"""Split an expression that uses its reductions down the columns into sweeps over the rows.

    batchnorm(x):  mean = mean of x down the columns,  variance = mean of (x - mean)^2,  y = (x - mean) * r

    sweep 0   all rows   column1 = sum of x
    sweep 1   one row    column2 = column1 / m
    sweep 2   all rows   column3 = sum of (x - column2)^2
    sweep 3   one row    column4 = 1 / sqrt(column3 / m + eps)
    sweep 4   all rows   y = (x - column2) * column4

A node has a single row if it depends only on reductions down the columns and on inputs of one row. The level of a node
is the number of reductions down the columns on the longest path to it. A reduction of level-p elements is computed in
the p-th sweep over all rows; single-row values are computed once, between two such sweeps. The values passed from one
sweep to the next are single rows, in scratch memory or in the memory of a result. If a later sweep needs an element
again, it is recomputed, or kept in the matrix of a result that is written at the end anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ...encoder.records import NamedTuple
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, REDUCTIONS, SCAN
from ..expr.coordinates import ROW, counted, number_word
from ..expr.graph import FLOATS, Expr, node, ordered, rebuilt, with_args, with_named
from ..expr.products import PRODUCT, TRANSPOSE
from ..expr.program import Program
from ..operands import Operand
from .passes import KEPT_WORK, work

KEPT = "kept"
"""Prefix of the names of elements that a result's matrix holds from one sweep to a later one."""


class StoredValue(NamedTuple):
    """Where a value lies between sweeps: in scratch memory, or in the memory of the result with this number.

    `name` is the name of the input through which later sweeps read it.
    """

    name: str
    result: int | None
    narrow: bool = False  # one element instead of one row

    def __str__(self) -> str:
        return self.name


class Sweep(NamedTuple):
    """One sweep over all rows (`whole`), or over single-row values: expressions and the places they are stored to."""

    whole: bool
    wide: bool  # whether some expression has a column for each of the matrices
    made: tuple[tuple[Expr, StoredValue], ...]
    """The expressions with their places; in a sweep over all rows, reductions down the columns come first."""

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All expressions of the sweep."""
        return tuple(expr for expr, _ in self.made)

    def operands(
        self, made: Program, known: Mapping[str, Operand], results: Sequence[Operand]
    ) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
        """Return the inputs and outputs of the sweep, whose expressions are `made`. `known` maps names to the inputs of
        the function and to values between sweeps; `results` are those of the function."""
        return tuple(known[name] for name, _ in made.inputs if name in known), tuple(
            known[place.name]._replace(output=True) if place.result is None else results[place.result]
            for _, place in self.made
        )


def counting(name: str, dtype: str, taken: Collection[str]) -> Sweep:
    """Return a sweep that stores the call's number of rows, argument `name`, as one element of scratch memory.

    `taken` are the names that the element must not have.
    """
    place = next(each for each in ("rows", "row_count", "number_of_rows", "rows_") if each not in taken)
    return Sweep(False, False, ((counted(name, dtype), StoredValue(place, None, True)),))


def used_again(results: Sequence[Expr]) -> bool:
    """Whether some expression uses a reduction down the columns."""
    return any(arg.op == DOWN for expr in ordered(results) for arg in expr.args)


def whole_operand(expr: Expr) -> Expr | None:
    """Return the operand of which all rows are read for each row of a node: a right factor, or what is transposed."""
    return expr.args[-1] if expr.op in (PRODUCT, TRANSPOSE) else None


def whole_operands(results: Sequence[Expr]) -> set[Expr]:
    """Return the expressions that must be complete in memory before they are used in such a way."""
    found = {whole_operand(expr) for expr in ordered(results)}
    return {each for each in found if each is not None and each.op not in ("input", DOWN)}


def of_one_row(results: Sequence[Expr]) -> tuple[Expr, ...]:
    """Simplify for matrices of one row, where a reduction down the columns is the element itself."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == DOWN:
            return abs(args[0]) if expr.value == "absmax" else args[0]
        return with_args(expr, args)

    return rebuilt(results, change)


def of_one_column(results: Sequence[Expr]) -> tuple[Expr, ...]:
    """The same expressions for matrices of one column, where a reduction along the row of a value of the row, which is
    the same for all of its elements, is that value."""
    of_row: dict[Expr, bool] = {}

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == ALONG and expr.value in REDUCTIONS and of_row[args[0]]:
            made = abs(args[0]) if expr.value == "absmax" else args[0]
            of_row[made] = True
            return made
        if expr.op == SCAN and not expr.value[1]:
            return args[0]
        made = with_args(expr, args)
        of_row[made] = made.op in (ALONG, "const") or (bool(args) and all(of_row[each] for each in args))
        return made

    return rebuilt(results, change)


def sweeps(
    results: Sequence[Expr],
    given: Mapping[str, tuple[bool, bool]],
    direct: Sequence[bool],
    keeping: Sequence[int] = (),
    shapes: Mapping[Expr, tuple[int, int]] | None = None,
) -> tuple[Sweep, ...]:
    """Return the sweeps that compute these results, in order.

    given    for each input, whether it has more than one row and whether it has more than one column
    direct   for each result, whether a reduction may accumulate in its memory (it has the type of the arithmetic)
    keeping  the numbers of the results whose matrices may hold kept elements until they are written
    shapes   the shape of every node, if products and transposes make matrices of other shapes
    """
    return _SweepCut(results, given, direct, keeping, shapes).sweeps()


class NodeShapes:
    """For every node, whether it has a single row (`single`), more than one column (`wide`), and its level."""

    def __init__(
        self,
        results: Sequence[Expr],
        given: Mapping[str, tuple[bool, bool]],
        shapes: Mapping[Expr, tuple[int, int]] | None = None,
    ) -> None:
        self.order = ordered(results)
        self.single: dict[Expr, bool] = {}
        self.wide: dict[Expr, bool] = {}
        self.level: dict[Expr, int] = {}
        self.complete = whole_operands(results)
        rows: dict[Expr, bool] = {}
        for expr in self.order:
            if shapes is not None:
                rows[expr], self.wide[expr] = (extent > 1 for extent in shapes[expr])
            else:
                many, wide = self._given(expr, given) if expr.op == "input" else (False, False)
                rows[expr] = expr.op != DOWN and (many or any(rows[arg] for arg in expr.args))
                self.wide[expr] = expr.op != ALONG and (wide or any(self.wide[arg] for arg in expr.args))
            before = whole_operand(expr)
            levels = (self.level[arg] + (arg is before and arg in self.complete) for arg in expr.args)
            self.level[expr] = max(levels, default=0) + (expr.op == DOWN)
            self.single[expr] = not rows[expr] and self.level[expr] > 0

    @staticmethod
    def _given(x: Expr, given: Mapping[str, tuple[bool, bool]]) -> tuple[bool, bool]:
        """Return (has rows, has columns) for an input: as `given`, or for numbers and row and column indices."""
        name = str(x.value)
        return given[name] if name in given else (name == ROW, number_word(name) is None)


class _SweepCut(NodeShapes):
    """The sweeps of one function."""

    def __init__(
        self,
        results: Sequence[Expr],
        given: Mapping[str, tuple[bool, bool]],
        direct: Sequence[bool],
        keeping: Sequence[int],
        shapes: Mapping[Expr, tuple[int, int]] | None,
    ) -> None:
        super().__init__(results, given, shapes)
        self.results, self.direct = results, direct
        self.names = set(given)
        self.last = max((level for expr, level in self.level.items() if not self.single[expr]), default=0)
        self.free = [number for number in keeping if self._ends_with(results[number])]
        self.places: dict[Expr, StoredValue] = {}
        self.made_at: dict[Expr, int] = {}  # the sweep over all rows that stores a kept element
        for expr in self.order:
            if expr.op == DOWN:
                if self.single[expr.args[0]]:
                    raise UnsupportedError(
                        f"{expr.value} down the columns (axis=0): its operand has "
                        "one row already; write the operand itself"
                    )
                number = next((i for i, y in enumerate(results) if y is expr and direct[i]), None)
                self.places[expr] = self._place("column", number, not self.wide[expr])
            elif expr in self.complete and not self.single[expr]:
                number = next((i for i, y in enumerate(results) if y is expr and direct[i]), None)
                self.places[expr] = self._place("matrix", number, False)
                self.made_at[expr] = self.level[expr]
        self._keep()

    def _ends_with(self, y: Expr) -> bool:
        """Whether a result is a matrix that the last sweep writes."""
        return self.level[y] == self.last and not self.single[y] and self.wide[y]

    def _place(self, what: str, result: int | None, narrow: bool) -> StoredValue:
        number = sum(each.name.startswith(what) for each in self.places.values())
        while f"{what}{number}" in self.names:
            number += 1
        self.names.add(f"{what}{number}")
        return StoredValue(f"{what}{number}", result, narrow)

    # Elements that are kept

    def _keep(self) -> None:
        """Keep elements that are expensive to recompute, as long as there are matrices to hold them."""
        computed: dict[Expr, int] = {}
        for level in range(self.last + 1):
            stack, seen = self._roots(level), set[Expr]()
            while stack:
                expr = stack.pop()
                if expr in seen or expr in self.places or self.single[expr]:
                    continue
                seen.add(expr)
                again = computed.setdefault(expr, level) < level and self.wide[expr] and expr.dtype in FLOATS
                if again and self.free and work(expr, self._costs_nothing) >= KEPT_WORK:
                    self.places[expr] = self._place(KEPT, self.free.pop(0), False)
                    self.made_at[expr] = computed[expr]
                else:
                    stack += expr.args

    def _costs_nothing(self, expr: Expr) -> bool:
        return self.single[expr] or not expr.args or expr in self.places or not self.wide[expr]

    def _roots(self, level: int) -> list[Expr]:
        """Return the expressions that the sweep over all rows of this level must compute."""
        reduced = [expr.args[0] for expr in self.order if expr.op == DOWN and self.level[expr.args[0]] == level]
        return reduced + [y for y in self.results if self._at(y) == level]

    def _at(self, y: Expr) -> int | None:
        """Return the level of the sweep over all rows that writes a result, or None if it has a single row."""
        return None if self.single[y] else self.level[y]

    # Sweeps

    def sweeps(self) -> tuple[Sweep, ...]:
        """Return all sweeps in order."""
        made: list[Sweep] = []
        for level in range(max(self.level.values()) + 1):
            made += self._of_one_row(level)
            made += self._of_all_rows(level)
        return tuple(made)

    def _of_all_rows(self, level: int) -> Iterator[Sweep]:
        value = self._substitution(level)
        parts: list[tuple[Expr, StoredValue]] = []
        for expr, place in self.places.items():
            if expr.op == DOWN and self.level[expr.args[0]] == level:
                parts.append((node(DOWN, (value(expr.args[0]),), expr.dtype, expr.value), place))
        parts += [(value(expr), self.places[expr]) for expr, at in self.made_at.items() if at == level]
        parts += [
            (value(y), StoredValue("", number, not self.wide[y]))
            for number, y in enumerate(self.results)
            if self._at(y) == level and (y not in self.complete or self.places[y].result != number)
        ]
        if parts:
            yield Sweep(True, True, tuple(parts))

    def _of_one_row(self, level: int) -> Iterator[Sweep]:
        """Yield the sweep for the single-row values of this level that are needed later, and single-row results."""
        needed = {arg for expr in self.order if not self.single[expr] or self.level[expr] > level for arg in expr.args}
        own = [
            expr
            for expr in self.order
            if self.single[expr]
            and self.level[expr] == level
            and expr in needed
            and expr.op != DOWN
            and expr.dtype in FLOATS
        ]
        results = [
            (i, y)
            for i, y in enumerate(self.results)
            if self.single[y] and self.level[y] == level and (y.op != DOWN or self.places[y].result != i)
        ]
        if not own and not results:
            return
        value = self._substitution(level)
        parts: list[tuple[Expr, StoredValue]] = []
        for expr in own:
            number = next((i for i, y in results if y is expr and self.direct[i]), None)
            results = [each for each in results if each[0] != number]
            place = self._place("column", number, not self.wide[expr])
            parts.append((value(expr), place))
            self.places[expr] = place
        parts += [(value(y), StoredValue("", i, not self.wide[y])) for i, y in results]
        inside = ordered([expr for expr, _ in parts])
        wide = any(not place.narrow for _, place in parts) or any(each.op == ALONG for each in inside)
        yield Sweep(False, wide, tuple(parts))

    def _substitution(self, level: int) -> Callable[[Expr], Expr]:
        """Return a function that replaces values that lie in memory by inputs."""
        known = {expr: place.name for expr, place in self.places.items() if self.made_at.get(expr, -1) < level}
        return with_named(known.get)
