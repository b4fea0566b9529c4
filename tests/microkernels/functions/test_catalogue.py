"""An activation is named, measured and compared with an oracle wherever docs/add-a-function.md says."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

import tilesmith as ts
from tests.ulp import native_f64, reference, reference_f64
from tilesmith.microkernels.functions.activations import CATALOGUE
from tilesmith.runtime.bench.peers import elementwise

SLOPES = [f"{name}_inv" for name in CATALOGUE]
EVERY = [*CATALOGUE, *SLOPES]
FOLDER = Path(reference.__file__).parent
NAMED = [name for name in CATALOGUE if hasattr(ts, name)]
PLACES: dict[str, tuple[Collection[str], Collection[str]]] = {
    "tilesmith/__init__.py and runtime/api/functions.py": (CATALOGUE, NAMED),
    "REFERENCE of tests/ulp/reference.py": (CATALOGUE, reference.REFERENCE),
    "SLOPES of tests/ulp/reference.py": (CATALOGUE, reference.SLOPES),
    "REFERENCE of tests/ulp/reference_f64.py": (CATALOGUE, reference_f64.REFERENCE),
    "SLOPES of tests/ulp/reference_f64.py": (CATALOGUE, reference_f64.SLOPES),
    "EXACT of tests/ulp/reference_f64.py": (EVERY, reference_f64.EXACT),
    "RANGES of tests/ulp/native_f64.py": (EVERY, native_f64.RANGES),
    "REFERENCES of runtime/bench/peers/elementwise.py": (CATALOGUE, elementwise.REFERENCES),
    **{
        f"of_... in tests/ulp/{source}": (
            EVERY,
            [name for name in EVERY if f" of_{name}(double x)" in (FOLDER / source).read_text()],
        )
        for source in ("sweep.c", "sweep_f64.c")
    },
}
"""Each place, the names that it must have, and those that it has."""


@pytest.mark.parametrize("place", PLACES)
def test_every_activation_is_there(place: str):
    wanted, found = PLACES[place]
    missing = [name for name in wanted if name not in found]
    assert not missing, f"{place} lacks {', '.join(missing)}: docs/add-a-function.md lists what an activation needs"
