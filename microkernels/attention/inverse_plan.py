"""The backward pass of attention: gradients of q, k and v from that of out, with powers computed again from lse.

    for each block of queries:    Q', G' transposed; D = sum of g * out along rows
        for each block of keys:   P = e^(K Q' - lse),  dS = P (V G' - D)
                                  gv += P g,  gk += scale dS q,  gq' += K' dS
        gq = scale gq', transposed

Vectors lie along queries, as in plan.py; gk and gv are summed in their own memory. Source: Dao et al., FlashAttention,
2022, algorithm 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Any

from ...encoder.records import NamedTuple, dataclass
from ..choice import Refusal, Way, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import EltwiseSpec, eltwise_spec
from ..expr.graph import Expr, constant, operand, program, select
from ..expr.trace import results
from ..functions.limits import coefficients
from ..gemm.emit import registers as gemm_registers
from ..gemm.plan import GemmPlan
from ..gemm.spec import gemm_spec
from ..operands import Operand, View
from ..products.untiled import without_tiles
from .blocks import ROOM, blocks_of, rows_of
from .inverse_spec import InverseSpec
from .plan import AttentionPlan, Planner, product_of
from .spec import FULL, ROW


class InversePlaces(NamedTuple):
    """Offsets in scratch memory, in bytes."""

    queries: int
    gradients: int
    sums: int
    scores: int
    slopes: int
    lse: int
    delta: int
    ones: int
    window: int
    end: int


@dataclass(frozen=True)
class InversePlan(AttentionPlan):
    """The blocks, and the plan of each part."""

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        products = [gemm_registers(each) for _, each in self.products]
        walked: list[int] = [each.registers for _, each in self.walks]
        return max(*products, *walked)

    @property
    def cycles(self) -> float:
        """The estimate for a call: that of five products."""
        pairs = self.spec.heads * self.spec.pairs
        of_block = [each.cycles / (rows * keys) for (_, rows, keys), each in self.products if keys == self.keys]
        return pairs * (sum(of_block) if len(of_block) == 5 else 5 * self.spec.size / self.vector)

    def __str__(self) -> str:
        return "\n".join(line for line in super().__str__().splitlines() if not line.startswith("  softmax step"))


def candidates(spec: InverseSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Blocks that fit into scratch memory, the largest first."""
    facts = without_tiles(facts)
    size = ELEMENT_BYTES[spec.compute]
    every = [rows for rows in rows_of(spec, facts.widths[0] // 8 // size, facts.tuning.attention.query_bytes // size)
             if (3 * spec.size * rows + 2 * rows * rows + 4 * rows + spec.size) * size + 512 <= ROOM]  # fmt: skip
    for rows in every:
        yield Way(f"{rows} queries by {rows} keys", partial(_planned, spec, facts, rows))
    if not every:
        yield refused("in blocks", f"size {spec.size}: one query and its sums leave {ROOM} bytes of scratch memory; "
                      "products and softmax_inv compute it with scores in memory")  # fmt: skip


def _planned(spec: InverseSpec, facts: Facts, rows: int) -> InversePlan:
    return _Planner(spec, facts, rows, rows).inverse()


class _Planner(Planner):
    """The parts of a request on a machine."""

    spec: InverseSpec

    def _pairs(self) -> bool:
        """Operands of 16 bits are multiplied by f32."""
        return False

    def inverse(self) -> InversePlan:
        """The plan."""
        spec = self.spec
        self.keys = self.rows
        blocks = tuple(blocks_of(spec, self.rows, self.keys, self.vectors, True))
        products: dict[tuple[str, int, int], GemmPlan] = {}
        parts: dict[tuple[str, int, int], Any] = {("zero", 0, 0): self._zero(spec.keys, spec.size, spec.size),
                                                  ("ones", 0, 0): self._zero(1, spec.size, spec.size, 1.0)}  # fmt: skip
        if spec.causal:
            parts["unseen", 0, 0] = self._zero(1, self.rows, self.rows, -inf)
            parts["seen", 0, 0] = self._zero(1, self.rows, self.rows, 0.0)
        for each in blocks:
            whole = [(0, each.rows, self.keys, False)] if each.whole != 0 else []
            last = [(*part, each.hidden) for part in each.parts(self.step)]
            for _, rows, keys, hidden in (*whole, *last):
                products["scores", rows, keys] = self._scores(rows, keys)
                products["slopes", rows, keys] = self._product("FFF", rows, keys, spec.size)
                products["sums", rows, keys] = self._sums(rows, keys)
                once = rows - each.back - each.beyond
                products["gv", once, keys] = self._product("CCC", keys, spec.size, once, beta=1.0)
                products["gk", once, keys] = self._product("CCC", keys, spec.size, once, beta=1.0, alpha=spec.scale)
                parts["hidden" if hidden else "step", rows, keys] = self._step(rows, keys, hidden)
                if spec.mask == FULL:
                    parts["mask", rows - each.beyond, keys] = self._mask(rows - each.beyond, keys)
            products["delta", each.rows, 0] = self._product("FFF", each.rows, 1, spec.size, types=spec.compute)
            parts["start", each.rows, 0] = self._start(each.rows)
            parts |= {(name, each.stored, 0): made for name, made in self._of_queries(each.stored).items()}
        return InversePlan(spec, self.rows, self.keys, self.vector, self.step, self._inverse_places(), blocks,
                           self.code(), tuple(products.items()), tuple(parts.items()), 0.0)  # fmt: skip

    def _inverse_places(self) -> Any:
        line, found, at = self.rows * self.size, list[int](), 0
        tall, wide = self.spec.size * line, self.keys * line
        for length in (tall, tall, tall, wide, wide, line, line, self.spec.size * self.size, 2 * line):
            found.append(at)
            at += -(-length // 64) * 64
        return InversePlaces._make([*found, at])

    def _product(self, order: str, m: int, n: int, k: int, alpha: float = 1.0, beta: float = 0.0,
                 types: Any = None) -> GemmPlan:  # fmt: skip
        """Of scores, of blocks of gk and gv, of lines: the block's lines are `rows` apart, those in memory dense."""
        spec = self.spec
        of_c = self.rows if order == "FFF" else spec.size
        asked = gemm_spec(m, n, k, dtype=types or self._types["dtype"], order=order, lda=self.rows, ldb=spec.size,
                          ldc=of_c, alpha=alpha, beta=beta)  # fmt: skip
        return product_of(asked, self.facts)

    def _of_queries(self, rows: int) -> dict[str, Any]:
        spec = self.spec
        leading, shape = {"ldy": self.rows}, (rows, spec.size)
        turned: dict[str, Any] = {"dtype": spec.dtype, "out": spec.compute, "leading": leading, "order": {"y": "F"}}
        scale = spec.scale
        return {
            "queries": self._queries(rows),
            "gradients": self._chosen(eltwise_spec(lambda g: g, "turned", {"g": shape}, **turned)),
            "products": self._chosen(eltwise_spec(lambda g, out: g * out, "products", {"g": shape, "out": shape},
                                                  **turned)),
            "begun": self._line("begun", rows, self._begin, ("lse",), 1),
            "out": self._chosen(eltwise_spec(lambda o: o * scale, "scaled", {"o": shape}, dtype=spec.compute,
                                             leading={"ldo": self.rows}, order={"o": "F"})),
        }  # fmt: skip

    def _begin(self, lse: Expr) -> Expr:
        """In the units of scores; so that powers are 0 where no key is seen."""
        unit = 1.0 if self.softmax.natural else coefficients(self.spec.compute).LOG2E
        return select(lse == -inf, inf, lse * unit)

    def _zero(self, lines: int, columns: int, leading: int, value: float = 0.0) -> Any:
        dtype = self.spec.compute
        made = results(lambda: constant(value, dtype), [])
        y = Operand("y", lines, columns, View("C", leading), dtype, output=True)
        return self._chosen(EltwiseSpec("filled", lines, columns, dtype, program(*made), (), (y,), "fast"))

    def _step(self, rows: int, keys: int, hidden: bool) -> Any:
        """P in the place of scores, dS in that of slopes; a row for each key. hidden: the causal mask is the window,
        -inf and then 0, whose rows begin one element before each other."""
        spec, dtype = self.spec, self.spec.compute
        names = [
            "score",
            "slope",
            "lse",
            "delta",
            *(["mask"] if spec.mask == ROW else []),
            *(["window"] if hidden else []),
        ]
        score, slope, lse, delta, *masks = (operand(name, dtype) for name in names)
        for each in masks:
            score = score + each
        power = self.softmax.power(score - lse)
        block, views = View("C", self.rows), {"mask": View("C", 1), "window": View("C", -1)}
        lines, columns = {"lse": 1, "delta": 1}, {"mask": 1}
        reads = tuple(Operand(name, lines.get(name, keys), columns.get(name, rows), views.get(name, block), dtype)
                      for name in names)  # fmt: skip
        writes = tuple(Operand(name, keys, rows, block, dtype, output=True) for name in ("y0", "y1"))
        made = program(power, power * (slope - delta))
        return self._chosen(EltwiseSpec("step", keys, rows, dtype, made, reads, writes, spec.accuracy))
