"""Code on the registers of accumulators: how they are started, joined and folded. Base class of what holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..codegen.lowered import Lowered, LoweredBody
from ..codegen.selection import Arithmetic, Constant
from ..contract.machine import Lanes, Machine, Vector
from ..expr.graph import BITS
from .code import Output


class Accumulators:
    """Accumulators of one or several outputs.

    states      the registers of each accumulator, vectors and masks
    compute     the type of elements in registers
    in_masks    whether each register of an accumulator is a mask register
    narrower    elements of the narrower registers into which accumulators may be folded before the tree
    """

    states: list[list[Any]]
    lanes: Mapping[int, Lanes]
    whole: Lanes

    def __init__(
        self,
        m: Machine,
        arithmetic: Arithmetic,
        compute: str,
        outputs: Sequence[Output],
        in_masks: Sequence[bool],
        narrower: tuple[int, ...],
    ) -> None:
        self.m, self.arithmetic, self.compute = m, arithmetic, compute
        self.outputs, self.in_masks, self.narrower = outputs, in_masks, narrower
        self.resident: dict[int, LoweredBody] = {}  # id(code) -> its body, if its registers are held throughout
        self.starts: dict[int, Vector] = {}  # start value of accumulators, as bits -> the register that holds it

    @contextmanager
    def _body(self, code: Lowered) -> Iterator[LoweredBody]:
        """Give code its registers and constants, unless it holds them throughout."""
        if id(code) in self.resident:
            yield self.resident[id(code)]
            return
        with code.constants(self.m, self.whole) as body:
            yield body

    # Accumulators

    def _start(self, count: int, outputs: Sequence[Output] | None = None) -> None:
        """Set the first `count` accumulators to the identity, for all outputs or the given ones."""
        for output in self.outputs if outputs is None else outputs:
            for number, bits in enumerate(output.running.start):
                for register in dict.fromkeys(state[output.first + number] for state in self.states[:count]):
                    if bits in self.starts and not self.in_masks[output.first + number]:
                        self.arithmetic.move(self.m, register, self.starts[bits], self.whole)
                    else:
                        self.arithmetic.constant(self.m, register, self._start_constant(bits), self.whole)

    def _start_constant(self, bits: int) -> Constant:
        """Return the constant that has these bits in every lane; -1 means all ones."""
        size = BITS[self.compute]
        return Constant(bits & (1 << size) - 1, size)

    def _run(
        self, code: Lowered, states: Sequence[Sequence[Any]], lanes: Lanes, loop_invariant: Sequence[Any] = ()
    ) -> None:
        """Run code without memory operands on the registers of each state; results go to its first registers."""

        def load(name: str, copy: int, register: Any, copy_lanes: Lanes) -> None:
            raise AssertionError(f"{name} is no register")

        def store(registers: Sequence[Any], result: int, copy: int, register: Any, copy_lanes: Lanes) -> None:
            if register != registers[result]:
                self.arithmetic.move(self.m, registers[result], register, copy_lanes)

        with self._body(code) as body:
            for registers in states:
                body.run(load, partial(store, registers), [lanes], given=registers, loop_invariant=loop_invariant)

    def _own(self, output: Output, state: Sequence[Any]) -> Sequence[Any]:
        """Return the registers of a state that belong to an output."""
        return state[output.first : output.first + len(output.running.types)]

    def _settled(self, output: Output, states: Sequence[Sequence[Any]]) -> list[list[Vector]]:
        """Settle accumulators, and return the registers of each that are folded."""
        own = [self._own(output, state) for state in states]
        if output.settle is not None:
            self._run(output.settle, own, self.whole)
        return [list(registers[: output.parts]) for registers in own]

    def combined(
        self, code: Lowered | None, values: Sequence[Sequence[Any]], lanes: Lanes | None = None
    ) -> Sequence[Any]:
        """Combine all values into the first one by merging the second half into the first half until one is left."""
        while len(values) > 1:
            half = (len(values) + 1) // 2
            assert code is not None
            self._run(code, [[*a, *b] for a, b in zip(values, values[half:])], lanes or self.whole)
            values = values[:half]
        return values[0]
