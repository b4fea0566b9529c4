"""Rows whose results are the same expression of their own elements share one proof.

    with kept():                                   proofs of one kernel, for several numbers of rows
        few = unproved(spec, of, call, done)       the request and the results of the rows that need a proof

If a request computes every row from that row alone, and from operands that all rows share, then a row is right if
another one is that has the same expression of the elements of its own row. Expressions are compared exactly: by the
operations of which they consist, the columns of their row's elements, and the elements of shared operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from types import SimpleNamespace

from ....emulation.symbolic.machine import Done
from ....emulation.symbolic.values import Array, Table
from ....encoder.records import NamedTuple
from ....microkernels.chain.spec import ChainSpec
from ....microkernels.eltwise.spec import EltwiseSpec
from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.along import DOWN
from ....microkernels.expr.coordinates import ROW, number_word
from ....microkernels.expr.products import BATCHED, PRODUCT, TRANSPOSE
from ....microkernels.expr.program import Program
from ..operands import Call
from .found import Held, Key, key_of

Request = EltwiseSpec | ChainSpec


class ProvedExpressions:
    """The expressions of rows that have a proof, of one kernel."""

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        self.proved: set[Key] = set()
        self.sums = self.extrema = self.highest = self.longest = self.most = 0

    def number(self, key: Key) -> int:
        """Return the number of an expression."""
        return self.numbers.setdefault(key, len(self.numbers))

    def add(self, rows: RowsToProve, held: Held) -> None:
        """Note that these rows have a proof, with the sums and extrema that it found."""
        self.proved |= rows.keys
        self.sums, self.extrema = self.sums + held.sums, self.extrema + held.extrema
        self.highest = max(self.highest, held.highest)
        if held.longest >= self.longest:
            self.longest, self.most = held.longest, held.most


_KEPT: ContextVar[ProvedExpressions | None] = ContextVar("_KEPT", default=None)


@contextmanager
def kept() -> Iterator[None]:
    """Keep which rows have a proof during the proofs of one kernel."""
    token = _KEPT.set(ProvedExpressions())
    try:
        yield
    finally:
        _KEPT.reset(token)


class RowsToProve(NamedTuple):
    """Rows that need a proof: the request for them, what an execution left of them, and their expressions."""

    spec: Request
    done: SimpleNamespace
    keys: frozenset[Key]
    kept: ProvedExpressions


def unproved(spec: Request, of: Program, call: Call, done: Done) -> RowsToProve | None:
    """Return the rows that need a proof: one for each expression that has none. None if the rows of this request may
    not share proofs. `of` is the program that defines the request."""
    banded = _banded(spec)
    words = getattr(done, "words", None)
    if not banded or not spec.m or (words is not None and words.open) or not _by_rows(of, banded):
        return None
    known = _KEPT.get() or ProvedExpressions()
    regions = {each.name: each for each in call.regions}
    inputs = {x.name: done.memory.inputs[x.name] for x in spec.inputs}
    held = {y.name: done.memory.held(regions[y.name]) for y in spec.outputs}
    if any(len(inputs[name]) != spec.m for name in banded & inputs.keys()):
        return None
    if any(name not in banded or each.ndim != 3 or len(each) != spec.m for name, each in held.items()):
        return None
    first = _first_rows(known, done.table, banded, inputs, held)
    if first is None:
        return None
    rows = list(first.values())
    try:
        few = _of(spec, len(rows), banded) if rows else spec
    except UnsupportedError:
        return None
    memory = SimpleNamespace(
        inputs={name: each[rows] if name in banded else each for name, each in inputs.items()},
        held=lambda region: held[region.name][rows],
    )
    part = SimpleNamespace(table=done.table, memory=memory)
    return RowsToProve(few, part, frozenset(first), known)


def _banded(spec: Request) -> frozenset[str]:
    """Return the operands that have a row for each row of the request."""
    if isinstance(spec, ChainSpec):
        return frozenset() if spec.transposed or spec.batched else frozenset(spec.banded)
    return frozenset(each.name for each in spec.operands if each.rows == spec.m) if spec.m > 1 else frozenset()


def _by_rows(of: Program, banded: frozenset[str]) -> bool:
    """Whether every row of the results is computed from that row alone, and from operands that all rows share."""
    own: list[bool] = []
    for step in of.steps:
        args = [own[arg] for arg in step.args]
        if step.op == "input":
            name = str(step.value)
            if name == ROW or number_word(name) is not None:
                return False
            own.append(name in banded)
            continue
        if step.op in (DOWN, TRANSPOSE) and any(args):
            return False
        if step.op == PRODUCT and (step.value == BATCHED or args[1] or not args[0]):
            return False
        own.append(any(args))
    return all(own[output] for output in of.outputs)


def _of(spec: Request, rows: int, banded: frozenset[str]) -> Request:
    """Return the request for another number of rows."""
    if isinstance(spec, ChainSpec):
        return spec.of(rows)
    inputs, outputs = (
        tuple(each._replace(rows=rows) if each.name in banded else each for each in operands)
        for operands in (spec.inputs, spec.outputs)
    )
    return replace(spec, m=rows, inputs=inputs, outputs=outputs)


def _first_rows(
    known: ProvedExpressions,
    table: Table,
    banded: frozenset[str],
    inputs: Mapping[str, Array],
    held: Mapping[str, Array],
) -> dict[Key, int] | None:
    """Return the first row of each expression that has no proof. None if an element of a row is also one of another
    operand, so that its expression does not say which of them it means."""
    nodes = {name: table.nodes_of(each).tolist() for name, each in held.items()}
    own = {name: each.reshape(len(each), -1).tolist() for name, each in inputs.items() if name in banded}
    shared = {node for name, each in inputs.items() if name not in banded for node in each.reshape(-1).tolist()}
    found: dict[Key, int] = {}
    for row in range(len(next(iter(nodes.values())))):
        elements = [(node, (name, at)) for name, rows in own.items() for at, node in enumerate(rows[row])]
        places = dict(elements)
        if len(places) != len(elements) or not shared.isdisjoint(places):
            return None
        memo = {node: known.number(("row", *where)) for node, where in places.items()}
        roots = [root for rows in nodes.values() for root in rows[row]]
        for node in table.below(roots, memo):
            memo[node] = known.number(key_of(table, node, memo))
        key = tuple([memo[root] for root in roots])
        if key not in known.proved:
            found.setdefault(key, row)
    return found
