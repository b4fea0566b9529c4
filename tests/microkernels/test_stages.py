"""Pictures of plans are well-formed, with a ring for each read and a disc for each computed value."""

import xml.etree.ElementTree as ElementTree

import pytest

import tilesmith as ts
from tilesmith.microkernels.stages import MEMORY, REGISTERS, Stage, StageValue, svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text):
    """Return the columns of a picture by name: (row in pixels, "made" or "read") of each circle."""
    root = ElementTree.fromstring(text)
    names = {each.get("x"): each.text for each in root.iter(f"{SVG}text") if each.get("text-anchor")}
    found = {name: [] for name in names.values()}
    for circle in root.iter(f"{SVG}circle"):
        found[names[circle.get("cx")]].append(
            (int(circle.get("cy")), circle.get("fill") == "white" and "read" or "made")
        )
    return found


def test_reads_and_makes():
    stages = [Stage("first", ("x",), ("s",), ""), Stage("a < b", ("x", "s"), ("y",), "")]
    found = drawn(
        svg("y = f(x)", [StageValue("x", MEMORY), StageValue("s", REGISTERS), StageValue("y", MEMORY)], stages)
    )
    (first, _), (second, _) = found["x"]
    assert found == {
        "x": [(first, "read"), (second, "read")],
        "s": [(first, "made"), (second, "read")],
        "y": [(second, "made")],
    }


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_fused_kernels(target):
    """Each pass that names an operand in the printed plan has a ring in the operand's column, and a result has one
    disc."""
    plan = ts.fused("layernorm_inv", 6, 100, target=target).plan
    found = drawn(plan.svg())
    walks = [line.split("reads ")[1] for line in str(plan).splitlines() if "reads " in line]
    for name in ("g", "x", "gamma"):
        assert len(found[name]) == sum(name in walk.split(", ") for walk in walks)
    assert [kind for _, kind in found["gx"]] == ["made"]
    assert set(found) == {"g", "x", "gamma", "gx", "ggamma", "gbeta"} | {f"@{c}{i}" for c in "ar" for i in range(4)}


def test_the_backward_pass_of_attention_has_none():
    with pytest.raises(ts.UnsupportedError, match="no picture is drawn for it"):
        ts.attention_inv(2, 5, 7, 8, target="avx2").plan.svg()


def test_attention():
    found = drawn(ts.attention(2, 40, 50, 16, lse=True, target="avx2").plan.svg())
    assert [kind for name in ("q", "k", "v") for _, kind in found[name]] == ["read"] * 3
    assert [kind for _, kind in found["lse"]] == [kind for _, kind in found["out"]] == ["made"]
