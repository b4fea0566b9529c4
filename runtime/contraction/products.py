"""The loops of a contraction's products around BRGEMM kernels: one nest for each of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import View
from ..api.brgemm import product_spec
from ..arguments.arrays import Array
from ..kernel.callable import Kernel, kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned as plan_of
from ..loops.code import Node
from . import packing
from .form import Contraction
from .interface import PackingNest, PackingPlaces
from .nest import C, ContractionNest, zeros
from .packs import packed
from .plan import ordered
from .roles import Roles
from .tiling import Tiling

if TYPE_CHECKING:
    from ...microkernels.operands import Operand
    from ..api.typed import Epilogue
    from ..kernel.accuracy import Accuracy
    from ..kernel.kinds import AnyRequest
    from .form import IndexedArray


class ProductKernels(NamedTuple):
    """The kernels of a contraction's products.

    epilogue   a function of expressions of a sum, c, and of an element of each further operand, by name
    names      of the contractions' further operands
    """

    target: Target
    epilogue: Epilogue | None
    names: tuple[str, ...]
    accuracy: Accuracy | None

    def kernel(self, way: Tiling, roles: Roles, columns: int) -> Kernel:
        """Return the kernel of a product of so many columns of a panel."""
        return kept(self.request(way, roles, columns), self.target)

    def first(self, way: Tiling) -> AnyRequest:
        """Return the request of the first product of a way."""
        return self.request(way, way.roles, min(way.width, way.b.columns))

    def multiplies(self, way: Tiling) -> bool:
        """Whether the target has a kernel for the products of a way."""
        try:
            request = self.first(way)
            plan_of(request, self.target, kind_of(request))
        except UnsupportedError:
            return False
        return True

    def request(self, way: Tiling, roles: Roles, columns: int) -> AnyRequest:
        """Return the request of a product of so many columns of a panel."""
        contraction = way.contraction
        request: dict[str, Any] = {
            "dtype": (contraction.a.dtype, contraction.b.dtype, contraction.c.dtype),
            "ldb": way.width,
            "beta": 0.0,
            "b_layout": "vnni" if way.group > 1 else "plain",
        }
        lines = {"lda": roles.rows.a, "ldc": roles.rows.c} if roles.rows.extent > 1 else {}
        if way.along:
            lines = {"lda": roles.depth.a} if roles.depth.extent > 1 else {}
            lines |= {"ldc": roles.columns.c} if columns > 1 else {}
            request["order"] = "F", "C", "F"
            if not way.copies and facts_of(self.target).outer_product(contraction.b.dtype, contraction.a.dtype) is None:
                request["prefetch"] = "a@l1"  # rows of A that are far apart, which nothing else fetches ahead
        request |= lines
        if roles.batch:
            strides = tuple((each.a, way.steps_b[each.names[-1]] // way.group) for each in roles.batch)
            request |= {"batch": tuple(each.extent for each in roles.batch), "strides": strides}
        if self.epilogue is not None:
            shapes = {name: (_shape(each, roles), each.dtype) for name, each in zip(self.names, contraction.more)}
            request |= {"epilogue": self.epilogue, "operands": shapes, "accuracy": self.accuracy}
        spec: Any = product_spec(roles.rows.extent, columns, roles.depth.extent, **request)
        if self.epilogue is not None:
            lying = zip(spec.extras, contraction.more, strict=True)
            spec = replace(spec, extras=tuple(_placed(way, extra, each, roles) for extra, each in lying))
        made: AnyRequest = replace(spec, ordered=ordered(contraction))
        return made


class ProductLoops(NamedTuple):
    """The loops of products of all parts, which are cut in these ways, and of sums without terms, which are 0."""

    parts: tuple[Contraction, ...]
    empty: tuple[Contraction, ...]
    ways: tuple[Tiling, ...]
    products: ProductKernels
    cycles: float

    @property
    def bytes_own(self) -> int:
        """Bytes of scratch memory per worker."""
        return max(each.bytes_own for each in self.ways)

    @property
    def bytes_b(self) -> int:
        """Bytes of the panels of B."""
        return sum(each.b.size for each in self.ways)

    @property
    def lie(self) -> tuple[object, ...]:
        """How the panels lie."""
        return tuple(
            (way.b, way.contraction.b, tuple((name, way.contraction.extents[name]) for name in way.loops_b))
            for way in self.ways
        )

    @property
    def asked(self) -> tuple[object, ...]:
        """What the nest depends on. The request of the first product says what the epilogue computes."""
        return self.parts, self.empty, self.ways, self.products.names, self.products.first(self.ways[0])

    @property
    def begins(self) -> list[int]:
        """The bytes of panels before those of each part."""
        return [sum(each.b.size for each in self.ways[:number]) for number in range(len(self.ways))]

    def nodes(self, own: int) -> tuple[Node, ...]:
        """Return the nest."""
        made, target = list[Node](), self.products.target
        for way, before in zip(self.ways, self.begins):
            made += ContractionNest(way, target, self.products.kernel, own, before).nodes()
        for each in self.empty:
            made += zeros(each.c, each.extents, C, target)
        return tuple(made)

    def packing(self, strides: Sequence[int], places: PackingPlaces) -> PackingNest | None:
        """Return the nest that packs a B of these strides."""
        loops = [packing.loops_of(way, strides) for way in self.ways]
        found = [each for each in loops if each is not None]
        if len(found) < len(loops):
            return None
        own, target = max([self.bytes_own, *(each.own for each in found)]), self.products.target

        def nodes() -> list[Node]:
            each_part = zip(found, self.begins)
            return [node for each, at in each_part for node in each.nodes(at, own, target, places)]

        return nodes, own

    def pack(self, b: Array, to: Array) -> None:
        """Write the panels of B to these bytes."""
        for way, before in zip(self.ways, self.begins):
            packed(way.contraction, way.loops_b, way.b, b, to[before : before + way.b.size])


def _shape(operand: IndexedArray, roles: Roles) -> str | None:
    """Return which elements of C have an element of a further operand of their own."""
    return None if any(map(operand.has, roles.rows.names)) else "row"


def _placed(way: Tiling, extra: Operand, operand: IndexedArray, roles: Roles) -> Operand:
    """Return an operand of the epilogue with the distance between its rows."""
    if extra.vector or not any(map(operand.has, roles.rows.names)):
        return extra
    if way.along:
        apart = operand.stride(roles.columns.names[-1]) if roles.columns.names else extra.rows
        return extra._replace(view=View("F", apart))
    return extra._replace(view=View("C", roles.rows.c if way.staged else operand.stride(roles.rows.names[-1])))
