"""The nest of a planned product: loops over blocks, the kernels that pack and multiply them, and the barriers between.

Operands of the job: a, b, c, the further operands of the epilogue; then the shared scratch memory of A and of B, that of the
workers, and the barrier and its state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from ...encoder.features import Target
from ...encoder.records import dataclass
from ...microkernels.gemm.spec import GemmSpec
from ..api.brgemm import brgemm
from ..api.eltwise import unary
from ..api.transforms import transform, transpose
from ..loops.code import WORKER, Address, Affine, Barrier, Call, Header, Loop, Node, Share, When, affine, index
from .plan import DIRECT, OWN, SHARED, Operand, ProductPlan

Q, P, K = index("q"), index("p"), index("k")
"""Number of a block of rows and of a panel of columns, and the first step of k."""
_SIDEWAYS = {"row": "col", "col": "row"}


@dataclass(frozen=True)
class Epilogue:
    """What becomes of finished sums: the arguments of ts.brgemm, and where each further operand moves."""

    function: Callable[..., Any] | None = None
    operands: tuple[tuple[str, Any], ...] = ()
    accuracy: Any = None
    moves: tuple[tuple[str, int], ...] = ()  # "row", "col" or "scalar", and bytes of an element

    def keywords(self) -> dict[str, Any]:
        """For ts.brgemm."""
        if self.function is None:
            return {}
        return {"epilogue": self.function, "operands": dict(self.operands), "accuracy": self.accuracy}


def turned(shape: Any) -> Any:
    """The shape of an operand of the epilogue, of the transposed product."""
    if isinstance(shape, tuple):
        return (turned(shape[0]), *shape[1:])
    return _SIDEWAYS.get(shape, shape) if isinstance(shape, str) else shape


class Blocks:
    """The nest of a plan for a target."""

    def __init__(self, plan: ProductPlan, spec: GemmSpec, epilogue: Epilogue, target: Target) -> None:
        self.plan, self.spec, self.epilogue, self.target = plan, spec, epilogue, target
        self.extras = len(epilogue.moves)
        self.shared_a, self.shared_b, self.own, self.barrier = (3 + self.extras + each for each in range(4))
        self.a, self.b = (1, 0) if plan.swapped else (0, 1)
        self.blocks, self.panels = -(-plan.m // plan.block), -(-plan.n // plan.panel)
        self.slab_blocks, self.slab_panels = -(-plan.rows // plan.block), -(-plan.columns // plan.panel)
        self.product = cache(self._product)

    def nodes(self) -> tuple[Node, ...]:
        """The whole nest."""
        plan = self.plan
        waits = (Barrier(self.barrier),) if plan.waits else ()
        packs_b = (Share((self._panel(),), self._each(self._pack_b)),) if plan.b_place == SHARED else ()
        packs_a = (Share((self._block(),), self._each(self._pack_a)),) if plan.a_place == SHARED else ()
        slab: tuple[Node, ...] = (*packs_a, *waits, self._items(), *waits)
        slab = (Loop(Header("Q", Affine(), (affine(self.blocks),), self.slab_blocks, 1), slab),)
        depth = Loop(Header("k", Affine(), (affine(plan.k),), plan.depth, 1), (*packs_b, *slab))
        return (Loop(Header("P", Affine(), (affine(self.panels),), self.slab_panels, 1), (depth,)),)

    def _panel(self, step: int = 1, name: str = "p") -> Header:
        stops = index("P") + self.slab_panels, affine(self.panels)
        return Header(name, index("P"), stops, step, -(-self.slab_panels // step))

    def _block(self) -> Header:
        return Header("q", index("Q"), (index("Q") + self.slab_blocks, affine(self.blocks)), 1, self.slab_blocks)

    def _items(self) -> Node:
        """C's blocks: what is dealt out, and the loop over the products of an item."""
        multiply = self._each(self._multiply)
        if self.plan.b_place == OWN:
            return Share((self._panel(),), (*self._each(self._pack_b), Loop(self._block(), multiply)))
        stops = index("g") + self.plan.group, index("P") + self.slab_panels, affine(self.panels)
        inner = Loop(Header("p", index("g"), stops, 1, self.plan.group), multiply)
        return Share((self._panel(self.plan.group, "g"), self._block()), (inner,))

    # Which of the sizes

    def _each(self, make: Callable[[int, int, int], Node | None]) -> tuple[Node, ...]:
        """make(rows, columns, first step of k), of all combinations that occur, each where it does."""
        made: list[Node] = []
        for where_k, start in self._depths():
            for where_p, columns in self._sizes(P, self.panels, self.plan.panel, self.plan.n):
                for where_q, rows in self._sizes(Q, self.blocks, self.plan.block, self.plan.m):
                    node: Node | None = make(rows, columns, start)
                    if node is None:
                        continue
                    uses_p, uses_q = make != self._pack_a, make != self._pack_b
                    conditions = (*where_k, *(where_p if uses_p else ()), *(where_q if uses_q else ()))
                    for left, condition in reversed(conditions):
                        node = When(left, condition, (node,))
                    if node not in made:
                        made.append(node)
        return tuple(made)

    def _depths(self) -> Iterator[tuple[tuple[tuple[Affine, str], ...], int]]:
        """Conditions on k and the first step of a depth for which they hold: the first, those between, the last."""
        starts = [start for start, _ in self.plan.depths]
        if len(starts) == 1:
            yield (), 0
            return
        yield ((K, "=="),), 0
        if len(starts) > 2:
            yield ((K, ">"), (K - starts[-1], "<")), starts[1]
        yield ((K - starts[-1], "=="),), starts[-1]

    @staticmethod
    def _sizes(number: Affine, count: int, size: int, extent: int) -> Iterator[tuple[tuple[tuple[Affine, str], ...], int]]:
        """Conditions on the number of a part, and its size."""
        last = extent - (count - 1) * size
        if count == 1 or last == size:
            yield (), last
            return
        yield ((number - (count - 1), "<"),), size
        yield ((number - (count - 1), "=="),), last

    # Calls

    def _depth(self, start: int) -> int:
        return min(self.plan.depth, self.plan.k - start)

    def _pack_a(self, rows: int, columns: int, start: int) -> Node:
        plan, a = self.plan, self.plan.a
        across, along = a.strides()
        kernel = self._copy(a, rows, self._depth(start), plan.depth, 1)
        return Call(kernel, (Address(self.a, Q * (plan.block * across) + K * along), self._packed_a()))

    def _pack_b(self, rows: int, columns: int, start: int) -> Node:
        plan, b = self.plan, self.plan.b
        across, along = b.strides()
        kernel = self._copy(b, self._depth(start), columns, plan.panel, plan.pairs)
        return Call(kernel, (Address(self.b, K * across + P * (plan.panel * along)), self._packed_b()))

    def _packed_a(self) -> Address:
        return Address(self.shared_a, (Q - index("Q")) * self.plan.block_bytes)

    def _packed_b(self) -> Address:
        if self.plan.b_place == OWN:
            return Address(self.own, index(WORKER) * self.plan.own_bytes)
        return Address(self.shared_b, (P - index("P")) * self.plan.panel_bytes)

    def _copy(self, x: Operand, rows: int, columns: int, leading: int, pairs: int) -> Any:
        """The kernel that packs a part (rows, columns) of x, with contiguous rows `leading` elements or groups apart."""
        more = {"dtype": x.dtype, "ldx": x.leading, "ldy": leading * pairs, "target": self.target}
        if pairs > 1:
            sideways = ("t", columns, rows) if x.order == "F" else ("", rows, columns)
            return transform(f"vnni{pairs}{sideways[0]}", *sideways[1:], **more)
        return transpose(columns, rows, **more) if x.order == "F" else unary("identity", rows, columns, **more)

    def _multiply(self, rows: int, columns: int, start: int) -> Node:
        plan = self.plan
        (down, along), c = plan.a.strides(), plan.c
        direct = Address(self.a, Q * (plan.block * down) + K * along)
        a = direct if plan.a_place == DIRECT else self._packed_a()
        to = Address(2, Q * (plan.block * c.leading * c.size) + P * (plan.panel * c.size))
        kernel = self.product(rows, columns, self._depth(start), start == 0, start + plan.depth >= plan.k)
        final = start + plan.depth >= plan.k
        return Call(kernel, (a, self._packed_b(), to, *(self._extras() if final else ())))

    def _extras(self) -> Iterator[Address]:
        for at, (shape, size) in enumerate(self.epilogue.moves, 3):
            offset = {"row": P * (self.plan.panel * size), "col": Q * (self.plan.block * size)}
            yield Address(at, offset.get(shape, Affine()))

    def _product(self, rows: int, columns: int, depth: int, first: bool, last: bool) -> Any:
        plan, spec = self.plan, self.spec
        more: Mapping[str, Any] = self.epilogue.keywords() if last else {}
        return brgemm(
            rows, columns, depth, dtype=(plan.a.dtype, plan.b.dtype, plan.c.dtype), order="CCC",
            lda=plan.a.leading if plan.a_place == DIRECT else plan.depth, ldb=plan.panel, ldc=plan.c.leading,
            b_layout="vnni" if plan.pairs > 1 else "plain", alpha=spec.alpha, beta=spec.beta if first else 1.0,
            numerics=spec.numerics, target=self.target, **more,
        )  # fmt: skip
