"""The gradients of attention raised UnsupportedError in a notebook, because their plan has no picture."""

from __future__ import annotations

import tilesmith as ts


def test_gradients_of_attention_are_shown_without_a_picture() -> None:
    kernel = ts.attention_inv(1, 4, 4, 4, target="avx2")
    shown = kernel._repr_html_()
    assert kernel.c_prototype.partition("(")[0] in shown and "<svg" not in shown
