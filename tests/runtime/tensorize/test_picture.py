"""Pictures of mappings: the page shows those that are drawn, and their places hold what the instruction multiplies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.tensorize.expressions import TensorProgram

PICTURES = Path(__file__).parents[3] / "docs/pictures"


def convolution(types: tuple[str, str]) -> TensorProgram:
    """Return the convolution of the page."""
    n, p, q, k = ts.axis(1, 14, 14, 192, names="n p q k")
    r, s, c = ts.reduce_axis(3, 3, 192, names="r s c")
    x, w = ts.tensor((1, 16, 16, 192), types[0]), ts.tensor((3, 3, 192, 192), types[1])
    return ts.sum(ts.i32(x[n, p + r, q + s, c]) * ts.i32(w[r, s, c, k]), axis=(r, s, c))


DRAWN = [
    ("avx512_vnni", ("u8", "i8"), "VPDPBUSD"),
    ("neon_dotprod", ("i8", "i8"), "SDOT"),
    ("amx", ("u8", "i8"), "TDPBUSD"),
]


@pytest.mark.parametrize("target, types, name", DRAWN)
def test_the_page_shows_them(target: str, types: Any, name: str, request: pytest.FixtureRequest) -> None:
    kernel = ts.tensorize(convolution(types), target=target)
    assert kernel.instruction.name == name
    path, text = PICTURES / f"tensorize-{name.lower()}.svg", kernel.picture()
    if request.config.getoption("--update-golden"):
        path.write_text(text)
    assert text == path.read_text()
    assert len(text) < 30_000


def test_places_are_those_of_the_equation() -> None:
    """What the picture says that x and y hold is multiplied and added to what it says that c holds: k and the group."""
    text = ts.tensorize(convolution(("u8", "i8")), target="avx512_vnni").picture()
    x, y, c = (re.findall(r">([^<>]*)</text>", part) for part in re.split(r"register [xyc]: ", text)[1:])
    of = [
        np.array([tuple(map(int, re.findall(r"\d+", label))) for label in row if re.match(r"[kc]\d", label)])
        for row in (x, y, c)
    ]
    assert (of[0] == [(place // 4, place % 4) for place in range(16)]).all()  # k, c
    assert (of[1].ravel() == np.arange(16) % 4).all() and (of[2].ravel() == np.arange(16)).all()
