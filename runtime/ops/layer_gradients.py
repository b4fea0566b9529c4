"""The gradients of layers and of networks of layers: `linear_backward` and `mlp_backward`.

    y = activation(z), z = x @ w + bias       dz = dy * activation'(z)
    dx = dz @ w.T       dw = x.T @ dz       db = the sums of the columns of dz

The products are those of `matmul`. A derivative is computed in the epilogue of a product: of x @ w if the layer's sums
z are not given, and, in a network, of dz @ w.T of the layer behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np

from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.functions import catalogue
from ..api import functions
from ..api.eltwise import equation
from ..arguments.arrays import Array, as_array
from ..arguments.foreign_arrays import returned
from ..arguments.infer import GRADIENTS, check_gradient_types, one_or_all, type_of, wanted_of
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..kernel.request_cache import RECENT, shared
from .matmul import matmul
from .spread import Spread, spread
from .sums import sums_over

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, DType

Activation = Callable[["Expr"], "Expr"]
Slope = Callable[["Expr", "Expr"], "Expr"]
"""A function of g and z: the gradient by z, given that by the activation of z."""
_SLOPES = tuple(
    name.removesuffix("_inv")
    for name, each in catalogue.BINARY.items()
    if name.endswith("_inv") and each.mask is None and not each.needed
)


@shortening
def linear_backward(
    dy: ArrayLike,
    x: ArrayLike,
    w: ArrayLike,
    bias: ArrayLike = None,
    *,
    activation: Activation | None = None,
    slope: Slope | None = None,
    z: ArrayLike = None,
    wanted: str | Sequence[str] = "dx dw db",
    threads: int | None = None,
) -> ArrayLike:
    """Return the gradients of y = activation(x @ w + bias) by x, w and bias, given that by y.

        dx, dw, db = linear_backward(dy, x, w, bias, activation=ts.gelu)

    dy, x, w     (m, n), (m, k) and (k, n), of one type: f32, f64, bf16 or f16. dy and x may have further axes in front
    bias         that of the layer, if it has an activation and a bias
    activation   that of the layer: ts.relu, ts.gelu, ts.tanh..., or None. For relu, z may be y
    slope        for other activations, the gradient: lambda g, z: g * z for the activation z * z / 2
    z            x @ w + bias, if the caller has kept it; else it is computed again, in the product that computes dz
    wanted       which gradients, in the order of the result: "dx db" for a tuple of two, "dw" for that array by itself,
                 and ["dw"] for a tuple of one
    threads      the number of threads; None: ts.num_threads(). Any number gives the same bits

    Without rows dw and db are zeros. Sums of 16-bit types are f32 and rounded once; z and dz are rounded to the type
    of x, as in every framework.
    """
    asked = wanted_of(wanted)
    names, given = ("dy", "x", "w"), (dy, x, w)
    grad, data, weights = (as_array(n, of_tensor(n, each)) for n, each in zip(names, given))
    if data.ndim < 2 or weights.ndim != 2 or data.shape[-1] != weights.shape[0]:
        raise ValueError(f"x, w: (m, k) and (k, n), not shapes {data.shape} and {weights.shape}")
    shape, columns = data.shape, weights.shape[1]
    if grad.shape != (*shape[:-1], columns):
        raise ValueError(f"dy: shape {(*shape[:-1], columns)}, that of the result, not {grad.shape}")
    check_gradient_types({name: type_of(name, each) for name, each in zip(names, (grad, data, weights))})
    dz, data = grad.reshape(-1, columns), data.reshape(-1, weights.shape[0])
    by_z = slope_of(activation, slope)
    if by_z is not None and dz.size:
        if z is None:
            vector = None if bias is None else _vector("bias", bias, weights)
            dz = _behind_product(data, weights, vector, dz, by_z, threads)
        else:
            sums = as_array("z", of_tensor("z", z))
            if sums.shape != grad.shape or sums.dtype != grad.dtype:
                raise ValueError(
                    f"z: {grad.dtype} of shape {grad.shape}, as dy, not {sums.dtype} of shape {sums.shape}"
                )
            dz = _elementwise(by_z, dz, sums.reshape(dz.shape), threads=threads)
    made = _of_layer(asked, dz, data, weights, threads)
    if "dx" in made:
        made["dx"] = made["dx"].reshape(shape)
    return one_or_all(wanted, tuple(returned(made[each], given) for each in asked))


@shortening
def mlp_backward(
    dy: ArrayLike,
    x: ArrayLike,
    weights: Sequence[ArrayLike],
    biases: Sequence[ArrayLike] | None = None,
    *,
    activation: Activation | None = None,
    last: Activation | None = None,
    wanted: str | Sequence[str] = "dx dw db",
    threads: int | None = None,
) -> ArrayLike:
    """Return the gradients of a network of layers, as `mlp` computes it, by x, all weights and all biases.

        dx, dw, db = mlp_backward(dy, x, [w1, w2], [b1, b2], activation=ts.relu)

    dy, x             the gradient by the result of the last layer, and the rows: (m, n) and (m, k)
    weights, biases   of each layer: (columns, columns of the next) and a vector; biases=None: no layer has one
    activation, last  of all layers but the last one, and of the last one: ts.relu, ts.gelu, ts.tanh... or None
    wanted            which gradients, as in `linear_backward`. dw and db are lists
    threads           the number of threads; None: ts.num_threads(). Any number gives the same bits

    The sums of the layers are computed again. Each derivative is in the epilogue of the product with the layer behind.
    """
    asked = wanted_of(wanted)
    if not weights or (biases is not None and len(biases) != len(weights)):
        count = "no weights" if not weights else f"{len(weights)} weights and {len(biases or ())} biases"
        raise ValueError(f"weights, biases: one of each layer, not {count}")
    names = [f"weights[{number}]" for number in range(len(weights))]
    grad, data = (as_array(n, of_tensor(n, each)) for n, each in (("dy", dy), ("x", x)))
    of_layers = [as_array(n, of_tensor(n, each)) for n, each in zip(names, weights)]
    every = zip(("dy", "x", *names), (grad, data, *of_layers))
    check_gradient_types({name: type_of(name, each) for name, each in every})
    columns = data.shape[-1]
    for name, each in zip(names, of_layers):
        if each.ndim != 2 or each.shape[0] != columns:
            raise ValueError(f"{name}: {columns} rows, not shape {each.shape}")
        columns = each.shape[1]
    if data.ndim != 2 or grad.shape != (len(data), columns):
        raise ValueError(f"dy, x: {columns} columns, and two axes with equal rows, not {grad.shape} and {data.shape}")
    vectors = [
        None if biases is None else _vector(f"biases[{number}]", biases[number], each)
        for number, each in enumerate(of_layers)
    ]
    found = _of_network(asked, grad, data, of_layers, vectors, (activation, last), threads)
    given = (dy, x, *weights)
    gradients = (
        [returned(array, given) for array in each] if isinstance(each, list) else returned(each, given)
        for each in found
    )
    return one_or_all(wanted, tuple(gradients))


def _of_network(
    asked: Sequence[str],
    dz: Array,
    x: Array,
    weights: Sequence[Array],
    biases: Sequence[Array | None],
    activations: tuple[Activation | None, Activation | None],
    threads: int | None,
) -> list[Array | list[Array]]:
    """Return the gradients of a network, those of weights and biases as lists."""
    slopes = [slope_of(activations[number == len(weights) - 1], None) for number in range(len(weights))]
    inputs, sums = [x], list[Array]()
    for w, bias, slope in zip(weights[:-1], biases, slopes):
        z = matmul(inputs[-1], w, threads=threads) if bias is None else _with_bias(inputs[-1], w, bias, threads)
        sums.append(z)
        inputs.append(z if slope is None or not z.size else _elementwise(activations[0], z, threads=threads))
    if slopes[-1] is not None and dz.size:
        dz = _behind_product(inputs[-1], weights[-1], biases[-1], dz, slopes[-1], threads)
    found: dict[str, list[Array]] = {name: [] for name in GRADIENTS}
    for number in reversed(range(len(weights))):
        made = _of_layer([each for each in asked if each != "dx"], dz, inputs[number], weights[number], threads)
        for name, each in made.items():
            found[name].insert(0, each)
        slope = slopes[number - 1] if number else None
        if slope is not None and dz.size:
            epilogue, operands = _masked(slope), {"z": sums[number - 1]}
            dz = matmul(dz, weights[number].T, epilogue=epilogue, operands=operands, threads=threads)
        elif number or "dx" in asked:
            dz = matmul(dz, weights[number].T, threads=threads)
    return [dz if each == "dx" else found[each] for each in asked]


def slope_of(activation: Activation | None, slope: Slope | None) -> Slope | None:
    """Return the gradient of an activation; None if there is none."""
    if slope is not None or activation is None:
        return slope
    name = getattr(activation, "__name__", "")
    if name in _SLOPES and getattr(functions, name, None) is activation:
        found: Slope = catalogue.BINARY[f"{name}_inv"].function
        return found
    known = ", ".join(f"ts.{each}" for each in _SLOPES if hasattr(functions, each))
    raise UnsupportedError(
        f"activation: one whose derivative is known, {known}, not {name or activation!r}; pass that of another to "
        "linear_backward as slope=, such as lambda g, z: g * z for the activation z * z / 2"
    )


def _vector(name: str, bias: ArrayLike, w: Array) -> Array:
    found = as_array(name, of_tensor(name, bias))
    if found.shape != w.shape[1:] or found.dtype != w.dtype:
        raise ValueError(f"{name}: {w.dtype} of shape {w.shape[1:]}, not {found.dtype} of shape {found.shape}")
    return found


def _of_layer(asked: Sequence[str], dz: Array, x: Array, w: Array, threads: int | None) -> dict[str, Array]:
    """Return gradients from that by the sums of a layer."""
    made: dict[str, Array] = {}
    for each in asked:
        if each == "dx":
            made[each] = matmul(dz, w.T, threads=threads)
        elif each == "dw":
            made[each] = matmul(x.T, dz, threads=threads)
        else:
            made[each] = sums_over([0], dz) if dz.size else np.zeros(w.shape[1:], dz.dtype)
    return made


def _with_bias(x: Array, w: Array, bias: Array, threads: int | None) -> Array:
    made: Array = matmul(x, w, epilogue=lambda c, bias: c + bias, operands={"bias": bias}, threads=threads)
    return made


def _behind_product(x: Array, w: Array, bias: Array | None, dy: Array, slope: Slope, threads: int | None) -> Array:
    """Return the gradient by x @ w + bias, in the epilogue of that product."""
    operands = {"g": dy} if bias is None else {"bias": bias, "g": dy}
    made: Array = matmul(x, w, epilogue=_behind(slope, bias is not None), operands=operands, threads=threads)
    return made


@lru_cache(maxsize=RECENT)
def _behind(slope: Slope, biased: bool) -> Callable[..., Expr]:
    if biased:
        return lambda c, bias, g: slope(g, c + bias)
    return lambda c, g: slope(g, c)


@lru_cache(maxsize=RECENT)
def _masked(slope: Slope) -> Callable[..., Expr]:
    return lambda c, z: slope(c, z)


def _elementwise(function: Activation | Slope | None, *arrays: Array, threads: int | None) -> Array:
    """Return a function of the elements of matrices of one shape and type, on all cores."""
    rows = [np.ascontiguousarray(each) for each in arrays]
    made = np.empty_like(rows[0])
    _spread(function, len(rows), rows[0].shape, type_of("x", rows[0]))(*rows, made, threads=threads)
    return made


@shared
def _spread(function: Callable[..., Expr], count: int, shape: tuple[int, int], dtype: str) -> Spread:
    if count == 1:
        return spread(equation(lambda z: function(z), z=shape, dtype=cast("DType", dtype)))
    return spread(equation(lambda g, z: function(g, z), g=shape, z=shape, dtype=cast("DType", dtype)))
