"""A request visits few modules; tests/walk.py explains how they are counted."""

import re
import subprocess
import sys

import pytest

from tests.walk import ROOT
from tilesmith.runtime.host import detect

MOST_MODULES, MOST_CLIMBS = 30, 4


@pytest.mark.seconds
@pytest.mark.skipif(detect.arch() != "x86", reason="the bounds are those of x86-64")
@pytest.mark.parametrize("words", ("brgemm 64 48 64", "unary gelu 64 48"))
def test_a_request_visits_few_modules(words: str) -> None:
    command = [sys.executable, "-m", "tests.walk", *words.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = re.search(r"(\d+) modules, (\d+) climbs\n$", done.stdout)
    assert found is not None
    modules, climbs = map(int, found.groups())
    assert 10 < modules <= MOST_MODULES and climbs <= MOST_CLIMBS, done.stdout
