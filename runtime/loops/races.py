"""The proof that workers do not race: no element that one writes is read or written by another between two barriers.

The iterations that are divided among workers differ in a letter. Each operand that is written must have an axis along
which every access is at that letter times one factor, plus a number between bounds. The bounds, with the box that a
kernel touches there, must be no further apart than the step from one value of the letter to the next: y[i.p + i.r] for
blocks p of rows r. Then different iterations touch different elements.

Once a letter is known to keep iterations apart, whether it is divided or not, the proof of the next one is only about
those that agree in it. So letters may share an axis. Loops around the divided ones change nothing if an iteration's
number alone decides who runs it: a block stays with one worker for the whole nest. If workers claim iterations as they
come, another worker may have the block the next time, so the loops around count as divided, unless all workers meet at
a barrier in each of their iterations.

Two accesses may be at any places of the letter if they never touch one element between two barriers. A barrier behind
the divided loops is met in each iteration of the loops around them, so the indices of these are the same for all
workers between two barriers: a call that reads y[i.t, i.b - 1] and writes y[i.t + 1, i.b] touches other rows of y than
the calls of other workers write, and what it reads was written before the last barrier.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..arguments.arrays import Array
from .accesses import HOLDS, CallAccess, Happening, ends
from .code import Affine, When
from .grammar import LoopOccurrence, LoopString, LoopStringError, Range
from .trace import WORKERS_OWN


class RaceError(LoopStringError):
    """Workers of a nest would touch elements that one of them writes. Public as ts.RaceError; a ValueError."""


def check_races(
    spec: LoopString, found: Sequence[CallAccess], loops: Mapping[str, Range], names: Mapping[str, str]
) -> None:
    """Raise RaceError, which marks the letter, if workers may race. `names` maps each letter to its innermost index."""
    same, ranges = _same_between_barriers(spec), {names[letter]: each for letter, each in loops.items()}
    dealt = _dealt(spec, same)
    if not dealt:
        return
    written = [each for each in found if each.writes and each.matrix.each != WORKERS_OWN]
    for operand in dict.fromkeys(each.matrix.name for each in written):
        own = [each for each in found if each.matrix.name == operand]
        pairs = _meeting(own, same, ranges)
        equal: list[str] = []
        while left := [letter for letter in dealt if names[letter] not in equal]:
            others = [letter for letter in loops if names[letter] not in equal]
            apart = (each for each in others if _all_disjoint(pairs, names[each], loops[each].step, equal, ranges))
            if (known := next(apart, None)) is None:
                reason = _reason(left[0], names, operand, pairs, equal, ranges)
                if left[0] not in spec.dealt:
                    reason = _claimed(left[0], operand)
                raise RaceError(spec.string, dealt[left[0]].place, reason)
            equal.append(names[known])


Pair = tuple[CallAccess, CallAccess]


def _dealt(spec: LoopString, same: frozenset[str]) -> dict[str, LoopOccurrence]:
    """Return the letters whose iterations different workers may run at the same time, with the occurrences that are the
    reason."""
    divided = [at for at, level in enumerate(spec.levels) if level.parallel or level.axis]
    around = range(divided[0]) if spec.schedule == "claims" else ()
    dealt: dict[str, LoopOccurrence] = {}
    for at in (*divided, *around):
        if spec.levels[at].name not in same:
            dealt.setdefault(spec.levels[at].letter, spec.levels[at])
    return dealt


def _meeting(own: Sequence[CallAccess], same: frozenset[str], ranges: Mapping[str, Range]) -> list[Pair]:
    """Return the pairs of places of an operand, with a write at the first of them, that calls may reach between two
    barriers."""
    groups: dict[object, list[CallAccess]] = {}
    for each in own:
        groups.setdefault((each.places, each.extents), []).append(each)
    found: list[Pair] = []
    for group in groups.values():
        writes = [each for each in group if each.writes]
        for other in groups.values() if writes else ():
            both = ((one, each) for one in writes for each in other)
            if group is other or not all(_disjoint_between_barriers(*each, same, ranges) for each in both):
                found.append((writes[0], other[0]))
    return found


def _all_disjoint(
    pairs: Sequence[Pair], name: str, step: int, equal: Collection[str], ranges: Mapping[str, Range]
) -> bool:
    return all(_disjoint(pair, name, step, equal, ranges) for pair in pairs)


def _disjoint(pair: Pair, name: str, step: int, equal: Collection[str], ranges: Mapping[str, Range]) -> bool:
    """Whether two accesses never touch one element in iterations that differ in an index and agree in those that are
    `equal`. Different values of the index are at least a step apart."""
    one, other = pair
    for form, extent, further, length in zip(one.places, one.extents, other.places, other.extents):
        factors, others = dict(form.terms), dict(further.terms)
        factor = factors.get(name, 0)
        same = factor and factor == others.get(name) and all(factors.get(each) == others.get(each) for each in equal)
        if not same:
            continue
        (low, high), (least, most) = (_rest(each, {name, *equal}, ranges) for each in (form, further))
        if max(high + extent, most + length) - min(low, least) <= abs(factor) * step:
            return True
    return False


def _rest(form: Affine, without: Collection[str], ranges: Mapping[str, Range]) -> tuple[int, int]:
    """Return the least and the greatest value of a form without the terms of some indices."""
    return ends(Affine(form.constant, tuple(each for each in form.terms if each[0] not in without)), ranges)


def _same_between_barriers(spec: LoopString) -> frozenset[str]:
    """Return the indices that have one value for all workers between two barriers: those of the loops in each iteration
    of which all workers meet at a barrier. There is none inside divided loops."""
    barriers = [at for at, level in enumerate(spec.levels) if level.barrier]
    if not barriers:
        return frozenset()
    around = [level for level in spec.levels[: barriers[-1]] if not level.parallel]
    return frozenset(level.name for level in around)


def _disjoint_between_barriers(
    one: CallAccess, other: CallAccess, same: frozenset[str], ranges: Mapping[str, Range]
) -> bool:
    """Whether two accesses never touch one element between two barriers, whatever the indices are that may differ
    between workers."""

    def known(form: Affine) -> bool:
        return all(name in same for name, _ in form.terms)

    conditions = [each for access in (one, other) for each in access.conditions if known(each.left)]
    boxes = [
        each for each in zip(one.places, one.extents, other.places, other.extents) if known(each[0]) and known(each[2])
    ]
    if not conditions and not boxes:
        return False
    used = dict.fromkeys(name for form in _forms(conditions, boxes) for name, _ in form.terms)
    values = [np.arange(ranges[name].start, ranges[name].stop, ranges[name].step) for name in used]
    when = Happening(dict(zip(used, np.meshgrid(*values, indexing="ij"))), True)
    meet: Array = np.ones([len(each) for each in values], bool)
    for each in conditions:
        meet = meet & HOLDS[each.condition](when.value(each.left), 0)
    for place, extent, further, length in boxes:
        begin, start = when.value(place), when.value(further)
        meet = meet & (begin < start + length) & (start < begin + extent)
    return not np.any(meet)


def _forms(conditions: Sequence[When], boxes: Sequence[tuple[Affine, int, Affine, int]]) -> list[Affine]:
    return [*(each.left for each in conditions), *(form for each in boxes for form in (each[0], each[2]))]


def check_curves(
    spec: LoopString, found: Sequence[CallAccess], loops: Mapping[str, Range], names: Mapping[str, str]
) -> None:
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


def is_free(letter: str, found: Sequence[CallAccess], loops: Mapping[str, Range], names: Mapping[str, str]) -> bool:
    """Whether iterations that differ in the letter touch different elements of everything that is written. Such
    iterations may be divided among workers and run in any order."""
    written = {access.matrix.name for access in found if access.writes}
    own = [each for each in found if each.matrix.name in written]
    ranges = {names[each]: loop for each, loop in loops.items()}
    pairs = [
        pair
        for name in written
        for pair in _meeting([each for each in own if each.matrix.name == name], frozenset(), ranges)
    ]
    return _all_disjoint(pairs, names[letter], loops[letter].step, (), ranges)


def _claimed(letter: str, operand: str) -> str:
    return (
        f"a race: iterations of {letter} write the same elements of {operand}, and with schedule(dynamic) a worker may "
        f"claim what another one computes in an earlier iteration of {letter}; let {letter} be inside of the loops "
        "that are dealt out, write a barrier | behind the last of them, or let an iteration's number decide who "
        "computes it, with schedule(static, 1)"
    )


def _reason(
    letter: str,
    names: Mapping[str, str],
    operand: str,
    pairs: Sequence[Pair],
    equal: Collection[str],
    ranges: Mapping[str, Range],
) -> str:
    kernels = ", ".join(dict.fromkeys(access.call.kernel.name for pair in pairs for access in pair))
    name = names[letter]
    writes = [one for one, other in pairs if one.places == other.places]
    failed = [each for each in writes if not _disjoint((each, each), name, ranges[name].step, equal, ranges)]
    for access in failed:
        for axis, form in enumerate(access.places):
            others = [f"i.{each[0]}" for each, _ in form.terms if each != name]
            if others and name in dict(form.terms):
                return (
                    f"a race: axis {axis} of {operand} is indexed by i.{letter} together with {' and '.join(others)}, "
                    f"and the elements of different {letter} overlap there ({kernels}); if they should not, let the "
                    f"step of one loop be no shorter than all that the others reach, or reshape {operand}, so that "
                    f"each loop that is divided among workers has an axis of its own"
                )
    if failed:
        return (
            f"a race: workers with different {letter} write the same elements of {operand} ({kernels}); write a "
            f"loop that sums into {operand} in lower case"
        )
    return (
        f"a race: calls reach {operand} at different places of {letter} ({kernels}), so one worker may read what "
        "another writes; use two nests, one after the other, in ts.region, or let a loop around the divided ones tell "
        f"the steps apart, with a barrier between them, as in t{letter.upper()}|"
    )
