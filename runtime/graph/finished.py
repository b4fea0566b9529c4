"""Products, and the pointwise nodes that finish their sums."""

from __future__ import annotations

from collections.abc import Sequence

from .operators import arithmetic
from .spaces import axes_between, cuts_of, places_of, refined, seen
from .values import GraphNode, GraphValue, Shape
from .views import contiguous


class FinishedProduct:
    """A product, and the pointwise nodes that finish its sums."""

    kind = "product"

    def __init__(self, node: GraphNode) -> None:
        self.nodes = [node]
        self.family = arithmetic(node.results[0].dtype)

    @property
    def last(self) -> GraphValue:
        """The result that is stored."""
        return self.nodes[-1].results[0]


def takes(unit: FinishedProduct, node: GraphNode, value: GraphValue) -> bool:
    """Whether a kernel of a product takes a node: `value` is its operand that the product computes, at the same place;
    the others are read as the kernel reads operands of its epilogue."""
    product, shape = unit.nodes[0].results[0], node.results[0].shape
    if node.results[0].size != product.size:
        return False
    view = seen(value)
    if view.base is not unit.last or view.offset:
        return False
    own = refined(shape, view.over(shape), common_axes(shape, product.shape) or ())
    axes = common_axes(shape, product.shape)
    if axes is None or own is None or places_of(axes, own) != places_of(axes, contiguous(axes)):
        return False
    others = [each for each in node.operands if each is not value and each.number is None]
    if any(seen(each).base in {result for own in unit.nodes for result in own.results} for each in others):
        return False
    found = [over_result(each, shape, seen(each).over(shape), product.shape) for each in others]
    if unit.nodes[0].operator.name == "matmul":
        return all(each is not None for each in found)
    return all(each is not None and _of_image(product.shape, each) for each in found)


def common_axes(one: Shape, other: Shape) -> tuple[int, ...] | None:
    return axes_between(cuts_of(one) | cuts_of(other))


def over_result(value: GraphValue, shape: Shape, strides: Sequence[int], result: Shape) -> tuple[int, ...] | None:
    """Return the strides of an operand over the axes of a product's result; None if it has none."""
    axes = common_axes(shape, result)
    fine = None if axes is None else refined(shape, tuple(strides), axes)
    return None if fine is None or axes is None else refined(axes, fine, result)


def _of_image(shape: Shape, strides: Sequence[int]) -> bool:
    """Whether an operand is one element for each channel, or has all elements."""
    others = [step for axis, (extent, step) in enumerate(zip(shape, strides)) if extent > 1 and axis != 1]
    return not any(others) and (strides[1] != 0 or shape[1] == 1) or all(others) and (shape[1] == 1 or strides[1] != 0)
