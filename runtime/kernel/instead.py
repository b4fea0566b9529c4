"""Another function in the place of a kernel's: with its parameters, called with its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..fastcall import entry
from ..fastcall.guards import FUNCTION
from .callable import Kernel, release


def cycles_of(kernel: Kernel) -> float:
    """The planner's estimate of a call, or of one of the products where a call has several."""
    return kernel._origin.pair_cycles


def instead(kernel: Kernel, address: int, slow: Callable[..., Any], keep: object) -> Callable[..., Any] | None:
    """An object that is called as the kernel is, with the same checks by machine code, and runs the function at
    `address`; None where calls of kernels go through Python. `slow` computes what the checks do not let pass, and
    `keep` stays alive with the object."""
    native = entry.native_of(kernel)
    found = native and kernel.kind.entry(kernel.spec, *release(kernel))
    if native is None or found is None:
        return None
    structure, values = found
    values[FUNCTION] = address
    constants = entry.constants_of(values)

    def checked(*args: Any, **named: Any) -> Any:
        return slow(*args, **named)

    checked.keep = keep, constants  # type: ignore[attr-defined]
    made: Callable[..., Any] = object.__new__(native.type)
    native.install(made, entry.code_of(structure, native), constants, checked)
    return made
