"""`Proof`: what was proved of a kernel's bytes, how, what is trusted; or how it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...encoder.records import dataclass

TRUSTED = "the decoder, the semantics of instructions in emulation/, the definition of the request in runtime/verify/"


@dataclass(frozen=True)
class Claim:
    """One thing that was looked at.

    what      "movement", "arithmetic", "memory", "frame", "mode"
    holds     whether it was proved; False where it was refuted or not proved
    how       the method, or why there is none
    """

    what: str
    holds: bool
    how: str

    def __str__(self) -> str:
        return f"{'proved' if self.holds else 'NOT PROVED':10} {self.what}: {self.how}"


@dataclass(frozen=True)
class Refutation:
    """How a kernel is wrong: a text of several lines, and whether the emulator confirmed it on concrete inputs."""

    text: str
    offset: int | None = None
    confirmed: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Proof:
    """Truthy only if everything holds; printed, it says what was proved, how, and what is trusted."""

    name: str
    target: str
    claims: tuple[Claim, ...]
    refutation: Refutation | None
    trusted: tuple[str, ...]
    steps: int
    seconds: float
    loops: tuple[str, ...] = ()
    """Loops of which one iteration was executed for all, in words."""

    def __bool__(self) -> bool:
        return self.refutation is None and all(claim.holds for claim in self.claims)

    @property
    def refuted(self) -> bool:
        """Whether the kernel is wrong; a kernel that is not proved need not be."""
        return self.refutation is not None

    def __str__(self) -> str:
        verdict = "refuted" if self.refuted else "proved" if self else "not proved in full"
        lines = [f"{self.name} for {self.target}: {verdict} in {self.seconds:.2f} s, {self.steps} instructions"]
        lines += [f"  {claim}" for claim in self.claims]
        lines += [f"  summarised {each}" for each in self.loops]
        lines += [f"  trusted    {each}" for each in (TRUSTED, *self.trusted)]
        if self.refutation is not None:
            lines += [f"  {line}" for line in self.refutation.text.splitlines()]
        return "\n".join(lines)

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self))  # type: ignore[attr-defined]


def together(proofs: Sequence[Proof], given: str) -> Proof:
    """The proofs of one kernel for several calls, as one: the last, which is the one that failed if one did."""
    last = proofs[-1]
    claims = tuple(replace(claim, how=f"{claim.how}; {given}") if claim.holds and given else claim
                   for claim in last.claims)  # fmt: skip
    steps, seconds = (sum(getattr(each, name) for each in proofs) for name in ("steps", "seconds"))
    return replace(last, claims=claims, steps=int(steps), seconds=seconds)


class RefutedError(RuntimeError):
    """A kernel whose bytes do not compute its request; `proof` says how."""

    def __init__(self, proof: Proof) -> None:
        super().__init__(str(proof))
        self.proof = proof
