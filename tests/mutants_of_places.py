"""Measure how strong the checker of plans is: mutants of where right plans place intermediate values.

    python -m tests.mutants_of_places --seed 1 --count 200

A mutant moves a band onto another one or by some bytes, lets a band begin before its predecessor ends, or takes bytes
from scratch memory between two users. Its code is executed by the emulator: if a result differs from the right plan's,
or an access leaves scratch memory, the mutant is wrong, and `runtime/verify/places` must refuse its plan. The others
are told apart: those that it refuses too, and those that change nothing that is read. The exit status is 1 if a wrong
mutant was not refused.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

import tilesmith as ts
from tests.kernel_runs import planned_kernel
from tilesmith.emulation.core.faults import Fault
from tilesmith.microkernels.attention.plan import AttentionPlan
from tilesmith.microkernels.chain.plan import ChainPlan
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.indexed.plan import IndexedPlan
from tilesmith.microkernels.rowwise.plan import RowwisePlan
from tilesmith.microkernels.rowwise.walks_plan import WalksPlan
from tilesmith.microkernels.sweeps.bands import BandedPlan
from tilesmith.microkernels.sweeps.phases import PhasedPlan
from tilesmith.microkernels.sweeps.plan import SweepPlan
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.verify.places.check import overwritten

Array = np.ndarray[Any, Any]
R = ts.RUNTIME


def _layers(x: Any, w0: Any, w1: Any, w2: Any) -> Any:
    s = ts.relu(x @ w0)
    t = ts.tanh(s @ w1) * s
    return (t @ w2 + t) * ts.sum(s, axis=1), t - s


def _gathered(x: Any, i: Any, w0: Any, w1: Any) -> Any:
    s = ts.gather(x, i)
    return s @ w0 + (s + s) @ w1


def _hidden(x: Any, w: Any, v: Any) -> Any:
    return ts.relu(x @ w) @ v + x


def _normed(x: Any, z: Any) -> Any:
    d = x - ts.mean(x, axis=0)
    s = ts.mean(d * d, axis=0)
    return d * z / ts.sqrt(s + 1.0) + ts.max(abs(d), axis=0), ts.sum(d * s, axis=0)


def _both(x: Any) -> Any:
    d = x - ts.mean(x, axis=0)
    return d * ts.sum(d * d, axis=1) + ts.max(d, axis=1)


def _rows_by_index(x: Any, i: Any, z: Any) -> Any:
    s = ts.gather(x, i) + z
    return s - ts.mean(s, axis=0)


def _square(n: int, *names: str) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(names, (n, n))


_TABLE = {"x": "bf16", "i": "i64", "w0": "f32", "w1": "f32"}
CASES: dict[str, Callable[[], ts.Kernel]] = {
    "layers": lambda: ts.equation(_layers, x=(11, 20), **_square(20, "w0", "w1", "w2"), target="avx2"),
    "layers f64": lambda: ts.equation(_layers, x=(5, 9), dtype="f64", **_square(9, "w0", "w1", "w2"), target="avx512"),
    "layers of any rows": lambda: ts.equation(_layers, x=(R, 20), **_square(20, "w0", "w1", "w2"), target="avx2"),
    "gathered": lambda: ts.equation(_gathered, x=(9, 18), i=(6,), dtype=_TABLE, out="f32", compute="f32",
                                    **_square(18, "w0", "w1"), target="avx2"),
    "gathered, checked": lambda: ts.equation(_gathered, x=(9, 18), i=(6,), dtype=_TABLE, out="f32", compute="f32",
                                             bounds="kernel", **_square(18, "w0", "w1"), target="avx2"),
    "hidden": lambda: ts.equation(_hidden, x=(70, 12), w=(12, 700), v=(700, 12), target="avx512"),
    "sweeps": lambda: ts.equation(_normed, x=(6, 40), z=(1, 40), target="avx2"),
    "sweeps of any rows": lambda: ts.equation(_normed, x=(R, 40), z=(1, 40), target="avx512"),
    "bands": lambda: ts.equation(_normed, x=(3, 9000), z=(1, 9000), dtype="f64", target="avx512"),
    "phases": lambda: ts.equation(_both, x=(3, 9000), dtype="f64", target="avx512"),
    "rows by an index": lambda: ts.equation(_rows_by_index, x=(7, 33), i=(5,), z=(1, 33), bounds="kernel",
                                            dtype={"x": "f32", "i": "i64", "z": "f32"}, target="avx2"),
    "attention": lambda: ts.attention(2, 20, 24, 8, target="avx2"),
    "attention, causal": lambda: ts.attention(1, 37, 37, 8, causal=True, target="avx512"),
    "attention, masked": lambda: ts.attention(1, 20, 24, 8, dtype="bf16", mask="full", target="avx512_bf16"),
    "attention, converting": lambda: ts.attention(1, 20, 24, 8, dtype="bf16", target="avx2"),
    "attention of few": lambda: ts.attention(1, 1, 40, 64, dtype="bf16", target="avx512"),
    "attention on tiles": lambda: ts.attention(1, 40, 64, 32, dtype="bf16", target="amx"),
    "gradients of attention": lambda: ts.attention_inv(1, 20, 24, 8, target="avx2"),
    "gradients of attention, causal": lambda: ts.attention_inv(1, 37, 37, 8, causal=True, target="avx512"),
    "gradients of attention in pairs": lambda: ts.attention_inv(1, 20, 24, 8, dtype="bf16", target="avx512_bf16"),
}  # fmt: skip


class Case:
    """A kernel, the inputs of a call, and the results of its right plan."""

    def __init__(self, name: str) -> None:
        self.kernel = CASES[name]()
        self.plan, self.emit = self.kernel.plan, self.kernel.kind.pipeline().emitter(self.kernel.plan)
        rng, self.given = np.random.default_rng(1), list[Array]()
        rows = 9 if "any rows" in name else 0
        banded = getattr(self.kernel.spec, "banded", ()) if rows else ()
        for each in self.kernel.spec.operands:
            shape = (rows if each.name in banded else each.rows, each.columns)
            if each.output:
                continue
            shape = shape if len(each.shape) == 2 else each.shape
            if each.dtype == "i64":
                self.given.append(rng.integers(0, 6, shape[0]))
            elif each.name == "lse":
                self.given.append(np.full(each.shape, 3.0, numpy_dtype(each.dtype)))
            else:
                made = rng.standard_normal(shape) / 3
                self.given.append(made.astype(ml_dtypes.bfloat16 if each.dtype == "bf16" else numpy_dtype(each.dtype)))
        self.wanted = self.results(self.kernel)

    def results(self, kernel: ts.Kernel) -> bytes:
        """Return the bytes of all results of a call that the emulator executes."""
        found = kernel.run(*self.given)
        every = found if isinstance(found, tuple) else (found,)
        return b"".join(np.ascontiguousarray(each).tobytes() for each in every)

    def wrong(self, plan: Any) -> bool | None:
        """Whether the code of a plan gives other results; None if there is no such code."""
        try:
            kernel = planned_kernel(self.kernel.spec, self.kernel.target, plan, self.emit)
        except (UnsupportedError, AssertionError):
            return None
        try:
            return self.results(kernel) != self.wanted
        except Fault:
            return True


def mutants(plan: Any, random: Random) -> Iterator[tuple[str, Any]]:
    """Yield mutants of a plan, each with a description, without an end."""
    while True:
        made = _mutant(plan, random)
        if made is not None:
            yield made


def _moved(offsets: dict[str, int], end: int, random: Random) -> tuple[str, dict[str, int]] | None:
    """Move one of some places: onto another one, by some bytes, or together with all later ones."""
    name, *others = random.sample(sorted(offsets), len(offsets))
    at, by = offsets[name], random.choice([8, 16, 64, 128, 256, -8, -16, -64, -128, -256])
    how = random.randrange(3)
    if how == 0 and others:
        other = random.choice(others)
        made, text = offsets | {name: offsets[other]}, f"{name} onto {other}"
    elif how == 1:
        made, text = offsets | {name: at + by}, f"{name} by {by} bytes"
    else:
        made = {each: place - abs(by) if place >= at else place for each, place in offsets.items()}
        text = f"{name} and all after it by -{abs(by)} bytes"
    if made == offsets or min(made.values()) < 0 or max(made.values()) >= end:
        return None
    return text, made


def _mutant(plan: Any, random: Random) -> tuple[str, Any] | None:
    if isinstance(plan, ChainPlan):
        found = _moved({name: place.offset for name, place in plan.places}, 1 << 20, random)
        if found is None:
            return None
        places = tuple((name, place._replace(offset=found[1][name])) for name, place in plan.places)
        return found[0], replace(plan, places=places)
    if isinstance(plan, AttentionPlan):
        every = plan.places._asdict()
        sizes = {name: after - at for (name, at), after in zip(every.items(), [*list(every.values())[1:], 0])}
        live = {name: at for name, at in every.items() if name != "end" and sizes[name] > 0}
        found = _moved(live, plan.places.end, random)
        if found is None or any(found[1][name] + sizes[name] > plan.places.end for name in live):
            return None
        moved = dict(found[1])
        if every.get("powers") == every["scores"]:
            moved["powers"] = moved["scores"] = moved.get("scores", every["scores"])
        return found[0], replace(plan, places=plan.places._replace(**moved))
    if isinstance(plan, (SweepPlan, WalksPlan)):
        if plan.room >= 64 and random.randrange(4) == 0:
            return "the walks' own memory by -64 bytes", replace(plan, bytes_of_rows=plan.bytes_of_rows - 64)
        found = _moved(dict(plan.offsets), plan.bytes_of_rows, random)
        return None if found is None else (found[0], replace(plan, offsets=tuple(found[1].items())))
    return _inside(plan, random)


def _inside(plan: Any, random: Random) -> tuple[str, Any] | None:
    """Mutate the plan inside another one."""
    if isinstance(plan, IndexedPlan):
        if plan.zeros and random.randrange(3) == 0:
            return "rows outside by -64 bytes", replace(plan, room=plan.room - 64) if plan.room >= 64 else None
        found = _mutant(plan.code, random)
        return None if found is None else (found[0], replace(plan, code=found[1]))
    if isinstance(plan, RowwisePlan):
        block, *others = plan.blocks
        found = _mutant(block.code, random)
        return None if found is None else (found[0], replace(plan, blocks=(block._replace(code=found[1]), *others)))
    if isinstance(plan, BandedPlan):
        band, *rest = plan.bands
        found = _mutant(band.code, random)
        return None if found is None else (found[0], replace(plan, bands=(band._replace(code=found[1]), *rest)))
    if isinstance(plan, PhasedPlan):
        if plan.room + plan.bytes_of_rows >= 64 and random.randrange(3) == 0:
            return "columns between phases by -64 bytes", replace(plan, room=plan.room - 64)
        number = random.randrange(len(plan.phases))
        band, *rest = plan.phases[number]
        found = _mutant(band.code, random) if isinstance(band.code, SweepPlan) else None
        if found is None:
            return None
        phases = [*plan.phases]
        phases[number] = (band._replace(code=found[1]), *rest)
        return found[0], replace(plan, phases=tuple(phases))
    raise AssertionError(type(plan).__name__)


@lru_cache
def case_of(name: str) -> Case:
    """Return a case, made once."""
    return Case(name)


def judged(seed: int, count: int, names: list[str] | None = None) -> tuple[Counter[str], list[str]]:
    """Return the verdicts on mutants until `count` of them are wrong, and the wrong ones that were not refused."""
    counts, missed, random = Counter[str](), list[str](), Random(seed)
    names = names or list(CASES)
    number = 0
    while counts["wrong"] < count:
        name = names[number % len(names)]
        number += 1
        case = case_of(name)
        text, plan = next(mutants(case.plan, random))
        if plan is None:
            continue
        wrong = case.wrong(plan)
        if wrong is None:
            continue
        refused = overwritten(plan)
        counts["mutants"] += 1
        counts["wrong"] += wrong
        counts["wrong and refused"] += wrong and refused is not None
        counts["right and refused"] += not wrong and refused is not None
        counts["right and not refused"] += not wrong and refused is None
        if wrong and refused is None:
            missed.append(f"{name}: {text}")
    return counts, missed


def main(arguments: list[str]) -> int:
    """Print the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants_of_places")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args(arguments)
    counts, missed = judged(options.seed, options.count, options.only)
    print(*missed, dict(counts), sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
