"""The loops of a schedule: what workers run between barriers, one phase after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..loops.code import WORKER, Barrier, Header, Node, Share, When, affine, by_one, index, placed
from .schedule import Phase, PlacedStage

_STRAND = "strand"


def nodes_of(schedule: Sequence[Phase], barrier: int, several: bool, depth: int = 0) -> tuple[Node, ...]:
    """Return the loops of phases, with a barrier between two of them.

    barrier   the operand of the barrier's function
    several   whether there may be more than one worker
    depth     of loops around these that are made of phases, too: indices of loops inside each other differ
    """
    made: list[Node] = []
    for phase in schedule:
        made += [Barrier(barrier)] if made else []
        for each in phase.divided:
            made += stage_nodes(each)
        made += _strands(phase, several, f"{_STRAND}{depth}")
    return tuple(made)


def stage_nodes(each: PlacedStage, alone: bool = False) -> tuple[Node, ...]:
    """Return the loops of a stage with its operands. alone: for the one worker that runs it."""
    nodes = tuple(each.stage.nodes())
    nodes = by_one(nodes) if alone else nodes
    made = placed(nodes, each.places)
    if each.first is None:
        return made
    at, places = each.first
    return When(at, "==", placed(nodes, places)), When(at, ">", made)


def _strands(phase: Phase, several: bool, name: str) -> Iterator[Node]:
    """Yield the loop that deals strands to workers. A single one is for the caller; several: if there are others."""
    bodies = [tuple(node for each in strand for node in stage_nodes(each, alone=True)) for strand in phase.strands]
    if len(bodies) == 1:
        yield from (When(index(WORKER), "==", bodies[0]),) if several else bodies[0]
    elif bodies:
        count, strand = len(bodies), index(name)
        cases = tuple(When(strand - number, "==", body) for number, body in enumerate(bodies))
        yield Share((Header(name, affine(0), (affine(count),), 1, count),), cases)
