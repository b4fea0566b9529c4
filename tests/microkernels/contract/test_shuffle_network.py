"""Shuffle networks: every declared shuffle does on the machine what its index map says, and every planned network
applied to vectors of indices gives the requested permutation."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from tests.guard import Array, address
from tests.profiles import scaled
from tests.transform_cases import draw
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.microkernels.contract.shuffle_network import (
    Exchange,
    ExchangeStage,
    Network,
    Shuffle,
    applied,
    number_of,
)
from tilesmith.microkernels.contract.shuffle_set import Shuffles, ShuffleSet
from tilesmith.microkernels.machines.registry import TARGETS, machine_class, machine_for
from tilesmith.microkernels.transform.candidates import plan
from tilesmith.microkernels.transform.network_search import search
from tilesmith.microkernels.transform.tile import network
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

NAMES = ("avx2", "avx512", "neon", "sve128", "sve256", "sve512")
TRANSFORMS = scaled(16, 400)


def shuffles_of(target: Target) -> Shuffles:
    found = machine_class(target).facts_of(target).shuffles
    assert isinstance(found, Shuffles)
    return found


def declared(shuffle_set: ShuffleSet) -> Iterator[Shuffle]:
    """Yield every shuffle of a fixed index map, and random rotations and swaps of bits by table."""
    for exchange in shuffle_set.exchanges:
        yield from (each for each in (exchange.low, exchange.high) if each)
    for row in shuffle_set.tables:
        bits = (shuffle_set.bytes // row.unit).bit_length() - 1 + row.pair
        within = (row.lane // row.unit).bit_length() - 1 if row.lane < shuffle_set.bytes else bits
        generator = random.Random(row.mnemonic)
        for _ in range(4):
            moved = list(range(within))
            generator.shuffle(moved)
            exchange = shuffle_set._of_row(row, row.unit, [*moved, *range(within, bits)])
            assert isinstance(exchange, Exchange)
            yield from (each for each in (exchange.low, exchange.high) if each)


def code_of(target: Target, shuffle_set: ShuffleSet, shuffle: Shuffle, first: bool) -> Code:
    """Return f(a, b, y), which stores the shuffle of a and b in y. `first`: the result replaces a in its register."""
    m = machine_for(target)
    verbs = m.shuffles()
    m.enter(6)
    a, b, y = m.arguments(3)
    with m.predicates(), m.vectors(4, "operands") as (x0, x1, table, other):
        whole = m.lanes("u8", shuffle_set.bytes)
        m.load(x0, m.at(a), whole)
        m.load(x1, m.at(b), whole)
        if shuffle.table is not None:
            verbs.table(table, shuffle)
        result = x0 if first else other
        verbs.shuffle(result, shuffle, x0, x1, table if shuffle.table is not None else None)
        m.store(m.at(y), result, whole)
    m.leave()
    return m.asm.finish("shuffle")


@pytest.mark.parametrize("name", [*NAMES, "host"])
def test_instructions(request: pytest.FixtureRequest, name: str) -> None:
    target = host.host() if name == "host" else TARGETS[name]
    if target.arch == "x86" and host.runs(target):
        pytest.skip(host.runs(target))
    server: Server | None = None if target.arch == "x86" else request.getfixturevalue("aarch64")
    for shuffle_set in shuffles_of(target).sets():
        width = shuffle_set.bytes
        a, b = (np.random.default_rng(k).integers(0, 256, width, np.uint8) for k in (1, 2))
        for shuffle in declared(shuffle_set):
            for first in (False, True):
                y = np.zeros(width, np.uint8)
                code = code_of(target, shuffle_set, shuffle, first)
                run(server, target, code, a, b, y)
                expected = applied(shuffle, 1, a.tolist(), b.tolist())
                assert y.tolist() == list(expected), (name, width, str(shuffle))


def run(server: Server | None, target: Target, code: Code, *arrays: Array) -> None:
    if server is not None:
        server.call(code, *arrays, vector_bits=target.vector_bits if target.isa == "sve" else None)
        return
    block = publish(code.data)
    ffi.cast("void(*)(uintptr_t, uintptr_t, uintptr_t)", block.address)(*map(address, arrays))


@pytest.mark.parametrize("name", [*NAMES, "host"])
def test_networks_of_plans(name: str) -> None:
    """In the network of each planned transform, outputs hold exactly the elements that belong there, in memory
    order."""
    target = host.host() if name == "host" else TARGETS[name]
    facts = machine_class(target).facts_of(target)
    for case in [next(draw(random.Random(seed), [target])) for seed in range(TRANSFORMS)]:
        tile = plan(case.spec, facts).tile
        prove(tile.goal, network(tile))


def prove(goal: tuple[str, ...], made: Network) -> None:
    """Check that every output register holds the elements that its position requires."""
    assert made.inside_after == goal
    order = made.order
    contents = made.contents(made.identity)
    for register, value in enumerate(made.outputs):
        wanted = [number_of(order, goal, element, made.across_after, register) for element in range(1 << len(goal))]
        assert list(contents[value]) == wanted
    assert sorted(n for value in made.outputs for n in contents[value]) == list(range(1 << len(order)))


@pytest.mark.parametrize("name", [*NAMES, "host"])
def test_random_permutations_of_bits(name: str) -> None:
    """The search is general: for any goal, also one that no transform requests, it finds a correct network or none."""
    target = host.host() if name == "host" else TARGETS[name]
    generator = random.Random(name)
    reached = 0
    for shuffle_set in shuffles_of(target).sets():
        for _ in range(12):
            unit = generator.choice([each for each in (2, 4, 8) if each < shuffle_set.bytes])
            inside = tuple(f"j{k}" for k in range((shuffle_set.bytes // unit).bit_length() - 1))
            across = tuple(f"i{k}" for k in range(generator.randint(1, 3)))
            labels = [*inside, *across]
            generator.shuffle(labels)
            goal = tuple(labels[: len(inside)])
            found = search(shuffle_set, unit, inside, across, goal)
            if found is not None:
                prove(goal, Network(unit, inside, across, found.stages))
                reached += 1
    assert reached >= 10


def test_a_wrong_network_is_seen() -> None:
    shuffle_set = shuffles_of(TARGETS["avx512"]).sets()[0]
    found = search(shuffle_set, 4, ("j0", "j1", "j2", "j3"), ("i0", "i1", "i2", "i3"), ("i0", "i1", "i2", "i3"))
    assert found is not None
    stages = (found.stages[0], *found.stages[:-1])
    with pytest.raises((AssertionError, ValueError, KeyError)):
        prove(("i0", "i1", "i2", "i3"), Network(4, ("j0", "j1", "j2", "j3"), ("i0", "i1", "i2", "i3"), stages))


def test_an_exchange_renames_bits() -> None:
    index = (0, 1, 3, 2)
    with pytest.raises(ValueError, match="not a permutation"):
        Exchange(Shuffle("mixed", 4, index), None, 1.0)
    assert ExchangeStage(Exchange(Shuffle("swapped", 4, (0, 2, 1, 3)), None, 1.0), None).exchange.bits == (1, 0)
