"""The proof that workers do not race: no element that one writes is read or written by another between two barriers.

The iterations that are divided among workers differ in a letter. Each operand that is written must have an axis along
which its place is that letter times a factor. The box that a kernel touches along this axis must be no longer than the
step from one value of the letter to the next. Then different iterations touch different elements. All accesses to the
operand, reads included, must agree in that axis and factor. Loops around the divided ones change nothing: an
iteration's number alone decides who runs it, so a block stays with one worker for the whole nest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .accesses import Access
from .grammar import Level, LoopStringError, Range, Spec


class RaceError(LoopStringError):
    """Workers of a nest would touch elements that one of them writes. Public as ts.RaceError; a ValueError."""


def check_races(spec: Spec, found: Sequence[Access], loops: Mapping[str, Range], names: Mapping[str, str]) -> None:
    """Raise RaceError, which marks the letter, if workers may race. `names` maps each letter to its innermost index."""
    dealt: dict[str, Level] = {}
    for level in spec.levels:
        if level.parallel or level.axis:
            dealt.setdefault(level.letter, level)
    written = dict.fromkeys(access.matrix.name for access in found if access.writes)
    for letter, level in dealt.items():
        for operand in written:
            own = [access for access in found if access.matrix.name == operand]
            ways = {_apart(access, names[letter], loops[letter].step) for access in own}
            if len(ways) > 1 or None in ways:
                raise RaceError(spec.string, level.place, _reason(letter, operand, own, ways == {None}))


def check_curves(spec: Spec, found: Sequence[Access], loops: Mapping[str, Range], names: Mapping[str, str]) -> None:
    """LoopStringError for a curve along a loop that a condition asks for, where the call under it shares what it reads
    or writes with other iterations of the loop: a curve goes back and forth, so that i.c.first, say, would not hold in
    the first iteration that comes."""
    for at, level in enumerate(spec.levels):
        for end in (level, spec.levels[at + 1]) if level.curve else ():
            name = names[end.letter]
            asked = {
                access.matrix.name
                for access in found
                if any(name in dict(each.left.terms) for each in access.conditions)
            }
            if not is_free(end.letter, [access for access in found if access.matrix.name in asked], loops, names):
                spec.fail(
                    end,
                    f"a curve goes back and forth in {end.letter}, whose iterations write the same elements "
                    f"one after the other: no condition on i.{end.letter} tells which comes first or last; "
                    f"off the curve {end.letter} is walked in order",
                )


def is_free(letter: str, found: Sequence[Access], loops: Mapping[str, Range], names: Mapping[str, str]) -> bool:
    """Whether iterations that differ in the letter touch different elements of everything that is written. Such
    iterations may be divided among workers and run in any order."""
    written = {access.matrix.name for access in found if access.writes}
    ways: dict[str, set[tuple[int, int, int] | None]] = {}
    for access in found:
        if access.matrix.name in written:
            way = _apart(access, names[letter], loops[letter].step)
            ways.setdefault(access.matrix.name, set()).add(way)
    return all(len(each) == 1 and None not in each for each in ways.values())


def _apart(access: Access, name: str, step: int) -> tuple[int, int, int] | None:
    """Return (axis, factor, constant) of the axis that separates the iterations of a letter; None if they may touch the
    same elements."""
    for axis, (form, extent) in enumerate(zip(access.places, access.extents)):
        if len(form.terms) == 1 and form.terms[0][0] == name and abs(form.terms[0][1]) * step >= extent:
            return axis, form.terms[0][1], form.constant
    return None


def _reason(letter: str, operand: str, own: Sequence[Access], never: bool) -> str:
    kernels = ", ".join(dict.fromkeys(access.call.kernel.name for access in own))
    if never:
        return (
            f"a race: workers with different {letter} write the same elements of {operand} ({kernels}); write a "
            f"loop that sums into {operand} in lower case"
        )
    return (
        f"a race: calls reach {operand} at different places of {letter} ({kernels}), so one worker may read what "
        "another writes; use two nests, one after the other"
    )
