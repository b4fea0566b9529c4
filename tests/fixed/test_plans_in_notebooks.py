"""Plans, kernels, proofs, programs and results of tuning as pages of notebooks.

`repr(k.plan)` had up to 976,170 characters, and a kernel in a notebook up to 831 KB of HTML that did not wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels import notebook
from tilesmith.runtime.contraction.tuning import TunedLayer, WayTrial
from tilesmith.runtime.loops.strings import Candidate
from tilesmith.runtime.loops.tuner import StringTrial, Tuned
from tilesmith.runtime.ops.tune import TriedBlocks, TunedProduct
from tilesmith.runtime.verify.proof import Claim, Proof, Refutation


class Tags(HTMLParser):
    """Collects the text, and the tags that are open at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def nest(rows: int, columns: int) -> Any:
    copy, shape = ts.unary("identity", 4, 4), (rows, columns, 4, 4)
    loops = {"b": (0, rows, 1), "c": (0, columns, 1)}
    return ts.nest("bc", loops, lambda i, x, y: copy(x[i.b, i.c], y[i.b, i.c]), x=(shape, "f32"), y=(shape, "f32"))


KERNELS: dict[str, Callable[[], Any]] = {
    "attention": lambda: ts.attention(8, 64, 64, 64, target="avx512"),
    "chain": lambda: ts.equation(
        lambda x, w, v: ts.relu(x @ w) @ v + x, x=(16, 16), w=(16, 16), v=(16, 16), target="avx2"
    ),
    "softmax": lambda: ts.fused("softmax", 8, 8, target="avx2"),
    "layernorm_inv": lambda: ts.fused("layernorm_inv", 64, 100, target="sve256"),
    "counted": lambda: ts.fused("softmax", ts.RUNTIME, 100, target="neon"),
    "reduce": lambda: ts.reduce("sum", 64, 64, axis=1, target="avx512"),
    "gelu": lambda: ts.unary("gelu", 64, 64, target="avx2"),
    "transpose": lambda: ts.transpose(64, 64, target="avx2"),
    "brgemm": lambda: ts.brgemm(17, 17, 17, target="avx2"),
    "gather": lambda: ts.gather("rows", 6, 4, size=10, target="avx2"),
    "gemm": lambda: ts.gemm(300, 300, 300),
    "mlp": lambda: ts.mlp(64, [64, 32, 8]),
    "nest": lambda: nest(3, 4),
    "conv": lambda: ts.conv((1, 8, 8, 8), (8, 8, 3, 3)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_plans_are_one_line_and_pages_are_small(name):
    kernel = KERNELS[name]()
    assert "\n" not in repr(kernel.plan) and len(repr(kernel.plan)) < 300
    shown = kernel._repr_html_()
    for page in (shown, kernel.plan._repr_html_()):
        assert len(page.encode()) <= notebook.MOST and "white-space:pre-wrap" in page
        tags = Tags()
        tags.feed(page)
        assert not tags.open
        assert str(kernel.plan).splitlines()[0] in tags.text
    assert "<details>" in shown


def graph() -> Any:
    g = ts.graph()
    x = g.input((4, 8))
    return g.compile(g.relu(x @ g.constant(np.ones((8, 8), np.float32))))


def proof() -> Proof:
    """A proof whose evidence is markup, and whose grounds have more lines than a page has room for."""
    claim = Claim("arithmetic", False, "0 < 1 & 2 > 1")
    found = Refutation("<script>\nc[0] = 1, not 2\n</script>", 4, True)
    return Proof("k", "avx2", (claim,), found, tuple(f"fact {number}" for number in range(5000)), 7, 0.5)


BLOCKS = TriedBlocks(ts.gemm(64, 64, 64).plan, 1e-3)
WAYS = tuple(WayTrial(f"way {number} of <{number}>", 1e3, 1e-3) for number in range(20))  # type: ignore[arg-type]
RESULTS: dict[str, Callable[[], Any]] = {
    "proof": lambda: ts.brgemm(3, 2, 2, target="avx2").verify(),
    "graph": graph,
    "units": lambda: graph().explain(),
    "layer": lambda: TunedLayer(WAYS[0], 2e-3, 1e-3, 2.0, WAYS, 30, layer=None),  # type: ignore[arg-type]
    "product": lambda: TunedProduct(BLOCKS, 2e-3, 1e-3, 2.0, (BLOCKS,), 30, op=ts.gemm(64, 64, 64)),
    "rules": lambda: Tuned(nest(3, 4), tuple(StringTrial(Candidate(each, ()), 1e-3) for each in ("bc", "cb"))),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_folded(name):
    """A page has every line that `print` shows, one or a few at once and the others in a folded section."""
    result = RESULTS[name]()
    page, tags = result._repr_html_(), Tags()
    tags.feed(page)
    assert not tags.open and len(page.encode()) <= notebook.MOST and "white-space:pre-wrap" in page
    at_once = page.partition("<details>")[0]
    assert page.count("<details>") == 1 and 0 < at_once.count("\n") + 1 < 1 + len(str(result).splitlines())
    for line in str(result).splitlines():
        assert line in tags.text


def test_proofs_show_the_evidence_at_once():
    page, tags = proof()._repr_html_(), Tags()
    tags.feed(page.partition("<details>")[0])
    assert "k for avx2: refuted" in tags.text and "arithmetic: 0 < 1 & 2 > 1" in tags.text
    assert "<script>" in tags.text and "<script>" not in page and "more lines: print(proof)" in page
    assert len(page.encode()) <= notebook.MOST


def test_nests_show_their_picture_if_there_is_room():
    small, large = nest(3, 4), nest(2000, 3000)
    assert small.svg() in small._repr_html_() and "<svg" not in large._repr_html_()


def test_what_a_page_has_no_room_for():
    """Lines are left out from the end, and the page says how many and how to see them; a page is never empty."""
    lines = [f"line {number} <&>" for number in range(100_000)]
    page = notebook.page("\n".join(lines), [notebook.PageSection("a < b", "\n".join(lines), "f(x) < 3")], "print(k)")
    tags = Tags()
    tags.feed(page)
    shown, folded = tags.text.split("a < b")
    for text, rest in ((shown, "print(k)"), (folded, "f(x) < 3")):
        *kept, more = text.splitlines()
        assert kept == lines[: len(kept)] and more == f"... {len(lines) - len(kept)} more lines: {rest}"
    assert len(page.encode()) <= notebook.MOST
    assert 500 < len(notebook.page("x" * 100_000)) < notebook.MOST
