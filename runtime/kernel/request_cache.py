"""What a public function remembers: the kernel of arguments that it was given before, by these arguments.

A hit must be what a miss would be. So arguments are a key only where their equality tells all that a request reads of
them, and where nothing can change them: exact numbers, strings, None and the enumerations, told apart by their types
(1, 1.0 and True are different requests, two of them wrong). Floats of one value are one request, which a request
function must make so: 0.0 and -0.0. Tuples come as `strings`, since the types of what lies in them would be no part of
the key. Whatever else an argument is (a list, a subclass of str, an object with an __eq__ or an __index__ of its own)
leaves the request to be read anew; so does a function that is to be traced, as it may read what has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from ...microkernels.expr.graph import Program
from ...microkernels.gemm.spec import Batch
from ...microkernels.operands import Leading

RECENT = 1024
"""Requests of each function that are remembered, and whose kernels stay alive though nobody holds them."""

T = TypeVar("T")


class _Strings(tuple[Any, ...]):
    """A tuple of exact strings and None."""

    __slots__ = ()


_SCALARS = ("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
            "float64")  # fmt: skip
_LEAVES = frozenset({int, float, bool, str, type(None), Leading, Batch, Program})
_KEYS = _LEAVES - {Program} | {_Strings, *(getattr(np, name) for name in _SCALARS)}


def remembered(make: Callable[..., T]) -> Callable[..., T]:
    """The function with a cache, by all of its arguments. TypeError where they are no key, or where it raises that:
    then `anew` calls it without the cache."""

    @lru_cache(maxsize=RECENT, typed=True)
    def found(*given: Any, **named: Any) -> T:
        for each in (*given, *named.values()):
            if type(each) not in _KEYS:
                raise TypeError(f"{each!r} is no key")
        return make(*map(_plain, given), **named)

    def anew(*given: Any, **named: Any) -> T:
        return make(*map(_plain, given), **named)

    found.__wrapped__ = anew
    return found


def anew(remembering: Callable[..., T]) -> Callable[..., T]:
    """The function without its cache."""
    made: Callable[..., T] = remembering.__wrapped__  # type: ignore[attr-defined]
    return made


def asked(remembering: Callable[..., T], *given: Any) -> T:
    """From the cache, or anew."""
    try:
        return remembering(*given)
    except TypeError:
        pass  # an argument is no key, or is one that the checks will name
    return anew(remembering)(*given)


def strings(value: Any) -> Any:
    """A tuple of strings and None as an argument of a remembered function, which gets the tuple; others as they are."""
    try:
        return _strings(*value)
    except TypeError:
        return value


@lru_cache(maxsize=RECENT, typed=True)
def _strings(*each: Any) -> _Strings:
    if not {str, type(None)}.issuperset(map(type, each)):
        raise TypeError("not strings alone")
    return _Strings(each)


def _plain(value: Any) -> Any:
    return tuple(value) if type(value) is _Strings else value


def exact(spec: T) -> T:
    """The spec with exact numbers and strings in it, so that equal specs are the same request: mostly itself.

    A subclass of str (numpy's, an enumeration's) becomes the string. TypeError for what has an equality of its own.
    """
    kind = type(spec)
    if kind in _LEAVES:
        return spec
    made: Any
    if isinstance(spec, str):
        made = str.__str__(spec)
        return made  # type: ignore[no-any-return]
    if isinstance(spec, tuple) and (kind is tuple or hasattr(kind, "_make")):
        if _LEAVES.issuperset(map(type, spec)):
            return spec
        made = tuple(map(exact, spec))
        if all(part is each for part, each in zip(made, spec)):
            return spec
        return made if kind is tuple else kind._make(made)  # type: ignore[attr-defined, no-any-return]
    if not is_dataclass(spec) or isinstance(spec, type):
        raise TypeError(f"request: numbers, strings and None, not {spec!r}")
    values = {each.name: getattr(spec, each.name) for each in fields(spec)}
    odd = {name: value for name, value in values.items() if type(value) not in _LEAVES}
    changed = {name: made for name, value in odd.items() if (made := exact(value)) is not value}
    return replace(spec, **changed) if changed else spec
