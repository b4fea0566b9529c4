"""Judge mutants: each is first executed beside the kernel, then compared with it as nodes, then proved.

    judge = Judge(kernel)
    judge.verdict(mutant)        ("wrong element", "y[0, 3] is 7.0 instead of 5.0, on small whole numbers, draw 0")

Most mutants give another result, fault, or break the calling convention on the first numbers on which the emulator
executes them. This refutes them without a proof. For one in sixteen of these the proof is tried all the same: it must
fail. Mutants that survive are compared with the kernel as nodes: equal node numbers mean equal results for all inputs.
Mutants with other nodes are proved or refuted by themselves, and then executed on many more numbers. The rest is open,
unless argued.py has an argument why it is equivalent.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from tests.equivalence import effect
from tests.side_by_side.argued import argued
from tests.side_by_side.bits import Mutant
from tests.side_by_side.executed import ACCESS, CONVENTION, ELEMENT, ENDLESS, Executed
from tests.side_by_side.further import SAMPLED, UNDEFINED, Further
from tests.side_by_side.nodes import Nodes
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.bitwise import UNDEFINED_PART
from tilesmith.runtime.verify.check import verify

PROOF, OPEN, FALSE = "by its proof", "no proof", "FALSE PROOF"
EQUIVALENT, ARGUED = "equivalent", "argued"
REFUTED = (ELEMENT, ACCESS, CONVENTION, ENDLESS, PROOF, UNDEFINED)
VERDICTS = (*REFUTED, EQUIVALENT, ARGUED, OPEN, FALSE)
TRIED = "; the proof was tried too, and does not go through"
SECONDS = 10
"""The most processor time for a proof, in seconds."""
_EVERY = 16
UNDEFINED_PARTS = (UNDEFINED_PART, "nobody has written")
"""Phrases in a proof's verdict on results that depend on what a register or memory happens to hold."""


def proof_is_tried(code: bytes, found: tuple[str, str]) -> bool:
    """Whether a proof of a mutant is tried: always if execution does not refute it, else for one in `_EVERY`."""
    return not found[0] or crc32(code) % _EVERY == 0


class OutOfTime(Exception):
    """A proof took longer than it may."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise OutOfTime if the body takes more processor time: a mutant of a loop counter may run forever."""

    def stop(*given: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Judge:
    """Verdicts on the mutants of one kernel."""

    def __init__(self, kernel: Any, name: str = "", sampled: int = SAMPLED) -> None:
        """`name` is the kernel's name in `argued`; `sampled` the number of draws for mutants that nothing else
        decides."""
        self.name, self.kernel, self.executed, self.nodes = name, kernel, Executed(kernel), Nodes(kernel)
        self.further = Further(self.executed, self.nodes, sampled)

    def verdict(self, mutant: Mutant) -> tuple[str, str]:
        """Return (one of VERDICTS, the reason)."""
        found = self.by_execution(mutant)
        return self.by_proof(mutant, found) if proof_is_tried(mutant.of(self.kernel.code), found) else found

    def by_execution(self, mutant: Mutant) -> tuple[str, str]:
        """Return (one of REFUTED, what was seen), or ("", "") if the mutant gives the same results on the first
        numbers."""
        found = self.executed.found(mutant.of(self.kernel.code))
        return ("", "") if found is None else (found.what, found.text)

    def by_proof(self, mutant: Mutant, found: tuple[str, str]) -> tuple[str, str]:
        """Return the verdict, given what execution found."""
        code, (what, text) = mutant.of(self.kernel.code), found
        if what:
            proved, _ = self._proved(code)
            return (FALSE, text) if proved else (what, text + TRIED)
        found_else = self.further.found_with_other_numbers(code)
        if found_else is not None:
            proved, _ = self._proved(code)
            return (FALSE if proved else found_else.what), found_else.text + ("" if proved else TRIED)
        try:
            with within(SECONDS):
                if self.nodes.same(code):
                    return EQUIVALENT, self._reason(mutant)
        except OutOfTime:
            pass
        return self._by_itself(mutant, code)

    def _by_itself(self, mutant: Mutant, code: bytes) -> tuple[str, str]:
        """Return the verdict on code that leaves other nodes."""
        proved, why = self._proved(code)
        if proved is False and why.startswith("refuted"):
            return PROOF, why
        found = self.further.found(code)
        if found is not None:
            return (FALSE if proved else found.what), found.text
        if not proved and any(words in why for words in UNDEFINED_PARTS):
            return UNDEFINED, why
        found = None if proved else self.further.found_by_all(code)
        if found is not None:
            return found.what, found.text
        if proved:
            return EQUIVALENT, self._reason(mutant)
        found = self.further.found_elsewhere(code)
        if found is not None:
            return found.what, found.text
        reason = argued(self.name, mutant)
        return (OPEN, why) if reason is None else (ARGUED, reason)

    def _proved(self, code: bytes) -> tuple[bool, str]:
        """Return (whether a proof succeeds, the reason if it does not)."""
        try:
            with within(SECONDS):
                proof = verify(code, self.kernel.target, self.kernel.spec, self.kernel.kind)
        except OutOfTime:
            return False, f"no verdict in {SECONDS} s"
        except UnsupportedError as reason:
            return False, str(reason)
        except Exception as error:  # a mutant may take the emulator anywhere; an exception is no verdict
            return False, f"the prover raised {type(error).__name__}: {error}"
        if proof.refuted:
            return False, str(proof.refutation).splitlines()[0]
        return bool(proof), "" if proof else next(str(claim) for claim in proof.claims if not claim.holds)

    def _reason(self, mutant: Mutant) -> str:
        """Return the reason why the changed instruction has the same effect."""
        if mutant.before == mutant.after:
            return "a bit that the processor ignores"
        code, found = mutant.of(self.kernel.code), []
        for draw in self.executed.draws:
            draw.fill(draw.call)
            found.append(effect(self.kernel, code, mutant.offset, draw.call))
            if found[-1]:
                return f"nothing depends on what differs: {found[-1]}"
        if all(each is None for each in found):
            return "no execution comes there"
        if sorted(mutant.before) == sorted(mutant.after):
            return "operands that commute"
        same = mutant.before.split()[0] == mutant.after.split()[0]
        return "operands of the same value" if same else "another instruction of the same effect"
