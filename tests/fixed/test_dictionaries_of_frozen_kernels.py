"""`tilesmith freeze module -o folder` without names left out the kernels of dictionaries, without a word."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main

pytestmark = pytest.mark.usefixtures("few_stubs")

MODULE = """
import tilesmith as ts
mm = ts.brgemm(3, 4, 5, target="avx2")
layers = {"first": ts.unary("relu", 3, 4, target="avx2"), "mm": %s}
"""


def frozen(tmp_path, monkeypatch, name, mm):
    (tmp_path / f"{name}.py").write_text(MODULE % mm)
    monkeypatch.chdir(tmp_path)
    return main(["freeze", name, "-o", name])


def test_all_kernels_include_those_of_dictionaries(tmp_path, monkeypatch):
    assert frozen(tmp_path, monkeypatch, "with_dictionary", "mm") == 0
    assert sorted(ts.load(tmp_path / "with_dictionary")) == ["first", "mm"]


def test_two_kernels_of_one_name(tmp_path, monkeypatch, capsys):
    assert frozen(tmp_path, monkeypatch, "with_two", 'ts.brgemm(3, 4, 6, target="avx2")') == 2
    assert "layers of with_two has another kernel named mm" in capsys.readouterr().err
    assert not (tmp_path / "with_two").exists()
