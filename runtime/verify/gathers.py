"""Gathers, scatters and embedding bags: for given indices, prove that every element is the one its index names.

Indices and offsets have a value in each call, and what they decide is recorded (`indices`). The calls use random
indices, repeated ones, and the first and last position; offsets of bags of each number of rows, if the index is short.
If the kernel checks bounds, indices and offsets beyond both ends are included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...emulation.numerics.expressions import NUMPY, SEMANTICS
from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exact import OPERATIONS
from ...emulation.symbolic.lanes import Lanes
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import encoded
from ...encoder.features import Target
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES, FLOAT8
from ...microkernels.errors import UnsupportedError
from ...microkernels.gather.bag_spec import BagSpec
from ...microkernels.machines.registry import facts_of
from .conversions import NAN, NUMPY_TYPES, loaded, stored
from .extrema import alike, are_extrema, first_wrong
from .operands import Call, array_of, call_with
from .proof import Claim, Refutation

Array = np.ndarray[Any, Any]
GATHERS = ("GatherSpec", "BagSpec")
WORDS = "indices drawn, repeated, at both ends"


def calls_of(spec: Any, kind: Any, asked: Any = None) -> Iterator[Call]:
    """Yield calls with different indices. `asked` is the request of the called kernel, if it leaves extents open."""
    ends = list(_more_ends(spec)) if hasattr(spec, "bags") and asked is None else []
    outside = range(3, 3 + len(_outside(spec)))
    draws = [(draw, min(draw, 2), draw) for draw in range(3 + len(outside))]
    if getattr(spec, "second", "") == "table":  # an index that is only looked at where the first one is inside
        draws += [(0, draw, draw) for draw in outside]
    for number, (draw, other, at) in enumerate([*draws, *[(0, 0, 0)] * len(ends)]):
        rng = np.random.default_rng(draw)
        arrays = {each.name: array_of(each) for each in spec.arguments}
        if "index" in arrays:
            arrays["index"][...] = _indices(spec, rng, arrays["index"].shape, draw)
        if "index_t" in arrays:
            rng = np.random.default_rng(len(draws) + number)
            arrays["index_t"][...] = _indices(spec, rng, arrays["index_t"].shape, other, spec.second_size)
        if "offsets" in arrays:
            arrays["offsets"][...] = _offsets(spec, rng, at) if number < len(draws) else ends[number - len(draws)]
        data = [each for name, each in arrays.items() if name not in ("index", "index_t", "offsets", "bad")]
        made = call_with(asked or spec, kind, list(arrays.values()), data)
        # the position of an index outside is a result, and a number there; so offsets are numbers in such calls
        words = {"index", "index_t"} if at in outside else {"index", "index_t", "offsets"}
        yield made._replace(indices=frozenset(words & arrays.keys()))


def check_defined(spec: object) -> None:
    """Raise UnsupportedError for a request for a bag that has no definition here."""
    if not isinstance(spec, BagSpec):
        return
    missing = "positions of extrema" if spec.arg else "ranges of rows" if spec.ranged else ""
    if spec.each or missing:
        missing = missing or "results of single entries"
        raise UnsupportedError(f"verify: no specification of {missing} yet; k.run executes the bytes on given inputs")


def has_few_offsets(spec: BagSpec) -> bool:
    """Whether calls have all offsets that there are. Bags of one row at most do not repeat the code of a row, so that
    no drawn offsets lead to its repetition."""
    return spec.bounds == "call" and spec.count == 1 and spec.bags <= 16


def _more_ends(spec: BagSpec) -> Iterator[list[int]]:
    """Yield offsets of bags with all indices and with half of them, and, if the kernel checks bounds, offsets of which
    the last ends, the first ones, and both lie outside. All indices are inside in these calls."""
    count, bags = spec.count, spec.bags
    if has_few_offsets(spec):
        for empty in range(bags + 2):
            yield [0] * empty + [count] * (bags + 1 - empty)
    for rows in dict.fromkeys((count, (count + 1) // 2)) if bags else ():
        yield [0, rows, *[count] * bags][: bags + 1]
    if bags and spec.bounds == "kernel":
        ends = [0, -1, count // 2, 1 << 40, count + 1, count, 0]
        for first in range(0, len(ends) - 1, bags):
            yield [*ends[first : first + bags + 1], *[count] * bags][: bags + 1]


def _indices(spec: Any, rng: np.random.Generator, shape: tuple[int, ...], draw: int, size: int | None = None) -> Array:
    """Return the indices of a draw: first random ones; then one position for all; from then on every third index lies
    outside the table if the kernel checks bounds, then every one, then every other one. size: of another table than
    the first."""
    size = spec.size if size is None else size
    drawn = rng.integers(0, size, shape)
    if not draw:
        return drawn
    place, at = (size - 1, 0, *_outside(spec, size))[draw - 1], np.indices(shape).sum(0)
    chosen = {6: at >= 0, 7: at % 2 == 0}.get(draw, (at + draw) % 3 == 2)
    return np.where(chosen, place, drawn if draw > 2 else place)


def _outside(spec: Any, size: int | None = None) -> tuple[int, ...]:
    """Return indices outside the table, if the kernel checks bounds; of bags also such that
    differ from others only in their upper halves."""
    if spec.bounds != "kernel":
        return ()
    wide = hasattr(spec, "bags") and spec.index == "i64"
    size = spec.size if size is None else size
    return (size, -1, 1 << 30, *((1 << 32, -(1 << 32), 1 << 62) if wide else (size, -1)))


_AT_ENDS = {1: 1.0, 2: 0.5}
"""For the draws with empty bags, the share of the bags that are; the next one has all indices."""


def _offsets(spec: Any, rng: np.random.Generator, draw: int) -> Array:
    """Return the ends of the bags, some of which are empty. If the kernel checks bounds, some ends lie below 0 or
    beyond the index in the last draws."""
    found = np.sort(rng.integers(0, spec.count + 1, spec.bags + 1))
    if draw in _AT_ENDS:  # bags without an index, and bags with all
        found[:] = np.where(np.arange(spec.bags + 1) <= spec.bags * _AT_ENDS[draw], 0, spec.count)
    if spec.bounds != "kernel" or draw < _WITH_ENDS:
        return found
    if draw < _WITH_ENDS + 2:
        return rng.choice([*found, -3, spec.count + 5], found.shape)
    # every other end, or each, differs from one inside only in bits that 32-bit instructions do not see
    upper = rng.integers(-(1 << 31), 1 << 31) | 1
    chosen = (np.arange(found.size) + draw) % 2 == 0 if draw < _WITH_ENDS + 4 else True
    shifted: Array = np.where(chosen, found + (upper << 32), found)
    return shifted


_WITH_ENDS = 4
"""The first draw in which ends of bags lie outside."""


def expected(spec: Any, call: Call, done: Done, target: Target) -> dict[str, Array]:
    """Return the expected bytes of each result, keyed by its name."""
    given = {each.name: each.array for each in call.regions if each.name in _GIVEN}
    made: _Gather | _Bag = (_Gather if type(spec).__name__ == "GatherSpec" else _Bag)(spec, given, done, target)
    found = {"y": made.result()}
    if any(each.name == "bad" for each in call.regions):
        found["bad"] = encoded(np.array([made.first_bad()], np.int64))
    return found


def compared(spec: Any) -> bool:
    """Whether a bag is a maximum or minimum of floats."""
    return type(spec).__name__ == "BagSpec" and spec.name in _FIRST and NUMPY[spec.acc_dtype].kind == "f"


def extrema_of_bags(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every element is the extremum of the rows that its bag names. Bags without rows are constants."""
    given = {each.name: each.array for each in call.regions if each.name in _GIVEN}
    bag, regions = _Bag(spec, given, done, target), {each.name: each for each in call.regions}
    wanted, groups = bag.result(), bag.groups()
    held = done.memory.held(regions["y"]).reshape(wanted.shape)
    open_ = [
        (place, group)
        for place, group in zip(np.ndindex(*wanted.shape[:-1]), groups)
        if (held[place] != wanted[place]).any()
    ]
    nan, roots = NAN[spec.acc_dtype], [tuple(held[place].tolist()) for place, _ in open_]
    holds = alike(done.table, roots, [wanted[place] for place, _ in open_], nan) and are_extrema(
        Prover(done.table),
        spec.name,
        NUMPY[spec.acc_dtype],
        [done.table.joined(each) for each in roots],
        [group for _, group in open_],
        nan,
    )
    if not holds:
        claim = Claim("arithmetic", False, f"elements that have no proof as the {spec.name} of the rows of their bags")
        return claim, first_wrong(code, target, call, done, regions["y"], list(wanted.reshape(-1, wanted.shape[-1])))
    if "bad" in regions and (done.memory.held(regions["bad"]) != encoded(np.array([bag.first_bad()], np.int64))).any():
        return Claim("arithmetic", False, "the number of the first index that has no place"), None
    return Claim(
        "arithmetic",
        True,
        f"{held[..., 0].size} elements are the {spec.name} of the rows of their bags, for all inputs",
    ), None


class _Of:
    """State and helpers that gathers and bags share."""

    def __init__(self, spec: Any, given: dict[str, Array], done: Done, target: Target) -> None:
        self.spec, self.given, self.table, self.inputs = spec, given, done.table, done.memory.inputs
        self.operations = SEMANTICS | OPERATIONS[target.arch]
        self.multiply_add = facts_of(target).multiply_add

    def bytes_of(self, name: str) -> Array:
        """Return the bytes of the elements of an operand."""
        return self.table.bytes_of(self.inputs[name][..., 0], ELEMENT_BYTES[self.dtype(name)])

    def dtype(self, name: str) -> str:
        """Return the type of an operand."""
        return str(next(each.dtype for each in self.spec.arguments if each.name == name))

    def numbers(self, name: str, compute: str) -> Any:
        """Return the elements of an operand, converted to the computed type."""
        own = np.dtype(NUMPY_TYPES[self.dtype(name)])
        return loaded(Lanes(self.bytes_of(name), own, self.table), self.dtype(name), NUMPY[compute])

    def run(self, op: str, *operands: Any) -> Any:
        """Apply an operation of the expression language."""
        return self.operations[op](*operands, value=None)


class _Gather(_Of):
    def _places(self) -> tuple[Array, ...]:
        """Return the position in the wide matrix of each element of the narrow one."""
        spec, rows, columns = self.spec, np.arange(self.spec.m)[:, None], np.arange(self.spec.n)[None, :]
        if spec.by == "stride":
            return tuple(np.broadcast_arrays(rows, columns * spec.step))
        index = self.given["index"]
        if spec.by == "offsets":
            return (index,)
        pair = (index[:, None], columns) if spec.by == "rows" else (rows, index[None, :])
        return tuple(np.broadcast_arrays(*pair))

    def _inside(self) -> Array:
        """Return which elements of the narrow matrix have an index inside the wide one."""
        if self.spec.by == "stride":
            return np.ones((self.spec.m, self.spec.n), bool)
        index = self.given["index"]
        index = index[:, None] if self.spec.by == "rows" else index[None, :] if self.spec.by == "columns" else index
        within: Array = np.broadcast_to((index >= 0) & (index < self.spec.size), (self.spec.m, self.spec.n))
        return within

    def result(self) -> Array:
        """Return the elements of y."""
        inside, places = self._inside(), tuple(np.where(self._inside(), each, 0) for each in self._places())
        if self.spec.verb == "gather":
            made: Array = self._converted(places) if self.spec.converts else self.bytes_of("x")[places]
            zero = np.broadcast_to(encoded(np.zeros(1, np.uint8))[0, 0], made.shape)
            found: Array = np.where(inside[..., None], made, zero)
            return found
        x = self.bytes_of("x")
        y: Array = self.bytes_of("y").copy()
        for i, j in np.argwhere(inside):
            y[tuple(each[i, j] for each in places)] = x[i, j]
        return y

    def _converted(self, places: tuple[Array, ...]) -> Array:
        spec = self.spec
        compute = NUMPY[spec.compute]
        own = np.dtype(NUMPY_TYPES[spec.dtype])
        value = loaded(Lanes(self.bytes_of("x")[places], own, self.table), spec.dtype, compute)
        factors = {each.name: self._spread(each.name, places[0]) for each in spec.factors}
        if len(factors) == 2:
            value = self.run("fma", factors["scale"], value, factors["bias"])
        elif factors:
            value = self.run("mul" if spec.scale else "add", value, *factors.values())
        made = value if spec.out == spec.compute else stored(value, spec.out)
        raw: Array = made.raw if isinstance(made, Lanes) else encoded(made)  # numbers if there are no rows
        return raw

    def _spread(self, name: str, rows: Array) -> Any:
        """Return the value of a factor at each element of y."""
        data = self.bytes_of(name)
        way = getattr(self.spec, name)
        shape = (self.spec.m, self.spec.n, data.shape[-1])
        at = data[rows] if way == "col" else np.broadcast_to(data if way == "row" else data[0], shape)
        return Lanes(np.ascontiguousarray(at), NUMPY[self.spec.compute], self.table)

    def first_bad(self) -> int:
        """Return the position of the first index that is out of range, or -1."""
        wrong = (self.given["index"] < 0) | (self.given["index"] >= self.spec.size)
        if self.spec.by == "columns":
            wrong = np.broadcast_to(wrong, (self.spec.m, wrong.size))
            return int(wrong[0].argmax()) if wrong.size and wrong[0].any() else -1
        return int(wrong.ravel().argmax()) if wrong.any() else -1


_GIVEN = ("index", "index_t", "offsets")
"""The operands whose elements are numbers in a call."""
_FIRST: dict[str, Callable[[Any], Any]] = {
    "max": lambda dtype: -np.inf if dtype.kind == "f" else np.iinfo(dtype).min,
    "min": lambda dtype: np.inf if dtype.kind == "f" else np.iinfo(dtype).max,
}
"""The initial value of a comparison, by the name of the reduction."""


def _ends(spec: Any, offsets: Array, bag: int) -> tuple[int, int]:
    """Return the first position of a bag, and the one behind its last."""
    first, last = (int(offsets[bag + each]) for each in (0, 1))
    # an offset out of range is clamped to the end of the index, as an unsigned comparison does
    if spec.bounds == "kernel":
        first, last = (each if 0 <= each <= spec.count else spec.count for each in (first, last))
    return first, max(first, last)


def read_by_bags(spec: Any, offsets: Array, index: Array | None = None) -> frozenset[int]:
    """Return the positions of the indices that some bag reads: of a second one, those at which the first one names a
    row."""
    read = (p for bag in range(spec.bags) for p in range(*_ends(spec, offsets, bag)))
    return frozenset(p for p in read if index is None or 0 <= index[p] < spec.size)


class _Bag(_Of):
    def _ends(self, bag: int) -> tuple[int, int]:
        return _ends(self.spec, self.given["offsets"], bag)

    def result(self) -> Array:
        """Return y, bag by bag, with rows taken in the order of the index."""
        spec = self.spec
        compute = NUMPY[spec.acc_dtype]
        x, other = self.numbers("x", spec.acc_dtype), self._other()
        rows = [encoded(np.zeros(spec.n, compute)) for _ in range(spec.bags)]
        for bag in range(spec.bags):
            first, last = self._ends(bag)
            total: Any = np.zeros(spec.n, compute)
            if spec.name in _FIRST and last > first:
                total = np.full(spec.n, _FIRST[spec.name](compute), compute)
            for p, row in self._rows(bag):
                total = self._taken(total, x[row], other(p, bag))
            if spec.name == "mean" and last > first:
                total = self.run("div", total, np.full(spec.n, last - first, compute))
            rows[bag] = total.raw if isinstance(total, Lanes) else encoded(np.asarray(total))
        return np.stack(rows) if rows else np.empty((0, spec.n, compute.itemsize), np.int64)

    def _other(self) -> Callable[[int, int], Lanes | None]:
        """Return a function of a position and its bag: what the row of the table is combined with, or None."""
        spec = self.spec
        if spec.weighted:
            weights = self.numbers("weights", spec.acc_dtype)
            return lambda p, bag: weights[np.full(spec.n, p)]
        if not spec.second:
            return lambda p, bag: None
        t = self.numbers("t", spec.acc_dtype)
        row: dict[str, Callable[[int, int], int]] = {
            "entries": lambda p, bag: p,
            "rows": lambda p, bag: bag,
            "table": lambda p, bag: int(self.given["index_t"][p]),
        }
        return lambda p, bag: t[row[spec.second](p, bag)]

    def _rows(self, bag: int) -> Iterator[tuple[int, int]]:
        """Yield (p, row) for each position p of a bag whose indices name rows inside the tables."""
        for p in range(*self._ends(bag)):
            if self._inside(p):
                yield p, int(self.given["index"][p])

    def _inside(self, p: int) -> bool:
        named = self.given.get("index_t")
        inside = 0 <= self.given["index"][p] < self.spec.size
        return bool(inside and (named is None or 0 <= named[p] < self.spec.second_size))

    def groups(self) -> list[frozenset[int]]:
        """Return the set of values that are compared for each element of y, row by row."""
        x, other, groups = self.numbers("x", self.spec.acc_dtype), self._other(), []
        for bag in range(self.spec.bags):
            rows = [self._combined(x[row], other(p, bag)) for p, row in self._rows(bag)]
            nodes = [row.nodes().tolist() for row in rows]
            groups += [frozenset(row[j] for row in nodes) for j in range(self.spec.n)]
        return groups

    def _combined(self, row: Lanes, other: Lanes | None) -> Lanes:
        """Return a term, which is not fused with what follows."""
        made: Lanes = row if other is None else self.run(self.spec.combine, row, other)
        return made

    def _taken(self, total: Any, row: Lanes, other: Lanes | None) -> Any:
        """Return the value of a bag after one more row."""
        if self.spec.name in _FIRST:
            return self.run(self.spec.name, total, self._combined(row, other))
        if other is None or self.spec.combine != "mul":
            return self.run("add", total, self._combined(row, other))
        # elements that a load converts by itself are added by the machine's verb
        by_verb = not self.spec.second and DTYPES[self.spec.dtype].real and self.spec.dtype not in FLOAT8
        if by_verb and self.multiply_add == 2:  # a product is rounded, then added
            return self.run("add", total, self.run("mul", row, other))
        return self.run("fma", row, other, total)

    def first_bad(self) -> int:
        """Return the least position p, in any bag, with an index that is out of range, or -1."""
        seen = [p for bag in range(self.spec.bags) for p in range(*self._ends(bag)) if not self._inside(p)]
        return min(seen, default=-1)
