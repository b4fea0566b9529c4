"""The model of nests agrees with a simple one that keeps a list of blocks and visits the iterations one by one."""

from __future__ import annotations

import math

import pytest

from tests.frames import frames
from tests.runtime.loops.test_nest import BLOCK, product
from tilesmith.runtime.loops.kernel_times import KernelTime, kernel_times, sets
from tilesmith.runtime.loops.machine_facts import CacheLevel, MachineFacts
from tilesmith.runtime.loops.model import predict

M, N, K = BLOCK
BYTES = {"A": 4 * M * K, "B": 4 * K * N, "C": 4 * M * N}
FACTS = MachineFacts(
    (
        CacheLevel(512, 1e12, 2e12),
        CacheLevel(2048, 5e11, 1e12),
        CacheLevel(4096, 1e11, 2e11),
        CacheLevel(0, 4e10, 4e10),
    ),
    0.0,
    2,
)
"""Facts of a machine with tiny caches, which a few blocks exceed."""
SETS = sets(FACTS)


def made_up(nest):
    """Return times that differ between kernels, arguments and working sets."""
    names = dict.fromkeys(each.call.kernel.name for each in nest.accesses)
    return {
        name: KernelTime(
            1e-6 * (1 + place),
            tuple(tuple(1e-7 * (1 + argument) * step for step in range(len(SETS))) for argument in range(3)),
        )
        for place, name in enumerate(names)
    }


def expected(nest, times, order):
    """Return the seconds of one worker that runs these (a, b, c), and the bytes that come from memory."""
    recent, seconds, memory = [], 0.0, 0
    first, add, relu = times
    last = max(a for a, _, _ in order)
    for a, b, c in order:
        calls = [first if a == 0 else add, *([relu] if a == last else [])]
        seconds += sum(times[each].seconds for each in calls)
        for argument, block in enumerate((("A", b, a), ("B", c, a), ("C", c, b))):
            apart = math.inf
            if block in recent:
                apart = sum(BYTES[each[0]] for each in recent[recent.index(block) :])
                recent.remove(block)
            recent.append(block)
            memory += BYTES[block[0]] if apart > 4096 else 0
            costs = times[calls[0]].further[argument]
            at = min(max(math.log2(min(apart, 1e9) / SETS[0]), 0), len(SETS) - 1)
            low = min(int(at), len(SETS) - 2)
            seconds += costs[low] + (at - low) * (costs[low + 1] - costs[low])
    return seconds, memory


@pytest.mark.parametrize(
    "string, loops",
    [
        ("abc", lambda: [(a, b, c) for a in range(4) for b in range(5) for c in range(6)]),
        ("cba", lambda: [(a, b, c) for c in range(6) for b in range(5) for a in range(4)]),
        (
            "bcab",
            lambda: [(a, b, c) for o in (0, 3) for c in range(6) for a in range(4) for b in range(o, min(o + 3, 5))],
        ),
    ],
    ids=["abc", "cba", "bcab"],
)
def test_against_a_list_of_blocks(string, loops):
    nest = product(string, (5, 6, 4), b=(3,))
    times = made_up(nest)
    found = predict(nest, 1, FACTS, times)
    seconds, memory = expected(nest, times, loops())
    assert found.seconds == pytest.approx(seconds, rel=1e-3)
    assert found.bytes[-1] == memory
    assert found.iterations == 120


def test_shared_and_uneven_work():
    """Shared work takes less time, and one worker that gets most of it takes longer than an even division."""
    facts, one = FACTS, made_up(product("abc", (8, 8, 8)))
    serial, shared = (predict(product(each, (8, 8, 8)), 2, facts, one).seconds for each in ("bca", "BCa"))
    assert 0.45 < shared / serial < 0.6
    assert predict(product("bca", (8, 8, 8)), 1, facts, one).seconds == pytest.approx(serial)
    uneven, even = (predict(product(each, (3, 8, 8)), 2, facts, one).seconds for each in ("Bca", "BCa"))
    assert uneven > 1.2 * even


def test_bandwidth_is_the_least():
    slow = FACTS._replace(levels=(*FACTS.levels[:-1], CacheLevel(0, 1e6, 1e6)))
    nest = product("abc", (8, 8, 8))
    found = predict(nest, 1, slow, made_up(nest))
    assert found.seconds == pytest.approx(found.bytes[-1] / 1e6)


def test_a_long_nest_takes_as_much_work_as_a_short_one():
    """The work in Python does not grow with the iterations: 2048 cubed in blocks of 64 is predicted in 10 ms."""

    def entered(count: int) -> int:
        nest = product("bcbaC", (count, count, count))
        times = made_up(nest)
        return frames(lambda: predict(nest, 2, FACTS, times)).total()

    assert entered(64) == pytest.approx(entered(16), rel=0.1)


def test_kernels_are_timed_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TILESMITH_CACHE", str(tmp_path))
    nest = product("BCa", (2, 2, 2))
    found = kernel_times(nest, FACTS)
    assert kernel_times(nest, FACTS) == found
    for name, each in found.items():
        assert 1e-10 < each.seconds < 0.1
        products = "brgemm" in name
        assert [len(costs) for costs in each.further] == [len(SETS)] * (3 if products else 2)
        assert all(costs == tuple(sorted(costs)) and costs[0] >= 0 for costs in each.further)
