"""The GNU as source of a nest or of ts.gemm had no labels for the constants of its kernels, so no program could be
linked with the assembled object."""

import re
import subprocess

import numpy as np
import pytest

import tilesmith as ts

ASSEMBLER = {"x86": "as", "a64": "aarch64-linux-gnu-as"}


def nest(target):
    shape = (4, 8)
    gelu, relu = (ts.unary(name, *shape, target=target) for name in ("gelu", "relu"))

    def body(i, x, y):
        gelu(x[i.b], y[i.b])
        relu(y[i.b], y[i.b])

    return ts.nest("B", {"b": (0, 6, 1)}, body, x=((6, *shape), "f32"), y=((6, *shape), "f32"))


def product(target):
    return ts.gemm(70, 50, 40, beta=0, epilogue=ts.gelu, target=target)


@pytest.mark.parametrize("make", [nest, product])
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_the_source_makes_the_bytes(make, target, tmp_path):
    made = make(target)
    source, assembled, raw = (tmp_path / f"code.{ending}" for ending in ("s", "o", "raw"))
    source.write_text(made.listing("gas"))
    arch = made.target.arch
    subprocess.run([ASSEMBLER[arch], source, "-o", assembled], check=True)
    tools = "" if arch == "x86" else "aarch64-linux-gnu-"
    undefined = subprocess.run([f"{tools}nm", "-u", assembled], check=True, capture_output=True, text=True).stdout
    assert not undefined
    subprocess.run([f"{tools}objcopy", "-O", "binary", "-j", ".text", assembled, raw], check=True)
    assert raw.read_bytes()[: len(made.code)] == made.code
    assert re.search(r"(?m)^\.Lts_\w+\.LC0:$", source.read_text())


def test_constants_have_lines_of_their_own():
    x = np.ones((6, 4, 8), np.float32)
    made = nest(None)
    made(x, np.empty_like(x))
    assert re.search(r"(?m)^\.Lts_\w+\.LC0:$", made.listing())
