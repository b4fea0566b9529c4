"""`Proof`, the result of a verification: what was proved and how, what is trusted, or how the code is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...encoder.records import dataclass
from ...microkernels.notebook import PageSection, page

TRUSTED = "the decoder, the semantics of instructions in emulation/, the definition of the request in runtime/verify/"


@dataclass(frozen=True)
class Claim:
    """One property of the code that was checked.

    what      "movement", "arithmetic", "memory", "frame", "mode", "alignment", "threads", "in place", or "places" of a
              plan
    holds     whether it was proved; False if it was refuted or could not be proved
    how       the method of the proof, or why there is none
    """

    what: str
    holds: bool
    how: str

    def __str__(self) -> str:
        return f"{'proved' if self.holds else 'NOT PROVED':10} {self.what}: {self.how}"


@dataclass(frozen=True)
class Refutation:
    """Evidence that a kernel is wrong: a text of several lines, the offset of the instruction if it is known, and
    whether the emulator confirmed the error on concrete inputs."""

    text: str
    offset: int | None = None
    confirmed: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Proof:
    """The result of a verification. It is truthy only if every claim holds. Its text says what was proved, how, and
    what is trusted."""

    name: str
    target: str
    claims: tuple[Claim, ...]
    refutation: Refutation | None
    trusted: tuple[str, ...]
    steps: int
    seconds: float
    loops: tuple[str, ...] = ()
    """Descriptions of the loops that were summarised: one iteration was executed symbolically for all of them."""

    def __bool__(self) -> bool:
        return self.refutation is None and all(claim.holds for claim in self.claims)

    @property
    def refuted(self) -> bool:
        """Whether the kernel was shown to be wrong. A kernel that could not be proved is not necessarily wrong."""
        return self.refutation is not None

    def __str__(self) -> str:
        return "\n".join([*self._verdict(), *self._grounds(), *self._evidence()])

    def _verdict(self) -> list[str]:
        verdict = "refuted" if self.refuted else "proved" if self else "not proved in full"
        title = f"{self.name} for {self.target}: {verdict} in {self.seconds:.2f} s, {self.steps} instructions"
        return [title, *(f"  {claim}" for claim in self.claims)]

    def _grounds(self) -> list[str]:
        trusted = (f"  trusted    {each}" for each in (TRUSTED, *self.trusted))
        return [*(f"  summarised {each}" for each in self.loops), *trusted]

    def _evidence(self) -> list[str]:
        return [] if self.refutation is None else [f"  {line}" for line in self.refutation.text.splitlines()]

    def _repr_html_(self) -> str:
        """Return the proof for notebooks: the claims and the evidence, and in a folded section what is trusted."""
        grounds = PageSection("what the proof rests on", "\n".join(self._grounds()), "print(proof)")
        return page("\n".join([*self._verdict(), *self._evidence()]), [grounds], "print(proof)")

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self))  # type: ignore[attr-defined]


def together(proofs: Sequence[Proof], given: str) -> Proof:
    """Combine the proofs of one kernel for several calls. The result is the last proof, with the steps and seconds of
    all: if a call failed, it is the last one. `given` describes the calls and is added to every claim that holds."""
    last = proofs[-1]
    claims = tuple(
        replace(claim, how=f"{claim.how}; {given}") if claim.holds and given else claim for claim in last.claims
    )
    steps, seconds = (sum(getattr(each, name) for each in proofs) for name in ("steps", "seconds"))
    return replace(last, claims=claims, steps=int(steps), seconds=seconds)


class RefutedError(RuntimeError):
    """Raised for a kernel whose code does not compute its request; `proof` holds the details."""

    def __init__(self, proof: Proof) -> None:
        super().__init__(str(proof))
        self.proof = proof
