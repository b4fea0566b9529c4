"""Fixtures of the call path: the two ways a call can go."""

import pytest

from tests.runtime.fastcall.call_cases import MODES
from tilesmith.runtime.fastcall import entry


@pytest.fixture(params=MODES)
def mode(request):
    if request.param == "native" and entry.refusal():
        pytest.skip(entry.refusal())
    return request.param
