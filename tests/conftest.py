"""Options of the whole test tree."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Cases that property tests draw unless they say otherwise; code generation makes single cases slow, not wrong.
for name, count in (("normal", 400), ("thorough", 10_000)):
    settings.register_profile(name, deadline=None, max_examples=count, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "normal"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden from the oracles, then compare")
    parser.addoption("--draws", type=int, default=20, help="operand draws for each instruction form (20)")


@pytest.fixture(scope="session")
def draw_count(request: pytest.FixtureRequest) -> int:
    """Operand draws for each instruction form."""
    return int(request.config.getoption("--draws"))
