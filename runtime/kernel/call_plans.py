"""`plans`: the jobs that a call runs, with the tables of its arguments. A printed plan shows its loops and calls, and a
proof is of its machine code with these tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, ParamSpec, Protocol

from ...encoder.records import NamedTuple
from ..arguments.tracebacks import shortening

if TYPE_CHECKING:
    from ..verify.proof import Proof


class ProvableJob(Protocol):
    """A job as one call runs it: `str` shows loops and calls."""

    def verify(self, *, timeout: float | None = None) -> Proof: ...


Asked = ParamSpec("Asked")
wanted: dict[int, list[ProvableJob]] = {}
"""The plans that threads collect, by their numbers; empty nearly always, so that a call looks at it at no cost."""


class JobOfCall(NamedTuple):
    """A job as one call runs it.

    title   what is computed
    loops   returns the loops and their calls as lines of text
    prove   returns a proof of the machine code with the tables of the call
    """

    title: str
    loops: Callable[[], Sequence[str]]
    prove: Callable[..., Proof]

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a proof of the machine code with the tables of this call; see docs/soundness.md. A successful proof is
        truthy, and printing it shows how it was found. Raises UnsupportedError if there is no specification."""
        return self.prove(timeout=timeout)

    def __str__(self) -> str:
        """Return the loops and their calls as text."""
        return "\n".join([self.title, *self.loops()])

    def __repr__(self) -> str:
        return f"<{self.title}>"


@shortening
def plans(function: Callable[Asked, object], *args: Asked.args, **named: Asked.kwargs) -> tuple[ProvableJob, ...]:
    """Call a function, and return the plans of the jobs that it ran with tables of its arguments: ts.plans(ts.sddmm, a,
    b, pattern). The result of the call is dropped.

    Each plan can be printed, and `plan.verify()` proves its machine code with the indices, offsets and places of this
    call, for all elements of the arrays. Functions with such jobs: spmm and its gradients, sddmm, sparse_softmax,
    sparse_attention, grouped_matmul, graph_reduce, and products by compressed weights. Other calls run no such job;
    their kernels have a `verify` of their own. Jobs that the function runs in other threads are not seen.
    """
    thread = get_ident()
    outer = wanted.get(thread)
    found = list[ProvableJob]()
    wanted[thread] = found
    try:
        function(*args, **named)
    finally:
        if outer is None:
            del wanted[thread]
        else:
            wanted[thread] = outer
    return tuple(found)


def note(make: Callable[[], ProvableJob]) -> None:
    """Keep the plan of a job that this thread is about to run, if it collects plans."""
    found = wanted.get(get_ident())
    if found is not None:
        found.append(make())
