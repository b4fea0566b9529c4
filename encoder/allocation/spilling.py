"""Values that live in the frame: a step on one accesses it there, or loads it before and stores it behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .program import Move, RecordedStep, Reload, Spill, Variable, Written


def spilled(
    steps: Sequence[RecordedStep], places: Mapping[Variable, int], accessed: Callable[[Written, Variable], bool]
) -> list[RecordedStep]:
    """Return the program with these values in the frame, at these places. A value is in a register while one step needs
    it, unless the step can access it in the frame, which `accessed` says."""
    made: list[RecordedStep] = []
    for step in steps:
        if isinstance(step, Written):
            touched = [value for value in (*step.reads, *step.keeps, *step.writes) if value in places]
            value = next((each for each in touched if accessed(step, each)), None)
            step = step if value is None else step.accessing(value, places[value])
        read, written = {*step.reads, *step.keeps}, {*step.writes}
        touched = [value for value in dict.fromkeys([*step.reads, *step.keeps, *step.writes]) if value in places]
        if not touched:
            made.append(step)
        elif isinstance(step, Move) and step.source in places and step.to not in places:
            made.append(Reload(step.where, step.to, places[step.source]))
        elif isinstance(step, Move) and step.to in places and step.source not in places:
            made.append(Spill(step.where, step.source, places[step.to]))
        else:
            names = {value: value.brief() for value in touched}
            made += [Reload(step.where, names[value], places[value]) for value in touched if value in read]
            made.append(step.replaced(names))
            made += [Spill(step.where, names[value], places[value]) for value in touched if value in written]
    return made
