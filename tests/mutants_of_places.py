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
from collections.abc import Callable, Iterator, Mapping
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
from tilesmith.microkernels.gather.bag import BagPlan
from tilesmith.microkernels.gather.counted import CountedPlan
from tilesmith.microkernels.indexed.plan import IndexedPlan
from tilesmith.microkernels.operands import Operand
from tilesmith.microkernels.precision.bf16x3 import Bf16x3Plan
from tilesmith.microkernels.precision.ozaki_plan import OzakiPlan
from tilesmith.microkernels.prepack.block_plan import BlockPrepackPlan
from tilesmith.microkernels.prepack.copies_plan import CopiesPlan
from tilesmith.microkernels.prepack.operand_plan import OperandPrepackPlan
from tilesmith.microkernels.prepack.pair_plan import PairPrepackPlan
from tilesmith.microkernels.rows.prepack_plan import RowsPrepackPlan
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


_MOST_TRIED = 40
"""Mutants that are tried for one that is wrong."""
_INDICES = 4300
"""Of a bag: enough for levels of its sums."""
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
    "packed in blocks": lambda: ts.brgemm(40, 600, 5, order=("C", "F", "C"), target="avx2", beta=1),
    "pairs packed in blocks": lambda: ts.brgemm(5, 6, 9, batch=4, order=("C", "F", "C"), target="avx512"),
    "packed in blocks of k": lambda: ts.brgemm(8, 6, 5000, order=("C", "F", "C"), target="avx512"),
    "operands transposed": lambda: ts.brgemm(20, 18, 36, dtype="bf16", order=("F", "F", "C"), target="amx"),
    "operands of a batch": lambda: ts.brgemm(9, 18, 10, batch=3, dtype="i8", order=("C", "F", "C"), target="amx"),
    "pair by pair": lambda: ts.brgemm(9, 18, 10, batch=200, dtype="i8", order=("C", "F", "C"), target="amx"),
    "pair by pair, bf16": lambda: ts.brgemm(20, 18, 36, batch=90, dtype="bf16", order=("F", "F", "C"), beta=0.5,
                                            target="amx"),
    "any rows, a packed factor": lambda: ts.brgemm(R, 18, 36, dtype="bf16", order=("C", "F", "C"), target="amx"),
    "copies": lambda: ts.brgemm(16, 64, 64, target="sse"),
    "three parts": lambda: ts.brgemm(5, 17, 6, dtype="f32x3bf16", target="avx512_bf16"),
    "three parts on tiles": lambda: ts.brgemm(18, 17, 6, dtype="f32x3bf16", order="F", target="amx"),
    "slices": lambda: ts.brgemm(5, 4, 6, dtype="f64xi8", beta=0.5, target="avx512_vnni"),
    "slices, transposed": lambda: ts.brgemm(7, 2, 9, dtype="f64xi8", order=("F", "F", "C"), target="avx2"),
    "bags of any count": lambda: ts.embedding_bag(3, 128, size=6, count=R, dtype="bf16", target="avx512"),
    "gradients of attention in pairs": lambda: ts.attention_inv(1, 20, 24, 8, dtype="bf16", target="avx512_bf16"),
}  # fmt: skip


class Case:
    """A kernel, the inputs of a call, and the results of its right plan."""

    def __init__(self, name: str) -> None:
        self.kernel = CASES[name]()
        self.plan, self.emit = self.kernel.plan, self.kernel.kind.pipeline().emitter(self.kernel.plan)
        rng, self.given = np.random.default_rng(1), list[Array]()
        rows = 9 if "any rows" in name else 0
        spec: Any = self.kernel.spec
        for each in getattr(spec, "operands", None) or [each for each in spec.arguments if isinstance(each, Operand)]:
            if not each.output or getattr(self.kernel.spec, "beta", 0):
                self.given.append(self._drawn(each, rows, rng))
        self.wanted = self.results(self.kernel)

    def _drawn(self, each: Any, rows: int, rng: Any) -> Array:
        """Draw a matrix of a call. rows: of those whose rows the call counts."""
        spec: Any = self.kernel.spec
        batch, counted = getattr(spec, "batch", None), getattr(spec, "banded", ("a", "c"))
        shape = each.shape
        if len(shape) == 2:
            shape = rows if rows and each.name in counted else each.rows, each.columns
        if isinstance(batch, int) and each.name != "c":
            shape = batch, *shape
        if each.name == "offsets":
            return np.array([0, 2, 2, _INDICES - 3])
        if each.dtype == "i64":
            return rng.integers(0, 6, _INDICES if each.name == "index" else shape[0])
        if each.name == "lse":
            return np.full(shape, 3.0, numpy_dtype(each.dtype))
        made = rng.standard_normal(shape) / 3 if each.dtype[0] in "fb" else rng.integers(0, 9, shape)
        if each.view.order == "F":
            made = np.swapaxes(np.ascontiguousarray(np.swapaxes(made, -1, -2)), -1, -2)
        dtype = ml_dtypes.bfloat16 if each.dtype == "bf16" else numpy_dtype(each.dtype)
        return np.asarray(made.astype(dtype, order="K"))

    def results(self, kernel: ts.Kernel) -> bytes:
        """Return the bytes of all results of a call that the emulator executes."""
        given = [each.copy("K") for each in self.given]
        found = kernel.run(*given)
        found = given[-1] if found is None else found
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
    if type(plan) in _OF_PRODUCTS:
        return _OF_PRODUCTS[type(plan)](plan, random)
    return _inside(plan, random)


def _less_room(rooms: Mapping[str, int], random: Random) -> tuple[str, dict[str, int]] | None:
    """Take some bytes from one of several parts of scratch memory."""
    name = random.choice([name for name, size in rooms.items() if size > 64])
    by = 64 * random.randint(1, (rooms[name] - 1) // 64)
    return f"room of {name} by -{by} bytes", {**rooms, name: rooms[name] - by}


def _other_lines(change: Any, random: Random) -> tuple[str, Any] | None:
    """Store the lines of a packed operand nearer to each other, or further apart."""
    by = random.choice([16, 32, -16, -32])
    if change.spec.ldy + by <= 0:
        return None
    spec = replace(change.spec, ldy=change.spec.ldy + by)
    return f"{by} elements between packed lines", replace(change, spec=spec)


def _other_reads(product: Any, name: str, random: Random) -> tuple[str, Any]:
    """Let a product read the lines or the matrices of a packed operand from other places."""
    which = "a" if product.product.a.argument == name else "b"
    operand, by = getattr(product.product, which), random.choice([1, 2, 8, 16, -1, -2, -8])
    what = random.choice(["leading", "distance"])
    changed = operand._replace(**{what: getattr(operand, what) + by})
    return f"{what} of {name} by {by}", replace(product, product=replace(product.product, **{which: changed}))


def _of_changes(plan: Any, random: Random) -> tuple[str, Any] | None:
    """Mutate operands that are packed whole, or pair by pair."""
    name, how = random.choice([*plan.changes]), random.randrange(3)
    if how == 0:
        found = _less_room(plan.rooms, random)
        return found and (found[0], replace(plan, rooms=found[1]))
    if how == 1:
        found = _other_lines(plan.changes[name], random)
        return found and (f"{name}: {found[0]}", replace(plan, changes={**plan.changes, name: found[1]}))
    text, product = _other_reads(plan.product, name, random)
    return text, replace(plan, product=product)


def _of_counted(plan: RowsPrepackPlan, random: Random) -> tuple[str, Any] | None:
    found = _of_changes(plan.packed, random)
    if found is None or "leading" in found[0] or "distance" in found[0]:
        return None  # the product of counted rows has a plan of its own
    return found[0], replace(plan, packed=found[1])


def _of_blocks(plan: BlockPrepackPlan, random: Random) -> tuple[str, Any] | None:
    key, how = random.choice([*plan.parts]), random.randrange(3)
    part = plan.parts[key]
    if how == 0:
        found = _less_room({"blocks": plan.scratch}, random)
        return found and (found[0], replace(plan, scratch=found[1]["blocks"]))
    if how == 1:
        found = _other_lines(part.pack, random)
        made = found and replace(part, pack=found[1])
    else:
        found = _other_reads(part.product, plan.packed, random)
        made = replace(part, product=found[1])
    return found and (f"{key}: {found[0]}", replace(plan, parts={**plan.parts, key: made}))


def _of_copies(plan: CopiesPlan, random: Random) -> tuple[str, Any] | None:
    if random.randrange(3) == 0:
        found = _less_room({"copies": plan.scratch}, random)
        return found and (found[0], replace(plan, scratch=found[1]["copies"]))
    if random.randrange(2) == 0:
        what, by = random.choice(["lines", "length"]), random.choice([-1, -4])
        return f"{what} of copies by {by}", replace(plan, **{what: getattr(plan, what) + by})
    text, product = _other_reads(plan.product, plan.product.product.b.argument, random)
    return text, replace(plan, product=product)


def _of_parts(plan: Bf16x3Plan, random: Random) -> tuple[str, Any] | None:
    if random.randrange(4) == 0:
        return (f"room by -{by} bytes", replace(plan, room=plan.room - by)) if plan.room > (by := 64) else None
    offsets = {f"part {i} of {name}": at for name, parts in zip("ab", plan.places) for i, at in enumerate(parts)}
    found = _moved(offsets, plan.room, random)
    if found is None:
        return None
    every = [*found[1].values()]
    return found[0], replace(plan, places=(tuple(every[:3]), tuple(every[3:])))


def _of_slices(plan: OzakiPlan, random: Random) -> tuple[str, Any] | None:
    found = _moved({name: at for name, at in plan.places.items() if name != "end"}, plan.places["end"], random)
    return None if found is None else (found[0], replace(plan, places={**plan.places, **found[1]}))


def _of_bags(plan: Any, random: Random) -> tuple[str, Any] | None:
    if isinstance(plan, CountedPlan):
        found = _of_bags(plan.likely, random)
        return found and (found[0], replace(plan, likely=found[1]))
    found = _less_room({"levels": plan.room}, random)
    return found and (found[0], replace(plan, room=found[1]["levels"]))


_OF_PRODUCTS: dict[type, Callable[[Any, Random], tuple[str, Any] | None]] = {
    OperandPrepackPlan: _of_changes, PairPrepackPlan: _of_changes, RowsPrepackPlan: _of_counted,
    BlockPrepackPlan: _of_blocks, CopiesPlan: _of_copies, Bf16x3Plan: _of_parts, OzakiPlan: _of_slices,
    BagPlan: _of_bags, CountedPlan: _of_bags,
}  # fmt: skip


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
    while counts["wrong"] < count and number < _MOST_TRIED * count:
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
