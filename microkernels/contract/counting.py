"""Instructions counted by emitting them, so that the numbers that planners compare are those of the code.

A `Counter` counts what any functions append to a machine. `code_of_unit` and `code_of_mmla` count the verbs of a tensor
unit on whole registers. A unit of several phases has other code in each phase, so its counts are means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Generic

from ...encoder.code import each_recorded
from ..dtypes import ELEMENT_BYTES
from .dot_and_tile import GROUP_BYTES, UnitCode, UnitFacts, UnitOf, VerbCounts
from .mmla import BLOCK_BYTES, COLUMNS, ROW_BYTES, MmlaUnitOf
from .tensor_instruction import ProductForm, instruction_of
from .vector_verbs import AddressT, FactorT, GeneralT, LanesT

if TYPE_CHECKING:
    from .machine import MachineOf

Emit = Callable[[], object]
_DISTANCE = 64
"""Bytes between rows or elements that are not neighbours. The number of instructions does not depend on it."""


class Counter(Generic[GeneralT, AddressT, LanesT, FactorT]):
    """Counts instructions that are appended to a machine.

    memory  the class of operands in memory
    slots   the time of instructions on the FMA pipes by mnemonic, in full FMAs; that of all others is 1
    """

    def __init__(
        self, m: MachineOf[GeneralT, AddressT, LanesT, FactorT], memory: type, slots: Mapping[str, float]
    ) -> None:
        self.m, self.memory, self.slots = m, memory, slots

    def count(self, *emitters: Emit) -> VerbCounts:
        """Return the mean of the instructions that each of the functions appends."""
        start = len(self.m.asm.record)
        for emit in emitters:
            emit()
        every = [*each_recorded(self.m.asm.record[start:])]
        loads = sum([any(type(each) is self.memory for each in operands) for _, operands, _ in every])
        slots = sum([self.slots.get(form.mnemonic, 1) for form, _, _ in every])
        count = len(emitters) or 1
        return VerbCounts(len(every) / count, loads / count, slots / count)

    def rows(self, count: int) -> list[AddressT]:
        """Return the addresses of rows, or of elements, that are not neighbours."""
        base = self.m.at(self.m.general("operand"))
        return [self.m.further(base, _DISTANCE * row) for row in range(count)]


def code_of_unit(
    counter: Counter[GeneralT, AddressT, LanesT, FactorT],
    unit: UnitOf[AddressT, LanesT, FactorT],
    sums: str,
    packs: bool,
) -> UnitCode:
    """Count the verbs of a unit, for each of which the kernel has opened it. sums: the type of its accumulators. packs:
    there are packed row vectors."""
    m, facts = counter.m, unit.facts
    lanes = m.lanes(sums, (facts.widest or m.facts.widths[0]) // 8 // ELEMENT_BYTES[sums])
    unit.prepare(lanes)
    phases, places = range(facts.phases), counter.rows(facts.depth)
    with (
        m.vectors(4 + facts.temporaries + facts.temporaries_of_rows, "registers") as (acc, x, y, *spare),
        unit.opened(),
    ):
        groups: list[int | FactorT] = []

        def of(verb: Callable[[int], object]) -> VerbCounts:
            return counter.count(*[partial(verb, phase) for phase in phases])

        packed = of(lambda phase: unit.load(phase, x, places[0], lanes, facts.depth)) if packs else VerbCounts()
        plain = of(lambda phase: unit.load_rows(phase, x, places, lanes, spare))
        fetch = of(lambda phase: groups.append(unit.fetch(phase, y, places[0], lanes, False)))
        strided = of(lambda phase: unit.fetch_strided(phase, y, places, lanes))
        product = of(lambda phase: unit.product(phase, acc, x, groups[phase], lanes, spare))
        several = VerbCounts()
        if facts.by_element:
            several = counter.count(lambda: unit.fetch_several(y, places[0], lanes))
    return UnitCode(product, packed, plain, fetch, strided, several)


def described(facts: UnitFacts, form: ProductForm, types: tuple[str, str, str], held: str = "") -> UnitFacts:
    """Return the facts of a counted unit with the row of its instruction. types: of row vectors, groups and sums; held:
    the type to which loads convert both factors."""
    single = facts.code.product.instructions == 1 and facts.phases == 1 and not (facts.corrected or facts.emulated)
    row = instruction_of(facts.name, form, types, single=single, replaced=facts.emulated, held=held, e=facts.depth)
    return facts._replace(instruction=row)


def code_of_mmla(
    counter: Counter[GeneralT, AddressT, LanesT, FactorT],
    unit: MmlaUnitOf[GeneralT, AddressT, LanesT, FactorT],
    element_bytes: int,
) -> UnitCode:
    """Count the verbs of an MMLA unit, whose row vectors fill two registers."""
    m, facts = counter.m, unit.facts
    lanes = m.lanes("f32", m.facts.widths[0] // 32)
    places = counter.rows(ROW_BYTES // element_bytes)
    for width in (element_bytes, GROUP_BYTES, BLOCK_BYTES):
        unit.prepare(lanes, width)
    with m.vectors(7 + facts.temporaries, "registers") as (*acc, y), unit.opened():
        acc, x, spare = acc[:2], acc[2:4], acc[4:]

        def rows(width: int) -> VerbCounts:
            of_width = places[: ROW_BYTES // width]
            return counter.count(lambda: unit.load_rows(x, of_width, width, lanes, facts.depth, spare))

        def columns(width: int) -> VerbCounts:
            of_width = [places[: ROW_BYTES // width]] * COLUMNS
            return counter.count(lambda: unit.fetch(y, of_width, width, facts.depth, spare))

        return UnitCode(
            product=_half(counter.count(lambda: unit.product(acc, x, y, lanes, spare))),
            packed=_half(counter.count(lambda: unit.load_blocks(x, places[:2], lanes, facts.depth, None, spare))),
            plain=rows(element_bytes),
            fetch=columns(ROW_BYTES),
            strided=columns(element_bytes),
            rows_of_groups=rows(GROUP_BYTES),
            columns_of_groups=columns(GROUP_BYTES),
            block=counter.count(lambda: unit.fetch_block(y, places[0], facts.depth, spare)),
        )


def _half(of_two: VerbCounts) -> VerbCounts:
    return VerbCounts(*[each / 2 for each in of_two])
