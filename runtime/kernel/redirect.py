"""Call another function in place of a kernel's: it has the same parameters and gets the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..fastcall import entry
from ..fastcall.guards import FUNCTION
from ..system.torch_compile import leave_trace
from .callable import Kernel, release


def cycles_of(kernel: Kernel) -> float:
    """Return the planner's estimate of the cycles per call, or per product if a call computes several."""
    return kernel._origin.pair_cycles


def redirected(kernel: Kernel, address: int, slow: Callable[..., Any], keep: object) -> Callable[..., Any] | None:
    """Return an object that is called like the kernel, with the same checks by machine code, and runs the function at
    `address`. Return None if calls of kernels go through Python. `slow` handles calls that the checks do not accept.
    `keep` stays alive as long as the object."""
    native = entry.native_of(kernel)
    found = native and kernel.kind.entry(kernel.spec, *release(kernel))
    if native is None or found is None:
        return None
    structure, values = found
    values[FUNCTION] = address
    constants = entry.constants_of(values)

    def checked(*args: Any, **named: Any) -> Any:
        leave_trace()
        return slow(*args, **named)

    checked.keep = keep, constants  # type: ignore[attr-defined]
    made: Callable[..., Any] = object.__new__(native.type)
    native.install(made, entry.code_of(structure, native), constants, checked)
    return made
