"""Values that an assembler must reject, or treat as the number that they stand for; used by `wrong_operands.py`."""

from __future__ import annotations

import random
from collections import namedtuple
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import numpy as np

from tilesmith.encoder.a64 import names
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86 import registers as x86


class Liar:
    """An object with the hash of another object that claims to be equal to everything."""

    def __init__(self, of: Any) -> None:
        self.of = of

    def __hash__(self) -> int:
        return hash(self.of)

    def __eq__(self, other: object) -> bool:
        return True


class LyingInt(int):
    """An integer with the hash of another integer that claims to be equal to everything."""

    of: int

    def __hash__(self) -> int:
        return hash(self.of)

    def __eq__(self, other: object) -> bool:
        return True


class LyingName(str):
    """A string that claims to be equal to every string."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash("s")

    def __eq__(self, other: object) -> bool:
        return True


class Spoof:
    """An object with the attributes of an operand."""

    def __init__(self, of: Any) -> None:
        for name in ("name", "kind", "file", "num", "mask", "size", "base", "offset", "index", "disp"):
            setattr(self, name, getattr(of, name, None))

    def __repr__(self) -> str:
        return "<spoof>"


class Hostile:
    """An object whose every method raises."""

    def _refuse(self, *_: Any) -> Any:
        raise RuntimeError("hostile")

    __repr__ = __str__ = __hash__ = __eq__ = __bool__ = __len__ = __iter__ = __index__ = __int__ = __float__ = _refuse
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __neg__ = __getitem__ = __lt__ = __le__ = _refuse
    kind = property(_refuse)


Pair = namedtuple("Pair", "base offset")

# Values that do not stand for a number.
FOREIGN: tuple[Any, ...] = (
    None,
    True,
    False,
    "",
    "rax",
    "x0",
    "eq",
    b"",
    b"\1\2",
    1j,
    Ellipsis,
    NotImplemented,
    (),
    (1,),
    (1, 2),
    [],
    [1],
    {},
    {1},
    frozenset(),
    range(3),
    slice(None),
    slice(0, 2),
    slice(0.0, 1.0),
    slice("a", None, 2),
    object(),
    int,
    Exception("x"),
    len,
    np.dtype("m8"),
    np.dtype(bool),
    np.dtype("f4"),
    np.array([1, 2]),
    np.array(1.5),
    np.bool_(True),
    np.array([None]),
    Decimal(1),
    Decimal("sNaN"),
    x86.R64[0],
    x86.ZMM[1],
    x86.K[2],
    x86.ptr[x86.R64[0]],
    x86.ptr[x86.R64[0]].bcast,
    x86.R64[0] + 8,
    x86.rn_sae,
    x86.ptr,
    x86.TMM[0],
    a64.X[1],
    a64.W[2],
    a64.B[0],
    a64.D[3],
    a64.V[0].s4,
    a64.Z[1].s,
    a64.P[0].m,
    a64.PN[8],
    a64.mem[a64.X[0], 16],
    a64.vl,
    a64.ZA[0].s,
    a64.za,
    a64.listed(a64.V[0].s4),
    a64.sp,
    a64.xzr,
    a64.mem,
    names.EQ,
    names.lsl(16),
    names.SYSTEM_REGISTERS["nzcv"],
    Label("never bound"),
    LyingName("s"),
    Pair(a64.X[0], 16),
    Hostile(),
    Hostile,
)

# Numbers; whether they fit depends on the instruction.
NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    3,
    127,
    128,
    -129,
    256,
    1 << 31,
    -(1 << 31) - 1,
    1 << 32,
    1 << 63,
    1 << 64,
    -(1 << 64),
    10**50,
    1 << 20_000,
    -(1 << 20_000),
    0.0,
    -0.0,
    0.5,
    1.0,
    1.5,
    1e39,
    1e308,
    float("nan"),
    float("inf"),
    -float("inf"),
)


def lookalikes(value: Any) -> list[Any]:
    """Return objects that Python finds in a dict under the key `value` although they differ, and objects that stand for
    it."""
    made = [Liar(value), Spoof(value)]
    if type(value) is int:
        lying = LyingInt(value + 1)
        lying.of = value
        made += [lying, Fraction(value), Decimal(value), IntEnum("Member", {"ONE": value}).ONE]  # type: ignore[attr-defined]
        made += [complex(value), np.array(value)] if abs(value) < 1 << 53 else []
        made += [float(value), np.float64(value), np.float32(value)] if abs(value) < 1 << 24 else []
        made += [np.int64(value)] if abs(value) < 1 << 63 else []
        made += [bool(value)] if value in (0, 1) else []
    elif type(value) is float:
        made += [np.float64(value), np.float32(value), Fraction(value), Decimal(value)]
        made += [int(value)] if value == int(value) else []
    return made


def drawn(rng: random.Random, right: Any) -> Any:
    """Return a value to replace the right one."""
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(lookalikes(right))
    return rng.choice(FOREIGN) if kind < 0.75 else rng.choice(NUMBERS)
