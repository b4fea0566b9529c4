"""Options of the whole test tree."""

from __future__ import annotations

import gc
import inspect
import os
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import profiles
from tests.arm import emulator
from tests.checked_plans import check_every_plan
from tests.oracles.tools import missing
from tilesmith.emulation.qemu.faults import ServerUnavailable
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import Target
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.cache import stubs

for name, examples in profiles.EXAMPLES.items():
    if name == "soak":
        examples = max(profiles.EXAMPLES["normal"], round(examples * profiles.share()))
    # Code generation makes single cases slow, not wrong.
    checks = [HealthCheck.too_slow]
    settings.register_profile(name, deadline=None, max_examples=examples, suppress_health_check=checks)
SLOW = {"slow", "seconds"}
# Tests generate the kernels that they test, without the cache; tests of the cache use their own folders. With
# TILESMITH_TEST_CACHE=folder all tests use the cache in that folder: a second run finds the kernels of the first.
os.environ["TILESMITH_CACHE"] = os.environ.get("TILESMITH_TEST_CACHE", "off")
settings.load_profile(profiles.chosen())
emulator.choose()
check_every_plan()
# Tables and the encoders' caches are hundreds of thousands of permanent objects. With Python's default thresholds, the
# garbage collector scans them so often that it takes a fifth of the time of a test that generates kernels.
gc.set_threshold(100_000, 50, 100)
_TESTS_PER_FREEZE = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden from the oracles, then compare")
    parser.addoption("--draws", type=int, default=12, help="operand draws for each instruction form (12)")
    parser.addoption("--fast", action="store_true", help="one case of each test that takes no second, with few draws")


def pytest_configure(config: pytest.Config) -> None:
    """Select the fast profile if --fast is given, and how the cases of grids are drawn, which workers inherit."""
    if config.getoption("--fast"):
        profiles.choose("fast")
        settings.load_profile("fast")
    profiles.rotation()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how to run the same cases again."""
    terminalreporter.write_line(f"cases of grids were drawn with TILESMITH_GRIDS={profiles.rotation()}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the tests of the profile and run slow tests first, since a slow test at the end keeps workers waiting."""
    if config.getoption("--fast"):
        _leave(config, items, _one_case)
    elif not config.getoption("--update-golden"):
        _leave(config, items, _of_grid)
    items.sort(key=lambda item: not _marks(item) & SLOW)


def _leave(config: pytest.Config, items: list[pytest.Item], choose: Callable[[str, Any], list[pytest.Item]]) -> None:
    """Keep some cases of each function, which are chosen by its name and from all of its cases."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left = {item for name, those in cases.items() for item in choose(name, those)}
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = [item for item in items if item in left]


def _one_case(name: str, cases: list[pytest.Item]) -> list[pytest.Item]:
    """Return a random case, always the same one, so that functions cover different machines and types."""
    one = random.Random(name).choice(cases)
    return [] if _marks(one) & SLOW else [one]


def _of_grid(name: str, cases: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases of a grid that this run executes."""
    mark = cases[0].get_closest_marker("grid")
    return profiles.of_grid(cases, name, *(mark.args if mark else ()), values=_values)


def _values(item: pytest.Item) -> list[tuple[int, str]]:
    """Return the parts of the name of a case, which are its parameters, with their places."""
    return [*enumerate(item.nodeid.partition("[")[2].rstrip("]").split("-"))]


def _marks(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Freeze the collected tests, which stay until the end."""
    _freeze()


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Freeze live objects from time to time, so that later collections skip them. Between tests, no test waits for an
    object to be collected."""
    global _finished
    _finished += 1
    if _finished % _TESTS_PER_FREEZE == 0:
        _freeze()


_finished = 0


def _freeze() -> None:
    """Collect garbage and freeze what is left. Tests of references collect a hundred times, and each collection scans
    all objects that are not frozen."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    """Skip a case, with the reason, if it names a target whose code this processor cannot execute. If a test names no
    target, a kernel for another processor is a failure."""
    try:
        return (yield)
    except UnsupportedError as error:
        reason = str(error).partition(". ")[0]
        found = re.fullmatch(r"target (\w+) needs .* which this machine lacks", reason)
        if found and (found[1] in _names(pyfuncitem) or f'"{found[1]}"' in inspect.getsource(pyfuncitem.function)):
            pytest.skip(reason)
        raise


def _names(item: pytest.Function) -> list[Any]:
    """Return the parameters of a case, with tuples split into their parts and targets replaced by their names."""
    given = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
    parts = [part for each in given for part in (each if isinstance(each, tuple) else (each,))]
    return [part.name if isinstance(part, Target) else part for part in parts]


@pytest.fixture(scope="session")
def draw_count(request: pytest.FixtureRequest) -> int:
    """The number of operand draws for each instruction form; in a soak its share."""
    given = int(request.config.getoption("--draws"))
    return profiles.scaled(12, given) if profiles.is_soak() else given


@pytest.fixture
def few_stubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a test freeze kernels as in a new process. A folder of frozen kernels gets all functions of the call path
    that the process has used: thousands, after other tests."""
    before, own = stubs._used, dict[str, stubs.Stub]()
    monkeypatch.setattr(stubs, "_used", own)
    yield
    before.update(own)


@pytest.fixture(scope="session")
def aarch64() -> Iterator[Server]:
    """A server that runs AArch64 code. Without an emulator the test is skipped with the reason, or fails on CI."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    with Server(pin=int(worker)) as server:
        try:
            server.start()
        except ServerUnavailable as error:
            missing(f"{error}; install it by `make oracles`, or name another one in TILESMITH_QEMU")
        yield server
