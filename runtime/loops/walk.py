"""The iterations of a nest in the order in which a worker has them, without executing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from .code import WORKER, WORKERS, Affine, Barrier, Call, Grid, Header, Loop, Node, Share, When
from .curve import order

Indices = dict[str, int]
_HOLDS: dict[str, Any] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


def iterations(nodes: Sequence[Node], worker: int, workers: int) -> Iterator[tuple[Call, Indices]]:
    """Each call of a worker, with the values of all indices there (one dictionary, which changes)."""
    yield from _walk(nodes, {WORKER: worker, WORKERS: workers})


def _walk(nodes: Sequence[Node], at: Indices) -> Iterator[tuple[Call, Indices]]:
    for node in nodes:
        if isinstance(node, Call):
            yield node, at
        elif isinstance(node, When):
            if _HOLDS[node.condition](node.left.value(at), 0):
                yield from _walk(node.body, at)
        elif isinstance(node, Loop):
            for value in _range(node, at):
                at[node.header.index] = value
                yield from _walk(node.body, at)
        elif isinstance(node, Share):
            for places in _shared(node, at):
                if _placed(node.headers, places, at):
                    yield from _walk(node.body, at)
        elif isinstance(node, Grid):
            for _ in _cells(node, at):
                yield from _walk(node.body, at)
        else:
            assert isinstance(node, Barrier)


def _range(node: Loop, at: Indices) -> range:
    header = node.header
    start, stop = header.start.value(at), _stop(header.stop, at)
    if node.axis:
        chunk = -(-header.trips // at[f"@ways{node.axis}"]) * header.step
        start += at[f"@{node.axis}"] * chunk
        stop = min(stop, start + chunk)
    return range(start, stop, header.step)


def _stop(forms: Sequence[Affine], at: Indices) -> int:
    return min(form.value(at) for form in forms)


def _shared(node: Share, at: Indices) -> Iterator[Sequence[int]]:
    """The places of this worker's iterations: how often each loop has made its step."""
    trips = [header.trips for header in node.headers]
    places: Sequence[Sequence[int]] = (
        order(*trips).tolist() if node.curve else list(product(*(range(count) for count in trips)))
    )
    total, worker, workers = prod(trips), at[WORKER], at[WORKERS]
    if node.schedule == "turns":
        for turn in range(worker, -(-total // node.chunk), workers):
            yield from places[turn * node.chunk : (turn + 1) * node.chunk]
    elif node.schedule == "whole":
        yield from places
    else:
        yield from places[total * worker // workers : total * (worker + 1) // workers]


def _placed(headers: Sequence[Header], places: Sequence[int], at: Indices) -> bool:
    """Set the indices; whether all of them lie before the bounds of their loops."""
    for header, place in zip(headers, places):
        at[header.index] = header.start.value(at) + place * header.step
    return all(at[header.index] < _stop(header.stop, at) for header in headers)


def _cells(node: Grid, at: Indices) -> Iterator[None]:
    known = prod(ways for _, ways in node.ways if ways)
    ways = {axis: count or max(1, at[WORKERS] // known) for axis, count in node.ways}
    at |= {f"@ways{axis}": count for axis, count in ways.items()}
    for cell in range(at[WORKER], prod(ways.values()), at[WORKERS]):
        left = cell
        for axis in sorted(ways, key="CRL".index):  # columns change fastest, layers slowest
            at[f"@{axis}"], left = left % ways[axis], left // ways[axis]
        yield
