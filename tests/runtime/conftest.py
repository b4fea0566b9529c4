"""Fixtures of the call path: the two ways of a call, and garbage collections that scan only a test's own objects."""

import gc

import pytest

from tests.runtime.fastcall.call_cases import MODES
from tilesmith.runtime.fastcall import entry


@pytest.fixture(params=MODES)
def mode(request):
    if request.param == "native" and entry.refusal():
        pytest.skip(entry.refusal())
    return request.param


@pytest.fixture
def quick_collections():
    """Speed up a test that collects garbage often: collections skip objects that were alive before the test, which are
    hundreds of thousands of objects of tables and of other tests.
    """
    gc.freeze()
