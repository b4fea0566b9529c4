"""Cut a traced function with products into stages, in the order of computation: elementwise walks and products.

Stages pass intermediate results in bands. A band is a few rows of a matrix, in scratch memory. A walk is the program of
an elementwise or fused kernel whose inputs are operands and bands. The left factor of a product is an operand or a
band.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...encoder.records import NamedTuple
from ..expr.along import ALONG, has_reductions
from ..expr.graph import Expr, ordered, program, with_named
from ..expr.products import BATCHED, PRODUCT, TRANSPOSE, TRANSPOSED
from .shapes import Shape, shapes_of


class Band(NamedTuple):
    """Rows of an intermediate matrix. They lie in scratch memory, or in the result of number `stored`."""

    name: str
    columns: int
    stored: int | None = None

    def __str__(self) -> str:
        return self.name if self.stored is None else f"{self.name} (result {self.stored})"


class ElementwiseStage(NamedTuple):
    """A walk over elements: expressions of operands and bands, each with the band or result that it is stored to."""

    columns: int
    results: tuple[tuple[Expr, Band], ...]

    @property
    def reads(self) -> set[str]:
        """The names of the bands and operands that the walk reads."""
        return {name for name, _ in program(*(expr for expr, _ in self.results)).inputs}

    @property
    def makes(self) -> list[Band]:
        """The bands that the walk writes."""
        return [band for _, band in self.results]

    def __str__(self) -> str:
        return f"{', '.join(str(band) for _, band in self.results)} = elementwise, {self.columns} columns"


class StageProduct(NamedTuple):
    """The product band = left @ right, or band += left @ right if `adds`. With a batch, the products of `batch` such
    pairs are summed."""

    left: str
    right: str
    transposed: bool
    inner: int
    band: Band
    adds: bool = False
    batch: int = 1

    @property
    def reads(self) -> set[str]:
        """The name of the left factor. The right factor is never a band."""
        return {self.left}

    @property
    def makes(self) -> list[Band]:
        """The band that the product writes."""
        return [self.band]

    def __str__(self) -> str:
        made = f"{self.left} @ {self.right}{'.T' * self.transposed}, {self.inner} steps"
        return f"{self.band} = " + (made if self.batch == 1 else f"sum of {self.batch} products {made} each")


class TransposeStage(NamedTuple):
    """band = the transpose of an operand. The band has a row for each operand column of the current band."""

    of: str
    band: Band

    @property
    def reads(self) -> set[str]:
        """The empty set: no band is read, and no operand is read row by row."""
        return set()

    @property
    def makes(self) -> list[Band]:
        """The band that the transpose writes."""
        return [self.band]

    def __str__(self) -> str:
        return f"{self.band} = {self.of}.T, {self.band.columns} columns"


Stage = ElementwiseStage | StageProduct | TransposeStage


def cut(
    results: Sequence[Expr],
    given: Mapping[str, Shape],
    names: Sequence[str],
    wide: Sequence[bool],
    by_index: Collection[str] = (),
) -> list[Stage]:
    """Return the stages that compute these results. `given` are the shapes of the inputs, `names` the names of the
    results.

    wide    for each result, whether it has the type of the arithmetic, so that a product may be stored there
    by_index  inputs whose rows are not adjacent in memory: a walk copies them into a band before a product reads them
    """
    return _StageCut(results, given, names, wide, by_index).stages


class _StageCut:
    """The state of cutting one function."""

    def __init__(
        self,
        results: Sequence[Expr],
        given: Mapping[str, Shape],
        names: Sequence[str],
        wide: Sequence[bool],
        by_index: Collection[str],
    ) -> None:
        self.by_index = by_index
        self.results, self.given, self.names, self.wide = results, given, names, wide
        self.shapes = shapes_of(results, given)
        self.bands: dict[Expr, Band] = {}
        self.stages: list[Stage] = []
        self.named = 0
        products = [expr for expr in ordered(results) if expr.op == PRODUCT]
        self.own = self._written_over(products)
        for expr in ordered(results):
            if expr.op == TRANSPOSE:
                self.bands[expr] = Band(self._name(), self.shapes[expr][1])
                self.stages.append(TransposeStage(str(expr.args[0].value), self.bands[expr]))
        for expr in products:
            self._product(expr)
        self._results()

    def _written_over(self, products: Sequence[Expr]) -> dict[Expr, int]:
        """Choose the products that are stored in the memory of a result, keyed by product. The result is then computed
        in place. A product qualifies if exactly one result depends on it and that result is elementwise, and if it is
        not the left factor of another product in that result: the other product is then stored there from registers,
        while it still reads its left factor. Each result takes the first product that qualifies."""
        cuts = {*products, *(each.args[0] for each in products)}
        roots = [*self.results, *dict.fromkeys(each.args[0] for each in products)]
        inside = [self._up_to(cuts, root) for root in roots]
        found: dict[Expr, int] = {}
        for expr in products:
            readers = [number for number, nodes in enumerate(inside) if expr in nodes and roots[number] is not expr]
            if len(readers) != 1 or readers[0] >= len(self.results) or readers[0] in found.values():
                continue
            result, nodes = self.results[readers[0]], inside[readers[0]]
            plain = self.wide[readers[0]] and self.shapes[result] == self.shapes[expr]
            factor = any(each.op == PRODUCT and each.args[0] is expr for each in nodes)
            if plain and not factor and result not in cuts and not has_reductions(each.op for each in nodes):
                found[expr] = readers[0]
        return found

    @staticmethod
    def _up_to(cuts: set[Expr], root: Expr) -> set[Expr]:
        """Return the nodes of an expression down to the given cuts. The cuts are included, the nodes below them are
        not."""

        def operands(each: Expr) -> Sequence[Expr]:
            return () if each in cuts and each is not root else each.args

        return set(ordered([root], operands))

    def _band(self, expr: Expr) -> Band:
        """Return the band of a node. It lies in a result if the node is one or if the result overwrites it, else in
        scratch memory."""
        taken = {*self.own.values(), *(each.stored for each in self.bands.values())}
        stored = next(
            (
                number
                for number, result in enumerate(self.results)
                if self.own.get(expr) == number or (expr is result and self.wide[number] and number not in taken)
            ),
            None,
        )
        return Band(self._name(), self.shapes[expr][1], stored)

    def _name(self) -> str:
        """Return a new name for a band, different from the names of all operands."""
        self.named += 1
        while f"band{self.named}" in self.given or f"band{self.named}" in self.names:
            self.named += 1
        return f"band{self.named}"

    def _product(self, expr: Expr) -> None:
        left, right = expr.args
        if (left.op != "input" or left.value in self.by_index) and left not in self.bands:
            self._elementwise([left], [self._band(left)])
        self.bands[expr] = band = self._band(expr)
        name = self.bands[left].name if left in self.bands else str(left.value)
        inner = self.shapes[left][1]
        batch = self.shapes[right][0] // inner if expr.value == BATCHED else 1
        self.stages.append(StageProduct(name, str(right.value), expr.value == TRANSPOSED, inner, band, batch=batch))

    def _elementwise(self, expressions: Sequence[Expr], bands: Sequence[Band]) -> None:
        """Append the walk that computes these expressions, preceded by walks for reductions over rows of another
        length."""
        columns = max(self._length(each) for each in expressions)
        for each in self._of_other_lengths(expressions, columns):
            self._elementwise([each], [self._band(each)])
        self.stages.append(ElementwiseStage(columns, tuple(zip(self._replaced(expressions), bands))))
        for each, band in zip(expressions, bands):
            self.bands.setdefault(each, band)

    def _inside(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return the nodes that a walk computes; it stops at bands."""
        return ordered(expressions, lambda each: () if each in self.bands else each.args)

    def _length(self, expr: Expr) -> int:
        """Return the length of the rows that are walked for a node. For a node of one column that is the length of the
        rows it reduces."""
        return (
            max(self.shapes[each][1] for each in self._inside([expr]))
            if self.shapes[expr][1] == 1
            else (self.shapes[expr][1])
        )

    def _of_other_lengths(self, expressions: Sequence[Expr], columns: int) -> list[Expr]:
        inside = self._inside(expressions)
        lengths = {each: self.shapes[each.args[0]][1] for each in inside if each.op == ALONG and each not in self.bands}
        return [each for each, length in lengths.items() if length not in (1, columns)]

    def _replaced(self, expressions: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the expressions, with the nodes that are already computed replaced by bands."""
        return tuple(map(with_named({each: band.name for each, band in self.bands.items()}.get), expressions))

    def _results(self) -> None:
        """Append walks for the results that are not computed yet, one for each number of columns."""
        groups: dict[int, list[int]] = {}
        for number, result in enumerate(self.results):
            if result not in self.bands or self.bands[result].stored != number:
                groups.setdefault(self._length(result), []).append(number)
        for numbers in groups.values():
            bands = [Band(self._name(), self.shapes[self.results[n]][1], n) for n in numbers]
            self._elementwise([self.results[n] for n in numbers], bands)
