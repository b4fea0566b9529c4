"""The request for a product with a fixed sparse matrix, which is a part of the kernel: its pattern is code.

    side "left"    c[i, j] = sum over k of a[i, k] * b[k, j]      a (rows, columns), b (columns, n), c (rows, n)
    side "right"   c[i, j] = sum over k of b[i, k] * a[k, j]      a (rows, columns), b (n, rows), c (n, columns)

Only the entries of a are multiplied. The terms of a sum are added in the order of k, starting from 0, or from c if the
request adds to it; each is rounded once. A row without entries is +0. With `packed` above 1, each element of b and c is
so many neighbours, as of several simulations: b (columns, n, packed).

The values of the entries are constants of the kernel, or an argument of each call in front of b, row by row.
"""

from __future__ import annotations

import struct
from itertools import pairwise

from ...encoder.errors import shown
from ...encoder.records import NamedTuple, cached_property, dataclass
from ..codegen.long_sums import MOST_TERMS
from ..dtypes import ELEMENT_BYTES, element_type
from ..errors import UnsupportedError
from ..names import chosen
from ..operands import Interface, Operand, View, dense, extent, leading_dimension
from ..tuning.baked import MOST_ENTRIES

SUMS = {"f64": "f64", **dict.fromkeys(("f32", "bf16", "f16"), "f32")}
"""Element type of b -> type of the sums and of the entries of a."""
SIDES, ORDERS = ("left", "right"), ("C", "F")
_FORMATS = {"f32": "f", "f64": "d"}


class FixedMatrix(NamedTuple):
    """A sparse matrix by its rows: `ends` are the numbers of the first entry of each row, and of all entries; `places`
    the columns of the entries, ascending in each row; `values` their bytes in memory, in hexadecimal. None is 0. A
    pattern has no values."""

    rows: int
    columns: int
    ends: tuple[int, ...]
    places: tuple[int, ...]
    values: str

    @property
    def of_rows(self) -> list[list[tuple[int, int]]]:
        """The column and the number of each entry, for each row."""
        return [[(self.places[number], number) for number in range(*ends)] for ends in pairwise(self.ends)]

    @property
    def of_columns(self) -> list[list[tuple[int, int]]]:
        """The row and the number of each entry, for each column."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.columns)]
        for row, entries in enumerate(self.of_rows):
            for column, number in entries:
                found[column].append((row, number))
        return found


@dataclass(frozen=True)
class BakedSpec:
    """A checked request.

    a          its entries in the type of the sums, or its pattern, if a call gives the values
    n          columns of b and c, or their rows if a is on the right
    packed     neighbours of an element of b and c
    beta       0, or 1 if c is added to
    dtypes     of b and c
    ldb, ldc   in elements of b and c, that is, in groups of `packed`
    """

    a: FixedMatrix
    n: int
    side: str
    packed: int
    beta: int
    dtypes: tuple[str, str]
    order: str
    ldb: int
    ldc: int

    @property
    def acc_dtype(self) -> str:
        """The type in which terms are added."""
        return SUMS[self.dtypes[0]]

    @property
    def adds(self) -> bool:
        """Whether c is added to. Rows without entries are not written then."""
        return self.beta == 1

    @property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The shapes of b and c."""
        if self.side == "left":
            return (self.a.columns, self.n), (self.a.rows, self.n)
        return (self.n, self.a.rows), (self.n, self.a.columns)

    @property
    def given(self) -> bool:
        """Whether each call gives the values of the entries."""
        return bool(self.a.places) and not self.a.values

    @cached_property
    def sums(self) -> list[list[tuple[int, int]]]:
        """The sums: the k and the number of each of its entries, in the order of k."""
        return self.a.of_rows if self.side == "left" else self.a.of_columns

    @cached_property
    def arguments(self) -> tuple[Operand, ...]:
        """The arguments in the order of the call: the values of the entries if a call gives them, b, c."""
        leading, names, count = (self.ldb, self.ldc), "bc", len(self.a.places)
        values = Operand("values", 1, count, View("C", count), self.acc_dtype, vector=True)
        return (values,) * self.given + tuple(
            Operand(name, *shape, View(self.order, each), dtype, name == "c", group=self.packed)
            for name, shape, each, dtype in zip(names, self.shapes, leading, self.dtypes)
        )

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        return Interface(self.arguments, needed=self.adds)

    converts = True
    """Its results are computed, not moved."""

    def again(self) -> BakedSpec:
        """Return the request made again by its function, which checks it."""
        return baked_spec(
            self.a,
            self.n,
            side=self.side,
            packed=self.packed,
            beta=self.beta,
            dtype=self.dtypes,
            order=self.order,
            ldb=self.ldb,
            ldc=self.ldc,
        )

    @property
    def equation(self) -> str:
        """The equation in one line."""
        inner = ", s" * (self.packed > 1)
        term = f"a[i, k] * b[k, j{inner}]" if self.side == "left" else f"b[i, k{inner}] * a[k, j]"
        return f"c[i, j{inner}] {'+' * self.adds}= sum of {term} over the {len(self.a.places)} entries of a"

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, types and shape."""
        types = "_".join(dict.fromkeys(self.dtypes))
        packed = f"x{self.packed}" * (self.packed > 1)
        given = "_values" * self.given
        return f"sparse_{self.side}_{types}_{self.a.rows}x{self.a.columns}x{self.n}{packed}{given}"

    @property
    def flops(self) -> int:
        """A product and a sum for each entry and each vector of neighbours."""
        return 2 * len(self.a.places) * self.n * self.packed

    def __str__(self) -> str:
        rows, columns, count = self.a.rows, self.a.columns, len(self.a.places)
        packed, given = f" x {self.packed}" * (self.packed > 1), ", whose values a call gives" * self.given
        return (
            f"{self.equation}   a {rows} x {columns}, {count / (rows * columns):.2f} of its elements{given}; "
            f"b {self.dtypes[0]} {' x '.join(map(str, self.shapes[0]))}{packed}, "
            f"c {self.dtypes[1]} {' x '.join(map(str, self.shapes[1]))}{packed}, order {self.order}"
        )


def sums_type(dtype: object) -> str:
    """Return the type of the sums of a request for this type, in which it takes the entries of a."""
    return SUMS[_types(dtype)[0]]


def _types(dtype: object) -> tuple[str, str]:
    given = dtype if isinstance(dtype, (tuple, list)) else (dtype, dtype)
    if len(given) != 2:
        raise ValueError(f"dtype: one type, or two for b and c, not {shown(dtype)}")
    b, c = (element_type("dtype", each) for each in given)
    if b not in SUMS or c not in SUMS or SUMS[b] != SUMS[c]:
        raise UnsupportedError(f"dtype: b and c of f64, or both of f32, bf16 or f16, not {b} and {c}")
    return b, c


def baked_spec(
    a: FixedMatrix,
    n: object,
    *,
    side: str = "left",
    packed: object = 1,
    beta: object = 0,
    dtype: object = "f32",
    order: str = "C",
    ldb: object = None,
    ldc: object = None,
) -> BakedSpec:
    """Check the arguments, those of ts.sparse_kernel, and return the request. TypeError and ValueError name the wrong
    argument, UnsupportedError names what is not supported."""
    types, count, inner = _types(dtype), extent("n", n), extent("packed", packed)
    side, order = chosen("side", side, SIDES), chosen("order", order, ORDERS)
    _check(a, SUMS[types[0]])
    if isinstance(beta, bool) or beta not in (0, 1):
        raise UnsupportedError(f"beta: 0 or 1, not {shown(beta)}; another factor can be a part of a and of c")
    if inner > 1 and order == "F":
        raise UnsupportedError('packed: only in order "C"; in order "F" give b as its transpose, on the other side')
    made = BakedSpec(a, count, side, inner, int(beta), types, order, 1, 1)
    leading = []
    for name, given, shape in zip(("ldb", "ldc"), (ldb, ldc), made.shapes):
        found = leading_dimension(name, given, dense(order, *shape))
        if not isinstance(found, int):
            raise UnsupportedError(f"{name}: must be a number of elements; this kernel takes none at the call")
        leading.append(found)
    return BakedSpec(a, count, side, inner, int(beta), types, order, *leading)


def _check(a: object, dtype: str) -> None:
    """Refuse a matrix that is not in its canonical form."""
    if not isinstance(a, FixedMatrix):
        raise TypeError(f"a: a FixedMatrix, not {shown(a)}")
    rows, columns = extent("rows of a", a.rows), extent("columns of a", a.columns)
    numbers = (*a.ends, *a.places) if isinstance(a.ends, tuple) and isinstance(a.places, tuple) else (None,)
    if not isinstance(a.values, str) or any(type(each) is not int for each in numbers):
        raise TypeError("a: ends and places are tuples of whole numbers, values are text")
    if len(a.places) > MOST_ENTRIES:
        raise UnsupportedError(
            f"a: at most {MOST_ENTRIES} entries, not {len(a.places)}, because they are constants of the kernel; "
            "ts.spmm takes them from memory"
        )
    lines = list(pairwise(a.ends))
    if len(lines) != rows or a.ends[0] != 0 or a.ends[-1] != len(a.places) or any(x > y for x, y in lines):
        raise ValueError("a: ends do not decrease, from 0 to the number of entries, one for each row and one more")
    for first, last in lines:
        row = a.places[first:last]
        if row and (row[0] < 0 or row[-1] >= columns or any(x >= y for x, y in pairwise(row))):
            raise ValueError(f"a: the places of a row ascend, from 0 to {columns - 1}, not {shown(list(row))}")
        if len(row) > MOST_TERMS:
            raise UnsupportedError(f"a: a row with {len(row)} entries; sums of more than {MOST_TERMS} lose accuracy")
    data = bytes.fromhex(a.values)
    if not data:
        return
    if len(data) != ELEMENT_BYTES[dtype] * len(a.places) or data.hex() != a.values:
        raise ValueError(f"a: {len(a.places)} values of {dtype} in hexadecimal, not {len(a.values)} characters")
    if any(value == 0 for (value,) in struct.iter_unpack("<" + _FORMATS[dtype], data)):
        raise ValueError("a: its values are not 0; leave such entries out")
