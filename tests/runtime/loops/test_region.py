"""Regions of several nests: drawn chains, natively and in the emulator, with init and term, and called from C."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests import c_jobs
from tests.c_jobs import BARRIER, CLAIM
from tests.profiles import scaled
from tilesmith.emulation.workers import Race
from tilesmith.runtime.loops.code import Barrier, inner
from tilesmith.runtime.loops.region import NestRegion

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


def squares(i: Any, x: Any, y: Any) -> None:
    """A body that pickle finds by its name."""
    ts.unary("square", SIDE, SIDE)(x[i.b, i.c], y[i.b, i.c])


def test_pickles() -> None:
    k = ts.region(ts.nest("BC", LOOPS, squares, x=SHAPE, y=SHAPE), ts.nest("bC", LOOPS, squares, y=SHAPE, z=SHAPE))
    again = pickle.loads(pickle.dumps(k))
    assert again.code == k.code and str(again) == str(k)


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
