"""Steps of optimizers as machine code: one function walks tables of all parameters and calls a kernel for each piece.

A `StepFormula` says what is computed for each element. A parameter is cut into pieces of whole rows of 64 elements, and
a last row of what is left, whose kernel is its own. The pieces are dealt out to workers by their sizes, and any number
of workers gives the same bits. Tables are made at each step, because gradients lie elsewhere after each backward pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from ....encoder.records import NamedTuple
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.expr.graph import Expr
from ....microkernels.fused import optimizers
from ....microkernels.operands import RUNTIME
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...api.eltwise import equation
from ...arguments.arrays import Array, address_of
from ...kernel.callable import Kernel
from ...kernel.redirect import cycles_of
from ...loops.code import Call, Node, index
from ...loops.job import Job, job_of
from ...ops.dealt import dealt, with_bounds
from ...threads.policy import num_threads


class StepFormula(NamedTuple):
    """What a step computes for each element.

    name      a row of `optimizers.STEPS`
    fixed     names and values of its constants
    maximize  whether the gradient counts with the other sign
    dtypes    the types of its operands but numbers, which have that of the arithmetic
    """

    name: str
    fixed: tuple[tuple[str, float], ...]
    maximize: bool
    dtypes: tuple[str, ...]

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands."""
        return optimizers.STEPS[self.name].read

    @property
    def arithmetic(self) -> str:
        """The type in which numbers and sums are."""
        return "f64" if "f64" in self.dtypes else "f32"

    @property
    def written(self) -> tuple[int, ...]:
        """The operands that are written, by their places."""
        return optimizers.STEPS[self.name].places

    @property
    def sums(self) -> int:
        """The number of sums over a piece."""
        return optimizers.STEPS[self.name].sums

    @property
    def moves(self) -> tuple[int, ...]:
        """For each operand, the bytes from an element to the next; 0 of numbers."""
        types = iter(self.dtypes)
        return tuple(0 if name in optimizers.NUMBERS else ELEMENT_BYTES[next(types)] for name in self.operands)


class ParameterPieces(NamedTuple):
    """ParameterPieces of parameters that one kernel computes.

    columns  of its rows
    of       the parameter of each piece
    first    its first element
    rows     its rows
    """

    columns: int
    of: Array
    first: Array
    rows: Array


class StepWork(NamedTuple):
    """A formula, the elements of each parameter, the addresses of its operands (parameters, operands), and the array of
    numbers among them."""

    formula: StepFormula
    sizes: tuple[int, ...]
    addresses: Array
    numbers: Array


@lru_cache(maxsize=64)
def pieces(sizes: tuple[int, ...]) -> tuple[ParameterPieces, ...]:
    """Return the pieces of parameters of so many elements."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    columns, most = INTEGRATIONS.columns, INTEGRATIONS.rows
    for number, size in enumerate(sizes):
        rows, rest = divmod(size, columns)
        for row in range(0, rows, most):
            found.setdefault(columns, []).append((number, row * columns, min(most, rows - row)))
        if rest:
            found.setdefault(rest, []).append((number, rows * columns, 1))
    return tuple(ParameterPieces(each, *np.array(those, np.int64).T) for each, those in sorted(found.items()))


@lru_cache(maxsize=256)
def _kernel(formula: StepFormula, columns: int) -> Kernel:
    """Return the kernel of a formula for any number of rows, which are contiguous."""
    function: Callable[..., Expr] = partial(getattr(optimizers, formula.name), **dict(formula.fixed))
    if formula.maximize:
        function = _of_the_negative(function, formula.operands)
    types = iter(formula.dtypes)
    dtype = tuple(formula.arithmetic if each in optimizers.NUMBERS else next(types) for each in formula.operands)
    out = (*(dtype[place] for place in formula.written), *[formula.arithmetic] * formula.sums)
    shapes = {each: (1, 1) if each in optimizers.NUMBERS else (RUNTIME, columns) for each in formula.operands}
    request: Callable[..., Kernel] = equation  # the operands are named by a table
    return request(function, dtype=dtype, out=out, **shapes)


def _of_the_negative(function: Callable[..., Expr], operands: tuple[str, ...]) -> Callable[..., Expr]:
    """Return the function of the gradient with the other sign, which has the same parameters."""
    place = operands.index("g")

    def negated(*given: Expr) -> Expr:
        return function(*given[:place], -given[place], *given[place + 1 :])

    negated.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # it names the operands
    return negated


@lru_cache(maxsize=64)
def _job(kernels: tuple[tuple[StepFormula, int], ...]) -> Job:
    """Return the walk over the tables of these kernels, which are its operands."""
    made = [_kernel(*each) for each in kernels]

    def nodes() -> tuple[Node, ...]:
        loops = list[Node]()
        for number, kernel in enumerate(made):
            names = [name for _, name in kernel.kind.parameters(kernel.spec)]
            loops.append(dealt(number, names, (Call(kernel, tuple(map(index, names))),)))
        return tuple(loops)

    return job_of(tuple(each.spec for each in made), nodes, made[0].target, "optimizer_step")


def run(works: Sequence[StepWork]) -> list[Array]:
    """Compute in one call of machine code. Return the sums of each formula over each parameter (parameters, sums)."""
    kernels, tables, sums, cycles = [], [], [], 0.0
    for work in works:
        mine = []
        for each in pieces(work.sizes):
            kernel = _kernel(work.formula, each.columns)
            results = np.zeros((len(each.of), work.formula.sums), _NUMPY[work.formula.arithmetic])
            tables.append(_table(work, each, results))
            kernels.append((work.formula, each.columns))
            mine.append((each.of, results))
            cycles += cycles_of(kernel) * int(each.rows.sum())
        sums.append(mine)
    if kernels:
        _job(tuple(kernels)).run([address_of(each) for each in tables], num_threads(), cycles=int(cycles))
    return [_summed(len(work.sizes), work.formula.sums, mine) for work, mine in zip(works, sums, strict=True)]


_NUMPY = {"f32": np.float32, "f64": np.float64}


def _table(work: StepWork, these: ParameterPieces, results: Array) -> Array:
    """Return a row of a kernel's arguments for each piece: inputs, results in the place of inputs, sums, rows."""
    moved = these.first[:, None] * np.array(work.formula.moves, np.int64)
    given = work.addresses[these.of] + moved
    count, width = results.shape
    further = address_of(results) + np.arange(count * width, dtype=np.int64).reshape(count, width) * results.itemsize
    table = np.concatenate((given, given[:, work.formula.written], further, these.rows[:, None]), axis=1)
    return with_bounds(these.rows * these.columns + INTEGRATIONS.columns, table)


def _summed(parameters: int, width: int, parts: Sequence[tuple[Array, Array]]) -> Array:
    """Return the sums over parameters in f64, in the order of the pieces."""
    made = np.zeros((parameters, width))
    for of, each in parts:
        for column in range(width):
            made[:, column] += np.bincount(of, each[:, column], parameters)
    return made
