"""Arrays between guard pages: a kernel that touches a byte outside its operand faults or leaves a trace.

    @pytest.mark.parametrize("side", SIDES)
    def test_copy(side):
        x = guarded(source, side, writable=False)       # any write to x faults
        y = guarded(np.zeros_like(source), side)
        kernel(x, y)
        check_canary(y)

One array can touch only one guard exactly, so tests run both sides:

    side="start"    [ no access |ELEMENTS canary | no access ]     reads and writes below the first byte fault
    side="end"      [ no access | canary ELEMENTS| no access ]     reads and writes past the last byte fault

ELEMENTS is the byte extent of the view, from its first to its last touched byte: the padding of the last row of a
leading-dimension view is already behind the guard. On the other side, and in gaps between elements, `check_canary` sees
stray writes; stray reads give NaN in every float type of 16 to 64 bits.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..system import libc

Array = np.ndarray[Any, Any]

SIDES = ("start", "end")

PAGE = os.sysconf("SC_PAGESIZE")
GUARD = 1 << 20  # costs no memory; as wide as this, so that a step of a whole row or block does not jump over it
CANARY = np.array([0xF5, 0xFF], np.uint8)  # repeated it is a NaN; stray stores may write zeros or ones
TIMEOUT = 60  # seconds that a forked child may take


def guarded(array: Array, side: str = "end", writable: bool = True) -> Array:
    """Return a copy of `array`, with its shape, strides and dtype, whose first or last byte touches a guard page.

    At the end side, the address is aligned like the length of the extent: to the element and no more. With
    writable=False the elements are on read-only pages. The pages are freed with the last view of the result.
    """
    if side not in SIDES:
        raise ValueError(f"guarded: side={side!r} is neither 'start' nor 'end'")
    if not isinstance(array, np.ndarray):
        raise TypeError(f"guarded: a numpy array, not {type(array).__name__}")
    if array.dtype.hasobject:
        raise TypeError(f"guarded: elements of {array.dtype} are references; only plain data can be moved")
    pages = _Pages(array, side)
    pages.view(array.dtype)[...] = array
    if writable:
        return pages.view(array.dtype)
    pages.protect()
    return pages.view(array.dtype)


def guarded_pair(array: Array, writable: bool = True) -> tuple[Array, Array]:
    """Return `array` with a guard at its start, and with one at its end."""
    return guarded(array, "start", writable), guarded(array, "end", writable)


def check_canary(array: Array) -> None:
    """Fail if a byte next to the elements, or in a gap between them, changed. `array` is guarded, or a view of a
    guarded one."""
    pages = _pages_of(array)
    strays = np.flatnonzero((pages.body != pages.canary()) & ~pages.elements())
    if strays.size:
        places = ", ".join(pages.place(int(stray)) for stray in strays[:8])
        more = f" and {strays.size - 8} more" if strays.size > 8 else ""
        raise AssertionError(f"stray bytes written ({strays.size}): {places}{more}")


def address(array: Array) -> int:
    """Return the address of the first element (index 0 on every axis)."""
    return int(array.__array_interface__["data"][0])


def run_forked(function: Callable[[], object], timeout: int = TIMEOUT) -> int:
    """Run `function` in a forked child. Return 0 if it returned, 1 if it raised, -signal if that killed it (-SIGSEGV).

    After `timeout` seconds SIGALRM kills the child. With 0 the function sets its own alarms, for instance one per case.
    Its writes to memory are lost with the child: assert inside `function`, or on the returned status.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # The child runs only `function`, so it does not matter that the parent's other threads are missing there.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)  # by JAX
        child = os.fork()
    if not child:
        _run_and_exit(function, timeout)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _run_and_exit(function: Callable[[], object], timeout: int) -> NoReturn:
    """Run the function and exit. This never returns: no code of the test runner above this frame may run twice."""
    status = 1
    try:
        faulthandler.disable()  # faults here are mostly deliberate: no dump, no core
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(timeout)
        function()
        status = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


class _Pages:
    """A mapping `guard | body | guard` with the extent of one view at one side of its body and canaries elsewhere."""

    def __init__(self, like: Array, side: str) -> None:
        self.shape: tuple[int, ...] = like.shape
        self.strides: tuple[int, ...] = like.strides
        self.itemsize = like.itemsize
        below, above = _reach(like)
        extent = below + above
        self.body_size = _whole_pages(extent)
        self.first = below if side == "start" else self.body_size - above
        guard = _whole_pages(max(extent, GUARD))
        self.size = self.body_size + 2 * guard
        flags = libc.MAP_PRIVATE | libc.MAP_ANONYMOUS | libc.MAP_NORESERVE
        self.base = libc.mmap(0, self.size, libc.PROT_NONE, flags, -1, 0)
        self.address = self.base + guard
        self._allow(libc.PROT_READ | libc.PROT_WRITE)
        self.writable = True
        self.body[:] = self.canary()

    def __del__(self, munmap: Callable[..., int] = libc.munmap) -> None:
        if hasattr(self, "base"):
            munmap(self.base, self.size)

    def protect(self) -> None:
        self._allow(libc.PROT_READ)
        self.writable = False

    def _allow(self, rights: int) -> None:
        if self.body_size:  # for zero bytes Linux does nothing, and qemu returns an error
            libc.mprotect(self.address, self.body_size, rights)

    @property
    def __array_interface__(self) -> dict[str, object]:
        # Arrays made from this hold `self` as their base, so the pages live as long as any view of them.
        data = (self.address, not self.writable)
        return {"version": 3, "shape": (self.body_size,), "typestr": "|u1", "data": data}

    @property
    def body(self) -> Array:
        return np.asarray(self)

    def view(self, dtype: np.dtype[Any]) -> Array:
        elements: Array = np.ndarray(self.shape, dtype, self.body, self.first, self.strides)
        return elements

    def canary(self) -> Array:
        return np.tile(CANARY, self.body_size // 2)

    def elements(self) -> Array:
        """Return a mask of the bytes of the body that belong to an element."""
        mask = np.zeros(self.body_size, bool)
        np.ndarray((*self.shape, self.itemsize), bool, mask, self.first, (*self.strides, 1))[...] = True
        return mask

    def place(self, offset: int) -> str:
        """Describe byte `offset` of the body in terms of the user's array."""
        owned = np.flatnonzero(self.elements())
        if not owned.size:
            return "beside the empty array"
        if offset < owned[0]:
            return f"{owned[0] - offset} bytes before the first element"
        if offset > owned[-1]:
            return f"{offset - owned[-1]} bytes past the last element"
        return f"in the gap at byte {offset - self.first} from element 0"


def _pages_of(array: Array) -> _Pages:
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, _Pages):
        raise TypeError("check_canary: this array was not made by guarded(), nor is it a view of one that was")
    return base


def _reach(array: Array) -> tuple[int, int]:
    """Return the bytes that the view touches below and above the address of element 0; strides may be negative."""
    if not array.size:
        return 0, 0
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    return -sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + array.itemsize


def _whole_pages(size: int) -> int:
    return -(-size // PAGE) * PAGE
