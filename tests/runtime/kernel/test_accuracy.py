"""The default accuracy of the process is part of each request, also of requests that are remembered."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import tilesmith as ts


@pytest.fixture(autouse=True)
def before():
    was = ts.set_accuracy("standard")
    yield
    ts.set_accuracy(was)


def asked():
    """Yield the specs of requests that state no accuracy."""
    yield ts.unary("gelu", 3, 7).spec
    yield ts.binary("gelu_inv", 3, 7).spec
    yield ts.ternary("muladd", 3, 7).spec
    yield ts.equation(lambda x: ts.exp(x), x=(3, 7)).spec
    yield ts.brgemm(4, 4, 4, beta=0, epilogue=lambda c: ts.gelu(c)).spec


def test_it_is_standard():
    assert ts.default_accuracy() == "standard"
    assert {spec.accuracy for spec in asked()} == {"standard"}


def test_a_change_is_a_change_of_every_request():
    plain = ts.unary("gelu", 3, 7)
    assert ts.set_accuracy("fast") == "standard"
    assert {spec.accuracy for spec in asked()} == {"fast"}
    assert ts.unary("gelu", 3, 7) is ts.unary("gelu", 3, 7, accuracy="fast") is not plain
    assert ts.set_accuracy("standard") == "fast"
    assert ts.unary("gelu", 3, 7) is ts.unary("gelu", 3, 7, accuracy=None) is plain


def test_it_is_one_of_the_process():
    thread = threading.Thread(target=ts.set_accuracy, args=("accurate",))
    thread.start()
    thread.join()
    assert ts.unary("gelu", 3, 7).spec.accuracy == "accurate"


def test_wrong_names():
    with pytest.raises(ValueError, match="accuracy: one of 'standard'.*did you mean 'accurate'"):
        ts.set_accuracy("acurate")  # type: ignore[arg-type]
    assert ts.default_accuracy() == "standard"


@pytest.mark.slow
def test_the_environment():
    text = 'import tilesmith as ts; print(ts.default_accuracy(), ts.unary("exp", 2, 2).spec.accuracy)'
    environment = {**os.environ, "TILESMITH_ACCURACY": "fast"}
    done = subprocess.run([sys.executable, "-c", text], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["fast", "fast"]
