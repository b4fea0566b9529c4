"""The passes of a fused kernel as stages, for its printed plan and its picture."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ..dtypes import ELEMENT_BYTES
from ..expr.graph import Expr
from ..stages import MEMORY, REGISTERS, SCRATCH, Stage, StageValue
from .parts import Banks
from .passes import COLUMN_SUM, KEPT, Pass, RowPart, inputs_of
from .spec import FusedSpec


def stages(
    spec: FusedSpec, parts: Iterable[tuple[Pass | RowPart, str]], held: Collection[str], banks: Banks
) -> Iterator[Stage]:
    """Yield the stage of each part. A part comes with a description of its code; `held` are the inputs in registers,
    `banks` the registers of whole rows."""
    for part, code in parts:
        if isinstance(part, RowPart):
            names = [name for name, _ in part.values] + _stored(spec, part.results)
            reads = _read(spec, part.everything)
            yield Stage("once a row", tuple(reads), tuple(names), f"  once: {', '.join(names)}; {code}")
        else:
            yield _pass(spec, part, code, held, banks)


def _pass(spec: FusedSpec, part: Pass, code: str, held: Collection[str], banks: Banks) -> Stage:
    places = {f"{KEPT}{i}": spec.passes.kept[i].result for i, _ in part.kept}
    results = _stored(spec, part.results)
    texts = [f"@a{i} = {spec.passes.reductions[i]}" for i, _ in part.reduced]
    for name, place in places.items():
        memory = "scratch" if place is None else spec.outputs[place].name
        texts.append(f"{name} kept in {'registers' if name in banks else memory}")
    reads = _read(spec, part.values)
    rows = [name for name in reads if name.startswith(KEPT) or not name.startswith("@") and name not in held]
    in_banks = [name for name in rows if name in banks and (name.startswith(KEPT) or banks.first[name] < part.level)]
    walked = [name for name in rows if name not in in_banks]
    size = spec.n * ELEMENT_BYTES[spec.compute]
    made = [f"@a{i}" for i, _ in part.reduced] + list(places) + results
    parts = [f"  pass {part.level}: {', '.join(texts + results)}"]
    parts += [f"reads {', '.join(walked)}, {size} bytes each"] if walked else []
    parts += [f"{', '.join(in_banks)} in registers"] if in_banks else []
    return Stage(f"pass {part.level}", tuple(reads), tuple(made), "; ".join([*parts, code]))


def _read(spec: FusedSpec, expressions: Sequence[Expr]) -> list[str]:
    """Return the names that a part reads: inputs, and the column reductions that each row updates."""
    down = {f"{COLUMN_SUM}{i}": spec.outputs[i].name for i in spec.column_sums}
    return [down.get(name, name) for name in inputs_of(expressions)]


def _stored(spec: FusedSpec, results: Sequence[tuple[int, Expr]]) -> list[str]:
    return [spec.outputs[i].name for i, _ in results]


def values(spec: FusedSpec, found: Sequence[Stage], held: Collection[str], banks: Banks) -> list[StageValue]:
    """Return the values that the stages read and make, and where each lies: memory, registers or scratch memory."""
    in_scratch = {each.name for each in spec.passes.kept if each.result is None and each.name not in banks}
    in_registers = {*held, *(each.name for each in spec.passes.kept if each.name in banks)}
    matrices = [operand.name for operand in spec.operands]
    seen = dict.fromkeys(name for stage in found for name in (*stage.reads, *stage.makes))
    order = sorted(seen, key=lambda name: (name in {y.name for y in spec.outputs}, name not in matrices))
    return [
        StageValue(
            name,
            SCRATCH
            if name in in_scratch
            else REGISTERS
            if name in in_registers or name[:2] in ("@a", "@r")
            else MEMORY,
        )
        for name in order
    ]
