"""Let machine code handle the calls of objects whose code is a job, such as products of any size.

The entry of a kernel with the parameters a, b and c checks the arguments. It then calls `called_code`'s function with
the job and the number of threads, which are among the constants of the object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..fastcall import entry, guards
from . import policy
from .called_code import OPERANDS
from .pool import pool, refusal


def install(target: Any, found: tuple[guards.Entry, Sequence[int]] | None, job: int, cycles: int, workers: int | None,
            slow: Callable[..., Any]) -> bool:  # fmt: skip
    """Let calls of an object of a native type go through machine code, and return whether this process and the request
    allow it.

    found    the structure and the constants of a kernel's calls, or None
    job      the address of the job, which `slow` keeps alive
    cycles   the time of one thread
    workers  the number of threads; None: as many as `policy.num_threads` says at the call
    slow     the call through Python
    """
    native = entry.native_of(target)
    if native is None or found is None or refusal():
        return False
    structure, values = found
    if len(structure.parameters) != OPERANDS or structure.batched:
        return False
    values = [*values, policy.words() if workers is None else workers, job, cycles]
    values[guards.FUNCTION] = pool().called
    code = entry.code_of(extended(structure, len(values) - 3, workers is None), native)
    constants = entry.constants_of(values)
    slow.constants = constants  # type: ignore[attr-defined]  # keeps them alive
    native.install(target, code, constants, slow)
    return True


def extended(structure: guards.Entry, first: int, asks: bool) -> guards.Entry:
    """Return the structure of calls of `called`. The constants from `first` are the number of threads, or the words
    that hold it if each call `asks`, then the job and its cycles."""
    count = guards.Threads("workers", first, first + 2) if asks else guards.Number("workers", first)
    more = guards.Number("job", first + 1), guards.Number("cycles", first + 2), count
    return structure._replace(guards=(*structure.guards, *more),
                              parameters=(*structure.parameters, "workers", "job", "cycles"))  # fmt: skip
