"""A product whose C is stored packed, as the next product reads its operand: `PackedSpec`.

    c_layout     order of C   C as an array                      read by the next product as
    vnni2        C            [m/2][n][2]                        b, b_layout="vnni2"
    vnni2        F            [n/2][m][2]                        a of order "F", a_layout="vnni2"
    mmla2x4      C            [m/2][n/4][2][4]                   a, a_layout="mmla2x4"
    mmla2x4t     C            [n/2][m/4][2][4]                   b, b_layout="mmla2x4t"

8-bit types have vnni4, mmla2x8 and mmla2x8t. The last group is padded with zeros, as in ts.transform. The sums of the
product go to scratch memory. From there they pass through registers once: epilogue, conversion, interleaving.
"""

from __future__ import annotations

from dataclasses import fields, replace

from ...encoder.records import cached_property, dataclass
from ..dtypes import ELEMENT_BYTES
from ..eltwise import orders
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..gemm.spec import GROUP_BYTES, PLAIN
from ..names import chosen
from ..operands import RUNTIME, Operand, View, dense
from ..transform.layouts import layout
from ..units import BLOCK_BYTES, COLUMNS
from .spec import EpilogueSpec

_MMLA = f"mmla{COLUMNS}x"
LAYOUTS = (PLAIN, "vnni", "vnni2", "vnni4", *(f"{_MMLA}{n}{t}" for n in (4, 8) for t in ("", "t")))


@dataclass(frozen=True)
class PackedSpec(EpilogueSpec):
    """A product with an epilogue, which may be the identity, whose C is packed."""

    c_layout: str = PLAIN

    @property
    def scratch(self) -> int:
        """Bytes of the sums, whatever their type."""
        return self.m * self.n * ELEMENT_BYTES[self.acc_dtype]

    @property
    def operands(self) -> tuple[Operand, ...]:
        """a, b and c as arrays. A group of c is one place of its array."""
        a, b, _ = super().operands
        size, order, leading = ELEMENT_BYTES[self.dtype], self.order[2], self.leading[2]
        group = int(self.c_layout[len("vnni")]) if self.c_layout.startswith("vnni") else BLOCK_BYTES // size
        if self.c_layout.startswith("vnni"):
            rows, columns = (-(-self.m // group), self.n) if order == "C" else (self.m, -(-self.n // group))
        else:
            rows, columns = layout(self.c_layout, size).shape(self.m, self.n)
            columns //= group
            leading = columns
        return a, b, Operand("c", rows, columns, View(order, leading), self.dtype, True, group=group)

    @cached_property
    def elementwise(self) -> EltwiseSpec:
        """The epilogue as an elementwise kernel from the sums to C. A C of order "F" is packed as its transpose."""
        plain = plain_of(self).elementwise
        extras = plain.inputs[1:]
        packed = self.operands[2]
        assert isinstance(packed.view.leading, int)
        leading = {"ldy": packed.view.leading * packed.group}
        y = orders.laid_out("y", self.c_layout, plain.m, plain.n, self.dtype, leading)._replace(output=True)
        shape = plain.m, plain.n
        places = [orders.PLAIN if (x.rows, x.columns) == shape else "" for x in extras]
        return replace(plain, outputs=(y,), layouts=(orders.PLAIN, *places, self.c_layout))

    def again(self) -> PackedSpec:
        """Return the request made again by its function, which checks it."""
        return packed_spec(plain_of(self).again(), self.c_layout)

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        return f"{super().stem}_{self.c_layout}"

    def __str__(self) -> str:
        return f"{super().__str__()}, c {self.c_layout}"


def packed_spec(spec: EpilogueSpec, c_layout: str) -> PackedSpec:
    """Return the product with a C in this layout. Raises UnsupportedError with an alternative."""
    size, order = ELEMENT_BYTES[spec.dtype], spec.order[2]
    name = chosen("c_layout", c_layout, LAYOUTS)
    group, block = GROUP_BYTES // size, BLOCK_BYTES // COLUMNS // size
    possible = [f"vnni{group}", *([f"{_MMLA}{block}", f"{_MMLA}{block}t"] if order == "C" else [])] if group > 1 else []
    name = f"vnni{group}" if name == "vnni" else name
    if name not in possible:
        others = ", ".join(f'"{each}"' for each in possible) or "plain only, since this type has no packed layout"
        raise UnsupportedError(f'c_layout={c_layout!r}: a C of {spec.dtype} and order "{order}" may be {others}')
    if spec.beta != 0:
        raise UnsupportedError("c_layout: needs beta=0, because a packed C is only written; add up products in a batch")
    if spec.leading[2] is RUNTIME:
        raise UnsupportedError("c_layout: not possible with ldc=RUNTIME; give ldc a number")
    if not name.startswith("vnni") and spec.leading[2] != dense(order, spec.m, spec.n):
        raise UnsupportedError(f"c_layout={name!r}: its blocks have no gaps between them; leave ldc out")
    if spec.results or spec.numbers:
        raise UnsupportedError(
            f"c_layout={name!r}: the epilogue must have one result and no random numbers; a plain C has no such limits"
        )
    values = {field.name: getattr(spec, field.name) for field in fields(EpilogueSpec)}
    made = PackedSpec(**values, c_layout=name)
    orders.moved(made.elementwise)
    return made


def plain_of(spec: PackedSpec) -> EpilogueSpec:
    """Return the same product with a plain C."""
    return EpilogueSpec(**{field.name: getattr(spec, field.name) for field in fields(EpilogueSpec)})
