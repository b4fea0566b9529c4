"""Kernels that expand a unit of compressed weights into a packed block of B, as products read it.

They are elementwise kernels of the bytes of a record (microkernels/compressed/expressions.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.compressed.expressions import codes_of, middle_of, weight
from ...microkernels.compressed.form import STRIP, CompressedForm
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.expr.graph import Expr, bits, from_bits, shift_right_logical, to_int
from ...microkernels.expr.minifloat import narrowed_bits, widened_bits
from ..api import eltwise
from ..loops.code import Address, Affine, Call, Node, pieces

if TYPE_CHECKING:
    from ..kernel.callable import Kernel


class BlockLayout(NamedTuple):
    """How a packed block of B lies in memory.

    dtype    of its elements
    rounds   the type of the product, to which weights are rounded; narrower than dtype if that is f32
    paired   whether two neighbours along k lie side by side, as dot products of 16 bits read them
    leading  elements, or pairs of them, from one row to the next; 0: as many as the block has columns
    """

    dtype: str
    rounds: str
    paired: bool
    leading: int = 0


@lru_cache(maxsize=256)
def expansion(
    form: CompressedForm, rows: int, columns: int, layout: BlockLayout, leading: int, single: bool, target: Target
) -> Kernel:
    """Return the kernel that expands `rows` pairs of rows. Its arguments are the codes (of 8 bits: of the even rows,
    then of the odd rows), the scales, offsets and zero points if the form has them, and the results: the even and the
    odd rows, or pairs of both. `leading` is that of the results. single: only the even rows."""
    names = [*_codes(form, single), "scale", *["offset"] * form.offset, *["zero"] * form.zeros]
    types: dict[str, str] = {"even": "u8", "odd": "u8", "scale": form.scale, "offset": form.scale, "zero": "u8"}
    shapes: dict[str, tuple[int, int]] = {
        name: (rows if types[name] == "u8" and name != "zero" else 1, columns) for name in names
    }
    outs: list[str] = ["i32"] if layout.paired else [layout.dtype] * (1 if single else 2)
    made = [f"y{number}" for number in range(len(outs))] if len(outs) > 1 else ["y"]
    more: dict[str, Any] = {f"ld{name}": leading for name in made}
    more |= {f"ld{name}": STRIP * form.bits // 4 for name in _codes(form, single)}
    made_by: Any = eltwise.equation
    kernel: Kernel = made_by(
        _function(form, layout, single),
        dtype={name: types[name] for name in names},
        out=tuple(outs) if len(outs) > 1 else outs[0],
        compute="f32",
        target=target,
        **shapes,
        **more,
    )
    return kernel


def _codes(form: CompressedForm, single: bool) -> list[str]:
    return ["even"] if single or form.bits == 4 else ["even", "odd"]


def _function(form: CompressedForm, layout: BlockLayout, single: bool) -> Callable[..., object]:
    """Return the function of codes and of what their column shares, with the parameters of `expansion`."""

    def expanded(*given: Expr) -> object:
        count = len(_codes(form, single))
        codes, (scale, *more) = [to_int(each) for each in given[:count]], given[count:]
        offset = more.pop(0) if form.offset else None
        zero = more.pop(0) if form.zeros else None
        if form.bits == 4:
            codes = codes_of(form, codes[0], single)
        middle = middle_of(form, None if zero is None else to_int(zero))
        found = [weight(form, each, middle, scale, offset) for each in codes]
        if layout.paired:
            low, *high = [_narrow(each, layout.rounds) for each in found]
            return low | high[0] << 16 if high else low
        if layout.rounds != layout.dtype:
            found = [_rounded(each, layout.rounds) for each in found]
        return tuple(found) if len(found) > 1 else found[0]

    names = [*_codes(form, single), "scale", *["offset"] * form.offset, *["zero"] * form.zeros]
    expanded.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])  # type: ignore[attr-defined]
    return expanded


def _narrow(x: Expr, dtype: str) -> Expr:
    """Return an integer whose low half is the bits of a finite x, rounded to 16 bits; the upper half is 0."""
    if dtype == "f16":
        return narrowed_bits(x, dtype)
    word = bits(x)
    return shift_right_logical(word + 0x7FFF + (shift_right_logical(word, 16) & 1), 16)


def _rounded(x: Expr, dtype: str) -> Expr:
    """Return the f32 that is x rounded to 16 bits."""
    narrow = _narrow(x, dtype)
    return from_bits(narrow << 16) if dtype == "bf16" else widened_bits(narrow, dtype)


class Expansion(NamedTuple):
    """The expansion of blocks of compressed weights on a target."""

    form: CompressedForm
    layout: BlockLayout
    target: Target

    def block(self, depth: int, columns: int, source: Address, to: Address) -> list[Node]:
        """Return the calls that expand `depth` rows and `columns` columns. `source` is the address of the first record,
        `to` that of the packed block."""
        form, layout, made = self.form, self.layout, list[Node]()
        width, size = layout.leading or columns, ELEMENT_BYTES[layout.dtype]
        for across, wide in pieces("w", columns, STRIP):
            body: list[Node] = []
            for down, deep in pieces("u", depth, form.unit):
                record = across.start * (form.units * form.record // STRIP) + down.start * (form.record // form.unit)
                place = (down.start * width + across.start * (1 + layout.paired)) * size
                body += down.around(self._unit(deep, wide, width, _behind(source, record), _behind(to, place)))
            made += across.around(body)
        return made

    def _unit(self, depth: int, columns: int, width: int, record: Address, to: Address) -> list[Node]:
        """Return the calls that expand a unit, or the first rows of one. `width` is the leading dimension of the
        block."""
        form, layout = self.form, self.layout
        at_scale, at_offset, at_zero = form.places
        shared = [at_scale, *[at_offset] * form.offset, *[at_zero] * form.zeros]
        of_codes, of_row = STRIP * form.bits // 8, width * ELEMENT_BYTES[layout.dtype]

        def call(rows: int, first: int, single: bool) -> Call:
            """Expand pairs of rows from row `first` on, which is even."""
            leading = width if layout.paired else 2 * width
            kernel = expansion(form, rows, columns, layout, leading, single, self.target)
            results = 1 if single or layout.paired else 2
            codes = [(first + odd) * of_codes for odd in range(len(_codes(form, single)))]
            inputs = (_behind(record, each) for each in (*codes, *shared))
            return Call(kernel, (*inputs, *(_behind(to, (first + odd) * of_row) for odd in range(results))))

        whole = [call(depth // 2, 0, False)] if depth > 1 else []
        return [*whole, *([call(1, depth - 1, True)] if depth % 2 else [])]


def _behind(address: Address, distance: Affine | int) -> Address:
    return Address(address.operand, address.offset + distance)
