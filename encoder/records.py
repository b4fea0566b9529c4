"""Replacements for `dataclass`, `NamedTuple` and `cached_property` of the standard library, and `seldom`.

The classes here are made in a tenth (`dataclass`) and a fifth (`NamedTuple`) of the standard library's time. `seldom`
is a scope in which the garbage collector runs less often, for code that makes thousands of objects.

The standard library compiles six methods of each frozen class while its module is imported, which takes half a
millisecond. For each named tuple it compiles one method and checks the fields one by one, which takes a tenth of a
millisecond. A process makes objects of only a few of the classes that it imports. Here the standard library still
collects the fields of dataclasses, so that its functions (`fields`, `replace` and others) accept the objects. Methods
are closures over the fields, or shared by all named tuples, and none is compiled. Therefore `inspect.signature` of a
class does not show its fields.

Order, slots and InitVar of dataclasses are not supported, nor is renaming of named tuples: no class of the project uses
them.
"""

from __future__ import annotations

import dataclasses
import gc
import os
from collections import _tuplegetter  # type: ignore[attr-defined]
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

_PARAMETERS = "__dataclass_params__"
_T = TypeVar("_T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(kind: type | None = None, /, *, frozen: bool = False, eq: bool = True, kw_only: bool = False) -> Any:
        """Return the class with fields and methods."""
        if kind is None:
            return lambda kind: dataclass(kind, frozen=frozen, eq=eq, kw_only=kw_only)
        hashes = vars(kind).get("__hash__") is not None
        _collect(kind, frozen, kw_only)
        fields = dataclasses.fields(kind)
        methods: dict[str, Any] = {"__init__": _init(kind), "__repr__": _repr(fields)}
        if eq:
            compared = _values([each.name for each in fields if each.compare])
            hashed = _values([each.name for each in fields if (each.compare if each.hash is None else each.hash)])
            methods["__eq__"] = _eq(compared)
            if not hashes:
                kind.__hash__ = _hash(hashed) if frozen else None
        if frozen:
            names = frozenset(each.name for each in fields)
            methods |= {
                "__setattr__": _refusing(kind, "assign to", names, "__setattr__"),
                "__delattr__": _refusing(kind, "delete", names, "__delattr__"),
            }
        for name, method in methods.items():
            if name not in vars(kind):
                method.__qualname__, method.__module__ = f"{kind.__qualname__}.{name}", kind.__module__
                setattr(kind, name, method)
        return kind


def _collect(kind: Any, frozen: bool, kw_only: bool) -> None:
    """Let the standard library collect the fields. It accepts frozen bases only for frozen classes, for which it
    compiles methods. Therefore the bases count as not frozen in the meantime."""
    parents = [vars(base)[_PARAMETERS] for base in kind.__mro__[1:] if _PARAMETERS in vars(base)]
    if any(each.frozen != frozen for each in parents):
        raise TypeError(f"{kind.__name__}: frozen classes inherit from frozen ones, others from others")
    for each in parents:
        each.frozen = False
    # The standard library spends most of its time searching textual annotations for ClassVar by regular expressions.
    annotated: dict[str, Any] = vars(kind).get("__annotations__", {})
    kind.__annotations__ = {
        name: object if type(each) is str and "ClassVar" not in each else each for name, each in annotated.items()
    }
    try:
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(kind)
    finally:
        kind.__annotations__ = annotated
        for each in parents:
            each.frozen = frozen
    for name, made in vars(kind)["__dataclass_fields__"].items():
        if name in annotated:
            made.type = annotated[name]
    vars(kind)[_PARAMETERS].frozen = frozen


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that returns an object's fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple([getattr(record, name) for name in names])


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _repr(fields: tuple[dataclasses.Field[Any], ...]) -> Callable[[Any], str]:
    names = [each.name for each in fields if each.repr]

    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return __repr__


def _refusing(kind: type, verb: str, names: frozenset[str], method: str) -> Callable[..., None]:
    """Return the method that refuses to set or delete the fields of a frozen object."""

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot {verb} field {name!r}")
        getattr(super(kind, self), method)(name, *value)

    return refuse


def _init(kind: Any) -> Callable[..., None]:
    """Return `__init__`. It fills the object's `__dict__`, so that frozen objects take values too, and calls
    `__post_init__` at the end if the class has one."""
    made, missing = dataclasses.fields(kind), dataclasses.MISSING
    order = [each.name for each in made if each.init and not each.kw_only]
    keywords = [each.name for each in made if each.init and each.kw_only]
    names = frozenset([*order, *keywords])
    defaults = {each.name: each.default for each in made if each.init and each.default is not missing}
    factories = {each.name: each.default_factory for each in made if each.default_factory is not missing}
    required = names - defaults.keys() - factories.keys()
    finishes = hasattr(kind, "__post_init__")
    every = len(order) if not keywords and not finishes and factories.keys() <= names else -1

    def __init__(self: Any, /, *given: Any, **named: Any) -> None:
        if len(given) == every and not named:
            vars(self).update(zip(order, given))
            return
        values = dict(zip(order, given))
        once = len(given) <= len(order) and values.keys().isdisjoint(named)
        values.update(named)
        if not once or not required <= values.keys() <= names:
            _refuse(f"{kind.__qualname__}.__init__", "self", order, keywords, names - required, (self, *given), named)
        own = vars(self)
        own.update(defaults)
        own.update(values)
        for name in factories.keys() - values.keys():
            own[name] = factories[name]()
        if finishes:
            self.__post_init__()

    return __init__


def _refuse(
    name: str,
    first: str,
    order: Sequence[str],
    keywords: Sequence[str],
    optional: Collection[str],
    given: tuple[Any, ...],
    named: dict[str, Any],
) -> NoReturn:
    """Raise the TypeError of a function with these parameters that is called with these arguments."""
    known: dict[str, Any] = {}
    separated = [first, *order, *(["*", *keywords] if keywords else [])]
    head = ", ".join([f"{each}=None" if each in optional else each for each in separated])
    exec(f"def refusing({head}): pass", known)
    known["refusing"].__qualname__ = name
    known["refusing"](*given, **named)
    raise AssertionError("arguments that the function takes")


# Named tuples


class _Named(tuple[Any, ...]):
    """The methods of all named tuples."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    _shown = ""  # the format of the fields, for `repr`
    _field_defaults: dict[str, Any] = {}

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        """Return the tuple of these values."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **named: Any) -> Any:
        """Return the tuple with other values of these fields."""
        made = tuple.__new__(type(self), map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"Got unexpected field names: {list(named)!r}")
        return made

    def _asdict(self) -> dict[str, Any]:
        """Return the values by name."""
        return dict(zip(self._fields, self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._shown % self})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


class _NamedMeta(type):
    """Makes the class of a statement that names NamedTuple. The made class has an ordinary metaclass."""

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        """Return a tuple class whose fields are the annotated names, in order."""
        if bases == (_Named,):  # the class `_Statement` below
            return super().__new__(cls, name, bases, space)
        names = tuple(space.get("__annotations__", ()))
        defaults = {each: space.pop(each) for each in names if each in space}
        if list(defaults) != list(names[len(names) - len(defaults) :]):
            raise TypeError(f"{name}: fields without a default stand before those with one")
        space |= {
            "__slots__": (),
            "__match_args__": names,
            "_fields": names,
            "_field_defaults": defaults,
            "_shown": ", ".join([f"{each}=%r" for each in names]),
            "__new__": _new(space["__qualname__"], names, defaults),
            **{each: _getter(place) for place, each in enumerate(names)},
        }
        return type(name, tuple(_Named if base is _Statement else base for base in bases), space)


@cache
def _getter(place: int) -> Any:
    """Return the property of a field, shared by all classes."""
    return _tuplegetter(place, f"Alias for field number {place}")


new = tuple.__new__
"""`new(Kind, (every, value))` makes a named tuple in a third of the time of `Kind(every, value)`, without its checks.
It is for classes of which a kernel makes thousands."""


class _Statement(_Named, metaclass=_NamedMeta):
    """Replaces NamedTuple while a class statement is executed."""

    __slots__ = ()


def _new(name: str, fields: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., Any]:
    """Return `__new__`, which takes all values in order, or some by name or default."""
    make, count, ends = tuple.__new__, len(fields), tuple(defaults.values())

    def __new__(cls: Any, /, *given: Any, **named: Any) -> Any:
        if len(given) == count and not named:
            return make(cls, given)
        if count - len(ends) <= len(given) < count and not named:
            return make(cls, given + ends[len(given) - count :])
        rest, values = fields[len(given) :], {**defaults, **named}
        if len(given) > count or not named.keys() <= {*rest} <= values.keys():
            _refuse(f"{name}.__new__", "_cls", fields, (), defaults, (cls, *given), named)
        return make(cls, (*given, *[values[name] for name in rest]))

    return __new__


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class NamedTuple:
        """The base that class statements name."""

        def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
            return (_Statement,)

    NamedTuple = NamedTuple()


# Properties


class cached_property(Generic[_T]):
    """A property that is computed when it is first read, then kept in the object's `__dict__`.

    Up to Python 3.11, functools.cached_property holds a lock while it computes. This property has no lock: if several
    threads compute it at the same time, all get the value of the first to finish.
    """

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[_T]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _T: ...

    def __get__(self, instance: object, owner: type | None = None) -> cached_property[_T] | _T:
        if instance is None:
            return self
        value: _T = vars(instance).setdefault(self._name, self._compute(instance))
        return value


# Garbage

_YOUNG = 100_000
"""New objects until a collection: some megabytes, if all of them are garbage."""
_usual: tuple[int, int, int] | None = None
"""The threshold that a thread has raised and will restore."""


@contextmanager
def seldom() -> Iterator[None]:
    """A scope in which the garbage collector runs less often, unless the caller has disabled it or made it as rare.

    `import tilesmith` creates some ten thousand objects, and so does a kernel. They are made within milliseconds, and
    hardly any of them is garbage. A dozen collections in that time, some of all objects of the process, would take a
    tenth of the import and a fifth of the time of a large kernel.

    The threshold is shared by all threads, and callers may set it at any time. A thread that raises it restores the
    former value, unless another thread has set it in the meantime. A thread that finds it raised leaves the restoring
    to the thread that raised it, and at worst has one collection more. So threads need no lock, which a fork or a
    finaliser might find taken.
    """
    global _usual
    before = gc.get_threshold()
    raised = _YOUNG, *before[1:]
    if not 0 < before[0] < _YOUNG:
        yield
        return
    _usual = before
    gc.set_threshold(*raised)
    try:
        yield
    finally:
        if gc.get_threshold() == raised:
            gc.set_threshold(*before)
        if _usual is before:
            _usual = None


def _collect_as_usual() -> None:
    """Restore a raised threshold in a forked child, which has no other thread to do so. A program may have set the same
    threshold itself; its children keep it."""
    if _usual is not None and gc.get_threshold()[0] == _YOUNG:
        gc.set_threshold(*_usual)


os.register_at_fork(after_in_child=_collect_as_usual)


# Records as text: the keys of kernels in the cache on disk, and the requests in a folder of frozen kernels. The text is
# a Python literal: classes by their names, fields in order, floats in hexadecimal. Equal records give equal texts,
# different ones different texts. runtime/kernel/texts.py, which knows the classes, reads them.

FLOAT, SET, ENUMERATION = "float", "set", "enum"


def text_of(value: Any) -> str:
    """Return the text of a spec, a target, or one of their fields. Raises TypeError for any other value."""
    return repr(_data(value))


def _data(value: Any) -> Any:
    kind: Any = type(value)
    if value is None or kind in (str, int, bool):
        return value
    if kind is float:
        return {FLOAT: value.hex()}
    if kind is tuple:
        return [_data(each) for each in value]
    if kind is frozenset:
        return {SET: sorted(value)}
    if isinstance(value, Enum):
        return {ENUMERATION: f"{kind.__name__}.{value.name}"}
    return {kind.__name__: [_data(getattr(value, name)) for name in _names(kind)]}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass or of a named tuple, or what else a class says to be made of."""
    if dataclasses.is_dataclass(kind):
        return tuple(each.name for each in dataclasses.fields(kind))
    if hasattr(kind, "_fields"):
        return tuple(kind._fields)
    raise TypeError(f"request: numbers, strings and None, no {kind.__name__}")
