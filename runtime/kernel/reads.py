"""What a traced function reads besides its arguments, as a key: two functions of equal keys have equal traces.

The bytecode says which globals and variables of enclosing functions a function reads, and which of their attributes.
`state_of` looks up what they hold now. That is decided for functions that read numbers, strings, tuples of them, the
functions of this package, pure functions of Python, and other functions of which the same is true. For all others,
such as those that read a list or call a method, the trace itself has to be the key: see `Traces`.
"""

from __future__ import annotations

import builtins
import dis
import math
import struct
from collections.abc import Callable, Collection, Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.expr.trace import Settled, TracedResults, behind_first, trace_key

_LOADS = frozenset({"LOAD_CONST", "LOAD_SMALL_INT", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_ATTR", "LOAD_METHOD"})
_FAST = "LOAD_FAST", "STORE_FAST", "DELETE_FAST"
_OTHER = "LOAD_", "STORE_", "DELETE_", "IMPORT_", "MAKE_", "YIELD_", "RETURN_GENERATOR", "SETUP_"
"""Instructions that read or change what is not an argument, by the beginnings of their names; those of _LOADS and _FAST
are understood."""
_ATTRIBUTES = "LOAD_ATTR", "LOAD_METHOD"
_BUILTINS = (
    "abs",
    "bool",
    "divmod",
    "enumerate",
    "float",
    "int",
    "len",
    "max",
    "min",
    "pow",
    "range",
    "reversed",
    "round",
    "sum",
    "tuple",
    "zip",
)
_TRACED = tuple(
    f"{__name__.partition('.')[0]}.{name}"
    for name in ("runtime.api.functions", "runtime.api.fused", "microkernels.functions.", "microkernels.expr.")
)
"""The modules of this package whose functions are traced, and the folders of those that make expressions."""
_EXACT = frozenset({int, bool, str, bytes, type(None)})
_SCALARS = frozenset(
    {
        np.float16,
        np.float32,
        np.float64,
        np.int8,
        np.int16,
        np.int32,
        np.int64,
        np.uint8,
        np.uint16,
        np.uint32,
        np.uint64,
        np.bool_,
    }
)
_PURE = {
    id(each): each
    for each in (
        *(getattr(builtins, name) for name in _BUILTINS),
        *(each for each in vars(math).values() if callable(each)),
        *_SCALARS,
    )
}
"""Functions that depend on their arguments alone, by their identity: others may claim to be equal to one of them."""
_KNOWN = 4096
"""The number of code objects whose reads are kept."""
_ARRANGEMENTS = 256
"""The number of arrangements of arrays whose types are kept."""
_DEEP = 8
"""How deep functions that call each other are followed."""


class _Undecided(Exception):
    """What a function reads is not known, or may change unseen."""


class _GlobalRead(NamedTuple):
    """A global, or a variable of an enclosing function by its number, and the attributes that are read of it."""

    name: str
    cell: int | None
    attributes: tuple[str, ...]


class ReadState:
    """What a function reads, as a key: there is one object for equal ones."""


class _ObjectsRead(NamedTuple):
    """What a function read: the objects themselves, none of which can change. Another function of the same code that
    finds the same objects has the same state."""

    globals: tuple[tuple[str, Any], ...]
    attributes: tuple[tuple[ModuleType, dict[str, Any], str, Any], ...]
    cells: tuple[tuple[int, Any], ...]
    defaults: Any
    state: ReadState | None = None

    def by(self, function: FunctionType) -> bool:
        """Whether the function finds the same objects now."""
        held, attributes, cells, defaults, _ = self
        own = function.__globals__
        for name, value in held:
            if own.get(name, _MISSING) is not value:
                return False
        for module, found, name, value in attributes:
            if type(module) is not ModuleType or found.get(name, _MISSING) is not value:
                return False
        for number, value in cells:
            if _cell_contents(function, number) is not value:
                return False
        return function.__defaults__ is defaults and function.__kwdefaults__ is None and not function.__dict__


class _Reads:
    """What a code object reads. Each is equal only to itself, so that it stands for the code in a key."""

    __slots__ = ("code", "found", "last")

    def __init__(self, code: CodeType) -> None:
        self.code, self.found = code, _reads_in_code(code)
        self.last: _ObjectsRead | None = None  # what a function of this code read


_reads: dict[int, _Reads] = {}  # by the identity of the code, which an entry keeps alive
_states: dict[tuple[Any, ...], ReadState] = {}


def state_of(function: Callable[..., Any]) -> Any:
    """Return a key of all that a function reads now, or None if that cannot be known without a trace."""
    if type(function) is not FunctionType:
        return None
    reads = _reads.get(id(function.__code__))
    if reads is not None and reads.last is not None and reads.last.by(function):
        return reads.last.state
    if _is_own(function):
        return function
    reads = _reads_of(function.__code__)
    seen = _objects_read(function, reads)
    try:
        read = _state(function, 0)
    except _Undecided:
        return None
    if len(_states) >= _KNOWN:
        _states.clear()
    state = _states.setdefault(read, ReadState())
    if seen is not None and seen.by(function):  # no other thread has changed it meanwhile
        reads.last = seen._replace(state=state)
    return state


def _reads_of(code: CodeType) -> _Reads:
    reads = _reads.get(id(code))
    if reads is None:
        if len(_reads) >= _KNOWN:
            _reads.clear()
        reads = _reads[id(code)] = _Reads(code)
    return reads


def _objects_read(function: FunctionType, reads: _Reads) -> _ObjectsRead | None:
    """Return what a function reads, if all of it are objects that cannot change: globals, attributes of modules,
    variables of enclosing functions, and defaults."""
    held, attributes, cells = {}, [], []
    for name, cell, path in reads.found or ():
        if cell is None:
            value = held[name] = function.__globals__.get(name, _MISSING)
        else:
            value = _cell_contents(function, cell)
            cells.append((cell, value))
        for each in path:
            if type(value) is not ModuleType:
                return None
            attributes.append((value, value.__dict__, each, value.__dict__.get(each, _MISSING)))
            value = attributes[-1][-1]
        if not _is_fixed(value):
            return None
    if function.__kwdefaults__ is not None or not _is_fixed(function.__defaults__):
        return None
    return _ObjectsRead(tuple(held.items()), tuple(attributes), tuple(cells), function.__defaults__)


def _is_own(function: FunctionType) -> bool:
    """Whether a function is one of this package's that are traced, which always computes the same."""
    return str(function.__globals__.get("__name__")).startswith(_TRACED)


def _is_fixed(value: Any) -> bool:
    """Whether a value that `_value` has taken is the same for ever."""
    kind = type(value)
    if kind is tuple:
        return all(map(_is_fixed, value))
    if kind is FunctionType:
        return _is_own(value)
    if kind is partial:
        return not value.keywords and _is_fixed(value.func) and _is_fixed(value.args)
    return value is not _MISSING and (kind in _EXACT or kind is float or kind in _SCALARS or id(value) in _PURE)


def _cell_contents(function: FunctionType, cell: int) -> Any:
    """Return what a variable of an enclosing function holds."""
    cells: Any = function.__closure__
    try:
        return cells[cell].cell_contents
    except ValueError:  # it has no value yet
        return _MISSING


def _state(function: FunctionType, depth: int) -> tuple[Any, ...]:
    reads = _reads_of(function.__code__)
    if reads.found is None or depth > _DEEP or function.__dict__:  # attributes may change the signature
        raise _Undecided
    state = [reads, *[_value(_read(function, each), depth) for each in reads.found]]
    if function.__defaults__ is not None or function.__kwdefaults__ is not None:
        state.append(_value(function.__defaults__, depth))
        state.extend([(name, _value(each, depth)) for name, each in (function.__kwdefaults__ or {}).items()])
    return tuple(state)


def _reads_in_code(code: CodeType) -> tuple[_GlobalRead, ...] | None:
    """Return what a code object reads, each once, or None if it does more than read."""
    instructions = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    for each in instructions:
        known = each.opname in _LOADS or each.opname.startswith(_FAST)
        if each.opname.startswith(_OTHER) and not known:
            return None
    names = [each.opname for each in instructions]
    return tuple(
        dict.fromkeys(
            _read_of(code, instructions, at) for at, name in enumerate(names) if name in ("LOAD_GLOBAL", "LOAD_DEREF")
        )
    )


def _read_of(code: CodeType, instructions: list[dis.Instruction], at: int) -> _GlobalRead:
    name = str(instructions[at].argval)
    cell = code.co_freevars.index(name) if instructions[at].opname == "LOAD_DEREF" else None
    return _GlobalRead(name, cell, tuple(_attributes(instructions, at + 1)))


def _attributes(instructions: list[dis.Instruction], at: int) -> Iterator[str]:
    """Yield the attributes that are read one of the other, beginning at an instruction."""
    while instructions[at].opname in _ATTRIBUTES:
        yield str(instructions[at].argval)
        at += 1


def _read(function: FunctionType, read: _GlobalRead) -> Any:
    """Return what a function would read now."""
    if read.cell is not None:
        value = _cell_contents(function, read.cell)
    else:
        reader: Any = function
        place, others = reader.__globals__, reader.__builtins__
        value = place[read.name] if read.name in place else others.get(read.name, _MISSING)
    for name in read.attributes:
        value = _attribute(value, name)
    return value


_MISSING = object()
_PACKAGE = __name__.partition(".")[0]


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute that lies in the dictionary of a module or object, where no code runs when it is read. The
    method that appends to a list always returns None: a function that notes its calls has the same trace each time."""
    kind: Any = type(value)
    if kind is list and name == "append":
        return name
    if kind is not ModuleType and (
        kind.__getattribute__ is not object.__getattribute__ or any(name in each.__dict__ for each in kind.__mro__)
    ):
        raise _Undecided
    held = getattr(value, "__dict__", None)
    if type(held) is dict and kind is ModuleType and held.get("__name__") == _PACKAGE and name not in held:
        return getattr(value, name, _MISSING)  # a public name, imported at its first use, which is this one
    if type(held) is not dict or name not in held:
        raise _Undecided
    return held[name]


def _value(value: Any, depth: int) -> Any:
    """Return a key of a value, which cannot change unseen."""
    kind = type(value)
    if kind in _EXACT:
        return kind, value
    if kind is float:
        return kind, struct.pack("d", value)  # 0.0 and -0.0 are different, a NaN is equal to itself
    if kind in _SCALARS:
        return kind, value.tobytes()
    if kind is tuple:
        return tuple([_value(each, depth) for each in value])
    if kind is FunctionType:
        return value if _is_own(value) else _state(value, depth + 1)
    if kind is partial and not value.keywords:
        return kind, _value(value.func, depth), _value(value.args, depth)
    if id(value) in _PURE:
        return value
    raise _Undecided


class Traces:
    """The types with which epilogues were traced, by the types of the arrays of a call: the type of the product, and
    those of the operands by name."""

    def __init__(self) -> None:
        self.types: dict[Any, tuple[str, dict[str, str]]] = {}

    def keep(self, given: Any, epilogue: Settled, operands: Collection[str]) -> None:
        """Remember the types with which an epilogue was traced in a call with arrays of such types, if it was."""
        if len(epilogue.traced) == 1:
            names = behind_first(epilogue, operands)  # the first one is that of the product
            if len(self.types) >= _ARRANGEMENTS:
                self.types = {}
            types = [each if isinstance(each, str) else each[1] for each in next(iter(epilogue.traced))]
            key = (given, *operands)
            self.types[key] = types[0], dict(zip(names[1:], types[1:]))

    def key(self, given: Any, epilogue: Callable[..., Any], operands: Collection[str]) -> TracedResults | None:
        """Return the trace of an epilogue, a key of what it computes. It is None before `keep` was told the types."""
        types = self.types.get((given, *operands))
        return trace_key(epilogue, operands, *types) if types is not None and callable(epilogue) else None

    def forget(self) -> None:
        """Drop all types."""
        self.types = {}
