"""Steps in machine code: chains of kernels of all kinds, on any number of threads, in the emulator, with guard pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, both_sides, guarded, run_forked
from tilesmith.emulation.workers import Race
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.graph.executor import Executor, Slot
from tilesmith.runtime.graph.schedule import Phase, first_race, first_unwritten
from tilesmith.runtime.graph.steps import At, OnArrays, Step
from tilesmith.runtime.ops.spread_stack import Batch

Array = np.ndarray[Any, Any]
WORKERS = (1, 2, 3, 7)
M, K, N = 33, 24, 40
LINE = 64


def up(size: int) -> int:
    return -(-size // LINE) * LINE


class Program:
    """Steps on arrays by name, for an executor: values between steps lie one behind the other in the arena."""

    def __init__(self, threads: int | None = None) -> None:
        self.steps: list[Step] = []
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
        self.steps.append(Step(entry, operands, name))  # type: ignore[arg-type]  # names become places in `made`

    def made(self) -> Executor:
        given = {**self.inputs, **self.results, **self.constants}
        number = {name: place for place, name in enumerate(given, 1)}

        def at(operand: Any) -> Any:
            if not isinstance(operand, str):
                return operand
            name, _, offset = operand.partition("+")
            more = int(offset or 0)
            return At(0, self.places[name] + more) if name in self.places else At(number[name], more)

        slots = [Slot("arena", self.arena, True)]
        slots += [Slot(name, each.nbytes) for name, each in self.inputs.items()]
        slots += [Slot(name, each.nbytes, True) for name, each in self.results.items()]
        slots += [Slot(name, constant=each) for name, each in self.constants.items()]
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


def chain(side: str = "end", target: str | None = None) -> tuple[Program, Array]:
    """A product, a bias with an activation, a softmax and a product by packed weights; what they should give."""
    x, w, bias, v = random(M, K), random(K, N, seed=1), random(N, seed=2), random(N, K, seed=3)
    program = Program()
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


@both_sides
def test_a_chain(side: str) -> None:
    program, wanted = chain(side)
    made = program.made()
    found = []
    for threads in (*WORKERS, None):
        program.results["y"][...] = np.nan
        program.run(made, threads)
        found.append(program.results["y"].copy())
    assert np.allclose(found[0], wanted, rtol=1e-5, atol=1e-6)
    assert all(np.array_equal(found[0], each) for each in found[1:])
    assert len(made.segments) == 1 and made.verify_schedule().holds


@pytest.mark.parametrize("target", ["avx512", "neon", "sve256", "amx", "avx2"])
def test_a_chain_in_the_emulator(target: str) -> None:
    program, wanted = chain(target=target)
    made = program.made()
    for workers in (1, 3):
        program.results["y"][...] = np.nan
        made.emulated(program.arguments, workers, turns=workers)
        assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)


def test_proofs() -> None:
    x = random(3, 8)
    program = Program()
    program.inputs, program.results = {"x": x}, {"y": np.zeros((3, 8), np.float32)}
    program.constants = {"w": random(8, 8)}
    program.between("a", 96)
    program.step(ts.gemm(3, 8, 8, beta=0.0), "x", "w", "a")
    program.step(ts.unary("relu", 3, 8), "a", "y")
    made = program.made()
    proof = made.verify()
    print(proof)
    assert proof
