"""Emit attention of few queries as its plan says (few_plan.py). No decisions are made here."""

from __future__ import annotations

from typing import Any

from ..contract.machine import General
from ..fused.inside import emit_elements
from .emit import Emitter
from .few_plan import SCORE_PLACES


class FewEmitter(Emitter):
    """The same loops around other parts."""

    counters = ("rows", "query of a row", "scores of a row", "products on tiles")
    sets_aside = True

    def prepare(self) -> None:
        """Note where softmax steps have scratch memory."""
        self.m.copy(self.at["products on tiles"], self.at["scratch"])
        self.m.advance(self.at["products on tiles"], self.plan.places.tiles)

    def emit_elementwise(self, plan: Any, pointers: dict[str, General], numbers: dict[str, General]) -> None:
        """Emit an elementwise or fused part."""
        places = self.plan.places
        with self.m.scratch_within(self.at["products on tiles"], places.end - places.tiles):
            emit_elements(self.m, plan, pointers, numbers)

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """Emit one block of keys."""
        places, spec = self.plan.places, self.spec
        of = {name: ("scratch", getattr(places, name)) for name in ("scores", "sums", *SCORE_PLACES.values())}
        self.m.note(f"a block of {keys} keys")
        self.masked(rows, keys)
        self._scores(rows, keys)
        self.scored(rows, keys)
        more = {"mask": ("mask", 0)} if spec.row_mask else {}
        more |= {"kept": self.place("kept")} if spec.rate else {}
        made = {name: of[place] for name, place in SCORE_PLACES.items()}
        self.elementwise(
            "softmax", rows, keys, s=of["scores"], largest=of["largest"], total=of["total"], **more, **made
        )
        self.elementwise("corrected", rows, o=of["sums"], r=of["correction"], y=of["sums"])
        self.product("sums", rows, keys, of["scores"], self._moved("v", 0, keys), of["sums"])
        self.move_keys(keys)

    def _scores(self, rows: int, keys: int) -> None:
        """Multiply one query after the other by the keys."""
        m, places, k = self.m, self.plan.places, self._moved("k", 0, keys)
        if rows == 1:
            self.product("scores", 1, keys, ("scratch", places.queries), k, ("scratch", places.scores))
            return
        self.reclaim()
        query, scores = self.at["query of a row"], self.at["scores of a row"]
        for each, place in ((query, places.queries), (scores, places.scores)):
            m.copy(each, self.at["scratch"])
            m.advance(each, place)
        with m.loop(self.at["rows"], rows):
            self.product("scores", 1, keys, ("query of a row", 0), k, ("scores of a row", 0))
            self.reclaim()
            m.advance(query, self.spec.size * self.wide)
            m.advance(scores, self.plan.keys * self.wide)
