"""The ways to do a transform. `candidates(spec, facts)` plans each of them, `plan(spec, facts)` takes the cheapest.

A way is a register width, with registers loaded whole or in pieces, and its cheapest tile: the tile that occupies its
busiest resource (load pipes, store pipes, shuffle pipes, or instruction issue) for the fewest cycles. If x and y exceed
the caches, every way uses streaming stores, and the best one is also compared with ordinary stores.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ...encoder.records import NamedTuple
from ..choice import Plan, Refusal, choose
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from . import nest, streaming, tile_search
from .cost import Prices, TileCost, matrix_cost
from .layouts import Layout
from .plan import TransformPlan
from .spec import TransformSpec
from .strides import StridedMatrix
from .tile import Loading, ShuffledTile

_KEPT = 256
"""The number of requests whose tiles are cached."""
_tiles_found: dict[Any, tuple[dict[Loading, _Priced], list[Refusal]]] = {}
_LARGEST_UNIT = 8  # bytes that shuffles move as one element; larger elements are moved in several


class _Priced(NamedTuple):
    """A tile that fits the registers, and its cost."""

    tile: ShuffledTile
    depth_first: bool
    cost: TileCost
    price: float
    taken: int


class ElementWork(NamedTuple):
    """The work on elements while they are in registers: an expression, and conversions at loads and stores."""

    layouts: tuple[Layout, Layout]  # of x and y
    sizes: tuple[int, int]  # bytes of their elements
    unit: int  # bytes of an element in a register
    taken: Mapping[int, float]
    """The instructions per register, keyed by the vector registers that the work needs besides the values, the fastest
    first. The key 0 means that it runs before or after the shuffles, on registers that wait in memory."""
    cycles: Mapping[int, float]  # cycles of an instruction, keyed by the bytes of a register


def plan(spec: TransformSpec, facts: Facts, *, cold: bool = False) -> TransformPlan:
    """Return the cheapest way. Raises UnsupportedError if there is none. `cold`: x is not in L1, whatever its size."""
    chosen = choose(candidates(spec, facts, cold=cold))
    assert isinstance(chosen, TransformPlan)
    return chosen


def candidates(
    spec: TransformSpec, facts: Facts, *, cold: bool = False, work: ElementWork | None = None
) -> list[Plan | Refusal]:
    """Return every way, planned or refused, sorted by price."""
    return _Candidates(spec, facts, cold, work).all()


def cheapest(spec: TransformSpec, facts: Facts, work: ElementWork, taken: Collection[int]) -> TransformPlan | None:
    """Return the cheapest way whose work needs one of these numbers of registers, without planning the others."""
    return _Candidates(spec, facts, False, work).first(taken)


class _Candidates:
    """The candidates of one request."""

    def __init__(self, spec: TransformSpec, facts: Facts, cold: bool, work: ElementWork | None) -> None:
        self.spec, self.facts, self.cold, self.tuning = spec, facts, cold, facts.tuning.transform
        size = ELEMENT_BYTES[spec.dtype]
        self.work = work or ElementWork(spec.layouts, (size, size), min(size, _LARGEST_UNIT), {0: 0.0}, {})
        self.x, self.y = (
            StridedMatrix(layout, spec.m, spec.n, size, self.work.unit)
            for layout, size in zip(self.work.layouts, self.work.sizes)
        )
        self.not_streaming = (
            "elements are converted or computed between load and store" if work else streaming.refusal(spec, facts)
        )
        self.prices = Prices(spec, self.x, self.y, facts, not self.not_streaming)
        self._costs: dict[ShuffledTile, TileCost] = {}  # without the work

    def all(self) -> list[Plan | Refusal]:
        """Return the best plan of each way of loading, then the refusals. If no way is left, a refusal names them
        all."""
        best, refused = self._found()
        stream = not self.not_streaming
        plans = [self._plan(priced, stream, f", {streaming.WAY}" * stream) for priced in best.values()]
        if not plans:
            reason = "; ".join(map(str, refused)) or (
                f'loads="{self.spec.loads}": this target cannot load registers in this way'
            )
            return [Refusal("any tile", UnsupportedError(f"{self.spec}: {reason}")), *refused]
        if self.not_streaming:
            refused.append(Refusal(streaming.WAY, UnsupportedError(self.not_streaming)))
            return [*plans, *refused]
        return [*plans, self._with_ordinary_stores(best[plans[0].tile.loading]), *refused]

    def first(self, taken: Collection[int]) -> TransformPlan | None:
        """Return the plan of the cheapest tile whose work needs one of these numbers of registers."""
        best, _ = self._found()
        chosen = next((priced for priced in best.values() if priced.taken in taken), None)
        return None if chosen is None else self._plan(chosen, False, "")

    def _found(self) -> tuple[dict[Loading, _Priced], list[Refusal]]:
        """Return the best tiles. No price depends on the leading dimensions, so requests that differ only in them share
        results."""
        spec, work = self.spec, self.work
        key = (
            replace(spec, ldx=0, ldy=0),
            self.facts,
            work.layouts,
            work.sizes,
            work.unit,
            *work.taken.items(),
            "and",
            *work.cycles.items(),
            self.prices.streaming,
        )
        found = _tiles_found.get(key)
        if found is None:
            if len(_tiles_found) >= _KEPT:
                _tiles_found.clear()
            found = _tiles_found[key] = self._tiles()
        best, refused = found
        return best, [*refused]

    def _tiles(self) -> tuple[dict[Loading, _Priced], list[Refusal]]:
        """Return the best tile of each way of loading, the cheapest first, and the reasons why other ways have none."""
        reasons: dict[Loading, str] = {}
        tiles: list[_Priced] = []
        for loading in tile_search.loadings(self.spec, self.facts):
            for tile in tile_search.tiles(loading, self.spec, self.x, self.y, self.tuning.most_register_bits):
                priced = tile if isinstance(tile, str) else self._priced(tile)
                if isinstance(priced, str):
                    reasons.setdefault(loading, priced)
                else:
                    tiles.append(priced)
        tiles.sort(key=lambda priced: priced.cost.cycles)  # stable, like the sort below: the first of equals wins
        narrow = tiles[: self.tuning.widened_tiles]
        wide = [
            self._priced(tile)
            for priced in narrow
            for tile in tile_search.widened(priced.tile, self.x, self.y, self.tuning)
        ]
        tiles += [priced for priced in wide if isinstance(priced, _Priced)]
        best: dict[Loading, _Priced] = {}
        for priced in sorted(tiles, key=lambda priced: priced.price):
            best.setdefault(priced.tile.loading, priced)
        refused = [
            Refusal(str(loading), UnsupportedError(why)) for loading, why in reasons.items() if loading not in best
        ]
        return best, refused

    def _priced(self, tile: ShuffledTile) -> _Priced | str:
        """Return a tile with the passes that fit the registers, and its price; or the reason why none do."""
        best: _Priced | None = None
        for taken in self.work.taken:
            if best is not None and taken:
                continue  # with more registers it is faster
            fitted = tile_search.fit(tile, self.x, self.y, self.facts, taken)
            if best and fitted and fitted.tile is best.tile and self.work.taken[taken] >= self.work.taken[best.taken]:
                continue  # the same tile with as many instructions or more
            if fitted is not None:
                cost = self._worked(fitted.tile, taken)
                priced = _Priced(fitted.tile, fitted.depth_first, cost, self.prices.price(fitted.tile, cost), taken)
                best = priced if best is None or priced.price < best.price else best
        return best or f"a tile does not fit the registers in {self.tuning.most_passes} passes"

    def _worked(self, tile: ShuffledTile, taken: int) -> TileCost:
        """Return the cost of the matrix, including the work on its elements."""
        cost = self._costs.get(tile)
        if cost is None:
            cost = self._costs[tile] = matrix_cost(tile, self.x, self.y, self.tuning.loop_instructions)
        if not self.work.cycles:
            return cost
        registers = cost.stores / tile.shuffle_set.store
        cycles = self.work.taken[taken] * self.work.cycles[tile.shuffle_set.bytes]
        return cost._replace(issue=cost.issue + registers * cycles)

    def _plan(self, priced: _Priced, stream: bool, stores: str) -> TransformPlan:
        """Return the plan of a tile. `stores` is appended to its name."""
        spec, tuning, tile = self.spec, self.tuning, priced.tile
        along_rows = spec.transposes and (
            self.cold
            or stream
            or nest.goes_along_rows(spec, self.prices.split_loads(tile), self.facts.l1_bytes, tuning)
        )
        near = spec.bytes_moved <= tuning.streaming_row_blocks * self.facts.shuffles.streaming_bytes
        loops = nest.nest(tile, self.x, self.y, tuning, along_rows, stream and near)
        peels = stream and streaming.peels(spec, tile, tuning)
        return TransformPlan(
            spec,
            tile,
            self.x,
            self.y,
            loops,
            priced.depth_first,
            stream,
            streaming.boundary(spec, tile),
            peels,
            priced.cost,
            priced.price,
            priced.taken,
            way=f"{tile}{stores}",
        )

    def _with_ordinary_stores(self, priced: _Priced) -> TransformPlan:
        """Return the best way with streaming stores, planned with ordinary ones."""
        price = priced.price * self.tuning.ordinary_store_weight
        return self._plan(priced._replace(price=price), False, ", ordinary stores")
