"""Calls through machine code: a type whose objects CPython calls through an emitted function.

An object of such a type holds three words after its Python slots: the vectorcall function (NULL: the class's own
__call__), the slow path (a Python function, which the garbage collector sees) and a pointer to constants. The emitted
function checks the arguments against the constants and runs the kernel. Everything else goes to the slow path, so
errors, keywords and conversions are ordinary Python. docs/call-path.md has the whole story.

    native = native_type(Kernel)          None if calls go through Python: refusal() says why
    kernel = object.__new__(native.type)
    native.install(kernel, code, constants, slow)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ..host.detect import host
from ..memory.executable import publish_for_good
from ..memory.linked import Symbol, placed
from ..scalar.native import MACHINES
from ..scalar.native import scalar_machine as scalar_machine
from ..system import cpython
from ..system.architecture import arch
from ..system.cpython import symbol
from ..system.environment import ENTRY, calls_through_python, tells_tools
from ..system.libc import ffi
from .guards import CallEntry, Runtime

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ..debug import profilers
    from ..scalar.machine import Scalar
    from . import copied_indices, dispatch_code, entry_code

profilers = lazy(__package__, "..debug.profilers")
copied_indices = lazy(__package__, ".copied_indices")
entry_code = lazy(__package__, ".entry_code")
dispatch_code = lazy(__package__, ".dispatch_code")

# CPython: Include/typeslots.h, Include/structmember.h, Include/object.h
_TP_MEMBERS = 72
_T_OBJECT_EX, _T_PYSSIZET, _READONLY = 16, 19, 1
_SLOW = "_slow"
_HAVE_VECTORCALL, _DEFAULT = 1 << 11, 1 << 18

_native_types: dict[type, NativeType] = {}


class NativeType(NamedTuple):
    """A type made by `native_type`, and the offsets at which its objects keep the three words."""

    type: type
    vectorcall: int
    slow: int
    constants: int

    def install(self, target: object, code: int, constants: Any, slow: Callable[..., Any]) -> None:
        """Let `target` be called through the entry at `code`. It is an object of this type that nobody calls yet.

        `constants` is cdata that `slow` must keep alive, like everything else that the entry uses.
        """
        if type(target) is not self.type or not isinstance(slow, FunctionType):
            raise TypeError(f"an object of {self.type!r} and a plain function, not {type(target)!r} and {slow!r}")
        with_gil(symbol("Py_IncRef"), id(slow))
        words = ffi.cast("uintptr_t *", id(target) + self.vectorcall)  # the three words are adjacent
        words[1], words[2] = id(slow), _address(constants)
        words[0] = code


def refusal() -> str:
    """Return why calls go through Python; empty if they go through machine code."""
    if arch() not in MACHINES:
        return f"no entries are emitted for {arch()}"
    return f"{ENTRY}=cffi" if calls_through_python() else cpython.difference() or _unusable()


def native_type(base: type) -> NativeType | None:
    """Return the subtype of `base` whose objects are called through machine code, or None."""
    return None if refusal() else _native_type(base)


def native_of(target: object) -> NativeType | None:
    """Return how an object is called through machine code, or None if Python calls it. Later changes of the environment
    do not matter, because the object was made with the three words or without them."""
    return _native_types.get(type(target))


def refusing(target: Any) -> Any:
    """Return an object that is called through the same machine code as `target`, or None if Python calls that. A call
    whose arguments the machine code does not take returns NotImplemented, so that every error is one that was raised
    while the call ran, which its caller must see."""
    native = native_of(target)
    code = cpython.word(id(target) + native.vectorcall) if native else 0
    if native is None or not code:
        return None

    def refuse(*_: Any, **__: Any) -> Any:
        return NotImplemented

    kept: list[Any] = []  # the slow path of `target`, which keeps what the machine code uses
    with_gil(symbol("PyList_Append"), id(kept), cpython.word(id(target) + native.slow))
    refuse.keep = kept  # type: ignore[attr-defined]
    made: Any = object.__new__(native.type)
    native.install(made, code, ffi.cast("void *", cpython.word(id(target) + native.constants)), refuse)
    return made


@functools.cache
def _native_type(base: type) -> NativeType:
    size: int = base.__basicsize__
    offsets = size, size + 8, size + 16
    name = ffi.new("char[]", f"{base.__module__}.{base.__qualname__}".encode())
    members = _table(("__vectorcalloffset__", _T_PYSSIZET, _READONLY, offsets[0]), (_SLOW, _T_OBJECT_EX, 0, offsets[1]))
    slots = ffi.new("uintptr_t[]", [_TP_MEMBERS, _address(members), 0, 0])
    sizes = (size + 24) | 0 << 32  # tp_basicsize, tp_itemsize
    spec = ffi.new("uintptr_t[]", [_address(name), sizes, _DEFAULT | _HAVE_VECTORCALL, _address(slots)])
    bases, found = (base,), []  # type: ignore[var-annotated]
    made = with_gil(symbol("PyType_FromSpecWithBases"), _address(spec), id(bases))
    keep(name, members, slots, spec)
    if not made:
        raise RuntimeError(f"CPython refuses to make a callable type of {base.__qualname__}")
    with_gil(symbol("PyList_Append"), id(found), made)
    with_gil(symbol("Py_DecRef"), made)
    delattr(found[0], _SLOW)  # the collector keeps the member, but programs cannot reach it
    found[0].__doc__ = vars(base)["__doc__"]  # the only attribute that a type does not inherit
    native = _native_types[found[0]] = NativeType(found[0], *offsets)
    return native


def _table(*members: tuple[str, int, int, int]) -> Any:
    """Return an array of PyMemberDef: name, type, offset, flags, documentation."""
    words = []
    for name, kind, flags, offset in members:
        text = ffi.new("char[]", name.encode())
        keep(text)
        words += [_address(text), kind, offset, flags, 0]
    return ffi.new("uintptr_t[]", [*words, 0, 0, 0, 0, 0])


def _address(data: Any) -> int:
    return int(ffi.cast("uintptr_t", data))


# Emitted functions, which are never freed


def with_gil(function: int, *arguments: int) -> int:
    """Call a function of the C API with up to three arguments. cffi's own calls would not hold the GIL.

    A Python error that it sets is dropped; look at the result.
    """
    result: int = gil_function()(function, *arguments, *[0] * (3 - len(arguments)))
    return result


@functools.cache
def gil_function() -> Callable[..., int]:
    """Return the function f(function, x, y, z) that calls a function of the C API while it holds the GIL."""
    addresses = {name: symbol(name) for name in _GIL}
    address = placed(publish_for_good, "with_gil", lambda m: with_gil_code(m, Symbol), addresses)
    function: Callable[..., int] = ffi.cast("intptr_t(*)(intptr_t, intptr_t, intptr_t, intptr_t)", address)
    return function


_GIL = ("PyGILState_Ensure", "PyErr_Clear", "PyGILState_Release")


def with_gil_code(m: Scalar, symbol: Callable[[str], int] = symbol) -> Code:
    """Emit intptr_t with_gil(function, x, y, z), which returns the function's result."""
    function, *given, state = m.kept
    m.begin("with_gil")
    m.open(0, m.kept)
    for register, argument in zip(m.kept, m.arguments[:4]):
        m.move(register, argument)
    m.call(symbol("PyGILState_Ensure"))
    m.move(state, m.result)
    for argument, register in zip(m.arguments, given):
        m.move(argument, register)
    m.call(function)
    m.move(function, m.result)
    m.call(symbol("PyErr_Clear"))
    m.move(m.arguments[0], state)
    m.call(symbol("PyGILState_Release"))
    m.move(m.result, function)
    m.close()
    m.ret()
    code: Code = m.asm.finish("ts_with_gil")
    return code


@functools.cache
def code_of(entry: CallEntry, native: NativeType) -> int:
    """Return the address of the entry of this structure. It is emitted or found in the cache once, and never freed."""
    addresses = _runtime(native)
    if entry.indices is not None:
        addresses = addresses._replace(copies=copied_indices_function())
    if entry.dtype is not None:
        keep(entry.dtype)
        addresses = addresses._replace(dtype=id(entry.dtype))
    return _named("entry", addresses, lambda runtime, m: entry_code.emit(entry, runtime, m), repr(entry))


@functools.cache
def copied_indices_function() -> int:
    """Return the address of the function that copies and checks the indices of a call: see `copied_indices`."""
    addresses = {name: symbol(name) for name in ("PyMem_RawMalloc", "PyMem_RawFree")}
    return placed(
        publish_for_good,
        "copied_indices",
        lambda m: copied_indices.emit(m, *map(Symbol, addresses)),
        addresses,
        available=host().features,
    )


@functools.cache
def finder(native: NativeType, axes: tuple[int, ...], output: bool = False) -> int:
    """Return the address of the function that finds a handle's kernel: see `dispatch_code`. With an output, the handle
    has kernels of `refusing`."""
    addresses = _runtime(native)._replace(refused=id(NotImplemented)) if output else _runtime(native)
    return _named(
        "finder",
        addresses,
        lambda runtime, m: dispatch_code.emit(runtime, m, axes, output),
        f"{axes}{' output' if output else ''}",
    )


def _named(name: str, addresses: Runtime, emit: Callable[[Runtime, Scalar], Code], structure: str) -> int:
    """Place code that was emitted with names instead of addresses."""
    found = addresses._asdict()
    offsets = {"slow": found.pop("slow"), "constants": found.pop("constants")}
    known = {each: address for each, address in found.items() if address}
    runtime = addresses._replace(**{each: Symbol(each) for each in known})
    return placed(
        publish_for_good,
        name,
        lambda m: emit(runtime, m),
        known,
        f"{offsets} {sorted(known)} {structure}",
        host().features,
    )


def _runtime(native: NativeType) -> Runtime:
    return Runtime(
        slow=native.slow,
        constants=native.constants,
        vectorcall=vectorcall(),
        none=id(None),
        save_thread=symbol("PyEval_SaveThread"),
        restore_thread=symbol("PyEval_RestoreThread"),
        inc_ref=symbol("Py_IncRef"),
        dec_ref=symbol("Py_DecRef"),
        empty=cpython.empty_array_function(with_gil),
        allocate=symbol("PyMem_RawMalloc"),
        free=symbol("PyMem_RawFree"),
        foreign=_address(foreign_word()),
    )


@functools.cache
def foreign_word() -> Any:
    """Return a pointer to the address of the code for calls that entries cannot handle (`dlpack_code`), or to 0."""
    word = ffi.new("uintptr_t[1]")
    keep(word)
    return word


def stay(code: Code) -> int:
    """Publish code that is never freed."""
    address = publish_for_good(code.data)
    if tells_tools():
        profilers.announce(code, address)
    return address


def keep(*values: Any) -> None:
    """Keep these objects alive forever, because machine code or CPython points to them. Their reference is never
    released: a list of them would be destroyed when the interpreter ends, but kernels may be called even later."""
    for value in values:
        with_gil(symbol("Py_IncRef"), id(value))


def vectorcall() -> int:
    """Return the function that calls a Python function. CPython 3.10 exports only the second one; the slow path is
    always a function."""
    return symbol("PyObject_Vectorcall") or symbol("_PyFunction_Vectorcall")


def constants_of(values: Sequence[int]) -> Any:
    """Return constants in memory, as cdata that owns it."""
    return ffi.new("int64_t[]", list(values))


# Check that all of this works in this process


class _EntryProbe:
    """The smallest object that can be called through an entry."""

    __slots__ = ("__weakref__",)


@functools.cache
def _unusable() -> str:
    """Return why machine-code calls cannot be used; empty if a type can be made, and its objects are called correctly
    and release what they hold."""
    needed = (
        "PyGILState_Ensure",
        "PyGILState_Release",
        "PyErr_Clear",
        "PyType_FromSpecWithBases",
        "PyList_Append",
        "Py_IncRef",
        "Py_DecRef",
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
        "PyMem_RawMalloc",
        "PyMem_RawFree",
    )
    missing = [name for name in needed if not symbol(name)]
    if missing or not vectorcall():
        return f"this process exports no {', '.join(missing) or 'PyObject_Vectorcall'}"
    native = _native_type(_EntryProbe)
    flags = native.type.__flags__
    if not flags & _HAVE_VECTORCALL or native.type.__basicsize__ != native.constants + 8:
        return "CPython lays out types made at run time differently"
    return ""
