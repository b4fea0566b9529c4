"""Products whose C is stored packed, as the next product reads its operand.

    c_layout     order of C   C as an array                      read by the next product as
    vnni2        C            [m/2][n][2]                        b, b_layout="vnni2"
    vnni2        F            [n/2][m][2]                        a of order "F", a_layout="vnni2"
    mmla2x4      C            [m/2][n/4][2][4]                   a, a_layout="mmla2x4"
    mmla2x4t     C            [n/2][m/4][2][4]                   b, b_layout="mmla2x4t"

8-bit types have vnni4, mmla2x8 and mmla2x8t. The last group is padded with zeros, as in ts.transform. The sums of the
product go to scratch memory. From there they pass through registers once: epilogue, conversion, interleaving.
"""

from __future__ import annotations

from dataclasses import replace

from ..dtypes import ELEMENT_BYTES
from ..eltwise import orders
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..gemm.spec import GROUP_BYTES, PLAIN, GemmSpec
from ..names import chosen
from ..operands import RUNTIME, Operand, View, dense
from ..transform.layouts import layout
from ..units import BLOCK_BYTES, COLUMNS

_MMLA = f"mmla{COLUMNS}x"
LAYOUTS = (PLAIN, "vnni", "vnni2", "vnni4", *(f"{_MMLA}{n}{t}" for n in (4, 8) for t in ("", "t")))


def stored(spec: GemmSpec, c_layout: str) -> Operand:
    """Return c as an array. A group is one place of it."""
    size, order, leading = ELEMENT_BYTES[spec.dtype], spec.order[2], spec.leading[2]
    if c_layout.startswith("vnni"):
        group = int(c_layout[len("vnni") :])
        rows, columns = (-(-spec.m // group), spec.n) if order == "C" else (spec.m, -(-spec.n // group))
    else:
        group = BLOCK_BYTES // size
        rows, columns = layout(c_layout, size).shape(spec.m, spec.n)
        leading = columns = columns // group
    return Operand("c", rows, columns, View(order, leading), spec.dtype, True, group=group)


def moving(plain: EltwiseSpec, c_layout: str, c: Operand) -> EltwiseSpec:
    """Return the elementwise kernel from the sums to a packed c, from the one to a plain c. A C of order "F" is packed
    as its transpose."""
    assert isinstance(c.view.leading, int)
    leading, shape = {"ldy": c.view.leading * c.group}, (plain.m, plain.n)
    y = orders.laid_out("y", c_layout, *shape, c.dtype, leading)._replace(output=True)
    places = [orders.PLAIN if (x.rows, x.columns) == shape else "" for x in plain.inputs[1:]]
    return replace(plain, outputs=(y,), layouts=(orders.PLAIN, *places, c_layout))


def checked(spec: GemmSpec, c_layout: str) -> str:
    """Return the full name of the layout of C. Raises UnsupportedError with an alternative."""
    size, order = ELEMENT_BYTES[spec.dtype], spec.order[2]
    name = chosen("c_layout", c_layout, LAYOUTS)
    if name == PLAIN:
        return name
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
    return name
