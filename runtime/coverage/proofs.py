"""`tilesmith info --proofs`: which primitives have proved bytes, for which types, on which targets.

Each cell builds the kernel of a small matrix and proves its bytes. If there is no proof, `trusted` has the reason; a
cell without a reason fails the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import TARGETS
from ..api.eltwise import TABLES, request
from ..kernel.callable import Kernel
from ..verify import trusted
from ..verify.check import verify
from .table import DTYPES, NARROWING, NONE, ON, WIDER, Cell, every_name, page, parameters, trials_of, watched

PROVED, TRUSTED, WRONG, UNEXPLAINED = "p", "t", "REFUTED", "UNEXPLAINED"
SHAPE = 2, 9
LEGEND = f"{PROVED} `k.verify()` proves the bytes; {TRUSTED} no proof, so they are trusted; {NONE} no such kernel"


def proofs(targets: tuple[str, ...] = ON, dtypes: tuple[str, ...] = DTYPES, only: str = "") -> Iterator[Cell]:
    """Yield every cell; with `only`, those of the primitive of this name."""
    for kind, name in every_name():
        for dtype in dtypes if only in ("", name) else ():
            for target in targets:
                state, said = _cell(kind, name, dtype, target)
                reason = trusted.why(kind, name, dtype, said) if state == TRUSTED else said
                yield Cell(kind, name, dtype, target, *((state, reason) if reason is not None else (UNEXPLAINED, said)))


def _cell(kind: str, name: str, dtype: str, target: str) -> tuple[str, str]:
    """Return the worst result of the requests that the cell stands for."""
    state, note = NONE, ""
    try:
        for spec in _requests(kind, name, dtype):
            made = Kernel(spec, TARGETS[target])
            state, note = _proof(made)
            if state != PROVED:
                break
    except (UnsupportedError, ValueError, TypeError):
        return NONE, ""
    return state, note


def _requests(kind: str, name: str, dtype: str) -> Iterator[Any]:
    if kind not in TABLES:
        yield from (trial.spec for trial in trials_of(kind, name, dtype))
    else:
        given = WIDER.get(dtype, "f32") if name in NARROWING else dtype
        out = dtype if not TABLES[kind][name].operands or name in NARROWING else None
        spec = request(kind, name, *SHAPE, dtype=given, out=out, **parameters(kind, name))
        if dtype in [operand.dtype for operand in spec.operands]:
            yield spec


def _proof(made: Kernel) -> tuple[str, str]:
    try:
        proof = verify(made.code, made.target, made.spec, made.kind)
    except UnsupportedError as error:
        return TRUSTED, str(error).removeprefix("verify: ")
    if proof.refuted:
        return WRONG, str(proof.refutation).splitlines()[0]
    return (PROVED, "") if proof else (TRUSTED, next(claim.how for claim in proof.claims if not claim.holds))


def report(path: Path | None, targets: tuple[str, ...] = ON) -> int:
    """Write the page, or print it. Return the number of cells that are refuted or have neither a proof nor a reason."""
    found = watched("proofs", proofs(targets), targets)
    text = page(
        found,
        targets,
        "Proofs by type",
        "tilesmith info --proofs -o docs/proofs.md",
        LEGEND,
        "What is trusted, and why",
    )
    if path is None:
        print(text)
    else:
        path.write_text(text)
    return sum(cell.state in (WRONG, UNEXPLAINED) for cell in found)
