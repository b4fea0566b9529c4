"""Execute a kernel and other code on magnitudes that no proof uses, in the emulator or beside guard pages.

    beside = Magnitudes(kernel)
    beside.differing(code)      "y[0, 1] is 0 instead of 3e-30, on 1e-30 beside 1e30", or ""
    beside.faults(code)         whether it faults on this processor, with each operand at the end of a page

All numbers of a row have one sign and one magnitude, so that sums lose nothing, in any order. Each result is compared
with that of the kernel, relative to its row.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.guard import address, guarded
from tilesmith.emulation.core.faults import AbiViolation, Fault
from tilesmith.emulation.cpu import execute
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.verify.requests import every_call

Array = np.ndarray[Any, Any]
NEAR = 2.0**-6
"""The difference, relative to the largest result of a row, that tells results apart."""
_SCALES = {
    "1": (1.0, 1.0),
    "1e-9": (1e-9, 1e-9),
    "1e9": (1e9, 1e9),
    "1e-30 beside 1e30": (1e-30, 1e30),
    "1e30 beside 1e-30": (1e30, 1e-30),
    "1e-18 beside 1e-18": (1e-18, 1e-18),
    "1e-4 beside 1e4": (1e-4, 1e4),
}
_LIMIT = 200_000


class Magnitudes:
    """A kernel, and its results on each magnitude."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.call = next(iter(every_call(kernel.spec, kernel.kind)[1]))[1]
        self._wanted = {words: self._results(kernel.code, scales) for words, scales in _SCALES.items()}

    def differing(self, code: bytes) -> str:
        """Return how results of other code differ, or ""."""
        for words, scales in _SCALES.items():
            try:
                found = self._results(code, scales)
            except (Fault, AbiViolation) as error:
                return f"{error}, on {words}"
            for (name, one), (_, other) in zip(found, self._wanted[words]):
                for place, value in _apart(one, other):
                    return f"{name}{list(place)} is {value} instead of {other[place]}, on {words}"
        return ""

    def _results(self, code: bytes, scales: tuple[float, float]) -> list[tuple[str, Array]]:
        self._fill(scales)
        execute(code, self.kernel.target, self.call.integers, self.call.everything, limit=_LIMIT)
        return [(each.name, np.array(each.array)) for each in self.call.regions if each.writable]

    def _fill(self, scales: tuple[float, float]) -> None:
        """Fill the operands: even rows with the first magnitude, odd ones with the second."""
        rng = np.random.default_rng(1)
        for array in self.call.arrays:
            if array.dtype.kind in "iu":
                array[...] = rng.integers(0, 3, array.shape)
                continue
            rows = np.array(scales)[np.arange(array.shape[0]) % 2].reshape(-1, *[1] * (array.ndim - 1))
            with np.errstate(all="ignore"):
                array[...] = (rng.uniform(1, 2, array.shape) * rows).astype(array.dtype)

    def faults(self, code: bytes) -> bool:
        """Whether code faults on this processor, with every operand directly before a page that is not mapped. A kernel
        that finds operands by the addresses of others faults too."""
        self._fill((1.0, 1.0))
        held = {each.array.ctypes.data: guarded(np.ascontiguousarray(each.array)) for each in self.call.regions}
        integers = [address(held[each]) if each in held else each for each in self.call.integers]
        published, child = publish(code), os.fork()
        if child == 0:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            ffi.cast(f"void(*)({', '.join(['uint64_t'] * len(integers))})", published.address)(*integers)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV


def _apart(one: Array, other: Array) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the places where two results differ by more than a fraction of their row."""
    if one.dtype.kind in "iub":
        yield from ((tuple(place), one[tuple(place)]) for place in np.argwhere(one != other).tolist())
        return
    with np.errstate(all="ignore"):
        first, second = one.astype(np.float64), other.astype(np.float64)
        finite = np.where(np.isfinite(second), np.abs(second), 0.0)
        large = finite.max(axis=-1, keepdims=True) if finite.ndim else finite
        nan = np.isnan(first) != np.isnan(second)
        differs = nan | (~(np.abs(first - second) <= NEAR * large) & (first != second) & ~np.isnan(second))
    yield from ((tuple(place), one[tuple(place)]) for place in np.argwhere(differs).tolist())
