"""The plan of a product by a strip of compressed weights: how many vectors of columns have their sums in registers.

The sums of a unit's rows, or of a step of them, are in registers. So are the scales, offsets and zero points of their
columns. A strip that needs more registers is cut into columns whose units are read one after the other.
"""

from __future__ import annotations

from itertools import product

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, refused
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import operand
from ..tuning.products import COMPRESSED
from .expressions import codes_of, middle_of, weight
from .spec import DecodeSpec

WAY = "weights in registers"


@dataclass(frozen=True)
class DecodePlan(Plan):
    """How a strip is multiplied.

    vector     columns of a vector; together: the vectors whose sums are in registers
    code       the weights of a vector of bytes; single: those of the first row only, where k ends with it
    middle     the numbers that are subtracted from codes, if each group has its own
    broadcast  registers for elements of x: those of the rows of a byte, or 1. 0: instructions broadcast them from
               memory
    rows       the rows of a unit whose code is written out; a loop repeats it
    ahead      bytes of weights ahead of those at hand that are prefetched
    """

    spec: DecodeSpec
    vector: int
    together: int
    code: Lowered
    single: Lowered
    middle: Lowered | None
    broadcast: int
    rows: int
    ahead: int
    cycles: float

    @property
    def shared(self) -> int:
        """Registers of a vector of columns beside its sums: scale, offset, middle."""
        return len(shared_of(self.spec))

    @property
    def registers(self) -> int:
        """The most vector registers that are held at a time, without masks."""
        code = max(self.code.vectors, self.single.vectors, self.middle.vectors if self.middle else 0)
        return self.together * (self.spec.m + self.shared) + self.broadcast + code + 1

    def __str__(self) -> str:
        return (
            f"{self.spec}\n{self.together} vectors of {self.vector} columns at a time; {self.code}; "
            f"{self.cycles:.0f} cycles"
        )


def shared_of(spec: DecodeSpec) -> tuple[str, ...]:
    """Return the names of what a vector of columns shares in registers, while the rows of a unit are multiplied."""
    form = spec.form
    return (*["scale"] * (not form.fast), *["offset"] * form.offset, *["middle"] * form.zeros)


def candidates(spec: DecodeSpec, facts: Facts) -> list[DecodePlan | Refusal]:
    """Return the plan with the most vectors of columns at a time, or why there is none."""
    arithmetic, form = arithmetic_of(facts), spec.form
    for storage in {"u8", form.scale} - {"f32"}:
        if (storage, "f32") not in arithmetic.loads:
            return [refused(WAY, f"{storage} computed in f32: this target has no conversion for it")]
    vector = facts.widths[0] // 8 // ELEMENT_BYTES["f32"]
    byte, scale = operand("codes", "i32"), operand("scale", "f32")
    offset = operand("offset", "f32") if form.offset else None
    middle = operand("middle", "f32") if form.zeros else middle_of(form, None)
    names = shared_of(spec)
    every, one = (
        Straight.of(
            [weight(form, each, middle, None if form.fast else scale, offset) for each in codes_of(form, byte, single)],
            facts,
        )
        for single in (False, True)
    )
    per = form.rows_of_byte
    own = Straight.of([middle_of(form, operand("zero", "i32"))], facts) if form.zeros else None
    masks = sum(facts.needs_mask_register(spec.n % vector, size) for size in (1, 2, 4)) if spec.n % vector else 0
    most = -(-spec.n // vector)
    several = range(min(most, max(1, facts.vector_registers // 4)), 0, -1)
    for together, broadcast in product(several, (0,) if facts.embedded_broadcast else (per * spec.m, 1)):
        free = facts.vector_registers - masks - together * (spec.m + len(names)) - broadcast - 1
        if free < 2:
            continue
        codes = [each.fitted(free, 1, None, names) for each in (every, one)]
        made = own.fitted(free, 1) if own is not None else None
        code, single = codes
        if code is None or single is None or (own is not None and made is None):
            continue
        weights = form.k * spec.n / vector
        of_x = broadcast / together if broadcast > 1 else broadcast * spec.m * per
        instructions = (code.operations + of_x) / per + spec.m
        cycles = weights * instructions / facts.issue_width
        rows = min(COMPRESSED.written, form.unit, spec.step or form.unit)
        return [
            DecodePlan(spec, vector, together, code, single, made, broadcast, rows, COMPRESSED.ahead, cycles, way=WAY)
        ]
    return [refused(WAY, f"no vector of columns fits into {facts.vector_registers} vector registers")]
