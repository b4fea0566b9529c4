"""`verify`: prove that hand-written code computes a traced expression or a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...encoder.code import Code
from ...encoder.deferred import deferred
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import required
from ..kernel.callable import Kernel
from .eltwise import equation

if TYPE_CHECKING:
    from ..verify.proof import Proof


@deferred
def _proofs() -> ModuleType:
    from ..verify import check

    return check


def verify(code: Code, spec: Callable[..., Any] | Kernel, operands: Mapping[str, Any] | None = None, *,
           any_mode: bool = False, timeout: float | None = None, **named: Any) -> Proof:  # fmt: skip
    """Return a `Proof` that hand-written code computes `spec` for all inputs. It is falsy, with the reason, if the code
    does not.

    code       the result of an assembler: asm.finish(...). Its function takes a pointer for each operand in the order
               of `spec`, the result last, as `kernel.c_prototype` of a request shows
    spec       an expression of arrays, as `equation` takes it; or a kernel of any kind that `Kernel.verify` proves:
               code that may replace it
    operands   the operands of an expression in the order of the code's parameters: {"x": (shape, "f32", "in"), "y":
               (shape, "f32", "out")}. Or use the keywords of `equation`, which can say more: x=(8, 16), dtype="f64"
    any_mode   whether results must not depend on the caller's rounding mode and flushing of denormals, as those of
               kernels do not; otherwise the default mode is trusted, and the proof says so
    timeout    the most seconds that the proof may take; None for the bounds on instructions (5,000,000 of one
               execution) and values (4,000,000) alone. A loop that never ends is told by its state, which repeats, or
               by more iterations than the operands have bytes

    Raises UnsupportedError if there is no proof of this kind yet, docs/soundness.md lists the existing ones, or if it
    meets a bound.
    """
    if not isinstance(code, Code):
        raise TypeError(f"code: a Code, which asm.finish(...) returns, not {type(code).__name__}")
    if isinstance(spec, Kernel):
        if operands is not None or named:
            raise TypeError(f"{next(iter(named), 'operands')}=: not possible with a kernel, whose operands are known")
        kernel = spec
    elif operands is not None:
        kernel = _described(code, spec, operands, named)
    else:
        kernel = equation(spec, **{"target": code.target, **named})
    if kernel.target.arch != code.target.arch:
        raise ValueError(f"{kernel.name} is for {kernel.target.name}, the code for {code.target.name}")
    proof: Proof = _proofs().verify(code.data, code.target, kernel.spec, kernel.kind, any_mode, timeout)
    return proof


def _described(code: Code, spec: Callable[..., Any], operands: Mapping[str, Any], options: dict[str, Any]) -> Kernel:
    """The request of an expression whose operands, inputs and results, are given by name."""
    if not isinstance(operands, Mapping):
        raise TypeError(f'operands: {{"x": (shape, element type, "in" or "out")}} by name, not {operands!r}')
    inputs: dict[str, tuple[Any, Any]] = {}
    results: dict[str, tuple[Any, Any]] = {}
    for name, given in operands.items():
        shape, dtype, way = _operand(name, given)
        if way == "in" and results:
            raise UnsupportedError(f"operands: input {name} must come before the results, as in the code's arguments")
        (results if way == "out" else inputs)[name] = shape, dtype
    names = required(spec, inputs)
    if list(inputs) != names or not results:
        raise ValueError(f'operands: {", ".join(names)} with "in", in the order of the expression\'s parameters, and '
                         f"results with \"out\" behind them; not {', '.join(operands) or 'none'}")  # fmt: skip
    both = sorted({*operands, "dtype", "out"} & {*options})
    if both:
        raise TypeError(f"{both[0]}=: operands= says this already; leave it out")
    types = {name: dtype for name, (_, dtype) in inputs.items()}
    out = tuple(dtype for _, dtype in results.values())
    shapes = {name: shape for name, (shape, _) in inputs.items()}
    kernel = equation(spec, dtype=types, out=out[0] if len(out) == 1 else out,
                      **{"target": code.target, **options, **shapes})  # fmt: skip
    return _checked(kernel, results)


def _operand(name: Any, given: Any) -> tuple[Any, Any, str]:
    """(shape, element type, "in" or "out") of an operand."""
    if not (isinstance(name, str) and isinstance(given, (tuple, list)) and len(given) == 3):
        raise TypeError(f'operands: {name}: (shape, element type, "in" or "out"), not {given!r}')
    shape, dtype, way = given
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"operands: {name} has a shape (rows, columns), not {shape!r}")
    if isinstance(way, str) and way == "inout":
        raise UnsupportedError(f'operands: {name} must be "in" or "out": the result is an operand of its own, for '
                               "which a call may give the array of an input")  # fmt: skip
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
