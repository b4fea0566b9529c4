"""Fused kernels: prove reductions along rows and down columns, and the elementwise remainder of each result.

The reductions of the request are found in the code's expressions, from the inside outwards (`found`). Each element of
the results must then be the request's expression, applied to the variables that stand for the reductions, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ....emulation.symbolic.given.variables import with_variables
from ....emulation.symbolic.lanes import Lanes
from ....emulation.symbolic.machine import Done
from ....emulation.symbolic.masks import same_bits
from ....emulation.symbolic.narrowing import half
from ....emulation.symbolic.sweep import equal, swept
from ....emulation.symbolic.values import Table
from ....encoder.features import Target
from ....microkernels.chain.spec import ChainSpec
from ....microkernels.choice import Refusal, tried
from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.along import DOWN, SCAN
from ....microkernels.expr.products import PRODUCT
from ....microkernels.expr.program import Step
from ....microkernels.functions.power_parts import FUNCTIONS_OF_PARTS
from ....microkernels.fused.ways import vector_of
from ....microkernels.machines.registry import facts_of
from ..definition.algebra import NodeAlgebra, nodes_of
from ..definition.conversions import stored
from ..definition.elementwise import bits_in_a_row, inputs_of
from ..definition.programs import evaluated, refuse_flushed
from ..definition.traced import definition
from ..numbers import trials
from ..operands import Call, numbers_of
from ..proof import Claim, Refutation
from . import alike_rows
from .found import HasFound, Held, TooManyRoundings, rounded_from, told
from .scans import scanned

Array = np.ndarray[Any, Any]
_FLOATS = ("f16", "bf16", "f32", "f64")


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every result is the request's expression of its reductions."""
    check(spec, target)
    missing, how = missing_of(spec, target, call, done)
    if missing:
        return Claim("arithmetic", False, missing), trials.wrong(code, target, spec, call, any_mode=False)
    return Claim("arithmetic", True, how), None


def check(spec: Any, target: Target) -> None:
    """Raise UnsupportedError for requests that have no specification yet."""
    refuse_flushed(spec, target)
    if any(
        step.op == SCAN and step.value[0] in ("max", "min") and step.dtype in _FLOATS for step in spec.program.steps
    ):
        raise UnsupportedError(
            f"verify: {spec.name}: scans of the greatest or least float have no proof yet; scans of sums, of products "
            "and of integers have one"
        )
    if isinstance(spec, ChainSpec):
        refused = spec.column_major or spec.placed or any(y.dtype == "f16" for y in spec.outputs)
    else:
        refused = bool(spec.layouts or spec.moved)
    if refused:
        raise UnsupportedError(
            f"verify: {spec.name}: layouts, positions that the call gives and products together "
            "with results of f16 have no specification yet; row-major matrices have "
            "one"
        )


def missing_of(spec: Any, target: Target, call: Call, done: Any) -> tuple[str, str]:
    """Return what has no proof ("" if everything has one), and how the rest was proved."""
    looked = RequestedRows(spec, target, call, done)
    few = alike_rows.unproved(spec, looked.program, call, done)
    if few is None:
        return looked.missing(), looked.how
    count = len(looked.held.roots)
    if few.keys:
        looked = RequestedRows(few.spec, target, call, few.done)
        if missing := looked.missing():
            return missing, ""
        few.kept.add(few, looked.held)
    return "", how_of(count, few.kept)


def _as_f16(table: Table, node: int) -> int:
    """Return the conversion that a node of f16 computes by integer operations, or the node."""
    converted = half(table, node)
    return node if converted is None else converted


def how_of(count: int, found: HasFound) -> str:
    """Return how this many results were proved, with the reductions that were found."""
    reductions = told(found)
    how = f"{count} results are the request's expression{' of its reductions' if reductions else ''}"
    return f"{how}, for all inputs{'; ' if reductions else ''}{reductions}"


class RequestedRows:
    """One request and the results of its code. `flat`: as one row of all elements, along which reductions are."""

    flat = False

    def __init__(self, spec: Any, target: Target, call: Call, done: Any) -> None:
        self.spec, self.done, self.table = spec, done, done.table
        self.vector = vector_of(spec, facts_of(target))
        self.algebra = NodeAlgebra(done.table, done.memory.inputs, target, numbers_of(spec))
        self.program = self.algebra.program(spec.numerics, partial(definition, spec, flat=self.flat))
        regions = {each.name: each for each in call.regions}
        self.bits = getattr(spec, "bits", ())
        self.shapes, roots = [], list[int]()
        for y in spec.outputs:
            held = done.memory.held(regions[y.name])
            self.shapes.append(held.shape)
            nodes = self.table.nodes_of(held).reshape(-1).tolist()
            roots += [_as_f16(self.table, node) for node in nodes] if y.dtype == "f16" else nodes
        formats = {x.name: x.dtype for x in spec.inputs}
        walks = tried("sweeps", lambda: getattr(spec, "requests_of_sweeps", ()))
        walks = () if isinstance(walks, Refusal) else walks  # of one row, which is the result of reductions down it
        steps = [step for walk in walks for step in walk.program.steps]
        in_parts = any(step.op == "call" and step.value[0] in FUNCTIONS_OF_PARTS for step in steps)
        self.held = Held(self.table, roots, spec.compute, formats, in_parts)
        self.how = ""

    def missing(self) -> str:
        """Return what has no proof, or "" if everything has one."""
        if self.held.unwritten(self.held.roots):
            return "something that nobody has written is part of a result"
        try:
            given = inputs_of(self.spec, self.algebra, self.program)
            results = evaluated(self.program, given, self.algebra.operations, self._reduced)
        except (_MissingReduction, TooManyRoundings) as reason:
            return str(reason)
        wanted = list(self._wanted(results))
        words = getattr(self.done, "words", None)
        if words is not None and words.open:
            self.held.roots, wanted = with_variables(self.held.prover, self.held.roots, wanted, words.open)
        for y, shape, pairs in self._differing(wanted):
            for place, root, other in pairs:
                if not self._equal(y, root, other):
                    return f"{y.name}{list(map(int, np.unravel_index(place, shape[:-1])))} has no proof"
        self.how = how_of(len(self.held.roots), self.held)
        return ""

    def _equal(self, y: Any, root: int, other: int) -> bool:
        if y.name in self.bits:
            return same_bits(self.held.prover, root, other)
        return equal(self.held.prover, root, other, y.dtype not in _FLOATS)

    # Reductions

    def _reduced(self, step: Any, parts: list[Any]) -> Any:
        """Return the variables that stand for a reduction: one for each row, for each column, or for the whole."""
        if step.op == PRODUCT:
            return self._product(*parts)
        if step.op == SCAN:
            return self._scan(step, parts[0])
        whole = step.op == DOWN and not isinstance(self.spec, ChainSpec)  # where a row may stand for all
        rows = self.spec.m if whole else max((each.shape or (1,))[0] for each in parts)
        shape = (rows, max((each.shape[-1:] or (1,))[0] for each in parts))
        groups, *factors = self._groups(step, [nodes_of(each, shape, self.table) for each in parts])
        if step.value in ("sum", "product"):
            factors = factors if step.value == "sum" else []
            found = self.held.totals(step.value, groups, [np.ascontiguousarray(each) for each in factors])
        else:
            found = self.held.extremes(step.value, np.ascontiguousarray(groups))
        if found is None:
            way = "down the columns" if step.op == DOWN else "along the rows"
            raise _MissingReduction(f"a {step.value} {way} that the request has was not found in what the code makes")
        return self._lanes(found[None, :] if step.op == DOWN else found[:, None])

    def _scan(self, step: Step, x: Lanes) -> Lanes:
        if isinstance(self.spec, ChainSpec):
            raise _MissingReduction("a scan in a function with products has no proof yet")
        return scanned(step, x, self.spec.n, self.vector, self.algebra)

    def _groups(self, step: Any, nodes: list[Array]) -> list[Array]:
        """Return the elements of each reduction as one row."""
        return [each.T for each in nodes] if step.op == DOWN else nodes

    def _product(self, left: Any, right: Any) -> Any:
        shape = (left.shape[0], right.shape[0])
        found = self.held.products(nodes_of(left, shape, self.table), nodes_of(right, right.shape, self.table))
        if found is None:
            raise _MissingReduction("a product that the request has was not found in what the code makes")
        return self._lanes(found)

    def _lanes(self, nodes: Array) -> Lanes:
        dtype = self.held.dtype
        return Lanes(self.table.bytes_of(nodes, dtype.itemsize), dtype, self.table)

    # Results

    def _wanted(self, results: Sequence[Any]) -> Any:
        """Yield the expected node of each element, in the order of the roots. A root that is rounded to bf16 is
        replaced by the f32 before rounding, and its expected node likewise."""
        first = 0
        for y, value, shape in zip(self.spec.outputs, results, self.shapes):
            count = int(np.prod(shape[:-1]))
            if y.name in self.bits:
                own = (value.shape or (1,))[-1]
                columns = bits_in_a_row(y, own, getattr(self.spec, "n", own))
                yield from self.table.nodes_of(self.algebra.packed(value, y.rows, columns)).reshape(-1).tolist()
                first += count
                continue
            made = value if y.dtype == self.spec.compute else stored(value, y.dtype)
            nodes = nodes_of(made, _matrix(shape[:-1]), self.table).reshape(-1).tolist()
            if y.dtype == "bf16" and isinstance(value, Lanes) and value.itemsize == 4:
                before = nodes_of(value, _matrix(shape[:-1]), self.table).reshape(-1).tolist()
                for place in range(count):
                    source = rounded_from(self.table, self.held.roots[first + place])
                    if source is not None:
                        self.held.roots[first + place], nodes[place] = source, before[place]
            yield from nodes
            first += count

    def _differing(self, wanted: list[int]) -> Any:
        """Yield each result with its shape and the (position, held, wanted) of each element whose nodes differ."""
        pairs = [(held, other) for held, other in zip(self.held.roots, wanted) if held != other]
        new = dict(zip(pairs, swept(self.held.prover, [b for _, b in pairs], [a for a, _ in pairs]))) if pairs else {}
        first = 0
        for y, shape in zip(self.spec.outputs, self.shapes):
            last = first + int(np.prod(shape[:-1]))
            both = list(zip(self.held.roots[first:last], wanted[first:last]))
            yield y, shape, [(place, new[pair], pair[1]) for place, pair in enumerate(both) if pair[0] != pair[1]]
            first = last


class _MissingReduction(Exception):
    """A reduction of the request was not found."""


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    return (shape[0], shape[1]) if len(shape) == 2 else (1, shape[0])
