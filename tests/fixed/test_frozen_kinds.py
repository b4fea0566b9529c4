"""Found by a list of all kinds: fused kernels, attention and traced functions with products could be frozen, but the
folder could not be loaded, because the reader of texts did not know their requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import pytest

import tilesmith as ts
from tests.fixed.test_pickles_are_checked import KERNELS
from tilesmith.encoder.records import text_of
from tilesmith.runtime.kernel import callable
from tilesmith.runtime.kernel.frozen import freeze
from tilesmith.runtime.kernel.origin import CachedCode
from tilesmith.runtime.kernel.texts import value_of

ONE_OF_EACH: dict[str, Any] = {type(each.spec).__name__: each for each in KERNELS}


@pytest.mark.parametrize("held", KERNELS, ids=lambda each: each.name)
def test_a_request_is_what_its_text_says(held: Any) -> None:
    assert value_of(text_of(held.spec)) == held.spec


@pytest.mark.slow
@pytest.mark.usefixtures("few_stubs")
def test_a_kernel_of_each_kind_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    freeze(ONE_OF_EACH, str(tmp_path / "kernels"))
    monkeypatch.setattr(callable, "_alive", WeakValueDictionary())  # like another process, which holds no kernels
    found = ts.load(tmp_path / "kernels")
    assert found.keys() == ONE_OF_EACH.keys()
    for name, kernel in found.items():
        assert isinstance(kernel._origin, CachedCode) and kernel.spec == ONE_OF_EACH[name].spec
        assert kernel.code == ONE_OF_EACH[name].code and kernel.c_prototype == ONE_OF_EACH[name].c_prototype
