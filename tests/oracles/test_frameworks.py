"""The frameworks that tests compare with are there; on CI a missing one is a failure."""

from __future__ import annotations

import importlib.util

import pytest

from tests.oracles.frameworks import FRAMEWORKS
from tests.oracles.tools import missing


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_frameworks_are_installed(name: str) -> None:
    """Modules of tests skip themselves without their framework, so that this test tells CI."""
    if importlib.util.find_spec(name) is None:
        missing(f"{name} is not installed: python -m tests.oracles.frameworks")
