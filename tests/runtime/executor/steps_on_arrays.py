"""Steps on arrays by name, for tests of the executor."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts
from tests.guard import address, guarded
from tilesmith.runtime.executor.run import Executor, GraphSlot
from tilesmith.runtime.executor.schedule import Phase
from tilesmith.runtime.executor.steps import GraphStep, SlotAddress

Array = np.ndarray[Any, Any]
WORKERS = (1, 2, 3, 7)
M, K, N = 17, 16, 24
LINE = 64


def up(size: int) -> int:
    return -(-size // LINE) * LINE


class StepProgram:
    """Steps on arrays by name, for an executor: values between steps lie one behind the other in the arena."""

    def __init__(self, threads: int | None = None) -> None:
        self.steps: list[GraphStep] = []
        self.arena, self.threads = 0, threads
        self.inputs: dict[str, Array] = {}
        self.results: dict[str, Array] = {}
        self.constants: dict[str, Array] = {}
        self.places: dict[str, int] = {}

    def between(self, name: str, size: int) -> str:
        self.places[name] = self.arena
        self.arena += up(size)
        return name

    def step(self, entry: Any, *operands: str | int, name: str = "") -> None:
        self.steps.append(GraphStep(entry, operands, name))  # type: ignore[arg-type]  # names become places in `made`

    def made(self) -> Executor:
        given = {**self.inputs, **self.results, **self.constants}
        number = {name: place for place, name in enumerate(given, 1)}

        def at(operand: Any) -> Any:
            if not isinstance(operand, str):
                return operand
            name, _, offset = operand.partition("+")
            more = int(offset or 0)
            return SlotAddress(0, self.places[name] + more) if name in self.places else SlotAddress(number[name], more)

        slots = [GraphSlot("arena", self.arena, True)]
        slots += [GraphSlot(name, each.nbytes) for name, each in self.inputs.items()]
        slots += [GraphSlot(name, each.nbytes, True) for name, each in self.results.items()]
        slots += [GraphSlot(name, constant=each) for name, each in self.constants.items()]
        steps = [each._replace(operands=tuple(map(at, each.operands))) for each in self.steps]
        return Executor(steps, slots, self.threads)

    @property
    def arguments(self) -> list[Array]:
        return [*self.inputs.values(), *self.results.values()]

    def run(self, made: Executor, threads: int | None = None) -> None:
        made.run([address(each) for each in self.arguments], threads)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def random(*shape: int, seed: int = 0) -> Array:
    found: Array = rng(seed).standard_normal(shape, dtype=np.float32)
    return found


def chain(side: str = "end", target: str | None = None) -> tuple[StepProgram, Array]:
    """A product, a bias with an activation, a softmax and a product by packed weights; what they should give."""
    x, w, bias, v = random(M, K), random(K, N, seed=1), random(N, seed=2), random(N, K, seed=3)
    program = StepProgram()
    product = ts.gemm(M, N, K, beta=0.0, target=target)
    activated = ts.equation(lambda x, b: ts.relu(x + b), x=(M, N), b=(1, N), target=target)
    softmax = ts.fused("softmax", M, N, target=target)
    layer = ts.linear(M, K, N, bias=False, target=target)
    program.inputs = {"x": guarded(x, side, writable=False), "bias": guarded(bias, side, writable=False)}
    program.results = {"y": guarded(np.zeros((M, K), np.float32), side)}
    packed = layer.packing.run(v) if target else layer.pack(v)
    program.constants = {"w": w, "v": packed.array}
    for name in "abc":
        program.between(name, 4 * M * N)
    program.step(product, "x", "w", "a")
    program.step(activated, "a", "bias", "b")
    program.step(softmax, "b", "c")
    program.step(layer, "c", "v", "y")
    rows = np.maximum(x.astype(float) @ w.astype(float) + bias, 0)
    rows = np.exp(rows - rows.max(1, keepdims=True))
    return program, (rows / rows.sum(1, keepdims=True)) @ v.astype(float)


def raced() -> Executor:
    """Return an executor whose schedule is wrong: the second step may run before the first one has ended."""
    program = StepProgram()
    program.inputs, program.results = {"x": random(8, 8)}, {"y": np.zeros((8, 8), np.float32)}
    program.between("a", 256)
    program.step(ts.unary("negate", 8, 8), "x", "a", name="first")
    program.step(ts.unary("negate", 8, 8), "a", "y", name="second")
    made = program.made()
    (segment,) = made.segments
    segment.schedule = (Phase((), tuple((each,) for each in segment.stages)),)
    segment.parallel = True
    return made


def relu_program() -> StepProgram:
    program = StepProgram()
    program.inputs, program.results = {"x": random(4, 8)}, {"y": np.zeros((4, 8), np.float32)}
    program.between("a", 128)
    return program
