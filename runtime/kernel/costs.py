"""The cycles that each instruction of a kernel occupies the FMA, load and shuffle pipes and the issue slots.

The numbers are those that the planners read. They are not a simulation: latencies, stores and cache misses are not
included. `k.listing("gas")` piped to llvm-mca gives a scheduler's view of the same code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...emulation.instruction_classes import class_of
from ...encoder.code import Code, Instruction
from ...encoder.conventions import convention_of
from ...encoder.labels import Names
from ...encoder.records import NamedTuple
from ...microkernels.contract.machine import Facts
from ...microkernels.machines.registry import facts_of

PIPES = ("fma", "load", "shuffle", "issue")
_FMA = ("fma", "dot", "arithmetic", "convert")


class PipeCycles(NamedTuple):
    """The cycles that one instruction, or the body of a loop, occupies each kind of pipe."""

    fma: float = 0.0
    load: float = 0.0
    shuffle: float = 0.0
    issue: float = 0.0

    def __add__(self, other: object) -> PipeCycles:
        assert isinstance(other, PipeCycles)
        return PipeCycles(*(mine + its for mine, its in zip(self, other)))

    def __str__(self) -> str:
        return "".join(f"{cycles:8.2f}" if cycles else f"{'':8}" for cycles in self)


class LoopCost(NamedTuple):
    """The instructions from the target of a backward branch to that branch, and their total cost."""

    start: int
    end: int
    cost: PipeCycles

    def __str__(self) -> str:
        pipe = max(PIPES, key=lambda name: getattr(self.cost, name))
        each = ", ".join(f"{name} {getattr(self.cost, name):.2f}" for name in PIPES if getattr(self.cost, name))
        return f"loop {self.start:#x} to {self.end:#x}: {each}; bound by {pipe}, {getattr(self.cost, pipe):.2f} cycles"


def costs(code: Code) -> list[PipeCycles]:
    """Return the cost of each instruction of the code."""
    facts = facts_of(code.target)
    return [_cost(each, facts) for each in code.instructions]


def loops(code: Code, each: list[PipeCycles]) -> list[LoopCost]:
    """Return the innermost loops, in the order of the code."""
    step = convention_of(code.arch).step
    spans = []
    for instruction in code.instructions:
        target = step(instruction).target
        if target is not None and target <= instruction.offset:
            spans.append((target, instruction.offset))
    inner = [span for span in spans if not any(_holds(span, other) for other in spans if other != span)]
    made = []
    for start, end in sorted(set(inner)):
        body = (cost for cost, instruction in zip(each, code.instructions) if start <= instruction.offset <= end)
        made.append(LoopCost(start, end, sum(body, PipeCycles())))
    return made


def _holds(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def table(code: Code) -> str:
    """Return a table with a line for each instruction, then one for each innermost loop."""
    each, names = costs(code), Names(code)
    lines = [
        f"{processor(code)}; cycles by pipe",
        f"{'':6}  {'':50}" + "".join(f"{name:>8}" for name in PIPES),
    ]
    texts = (at.form.text(at.operands, names) for at in code.instructions)
    lines += [f"{at.offset:6x}  {text:<50}{cost}".rstrip() for at, text, cost in zip(code.instructions, texts, each)]
    return "\n".join([*lines, *map(str, loops(code, each))]) + "\n"


def processor(code: Code) -> str:
    """Return the pipes of the processor that the planner has in mind."""
    target = code.target
    return (
        f"{target.name}: {target.fma_pipes} FMA pipes of {target.fma_bits} bits, {target.load_pipes} load pipes, "
        f"{target.shuffle_pipes} shuffle pipes, {target.issue_width} issued a cycle"
    )


def _cost(instruction: Instruction, facts: Facts) -> PipeCycles:
    issue = 1 / facts.issue_width
    bits = max(_widths(instruction, facts), default=0)
    if not hasattr(instruction.form, "row") or not bits:
        return PipeCycles(issue=issue)
    width = min((each for each in facts.widths if each >= bits), default=facts.widths[0])
    kinds = set(class_of(instruction.form, instruction.operands))
    return PipeCycles(
        fma=facts.fma_cycles(width) if kinds & set(_FMA) else 0.0,
        load=facts.load_cycles(width) if "load" in kinds else 0.0,
        shuffle=1 / facts.target.shuffle_pipes if "shuffle" in kinds and "load" not in kinds else 0.0,
        issue=issue,
    )


def _widths(instruction: Instruction, facts: Facts) -> Iterator[int]:
    """Yield the widths in bits of the vector registers that an instruction names."""
    for operand in instruction.operands:
        yield from _bits(operand, facts)


def _bits(operand: Any, facts: Facts) -> Iterator[int]:
    kind = str(getattr(operand, "file", "") or getattr(operand, "kind", ""))
    if kind in _FIXED:
        yield _FIXED[kind]
    elif kind.partition(".")[0] in ("v", "q"):
        yield 128
    elif kind.partition(".")[0] == "z":
        yield facts.widths[0]
    for register in getattr(operand, "regs", ()):
        yield from _bits(register, facts)


_FIXED = {"xmm": 128, "ymm": 256, "zmm": 512, "s": 32, "d": 64, "h": 16}
