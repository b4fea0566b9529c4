"""Traces the body of a nest once: calls of kernels on blocks at affine places, and conditions on indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import ORIGIN, RUNTIME, SEED, whole
from .code import Address, Affine, Call, Constants, Node, When, affine
from .grammar import Range

if TYPE_CHECKING:
    from ..kernel.callable import Kernel


GIVEN = (SEED, *ORIGIN)
"""The numbers of kernels that do not decide which elements a call touches: a call of the nest may give them, and they
may differ between iterations."""


OFFSETS = ("a_offsets", "b_offsets")
"""The tables of kernels whose batch is OFFSET: the body gives their numbers, which become part of the code."""


class LoopIndex:
    """A loop's value in the body, or a linear combination of such values. Comparisons make conditions for `when`."""

    __slots__ = ("form", "loop", "tracer")
    __hash__ = None  # type: ignore[assignment]  # == makes a condition

    def __init__(self, tracer: Tracer, form: Affine, loop: Range | None = None) -> None:
        self.tracer, self.form, self.loop = tracer, form, loop

    def __add__(self, other: LoopIndex | int) -> LoopIndex:
        if isinstance(other, TracedNumber):
            return NotImplemented  # seed + i.b, which is a number again
        return LoopIndex(self.tracer, self.form + _form(other))

    __radd__ = __add__

    def __sub__(self, other: LoopIndex | int) -> LoopIndex:
        return LoopIndex(self.tracer, self.form - _form(other))

    def __rsub__(self, other: int) -> LoopIndex:
        return LoopIndex(self.tracer, affine(other) - self.form)

    def __neg__(self) -> LoopIndex:
        return self * -1

    def __mul__(self, factor: int) -> LoopIndex:
        number = whole(factor)
        if number is None:
            raise TypeError("an index times a whole number: addresses are affine")
        return LoopIndex(self.tracer, self.form * number)

    __rmul__ = __mul__

    def _compared(self, condition: str, other: LoopIndex | int) -> Condition:
        return Condition(self.tracer, self.form - _form(other), condition)

    def __eq__(self, other: Any) -> Condition:  # type: ignore[override]
        return self._compared("==", other)

    def __ne__(self, other: Any) -> Condition:  # type: ignore[override]
        return self._compared("!=", other)

    def __lt__(self, other: LoopIndex | int) -> Condition:
        return self._compared("<", other)

    def __le__(self, other: LoopIndex | int) -> Condition:
        return self._compared("<=", other)

    def __gt__(self, other: LoopIndex | int) -> Condition:
        return self._compared(">", other)

    def __ge__(self, other: LoopIndex | int) -> Condition:
        return self._compared(">=", other)

    def __bool__(self) -> bool:
        raise TypeError("an index has no value while the body is traced: with ts.when(i.a == 0): instead of if")

    @property
    def first(self) -> Condition:
        """Whether the index has the loop's first value."""
        return self == _loop(self).start

    @property
    def last(self) -> Condition:
        """Whether the index has the loop's last value."""
        loop = _loop(self)
        return self == loop.start + (-(-(loop.stop - loop.start) // loop.step) - 1) * loop.step


class LoopIndices:
    """The loops in the body: i.a is the value of loop a."""

    def __init__(self, indices: Mapping[str, LoopIndex]) -> None:
        self.__dict__.update(indices)

    def __getattr__(self, name: str) -> LoopIndex:
        loops = ", ".join(f"i.{letter}" for letter in self.__dict__)
        raise AttributeError(f"the nest has no loop {name!r}; the values of its loops are {loops}")


class Condition:
    """A comparison of indices, for `when`."""

    def __init__(self, tracer: Tracer, left: Affine, condition: str) -> None:
        self.tracer, self.left, self.condition = tracer, left, condition

    def __bool__(self) -> bool:
        raise TypeError("a condition on indices has no value while the body is traced: with ts.when(condition):")


def _form(value: LoopIndex | int, what: str = "") -> Affine:
    """Return an index or a number as a form; `what` it is for begins the message if it is neither."""
    if isinstance(value, LoopIndex):
        return value.form
    number = whole(value)
    if number is None:
        kind = "a block of an operand" if isinstance(value, (Block, Traced)) else type(value).__name__
        raise TypeError(f"{what}a whole number or an index of the nest, not {kind}")
    return affine(number)


def _loop(index: LoopIndex) -> Range:
    if index.loop is None:
        raise TypeError("first and last: only a loop's own index has them, as in i.a.last, not a sum of indices")
    return index.loop


@contextmanager
def when(condition: Condition) -> Iterator[None]:
    """In the body of a nest, `with ts.when(i.a == 0):` makes the calls inside only if the condition holds."""
    if not isinstance(condition, Condition):
        raise TypeError(f"when: a condition on the indices of a nest, as in i.a == 0, not {type(condition).__name__}")
    tracer, outer = condition.tracer, condition.tracer.nodes
    inner: list[Node] = []
    tracer.nodes = inner
    try:
        yield
    finally:
        tracer.nodes = outer  # also for a body that catches an exception raised inside
        outer.append(When(condition.left, condition.condition, tuple(inner)))


WORKERS_OWN, OF_CALL = "worker", "call"
"""Who has scratch memory: each worker its own, or all workers of a call the same."""


class Scratch(NamedTuple):
    """Scratch memory as an operand of a nest: see `scratch`."""

    shape: tuple[int, ...]
    dtype: str
    each: str


def scratch(shape: Sequence[int], dtype: object = "f32", *, each: str = WORKERS_OWN) -> Scratch:
    """Return scratch memory as an operand of `nest` that calls do not pass: `ts.nest(..., band=ts.scratch((10, 64)))`.

    shape, dtype   of the array that the body indexes, as for the other operands
    each           "worker": each worker has its own, which the iterations that it runs reuse. "call": all workers share
                   one, under the rules for arrays that a nest writes

    Each begins at a cache line. The memory is kept for further calls until `trim`; calls from several threads at once
    have memory of their own. Its contents are undefined, so a nest reads only what it has written before: within one
    iteration of the loops that are divided among workers, in the order of the loops inside of them, or in `init` if the
    workers share it. Everything else is a `RaceError`.
    """
    if each not in (WORKERS_OWN, OF_CALL):
        raise ValueError(f'each: "{WORKERS_OWN}" or "{OF_CALL}", not {each!r}')
    return Scratch(*extents_of("scratch", shape, dtype), each)


def extents_of(name: str, extents: Sequence[int], dtype: object) -> tuple[tuple[int, ...], str]:
    """Return the shape and the element type of an operand after checks."""
    if not isinstance(extents, (tuple, list)):
        raise TypeError(f"{name}: a shape of whole numbers, such as (4, 16), not {extents!r}")
    shape = tuple(whole(each) or 0 for each in extents)
    if not shape or min(shape) < 1:
        raise ValueError(f"{name}: a shape of whole numbers of 1 or more, not {tuple(extents)}")
    return shape, element_type(f"type of {name}", dtype)


@dataclass(frozen=True)
class NestMatrix:
    """An operand of a nest: the shape and element type of the contiguous arrays that calls take, or of scratch memory.

    each   of scratch memory: "worker" or "call"; "" for arrays
    base   the bytes from the address in the job's table to the first element
    """

    name: str
    place: int
    shape: tuple[int, ...]
    dtype: str
    size: int
    each: str = ""
    base: Affine = Affine()

    def __str__(self) -> str:
        return f"{self.dtype} {self.shape}"

    @property
    def asked(self) -> Scratch | tuple[tuple[int, ...], str]:
        """The operand as `nest` takes it."""
        return Scratch(self.shape, self.dtype, self.each) if self.each else (self.shape, self.dtype)

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes between neighbours along each axis."""
        found, step = [], self.size
        for extent in reversed(self.shape):
            found.append(step)
            step *= extent
        return tuple(reversed(found))

    @property
    def bytes(self) -> int:
        """The bytes of all elements."""
        return int(np.prod(self.shape, dtype=object)) * self.size


@dataclass(frozen=True)
class NestNumber:
    """An operand of a nest that is a whole number, such as a seed. Each call gives another one."""

    name: str
    place: int
    asked = RUNTIME

    def __str__(self) -> str:
        return "a number"


NestOperand: TypeAlias = NestMatrix | NestNumber


class TracedNumber:
    """A number of the call in the body, plus an index or a number: seed, seed + 1, row + 8 * i.a."""

    def __init__(self, tracer: Tracer, word: NestNumber, ahead: Affine | int = 0) -> None:
        self.tracer, self.word, self.ahead = tracer, word, affine(ahead)

    def __add__(self, other: LoopIndex | int) -> TracedNumber:
        return TracedNumber(self.tracer, self.word, self.ahead + _form(other))

    __radd__ = __add__

    def __sub__(self, other: LoopIndex | int) -> TracedNumber:
        return TracedNumber(self.tracer, self.word, self.ahead - _form(other))

    def __mul__(self, other: Any) -> NoReturn:
        raise TypeError(
            "a number of the call can only be added to in a nest: seed + 1, seed + i.a; multiply it before the call"
        )

    __rmul__ = __rsub__ = __mul__

    def __nest_call__(self, kernel: Kernel, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        self.tracer.called(kernel, args, named)


class Traced:
    """An operand in the body: A[i.b, i.a] is the block of the remaining axes at this place."""

    def __init__(self, tracer: Tracer, matrix: NestMatrix) -> None:
        self.tracer, self.matrix = tracer, matrix

    def __iter__(self) -> NoReturn:  # else Python would ask for one block after the other, without an end
        name = self.matrix.name
        raise TypeError(
            f"{name}: index it by the nest's loops, as in {name}[i.a]; the body is traced once and cannot "
            "iterate over an operand"
        )

    def __getitem__(self, places: Any) -> Block:
        found = places if isinstance(places, tuple) else (places,)
        if len(found) > len(self.matrix.shape):
            raise IndexError(f"{self.matrix.name}: {len(found)} indices, the operand has {len(self.matrix.shape)} axes")
        if any(isinstance(each, slice) for each in found):
            raise TypeError(
                f"{self.matrix.name}: use indices such as i.a, not slices: the kernel takes the block that begins there"
            )
        return Block(self.tracer, self.matrix, tuple(_form(each) for each in found))

    def __nest_call__(self, kernel: Kernel, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        self.tracer.called(kernel, args, named)


def traced(tracer: Tracer, operands: Sequence[NestOperand]) -> list[Traced | TracedNumber]:
    """Return what the body is called with for the operands."""
    return [Traced(tracer, each) if isinstance(each, NestMatrix) else TracedNumber(tracer, each) for each in operands]


class Block:
    """Elements of an operand from a place on, as an argument of a kernel in the body."""

    def __init__(self, tracer: Tracer, matrix: NestMatrix, places: tuple[Affine, ...]) -> None:
        self.tracer, self.matrix, self.places = tracer, matrix, places

    @property
    def offset(self) -> Affine:
        """The bytes from the operand's first element."""
        return offset_of(self.matrix, self.places)

    def __nest_call__(self, kernel: Kernel, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Record a call of a kernel whose argument this block is."""
        self.tracer.called(kernel, args, named)


def offset_of(matrix: NestMatrix, places: Sequence[Affine]) -> Affine:
    """Return the bytes from an operand's first element to the block at these places."""
    constant, factors = 0, dict[str, int]()
    for place, stride in zip(places, matrix.strides):
        constant += place.constant * stride
        for name, factor in place.terms:
            factors[name] = factors.get(name, 0) + factor * stride
    return Affine(constant, tuple([each for each in factors.items() if each[1]]))


_parameters: WeakKeyDictionary[Kernel, list[tuple[str, str]]] = WeakKeyDictionary()


def parameters_of(kernel: Kernel) -> list[tuple[str, str]]:
    """Return the type and the name of each parameter of a kernel's C function."""
    found = _parameters.get(kernel)
    if found is None:
        found = _parameters[kernel] = kernel.kind.parameters(kernel.spec)
    return found


class Tracer:
    """The calls that the body has made so far."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.accesses: list[tuple[Call, tuple[Any, ...]]] = []

    def called(self, kernel: Kernel, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Record a call with positional arguments; refuse others."""
        if named:
            raise UnsupportedError(
                f"{next(iter(named))}=: kernels in a nest take positional arguments only; give "
                "leading dimensions as numbers when the kernel is made"
            )
        self.record(kernel, args)

    def record(self, kernel: Kernel, args: Sequence[Any]) -> None:
        """Record a call, with blocks for the C function's pointers and numbers for its integers."""
        parameters = parameters_of(kernel)
        if len(args) != len(parameters):
            names = ", ".join(name for _, name in parameters)
            raise TypeError(f"{kernel.name} takes {len(parameters)} arguments in a nest ({names}), not {len(args)}")
        values: list[Address | Affine | Constants] = []
        given: list[Any] = []
        for (kind, name), value in zip(parameters, args):
            block = value[()] if isinstance(value, Traced) else value
            given.append(block)
            if "*" not in kind:
                values.append(_number(kernel, name, value))
            elif isinstance(block, Block):
                values.append(
                    Address(block.matrix.place, block.matrix.base + block.offset if block.matrix.each else block.offset)
                )
            elif name in OFFSETS:
                values.append(_table(name, value))
            else:
                raise TypeError(
                    f"{name}: a block of an operand of the nest, such as A[i.b, i.a], not {type(value).__name__}"
                )
        call = Call(kernel, tuple(values))
        self.nodes.append(call)
        self.accesses.append((call, tuple(given)))


def _table(name: str, value: object) -> Constants:
    """Return offsets that are part of the code."""
    table = np.asarray(value)
    if table.ndim != 1 or table.dtype.kind not in "iu" or not table.size:
        raise TypeError(
            f"{name}: offsets in bytes, a one-dimensional array or list of whole numbers, or a block of an operand of "
            f"the nest with elements of i64, not {value!r}"
        )
    return Constants(table.astype("<i8").tobytes())


def _number(kernel: Kernel, name: str, value: Any) -> Address | Affine:
    """Return a number that a kernel takes: a form of the indices, or one that the call of the nest gives."""
    if isinstance(value, TracedNumber):
        if name not in GIVEN:
            raise UnsupportedError(
                f"{name} of {kernel.name}: must be known when the nest is made, because it decides "
                f"what the kernel accesses; {value.word.name}, which the call gives, can be a "
                f"{', '.join(GIVEN[:-1])} or {GIVEN[-1]}"
            )
        return Address(value.word.place, value.ahead)
    if name == SEED:
        raise UnsupportedError(
            f"{name} of {kernel.name}: must be an operand of the nest, as with ts.nest(..., seed=ts.RUNTIME), whose "
            "calls give another seed each time; a number in the body would draw the same random numbers in every call"
        )
    return _form(value, f"{name} of {kernel.name}: ")
