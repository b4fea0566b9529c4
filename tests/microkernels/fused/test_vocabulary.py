"""Pairs of words in traced functions: a slice of the pairs that docs/fused.md says are made or refused; a soak tests
all."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.microkernels.fused.vocabulary import BEGIN, END, PAGE, every_pair, outcome, table
from tests.profiles import is_soak

SLICE = 29
"""One of this many pairs is tested; the number is a prime that does not divide the number of words."""


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3))
def test_pairs_are_made_and_right_or_refused_as_the_page_says(first: int) -> None:
    page = " ".join(PAGE.read_text().split(BEGIN)[1].split(END)[0].split())
    for pair in islice(every_pair(), first * 9, None, SLICE * 3):
        found = outcome(pair)
        assert not found.reason or " ".join(found.reason.split()) in page, (pair[0].text, pair[1].text, found.reason)


@pytest.mark.skipif(not is_soak(), reason="all pairs take a minute: make soak")
def test_the_page_has_the_whole_table() -> None:
    assert table() in PAGE.read_text()
