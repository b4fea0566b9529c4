"""Every tensor instruction equals its row: raw registers are filled by the layouts of its fragments, the encoded
instruction runs in emulation.cpu and on this processor where it has it, and numpy computes the equation.

Integers are random or at the ends of their types, and sums wrap. Floats are small integers, or each sum has one extreme
term.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from tests.microkernels.contract.test_equations import Array, walk
from tilesmith.emulation.cpu import call
from tilesmith.encoder.code import each_recorded
from tilesmith.microkernels.contract.dot_and_tile import OWN, Fragments
from tilesmith.microkernels.contract.equation import Access
from tilesmith.microkernels.contract.machine import Machine
from tilesmith.microkernels.contract.tensor_instruction import Fragment, ProductForm, TensorInstruction, instruction_of
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

TABLES = ("units", "mmla_units", "tile_units", "outer_products")
EXTREMES = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}


def rows() -> list[Any]:
    """Return (target, table, key) of each row with fragments, as often as machines and registers differ."""
    found: dict[object, Any] = {}
    for name, target in TARGETS.items():
        for table in TABLES:
            for key, unit in getattr(facts_of(target), table).items():
                row = unit.instruction
                if row.fragments and key[2:] != ("fast",):
                    case = pytest.param(name, table, key, id=f"{name}-{row.name}-{'-'.join(key)}")
                    found.setdefault((target.isa, target.vector_bits, row), case)
    return [*found.values()]


@pytest.mark.grid(64)
@pytest.mark.parametrize("name, table, key", rows())
def test_fragments(name: str, table: str, key: tuple[str, ...]):
    row: TensorInstruction = getattr(facts_of(TARGETS[name]), table)[key].instruction
    m, count = machine_for(TARGETS[name]), [0]
    registers, lanes = EMITTERS[table](m, key, count)
    code = m.asm.finish("instruction").data
    assert count[0] == registers, "one instruction for each register of sums"
    bits = [8 * size for size in lanes]
    for extreme in (False, True):
        c, x, y, expected = operands(row, bits, extreme)
        held_c, held_x, held_y = (held(each, *of) for each, *of in zip(row.fragments, accesses(row), (c, x, y), bits))
        wanted = held(row.fragments[0], accesses(row)[0], expected, bits[0])
        for run in (lambda *arrays: call(code, TARGETS[name], *arrays), native(code, name)):
            sums = held_c.copy()
            if run is not None:
                run(held_x, held_y, sums)
                np.testing.assert_array_equal(np.asarray(sums, wanted.dtype), wanted)


def accesses(row: TensorInstruction) -> tuple[Access, Access, Access]:
    c, x, y = row.equation.accesses
    return c, x, y


def axes_of(fragment: Fragment, bits: int) -> list[dict[str, int]]:
    """Return the values of the axes at each place of registers."""
    return [*fragment.axes_of_places(bits // 8 // ELEMENT_BYTES[fragment.dtype])]


def held(fragment: Fragment, access: Access, operand: Array, bits: int) -> Array:
    """Return the contents of registers that hold an operand."""
    places = [tuple(index.at(axes) for index in access.indices) for axes in axes_of(fragment, bits)]
    return np.array([operand[place] for place in places], operand.dtype).astype(numpy_dtype(fragment.dtype))


def operands(row: TensorInstruction, bits: list[int], extreme: bool) -> tuple[Array, Array, Array, Array]:
    """Return c, x, y, and c after the instruction. Values are those of the types in the equation and in registers."""
    rng, equation = np.random.default_rng(len(row.name) + extreme), row.equation
    every = [axes_of(*each) for each in zip(row.fragments, bits)]
    sizes = {axis: 1 + max(each[axis] for each in every[0] + every[1] if axis in each) for axis, _ in equation.extents}
    shapes = [
        tuple(1 + index.at({axis: sizes[axis] - 1 for axis in sizes}) for index in access.indices)
        for access in equation.accesses
    ]
    types = [equation.types[2], *equation.types[:2]]
    if types[0] == "i32":
        c, x, y = (integers(rng, *each, extreme) for each in zip(types, shapes))
    else:
        c, x, y = (rng.integers(-3, 4, shape).astype(np.float64) for shape in shapes)
        if extreme:
            c, y = np.zeros(shapes[0]), rng.choice(np.array([-1.0, 1.0]), shapes[2])
            x = one_extreme(rng, row, sizes, shapes[1])
    expected = c.copy()
    with np.errstate(invalid="ignore"):
        equation.evaluate(expected, x, y, next((sizes[axis] for axis, extent in equation.extents if extent is None), 1))
    return c, x, y, expected.astype(np.int32) if types[0] == "i32" else expected


def integers(rng: np.random.Generator, dtype: str, shape: tuple[int, ...], extreme: bool) -> Array:
    info = np.iinfo(numpy_dtype(dtype))
    if extreme:
        return rng.choice(np.array([info.min, info.max], np.int64), shape)
    return rng.integers(info.min, info.max, shape, np.int64, endpoint=True)


def one_extreme(
    rng: np.random.Generator, row: TensorInstruction, sizes: dict[str, int], shape: tuple[int, ...]
) -> Array:
    """Return factors of which each sum takes one: the largest number, infinity, NaN, or zero with a sign."""
    access, reduced, largest = (
        row.equation.accesses[1],
        row.equation.reduced,
        EXTREMES.get(row.equation.types[0], 448.0),
    )
    x = np.zeros(shape)
    kept = [axis for axis in sizes if axis in access.axes and axis not in reduced]
    for point in np.ndindex(*(sizes[axis] for axis in kept)):
        axes = dict(zip(kept, point)) | {axis: int(rng.integers(sizes[axis])) for axis in reduced}
        of_integers = row.equation.types[0][0] in "iu"
        x[tuple(index.at(axes) for index in access.indices)] = (
            rng.integers(0, 100) if of_integers else rng.choice([largest, -largest, np.inf, -np.inf, np.nan, -0.0])
        )
    return x


def native(code: bytes, name: str) -> Any:
    """Return the code as a function on this processor; None if it lacks the instruction."""
    try:
        here = host()
    except UnsupportedError:
        return None
    target = TARGETS[name]
    if here.arch != target.arch or not target.features <= here.features or target.vector_bits > here.vector_bits:
        return None
    block = publish(code)
    function = ffi.cast("void(*)(uintptr_t, uintptr_t, uintptr_t)", block.address)
    return lambda *arrays: (block, function(*[each.ctypes.data for each in arrays]))


# The instruction on whole registers, and the bytes of the registers of c, x and y


def counted(m: Machine, count: list[int], emit: Callable[[], None]) -> None:
    start = len(m.asm.record)
    emit()
    count[0] += len([*each_recorded(m.asm.record[start:])])


def of_fragments(m: Machine, unit: Fragments, count: list[int]) -> tuple[int, tuple[int, int, int]]:
    facts, registers = unit.facts, unit.registers
    size = (facts.widest or m.facts.widths[0]) // 8
    m.enter(m.facts.vector_registers)
    at_x, at_y, at_c = m.arguments(3)
    with m.predicates(), unit.opened(), m.vectors(2 * registers + 1 + facts.temporaries, "all") as every:
        acc, x, (y, *spare) = every[:registers], every[registers : 2 * registers], every[2 * registers :]
        assert facts.instruction is not None
        sums = facts.instruction.equation.types[2]
        lanes = m.lanes(sums, size // ELEMENT_BYTES[sums])
        unit.prepare_rows(lanes, 16)
        for place, held_in in ((at_c, acc), (at_x, x), (at_y, [y])):
            for number, register in enumerate(held_in):
                m.load(register, m.at(place, number * size), lanes)
        counted(m, count, lambda: unit.mma(0, acc, x, y, lanes, spare))
        for number, register in enumerate(acc):
            m.store(m.at(at_c, number * size), register, lanes)
    m.leave()
    return registers, (registers * size, registers * size, size)


def of_tiles(m: Machine, key: tuple[str, str], count: list[int]) -> tuple[int, tuple[int, int, int]]:
    facts = m.facts.tile_units[key]
    m.enter(0)
    at_x, at_y, at_c = m.arguments(3)
    tiles = m.tiles(*key)
    with tiles.opened([(facts.side, facts.row_bytes)] * 3, OWN, None):
        for tile, place in enumerate((at_c, at_x, at_y)):
            tiles.load(tile, m.at(place), facts.row_bytes)
        counted(m, count, lambda: tiles.product(0, 1, 2))
        tiles.store(m.at(at_c), facts.row_bytes, 0)
    m.leave()
    return 1, (facts.side * facts.row_bytes,) * 3


def of_outer_products(m: Machine, key: tuple[str, str], count: list[int]) -> tuple[int, tuple[int, int, int]]:
    facts, size = m.facts.outer_products[key], m.facts.widths[0] // 8
    side = facts.side
    m.enter(m.facts.vector_registers)
    at_x, at_y, at_c = m.arguments(3)
    square = m.outer_products(*key)
    with m.predicates(), square.opened(), m.vectors(2, "factors") as (x, y):
        square.prepare(side)
        walk(m, square, at_c, size, lambda line, place: square.load_line(0, line, place, side))
        square.load(x, m.at(at_x), side, "x", facts.depth)
        square.load(y, m.at(at_y), side, "y", facts.depth)
        counted(m, count, lambda: square.product(0, x, y, side, side))
        walk(m, square, at_c, size, lambda line, place: square.store_line(place, 0, line, side))
    m.leave()
    return 1, (side * size, size, size)


EMITTERS = {
    "units": lambda m, key, count: of_fragments(m, m.unit(*key), count),
    "mmla_units": lambda m, key, count: of_fragments(m, m.unit(*key, 2), count),
    "tile_units": of_tiles,
    "outer_products": of_outer_products,
}


# Rows


def test_rows_without_fragments_are_sequences():
    """A row has no fragments exactly if its product is several instructions, or is completed by others."""
    for target in TARGETS.values():
        for unit in facts_of(target).units.values():
            several = unit.emulated or unit.phases > 1 or unit.corrected or unit.code.product.instructions > 1
            assert unit.instruction is not None and bool(unit.instruction.fragments) != several
            assert unit.instruction.depth == unit.depth, "planners and the equation have one depth"


def printed(row: TensorInstruction, names: dict[str, str]) -> str:
    """Return a row as UNIT (Weng et al., figure 4) prints it, with its names of operands and axes."""
    c, rest = row.by_places.split(" += ")
    x, y = rest.split(" * ")
    kind = row.equation.types[2]
    text = f"d{c[1:]} = {c} + sum({kind}({x}) * {kind}({y}))"
    return re.sub(r"(\d+)\*(\w)", r"\2*\1", "".join(names.get(letter, letter) for letter in text))


@pytest.mark.parametrize("name, target, bits", [("VPDPBUSD", "avx512_vnni", 512), ("SDOT", "neon_bf16", 128)])
def test_unit_prints_these(name: str, target: str, bits: int):
    types = ("u8", "i8") if name == "VPDPBUSD" else ("i8", "i8")
    row = facts_of(TARGETS[target]).units[(*types, "exact")].instruction
    assert row is not None and row.name == name
    text = printed(row, {"e": "j", "x": "a", "y": "b"})
    assert text == "d[i] = c[i] + sum(i32(a[i*4+j]) * i32(b[i*4+j]))"
    sizes = [bits // 8 // ELEMENT_BYTES[each.dtype] for each in row.fragments]
    assert sizes == ([16, 64, 64] if bits == 512 else [4, 16, 16]) and row.depth == 4


def test_unit_prints_the_matrix_instruction():
    form = ProductForm("c[i, j] += x[i, k] * y[k, j]", "j:16 i:16", "k:16 i:16", "j:16 k:16")
    row = instruction_of("wmma.m16n16k16", form, ("f16", "f16", "f32"), single=True)
    assert row.equation.extents == (("i", 16), ("j", 16), ("k", 16))
    assert row.by_places == "c[16*i+j] += x[16*i+k] * y[16*k+j]"
    assert prod(extent or 1 for _, extent in row.fragments[0].digits) == 256


def test_an_axis_may_have_several_digits():
    swapped = Fragment("i32", (("i", 2), ("j", 2), ("i", None)))
    axes = [*swapped.axes_of_places(8)]
    assert [(each["i"], each["j"]) for each in axes] == [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (3, 0), (2, 1), (3, 1)]
    assert str(swapped) == "i:2 j:2 i"


def test_digits_of_one_axis_are_printed():
    row = facts_of(TARGETS["sve256"]).mmla_units["i8", "u8", "exact"].instruction
    assert row is not None and row.by_places == "c[4*(i//2)+2*j+(i%2)] += x[16*(i//2)+8*(i%2)+e] * y[16*(i//2)+8*j+e]"
