"""Roles of the loops of contractions, derived by hand: what an operand has says what a loop may be."""

from __future__ import annotations

import pytest

from tilesmith.runtime.contraction.roles import LoopStrides, Roles, assigned, refused

# A convolution of 3 x 3 taps and c = 8 channels by k = 16 over 5 rows of 6 results, in an image of 7 rows of 8 pixels.
EXTENTS = {"n": 2, "k": 16, "p": 5, "q": 6, "r": 3, "s": 3, "c": 8}
B = {"k": 72, "r": 24, "s": 8, "c": 1}
LAST = {"n": 448, "p": 64, "q": 8, "r": 64, "s": 8, "c": 1}
FIRST = {"n": 448, "p": 8, "q": 1, "r": 8, "s": 1, "c": 56}
C_LAST = {"n": 480, "p": 96, "q": 16, "k": 1}


def names(roles: Roles) -> dict[str, str]:
    return {
        "over": ", ".join(" ".join(each.names) for each in roles.over),
        "rows": " ".join(roles.rows.names),
        "columns": " ".join(roles.columns.names),
        "batch": ", ".join(" ".join(each.names) for each in roles.batch),
        "depth": " ".join(roles.depth.names),
    }


def test_channels_last() -> None:
    """A row's taps and channels are one depth of 24, since s moves as far as all 8 channels; rows of A are 8 apart and
    overlap. r moves 64, not 24: it is the batch. p moves 64 in A, not 6 * 8, so the rows are q alone."""
    roles = assigned(LoopStrides(EXTENTS, LAST, B, C_LAST))
    assert names(roles) == {"over": "n, p", "rows": "q", "columns": "k", "batch": "r", "depth": "s c"}
    assert (roles.depth.extent, roles.depth.a) == (24, 1)
    assert (roles.rows.extent, roles.rows.a, roles.rows.c) == (6, 8, 16)
    assert (roles.batch[0].extent, roles.batch[0].a) == (3, 64)


def test_dilation_breaks_the_chain() -> None:
    """Taps two pixels apart move 16, not 8: the depth is the channels, and r and s are two levels of the batch."""
    roles = assigned(LoopStrides(EXTENTS, {**LAST, "s": 16, "r": 128}, B, C_LAST))
    assert names(roles) == {"over": "n, p", "rows": "q", "columns": "k", "batch": "r, s", "depth": "c"}


def test_one_tap_in_channels_last_is_one_product() -> None:
    """Without a rim, images, rows and pixels are one chain of 2 * 5 * 6 rows."""
    extents = {name: EXTENTS[name] for name in ("n", "k", "p", "q", "c")}
    a = {"n": 240, "p": 48, "q": 8, "c": 1}
    roles = assigned(LoopStrides(extents, a, {"k": 8, "c": 1}, C_LAST))
    assert names(roles) == {"over": "", "rows": "n p q", "columns": "k", "batch": "", "depth": "c"}
    assert roles.rows.extent == 60


def test_an_operand_beside_c_takes_part() -> None:
    """A residual whose rows have gaps breaks the chain of rows that A and C have."""
    extents = {name: EXTENTS[name] for name in ("n", "k", "p", "q", "c")}
    a = {"n": 240, "p": 48, "q": 8, "c": 1}
    more = ({"n": 1000, "p": 200, "q": 16, "k": 1},)
    assert names(assigned(LoopStrides(extents, a, {"k": 8, "c": 1}, C_LAST, more)))["rows"] == "q"


def test_channels_first_in_place() -> None:
    """The taps of a row are neighbours, but channels are added first: the loops of the sum keep their order."""
    c = {"n": 480, "k": 30, "p": 6, "q": 1}
    roles = assigned(LoopStrides(EXTENTS, FIRST, B, c))
    assert names(roles) == {"over": "n, p", "rows": "q", "columns": "k", "batch": "r, s, c", "depth": ""}


def test_no_neighbours_along_the_sum() -> None:
    """Without a summed loop of stride 1, the depth is a single place."""
    extents = {"q": 6, "k": 4, "c": 8}
    roles = assigned(LoopStrides(extents, {"q": 1, "c": 6}, {"k": 8, "c": 1}, {"q": 4, "k": 1}))
    assert roles.depth.names == () and roles.depth.extent == 1 and names(roles)["batch"] == "c"


@pytest.mark.parametrize(
    "a, b, c, text",
    [
        ({"i": 1}, {"i": 1}, {"i": 1, "j": 1}, "loop j is in neither factor"),
        ({"i": 1, "k": 2}, {}, {"i": 1}, "loop k is in one factor only"),
        ({"i": 1, "k": 2}, {"k": 1}, {"i": 1}, ""),
    ],
)
def test_loops_without_a_role(a: dict[str, int], b: dict[str, int], c: dict[str, int], text: str) -> None:
    extents = dict.fromkeys({**a, **b, **c}, 2)
    found = refused(LoopStrides(extents, a, b, c))
    assert found.startswith(text) if text else not found
