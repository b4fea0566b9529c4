"""`verify`: prove that hand-written code computes a traced expression or a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.code import Code
from ...encoder.deferred import lazy
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import required
from ..kernel.callable import Kernel
from ..verify.proof import together
from .eltwise import equation

if TYPE_CHECKING:
    from ..verify import check
    from ..verify.proof import Proof

check = lazy(__package__, "..verify.check")


def verify(
    code: Code,
    spec: Callable[..., Any] | Kernel,
    operands: Mapping[str, Any] | None = None,
    *,
    any_mode: bool = False,
    timeout: float | None = None,
    **named: Any,
) -> Proof:
    """Return a `Proof` that hand-written code computes `spec` for all inputs. It is falsy, with the reason, if the code
    does not.

    code       the result of an assembler: asm.finish(...). Its function returns nothing and takes a pointer for each
               operand in the order of `spec`, the result last, as `kernel.c_prototype` of a request shows
    spec       an expression of arrays, as `equation` takes it; or a kernel of any kind that `Kernel.verify` proves:
               code that may replace it, also in calls whose results overwrite operands
    operands   the operands of an expression in the order of the code's parameters: {"x": (shape, "f32", "in"), "n": 16,
               "y": (shape, "f32", "out")}. An integer is what the call passes in that place, such as a count; the proof
               holds for this number. Or use the keywords of `equation`, which can say more: x=(8, 16), dtype="f64"
    any_mode   whether results must not depend on the caller's rounding mode and flushing of denormals, as those of
               kernels do not; otherwise the default mode is trusted, and the proof says so
    timeout    the most seconds that the proof may take; None for the bounds on instructions (5,000,000 of one
               execution) and values (4,000,000) alone. A loop that never ends is told by its state, which repeats, or
               by more iterations than the operands have bytes

    Raises UnsupportedError if there is no proof of this kind yet, docs/soundness.md lists the existing ones, or if it
    meets a bound.
    """
    return proved(code, spec, operands, any_mode, named, timeout=timeout)


def proved(
    code: Code,
    spec: Callable[..., Any] | Kernel,
    operands: Mapping[str, Any] | None,
    any_mode: bool,
    named: dict[str, Any],
    passed: Mapping[str, int] | None = None,
    also: Callable[[Any, Any], Proof] | None = None,
    timeout: float | None = None,
) -> Proof:
    """Return the proof of `verify`.

    passed   what registers hold for operands that are integers, if it is not the number itself
    also     what must be proved besides, of a request and its kind
    """
    if not isinstance(code, Code):
        hint = "; a hand-written function has a method: function.verify(spec, ...)" * hasattr(code, "verify")
        raise TypeError(f"code: a Code, which asm.finish(...) returns, not {type(code).__name__}{hint}")
    kind: Any
    if isinstance(spec, Kernel):
        if operands is not None or named:
            raise TypeError(f"{next(iter(named), 'operands')}=: not possible with a kernel, whose operands are known")
        kernel, kind = spec, spec.kind
    elif operands is not None:
        kernel = _described(code, spec, operands, named)
        kind = _in_order(kernel, operands, passed or {})
    else:
        kernel = equation(spec, **{"target": code.target, **named})
        kind = kernel.kind
    if kernel.target.arch != code.target.arch:
        raise ValueError(f"{kernel.name} is for {kernel.target.name}, the code for {code.target.name}")
    of_kernel = isinstance(spec, Kernel)
    proof: Proof = check.verify(code.data, code.target, kernel.spec, kind, any_mode, timeout, of_kernel)
    if proof and also is not None:
        own = also(kernel.spec, kind)
        proof = replace(proof, claims=(*proof.claims, *own.claims), refutation=own.refutation)
    return together(
        [proof], ", ".join(f"{name} {given}" for name, given in (operands or {}).items() if _is_number(given))
    )


def _described(code: Code, spec: Callable[..., Any], operands: Mapping[str, Any], options: dict[str, Any]) -> Kernel:
    """The request of an expression whose operands, inputs and results, are given by name."""
    if not isinstance(operands, Mapping):
        raise TypeError(f'operands: {{"x": (shape, element type, "in" or "out")}} by name, not {operands!r}')
    inputs: dict[str, tuple[Any, Any]] = {}
    results: dict[str, tuple[Any, Any]] = {}
    for name, given in operands.items():
        if _is_number(given):
            continue
        shape, dtype, way = _operand(name, given)
        (results if way == "out" else inputs)[name] = shape, dtype
    names = required(spec, inputs)
    if sorted(inputs) != sorted(names) or not results:
        raise ValueError(
            f'operands: {", ".join(names)} with "in", which the expression takes, results with "out", and '
            f"integers that the call passes; not {', '.join(operands) or 'none'}"
        )
    both = sorted({*operands, "dtype", "out"} & {*options})
    if both:
        raise TypeError(f"{both[0]}=: operands= says this already; leave it out")
    inputs = {name: inputs[name] for name in names}
    types = {name: dtype for name, (_, dtype) in inputs.items()}
    out = tuple(dtype for _, dtype in results.values())
    shapes = {name: shape for name, (shape, _) in inputs.items()}
    kernel = equation(
        spec, dtype=types, out=out[0] if len(out) == 1 else out, **{"target": code.target, **options, **shapes}
    )
    return _checked(kernel, results)


def _is_number(given: Any) -> bool:
    return isinstance(given, (int, np.integer)) and not isinstance(given, bool)


class _InOrder:
    """The kind of a request, for code whose parameters are in another order or have numbers between them.

    places     for each parameter of the code, the argument of the request's function, or None for a number
    numbers    for each parameter of the code, what the call passes there
    """

    def __init__(self, kind: Any, places: Sequence[int | None], numbers: Sequence[int]) -> None:
        self._kind, self._places, self._numbers = kind, places, numbers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kind, name)

    def call(self, spec: Any) -> Callable[..., tuple[list[int], Any]]:
        """Return the function from arguments of a request to those that the code is called with."""
        inner = self._kind.call(spec)

        def integers(*given: Any, **leading: Any) -> tuple[list[int], Any]:
            usual, keep = inner(*given, **leading)
            if len(usual) != sum(place is not None for place in self._places):
                raise UnsupportedError(
                    "operands: describe each parameter of the code; leading dimensions and seeds of "
                    "the call have no place among them, so give them as numbers of the request"
                )
            passed = zip(self._places, self._numbers)
            return [number if place is None else usual[place] for place, number in passed], keep

        return integers

    def regions(self, spec: Any, integers: Sequence[int]) -> Any:
        """Return what the request's function may access."""
        usual = dict(zip(self._places, integers))
        return self._kind.regions(spec, [usual[place] for place in range(len(usual) - (None in usual))])


def _in_order(kernel: Kernel, operands: Mapping[str, Any], passed: Mapping[str, int]) -> Any:
    """Return the kind of the kernel, for calls with these operands in their order."""
    spec: Any = kernel.spec
    names = [each.name for each in spec.arguments]
    results = iter(names[-len(spec.outputs) :])
    places = [
        None if _is_number(given) else names.index(name if given[2] == "in" else next(results))
        for name, given in operands.items()
    ]
    if None not in places and places == sorted(each for each in places if each is not None):
        return kernel.kind
    numbers = [passed.get(name, int(given)) if _is_number(given) else 0 for name, given in operands.items()]
    return _InOrder(kernel.kind, places, numbers)


def _operand(name: Any, given: Any) -> tuple[Any, Any, str]:
    """(shape, element type, "in" or "out") of an operand."""
    if not (isinstance(name, str) and isinstance(given, (tuple, list)) and len(given) == 3):
        raise TypeError(f'operands: {name}: (shape, element type, "in" or "out"), or an integer, not {given!r}')
    shape, dtype, way = given
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"operands: {name} has a shape (rows, columns), not {shape!r}")
    if isinstance(way, str) and way == "inout":
        raise UnsupportedError(
            f'operands: {name} must be "in" or "out": the result is an operand of its own, for '
            "which a call may give the array of an input"
        )
    if not (isinstance(way, str) and way in ("in", "out")):
        raise ValueError(f'operands: {name} is "in" or "out", not {way!r}')
    return shape, dtype, str(way)


def _checked(kernel: Kernel, results: Mapping[str, tuple[Any, Any]]) -> Kernel:
    """The kernel, whose results have the shapes that were given."""
    spec: Any = kernel.spec
    for (name, (shape, _)), output in zip(results.items(), spec.outputs, strict=True):
        if output.shape not in (tuple(shape), (1, *shape)):
            raise ValueError(f"operands: {name} has the shape {output.shape} of the result, not {shape}")
    return kernel
