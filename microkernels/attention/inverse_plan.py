"""The backward pass of attention: the gradients of q, k and v from the gradient of out. Powers are recomputed from lse.

    for each block of queries:    Q', G' transposed; D = sum of g * out along rows
        for each block of keys:   P = e^(K Q' - lse),  dS = P (V G' - D)
                                  gv += P g,  gk += scale dS q,  gq' += K' dS
        gq = scale gq', transposed

Vectors run along queries, as in plan.py. gk and gv are accumulated in their own memory. Source: Dao et al.,
FlashAttention, 2022, algorithm 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import inf
from typing import Any

from ...encoder.records import NamedTuple
from ..codegen.laid_by import WIDE, LaidBy, fitting
from ..codegen.long_sums import DYNAMIC_TERMS, MOST_TERMS, levels_of_blocks, most_of_block
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.graph import Expr, Program, constant, operand, program, select
from ..expr.trace import results
from ..functions.limits import coefficients
from ..gemm.long_products import in_blocks
from ..gemm.plan import GemmPlan
from ..operands import Operand, View
from .blocks import AttentionSchedule, QueryBlocks, blocks_of
from .plan import AttentionPlan
from .planner import AttentionPlanner
from .requests import COPIES, elementwise, of_product, product_of, scaled
from .scores import parts_of_scores
from .softmax import Softmax
from .spec import AttentionSpec

Part = tuple[str, int, int]
"""A part of a block: its name, queries and keys."""


class InversePlaces(NamedTuple):
    """Byte offsets in scratch memory. The step overwrites `scores` with powers and `slopes` with differences.
    `q_pairs`, `g_pairs` and `tiles` are used by products of pairs (inverse_pairs_plan.py)."""

    queries: int
    gradients: int
    sums: int
    scores: int
    slopes: int
    lse: int
    delta: int
    ones: int
    window: int
    q_pairs: int
    g_pairs: int
    tiles: int
    beside: int
    kept: int
    end: int


class InversePlanner(AttentionPlanner):
    """Plans the parts of a request on a machine."""

    spec: AttentionSpec
    summed = "k"

    def _pairs(self) -> bool:
        """Return False: operands of 16 bits are multiplied by f32."""
        return False

    def inverse(self) -> AttentionPlan:
        """Return the plan. Raises UnsupportedError if a part has no plan, or scratch memory does not suffice."""
        spec = self.spec
        self.keys = self.rows
        blocks = tuple(blocks_of(spec, self.rows, self.keys, self.vectors, True))
        of_keys = self._of_keys_laid_by(blocks)
        products: dict[Part, GemmPlan] = {}
        parts = self._once()
        cycles: dict[int, float] = {}
        for each in blocks:
            walked = [(0, each.rows, keys, False) for keys in each.lengths(self.keys)]
            last = [(*part, each.hidden) for part in each.parts(self.step)]
            for _, rows, keys, hidden in (*walked, *last):
                made, elementwise_parts = self._of_keys(rows, keys, rows - each.beyond, rows - each.back - each.beyond)
                elementwise_parts["hidden" if hidden else "step", rows, keys] = self._step(rows, keys, hidden)
                cycles[rows * keys] = sum(part.cycles for part in (*made.values(), *elementwise_parts.values()))
                products |= made
                parts |= elementwise_parts | parts_of_scores(self, rows, rows - each.beyond, keys)
            products["delta", each.rows, 0] = self._product(
                "FFF", each.rows, 1, spec.size, spec.size, self.rows, types=spec.compute
            )
            parts["start", each.rows, 0] = self._start(each.rows)
            parts |= self._of_queries(each)
        largest = max(cycles)
        return AttentionPlan(
            spec,
            self.rows,
            self.keys,
            self.vector,
            self.step,
            self._inverse_places(products.values()),
            blocks,
            None,
            tuple(products.items()),
            tuple(parts.items()),
            0.0,
            pair_cycles_of_block=cycles[largest] / largest,
            of_keys=of_keys,
            of_queries=self._of_queries_laid_by(),
            schedule=self.schedule,
        )

    def _of_keys_laid_by(self, blocks: Iterable[QueryBlocks]) -> LaidBy | None:
        """Return the levels of gk and gv, if they need some. Raises UnsupportedError if there is no memory for them."""
        if self.spec.adds:  # whoever adds the parts bounds the number of their blocks
            return None
        spec, many = self.spec, self.spec.group * sum(each.times for each in blocks)
        asked = self._laid_by((("gk", spec.size), ("gv", spec.size)), spec.keys, many)
        found = None if asked is None else fitting(asked, many, most_of_block(True))
        if asked is not None and found is None and many > MOST_TERMS - self.rows:
            raise UnsupportedError(
                f"gradients of k and v that are sums over {spec.queries * spec.group} queries need {asked.level_bytes} "
                f"bytes beside them, and a kernel has {WIDE}; compute them for some of the keys at a time, and add the "
                "gradients of q"
            )
        return found

    def _of_queries_laid_by(self) -> LaidBy | None:
        """Return the levels of gq', which has a line for each of `size`."""
        return self._laid_by((("gq", self.rows),), self.spec.size, -(-self.spec.keys // self.keys))

    def _laid_by(self, sums: tuple[tuple[str, int], ...], lines: int, blocks: int) -> LaidBy | None:
        levels, vector = levels_of_blocks(blocks), self.facts.widths[0] // 8 // self.size
        return None if levels is None else LaidBy(sums, levels, vector, self.spec.compute, lines)

    def _once(self) -> dict[Part, Any]:
        """Return the parts that run once for all heads, or once for each head of k and v."""
        spec = self.spec
        zeros = () if spec.adds else ("gk", "gv")
        parts = {(f"zero {name}", 0, 0): self._zero(spec.keys, spec.size, self.leading(name)) for name in zeros}
        parts["ones", 0, 0] = self._zero(1, spec.size, spec.size, self.unit)
        if spec.causal:
            parts["unseen", 0, 0] = self._zero(1, self.rows, self.rows, -inf)
            parts["seen", 0, 0] = self._zero(1, self.rows, self.rows, 0.0)
        return parts

    schedule = AttentionSchedule.INVERSE

    @staticmethod
    def bytes_of(rows: int, spec: AttentionSpec) -> int:
        """Return roughly the bytes of scratch memory for a block of `rows` queries and keys."""
        blocks = 2 + len(blocks_beside(spec))
        return (3 * spec.size * rows + blocks * rows * rows + 4 * rows + spec.size) * ELEMENT_BYTES[spec.compute] + 512

    @property
    def beside(self) -> tuple[str, ...]:
        """The blocks that lie beside the scores: the mask becomes the derivative of the function of scores."""
        return blocks_beside(self.spec)

    @property
    def unit(self) -> float:
        """The factor of the products g * out in D."""
        return 1.0

    def _of_keys(self, rows: int, keys: int, stored: int, once: int) -> tuple[dict[Part, GemmPlan], dict[Part, Any]]:
        """Return the five products of a block, and the walks that they need besides the step. stored: the queries of
        the block that exist. once: those of them that no earlier block has computed."""
        spec = self.spec
        return {
            ("scores", rows, keys): self._scores(rows, keys),
            ("slopes", rows, keys): self._product("FFF", rows, keys, spec.size, self.leading("v"), self.rows),
            ("sums", rows, keys): self._sums(rows, keys),
            ("gv", once, keys): self._product(
                "CCC", keys, spec.size, once, self.leading("g"), self.leading("gv"), beta=1.0
            ),
            ("gk", once, keys): self._product(
                "CCC", keys, spec.size, once, self.leading("q"), self.leading("gk"), beta=1.0, alpha=spec.scale
            ),
        }, {}

    def _inverse_places(self, products: Iterable[GemmPlan]) -> InversePlaces:
        line = self.rows * self.size
        tall, wide = self.spec.size * line, self.keys * line
        beside = self.bytes_beside(self.rows, self.keys)
        return placed(tall, tall, tall, wide, wide, line, line, self.spec.size * self.size, 2 * line, 0, 0, 0, *beside)

    def _product(
        self,
        order: str,
        m: int,
        n: int,
        k: int,
        ldb: int,
        ldc: int,
        alpha: float = 1.0,
        beta: float = 0.0,
        types: Any = None,
    ) -> GemmPlan:
        """Plan a product of scores, of blocks of gk and gv, or of lines. Lines of a block are `rows` elements apart."""
        asked = of_product(
            m,
            n,
            k,
            dtype=types or self._types["dtype"],
            order=order,
            lda=self.rows,
            ldb=ldb,
            ldc=ldc,
            alpha=alpha,
            beta=beta,
        )
        return product_of(in_blocks(asked, self.queries_added if beta == 1 else 0), self.facts)

    @property
    def queries_added(self) -> int:
        """The terms of gk and gv, which are sums over queries: as many as there may be, if calls add to them."""
        return DYNAMIC_TERMS if self.spec.adds else self.spec.queries * self.spec.group

    def _of_queries(self, block: QueryBlocks) -> dict[Part, Any]:
        """Return the parts that prepare the queries of a block, and the part that stores its gq."""
        spec, rows = self.spec, block.stored
        shape, g, out = (rows, spec.size), self.leading("g"), self.leading("out")
        transposed: dict[str, Any] = {"dtype": spec.dtype, "out": spec.compute, "order": {"y": "F"}}
        stored = elementwise(
            scaled("o", spec.scale),
            "scaled",
            {"o": shape},
            dtype=spec.compute,
            order={"o": "F"},
            leading={"ldo": self.rows, "ldy": self.leading("gq")},
        )
        return {
            ("queries", rows, 0): self._queries(rows),
            ("gradients", rows, 0): self._chosen(
                elementwise(COPIES["g"], "transposed", {"g": shape}, leading={"ldg": g, "ldy": self.rows}, **transposed)
            ),
            ("products", rows, 0): self._chosen(
                elementwise(
                    _products,
                    "products",
                    {"g": shape, "out": shape},
                    leading={"ldg": g, "ldout": out, "ldy": self.rows},
                    **transposed,
                )
            ),
            ("begun", rows, 0): self._line("begun", rows, self._begin, ("lse",), 1),
            ("out", rows, 0): self._chosen(stored),
        }

    def _begin(self, lse: Expr) -> Expr:
        """Return lse in the units of scores. It becomes infinite where no key is seen, so that powers are 0 there."""
        unit = 1.0 if self.softmax.natural else coefficients(self.spec.compute).LOG2E
        return select(lse == -inf, inf, lse * unit)

    def _zero(self, lines: int, columns: int, leading: int, value: float = 0.0) -> Any:
        dtype = self.spec.compute
        made = results(lambda: constant(value, dtype), [])
        y = Operand("y", lines, columns, View("C", leading), dtype, output=True)
        return self._chosen(EltwiseSpec("filled", lines, columns, dtype, program(*made), (), (y,), "fast"))

    def _step(self, rows: int, keys: int, hidden: bool) -> Any:
        """Plan the step: P in place of scores, dS in place of slopes, with a row for each key. hidden: the causal mask
        is read from the window, which holds -inf and then 0; each row begins one element before the previous one."""
        spec, dtype = self.spec, self.spec.compute
        masks = ("mask",) * spec.row_mask + ("window",) * hidden
        factors = blocks_beside(spec)
        names, made = ("score", "slope", "lse", "delta", *masks, *factors), _step_program(self.softmax, masks, factors)
        block, views = View("C", self.rows), {"mask": View("C", 1), "window": View("C", -1)}
        lines, columns = {"lse": 1, "delta": 1}, {"mask": 1}
        reads = tuple(
            Operand(name, lines.get(name, keys), columns.get(name, rows), views.get(name, block), dtype)
            for name in names
        )
        writes = tuple(Operand(name, keys, rows, block, dtype, output=True) for name in ("y0", "y1"))
        return self._chosen(EltwiseSpec("step", keys, rows, dtype, made, reads, writes, spec.accuracy))


def _products(g: Expr, out: Expr) -> Expr:
    return g * out


@lru_cache(maxsize=64)
def _step_program(softmax: Softmax, masks: tuple[str, ...], factors: tuple[str, ...]) -> Program:
    """P and dS of a score, a slope, lse and D, and of masks that are added to the score: the same for all blocks."""
    names = ("score", "slope", "lse", "delta", *masks)
    score, slope, lse, delta, *added = (operand(name, softmax.dtype) for name in names)
    for each in added:
        score = score + each
    power = softmax.power(score - lse)
    return gradients_of_step(power, slope, lambda slope: slope - delta, factors)


def blocks_beside(spec: AttentionSpec) -> tuple[str, ...]:
    """Return the blocks beside the scores: the derivative of the function of scores, and the factors of powers of which
    some are dropped."""
    return ("beside",) * (spec.score is not None) + ("kept",) * bool(spec.rate)


def gradients_of_step(
    power: Expr, slope: Expr, difference: Callable[[Expr], Expr], factors: tuple[str, ...]
) -> Program:
    """Return P and dS = P difference(slope). A probability that is dropped is 0 in P, and its slope counts 0; both are
    divided by the rate of those that stay. dS is by the scores before their function."""
    kept, beside = (operand(name, power.dtype) if name in factors else None for name in ("kept", "beside"))
    stored = power if kept is None else power * kept
    found = power * difference(slope if kept is None else slope * kept)
    return program(stored, found if beside is None else found * beside)


def placed(*lengths: int) -> InversePlaces:
    """Lay out places of these lengths in bytes one after the other, each at the start of a cache line."""
    found, at = list[int](), 0
    for length in lengths:
        found.append(at)
        at += -(-length // 64) * 64
    return InversePlaces._make([*found, at])
