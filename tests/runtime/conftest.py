"""Fixtures of the call path: the two ways a call can go, and collections that look at what a test makes alone."""

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
    """Of a test that collects often: its collections leave out what was alive before it, hundreds of thousands of
    objects of tables and of other tests.
    """
    gc.freeze()
