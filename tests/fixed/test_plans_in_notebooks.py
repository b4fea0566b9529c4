"""`repr(k.plan)` had up to 976,170 characters, and a kernel in a notebook up to 831 KB of HTML that did not wrap."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels import notebook


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
}


@pytest.mark.parametrize("name", KERNELS)
def test_plans_are_one_line_and_pages_are_small(name):
    kernel = KERNELS[name]()
    assert "\n" not in repr(kernel.plan) and len(repr(kernel.plan)) < 300
    shown = kernel._repr_html_()
    pages = [shown, *([kernel.plan._repr_html_()] if hasattr(kernel.plan, "_repr_html_") else [])]
    for page in pages:
        assert len(page.encode()) <= notebook.MOST and "white-space:pre-wrap" in page
        tags = Tags()
        tags.feed(page)
        assert not tags.open
        assert str(kernel.plan).splitlines()[0] in tags.text
    assert "<details>" in shown


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
