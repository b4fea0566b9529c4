"""Arithmetic functions that array types other than numpy's may override as a single operation."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def primitive(function: Function) -> Function:
    """Let an argument with `apply_primitive` compute the function. Symbolic elements make it one node."""

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        for each in given:
            if type(each) is not np.ndarray and hasattr(each, "apply_primitive"):
                return each.apply_primitive(function, (*given, *named.values()))
        return function(*given, **named)

    return called  # type: ignore[return-value]


def known(elements: Any) -> bool:
    """Whether all elements are numbers, that is, none is symbolic."""
    return type(elements) is np.ndarray or elements.concrete() is not None


def possible(condition: Any) -> bool:
    """Whether a condition may hold for any element; it always may for symbolic elements. The caller's code for elements
    that satisfy it must be right for all others, too."""
    may = getattr(condition, "may_hold", None)
    return bool(condition.any()) if may is None else bool(may())
