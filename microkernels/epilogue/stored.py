"""The requirements of results beside C on the blocks of a product, and the initial values of statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import BYTE
from ..expr.graph import BITS
from ..gemm.blocking import Panel, Scheme
from ..gemm.plan import GemmPlan
from ..operands import Operand
from ..reduce.ops import REDUCTIONS, identity_bits
from .long_statistics import long_statistics
from .results import before
from .spec import OLD, EpilogueSpec


def contiguous_rows(spec: EpilogueSpec, plan: GemmPlan) -> bool:
    """Whether the rows of the product are C's contiguous dimension, disregarding that a single line is contiguous both
    ways."""
    return (spec.order[2] == "C") == (plan.product.a.argument != "a")


def overwritten(spec: EpilogueSpec) -> tuple[str, ...]:
    """Return the inputs in memory that are also results. They are loaded before any result of their vector is
    stored."""
    return (OLD, *map(before, spec.statistics)) if spec.results else ()


def takes_splat(dtype: str, compute: str) -> bool:
    """Whether a broadcast takes a load and a splat, because no load broadcasts this type."""
    return dtype != compute or dtype not in ("f32", "f64")


def refusal(spec: EpilogueSpec, plan: GemmPlan) -> str:
    """Return the reason why blocks cannot store the results of their sums, or an empty string if they can."""
    if long_statistics(spec) and not contiguous_rows(spec, plan):
        return "its panels are lines, which long statistics of columns are added over"
    if not any(each.name in spec.elementwise.bits for each in spec.results):
        return ""
    if not contiguous_rows(spec, plan) or any(panel.scheme is Scheme.ALONG_K for panel in plan.panels):
        return "the bits of a mask lie along the other dimension of its blocks"
    inner = [panel for panel in plan.panels if panel is not plan.panels[-1] or panel.repeat > 1]
    whole = all(panel.rows % BYTE == 0 for panel in inner)
    if not whole or any(start % BYTE and start % BYTE + count > BYTE for start, count in _vectors(plan.panels)):
        return "the bits of a mask share bytes between its blocks"
    return ""


def within_bytes(plan: GemmPlan) -> bool:
    """Whether a row vector begins within a byte of a mask that also has bits of the previous row vector."""
    return any(start % BYTE for start, _ in _vectors(plan.panels))


def _vectors(panels: tuple[Panel, ...]) -> Iterator[tuple[int, int]]:
    """Yield (first row in its panel, rows) of each row vector."""
    for panel in panels:
        start = 0
        for count in panel.row_vectors:
            yield start, count
            start += count


def begin_statistics(m: Machine, spec: EpilogueSpec, place: Callable[[str], General | Slot]) -> None:
    """Append the stores of the statistics' initial values. place: gives the register or slot of the pointer to a
    result."""
    for result in spec.results:
        if result.name in spec.statistics:
            m.note(f"{result.name} before the first element")
            pointer = m.general(result.name)
            m.copy(pointer, place(result.name))
            _fill(m, spec, result, pointer)
            m.release(pointer)


def _fill(m: Machine, spec: EpilogueSpec, result: Operand, pointer: General) -> None:
    size, count = ELEMENT_BYTES[result.dtype], result.rows * result.columns
    most = m.facts.widths[0] // 8 // size
    loops, rest = divmod(count, most)
    bits = identity_bits(REDUCTIONS[spec.statistics[result.name]].identity, result.dtype)
    with m.predicates(), m.vectors(1, "the first statistics") as (register,):
        lanes = m.lanes(result.dtype, most if loops else rest)
        tail = m.lanes(result.dtype, rest) if rest else lanes
        arithmetic_of(m.facts).constant(m, register, Constant(bits, BITS[result.dtype]), lanes)
        counter = m.general("vectors") if loops > 1 else None
        if loops:
            with m.loop(counter, loops):
                m.store(m.at(pointer), register, lanes)
                m.advance(pointer, size * most)
        if rest:
            m.store(m.at(pointer), register, tail)
        if counter is not None:
            m.release(counter)
