"""Locks that keep a fork from interrupting another thread's work.

A forked child has only the forking thread. A lock that another thread held stays locked in the child for ever, and a
module that another thread was importing is never finished. Any code in the child that needs either waits for ever.
Therefore the code that makes kernels holds no locks but those below and imports late modules through `lazy`, and a
fork waits until no other thread holds any of these locks. That takes at most as long as one import.

A thread that holds one of the locks takes only locks that follow it in `_ORDER`. A fork takes them in that order too,
so no two threads can wait for each other. The locks are reentrant, because a signal handler or a finaliser that
interrupts the holder may fork. No module-level statement uses a module of `lazy`: otherwise one thread would take
Python's import lock of a module before ours, and another thread after ours. The one exception is a part of `import
tilesmith` itself (runtime/api/at_once.py), before whose end no other thread can use one.
"""

from __future__ import annotations

import os
from _thread import RLock  # as threading has it, which takes longer to import than this package

ANNOUNCING = RLock()
"""Held while the files and lists of profilers and debuggers are written."""
IMPORTING = RLock()
"""Held while a module of `lazy` is imported."""
MAKING = RLock()
"""Held while a node of an expression is made."""

_ORDER = (ANNOUNCING, IMPORTING, MAKING)

for _lock in reversed(_ORDER):  # before a fork, the functions are called in reverse order of registration
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
