"""How a vector instruction of AArch64 is made ready from a function of arrays.

    lanes(function, kind, sources)     destination = function(sources), element by element; kind: f, i, u
    floats(function, sources)          the same of floats; the function also takes the Environment
    wide(function, kind, sources)      of elements half as wide as the destination's: the low or high ones, even or odd
    compare(function, kind, sources)   elements of all ones, and in SVE a predicate

The sources are the operands behind the destination, the governing predicate left out; the destination itself comes
first where `sources` says one more than there are operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...encoder.a64.names import Modifier
from ..core.closures import Run, called
from .operands import Array, Context, Semantic

Function = Callable[..., Array]
_ALL = slice(None)


def places(ctx: Context, sources: int) -> list[int]:
    """Which operands are the sources."""
    found = [
        at for at in range(1, len(ctx.operands)) if at != ctx.governing and not isinstance(ctx.operands[at], Modifier)
    ]
    return [0, *found] if len(found) < sources else found


def lanes(function: Function, kind: str, sources: int) -> Semantic:
    """Element by element."""

    def made(ctx: Context) -> Run:
        size = ctx.lanes(0).size
        return called(function, [ctx.source(at, kind, size) for at in places(ctx, sources)], ctx.target(0, kind))

    return made


def floats(function: Function, sources: int) -> Semantic:
    """Element by element, in a floating-point environment."""

    def made(ctx: Context) -> Run:
        size = ctx.lanes(0).size
        arguments: list[Callable[[], Any]] = [ctx.source(at, "f", size) for at in places(ctx, sources)]
        return called(function, [*arguments, ctx.env(size)], ctx.target(0, "f"))

    return made


def half_of(ctx: Context, at: int, count: int) -> slice:
    """Which elements of a narrow source: of twice as many as the destination has, some."""
    name, found = ctx.operation, ctx.lanes(at)
    if found.index is not None:
        return slice(0, None, 2) if found.scalable else _ALL
    if found.scalable:
        return slice(1 if name[-1] == "t" else 0, None, 2)
    return slice(count, 2 * count) if name[-1] == "2" else slice(0, count)


def wide(function: Function, kind: str, sources: int) -> Semantic:
    """Of narrow elements, converted to the destination's type first; what is as wide as that is taken as it is."""

    def made(ctx: Context) -> Run:
        into = ctx.lanes(0)
        dtype = np.dtype(f"{kind}{into.size}")

        def argument(at: int) -> Callable[[], Array]:
            if not ctx.is_vector(at) or ctx.lanes(at).size == into.size:
                return ctx.source(at, kind, into.size)
            narrow = ctx.source(at, kind, into.size // 2, half_of(ctx, at, into.count))
            return lambda: narrow().astype(dtype)

        return called(function, [argument(at) for at in places(ctx, sources)], ctx.target(0, kind))

    return made


def narrowing(function: Function, kind: str, sources: int, to: str = "") -> Semantic:
    """Of elements twice as wide as the destination's. NEON fills the low half of a register (with 2 the high one), SVE
    the even places (with t the odd ones)."""

    def made(ctx: Context) -> Run:
        into, name = ctx.lanes(0), ctx.operation
        size = 2 * into.size
        dtype = np.dtype(f"{to or kind}{into.size}")
        found = places(ctx, sources)
        arguments: list[Callable[[], Any]] = [ctx.source(at, kind, size) for at in found]
        row = ctx.state.row(into.number, dtype, into.bytes)
        if into.scalable:
            part, other = (row[1::2], None) if name[-1] == "t" else (row[::2], row[1::2])
        elif name[-1] == "2":
            part, other = row[into.count // 2 :], ctx.state.vectors[into.number, into.bytes :]
        else:
            part, other = row, ctx.state.vectors[into.number, into.bytes :]

        def write(value: Array) -> None:
            part[:] = value
            if other is not None:
                other[:] = 0

        return called(function, arguments, write)

    return made


def compare(function: Function, kind: str, sources: int = 2, flags: bool = True) -> Semantic:
    """A truth value for each element."""

    def made(ctx: Context) -> Run:
        if not ctx.operands[0].kind.startswith("p"):
            bits = ctx.target(0, "u")
            dtype = np.dtype(f"u{ctx.lanes(0).size}")
            arguments = [ctx.source(at, kind, dtype.itemsize) for at in places(ctx, sources)]
            return called(lambda *given: -function(*given).astype(dtype), arguments, bits)
        size = ctx.lanes(places(ctx, sources)[0]).size
        arguments = [ctx.source(at, kind, size) for at in places(ctx, sources)]
        return called(function, arguments, predicate_target(ctx, size, flags))

    return made


def predicate_target(ctx: Context, size: int, flags: bool) -> Callable[[Array], None]:
    """Write a predicate of elements, false where the governing one is; the condition flags as PTEST sets them."""
    whole = ctx.state.predicates[ctx.operands[0].num]
    row, active, state = whole[::size], ctx.active(size), ctx.state

    def write(value: Array) -> None:
        governed = active.copy()
        result = value & governed
        whole[:] = False
        row[:] = result
        if flags:
            set_flags(state, governed, result)

    return write


def set_flags(state: Any, governing: Array, result: Array) -> None:
    """N: the first active element is true; Z: none is; C: the last one is not; V: clear."""
    chosen = result[governing]
    state.n = bool(len(chosen)) and bool(chosen[0])
    state.z = not chosen.any()
    state.c = not (bool(len(chosen)) and bool(chosen[-1]))
    state.v = False


def each(names: str, make: Callable[[str], Semantic]) -> dict[str, Semantic]:
    """Semantics of several mnemonics, each made from its name."""
    return {name: make(name) for name in names.split()}


def swapped(function: Function) -> Function:
    """Of two sources the other way round."""
    return lambda a, b: function(b, a)


def accumulated(kind: str, function: Function) -> Semantic:
    """The destination + function(sources)."""
    return lanes(lambda d, a, b: d + function(a, b), kind, 3)
