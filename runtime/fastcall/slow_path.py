"""Calls through Python: check every argument, explain every error, convert arrays of other libraries.

This is imported by the first call that machine code cannot handle, so a process without such calls does without it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ..arguments import keywords
from ..arguments.foreign_arrays import returned
from ..arguments.signature import output_names
from .foreign import plain_arrays
from .guards import CallEntry

if TYPE_CHECKING:
    from ..arguments.arrays import Made


class KindOfCalls(Protocol):
    """The functions of a kind of kernels for its calls."""

    @property
    def call(self) -> Callable[[Any], Any]:
        """Checks and converts the arguments of a request's calls."""

    @property
    def signature(self) -> Callable[[Any], inspect.Signature]:
        """Returns the arguments by name."""


def keyword_order_of(kind: KindOfCalls, spec: Any) -> keywords.KeywordOrder:
    """Return the arguments of a kernel's calls by name."""
    return keywords.KeywordOrder(kind.signature(spec), output_names(spec))


def positional(
    kind: KindOfCalls, spec: Any, args: tuple[Any, ...], named: dict[str, Any], threads: bool = False
) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
    """Return the positional arguments, the remaining keywords, and the value of out=. `threads` says that the call also
    takes threads=, which an error then lists."""
    if not named:
        return args, named, None
    signature = kind.signature(spec)
    return keywords.placed(keywords.with_threads(signature) if threads else signature, output_names(spec), args, named)


def result(made: Made, out: Any, given: tuple[Any, ...]) -> Any:
    """Return the result of a call: out= as it was given, a new array of the arguments' library, or None."""
    if out is not None:
        return out
    return made if made is None else returned(made, given)


def checked(kind: KindOfCalls, spec: Any, function: Callable[..., None]) -> Callable[..., Any]:
    """Return a function that checks its arguments and calls the C function."""
    call = kind.call(spec)

    def run(*args: Any, **leading: Any) -> Any:
        args, leading, out = positional(kind, spec, args, leading)
        given = args
        made, args = call.with_output(args)
        integers, keep = call(*args, **leading)
        function(*integers)
        del keep
        return result(made, out, given)

    return run


class Again:
    """Makes a call once more through machine code, by `inner`: with named arguments by position, with arrays of other
    libraries as plain ones, and with new arrays for outputs that machine code does not allocate."""

    def __init__(self, inner: Callable[..., Any], entry: CallEntry, kind: KindOfCalls, spec: Any) -> None:
        self.inner, self.numbers, self.kind, self.spec = inner, entry.numbers, kind, spec

    @cached_property
    def places(self) -> keywords.KeywordOrder:
        """The arguments by name."""
        return keyword_order_of(self.kind, self.spec)

    @cached_property
    def call(self) -> Any:
        """The checks in Python, which know the shapes of outputs."""
        return self.kind.call(self.spec)

    def __call__(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any] | None:
        """Return the result in a tuple, or None if the call would be the same."""
        found = self.places.find(args, named) if named else (args, None)
        if found is None:
            return None
        args, out = found
        arrays = plain_arrays(args, self.numbers)
        if out is not None and arrays is None:
            self.inner(*args)
            return (out,)
        new, full = self.call.with_output(args if arrays is None else tuple(arrays))
        if arrays is None and new is None and not named:
            return None
        done = self.inner(*full)
        made = done if new is None else new
        return (out if out is not None else made if arrays is None else result(made, None, args),)
