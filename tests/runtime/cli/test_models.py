"""`tilesmith onnx`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilesmith.runtime.cli.main import main


def test_a_model_is_run_and_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n"]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "graph", infos[:1], infos[1:])
    onnx.save(onnx.helper.make_model(graph), tmp_path / "model.onnx")
    np.savez(tmp_path / "x.npz", x=np.array([-1, 2], np.float32))
    given = ["onnx", str(tmp_path / "model.onnx"), "--inputs", str(tmp_path / "x.npz"), "-o", str(tmp_path / "y.npz")]
    assert main([*given, "--explain"]) == 0
    assert capsys.readouterr().out.splitlines() == ["kernels: Relu 1", "y: float32 (2,)"]
    with np.load(tmp_path / "y.npz") as found:
        assert np.array_equal(found["y"], [0, 2])
    assert main(given[:2]) == 2 and "--inputs: a file with x" in capsys.readouterr().err


WITHOUT = """
import sys
sys.modules["onnx"] = None
import tilesmith as ts
from tilesmith.runtime.cli.main import main
try:
    ts.onnx.load
except ImportError as error:
    print(error)
sys.exit(main(["onnx", "model.onnx", "--explain"]))
"""


def test_without_onnx_the_error_says_what_to_install() -> None:
    found = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "pip install onnx" in found.stdout and "pip install onnx" in found.stderr
