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

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...emulation.symbolic.given.paths import Affine, path
from ...emulation.symbolic.given.sets import NOTHING, Sets
from ...emulation.symbolic.given.words import Reached, Words
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import Undecided
from ...encoder.records import NamedTuple
from . import gathers
from .operands import Call
from .proof import Claim

_BITS = 64


class Index(NamedTuple):
    """What a request says of the words in an operand, or of a number among the arguments.

    same       from which value to which the request does the same as for a value that is inside; None: that value alone
    steps      the distances in bytes between neighbours of what the word names, in each operand that it may reach, by
               its name; None: the distance is a whole number
    allowed    from which value to which the contract allows the word
    used       the positions of the words that the request reads in this call, if it reads some only
    """

    name: str
    same: tuple[int, int] | None
    steps: dict[str, int] | None
    allowed: tuple[int, int]
    used: frozenset[int] | None = None


class Indices:
    """The indices of the calls of one kernel. `seen` keeps, over all calls, which values took a path that was
    executed."""

    def __init__(self) -> None:
        self.sets = Sets()
        self.seen: dict[tuple[str, int, int], int] = {}
        self._allowed: dict[tuple[str, int, int], int] = {}
        self.witness: tuple[str, dict[int, int]] | None = None
        """An operand and elements of it that take the path of others that the request treats otherwise."""

    def claim(self, spec: Any, call: Call, done: Done) -> Claim | None:
        """Return the claim about the indices of an execution, or None if it has none."""
        if done.words is None or not (of := of_request(spec, call)):
            return None
        regions, reached = {each.name: each for each in call.regions}, _reached(done.words)
        for index in of:
            nodes = done.memory.inputs[index.name].reshape(-1).tolist()
            array = regions[index.name].array if index.name in regions else None
            try:
                used = [at for at in range(len(nodes)) if index.used is None or at in index.used]
                wrong = next(
                    filter(None, (self._wrong(index, array, at, nodes[at], done, call, reached) for at in used)), ""
                )
            except Undecided as reason:
                wrong = f"{index.name}: {reason}"
            if wrong:
                return Claim("indices", False, wrong)
        return Claim("indices", True, "; ".join(map(_how, of)))

    def _wrong(self, index: Index, array: Any, at: int, node: int, done: Done, call: Call,
               reached: Mapping[int, Sequence[Reached]]) -> str:  # fmt: skip
        """Return what has no proof about one word, or ""."""
        sets, words = self.sets, done.words
        assert words is not None
        value = words.values[node]
        low, high = index.same or (value, value)
        inside, allowed = sets.between(low, high), sets.between(*index.allowed)
        within = low <= value <= high
        taken = sets.both(path(sets, words, node), allowed)
        mixed = sets.without(taken, inside) if within else sets.both(taken, inside)
        where, bits = f"{index.name}[{at}]" if array is not None else index.name, index.allowed[1].bit_length()
        if (example := sets.example(mixed)) is not None:
            self.witness = (index.name, {at: example[0]}) if array is not None else None
            return f"{where} = {_signed(example[0], bits)} is treated like {_signed(value, bits)}"
        if index.same is not None:
            key = index.name, at if index.used is None else 0, high
            self.seen[key] = sets.either(self.seen.get(key, NOTHING), taken)
            self._allowed[key] = allowed
        affine = Affine(node, low, high)
        for each in reached.get(node, ()):
            alone = len(words.leaves(each.address)) == 1
            form = affine.of(each.address) if alone and within else None
            if form is None or (index.steps is not None and form[0] != index.steps.get(_operand(call, each.place))):
                return f"the address at {each.at:#x} is not that of what {where} names, for every value"
        return ""

    def left(self) -> str:
        """Return an index that is allowed, and whose path no execution took, in words, or ""."""
        for (name, at, rows), seen in self.seen.items():
            example = self.sets.example(self.sets.without(self._allowed[name, at, rows], seen))
            if example is not None:
                self.witness = name, {at: example[0]}
                return f"{name}[{at}] = {_signed(example[0], _BITS)} takes a path that no execution took"
        return ""


def _reached(words: Words) -> dict[int, list[Reached]]:
    """Return the accesses whose addresses depend on each word."""
    found: dict[int, list[Reached]] = {}
    for each in words.reached:
        for node in words.leaves(each.address):
            found.setdefault(node, []).append(each)
    return found


def _how(index: Index) -> str:
    """Return what is proved of a word, in words."""
    bits = index.allowed[1].bit_length()
    if index.same is None:
        return f"{index.name} decides as a number of 64 bits"
    if index.same == index.allowed == _EVERY:
        return f"addresses follow every {index.name} of 64 bits"
    if index.same == index.allowed:
        return f"addresses follow every {index.name} from 0 to {index.same[1]}"
    return (f"every {index.name} of {bits} bits is inside if it is from 0 to {index.same[1]}, and nothing else of it "
            "decides; addresses follow it")  # fmt: skip


def _operand(call: Call, place: int) -> str:
    return next((each.name for each in call.regions if each.start <= place < each.end), "")


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def of_request(spec: Any, call: Call) -> list[Index]:
    """Return what a request says of its indices."""
    return list(_found(spec, call, {each.name: each.array for each in call.regions}))


def _found(spec: Any, call: Call, arrays: dict[str, np.ndarray[Any, Any]]) -> Iterator[Index]:
    name = type(spec).__name__
    if name == "IndexedSpec":
        for index, (_, rows) in spec.limits.items():
            steps = {each.table: arrays[each.table].strides[0] for each in spec.found if each.by == index}
            yield _of_rows(spec, arrays[index], index, rows, steps)
    if name == "GatherSpec" and spec.by != "stride":
        axis, wide = {"rows": 0, "columns": 1, "offsets": -1}[spec.by], "x" if spec.verb == "gather" else "y"
        steps = {wide: arrays[wide].strides[axis]}
        if spec.by == "rows" and spec.verb == "gather":
            steps |= {each.name: arrays[each.name].strides[0] for each in spec.factors
                      if getattr(spec, each.name) == "col"}  # fmt: skip
        yield _of_rows(spec, arrays["index"], "index", spec.size, steps)
    if name == "BagSpec":
        yield _of_rows(spec, arrays["index"], "index", spec.size, {"x": arrays["x"].strides[0]})._replace(
            used=gathers.read_by_bags(spec, arrays["offsets"]))  # fmt: skip
    for each in sorted(call.indices) if name in _BATCHES else ():
        yield Index(each, _EVERY, dict.fromkeys([region.name for region in call.regions], 1), _EVERY)
    for each in call.pinned.values():
        yield Index(each, None, None, _COUNTS) if each == "count" else Index(each, _EVERY, None, _EVERY)


_EVERY, _COUNTS = (0, (1 << 64) - 1), (0, (1 << 63) - 1)
_BATCHES = ("GemmSpec", "EpilogueSpec")


def _of_rows(spec: Any, array: Any, name: str, rows: int, steps: dict[str, int]) -> Index:
    most = (1 << 8 * array.itemsize) - 1
    return Index(name, (0, rows - 1), steps, (0, most if spec.bounds == "kernel" else rows - 1))
