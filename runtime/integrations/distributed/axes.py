"""Which axes of an operator's tensors processes can share, from the equation of the operator.

An equation names the axes of tensors by letters, as an einsum does. That of a layer is

    *k nk n | *n = 0.1 + 2

Left of the bar are the tensors. Right of it, separated by semicolons, are the results, each with the terms that it is
the sum of; a term is a product of tensors, which it names by their numbers. A small letter is an axis of which parts
can be computed apart. A capital is an axis that every part needs whole. `*` stands for all axes before the letters, `&`
for all behind them, which are needed whole; `*!` are all axes, of which the one that the argument `dim` names is whole.

The equation says what follows if processes share the axis of a letter:

- A result that has the axis is cut along it, and with it every tensor that has it.
- A result that has not, but whose terms have, is a sum over the axis, of which each process gets a part. A term that
  has not would be added once by each process, so its first tensor is a part of a sum as well.
- A result whose terms do not have the axis is the same for all processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from ....encoder.records import NamedTuple

WHOLE, PARTIAL = "whole", "partial"
"""Of a tensor: each process has all of it; each has a part of a sum."""
Share: TypeAlias = "int | str | None"
"""What each process has of a tensor: a part of the axis of this number, WHOLE, or PARTIAL. None: the call leaves it
out."""
Shape: TypeAlias = "tuple[int, ...]"


class SummedResult(NamedTuple):
    """The axes of a result, and its terms: products of tensors by their numbers."""

    axes: str
    terms: tuple[tuple[int, ...], ...]


class AxesEquation(NamedTuple):
    """The axes of an operator's tensors, and its results."""

    tensors: tuple[str, ...]
    results: tuple[SummedResult, ...]


class SharedAxis(NamedTuple):
    """What processes have of the results and the tensors if they share an axis."""

    results: tuple[Share, ...]
    tensors: tuple[Share, ...]


@lru_cache(maxsize=256)
def equation(text: str) -> AxesEquation:
    """Read an equation."""
    tensors, _, results = text.partition("|")
    made = []
    for result in results.split(";"):
        axes, _, terms = result.partition("=")
        made.append(SummedResult(axes.strip(), tuple(tuple(map(int, term.split("."))) for term in terms.split("+"))))
    return AxesEquation(tuple(tensors.split()), tuple(made))


def shared_axes(text: str, shapes: Sequence[Shape | None], parts: int, whole: int = 0) -> Iterator[SharedAxis]:
    """Yield every way in which `parts` processes can share one axis of tensors of these shapes. None is a tensor that
    the call leaves out. whole: the argument `dim`.

    Axes of extent 1 are broadcast. Where tensors have different extents along an axis, such as heads that serve several
    others, all must be multiples of the number of processes
    """
    found = equation(text)
    letters = [() if shape is None else _letters(axes, len(shape), whole) for axes, shape in zip(found.tensors, shapes)]
    extents: dict[str, set[int]] = {}
    for named, shape in zip(letters, shapes):
        for letter, extent in zip(named, shape or ()):
            if extent > 1 and not letter.isupper():
                extents.setdefault(letter, set()).add(extent)
    leading = max(len(named) - _counted(axes) for axes, named in zip(found.tensors, letters))
    for letter, of_letter in extents.items():
        if min(of_letter) >= parts and (len(of_letter) == 1 or not any(extent % parts for extent in of_letter)):
            tensors = [_cut(letter, named, shape) for named, shape in zip(letters, shapes)]
            results = [_result(each, letter, tensors, leading, whole) for each in found.results]
            yield SharedAxis(tuple(results), tuple(tensors))


def _cut(letter: str, named: Sequence[str], shape: Shape | None) -> Share:
    """Return the number of the axis of a letter in a tensor, WHOLE if it has none or is broadcast along it."""
    if shape is None:
        return None
    return next((axis for axis, each in enumerate(named) if each == letter and shape[axis] > 1), WHOLE)


def _result(result: SummedResult, letter: str, tensors: list[Share], leading: int, whole: int) -> Share:
    """Return what each process has of a result. Of a sum, the first tensors of terms without the axis become parts."""
    named = _letters(result.axes, _counted(result.axes) + (leading if result.axes.startswith("*") else 0), whole)
    if letter in named:
        return named.index(letter)
    without = [term for term in result.terms if all(tensors[number] in (WHOLE, None) for number in term)]
    if len(without) == len(result.terms):
        return WHOLE
    for first, *_ in without:
        if tensors[first] is not None:
            tensors[first] = PARTIAL
    return PARTIAL


def _counted(axes: str) -> int:
    """Return how many axes are named by letters."""
    return len(axes.strip("*!&"))


def _letters(axes: str, rank: int, whole: int) -> tuple[str, ...]:
    """Return the name of each of a tensor's axes. Those before the letters are named by their distance from these, so
    that tensors of fewer axes are broadcast; of more letters than axes the last count."""
    named = list(axes.strip("*!&"))
    rest = rank - len(named)
    if rest < 0:
        return tuple(named[-rest:])
    if axes.endswith("&"):
        return (*named, *(["REST"] * rest))
    before = [f"*{distance}" for distance in range(rest, 0, -1)]
    if axes.startswith("*!"):
        before[whole] = "DIM"
    return (*before, *named)
