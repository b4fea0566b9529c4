"""What a public function remembers: the kernel of arguments that it was given before, by these arguments.

A hit must be what a miss would be. So arguments are a key only where their equality tells all that a request reads of
them, and where nothing can change them: exact numbers, strings, None and the enumerations, told apart by their types
(1, 1.0 and True are different requests, two of them wrong). Floats of one value are one request, which a request
function must make so: 0.0 and -0.0. Tuples of strings are keys as `_Strings`, since the types of what lies in a tuple
would be no part of the key, and types of other libraries (np.float32) as their names here. Whatever else an argument is
(a list, a subclass of str, an object with an __eq__ or an __index__ of its own) leaves the request to be read anew; so
does a function that is to be traced, as it may read what has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ...encoder.deferred import deferred
from ...microkernels.dtypes import element_type
from ...microkernels.gemm.spec import Batch
from ...microkernels.operands import Leading
from ..arguments.tracebacks import shortened
from . import accuracy

RECENT = 1024
"""Requests of each function that are remembered, and whose kernels stay alive though nobody holds them."""

P = ParamSpec("P")
T = TypeVar("T")


@deferred
def _program() -> type:
    from ...microkernels.expr.program import Program

    return Program


class _Strings(tuple[Any, ...]):
    """A tuple of exact strings and None."""

    __slots__ = ()


_SCALARS = ("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
            "float64")  # fmt: skip
_LEAVES = frozenset({int, float, bool, str, type(None), Leading, Batch})
_KEYS = _LEAVES | {_Strings, *(getattr(np, name) for name in _SCALARS)}


def remembered(make: Callable[P, T]) -> Callable[P, T]:
    """A public function with a cache by all of its arguments, where they are a key. Its errors have a traceback of the
    caller's frames alone; `cache_clear` forgets everything."""

    @lru_cache(maxsize=RECENT, typed=True)
    @wraps(make)
    def found(*given: Any, **named: Any) -> T:
        return make(*map(_plain, given), **{name: _plain(value) for name, value in named.items()})

    takes_accuracy = "accuracy" in (make.__kwdefaults__ or {})

    @wraps(make)
    def function(*given: P.args, **named: P.kwargs) -> T:
        if takes_accuracy and named.get("accuracy") is None and named.get("algorithm") is None:
            named["accuracy"] = accuracy.of_process or accuracy.default_accuracy()  # a part of the key
        try:
            if _KEYS.issuperset(map(type, given)) and _KEYS.issuperset(map(type, named.values())):
                return found(*given, **named)  # type: ignore[arg-type]  # all are keys
            keys = [each if type(each) in _KEYS else _key(each) for each in given]
            names = {name: each if type(each) in _KEYS else _key(each) for name, each in named.items()}
            if _KEYS.issuperset(map(type, keys)) and _KEYS.issuperset(map(type, names.values())):
                return found(*keys, **names)
            return make(*given, **named)
        except (TypeError, ValueError) as error:
            raise shortened(error)  # noqa: B904

    function.cache_clear = found.cache_clear  # type: ignore[attr-defined]
    return function


def _key(value: Any) -> Any:
    """What stands for an argument in a key, if anything can; else the argument."""
    if type(value) is tuple:
        try:
            return _strings(*value)
        except TypeError:
            parts = tuple(each if type(each) in _KEYS else _key(each) for each in value)
            return _Strings(parts) if _TEXTS.issuperset(map(type, parts)) else value
    if isinstance(value, (type, np.dtype)) or type(value).__module__ == "torch":
        try:
            return element_type("", value)
        except (TypeError, ValueError):
            return value  # the checks will name it
    return value


_TEXTS = frozenset({str, type(None)})


@lru_cache(maxsize=RECENT, typed=True)
def _strings(*each: Any) -> _Strings:
    if not _TEXTS.issuperset(map(type, each)):
        raise TypeError("not strings alone")
    return _Strings(each)


def _plain(value: Any) -> Any:
    return tuple(value) if type(value) is _Strings else value


def exact(spec: T) -> T:
    """The spec with exact numbers and strings in it, so that equal specs are the same request: mostly itself.

    A subclass of str (numpy's, an enumeration's) becomes the string. TypeError for what has an equality of its own.
    """
    kind = type(spec)
    if kind in _LEAVES or (kind.__name__ == "Program" and kind is _program()):
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
