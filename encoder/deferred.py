"""Imports that are executed on first use, so that `import tilesmith` and the first kernel load only what they need.

    if TYPE_CHECKING:
        from .x86 import decode

    decode = lazy(__package__, ".x86.decode")

The import is for editors, type checkers and the tests of the layering; `tests/test_architecture.py` compares it with
the name that follows. No module of the project imports inside a function. (PEP 810 has `lazy import`, from Python 3.15
on.)

A signal handler may call what is imported on first use while it interrupts that very import. In the interrupted thread
it would find modules that are half executed, and the import cannot go on before the handler returns. So if the program
has handlers of its own, the import runs in a thread of its own, which no handler interrupts, and the handler waits for
it. Other programs do without this thread, which takes some 50 us, and so does the import of the package itself.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself takes a millisecond more
import os
import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from .forks import IMPORTING


class _Lazy:
    """A module that is imported when an attribute of it is first used. From then on the names that stood for it in the
    module that asked for it are the module itself."""

    __slots__ = ("__found", "__globals", "__name", "__package")

    def __init__(self, package: str | None, name: str, names: dict[str, Any]) -> None:
        keep = object.__setattr__
        keep(self, "_Lazy__package", package)
        keep(self, "_Lazy__name", name)
        keep(self, "_Lazy__globals", names)
        keep(self, "_Lazy__found", None)

    def __import(self) -> None:
        with IMPORTING:
            object.__setattr__(self, "_Lazy__found", import_module(self.__name, self.__package))

    def __module(self) -> Any:
        if self.__found is None:
            uninterrupted(self.__import)
            for name in [name for name, each in [*self.__globals.items()] if each is self]:
                self.__globals[name] = self.__found
        return self.__found

    def __if_imported(self) -> object:
        name = self.__name.lstrip(".")
        if level := len(self.__name) - len(name):
            name = f"{(self.__package or '').rsplit('.', level - 1)[0]}.{name}"
        return self.__module() if name in sys.modules else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__module(), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__module(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__module(), name)

    def __dir__(self) -> list[str]:
        return dir(self.__module())

    def __repr__(self) -> str:
        return f"<module {self.__name!r}, imported on first use>"


def lazy(package: str | None, name: str) -> Any:
    """Return a module that is imported when it is first used.

    package: `__package__` of the module that asks, or None if the name is absolute
    name: the module's name, relative to the package: "..memory.executable"
    """
    return _Lazy(package, name, sys._getframe(1).f_globals)


def stands_for(module: ModuleType, name: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module that has the names of another one, which is imported when one of
    them is first used.

    module: of `lazy`
    name: `__name__` of the module that stands for it
    """

    def find(wanted: str) -> object:
        if wanted.startswith("_"):  # the import system and inspect ask for such names, also where a library is missing
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}", name=wanted)
        return getattr(module, wanted)

    return find, lambda: list(module.__all__)


def import_now(module: Any) -> None:
    """Import a module of `lazy`, before its first use."""
    dir(module)


def is_of(value: object, module: object, name: str) -> bool:
    """Whether a value is an instance of a class of a module of `lazy`. There is none before the module is imported,
    which this does not do."""
    if isinstance(module, _Lazy):
        module = object.__getattribute__(module, "_Lazy__if_imported")()
    return module is not None and isinstance(value, getattr(module, name))


def uninterrupted(work: Callable[[], object]) -> None:
    """Call a function that nothing but its own faults may fail, such as one that imports or that probes. It runs in
    another thread if a signal handler could interrupt it here."""
    if not _handles_signals() or IMPORTING._is_owned() or _is_imported_now():  # type: ignore[attr-defined]
        work()
        return
    ended: list[BaseException | None] = []
    done = allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            work()
            ended.append(None)
        except BaseException as error:  # raised below, in the thread that asked for the import
            ended.append(error)
        finally:
            done.release()

    _waited_for.append(done)
    try:
        start_new_thread(run, ())
        done.acquire()
    except RuntimeError:  # the interpreter ends, or the system has no thread left
        pass
    finally:
        _waited_for.remove(done)
    if not ended:  # no thread could be started, or this is a child process, which does not have it
        work()
    elif ended[0] is not None:
        raise ended[0]


_waited_for: list[Any] = []
"""The locks of threads that import, each held until its thread ends."""


def _end_waits() -> None:
    """Let a child process that was forked in a signal handler go on: it lacks the thread that it waits for."""
    for lock in _waited_for:
        if lock.locked():
            lock.release()


os.register_at_fork(after_in_child=_end_waits)


def _handles_signals() -> bool:
    """Whether the program has a signal handler in Python, besides the one that raises KeyboardInterrupt. It goes by its
    name, because a subinterpreter finds that of the main interpreter."""
    handlers = map(_signal.getsignal, _signal.valid_signals())
    usual = _signal.default_int_handler
    return any(
        callable(each) and not (type(each) is type(usual) and each.__name__ == usual.__name__) for each in handlers
    )


def _is_imported_now() -> bool:
    """Whether the whole package is being imported. Its lock is held by the thread that imports it: another thread would
    wait for that lock, and if the first thread waited for the other one, neither could go on."""
    spec = getattr(sys.modules.get(__name__.partition(".")[0]), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def attributes(
    package: str, places: Mapping[str, str], hints: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are imported on first use (PEP 562).

    places: module of the package -> the names that it defines, in one string; "" -> modules of the package itself. Only
    the public package uses this. It repeats the names as imports for type checkers and editors.
    hints: module of the package whose `missing(name, names)` ends the error for another name
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in modules:
            hint = "" if name.startswith("_") else import_module(f"{package}.{hints}").missing(name, modules)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}", name=name)
        place = f"{package}.{modules[name] or name}"

        def import_it() -> None:
            with IMPORTING:
                import_module(place)

        uninterrupted(import_it)
        value = getattr(sys.modules[place], name) if modules[name] else sys.modules[place]
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return find, names
