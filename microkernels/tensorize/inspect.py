"""The inspector: every way in which a tensor instruction can compute a tensor program.

Both are programs of one form. A *mapping* gives each axis of the instruction loops of the program, as many as the axis
runs through. It is right if the registers can hold what the program needs: wherever the instruction reads or adds to
one element of a register, the program has one element of its tensor (else no register has room for both), and
accumulators of different elements are those of different elements of the result. The condition is exact, for
instructions of any affine indices: the places of the axes that meet in a register must meet in the tensor. That a
tensor has one element where the register has several is a broadcast.

UNIT (Weng et al., algorithm 1 and section III.B) compares the trees of both programs, then tries mappings of one loop
to one axis until the loops that occur in each tensor are among the axes that occur in the register. Here all mappings
are found, and an axis may take several loops that act as one: a *chain*, where in each tensor the outer one moves as
far as all iterations of the inner one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import inf

from ...encoder.records import NamedTuple
from ..contract.equation import Access
from .expressions import TensorProgram
from .instructions import TensorInstruction

_OPERANDS = ("c", "x", "y")


class LoopChain(NamedTuple):
    """Loops that act as one, outermost first.

    steps   the elements that an iteration moves in the result, in x and in y
    """

    names: tuple[str, ...]
    extent: int
    reduced: bool
    steps: tuple[int, int, int]

    def __str__(self) -> str:
        return " ".join(self.names)


class LoopMapping(NamedTuple):
    """A way in which an instruction computes a program.

    axes        the loops that each axis of the instruction runs through; several axes, outermost first, are the digits
                of the iterations of one loop, as the steps and the groups of a tile are
    exchanged   whether the program's x is the instruction's y, and the other way round
    broadcast   the operands and axes along which a register repeats an element
    """

    axes: tuple[tuple[tuple[str, ...], LoopChain], ...]
    exchanged: bool
    broadcast: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        text = ", ".join(
            f"{' '.join(axes)} {'takes' if len(axes) == 1 else 'take'} {loops}" for axes, loops in self.axes
        )
        repeats = "".join(f", {operand} is broadcast along {axis}" for operand, axis in self.broadcast)
        return f"{text}{', x and y exchanged' if self.exchanged else ''}{repeats}"


class Inspection(NamedTuple):
    """What the inspector finds: the mappings, innermost loops first, or the reasons why there is none."""

    mappings: tuple[LoopMapping, ...]
    reasons: tuple[str, ...]


@lru_cache(maxsize=512)
def inspect(program: TensorProgram, instruction: TensorInstruction) -> Inspection:
    """Return all ways in which an instruction computes a program. Reasons name the operand, the axis and the loop."""
    found: list[LoopMapping] = []
    reasons: list[str] = []
    chains = chains_of(program)
    x, y, c = instruction.equation.types
    for exchanged, types in ((False, (x, y, c)), (True, (y, x, c))):
        if types == program.equation.types:
            found += _mappings(chains, instruction, exchanged, reasons)
    if program.equation.types not in ((x, y, c), (y, x, c)):
        of_x, of_y, of_c = program.equation.types
        reasons.append(f"{instruction.name} sums {x} x {y} in {c}, and the program {of_x} x {of_y} in {of_c}")
    return Inspection(tuple(found), () if found else tuple(dict.fromkeys(reasons)))


@lru_cache(maxsize=64)
def chains_of(program: TensorProgram) -> tuple[LoopChain, ...]:
    """Return the loops of a program, and the chains of them, those with the innermost loop last first."""
    steps = program.steps
    kinds = {program.names[loop]: loop.reduced for loop in program.loops}
    extents = {program.names[loop]: loop.extent for loop in program.loops}
    found = []
    for name in reversed(extents):
        chain = LoopChain((name,), extents[name], kinds[name], _moves(steps, name))
        found.append(chain)
        while True:
            wanted = tuple(chain.extent * each for each in chain.steps)
            outer = next(
                (
                    other
                    for other in extents
                    if other not in chain.names
                    and kinds[other] == chain.reduced
                    and extents[other] > 1
                    and _moves(steps, other) == wanted
                ),
                None,
            )
            if outer is None or chain.extent == 1:
                break
            chain = LoopChain((outer, *chain.names), extents[outer] * chain.extent, chain.reduced, chain.steps)
            found.append(chain)
    return tuple(found)


def _moves(steps: Sequence[Mapping[str, int]], name: str) -> tuple[int, int, int]:
    c, x, y = (each.get(name, 0) for each in steps)
    return c, x, y


def _mappings(
    chains: Sequence[LoopChain], instruction: TensorInstruction, exchanged: bool, reasons: list[str]
) -> Iterator[LoopMapping]:
    equation = instruction.equation
    order = (0, 2, 1) if exchanged else (0, 1, 2)
    meets = [meeting(access, equation.extents) for access in equation.accesses]
    held = [access.axes for access in equation.accesses]
    fitting: dict[tuple[str, ...], list[LoopChain]] = {}
    for groups in _groupings(equation.extents):
        for group in groups:
            if tuple(group) in fitting:
                continue
            found = fitting[tuple(group)] = list[LoopChain]()
            for chain in chains:
                reason = _refused(group, chain, instruction.name, held, meets, order)
                if not reason:
                    found.append(chain)
                elif len(group) == 1:
                    reasons.append(reason)
        for chosen in product(*(fitting[tuple(group)] for group in groups)):
            names = [name for chain in chosen for name in chain.names]
            if len(names) > len(set(names)):
                continue
            placed = {axis: (by, chain) for group, chain in zip(groups, chosen) for axis, by in group.items()}
            if all(_agree(meets[place], placed, order[place]) for place in range(3)):
                yield LoopMapping(
                    tuple((tuple(group), chain) for group, chain in zip(groups, chosen)),
                    exchanged,
                    tuple(
                        (_OPERANDS[place], axis)
                        for place in (1, 2)
                        for axis, (_, chain) in placed.items()
                        if axis in held[place] and not chain.steps[order[place]]
                    ),
                )


@lru_cache(maxsize=128)
def _groupings(extents: tuple[tuple[str, int | None], ...]) -> list[list[dict[str, int]]]:
    """Return the axes in groups of neighbours, each axis alone first. A group maps its axes to their weights as digits
    of one number."""
    made = []
    for bonds in product((False, True), repeat=len(extents) - 1):
        groups = [[extents[0]]]
        for bond, each in zip(bonds, extents[1:]):
            if bond:
                groups[-1].append(each)
            else:
                groups.append([each])
        if all(extent is not None for group in groups for _, extent in group[1:]):
            made.append([_weights(group) for group in groups])
    return made


def _weights(group: Sequence[tuple[str, int | None]]) -> dict[str, int]:
    found, weight = dict[str, int](), 1
    for axis, extent in reversed(group):
        found[axis] = weight
        weight *= extent or 1
    return dict(reversed(found.items()))


def _refused(
    group: Mapping[str, int],
    chain: LoopChain,
    name: str,
    held: Sequence[frozenset[str]],
    meets: Sequence[Sequence[Mapping[str, int]]],
    order: Sequence[int],
) -> str:
    """Return why these axes of an instruction cannot run through these loops, whatever the others do, or ""."""
    loops, axis = f"{'loop' if len(chain.names) == 1 else 'loops'} {chain}", next(iter(group))
    if chain.reduced and any(each in held[0] for each in group):
        return f"{loops} is summed over, and axis {axis} of {name} is in its c: lanes would hold one element"
    placed = {each: (by, chain) for each, by in group.items()}
    for place, operand in enumerate(_OPERANDS):
        inside = [each for each in meets[place] if each.keys() <= group.keys()]
        if not _agree(inside, placed, order[place]):
            return f"{loops} is in {_OPERANDS[order[place]]}, but axis {axis} of {name} is not in its {operand}"
    return ""


def _agree(meets: Sequence[Mapping[str, int]], placed: Mapping[str, tuple[int, LoopChain]], operand: int) -> bool:
    """Whether the program's elements are equal wherever places of the axes meet in a register."""
    for each in meets:
        moved = 0
        for axis, places in each.items():
            by, chain = placed[axis]
            moved += places * by * chain.steps[operand]
        if moved:
            return False
    return True


@lru_cache(maxsize=512)
def meeting(access: Access, extents: tuple[tuple[str, int | None], ...]) -> tuple[dict[str, int], ...]:
    """Return differences of places of the axes, of which sums make all those that meet in one element of a register.

    Axes that are not in the register each are one. If the others are the digits of a number, or of one for each
    dimension, there are no more; else they are enumerated.
    """
    found = [{axis: 1} for axis, extent in extents if axis not in access.axes and extent != 1]
    if _digits(access, dict(extents)):
        return tuple(found)
    inside = [(axis, extent) for axis, extent in extents if axis in access.axes]
    for axis, extent in inside:
        if extent is None:
            raise ValueError(f"axis {axis}: an extent, since the indices of {access.operand} are no digits of a number")
    for difference in product(*(range(1 - (extent or 1), extent or 1) for _, extent in inside)):
        by = {axis: each for (axis, _), each in zip(inside, difference) if each}
        if by and not any(sum(f * by.get(name, 0) for f, name in index.terms) for index in access.indices):
            found.append(by)
    return tuple(found)


def _digits(access: Access, extents: Mapping[str, int | None]) -> bool:
    """Whether each axis is in one dimension, in which the axes are digits: none reaches the step of the next."""
    everywhere = [name for index in access.indices for _, name in index.terms]
    if len(everywhere) != len(set(everywhere)):
        return False
    for index in access.indices:
        reached = 0.0
        for factor, name in sorted(index.terms, key=lambda term: (abs(term[0]), extents[term[1]] is None)):
            extent = extents[name]
            if abs(factor) <= reached:
                return False
            reached = reached + abs(factor) * (extent - 1) if extent is not None else inf
    return True
