"""Predecoded closures. A `Run` executes one instruction. This module holds the ones that both architectures share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .faults import CannotRun

Run = Callable[[], "int | None"]
"""A predecoded instruction. It returns the address of the next one, or None if execution falls through."""


def called(function: Callable[..., Any], arguments: list[Callable[[], Any]], write: Callable[[Any], None]) -> Run:
    """Return a closure of write(function(arguments)), without a loop for the usual numbers of arguments."""
    if len(arguments) == 1:
        (a,) = arguments
        return lambda: write(function(a()))
    if len(arguments) == 2:
        a, b = arguments
        return lambda: write(function(a(), b()))
    if len(arguments) == 3:
        a, b, c = arguments
        return lambda: write(function(a(), b(), c()))
    if len(arguments) == 4:
        a, b, c, d = arguments
        return lambda: write(function(a(), b(), c(), d()))
    return lambda: write(function(*[argument() for argument in arguments]))


def nothing(ctx: object) -> Run:
    """A hint, which has no effect on values."""
    return lambda: None


def undefined(ctx: object) -> Run:
    """An instruction whose purpose is to raise an exception."""

    def run() -> None:
        raise CannotRun("raises an exception: it stops in a debugger, or marks a place that must not be reached")

    return run
