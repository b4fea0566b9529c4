"""The plan of a product whose columns, in column-major terms, the call counts.

Each panel of rows has a widest block of columns, which repeats while columns last, and narrower ones of 1, 2, 4...
columns: of what is left each takes part at most once.
"""

from __future__ import annotations

from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.blocking import Block, Panel, Product, Scheme, Search
from ..gemm.plan import AS_THEY_LIE, AroundProduct, GemmPlan
from ..gemm.products import products, way_of
from .spec import RowsSpec

_EXTENTS = (64, 100, 256, 1000)
"""Numbers of columns for which the widest block is chosen."""

_SHORT = 16
"""Columns of all steps of k in the loop body of a narrower block, at least."""


class RowsSearch(Search):
    """The search for panels of which each has blocks for any number of columns."""

    def _along_k_rows(self) -> set[int]:
        return {0}

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        costs = self._costs(row_vectors)
        best: tuple[float, tuple[Block, ...]] = (float("inf"), ())
        for group in self._groupings:
            made = [self._block(costs, columns, group) for columns in range(1, self._most_columns(costs, group) + 1)]
            for columns in range(max(1, len(made) // 2), len(made) + 1):
                chain = [columns, *(1 << bit for bit in reversed(range((columns - 1).bit_length())))]
                cycles = sum(_cycles(extent, chain, made) / extent for extent in _EXTENTS) / len(_EXTENTS)
                if cycles < best[0]:
                    widest = made[columns - 1][1]._replace(repeat=max(2, self.product.n // columns))
                    best = cycles, (widest, *(self._short(made[each - 1][1]) for each in chain[1:]))
        return Panel(Scheme.FMA, row_vectors, 1, best[1], best[0] * self.product.n, self._held())

    def _short(self, block: Block) -> Block:
        """A narrower block in less code: it runs at most once in a panel, so few steps of k are unrolled."""
        steps = block.split * block.group
        while steps * block.columns < _SHORT and steps < block.unroll:
            steps *= 2
        return block._replace(unroll=steps) if steps < block.unroll else block


def _cycles(extent: int, chain: list[int], made: list[tuple[float, Block]]) -> float:
    """What so many columns cost in these blocks; made: (cycles, block) of 1, 2, 3... columns."""
    total = 0.0
    for columns in chain:
        count, extent = divmod(extent, columns)
        total += count * made[columns - 1][0]
    return total


@dataclass(frozen=True)
class RowsPlan(AroundProduct):
    """The register blocks of a product, for any number of columns."""

    spec: RowsSpec
    product: GemmPlan

    @property
    def cycles(self) -> float:
        """The estimate for a likely number."""
        return self.product.cycles

    def __str__(self) -> str:
        kind = "row-major: computed as C' = B' A'" if self.product.product.a.argument == "b" else "column-major"
        lines = [str(self.spec), f"  {kind}; {self.spec.outer} is given at the call"]
        for panel in self.product.panels:
            times = f"{panel.repeat} x " if panel.repeat > 1 else ""
            widest, *narrower = (block.columns for block in panel.blocks)
            rest = f", then of what is left {', '.join(map(str, narrower))}" if narrower else ""
            vectors = "+".join(map(str, panel.row_vectors))
            lines.append(f"  panel {times}{panel.rows} rows ({vectors}): {widest} columns while they last{rest}")
        lines.append(f"  about {self.cycles:.0f} cycles for {self.product.product.n}")
        return "\n".join(lines)


def candidates(spec: RowsSpec, facts: Facts) -> list[RowsPlan | Refusal]:
    """The products with the extent across vector registers, on FMA units; operands stay as they lie."""
    made: list[RowsPlan | Refusal] = []
    for each in products(spec.product, facts):
        if isinstance(each, Refusal):
            made.append(each)
        elif each.a.argument == spec.shared:
            made.append(refused(way_of(each), f"{spec.outer} is given at the call and would fill vector registers"))
        elif each.outer_product is not None:
            made.append(refused(way_of(each), f"{spec.outer} is given at the call: vector units only; another target"))
        else:
            made.append(_blocked(spec, facts, each))
    if not any(isinstance(each, RowsPlan) for each in made):
        other, order, along = ("b", "C", "n") if spec.outer == "m" else ("a", "F", "m")
        made.insert(0, refused(AS_THEY_LIE, f"{spec}: {spec.outer} of any number wants vectors along {along}, so "
                               f'{other} of order "{order}", and vector units; ts.transpose makes a copy'))  # fmt: skip
    return made


def _blocked(spec: RowsSpec, facts: Facts, product: Product) -> RowsPlan | Refusal:
    panels = RowsSearch(facts, spec.product).panels(product)
    if not panels or not all(panel.blocks for panel in panels):
        return refused(way_of(product), f"no block of it fits into {facts.vector_registers} vector registers")
    tuning = facts.tuning.gemm
    shortest = 2 if facts.loads_apart else 0
    late = spec.alpha == spec.beta == 1 and shortest <= product.k <= tuning.longest_late_c
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    cycles = sum(panel.cycles for panel in panels)
    plan = GemmPlan(spec.product, product, panels, late, vector, cycles, tuning, way=way_of(product))
    return RowsPlan(spec, plan, way=plan.way)
