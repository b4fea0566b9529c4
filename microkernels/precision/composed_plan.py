"""`ComposedPlan`: a product in a precision that is composed, as steps over buffers in scratch memory.

A step is a kernel of its own: an elementwise walk, a transpose, or a batch of products of a narrower type. Some steps
are repeated, while buffers that they use move. bf16x3.py and ozaki_plan.py compose the steps, composed_emit.py emits
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan
from ..contract.dot_and_tile import TileShape
from ..contract.machine import Facts
from ..eltwise.plan import EltwisePlan
from ..eltwise.plan import plan as walk_plan
from ..eltwise.spec import EltwiseSpec
from ..expr.graph import program
from ..expr.trace import trace
from ..gemm.emit import registers
from ..gemm.plan import GemmPlan
from ..operands import Operand, View
from ..transform.plan import TransformPlan, vectors
from .composed_spec import ComposedSpec


class InBuffer(NamedTuple):
    """Where an operand of a step lies: in a buffer of the plan, an argument of the call, or what the loop around the
    step moves; and bytes from its beginning."""

    buffer: str
    offset: int = 0


class ComposedStep(NamedTuple):
    """A kernel, and where its operands lie, by name; numbers stand for those that are no pointers."""

    plan: EltwisePlan | TransformPlan | GemmPlan
    at: Mapping[str, InBuffer | int]

    @property
    def registers(self) -> int:
        """The vector registers that it needs."""
        if isinstance(self.plan, EltwisePlan):
            return self.plan.registers
        return vectors(self.plan) if isinstance(self.plan, TransformPlan) else registers(self.plan)

    def cycles(self, pairs: int) -> float:
        """Estimated cycles. pairs: of a batch of products whose number the loop gives."""
        if not isinstance(self.plan, GemmPlan):
            return self.plan.cycles
        return self.plan.cycles * (self.plan.spec.batch if isinstance(self.plan.spec.batch, int) else pairs)

    def __str__(self) -> str:
        if isinstance(self.plan, GemmPlan):
            return f"a batch of products of {self.of('a')} and {self.of('b')}"
        if isinstance(self.plan, TransformPlan):
            return f"transpose {self.of('x')}"
        return " ".join([self.plan.spec.name, ", ".join(self.of(x.name) for x in self.plan.spec.inputs)]).strip()

    def of(self, name: str) -> str:
        """Return the name of the buffer that holds an operand."""
        place = self.at[name]
        return place.buffer if isinstance(place, InBuffer) else str(place)


class StepLoop(NamedTuple):
    """Steps that are repeated. `over` holds what moves: the name by which steps use it, where it starts, which is a
    place or a number, and how far it moves each time."""

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

    spec: ComposedSpec
    steps: tuple[ComposedStep | StepLoop, ...]
    places: Mapping[str, int]
    scratch_bytes: int

    @cached_property
    def parts(self) -> tuple[ComposedStep, ...]:
        """Every step once."""
        return tuple(part for step in self.steps for part in (step.steps if isinstance(step, StepLoop) else (step,)))

    @cached_property
    def products(self) -> tuple[GemmPlan, ...]:
        """The products of a narrower type."""
        return tuple(part.plan for part in self.parts if isinstance(part.plan, GemmPlan))

    @cached_property
    def moving(self) -> tuple[str, ...]:
        """The names of what loops move."""
        return tuple(dict.fromkeys(name for step in self.steps if isinstance(step, StepLoop) for name in step.over))

    @property
    def registers(self) -> int:
        """The most vector registers that a step needs."""
        return max(part.registers for part in self.parts)

    @property
    def cycles(self) -> float:
        """Estimated cycles per call. Tiles are configured once."""
        total = self.products[0].configure_cycles
        for step in self.steps:
            if isinstance(step, ComposedStep):
                total += step.cycles(1)
                continue
            for values in step.each():
                pairs = next((each for each in values.values() if isinstance(each, int)), 1)
                total += sum(part.cycles(pairs) for part in step.steps)
        return total

    @property
    def emulated(self) -> bool:
        """Whether other instructions stand in for the unit's."""
        return any(product.emulated for product in self.products)

    @property
    def tile_shapes(self) -> tuple[TileShape, ...]:
        """Shapes of the tile registers; empty if none are used."""
        return self.products[0].tile_shapes

    @property
    def stand_in(self) -> ComposedSpec | None:
        """The request that gives the same bits without tile registers."""
        other = self.products[0].stand_in
        return None if other is None else replace(self.spec, numerics=other.numerics)

    def __str__(self) -> str:
        steps = "\n".join(f"  {step}" for step in self.steps)
        return f"{self.spec}\n{steps}\nthe first products: {self.products[0]}"


class Source(NamedTuple):
    """An operand of an elementwise step.

    dtype, leading    the element type and the leading dimension
    buffer, offset    its place
    shape             rows and columns of a broadcast input; None: those of the step
    """

    dtype: str
    leading: int
    buffer: str
    offset: int = 0
    shape: tuple[int, int] | None = None


def elementwise_step(
    facts: Facts,
    function: Callable[..., Any],
    shape: tuple[int, int],
    inputs: dict[str, Source],
    outputs: Sequence[Source],
    compute: str = "f64",
) -> ComposedStep:
    """Plan an elementwise step of a function of these inputs, by the names of its parameters."""
    results = dict(zip(["y"] if len(outputs) == 1 else [f"y{i}" for i in range(len(outputs))], outputs))
    traced = program(*trace(function, **dict.fromkeys(inputs, compute)))
    reads = tuple(Operand(name, *(x.shape or shape), View("C", x.leading), x.dtype) for name, x in inputs.items())
    writes = tuple(Operand(name, *shape, View("C", y.leading), y.dtype, output=True) for name, y in results.items())
    spec = EltwiseSpec(function.__name__, *shape, compute, traced, reads, writes, "fast")
    return ComposedStep(
        walk_plan(spec, facts), {name: InBuffer(*each[2:4]) for name, each in (inputs | results).items()}
    )
