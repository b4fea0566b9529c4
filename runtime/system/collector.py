"""The cyclic garbage collector while a kernel is made.

A kernel is some ten thousand objects, all made within milliseconds and hardly any of them garbage. The collector counts
what is made: it would run a dozen times meanwhile, and every few kernels walk through all objects of the process, which
takes a fifth of the time of a large kernel. So it runs less often until the kernel is made.

The threshold is one for all threads, and a caller may set another one at any time. Whoever raises it restores what was
there before, unless somebody else has set it meanwhile; a thread that finds it raised leaves it to the one that raised
it, and at worst has a collection more. So threads need no lock, which a fork or a finaliser might find taken.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 100_000
"""New objects until a collection: some megabytes, if all of them were garbage."""
_usual = gc.get_threshold()


@contextmanager
def seldom() -> Iterator[None]:
    """A scope in which fewer collections run, but for callers who have switched them off or made them as rare."""
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


def _restore() -> None:
    """In a child of a fork, which has no thread that would do so."""
    if gc.get_threshold()[0] == _YOUNG and _usual[0] != _YOUNG:
        gc.set_threshold(*_usual)


os.register_at_fork(after_in_child=_restore)
