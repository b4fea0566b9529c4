"""Builds factories of closures for AArch64 vector instructions from functions of arrays.

    lanes(function, kind, sources)     destination = function(sources), element by element; kind: f, i, u
    floats(function, sources)          the same on floats; the function also takes the Environment
    wide(function, kind, sources)      reads elements of half the width: the low or high ones, the even or odd ones
    compare(function, kind, sources)   writes elements of all ones, or in SVE a predicate

The sources are the operands after the destination, without the governing predicate; the destination itself is the
first source if `sources` is one more than there are operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...encoder.a64.names import Modifier
from ..core.closures import Run, called
from ..numerics.primitive import known
from .operands import A64Context, Array, Semantic

Function = Callable[..., Array]
_ALL = slice(None)


def places(ctx: A64Context, sources: int) -> list[int]:
    """Return the numbers of the source operands."""
    numbers = [
        at for at in range(1, len(ctx.operands)) if at != ctx.governing and not isinstance(ctx.operands[at], Modifier)
    ]
    return [0, *numbers] if len(numbers) < sources else numbers


def lanes(function: Function, kind: str, sources: int) -> Semantic:
    """The semantics of an instruction that computes element by element."""

    def predecode(ctx: A64Context) -> Run:
        size = ctx.lanes(0).size
        return called(function, [ctx.source(at, kind, size) for at in places(ctx, sources)], ctx.target(0, kind))

    return predecode


def floats(function: Function, sources: int) -> Semantic:
    """The semantics of an instruction that computes element by element in a floating-point environment."""

    def predecode(ctx: A64Context) -> Run:
        size = ctx.lanes(0).size
        arguments: list[Callable[[], Any]] = [ctx.source(at, "f", size) for at in places(ctx, sources)]
        return called(function, [*arguments, ctx.env(size)], ctx.target(0, "f"))

    return predecode


def half_of(ctx: A64Context, at: int, count: int) -> slice:
    """Select which half of a narrow source, with twice the destination's elements, an instruction reads. Mnemonics with
    bt and tb read the bottom elements of one source and the top ones of the other."""
    name, operand = ctx.operation, ctx.lanes(at)
    if operand.index is not None:
        return slice(0, None, 2) if operand.scalable else _ALL
    if operand.scalable:
        letter = name[-2] if at == 1 and name.endswith(("bt", "tb")) else name[-1]
        return slice(1 if letter == "t" else 0, None, 2)
    return slice(count, 2 * count) if name[-1] == "2" else slice(0, count)


def wide(function: Function, kind: str, sources: int) -> Semantic:
    """The semantics of widening instructions: narrow sources are converted to the destination's type before the
    function.
    """

    def predecode(ctx: A64Context) -> Run:
        into = ctx.lanes(0)
        dtype = np.dtype(f"{kind}{into.size}")

        def argument(at: int) -> Callable[[], Array]:
            if not ctx.is_vector(at) or ctx.lanes(at).size == into.size:
                return ctx.source(at, kind, into.size)
            narrow = ctx.source(at, kind, into.size // 2, half_of(ctx, at, into.count))
            return lambda: narrow().astype(dtype)

        return called(function, [argument(at) for at in places(ctx, sources)], ctx.target(0, kind))

    return predecode


def narrowing(function: Function, kind: str, sources: int, to: str = "") -> Semantic:
    """The semantics of narrowing instructions. NEON writes the low half of a register (mnemonics with 2: the high
    half), SVE the even elements (mnemonics with t: the odd ones)."""

    def predecode(ctx: A64Context) -> Run:
        into, name = ctx.lanes(0), ctx.operation
        size = 2 * into.size
        dtype = np.dtype(f"{to or kind}{into.size}")
        numbers = places(ctx, sources)
        arguments: list[Callable[[], Any]] = [ctx.source(at, kind, size) for at in numbers]
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

    return predecode


def compare(function: Function, kind: str, sources: int = 2, flags: bool = True) -> Semantic:
    """The semantics of comparisons: a truth value for each element."""

    def predecode(ctx: A64Context) -> Run:
        if not ctx.operands[0].kind.startswith("p"):
            bits = ctx.target(0, "u")
            dtype = np.dtype(f"u{ctx.lanes(0).size}")
            arguments = [ctx.source(at, kind, dtype.itemsize) for at in places(ctx, sources)]
            return called(lambda *given: -function(*given).astype(dtype), arguments, bits)
        size = ctx.lanes(places(ctx, sources)[0]).size
        arguments = [ctx.source(at, kind, size) for at in places(ctx, sources)]
        return called(function, arguments, predicate_target(ctx, size, flags))

    return predecode


def predicate_target(ctx: A64Context, size: int, flags: bool) -> Callable[[Array], None]:
    """Write a predicate, false where the governing predicate is false, and set the flags as PTEST does."""
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
    """Set N if the first active element is true, Z if none is, C if the last one is false; clear V."""
    chosen = result[governing]
    state.v = False
    if not known(chosen):  # symbolic data, on which a branch on the flags would depend
        state.n = state.z = state.c = chosen
        return
    state.n = bool(len(chosen)) and bool(chosen[0])
    state.z = not chosen.any()
    state.c = not (bool(len(chosen)) and bool(chosen[-1]))


def each(names: str, make: Callable[[str], Semantic]) -> dict[str, Semantic]:
    """Make the semantics of several mnemonics, each from its name."""
    return {name: make(name) for name in names.split()}


def swapped(function: Function) -> Function:
    """Swap the two sources of a function."""
    return lambda a, b: function(b, a)


def accumulated(kind: str, function: Function) -> Semantic:
    """The semantics of destination += function(sources)."""
    return lanes(lambda d, a, b: d + function(a, b), kind, 3)
