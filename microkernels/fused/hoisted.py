"""Row values that appear when functions are expanded, moved out of the passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..expr.coordinates import is_place
from ..expr.graph import Expr, ordered, rebuilt, with_args, with_named
from .passes import Pass, Passes, RowPart, inputs_of

_FREE = ("neg", "bits", "from_bits")
"""Operations that other instructions absorb or that emit no instruction."""


def hoisted(passes: Passes, compute: str, expanded: Callable[[Sequence[Expr]], Sequence[Expr]]) -> Passes:
    """Move operations on row values, which appear when functions are expanded, out of the passes.

    They are then computed once per row. Passes that change have their values expanded. compute: type of row values.
    """
    moved: dict[int, dict[Expr, str]] = {}  # level -> the expressions computed once per row, with their names
    count = sum(len(part.values) for part in passes.rows)
    changed = []
    for each in passes.passes:
        values, own = expanded(each.values), moved.setdefault(each.level, {})
        for found in _outermost(values, compute):
            if found not in own:
                own[found] = f"@r{count}"
                count += 1
        changed.append(_with_values(each, [*map(with_named(own.get), values)]) if own else each)
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
    """Return the largest subexpressions that depend only on row values and constants."""
    of_row: dict[Expr, bool] = {}  # whether an operation is worth a register
    found: dict[Expr, None] = {}
    for expr in ordered(values):
        if expr.op == "const":
            of_row[expr] = False
        elif expr.op == "input":
            if str(expr.value).startswith(("@a", "@r")) and not is_place(str(expr.value)):
                of_row[expr] = False
        elif expr.args and all(arg in of_row for arg in expr.args):
            constant = not inputs_of([expr])
            of_row[expr] = not constant and (expr.op not in _FREE or any(of_row[arg] for arg in expr.args))
        else:
            found.update((arg, None) for arg in expr.args if of_row.get(arg) and arg.dtype == compute)
    return list(found)


def _with_inputs(expr: Expr, values: dict[str, Expr]) -> Expr:
    """Replace inputs that are computed in the same row part by their expressions."""
    return rebuilt([expr], lambda e, args: values.get(e.value, e) if e.op == "input" else with_args(e, args))[0]


def _with_values(each: Pass, values: Sequence[Expr]) -> Pass:
    rest = iter(values)
    reduced, kept, results = (
        tuple((number, next(rest)) for number, _ in part) for part in (each.reduced, each.kept, each.results)
    )
    return each._replace(reduced=reduced, kept=kept, results=results)


def _without_unused(passes: Passes) -> Passes:
    """Drop row values that nothing reads any longer."""
    used = set[str]()
    for each in passes.passes:
        used.update(inputs_of(each.values))
    rows = []
    for part in reversed(passes.rows):  # a value may be read only by a later part
        kept = part._replace(values=tuple((name, value) for name, value in part.values if name in used))
        used.update(inputs_of(kept.everything))
        if kept.everything:
            rows.append(kept)
    return passes._replace(rows=tuple(reversed(rows)))
