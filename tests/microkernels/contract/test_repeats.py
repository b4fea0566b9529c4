"""Parts that are appended again: kernels have the same bytes and listings in whatever order they are made."""

from __future__ import annotations

from typing import Any

import pytest

from tilesmith.encoder.listing import listing
from tilesmith.microkernels.attention.spec import attention_spec, inverse_spec
from tilesmith.microkernels.contract import repeats
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.kernel.kinds import kind_of
from tilesmith.runtime.kernel.origin import Emitted

LENGTHS = ((67, 67), (70, 67), (67, 133))


def emitted(target: Any, spec: Any) -> tuple[bytes, str]:
    made = Emitted(spec, target, kind_of(spec))
    return made.code.data, listing(made.code)


@pytest.mark.slow
@pytest.mark.parametrize("name", ("avx2", "avx512", "amx", "sve256", "neon"))
@pytest.mark.grid(2)
def test_whatever_was_made_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [0]
    appended = repeats.appended

    def counted(asm: Any, piece: Any) -> None:
        pieces[0] += 1
        appended(asm, piece)

    monkeypatch.setattr(repeats, "appended", counted)
    dtype = "bf16" if name == "amx" else "f32"
    specs = [
        attention_spec(2, *lengths, 8, causal=causal, lse=True, dtype=dtype)
        for lengths in LENGTHS
        for causal in (False, True)
    ]
    specs += [inverse_spec(spec) for spec in specs[:2]]
    alone = []
    for spec in specs:
        repeats._kept.clear()
        alone.append(emitted(TARGETS[name], spec))
    pieces[0] = 0
    for spec, expected in zip(specs[::-1], alone[::-1]):
        assert emitted(TARGETS[name], spec) == expected
    assert pieces[0] > 20 or name == "neon"
