"""The first call of each public function imports no planner, no encoder and none of Python's large modules, if its
kernels are on disk."""

import os
from pathlib import Path

import pytest

from tilesmith.runtime.bench.first_calls import FIRST_CALLS, imported
from tilesmith.runtime.host import detect

MOST_MODULES = 120
LARGE = {"asyncio", "decimal", "email", "fractions", "html", "http", "socket", "ssl", "urllib", "xml"}
"""Modules of Python that take milliseconds to import."""
PARTS = {"emit", "pipeline", "plan"}
"""Last names of modules that kernels are made with."""


def makes_kernels(module: str) -> bool:
    words = module.removeprefix("tilesmith.").split(".")
    return words[:2] in (["encoder", "x86"], ["encoder", "a64"], ["microkernels", "machines"]) or words[-1] in PARTS


@pytest.mark.seconds
@pytest.mark.skipif(detect.arch() != "x86", reason="emulated processes would take minutes")
def test_they_import_only_what_they_need(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[1])
    found = imported({**os.environ, "TILESMITH_CACHE": str(tmp_path / "kernels"), "PYTHONPATH": root})
    assert set(found) == set(FIRST_CALLS)
    for name, modules in found.items():
        own = [each for each in modules if each.startswith("tilesmith.")]
        assert not [each for each in own if makes_kernels(each)], name
        assert len(own) <= MOST_MODULES, (name, len(own))
        assert not LARGE & {each.partition(".")[0] for each in modules}, name
