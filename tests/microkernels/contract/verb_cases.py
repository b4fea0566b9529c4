"""Tiny kernels, one for each verb on vector registers, with their expected results by numpy.

A case has an emitter, the expected output, and the element types and machines for which the verb exists. Values are
small integers, so results are exact in every type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.microkernels.codegen.selection import Emission, arithmetic_of
from tilesmith.microkernels.contract.machine import Machine
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.machines.registry import machine_for
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
ARITHMETIC = ("f32", "f64")
MOVED = (*ARITHMETIC, "i8", "u8", "i16", "bf16", "i32", "i64")


class Setting(NamedTuple):
    """What the emitter of a case gets: a machine, addresses of x, y and the output z, vector registers, lanes."""

    m: Machine
    x: Any
    y: Any
    z: Any
    registers: list[int]
    lanes: Any
    whole: Any  # all elements of the register that the lanes are in
    dtype: str
    size: int

    def put(self, register: int, element: int = 0) -> None:
        """Store the whole register to z, at an element."""
        self.m.store(self.m.at(self.z, element * self.size), register, self.whole)


class Case(NamedTuple):
    """An emitter, the expected z as a function of (x, y, count, capacity, z before), and where the verb exists."""

    emit: Callable[[Setting], None]
    expected: Callable[[Array, Array, int, int, Array], Array]
    dtypes: tuple[str, ...] = ARITHMETIC
    applies: Callable[[Machine, str, int, int], bool] = lambda m, dtype, count, capacity: True


def padded(values: Array, capacity: int) -> Array:
    """Return the values, followed by zeros up to the register's end."""
    return np.concatenate([values, np.zeros(capacity - len(values), values.dtype)])


def first(z: Array, values: Array) -> Array:
    """Return z with these values at its beginning."""
    z[: len(values)] = values
    return z


CASES: dict[str, Case] = {}


def case(
    expected: Callable[..., Array],
    dtypes: tuple[str, ...] = ARITHMETIC,
    applies: Callable[..., bool] = lambda m, dtype, count, capacity: True,
) -> Callable[[Any], Any]:
    """Register an emitter under its name."""

    def registered(emit: Callable[[Setting], None]) -> Callable[[Setting], None]:
        CASES[emit.__name__] = Case(emit, expected, dtypes, applies)
        return emit

    return registered


def is_whole(m: Machine, dtype: str, count: int, capacity: int) -> bool:
    return count == capacity


@case(lambda x, y, n, most, z: first(z, padded(x[:n], most)), MOVED)
def load(s: Setting) -> None:
    s.m.load(s.registers[0], s.m.at(s.x), s.lanes)
    s.put(s.registers[0])


@case(lambda x, y, n, most, z: first(z, x[:n]), MOVED)
def store(s: Setting) -> None:
    s.m.load(s.registers[0], s.m.at(s.x), s.whole)
    s.m.store(s.m.at(s.z), s.registers[0], s.lanes)


@case(lambda x, y, n, most, z: first(z, np.zeros(most, z.dtype)), MOVED)
def zero(s: Setting) -> None:
    s.m.load(s.registers[0], s.m.at(s.x), s.whole)
    s.m.zero(s.registers[0], s.lanes)
    s.put(s.registers[0])


@case(lambda x, y, n, most, z: first(z, np.full(most, x[1])))
def broadcast(s: Setting) -> None:
    s.m.broadcast(s.registers[0], s.m.further(s.m.at(s.x), s.size), s.whole)
    s.put(s.registers[0])


@case(
    lambda x, y, n, most, z: first(z, np.repeat(x[:most], 2)),
    ("f32",),
    applies=lambda m, dtype, count, capacity: m.facts.copies(4) == 2 and count == capacity,
)
def twice(s: Setting) -> None:
    s.m.load(s.registers[0], s.m.at(s.x), s.whole)
    s.m.twice(s.registers[1], s.registers[2], s.registers[0])
    s.put(s.registers[1])
    s.put(s.registers[2], s.lanes.capacity)


@case(lambda x, y, n, most, z: first(z, np.full(most, 2.5, z.dtype)))
def constant(s: Setting) -> None:
    s.m.constant(s.registers[0], 2.5, s.whole)
    s.put(s.registers[0])


@case(lambda x, y, n, most, z: first(z, np.concatenate([x[:most], padded(x[most:][:n], most)])))
def load_next(s: Setting) -> None:
    s.m.load_next(s.registers[:2], s.m.at(s.x), [s.whole, s.lanes])
    s.put(s.registers[0])
    s.m.store(s.m.at(s.z, s.whole.bytes), s.registers[1], s.whole)


@case(lambda x, y, n, most, z: first(z, np.concatenate([x[:most], x[most:][:n]])))
def store_next(s: Setting) -> None:
    for number in range(2):
        s.m.load(s.registers[number], s.m.at(s.x, number * s.whole.bytes), s.whole)
    s.m.store_next(s.m.at(s.z), s.registers[:2], [s.whole, s.lanes])


@case(
    lambda x, y, n, most, z: first(z, padded(x[:n] if (x[:n] == y[:n]).all() else y[:n], most)),
    applies=lambda m, dtype, count, capacity: m.facts.branches_on_masks,
)
def unless_all(s: Setting) -> None:
    """Store y to z unless x equals x, which it does; then store x, and then y unless x equals y."""
    x, y, equal = *s.registers[:2], arithmetic_of(s.m.facts).rows["eq", s.dtype]
    s.m.load(x, s.m.at(s.x), s.lanes)
    s.m.load(y, s.m.at(s.y), s.lanes)
    for other in (x, y):
        with s.m.masks(2) as masks:
            equal.emit(s.m, Emission(masks[0], (x, x), None, s.lanes, None))
            equal.emit(s.m, Emission(masks[1], (x, other), None, s.lanes, None))
            with s.m.unless_all(masks, s.lanes):
                s.put(y)
        if other is x:
            s.put(x)


@case(lambda x, y, n, most, z: first(z, padded(x[: 3 * n : 3], most)))
def gather(s: Setting) -> None:
    s.m.gather(s.registers[0], [s.m.at(s.x, 3 * i * s.size) for i in range(s.lanes.count)], s.lanes, s.registers[1])
    s.put(s.registers[0])


def arithmetic(s: Setting) -> tuple[int, int, int]:
    """Load x, y and z into registers."""
    for register, base in zip(s.registers, (s.x, s.y, s.z)):
        s.m.load(register, s.m.at(base), s.lanes)
    return s.registers[0], s.registers[1], s.registers[2]


@case(lambda x, y, n, most, z: first(z, padded(x[:n] + y[:n], most)))
def add(s: Setting) -> None:
    x, y, z = arithmetic(s)
    s.m.add(z, x, y, s.lanes)
    s.put(z)


@case(lambda x, y, n, most, z: first(z, padded(x[:n] * y[:n], most)))
def mul(s: Setting) -> None:
    x, y, z = arithmetic(s)
    s.m.mul(z, x, y, s.lanes)
    s.put(z)


@case(lambda x, y, n, most, z: first(z, padded(z[:n] + x[:n] * y[:n], most)))
def fma(s: Setting) -> None:
    x, y, z = arithmetic(s)
    s.m.fma(z, x, y, s.lanes)
    s.put(z)


@case(
    lambda x, y, n, most, z: first(
        z, np.concatenate([x[:most] * (y[1] + y[2]), padded(x[most:][:n] * (y[1] + y[2]), most)])
    )
)
def fma_column(s: Setting) -> None:
    """Test the verb twice: the first time the row vectors are needed again."""
    y, *rows = s.registers[:3]
    sums, lanes = s.registers[3:5], [s.whole, s.lanes]
    for register, total, held, at in zip(rows, sums, lanes, (0, s.whole.bytes)):
        s.m.load(register, s.m.at(s.x, at), held)
        s.m.zero(total, held)
    for element, spent in ((1, False), (2, True)):
        s.m.broadcast(y, s.m.at(s.y, element * s.size), s.whole)
        s.m.fma_column(sums, rows, y, lanes, spent)
    s.put(sums[0])
    s.put(sums[1], s.whole.count)


@case(lambda x, y, n, most, z: first(z, padded(z[:n] + y[:n], most)))
def add_memory(s: Setting) -> None:
    _, spare, z = arithmetic(s)
    s.m.add_memory(z, s.m.at(s.y), s.lanes, spare)
    s.put(z)


@case(lambda x, y, n, most, z: first(z, padded(z[:n] + x[:n] * y[:n], most)))
def fma_memory(s: Setting) -> None:
    x, spare, z = arithmetic(s)
    s.m.fma_memory(z, x, s.m.at(s.y), s.lanes, spare)
    s.put(z)


@case(lambda x, y, n, most, z: first(z, padded(x[:n] * y[:n], most)))
def mul_memory(s: Setting) -> None:
    x, spare, z = arithmetic(s)
    s.m.mul_memory(z, x, s.m.at(s.y), s.lanes, spare)
    s.put(z)


@case(
    lambda x, y, n, most, z: first(z, np.concatenate([z[:n] + x[:n] * y[1], x[:n] * y[2]])),
    applies=lambda m, *_: m.facts.embedded_broadcast,
)
def scalar(s: Setting) -> None:
    x, product, z = arithmetic(s)
    s.m.fma(z, x, s.m.scalar(s.m.at(s.y, s.size)), s.lanes)
    s.m.mul(product, x, s.m.scalar(s.m.at(s.y, 2 * s.size)), s.lanes)
    s.m.store(s.m.at(s.z), z, s.lanes)
    s.m.store(s.m.at(s.z, s.lanes.bytes), product, s.lanes)


def has_groups(m: Machine, dtype: str, count: int, capacity: int) -> bool:
    return m.facts.group(numpy_dtype(dtype).itemsize) > 1 and count == capacity


def by_elements(x: Array, y: Array, n: int, most: int, z: Array) -> Array:
    """Return x * y[j] for every element of a group of 128 bits, then of a group of one element."""
    group = 16 // x.itemsize
    return first(z, np.concatenate([x[:most] * y[j] for j in (*range(group), 0)]))


@case(by_elements, applies=has_groups)
def of_group(s: Setting) -> None:
    """Test load_group too."""
    x, group, z = arithmetic(s)
    for number, count in enumerate((16 // s.size, 1)):
        s.m.lanes(s.dtype, count)
        s.m.load_group(group, s.m.at(s.y), count, s.whole)
        for j in range(count):
            s.m.mul(z, x, s.m.of_group(group, j), s.whole)
            s.put(z, ((16 // s.size if number else 0) + j) * s.whole.count)


def has_a_half(m: Machine, dtype: str, count: int, capacity: int) -> bool:
    return m.facts.halves and count == capacity and capacity * numpy_dtype(dtype).itemsize > 16


@case(lambda x, y, n, most, z: first(z, x[most // 2 : most]), applies=has_a_half)
def halve(s: Setting) -> None:
    half = s.m.lanes(s.dtype, s.whole.count // 2)
    s.m.load(s.registers[0], s.m.at(s.x), s.whole)
    s.m.halve(s.registers[1], s.registers[0], s.whole)
    s.m.store(s.m.at(s.z), s.registers[1], half)


def columns(s: Setting) -> list[int]:
    """Load columns from x into registers, one per lane or as many as there are registers."""
    taken = s.registers[4 : 4 + min(s.lanes.count, s.whole.count, len(s.registers) - 4)]
    for j, register in enumerate(taken):
        s.m.load(register, s.m.at(s.x, j * s.whole.bytes), s.whole)
    return taken


def column_sums(x: Array, y: Array, n: int, most: int, z: Array) -> Array:
    n = min(n, COLUMNS)
    return first(z, x[: n * most].reshape(n, most).sum(1))


COLUMNS = 8


@case(column_sums)
def sum_columns(s: Setting) -> None:
    taken = columns(s)
    total = s.m.sum_columns(taken, s.whole, s.registers[0])
    s.m.store(s.m.at(s.z), total, s.m.lanes(s.dtype, len(taken)))


def fold(s: Setting, step: Callable[[int, int, int], None]) -> None:
    """Fold columns by the tree of `sum_columns` with another verb."""
    taken = current = columns(s)
    for level in range((s.whole.count - 1).bit_length()):
        pairs = [(current[i], current[min(i + 1, len(current) - 1)]) for i in range(0, len(current), 2)]
        for x, y in pairs:
            step(level, x, y)
        current = [x for x, _ in pairs]
    s.m.store(s.m.at(s.z), current[0], s.m.lanes(s.dtype, len(taken)))


@case(column_sums)
def pairwise(s: Setting) -> None:
    fold(s, lambda level, x, y: s.m.pairwise(level, x, x, y, s.registers[0], s.whole))


@case(lambda x, y, n, most, z: first(z, x[: min(n, COLUMNS) * most].reshape(min(n, COLUMNS), most).prod(1)))
def neighbours(s: Setting) -> None:
    """Fold by a multiplication, with the masks of `folding`."""

    def step(level: int, x: int, y: int) -> None:
        s.m.neighbours(level, s.registers[0], x, x, y, s.whole)
        s.m.mul(x, x, s.registers[0], s.whole)

    with s.m.folding():
        fold(s, step)


@case(column_sums)
def neighbours_without_masks(s: Setting) -> None:
    """Use a separate register for `high`; both sources are kept until they are overwritten."""

    def step(level: int, x: int, y: int) -> None:
        s.m.neighbours(level, s.registers[0], s.registers[1], x, y, s.whole)
        s.m.add(x, s.registers[0], s.registers[1], s.whole)

    fold(s, step)


@case(lambda x, y, n, most, z: first(z, np.concatenate([x[:n], x[:n][:1]])))
def elements(s: Setting) -> None:
    one = s.m.lanes(s.dtype, 1)
    s.m.load(s.registers[0], s.m.at(s.x), s.whole)
    for j, register in enumerate(s.m.elements(s.registers[0], s.lanes.count, s.registers[1:3], s.whole)):
        s.m.store(s.m.at(s.z, j * s.size), register, one)
    s.m.store(s.m.at(s.z, s.lanes.count * s.size), s.registers[0], one)  # src is kept


@case(
    lambda x, y, n, most, z: first(z, np.concatenate([x[:n], np.zeros(most - n, x.dtype)])),
    applies=lambda m, dtype, n, most: m.facts.counts_lanes([ELEMENT_BYTES[dtype]]) and most > 2,
)
def dynamic_lanes(s: Setting) -> None:
    many = s.m.general("how many")
    s.m.copy(many, s.lanes.count)
    with s.m.predicates():
        s.m.dynamic_lanes(s.dtype, s.whole.capacity - 1, many)
        s.m.load(s.registers[0], s.m.at(s.x), s.m.lanes(s.dtype, s.whole.capacity - 1))
    s.put(s.registers[0])


@case(
    lambda x, y, n, most, z: first(z, x[:most].view(np.uint32) & 0xFFFF),
    ("u32",),
    lambda m, *rest: bool(m.facts.tile_units) and is_whole(m, *rest),
)
def keep_low(s: Setting) -> None:
    s.m.load(s.registers[0], s.m.at(s.x), s.whole)
    s.m.keep_low(s.registers[0], 16, s.whole)
    s.put(s.registers[0])


OUTPUT = 20
"""The number of registers of output, and of input."""


def capacities(target: Target, dtype: str) -> range:
    """Return all counts of lanes, up to those of the widest register."""
    return range(1, target.vector_bits // 8 // numpy_dtype(dtype).itemsize + 1)


def built(name: str, target: Target, dtype: str, count: int) -> tuple[Code, int] | None:
    """Return the code of f(x, y, z) and the capacity of the lanes, or None if the machine has no such verb for them."""
    m = machine_for(target)
    m.enter(4 + COLUMNS)
    x, y, z = m.arguments(3)
    size = numpy_dtype(dtype).itemsize
    capacity = m.facts.lanes_bits(count, size) // 8 // size
    if not CASES[name].applies(m, dtype, count, capacity):
        return None
    with m.predicates(), m.vectors(4 + COLUMNS, "all") as registers:
        lanes, whole = m.lanes(dtype, count), m.lanes(dtype, capacity)
        CASES[name].emit(Setting(m, x, y, z, registers, lanes, whole, dtype, size))
    m.leave()
    return m.asm.finish(name), capacity
