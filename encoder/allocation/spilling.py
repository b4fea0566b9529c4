"""Values that live in the frame: each step on one loads it before and stores it behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .program import Load, Move, Step, Store, Value


def spilled(steps: Sequence[Step], places: Mapping[Value, int]) -> list[Step]:
    """Return the program with these values in the frame, at these places. A value is in a register while one step needs
    it."""
    made: list[Step] = []
    for step in steps:
        read, written = {*step.reads, *step.keeps}, {*step.writes}
        touched = [value for value in dict.fromkeys([*step.reads, *step.keeps, *step.writes]) if value in places]
        if not touched:
            made.append(step)
        elif isinstance(step, Move) and step.source in places and step.to not in places:
            made.append(Load(step.where, step.to, places[step.source]))
        elif isinstance(step, Move) and step.to in places and step.source not in places:
            made.append(Store(step.where, step.source, places[step.to]))
        else:
            names = {value: value.brief() for value in touched}
            made += [Load(step.where, names[value], places[value]) for value in touched if value in read]
            made.append(step.replaced(names))
            made += [Store(step.where, names[value], places[value]) for value in touched if value in written]
    return made
