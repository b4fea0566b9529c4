"""Imports that are executed on first use, so that `import tilesmith` and the first kernel load only what they need.

    @deferred
    def _decoder() -> ModuleType:
        from .x86 import decode

        return decode

The function imports one module and returns it or a name from it, so that editors and type checkers can follow the name.
This is the only way in which modules of the project import inside a function. `tests/test_architecture.py` enforces
that, and counts these imports as edges of the layering like all others.

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
from functools import _CacheInfo, _lru_cache_wrapper
from importlib import import_module
from typing import Any, TypeVar

from .forks import IMPORTING

T = TypeVar("T")


def deferred(load: Callable[[], T]) -> Callable[[], T]:
    """Return `load` wrapped so that it is called once, under the lock that a fork waits for (forks.py)."""
    found: list[T] = []

    def import_once() -> None:
        with IMPORTING:
            if not found:  # otherwise another thread has imported it in the meantime
                found.append(load())

    def loaded() -> T:
        uninterrupted(import_once)
        return found[0]

    # functools.cache without its copying of attributes, which would take 4 us for each of some hundred functions at
    # start
    once: Any = _lru_cache_wrapper(loaded, None, False, _CacheInfo)  # type: ignore[call-arg]
    once.__module__, once.__name__, once.__qualname__ = load.__module__, load.__name__, load.__qualname__
    once.__doc__ = load.__doc__
    return once  # type: ignore[no-any-return]


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
    return any(callable(each) and not (type(each) is type(usual) and each.__name__ == usual.__name__)
               for each in handlers)  # fmt: skip


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
    hints: module of the package whose `missing(name)` ends the error for another name
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in modules:
            hint = "" if name.startswith("_") else import_module(f"{package}.{hints}").missing(name)
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
