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
    assert main(given[:2]) == 2 and "--inputs: a file of numpy.savez with x" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        ("none.onnx", "--explain", "none.onnx"),
        ("text.onnx", "--explain", "is no model of ONNX"),
        (".", "--explain", "Is a directory"),
        ("cos.onnx", "--explain", "node only, operator Cos: no kernel"),
        ("cos.onnx", "--explain", "--loose leaves it to onnx.reference"),
        ("relu.onnx", "", "--inputs: a file of numpy.savez with x float32 (n,); or --explain"),
        ("relu.onnx", "--explain -o y.npz", "-o: outputs need --inputs"),
        ("relu.onnx", "--inputs none.npz", "none.npz"),
        ("relu.onnx", "--inputs text.onnx", "--inputs: a file of numpy.savez with arrays of numbers, not text.onnx"),
        ("relu.onnx", "--inputs empty.npz", "--inputs: a file of numpy.savez with arrays of numbers, not empty.npz"),
        ("relu.onnx", "--inputs z.npz", "inputs: the model takes x float32 (n,), not 'z'"),
        ("relu.onnx", "--inputs wide.npz", "x: elements of float32, not float64"),
        ("relu.onnx", "--inputs flat.npy", "x: float32 (n,), not shape (1, 2)"),
        ("relu.onnx", "--inputs x.npy -o nowhere/y.npz", "nowhere/y.npz"),
    ],
)
def test_mistakes_are_one_line(
    model: str,
    more: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")
    monkeypatch.chdir(tmp_path)
    infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n"]) for name in "xy"]
    for operator in ("Relu", "Cos"):
        node = onnx.helper.make_node(operator, ["x"], ["y"], name="only")
        graph = onnx.helper.make_graph([node], "graph", infos[:1], infos[1:])
        onnx.save(onnx.helper.make_model(graph), f"{operator.lower()}.onnx")
    Path("text.onnx").write_text("text\n")
    Path("empty.npz").touch()
    x = np.array([-1, 2], np.float32)
    np.savez("z.npz", z=x)
    np.savez("wide.npz", x=x.astype(np.float64))
    np.save("flat.npy", x[None])
    np.save("x.npy", x)
    assert main(["onnx", model, *more.split()]) == 2
    told = capsys.readouterr()
    assert words in told.err and told.err.count("\n") == 1 and not told.out


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
