"""Builds factories of closures for x86-64 vector instructions from functions of arrays.

    lanes(function, to, *types)     destination = function(sources), element by element; masks apply to elements
    floats(function, to, *types)    the same, the function also takes the Environment (rounding, flushing)
    whole(function, to, *types)     elements may cross positions (shuffles), so memory is read whole despite the mask
    masked(function, *types)        the result is a mask, or with a VEX prefix elements of all ones or zeros

A source that is read and written (`x:` in the table) is the first source. An immediate is the last argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.closures import Run, called
from ..numerics import fp16
from ..numerics.rounding import Environment
from .operands import Semantic, X86Context
from .state import number

Array = np.ndarray[Any, Any]
Function = Callable[..., Array]

F2, F4, F8 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
I1, I2, I4, I8 = (np.dtype(f"i{size}") for size in (1, 2, 4, 8))
U1, U2, U4, U8 = (np.dtype(f"u{size}") for size in (1, 2, 4, 8))

FLOATS = {"h": F2, "s": F4, "d": F8}
"""Float types by the letter of a mnemonic."""
SIGNED = {"b": I1, "w": I2, "d": I4, "q": I8}
UNSIGNED = {"b": U1, "w": U2, "d": U4, "q": U8}


def lanes(function: Function, to: Any, *types: Any) -> Semantic:
    """The semantics of an instruction that computes element by element."""
    return lambda ctx: _made(ctx, function, to, types, suppress=True, env=False)


def floats(function: Function, to: Any, *types: Any, rest: int | None = None) -> Semantic:
    """The semantics of an instruction that computes element by element in a floating-point environment. `rest` is the
    operand that a scalar instruction takes the bits above its element from, if it is not the first source."""
    return lambda ctx: _made(ctx, function, to, types, suppress=True, env=True, rest=rest)


def whole(function: Function, to: Any, *types: Any) -> Semantic:
    """The semantics of an instruction whose function takes whole vectors."""
    return lambda ctx: _made(ctx, function, to, types, suppress=False, env=False)


def _made(
    ctx: X86Context,
    function: Function,
    to: Any,
    types: tuple[Any, ...],
    suppress: bool,
    env: bool,
    rest: int | None = None,
) -> Run:
    count = ctx.count(to, *types)
    arguments = sources(ctx, types, count, suppress)
    if env:
        arguments.append(_env(ctx, types[0]) if np.dtype(to) == np.dtype(types[0]) else ctx.env())
    if ctx.operands and isinstance(ctx.operands[-1], int):
        immediate = ctx.operands[-1]
        arguments.append(lambda: immediate)
    write = scalar_target(ctx, to, rest) if ctx.scalar else ctx.target(0, to, count)
    return called(function, arguments, write)


def _env(ctx: X86Context, dtype: Any) -> Callable[[], Environment]:
    """Return the environment of arithmetic on a type; f16 is never flushed."""
    env = ctx.env()
    return (lambda: fp16.environment(env())) if np.dtype(dtype) == F2 else env


def sources(ctx: X86Context, types: tuple[Any, ...], count: int, suppress: bool = True) -> list[Callable[[], Any]]:
    """Return readers of the source operands. A scalar destination that is not read still has two source operands."""
    first = 0 if ctx.form.access[0] == "x" else 1
    last = len(ctx.operands) - isinstance(ctx.operands[-1], int)
    first = max(first, last - len(types))
    return [ctx.source(first + i, type_, count, suppress) for i, type_ in enumerate(types)]


def scalar_target(ctx: X86Context, dtype: Any, source: int | None = None) -> Callable[[Array], None]:
    """Return a function that writes element 0 under the mask, copies the rest of the 128 bits from the first source, or
    from another one, and clears the bits above."""
    num, size = ctx.operands[0].num, np.dtype(dtype).itemsize
    row, above = ctx.state.row(num, dtype, 1), ctx.state.above(num, 16)
    rest = ctx.state.vectors[num, size:16]
    if source is None:
        source = 0 if ctx.form.access[0] == "x" else 1
    kept = ctx.state.vectors[ctx.operands[source].num, size:16]
    active = ctx.active(1)
    zeroing = ctx.zeroing

    def write(value: Array) -> None:
        if active is None or active()[0]:
            row[:] = value
        elif zeroing:
            row[:] = 0
        rest[:] = kept
        above[:] = 0

    return write


def masked(function: Function, *types: Any, env: bool = False) -> Semantic:
    """The semantics of a comparison: a mask register or elements of all ones; masked-out results are zero."""

    def predecode(ctx: X86Context) -> Run:
        if ctx.operands[0].file == "k":
            count = ctx.count(*types)
            return called(function, _compared(ctx, types, count, env), mask_target(ctx, count))
        bits = UNSIGNED[{1: "b", 2: "w", 4: "d", 8: "q"}[np.dtype(types[0]).itemsize]]
        return _made(ctx, lambda *given: -function(*given).astype(bits), bits, types, suppress=True, env=env)

    return predecode


def _compared(ctx: X86Context, types: tuple[Any, ...], count: int, env: bool) -> list[Callable[[], Any]]:
    last = ctx.operands[-1]
    arguments: list[Callable[[], Any]] = [ctx.source(1 + i, type_, count) for i, type_ in enumerate(types)]
    arguments += [_env(ctx, types[0])] if env else []
    return [*arguments, lambda: last] if isinstance(last, int) else arguments


def mask_target(ctx: X86Context, count: int) -> Callable[[Array], None]:
    """Return a function that writes a mask register. Only elements under the instruction's own mask can be set."""
    k, num, active = ctx.state.k, ctx.operands[0].num, ctx.active(count)

    def write(value: Array) -> None:
        k[num] = number(value if active is None else value & active())

    return write


def each(text: str, make: Callable[[str], Semantic]) -> dict[str, Semantic]:
    """Expand `vadd{ps,pd}` to one mnemonic for each ending, and make the semantics of each from its ending."""
    name, _, endings = text.partition("{")
    return {name + ending: make(ending) for ending in endings.rstrip("}").split(",")}
