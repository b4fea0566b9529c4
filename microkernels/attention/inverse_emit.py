"""Emit the backward pass of attention as its plan says (inverse_plan.py, inverse_pairs_plan.py). No decisions are made
here."""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.between_blocks import BetweenBlocks, Matrices
from ..codegen.laid_by import LaidBy
from ..dtypes import ELEMENT_BYTES
from .blocks import QueryBlocks
from .emit import Emitter
from .inverse_plan import blocks_beside
from .plan import AttentionPlan


class InverseEmitter(Emitter):
    """The loops of the forward pass around the parts of the backward pass."""

    plan: AttentionPlan
    per_query = ("q", "g", "out", "gq")
    per_key = ("k", "v", "gk", "gv")
    counters = ("queries before",)
    sets_aside = True
    back = 0  # queries of the current block that the block before it already computed

    def claim_levels(self) -> None:
        """Claim memory for the levels of gk and gv, and of the gradients of a block of queries."""
        self.of_keys = self._levels(self.plan.of_keys, self._sums_of_keys)
        self.of_queries = self._levels(self.plan.of_queries, self._sums_of_queries)

    def _levels(self, plan: LaidBy | None, matrices: Callable[[], Matrices]) -> BetweenBlocks | None:
        if plan is None:
            return None
        made = BetweenBlocks(self, plan, matrices, plan.levels.steps)
        self.at |= {f"levels {len(self.at)}, {number}": place for number, place in enumerate(made.claims)}
        return made

    def _sums_of_keys(self) -> Matrices:
        return {name: (self.at[name], self.bytes_of_line(name)) for name in ("gk", "gv")}

    def _sums_of_queries(self) -> Matrices:
        """Return the place of gq' in scratch memory."""
        return {"gq": (self.pointer("scratch", self.plan.places.sums), self.plan.rows * self.wide)}

    def begin_levels(self, rows: int) -> None:
        """Set the levels of so many queries to 0."""
        if self.of_queries is not None:
            self.of_queries.begin(columns=rows)

    def _lay_by(self, blocks: QueryBlocks) -> None:
        """After a block of keys, lay the gradients of the block of queries by."""
        if self.of_queries is not None:
            self.of_queries.after(1)

    def end_keys(self) -> None:
        """Add the levels of gk and gv to them."""
        if self.of_keys is not None:
            self.of_keys.end()

    def prepare(self) -> None:
        """Fill a row with ones, which turns products into sums, and the window of the causal mask."""
        places = self.plan.places
        self.elementwise("ones", 0, y=("scratch", places.ones))
        if self.spec.causal:
            self.elementwise("unseen", 0, y=("scratch", places.window))
            self.elementwise("seen", 0, y=("scratch", self._shown))

    @property
    def _shown(self) -> int:
        """The place in the window for the first query, which sees the first key."""
        return int(self.plan.places.window + self.plan.rows * self.wide)

    def begin_keys(self) -> None:
        """Set the sums gk and gv to 0, unless they are added to."""
        for name in ("gk", "gv") if not self.spec.adds else ():
            self.elementwise(f"zero {name}", 0, y=(name, 0))
        if self.of_keys is not None:
            self.of_keys.begin()

    def begin(self, blocks: QueryBlocks) -> None:
        """Emit the setup of a block of queries, before its first key."""
        self.begin_queries(blocks)
        self.elementwise("start", blocks.rows, y=("scratch", self.plan.places.sums))
        self.begin_levels(blocks.rows)

    def begin_queries(self, blocks: QueryBlocks) -> None:
        """Compute Q', G', lse and D of a block."""
        self.back, self.beyond = blocks.back, blocks.beyond
        places, rows = self.plan.places, blocks.stored
        sums = ("scratch", places.sums)
        self.elementwise("queries", rows, q=("q", 0), y=("scratch", places.queries))
        self.elementwise("gradients", rows, g=("g", 0), y=("scratch", places.gradients))
        self.elementwise("products", rows, g=("g", 0), out=("out", 0), y=sums)
        self.product("delta", blocks.rows, 0, sums, ("scratch", places.ones), ("scratch", places.delta))
        self.elementwise("begun", rows, lse=("lse", 0), y=("scratch", places.lse))

    def end(self, blocks: QueryBlocks) -> None:
        """Store gq of a block."""
        self.end_levels()
        self.elementwise("out", blocks.stored, o=("scratch", self.plan.places.sums), y=("gq", 0))

    def end_levels(self) -> None:
        """Add the levels of a block of queries to their gradients, and lay those of keys by."""
        if self.of_queries is not None:
            self.of_queries.end()
        if self.of_keys is not None:
            self.of_keys.after(1)

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """Emit one block of keys, for the queries of the block from `first` on."""
        self.m.note(f"a block of {keys} keys")
        self.step_of(rows, keys, hidden, first)
        self._sums_over_queries(rows - self.back - self.beyond, keys, first + self.back)
        places, skipped = self.plan.places, first * self.wide
        slopes, sums = (("scratch", place + skipped) for place in (places.slopes, places.sums))
        self.product("sums", rows, keys, slopes, ("k", 0), sums)
        self.move_keys(keys)

    def step_of(self, rows: int, keys: int, hidden: bool, first: int) -> None:
        """Compute P in place of the scores and dS in place of the slopes."""
        spec, skipped = self.spec, first * self.wide
        queries, gradients, scores, slopes, lse, delta = (
            ("scratch", getattr(self.plan.places, name) + skipped)
            for name in ("queries", "gradients", "scores", "slopes", "lse", "delta")
        )
        self.masked(rows - self.beyond, keys, first)
        self.product("scores", rows, keys, queries, ("k", 0), scores)
        self.product("slopes", rows, keys, gradients, ("v", 0), slopes)
        self.scored(rows, keys, first)
        more = {"mask": ("mask", 0)} if spec.row_mask else {}
        more |= {name: ("scratch", getattr(self.plan.places, name) + skipped) for name in blocks_beside(spec)}
        if hidden:
            more["window"] = ("scratch", self._shown)
        self.elementwise(
            "hidden" if hidden else "step",
            rows,
            keys,
            score=scores,
            slope=slopes,
            lse=lse,
            delta=delta,
            **self.made_of(scores, slopes, first),
            **more,
        )

    def made_of(self, scores: tuple[str, int], slopes: tuple[str, int], first: int) -> dict[str, tuple[str, int]]:
        """Return the places where the step stores P and dS, for the queries from `first` on."""
        return {"y0": scores, "y1": slopes}

    def _sums_over_queries(self, rows: int, keys: int, first: int) -> None:
        """Add the contribution of these queries to gv and gk, except for queries that the block before has already
        added."""
        for result, factor, name in (("gv", "scores", "g"), ("gk", "slopes", "q")):
            place = ("scratch", getattr(self.plan.places, factor) + first * self.wide)
            self.product(result, rows, keys, place, (name, first * self.bytes_of_line(name)), (result, 0))


class PairsEmitter(InverseEmitter):
    """The same loops. Both factors of gv, gk and gq lie in scratch memory."""

    def begin(self, blocks: QueryBlocks) -> None:
        """Emit the setup of a block of queries, before its first key."""
        self.begin_queries(blocks)
        places, stored = self.plan.places, blocks.stored
        for name, place in (("q", places.q_pairs), ("g", places.g_pairs)):
            again = blocks.back * self.bytes_of_line(name)
            self.elementwise(f"{name} in pairs", stored - blocks.back, x=(name, again), y=("scratch", place))
        self.elementwise("gq", stored, y=("gq", 0))
        self.begin_levels(stored)

    def begin_levels(self, rows: int) -> None:
        """Set the levels of so many queries to 0."""
        if self.of_queries is not None:
            self.of_queries.begin(lines=rows)

    def _sums_of_queries(self) -> Matrices:
        """Return the place of gq, which is a sum in memory."""
        return {"gq": (self.at["gq"], self.bytes_of_line("gq"))}

    def end(self, blocks: QueryBlocks) -> None:
        """Add the levels: gq is a sum in memory."""
        self.end_levels()

    def made_of(self, scores: tuple[str, int], slopes: tuple[str, int], first: int) -> dict[str, tuple[str, int]]:
        """Return the same rows, with narrower elements."""
        places, skipped = self.plan.places, first * ELEMENT_BYTES[self.spec.dtype]
        return {"y0": ("scratch", places.scores + skipped), "y1": ("scratch", places.slopes + skipped)}

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """Emit one block of keys, for the queries of the block from `first` on."""
        m, places, narrow = self.m, self.plan.places, ELEMENT_BYTES[self.spec.dtype]
        m.note(f"a block of {keys} keys")
        self.step_of(rows, keys, hidden, first)
        once, back = rows - self.back - self.beyond, self.back
        for name, factor, other in (("gv", places.scores, places.g_pairs), ("gk", places.slopes, places.q_pairs)):
            left, right = factor + (first + back) * narrow, other + first * self.spec.size * narrow
            self.product(name, once, keys, ("scratch", left), ("scratch", right), (name, 0))
        transposed, paired = ("scratch", places.scores), ("scratch", places.slopes)
        self.elementwise("transposed", rows, keys, s=("scratch", places.slopes + first * narrow), y=transposed)
        self.elementwise("k in pairs", 0, keys, x=("k", 0), y=paired)
        stored = rows - self.beyond
        self.product("gq", stored, keys, transposed, paired, ("gq", first * self.bytes_of_line("gq")))
        self.move_keys(keys)
