"""Extrema: prove that results are the maximum or minimum of the requested set of elements, bit for bit.

If the type of the results differs from the type of the comparison, the proof searches each result's expression for a
part that is the extremum. The result must then be the conversion of that part, as the request defines it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...emulation.symbolic.concrete import evaluated
from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exhaustive import Exhaustive, Nan
from ...emulation.symbolic.extrema.elements import Elements
from ...emulation.symbolic.extrema.floats import Extrema
from ...emulation.symbolic.facts import bounds
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.sweep import sampled
from ...emulation.symbolic.values import Array, Table, place
from ...microkernels.dtypes import DTYPES
from .converted import Converted
from .definition.algebra import NodeAlgebra
from .definition.conversions import NAN, NUMPY_TYPES
from .definition.sums import compared, extremum
from .proof import Claim, Refutation
from .refutation import Wrong, of_element

Sets = list[frozenset[int]]


def values(code: bytes, target: Any, spec: Any, call: Any, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every result is the extremum that the request asks for."""
    written = {region.name: region for region in call.regions if region.writable}
    count = 0
    for at, (y, name) in enumerate(zip(spec.outputs, spec.reductions)):
        held = done.memory.held(written[y.name])
        results = [tuple(each) for each in held.reshape(-1, held.shape[-1]).tolist()]
        extrema = _Extrema(spec, at, done)
        wanted = extrema.expected()
        nan = NAN.get(spec.out)
        if not (
            alike(done.table, results, wanted, nan)
            and (extrema.all(results) or of_few_inputs(done.table, results, wanted, nan))
        ):
            claim = Claim("arithmetic", False, f"results that have no proof as the {name} of their elements")
            return claim, first_wrong(code, target, call, done, written[y.name], wanted)
        count += len(results)
    return Claim(
        "arithmetic",
        True,
        f"{count} results are the {spec.name} of the elements that the request says, "
        "for all inputs, in an order of their own",
    ), None


def first_wrong(
    code: bytes, target: Any, call: Any, done: Done, region: Any, wanted: Sequence[Array]
) -> Refutation | None:
    """Return a refutation for the first result that the emulator shows to be wrong, or None. `wanted` holds the
    expected bytes of each result as expressions."""
    shape = done.memory.held(region).shape[:-1]
    for at, data in zip(np.ndindex(*shape), wanted):
        if (done.memory.held(region)[at] != data).any():
            found = of_element(code, target, call, done, Wrong(region, at, data))
            if found.confirmed:
                return found
    return None


def are_extrema(prover: Prover, name: str, compute: np.dtype[Any], roots: list[int], groups: Sets, nan: Nan) -> bool:
    """Whether each root is proved to be the extremum of its group of floats."""
    elements = Elements(prover, [node for group in groups for node in group], nan, again=False)
    made = elements.put_in(roots)
    groups = [frozenset(elements.made.get(node, node) for node in group) for group in groups]
    found = Extrema(prover, name, compute.str[1:], list(dict.fromkeys(node for group in groups for node in group)))
    found.look(made)
    return all(found.of(root) == group for root, group in zip(made, groups))


def alike(table: Table, results: list[tuple[int, ...]], wanted: Sequence[Array], nan: Nan | None) -> bool:
    """Whether results agree with the expected ones on random samples of the inputs. If they do not, a proof is not
    worth trying."""
    rng = np.random.default_rng(1)
    roots = [[table.joined(tuple(each)) for each in side] for side in (results, [each.tolist() for each in wanted])]
    seen = evaluated(table, [*roots[0], *roots[1]], lambda leaf: sampled(rng, table.size(leaf), _SAMPLES), _SAMPLES)
    for pair in zip(*roots):
        one, other = (np.ascontiguousarray(seen[node]).view(f"u{seen[node].shape[1]}") for node in pair)
        if not ((one == other) | (nan(one) & nan(other) if nan is not None else False)).all():
            return False
    return True


_SAMPLES = 32


def of_few_inputs(table: Table, results: Sequence[Sequence[int]], wanted: Sequence[Array], nan: Nan | None) -> bool:
    """Whether every result depends on so few inputs that all of them are tried, and is the expected one for each. Such
    are results of a single narrow element: their code may leave out steps that nothing else leaves out."""
    exhaustive = Exhaustive(table)
    return all(
        exhaustive.equal(table.joined(tuple(each)), table.joined(tuple(data.tolist())), nan)
        for each, data in zip(results, wanted)
    )


class _Extrema:
    """The extrema of one output."""

    def __init__(self, spec: Any, at: int, done: Done) -> None:
        self.spec, self.at, self.table = spec, at, done.table
        self.algebra = NodeAlgebra(done.table, done.memory.inputs)
        self.compute = np.dtype(NUMPY_TYPES[spec.compute])
        self.prover = Prover(self.table)
        self.sizes = self._elements(spec.name == "absmax")
        self.elements = self._elements(False)
        self.ends = [bounds(self.table, node, self.compute.itemsize) for group in self.sizes for node in group]
        self.above = min(self.ends)[0] >= 0

    def all(self, results: list[tuple[int, ...]]) -> bool:
        """Whether these results, given as bytes, are the extrema."""
        roots = [self.table.joined(data) for data in results]
        told = self.spec.out == self.spec.compute or self._fit()
        if self.compute.kind == "i" or (self.above and self.spec.name == "absmax"):
            data = results
            if self.compute.kind == "f":
                roots = self.put_in(roots, self.sizes, _positive_nan)
                data = [self.table.split(root, len(data[0])) for root in roots]
            for kind in "iu"[: 1 + self.above]:  # without a sign bit, floats are ordered like their bits as integers
                finder = _Whole(self, kind)
                if told and all(finder.is_of(_whole_of(self.table, each), at) for at, each in enumerate(data)):
                    return True
                if self._converted(finder, roots):
                    return True
        if self.compute.kind != "f":
            return False
        roots = self.put_in([self.table.joined(each) for each in results], self.elements, NAN[self.spec.compute])
        floats = _Floats(self, roots)
        if self.spec.out == self.spec.compute:
            return all(floats.is_of(root, at) for at, root in enumerate(roots))
        return self._converted(floats, roots)

    def expected(self) -> list[Array]:
        """Return the expected bytes of each result."""
        return list(extremum(self.spec, self.algebra, self.at))

    def put_in(self, roots: list[int], wanted: Sets, nan: Nan) -> list[int]:
        """Return the results with the elements in the form in which the code computes them. The sets in `wanted` are
        changed in the same way."""
        every = [node for group in wanted for node in group]
        elements = Elements(self.prover, every, nan, again=wanted is self.sizes)
        made = elements.put_in(roots)
        wanted[:] = [frozenset(elements.made.get(node, node) for node in group) for group in wanted]
        return made

    def _fit(self) -> bool:
        """Whether every element is representable in the results' integer type, so that its lowest bytes are the
        result."""
        if self.compute.kind == "f" or DTYPES[self.spec.out].real:
            return False
        info = np.iinfo(NUMPY_TYPES[self.spec.out])
        return all(info.min <= low and high <= info.max for low, high in self.ends)

    def _converted(self, finder: Any, roots: list[int]) -> bool:
        """Whether each result is the requested conversion of a part that is its extremum."""
        if self.spec.out == self.spec.compute:
            return False
        converted = Converted(self.prover, self.compute, self.spec.out, self._narrow())
        return all(
            any(
                converted.is_of(root, part, finder.positive(part))
                for part in converted.parts(root)
                if finder.is_of(part, at)
            )
            for at, root in enumerate(roots)
        )

    def _narrow(self) -> tuple[str, bool] | None:
        """Return the narrow type that every result belongs to and whether only absolute values occur, or None."""
        spec = self.spec
        if spec.reductions[self.at] != spec.name or (spec.init and spec.dtype != spec.out):
            return None
        if self.compute.kind != "f" and spec.name == "absmax":
            most = max(high for _, high in self.ends)
            return ("u8" if most < 1 << 8 else "u16", False) if most < 1 << 16 else None
        return spec.dtype, spec.name == "absmax"

    def _elements(self, sizes: bool) -> Sets:
        """Return the set of elements that each result is the extremum of, as nodes of the computed type. `sizes`
        selects the absolute values."""
        return [frozenset(row) for row in compared(self.spec, self.algebra, self.at, sizes).nodes().tolist()]


class _Whole:
    """Recognise nodes that are the extremum of integers, or of the bits of floats."""

    def __init__(self, of: _Extrema, kind: str) -> None:
        self.wanted, name, self.sizes = of.sizes, of.spec.name, of.compute.kind == "f"
        size = of.compute.itemsize
        self.none: set[int] = set()  # constants that never exceed an element
        if name in ("max", "absmax") and of.above:
            self.none.add(of.table.constant(0, size))
        if name == "absmax" and kind == "i":
            self.none.add(of.table.constant(1 << 8 * size - 1, size))
        self.found = Extrema(of.prover, "min" if name == "min" else "max", f"{kind}{of.compute.itemsize}", ())

    def is_of(self, node: int, at: int) -> bool:
        """Whether a node is the extremum of result number `at`."""
        return self.found.of_integers(node) - self.none == self.wanted[at]

    def positive(self, node: int) -> bool:
        """Whether the sign bit of an extremum is always clear, as it is for absolute values of floats."""
        return self.sizes


class _Floats:
    """Recognise nodes that are the extremum of floats."""

    def __init__(self, of: _Extrema, roots: list[int]) -> None:
        self.wanted = of.elements
        every = [node for group in self.wanted for node in group]
        self.found = Extrema(of.prover, of.spec.name, of.compute.str[1:], every)
        self.found.look(roots)

    def is_of(self, node: int, at: int) -> bool:
        """Whether a node is the extremum of result number `at`."""
        return self.found.of(node) == self.wanted[at]

    def positive(self, node: int) -> bool:
        """Whether the sign bit of a node is always clear."""
        return self.found.has_no_sign(node)


def _positive_nan(bits: Array) -> Array:
    """Return which bits are a NaN with a clear sign bit. As integers, these are the largest without a sign bit."""
    infinity = {4: 0x7F800000, 8: 0x7FF << 52}[bits.dtype.itemsize]
    found: Array = (bits > infinity) & (bits >> bits.dtype.type(8 * bits.dtype.itemsize - 1) == 0)
    return found


def _whole_of(table: Table, data: tuple[int, ...]) -> int:
    """Return the node whose lowest bytes are `data`, or the node that `data` itself forms."""
    node = table.joined(data)
    if node & 1 and data[0] >= 0 and place(data[0])[1] == 0 and data == tuple(range(data[0], data[0] + len(data))):
        return place(data[0])[0]
    return node
