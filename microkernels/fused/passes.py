"""Split an expression with reductions along rows into passes over a row.

    softmax(x):  e = exp(x - max(x)),  y = e / sum(e)

    pass 0   a0 = max of x
    pass 1   a1 = sum of e,  e is kept
    pass 2   y = e * r0                      r0 = 1 / a1, computed once for the row

Every node of the graph is either a row value (it depends only on reductions, constants and one-element inputs, so it is
the same for the whole row) or an element value. The level of a node is the number of reductions on the longest path to
it. A reduction of elements of level p is computed in pass p, and so is a result of level p. Row values are computed
between two passes.

A reduction down the columns is a result of one row in memory: the pass adds each row of elements to it. A reduction of
all elements is a reduction of row values: a single number to which each row adds its own.

If a later pass needs an element again, it is recomputed if that takes only a few operations. Otherwise it is kept in
memory: in a row of y that is written later, or in scratch memory. The idea and the example are from Georganas et al.,
Tensor Processing Primitives, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from ...encoder.records import NamedTuple
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, SCAN, SCANS
from ..expr.graph import (
    MASKS,
    Expr,
    maximum,
    minimum,
    multiply_add,
    operand,
    ordered,
    with_named,
)

KEPT_WORK = 4
"""An element that takes at least this many operations is kept in memory instead of recomputed. A store and a load take
as long as about four independent operations (Zen 4, softmax and layer norm of rows in L1)."""
_WORK = {"call": 8, "div": 4, "sqrt": 4, SCAN: 8}
"""The weight of operations that count as several."""
KEPT = "@k"
"""Prefix of the input that stands for a kept element; its number follows."""
COLUMN_SUM = "@d"
"""Prefix of the input that stands for the current value of a column reduction; the number of the result follows."""


class Pass(NamedTuple):
    """What one pass over the row computes; the numbers index `Passes.reductions`, `Passes.kept` and the results."""

    level: int
    reduced: tuple[tuple[int, Expr], ...]
    kept: tuple[tuple[int, Expr], ...]
    results: tuple[tuple[int, Expr], ...]

    @property
    def values(self) -> tuple[Expr, ...]:
        """All expressions of the pass."""
        return tuple(value for part in (self.reduced, self.kept, self.results) for _, value in part)

    def split(self) -> list[Pass]:
        """Split the pass into one pass per reduction, followed by one that stores."""
        single = [self._replace(reduced=(each,), kept=(), results=()) for each in self.reduced]
        return [*single, *([self._replace(reduced=())] if self.kept or self.results else [])]


class RowPart(NamedTuple):
    """Row values that are computed before the pass of the same level: named ones for later use, and results."""

    level: int
    values: tuple[tuple[str, Expr], ...]
    results: tuple[tuple[int, Expr], ...]

    @property
    def everything(self) -> tuple[Expr, ...]:
        """All expressions of the part."""
        return (*(value for _, value in self.values), *(value for _, value in self.results))


class StoredElement(NamedTuple):
    """An element value kept in memory from the pass of its level on.

    It lies in the row of the result with this number, or in scratch memory if that is None.
    """

    name: str
    level: int
    result: int | None


class Passes(NamedTuple):
    """The passes. Reductions are named @a0, @a1, ..., other row values @r0, ..., kept elements @k0, ..."""

    reductions: tuple[str, ...]
    rows: tuple[RowPart, ...]
    passes: tuple[Pass, ...]
    kept: tuple[StoredElement, ...]

    def reads(self, name: str) -> list[int]:
        """Return the levels of the passes that read this input."""
        return [each.level for each in self.passes if name in inputs_of(each.values)]

    def writes(self, result: int) -> int:
        """Return the last pass that may still read this result's memory. Row values are written before their pass."""
        levels = [(each.level, each) for each in self.passes] + [(each.level - 1, each) for each in self.rows]
        return next(level for level, part in levels if any(number == result for number, _ in part.results))


def inputs_of(values: Sequence[Expr]) -> list[str]:
    """Return the names of all inputs that the expressions read."""
    return list(dict.fromkeys(chain.from_iterable(map(_inputs, values))))


@lru_cache(maxsize=1024)
def _inputs(value: Expr) -> list[str]:
    return [expr.value for expr in ordered([value]) if expr.op == "input"]


def work(expr: Expr, known: Callable[[Expr], bool]) -> int:
    """Count the operations needed to compute a node, without the nodes that are `known`."""
    total, stack, seen = 0, [expr], set[Expr]()
    while stack:
        each = stack.pop()
        if each not in seen and not known(each):
            seen.add(each)
            total += _WORK.get(each.op, 1)
            stack += each.args
    return total


def cut(
    results: Sequence[Expr], narrow: Collection[str], rows: Collection[int] = (), lines: int = 0, worth: int = KEPT_WORK
) -> Passes:
    """Split the computation of these results into passes.

    narrow   names of the inputs that have one element per row
    rows     numbers of the results whose rows in memory may hold kept elements until they are written
    lines    the number of rows of scratch memory for kept elements
    worth    the fewest operations of an element that is kept instead of recomputed
    """
    return _PassCut(results, narrow, rows, lines, worth).passes()


class _PassCut:
    """The graph, with the level of each node and whether it is a row value."""

    def __init__(
        self, results: Sequence[Expr], narrow: Collection[str], rows: Collection[int], lines: int, worth: int
    ) -> None:
        self.results, self.narrow, self.lines, self.worth = results, narrow, lines, worth
        self.order = ordered(results)
        self.of_row: dict[Expr, bool] = {}
        self.level: dict[Expr, int] = {}
        for expr in self.order:
            self._classify(expr)
        self.reductions = {expr: i for i, expr in enumerate(e for e in self.order if e.op == ALONG)}
        self.row_values = self._row_values()
        last = max(self.level.values())
        self.free_rows = [
            number for number in rows if self.level[results[number]] == last and results[number].op != DOWN
        ]
        self.kept: dict[Expr, StoredElement] = {}

    def _classify(self, expr: Expr) -> None:
        levels = max((self.level[arg] for arg in expr.args), default=0)
        self._check_down(expr)
        if expr.op == ALONG:
            if self.of_row[expr.args[0]]:
                raise UnsupportedError(
                    f"{expr.value} along the row: its operand has one value for the "
                    "whole row; multiply that by the number of columns, or write "
                    "the value itself"
                )
            self.of_row[expr], self.level[expr] = True, levels + 1
            return
        if expr.op in SCANS:
            self._check_scan(expr)
        leaf = expr.op == "const" or (expr.op == "input" and expr.value in self.narrow)
        self.of_row[expr] = leaf or (bool(expr.args) and all(self.of_row[arg] for arg in expr.args))
        self.level[expr] = levels

    def _check_scan(self, expr: Expr) -> None:
        """Raise UnsupportedError for a scan of anything but the elements of a row."""
        if expr.op != SCAN:
            raise UnsupportedError(
                'a scan goes along the neighbours in memory: axis=1 of matrices of order "C", axis=0 of those of order '
                '"F"; ts.transpose turns a matrix'
            )
        if self.of_row[expr.args[0]]:
            raise UnsupportedError(
                "a scan of one value for the whole row: it needs the elements of a matrix or of a row; multiply that "
                "value by the scan of ones that are an input"
            )

    def _check_down(self, expr: Expr) -> None:
        """Raise UnsupportedError if the node uses a reduction down the columns, which can only be a result."""
        below = next((arg for arg in expr.args if arg.op == DOWN), None)
        if below is not None:
            raise UnsupportedError(
                f"{below.value} down the columns (axis=0) must be a result of the "
                "function, of one row, and cannot be used in it; use it in a second "
                "kernel"
            )

    def _row_values(self) -> dict[Expr, str]:
        """Name the row values that elements or row values of another level need."""
        found: dict[Expr, str] = {expr: f"@a{i}" for expr, i in self.reductions.items()}
        for expr in self.order:
            for arg in expr.args:
                between = self.of_row[arg] and arg.args and arg not in found and arg.dtype not in MASKS
                if between and (not self.of_row[expr] or self.level[expr] > self.level[arg]):
                    found[arg] = f"@r{len(found) - len(self.reductions)}"
        return found

    # Passes

    def passes(self) -> Passes:
        """Return all passes in order."""
        roots = self._roots()
        self._keep(roots)
        passes = [self._pass(level, roots[level]) for level in sorted(roots)]
        rows = [part for level in range(1 + max(self.level.values())) if (part := self._row_part(level))]
        names = tuple(str(expr.value) for expr in self.reductions)
        return Passes(names, tuple(rows), tuple(passes), tuple(self.kept.values()))

    def _roots(self) -> dict[int, list[Expr]]:
        """Group the element values that must be computed by the level of their pass."""
        elements = [y.args[0] if y.op == DOWN else y for y in self.results if not self.of_row[y]]
        wanted = [expr.args[0] for expr in self.reductions] + elements
        roots: dict[int, list[Expr]] = {}
        for expr in wanted:
            roots.setdefault(self.level[expr], []).append(expr)
        return roots

    def _keep(self, roots: dict[int, list[Expr]]) -> None:
        """Choose the elements to keep, as long as there is room."""
        computed: dict[Expr, int] = {}  # element -> the first pass that computes it
        for level in sorted(roots):
            for expr in self._visited(roots[level], computed, level):
                if computed.setdefault(expr, level) < level:
                    if self.free_rows:
                        self.kept[expr] = StoredElement(
                            f"{KEPT}{len(self.kept)}", computed[expr], self.free_rows.pop(0)
                        )
                    elif self.lines:
                        self.kept[expr] = StoredElement(f"{KEPT}{len(self.kept)}", computed[expr], None)
                        self.lines -= 1

    def _visited(self, roots: Sequence[Expr], computed: dict[Expr, int], level: int) -> Iterator[Expr]:
        """Yield the elements that a pass computes, results first. Does not descend below elements that are loaded."""
        stack, seen = list(roots), set()
        while stack:
            expr = stack.pop()
            if expr in seen or self.of_row[expr] or not expr.args:
                continue
            seen.add(expr)
            if expr in self.kept and self.kept[expr].level < level:
                continue
            earlier = computed.get(expr, level) < level and work(expr, self._known) >= self.worth
            if expr.dtype not in MASKS and (earlier or expr not in computed):
                yield expr
            if expr not in self.kept:
                stack += expr.args

    def _known(self, expr: Expr) -> bool:
        """Whether computing the node takes no operation on elements."""
        return self.of_row[expr] or not expr.args or expr in self.kept

    def _pass(self, level: int, roots: list[Expr]) -> Pass:
        value = with_named(lambda expr: self._element_name(expr, level))
        reduced = tuple(
            (number, value(expr.args[0]))
            for expr, number in self.reductions.items()
            if self.level[expr.args[0]] == level
        )
        kept = tuple(
            (number, value(expr)) for number, (expr, each) in enumerate(self.kept.items()) if each.level == level
        )
        results = tuple(
            (number, self._result(number, y, value))
            for number, y in enumerate(self.results)
            if not self.of_row[y] and self.level[y] == level
        )
        return Pass(level, reduced, kept, results)

    def _element_name(self, expr: Expr, level: int) -> str | None:
        """Return the name of a value that the pass reads instead of computing it, or None."""
        if expr in self.row_values:
            return self.row_values[expr]
        return self.kept[expr].name if expr in self.kept and self.kept[expr].level < level else None

    def _row_part(self, level: int) -> RowPart | None:
        own = {e: name for e, name in self.row_values.items() if e.op != ALONG and self.level[e] == level}
        results = [(number, y) for number, y in enumerate(self.results) if self.of_row[y] and self.level[y] == level]
        if not own and not results:
            return None
        known = {expr: name for expr, name in self.row_values.items() if expr not in own}
        value = with_named(known.get)
        return RowPart(
            level,
            tuple((name, value(expr)) for expr, name in own.items()),
            tuple((number, self._result(number, y, value)) for number, y in results),
        )

    @staticmethod
    def _result(number: int, y: Expr, value: Callable[[Expr], Expr]) -> Expr:
        """Return the expression to store: the result, or a column reduction updated by this row."""
        return added(number, y.value, value(y.args[0])) if y.op == DOWN else value(y)


def added(number: int, name: str, x: Expr) -> Expr:
    """Return the column reduction `name`, result number `number`, updated by one more element x."""
    total = operand(f"{COLUMN_SUM}{number}", x.dtype)
    if name == "sum":
        return multiply_add(x.args[0], x.args[1], total) if x.op == "mul" else total + x
    if name == "product":
        return total * x
    return minimum(total, x) if name == "min" else maximum(total, abs(x) if name == "absmax" else x)


def places_of(cuts: Passes, values: Sequence[str]) -> tuple[int, ...]:
    """Assign a register to each row value, reusing registers whose value is dead."""
    born: dict[str, int] = {}
    last: dict[str, int] = {}
    parts: list[Pass | RowPart] = sorted(
        [*cuts.rows, *cuts.passes], key=lambda each: (each.level, isinstance(each, Pass))
    )
    for moment, part in enumerate(parts):
        used = part.everything if isinstance(part, RowPart) else part.values
        last.update(dict.fromkeys(inputs_of(used), moment))
        made = [name for name, _ in part.values] if isinstance(part, RowPart) else [f"@a{i}" for i, _ in part.reduced]
        born.update(dict.fromkeys(made, moment))
    free_from: list[int] = []  # for each register, the moment from which it may be overwritten
    places: dict[str, int] = {}
    for name in sorted(values, key=lambda name: born[name]):
        place = next((i for i, moment in enumerate(free_from) if moment < born[name]), len(free_from))
        free_from[place : place + 1] = [max(last.get(name, born[name]), born[name])]
        places[name] = place
    return tuple(places[name] for name in values)
