"""Counts of the profiles, and the share of a soak."""

from __future__ import annotations

import pytest

from tests.profiles import quick, scaled


@pytest.mark.parametrize(
    ("profile", "share", "normal", "soak", "wanted"),
    [("soak", "1", 60, 2000, 2000), ("soak", "0.1", 60, 2000, 200), ("soak", "0", 60, 2000, 60),
     ("soak", "0", 60, 40, 40), ("soak", "0.001", 0, 100_000_000, 100_000), ("normal", "0", 60, 2000, 60),
     ("fast", "1", 60, 2000, 20)],
)  # fmt: skip
def test_counts(profile: str, share: str, normal: int, soak: int, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPOTHESIS_PROFILE", profile)
    monkeypatch.setenv("TILESMITH_SOAK_SHARE", share)
    assert scaled(normal, soak) == wanted


@pytest.mark.parametrize(("profile", "wanted"), [("normal", 3), ("soak", 25), ("fast", 20), ("emulated", 20)])
def test_a_quick_test_draws_little(profile: str, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPOTHESIS_PROFILE", profile)
    assert quick(25) == wanted


@pytest.mark.parametrize("share", ["a tenth", "-1", "2", "nan"])
def test_a_share_is_a_number_from_0_to_1(share: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "soak")
    monkeypatch.setenv("TILESMITH_SOAK_SHARE", share)
    with pytest.raises(ValueError, match="TILESMITH_SOAK_SHARE=.*: a number from 0 to 1"):
        scaled(1, 2)
