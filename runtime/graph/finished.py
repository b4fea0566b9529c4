"""Products, and the pointwise nodes that finish their sums."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .operators import arithmetic
from .spaces import axes_between, behind, cuts_of, places_of, refined, seen
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


def takes(unit: FinishedProduct, node: GraphNode, inside: Collection[GraphValue]) -> bool:
    """Whether a kernel of a product takes a node: it has as many elements, reads those `inside`, which the kernel
    computes, at their own place, and the others as the kernel reads operands of its epilogue."""
    product, shape = unit.nodes[0].results[0], node.results[0].shape
    axes = common_axes(shape, product.shape)
    if node.results[0].size != product.size or axes is None:
        return False
    for value in node.operands:
        view = seen(value)
        if value.number is not None:
            continue
        if view.base in inside:
            own = refined(shape, view.over(shape), axes)
            if view.offset or own is None or places_of(axes, own) != places_of(axes, contiguous(axes)):
                return False
            continue
        found = over_result(value, shape, view.over(shape), product.shape)
        of_image = unit.nodes[0].operator.name != "matmul"
        if behind(value)[0] in inside or found is None or of_image and not _of_image(product.shape, found):
            return False
    return True


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
