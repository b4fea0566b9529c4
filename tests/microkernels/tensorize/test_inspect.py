"""The inspector against brute force: what each element of each register must hold, for every point of a tile."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest

from tests.profiles import scaled
from tilesmith.microkernels.contract.equation import Access, Equation
from tilesmith.microkernels.tensorize.expressions import (
    SUMS,
    AffineLoops,
    LoopAxis,
    TensorProgram,
    axis,
    f32,
    i32,
    reduce_axis,
    summed,
    tensor,
)
from tilesmith.microkernels.tensorize.inspect import inspect
from tilesmith.microkernels.tensorize.instructions import TensorInstruction

Extents = tuple[tuple[str, int], ...]


def instruction(text: str, *extents: tuple[str, int]) -> TensorInstruction:
    return TensorInstruction("unit", Equation(text, ("f32", "f32", "f32"), extents))


UNITS = [
    instruction("c[i] += x[2*i+e] * y[e]", ("i", 2), ("e", 2)),
    instruction("c[i] += x[2*i+e] * y[2*i+e]", ("i", 2), ("e", 2)),
    instruction("c[m, n] += x[m, e] * y[n, e]", ("m", 2), ("n", 2), ("e", 2)),
    instruction("c[m, n] += x[m, 2*s+e] * y[s, 2*n+e]", ("m", 2), ("n", 2), ("s", 2), ("e", 2)),
    instruction("c[i] += x[i] * y[0]", ("i", 2)),
    instruction("c[m, n] += x[m] * y[n]", ("m", 2), ("n", 2)),
    instruction("c[i] += x[i+e] * y[e]", ("i", 2), ("e", 2)),  # windows that overlap in a register: an own instruction
    instruction("c[i] += x[2*i+e] * y[e]", ("i", 2), ("e", 3)),
]


def program_of(random: Random) -> TensorProgram:
    """Return a program of 2 to 6 loops whose indices are drawn. Each loop has more iterations than any axis."""
    count = random.randint(2, 6)
    loops = [(reduce_axis if at and random.random() < 0.5 else axis)(random.randint(4, 5)) for at in range(count)]
    factors = []
    for _ in range(2):
        indices = []
        for _ in range(random.randint(1, 3)):
            index = AffineLoops((), 0)
            for loop in random.sample(loops, random.randint(0, 2)):
                assert isinstance(loop, LoopAxis)
                index = index + loop * random.choice([1, 1, 1, 2, 3])
            indices.append(index)
        factors.append(tensor([index.span[1] + 1 for index in indices], "f32")[tuple(indices)])
    used = {loop for each in factors for index in each.indices for loop, _ in index.terms if loop.reduced}
    return summed(factors[0] * factors[1], tuple(used))


def groupings(extents: Extents) -> list[list[Extents]]:
    """Return the axes cut into runs of neighbours, in every way."""
    if not extents:
        return [[]]
    return [[extents[:at], *rest] for at in range(1, len(extents) + 1) for rest in groupings(extents[at:])]


def brute(program: TensorProgram, unit: TensorInstruction) -> set[object]:
    """Return the mappings of single loops with which every element of a register is one element of a tensor, and
    different accumulators are different elements of the result."""
    found = set()
    shapes, accesses, equation = program.shapes, program.equation.accesses, unit.equation
    reduced = {program.names[loop] for loop in program.loops if loop.reduced}
    loops = [name for name, _ in program.equation.extents]
    extents = tuple((name, extent or 1) for name, extent in equation.extents)

    def element(access: Access, shape: tuple[int, ...], at: dict[str, int]) -> int:
        place = 0
        for index, extent in zip(access.indices, shape):
            place = place * extent + sum(factor * at.get(name, 0) for factor, name in index.terms)
        return place

    for exchanged in (False, True):
        order = (0, 2, 1) if exchanged else (0, 1, 2)
        for groups in groupings(extents):
            for chosen in permutations(loops, len(groups)):
                right = True
                held: list[dict[object, int]] = [{}, {}, {}]
                for point in product(*(range(extent) for _, extent in extents)):
                    axes, at = dict(zip((name for name, _ in extents), point)), {}
                    for group, loop in zip(groups, chosen):
                        value = 0
                        for name, extent in group:
                            value = value * extent + axes[name]
                        at[loop] = value
                    for place in range(3):
                        register = tuple(index.at(axes) for index in equation.accesses[place].indices)
                        here = element(accesses[order[place]], shapes[order[place]], at)
                        right = right and held[place].setdefault(register, here) == here
                right = right and len(set(held[0].values())) == len(held[0])
                if right:
                    names = tuple(tuple(name for name, _ in group) for group in groups)
                    found.add((exchanged, tuple(zip(names, chosen))))
    assert not any(loop in reduced and "i" in axes for _, pairs in found for axes, loop in pairs)
    return found


def test_the_inspector_finds_what_brute_force_finds() -> None:
    random, feasible = Random(20211), 0
    for _ in range(scaled(25, 12_500)):
        program = program_of(random)
        for unit in UNITS:
            found = {
                (each.exchanged, tuple((axes, loops.names[0]) for axes, loops in each.axes))
                for each in inspect(program, unit).mappings
                if all(len(loops.names) == 1 for _, loops in each.axes)
            }
            wanted = brute(program, unit)
            assert found == wanted, f"{program}: {unit}"
            feasible += len(wanted)
    assert feasible > 100


def convolution(x: str = "u8", w: str = "i8", depthwise: bool = False) -> TensorProgram:
    n, p, q, k = axis(1, 14, 14, 32, names="n p q k")
    r, s, c = reduce_axis(3, 3, 16, names="r s c")
    images = tensor((1, 16, 16, 32 if depthwise else 16), x)
    if depthwise:
        weights = tensor((3, 3, 32), w)
        return summed(i32(images[n, p + r, q + s, k]) * i32(weights[r, s, k]), (r, s))
    weights = tensor((3, 3, 16, 32), w)
    cast = f32 if x == "f32" else i32
    return summed(cast(images[n, p + r, q + s, c]) * cast(weights[r, s, c, k]), (r, s, c))


VNNI = TensorInstruction(
    "VPDPBUSD", Equation("c[i] += x[4*i+e] * y[4*i+e]", ("u8", "i8", "i32"), (("i", 16), ("e", 4)))
)


def test_the_example_of_the_paper() -> None:
    """UNIT's figure 5: k of the convolution goes to the lanes and c to the reduction; x is broadcast."""
    found = [str(each) for each in inspect(convolution(), VNNI).mappings]
    assert "i takes k, e takes c, x is broadcast along i" in found
    assert all(each.startswith(("i takes k", "i takes p", "i takes q", "i takes n")) for each in found)


def test_a_refusal_names_operand_axis_and_loop() -> None:
    found = inspect(
        convolution(depthwise=True),
        UNITS[2]._replace(
            equation=Equation("c[m, n] += x[m, e] * y[n, e]", ("u8", "i8", "i32"), (("m", 2), ("n", 2), ("e", 8)))
        ),
    )
    assert not found.mappings
    assert "loop k is in y, but axis m of unit is not in its y" in found.reasons


def test_chains_of_loops_act_as_one() -> None:
    found = [str(each) for each in inspect(convolution(), VNNI).mappings]
    assert "i takes k, e takes s c, x is broadcast along i" in found
    assert not any("r c" in each or "r s" in each for each in found), "rows of the image do not follow each other"


def test_types_decide_first() -> None:
    found = inspect(convolution("f32", "f32"), VNNI)
    assert found.reasons == ("VPDPBUSD sums u8 x i8 in i32, and the program f32 x f32 in f32",)


@pytest.mark.parametrize("name", ["x[i+i]", "x[k*2-1]"])
def test_indices_outside_are_refused(name: str) -> None:
    i, k = axis(4, names="i"), reduce_axis(3, names="k")
    x = tensor(4, "f32")
    with pytest.raises(IndexError, match="axis 0 of shape"):
        eval(name, {"x": x, "i": i, "k": k})


def test_programs_that_are_none_say_why() -> None:
    i, j = axis(4, 5, names="i j")
    k, other = reduce_axis(3, 2, names="k other")
    assert isinstance(i, LoopAxis) and isinstance(k, LoopAxis)
    x, y, z = tensor((4, 3), "f32"), tensor((3, 5), "f32"), tensor((3, 5), "f64")
    with pytest.raises(ValueError, match="not summed over; add it to axis="):
        summed(x[i, k] * y[k, j], ())
    with pytest.raises(ValueError, match="in neither factor"):
        summed(x[i, k] * y[k, j], (k, other))
    with pytest.raises(ValueError, match="those of ts.axis are axes of the result"):
        summed(x[i, k] * y[k, j], (k, j))
    with pytest.raises(TypeError, match="a product of f32 and f64; convert both"):
        summed(x[i, k] * z[k, j], k)
    with pytest.raises(TypeError, match="the product of two elements"):
        summed(x[i, k], k)
    with pytest.raises(TypeError, match="an axis times an axis is none"):
        x[i * k, 0]  # type: ignore[operator]
    with pytest.raises(TypeError, match="ts.i32 converts integers"):
        f32(tensor(4, "u8")[i])
    assert SUMS == ("i32", "f32", "f64")


def test_names_of_loops_are_counted_where_none_are_given() -> None:
    i, k = axis(4), reduce_axis(3)
    program = summed(tensor((4, 3), "f32")[i, k] * tensor(3, "f32")[k], k)
    assert program.equation.text == "c[i0] += x[i0, r0] * y[r0]"
