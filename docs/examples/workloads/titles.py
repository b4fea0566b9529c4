"""A language model of the T5 kind in bytes, through `ts.onnx`, beside onnxruntime: `tilesmith bench titles [--small]`.

pip installs traceforge-title-model into .build/onnx-models (94 MB): an encoder and a decoder of eight layers of width
512, with weights of 8 bits and activations that are quantized as they come. It was trained to give steps of work a
title. The program splits text into the most likely parts of words, and takes the most likely part next, until the end.
The graph of the decoder keeps no keys and values: a step computes all of the title's 16 places, and reads one.

    titles     what it writes, beside what it writes by onnxruntime, and the tokens that they agree on
    speed      a call of the encoder, and one of the decoder
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import timed
from tests.runtime.integrations.onnx.whole_models import MODELS, session
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

READ, WRITTEN, START, END = 64, 16, 0, 1
"""Places of the text and of the title, and the numbers of their start and end."""
TEXTS = (
    "The user asked to fix a failing test in the tokenizer. I opened the file, found that accents were kept, and "
    "removed them before the words are split.",
    "Ran the benchmark of matrix products on two cores, wrote the table to the documentation and committed it.",
    "Read the error message of the build, installed the missing compiler and started the build again.",
)
Array = np.ndarray
Call = Callable[[dict[str, Array]], list[Array]]


class Parts:
    """Splits text into the parts of words whose product of probabilities is the largest (a unigram model)."""

    def __init__(self, path: Path) -> None:
        model = json.loads(path.read_text("utf-8"))["model"]
        self.texts = [part for part, _ in model["vocab"]]
        self.known = {part: (score, number) for number, (part, score) in enumerate(model["vocab"])}
        self.unknown, self.longest = int(model["unk_id"]), max(map(len, self.texts))
        self.least = min(score for score, _ in self.known.values()) - 10

    def of(self, text: str) -> list[int]:
        """The numbers of the parts, with that of the end."""
        whole = "\u2581" + " ".join(text.split()).replace(" ", "\u2581")
        best: list[tuple[float, list[int]]] = [(0.0, [])]
        for end in range(1, len(whole) + 1):
            found = (-math.inf, list[int]())
            for start in range(max(0, end - self.longest), end):
                score, number = self.known.get(whole[start:end], (self.least, self.unknown))
                if (number != self.unknown or end - start == 1) and best[start][0] + score > found[0]:
                    found = best[start][0] + score, [*best[start][1], number]
            best.append(found)
        return [*best[-1][1], END]

    def text(self, numbers: list[int]) -> str:
        """The text of parts."""
        return "".join(self.texts[number] for number in numbers).replace("\u2581", " ").strip()


@cache
def models(precise: bool = True) -> dict[str, tuple[Call, Call]]:
    """The encoder and the decoder, by this package and by onnxruntime; `precise` are its sums that never saturate."""
    paths = [MODELS[f"int8 {name}"].path for name in ("encoder", "decoder")]
    ours, theirs = [ts.onnx.load(path) for path in paths], [session(path, precise=precise) for path in paths]
    return {
        "ours": (partial(_called, ours[0]), partial(_called, ours[1])),
        "onnxruntime": (partial(theirs[0].run, None), partial(theirs[1].run, None)),
    }


def _called(model: Any, given: dict[str, Array]) -> list[Array]:
    found = model(given)
    return (
        list(found.values()) if isinstance(found, dict) else [*found] if isinstance(found, (list, tuple)) else [found]
    )


def read(text: str) -> dict[str, Array]:
    """The inputs of the encoder: a text, filled up."""
    numbers = parts().of(text)[:READ]
    tokens = np.zeros((2, 1, READ), np.int64)
    tokens[0, 0, : len(numbers)], tokens[1, 0, : len(numbers)] = numbers, 1
    return {"input_ids": tokens[0], "attention_mask": tokens[1]}


@cache
def parts() -> Parts:
    """The parts of words of the package."""
    return Parts(MODELS["int8 encoder"].path.parent / "tokenizer.json")


def title(encoder: Call, decoder: Call, text: str, most: int = WRITTEN - 1) -> tuple[list[int], Array]:
    """The parts of a title, and the scores of the first one."""
    given, written, first = read(text), np.zeros((1, WRITTEN), np.int64), np.empty(0)
    (hidden,) = encoder(given)
    inputs = {"encoder_hidden_states": hidden, "encoder_attention_mask": given["attention_mask"]}
    for place in range(most):
        (scores,) = decoder({"input_ids": written, **inputs})
        first = scores[0, 0] if place == 0 else first
        if (number := int(scores[0, place].argmax())) == END:
            return written[0, 1 : place + 1].tolist(), first
        written[0, place + 1] = number
    return written[0, 1 : most + 1].tolist(), first


def titles(run: Run, text: str) -> Row | None:
    """The title of a text by both."""
    if find_spec("onnxruntime") is None:
        return run.remark("titles: needs onnx and onnxruntime")
    ts.set_num_threads(1)
    most = 2 if run.options.small else WRITTEN - 1
    (ours, scores), (theirs, wanted) = (title(*each, text, most) for each in models().values())
    same = next((place for place, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    shown = {"text": f"{text[:48]}...", "title": parts().text(ours), "by onnxruntime": parts().text(theirs)}
    apart = float(np.abs(scores - wanted).max() / np.abs(wanted).max())
    return {**shown, "same": f"{same} of {len(theirs)}", "apart": apart}


def speed(run: Run, name: str) -> Row | None:
    """The row of a call of the encoder or of the decoder."""
    if find_spec("onnxruntime") is None:
        return None
    given = read(TEXTS[0])
    if name == "decoder":
        (hidden,) = models(False)["ours"][0](given)
        more = {"encoder_hidden_states": hidden, "encoder_attention_mask": given["attention_mask"]}
        given = {"input_ids": np.zeros((1, WRITTEN), np.int64), **more}
    calls = {who: partial(each[name == "decoder"], given) for who, each in models(False).items()}
    return {"call": name, **timed(run, calls)}


def _tables(run: Run) -> tuple[Table, ...]:
    goal = (Wanted("{call}: onnxruntime by ours", 1 / 1.2, "by onnxruntime"),)
    shown = "text; title; by onnxruntime; same tokens=same; first scores, largest difference=apart:4"
    columns = "call; ms=ours:2m; onnxruntime, ms=onnxruntime:2m; onnxruntime by ours=by onnxruntime:2"
    return (
        Table("titles", shown, TEXTS[: 1 if run.options.small else 3], titles, "a title for a step of work"),
        Table("speed", columns, ("encoder", "decoder"), speed, "64 places of text, 16 of the title, one thread", goal),
    )


BENCH = Bench("titles", __doc__, _tables, {"--small": beside_torch.OPTIONS["--small"]}, seconds=1.0, quick=("--small",))
