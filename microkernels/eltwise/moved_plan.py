"""Elementwise kernels whose operands have different orders: tiles of one matrix are shuffled in registers, and the
expression is computed there, before or after the shuffles.

    y[j, i] = f(x[i, j], ...)

The tiles, their shuffles and the loops are those of a transform (transform/candidates.py) on elements of the
arithmetic's type; loads and stores convert. The expression takes its registers from the tile. If that leaves too few,
the registers of a tile wait in scratch memory, and the expression has all registers before or after the shuffles.
"""

from __future__ import annotations

from ...encoder.records import cached_property, dataclass
from ..choice import Plan, Refusal
from ..codegen.fitting import Straight, too_few_registers
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..operands import CACHE_LINE, Operand
from ..transform import candidates as transforms
from ..transform.candidates import ElementWork
from ..transform.plan import TransformPlan, vectors
from ..transform.spec import TransformSpec
from ..transform.strides import Stride, StridedMatrix
from . import orders
from .orders import ReorderedInput
from .plan import check_types
from .spec import EltwiseSpec

_MASKS = 2  # vector registers for the masks of the last rows and columns, on machines whose masks are vector registers
_WAITING = 3.0  # instructions per register that waits in memory, including its share of reloading constants


@dataclass(frozen=True)
class MovedPlan(Plan):
    """The tiles of the matrix whose elements are reordered, and the code of the expression."""

    spec: EltwiseSpec
    tiles: TransformPlan
    moved: ReorderedInput
    code: Lowered

    @property
    def cycles(self) -> float:
        """Estimated cycles per call with all operands in L1."""
        return self.tiles.cycles

    @property
    def call_cycles(self) -> float:
        """The price by which ways are compared: that of the tiles, including the expression."""
        return self.tiles.price

    @property
    def codes(self) -> list[Lowered]:
        """The straight-line code, in a list as that of plans with several."""
        return [self.code]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        code = self.code.vectors + self.code.arithmetic.spare
        return max(vectors(self.tiles), code + _MASKS) if self.waits else vectors(self.tiles) + code

    @property
    def waits(self) -> bool:
        """Whether the registers of a tile wait in scratch memory between the expression and the shuffles."""
        return not self.tiles.taken

    def bytes_of_scratch(self, vector: int) -> int:
        """Return the scratch memory that a kernel reserves for this plan inside it. `vector` is the bytes of a vector.
        It holds a tile, the values that wait, and a register whose elements become zero, each at the start of a cache
        line."""
        tile = vector << len(self.tiles.tile.across) if self.waits else 0
        return tile + (self.code.slots + 1) * vector + 3 * CACHE_LINE

    @cached_property
    def beside(self) -> tuple[Operand, ...]:
        """The inputs besides the moved matrix."""
        return tuple(x for x in self.spec.inputs if x.name != self.moved.given)

    @property
    def keeps_zeros(self) -> bool:
        """Whether elements that are not loaded are known to be zero when they are stored: nothing is computed from
        them."""
        return len(self.spec.program.steps) == 1

    def __str__(self) -> str:
        where = "as it is loaded" if self.moved.at_loads else "before it is stored"
        waits = ", in scratch memory, which the shuffles " + ("read" if self.moved.at_loads else "write")
        return f"{self.spec}\n  each register {where}{waits * self.waits}: {self.code}\n{self.tiles.details}"


class Beside(StridedMatrix):
    """An operand besides the moved matrix. It does not advance along dimensions in which it has one element."""

    def __init__(self, spec: EltwiseSpec, operand: Operand, unit: int) -> None:
        size, where = ELEMENT_BYTES[operand.dtype], spec.layout_of(operand) or orders.PLAIN
        super().__init__(orders.memory(where, size), spec.m, spec.n, size, unit)
        shape = {"i": operand.rows, "j": operand.columns}
        self.fixed = "" if spec.layout_of(operand) else "".join(dim for dim, extent in shape.items() if extent == 1)

    def stride(self, dim: str, distance: int) -> Stride:
        """Return the distance between two indices of a dimension."""
        return Stride(0, 0) if dim in self.fixed else super().stride(dim, distance)


def candidates(spec: EltwiseSpec, facts: Facts, moved: ReorderedInput) -> list[Plan | Refusal]:
    """Return the best tiles of each way of loading, with the expression; or refusals."""
    transform, work, codes = _transformed(spec, facts, moved)
    found = transforms.candidates(transform, facts, work=work)
    return [
        MovedPlan(spec, each, moved, codes[each.taken], way=each.way)
        if isinstance(each, TransformPlan)
        else Refusal(each.way, UnsupportedError(f"{spec.name}: {each.error}"))
        if isinstance(each, Refusal)
        else each
        for each in found
    ]


def without_scratch(spec: EltwiseSpec, facts: Facts, moved: ReorderedInput) -> MovedPlan | None:
    """Return the best tiles among the ways that claim no scratch memory. The other ways are not planned."""
    transform, work, codes = _transformed(spec, facts, moved)
    found = transforms.cheapest(
        transform, facts, work, [taken for taken, code in codes.items() if taken and not code.slots]
    )
    return None if found is None else MovedPlan(spec, found, moved, codes[found.taken], way=found.way)


def _transformed(
    spec: EltwiseSpec, facts: Facts, moved: ReorderedInput
) -> tuple[TransformSpec, ElementWork, dict[int, Lowered]]:
    """Return the transform of the moved matrix, the work on its elements, and the code of that in fewer and fewer
    registers."""
    arithmetic = arithmetic_of(facts)
    # first, because its refusals explain errors in the request
    outputs = spec.expressions(arithmetic.tables, arithmetic.converts)
    _check_wide(spec)
    check_types(spec, arithmetic)
    codes = _codes(spec, Straight.of(outputs, facts), moved.given, facts)
    x = next(operand for operand in spec.inputs if operand.name == moved.given)
    y = spec.outputs[0]
    _check_beside(spec, x if moved.at_loads else y, moved)
    whole = moved.at_loads or x.dtype != spec.compute
    names = [orders.TRANSPOSED if (where := spec.layout_of(each)) == orders.COLUMNS else where for each in (x, y)]
    narrow = min((x.dtype, y.dtype), key=lambda dtype: ELEMENT_BYTES[dtype])
    transform = TransformSpec(
        names[0], names[1], spec.m, spec.n, narrow, x.view.leading, y.view.leading, loads="whole" if whole else None
    )
    return transform, _work(spec, (x, y), codes, facts), codes


def _codes(spec: EltwiseSpec, straight: Straight, given: str, facts: Facts) -> dict[int, Lowered]:
    """Return the expression in fewer and fewer registers, keyed by their number, the fastest first. The key 0 is the
    code that uses all registers."""
    arithmetic, codes = straight.arithmetic, dict[int, Lowered]()
    masks = _MASKS if facts.needs_mask_register(3, ELEMENT_BYTES[spec.compute]) else 0
    everything = registers = facts.vector_registers - arithmetic.spare - masks
    while registers > 0 and (code := straight.allocated(registers, given=given)) is not None:
        codes[max(1, code.vectors + arithmetic.spare)] = code
        registers = code.vectors - max(1, code.vectors // 8)
    alone = straight.fitted(everything, facts.tuning.eltwise.unroll) or straight.spilled(everything)
    if alone is not None:
        codes[0] = alone
    if not codes:
        shortage = too_few_registers(everything, arithmetic)
        raise UnsupportedError(f"{spec.name}: the expression {shortage}: split it into several kernels")
    return codes


def _work(spec: EltwiseSpec, ends: tuple[Operand, Operand], codes: dict[int, Lowered], facts: Facts) -> ElementWork:
    """Return what the planner of tiles needs to know about the expression."""
    sizes = ELEMENT_BYTES[ends[0].dtype], ELEMENT_BYTES[ends[1].dtype]
    layouts = (orders.memory(spec.layout_of(ends[0]), sizes[0]), orders.memory(spec.layout_of(ends[1]), sizes[1]))
    conversions = sum(_conversion(operand, spec.compute) for operand in spec.operands)
    taken = {registers: conversions + float(code.operations) for registers, code in codes.items()}
    if 0 in codes:
        taken[0] += _WAITING
    cycles = {
        each.bytes: max(1.0, 2 * facts.fma_cycles(8 * each.bytes)) / facts.tuning.eltwise.instructions_per_cycle
        for each in facts.shuffles.sets()
    }
    return ElementWork(layouts, sizes, ELEMENT_BYTES[spec.compute], taken, cycles)


def _conversion(operand: Operand, compute: str) -> int:
    """Return the approximate number of instructions that convert a register of an operand at its load or store."""
    return 0 if operand.dtype == compute else 2


def _check_wide(spec: EltwiseSpec) -> None:
    """Raise UnsupportedError for elements that are wider than the arithmetic, since its registers have no room for
    them."""
    wide = next((each for each in spec.operands if ELEMENT_BYTES[each.dtype] > ELEMENT_BYTES[spec.compute]), None)
    if wide is not None:
        needed = "f64" if spec.compute in ("f32", "f64") or wide.dtype == "f64" else "i64"
        raise UnsupportedError(
            f"{wide.name}: {wide.dtype} is wider than {spec.compute}, the type of "
            f'the arithmetic; use compute="{needed}"'
        )


def _check_beside(spec: EltwiseSpec, side: Operand, moved: ReorderedInput) -> None:
    """Raise UnsupportedError for a column with gaps if registers hold elements of a column."""
    if spec.layout_of(side) in (orders.COLUMNS, orders.TRANSPOSED):
        for x in spec.inputs:
            if x.name != moved.given and not spec.layout_of(x) and x.columns == 1 and x.rows > 1:
                orders.contiguous(x)
