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
from tilesmith.microkernels.precision.bf16x3 import Bf16x3Plan
from tilesmith.microkernels.precision.ozaki_plan import OzakiPlan
from tilesmith.microkernels.prepack.block_plan import BlockPrepackPlan
from tilesmith.microkernels.prepack.copies_plan import CopiesPlan
from tilesmith.microkernels.prepack.operand_plan import OperandPrepackPlan
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


def _of_changes(plan: Any, random: Random) -> tuple[str, Any] | None:
    """Mutate operands that are packed whole, or pair by pair."""
    name, how = random.choice([*plan.changes]), random.randrange(3)
    if how == 0:
        found = _less_scratch(plan.scratch_of, random)
        return found and (found[0], replace(plan, scratch_of=found[1]))
    if how == 1:
        found = _other_lines(plan.changes[name], random)
        return found and (f"{name}: {found[0]}", replace(plan, changes={**plan.changes, name: found[1]}))
    if plan.product.dynamic:
        return None  # its blocks are those of any number of rows
    text, product = _other_reads(plan.product, name, random)
    return text, replace(plan, product=product)


def _of_blocks(plan: BlockPrepackPlan, random: Random) -> tuple[str, Any] | None:
    key, how = random.choice([*plan.parts]), random.randrange(3)
    part = plan.parts[key]
    if how == 0:
        found = _less_scratch({"blocks": plan.scratch}, random)
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
        found = _less_scratch({"copies": plan.scratch}, random)
        return found and (found[0], replace(plan, scratch=found[1]["copies"]))
    if random.randrange(2) == 0:
        what, by = random.choice(["lines", "length"]), random.choice([-1, -4])
        return f"{what} of copies by {by}", replace(plan, **{what: getattr(plan, what) + by})
    text, product = _other_reads(plan.product, plan.product.product.b.argument, random)
    return text, replace(plan, product=product)


def _of_parts(plan: Bf16x3Plan, random: Random) -> tuple[str, Any] | None:
    if random.randrange(4) == 0:
        return (
            (f"scratch memory by -{by} bytes", replace(plan, scratch_bytes=plan.scratch_bytes - by))
            if plan.scratch_bytes > (by := 64)
            else None
        )
    offsets = {f"part {i} of {name}": at for name, parts in zip("ab", plan.places) for i, at in enumerate(parts)}
    found = _moved(offsets, plan.scratch_bytes, random)
    if found is None:
        return None
    every = [*found[1].values()]
    return found[0], replace(plan, places=(tuple(every[:3]), tuple(every[3:])))


def _of_slices(plan: OzakiPlan, random: Random) -> tuple[str, Any] | None:
    found = _moved({name: at for name, at in plan.places.items() if name != "end"}, plan.places["end"], random)
    return None if found is None else (found[0], replace(plan, places={**plan.places, **found[1]}))


def _of_bags(plan: Any, random: Random) -> tuple[str, Any] | None:
    found = _less_scratch({"levels": plan.scratch_bytes}, random)
    return found and (found[0], replace(plan, scratch_bytes=found[1]["levels"]))


_OF_PRODUCTS: dict[type, Callable[[Any, Random], tuple[str, Any] | None]] = {
    OperandPrepackPlan: _of_changes,
    BlockPrepackPlan: _of_blocks,
    CopiesPlan: _of_copies,
    Bf16x3Plan: _of_parts,
    OzakiPlan: _of_slices,
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
