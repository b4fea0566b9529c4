"""The rules of views, reductions, norms, products and joins; those of pointwise operators are in `slopes`, those of
loops in `loops`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ....microkernels.errors import UnsupportedError
from ..rowwise import reduced_shape
from ..values import Builds, GraphNode, GraphValue, Shape
from .chain import RULES, Contribution, GradientPart, Gradients, summed_to, zeros

Needed = Sequence[bool]


def _only(rule: Callable[[Builds, GraphNode, GraphValue], Contribution]) -> Callable[..., list[Contribution]]:
    """Return the rule of operators of one operand and one result."""

    def made(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
        (g,) = gradients
        assert g is not None
        return [rule(build, node, g) if needed[0] else None]

    return made


def _alone(node: GraphNode, gradients: Gradients) -> GraphValue | None:
    """Return the gradient of the first result. Raises UnsupportedError for one of another."""
    g, *others = gradients
    if any(each is not None for each in others):
        raise UnsupportedError(f"{node.operator.name}: gradients of its first result, and not of its statistics")
    return g


# Views


def _permute(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    axes = node.attributes["axes"]
    return build.apply("permute", g, axes=tuple(np.argsort(axes).tolist()))  # type: ignore[arg-type]


def _slice(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    """The part of the gradient; steps other than 1 are gaps, which are filled with zeros, and turns."""
    (x,) = node.operands
    starts, stops, steps = (node.attributes[name] for name in ("starts", "stops", "steps"))
    cuts = map(slice, starts, stops, steps)  # type: ignore[call-overload]
    places = [range(extent)[cut] for extent, cut in zip(x.shape, cuts)]
    turned = tuple(axis for axis, each in enumerate(places) if each.step < 0)
    made = build.apply("flip", g, axes=turned) if turned else g
    for axis, each in enumerate(places):
        step, count = abs(each.step), len(each)
        if step > 1 and count:
            apart = (*made.shape[: axis + 1], 1, *made.shape[axis + 1 :])
            after = tuple(step - 1 if number == axis + 1 else 0 for number in range(len(apart)))
            made = build.apply("reshape", made, shape=apart)
            made = build.apply("pad", made, before=(0,) * len(apart), after=after)
            spread = (*made.shape[:axis], count * step, *made.shape[axis + 2 :])
            made = build.apply("reshape", made, shape=spread)
            made = build.apply("slice", made, starts=0, stops=(count - 1) * step + 1, axes=axis)
    first = tuple(min(each[0], each[-1]) if each else 0 for each in places)
    return GradientPart(made, first, tuple(start + n for start, n in zip(first, made.shape)))


RULES["reshape"] = _only(lambda build, node, g: build.apply("reshape", g, shape=node.operands[0].shape))
RULES["permute"] = _only(_permute)
RULES["broadcast_to"] = _only(lambda build, node, g: summed_to(build, g, node.operands[0].shape))
RULES["slice"] = _only(_slice)


# Reductions and functions of rows


def _spread(build: Builds, node: GraphNode, value: GraphValue) -> GraphValue:
    """Return a value for each result of a reduction as it broadcasts to what was reduced."""
    shape, axes = node.operands[0].shape, node.attributes["axes"]
    return build.apply("reshape", value, shape=reduced_shape(shape, axes, True))  # type: ignore[arg-type]


def _total(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    x, (y,) = node.operands[0], node.results
    each = build.apply("divide", g, x.size // max(y.size, 1)) if node.operator.name == "mean" else g
    return build.apply("broadcast_to", _spread(build, node, each), shape=x.shape)


def _extremum(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    """Equal extrema share the gradient."""
    x, y = node.operands[0], node.results[0]
    ones = build.apply("where", build.apply("equal", x, _spread(build, node, y)), 1.0, 0.0)
    ones = ones if ones.dtype == x.dtype else build.apply("cast", ones, dtype=x.dtype)
    share = build.apply("divide", g, build.apply("sum", ones, axes=node.attributes["axes"], keepdims=y.ndim == x.ndim))
    return build.apply("multiply", ones, _spread(build, node, share))


def _of_result(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    return build.apply(f"{node.operator.name}_backward", g, node.results[0], axis=node.attributes["axis"])


def _cumulative(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    """What an element adds to: the sum of the gradients from it on."""
    axis = node.attributes["axis"]
    return build.apply("flip", build.apply("cumsum", build.apply("flip", g, axes=axis), **node.attributes), axes=axis)


def _wide(build: Builds, x: GraphValue) -> GraphValue:
    return x if x.dtype.itemsize > 2 else build.apply("cast", x, dtype=np.float32)


def _cumulative_product(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    """The product of the elements before, times the sum of the gradients from an element on, each times the elements
    between: a loop from the last element, without a division, so that elements may be 0."""
    x, axis, exclusive = node.operands[0], int(node.attributes["axis"]), bool(node.attributes.get("exclusive"))  # type: ignore[call-overload]
    order = (axis, *(each for each in range(x.ndim) if each != axis))
    wide, steps = _wide(build, x), [build.apply("permute", _wide(build, each), axes=order) for each in (g, x)]

    def step(body: Builds, behind: GraphValue, of_y: GraphValue, of_x: GraphValue) -> tuple[GraphValue, GraphValue]:
        if exclusive:
            return body.apply("add", of_y, body.apply("multiply", of_x, behind)), behind
        total = body.apply("add", of_y, behind)
        return body.apply("multiply", of_x, total), total

    start = build.constant(np.zeros(steps[0].shape[1:], wide.dtype))
    _, sums = build.results("scan", start, *steps, function=step, states=1, sequences=2, reverse=True)
    sums = build.apply("permute", sums, axes=tuple(np.argsort(order).tolist()))
    made = build.apply("multiply", build.apply("cumprod", wide, axis=axis, exclusive=True), sums)
    return made if made.dtype == x.dtype else build.apply("cast", made, dtype=x.dtype)


def _cumulative_extremum(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    """Sums of the gradients at the last element that is the extremum there."""
    (x,), axis = node.operands, node.attributes["axis"]
    if node.attributes.get("exclusive"):
        raise UnsupportedError(f"{node.operator.name}: gradients without exclusive=True; slice x and pad the result")
    places, wide = build.apply(f"arg{node.operator.name}", x, axis=axis), _wide(build, g)
    made = build.apply("scatter_elements", zeros(build, x.shape, wide), places, wide, axis=axis, add=True)
    return made if made.dtype == x.dtype else build.apply("cast", made, dtype=x.dtype)


def _norm(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    g, (x, w, *_) = _alone(node, gradients), (*node.inputs, None)
    statistics, axes = node.results[1:], node.attributes.get("axes", 1)
    made = build.results(f"{node.operator.name}_backward", g, x, *statistics, w, axes=axes)
    return [each if need else None for each, need in zip(made, needed)]


RULES |= dict.fromkeys(("sum", "mean"), _only(_total))
RULES |= dict.fromkeys(("max", "min"), _only(_extremum))
RULES |= dict.fromkeys(("softmax", "log_softmax"), _only(_of_result))
RULES |= {"cumsum": _only(_cumulative), "cumprod": _only(_cumulative_product)}
RULES |= dict.fromkeys(("cummax", "cummin"), _only(_cumulative_extremum))
RULES |= dict.fromkeys(("layer_norm", "rms_norm"), _norm)


# Products and attention


def _turned(build: Builds, matrices: GraphValue) -> GraphValue:
    ndim = matrices.ndim
    return build.apply("permute", matrices, axes=(*range(ndim - 2), ndim - 1, ndim - 2))


def _matmul(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    (g,), (a, b) = gradients, node.operands
    assert g is not None
    if g.dtype != a.dtype:
        g = build.apply("cast", g, dtype=a.dtype)
    one = build.apply("matmul", g, _turned(build, b)) if needed[0] else None
    other = build.apply("matmul", _turned(build, a), g) if needed[1] else None
    return [None if made is None else _like(build, made, of) for made, of in ((one, a), (other, b))]


def _like(build: Builds, made: GraphValue, of: GraphValue) -> GraphValue:
    """Return a gradient in the type and the shape of the operand that it belongs to."""
    summed = summed_to(build, made, of.shape)
    return summed if summed.dtype == of.dtype else build.apply("cast", summed, dtype=of.dtype)


def _conv(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    (g,), (x, w) = gradients, node.operands
    window = {name: value for name, value in node.attributes.items() if name != "dtype"}
    made = iter(build.results("conv_backward", g, x, w, wanted=(*needed[:2], False), **window))
    return [next(made) if each else None for each in needed[:2]]


def _attention(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    if any(needed[3:]):
        raise UnsupportedError("attention: gradients of q, k and v, and not of the mask")
    q, k, v, *mask = node.inputs
    made = build.results(
        "attention_backward", _alone(node, gradients), q, k, v, *node.results, *mask, **node.attributes
    )
    return [_like(build, each, of) if need else None for each, of, need in zip(made, node.operands, needed)]


RULES |= {"matmul": _matmul, "conv": _conv, "attention": _attention}


# Pools, gathers and joins


def _pool(name: str, build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    g, places = gradients[0], node.results[1:]
    window = dict(node.attributes) if name != "adaptive_avg_pool" else {}
    return [build.apply(f"{name}_backward", g, *places, **{**window, "shape": node.operands[0].shape})]


def _gather(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    table, indices = node.operands
    return [build.apply("embedding_backward", gradients[0], indices, rows=table.shape[0]), None]


def _scatter(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    """Of several rows that one index names, each has the gradient of the row."""
    (g,), (_, index, values) = gradients, node.operands
    assert g is not None
    of_x: GraphValue | None = g
    if needed[0] and not node.attributes.get("add"):
        of_x = build.apply("scatter", g, index, zeros(build, values.shape, values))
    return [of_x, None, build.apply("gather", g, index, axis=0, negative=False) if needed[2] else None]


def _concatenate(build: Builds, node: GraphNode, gradients: Gradients, needed: Needed) -> list[Contribution]:
    (g,), axis = gradients, int(node.attributes.get("axis", 0))  # type: ignore[call-overload]
    assert g is not None
    parts = build.results("split", g, sizes=[each.shape[axis] for each in node.operands], axis=axis)
    return [part if need else None for part, need in zip(parts, needed)]


def _pad(build: Builds, node: GraphNode, g: GraphValue) -> Contribution:
    if node.attributes.get("mode", "constant") != "constant":
        raise UnsupportedError("pad: gradients of padding with numbers, and not with elements of the array")
    shape: Shape = node.operands[0].shape
    starts: tuple[int, ...] = node.attributes["before"]  # type: ignore[assignment]
    return build.apply("slice", g, starts=starts, stops=tuple(start + n for start, n in zip(starts, shape)))


for _name in ("max_pool", "avg_pool", "adaptive_avg_pool"):
    RULES[_name] = partial(_pool, _name)
RULES |= {"gather": _gather, "scatter": _scatter, "concatenate": _concatenate, "pad": _only(_pad)}
