"""Indices of any value: the decisions of the code on an index are those of the request, and addresses follow the index.

Each execution has numbers for the indices, but computes with them as words of their whole type (emulation/symbolic/
given/), and records what they decide. A proof for the numbers then holds for every other index that is decided in the
same way, if each address is that of the row that the index names. What is checked:

- Of the indices that take the path of one inside the table, all lie inside it; of those that take the path of one
  outside, all lie outside. Both are sets of 2^64 values, or 2^32, compared exactly.
- All indices that the contract allows take the path of one of the executions.
- The address of each access that depends on an index inside is factor x index + constant modulo 2^64 for all indices
  inside, and the factor is the distance between rows. Nothing is accessed by an index outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...emulation.symbolic.given.paths import affine, path
from ...emulation.symbolic.given.sets import NOTHING, Sets
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import Undecided
from ...encoder.records import NamedTuple
from . import gathers
from .operands import Call
from .proof import Claim

_BITS = 64


class Index(NamedTuple):
    """What a request says of the indices in an operand.

    rows       how many there are to name
    steps      the distances in bytes between neighbours of those, in each operand that an index may reach, by its name
    checked    whether an index may be any number, and the code has to see which are inside
    used       the positions of the indices that the request reads in this call, if it reads some only
    """

    name: str
    rows: int
    steps: dict[str, int]
    checked: bool
    used: frozenset[int] | None = None


class Indices:
    """The indices of the calls of one kernel. `seen` keeps, over all calls, which values took a path that was
    executed."""

    def __init__(self) -> None:
        self.sets = Sets()
        self.seen: dict[tuple[str, int, int], int] = {}
        self._allowed: dict[tuple[str, int, int], int] = {}
        self.witness: tuple[str, int, int] | None = None
        """(operand, position, index) of an index that takes a path of indices that the request treats otherwise."""

    def claim(self, of: list[Index], call: Call, done: Done) -> Claim | None:
        """Return the claim about the indices of an execution, or None if it has none."""
        if not of or done.words is None:
            return None
        regions = {each.name: each for each in call.regions}
        for index in of:
            nodes = done.memory.inputs[index.name].reshape(-1).tolist()
            array = regions[index.name].array
            try:
                wrong = next(filter(None, (self._wrong(index, array, at, node, done, call) for at, node in
                                           enumerate(nodes) if index.used is None or at in index.used)), "")  # fmt: skip
            except Undecided as reason:
                wrong = f"{index.name}: {reason}"
            if wrong:
                return Claim("indices", False, wrong)
        return Claim("indices", True, "")

    def _wrong(self, index: Index, array: Any, at: int, node: int, done: Done, call: Call) -> str:
        """Return what has no proof about one index, or ""."""
        sets, bits = self.sets, 8 * array.itemsize
        inside = sets.between(0, index.rows - 1) if index.rows else NOTHING
        every = sets.between(0, (1 << bits) - 1)
        allowed = every if index.checked else inside
        words = done.words
        assert words is not None
        value = words.values[node]
        within = value < index.rows
        same = sets.both(path(sets, words, node), allowed)
        mixed = sets.without(same, inside) if within else sets.both(same, inside)
        if (example := sets.example(mixed)) is not None:
            self.witness = index.name, at, example[0]
            return (f"{index.name}[{at}] = {_signed(example[0], bits)} is treated like {_signed(value, bits)}, which lies "
                    f"{'inside' if within else 'outside'}")  # fmt: skip
        key = index.name, at if index.used is None else 0, index.rows
        self.seen[key] = sets.either(self.seen.get(key, NOTHING), same)
        self._allowed[key] = allowed
        for each in words.reached:
            on = words.leaves(each.address)
            if node not in on:
                continue
            form = affine(each.address, node, 0, index.rows - 1) if on == {node} and within else None
            step = index.steps.get(_operand(call, each.place))
            if form is None or step is None or form[0] != step:
                return (f"the address at {each.at:#x} is not that of the row that {index.name}[{at}] names, for every "
                        "index")  # fmt: skip
        return ""

    def left(self) -> str:
        """Return an index that is allowed, and whose path no execution took, in words, or ""."""
        for (name, at, rows), seen in self.seen.items():
            example = self.sets.example(self.sets.without(self._allowed[name, at, rows], seen))
            if example is not None:
                return f"{name}[{at}] = {_signed(example[0], _BITS)} takes a path that no execution took"
        return ""


def _operand(call: Call, place: int) -> str:
    return next((each.name for each in call.regions if each.start <= place < each.end), "")


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def of_request(spec: Any, call: Call) -> list[Index]:
    """Return what a request says of its indices."""
    return list(_found(spec, {each.name: each.array for each in call.regions}))


def _found(spec: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Iterator[Index]:
    name = type(spec).__name__
    if name == "IndexedSpec":
        for index, (_, rows) in spec.limits.items():
            steps = {each.table: arrays[each.table].strides[0] for each in spec.found if each.by == index}
            yield Index(index, rows, steps, spec.bounds == "kernel")
    if name == "GatherSpec" and spec.by != "stride":
        axis = {"rows": 0, "columns": 1, "offsets": -1}[spec.by]
        steps = {"x" if spec.verb == "gather" else "y": arrays["x" if spec.verb == "gather" else "y"].strides[axis]}
        if spec.by == "rows" and spec.verb == "gather":
            steps |= {each.name: arrays[each.name].strides[0] for each in spec.factors if getattr(spec, each.name) == "col"}
        yield Index("index", spec.size, steps, spec.bounds == "kernel")
    if name == "BagSpec":
        yield Index("index", spec.size, {"x": arrays["x"].strides[0]}, spec.bounds == "kernel",
                    gathers.read_by_bags(spec, arrays["offsets"]))  # fmt: skip
