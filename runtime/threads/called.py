"""Let machine code handle the calls of objects whose code is a job, such as products of any size and networks.

The entry of a kernel with the same parameters checks the arguments, finds the number of threads, and takes scratch
memory. It then calls `called_code`'s function with the record of the object.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...encoder.records import NamedTuple
from ..cache.stubs import Symbol
from ..fastcall import entry, guards
from ..memory.executable import publish_for_good
from ..memory.linked import placed
from ..system.libc import ffi
from . import called_code, policy
from .barrier import barrier, claim
from .called_code import JobTable
from .layout import CLAIMS, WEIGHED
from .pool import pool, refusal

if TYPE_CHECKING:
    from ...encoder.features import Target


class Called(NamedTuple):
    """A job and what its calls need.

    job      its address, which the slow path keeps alive
    cycles   its estimated time on one thread
    workers  the number of threads; None: as many as `policy.num_threads` says at the call
    shared   bytes of scratch memory that the workers share
    own      bytes of scratch memory for each worker
    slots    the address of the slots that have scratch memory
    number   how many slots there are
    table    where the job's table has its operands and its scratch memory
    inner    the distance of each inner result from the beginning of the scratch memory
    parts    how many parts several workers claim one after the other; 0: each worker has a fixed share
    """

    job: int
    cycles: int
    workers: int | None
    shared: int
    own: int
    slots: int
    number: int
    table: JobTable
    inner: tuple[int, ...] = ()
    parts: int = 0

    @property
    def scratch(self) -> bool:
        """Whether the job has scratch memory."""
        return bool(self.shared or self.own)


def install(
    target: Any,
    found: tuple[guards.CallEntry, Sequence[int]] | None,
    called: Called,
    host: Target,
    slow: Callable[..., Any],
) -> bool:
    """Let calls of an object of a native type go through machine code, and return whether this process and the request
    allow it. `found` are the structure and the constants of a kernel's calls, `slow` is the call through Python."""
    native = entry.native_of(target)
    if native is None or found is None or refusal() or found[0].batched:
        return False
    structure, values = found[0], [*found[1]]
    region = CLAIMS if called.parts else WEIGHED
    values[guards.FUNCTION] = _function(called.table, called.scratch, region)
    number = called.parts or called.cycles
    record = entry.constants_of([called.job, number, called.shared, *barrier(host), claim(host), *called.inner])
    code = entry.code_of(extended(structure, len(values), called), native)
    words = policy.words() if called.workers is None else called.workers
    constants = entry.constants_of(
        [*values, words, int(ffi.cast("intptr_t", record)), called.cycles, called.slots, called.shared, called.own]
    )
    slow.constants = constants, record  # type: ignore[attr-defined]  # keeps them alive
    native.install(target, code, constants, slow)
    return True


def inner(base: type, let: Callable[[Any, Callable[..., Any]], bool]) -> Any:
    """Return an object of the native type of `base` whose calls machine code handles, or None. `let(object, slow)` lets
    it, and returns whether it does. A call that machine code refuses returns NotImplemented, and the checks in Python
    then say what is wrong."""

    def refused(*_: Any, **__: Any) -> Any:
        return NotImplemented

    native = entry.native_type(base)
    made: Any = object.__new__(native.type) if native else None
    return made if native and let(made, refused) else None


def extended(structure: guards.CallEntry, first: int, called: Called) -> guards.CallEntry:
    """Return the structure of calls of `called_code`'s function. The constants from `first` on are the number of
    threads or the words that hold it, the record, the cycles, the slots, and the two sizes."""
    threads = (
        guards.Threads("workers", first, first + 2)
        if called.workers is None
        else guards.ConstantValue("workers", first)
    )
    added: list[guards.Guard] = [guards.ConstantValue("record", first + 1), threads]
    names = ["workers", "record"]
    if called.scratch:
        added.append(guards.ScratchSlot("scratch", "slot", "workers", first + 3, called.number, first + 4, first + 5))
        names += ["scratch", "slot"]
    return structure._replace(guards=(*structure.guards, *added), parameters=(*structure.parameters, *names))


@functools.cache
def _function(table: JobTable, scratch: bool, region: str) -> int:
    """Return the address of `called_code`'s function for jobs with this table."""
    function = pool().claims if region == CLAIMS else pool().weighed
    return placed(
        publish_for_good,
        "threads_called",
        lambda m: called_code.emit(m, Symbol(region), table, scratch),
        {region: function},
        f"{table} {scratch} {region}",
    )
