"""The claim of `layer.verify()` that the calls of a layer are the convolution holds for drawn ones, and does not hold
for nests with a fault of each kind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.convolution_cases import TYPES, WAYS, Case, cases, lay
from tests.profiles import scaled
from tilesmith.runtime.contraction import nest, packs, products, proofs
from tilesmith.runtime.contraction.nest import ContractionNest
from tilesmith.runtime.convolution import forms
from tilesmith.runtime.convolution.layer import Convolution
from tilesmith.runtime.verify.proof import Claim


def claim(layer: Convolution) -> Claim:
    definition = layer.definition()
    assert definition is not None
    return proofs.terms_of(layer.loops, layer.nodes(), *definition)


class _Asked(Exception):
    """A call would compute."""


@settings(max_examples=scaled(2, 50_000))
@given(cases(), st.sampled_from(WAYS), st.sampled_from([None, "avx2", "neon", "amx"]), st.booleans())
def test_calls_are_the_convolution(case: Case, way: str, target: str | None, more: bool) -> None:
    """Those of `ts.conv` and of the functions on arrays, also transposed ones."""
    layers = list[Convolution]()

    def called(layer: Convolution, *_: Any, **__: Any) -> Any:
        layers.append(layer)
        raise _Asked

    if not case.transposed and way in ("first", "last"):
        types: Any = tuple(
            {"float64": "f64", "float32": "f32", "bfloat16": "bf16", "float16": "f16"}.get(
                np.dtype(each).name, np.dtype(each).name.replace("uint", "u").replace("int", "i")
            )
            for each in TYPES[case.types]
        )
        letters = "DHW"[-case.dims :]
        layout = "NC" + letters if way == "first" else f"N{letters}C"
        zero = 3 if np.dtype(TYPES[case.types][0]).kind in "iu" and more else 0
        layers.append(
            ts.conv(
                case.x.shape,
                case.w.shape,
                **case.given,
                residual=more,
                layout=layout,
                dtype=types,
                zero_point=zero,
                target=target,
                bias=case.bias is not None,
            )
        )
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Convolution, "__call__", called)
            patch.setattr(Convolution, "pack", lambda *_: None)
            function: Any = getattr(ts, f"conv{'_transpose' * case.transposed}{case.dims}d")
            dtype = np.dtype(TYPES[case.types][2])
            with suppress(_Asked):  # few channels in each group have a kernel of their own
                function(lay(case.x, way), case.w, case.bias, **case.given, dtype=dtype)
    for each in layers:
        found = claim(each)
        assert found.holds, found.how


def _shifted(name: str, where: Any, by: int) -> Callable[[pytest.MonkeyPatch], None]:
    """Return what moves an address of every call by some bytes."""

    def patched(patch: pytest.MonkeyPatch) -> None:
        given = getattr(where, name)

        def moved(*args: Any) -> Any:
            found = given(*args)
            return type(found)(found.operand, found.offset + by)

        patch.setattr(where, name, moved)

    return patched


def _other_taps(patch: pytest.MonkeyPatch) -> None:
    """The weights of the taps in another order than the image's."""
    given = packs.packed
    patch.setattr(products, "packed", lambda c, loops, panels, b, to: given(c, loops, panels, b[:, :, ::-1], to))
    patch.setattr(proofs, "packed", products.packed)


def _padding_on_the_other_side(patch: pytest.MonkeyPatch) -> None:
    given = forms.forward
    patch.setattr(
        forms,
        "forward",
        lambda g, *more: given(g._replace(padding=tuple((b, a) for a, b in g.padding)), *more),
    )


def _a_filling_less(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(packs.Copying, "_filling", lambda *_: [])


def _a_tile_less(patch: pytest.MonkeyPatch) -> None:
    given = ContractionNest._tiles
    patch.setattr(ContractionNest, "_tiles", lambda self: list(given(self))[:-1])


def _residual_elsewhere(patch: pytest.MonkeyPatch) -> None:
    given = ContractionNest._element

    def element(self: ContractionNest, at: int, *more: Any) -> Any:
        found = given(self, at, *more)
        return type(found)(found.operand, found.offset + 4) if at == nest.EXTRAS else found

    patch.setattr(ContractionNest, "_element", element)


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a": _shifted("_a", ContractionNest, 4),
    "panels": _shifted("_b", ContractionNest, 4),
    "other taps": _other_taps,
    "padding on the other side": _padding_on_the_other_side,
    "a filling less": _a_filling_less,
    "a tile less": _a_tile_less,
    "a residual elsewhere": _residual_elsewhere,
}


def test_a_residual_in_place() -> None:
    """The claim names it, where blocks of the result come from scratch memory; elsewhere it would not hold."""
    first, last = (
        ts.conv((2, 3, 6, 5), (4, 3, 1, 1), residual=True, layout=each, dtype="bf16") for each in ("NCHW", "NHWC")
    )
    assert not last._in_place
    assert "the same with residual in place of the result" in claim(first).how
    wanted, labels, _ = last.definition()
    assert not proofs.terms_of(last.loops, last.nodes(), wanted, labels, ["residual"]).holds


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.grid(2 * len(FAULTS))
def test_faults_are_found(fault: str, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"padding": ((2, 0), (0, 1)), "layout": layout}
    shapes = (2, 3, 6, 5), (4, 3, 2, 2)
    whole = claim(Convolution(ts.conv(*shapes, **asked).request))
    assert whole.holds, whole.how
    FAULTS[fault](monkeypatch)
    made = Convolution(ts.conv(*shapes, **asked).request)
    assert not claim(made).holds
