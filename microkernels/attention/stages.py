"""The parts of attention as stages of a picture: what each part reads and makes, either once per block of queries or
for each block of keys."""

from __future__ import annotations

from ..stages import MEMORY, SCRATCH, Stage, StageValue
from .spec import AttentionSpec

_VALUES = {"Q'": SCRATCH, "S'": SCRATCH, "largest": SCRATCH, "c": SCRATCH, "total": SCRATCH, "O'": SCRATCH}


def stages(spec: AttentionSpec) -> list[Stage]:
    """Return the stages in the order of computation. The middle ones repeat for each block of keys."""
    mask = tuple(x.name for x in spec.inputs[3:])
    out, *lse = (y.name for y in spec.outputs)
    each = "each block of keys: "
    rows = (
        ("Q' = scale q, transposed", ("q",), ("Q'",)),
        (each + "S' = K Q'", ("k", "Q'"), ("S'",)),
        (each + "largest, c", ("S'", "largest", *mask), ("largest", "c")),
        (each + "S' = e^(S' - largest)", ("S'", "largest"), ("S'", "total")),
        (each + "O' = O' c + V' S'", ("O'", "c", "v", "S'"), ("O'",)),
        (f"{out} = O' / total, transposed", ("O'", "total", *(("largest",) if lse else ())), (out, *lse)),
    )
    return [Stage(name, reads, makes, name) for name, reads, makes in rows]


def values(spec: AttentionSpec) -> list[StageValue]:
    """Return the operands, which are in memory, and the intermediate values, which are in the scratch memory of a
    block."""
    inputs = [StageValue(x.name, MEMORY) for x in spec.inputs]
    return [
        *inputs,
        *(StageValue(name, place) for name, place in _VALUES.items()),
        *(StageValue(y.name, MEMORY) for y in spec.outputs),
    ]
