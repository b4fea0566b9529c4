"""Mutants of where plans place intermediate values: tests/mutants_of_places.py judges the checker of plans by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from tilesmith.microkernels.attention.plan import AttentionPlan
from tilesmith.microkernels.chain.plan import ChainPlan
from tilesmith.microkernels.gather.bag import BagPlan
from tilesmith.microkernels.indexed.plan import IndexedPlan
from tilesmith.microkernels.precision.composed_plan import ComposedPlan
from tilesmith.microkernels.prepack.operand_plan import CopiedElements, OperandPrepackPlan
from tilesmith.microkernels.rowwise.plan import RowwisePlan
from tilesmith.microkernels.sweeps.plan import SweepPlan


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
    if isinstance(plan, SweepPlan) and plan.loops:
        if plan.totals and plan.scratch_bytes >= 64 and random.randrange(3) == 0:
            return "columns between phases by -64 bytes", replace(plan, scratch_bytes=plan.scratch_bytes - 64)
        number = random.randrange(len(plan.loops))
        loop = plan.loops[number]
        found = _mutant(loop.body, random)
        if found is None:
            return None
        loops = [*plan.loops]
        loops[number] = loop._replace(body=found[1])
        return found[0], replace(plan, loops=tuple(loops))
    if isinstance(plan, SweepPlan):
        if plan.scratch_bytes >= 64 and random.randrange(4) == 0:
            return "the walks' own memory by -64 bytes", replace(plan, bytes_of_rows=plan.bytes_of_rows - 64)
        found = _moved(dict(plan.offsets), plan.bytes_of_rows, random)
        return None if found is None else (found[0], replace(plan, offsets=tuple(found[1].items())))
    if type(plan) in _OF_PRODUCTS:
        return _OF_PRODUCTS[type(plan)](plan, random)
    return _inside(plan, random)


def _less_scratch(scratch_of: Mapping[str, int], random: Random) -> tuple[str, dict[str, int]] | None:
    """Take some bytes from one of several parts of scratch memory."""
    name = random.choice([name for name, size in scratch_of.items() if size > 64])
    by = 64 * random.randint(1, (scratch_of[name] - 1) // 64)
    return f"scratch memory of {name} by -{by} bytes", {**scratch_of, name: scratch_of[name] - by}


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


def _of_changes(plan: OperandPrepackPlan, random: Random) -> tuple[str, Any] | None:
    """Mutate operands that are packed whole, pair by pair, or in blocks."""
    size, how = random.choice([*plan.parts]), random.randrange(3)
    part = plan.parts[size]
    name = random.choice([*part.changes])
    change = part.changes[name]
    if how == 0:
        found = _less_scratch(plan.scratch_of, random)
        return found and (found[0], replace(plan, scratch_of=found[1]))
    if how == 1 and isinstance(change, CopiedElements):
        what, by = random.choice(["lines", "length"]), random.choice([-1, -4])
        changed = f"{what} of copies by {by}", change._replace(**{what: getattr(change, what) + by})
    elif how == 1:
        changed = _other_lines(change, random)
    elif part.product.dynamic:
        return None  # its blocks are those of any number of rows
    else:
        text, product = _other_reads(part.product, name, random)
        return text, replace(plan, parts={**plan.parts, size: part._replace(product=product)})
    if changed is None:
        return None
    made = part._replace(changes={**part.changes, name: changed[1]})
    return f"{name}: {changed[0]}", replace(plan, parts={**plan.parts, size: made})


def _of_composed(plan: ComposedPlan, random: Random) -> tuple[str, Any] | None:
    if random.randrange(4) == 0 and plan.scratch_bytes > 64:
        return "scratch memory by -64 bytes", replace(plan, scratch_bytes=plan.scratch_bytes - 64)
    found = _moved(dict(plan.places), plan.scratch_bytes, random)
    return None if found is None else (found[0], replace(plan, places=found[1]))


def _of_bags(plan: Any, random: Random) -> tuple[str, Any] | None:
    found = _less_scratch({"levels": plan.scratch_bytes}, random)
    return found and (found[0], replace(plan, scratch_bytes=found[1]["levels"]))


_OF_PRODUCTS: dict[type, Callable[[Any, Random], tuple[str, Any] | None]] = {
    OperandPrepackPlan: _of_changes,
    ComposedPlan: _of_composed,
    BagPlan: _of_bags,
}


def _inside(plan: Any, random: Random) -> tuple[str, Any] | None:
    """Mutate the plan inside another one."""
    if isinstance(plan, IndexedPlan):
        if plan.zeros and random.randrange(3) == 0:
            return "rows outside by -64 bytes", replace(
                plan, bytes_of_scratch=plan.bytes_of_scratch - 64
            ) if plan.bytes_of_scratch >= 64 else None
        found = _mutant(plan.code, random)
        return None if found is None else (found[0], replace(plan, code=found[1]))
    if isinstance(plan, RowwisePlan):
        block, *others = plan.blocks
        found = _mutant(block.code, random)
        return None if found is None else (found[0], replace(plan, blocks=(block._replace(code=found[1]), *others)))
    raise AssertionError(type(plan).__name__)
