"""Results of long runs: a run continues where another one ended, and past an item that ended the process."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tests.kept_results import DECIDING, EXECUTING, ROOT, Kept


def test_a_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    assert Kept(path).judged("a", lambda: ["refuted", 1], "crashed") == ["refuted", 1]
    again = Kept(path)
    assert again.known("a") == ["refuted", 1] and again.known("b") is None
    path.write_text(path.read_text() + '["c", ["ref')  # as after a run that was killed while writing
    assert Kept(path).known("a") == ["refuted", 1]


def test_an_item_that_ends_the_process_twice_has_that_result(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"

    def end() -> str:
        raise SystemExit

    for _ in range(2):
        with suppress(SystemExit):
            Kept(path).judged("a", end, "crashed")
    assert Kept(path).judged("a", end, "crashed") == "crashed"
    assert Kept(path).known("a") == "crashed"


def test_what_decides_exists() -> None:
    assert all((ROOT / each).exists() for each in (*EXECUTING, *DECIDING))
