"""`verify`: check the machine code of a kernel against its request."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.coverage import recorded
from ...emulation.symbolic.bounds import OutOfTime, bounded
from ...emulation.symbolic.machine import ENDLESS, LONG, Done, Undecidable, execute
from ...emulation.symbolic.modes.caller import Caller
from ...emulation.symbolic.values import Undecided
from ...encoder.features import Target
from ...microkernels.errors import UnsupportedError
from ...microkernels.indexed.spec import IndexedSpec
from ..system.progress import progress
from . import extents, gathers, refutation, trusted
from .callers.alignment import alignment
from .callers.in_place import APART, overwritten, placed_calls
from .callers.mode import UNUSUAL, USUAL, mode
from .coverage import Chosen, choose, covered, made_again, of_other_modes
from .gathers import GATHERS
from .indices import Indices
from .kept import frame, memory
from .numbers import trials
from .operands import Call
from .proof import Claim, Proof, Refutation, together
from .requests import REQUESTS, every_call, numbers_of
from .traced import alike_rows


def verify(
    code: bytes,
    target: Target,
    spec: Any,
    kind: Any,
    any_mode: bool = True,
    timeout: float | None = None,
    in_place: bool = True,
    numbers: Sequence[int] = (),
) -> Proof:
    """Prove or refute that code computes a request, for all inputs: see `Kernel.verify`.

    any_mode   also check callers with any floating-point mode
    in_place   also check calls in which results overwrite operands, as those of the request may
    numbers    of a request whose calls give one number: all that calls give, as a job's tables say; (): any number
    timeout    the most seconds that the proof may take; None for the bounds on instructions and values alone

    Raises UnsupportedError for requests and instructions that have no proof yet and for proofs that meet a bound, and
    the subclass `ProverFailed` if the prover itself has a fault.
    """
    gathers.check_defined(spec)
    with within(timeout):
        try:
            return _verified(code, target, spec, kind, any_mode, in_place, numbers)
        except UnsupportedError:
            raise
        except FAULTS as error:
            raise ProverFailed(error) from error


@contextmanager
def within(timeout: float | None) -> Iterator[None]:
    """Raise UnsupportedError if the proofs of the body take more seconds; None for no such bound."""
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, (int, float))):
        raise TypeError(f"timeout: seconds, or None for no bound, not {timeout!r}")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout: a positive number of seconds, or None for no bound, not {timeout!r}")
    try:
        words = "proof" if timeout is None else f"proof, at most {timeout:g} s"
        with progress(words) as advance, bounded(timeout, partial(advance, 0.0)):
            yield
    except OutOfTime as reason:
        raise UnsupportedError(f"verify: {reason}") from reason


def timed(prove: Callable[..., Proof]) -> Callable[..., Proof]:
    """Give a function that proves an argument `timeout`, the most seconds that it may take."""

    @wraps(prove)
    def proved(*given: Any, timeout: float | None = None) -> Proof:
        with within(timeout):
            return prove(*given)

    return proved


class ProverFailed(UnsupportedError):
    """The prover has a fault, so there is no proof. `__cause__` is the exception that shows it."""

    def __init__(self, fault: Exception) -> None:
        super().__init__(
            f"verify: no proof, because the prover failed with {type(fault).__name__}: {fault}; this is a "
            "fault of the prover, not of the kernel: please report it"
        )


FAULTS = (
    AssertionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What faults of the prover raise. Whatever else is raised, for example by a handler of a signal, reaches the
caller."""


def _verified(
    code: bytes,
    target: Target,
    spec: Any,
    kind: Any,
    any_mode: bool,
    in_place: bool = True,
    these: Sequence[int] = (),
) -> Proof:
    name = trusted.kind(spec)
    if type(spec) not in (*REQUESTS, *extents.COUNTED) or name in trusted.KINDS:
        reason = trusted.KINDS.get(name, "requests of this kind")
        raise UnsupportedError(
            f"verify: no specification of {name} yet: {reason}; k.run executes the bytes on given inputs"
        )
    words, calls = every_call(spec, kind)
    numbers, chosen = numbers_of(spec, kind, target), None
    if numbers is not None:
        if not these:
            chosen = choose(code, target, numbers, UNUSUAL[target.arch], made_again(spec, target, kind.pipeline()))
        every = [(each,) for each in these] if chosen is None else chosen.given
        words, calls = numbers.text(every), (each for given in every for each in numbers.of(given))
    found: list[Proof] = []
    last: tuple[Any, Call] | None = None
    indices = Indices()
    try:
        with uncollected(), recorded() as seen, alike_rows.kept():
            while (each := next(calls, None)) is not None and all(found):
                placed = placed_calls(spec, kind, each[0]) if in_place else None
                found.append(_of_call(code, target, placed, *each, any_mode, indices))
                last = each
                if indices.witness is not None:
                    return _with_index(code, target, *each, found[-1], indices.witness, any_mode)
    except Unexecuted as reason:
        if reason.why.endless == LONG:  # executions on numbers would not end, either
            raise
        endless = reason.why.endless == ENDLESS
        wrong = (
            Refutation(f"refuted: {reason.why}", reason.why.offset, True)
            if endless
            else (_tried(code, target, spec, kind, any_mode, trials.FEW if reason.unknown else trials.LIMIT))
        )
        if wrong is None and reason.unknown:
            wrong = Refutation(f"refuted: {reason.why}", reason.why.offset)
        if wrong is None:
            trusted.check(spec, target)
            raise
        claim = Claim("arithmetic", False, str(reason))
        return Proof(spec.stem, target.name, (claim,), wrong, (), 0, 0.0)
    proof = together(found, words)
    words_of_few = max(
        (claim for each in found for claim in each.claims if claim.what == "indices"),
        key=lambda claim: len(claim.how),
        default=None,
    )
    if proof and words_of_few is not None and all(claim.what != "indices" for claim in proof.claims):
        few = replace(words_of_few, how=f"{words_of_few.how}; in calls with few pairs")
        proof = replace(proof, claims=(*proof.claims, few))
    if proof and last is not None and (left := indices.left()):
        claims = tuple(claim for claim in proof.claims if claim.what != "indices")
        proof = replace(proof, claims=(*claims, Claim("indices", False, left)))
        return _with_index(code, target, *last, proof, indices.witness, any_mode)
    if proof and these:
        how = f"calls give {', '.join(map(str, these))} and no other number; what these do not execute, none does"
        return replace(proof, name=spec.stem, claims=(*proof.claims, Claim("coverage", True, how)))
    if proof and last is not None:
        ways = seen.of(code) | (set() if any_mode else of_other_modes(code, target, last[1], UNUSUAL[target.arch]))
        claim = covered(code, target, ways, *((chosen, "") if chosen else _open(spec, indices)))
        return replace(proof, name=spec.stem, claims=(*proof.claims, claim))
    if proof.refutation is not None and proof.refutation.confirmed:
        return proof
    wrong = _tried(code, target, spec, kind, any_mode)
    if wrong is None:
        return trusted.told(proof, code, target, spec, kind.pipeline())
    return replace(proof, refutation=_with(proof.refutation, wrong))


def _open(spec: Any, indices: Indices) -> tuple[Chosen | None, str]:
    """Return the numbers of a request whose indices may decide on branches, and None for other requests, with why
    nothing else is reached."""
    if indices.has_every_pair(spec):
        return None, "as all offsets that the contract allows were executed"
    return (Chosen((), 0, {}) if type(spec) in (*GATHERS, IndexedSpec) else None), ""


def _with_index(
    code: bytes,
    target: Target,
    spec: Any,
    call: Call,
    proof: Proof,
    given: tuple[str, dict[int, int]] | None,
    any_mode: bool,
) -> Proof:
    """Return a proof that failed for an index that the code treats otherwise than the request, with what the emulator
    says of a call with this index."""
    if given is None:
        return proof
    name, elements = given
    region = next(each for each in call.regions if each.name == name)
    array = region.array.reshape(-1).copy()
    for at, value in elements.items():
        array[at] = np.array([value], np.uint64).astype(f"u{array.itemsize}").view(array.dtype)[0]
    other = region._replace(array=array.reshape(region.array.shape))
    integers = [other.start if each == region.start else each for each in call.integers]
    regions = [other if each is region else each for each in call.regions]
    wrong = trials.wrong(code, target, spec, call._replace(integers=integers, regions=regions), any_mode=any_mode)
    return proof if wrong is None else replace(proof, refutation=wrong)


class Unexecuted(UnsupportedError):
    """Symbolic execution stopped at an instruction that it cannot execute on symbolic data."""

    def __init__(self, why: Undecidable) -> None:
        super().__init__(f"verify: {why}")
        self.why, self.unknown = why, why.unknown


_CALLS = 8
"""The largest number of calls that are executed on numbers if a kernel has no proof."""


def _tried(
    code: bytes, target: Target, spec: Any, kind: Any, any_mode: bool, limit: int = trials.LIMIT
) -> Refutation | None:
    """Search for a refutation by executing the code on numbers. If there is no proof, the emulator may show that the
    code is wrong."""
    for each in islice(every_call(spec, kind)[1], _CALLS):
        wrong = trials.wrong(code, target, *each, limit, any_mode)
        if wrong is not None:
            return wrong
    return None


def _with(found: Refutation | None, wrong: Refutation) -> Refutation:
    """Combine a refutation that random inputs did not confirm with one that the emulator confirmed."""
    return wrong if found is None else replace(found, text=f"{found.text}\n{wrong.text}", confirmed=True)


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable the cyclic garbage collector, which would traverse millions of nodes again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _of_call(
    code: bytes,
    target: Target,
    placed: Iterator[tuple[str, Call]] | None,
    spec: Any,
    call: Call,
    any_mode: bool,
    indices: Indices,
) -> Proof:
    start = perf_counter()
    try:
        caller = Caller(target.arch, usual=not any_mode)
        done = execute(code, target, call.integers, call.regions, call.symbolic(), caller=caller)
    except Fault as fault:
        wrong: Refutation | None = refutation.of_fault(fault)
        claims: tuple[Claim, ...] = (Claim("memory", False, "an access or an instruction that is refused"),)
        return Proof(spec.stem, target.name, claims, wrong, (), 0, perf_counter() - start)
    except Undecidable as reason:
        raise Unexecuted(reason) from reason
    try:
        claims, wrong = looked_at(code, target, spec, call, done)
    except Undecided as reason:
        raise UnsupportedError(f"verify: the definition of the request: {reason}") from reason
    if all(claim.holds for claim in claims) and (claim := indices.claim(spec, call, done)) is not None:
        claims = *claims, claim
    if any_mode and all(claim.holds for claim in claims):  # the code is executed only after it is known to do no harm
        claim, wrong = mode(code, target, spec, call, done, caller)
        claims = *claims, claim
    if all(claim.holds for claim in claims):
        claim, wrong = alignment(code, target, call, done)
        claims, done.table.repeats = (*claims, claim), None
    if placed is not None and all(claim.holds for claim in claims):
        more, wrong = overwritten(code, target, spec, placed, done, looked_at)
        claims = *claims, *more
    trusted = *(() if any_mode else (USUAL,)), *((APART,) if placed is None else ())
    return Proof(spec.stem, target.name, claims, wrong, trusted, done.steps, perf_counter() - start, done.loops)


def looked_at(
    code: bytes, target: Target, spec: Any, call: Call, done: Done
) -> tuple[tuple[Claim, ...], Refutation | None]:
    """Return the claims about the final state of an execution."""
    return _looked(code, target, spec, call, done, (_values, memory, frame))


def conditions(
    code: bytes, target: Target, spec: Any, call: Call, done: Done
) -> tuple[tuple[Claim, ...], Refutation | None]:
    """Return the claims of `looked_at` except the one about the values of the results."""
    return _looked(code, target, spec, call, done, (memory, frame))


def _looked(
    code: bytes, target: Target, spec: Any, call: Call, done: Done, looks: tuple[Any, ...]
) -> tuple[tuple[Claim, ...], Refutation | None]:
    claims, wrong = [], None
    for look in looks:
        claim, found = look(code, target, spec, call, done)
        claims.append(claim)
        wrong = wrong or found
    return tuple(claims), wrong


def _values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    return REQUESTS[type(spec)].values(code, target, spec, call, done)
