"""Jobs of grouped products and of attention over sequences have a proof with the table of a call, and none with a table
that is wrong."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.tuning.products import GROUPS
from tilesmith.runtime.grouped import attention, attention_nest, functions, proofs
from tilesmith.runtime.grouped.nest import DEEP_PIECE
from tilesmith.runtime.loops.blob import Blob
from tilesmith.runtime.loops.code import Call, index
from tilesmith.runtime.ops.row_nest import PIECE

ENDS = np.array([4, 4, 11])


def job(a: tuple[int, ...], b: tuple[int, ...], dtype: Any = np.float32, **given: Any) -> tuple[Any, Any]:
    """Return the job of a call, and its table."""
    found: dict[object, Any] = functions._ROWS if len(b) == 3 else functions._TERMS
    found.clear()
    ts.grouped_matmul(np.ones(a, dtype), np.ones(b, dtype), ENDS, **given)
    (made,) = found.values()
    return made, made._last[1]


@pytest.mark.parametrize(("a", "b"), [((11, 5), (3, 5, 7)), ((4, 11), (11, 7))])
def test_jobs_are_proved(a: tuple[int, ...], b: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the kernels, whose own proofs take seconds."""
    proved = list[Any]()
    monkeypatch.setattr("tilesmith.runtime.verify.nests.verify", lambda code, *_: proved.append(code) or True)
    made, table = job(a, b)
    proof = proofs.of_groups(made.job, made.nest, ENDS, table, (1, 3))
    assert proof and len(proved) >= 2, proof
    found = {each.what: each.how for each in proof.claims}
    count = 77 if len(b) == 3 else 84
    assert f"each of {count} elements of the result once" in found["once"] and f"the {count} el" in found["terms"]
    assert {"indices", "elements", "memory", "arithmetic", "threads", "mode", "alignment"} <= set(found)


@pytest.mark.parametrize(
    ("names", "name", "change", "text"),
    [
        (PIECE, "member", 2, "has other terms than its definition"),
        (PIECE, "row", 1, "written 0 times"),
        (PIECE, "rows", -1, "written 0 times"),
        (PIECE, "rows", 1, "written 2 times"),
        (DEEP_PIECE, "chunk0", 32, "other terms than its definition"),
        (DEEP_PIECE, "member", 1, "written 0 times"),
        (DEEP_PIECE, "chunk0", 1 << 20, "of a table of"),
    ],
)
def test_wrong_tables_are_refuted(names: tuple[str, ...], name: str, change: int, text: str) -> None:
    made, table = job(*(((11, 5), (3, 5, 7)) if names == PIECE else ((4, 11), (11, 7))))
    wrong = table.copy()
    wrong[GROUPS.parts + 1 + names.index(name)] += change  # of the first piece
    proof = made.verify(ENDS, wrong)
    assert proof.refuted and text in str(proof), str(proof)


@pytest.mark.parametrize(("bounds", "often"), [((0, 2, 0, 2), 2), ((0, 1), 0)])
def test_pieces_that_are_dealt_out_wrongly(bounds: tuple[int, ...], often: int) -> None:
    made, table = job((11, 5), (3, 5, 7))
    wrong = table.copy()
    assert wrong[GROUPS.parts] == 2
    wrong[: GROUPS.parts + 1] = [*bounds, *bounds[-1:] * (GROUPS.parts + 1 - len(bounds))]
    proof = made.verify(ENDS, wrong)
    assert proof.refuted and f"written {often} times" in str(proof), str(proof)


def test_what_has_no_proof() -> None:
    made, table = job((11, 5), (3, 5, 7), epilogue=lambda c: ts.relu(c))
    with pytest.raises(UnsupportedError, match="epilogues of grouped products"):
        made.verify(ENDS, table)


# Attention over sequences


def of_sequences(causal: bool, **options: Any) -> tuple[Any, Any, Any]:
    """Return the job of a call, its sequences, one of which has queries beyond its keys, and its table."""
    attention._JOBS.clear()
    queries = np.array([0, 1, 1, 4]) if options else np.array([0, 4, 4, 6])
    q, k = np.ones((queries[-1], 2, 2), np.float32), np.ones((6, 1, 2), np.float32)
    ts.varlen_attention(q, k, k, queries, [0, 2, 2, 6], causal=causal, **options)
    (made,) = attention._JOBS.values()
    return made, *made._last


@pytest.mark.parametrize(
    ("causal", "options", "most"), [(False, {"lse": True}, 4), (True, {}, 2), (True, {"window": 2}, 3)]
)
@pytest.mark.grid(1)
def test_attention_of_sequences_is_proved(
    causal: bool, options: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the kernels, which are proved for the numbers of keys that occur."""
    proved = dict[str, Any]()
    monkeypatch.setattr(
        "tilesmith.runtime.verify.nests.verify",
        lambda code, target, spec, kind, numbers: proved.setdefault(spec.stem, numbers) or True,
    )
    monkeypatch.setattr(attention, "_JOBS", {})
    monkeypatch.setattr("tilesmith.runtime.ops.dealt.GROUPS", GROUPS._replace(parts=5))  # loops over parts take seconds
    made, sequences, table = of_sequences(causal, **options)
    asked = proofs.HidingOfKeys(causal, options.get("window", 0), made.asked.scale)
    proof = proofs.of_sequences(made.job, made.nest, asked, sequences, table, (1, 3))
    assert proof and proved and max(map(max, proved.values())) == most, str(proof)
    what = [each.what for each in proof.claims]
    assert what.count("elements") == 1 + ("lse" in options) and {"indices", "once", "threads"} <= set(what)


@pytest.mark.parametrize("name", [each for each in attention_nest.PIECE if each != "line"])
@pytest.mark.parametrize("change", [1, -1])
@pytest.mark.grid(4)
def test_wrong_pieces_of_sequences_are_refuted(name: str, change: int) -> None:
    """A query left out or computed twice, other keys, heads and scales, one key more, and one less."""
    made, sequences, table = of_sequences(True)
    wrong = table.copy()
    wrong[GROUPS.parts + 1 + attention_nest.PIECE.index(name)] += change
    proof = made.verify(sequences, wrong)
    assert proof.refuted and "the calls of the nest, with its tables" in str(proof), str(proof)


@pytest.mark.parametrize("change", ["scale", "rows", "keys"])
def test_wrong_jobs_of_sequences_are_refuted(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another scale in the kernels; a row step, and a number of keys, that only the machine code has."""
    monkeypatch.setattr("tilesmith.runtime.verify.nests.verify", lambda *_, **given: True)
    made, sequences, table = of_sequences(False)
    scale = 1.0 if change == "scale" else made.asked.scale
    nest, job = made.nest, made.job
    if change != "scale":
        steps = tuple((name, replace(each, row=each.row + 4 * (name == "v"))) for name, each in nest.steps)
        nodes = replace(nest, steps=steps).nodes() if change == "rows" else fewer_keys(nest.nodes())
        job = SimpleNamespace(data=Blob(nodes, made.target).data, target=made.target, blob=job.blob)
    proof = proofs.of_sequences(job, nest, proofs.HidingOfKeys(False, 0, scale), sequences, table, (1,))
    assert not proof and (proof.refuted or "elements of out are not what" in str(proof)), str(proof)


def fewer_keys(nodes: Any) -> Any:
    """Return loops whose kernels get one key less than the pieces have."""
    if isinstance(nodes, tuple):
        return tuple(map(fewer_keys, nodes))
    if isinstance(nodes, Call):
        return replace(nodes, arguments=tuple(x - 1 if x == index("keys") else x for x in nodes.arguments))
    return replace(nodes, body=fewer_keys(nodes.body))
