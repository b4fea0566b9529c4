"""`python -m tests.bench.encode_speed`: what it measures and reports."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tests.bench.encode_speed import Times, measure, report
from tests.oracles import peachpy

pytestmark = pytest.mark.skipif(ts.host().arch != "x86", reason="PeachPy runs on x86-64")


@pytest.mark.seconds
def test_both_encoders_are_measured():
    peachpy.require()
    times = measure(ts.host())
    assert times.count > 100, "the mix is a real kernel's"
    assert min(times.first, times.new, times.again, times.distinct, times.peachpy, times.peachpy_function) > 0


def test_the_report_says_which_goals_are_reached():
    slow = Times("any", 100, ("jne",), first=9, new=1.3, again=0.5, distinct=2, peachpy=25, peachpy_function=250)
    assert list(slow.reached.values()) == [False, False, True]
    assert report(slow).count("NOT reached") == 2
    assert "NOT" not in report(slow._replace(new=1.2))
