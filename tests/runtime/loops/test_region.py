"""Regions of several nests: drawn chains, natively and in the emulator, with init and term, and called from C."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests import c_jobs
from tests.c_jobs import BARRIER, CLAIM
from tests.profiles import scaled
from tests.runtime.loops.test_proofs_of_nests import accesses
from tilesmith.emulation.workers import Race
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.loops import region as regions
from tilesmith.runtime.loops.accesses import CallAccess
from tilesmith.runtime.loops.code import Barrier, inner
from tilesmith.runtime.loops.grammar import Range
from tilesmith.runtime.loops.region import NestRegion
from tilesmith.runtime.system.libc import ffi

ROWS, COLUMNS, SIDE = 4, 3, 4
SHAPE = ((ROWS, COLUMNS, SIDE, SIDE), "f32")
STRINGS = ("bc", "BC", "bC", "cB|", "b{R}c", "b{R:2}c{C}", "~BC", "bcB", "BC@schedule(dynamic,2)", "b|c")
LOOPS = {"b": (0, ROWS, 1, [2]), "c": (0, COLUMNS, 1)}


def scaling(i: Any, x: Any, y: Any, kernel: Any) -> None:
    """Compute each block of y from the opposite block of x, which another worker has written."""
    kernel(x[ROWS - 1 - i.b, COLUMNS - 1 - i.c], y[i.b, i.c])


def chain(steps: list[tuple[str, bool, bool]], target: str | None) -> NestRegion:
    """Return the chain v1 = 2 v0 reversed, v2 = 2 v1 reversed, ...; init negates a nest's input, term its output."""
    double = ts.equation(lambda x: x + x, x=(SIDE, SIDE), target=target)
    negate = ts.equation(lambda x: -x, x=(ROWS * COLUMNS * SIDE, SIDE), target=target)
    nests = []
    for number, (string, init, term) in enumerate(steps):
        names = f"v{number}", f"v{number + 1}"
        nests.append(
            ts.nest(
                string,
                LOOPS,
                lambda i, x, y: scaling(i, x, y, double),
                init=(lambda x, y: negate(x, x)) if init else None,
                term=(lambda x, y: negate(y, y)) if term else None,
                **dict.fromkeys(names, SHAPE),
            )
        )
    return ts.region(*nests)


def arrays(steps: list[tuple[str, bool, bool]]) -> tuple[list[Any], Any]:
    """Return the operands, and the expected value of the last one."""
    x = np.random.default_rng(len(steps)).standard_normal(SHAPE[0]).astype(np.float32)
    wanted = x
    for _, init, term in steps:
        wanted = 2 * wanted[::-1, ::-1] * (-1) ** (init + term)
    return [x, *(np.full_like(x, 7) for _ in steps)], wanted


chains = st.lists(st.tuples(st.sampled_from(STRINGS), st.booleans(), st.booleans()), min_size=2, max_size=4)


@pytest.mark.slow
@settings(max_examples=scaled(25, 2000))
@given(chains)
def test_chains(steps: list[tuple[str, bool, bool]]) -> None:
    """Every nest reads what all workers wrote in the nest before, for any number of threads."""
    k = chain(steps, None)
    for workers in (1, 2, 3, 7):
        given_, wanted = arrays(steps)
        k(*given_, threads=workers)
        np.testing.assert_array_equal(given_[-1], wanted)


@pytest.mark.slow
@settings(max_examples=scaled(10, 1000))
@given(chains, st.sampled_from(["avx2", "neon"]), st.sampled_from([1, 2, 3, 5]), st.integers(0, 999))
def test_interleavings(steps: list[tuple[str, bool, bool]], target: str, workers: int, seed: int) -> None:
    """The emulator reports accesses of two workers to one byte that no barrier orders."""
    given_, wanted = arrays(steps)
    chain(steps, target).run(*given_, workers=workers, seed=seed)
    np.testing.assert_array_equal(given_[-1], wanted)


@pytest.mark.parametrize("step", [("BC", False, False), ("BC", True, False), ("BC", False, True)])
def test_every_barrier_is_needed(step: tuple[str, bool, bool]) -> None:
    """If any one of the barriers is left out, the emulator reports a race."""
    steps = [step, ("BC", False, False)]
    count = sum(isinstance(node, Barrier) for node in inner(chain(steps, "neon").nodes))
    assert count == 1 + step[1] + step[2]
    for missing in range(count):
        k = chain(steps, "neon")
        barriers = [node for node in k.nodes if isinstance(node, Barrier)]
        kept = [number for number in range(count) if number != missing]
        seen = iter(range(len(barriers)))
        nodes = tuple(node for node in k.nodes if not isinstance(node, Barrier) or next(seen) in kept)
        k.__dict__["nodes"] = nodes
        with pytest.raises(Race):
            for seed in range(4):
                k.run(*arrays(steps)[0], workers=3, seed=seed)


def test_one_piece_of_code() -> None:
    """A kernel that several nests call is in the code once; a region prints its nests, which must have one target."""
    steps = [("BC", False, False)] * 3
    k = chain(steps, None)
    assert len(k.job.blob._placed) == 1 and str(k).count("barrier") == 2
    assert k.c_prototype.startswith("void ts_nest_") and k.listing().count("ret") >= 2
    with pytest.raises(TypeError, match="one or more nests"):
        ts.region()
    other = ts.equation(lambda x: x + x, x=(SIDE, SIDE), target="neon")
    neon = ts.nest("BC", LOOPS, lambda i, x, y: scaling(i, x, y, other), v0=SHAPE, v1=SHAPE)
    with pytest.raises(ValueError, match="nests of one target"):
        ts.region(k.nests[0], neon)


def beside(target: str | None, shares: tuple[int, ...] = ()) -> NestRegion:
    """Return the region {y = x x, t[1] = 2 x, t[0] = -x by one worker}, y += t[0] + t[1] reversed. Its first stage has
    three nests side by side, two of which write parts of one operand, and two of which have scratch memory, one a page
    and one a page for each row."""
    square, add = (make(name, 1, 8, target=target) for make, name in ((ts.unary, "square"), (ts.binary, "add")))
    double, negate = (ts.equation(f, x=(1, 8), target=target) for f in (lambda x: x + x, lambda x: -x))
    x, y, t = ((6, 1, 8), "f32"), ((6, 1, 8), "f32"), ((2, 6, 1, 8), "f32")
    rows, copy, page = {"b": (0, 6, 1)}, ts.unary("identity", 1, 8, target=target), 128

    def squares(i: Any, x: Any, h: Any, y: Any) -> None:
        square(x[i.b], h[page * i.b])
        copy(h[page * i.b], y[i.b])

    def doubles(i: Any, x: Any, h: Any, t: Any) -> None:
        double(x[i.b], h[0])
        copy(h[0], t[1, i.b])

    parts = (
        ts.nest("B", rows, squares, x=x, h=ts.scratch((6 * page, 1, 8)), y=y),
        ts.nest("B@schedule(static,1)", rows, doubles, x=x, h=ts.scratch((1, 1, 8)), t=t),
        ts.nest("b", rows, lambda i, x, t: negate(x[i.b], t[0, i.b]), x=x, t=t),
    )
    last = ts.nest("cB|", {"c": (0, 2, 1), **rows}, lambda i, y, t: add(y[i.b], t[i.c, 5 - i.b], y[i.b]), y=y, t=t)
    return ts.region(dict(zip(parts, shares)) if shares else parts, last)


def given_beside() -> tuple[list[Any], list[Any]]:
    """Return the operands x, y, t of `beside`, and the expected y and t."""
    x = np.random.default_rng(1).integers(-9, 9, (6, 1, 8)).astype(np.float32)
    t = np.stack([-x, x + x])
    return [x, np.full_like(x, 7), np.full_like(t, 7)], [x * x + t[0, ::-1] + t[1, ::-1], t]


@pytest.mark.parametrize("shares", [(), (1, 1, 1), (1, 10**6, 1), (10**6, 1, 1)])
def test_side_by_side(shares: tuple[int, ...]) -> None:
    """Nests in a tuple or with shares run by groups of workers, of any number of which all have the same result."""
    native, emulated = beside(None, shares), beside("neon", shares)
    for workers in (1, 2, 3, 5):
        (x, y, t), wanted = given_beside()
        native(x, y, t, threads=workers)
        np.testing.assert_array_equal(y, wanted[0])
        np.testing.assert_array_equal(t, wanted[1])
    for workers in (1, 4):
        (x, y, t), wanted = given_beside()
        emulated.run(x, y, t, workers=workers, turns=workers)
        np.testing.assert_array_equal(y, wanted[0])
        np.testing.assert_array_equal(t, wanted[1])


def test_groups_of_workers() -> None:
    """Without the second stage, every worker computes results of one nest: the shares 1, 2 and 1 of eight workers are
    two, four and two, of which one has the nest that distributes nothing."""
    whole = beside(None, (1, 2, 1))
    first = ts.region(dict(whole.stages[0]))
    call, seen = ffi.cast("void(*)(void *, long, long)", first.job.block.address), []
    memory = np.empty(8 * first.scratch[1], np.uint8)
    for worker in range(8):
        (x, y, t), _ = given_beside()
        table = ffi.new("uintptr_t[]", [*map(address_of, (x, y, t, memory, memory))])
        call(ffi.cast("void *", table), worker, 8)
        seen.append([int((each != 7).any(axis=-1).sum()) for each in (y, t[1], t[0])])
    assert [sum(each) for each in zip(*seen)] == [6, 6, 6]
    assert seen == [[3, 0, 0], [3, 0, 0], *([0, n, 0] for n in (2, 2, 1, 1)), [0, 0, 0], [0, 0, 6]]


def test_what_cannot_be_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    square = ts.unary("square", 1, 8)

    def made(string: str, x: str, y: str, **more: Any) -> Any:
        return ts.nest(
            string,
            {"b": (0, 4, 1)},
            lambda i, x, y: square(x[i.b], y[i.b]),
            **dict.fromkeys((x, y), ((4, 1, 8), "f32")),
            **more,
        )

    one = made("B", "x", "y")
    for other, reason in (
        (made("B", "z", "y"), "writes elements of y that the nest B, which is beside it"),
        (made("B", "y", "z"), "writes elements of y that the nest B, which is beside it"),
        (made("B", "z", "x"), "writes elements of x that the nest B, which is beside it"),
        (made("B|", "x", "z"), "the nest B. has barriers, at which all workers wait"),
        (made("B", "x", "z", init=lambda x, z: square(x[0], z[0])), "the nest B has barriers"),
        (made("B@schedule(dynamic)", "x", "z"), "a dynamic schedule, for the claims of all workers"),
    ):
        with pytest.raises(ValueError, match=reason):
            ts.region((one, other))
    for shares in ({one: 0}, {one: 1.5}, {one: True}):
        with pytest.raises(ValueError, match="a share of the workers is a whole number from 1 on"):
            ts.region(shares)  # type: ignore[arg-type]
    for wrong in ((one, 3), (), 3):
        with pytest.raises(TypeError, match="nests of ts.nest, and tuples of those side by side, not"):
            ts.region(wrong)  # type: ignore[arg-type]
    monkeypatch.setattr(regions, "_check_beside", lambda nests: None)
    race = ts.region((one, made("B", "y", "z")))
    with pytest.raises(Race, match="of y at"):
        for seed in range(4):
            race.run(*(np.ones((4, 1, 8), np.float32) for _ in "xyz"), workers=4, seed=seed)


@settings(max_examples=scaled(20, 5000))
@given(accesses(), accesses())
def test_interference_by_brute_force(first: list[CallAccess], second: list[CallAccess]) -> None:
    """If two nests are found not to interfere, no element that one writes is touched by the other one."""
    loops = {"a": Range(0, 3, 1), "b": Range(0, 8, 2), "t": Range(0, 2, 1)}
    names = {f"{letter}0": range(loop.start, loop.stop, loop.step) for letter, loop in loops.items()}
    boxes = ([replace(each, touched=()) for each in found] for found in (first, second))
    one, other = (SimpleNamespace(accesses=each, loops=loops, body_names=names) for each in boxes)

    def touched(found: list[CallAccess]) -> set[Any]:
        every: set[Any] = set()
        for values, access in product(product(*names.values()), found):
            starts = [form.value(dict(zip(names, values))) for form in access.places]
            every |= set(product(*(range(start, start + n) for start, n in zip(starts, access.extents))))
        return every

    if not list(regions._interfering(one, other)):  # type: ignore[arg-type]
        assert not touched([each for each in first if each.writes]) & touched(second)


def squares(i: Any, x: Any, y: Any) -> None:
    """A body that pickle finds by its name."""
    ts.unary("square", SIDE, SIDE)(x[i.b, i.c], y[i.b, i.c])


def test_pickles() -> None:
    k = ts.region(ts.nest("BC", LOOPS, squares, x=SHAPE, y=SHAPE), ts.nest("bC", LOOPS, squares, y=SHAPE, z=SHAPE))
    side = ts.region({ts.nest("BC", LOOPS, squares, x=SHAPE, **{name: SHAPE}): n for n, name in ((1, "y"), (2, "z"))})
    for each in (k, side):
        again = pickle.loads(pickle.dumps(each))
        assert again.code == each.code and str(again) == str(each)


@pytest.mark.parametrize("target", [None, "neon", "sve256"])
@pytest.mark.parametrize("curve", ["b{R}c", "~BC"])
def test_a_c_program_gives_the_barrier(curve: str, target: str | None, tmp_path: Path) -> None:
    """Three pthreads run a region of four nests with init and term, which call a barrier of the C library and claim
    iterations; natively, and for AArch64 under qemu.
    """
    steps = [("BC", False, True), (curve, True, False), ("CB@schedule(dynamic)", False, True), ("bc", False, True)]
    k = chain(steps, target)
    (x, *rest), wanted = arrays(steps)
    found = c_jobs.run(tmp_path, k, [x, *rest, BARRIER, CLAIM], 3, a64=target is not None)
    np.testing.assert_array_equal(found[-1], wanted)
    header = (tmp_path / "job.h").read_text()
    assert "returns when all workers have called it" in header and "as atomic_fetch_add does" in header
