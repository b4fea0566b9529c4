"""Nests of every kind of loop string equal numpy for any number of workers, in machine code and in the emulator."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests import c_jobs
from tests.guard import check_canary, guarded
from tests.oracles import tools
from tests.profiles import scaled
from tests.runtime.threads.jobs import Team
from tilesmith.emulation.workers import Race
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.loops import nest as nests
from tilesmith.runtime.loops.code import Barrier
from tilesmith.runtime.loops.grammar import LoopStringError
from tilesmith.runtime.loops.nest import Nest
from tilesmith.runtime.system.libc import ffi

BLOCK = (4, 16, 3)  # rows, columns, depth
LISTINGS = ("bcaBCb", "bC{R:16}aB{C:4}cb")
"""Listings 2 and 3 of the paper."""


def product(string: str, counts: tuple[int, int, int], target: str | None = None, **blockings: Any) -> Nest:
    """Return C = relu(A B) over blocks, as listing 1 of the paper."""
    mb, nb, kb = counts
    m, n, k = BLOCK
    first, add = (ts.brgemm(m, n, k, beta=beta, target=target) for beta in (0, 1))
    relu = ts.unary("relu", m, n, target=target)

    def body(i: Any, a: Any, b: Any, c: Any) -> None:
        with ts.when(i.a.first):
            first(a[i.b, i.a], b[i.c, i.a], c[i.c, i.b])
        with ts.when(i.a > 0):
            add(a[i.b, i.a], b[i.c, i.a], c[i.c, i.b])
        with ts.when(i.a.last):
            relu(c[i.c, i.b], c[i.c, i.b])

    loops = {letter: (0, count, 1, list(blockings.get(letter, (4, 2)))) for letter, count in zip("abc", (kb, mb, nb))}
    return ts.nest(string, loops, body, A=((mb, kb, m, k), "f32"), B=((nb, kb, k, n), "f32"), C=((nb, mb, m, n), "f32"))


def operands(counts: tuple[int, int, int], seed: int) -> tuple[Any, Any, Any]:
    """Return A, B and the expected C; the elements are small integers, so that sums are exact."""
    mb, nb, kb = counts
    m, n, k = BLOCK
    rng = np.random.default_rng(seed)
    a = rng.integers(-2, 3, (mb, kb, m, k)).astype(np.float32)
    b = rng.integers(-2, 3, (nb, kb, k, n)).astype(np.float32)
    return a, b, np.maximum(np.einsum("ipmk,jpkn->jimn", a, b), 0)


def called(nest: Nest, a: Any, b: Any, wanted: Any, workers: int) -> None:
    """Run the nest with `workers` workers and C between guard pages."""
    c = guarded(np.full_like(wanted, 7), "end", writable=True)
    if workers > 1 and not any(level.barrier for level in nest.spec.levels):
        team = Team()
        table = ffi.new("uintptr_t[]", [*map(address_of, (a, b, c)), *team.words])
        job = ffi.cast("void(*)(void *, long, long)", nest.job.block.address)
        for worker in reversed(range(workers)):  # one after the other, in the reverse of the pool's order
            job(ffi.cast("void *", table), worker, workers)
        np.testing.assert_array_equal(c, wanted)
        c[...] = 7
    nest(a, b, c, threads=workers)
    np.testing.assert_array_equal(c, wanted)
    check_canary(c)


@st.composite
def strings(draw: st.DrawFn) -> str:
    """Draw a string by the paper's rules: a, b and c up to three times, and one group, grid or curve of b and c."""
    letters = draw(st.permutations("abc" + draw(st.sampled_from(["", "b", "bc", "abbc", "bbcc"]))))
    kind = draw(st.sampled_from(["none", "group", "grid", "curve"]))
    made = list(letters)
    if kind == "curve":
        pairs = [i for i in range(len(made) - 1) if {made[i], made[i + 1]} == {"b", "c"}]
        if not pairs:
            return "".join(made)
        at = draw(st.sampled_from(pairs))
        pair = made[at] + made[at + 1]
        return "".join([*made[:at], "~", draw(st.sampled_from([pair, pair.upper()])), *made[at + 2 :]])
    free = [i for i, letter in enumerate(made) if letter in "bc"]
    if kind == "group":
        start = draw(st.sampled_from(free))
        stop = start + 1
        while stop < len(made) and made[stop] in "bc" and made[stop] not in made[start:stop] and draw(st.booleans()):
            stop += 1
        made[start:stop] = [letter.upper() for letter in made[start:stop]]
        made[stop - 1] += draw(st.sampled_from(["", "|"]))
        claims = ["@schedule(dynamic)", "@schedule(dynamic,3)"]  # an earlier a may be another worker's, unless all meet
        claims = claims if made[stop - 1].endswith("|") or "a" not in made[:start] else []
        return "".join(made) + draw(st.sampled_from(["", "@schedule(static,1)", "@schedule(static,3)", *claims]))
    if kind == "grid":
        places = draw(st.lists(st.sampled_from(free), min_size=1, max_size=2, unique=True))
        for axis, place in zip(draw(st.permutations("RCL")), places):
            made[place] += f"{{{axis}{draw(st.sampled_from([':1', ':2', ':5']))}}}"
    return "".join(made)


@settings(max_examples=scaled(60, 4000))
@given(strings(), st.tuples(*[st.integers(1, 9)] * 3), st.integers(0, 99))
def test_strings(string: str, counts: tuple[int, int, int], seed: int) -> None:
    nest = product(string, counts)
    a, b, wanted = operands(counts, seed)
    for workers in (1, 2, 3, 7):
        called(nest, a, b, wanted, workers)


@pytest.mark.parametrize("string", ["aBC", "bC{R}ab", "cBab@schedule(dynamic,2)", "aBC|@schedule(dynamic)", "b~BCa"])
@pytest.mark.parametrize("target", ["neon", "avx512"])
def test_in_the_emulator(string: str, target: str) -> None:
    counts = 3, 2, 2
    nest = product(string, counts, target)
    a, b, wanted = operands(counts, 5)
    for workers in (1, 3):
        c = np.full_like(wanted, 7)
        nest.run(a, b, c, workers=workers, seed=workers)
        np.testing.assert_array_equal(c, wanted)


@settings(max_examples=scaled(6, 500))
@given(strings(), st.sampled_from([1, 2, 3, 7]), st.integers(0, 999))
def test_interleavings(string: str, workers: int, seed: int) -> None:
    """The result does not depend on how the instructions of the workers interleave, and the emulator finds no race."""
    nest = product(string, (2, 3, 2), "neon")
    a, b, wanted = operands((2, 3, 2), 5)
    c = np.full_like(wanted, 7)
    nest.run(a, b, c, workers=workers, seed=seed)
    np.testing.assert_array_equal(c, wanted)


def test_whoever_comes_claims() -> None:
    """With a dynamic schedule a worker that is alone claims all iterations, and leaves none for those that come later;
    in the next loop of a region all claim anew."""
    nest = product("BCa@schedule(dynamic,2)", (3, 3, 2))
    a, b, wanted = operands((3, 3, 2), 1)
    c = np.full_like(wanted, 7)
    table = ffi.new("uintptr_t[]", [*map(address_of, (a, b, c)), *(team := Team()).words])
    job = ffi.cast("void(*)(void *, long, long)", nest.job.block.address)
    job(ffi.cast("void *", table), 2, 3)
    np.testing.assert_array_equal(c, wanted)
    c[...] = 7
    job(ffi.cast("void *", table), 0, 3)
    assert (c == 7).all() and team.state[-1] == 5 + 2


@pytest.mark.parametrize("string", ["bcA", "Acb", "cA{R}b", "bcA@schedule(dynamic)"])
def test_planted_races(string: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the proof of race freedom is disabled, the emulator reports the race for every interleaving."""
    monkeypatch.setattr(nests, "check_races", lambda *given: None)
    nest = product(string, (2, 2, 4), "avx2")
    a, b, _ = operands((2, 2, 4), 5)
    for seed in range(3):
        with pytest.raises(Race, match="of C at"):
            nest.run(a, b, np.zeros((2, 2, *BLOCK[:2]), np.float32), workers=2, seed=seed)
    nest.run(a, b, np.zeros((2, 2, *BLOCK[:2]), np.float32))


def test_a_missing_barrier() -> None:
    double, loops = ts.equation(lambda x: x + x, x=(4, 4), target="neon"), {"b": (0, 6, 1)}
    x, y, z = (((6, 4, 4), "f32"),) * 3
    first = ts.nest("B", loops, lambda i, x, y: double(x[i.b], y[i.b]), x=x, y=y)
    region = ts.region(first, ts.nest("B", loops, lambda i, y, z: double(y[5 - i.b], z[i.b]), y=y, z=z))
    arrays = [np.ones((6, 4, 4), np.float32) for _ in range(3)]
    region.run(*arrays, workers=3)
    np.testing.assert_array_equal(arrays[2], 4)
    region.__dict__["nodes"] = tuple(node for node in region.nodes if not isinstance(node, Barrier))
    del region.__dict__["job"]
    with pytest.raises(Race, match="of y at"):
        region.run(*arrays, workers=3)


@pytest.mark.parametrize(
    ("string", "place", "reason"),
    [
        ("abx", 2, "no loop 'x'"),
        ("ab", 2, "'c' is not in"),
        ("abbbbc", 4, "3 times at most"),
        ("aBcBC", 3, "side by side"),
        ("aB|C", 1, "barrier cannot be inside"),
        ("a?bc", 1, "a letter, optionally"),
        ("aB{R:0}c", 5, "1 or more"),
        ("aB{R}C", 1, "not both"),
        ("ab{R}c{R}", 5, "given twice"),
        ("ab{R}c{C}", 5, "second"),
        ("abc@sched", 4, "after @"),
        ("abc@schedule(dynamic)", 3, "there are none"),
        ("ab~c", 3, "none follows"),
        ("a~bbc", 3, "different"),
        ("a~Bc", 3, "both be upper-case"),
        ("a~b{R}c", 6, "without a grid axis"),
        ("bc~BCA", 3, "cannot be next to"),
        ("ab~", 2, "two letters"),
        ("Abc", 0, "sums into C"),
        ("bA{R:2}c", 1, "sums into C"),
        ("", 0, "a letter for each loop"),
        ("ab{X:2}c", 3, "R, C or L"),
        ("ab{R 2}c", 5, "a colon and a number"),
        ("ab{R:}c", 4, "a colon and a number"),
        ("ab{ R : 2", 9, "closing brace"),
        ("ab|{R}c", 3, "once, after"),
        ("ab{R}{C}c", 5, "once, after"),
        ("{R}abc", 0, "a letter, optionally"),
        ("abc}", 3, "has no opening one"),
        ("|abc", 0, "write a barrier"),
        ("abc||", 4, "write a barrier"),
        ("ab2c", 2, "write a number in braces"),
        ("ab\u00e4c", 2, "a letter, optionally"),
        ("aBC@plan(dynamic)", 4, "the word schedule"),
        ("aBC@schedule dynamic", 13, "an opening bracket"),
        ("aBC@ schedule( guided )", 15, "static or dynamic .* guided ones are not made"),
        ("baBC@schedule(dynamic)", 1, "iterations of a write the same elements of C, and with schedule.dynamic."),
        ("aBC@schedule(dynamic,x)", 20, "a comma and a number"),
        ("aBC@schedule(dynamic,0)", 21, "chunk: 1 or more"),
        ("aBC@schedule(static", 19, "closing bracket"),
        ("aBC@schedule(static)@schedule(static)", 20, "the end"),
        ("aB@schedule(static)", 2, "'c' is not in"),
        ("a b", 3, "'c' is not in"),
    ],
)
def test_errors_mark_the_character(string: str, place: int, reason: str) -> None:
    with pytest.raises(LoopStringError, match=reason) as caught:
        product(string, (4, 4, 4))
    assert caught.value.place == place and str(caught.value).endswith(f"    {string}\n    {' ' * place}^")


def test_blockings_and_curves_that_do_not_fit() -> None:
    """Errors about the numbers of a loop mark its letter in the string, with the mark below it in one line."""
    with pytest.raises(LoopStringError, match="blocks of 4 are not a multiple of 3") as caught:
        product("abbbc", (9, 4, 4), b=(4, 3))
    assert caught.value.place == 2
    with pytest.raises(LoopStringError, match="blocks of 4 are not a multiple of 3") as caught:
        product("a\tbb\nbc", (9, 4, 4), b=(4, 3))
    assert caught.value.place == 3 and str(caught.value).splitlines()[1:] == ["    a bb bc", "       ^"]
    with pytest.raises(LoopStringError, match="iterations on a curve") as caught:
        product("a~bc", (3000, 3000, 1))
    assert caught.value.place == 2


def test_races_and_bounds() -> None:
    """Overlapping blocks, reads of elements that another iteration writes, and accesses out of bounds are refused."""
    add, double = ts.binary("add", 4, 4), ts.unary("square", 4, 4)
    loops, shapes = {"b": (0, 6, 1)}, {"x": ((6, 4, 4), "f32"), "y": ((6, 4, 4), "f32")}
    ts.nest("B", loops, lambda i, x, y: add(x[i.b], x[5 - i.b], y[i.b]), **shapes)
    assert issubclass(ts.RaceError, ValueError)
    with pytest.raises(ts.RaceError, match="same elements of y"):
        ts.nest("B", loops, lambda i, x, y: double(x[i.b], y[0]), **shapes)

    def reads_the_next(i: Any, x: Any, y: Any) -> None:
        double(x[i.b], y[i.b])
        with ts.when(i.b < 5):
            double(y[i.b + 1], x[i.b])

    with pytest.raises(ts.RaceError, match="another writes"):
        ts.nest("B", loops, reads_the_next, **shapes)
    ts.nest("b", loops, reads_the_next, **shapes)
    with pytest.raises(IndexError, match="accesses 1 elements from 6 on along axis 0, which has 6"):
        ts.nest("B", loops, lambda i, x, y: double(x[i.b + 1], y[i.b]), **shapes)
    with pytest.raises(ts.RaceError, match="same elements"):  # rows 0 to 3 and 1 to 4 of one matrix
        ts.nest("B", loops, lambda i, x: double(x[i.b, 0], x[i.b, 0]), x=((20, 4), "f32"))
    ts.nest("B", {"b": (0, 20, 4)}, lambda i, x: double(x[i.b, 0], x[i.b, 0]), x=((20, 4), "f32"))
    with pytest.raises(UnsupportedError, match="touches 64 bytes"):
        ts.nest("B", loops, lambda i, x: double(x[i.b, 0], x[i.b, 0]), x=((20, 5), "f32"))
    with pytest.raises(TypeError, match="x of .*: must be f32, but x is f64"):
        ts.nest("B", loops, lambda i, x, y: double(x[i.b], y[i.b]), x=((6, 4, 4), "f64"), y=shapes["y"])


def test_listings_of_the_paper() -> None:
    """Order, steps and parallel loops of listings 2 and 3 equal those that the paper prints."""
    shown = "\n".join(str(product(string, (64, 32, 3), b=(16, 4), c=(8,))) for string in LISTINGS)
    loops = [line.strip() for line in shown.splitlines() if "ts_" not in line and " if " not in line]
    assert loops == Path(__file__).with_name("listings.txt").read_text().splitlines()


def test_calls_and_bodies_that_are_wrong() -> None:
    nest = product("aBC", (2, 2, 2))
    a, b, c = operands((2, 2, 2), 0)
    with pytest.raises(TypeError, match=r"takes 3 arguments \(A, B, C\), not 2"):
        nest(a, b)
    with pytest.raises(ValueError, match="C: f32 of shape"):
        nest(a, b, c[:1])
    with pytest.raises(ValueError, match="A: a contiguous array"):
        nest(np.zeros((2, 2, 3, 4), np.float32).swapaxes(2, 3), b, c)
    with pytest.raises(ValueError, match="share memory"):
        x = np.zeros((6, 4, 4), np.float32)
        ts.nest("B", {"b": (0, 6, 1)}, lambda i, x, y: ts.unary("square", 4, 4)(x[i.b], y[i.b]), x=x, y=x)(x, x)
    with pytest.raises(TypeError, match=r"ts\.when"):
        ts.nest("b", {"b": (0, 6, 1)}, lambda i, x: None if i.b == 0 else None, x=x)
    with pytest.raises(ValueError, match="calls no kernel"):
        ts.nest("b", {"b": (0, 6, 1)}, lambda i, x: None, x=x)
    assert nest.c_prototype.startswith("void ts_nest_")


def squares(i: Any, x: Any, y: Any) -> None:
    """A body that pickle finds by its name."""
    ts.unary("square", 4, 4)(x[i.b], y[i.b])


def test_pickles() -> None:
    nest = ts.nest("B", {"b": (0, 6, 1)}, squares, x=((6, 4, 4), "f32"), y=((6, 4, 4), "f32"))
    again = pickle.loads(pickle.dumps(nest))
    assert again.code == nest.code and str(again) == str(nest)


def halve(x: Any, y: Any) -> None:
    ts.equation(lambda x: x * 0.5, x=(24, 4))(x, x)


def negate(x: Any, y: Any) -> None:
    ts.equation(lambda y: -y, y=(24, 4))(y, y)


def test_init_and_term() -> None:
    """init and term are called by one worker before and after the loops, while the others wait at a barrier."""
    shapes = dict.fromkeys(("x", "y"), ((6, 4, 4), "f32"))
    nest = pickle.loads(pickle.dumps(ts.nest("B", {"b": (0, 6, 1)}, squares, init=halve, term=negate, **shapes)))
    given = np.random.default_rng(0).standard_normal((6, 4, 4)).astype(np.float32)
    for workers in (1, 2, 7):
        x, y = given.copy(), np.zeros_like(given)
        nest(x, y, threads=workers)
        np.testing.assert_array_equal(y, -((given / 2) ** 2))
        x, y = given.copy(), np.zeros_like(given)
        nest.run(x, y, workers=workers, seed=workers)
        np.testing.assert_array_equal(y, -((given / 2) ** 2))
    assert nest.written == ("y", "x") and str(nest).count("barrier") == 2
    with pytest.raises(IndexError):
        ts.nest("B", {"b": (0, 6, 1)}, squares, term=lambda x, y: ts.unary("square", 4, 4)(x[6], y[0]), **shapes)


def test_pictures() -> None:
    """The picture has every cell once, in the colours of the workers."""
    nest = product("ba~BC", (9, 6, 2))
    root = ElementTree.fromstring(nest.svg(workers=3))
    cells = [each for each in root.iter("{http://www.w3.org/2000/svg}rect") if "x" in each.attrib]
    assert len({(each.get("x"), each.get("y")) for each in cells}) == len(cells) == 9 * 6
    assert len({str(each.get("fill")).partition(",")[0] for each in cells}) == 3
    assert sum(1 for _ in root.iter("{http://www.w3.org/2000/svg}polyline")) == 3
    assert "c: 0 to 6 by 1" in nest.svg(axes="ac", workers=1)
    with pytest.raises(ValueError, match="two different loops"):
        nest.svg(axes="bb")


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_regions(workers: int) -> None:
    """A nest of a region reads what all workers wrote in the nest before; a serial nest runs once."""
    double, loops = ts.equation(lambda x: x + x, x=(4, 4)), {"b": (0, 6, 1)}
    shapes = [((6, 4, 4), "f32")] * 4
    first = ts.nest("B", loops, lambda i, x, y: double(x[i.b], y[i.b]), x=shapes[0], y=shapes[1])
    second = ts.nest("B", loops, lambda i, y, z: double(y[5 - i.b], z[i.b]), y=shapes[1], z=shapes[2])
    third = ts.nest("b", loops, lambda i, z: double(z[i.b], z[i.b]), z=shapes[2])
    region = ts.region(first, second, third)
    x = np.random.default_rng(0).standard_normal((6, 4, 4)).astype(np.float32)
    for _ in range(20):
        y, z = np.zeros_like(x), np.zeros_like(x)
        region(x, y, z, threads=workers)
        np.testing.assert_array_equal(z, 8 * x[::-1])
    z[...] = 0
    region.run(x, y, z)
    np.testing.assert_array_equal(z, 8 * x[::-1])
    assert str(region).count("barrier") == 2
    with pytest.raises(ValueError, match="in another"):
        ts.region(first, ts.nest("B", loops, lambda i, y: double(y[i.b], y[i.b]), y=((7, 4, 4), "f32")))


@pytest.mark.parametrize("name", [None, "blocked_product"])
def test_a_c_program_runs_it(name: str | None, tmp_path: Path) -> None:
    """A C program runs each worker in a thread of its own; the function may have another name."""
    nest = product("bcaBCb", (3, 3, 2))
    a, b, wanted = operands((3, 3, 2), 1)
    found = c_jobs.run(tmp_path, nest, [a, b, np.zeros_like(wanted)], 3, name=name)
    np.testing.assert_array_equal(found[2], wanted)
    assert "operands[2]: float *C" in (tmp_path / "job.h").read_text()


def test_names_of_saved_functions(tmp_path: Path) -> None:
    """A name that C cannot have is an error, as for other kernels; `ts.save` takes nests too."""
    nest = product("aBC", (2, 2, 2))
    with pytest.raises(ValueError, match="reserved word"):
        nest.save(tmp_path / "nest.o", name="for")
    nest.save(tmp_path / "nest.s", name="blocked")
    assert ".globl blocked" in (tmp_path / "nest.s").read_text()
    ts.save(tmp_path / "two.o", blocked=nest, relu=ts.unary("relu", 4, 4))
    symbols = tools.run("nm", str(tmp_path / "two.o")).stdout
    assert " T blocked" in symbols and " T relu" in symbols
    with pytest.raises(TypeError, match="a kernel, a nest"):
        ts.save(tmp_path / "two.o", blocked=3)  # type: ignore[arg-type]


def test_the_header_of_a_nest_that_distributes_nothing(tmp_path: Path) -> None:
    """A C program must not call it once for each worker, since every call would make all iterations."""
    product("abc", (2, 2, 2)).save(tmp_path / "nest.h")
    assert "Call the function once, with worker 0 and workers 1." in (tmp_path / "nest.h").read_text()
