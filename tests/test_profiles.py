"""Counts of the profiles, and the share of a soak."""

from __future__ import annotations

import pytest

from tests.profiles import GRID, of_grid, quick, rotation, scaled


@pytest.mark.parametrize(
    ("profile", "share", "normal", "soak", "wanted"),
    [
        ("soak", "1", 60, 2000, 2000),
        ("soak", "0.1", 60, 2000, 200),
        ("soak", "0", 60, 2000, 60),
        ("soak", "0", 60, 40, 40),
        ("soak", "0.001", 0, 100_000_000, 100_000),
        ("normal", "0", 60, 2000, 30),
        ("normal", "0", 25, 2000, 20),
        ("normal", "0", 12, 2000, 12),
        ("fast", "1", 60, 2000, 20),
    ],
)
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


def test_cases_of_a_grid_change_with_the_number_and_a_soak_has_all(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = range(10 * GRID)
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "normal")
    drawn = []
    for number in ("1", "2"):
        monkeypatch.setenv("TILESMITH_GRIDS", number)
        drawn.append(of_grid(cases, "a test"))
        assert len(drawn[-1]) == GRID
        assert sorted({*drawn[-1]}) == drawn[-1] == of_grid(cases, "a test") != of_grid(cases, "another test")
    assert drawn[0] != drawn[1]
    assert of_grid(cases[:GRID], "a test") == [*range(GRID)]
    for name, value in (("TILESMITH_GRIDS", "all"), ("HYPOTHESIS_PROFILE", "soak")):
        monkeypatch.setenv(name, value)
        assert of_grid(cases, "a test") == [*cases]


def test_cases_of_a_grid_have_all_values_before_any_of_them_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 8 targets and 5 types, 10 cases that are drawn without a look at them lack some on most days."""
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "normal")
    cases = [(target, dtype) for target in range(8) for dtype in range(5)]
    first = set()
    for number in range(40):
        monkeypatch.setenv("TILESMITH_GRIDS", str(number))
        drawn = of_grid(cases, "a test", 10, enumerate)
        for place, most in ((0, 2), (1, 2)):
            values = [each[place] for each in drawn]
            assert len({*values}) == len({each[place] for each in cases})
            assert max(map(values.count, values)) <= most
        first.update(drawn)
    assert len(first) == len(cases)  # each case has its day


def test_the_number_of_grids_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "normal")
    monkeypatch.setenv("TILESMITH_GRIDS", "today")
    with pytest.raises(ValueError, match="TILESMITH_GRIDS=today: a number, or all"):
        rotation()
