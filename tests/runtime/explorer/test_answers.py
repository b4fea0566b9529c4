"""Answers of the explorer: what they show is what the API says, and no text makes them do anything else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import tilesmith as ts
from tests.profiles import scaled
from tests.runtime.explorer.questions import QUESTIONS, asked
from tilesmith.runtime.cli.requests import REQUESTS
from tilesmith.runtime.explorer import form, runs
from tilesmith.runtime.explorer.answers import LIMITS, answer, parser


@pytest.mark.grid(3)
@pytest.mark.parametrize(
    ("request_", "target", "make"),
    [
        pytest.param(
            "brgemm 16 6 64 --dtype f64", "neon", lambda: ts.brgemm(16, 6, 64, dtype="f64", target="neon"), id="a"
        ),
        pytest.param("fused softmax 8 64", "avx512", lambda: ts.fused("softmax", 8, 64, target="avx512"), id="b"),
        pytest.param("transpose 16 12", "avx2", lambda: ts.transpose(16, 12, target="avx2"), id="c"),
        pytest.param(
            "equation 'max(exp(x) @ w.T, axis=1)' 8 1 --shape x=8x16 --shape w=24x16",
            "sve256",
            lambda: ts.equation(lambda x, w: ts.max(ts.exp(x) @ w.T, axis=1), x=(8, 16), w=(24, 16), target="sve256"),
            id="d",
        ),
    ],
)
def test_an_answer_shows_what_the_api_makes(request_: str, target: str, make: Callable[[], Any]) -> None:
    kernel, shown = make(), asked(request_, target)
    known = (kernel.code.hex(), kernel.c_prototype, str(kernel.plan), [*map(str, kernel.plan.rejected)], kernel.flops)
    assert tuple(shown[each] for each in ("code", "prototype", "plan", "rejected", "flops")) == known
    lines = [each for each in shown["listing"] if "at" in each]
    assert len(lines) == shown["instructions"]
    for line, text in zip(shown["listing"], kernel.listing().splitlines(), strict=True):
        assert all(line.get(each, "") in text for each in ("text", "bytes", "note"))
    ends = [*(line["at"] for line in lines[1:]), len(kernel.code)]
    assert all(
        bytes.fromhex(line["bytes"]) == kernel.code[line["at"] :][: end - line["at"]]
        for line, end in zip(lines[:-1], ends)
    )
    assert {each["text"] for each in shown["loops"]} == set(re.findall("^loop .*$", kernel.costs(), re.MULTILINE))
    for loop in shown["loops"]:
        body = [line["cycles"] for line in lines if loop["start"] <= line["at"] <= loop["end"]]
        sums = {pipe: f"{sum(cycles):.2f}" for pipe, cycles in zip(shown["pipes"], zip(*body))}
        assert all(f"{pipe} {total}" in loop["text"] for pipe, total in sums.items() if float(total))
    for row in shown["registers"]:
        assert row["registers"] in kernel.registers() and row["role"] in (*kernel.registers().split("  "), "used")
        assert 0 <= row["start"] < row["end"] <= shown["bytes"]


def test_every_kind_has_an_example_and_every_argument_a_field() -> None:
    made = form.form()
    assert made["targets"] == ts.targets()
    kinds: Any = made["kinds"]
    assert {kind["name"] for kind in kinds} == REQUESTS.keys()
    for kind in kinds:
        given = vars(parser().parse_args(kind["example"].replace("'gelu(x @ w + b)'", "x").split()))
        own = {"kind", "target", "make"}
        assert {field["name"] for field in kind["fields"]} == given.keys() - own
    names = {kind["name"]: kind["fields"][0]["choices"] for kind in kinds}
    assert "gelu" in names["unary"] and "layernorm" in names["fused"] and "max" in names["reduce"]


@pytest.mark.parametrize(
    ("request_", "refusal"),
    [
        ("", "arguments are required: kind"),
        ("brgemm 16 6", "arguments are required: k"),
        ("brgemm 16 6 many", "a number"),
        ("brgemm 16 6 64 --help", "unrecognized arguments: --help"),
        ("brgemm 16 6 64 --target avx2", "beside the request"),
        ("brgemm 16 6 64 -o /tmp/file", "unrecognized arguments"),
        ("@/etc/passwd", "invalid choice"),
        ("unary 'gelu 4 4", "No closing quotation"),
        ("unary gleu 4 4", "not 'gleu'"),
        ("gemm 16 6 64", "invalid choice"),
        ("brgemm 16 6 100000", "k: at most 65536 here"),
        ("brgemm 16 6 64 --lda 100000", "lda: at most 65536"),
        ("equation 'x @ w' 4 4 --shape w=4x99999", "shape: at most 65536"),
        ("brgemm 0 6 64", "m: from 1"),
        ("brgemm 4 4 4 --dtype f128", "f128"),
        ("equation 'x.__class__' 4 4", "not 'x.__class__'"),
        ("equation 'x.T.T' 4 4", "not 'x.T.T'"),
        ("equation '().__class__ + x' 4 4", "not '().__class__'"),
        ("equation '__import__(x)' 4 4", "no function __import__"),
        ("equation 'eval(x)' 4 4", "no function eval"),
        ("equation 'tanh.__globals__[x]' 4 4", "not 'tanh.__globals__[x]'"),
        ("equation '(lambda: x)() + x' 4 4", "not '(lambda: x)()'"),
        ("equation '[x for y in x]' 4 4", "not '[x for y in x]'"),
        ("""equation 'sum(x, axis="1")' 4 4""", "\"'1'\""),
        ("equation 'sum(x, **y)' 4 4", "not 'sum(x, **y)'"),
        ("equation 'sum(*x)' 4 4", "not '*x'"),
        ("equation 'softmax(x, axis=1, over=2)' 4 4", "over"),
        ("equation 'x + 9 ** 9 ** 9' 4 4", "not '9 ** 9 ** 9'"),
        ("equation 'x := x' 4 4", "not an expression"),
        ("equation 'x if x else x' 4 4", "not 'x if x else x'"),
        ("equation '1 / 0 + x' 4 4", "division by zero"),
        ("equation 'x + 1e999' 4 4 --dtype i32", "i32"),
        ("equation '" + "(" * 300 + "x" + ")" * 300 + "' 4 4", "not an expression"),
        ("brgemm 4 4 4 --epilogue 'open(c)'", "no function open"),
    ],
    ids=lambda value: re.sub(r"\W+", "_", value)[:40],
)
@pytest.mark.grid(99)
def test_texts_that_are_no_requests_are_refused(request_: str, refusal: str) -> None:
    said = asked(request_, "avx2")
    assert refusal in said["error"], said


@pytest.mark.parametrize(
    ("question", "refusal"),
    [
        ("", "Expecting value"),
        ("[]", "a question is"),
        ('{"request": 1, "target": "avx2", "want": "kernel"}', "a question is"),
        ('{"request": "brgemm 1 1 1", "target": "z80", "want": "kernel"}', "target: one of"),
        ('{"request": "brgemm 1 1 1", "target": "avx2", "want": "__class__"}', "want: one of"),
        (json.dumps({"request": "x" * LIMITS.text}), "at most 4000 characters"),
        ('{"request": "brgemm 1 1 \\ud800", "target": "avx2", "want": "kernel"}', "a number"),
    ],
)
def test_questions_of_another_form_are_refused(question: str, refusal: str) -> None:
    assert refusal in json.loads(answer(question))["error"]


def test_long_listings_are_cut() -> None:
    few = LIMITS._replace(instructions=7)
    shown = asked("brgemm 4 4 4", "avx2", limits=few)
    assert len([line for line in shown["listing"] if "at" in line]) == 7 and shown["code"] == ""
    assert shown["listing"][-1]["text"].startswith(f"... {shown['instructions'] - 7} more instructions")


def test_runs_say_what_is_right_and_what_is_wrong() -> None:
    kernel = ts.brgemm(4, 8, 4, target="avx2")
    right = runs.run(kernel)
    times: Any = right["times"]
    assert str(right["verdict"]).startswith("right: c as") and sum(times.values()) == right["steps"]
    other = ts.brgemm(4, 8, 4, beta=0, target="avx2")
    wrong: Any = SimpleNamespace(code=other.code, target=kernel.target, spec=kernel.spec, kind=kernel.kind, name="k")
    assert re.match(r"WRONG: \d+ elements of c", str(runs.run(wrong)["verdict"]))
    assert asked("fused softmax 2 8", "neon", "run")["verdict"].startswith("right: y as")
    assert (
        "the definition on numbers is not stated"
        in asked("reduce sum 4 8 --out i8 --dtype i8", "neon", "run")["verdict"]
    )
    assert "at most 16384 elements" in asked("brgemm 200 200 4", "avx2", "run")["error"]
    few = runs.MOST._replace(steps=9)
    with pytest.raises(ts.UnsupportedError, match="at most 9 instructions"):
        runs.run(kernel, few)


def test_proofs_are_those_of_the_kernel() -> None:
    said = asked("unary relu 2 4", "avx2", "proof")
    assert said["holds"] and "proved" in said["text"]
    assert "verify" in asked("unary exp 64 64", "avx2", "proof", LIMITS._replace(seconds=1e-9))["error"]


IN_A_BROWSER = """
import os, sys
class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("numpy", "cffi", "_cffi_backend", "ml_dtypes", "rich", "resource", "multiprocessing"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
os.uname = lambda: type("", (), {"machine": "wasm32"})
os.environ["TILESMITH_CACHE"] = "off"
from tilesmith.runtime.explorer import answers, form
form.form()
for line in sys.stdin:
    print(answers.answer(line))
"""


def test_planning_and_listing_need_neither_numpy_nor_cffi() -> None:
    """As in a browser, which is another machine too."""
    step = max(1, len(QUESTIONS) // scaled(3, len(QUESTIONS)))
    some = QUESTIONS[1::step]
    lines = "\n".join(json.dumps({"request": each, "target": target, "want": "kernel"}) for each, target in some)
    done = subprocess.run([sys.executable, "-c", IN_A_BROWSER], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = list(map(json.loads, done.stdout.splitlines()))
    assert found == [asked(*each) for each in some] and all("error" not in each for each in found)
