"""Caches of the public functions: each maps its arguments to the kernel that it returned for them before.

A hit must give what a miss would. So arguments can be a key only if their equality covers everything that a request
reads of them, and if they are immutable: exact numbers, strings, None and enumerations, distinguished by type (1, 1.0
and True are different requests, two of them wrong). Floats of equal value are one request, and a request function must
treat them alike: 0.0 and -0.0. Tuples of strings are keys as `_Strings`, because the types of a tuple's items would not
be part of the key. Types of other libraries (np.float32) are replaced by their names. For any other argument (a list, a
subclass of str, an object with its own __eq__ or __index__), the request is read again each time. The same holds for a
function to be traced, because it may read values that have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ...encoder.deferred import is_of, lazy
from ...microkernels.dtypes import element_type
from ...microkernels.functions.accuracies import ACCURACIES
from ...microkernels.gemm.spec import PairBatch
from ...microkernels.names import chosen
from ...microkernels.operands import Leading
from . import accuracy

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

    import numpy as np

    from ..arguments import mismatch

np = lazy(None, "numpy")
mismatch = lazy(__package__, "..arguments.mismatch")

RECENT = 1024
"""The number of requests that each function remembers. Their kernels stay alive even if nobody holds them."""

forgetting: list[Callable[[], object]] = []
"""The functions that empty what keeps kernels alive which nobody holds: `forget_all`."""

P = ParamSpec("P")
T = TypeVar("T")


class CallsAlike(dict[object, T]):
    """What calls need that are like earlier ones, by a key of all that they have in common. A key that has no hash,
    such as one with a list, is never found, and None is none."""

    def __init__(self) -> None:
        super().__init__()
        forgetting.append(self.clear)

    def find(self, key: object) -> T | None:
        """Return what calls with this key need, or None."""
        try:
            return self.get(key)
        except TypeError:
            return None

    def keep(self, key: object, value: T) -> None:
        """Keep what calls with this key need."""
        if key is not None:
            if len(self) >= RECENT:
                self.clear()
            with suppress(TypeError):
                self[key] = value


_REFUSAL = (
    "{}: a kernel cannot be changed, because everyone who makes the same request may have it; make another request{}"
)
_INSTEAD = {"threads": ", or pass threads= to the call"}


def shared(make: Callable[..., T]) -> _lru_cache_wrapper[T]:
    """Return a function of arguments with hashes, whose recent results are the same objects for equal arguments."""
    found = lru_cache(maxsize=RECENT)(make)
    forgetting.append(found.cache_clear)
    return found


class Shared:
    """A base class whose public attributes are set by `_keep`. Names that begin with an underscore are internal."""

    __slots__ = ()

    def _keep(self, **values: object) -> None:
        """Set the public attributes of a new object."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError for public attributes."""
        if not name.startswith("_"):
            raise AttributeError(_REFUSAL.format(name, _INSTEAD.get(name, "")))
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError for public attributes."""
        if not name.startswith("_"):
            raise AttributeError(_REFUSAL.format(name, _INSTEAD.get(name, "")))
        object.__delattr__(self, name)


class _Strings(tuple[Any, ...]):
    """A tuple of exact strings and None."""

    __slots__ = ()


_SCALARS = (
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)
_LEAVES = frozenset({int, float, bool, str, type(None), Leading, PairBatch})
_KEYS: set[object] = {*_LEAVES, _Strings}
"""The types of keys, and those of `_scalars` once one of them is given: numpy is imported by who gives them."""


@cache
def _scalars() -> frozenset[type]:
    return frozenset(getattr(np, name) for name in _SCALARS)


def remembered(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public function with a cache keyed by all of its arguments, if they can be a key. Tracebacks of its
    errors show only the caller's frames; `cache_clear` empties the cache."""

    takes_accuracy = "accuracy" in (make.__kwdefaults__ or {})

    def checked(*given: P.args, **named: P.kwargs) -> T:
        made = make(*given, **named)
        asked = named.get("accuracy")
        if takes_accuracy and asked is not None and asked not in ACCURACIES:  # a request without functions reads none
            chosen("accuracy", asked, ACCURACIES)
        return made

    @lru_cache(maxsize=RECENT, typed=True)
    @wraps(make)
    def found(*given: Any, **named: Any) -> T:
        return checked(*map(_plain, given), **{name: _plain(value) for name, value in named.items()})

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
            return checked(*given, **named)
        except (TypeError, ValueError) as error:
            raise mismatch.explained(error, make, given, named)  # noqa: B904

    function.cache_clear = found.cache_clear  # type: ignore[attr-defined]
    forgetting.append(found.cache_clear)
    return function


def forget_all() -> None:
    """Forget the kernels of earlier requests. Those that nobody holds are freed, and made again when they are asked
    for."""
    for each in forgetting:
        each()


def _key(value: Any) -> Any:
    """Return the replacement for an argument in a key, or the argument itself."""
    if type(value) is tuple:
        if _TEXTS.issuperset(map(type, value)):
            return _strings(*value)
        parts = tuple(each if type(each) in _KEYS else _key(each) for each in value)
        return _Strings(parts) if _TEXTS.issuperset(map(type, parts)) else value
    if type(value).__module__ == "numpy" and type(value) in _scalars():
        _KEYS.update(_scalars())
        return value
    if isinstance(value, type) or is_of(value, np, "dtype") or type(value).__module__ == "torch":
        try:
            return element_type("", value)
        except (TypeError, ValueError):
            return value  # the checks of the request will name it
    return value


_TEXTS = frozenset({str, type(None)})


@lru_cache(maxsize=RECENT, typed=True)
def _strings(*each: Any) -> _Strings:
    return _Strings(each)


def _plain(value: Any) -> Any:
    return tuple(value) if type(value) is _Strings else value
