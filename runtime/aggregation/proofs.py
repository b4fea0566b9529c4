"""Proofs of reductions over graphs, with the rows of one graph: that the job leaves the reduction by its definition, on
any number of workers and for all elements of tables, and that the pieces have each row of the graph once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from ...emulation.core.memory import Region
from ...emulation.coverage import recorded
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import encoded
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import Operand
from ..verify.check import looked_at, timed
from ..verify.coverage import with_coverage
from ..verify.operands import Call, array_of
from ..verify.proof import Claim, Proof, Refutation
from ..verify.together import WORKERS, Claims, WorkerJob, table_of, verify_together

if TYPE_CHECKING:
    from ...microkernels.gather.bag_spec import BagSpec
    from ..arguments.arrays import Array
    from ..loops.job import Job
    from .pieces import Compressed

_TABLES = "index", "index_t", "offsets", "ranges", "bad"
"""The operands that keep their values in a proof."""


@timed
def of_rows(
    job: Job,
    spec: BagSpec,
    names: Sequence[str],
    of: Compressed,
    sources: int,
    named: Array | None = None,
    second: int = 1,
    workers: Sequence[int] = WORKERS,
) -> Proof:
    """Prove the job of a reduction with the entries of a graph.

    names     of the arrays, as the job's table has them
    sources   the rows of the table that the entries name
    named     the rows of a second table that the entries name, of `second` rows
    """
    start, target = perf_counter(), job.target
    if of.long is not None or spec.each or spec.arg:
        what = "rows that are reduced in parts" if of.long is not None else "results or positions of single entries"
        raise UnsupportedError(f"verify: no specification of {what}; sums, means and extrema of shorter rows have one")
    given = {"index": of.indices, "index_t": named, "offsets": of.ends, "ranges": of.pieces.ranges}
    if wrong := next((each for each in _of_graph(of, {"index": sources, "index_t": second}, given) if each), ""):
        claim = Claim("indices", False, wrong)
        return Proof(spec.stem, target.name, (claim,), Refutation(f"refuted: {wrong}"), (), 0, perf_counter() - start)
    asked = replace(
        spec,
        bags=of.rows,
        size=sources,
        count=len(of.indices),
        second_size=second,
        ranged=False,
        bounds="call",
    )
    operands = {each.name: each for each in asked.arguments if isinstance(each, Operand)}
    arrays = {name: _array(name, operands, given, of.pieces.number) for name in names}
    regions = [Region(name, arrays[name], name in ("y", "bad")) for name in names]
    numbers = of.rows, sources, len(of.indices), second
    words = [*(each.start for each in regions), *numbers]

    def look(code: bytes, target: Target, spec: object, call: Call, done: Done) -> Claims:
        own = call._replace(regions=[each for each in call.regions if each.name != "bad"])
        claims, wrong = looked_at(code, target, spec, own, done)
        bad = next((each for each in call.regions if each.name == "bad"), None)
        if bad is not None and (done.memory.held(bad) != encoded(bad.array)).any():
            claims = (*claims, Claim("indices", False, "an entry counts as one that names no row"))
        how = f"each of {of.rows} rows is in one piece, and each of {len(of.indices)} entries names rows of its tables"
        return (*claims, Claim("indices", True, how)), wrong

    call = Call([], regions, list(arrays.values()), [arrays], concrete=frozenset(_TABLES))
    with recorded() as seen:
        proof = verify_together(
            target, asked, call, lambda _: WorkerJob(job.data, [*table_of(words), 0]), look, workers
        )
    return with_coverage(proof, job.data, target, seen, workers)


def _of_graph(of: Compressed, tables: Mapping[str, int], given: Mapping[str, Array | None]) -> Sequence[str]:
    """Return what is wrong with a graph, "" for what is right."""
    counts, found = np.zeros(of.rows, np.int64), list[str]()
    for first, last in of.pieces.ranges.tolist():
        if not 0 <= first <= last <= of.rows:
            return [f"a piece of rows {first} to {last}, of {of.rows}"]
        counts[first:last] += 1
    if (counts != 1).any():
        at = int((counts != 1).argmax())
        found.append(f"row {at} is in {int(counts[at])} pieces")
    ends = of.ends.tolist()
    if sorted(ends) != ends or not 0 <= ends[0] <= ends[-1] <= len(of.indices):
        found.append(f"the ends of rows do not rise from 0 to {len(of.indices)} at most")
    for name, rows in tables.items():
        index = given[name]
        if index is not None and len(index) and not 0 <= index.min() <= index.max() < rows:
            at = int(((index < 0) | (index >= rows)).argmax())
            found.append(f"{name}: entry {at} names row {int(index[at])} of {rows}")
    return found


def _array(name: str, operands: Mapping[str, Operand], given: Mapping[str, Array | None], pieces: int) -> Array:
    """Return the memory of an operand."""
    if name == "bad":
        return np.full(pieces, -1, np.int64)
    values = given.get(name)
    if name == "ranges" and values is not None:
        return np.array(values)
    made: Array = array_of(operands[name])
    if values is not None:
        made[...] = values.reshape(made.shape)
    return made
