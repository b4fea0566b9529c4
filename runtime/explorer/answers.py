"""Answers of the explorer: what a page asks about a kernel and what it shows, both as JSON texts.

    {"request": "brgemm 64 48 32 --dtype bf16", "target": "avx512", "want": "kernel"}

The request is what follows `tilesmith asm` on the command line, so that a link says no more than a command does: words
that the parser of the command line knows, and expressions of which `cli/formula.py` evaluates nothing but arithmetic.
A link may come from a stranger. Nothing here imports numpy or cffi, which a browser does not have, unless a kernel is
proved or run.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

from ...encoder.deferred import lazy
from ...encoder.errors import EncodeError
from ...encoder.listing import lines
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.names import chosen
from ..api.brgemm import targets
from ..cli.nests import add_kind
from ..cli.requests import REQUESTS
from ..kernel import costs, display, register_map
from ..kernel.callable import Kernel

if TYPE_CHECKING:
    from . import runs

runs = lazy(__package__, ".runs")

ERRORS = (UnsupportedError, EncodeError, ValueError, TypeError, OverflowError, MemoryError)
"""What a request that cannot be met raises; its text is the answer."""


class QuestionLimits(NamedTuple):
    """What one question may ask for."""

    seconds: float = 10.0
    """The time of an answer. Proofs end before it; whoever asks ends everything else."""
    text: int = 4000
    """The characters of a question."""
    extent: int = 1 << 16
    """Each number of a request: an extent, a leading dimension, a count."""
    instructions: int = 5000
    """The instructions that the listing shows."""
    memory: int = 4 << 30
    """The bytes of address space of a process that answers."""


LIMITS = QuestionLimits()


class _Words(argparse.ArgumentParser):
    """A parser that raises ValueError for wrong words, and has no option that ends the program."""

    def __init__(self, *given: str, **named: object) -> None:
        super().__init__(*given, **{**named, "add_help": False})  # type: ignore[arg-type]  # as the class passes them on

    def error(self, message: str) -> NoReturn:
        """Raise ValueError."""
        raise ValueError(message)


def parser() -> argparse.ArgumentParser:
    """Return the parser of requests."""
    made = _Words(prog="")
    kinds = made.add_subparsers(required=True, metavar="kind", dest="kind")
    for name, request in REQUESTS.items():
        add_kind(kinds, name, request, lambda _: None)
    return made


def kernel_of(request: str, target: str, limits: QuestionLimits) -> Kernel:
    """Return the kernel of a request for a target. Raises `ERRORS`."""
    try:
        words = shlex.split(request)
    except ValueError as error:
        raise ValueError(f"request: {error}") from None
    chosen("target", target, targets())
    options = parser().parse_args(words)
    if options.target is not None:
        raise ValueError("--target: the target is chosen beside the request, so that two can be compared")
    options.target = target
    for name, value in vars(options).items():
        for number in _numbers(value):
            if abs(number) > limits.extent:
                raise ValueError(f"{name}: at most {limits.extent} here, not {number}; `tilesmith asm` takes any")
    made: Kernel = options.make(options)
    return made


def _numbers(value: object) -> Iterator[int]:
    """Yield the integers of the value of an option."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _numbers(each)


def answer(text: str, limits: QuestionLimits = LIMITS) -> str:
    """Return the answer to a question. One that has none is answered by its error."""
    try:
        return json.dumps(_answered(text, limits))
    except ERRORS as error:
        return json.dumps({"error": str(error) or type(error).__name__})


def _answered(text: str, limits: QuestionLimits) -> dict[str, object]:
    if len(text) > limits.text:
        raise ValueError(f"a question has at most {limits.text} characters, not {len(text)}")
    asked = json.loads(text)
    names = ("request", "target", "want")
    if not isinstance(asked, dict) or not all(isinstance(asked.get(each), str) for each in names):
        raise ValueError('a question is {"request": ..., "target": ..., "want": ...}, all of them texts')
    chosen("want", asked["want"], tuple(_WANTED))
    return _WANTED[asked["want"]](kernel_of(asked["request"], asked["target"], limits), limits)


def _shown(kernel: Kernel, limits: QuestionLimits) -> dict[str, object]:
    """Return everything that is known of a kernel without executing it."""
    code, plan = kernel._code, kernel.plan
    cycles = costs.costs(code)
    return {
        "name": kernel.name,
        "prototype": kernel.c_prototype,
        "target": code.target.name,
        "bytes": len(kernel.code),
        "code": kernel.code.hex() if len(cycles) <= limits.instructions else "",
        "flops": kernel.flops,
        "emulated": kernel._origin.emulated,
        "instructions": len(cycles),
        "plan": str(plan),
        "rejected": [str(each) for each in plan.rejected],
        "picture": display.picture(plan),
        "processor": costs.processor(code),
        "pipes": costs.PIPES,
        "listing": list(_listed(kernel, cycles, limits)),
        "loops": [{"start": each.start, "end": each.end, "text": str(each)} for each in costs.loops(code, cycles)],
        "registers": list(_registers(kernel)),
    }


def _listed(kernel: Kernel, cycles: list[costs.PipeCycles], limits: QuestionLimits) -> Iterator[dict[str, object]]:
    """Yield the lines of the listing, and with each instruction the cycles that it occupies the pipes."""
    shown = 0
    for line in lines(kernel._code):
        if line.offset is None:
            yield {"text": line.text}
            continue
        if shown == limits.instructions:
            yield {"text": f"... {len(cycles) - shown} more instructions, which `tilesmith asm` lists"}
            return
        known = {"text": line.text, "at": line.offset, "bytes": line.data.hex(" "), "note": line.note}
        yield known | {"cycles": tuple(cycles[shown])}
        shown += 1


def _registers(kernel: Kernel) -> Iterator[dict[str, object]]:
    """Yield the vector registers by what they hold; of code without roles, all registers that it uses."""
    code = kernel._code
    if code.roles:
        rows = register_map.rows(code)
    else:
        rows = [(each, "used", first, last + 1) for each, first, last in register_map.used_rows(code)]
    for names, role, start, end in rows:
        yield {"registers": names, "role": role, "start": start, "end": end}


def _run(kernel: Kernel, limits: QuestionLimits) -> dict[str, object]:
    made: dict[str, object] = runs.run(kernel)
    return made


def _proved(kernel: Kernel, limits: QuestionLimits) -> dict[str, object]:
    proof = kernel.verify(timeout=limits.seconds / 2)
    return {"holds": bool(proof), "text": str(proof)}


_WANTED = {"kernel": _shown, "proof": _proved, "run": _run}
"""What a question may want."""
