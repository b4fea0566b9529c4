"""A product and the walk after it as one product with an epilogue: the sums pass through the expression in
registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from ...encoder.records import NamedTuple
from ..epilogue.spec import EpilogueSpec
from ..expr.along import has_reductions
from ..expr.graph import MASKS, Expr, node, operand, program, rebuilt
from ..gemm.spec import GemmSpec
from ..operands import Operand
from .cut import ElementwiseStage, StageProduct
from .spec import ChainSpec


class ElementwiseEpilogue(NamedTuple):
    """The walk, its expression of `c` and the extra operands, and the names of these operands in the stages."""

    elementwise: ElementwiseStage
    expression: Expr
    extras: tuple[Operand, ...]
    names: tuple[str, ...]
    result: Operand

    def request(self, product: GemmSpec, spec: ChainSpec) -> EpilogueSpec:
        """Return the request for the product with this epilogue."""
        values = {field.name: getattr(product, field.name) for field in fields(GemmSpec)}
        return EpilogueSpec(**values, program=program(self.expression), extras=self.extras, accuracy=spec.accuracy)


def epilogue(
    product: StageProduct, elementwise: ElementwiseStage, operand_of: Callable[[str], Operand], result: Operand
) -> ElementwiseEpilogue | None:
    """Return the walk as an epilogue, or None if it has several results or reductions, which need whole rows."""
    expr, band = elementwise.results[0]
    steps = program(expr)
    names = [name for name, _ in steps.inputs]
    plain = (
        len(elementwise.results) == 1
        and expr.dtype not in MASKS
        and elementwise.columns == product.band.columns == band.columns
    )
    if not plain or product.band.name not in names or has_reductions(step.op for step in steps.steps):
        return None
    others = [name for name in names if name != product.band.name]
    own = {product.band.name: "c", **{name: f"operand{number}" for number, name in enumerate(others)}}

    def change(each: Expr, args: tuple[Expr, ...]) -> Expr:
        return (
            operand(own[each.value], each.dtype) if each.op == "input" else node(each.op, args, each.dtype, each.value)
        )

    extras = tuple(operand_of(name)._replace(name=own[name]) for name in others)
    if product.band.columns == 1 and any(each.rows > 1 and each.view.leading != 1 for each in (*extras, result)):
        return None  # vectors run down the rows, so elements in adjacent rows must be adjacent in memory
    return ElementwiseEpilogue(elementwise, rebuilt([expr], change)[0], extras, tuple(others), result)
