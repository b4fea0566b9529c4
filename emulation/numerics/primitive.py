"""Functions of arithmetic that arrays of another kind than numpy's may take as one operation."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def primitive(function: Function) -> Function:
    """`function`; an argument that has `apply_primitive` computes it: symbolic elements make one node of it."""

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        for each in given:
            if type(each) is not np.ndarray and hasattr(each, "apply_primitive"):
                return each.apply_primitive(function, (*given, *named.values()))
        return function(*given, **named)

    return called  # type: ignore[return-value]


def known(elements: Any) -> bool:
    """Whether all elements are numbers, none of them symbolic."""
    return type(elements) is np.ndarray or elements.concrete() is not None


def possible(condition: Any) -> bool:
    """Whether a condition holds of any element; of symbolic elements, which do not say, that it may. For callers whose
    way for elements of which it holds is right for all others too."""
    may = getattr(condition, "may_hold", None)
    return bool(condition.any()) if may is None else bool(may())
