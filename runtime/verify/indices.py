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

from ...emulation.symbolic.given import numbers
from ...emulation.symbolic.given.numbers import WORD, Integer
from ...emulation.symbolic.given.paths import AffineNumbers, path
from ...emulation.symbolic.given.sets import NOTHING, Sets
from ...emulation.symbolic.given.words import Reached, Words
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import Undecided, place
from ...encoder.records import NamedTuple
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.gather.spec import GatherSpec
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.indexed.spec import IndexedSpec
from . import gathers
from .operands import Call
from .proof import Claim

_BITS, _BYTES = 64, 8
_OFFSETS = "every pair of offsets of 64 bits that takes the path of one that was drawn has as many rows"


class IndexBounds(NamedTuple):
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
        self._pairs: dict[int, set[tuple[int, ...]]] = {}  # the ends of each bag that were executed
        self.witness: tuple[str, dict[int, int]] | None = None
        """An operand and elements of it that take the path of others that the request treats otherwise."""

    def claim(self, spec: Any, call: Call, done: Done) -> Claim | None:
        """Return the claim about the indices of an execution, or None if it has none."""
        if done.words is None or not (of := of_request(spec, call)):
            return None
        bags = "offsets" in call.indices
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
        if bags and (wrong := self._bags(spec, call, done)):
            return Claim("indices", False, wrong)
        return Claim("indices", True, "; ".join([*map(_how, of), *([_OFFSETS] if bags else [])]))

    def _bags(self, spec: BagSpec, call: Call, done: Done) -> str:
        """Return what has no proof about the offsets of bags, or "". The two ends of a bag decide together: of all
        pairs that take the path of this one, each must have as many rows, and each access must follow the first end of
        some bag."""
        words = done.words
        assert words is not None
        nodes = done.memory.inputs["offsets"].reshape(-1).tolist()
        every = [_Ends(spec, words, *nodes[bag : bag + 2]) for bag in range(spec.bags)]
        offsets = frozenset(nodes)
        try:
            for number, _ in words.decided:
                if (on := words.leaves(number)) & offsets and not any(on <= bag.words for bag in every):
                    raise Undecided("offsets of several bags, or an offset and an index, decide together")
            for at, bag in enumerate(every):
                self._pairs.setdefault(at, set()).add(tuple([words.values[each] for each in nodes[at : at + 2]]))
                if not bag.alike(words):
                    return f"offsets: others than those of bag {at} may be treated like these, of {bag.count} rows"
            for each in words.reached:
                of = [bag for bag in every if words.leaves(each.address) & bag.words]
                if of and not any(bag.follows(each, call) for bag in of):
                    return f"the address at {each.at:#x} is not that of an element of a bag, for every pair of offsets"
        except Undecided as reason:
            return f"offsets: {reason}"
        return ""

    def _wrong(
        self,
        index: IndexBounds,
        array: Any,
        at: int,
        node: int,
        done: Done,
        call: Call,
        reached: Mapping[int, Sequence[Reached]],
    ) -> str:
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
        affine = AffineNumbers(node, low, high)
        for each in reached.get(node, ()):
            alone = len(words.leaves(each.address)) == 1
            form = affine.of(each.address) if alone and within else None
            if form is None or (index.steps is not None and form[0] != index.steps.get(_operand(call, each.place))):
                return f"the address at {each.at:#x} is not that of what {where} names, for every value"
        return ""

    def has_every_pair(self, spec: object) -> bool:
        """Whether executions had every pair of ends that the contract allows of each bag, so that no other code is
        reached."""
        if not isinstance(spec, BagSpec) or not gathers.has_few_offsets(spec):
            return False
        allowed = {(first, last) for last in range(spec.count + 1) for first in range(last + 1)}
        return all(self._pairs.get(bag, set()) >= allowed for bag in range(spec.bags))

    def left(self) -> str:
        """Return an index that is allowed, and whose path no execution took, in words, or ""."""
        for (name, at, rows), seen in self.seen.items():
            example = self.sets.example(self.sets.without(self._allowed[name, at, rows], seen))
            if example is not None:
                self.witness = name, {at: example[0]}
                return f"{name}[{at}] = {_signed(example[0], _BITS)} takes a path that no execution took"
        return ""


class _Line(NamedTuple):
    """A number that is first x the first end of a bag + last x its last end + constant: exactly, or modulo 2^64."""

    first: int
    last: int
    constant: int
    exact: bool = True


class _Ends:
    """The two ends of a bag, and what an execution decided on them."""

    def __init__(self, spec: BagSpec, words: Words, *ends: int) -> None:
        self.size, self.words, self.places = spec.count, frozenset(ends), {node: at for at, node in enumerate(ends)}
        first, last = (words.values[node] for node in ends)
        self.along = "index", "index_t", "weights", *(("t",) if spec.second == "entries" else ())
        self.checked = spec.bounds == "kernel"  # an offset out of range is clamped to the end of the index
        self.within = [not self.checked or each <= self.size for each in (first, last)]
        self.at, end = (each if inside else self.size for each, inside in zip((first, last), self.within))
        self.count = max(end - self.at, 0)
        self.below: list[_Line] = []
        """What is less than 0 for all pairs that take the path of this one."""
        self.zero: list[_Line] = []
        """What is 0 modulo 2^64 for them."""

    def alike(self, words: Words) -> bool:
        """Whether all pairs that the contract allows, and for which the decisions are those of the execution, have as
        many rows."""
        decided = [each for each in words.decided if (on := words.leaves(each[0])) & self.words and on <= self.words]
        if self.checked:
            self._note(decided, [(0, WORD)] * 2)
            for end, within in enumerate(self.within):
                if not self._less(*(_end(end, 1, -self.size - 1) if within else _end(end, -1, self.size))):
                    return False
        self._note(decided, self._ranges())
        if not self.within[0]:  # both are at the end of the index
            return True
        last, ahead = (1, 0) if self.within[1] else (0, self.size)
        if not self.count:  # the last end is not behind the first
            return self._less(-1, last, ahead - 1)
        known = [each for each in self.zero if each[:2] in ((1, -last), (-1, last))]
        return any(not (self.count - ahead - each.constant * each.first) & WORD for each in known)

    def _ranges(self) -> list[tuple[int, int]]:
        return [(0, self.size) if within else (0, WORD) for within in self.within]

    def _note(self, decided: Sequence[tuple[Integer, int]], ranges: Sequence[tuple[int, int]]) -> None:
        """Note what decisions say if both ends lie in these ranges."""
        for number, value in decided:
            if number.op not in (numbers.EQUAL, numbers.LESS):
                continue
            one, other = (_line(each, self.places, ranges) for each in number.args)
            if one is None or other is None:
                continue
            differ = _Line(one.first - other.first, one.last - other.last, one.constant - other.constant)
            if number.op == numbers.EQUAL and value:
                self.zero.append(differ)
            elif number.op == numbers.LESS and one.exact and other.exact:
                first, last, constant, _ = differ
                self.below.append(differ if value else _Line(-first, -last, -constant - 1))

    def _less(self, first: int, last: int, constant: int) -> bool:
        """Whether first x the first end + last x the last one + constant is less than 0 for all pairs."""
        return any(each[:2] == (first, last) and each.constant >= constant for each in self.below)

    def follows(self, access: Reached, call: Call) -> bool:
        """Whether an access is, for all pairs, to the element that lies as far behind the first end as in this one."""
        region = next((each for each in call.regions if each.start <= access.place < each.end), None)
        if region is None or region.name not in self.along or not self.count:
            return False
        line, step = _line(access.address, self.places, self._ranges()), region.array.strides[0]
        ends = access.place, access.place + access.size - 1
        ahead, last = ((each - region.start) // step - self.at for each in ends)
        if line is None or ahead < 0 or (last >= self.count and not self._less(1, 0, last - self.size)):
            return False
        if self.within[1] and line.last:  # the last end is the first one and the number of rows
            line = _Line(line.first + line.last, 0, line.constant + line.last * self.count)
        return line[:2] == (step, 0) and (line.constant - access.place + step * self.at) & WORD == 0


def _end(end: int, factor: int, constant: int) -> tuple[int, int, int]:
    return (0, factor, constant) if end else (factor, 0, constant)


def _line(number: Integer, places: Mapping[int, int], ranges: Sequence[tuple[int, int]]) -> _Line | None:
    """Return a number as a line in the ends of a bag that lie in these ranges, or None."""
    op = number.op
    if op == numbers.CONSTANT:
        return _Line(0, 0, number.low)
    if op == numbers.BYTES:
        node, at = place(number.args[0]) if number.args[0] >= 0 else (0, 1)
        whole = not at and number.args == tuple(range(number.args[0], number.args[0] + _BYTES))
        return _Line(1 - places[node], places[node], 0) if whole and node in places else None
    parts = [line for each in numbers.parts(number) if (line := _line(each, places, ranges)) is not None]
    if len(parts) < len(numbers.parts(number)):
        return None
    if op == numbers.UP:
        return _scaled(parts[0], 1 << number.args[1])
    if op == numbers.DOWN:  # the sign of an end that is read as a signed number
        low, high = (each >> number.args[1] for each in _extent(parts[0], ranges))
        return _Line(0, 0, low) if parts[0].exact and low == high else None
    if len(parts) != 2:
        return None
    one, other = parts
    if op in (numbers.ADD, numbers.SUBTRACT):
        other = _scaled(other, 1 if op == numbers.ADD else -1)
        exact = one.exact and other.exact
        return _Line(one.first + other.first, one.last + other.last, one.constant + other.constant, exact)
    if other[:2] != (0, 0) or not other.exact:
        return None
    if op == numbers.MULTIPLY:
        return _scaled(one, other.constant)
    if op != numbers.AND or other.constant != WORD:
        return None
    periods = {each >> _BITS for each in _extent(one, ranges)}
    if one.exact and len(periods) == 1:
        return one._replace(constant=one.constant - (periods.pop() << _BITS))
    return one._replace(exact=False)


def _extent(line: _Line, ranges: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the least and the largest value of a line."""
    ends = [[factor * each for each in of] for factor, of in zip(line[:2], ranges)]
    return min(ends[0]) + min(ends[1]) + line.constant, max(ends[0]) + max(ends[1]) + line.constant


def _scaled(line: _Line, by: int) -> _Line:
    return _Line(line.first * by, line.last * by, line.constant * by, line.exact)


def _reached(words: Words) -> dict[int, list[Reached]]:
    """Return the accesses whose addresses depend on each word."""
    found: dict[int, list[Reached]] = {}
    for each in words.reached:
        for node in words.leaves(each.address):
            found.setdefault(node, []).append(each)
    return found


def _how(index: IndexBounds) -> str:
    """Return what is proved of a word, in words."""
    bits = index.allowed[1].bit_length()
    if index.same is None:
        return f"{index.name} decides as a number of 64 bits"
    if index.same == index.allowed == _EVERY:
        return f"addresses follow every {index.name} of 64 bits"
    if index.same == index.allowed:
        return f"addresses follow every {index.name} from 0 to {index.same[1]}"
    return (
        f"every {index.name} of {bits} bits is inside if it is from 0 to {index.same[1]}, and nothing else of it "
        "decides; addresses follow it"
    )


def _operand(call: Call, place: int) -> str:
    return next((each.name for each in call.regions if each.start <= place < each.end), "")


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def of_request(spec: Any, call: Call) -> list[IndexBounds]:
    """Return what a request says of its indices."""
    return list(_found(spec, call, {each.name: each.array for each in call.regions}))


def _found(spec: Any, call: Call, arrays: dict[str, np.ndarray[Any, Any]]) -> Iterator[IndexBounds]:
    if isinstance(spec, IndexedSpec):
        for index, (_, rows) in spec.limits.items():
            steps = {each.table: arrays[each.table].strides[0] for each in spec.found if each.by == index}
            yield _of_rows(spec, arrays[index], index, rows, steps)
    if isinstance(spec, GatherSpec) and spec.by != "stride":
        axis, wide = {"rows": 0, "columns": 1, "offsets": -1}[spec.by], "x" if spec.verb == "gather" else "y"
        steps = {wide: arrays[wide].strides[axis]}
        if spec.by == "rows" and spec.verb == "gather":
            steps |= {
                each.name: arrays[each.name].strides[0] for each in spec.factors if getattr(spec, each.name) == "col"
            }
        yield _of_rows(spec, arrays["index"], "index", spec.size, steps)
    if isinstance(spec, BagSpec):
        yield _of_rows(spec, arrays["index"], "index", spec.size, {"x": arrays["x"].strides[0]})._replace(
            used=gathers.read_by_bags(spec, arrays["offsets"])
        )
        if spec.second == "table":
            second = _of_rows(spec, arrays["index_t"], "index_t", spec.second_size, {"t": arrays["t"].strides[0]})
            yield second._replace(used=gathers.read_by_bags(spec, arrays["offsets"], arrays["index"]))
    for each in sorted(call.indices) if type(spec) in _BATCHES else ():
        yield IndexBounds(each, _EVERY, dict.fromkeys([region.name for region in call.regions], 1), _EVERY)
    for each in call.pinned.values():
        yield IndexBounds(each, None, None, _COUNTS) if each == "count" else IndexBounds(each, _EVERY, None, _EVERY)


_EVERY, _COUNTS = (0, (1 << 64) - 1), (0, (1 << 63) - 1)
_BATCHES = GemmSpec, EpilogueSpec


def _of_rows(spec: Any, array: Any, name: str, rows: int, steps: dict[str, int]) -> IndexBounds:
    most = (1 << 8 * array.itemsize) - 1
    return IndexBounds(name, (0, rows - 1), steps, (0, most if spec.bounds == "kernel" else rows - 1))
