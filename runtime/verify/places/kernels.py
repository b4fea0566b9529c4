"""Proofs of kernels: of their plans, and of their code."""

from __future__ import annotations

import warnings
from typing import Any

from ....microkernels.errors import UnsupportedError
from ..check import FAULTS, ProverFailed, verify
from ..proof import Claim, Proof, Refutation, RefutedError
from .check import overwritten

_CALLER = 4  # the stack level of Kernel(...), seen through `require` and the function that defers its import
_TOLD: set[tuple[str, str]] = set()


SECONDS = 60.0
"""The most seconds of a proof that TILESMITH_VERIFY=1 asks for, while the program waits for the kernel."""


def verify_kernel(kernel: Any, timeout: float | None = None) -> Proof:
    """Return the proof of a kernel's code, or a refutation if a step of its plan overwrites what is still read."""
    try:
        found = overwritten(kernel.plan)
    except FAULTS as error:
        raise ProverFailed(error) from error
    if found is None:
        return verify(kernel.code, kernel.target, kernel.spec, kernel.kind, timeout=timeout)
    text = f"refuted: in the plan, {found}"
    claim = Claim("places", False, str(found))
    return Proof(kernel.spec.stem, kernel.target.name, (claim,), Refutation(text, None, True), (), 0, 0.0)


def require(kernel: Any) -> None:
    """Check a kernel before its first call, as TILESMITH_VERIFY=1 asks. Raise RefutedError if its code is wrong. Issue
    a RuntimeWarning if there is no proof within `SECONDS`, once for each kind of kernel and reason."""
    try:
        proof = verify_kernel(kernel, SECONDS)
        reason = next((str(claim) for claim in proof.claims if not claim.holds), "")
    except UnsupportedError as error:
        proof, reason = None, str(error)
    if proof is not None and proof.refuted:
        raise RefutedError(proof)
    told = type(kernel.spec).__name__, reason
    if reason and told not in _TOLD:
        _TOLD.add(told)
        warnings.warn(f"{kernel.name} is called without a proof: {reason}", RuntimeWarning, stacklevel=_CALLER)
