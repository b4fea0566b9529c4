"""The programs in docs/examples do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


@pytest.mark.slow
def test_digits_are_recognised():
    """At least 97 % of the images that the network was not trained on."""
    done = subprocess.run([sys.executable, EXAMPLES / "digits.py"], capture_output=True, text=True, check=True)
    found = re.search(r"not trained on: (0\.\d+|1\.0+)$", done.stdout, re.MULTILINE)
    assert found and float(found[1]) >= 0.97, done.stdout
