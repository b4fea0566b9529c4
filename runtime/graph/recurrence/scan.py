"""`scan`: a program that is computed again and again, on the states that it left and on parts of sequences.

The function of a scan builds the program of one step. The node of the graph is `repeat`, which has that program as its
attribute `body`: its inputs are the states, a part of each sequence, and values that are the same in all steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....microkernels.errors import UnsupportedError
from ..values import Attribute, Builds, Given, GraphValue, Operator, TensorGraph, TensorType, Values, add


def _scan(
    build: Builds,
    *values: GraphValue | None,
    function: Callable[..., object],
    states: int,
    sequences: int,
    steps: int | None = None,
    reverse: bool = False,
) -> Values:
    """Build the program of a step, and a node that repeats it."""
    found = [each for each in values if each is not None]
    if len(found) < len(values) or len(found) < states + sequences or min(states, sequences) < 0:
        raise TypeError(f"scan: {states} states and {sequences} sequences, then other values, not {len(found)} values")
    lengths = {each.shape[0] if each.shape else None for each in found[states : states + sequences]}
    trips = {steps} if steps is not None and not sequences else lengths
    if len(trips) != 1 or None in trips or steps is not None and {steps} != trips:
        raise ValueError(
            f"scan: sequences of one length along their first axes, or steps=, not {sorted(map(str, lengths))} "
            f"and steps={steps}"
        )
    body = build.another()
    given = [
        body.constant(each.constant)
        if each.constant is not None and place >= states + sequences
        else body.input(each.shape[1:] if states <= place < states + sequences else each.shape, each.dtype)
        for place, each in enumerate(found)
    ]
    made = function(body, *given)
    results = made if isinstance(made, tuple) else (made,)
    _check(results, found[:states])
    kept = [each for each, own in zip(found, given) if own.constant is None]
    graph = body.finish(*results)
    more = {"body": graph, "states": states, "sequences": sequences, "steps": trips.pop(), "reverse": reverse}
    return build.apply("repeat", *kept, **more)


def _check(results: Sequence[object], states: Sequence[GraphValue]) -> None:
    """Raise TypeError or ValueError for results of a step that are not the next states, then outputs."""
    if len(results) < len(states) or not results or not all(isinstance(each, GraphValue) for each in results):
        raise TypeError(
            f"scan: a function that returns {len(states)} next states, then outputs, as values of its graph"
        )
    for number, (state, made) in enumerate(zip(states, results)):
        assert isinstance(made, GraphValue)
        if made.kind != state.kind:
            raise ValueError(f"scan: state {number} is {state.kind}, so the next one is, too, not {made.kind}")


def _repeat_kind(given: Given, /, body: TensorGraph, states: int, steps: int, **_: Attribute) -> tuple[TensorType, ...]:
    kinds = [each.kind for each in body.results]
    return (*kinds[:states], *(TensorType((steps, *shape), dtype) for shape, dtype in kinds[states:]))


def body_of(attributes: dict[str, Attribute]) -> TensorGraph:
    """Return the program that a node repeats."""
    body = attributes["body"]
    if not isinstance(body, TensorGraph):
        raise UnsupportedError("repeat: is what scan builds, with a program as its body")
    return body


add(
    Operator("scan", "composite", expand=_scan, takes="function states sequences steps reverse"),
    Operator("repeat", "whole", _repeat_kind, takes="body states sequences steps reverse"),
)
