"""Jobs of products, layers and networks found on disk equal newly made ones, and damaged ones are made again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.cache import sealed, store
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.kernel.request_cache import forget_all
from tilesmith.runtime.loops.job import CachedJob, Job
from tilesmith.runtime.system import environment

MADE: dict[str, Callable[[], Any]] = {
    "gemm": lambda: ts.gemm(70, 90, 80, beta=0.0),
    "threads": lambda: ts.gemm(70, 90, 80, beta=0.0, threads=2),
    "beta": lambda: ts.gemm(70, 90, 80, beta=1.0),
    "bytes": lambda: ts.gemm(6, 9, 8, beta=0.0, dtype=("u8", "i8", "u8"), epilogue=lambda c: c * 0.5),
    "other epilogue": lambda: ts.gemm(6, 9, 8, beta=0.0, dtype=("u8", "i8", "u8"), epilogue=lambda c: c * 0.25),
    "linear": lambda: ts.linear(5, 40, 30),
    "activation": lambda: ts.linear(5, 40, 30, activation=ts.relu),
    "packing": lambda: ts.linear(5, 40, 30).packing,
    "mlp": lambda: ts.mlp(5, [40, 30, 20]),
    "spread": lambda: ts.spread(ts.fused("softmax", 64, 70)),
}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    where = tmp_path / "cache"
    monkeypatch.setenv(environment.CACHE, str(where))
    store._waiting.clear()
    store._warned.clear()
    forget_all()
    yield where
    store._waiting.clear()
    store._warned.clear()
    forget_all()


def made(name: str) -> Any:
    forget_all()
    found = MADE[name]()
    assert found.job.data
    store.flush()
    return found


def test_they_are_the_same(place: Path) -> None:
    first = {name: made(name) for name in MADE}
    assert type(first["gemm"].job) is Job
    for name, one in first.items():
        again = made(name)
        assert type(again.job) is CachedJob, name
        assert again.job.data == one.code and again.job.features == one.job.blob.features
        assert getattr(again, "plan", None) == getattr(one, "plan", None) or name == "spread"
        assert again.code == one.code and str(again) == str(one) and again.name == one.name
        assert again.listing() == one.listing()
    assert len({each.job.data for each in first.values()}) >= len(first) - 1  # threads only deal out parts


def test_a_kept_product_computes(place: Path) -> None:
    made("gemm")
    a, b = np.arange(5600.0, dtype=np.float32).reshape(70, 80), np.eye(80, 90, dtype=np.float32)
    assert np.array_equal(made("gemm")(a, b), np.pad(a, ((0, 0), (0, 10))))


def test_kernels_are_made_if_they_are_to_be_proved(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made("gemm")
    monkeypatch.setenv(environment.VERIFY, "1")
    monkeypatch.setattr("tilesmith.runtime.kernel.callable.kernels", SimpleNamespace(require=lambda _: None))
    assert type(made("gemm").job) is Job


def test_damaged_entries_are_made_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = made("gemm").code
    assert main(["cache", "check"]) == 0
    assert main(["cache", "list"]) == 0 and " job " in capsys.readouterr().out
    for file in place.glob("*.kernel"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(bytes(data))
    with pytest.warns(store.CacheWarning):
        again = made("gemm")
    assert type(again.job) is Job and again.code == code


def test_a_job_for_a_processor_with_more_features_is_made_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made("gemm")
    read = sealed.unsealed

    def with_more(data: bytes, secret: bytes) -> sealed.SealedEntry:
        entry = read(data, secret)
        return entry._replace(facts={**entry.facts, "features": ["AVX512_ELSEWHERE"]})

    monkeypatch.setattr(sealed, "unsealed", with_more)
    assert type(made("gemm").job) is Job
