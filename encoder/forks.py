"""What keeps a fork from cutting another thread's work in half.

A forked child has the forking thread alone. A lock that another thread held stays locked there for good, and a module
that another thread was importing is never finished: whoever asks for either in the child waits for ever. So whatever
makes kernels holds no lock but those below, imports late modules as `deferred` does, and a fork waits until no other
thread holds any of these locks. That takes as long as one import at most.

A thread that holds one of the locks takes only such that follow it in `_ORDER`; a fork takes them in that order too, so
no two threads can wait for each other. All can be taken again by the thread that holds them, since a signal handler or
a finaliser that interrupts it may fork. No module's own statements call what is deferred: Python's lock of a module
that is being imported would come before ours in one thread, behind it in another.
"""

from __future__ import annotations

import os
from _thread import RLock  # as threading has it, which takes longer to import than this package
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

ANNOUNCING = RLock()
"""While the files and lists of profilers and debuggers are written."""
IMPORTING = RLock()
"""While a module is imported that is needed only now."""
MAKING = RLock()
"""While a node of an expression is made."""

_ORDER = (ANNOUNCING, IMPORTING, MAKING)

for _lock in reversed(_ORDER):  # the function that was registered last is called first before a fork
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


_T = TypeVar("_T")


class cached_property(Generic[_T]):
    """A property that is computed when it is first read, then lies in the object's `__dict__`.

    Up to Python 3.11 the one of functools holds a lock meanwhile. This one has none: of threads that compute it at the
    same time all get the value of the first to finish.
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
