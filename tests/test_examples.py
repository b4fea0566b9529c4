"""The programs in docs/examples reach the results that they state."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.profiles import is_soak

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


@pytest.mark.slow
def test_digits_are_recognised():
    """At least 97 % of the images outside the training set are recognised."""
    done = subprocess.run([sys.executable, EXAMPLES / "digits.py"], capture_output=True, text=True, check=True)
    found = re.search(r"not trained on: (0\.\d+|1\.0+)$", done.stdout, re.MULTILINE)
    assert found and float(found[1]) >= 0.97, done.stdout


@pytest.mark.slow
def test_characters_are_learnt():
    """The loss falls below the entropy of single characters, so the network knows more than their frequencies."""
    text = np.frombuffer("\n".join(topics.values()).encode("ascii", "replace"), np.uint8)
    shares = np.unique(text, return_counts=True)[1] / len(text)
    command = [sys.executable, EXAMPLES / "characters.py", "--steps", "150"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"loss \d\.\d+ -> (\d\.\d+),", done.stdout)
    assert found and float(found[1]) < -(shares * np.log(shares)).sum(), done.stdout


@pytest.mark.parametrize("program", ["digits.py", "characters.py"])
def test_losses_are_those_of_torch(program):
    """With the same weights, minibatches and dropped units, roundings differ by less than 1e-4 after 1,000 steps."""
    if not is_soak():
        pytest.skip("in soak, where torch is installed")
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, EXAMPLES / program, "--torch"], capture_output=True, text=True, check=True)
    found = re.search(r"(?:differ by|losses:) (\d\.\de[+-]\d+)", done.stdout)
    assert found and float(found[1]) < 1e-4, done.stdout


def test_losses_are_those_of_jax():
    """A transformer learns the same by our functions as by those of jax.numpy."""
    if not is_soak():
        pytest.skip("two trainings, each with its compilations: in soak")
    pytest.importorskip("jax", minversion="0.7")
    command = [sys.executable, EXAMPLES / "jax_characters.py", "--compare", "--steps", "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"differ by (\d\.\de[+-]\d+)", done.stdout)
    assert found and float(found[1]) < 1e-4, done.stdout


def test_the_notebook_runs_and_shows_its_objects() -> None:
    """Each cell runs as in a notebook; what its last line shows is HTML below 30 KB, without a script."""
    notebook = json.loads((EXAMPLES / "tutorial.ipynb").read_text())
    assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    names: dict[str, Any] = {}
    shown = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, "cells are kept without outputs"
            body = ast.parse("".join(cell["source"])).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), f"cell {number}", "exec"), names)
            if last is not None:
                assert isinstance(last, ast.Expr)
                shown.append(eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names))
    pages = [each._repr_html_() for each in shown if each is not None]
    assert len(pages) == 6 and all(len(page) < 30_000 and "<script" not in page for page in pages)
    for page in pages:
        ElementTree.fromstring(f"<page>{page}</page>")
