"""Requests that determine every bit: compare each element with the definition, byte by byte or for all inputs.

values(code, target, spec, call, done)      the claim, and a refutation
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exhaustive import Exhaustive, alike
from ...emulation.symbolic.extrema.elements import Elements, conditions_of
from ...emulation.symbolic.given.variables import with_variables
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.masks import same_bits
from ...emulation.symbolic.sweep import equal, swept
from ...emulation.symbolic.values import UNDEFINED
from ...encoder.features import Target
from ...microkernels.eltwise.traced import BITS
from . import refutation
from .definition.conversions import NAN, as_stored
from .definition.evaluate import evaluate
from .gathers import symbols
from .operands import Call
from .proof import Claim, Refutation


def values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    """Check that every element is the one that the request asks for."""
    wanted, moved, count, by_cases = evaluate(spec, symbols(call, done, target)), not computes(spec), 0, 0
    name = "movement" if moved else "arithmetic"
    for region in (each for each in call.regions if each.writable):
        held = done.memory.held(region)
        expected = wanted[region.name].reshape(held.shape)
        differing = np.argwhere((held != expected).any(axis=-1))
        dtype = _dtype_of(spec, region.name)
        unproved = differing if moved else _unproved(done, held, expected, differing, dtype)
        if len(unproved):
            place = tuple(int(at) for at in unproved[0])
            given = {} if moved else _inputs(done, held[place], expected[place], dtype)
            wrong = refutation.Wrong(region, place, expected[place])
            found = refutation.of_element(code, target, call, done, wrong, given)
            what = f"{len(unproved)} elements of {region.name} {'differ' if moved else 'have no proof'}"
            what += f": {region.name}{list(place)} {UNDEFINED_PART}" if _undefined(done, held[place]) else ""
            return Claim(name, False, what), found if moved or found.confirmed else None
        by_cases += len(differing)
        count += held[..., 0].size
    how = f"{count} elements are those of the request, for all inputs"
    return Claim(name, True, how + (f"; {by_cases} of them case by case" if by_cases else "")), None


def computes(spec: Any) -> bool:
    """Whether the request computes elements; otherwise it moves them unchanged."""
    spec = getattr(spec, "request", spec)
    if not hasattr(spec, "program"):
        return bool(getattr(spec, "converts", hasattr(spec, "bags")))
    return any(step.op != "input" for step in spec.program.steps) or any(
        each.dtype != spec.compute for each in spec.operands
    )


def _unproved(done: Done, held: Any, expected: Any, differing: Any, dtype: str) -> Any:
    """Return the indices of elements that have no proof, starting with the first one found; the search stops there.
    Elements that are the same expression of different inputs are proved once."""
    table, index = done.table, tuple(differing.T)
    found, wanted = ([int(node) for node in table.nodes_of(each[index])] for each in (held, expected))
    if dtype == BITS:
        prover = Prover(table)
        compared = [arg for node in conditions_of(table, wanted) for arg in table.arguments(node)]
        found, wanted = _widened(prover, compared, found, wanted)
        same = [same_bits(prover, *pair) for pair in zip(found, wanted)]
        return differing[same.index(False) :] if False in same else differing[:0]
    found = as_stored(table, found)
    if done.words is not None and done.words.open:
        hidden = with_variables(Prover(table), found, wanted, done.words.open)
        if not len(_unproved_nodes(table, *hidden, differing, dtype)):
            return differing[:0]
    return _unproved_nodes(table, found, wanted, differing, dtype)


def _unproved_nodes(table: Any, found: list[int], wanted: list[int], differing: Any, dtype: str) -> Any:
    """Return the indices of elements whose nodes are not proved equal, as `_unproved`."""
    first = sorted(set(alike(table, found, wanted)))
    by_inputs = Exhaustive(table)
    left = []
    for at in first:
        said = by_inputs.equal(found[at], wanted[at], NAN.get(dtype))
        if said is False:
            return differing[at:]
        left += [at] if said is None else []
    prover, wanted, found = Prover(table), [wanted[at] for at in left], [found[at] for at in left]
    small = [node for node in table.below(wanted) if (each := table.parts(node)[0]) and each.name == "widened"]
    found, wanted = _widened(prover, small, found, wanted)
    elements = Elements(prover, conditions_of(table, wanted), np.zeros_like, again=True)
    if elements.wanted:  # compare bits of single bytes in the form in which the code extracts them
        found, wanted = elements.put_in(found), elements.put_in(wanted)
    for at, pair in zip(left, zip(swept(prover, wanted, found), wanted)):
        if not equal(prover, *pair, dtype not in _FLOATS):
            return differing[at:]
    return differing[:0]


def _widened(prover: Prover, of: list[int], found: list[int], wanted: list[int]) -> tuple[list[int], list[int]]:
    """Return both lists with the elements of narrow types widened in the way the code widens them. `of` holds the
    elements as the request widens them."""
    elements = Elements(prover, of, _nan, again=False)
    if not elements.wanted:
        return found, wanted
    found = elements.put_in(found)
    return found, [prover.rebuilt(each, dict(elements.made)) for each in wanted]


def _nan(bits: Any) -> Any:
    """Return which numbers of the computed type are NaN."""
    size = bits.dtype.itemsize
    return np.isnan(bits.view(f"f{size}")) if size in (4, 8) else np.zeros_like(bits, bool)


UNDEFINED_PART = "depends on what is undefined at entry"


def _undefined(done: Done, data: Any) -> bool:
    """Whether an element depends on something that was never written."""
    below = done.table.below([done.table.joined(tuple(data.tolist()))])
    return any((done.table.leaf(node) or ("",))[0] == UNDEFINED for node in below)


def _inputs(done: Done, held: Any, expected: Any, dtype: str) -> dict[int, bytes]:
    """Return inputs for which an element differs from the request's. They are found only if there are few enough inputs
    to try all."""
    pair = [done.table.joined(tuple(each.tolist())) for each in (held, expected)]
    return {} if dtype == BITS else Exhaustive(done.table).counterexample(pair[0], pair[1], NAN.get(dtype))


_FLOATS = ("f16", "f32", "f64")


def _dtype_of(spec: Any, name: str) -> str:
    if name in getattr(spec, "bits", ()):
        return BITS
    return next((each.dtype for each in spec.arguments if each.name == name), "")
