"""Options of the whole test tree."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden from the oracles, then compare")
    parser.addoption("--draws", type=int, default=20, help="operand draws for each instruction form (20)")


@pytest.fixture(scope="session")
def draw_count(request: pytest.FixtureRequest) -> int:
    """Operand draws for each instruction form."""
    return int(request.config.getoption("--draws"))
