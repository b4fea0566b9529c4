"""How a gather or a scatter moves its elements: whole rows in vectors, or single elements."""

from __future__ import annotations

from ...encoder.records import dataclass
from ..choice import Plan, Refusal
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.conversions import narrowed, widened
from ..expr.graph import fma, operand
from .spec import GatherSpec


@dataclass(frozen=True)
class GatherPlan(Plan):
    """How elements are moved: `vector` is the number of elements per vector (0: elements are moved one by one),
    `together` the number of elements per loop body."""

    spec: GatherSpec
    vector: int
    together: int
    row_vectors: int  # vectors of a row that are loaded before the first of them is stored
    cycles: float
    code: Lowered | None = None  # the code for one vector, if rows are converted, scaled or shifted

    def __str__(self) -> str:
        way = f"rows in vectors of {self.vector}" if self.vector else "single elements"
        return f"{self.spec}\n{way}, {self.together} elements at a time; {self.cycles:.0f} cycles"


_ROWS, _ELEMENTS = "vectors of rows", "single elements"
_NO_ROWS = Refusal(_ROWS, UnsupportedError("this index names single elements, whose neighbours lie anywhere"))
_TOO_FEW = (
    "scale and bias together are one fused multiplication and addition, which in {} takes more than the {} vector "
    "registers that are left if the target has no instruction for it; scale or bias alone works, and "
    "ts.equation(lambda x, i, s, b: ts.gather(x, i) * s + b, ...), which rounds twice on such targets"
)
_NO_ELEMENTS = Refusal(_ELEMENTS, UnsupportedError("this index names whole rows, whose elements are neighbours"))


def candidates(spec: GatherSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the way that suits the index, and the reason why the other one does not."""
    if spec.by == "rows":
        return [_rows(spec, facts), _NO_ELEMENTS]
    return [_NO_ROWS, _elements(spec, facts)]


def _rows(spec: GatherSpec, facts: Facts) -> GatherPlan:
    """Plan a load and a store for each vector."""
    tuning, bits = facts.tuning.gather, facts.widths[0]
    if spec.converts:
        return _converted(spec, facts)
    vector = bits // 8 // ELEMENT_BYTES[spec.dtype]
    vectors = -(-spec.n // vector)
    cycles = spec.m * (vectors * 2 * facts.load_cycles(bits) + tuning.row_cycles)
    together = min(spec.n, tuning.row_vectors * vector)
    return GatherPlan(spec, vector, together, tuning.row_vectors, cycles, way=_ROWS)


def _converted(spec: GatherSpec, facts: Facts) -> GatherPlan:
    """Plan rows that are converted, scaled or shifted: each vector is an expression."""
    tuning, arithmetic = facts.tuning.gather, arithmetic_of(facts)
    for storage, table in ((spec.dtype, arithmetic.loads), (spec.out, arithmetic.stores)):
        if storage != spec.compute and (storage, spec.compute) not in table:
            raise UnsupportedError(
                f"{storage} computed in {spec.compute}: this target has no conversion between them; "
                "gather the rows as they are, or use a target that converts them"
            )
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.compute]
    x, *factors = (operand(name, spec.compute) for name in ("x", *(factor.name for factor in spec.factors)))
    if spec.scale and spec.bias:
        x = fma(factors[0], x, factors[1])
    elif factors:
        x = x * factors[0] if spec.scale else x + factors[0]
    outputs = widened((narrowed(x, spec.out, (spec.out, spec.compute) in arithmetic.converts),), {"x": spec.dtype})
    spread = tuple(name for name in ("scale", "bias") if getattr(spec, name) in ("scalar", "col"))
    sizes = {ELEMENT_BYTES[dtype] for dtype in (spec.compute, spec.dtype, spec.out)}
    masks = sum(facts.needs_mask_register(spec.n % vector, size) for size in sizes if spec.n % vector)
    registers = facts.vector_registers - arithmetic.spare - len(spread) - masks - (spec.bad is not None)
    most = min(tuning.row_vectors, -(-spec.n // vector))
    code = Straight.of(outputs, facts).fitted(registers, most, None, spread)
    if code is None:
        raise UnsupportedError(_TOO_FEW.format(spec.compute, registers))
    cycles = spec.m * (-(-spec.n // vector) * code.time + tuning.row_cycles)
    return GatherPlan(spec, vector, min(spec.n, code.unroll * vector), code.vectors, cycles, code, way=_ROWS)


def _elements(spec: GatherSpec, facts: Facts) -> GatherPlan:
    """Plan an index, a load and a store for each element."""
    tuning = facts.tuning.gather
    together = min(spec.n, tuning.checked_elements if spec.bad else tuning.unrolled_elements)
    cycles = tuning.checked_cycles if spec.bad else tuning.element_cycles
    return GatherPlan(spec, 0, together, tuning.row_vectors, spec.m * spec.n * cycles, way=_ELEMENTS)
