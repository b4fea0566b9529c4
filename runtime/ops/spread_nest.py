"""The loops of a spread kernel: its parts, one phase after the other, and the joining of what parts contribute."""

from __future__ import annotations

from collections.abc import Iterator

from ...encoder.features import Target
from ...encoder.records import cached_property, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.fused.spec import BEFORE
from ...microkernels.operands import CACHE_LINE, ORIGIN, Number, Operand
from ...microkernels.tuning.products import SPREAD
from ..kernel.callable import Kernel, kept
from ..loops.code import (
    Address,
    Affine,
    Barrier,
    Call,
    Header,
    Loop,
    Node,
    Share,
    When,
    affine,
    blocks_of,
    cases,
    index,
)
from .spread_cuts import FurtherCalls, Request, SpreadCut, SpreadPhases


@dataclass(frozen=True)
class SpreadNest:
    """The loops of a spread kernel. The operands of the job are those of the kernel, whose C function has these
    `parameters`; behind them scratch memory and the barrier, if phases follow one another or parts are joined."""

    phases: SpreadPhases
    parameters: tuple[str, ...]
    target: Target

    @property
    def waits(self) -> bool:
        """Whether workers wait for each other."""
        return len(self.phases.cuts) > 1 or any(cut.folds for cut in self.phases.cuts)

    @property
    def bytes(self) -> int:
        """The bytes of scratch memory."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[dict[object, int], int]:
        """Where stored values, and the results of the parts of each phase, begin in scratch memory; and its size."""
        found: dict[object, int] = {}
        end = 0
        for name, operand in self.phases.stored.items():
            found[name] = end
            size = operand.rows * operand.columns * ELEMENT_BYTES[operand.dtype]
            end += -(-size // CACHE_LINE) * CACHE_LINE
        for number, cut in enumerate(self.phases.cuts):
            for fold in cut.folds:
                found[number, fold.name] = end
                end += cut.parts * fold.bytes
        return found, end

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops."""
        made: list[Node] = []
        for number, cut in enumerate(self.phases.cuts):
            if number:
                made.append(self._barrier)
            made.append(self._share(cut, number))
            if cut.folds:
                made += [self._barrier, *self._joined(cut, number)]
        return tuple(made)

    @property
    def _barrier(self) -> Node:
        return Barrier(len(self.parameters) + 1)

    def _share(self, cut: SpreadCut, number: int) -> Share:
        whole, rest = divmod(cut.total, cut.block)
        units = -(-cut.total // cut.unit)
        header = Header("i", affine(0), (affine(units),), cut.block // cut.unit, cut.parts)
        last = whole * cut.block // cut.unit
        if cut.folds:
            header, last = Header("part", affine(0), (affine(cut.parts),), 1, cut.parts), whole
        body: list[Node] = []
        if whole:
            calls = self._part(cut, number, cut.block)
            body += [When(index(header.index) - last, "<", calls)] if rest else calls
        if rest:
            body.append(When(index(header.index) - last, "==", self._part(cut, number, rest)))
        return Share((header,), tuple(body))

    def _part(self, cut: SpreadCut, number: int, count: int) -> tuple[Node, ...]:
        kernel = kept(cut.request(count), self.target)
        first = self._call(cut, number, kernel)
        repeats = cut.repeats
        if repeats is None or repeats.count == 1:
            return (first,)
        again = kept(repeats.request(count), self.target)
        header = Header("sample", affine(1), (affine(repeats.count),), 1, repeats.count - 1)
        return first, Loop(header, (self._call(cut, number, again, repeats),))

    def _call(self, cut: SpreadCut, number: int, kernel: Kernel, repeats: FurtherCalls | None = None) -> Call:
        spec: Request = kernel.spec
        further = [name for _, name in kernel.kind.parameters(spec)][len(spec.arguments) :]  # numbers of the call
        given = [self._argument(cut, number, each, repeats) for each in spec.arguments]
        return Call(kernel, (*given, *(Address(self.parameters.index(name)) for name in further)))

    def _argument(
        self, cut: SpreadCut, number: int, argument: Operand | Number, repeats: FurtherCalls | None
    ) -> Address | Affine:
        """Return the address of an operand, a number of the call, or the row and column of the part's first element."""
        i = index("part") * (cut.block // cut.unit) if cut.folds else index("i")
        name = argument.name
        if isinstance(argument, Number):
            ahead = i if name == ORIGIN[0] else affine(0)
            there = name in self.parameters
            return Address(self.parameters.index(name), ahead) if there else ahead
        for fold in cut.folds:
            if fold.name == name:
                offset = index("part") * fold.bytes + self._places[0][number, name]
                return Address(len(self.parameters), offset)
        operand = cut.operand(name) or cut.operand(name.removesuffix(BEFORE))  # of a result before a further call
        assert operand is not None
        offset = i * cut.step(operand)
        if repeats is not None:
            offset = offset + index("sample") * repeats.distance(operand)
        return self._at(operand.name, offset)

    def _at(self, name: str, offset: Affine) -> Address:
        """Return the address of an operand or of a stored value."""
        name = self.phases.same.get(name, name)
        if name in self.parameters:
            return Address(self.parameters.index(name), offset)
        return Address(len(self.parameters), offset + self._places[0][name])

    def _joined(self, cut: SpreadCut, number: int) -> Iterator[Node]:
        """Yield the loops that join the results of parts, some columns at a time."""
        for fold in cut.folds:
            column, size = index("column"), ELEMENT_BYTES[fold.dtype]
            own = Address(len(self.parameters), column * size + self._places[0][number, fold.name])
            body: list[Node] = []
            for case, width in cases("column", fold.columns, SPREAD.joined):
                kernel = kept(fold.request(cut.parts, width, fold.bytes // size), self.target)
                names = [fold.init, fold.name] if fold.init else [fold.name]
                others = [self._at(each, column * self._size(cut, each)) for each in names]
                body += case([Call(kernel, (own, *others))])
            yield Share((blocks_of("column", fold.columns, SPREAD.joined),), tuple(body))

    def _size(self, cut: SpreadCut, name: str) -> int:
        operand = cut.operand(name)
        assert operand is not None
        return ELEMENT_BYTES[operand.dtype]


def title(phases: SpreadPhases) -> str:
    """Return how the phases are cut, in words."""
    return ", then ".join(f"parts of {cut.block} of {cut.total}" for cut in phases.cuts)
