"""The request for a product of a few rows by a strip of compressed weights.

    y[i, j] = sum over r of x[i, r] * weight[r, j]        in f32, in the order of r, each product fused with its sum

With `step`, the sums of so many terms are made for themselves, and then added up in their order, as a product does that
is cut into blocks of k. If the form is `fast`, the terms of a unit are x[i, r] * (code - zero point), and their sum is
multiplied by the scale, fused with the sum of the units before.
"""

from __future__ import annotations

from dataclasses import fields

from ...encoder.records import cached_property, dataclass
from ..errors import UnsupportedError
from ..operands import Interface, Number, Operand, View, extent
from ..tuning.products import COMPRESSED
from .form import STRIP, CompressedForm, checked_form


@dataclass(frozen=True)
class DecodeSpec:
    """A checked request.

    n          the columns of the strip
    step       the terms of a sum that is added to others; 0: all
    from_zero  whether the first product of a sum is added to +0, which a sum of negative zeros shows
    """

    form: CompressedForm
    m: int
    n: int
    step: int
    from_zero: bool
    ldx: int
    ldy: int

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments in the order of the call: x, the records of the strip, y."""
        form = self.form
        return (
            Operand("x", self.m, form.k, View("C", self.ldx), "f32"),
            Operand("w", form.units, form.record, View("C", form.record), "u8"),
            Operand("y", self.m, self.n, View("C", self.ldy), "f32", output=True),
        )

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        return Interface(self.arguments)

    converts = True
    """Its results are computed, not moved."""

    def again(self) -> DecodeSpec:
        """Return the request made again by its function, which checks it."""
        return decode_spec(**{each.name: getattr(self, each.name) for each in fields(self)})

    @property
    def equation(self) -> str:
        """The equation in one line."""
        return "y[i, j] = sum over r of x[i, r] * weight[r, j]"

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, types and shape."""
        return f"decode_{self.form.format}_{self.form.scale}_f32_{self.m}x{self.n}x{self.form.k}"

    @property
    def flops(self) -> int:
        """A product and a sum for each weight and row."""
        return 2 * self.m * self.n * self.form.k

    def __str__(self) -> str:
        sums = f", sums of {self.step} terms" if self.step else ""
        return f"{self.m} rows by {self.n} columns of weights {self.form}{sums}"


def decode_spec(form: CompressedForm, m: int, n: int, step: int, from_zero: bool, ldx: int, ldy: int) -> DecodeSpec:
    """Check the arguments and return the request. Raises UnsupportedError for sums that are cut inside of units."""
    rows, columns, form = extent("m", m), extent("n", n), checked_form(form)
    if rows > COMPRESSED.most_rows or columns > min(STRIP, form.n):
        raise UnsupportedError(
            f"m, n: up to {COMPRESSED.most_rows} rows and {min(STRIP, form.n)} columns, not {rows} and {columns}"
        )
    step, least = extent("step", step, least=0), form.k
    leading = extent("ldx", ldx), extent("ldy", ldy)
    if type(from_zero) is not bool or leading[0] < least or leading[1] < columns:
        raise ValueError(f"ldx, ldy, from_zero: at least {least} and {columns} elements, and a truth value")
    if step and (step % 2 or form.unit % step):
        raise UnsupportedError(f"step: an even divisor of the {form.unit} rows of a unit, not {step}")
    if form.fast and (step or form.offset):
        raise UnsupportedError("form: fast sums have no offsets, and take no step")
    if not from_zero and not 0 < step <= COMPRESSED.written:
        raise UnsupportedError(f"from_zero: needed unless a step has from 2 to {COMPRESSED.written} rows")
    return DecodeSpec(form, rows, columns, step, from_zero, ldx, ldy)
