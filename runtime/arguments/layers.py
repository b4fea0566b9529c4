"""Arguments that do not fit a layer: what was expected, what came, and what to pass instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from ...microkernels.expr.graph import Expr
from ...microkernels.expr.trace import behind_first, with_parameters
from ...microkernels.gemm.spec import GemmSpec
from .arrays import Array, numpy_dtype

_SAME_WEIGHTS = "takes the same packed weights"


def check_request(activation: object, bias: object) -> None:
    """Raise TypeError for an activation or a bias of a wrong kind."""
    if activation is not None and not callable(activation):
        own = activation if isinstance(activation, str) and activation.isidentifier() else "relu"
        raise TypeError(f"activation: a function of an expression, as ts.{own}, or None, not {activation!r}")
    if not isinstance(bias, bool):
        raise TypeError(
            "bias: must be True or False (whether the layer adds a bias, which calls then take), not "
            f"{type(bias).__name__}"
        )


def check_alone(activation: Callable[..., object] | None) -> None:
    """Raise TypeError for an activation that takes more than the sums of a layer."""
    further = () if activation is None else _required(activation)[1:]
    if further:
        raise TypeError(
            f"activation: a function of one expression, not of {', '.join(further)} as well; ts.linear makes a layer "
            "whose calls take further operands"
        )


def _required(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of the parameters without a default, or nothing if Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(each.name for each in parameters if each.kind in places and each.default is each.empty)


def of_sums(
    activation: Callable[..., object] | None, bias: bool, operands: Mapping[str, object]
) -> tuple[Callable[..., object] | None, dict[str, object]]:
    """Return the epilogue of a layer, and its operands: of the sums of the product, with the bias if there is one, and
    of what else the activation takes."""
    if activation is None:
        if operands:
            raise TypeError(f"operands: only an activation takes operands ({', '.join(operands)}), and there is none")
        return ((lambda c, bias: c + bias) if bias else None), {}
    given = activation
    further = behind_first(given, operands)[1:]
    taken = [name for name in further if name in ("x", "w", "y", *(["bias"] if bias else []))]
    if taken:
        raise ValueError(f"activation: its parameter {taken[0]} has the name of an argument of the layer; rename it")

    def epilogue(c: Expr, *others: Expr) -> object:
        return given(c + others[0], *others[1:]) if bias else given(c, *others)

    asked = {name: operands.get(name, "row") for name in [*further, *operands]}
    return with_parameters(epilogue, ["c", *(["bias"] if bias else []), *further]), asked


def check_weights(spec: GemmSpec, array: Array) -> None:
    """Raise unless the array has the type and shape of the layer's weights."""
    dtype = numpy_dtype(spec.dtypes[1])
    if array.dtype == dtype and array.shape == (spec.k, spec.n):
        return
    hint = ""
    if array.dtype != dtype:
        hint = f"; weights of {array.dtype} are those of a layer with another dtype="
    elif array.shape == (spec.n, spec.k):
        hint = "; pass weights.T if they are (n, k), as those of torch.nn.Linear"
    raise ValueError(f"weights: {dtype} of shape ({spec.k}, {spec.n}), not {array.dtype} {array.shape}{hint}")


def check_matrix(name: str, array: Array, rows: int, columns: int, dtype: str, counted: str = "") -> None:
    """Raise unless the array has the type and shape of x or of a result of a layer. counted: "m" if it takes any number
    of rows."""
    if array.dtype == numpy_dtype(dtype) and array.shape == (rows, columns):
        return
    came = f"{name}: {dtype} of shape ({rows}, {columns}), not {array.dtype} of shape {array.shape}"
    if array.dtype != numpy_dtype(dtype):
        raise TypeError(came)
    if array.shape[-1:] != (columns,):
        raise ValueError(came)
    if counted:
        raise ValueError(f"{came}; {name}.reshape(-1, {columns}) makes rows of it" if array.ndim != 2 else came)
    given = array.size // columns
    if given == rows:
        raise ValueError(f"{came}; {name}.reshape({rows}, {columns}) has this shape")
    raise ValueError(f"{came}; a layer or network for {given} rows {_SAME_WEIGHTS}" if given else came)


def no_bias(number: int, spec: GemmSpec) -> TypeError:
    """Return the error for None as the bias of a layer of a network, counted from 0."""
    return TypeError(
        f"biases: an array for each layer, not None for layer {number + 1}; "
        f"np.zeros({spec.n}, np.float32), in its own type, adds nothing"
    )
