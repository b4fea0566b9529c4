"""`tensorize`, which makes the kernels of tensor programs, and `candidates`, which lists the instructions for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from ...encoder.errors import shown
from ...microkernels.contract import unit_table
from ...microkernels.contract.equation import sum_type
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import behind_first
from ...microkernels.machines.registry import TARGETS, facts_of
from ...microkernels.tensorize.expressions import LoopAxis, TensorFactor, TensorProgram
from ...microkernels.tensorize.inspect import inspect
from ...microkernels.tensorize.instructions import instructions
from ..api.brgemm import product_spec
from ..arguments.tracebacks import shortening
from ..contraction.epilogues import traced
from ..host import detect as host
from ..kernel import accuracy as accuracies
from ..kernel.callable import kept
from ..threads.policy import checked
from .blocked import blocked, blocked_convolution, blocked_weights, requantized, unblocked
from .kernel import TensorCandidate, Tensorized, TensorizedRequest, multiplies

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import Epilogue, TargetLike
    from ..kernel.accuracy import Accuracy


def candidates(program: TensorProgram, target: TargetLike = None) -> tuple[TensorCandidate, ...]:
    """Return the tensor instructions of a target that multiply the program's types, with the ways in which each
    computes it, or the reasons why it cannot. Print them: they name operands, axes and loops."""
    _check(program)
    able = (each for each in instructions(host.resolve(target)) if multiplies(each, program))
    return tuple(TensorCandidate(each, *inspect(program, each)) for each in able)


class TensorizeFunction:
    """`tensorize(program)` makes a kernel; see its call. Its attributes are what programs and kernels are made with."""

    TensorUnit = unit_table.TensorUnit
    candidates = staticmethod(candidates)
    blocked = staticmethod(blocked)
    blocked_weights = staticmethod(blocked_weights)
    blocked_convolution = staticmethod(blocked_convolution)
    requantized = staticmethod(requantized)
    unblocked = staticmethod(unblocked)

    @shortening
    def __call__(
        self,
        program: TensorProgram,
        target: TargetLike = None,
        instruction: str | unit_table.TensorUnit | None = None,
        *,
        dtype: str | None = None,
        epilogue: Epilogue | None = None,
        operands: Mapping[str, TensorFactor] | None = None,
        accuracy: Accuracy | None = None,
        threads: int | None = None,
    ) -> Tensorized:
        """Return the kernel of a tensor program: `k(x, y)`.

        program      what ts.sum of a product of two elements of tensors returns
        target       the target; None: this host
        instruction  the name of the tensor instruction that the products run on, as `tensorize.candidates` lists them,
                     or one of one's own, a `tensorize.TensorUnit`; None: what is fastest on the target
        dtype        the type of the result; None: that of the sums
        epilogue     a function of expressions of the sum and of further operands: lambda c, scale: ts.relu(c * scale)
        operands     the element of each of its further operands: {"scale": ts.tensor((64,), "f32")[k]}. It has an
                     element for each place of the loops of the result that are in the packed factor alone, or for each
                     of the result, in its order
        accuracy     of the functions in the epilogue, as in `ts.unary`
        threads      the number of threads of calls; None: `num_threads()`

        Raises UnsupportedError if no tensor instruction of the target computes the program, with the operand, the axis
        and the loop that are in the way. Source: UNIT (Weng et al., CGO 2021), section III.
        """
        _check(program)
        on = host.resolve(target)
        if isinstance(instruction, unit_table.TensorUnit):
            on, instruction = _with_unit(on, instruction), instruction.facts.name
        found = [each for each in instructions(on) if multiplies(each, program)]
        x, y, sums = program.equation.types
        if not found:
            able = [name for name, on in TARGETS.items() if any(multiplies(each, program) for each in instructions(on))]
            hint = f"targets that do: {', '.join(able)}" if able else "no target does"
            raise UnsupportedError(f"tensorize: {on.name} does not sum {x} x {y} in {sums}; {hint}")
        if not any(inspect(program, each).mappings for each in found):
            reasons = dict.fromkeys(reason for each in found for reason in inspect(program, each).reasons[:3])
            raise UnsupportedError(f"tensorize: {'; '.join(reasons)}")
        result = sums if dtype is None else element_type("dtype", dtype)
        if sums == "i32" and result in ("u8", "i8") and not epilogue:
            raise UnsupportedError(
                f"dtype: sums of {x} by {y} are i32; a result of {result} needs an epilogue, which says how they are "
                "scaled: epilogue=lambda c: c * 0.01, or one with operands, as tensorize.requantized(program) makes it"
            )
        given = _operands(program, epilogue, operands)
        types = {name: each.tensor.dtype for name, each in given.items()}
        trace, names = traced(epilogue, None, types, (x, y, result))
        more = tuple((name, given[name]) for name in names)
        wanted = accuracy or accuracies.of_process or accuracies.default_accuracy()
        count = None if threads is None else checked(threads, "threads")
        made = Tensorized(TensorizedRequest(program, result, trace, more, wanted, count, on))
        for name, each in more:
            _check_operand(made, name, each)
        _ = made.plan  # what is impossible is said here and not at the first call
        if instruction is not None:
            able = list(dict.fromkeys(each.name for each in found))
            if instruction not in able:
                raise ValueError(
                    f"instruction: one of {', '.join(able)} for {x} x {y} on {on.name}, not {instruction!r}"
                )
            if made.instruction.name != instruction:
                others = ", ".join(_targets_with(made.request, instruction)) or "none"
                raise UnsupportedError(
                    f"instruction: the products of this program run on {made.instruction.name} on {on.name}, not on "
                    f"{instruction}; targets on which they do: {others}"
                )
        return made


tensorize = TensorizeFunction()


def _targets_with(request: TensorizedRequest, name: str) -> Iterator[str]:
    """Yield the targets on which a program's products run on this instruction."""
    for target in TARGETS.values():
        with suppress(UnsupportedError):
            if Tensorized(request._replace(target=target)).instruction.name == name:
                yield target.name


@cache
def _with_unit(target: Target, row: unit_table.TensorUnit) -> Target:
    """Return a target with a row of one's own. Raises ValueError if the row contradicts itself, or if the emitter's
    code is not the row's equation: a small product is proved."""
    name, depth = row.facts.name, dict(row.form.extents({})).get("e") or 1
    if depth != row.facts.depth:
        raise ValueError(f"instruction: {name} has groups of {row.facts.depth} by its facts, of {depth} by its form")
    on, types = unit_table.with_unit(target, row), (row.row_vectors, row.groups, sum_type(row.row_vectors, row.groups))
    for m, n, k in ((3, 20, 2 * depth + 1), (1, 33, 2 * depth)):
        try:
            proof = kept(product_spec(m, n, k, dtype=types), on).verify()
        except (AttributeError, IndexError, TypeError) as error:
            raise ValueError(
                f"instruction: the emitter of {name}, {row.unit!r}, does not fit {target.name} or the row's facts "
                f"(temporaries, constants): {error}"
            ) from error
        except UnsupportedError:  # sums of a kind that no proof knows
            proof = None
        found = facts_of(on).unit(*types[:2], row.numerics or "exact")
        if found is None or found.name != name:
            raise ValueError(f"instruction: the emitter of {name} takes no {' by '.join(types[:2])} on {target.name}")
        if proof is not None and proof.refuted:
            raise ValueError(f"instruction: the emitter of {name} does not compute {row.form.text}: {proof}")
    return on


_ARGUMENTS = "x", "y", "out", "threads", "workers", "turns"
"""What calls and `run` have beside further operands."""


def _check(program: object) -> None:
    if not isinstance(program, TensorProgram):
        raise TypeError(
            "program: a sum of products, such as ts.sum(x[i, k] * y[k, j], axis=k) of tensors and axes, not "
            f"{type(program).__name__}"
        )


def _operands(
    program: TensorProgram, epilogue: Epilogue | None, operands: Mapping[str, TensorFactor] | None
) -> dict[str, TensorFactor]:
    """Return the further operands of an epilogue, all of whose loops are those of the result."""
    if operands is None:
        return {}
    if epilogue is None:
        raise TypeError("operands: only an epilogue takes operands=, and epilogue= was not given")
    if not isinstance(operands, Mapping):
        raise TypeError(
            f'operands: elements by name, as {{"scale": ts.tensor((64,), "f32")[k]}}, not {shown(operands)}'
        )
    known = behind_first(epilogue, dict(operands))[1:]
    for name, each in operands.items():
        if name not in known:
            raise ValueError(f"operands: {name!r} is no parameter of the epilogue")
        if name in _ARGUMENTS:
            raise ValueError(f"operands: {name!r} is an argument of calls; give the parameter another name")
        if not isinstance(each, TensorFactor):
            raise TypeError(
                f'operands: {name} is an element of a tensor, as ts.tensor((64,), "f32")[k], not {shown(each)}'
            )
        used = {loop for position in each.indices for loop, _ in position.terms}
        odd = next((loop for loop in used if loop.reduced or loop not in program.loops), None)
        if odd is not None:
            raise ValueError(f"operands: {name} depends on {_called(program, odd)}, which is no loop of the result")
    return dict(operands)


def _called(program: TensorProgram, loop: LoopAxis) -> str:
    return f"loop {program.names[loop]}" if loop in program.names else repr(loop)


def _check_operand(made: Tensorized, name: str, element: TensorFactor) -> None:
    """Raise UnsupportedError for an operand that has no place in the products: their rows and columns are those of the
    result, so it lies as the result, or has the loops of its columns, as they lie there."""
    program = made.program
    (whole,) = made.parts
    operand = next(each for each, (other, _) in zip(whole.more, made.request.more) if other == name)
    columns = {loop: whole.c.stride(loop) for loop in whole.extents if whole.c.has(loop) and not whole.a.has(loop)}
    wanted, step = dict[str, int](), 1
    for loop in sorted(columns, key=lambda each: columns[each]):
        wanted[loop] = step
        step *= whole.extents[loop]
    if operand.steps not in (wanted, whole.c.steps):
        of = ", ".join(loop for loop in whole.extents if loop in columns) or "no loop"
        raise UnsupportedError(
            f"operands: {name}[{', '.join(program.text_of(element))}] of {element.tensor} has an element for "
            f"each place of {of}, in this order without gaps, or lies as the result, {program.shape}; copy it"
        )
