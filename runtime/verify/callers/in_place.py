"""Prove that results are the same where they overwrite operands, as calls of elementwise and fused kernels may have it.

Each result that may lie in the place of an operand does so in at least one call. The code may leave the same nodes as
where results lie apart, or nodes that are proved by themselves. If the call gives the number of rows, this holds for
the numbers of the proof (`runtime/verify/coverage.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ....emulation.core.faults import Fault
from ....emulation.symbolic.machine import Done, Undecidable, execute
from ....encoder.features import Target
from ....microkernels.eltwise.spec import EltwiseSpec
from ....microkernels.errors import UnsupportedError
from ....microkernels.fused.spec import FusedSpec
from ....microkernels.grouped.spec import GroupedSpec
from ..operands import Call
from ..proof import Claim, Refutation
from ..refutation import of_fault
from ..traced.calls import calls_in_place

_IN_PLACE = EltwiseSpec, FusedSpec, GroupedSpec
Claims = tuple[tuple[Claim, ...], Refutation | None]
Look = Callable[[bytes, Target, object, Call, Done], Claims]


def placed_calls(spec: object, kind: object, one: object) -> Iterator[tuple[str, Call]]:
    """Return the calls in which results overwrite inputs. `one` is the request, or the one that a call of it is which
    gives the number of rows, or of samples."""
    if type(one) not in _IN_PLACE:
        return iter(())
    if one is spec:
        return calls_in_place(spec, kind)
    number = one.samples if isinstance(one, GroupedSpec) else getattr(one, "m")  # noqa: B009
    return calls_in_place(spec, kind, (int(number),))


APART = "the caller, whose results share no memory with operands"
"""What a proof trusts that has no calls in which results overwrite operands."""


def overwritten(
    code: bytes, target: Target, spec: object, placed: Iterable[tuple[str, Call]], done: Done, look: Look
) -> Claims:
    """Check that results are the same when they overwrite inputs, in each of these calls. The nodes must be the same,
    or the results need a proof of their own, by `look`."""
    told: list[str] = []
    for words, call in placed:
        claims, wrong = _overwriting(code, target, spec, words, call, done, look)
        if claims:
            return claims, wrong
        told.append(words)
    return ((Claim("in place", True, f"{'; '.join(told)}: the same results"),) if told else ()), None


def _overwriting(code: bytes, target: Target, spec: object, words: str, call: Call, done: Done, look: Look) -> Claims:
    """Return the claims that fail where results overwrite inputs."""
    try:
        other = execute(code, target, call.integers, call.regions, call.symbolic(), like=done)
    except Fault as fault:
        return (Claim("in place", False, f"{words}: an access that is refused"),), of_fault(fault)
    except Undecidable as reason:
        raise UnsupportedError(f"verify: {reason}") from reason
    same = not other.lost and all(
        (other.memory.held(region) == done.memory.named_elements(region.name)).all()
        for region in call.regions
        if region.writable and region.array.size
    )
    claims, wrong = ((), None) if same else look(code, target, spec, call, other)
    return tuple(replace(claim, how=f"{words}: {claim.how}") for claim in claims if not claim.holds), wrong
