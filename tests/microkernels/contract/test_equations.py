"""Every tensor unit of every target executes its own index equation: one product in emulation.cpu against `evaluate`.

Integers take all values of their types. Floats are small integers, whose products and sums are exact in every type.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.profiles import of_grid
from tilesmith.emulation.cpu import call
from tilesmith.microkernels.contract.dot_and_tile import OWN, GroupsOf
from tilesmith.microkernels.contract.equation import Equation
from tilesmith.microkernels.contract.machine import Machine
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
FACTS = {name: facts_of(target) for name, target in TARGETS.items()}


def keys(name: str, table: str) -> list[Any]:
    """Return units of a target, in a soak all. A unit that serves several numerics counts once. A description emits the
    unit's verbs, so it is made by the tests, and not when they are collected."""
    units = getattr(FACTS[name], table)
    those = [
        key for key, unit in units.items() if key[2:] in ((), ("exact",)) or unit != units.get((*key[:2], "exact"))
    ]
    return of_grid(those, f"{table} of {name}", MOST, enumerate)


def each_target(table: str) -> pytest.MarkDecorator:
    """Return a parameter for the targets that have such units."""
    return pytest.mark.parametrize(
        "name", [name for name, facts in FACTS.items() if any(map(bool, getattr(facts, table)))]
    )


MOST = 4
"""The number of units of a target, of each kind, that `make test` executes."""


def equation_of(facts: Any) -> Equation:
    assert facts.instruction is not None
    return facts.instruction.equation


def values(dtype: str, shape: tuple[int, ...], seed: int) -> Array:
    rng, kind = np.random.default_rng(seed), numpy_dtype(dtype)
    if dtype[0] in "iu" and dtype != "i32":
        info = np.iinfo(kind)
        return rng.integers(info.min, info.max, shape, endpoint=True).astype(kind)
    return rng.integers(-3, 4, shape).astype(np.float32 if dtype != "i32" else np.int32).astype(kind)


def expected(equation: Equation, c: Array, x: Array, y: Array, elements: int = 1) -> Array:
    """Return c after one product, computed in integers; sums of i32 are modulo 2^32."""
    exact = [np.asarray(each, np.float64).astype(np.int64) for each in (c, x, y)]
    equation.evaluate(exact[0], exact[1], exact[2], elements)
    return exact[0].astype(np.int32) if equation.types[2] == "i32" else exact[0]


def check(machine: Machine, name: str, c: Array, x: Array, y: Array, wanted: Array) -> None:
    call(machine.asm.finish("unit").data, TARGETS[name], x, y, c)
    np.testing.assert_array_equal(np.asarray(c, np.float64), wanted)


@each_target("units")
def test_dot_products(name: str):
    for key in keys(name, "units"):
        dot_products(name, key)


def dot_products(name: str, key: tuple[str, str, str]) -> None:
    facts = FACTS[name].units[key]
    equation = equation_of(facts)
    sums = equation.types[2]
    by_rows = len(equation.accesses[1].indices) == 2  # the unit takes rows of single elements, never packed ones
    widest = FACTS[name].widths[0] // 8 // ELEMENT_BYTES[sums]
    for count in sorted({1, widest - 1, widest}):
        m = machine_for(TARGETS[name])
        m.enter(m.facts.vector_registers)
        at_x, at_y, at_c = m.arguments(3)
        unit = m.unit(*key)
        with (
            m.predicates(),
            unit.opened(),
            m.vectors(4 + max(2, facts.phases), "all") as (acc, x, y, more, *parts),
            m.vectors(facts.temporaries + 1, "spare") as spare,
        ):
            lanes = m.lanes(sums, count)
            unit.prepare(lanes)
            m.load(acc, m.at(at_c), lanes)
            for register in (more, *parts):
                m.zero(register, lanes)
            for phase in range(facts.phases):
                if by_rows:
                    places = [m.at(at_x, e * count * ELEMENT_BYTES[key[0]]) for e in range(facts.depth)]
                    unit.load_rows(phase, x, places, lanes, spare)
                else:
                    unit.load(phase, x, m.at(at_x), lanes, facts.depth)
                if facts.corrected:
                    unit.correct(more, x, lanes)
                group = unit.fetch(phase, y, m.at(at_y), lanes, facts.embeds)
                unit.product(phase, parts[phase] if facts.block else acc, x, group, lanes, spare)
            if facts.block:
                unit.fold(acc, parts[: facts.phases], lanes)
            if facts.corrected:
                unit.subtract(acc, more, lanes)
            unit.finish(acc, lanes)
            m.store(m.at(at_c), acc, lanes)
        m.leave()
        of_x = (facts.depth, count) if by_rows else (facts.depth * count,)
        x_, y_, c_ = (
            values(each, shape, 7 * count + i)
            for i, (each, shape) in enumerate(zip(equation.types, (of_x, (facts.depth,), (count,))))
        )
        check(m, name, c_, x_, y_, expected(equation, c_, x_, y_, count))


@each_target("mmla_units")
def test_mmla(name: str):
    for key in keys(name, "mmla_units"):
        mmla(name, key)


def mmla(name: str, key: tuple[str, str, str]) -> None:
    facts = FACTS[name].mmla_units[key]
    equation = equation_of(facts)
    rows = FACTS[name].widths[0] // 32
    m = machine_for(TARGETS[name])
    m.enter(m.facts.vector_registers)
    at_x, at_y, at_c = m.arguments(3)
    unit = m.unit(*key, 2)
    with (
        m.predicates(),
        unit.opened(),
        m.vectors(6, "all") as (low, high, x0, x1, y, other),
        m.vectors(facts.temporaries, "spare") as spare,
    ):
        lanes = m.lanes(equation.types[2], rows)
        unit.prepare_rows(lanes, 16)
        acc, blocks = [low, high], GroupsOf(facts.depth, ELEMENT_BYTES[key[0]], 2, facts.depth)
        for j, register in enumerate(acc):
            m.load(register, m.at(at_c, 4 * rows * j), lanes)
        unit.load_c(acc, other)
        unit.load_a(0, [x0, x1], [m.at(at_x, 4 * rows * i) for i in range(2)], blocks, lanes, spare)
        unit.load_b(0, y, [[m.at(at_y)]], blocks, lanes, spare)
        unit.mma(0, acc, [x0, x1], y, lanes, spare)
        for register in acc:
            unit.finish(register, lanes)
        unit.store_c(acc, other)
        for j, register in enumerate(acc):
            m.store(m.at(at_c, 4 * rows * j), register, lanes)
    m.leave()
    shapes = (rows, facts.depth), (2, facts.depth), (2, rows)
    x_, y_, c_ = (values(each, shape, i) for i, (each, shape) in enumerate(zip(equation.types, shapes)))
    check(m, name, c_, x_, y_, expected(equation, c_, x_, y_, rows))


@each_target("tile_units")
def test_tiles(name: str):
    for key in keys(name, "tile_units"):
        tiles(name, key)


def tiles(name: str, key: tuple[str, str]) -> None:
    facts = FACTS[name].tile_units[key]
    equation = equation_of(facts)
    m = machine_for(TARGETS[name])
    m.enter(0)
    at_x, at_y, at_c = m.arguments(3)
    tiles = m.tiles(*key)
    with tiles.opened([(facts.side, facts.row_bytes)] * 3, OWN, None):
        for tile, place in enumerate((at_c, at_x, at_y)):
            tiles.load(tile, m.at(place), facts.row_bytes)
        tiles.product(0, 1, 2)
        tiles.store(m.at(at_c), facts.row_bytes, 0)
    m.leave()
    shapes = (facts.side, facts.step), (facts.steps, facts.side * facts.depth), (facts.side, facts.side)
    x_, y_, c_ = (values(each, shape, i) for i, (each, shape) in enumerate(zip(equation.types, shapes)))
    check(m, name, c_, x_, y_, expected(equation, c_, x_, y_))


def walk(m: Machine, square: Any, base: Any, line_bytes: int, verb: Any) -> None:
    """Call verb(line, address) for every line of a square whose first line lies at `base`."""

    def visit(line: int) -> None:
        verb(line, m.at(square.pointer))
        m.advance(square.pointer, line_bytes)

    m.copy(square.pointer, base)
    square.lines(square.facts.side, visit)


@each_target("outer_products")
def test_outer_products(name: str):
    for key in keys(name, "outer_products"):
        outer_products(name, key)


def outer_products(name: str, key: tuple[str, str]) -> None:
    facts = FACTS[name].outer_products[key]
    equation = equation_of(facts)
    sums, line_bytes = equation.types[2], facts.side * ELEMENT_BYTES[equation.types[2]]
    m = machine_for(TARGETS[name])
    m.enter(m.facts.vector_registers)
    at_x, at_y, at_c = m.arguments(3)
    square = m.outer_products(*key)
    with m.predicates(), square.opened(), m.vectors(2, "factors") as (x, y):
        square.prepare(facts.side)
        walk(m, square, at_c, line_bytes, lambda line, place: square.load_line(0, line, place, facts.side))
        square.load(x, m.at(at_x), facts.side, "x", facts.depth)
        square.load(y, m.at(at_y), facts.side, "y", facts.depth)
        square.product(0, x, y, facts.side, facts.side)
        walk(m, square, at_c, line_bytes, lambda line, place: square.store_line(place, 0, line, facts.side))
    m.leave()
    count = facts.side * facts.depth
    x_, y_, c_ = values(key[0], (count,), 1), values(key[1], (count,), 2), values(sums, (facts.side,) * 2, 3)
    check(m, name, c_, x_, y_, expected(equation, c_, x_, y_))


def test_equations_are_parsed():
    equation = Equation("c[i, j] += x[4*i+e+2] * y[e, j]", ("u8", "i8", "i32"), (("i", None), ("j", 2), ("e", 4)))
    result, first, second = equation.accesses
    assert [access.operand for access in (result, first, second)] == ["c", "x", "y"]
    assert first.indices[0].terms == ((4, "i"), (1, "e")) and first.indices[0].constant == 2
    assert second.axes == {"e", "j"} and equation.reduced == ("e",)


@pytest.mark.parametrize("text", ["c[i] = x[i] * y[i]", "c[i] += x[i]", "c[i] += x[i*i] * y[i]", "c[i] += x * y[i]"])
def test_other_statements_are_refused(text: str):
    with pytest.raises(ValueError, match="equation|element|axes"):
        _ = Equation(text, ("i8", "i8", "i32"), (("i", 1),)).accesses
