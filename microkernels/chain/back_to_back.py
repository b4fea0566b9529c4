"""Two chained products, as in two layers of a network. The matrix between them is computed in blocks of columns, so
that scratch memory holds one block of it at a time.

    for each block of columns:   hidden = f(x @ w1[:, block] + b1[block]);   y += hidden @ w2[block, :]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...encoder.records import NamedTuple
from ..expr.along import has_reductions
from ..expr.coordinates import is_place
from ..expr.graph import program
from .cut import Band, ElementwiseStage, Stage, StageProduct


class BackToBack(NamedTuple):
    """Stages that are computed for one block of `columns` at a time: products, a walk over their elements, and the
    final product, which takes the walk's result as its left factor and accumulates."""

    columns: int
    before: tuple[StageProduct, ...]
    elementwise: ElementwiseStage
    product: StageProduct

    @property
    def reads(self) -> set[str]:
        """The names of the bands and operands that are read from outside."""
        own = {each.band.name for each in self.before}
        return {each.left for each in self.before} | (self.elementwise.reads - own)

    @property
    def makes(self) -> list[Band]:
        """The band to which the blocks are added."""
        return [self.product.band]

    @property
    def inside(self) -> list[Band]:
        """The bands of which one block exists at a time."""
        return [*(each.band for each in self.before), self.elementwise.results[0][1]]

    def block(self, columns: int) -> list[StageProduct | ElementwiseStage]:
        """Return the stages of a block of `columns` columns."""
        before = [each._replace(band=each.band._replace(columns=columns)) for each in self.before]
        ((expr, band),) = self.elementwise.results
        elementwise = ElementwiseStage(columns, ((expr, band._replace(columns=columns)),))
        return [*before, elementwise, self.product._replace(inner=columns, adds=True)]

    def __str__(self) -> str:
        return f"{self.product}, of a left factor in blocks of columns"


def in_blocks(stages: Sequence[Stage], by_index: Collection[str] = ()) -> list[Stage | BackToBack]:
    """Combine the stages that can be computed in blocks of columns. Stages whose walk reads an operand in `by_index`
    are left alone, because an index locates the rows of such an operand from the first column on."""
    made: list[Stage | BackToBack] = list(stages)
    for product in [each for each in stages if isinstance(each, StageProduct)]:
        found = _back_to_back(product, stages)
        left = {id(each) for each in made}  # stages hold expressions, which have no equality
        if found is None or not found.elementwise.reads.isdisjoint(by_index):
            continue
        if left >= {id(each) for each in (*found.before, found.elementwise, product)}:
            gone = {id(each) for each in (*found.before, found.elementwise)}
            made = [found if each is product else each for each in made if id(each) not in gone]
    return made


def _back_to_back(product: StageProduct, stages: Sequence[Stage]) -> BackToBack | None:
    """Combine a product and the walk before it, if both work column by column and no other stage reads the intermediate
    bands."""
    elementwise = next(
        (each for each in stages if isinstance(each, ElementwiseStage) and each.makes[0].name == product.left), None
    )
    if (
        elementwise is None
        or len(elementwise.results) > 1
        or elementwise.makes[0].stored is not None
        or elementwise.columns != product.inner
    ):
        return None
    if any(map(is_place, elementwise.reads)):
        return None
    if has_reductions(step.op for step in program(elementwise.results[0][0]).steps):
        return None
    before = tuple(each for each in stages if isinstance(each, StageProduct) and each.band.name in elementwise.reads)
    readers = {name: sum(name in each.reads for each in stages) for name in (product.left, *elementwise.reads)}
    own = all(
        each.band.stored is None and each.band.columns == elementwise.columns and readers[each.band.name] == 1
        for each in before
    )
    made = {band.name for each in stages for band in each.makes} - {each.band.name for each in before}
    if not before or not own or readers[product.left] != 1 or elementwise.reads & made:
        return None
    return BackToBack(elementwise.columns, before, elementwise, product)
