"""Options of the whole test tree."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.arm import emulator
from tests.oracles.tools import missing
from tilesmith.emulation.qemu.faults import ServerUnavailable
from tilesmith.emulation.qemu.server import Server

# Cases that property tests draw unless they say otherwise; code generation makes single cases slow, not wrong.
for name, count in (("normal", 400), ("thorough", 10_000), ("emulated", 25), ("fast", 20)):
    settings.register_profile(name, deadline=None, max_examples=count, suppress_health_check=[HealthCheck.too_slow])
SLOW = {"slow", "seconds"}
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "normal"))
emulator.choose()
# Tables and what encoders remember are hundreds of thousands of objects that stay: with the thresholds Python starts
# with, walking over them again and again takes a fifth of the time of a test that generates kernels.
gc.set_threshold(100_000, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden from the oracles, then compare")
    parser.addoption("--draws", type=int, default=20, help="operand draws for each instruction form (20)")
    parser.addoption("--fast", action="store_true", help="one case of each test that takes no second, with few draws")


def pytest_configure(config: pytest.Config) -> None:
    """Few draws where that is asked for."""
    if config.getoption("--fast"):
        settings.load_profile("fast")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each function any case, always the same one: different functions so take different machines and types."""
    if not config.getoption("--fast"):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        name = item.nodeid if item.get_closest_marker("whole") else item.nodeid.partition("[")[0]
        cases.setdefault(name, []).append(item)
    chosen = {random.Random(name).choice(those) for name, those in cases.items()}
    left = {item for item in chosen if not {mark.name for mark in item.iter_markers()} & SLOW}
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = [item for item in items if item in left]


@pytest.fixture(scope="session")
def draw_count(request: pytest.FixtureRequest) -> int:
    """Operand draws for each instruction form."""
    return int(request.config.getoption("--draws"))


@pytest.fixture(scope="session")
def aarch64() -> Iterator[Server]:
    """Runs AArch64 code. Without an emulator the test ends here: skipped with the reason, failed on CI."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    with Server(pin=int(worker)) as server:
        try:
            server.start()
        except ServerUnavailable as error:
            missing(f"{error}; install it by `make oracles`, or name another one in TILESMITH_QEMU")
        yield server
