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

ANNOUNCING = RLock()
"""While the files and lists of profilers and debuggers are written."""
IMPORTING = RLock()
"""While a module is imported that is needed only now."""
MAKING = RLock()
"""While a node of an expression is made."""

_ORDER = (ANNOUNCING, IMPORTING, MAKING)

for _lock in reversed(_ORDER):  # the function that was registered last is called first before a fork
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
