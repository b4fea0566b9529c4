"""Properties that run in one child process report the shrunk case, whether it fails an assertion or faults."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.children import in_one_child, survives

numbers = st.integers(0, 1000)


def test_a_property_that_holds_is_checked_in_one_child():
    parents = os.pipe()

    @settings(max_examples=30, database=None)
    @given(numbers)
    def test(n):
        survives(lambda: os.write(parents[1], b"%d\n" % os.getpid()))

    in_one_child(test)
    written = os.read(parents[0], 1 << 16).split()
    assert len(written) >= 30 and len(set(written)) == 1 and int(written[0]) != os.getpid()


@pytest.mark.seconds
def test_a_case_that_fails_is_shrunk():
    @settings(database=None)
    @given(numbers)
    def test(n):
        survives(lambda: check(n))

    def check(n):
        assert n < 500, f"{n} is large"

    with pytest.raises(AssertionError, match="^500 is large"):
        in_one_child(test)


@pytest.mark.seconds
def test_a_case_that_faults_is_found_again():
    @settings(database=None)
    @given(numbers)
    def test(n):
        survives(lambda: os.kill(os.getpid(), signal.SIGSEGV) if n > 10 else None)

    with pytest.raises(AssertionError, match="killed by SIGSEGV") as failure:
        in_one_child(test)
    assert "test(\n    n=11,\n)" in "".join(failure.value.__notes__)


@pytest.mark.seconds
def test_a_case_that_fails_only_after_others_is_a_failure():
    seen = []

    @settings(max_examples=10, database=None)
    @given(numbers)
    def test(n):
        survives(lambda: seen.append(n))
        assert len(seen) < 5

    with pytest.raises(AssertionError, match=r"failed in one child process \(1\)"):
        in_one_child(test)
