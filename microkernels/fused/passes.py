"""Cuts an expression with reductions along rows into passes over a row.

    softmax(x):  e = exp(x - max(x)),  y = e / sum(e)

    pass 0   a0 = max of x
    pass 1   a1 = sum of e,  e is kept
    pass 2   y = e * r0                      r0 = 1 / a1, computed once for the row

A node is of the row, where it depends on reductions, numbers and single elements of inputs alone, or of the elements.
Its level is the number of reductions on the longest way to it: a reduction of elements of level p is computed in pass
p, and so is a result of level p. Values of a row are computed between two passes.

A reduction down the columns is a result of one row in memory, to which each row of elements is added in its pass; one
of values of the row, so of all elements, is one number, to which each row adds its own.

An element that a later pass needs again is computed again where that is a few operations, else it is kept in memory:
in a row of y that is written later, or in scratch memory. Source of the idea, and of the example: Georganas et al.,
Tensor Processing Primitives, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from ...encoder.records import NamedTuple
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN
from ..expr.graph import (
    MASKS,
    Expr,
    maximum,
    minimum,
    multiply_add,
    node,
    operand,
    ordered,
    rebuilt,
    with_args,
)

_FREE = ("neg", "bits", "from_bits")
"""Operations that instructions do beside others, or that none does."""
KEPT_WORK = 4
"""Operations from which an element is kept in memory instead of computed again: a store and a load take as long as
some four operations that wait for nothing (Zen 4, softmax and layer norm of rows in L1)."""
_WORK = {"call": 8, "div": 4, "sqrt": 4}
"""Operations that count as several."""
COLUMN_SUM = "@d"
"""Before the number of a result: what a result of one row is so far."""


class Pass(NamedTuple):
    """What one walk along the row computes; numbers are those of `Passes.reductions`, of kept values, of results."""

    level: int
    reduced: tuple[tuple[int, Expr], ...]
    kept: tuple[tuple[int, Expr], ...]
    results: tuple[tuple[int, Expr], ...]

    @property
    def values(self) -> tuple[Expr, ...]:
        """All expressions."""
        return tuple(value for part in (self.reduced, self.kept, self.results) for _, value in part)

    def apart(self) -> list[Pass]:
        """The reductions one by one, then what is stored."""
        single = [self._replace(reduced=(each,), kept=(), results=()) for each in self.reduced]
        return [*single, *([self._replace(reduced=())] if self.kept or self.results else [])]


class RowPart(NamedTuple):
    """Values of the row, computed before the pass of the same level: for later use, and results."""

    level: int
    values: tuple[tuple[str, Expr], ...]
    results: tuple[tuple[int, Expr], ...]

    @property
    def everything(self) -> tuple[Expr, ...]:
        """All expressions."""
        return (*(value for _, value in self.values), *(value for _, value in self.results))


class Kept(NamedTuple):
    """An element that lies in memory from the pass of this level on: in the row of a result, or in scratch memory."""

    name: str
    level: int
    result: int | None


class Passes(NamedTuple):
    """The passes, and what is computed between them. Names of values: a0... of reductions, r0... of the row, k0... of
    kept elements, all with "@" in front."""

    reductions: tuple[str, ...]
    rows: tuple[RowPart, ...]
    passes: tuple[Pass, ...]
    kept: tuple[Kept, ...]

    def reads(self, name: str) -> list[int]:
        """The levels of the passes that read an input."""
        return [each.level for each in self.passes if name in inputs_of(each.values)]

    def writes(self, result: int) -> int:
        """The level of the last pass that may read the place of a result: one that is computed of values of the row is
        written before the pass of the same level."""
        levels = [(each.level, each) for each in self.passes] + [(each.level - 1, each) for each in self.rows]
        return next(level for level, part in levels if any(number == result for number, _ in part.results))


def inputs_of(values: Sequence[Expr]) -> list[str]:
    """Names of the inputs of expressions."""
    return list(dict.fromkeys(chain.from_iterable(map(_inputs, values))))


@lru_cache(maxsize=1024)
def _inputs(value: Expr) -> list[str]:
    return [expr.value for expr in ordered([value]) if expr.op == "input"]


def work(expr: Expr, known: Callable[[Expr], bool]) -> int:
    """Operations on elements below a node, but for what is known."""
    total, stack, seen = 0, [expr], set[Expr]()
    while stack:
        each = stack.pop()
        if each not in seen and not known(each):
            seen.add(each)
            total += _WORK.get(each.op, 1)
            stack += each.args
    return total


def cut(results: Sequence[Expr], narrow: Collection[str], rows: Collection[int] = (), lines: int = 0) -> Passes:
    """The passes of these results.

    narrow   inputs of one element a row
    rows     results whose rows in memory can hold elements until they are written
    lines    rows of scratch memory
    """
    return _Cut(results, narrow, rows, lines).passes()


class _Cut:
    """The graph with the level of each node, and which of them are of the row."""

    def __init__(self, results: Sequence[Expr], narrow: Collection[str], rows: Collection[int], lines: int) -> None:
        self.results, self.narrow, self.lines = results, narrow, lines
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
        self.kept: dict[Expr, Kept] = {}

    def _classify(self, expr: Expr) -> None:
        levels = max((self.level[arg] for arg in expr.args), default=0)
        self._check_down(expr)
        if expr.op == ALONG:
            if self.of_row[expr.args[0]]:
                raise UnsupportedError(f"{expr.value} along the row of a value that is the same for the whole row: "
                                       "multiply it by the number of columns, or write the value itself")  # fmt: skip
            self.of_row[expr], self.level[expr] = True, levels + 1
            return
        leaf = expr.op == "const" or (expr.op == "input" and expr.value in self.narrow)
        self.of_row[expr] = leaf or (bool(expr.args) and all(self.of_row[arg] for arg in expr.args))
        self.level[expr] = levels

    def _check_down(self, expr: Expr) -> None:
        """Reductions down the columns are results, of elements."""
        below = next((arg for arg in expr.args if arg.op == DOWN), None)
        if below is not None:
            raise UnsupportedError(f"{below.value} down the columns (axis=0) is a result of the function, of one row; "
                                   "what is computed of it takes a second kernel")  # fmt: skip

    def _row_values(self) -> dict[Expr, str]:
        """The nodes of the row whose values elements need, or another level of the row, by their names."""
        found: dict[Expr, str] = {expr: f"@a{i}" for expr, i in self.reductions.items()}
        for expr in self.order:
            for arg in expr.args:
                between = self.of_row[arg] and arg.args and arg not in found and arg.dtype not in MASKS
                if between and (not self.of_row[expr] or self.level[expr] > self.level[arg]):
                    found[arg] = f"@r{len(found) - len(self.reductions)}"
        return found

    # Passes

    def passes(self) -> Passes:
        """All passes, the first one first."""
        roots = self._roots()
        self._keep(roots)
        passes = [self._pass(level, roots[level]) for level in sorted(roots)]
        rows = [part for level in range(1 + max(self.level.values())) if (part := self._row_part(level))]
        names = tuple(str(expr.value) for expr in self.reductions)
        return Passes(names, tuple(rows), tuple(passes), tuple(self.kept.values()))

    def _roots(self) -> dict[int, list[Expr]]:
        """The elements that each pass is for."""
        elements = [y.args[0] if y.op == DOWN else y for y in self.results if not self.of_row[y]]
        wanted = [expr.args[0] for expr in self.reductions] + elements
        roots: dict[int, list[Expr]] = {}
        for expr in wanted:
            roots.setdefault(self.level[expr], []).append(expr)
        return roots

    def _keep(self, roots: dict[int, list[Expr]]) -> None:
        """Choose the elements that are kept, as long as there is room."""
        computed: dict[Expr, int] = {}  # element -> the first pass that computes it
        for level in sorted(roots):
            for expr in self._visited(roots[level], computed, level):
                if computed.setdefault(expr, level) < level:
                    if self.free_rows:
                        self.kept[expr] = Kept(f"@k{len(self.kept)}", computed[expr], self.free_rows.pop(0))
                    elif self.lines:
                        self.kept[expr] = Kept(f"@k{len(self.kept)}", computed[expr], None)
                        self.lines -= 1

    def _visited(self, roots: Sequence[Expr], computed: dict[Expr, int], level: int) -> Iterator[Expr]:
        """The elements that a pass computes, results first, not below those that it can load instead."""
        stack, seen = list(roots), set()
        while stack:
            expr = stack.pop()
            if expr in seen or self.of_row[expr] or not expr.args:
                continue
            seen.add(expr)
            if expr in self.kept and self.kept[expr].level < level:
                continue
            earlier = computed.get(expr, level) < level and work(expr, self._known) >= KEPT_WORK
            if expr.dtype not in MASKS and (earlier or expr not in computed):
                yield expr
            if expr not in self.kept:
                stack += expr.args

    def _known(self, expr: Expr) -> bool:
        """Whether a node is no operation on elements."""
        return self.of_row[expr] or not expr.args or expr in self.kept

    def _pass(self, level: int, roots: list[Expr]) -> Pass:
        value = self._substitution(lambda expr: self._element_name(expr, level))
        reduced = tuple((number, value(expr.args[0])) for expr, number in self.reductions.items()
                        if self.level[expr.args[0]] == level)  # fmt: skip
        kept = tuple((number, value(expr)) for number, (expr, each) in enumerate(self.kept.items())
                     if each.level == level)  # fmt: skip
        results = tuple((number, self._result(number, y, value))
                        for number, y in enumerate(self.results)
                        if not self.of_row[y] and self.level[y] == level)  # fmt: skip
        return Pass(level, reduced, kept, results)

    def _element_name(self, expr: Expr, level: int) -> str | None:
        """The name of a value that a pass does not compute."""
        if expr in self.row_values:
            return self.row_values[expr]
        return self.kept[expr].name if expr in self.kept and self.kept[expr].level < level else None

    def _row_part(self, level: int) -> RowPart | None:
        own = {e: name for e, name in self.row_values.items() if e.op != ALONG and self.level[e] == level}
        results = [(number, y) for number, y in enumerate(self.results) if self.of_row[y] and self.level[y] == level]
        if not own and not results:
            return None
        known = {expr: name for expr, name in self.row_values.items() if expr not in own}
        value = self._substitution(known.get)
        return RowPart(level, tuple((name, value(expr)) for expr, name in own.items()),
                       tuple((number, self._result(number, y, value)) for number, y in results))  # fmt: skip

    @staticmethod
    def _result(number: int, y: Expr, value: Callable[[Expr], Expr]) -> Expr:
        """What is stored: the result, or what it becomes by what a row adds to it."""
        return added(number, y.value, value(y.args[0])) if y.op == DOWN else value(y)

    def _substitution(self, name: Callable[[Expr], str | None]) -> Callable[[Expr], Expr]:
        """Replaces nodes that have a name by an input of that name."""
        new: dict[Expr, Expr] = {}

        def replaced(expr: Expr) -> Expr:
            if expr not in new:
                named = name(expr)
                new[expr] = operand(named, expr.dtype) if named else node(
                    expr.op, tuple(replaced(arg) for arg in expr.args), expr.dtype, expr.value)  # fmt: skip
            return new[expr]

        return replaced


def added(number: int, name: str, x: Expr) -> Expr:
    """What a result of one row becomes by one element more of its column."""
    total = operand(f"{COLUMN_SUM}{number}", x.dtype)
    if name == "sum":
        return multiply_add(x.args[0], x.args[1], total) if x.op == "mul" else total + x
    if name == "product":
        return total * x
    return minimum(total, x) if name == "min" else maximum(total, abs(x) if name == "absmax" else x)


def places_of(cuts: Passes, values: Sequence[str]) -> tuple[int, ...]:
    """A register for each value of the row: one whose last value is no longer needed, or another."""
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
    free_from: list[int] = []  # of each register, the moment from which on it may be written
    places: dict[str, int] = {}
    for name in sorted(values, key=lambda name: born[name]):
        place = next((i for i, moment in enumerate(free_from) if moment < born[name]), len(free_from))
        free_from[place : place + 1] = [max(last.get(name, born[name]), born[name])]
        places[name] = place
    return tuple(places[name] for name in values)


# What expansion adds to the values of the row


def hoisted(passes: Passes, compute: str, expanded: Callable[[Sequence[Expr]], Sequence[Expr]]) -> Passes:
    """The same passes without operations on values of the row that appear when functions are expanded: these are
    computed once a row. Passes that change have their values expanded. compute: the type of values of the row."""
    moved: dict[int, dict[Expr, str]] = {}  # level -> what is computed once a row, and its name
    count = sum(len(part.values) for part in passes.rows)
    changed = []
    for each in passes.passes:
        values, own = expanded(each.values), moved.setdefault(each.level, {})
        for found in _outermost(values, compute):
            if found not in own:
                own[found] = f"@r{count}"
                count += 1
        changed.append(_with_values(each, [_replaced(value, own) for value in values]) if own else each)
    if not any(moved.values()):
        return passes
    rows = {part.level: part for part in passes.rows}
    for level, own in moved.items():
        part = rows.get(level, RowPart(level, (), ()))
        inside = dict(part.values)
        more = tuple((name, _with_inputs(expr, inside)) for expr, name in own.items())
        if more:
            rows[level] = part._replace(values=(*part.values, *more))
    return _without_unused(passes._replace(rows=tuple(rows[level] for level in sorted(rows)), passes=tuple(changed)))


def _outermost(values: Sequence[Expr], compute: str) -> list[Expr]:
    """The largest parts of expressions that depend on values of the row and numbers alone."""
    of_row: dict[Expr, bool] = {}  # whether an operation is worth a register
    found: dict[Expr, None] = {}
    for expr in ordered(values):
        if expr.op == "const":
            of_row[expr] = False
        elif expr.op == "input":
            if str(expr.value).startswith(("@a", "@r")):
                of_row[expr] = False
        elif expr.args and all(arg in of_row for arg in expr.args):
            constant = not inputs_of([expr])
            of_row[expr] = not constant and (expr.op not in _FREE or any(of_row[arg] for arg in expr.args))
        else:
            found.update((arg, None) for arg in expr.args if of_row.get(arg) and arg.dtype == compute)
    return list(found)


def _replaced(value: Expr, own: dict[Expr, str]) -> Expr:
    """Parts that moved become inputs."""
    return rebuilt([value], lambda e, args: operand(own[e], e.dtype) if e in own else with_args(e, args))[0]


def _with_inputs(expr: Expr, values: dict[str, Expr]) -> Expr:
    """Values that are computed at the same time, by their expressions."""
    return rebuilt([expr], lambda e, args: values.get(e.value, e) if e.op == "input" else with_args(e, args))[0]


def _with_values(each: Pass, values: Sequence[Expr]) -> Pass:
    rest = iter(values)
    reduced, kept, results = (
        tuple((number, next(rest)) for number, _ in part) for part in (each.reduced, each.kept, each.results)
    )
    return each._replace(reduced=reduced, kept=kept, results=results)


def _without_unused(passes: Passes) -> Passes:
    """Values of the row that only the parts that moved took are not kept."""
    used = set[str]()
    for each in passes.passes:
        used.update(inputs_of(each.values))
    rows = []
    for part in reversed(passes.rows):  # a later part may be the only one that takes a value
        kept = part._replace(values=tuple((name, value) for name, value in part.values if name in used))
        used.update(inputs_of(kept.everything))
        if kept.everything:
            rows.append(kept)
    return passes._replace(rows=tuple(reversed(rows)))
