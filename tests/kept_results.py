"""Keep the results of long runs in a file, so that a run continues where the previous one ended.

    kept = Kept.of("mutants", seed=1)           .build/proofs/mutants-1-<hash of what decides on the results>.jsonl
    kept.known(key) or kept.judged(key, lambda: ["refuted", "..."])

The start of a case is noted before its result. If a case has ended the process twice, this becomes its result, so that
it does not end every further run.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".build" / "proofs"
DECIDING = ("encoder", "emulation", "microkernels", "runtime/arguments", "runtime/kernel", "runtime/verify")
"""Folders whose source decides what is proved, and about which code."""
CRASHED = "ended the process"
EXECUTING = (
    "encoder",
    "emulation",
    "runtime/arguments",
    "runtime/verify/numbers/draws.py",
    *(f"runtime/verify/{name}.py" for name in ("calls", "extents", "gathers", "indexed", "operands")),
    "runtime/verify/callers/mode.py",
    "runtime/verify/traced/calls.py",
    "tests/side_by_side/bits.py",
    "tests/side_by_side/executed.py",
)
"""Source that decides what given bytes do, and for which calls and numbers. No proof is part of it."""
_NOT_EXECUTING = "emulation/symbolic"
_TRIES = 2


def hashed(places: Sequence[str] = DECIDING, without: str | None = None) -> str:
    """Return a hash of the source of some folders and files, without the folder `without`."""
    found = hashlib.sha256()
    for place in places:
        for path in sorted((ROOT / place).rglob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]:
            if without is None or ROOT / without not in path.parents:
                found.update(path.read_bytes())
    return found.hexdigest()[:12]


class Kept:
    """Results by key; without a file, only those of this run."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.results: dict[str, Any] = {}
        self._begun: Counter[str] = Counter()
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                self._read(line)

    @classmethod
    def of(cls, name: str, seed: int, files: Sequence[str] = ()) -> Kept:
        """Return the results of runs with this seed and source."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        return cls(FOLDER / f"{name}-{seed}-{hashed((*DECIDING, *files))}.jsonl")

    @classmethod
    def of_execution(cls, name: str, seed: int) -> Kept:
        """Return the results that execution alone decides; they stay valid if only code that proves is changed."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        return cls(FOLDER / f"{name}-executed-{seed}-{hashed(EXECUTING, _NOT_EXECUTING)}.jsonl")

    def _read(self, line: str) -> None:
        try:
            key, result = json.loads(line)
        except ValueError:  # the last line of a run that was interrupted
            return
        if result is None:
            self._begun[key] += 1
        else:
            self.results[key] = result

    def known(self, key: str) -> Any:
        """Return a result, or None if there is none."""
        return self.results.get(key)

    def judged(self, key: str, judge: Callable[[], Any], crashed: Any) -> Any:
        """Judge a case now and return its result, or `crashed` if it has ended the process too often."""
        result = crashed
        if self._begun[key] < _TRIES:
            self._write(key, None)
            result = judge()
        self.results[key] = result
        self._write(key, result)
        return result

    def note(self, key: str, result: Any) -> None:
        """Note a result that was found elsewhere."""
        self.results[key] = result
        self._write(key, result)

    def _write(self, key: str, result: Any) -> None:
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps([key, result]) + "\n")
