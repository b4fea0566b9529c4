"""Section I of first-contact.md: what type checkers and editors see."""

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import tilesmith as ts
from tilesmith.microkernels.contract.dot_and_tile import NUMERICS
from tilesmith.microkernels.dtypes import DTYPES, SPELLINGS
from tilesmith.microkernels.eltwise.spec import ACCURACIES
from tilesmith.microkernels.gather.spec import BOUNDS, WAYS
from tilesmith.microkernels.gemm.spec import LAYOUTS
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.reduce.spec import NAMES
from tilesmith.microkernels.transform.spec import LOADS
from tilesmith.runtime.api import typed
from tilesmith.runtime.host.detect import HERE
from tilesmith.runtime.kernel.accuracy import Accuracy

ROOT = Path(ts.__file__).parent.parent


def test_i1_literals_agree_with_the_tables():
    for literal, table in (
        (typed.DType, DTYPES),
        (typed.Spelling, SPELLINGS.keys() - DTYPES.keys()),
        (Accuracy, ACCURACIES),
        (typed.Numerics, NUMERICS),
        (typed.TargetName, (*ts.targets(), *HERE)),
        (typed.X86Name, [name for name, target in TARGETS.items() if target.arch == "x86"]),
        (typed.A64Name, [name for name, target in TARGETS.items() if target.arch == "a64"]),
        (typed.UnaryName, ts.primitives()["unary"]),
        (typed.BinaryName, ts.primitives()["binary"]),
        (typed.TernaryName, ts.primitives()["ternary"]),
        (typed.ReductionName, NAMES),
        (typed.By, WAYS),
        (typed.Bounds, BOUNDS),
        (typed.Loads, LOADS),
        (typed.Layout, LAYOUTS),
    ):
        assert set(get_args(literal)) == set(table)


USER = """
from typing import Any
import numpy as np
import ml_dtypes
import tilesmith as ts

Array = np.ndarray[Any, Any]


def product(a: Array, b: Array) -> Array:
    return ts.brgemm(4, 4, 4, beta=0, dtype=np.float32, order="CFC", target="avx2")(a, b)


def functions(x: Array, y: Array) -> Array:
    ts.unary("relu", 4, 4, dtype="float32")(x, y)
    ts.reduce("mean", 4, 4, axis=-1, keepdims=True, dtype=np.dtype("f4"))(x, y)
    found = ts.reduce("sum", 4, 4, dtype=ml_dtypes.bfloat16)(x)
    assert found is not None
    return found + ts.binary("gelu_inv", 4, 4, bcast=(None, "row"))(x, y) + ts.transpose(4, 4)(x)


def listed(x: list[int]) -> list[int]:
    return ts.unary("relu", 4, 4)(x)


ts.brgemm(4, 4, 4, dtype="float23")  # error: arg-type
ts.brgemm(4, 4, 4, dtype=("bf16", "bf16", "f31"))  # error: arg-type
ts.brgemm(4, 4, 4, order="CXC")  # error: arg-type
ts.brgemm(4, 4, 4, target="av2")  # error: arg-type
ts.unary("rleu", 4, 4)  # error: arg-type
ts.unary("relu", 4, 4, accuracy="best")  # error: arg-type
ts.binary("add", 4, 4, bcast=("rows", None))  # error: arg-type
ts.reduce("sum", 4, 4, axis=2)  # error: arg-type
ts.gather("row", 4, 4, size=4)  # error: call-overload
text: str = ts.unary("relu", 4, 4)(np.ones((4, 4)))  # error: assignment
"""


@pytest.mark.seconds
def test_i1_mypy_completes_right_values_and_rejects_wrong_ones(tmp_path):
    file = tmp_path / "user.py"
    file.write_text(USER)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--hide-error-context",
            str(file),
            "--cache-dir",
            str(ROOT / ".mypy_cache/users"),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )
    lines = [line for line in done.stdout.splitlines() if "user.py:" in line]
    found = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in lines if ": error:" in line}
    wanted = {i: line.partition("# error: ")[2] for i, line in enumerate(USER.splitlines(), 1) if "# error: " in line}
    assert found == wanted, done.stdout + done.stderr
    of_types = [line.partition("error: ")[2] for line in lines if "float23" in line or "f31" in line]
    assert len(of_types) == 2 and all("DTypeLike" in line and len(line) < 250 for line in of_types), of_types
