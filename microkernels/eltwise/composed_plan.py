"""`ComposedPlan`: a kernel that is composed of steps over buffers in scratch memory.

A step is a kernel of its own: an elementwise walk, a transform, or in rooms above a batch of products. Some steps are
repeated, while buffers and arguments that they use move. blocks_plan.py composes elementwise kernels whose operands
have different orders, and precision/ products of a narrower type; composed_emit.py emits the steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan
from ..contract.dot_and_tile import TileShape
from ..transform.plan import TransformPlan, vectors
from .plan import EltwisePlan

SPILLED = "spilled values"
"""The buffer of values that have no register, if a walk has such values."""


class InBuffer(NamedTuple):
    """Where an operand of a step lies: in a buffer of the plan, an argument of the call, or what the loop around the
    step moves; and bytes from its beginning."""

    buffer: str
    offset: int = 0


class ComposedStep(NamedTuple):
    """A kernel, where its operands lie, by name (numbers stand for those that are no pointers), and its vector
    registers."""

    plan: Any
    at: Mapping[str, InBuffer | int]
    registers: int

    @classmethod
    def walk(cls, plan: EltwisePlan, at: Mapping[str, InBuffer | int]) -> ComposedStep:
        """Return an elementwise step."""
        return cls(plan, at, plan.registers)

    @classmethod
    def transform(cls, plan: TransformPlan, x: InBuffer, y: InBuffer) -> ComposedStep:
        """Return a step that moves elements."""
        return cls(plan, {"x": x, "y": y}, vectors(plan))

    @property
    def multiplies(self) -> bool:
        """Whether the step is a batch of products."""
        return not isinstance(self.plan, (EltwisePlan, TransformPlan))

    def pairs(self, moved: Mapping[str, InBuffer | int]) -> int:
        """Return the pairs of a batch of products, of which a loop may give the number; 1 for other steps."""
        if not self.multiplies:
            return 1
        count = self.plan.spec.batch if "count" not in self.at else moved[self.of("count")]
        assert isinstance(count, int)
        return count

    def cycles(self, pairs: int) -> float:
        """Estimated cycles by which ways are compared."""
        return float(self.plan.cycles * pairs if self.multiplies else self.plan.call_cycles)

    def __str__(self) -> str:
        if self.multiplies:
            return f"a batch of products of {self.of('a')} and {self.of('b')}"
        if isinstance(self.plan, TransformPlan):
            return f"transpose {self.of('x')}" if self.plan.spec.transposes else f"move {self.of('x')}"
        return " ".join([self.plan.spec.name, ", ".join(self.of(x.name) for x in self.plan.spec.inputs)]).strip()

    def of(self, name: str) -> str:
        """Return the name of the buffer that holds an operand."""
        place = self.at[name]
        return place.buffer if isinstance(place, InBuffer) else str(place)


class StepLoop(NamedTuple):
    """Steps that are repeated. `over` holds what moves: the name by which steps use it, where it starts, which is a
    place or a number, and how far it moves each time. An argument that moves has its own name, and stays moved."""

    times: int
    steps: tuple[ComposedStep, ...]
    over: Mapping[str, tuple[InBuffer | int, int]]

    def each(self) -> Iterator[dict[str, InBuffer | int]]:
        """Yield what moves, for each repetition."""
        for number in range(self.times):
            yield {name: _moved(start, number * by) for name, (start, by) in self.over.items()}

    def __str__(self) -> str:
        return f"{self.times} times: {'; '.join(map(str, self.steps))}"


def _moved(start: InBuffer | int, by: int) -> InBuffer | int:
    return start + by if isinstance(start, int) else start._replace(offset=start.offset + by)


@dataclass(frozen=True)
class ComposedPlan(Plan):
    """The steps, and where buffers lie in scratch memory."""

    spec: Any
    steps: tuple[ComposedStep | StepLoop, ...]
    places: Mapping[str, int]
    scratch_bytes: int

    @cached_property
    def parts(self) -> tuple[ComposedStep, ...]:
        """Every step once."""
        return tuple(part for step in self.steps for part in (step.steps if isinstance(step, StepLoop) else (step,)))

    @cached_property
    def products(self) -> tuple[ComposedStep, ...]:
        """The steps that are products of a narrower type."""
        return tuple(part for part in self.parts if part.multiplies)

    @property
    def loops(self) -> list[StepLoop]:
        """The loops."""
        return [step for step in self.steps if isinstance(step, StepLoop)]

    @cached_property
    def moving(self) -> tuple[str, ...]:
        """The names of what loops move, arguments apart."""
        every = (name for loop in self.loops for name, (start, _) in loop.over.items() if start != InBuffer(name))
        return tuple(dict.fromkeys(every))

    @property
    def spilled(self) -> int:
        """Bytes at the beginning of scratch memory for values of walks that have no register."""
        return min((at for at in self.places.values() if at), default=0) if SPILLED in self.places else 0

    @property
    def registers(self) -> int:
        """The most vector registers that a step needs."""
        return max(part.registers for part in self.parts)

    def each(self) -> Iterator[tuple[ComposedStep, int]]:
        """Yield every step as often as it is executed, and the pairs of a batch of products."""
        for step in self.steps:
            if isinstance(step, ComposedStep):
                yield step, step.pairs({})
                continue
            for moved in step.each():
                yield from ((part, part.pairs(moved)) for part in step.steps)

    @property
    def cycles(self) -> float:
        """Estimated cycles per call. Tiles are configured once."""
        configured = float(self.products[0].plan.configure_cycles) if self.products else 0.0
        return configured + sum(step.cycles(pairs) for step, pairs in self.each())

    @property
    def emulated(self) -> bool:
        """Whether other instructions stand in for the unit's."""
        return any(product.plan.emulated for product in self.products)

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Shapes of the tile registers; empty if none are used."""
        return tuple(self.products[0].plan.tile_shapes) if self.products else ()

    @property
    def stand_in(self) -> object:
        """The request that gives the same bits without tile registers."""
        other = self.products[0].plan.stand_in if self.products else None
        return None if other is None else replace(self.spec, numerics=other.numerics)

    def __str__(self) -> str:
        steps = "\n".join(f"  {step}" for step in self.steps)
        parts = dict.fromkeys(str(part.plan) for part in self.parts if not self.products or part.multiplies)
        products = sum(pairs for step, pairs in self.each() if step.multiplies)
        first = [f"{products} products, the first ones:", *[*parts][:1]] if products else parts
        return "\n".join([f"{self.spec}\n{steps}", *first])
