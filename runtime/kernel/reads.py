"""What a traced function reads besides its arguments, as a key: two functions of equal keys have equal traces.

The bytecode says which globals and variables of enclosing functions a function reads, and which of their attributes.
`state_of` looks up what they hold now. That is decided for functions that read numbers, strings, tuples of them, the
functions of this package, pure functions of Python, and other functions of which the same is true. For all others,
such as those that read a list or call a method, the trace itself has to be the key. `EpilogueKeys` makes the keys by
which calls of `matmul` find their kernels again.
"""

from __future__ import annotations

import builtins
import dis
import math
import struct
from collections.abc import Callable, Collection, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.expr.trace import Settled, behind_first, trace_key

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
_FUNCTIONS = tuple(f"{__name__.partition('.')[0]}.runtime.api.{name}" for name in ("functions", "fused"))
"""The modules of this package whose functions are traced."""
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


class _Read(NamedTuple):
    """A global, or a variable of an enclosing function by its number, and the attributes that are read of it."""

    name: str
    cell: int | None
    attributes: tuple[str, ...]


class _Reads:
    """What a code object reads. Each is equal only to itself, so that it stands for the code in a key."""

    __slots__ = ("code", "found")

    def __init__(self, code: CodeType) -> None:
        self.code, self.found = code, _found(code)


_reads: dict[int, _Reads] = {}  # by the identity of the code, which an entry keeps alive


def state_of(function: Callable[..., Any]) -> tuple[Any, ...] | None:
    """Return a key of all that a function reads now, or None if that cannot be known without a trace."""
    if type(function) is not FunctionType:
        return None
    try:
        return _state(function, 0)
    except _Undecided:
        return None


def _state(function: FunctionType, depth: int) -> tuple[Any, ...]:
    code = function.__code__
    reads = _reads.get(id(code))
    if reads is None:
        if len(_reads) >= _KNOWN:
            _reads.clear()
        reads = _reads[id(code)] = _Reads(code)
    if reads.found is None or depth > _DEEP or function.__dict__:  # attributes may change the signature
        raise _Undecided
    state = [reads, *[_value(_read(function, each), depth) for each in reads.found]]
    if function.__defaults__ is not None or function.__kwdefaults__ is not None:
        state.append(_value(function.__defaults__, depth))
        state.extend([(name, _value(each, depth)) for name, each in (function.__kwdefaults__ or {}).items()])
    return tuple(state)


def _found(code: CodeType) -> tuple[_Read, ...] | None:
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


def _read_of(code: CodeType, instructions: list[dis.Instruction], at: int) -> _Read:
    name = str(instructions[at].argval)
    cell = code.co_freevars.index(name) if instructions[at].opname == "LOAD_DEREF" else None
    return _Read(name, cell, tuple(_attributes(instructions, at + 1)))


def _attributes(instructions: list[dis.Instruction], at: int) -> Iterator[str]:
    """Yield the attributes that are read one of the other, beginning at an instruction."""
    while instructions[at].opname in _ATTRIBUTES:
        yield str(instructions[at].argval)
        at += 1


def _read(function: FunctionType, read: _Read) -> Any:
    """Return what a function would read now."""
    if read.cell is not None:
        cells: Any = function.__closure__
        try:
            value = cells[read.cell].cell_contents
        except ValueError:  # it has no value yet
            raise _Undecided from None
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
        return value if value.__globals__.get("__name__") in _FUNCTIONS else _state(value, depth + 1)
    if id(value) in _PURE:
        return value
    raise _Undecided


class EpilogueKeys:
    """The types with which epilogues were traced, by the types of the arrays of a call: the type of the product, and
    those of the operands by name."""

    def __init__(self) -> None:
        self.types: dict[Any, tuple[str, dict[str, str]]] = {}

    def keep_types(self, given: Any, epilogue: Settled, operands: Collection[str]) -> None:
        """Remember the types with which an epilogue was traced in a call with arrays of such types, if it was."""
        if len(epilogue.traced) == 1:
            names = behind_first(epilogue, operands)  # the first one is that of the product
            if len(self.types) >= _ARRANGEMENTS:
                self.types = {}
            types = [each if isinstance(each, str) else each[1] for each in next(iter(epilogue.traced))]
            self.types[given] = types[0], dict(zip(names[1:], types[1:]))

    def key(self, given: Any, epilogue: Callable[..., Any], operands: Collection[str]) -> Any:
        """Return a key of what a function computes: what it reads or, if that cannot be known, its trace. It is None if
        the types for a trace are not known yet."""
        state = state_of(epilogue)
        if state is None and given in self.types and callable(epilogue):
            return trace_key(epilogue, operands, *self.types[given])
        return state

    def forget(self) -> None:
        """Drop all types."""
        self.types = {}
