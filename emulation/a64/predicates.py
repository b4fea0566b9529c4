"""Instructions on predicates, and counts of elements. Maps operations to factories of closures."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...encoder.a64.names import Modifier, Named
from ..core.closures import Run
from ..core.u64 import signed
from .lanes import set_flags
from .operands import GENERAL, SIZES, A64Context, Array, Semantic, bits_of

_LETTERS = {"b": 1, "h": 2, "w": 4, "d": 8}


def chosen_by(pattern: str, count: int) -> int:
    """Return how many of `count` elements a pattern selects."""
    if pattern == "pow2":
        return 1 << count.bit_length() - 1
    if pattern == "all":
        return count
    if pattern.startswith("mul"):
        return count - count % int(pattern[3:])
    wanted = int(pattern[2:])
    return wanted if wanted <= count else 0


def _pattern(ctx: A64Context) -> str:
    return next((o.name for o in ctx.operands if isinstance(o, Named) and o.kind == "pattern"), "all")


def _size(ctx: A64Context, at: int) -> int:
    return ctx.lanes(at).size if "." in ctx.operands[at].kind else 1


def _row(ctx: A64Context, at: int) -> Array:
    row: Array = ctx.state.predicates[ctx.operands[at].num]
    return row


def _ptrue(flags: bool, ctx: A64Context) -> Run:
    size, row, state = _size(ctx, 0), _row(ctx, 0), ctx.state
    count = state.vector_bytes // size
    some = chosen_by(_pattern(ctx), count)

    def run() -> None:
        row[:] = False
        row[: some * size : size] = True
        if flags:
            set_flags(state, row[::size], row[::size])

    return run


def _pfalse(ctx: A64Context) -> Run:
    row = _row(ctx, 0)
    return lambda: row.fill(False)


def _while(holds: Callable[[int, int], bool], sign: bool, down: bool, ctx: A64Context) -> Run:
    """whilelo, whilege and their like: true while the counter, which goes up or down, satisfies the comparison."""
    size, row, state = _size(ctx, 0), _row(ctx, 0), ctx.state
    a, b, bits = ctx.get(1), ctx.get(2), bits_of(ctx.operands[1])
    count = state.vector_bytes // size

    def run() -> None:
        x, y = (signed(value(), bits) if sign else value() for value in (a, b))
        result = np.zeros(count, bool)
        for at in range(count):
            position = count - 1 - at if down else at
            if not holds(x, y):
                break
            result[position] = True
            x += -1 if down else 1
            if not sign and not 0 <= x < 1 << bits or sign and not -(1 << bits - 1) <= x < 1 << bits - 1:
                x = signed(x & (1 << bits) - 1, bits) if sign else x & (1 << bits) - 1
        row[:] = False
        row[::size] = result
        set_flags(state, np.ones(count, bool), result)

    return run


def _logic(operation: Callable[..., Array], flags: bool, ctx: A64Context) -> Run:
    """and, orr, not and their like of predicates: false where the governing predicate is false."""
    d, g, *sources = (_row(ctx, at) for at in range(len(ctx.operands)))
    state = ctx.state

    def run() -> None:
        governing = g.copy()
        result = operation(*sources) & governing
        d[:] = result
        if flags:
            set_flags(state, governing, result)

    return run


def _move(ctx: A64Context) -> Run:
    """mov of predicates: plain, or zeroed or merged by another predicate."""
    d, n = _row(ctx, 0), _row(ctx, len(ctx.operands) - 1)
    if ctx.governing is None or len(ctx.operands) == 2:
        return lambda: d.__setitem__(slice(None), n.copy())
    g, merge = _row(ctx, ctx.governing), ctx.operands[ctx.governing].kind == "p/m"
    return lambda: d.__setitem__(slice(None), np.where(g, n, d if merge else False))


def _ptest(ctx: A64Context) -> Run:
    g, n, state = _row(ctx, 0), _row(ctx, 1), ctx.state
    return lambda: set_flags(state, g, n)


def _pfirst(ctx: A64Context) -> Run:
    d, g, state = _row(ctx, 0), _row(ctx, 1), ctx.state

    def run() -> None:
        governing = g.copy()
        at = np.flatnonzero(governing)
        if len(at):
            d[at[0]] = True
        set_flags(state, governing, d)

    return run


def _pnext(ctx: A64Context) -> Run:
    size = _size(ctx, 0)
    whole, g, state = _row(ctx, 0), _row(ctx, 1), ctx.state

    def run() -> None:
        governing, old = g[::size].copy(), np.flatnonzero(whole[::size])
        start = int(old[-1]) + 1 if len(old) else 0
        later = [at for at in np.flatnonzero(governing).tolist() if at >= start]
        whole[:] = False
        if later:
            whole[later[0] * size] = True
        set_flags(state, governing, whole[::size])

    return run


def _break(after: bool, flags: bool, ctx: A64Context) -> Run:
    """brka, brkb: true up to the first true element, including it or not."""
    d, g, n, state = _row(ctx, 0), _row(ctx, 1), _row(ctx, 2), ctx.state
    merge = ctx.operands[1].kind == "p/m"

    def run() -> None:
        governing, source, old = g.copy(), n.copy(), d.copy()
        result, broken = np.zeros_like(source), False
        for at in range(len(source)):
            if governing[at]:
                stop = bool(source[at])
                result[at] = not broken and (after or not stop)
                broken = broken or stop
            elif merge:
                result[at] = old[at]
        d[:] = result
        if flags:
            set_flags(state, governing, result)

    return run


def _last_true(governing: Array, source: Array) -> bool:
    """Whether the last active element of a source is true."""
    at = np.flatnonzero(governing)
    return bool(len(at)) and bool(source[at[-1]])


def _break_pair(after: bool, flags: bool, ctx: A64Context) -> Run:
    """brkpa, brkpb: like brka and brkb of the second source, but all false unless the first one ends with true."""
    d, g, n, m = (_row(ctx, at) for at in range(4))
    state = ctx.state

    def run() -> None:
        governing = g.copy()
        seen = np.cumsum(m & governing)
        result = governing & ((seen - (m & governing) if after else seen) == 0) & _last_true(governing, n)
        d[:] = result
        if flags:
            set_flags(state, governing, result)

    return run


def _break_next(flags: bool, ctx: A64Context) -> Run:
    """brkn: keep the predicate if the source ends with true, else clear it."""
    d, g, n, state = _row(ctx, 0), _row(ctx, 1), _row(ctx, 2), ctx.state

    def run() -> None:
        d[:] = d & _last_true(g, n)
        if flags:
            set_flags(state, np.ones_like(d), d)

    return run


def _move_flags(ctx: A64Context) -> Run:
    """movs: move, by itself or a governing predicate, and set the flags."""
    d, g, n, state = _row(ctx, 0), _row(ctx, 1), _row(ctx, len(ctx.operands) - 1), ctx.state

    def run() -> None:
        governing = g.copy()
        d[:] = n & governing
        set_flags(state, governing, d)

    return run


def _apart(either: bool, ctx: A64Context) -> Run:
    """whilewr, whilerw: true while a loop over two places does not write what it reads later; with `either`, nor read
    what it wrote before."""
    size, row, state, a, b = _size(ctx, 0), _row(ctx, 0), ctx.state, ctx.get(1), ctx.get(2)
    count = state.vector_bytes // size

    def run() -> None:
        apart = b() - a()
        distance = (abs(apart) if either else apart) // size
        result = np.arange(count) < (count if apart <= 0 and not either or apart == 0 else distance)
        row[:] = False
        row[::size] = result
        set_flags(state, np.ones(count, bool), result)

    return run


def _selected(ctx: A64Context) -> Run:
    """psel: copy a predicate if an element of another one is true, else clear it."""
    d, n, which = _row(ctx, 0), _row(ctx, 1), ctx.operands[2]
    size = SIZES[which.kind.rstrip("[w]").rpartition(".")[2]]
    elements, get, first = ctx.state.predicates[which.num][::size], ctx.getter(which.index), which.first
    return lambda: d.__setitem__(slice(None), n & elements[(get() + first) % len(elements)])


def _read_faults(flags: bool, ctx: A64Context) -> Run:
    """rdffr: copy FFR, or what a predicate leaves of it."""
    d, ffr, state = _row(ctx, 0), ctx.state.ffr, ctx.state
    g = _row(ctx, 1) if len(ctx.operands) > 1 else np.ones_like(d)

    def run() -> None:
        governing = g.copy()
        d[:] = ffr & governing
        if flags:
            set_flags(state, governing, d)

    return run


def _write_faults(ctx: A64Context) -> Run:
    """wrffr, setffr: set FFR, to a predicate or to all true."""
    ffr, source = ctx.state.ffr, _row(ctx, 0) if ctx.operands else np.True_
    return lambda: ffr.__setitem__(slice(None), source)


def _unpack(high: bool, ctx: A64Context) -> Run:
    d, n = _row(ctx, 0), _row(ctx, 1)
    half = len(n) // 2

    def run() -> None:
        part = n[half:].copy() if high else n[:half].copy()
        d[:] = False
        d[::2] = part

    return run


# Counts


def _count_active(ctx: A64Context) -> Run:
    size, put = _size(ctx, 2), ctx.put(0)
    g, n = _row(ctx, 1)[::size], _row(ctx, 2)[::size]
    return lambda: put(int(np.count_nonzero(g & n)))


def _amount(ctx: A64Context, letter: str) -> int:
    """Return the elements that a pattern selects, times the multiplier."""
    times = next((o.num for o in ctx.operands if isinstance(o, Modifier)), 1)
    return chosen_by(_pattern(ctx), ctx.state.vector_bytes // _LETTERS[letter]) * times


def _count(letter: str, ctx: A64Context) -> Run:
    amount, put = _amount(ctx, letter), ctx.put(0)
    return lambda: put(amount)


def _stepped(change: Callable[[int, int], int], ctx: A64Context, amount: Callable[[], int]) -> Run:
    """Apply change(old value, amount) to a general register or to every element."""
    if ctx.operands[0].kind in GENERAL:
        get, put = ctx.get(0), ctx.put(0)
        return lambda: put(change(get(), amount()))
    old, write = ctx.source(0, "u"), ctx.target(0, "u")
    ones = (1 << 8 * ctx.lanes(0).size) - 1
    return lambda: write(np.array([change(value, amount()) & ones for value in old().tolist()], old().dtype))


def _saturated(sign: bool, step: int, ctx: A64Context) -> Callable[[int, int], int]:
    """sqincb, uqdecw and their like: saturate to 32 bits if the operand is a w register."""
    general = ctx.operands[0].kind in GENERAL
    narrow = any(getattr(o, "kind", "") == "w" for o in ctx.operands)
    bits = (32 if narrow else 64) if general else 8 * ctx.lanes(0).size

    def change(value: int, amount: int) -> int:
        value &= (1 << bits) - 1
        result = (signed(value, bits) if sign else value) + step * amount
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign else (0, (1 << bits) - 1)
        return min(max(result, low), high)

    return change


def _by_pattern(prefix: str, letter: str) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        amount = _amount(ctx, letter)
        return _stepped(_change(prefix, ctx), ctx, lambda: amount)

    return predecode


def _by_predicate(prefix: str) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        row = _row(ctx, 1)[:: _size(ctx, 1)]
        return _stepped(_change(prefix, ctx), ctx, lambda: int(np.count_nonzero(row)))

    return predecode


def _change(prefix: str, ctx: A64Context) -> Callable[[int, int], int]:
    step = 1 if prefix.endswith("inc") else -1
    if prefix[:2] in ("sq", "uq"):
        return _saturated(prefix[0] == "s", step, ctx)
    return lambda value, amount: value + step * amount


_BOTH: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda n, m: n & m,
    "orr": lambda n, m: n | m,
    "eor": lambda n, m: n ^ m,
    "bic": lambda n, m: n & ~m,
    "orn": lambda n, m: n | ~m,
    "nor": lambda n, m: ~(n | m),
    "nand": lambda n, m: ~(n & m),
}
RELATIONS: dict[str, tuple[Callable[[int, int], bool], bool, bool]] = {
    "lt": (operator.lt, True, False),
    "le": (operator.le, True, False),
    "lo": (operator.lt, False, False),
    "ls": (operator.le, False, False),
    "ge": (operator.ge, True, True),
    "gt": (operator.gt, True, True),
    "hs": (operator.ge, False, True),
    "hi": (operator.gt, False, True),
}
_STEPS = ("inc", "dec", "sqinc", "sqdec", "uqinc", "uqdec")

TABLE: dict[str, Semantic] = {
    "ptrue": partial(_ptrue, False),
    "ptrues": partial(_ptrue, True),
    "pfalse": _pfalse,
    "ptest": _ptest,
    "pfirst": _pfirst,
    "pnext": _pnext,
    "punpklo": partial(_unpack, False),
    "punpkhi": partial(_unpack, True),
    **{f"while{name}": partial(_while, *given) for name, given in RELATIONS.items()},
    **{name + end: partial(_logic, operation, end == "s") for name, operation in _BOTH.items() for end in ("", "s")},
    "mov": _move,
    "not": partial(_logic, np.invert, False),
    "nots": partial(_logic, np.invert, True),
    **{f"brkp{letter}{end}": partial(_break_pair, letter == "a", end == "s") for letter in "ab" for end in ("", "s")},
    "brkn": partial(_break_next, False),
    "brkns": partial(_break_next, True),
    "movs": _move_flags,
    "whilewr": partial(_apart, False),
    "whilerw": partial(_apart, True),
    "psel": _selected,
    "rdffr": partial(_read_faults, False),
    "rdffrs": partial(_read_faults, True),
    "wrffr": _write_faults,
    **{f"brk{letter}{end}": partial(_break, letter == "a", end == "s") for letter in "ab" for end in ("", "s")},
}
"""Operations whose first operand is a predicate."""

CONTROL: dict[str, Semantic] = {"setffr": _write_faults}
"""Operations of FFR without an operand."""

COUNTS: dict[str, Semantic] = {
    "cntp": _count_active,
    **{f"cnt{letter}": partial(_count, letter) for letter in _LETTERS},
    **{prefix + letter: _by_pattern(prefix, letter) for prefix in _STEPS for letter in _LETTERS},
    **{f"{prefix}p": _by_predicate(prefix) for prefix in _STEPS},
}
"""Operations whose first operand is a general register or a vector."""
