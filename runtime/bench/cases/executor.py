"""`tilesmith bench executor`: steps of a graph in one call, beside the same kernels called one after the other.

*chain* has steps of 16 x 64 numbers, *block* a transformer block of width 64 with 4 heads, for 2 sequences of 16. The
kernels alone are machine code that calls each step many times; what an executor takes beyond their sum is its own time:
the call from Python, the loads of addresses and the calls of kernels. All run on one thread.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api.attention import attention
from ...api.eltwise import equation, unary
from ...api.functions import gelu
from ...api.fused import fused
from ...arguments.arrays import Array, address_of
from ...executor.run import Executor, GraphSlot
from ...executor.segments import Segment
from ...executor.steps import ARENA, Entry, GraphStep, SlotAddress
from ...loops.scratch import PageBuffer
from ...ops.linear import linear
from ..measure import Contender, NativeCall, PythonCall
from ..runner import Bench, Run, Table
from ..table import Row, Wanted

ROWS, WIDTH, HEADS, SEQUENCES = 32, 64, 4, 2
STEPS = 1, 2, 4, 16
SIZE = 4
"""The bytes of an element."""


class StepList:
    """Steps whose values lie one after the other in the arena, with the calls that compute the same from Python."""

    def __init__(self, shape: tuple[int, int]) -> None:
        rng = np.random.default_rng(1)
        self.rng, self.steps, self.constants = rng, list[GraphStep](), list[Array]()
        self.x, self.y = (rng.standard_normal(shape, dtype=np.float32) for _ in range(2))
        self.arena = 0

    def value(self, columns: int) -> SlotAddress:
        """Return the place of a new value."""
        place = SlotAddress(ARENA, self.arena)
        self.arena += ROWS * columns * SIZE
        return place

    def constant(self, array: Array) -> SlotAddress:
        """Return the place of a constant."""
        self.constants.append(array)
        return SlotAddress(2 + len(self.constants))

    def drawn(self, *shape: int) -> Array:
        """Return weights."""
        return self.rng.standard_normal(shape, dtype=np.float32) / 8

    def step(self, entry: Entry, *operands: SlotAddress | int) -> None:
        """Add a step."""
        self.steps.append(GraphStep(entry, operands))

    @property
    def slots(self) -> list[GraphSlot]:
        """The arena, the argument, the result and the constants."""
        given = [GraphSlot("x", self.x.nbytes), GraphSlot("y", self.y.nbytes, True)]
        constants = [GraphSlot("w", constant=each) for each in self.constants]
        return [GraphSlot("arena", self.arena, True), *given, *constants]


def chain(count: int) -> StepList:
    """Return so many elementwise steps."""
    made, kernel = StepList((ROWS // 2, WIDTH)), unary("abs", ROWS // 2, WIDTH)
    places = [SlotAddress(1), *(made.value(WIDTH) for _ in range(count - 1)), SlotAddress(2)]
    for before, after in zip(places, places[1:]):
        made.step(kernel, before, after)
    return made


def block() -> StepList:
    """Return a transformer block: norm, projection, attention of each sequence, projection; norm and two layers."""
    made = StepList((ROWS, WIDTH))
    each, size = ROWS // SEQUENCES, WIDTH // HEADS
    wide = 3 * WIDTH

    def dense(x: SlotAddress, k: int, n: int, activation: Callable[[Expr], Expr] | None = None) -> SlotAddress:
        layer, to = linear(ROWS, n, k, activation=activation), made.value(n)
        packed = made.constant(layer.pack(made.drawn(k, n)).array)
        made.step(layer, x, packed, to, made.constant(made.drawn(n)))
        return to

    def norm(x: SlotAddress) -> SlotAddress:
        kernel, to = fused("layernorm", ROWS, WIDTH), made.value(WIDTH)
        made.step(kernel, x, made.constant(made.drawn(1, WIDTH)), made.constant(made.drawn(1, WIDTH)), to)
        return to

    def added(x: SlotAddress, y: SlotAddress, to: SlotAddress) -> SlotAddress:
        made.step(equation(lambda x, y: x + y, x=(ROWS, WIDTH), y=(ROWS, WIDTH)), x, y, to)
        return to

    joint, mixed = dense(norm(SlotAddress(1)), WIDTH, wide), made.value(WIDTH)
    heads = attention(HEADS, each, each, size, order="F", ldq=wide, ldk=wide, ldv=wide)
    for sequence in range(SEQUENCES):
        begin = joint.offset + sequence * each * wide * SIZE
        parts = (SlotAddress(ARENA, begin + part * WIDTH * SIZE) for part in range(3))
        made.step(heads, *parts, SlotAddress(ARENA, mixed.offset + sequence * each * WIDTH * SIZE))
    first = added(SlotAddress(1), dense(mixed, WIDTH, WIDTH), made.value(WIDTH))
    added(first, dense(dense(norm(first), WIDTH, 4 * WIDTH, gelu), 4 * WIDTH, WIDTH), SlotAddress(2))
    return made


def alone(made: StepList, executor: Executor, memory: PageBuffer) -> dict[str, NativeCall]:
    """Return each step as machine code on the same memory."""
    given = memory.address, address_of(made.x), address_of(made.y), *map(address_of, made.constants)
    words = np.array([*given, memory.address + executor.shared, 0, 0], np.uint64)
    (whole,) = executor.segments
    jobs = [Segment([stage], whole.places, whole.constants, False).job for stage in whole.stages]
    return {
        f"step {number}": NativeCall(job.block.address, (address_of(words), 0, 1), (job, words))
        for number, job in enumerate(jobs)
    }


def measured(run: Run, name: str, make: Callable[[], StepList]) -> Row:
    """Return the row of these steps."""
    made = make()
    executor = Executor(made.steps, made.slots, threads=1)
    memory = PageBuffer(executor.shared + executor.own)
    addresses = [address_of(made.x), address_of(made.y)]
    executor.run(addresses)
    contenders: dict[str, Contender] = {"whole": PythonCall(functools.partial(executor.run, addresses))}
    best = run.turns({**contenders, **alone(made, executor, memory)})
    whole, kernels = best["whole"], sum(best.values()) - best["whole"]
    count = len(made.steps)
    return {
        "name": name,
        "steps": count,
        "whole": whole,
        "kernels": kernels,
        "beyond": whole - kernels,
        "each": (whole - kernels) / count,
    }


CASES: Sequence[tuple[str, Callable[[], StepList]]] = [
    *((f"chain of {count}", functools.partial(chain, count)) for count in STEPS),
    ("block", block),
]
COLUMNS = (
    "graph=name; steps; one call, us=whole:2u; kernels alone, us=kernels:2u; beyond, us=beyond:2u; "
    "of a step, us=each:3u"
)
WANTED = (Wanted("a step of {name} beyond its kernel", 1e-6, "each", unit="s"),)
BENCH = Bench("executor", __doc__, (Table("graphs", COLUMNS, CASES, measured, goals=WANTED),))
