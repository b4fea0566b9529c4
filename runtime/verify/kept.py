"""What a kernel must leave besides the values of its results: the memory it may write, and the caller's registers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emulation.symbolic.machine import Done
from ...encoder.features import Target
from .operands import Call
from .proof import Claim, Refutation


def memory(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    for region in (each for each in call.regions if each.writable):
        unwritten = np.argwhere((done.memory.held(region, "writer") < 0).any(axis=-1))
        kept = getattr(spec, "beta", 0) != 0 or getattr(spec, "verb", "") == "scatter"
        kept |= any(each.table == region.name for each in getattr(spec, "scattered", ()))
        if len(unwritten) and not kept:  # otherwise an element that is not written is compared with its old value
            text = f"refuted: {region.name}{unwritten[0].tolist()} is never written"
            return Claim("memory", False, text), Refutation(text, None, True)
        read = done.memory.held(region, "read")
        if getattr(spec, "beta", 1) == 0 and (read >= 0).any() and _early(done, region):
            return Claim("memory", False, f"{region.name} is read although beta is 0"), None
    reads = sum(region.array.size for region in call.regions if not region.writable)
    how = f"every access lies inside its operand, every byte of the result is written; {reads} elements may be read"
    return Claim("memory", True, how), None


def _early(done: Done, region: Any) -> bool:
    """Whether the result depends on what C held before the call. Reading back the kernel's own results is harmless."""
    roots = done.table.nodes_of(done.memory.held(region)).reshape(-1).tolist()
    names = [name for name in done.memory.inputs if name.partition("[")[0] == region.name.partition("[")[0]]
    return any((done.table.leaf(node) or ("", "", 0))[1] in names for node in done.table.below(roots))


def frame(code: bytes, target: Target, spec: Any, call: Call, done: Done) -> tuple[Claim, Refutation | None]:
    if done.lost:
        text = f"refuted: the code returns without restoring {', '.join(done.lost)}"
        return Claim("frame", False, ", ".join(done.lost)), Refutation(text, None, True)
    if done.warnings:
        text = f"refuted: the code returns without clearing the {', the '.join(done.warnings)}"
        return Claim("frame", False, f"not cleared at the return: {', '.join(done.warnings)}"), Refutation(
            text, None, True
        )
    return Claim("frame", True, "callee-saved registers, stack pointer, return address, control registers"), None
