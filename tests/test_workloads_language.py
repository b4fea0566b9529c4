"""The workloads of language in docs/examples/workloads compute what torch, onnxruntime and definitions say.

Small configurations: each compares with torch or onnxruntime before anything is timed, and raises WrongResult if they
differ by more than rounding.
"""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import tilesmith as ts
from docs.examples import language
from docs.examples.workloads import bert, decoder, minilm, titles
from tests.profiles import is_soak
from tilesmith.runtime.bench import every, runner
from tilesmith.runtime.bench.table import WrongResult


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    """The programs set the number of threads of their process, which is that of other tests here."""
    yield
    ts.set_num_threads(0)


def rows_of(name: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the rows of all tables of the small configuration."""
    monkeypatch.setenv("TILESMITH_BENCH_THREADS", "1")
    with ts.threads(1):
        report = runner.run(every.load(name), ["--small", "--seconds", "0.0001"], console=Console(file=io.StringIO()))
    return [row for rows in report.tables.values() for row in rows]


def test_bert_learns_as_torch_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses are torch's on the same sentences, with the same dropped units; components add up."""
    pytest.importorskip("torch")
    rows = rows_of("bert", monkeypatch)
    (training,) = (row for row in rows if "steps" in row)
    assert training["apart"] < 1e-4 and abs(training["first"] - np.log(2)) < 1
    shares = [row["share"] for row in rows if "component" in row and row["share"] < 1]
    assert abs(sum(shares) - 1) < 1e-6


def test_a_wrong_gradient_of_bert_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(bert.Bert, "sum", lambda self, a, b: a)  # the residual's gradient is forgotten
    with pytest.raises(WrongResult, match="differ from torch's"):
        rows_of("bert", monkeypatch)


def test_the_decoder_writes_what_torch_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores by kept keys and values are those of the whole text at once; 8 bits change the loss by less than 4 do."""
    pytest.importorskip("torch")
    rows = rows_of("decoder", monkeypatch)
    f32, i8, i4 = (row for row in rows if "loss" in row)
    assert float(f32["error"]) < 1e-4
    assert abs(i8["loss"] - f32["loss"]) < 0.01 and abs(i4["loss"] - f32["loss"]) < 0.1
    assert {row["weights"] for row in rows if "parameters" in row} == set(decoder.FORMATS)


def test_cross_entropy_is_its_definition() -> None:
    scores = np.array([[1.0, 2.0, 4.0], [0.0, 0.0, 900.0]])
    shares = np.exp(scores[0]) / np.exp(scores[0]).sum()
    assert np.isclose(decoder.cross_entropy(scores, np.array([1, 2])), -np.log(shares[1]) / 2)


def test_words_are_cut_into_their_longest_parts(tmp_path: Path) -> None:
    """The longest known part first, then the longest of the rest; a word that is not made of parts is [UNK]."""
    words = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "em", "##bed", "##be", "##ding", "##s", "cafe", "!", "_"
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    found = minilm.Words(tmp_path / "vocab.txt").of("Embeddings _ café! xyz")
    assert [words[number] for number in found] == [
        "[CLS]",
        "em",
        "##bed",
        "##ding",
        "##s",
        "_",
        "cafe",
        "!",
        "[UNK]",
        "[SEP]",
    ]


def test_minilm_gives_onnxruntime_s_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    if not minilm.WHOLE.is_there and not is_soak():
        pytest.skip("91 MB of weights: where they are installed, and in soak")
    pytest.importorskip("onnxruntime")
    speed, nearest = rows_of("minilm", monkeypatch)
    assert float(speed["error"]) < 1e-4 and nearest["topics"]


def test_text_is_cut_into_the_most_likely_parts(tmp_path: Path) -> None:
    """All ways to cut a text are tried; an unknown character is a part by itself."""
    scores = {"\u2581": -2.0, "a": -3.0, "b": -3.5, "ab": -4.0, "\u2581a": -3.2, "ba": -4.5, "\u2581ab": -8.0}
    vocabulary = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], *([part, score] for part, score in scores.items())]
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"unk_id": 2, "vocab": vocabulary}}))
    parts = titles.Parts(tmp_path / "tokenizer.json")
    for text in ("ab", "aba ab", "baab"):
        whole = "\u2581" + text.replace(" ", "\u2581")
        cuts = itertools.chain.from_iterable(itertools.combinations(range(1, len(whole)), n) for n in range(len(whole)))
        ways = [[whole[a:b] for a, b in itertools.pairwise((0, *cut, len(whole)))] for cut in cuts]
        most = max(sum(map(scores.__getitem__, way)) for way in ways if all(part in scores for part in way))
        found = [parts.texts[number] for number in parts.of(text)[:-1]]
        assert "".join(found) == whole and np.isclose(sum(map(scores.__getitem__, found)), most)
        assert parts.text(parts.of(text)[:-1]) == text
    assert parts.of("a?") == [*parts.of("a")[:-1], 2, 1]


def test_titles_are_those_of_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_soak():
        pytest.skip("94 MB of weights, and a minute of compilation: in soak")
    pytest.importorskip("onnxruntime")
    written, *_ = rows_of("titles", monkeypatch)
    assert written["same"] == "2 of 2" and written["apart"] < 1e-2


def test_sentences_are_those_of_the_library() -> None:
    found = list(language.sentences(("json",), 8))
    said = " ".join((json.loads.__doc__ or "").split()).partition(". ")[0]
    assert re.findall("[a-z]+", said.lower()) in [words for words, _ in found]
    assert all(len(words) >= 8 and number == 0 for words, number in found)
