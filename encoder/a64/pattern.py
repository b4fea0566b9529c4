"""The pattern column of a row: 32 bits, each of them a literal or a bit of a named field.

    0 Q 001110 sz 1 Rm:5 110011 Rn:5 Rd:5      literals, fields with their width, names that a variable of the row fixes
    i[1:0] ... i[2]                             a field in several places, by its bits

A row's variables come first: `T=BHSD` (8b 16b 4h 8h 2s 4s 2d), `T=bhs` (SVE elements b, h, s), `R=WX`, `F=HSD`, or
alternatives in full, several at once: `T,Ta,op=8b,8h,00/4h,4s,01`. Lower-case variables are bits of the pattern. The
first vector, register or scalar variable also fixes these names:

    sf         0 for W, 1 for X
    ftype      S 00, D 01, H 11
    Q          1 if the vector has 128 bits
    size sz    log2 of the element's bytes (11 for q too); its lowest bit
    tszsh      0..01 and the bits of `sh`: a shift amount below the element's leading one, 7 bits
    imm5 imm4  the element number `i` and 1 0..0; the element number `j` and 0..0
    tsz        like imm5, 7 bits
    L M H      the element number `i` of a by-element operand; M is the register's high bit m[4] for s and d
    zao        the tile number `t` above the offset `o`, 4 bits
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from ..errors import EncodeError
from ..fields import Split
from ..records import NamedTuple
from .notation import field_name
from .registers import ELEMENT_BITS


class Bit(NamedTuple):
    """Bit `number` of a field."""

    field: str
    number: int


Symbol = str | Bit
"""One bit of a pattern: "0", "1", or a bit of a field."""

_VECTORS = {"B": ("8b", "16b"), "H": ("4h", "8h"), "S": ("2s", "4s"), "D": ("2d",)}
_FTYPE = {"S": "00", "D": "01", "H": "11"}


def _bits(name: str, count: int) -> list[Symbol]:
    return [Bit(name, number) for number in reversed(range(count))]


def derived(value: str) -> dict[str, list[Symbol]]:
    """The names that a variable's value fixes (listed in the module's docstring)."""
    if value in ("W", "X"):
        return {"sf": ["01"["WX".index(value)]]}
    names: dict[str, list[Symbol]] = {"ftype": list(_FTYPE[value])} if value in _FTYPE else {}
    lanes, letter = re.fullmatch(r"(\d*)(\w)", value).groups()  # type: ignore[union-attr]
    bits = ELEMENT_BITS.get(letter.lower())
    if bits is None:
        return names
    log = bits.bit_length() - 4
    if lanes:
        names["Q"] = ["01"[int(lanes) * bits == 128]]
    names["size"] = list(f"{min(log, 3):02b}")
    if log < 4:
        names["sz"] = [str(log & 1)]
        names["tszsh"] = [*"0" * (3 - log), "1", *_bits("sh", 3 + log)]
        names["imm5"] = [*_bits("i", 4 - log), "1", *"0" * log]
        names["imm4"] = [*_bits("j", 4 - log), *"0" * log]
    names["tsz"] = [*_bits("i", 6 - log), "1", *"0" * log]
    names["zao"] = [*_bits("t", log), *_bits("o", 4 - log)]
    return names | _by_element(log)


def _by_element(log: int) -> dict[str, list[Symbol]]:
    if log == 1:
        return {"H": [Bit("i", 2)], "L": [Bit("i", 1)], "M": [Bit("i", 0)]}
    if log == 2:
        return {"H": [Bit("i", 1)], "L": [Bit("i", 0)], "M": [Bit("m", 4)]}
    return {"H": [Bit("i", 0)], "L": ["0"], "M": [Bit("m", 4)]} if log == 3 else {}


Alternative = tuple[dict[str, str], dict[str, list[Symbol]]]
"""The values of a row's variables, and the names that they fix."""


def alternatives(text: str) -> tuple[list[Alternative], str]:
    """Return every combination of the values of a row's variables, and the pattern behind them."""
    tokens = text.split()
    variables = [token for token in tokens if "=" in token]
    made = [_combined(choice) for choice in product(*map(_variable, variables))]
    return made, " ".join(token for token in tokens if "=" not in token)


def _variable(token: str) -> list[dict[str, str]]:
    left, _, right = token.partition("=")
    variables = left.split(",")
    if "/" not in right and "," not in right and len(variables) == 1:
        vector = variables[0].startswith("T") and right.isupper()
        values = [value for letter in right for value in (_VECTORS[letter] if vector else (letter,))]
        return [{variables[0]: value} for value in values]
    return [dict(zip(variables, value.split(","), strict=True)) for value in right.split("/")]


def _combined(choice: tuple[dict[str, str], ...]) -> Alternative:
    values = {name: value for part in choice for name, value in part.items()}
    fixed: dict[str, list[Symbol]] = {}
    for name, value in values.items():
        if name[0].isupper():
            fixed = derived(value) | fixed
        else:
            fixed[name] = list(value)
    return values, fixed


_TOKEN = re.compile(r"(?P<literal>[01]+)|(?P<name>\w+)(?::(?P<width>\d+)|\[(?P<high>\d+)(?::(?P<low>\d+))?\])?")


def symbols(pattern: str, fixed: dict[str, list[Symbol]]) -> list[Symbol]:
    """The 32 bits of a pattern, highest first."""
    bits = [bit for token in pattern.split() for bit in _token(token, fixed)]
    if len(bits) != 32:
        raise EncodeError(f"pattern {pattern!r} has {len(bits)} bits")
    return bits


def _token(token: str, fixed: dict[str, list[Symbol]]) -> Iterator[Symbol]:
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise EncodeError(f"pattern token {token!r}")
    if match["literal"]:
        yield from token
        return
    name = match["name"]
    known = fixed.get(name)
    if match["high"]:
        high, low = int(match["high"]), int(match["low"] or match["high"])
    else:
        high, low = (len(known) if known else int(match["width"] or 1)) - 1, 0
    for number in range(high, low - 1, -1):
        yield known[len(known) - 1 - number] if known else Bit(field_name(name), number)


def literal(bits: list[Symbol]) -> tuple[int, int]:
    """Mask and value of the literal bits."""
    mask = sum(1 << 31 - at for at, bit in enumerate(bits) if isinstance(bit, str))
    return mask, sum(1 << 31 - at for at, bit in enumerate(bits) if bit == "1")


def fields(bits: list[Symbol]) -> dict[str, Split]:
    """The places of each field's bits."""
    places: dict[str, list[tuple[int, int]]] = {}
    for at, bit in enumerate(bits):
        if isinstance(bit, Bit):
            places.setdefault(bit.field, []).append((31 - at, bit.number))
    return {name: Split(*_runs(sorted(where))) for name, where in places.items()}


def _runs(where: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """(lowest bit in the number, width, lowest bit in the word) of each contiguous part.

    A field may occur twice: `ror Rd,Rn,#n` is `extr Rd,Rn,Rn,#n`.
    """
    runs: list[tuple[int, int, int]] = []
    for place, number in where:
        if runs and runs[-1][0] + runs[-1][1] == number and runs[-1][2] + runs[-1][1] == place:
            low, width, start = runs[-1]
            runs[-1] = low, width + 1, start
        else:
            runs.append((number, 1, place))
    return runs
