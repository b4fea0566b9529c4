"""A product that is wrong, shown on small numbers: the emulator executes the bytes, numpy computes the definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.cpu import execute
from ...microkernels.dtypes import DTYPES
from . import refutation
from .operands import Call
from .proof import Refutation

Array = np.ndarray[Any, Any]
Pairs = Callable[[str], list[tuple[str, str]]]
_TRIES = 4
_FAR = 1 / 64
"""Of the sum of magnitudes: no order of sums, and no type's rounding of a result, errs by so much on small numbers."""


def shown(code: bytes, target: Any, spec: Any, call: Call, pairs: Pairs,
          unpacked: Callable[[Any, Array, int], Array]) -> Refutation | None:  # fmt: skip
    """A refutation by an element that the emulator computes wrong; None where it finds none."""
    arrays = {each.name: each.array for each in call.regions}
    outputs = [each.name for each in call.regions if each.writable]
    for seed in range(_TRIES):
        rng = np.random.default_rng(seed)
        for array in call.arrays:
            low = 0 if array.dtype.kind == "u" else -3
            array[...] = rng.integers(low, 3, array.shape, endpoint=True).astype(array.dtype)
        before = {name: arrays[name].astype(np.float64) for name in outputs}
        try:
            execute(code, target, call.integers, call.everything)
        except Fault as fault:
            return refutation.of_fault(fault)
        except RuntimeError:  # what the calling convention wants was lost, which another claim says
            continue
        for name in outputs:
            wanted, size = _defined(spec, arrays, before[name], pairs(name), unpacked)
            with np.errstate(all="ignore"):  # numbers of another type than the code's
                held = arrays[name].astype(np.float64)
            far = ~(np.abs(held - wanted) <= _FAR * size) if DTYPES[spec.dtypes[2]].real else held != wanted
            if far.any():
                place = tuple(int(at) for at in np.argwhere(far)[0])
                where = f"{name}[{', '.join(map(str, place))}]"
                return Refutation(
                    f"refuted: {where} becomes {held[place]:g} but should be {wanted[place]:g}\n  confirmed in the "
                    f"emulator on small numbers, seed {seed}, {int(far.sum())} elements of {far.size} are wrong",
                    None, True)  # fmt: skip
    return None


def _defined(spec: Any, arrays: dict[str, Array], c: Array, pairs: list[tuple[str, str]],
             unpacked: Callable[[Any, Array, int], Array]) -> tuple[Array, Array]:  # fmt: skip
    """(beta C + alpha sum A B, the sum of the magnitudes): exact on small numbers but for alpha and beta."""
    total, size = np.zeros((spec.m, spec.n)), np.zeros((spec.m, spec.n))
    for first, second in pairs:
        a, b = (unpacked(spec, arrays[name], at).astype(np.float64) for at, name in enumerate((first, second)))
        total += a @ b.T
        size += np.abs(a) @ np.abs(b).T
    old = spec.beta * c if spec.beta else np.zeros_like(c)
    return spec.alpha * total + old, abs(spec.alpha) * size + np.abs(old)
