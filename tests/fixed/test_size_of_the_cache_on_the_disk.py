"""The limit of the cache counted the contents of files, not the blocks that they take: at 64 MiB, du said 98 MiB."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tilesmith.runtime.cache import folder, store
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.system import environment

LIMIT, BLOCK = 160 << 10, 4096


def on_the_disk(place: Path) -> int:
    return int(subprocess.run(["du", "-s", "-B1", place], capture_output=True, text=True, check=True).stdout.split()[0])


@pytest.mark.skipif(shutil.which("du") is None, reason="needs du")
def test_the_limit_is_what_du_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "cache"
    monkeypatch.setenv(environment.CACHE, str(place))
    monkeypatch.setenv(environment.CACHE_SIZE, str(LIMIT))
    for number in range(80):
        store.keep(f"request {number}", lambda: ({"kind": "none", "name": "none"}, [b"small"]))
    store.flush()
    assert LIMIT // 2 < on_the_disk(place) <= LIMIT + LIMIT // store._SHARE + store.WAITING * BLOCK
    store.shrink(str(place))
    assert LIMIT // 2 < on_the_disk(place) <= LIMIT
    (place / "machine_facts.json").write_bytes(bytes(LIMIT // 2))  # whatever else lies in the folder
    store.shrink(str(place))
    assert on_the_disk(place) <= LIMIT
    with folder.opened(str(place)) as opened:
        assert len(list(store.files(opened))) > 3
    main(["cache"])
    said = capsys.readouterr().out
    found = re.search(r" ([\d.]+) of 0\.2 MiB", said)
    assert found is not None, said
    assert abs(float(found[1]) * (1 << 20) - on_the_disk(place)) <= (1 << 20) / 20
