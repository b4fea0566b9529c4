"""Calls through Python: every argument checked, every error explained, arrays of other libraries converted.

The first call that machine code does not take imports this, so that a process whose calls it takes does without.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ..arguments import keywords
from ..arguments.others import returned
from ..arguments.signature import output_names
from .foreign import plain_arrays
from .guards import Entry

if TYPE_CHECKING:
    from ..arguments.arrays import Made


class Kind(Protocol):
    """What a kind of kernels knows of its calls."""

    @property
    def call(self) -> Callable[[Any], Any]:
        """What checks and converts the arguments of a request's calls."""

    @property
    def signature(self) -> Callable[[Any], inspect.Signature]:
        """The arguments by name."""


def placed(kind: Kind, spec: Any, args: tuple[Any, ...], named: dict[str, Any]
           ) -> tuple[tuple[Any, ...], dict[str, Any], Any]:  # fmt: skip
    """Arguments in their places, other keywords, and what was given as out=."""
    return keywords.placed(kind.signature(spec), output_names(spec), args, named) if named else (args, named, None)


def result(made: Made, out: Any, given: tuple[Any, ...]) -> Any:
    """What a call returns: out= as it was given, a new array as the arguments' library has it, or nothing."""
    if out is not None:
        return out
    return made if made is None else returned(made, given)


def checked(kind: Kind, spec: Any, function: Callable[..., None]) -> Callable[..., Any]:
    """The call of the C function."""
    call = kind.call(spec)

    def run(*args: Any, **leading: Any) -> Any:
        args, leading, out = placed(kind, spec, args, leading)
        given = args
        made, args = call.with_output(args)
        integers, keep = call(*args, **leading)
        function(*integers)
        del keep
        return result(made, out, given)

    return run


def converted(inner: Callable[..., Made], entry: Entry, args: tuple[Any, ...]) -> tuple[Any] | None:
    """What the same call gives with plain arrays; None where there is nothing to convert, or what cannot be."""
    arrays = plain_arrays(args, entry.numbers)
    return None if arrays is None else (result(inner(*arrays), None, args),)
