"""`verify`: check the machine code of a kernel against its request."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.coverage import recorded
from ...emulation.symbolic.bounds import OutOfTime, bounded
from ...emulation.symbolic.equality import Prover
from ...emulation.symbolic.exhaustive import Exhaustive, alike
from ...emulation.symbolic.extrema.elements import Elements, conditions_of
from ...emulation.symbolic.given.variables import with_variables
from ...emulation.symbolic.machine import ENDLESS, LONG, Done, Undecidable, execute
from ...emulation.symbolic.masks import same_bits
from ...emulation.symbolic.modes.caller import Caller
from ...emulation.symbolic.sweep import equal, swept
from ...emulation.symbolic.values import UNDEFINED, Undecided
from ...encoder.features import Target
from ...microkernels.eltwise.traced import BITS
from ...microkernels.errors import UnsupportedError
from . import calls as of_pairs
from . import epilogues, extents, gathers, indexed, products, reductions, refutation, specification, trusted
from .callers.alignment import alignment
from .callers.in_place import APART, overwritten, placed_calls
from .callers.mode import UNUSUAL, USUAL, mode
from .calls import calls_of
from .conversions import NAN, as_stored
from .coverage import Chosen, Numbers, choose, covered, made_again, of_other_modes, planned
from .indices import Indices
from .numbers import trials
from .operands import Call, any_of
from .operands import calls_of as numbered
from .proof import Claim, Proof, Refutation, together
from .traced import alike_rows, attention, by_index, groups, rows
from .traced import calls as of_rows


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
        with bounded(timeout):
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
    called = (*products.PRODUCTS, *epilogues.EPILOGUES)
    if name not in (*specification.MOVEMENTS, *called, *_OTHERS, *gathers.GATHERS, *extents.COUNTED, indexed.INDEXED):
        reason = trusted.KINDS.get(name, "requests of this kind")
        raise UnsupportedError(
            f"verify: no specification of {name} yet: {reason}; k.run executes the bytes on given inputs"
        )
    if getattr(spec, "seen", False):
        raise UnsupportedError(
            "verify: no specification of a number of keys that the call gives; a kernel for a fixed "
            "number has the same parts, and k.run executes the bytes on given inputs"
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


def numbers_of(spec: Any, kind: Any, target: Target | None = None) -> Numbers | None:
    """Return the numbers that a call gives, or None if the request says them. target: of the code, whose plan may have
    other code for fewer numbers than the request tells"""
    name = type(spec).__name__
    if extents.at_call(spec):
        return extents.counts_of(spec, kind)
    if name not in (*products.PRODUCTS, *epilogues.EPILOGUES):
        return None
    return of_pairs.counts_of(spec, kind, None if target is None else planned(spec, target, kind.pipeline()))


def _open(spec: Any, indices: Indices) -> tuple[Chosen | None, str]:
    """Return the numbers of a request whose indices may decide on branches, and None for other requests, with why
    nothing else is reached."""
    if indices.has_every_pair(spec):
        return None, "as all offsets that the contract allows were executed"
    return (Chosen((), 0, {}) if type(spec).__name__ in (*gathers.GATHERS, indexed.INDEXED) else None), ""


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


def every_call(spec: Any, kind: Any) -> tuple[str, Iterator[tuple[Any, Call]]]:
    """Return a description of the calls, and an iterator over pairs of a request with nothing left to the call and a
    call of it."""
    words, calls = _every_call(spec, kind)
    numbers = any_of(each.name for each in getattr(getattr(spec, "request", spec), "numbers", ()))
    return "; ".join(filter(None, (words, numbers))), calls


def _every_call(spec: Any, kind: Any) -> tuple[str, Iterator[tuple[Any, Call]]]:
    name = type(spec).__name__
    if extents.at_call(spec):
        return extents.calls_of(spec, kind)
    if name in gathers.GATHERS:
        return gathers.WORDS, ((spec, call) for call in gathers.calls_of(spec, kind))
    if name in (*products.PRODUCTS, *epilogues.EPILOGUES):
        words, calls = calls_of(spec, kind)
        return words, ((spec, call) for call in calls)
    if name == indexed.INDEXED:
        words, calls = indexed.calls_of(spec, kind)
        return words, ((spec, call) for call in calls)
    if name in ("FusedSpec", "GroupedSpec"):
        words, calls = of_rows.calls_of(spec, kind)
        return words, ((spec, call) for call in calls)
    words, calls = numbered(spec, kind)
    return words, ((spec, call) for call in calls)


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
    return _looked(code, target, spec, call, done, (_values, _memory, _frame))


def conditions(
    code: bytes, target: Target, spec: Any, call: Call, done: Done
) -> tuple[tuple[Claim, ...], Refutation | None]:
    """Return the claims of `looked_at` except the one about the values of the results."""
    return _looked(code, target, spec, call, done, (_memory, _frame))


def _looked(
    code: bytes, target: Target, spec: Any, call: Call, done: Done, looks: tuple[Any, ...]
) -> tuple[tuple[Claim, ...], Refutation | None]:
    claims, wrong = [], None
    for look in looks:
        claim, found = look(code, target, spec, call, done)
        claims.append(claim)
        wrong = wrong or found
    return tuple(claims), wrong


# Values

_OTHERS = {
    "ReduceSpec": reductions.values,
    **dict.fromkeys(products.PRODUCTS, products.values),
    **dict.fromkeys(epilogues.EPILOGUES, epilogues.values),
    "DepthwiseSpec": epilogues.of_taps,
    "FusedSpec": rows.values,
    "GroupedSpec": groups.values,
    "ChainSpec": rows.values,
    "AttentionSpec": attention.values,
}


def _values(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    if type(spec).__name__ in _OTHERS:
        return _OTHERS[type(spec).__name__](code, target, spec, call, done)
    if gathers.compared(spec):
        return gathers.extrema_of_bags(code, target, spec, call, done)
    if type(spec).__name__ == indexed.INDEXED and indexed.has_reductions(spec):
        return by_index.values(code, target, spec, call, done)
    if type(spec).__name__ == indexed.INDEXED:
        wanted = indexed.expected(spec, call, done, target)
    elif type(spec).__name__ in gathers.GATHERS:
        wanted = gathers.expected(spec, call, done, target)
    else:
        builder = specification.MOVEMENTS[type(spec).__name__]
        wanted = builder(spec, done.table, done.memory.inputs, target, call.numbers)
    count = by_cases = 0
    for region in _outputs(call):
        held = done.memory.held(region)
        expected = wanted[region.name].reshape(held.shape)
        differing = np.argwhere((held != expected).any(axis=-1))
        moved = not specification.computes(spec)
        unproved = differing if moved else _unproved(done, held, expected, differing, _dtype_of(spec, region.name))
        if len(unproved):
            place = tuple(int(at) for at in unproved[0])
            given = {} if moved else _inputs(done, held[place], expected[place], _dtype_of(spec, region.name))
            wrong = refutation.Wrong(region, place, expected[place])
            found = refutation.of_element(code, target, call, done, wrong, given)
            what = f"{len(unproved)} elements of {region.name} {'differ' if moved else 'have no proof'}"
            what += f": {region.name}{list(place)} {UNDEFINED_PART}" if _undefined(done, held[place]) else ""
            return Claim(_claim(spec), False, what), found if moved or found.confirmed else None
        by_cases += len(differing)
        count += held[..., 0].size
    how = f"{count} elements are those of the request, for all inputs"
    return Claim(_claim(spec), True, how + (f"; {by_cases} of them case by case" if by_cases else "")), None


def _claim(spec: Any) -> str:
    return "arithmetic" if specification.computes(spec) else "movement"


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


def _outputs(call: Call) -> Iterator[Any]:
    return (region for region in call.regions if region.writable)


# Memory and frame


def _memory(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    for region in _outputs(call):
        unwritten = np.argwhere((done.memory.held(region, "writer") < 0).any(axis=-1))
        kept = getattr(spec, "beta", 0) != 0 or getattr(spec, "verb", "") == "scatter"
        kept |= any(each.table == region.name for each in getattr(spec, "scattered", ()))
        if len(unwritten) and not kept:  # otherwise an element that is not written is compared with its old value
            text = f"refuted: {region.name}{unwritten[0].tolist()} is never written"
            return Claim("memory", False, text), Refutation(text, None, True)
        read = done.memory.held(region, "read")
        if getattr(spec, "beta", 1) == 0 and (read >= 0).any() and _early(done, region):
            return Claim("memory", False, f"{region.name} is read although beta is 0"), None
    reads = sum(region.array.size for region in call.regions if not region.writable)
    how = f"every access lies inside its operand, every byte of the result is written; {reads} elements may be read"
    return Claim("memory", True, how), None


def _early(done: Done, region: Any) -> bool:
    """Whether the result depends on what C held before the call. Reading back the kernel's own results is harmless."""
    roots = done.table.nodes_of(done.memory.held(region)).reshape(-1).tolist()
    names = [name for name in done.memory.inputs if name.partition("[")[0] == region.name.partition("[")[0]]
    return any((done.table.leaf(node) or ("", "", 0))[1] in names for node in done.table.below(roots))


def _frame(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    if done.lost:
        text = f"refuted: the code returns without restoring {', '.join(done.lost)}"
        return Claim("frame", False, ", ".join(done.lost)), Refutation(text, None, True)
    if done.warnings:
        text = f"refuted: the code returns without clearing the {', the '.join(done.warnings)}"
        return Claim("frame", False, f"not cleared at the return: {', '.join(done.warnings)}"), Refutation(
            text, None, True
        )
    return Claim("frame", True, "callee-saved registers, stack pointer, return address, control registers"), None
