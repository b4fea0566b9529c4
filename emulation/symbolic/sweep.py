"""Match parts of the code's expressions with parts of the expected ones, from the inputs up, and prove each match.

    new = swept(prover, wanted, held)      held nodes with parts of the wanted ones substituted
    equal(prover, held, wanted, exact)     whether both are equal, if need be for all values of a part that both share

Candidates are found on samples of the inputs and proved by `equality.Prover`, so a long expression is proved in small
steps. If a part of the wanted expression is the result of float arithmetic, all NaNs count as one value, because a
request leaves open what it computes from the sign and payload of such a NaN. Other parts must be equal bit for bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from .bounds import check
from .concrete import evaluated
from .equality import ARITHMETIC, Prover
from .exhaustive import Exhaustive, form_of, nan_of
from .facts import INFINITY, NOTHING
from .values import Array, Table

_SAMPLES = 32
_TRIES = 2
_NAN = {4: nan_of(INFINITY[4]), 8: nan_of(INFINITY[8])}
_NEAR = 60
"""The number of nodes among which shared parts are searched."""


def swept(prover: Prover, wanted: Sequence[int], held: Sequence[int]) -> list[int]:
    """Return the held nodes, with parts that are proved equal to parts of the wanted ones replaced by these."""
    table = prover.table
    seen = _signatures(table, [*wanted, *held])
    inputs = _Inputs(table)
    known: dict[tuple[int, bytes], _Alike] = {}
    for node in table.below(wanted):
        known.setdefault((table.size(node), seen[node]), _Alike(inputs)).add(table, node)
    new: dict[int, int] = {}
    told: dict[Any, bool] = {}  # whether pairs of a form are equal
    for node in table.below(held):
        check()
        made = prover.rebuilt_once(node, NOTHING, new)
        if table.value(made) is None:
            alike = known.get((table.size(node), seen[node]))
            for other in alike.likely(table, made) if alike is not None else ():
                if made == other or _equal(prover, made, other, told):
                    made = other
                    break
        new[node] = made
    return [new[node] for node in held]


class _Inputs:
    """The inputs that nodes depend on, as a bit mask. Each input is hashed to one of 61 bits."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._of: dict[int, int] = {}

    def of(self, root: int) -> int:
        for node in self.table.below([root], self._of):
            found = 0
            for arg in self.table.arguments(node):
                found |= self._of[arg]
            self._of[node] = found if found or self.table.leaf(node) is None else 1 << node % 61
        return self._of[root]


class _Alike:
    """Nodes with the same samples."""

    def __init__(self, inputs: _Inputs) -> None:
        self.nodes: list[int] = []
        self._inputs = inputs
        self._of: dict[int, list[int]] = {}  # for each node, the positions of the nodes that it is, or is an operand of

    def add(self, table: Table, node: int) -> None:
        for each in {node, *table.arguments(node)}:
            self._of.setdefault(each, []).append(len(self.nodes))
        self.nodes.append(node)

    def likely(self, table: Table, made: int) -> Sequence[int]:
        """Return the few nodes that are worth a proof: those that share the most operands with `made`, or are its
        operands, those that depend on the same inputs, and the first ones."""
        nodes = self.nodes
        if len(nodes) <= _TRIES:
            return nodes
        common = Counter(at for arg in {*table.arguments(made)} for at in self._of.get(arg, ()))
        most = sorted(common, key=lambda at: (-common[at], at))[:_TRIES]
        own = self._inputs.of(made)
        same = islice((node for node in nodes if self._inputs.of(node) == own), _TRIES)
        return list(dict.fromkeys([*[nodes[at] for at in most], *same, *nodes[:_TRIES]]))


def equal(prover: Prover, held: int, wanted: int, exact: bool) -> bool:
    """Whether both nodes are proved equal. A variable in place of a shared part may help."""
    if prover.equal(held, wanted, exact):
        return True
    for part in _common(prover.table, held, wanted):
        variable = {part: int(prover.table.inputs("@part", 1, prover.table.size(part))[0])}
        one, other = (prover.rebuilt(each, dict(variable)) for each in (held, wanted))
        if prover.equal(one, other, exact):
            return True
    return False


def _common(table: Table, held: int, wanted: int) -> list[int]:
    """Return the nearest computed floats of the wanted node that the held node depends on, too."""
    known, found = set(table.below([held])), list[int]()
    seen, level = {wanted}, [wanted]
    while level and len(found) < _TRIES and len(seen) < _NEAR:
        below = [arg for node in level for arg in table.arguments(node)]
        level = [arg for arg in dict.fromkeys(below) if arg not in seen]
        seen.update(level)
        found += [node for node in level if node in known and table.size(node) in (4, 8) and table.parts(node)[1]]
    return found[:_TRIES]


def _equal(prover: Prover, made: int, other: int, told: dict[Any, bool]) -> bool:
    exact = _exact(prover.table, other)
    form = exact, form_of(prover.table, made, other)
    if form not in told:
        told[form] = prover.equal(made, other, exact) or _for_all_inputs(prover.table, made, other, exact)
    return told[form]


def _for_all_inputs(table: Table, made: int, other: int, exact: bool) -> bool:
    """Whether both nodes are equal for all values of a single narrow element that they are computed from. Rows that are
    kept in scratch memory in their own type are converted there and back, in forms that only their results tell."""
    nan = None if exact else _NAN.get(table.size(other))
    return Exhaustive(table).of_few(made, other, nan) is True


def _exact(table: Table, node: int) -> bool:
    """Whether a NaN of this node may come from an input. It cannot if float arithmetic, a maximum or a minimum makes
    it."""
    operation, args = table.parts(node)
    if operation is None:
        return True
    if operation.name != "where":
        return operation.name not in ARITHMETIC or operation.types[0][0] != "f"
    condition, inner = table.parts(args[0])
    tests = [table.parts(each)[0] for each in inner] if condition and condition.name == "bitwise_or" else [condition]
    return not all(test and test.name == "isnan" for test in tests) or _exact(table, args[1])


def _signatures(table: Table, roots: Sequence[int]) -> dict[int, bytes]:
    """Return the values of nodes on samples of the inputs, with one representation for all NaNs."""
    rng = np.random.default_rng(1)

    def given(node: int) -> Array:
        return sampled(rng, table.size(node), _SAMPLES)

    found = evaluated(table, roots, given, _SAMPLES)
    return {node: _plain(value) for node, value in found.items()}


def sampled(rng: np.random.Generator, size: int, count: int) -> Array:
    """Return samples of an input as bytes. Most 2-byte samples are numbers whose sums and products are finite in both
    formats, because sums of random bits are mostly NaN and cannot be told apart."""
    if size not in (4, 8):
        found = rng.integers(0, 256, (count, size), np.uint8)
        if size == 2:
            near = rng.normal(size=count).astype(np.float32).view(np.uint8).reshape(count, 4)[:, 2:]
            found[count // 4 :] = near[count // 4 :]
        return found
    values = rng.normal(size=count) * 10.0 ** rng.integers(-3, 4, count)
    values[:3] = [0.0, np.nan, np.inf]
    return values.astype(f"f{size}").view(np.uint8).reshape(count, size)


def _plain(value: Array) -> bytes:
    size = value.shape[1]
    if size in (4, 8):
        floats = np.ascontiguousarray(value).view(f"f{size}")
        return np.where(np.isnan(floats), np.float64(np.nan).astype(floats.dtype), floats).tobytes()
    return value.tobytes()
