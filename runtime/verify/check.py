"""`verify`: the bytes of a kernel against its request."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2
from time import perf_counter
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exhaustive import Exhaustive
from ...emulation.symbolic.machine import Done, Undecidable, execute
from ...emulation.symbolic.reals import PRIME, Point, degree, roundings
from ...emulation.symbolic.sweep import swept
from ...encoder.features import Target
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from . import reductions, refutation, specification
from .conversions import NAN
from .operands import Call, call_of
from .proof import Claim, Proof, Refutation

_POINTS = 2
"""Random points at which sums are compared."""


def verify(code: bytes, target: Target, spec: Any, kind: Any) -> Proof:
    """Whether code computes a request, for all inputs: see `Kernel.verify`.

    Raises UnsupportedError for requests and instructions that have no proof yet.
    """
    start, name = perf_counter(), type(spec).__name__
    if name not in (*specification.MOVEMENTS, *specification.PRODUCTS, *_OTHERS):
        raise UnsupportedError(f"verify: no specification of {name} yet; transposes, layout transforms, copies and "
                               "products have one; k.run executes the bytes on given inputs")  # fmt: skip
    call = call_of(spec, kind)
    try:
        done = execute(code, target, call.integers, call.regions, {each.name: each.array.itemsize for each in
                                                                   call.regions})  # fmt: skip
    except Fault as fault:
        wrong: Refutation | None = refutation.of_fault(fault)
        claims: tuple[Claim, ...] = (Claim("memory", False, "an access or an instruction that is refused"),)
        return Proof(spec.stem, target.name, claims, wrong, (), 0, perf_counter() - start)
    except Undecidable as reason:
        raise UnsupportedError(f"verify: {reason}") from reason
    claims, wrong = _looked_at(code, target, spec, call, done)
    return Proof(spec.stem, target.name, claims, wrong, (), done.steps, perf_counter() - start)


def _looked_at(code: bytes, target: Target, spec: Any, call: Call, done: Done
               ) -> tuple[tuple[Claim, ...], Refutation | None]:  # fmt: skip
    claims, wrong = [], None
    for look in (_values, _memory, _frame):
        claim, found = look(code, target, spec, call, done)
        claims.append(claim)
        wrong = wrong or found
    return tuple(claims), wrong


# Values

_OTHERS = {"ReduceSpec": reductions.values}


def _values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    if type(spec).__name__ in specification.PRODUCTS:
        return _product(code, target, spec, call, done)
    if type(spec).__name__ in _OTHERS:
        return _OTHERS[type(spec).__name__](code, target, spec, call, done)
    wanted = specification.MOVEMENTS[type(spec).__name__](spec, done.table, done.memory.inputs, target)
    count = by_cases = 0
    for region in _outputs(call):
        held = done.memory.held(region)
        expected = wanted[region.name].reshape(held.shape)
        differing = np.argwhere((held != expected).any(axis=-1))
        moved = not _computes(spec)
        unproved = differing if moved else _unproved(done, held, expected, differing, _dtype_of(spec, region.name))
        if len(unproved):
            place = tuple(int(at) for at in unproved[0])
            found = refutation.of_element(code, target, call, done, region, place, expected[place])
            what = f"{len(unproved)} elements of {region.name} {'differ' if moved else 'have no proof'}"
            return Claim(_claim(spec), False, what), found if moved or found.confirmed else None
        by_cases += len(differing)
        count += held[..., 0].size
    how = f"{count} elements are those of the request, for all inputs"
    return Claim(_claim(spec), True, how + (f"; {by_cases} of them case by case" if by_cases else "")), None


def _computes(spec: Any) -> bool:
    if not hasattr(spec, "program"):
        return False
    return any(step.op != "input" for step in spec.program.steps) or any(
        each.dtype != spec.compute for each in spec.operands
    )


def _claim(spec: Any) -> str:
    return "arithmetic" if _computes(spec) else "movement"


def _unproved(done: Done, held: Any, expected: Any, differing: Any, dtype: str) -> Any:
    """Those of these elements that no proof goes through for; the first of them ends the search."""
    table, index = done.table, tuple(differing.T)
    found, wanted = ([int(node) for node in table.nodes_of(each[index])] for each in (held, expected))
    by_inputs = Exhaustive(table)
    said = [by_inputs.equal(*pair, NAN.get(dtype)) for pair in zip(found, wanted)]
    if False in said:
        return differing[said.index(False) :]
    left = [at for at, one in enumerate(said) if one is None]
    prover, wanted = Prover(table), [wanted[at] for at in left]
    for at, pair in zip(left, zip(swept(prover, wanted, [found[at] for at in left]), wanted)):
        if not prover.equal(*pair, dtype not in _FLOATS):
            return differing[at:]
    return differing[:0]


_FLOATS = ("f16", "f32", "f64")


def _dtype_of(spec: Any, name: str) -> str:
    return next((each.dtype for each in spec.operands if each.name == name), "")


def _outputs(call: Call) -> Iterator[Any]:
    return (region for region in call.regions if region.writable)


def _product(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    (region,) = _outputs(call)
    table = done.table
    nodes = table.nodes_of(done.memory.held(region))
    what, real = "arithmetic", DTYPES[spec.dtypes[2]].real
    for seed in range(_POINTS):
        point = Point(table, seed)
        wanted = specification.product(spec, point, done.memory.inputs)
        value = point.real if real else point.whole
        for place, node in np.ndenumerate(nodes):
            if value(int(node)) != wanted[place[0]][place[1]]:
                found = _wrong_sum(code, target, spec, region, place, done)
                how = f"{region.name}{list(place)} is not the sum over the reals"
                return Claim(what, False, how), found
    roots = nodes.reshape(-1).tolist()
    if not real:
        return Claim(
            what, True, f"{nodes.size} sums are those of the request modulo 2^32; {_chance(done, roots)}"
        ), None
    longest = max(roundings(table, roots).values())
    most = spec.k * (spec.batch if isinstance(spec.batch, int) else 1) + 2
    how = (
        f"{nodes.size} sums are those of the request over the reals, in an order of their own; "
        f"{_chance(done, roots)}; at most {longest} roundings one after the other, the bound allows {most}"
    )
    return Claim(what, longest <= most, how), None


def _chance(done: Done, roots: list[int]) -> str:
    """The probability that different sums agree at all points."""
    one = log2(len(roots) * max(degree(done.table, roots), 2) / PRIME)
    return f"chance of a false proof below 2^{ceil(_POINTS * one)}" if one < 0 else "no bound for a false proof"


def _wrong_sum(code: bytes, target: Target, spec: Any, region: Any, place: tuple[int, ...],
               done: Done) -> Refutation | None:  # fmt: skip
    """A sum that differs is refuted where it consists of sums and products only; else it is not proved."""
    node = int(done.table.nodes_of(done.memory.held(region)[place]))
    point = Point(done.table, 0)
    (point.real if DTYPES[spec.dtypes[2]].real else point.whole)(node)
    if point.opaque:
        return None
    offset = int(done.memory.held(region, "writer")[place].max())
    where = refutation.described(code, target, offset)
    return Refutation(f"refuted: {region.name}{list(place)} is not the sum that the request says\n  {where}\n  it is "
                      f"{refutation.shown(done, node)}", offset)  # fmt: skip


# Memory and frame


def _memory(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    for region in _outputs(call):
        unwritten = np.argwhere((done.memory.held(region, "writer") < 0).any(axis=-1))
        if len(unwritten):
            text = f"refuted: {region.name}{unwritten[0].tolist()} is never written"
            return Claim("memory", False, text), Refutation(text, None, True)
        read = done.memory.held(region, "read")
        if getattr(spec, "beta", 1) == 0 and (read >= 0).any() and _early(done, region):
            return Claim("memory", False, f"{region.name} is read although beta is 0"), None
    reads = sum(region.array.size for region in call.regions if not region.writable)
    how = f"every access lies inside its operand, every byte of the result is written; {reads} elements may be read"
    return Claim("memory", True, how), None


def _early(done: Done, region: Any) -> bool:
    """Whether what C was before the call is part of what it becomes: reading its own results again is no harm."""
    roots = done.table.nodes_of(done.memory.held(region)).reshape(-1).tolist()
    return any((done.table.leaf(node) or ("", "", 0))[1] == region.name for node in done.table.below(roots))


def _frame(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    if done.lost:
        text = f"refuted: the code returns without restoring {', '.join(done.lost)}"
        return Claim("frame", False, ", ".join(done.lost)), Refutation(text, None, True)
    if done.warnings:
        return Claim("frame", False, f"not cleared at the return: {', '.join(done.warnings)}"), None
    return Claim("frame", True, "callee-saved registers, stack pointer, return address, control registers"), None
