"""Emits a nest with the scalar machine: void nest(void *const *operands, long worker, long workers).

All indices live in the stack frame: loading one takes about a cycle, a kernel takes a hundred and more. The kernels
follow the nest, each once, with the constants that they read, and are called directly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...encoder.code import CODE_ALIGNMENT
from ...encoder.operands import Label
from ..scalar.machine import Scalar, ScalarMemory
from .code import (
    AXES,
    WORKER,
    WORKERS,
    Address,
    Affine,
    Barrier,
    Call,
    Constants,
    Grid,
    Group,
    Header,
    Load,
    Loop,
    Node,
    Share,
    When,
    calls,
    claims,
)
from .curve import table

if TYPE_CHECKING:
    from ..kernel.callable import Kernel

_OPERANDS, _CELL = "@operands", "@cell"
_CLAIM, _CLAIMED = "@claim", "@claimed"
"""The number that this worker has claimed, and how many numbers the loops have that it has left. Numbers ascend over a
call: one that is too large for a loop is kept for the next loop, or the next time, so nothing is ever reset."""
_MEMBER, _MEMBERS = "@member", "@members"
"""This worker's number in its group, and the number of workers of the group."""
_NOT = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_IMMEDIATE = 1 << 30  # larger numbers do not fit the immediates of every instruction


def emit(m: Scalar, nodes: Sequence[Node]) -> dict[Kernel, Label]:
    """Append the loops. Return the kernels that they call, in order, with the labels to which their code is to be
    bound."""
    emitter = _Emitter(m, tuple(nodes))
    emitter.run()
    return emitter.labels


class _Emitter:
    def __init__(self, m: Scalar, nodes: tuple[Node, ...]) -> None:
        self.m, self.nodes = m, nodes
        found = calls(nodes)
        self.labels = {call.kernel: m.asm.label(call.kernel.name) for call in found}
        self.stacked = max((len(call.arguments) - len(m.arguments) for call in found), default=0)
        self.stacked = max(self.stacked, 0)
        self.slots = {name: number for number, name in enumerate(_names(nodes), self.stacked)}
        self.memory = {name: m.slot(number) for name, number in self.slots.items()}
        self.acc, self.part, self.third, self.fourth = m.kept[:4]
        self.worker, self.workers = WORKER, WORKERS
        """The slots of this worker's number and of the number of workers among which loops are divided."""

    def run(self) -> None:
        """Emit the function."""
        m = self.m
        m.begin("nest")
        m.open(self.stacked + len(self.slots), m.kept[:4])
        for name, register in zip((_OPERANDS, WORKER, WORKERS), m.arguments):
            m.move(self.slot(name), register)
        if found := claims(self.nodes):
            m.move(self.third, -1)
            m.move(self.slot(_CLAIM), self.third)
            m.move(self.slot(_CLAIMED), 0)
            self._claim(found[0])
        self.block(self.nodes)
        m.close()
        m.ret()

    def block(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            getattr(self, f"_{type(node).__name__.lower()}")(node)

    # Values

    def slot(self, name: str) -> ScalarMemory:
        return self.memory[name]

    def value(self, dst: Any, form: Affine) -> None:
        """Emit dst = the value of an affine form. dst is acc, third, fourth or x."""
        m, part = self.m, self.part
        terms = list(form.terms)
        if terms:
            name, factor = terms.pop(0)
            m.move(dst, self.slot(name))
            self.scale(dst, factor)
        else:
            m.move(dst, form.constant)
            return
        for name, factor in terms:
            m.move(part, self.slot(name))
            self.scale(part, factor)
            m.add(dst, part)
        if form.constant:
            self.add(dst, form.constant)

    def scale(self, register: Any, factor: int) -> None:
        if factor == 1:
            return
        if abs(factor) < _IMMEDIATE:
            self.m.multiply(register, factor)
        else:
            self.m.move(self.m.y, factor)
            self.m.multiply(register, self.m.y)

    def add(self, register: Any, number: int) -> None:
        if abs(number) < _IMMEDIATE:
            self.m.add(register, number)
        else:
            self.m.move(self.part, number)
            self.m.add(register, self.part)

    def least(self, dst: Any, forms: Sequence[Affine]) -> None:
        """Emit dst = the minimum of affine forms. This overwrites acc unless there is only one form."""
        self.value(dst, forms[0])
        for form in forms[1:]:
            self.value(self.acc, form)
            self.m.take_if(dst, self.acc, "<")

    @contextmanager
    def counted(self, name: str, step: int | str) -> Iterator[Label]:
        """Emit a loop on the slot `name` up to the slot `name.stop`. Yields the label of the next iteration."""
        m = self.m
        top, following, done = m.asm.label(name), m.asm.label(f"{name}_next"), m.asm.label(f"{name}_done")
        m.move(self.third, self.slot(name))
        m.asm.bind(top)
        m.branch(self.third, ">=", self.slot(f"{name}.stop"), done)
        yield following
        m.asm.bind(following)
        m.move(self.third, self.slot(name))
        if isinstance(step, str):
            m.add(self.third, self.slot(step))
        else:
            self.add(self.third, step)
        m.move(self.slot(name), self.third)
        m.jump(top)
        m.asm.bind(done)

    # Loops

    def _loop(self, node: Loop) -> None:
        m, header = self.m, node.header
        self.value(self.third, header.start)
        if node.axis:
            self._part_of_grid(node)
        else:
            m.move(self.slot(header.index), self.third)
            self.least(self.third, header.stop)
        m.move(self.slot(f"{header.index}.stop"), self.third)
        m.asm.note(f"for {header.index} in steps of {header.step}")
        with self.counted(header.index, header.step):
            self.block(node.body)

    def _part_of_grid(self, node: Loop) -> None:
        """Emit index = third + position * chunk * step, then third = min(index + chunk * step, stops...)."""
        m, header = self.m, node.header
        m.move(m.x, self.slot(f"@ways{node.axis}"))  # chunk = (trips + ways - 1) // ways
        m.move(self.acc, m.x)
        self.add(m.x, header.trips - 1)
        m.divide(self.acc)
        self.scale(m.x, header.step)
        m.move(self.acc, m.x)
        m.multiply(m.x, self.slot(f"@{node.axis}"))
        m.add(self.third, m.x)
        m.move(self.slot(header.index), self.third)
        m.add(self.third, self.acc)
        for form in header.stop:
            self.value(self.acc, form)
            m.take_if(self.third, self.acc, "<")

    def _share(self, node: Share) -> None:
        m = self.m
        name = _name(node)
        total = 1
        for header in node.headers:
            total *= header.trips
        how = f"{node.schedule}, along a Hilbert curve" if node.curve else node.schedule
        m.asm.note(f"{total} iterations dealt out: {how}")
        if node.schedule == "turns":
            turn = f"{name}.turn"
            m.move(self.third, self.slot(self.worker))
            m.move(self.slot(turn), self.third)
            m.move(self.slot(f"{turn}.stop"), -(-total // node.chunk))
            with self.counted(turn, self.workers):
                m.move(self.third, self.slot(turn))
                self._chunk(node, name, total)
        elif node.schedule == "claims":
            self._claimed(node, name, total)
        else:
            self._bounds(name, total, node.schedule == "whole")
            self._run(node, name)

    def _chunk(self, node: Share, name: str, total: int) -> None:
        """Emit the iterations of the chunk whose number is in third."""
        m = self.m
        self.scale(self.third, node.chunk)
        m.move(self.slot(name), self.third)
        self.add(self.third, node.chunk)
        m.move(self.acc, total)
        m.take_if(self.third, self.acc, "<")
        m.move(self.slot(f"{name}.stop"), self.third)
        self._run(node, name)

    def _claimed(self, node: Share, name: str, total: int) -> None:
        """Emit the chunks that this worker claims, up to the first number that is none of this time's."""
        m, chunks = self.m, -(-total // node.chunk)
        top, done = m.asm.label(f"{name}_claimed"), m.asm.label(f"{name}_left")
        m.asm.bind(top)
        m.move(self.third, self.slot(_CLAIM))
        m.subtract(self.third, self.slot(_CLAIMED))
        m.move(self.acc, chunks)
        m.branch(self.third, ">=", self.acc, done)
        self._chunk(node, name, total)
        self._claim(node)
        m.jump(top)
        m.asm.bind(done)
        m.move(self.third, self.slot(_CLAIMED))
        self.add(self.third, chunks)
        m.move(self.slot(_CLAIMED), self.third)

    def _claim(self, node: Share) -> None:
        """Emit the claim of the next number. A single worker counts by itself."""
        m = self.m
        alone, known = m.asm.label("alone"), m.asm.label("claimed")
        m.move(self.acc, self.slot(WORKERS))
        m.move(self.third, 1)
        m.branch(self.acc, "==", self.third, alone)
        m.move(self.acc, self.slot(_OPERANDS))
        m.move(self.third, ScalarMemory(self.acc, 8 * node.team + 16))
        m.move(m.arguments[0], ScalarMemory(self.acc, 8 * node.team + 8))
        m.call(self.third)
        m.move(self.slot(_CLAIM), m.result)
        m.jump(known)
        m.asm.bind(alone)
        m.increment(self.slot(_CLAIM))
        m.asm.bind(known)

    def _bounds(self, name: str, total: int, whole: bool) -> None:
        """Set the slots `name` and `name.stop` to the iterations of this worker, or to all of them."""
        m = self.m
        for bound, ahead in ((name, 0), (f"{name}.stop", 1)):  # total * worker // workers, and of the next worker
            if whole:
                m.move(self.slot(bound), ahead * total)
                continue
            m.move(m.x, self.slot(self.worker))
            self.add(m.x, ahead)
            self.scale(m.x, total)
            m.move(self.acc, self.slot(self.workers))
            m.divide(self.acc)
            m.move(self.slot(bound), m.x)

    def _run(self, node: Share, name: str) -> None:
        """Emit the iterations from slot `name` to `name.stop`. Each iteration number is split into the indices of the
        loops."""
        with self.counted(name, 1) as following:
            (self._point if node.curve else self._digits)(node, name)
            for header in node.headers:
                self._place(header, following)
            self.block(node.body)

    def _digits(self, node: Share, name: str) -> None:
        """Emit index * step of each loop; the innermost one changes fastest."""
        m = self.m
        m.move(m.x, self.slot(name))
        for at, header in reversed(list(enumerate(node.headers))):
            if at:
                m.move(self.acc, header.trips)
                m.divide(self.acc)
                m.move(self.fourth, m.z)
            else:
                m.move(self.fourth, m.x)
            self.scale(self.fourth, header.step)
            m.move(self.slot(header.index), self.fourth)

    def _point(self, node: Share, name: str) -> None:
        """Emit index * step of both loops from the table of the curve."""
        m, (rows, columns) = self.m, node.headers
        m.constant(self.acc, table(rows.trips, columns.trips))
        m.move(self.third, self.slot(name))
        m.address(self.acc, self.acc, self.third, 8)
        for offset, header in ((0, rows), (4, columns)):
            m.move(self.fourth, ScalarMemory(self.acc, offset, 4))
            self.scale(self.fourth, header.step)
            m.move(self.slot(header.index), self.fourth)

    def _place(self, header: Header, following: Label) -> None:
        """Add the loop's start to its index. Continue with the next iteration if the index is past a bound."""
        m = self.m
        self.value(self.third, header.start)
        m.add(self.third, self.slot(header.index))
        m.move(self.slot(header.index), self.third)
        for form in header.stop[1:]:
            self.value(self.acc, form)
            m.branch(self.third, ">=", self.acc, following)

    def _grid(self, node: Grid) -> None:
        m = self.m
        known = 1
        for _, ways in node.ways:
            known *= ways or 1
        for axis, ways in node.ways:
            if ways:
                m.move(self.slot(f"@ways{axis}"), ways)
                continue
            m.move(m.x, self.slot(self.workers))  # max(1, workers // known)
            m.move(self.acc, known)
            m.divide(self.acc)
            m.move(self.acc, 1)
            m.take_if(m.x, self.acc, ">")
            m.move(self.slot(f"@ways{axis}"), m.x)
        m.move(self.third, self.slot(f"@ways{node.ways[0][0]}"))
        for axis, _ in node.ways[1:]:
            m.multiply(self.third, self.slot(f"@ways{axis}"))
        m.move(self.slot(f"{_CELL}.stop"), self.third)
        m.move(self.third, self.slot(self.worker))
        m.move(self.slot(_CELL), self.third)
        order = sorted((axis for axis, _ in node.ways), key="LRC".index)  # columns change fastest, layers slowest
        with self.counted(_CELL, self.workers):
            m.move(m.x, self.slot(_CELL))
            for axis in reversed(order[1:]):
                m.move(self.acc, self.slot(f"@ways{axis}"))
                m.divide(self.acc)
                m.move(self.slot(f"@{axis}"), m.z)
            m.move(self.slot(f"@{order[0]}"), m.x)
            self.block(node.body)

    def _group(self, node: Group) -> None:
        """Emit the body for the workers of a group, with their numbers and their count in the group."""
        m, outside = self.m, self.m.asm.label("outside")
        for place, register in ((node.begin, self.third), (node.end, self.fourth)):
            m.move(m.x, self.slot(WORKERS))
            self.scale(m.x, place)
            m.move(self.acc, node.of)
            m.divide(self.acc)
            m.move(register, m.x)
        m.subtract(self.fourth, self.third)
        m.move(self.acc, 1)
        m.take_if(self.fourth, self.acc, ">")
        m.move(self.slot(_MEMBERS), self.fourth)
        m.move(self.acc, self.slot(WORKER))
        m.subtract(self.acc, self.third)
        m.move(self.slot(_MEMBER), self.acc)
        m.branch(self.acc, "<", 0, outside)
        m.branch(self.acc, ">=", self.fourth, outside)
        self.worker, self.workers = _MEMBER, _MEMBERS
        self.block(node.body)
        self.worker, self.workers = WORKER, WORKERS
        m.asm.bind(outside)

    def _when(self, node: When) -> None:
        m = self.m
        other = m.asm.label("otherwise")
        self.value(self.third, node.left)
        m.move(self.acc, 0)
        m.branch(self.third, _NOT[node.condition], self.acc, other)
        self.block(node.body)
        m.asm.bind(other)

    def _load(self, node: Load) -> None:
        m = self.m
        self.value(self.acc, node.place)
        m.move(self.part, self.slot(_OPERANDS))
        m.add(self.acc, ScalarMemory(self.part, 8 * node.operand))
        for number, name in enumerate(node.indices):
            m.move(self.third, ScalarMemory(self.acc, node.bytes * number, node.bytes))
            m.move(self.slot(name), self.third)
        self.block(node.body)

    # Calls and barriers

    def _call(self, node: Call) -> None:
        m = self.m
        m.asm.note(f"call {node.kernel.name}")
        for number, argument in reversed(list(enumerate(node.arguments))):
            if isinstance(argument, Address):
                self.value(self.acc, argument.offset)
                if argument.bits != Affine():
                    self.value(self.third, argument.bits)
                    m.shift_right(self.third, 3)
                    m.add(self.acc, self.third)
                m.move(self.part, self.slot(_OPERANDS))
                m.add(self.acc, ScalarMemory(self.part, 8 * argument.operand))
            elif isinstance(argument, Constants):
                m.constant(self.acc, argument.data)
            else:
                self.value(self.acc, argument)
            m.move(m.argument(number), self.acc)
        m.call(self.labels[node.kernel])

    def _barrier(self, node: Barrier) -> None:
        m = self.m
        alone = m.asm.label("alone")
        m.move(self.acc, self.slot(WORKERS))
        m.move(self.third, 1)
        m.branch(self.acc, "==", self.third, alone)
        m.move(self.acc, self.slot(_OPERANDS))
        m.move(self.third, ScalarMemory(self.acc, 8 * node.operand))
        m.move(m.arguments[0], ScalarMemory(self.acc, 8 * node.operand + 8))
        m.call(self.third)
        m.asm.bind(alone)


def _name(node: Share) -> str:
    return "@" + "".join(header.index for header in node.headers)


def _names(nodes: Sequence[Node]) -> list[str]:
    """Return the slots of a frame without repetition. Consecutive loops of the same name share their slots."""
    found = dict.fromkeys((_OPERANDS, WORKER, WORKERS))
    found |= dict.fromkeys((_CLAIM, _CLAIMED) if claims(tuple(nodes)) else ())

    def visit(nodes: Sequence[Node]) -> None:
        for node in nodes:
            names: list[str] = []
            if isinstance(node, Loop):
                names = [node.header.index]
            elif isinstance(node, Share):
                found.update(dict.fromkeys(header.index for header in node.headers))
                names = [_name(node), f"{_name(node)}.turn"]
            elif isinstance(node, Load):
                found.update(dict.fromkeys(node.indices))
            elif isinstance(node, Group):
                found.update({_MEMBER: None, _MEMBERS: None})
            elif isinstance(node, Grid):
                names = [_CELL]
                found.update(dict.fromkeys(f"@{kind}{axis}" for kind in ("", "ways") for axis in AXES))
            for name in names:
                found.update({name: None, f"{name}.stop": None})
            if not isinstance(node, (Call, Barrier)):
                visit(node.body)

    visit(nodes)
    return list(found)


def append(m: Scalar, kernel: Any, label: Label) -> tuple[int, Any]:
    """Append the code of a kernel, constants included. Return its offset and its origin."""
    origin = kernel._origin
    m.asm.buffer += m.asm.fill * (-len(m.asm.buffer) % CODE_ALIGNMENT // len(m.asm.fill))
    m.asm.bind(label)
    start = len(m.asm.buffer)
    m.asm.buffer += origin.data
    return start, origin
