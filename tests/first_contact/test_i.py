"""The command line: pipes, output for programs, completion, paths that are looked at first, words of the shell."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.cli import completion, main
from tilesmith.runtime.cli.main import _parser

PROGRAM = [sys.executable, "-m", "tilesmith"]


def test_i2_pipes_that_end_early(tmp_path):
    """`tilesmith info | head -1`: no message, and the status of a program that SIGPIPE ends."""
    command = f"{' '.join(PROGRAM)} info | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1] in ("0", "141")


def said(capsys, *arguments):
    """What a command prints that succeeds."""
    assert main.main(arguments) == 0
    return capsys.readouterr().out


def test_i3_json(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = json.loads(said(capsys, "info", "--json"))
    assert found["version"] == ts.__version__
    assert found["targets"].keys() == set(ts.targets())
    assert found["peak"]["f32"] > found["peak"]["f64"] > 1e9
    kernel = ts.brgemm(4, 4, 4, target="avx2")
    found = json.loads(said(capsys, "asm", "brgemm", "4", "4", "4", "--target", "avx2", "--json"))
    assert bytes.fromhex(found["code"]) == kernel.code
    assert (found["name"], found["prototype"]) == (kernel.name, kernel.c_prototype)
    assert main.main(["asm", "brgemm", "4", "4", "4", "--target", "avx2", "--json", "-o", "k.json"]) == 0
    assert json.loads((tmp_path / "k.json").read_text()) == found


def test_i3_demo_leaves_nothing_where_it_is_not_told(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = json.loads(said(capsys, "demo", "--seconds", "0.005", "--json"))
    assert [each["right"] for each in found] == [True] * 5
    assert not list(tmp_path.iterdir())


def test_i3_a_drawing_is_refused_before_the_work(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tilesmith.runtime.bench.eltwise.bench_eltwise", pytest.fail)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    for path, reason in (("no/x.png", "a folder that exists"), ("x.xyz", "a name ending in .png, .svg, .pdf")):
        assert main.main(["bench", "eltwise", "--plot", str(tmp_path / path)]) == 2
        assert f"--plot: a file in {reason}" in (text := capsys.readouterr().err) or reason in text
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main.main(["bench", "eltwise", "--plot", str(tmp_path / "x.png")]) == 2
    assert "matplotlib" in capsys.readouterr().err


def test_i3_words_of_the_shell(capsys):
    assert main.main(["asm", "brgemm", "4", "4", "4", "--target", "avx"]) == 2
    text = capsys.readouterr().err
    assert text.startswith("tilesmith: --target: one of avx2, ")
    assert text.endswith("did you mean 'avx2'?\n")
    assert "None" not in text


# Completion


def completed(*words):
    """What bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in words)
    run = f"{completion.script('bash', _parser())}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _tilesmith\n"
    done = subprocess.run([tools.require("bash"), "-c", run + 'echo "${COMPREPLY[@]}"'], capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("tilesmith", "in"), ["info"]),
        (("tilesmith", "asm", "un"), ["unary"]),
        (("tilesmith", "asm", "brgemm", "4", "4", "4", "--nu"), ["--numerics"]),
        (("tilesmith", "asm", "brgemm", "4", "4", "4", "--syntax", ""), ["intel", "gas"]),
        (("tilesmith", "bench", "--dtype", "f3"), ["f32"]),
        (("tilesmith", "completion", ""), [*completion.SHELLS, "-h", "--help"]),
        (("tilesmith", "matmul", "a.np"), []),
    ],
)
def test_i3_completion(words, offered):
    assert completed(*words) == offered


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_i3_completion_of_every_shell(capsys, shell):
    """Every command is there; the shells that are here take the script."""
    text = said(capsys, "completion", shell)
    assert all(name in text for name in ("asm", "brgemm", "transpose", "demo", "epilogue"))
    assert shell != "zsh" or text.startswith("autoload -U +X bashcompinit")


# Expressions


def test_i3_epilogues_and_equations(capsys):
    epilogue = ts.brgemm(4, 4, 4, epilogue=lambda c, bias: ts.relu(c + bias) * 0.5, target="avx2")
    text = said(capsys, "asm", "brgemm", "4", "4", "4", "--epilogue", "relu(c + bias) * 0.5", "--target", "avx2")
    assert epilogue.listing() in text
    equation = ts.equation(lambda x, g, b: ts.tanh(x) * g - b / -2, x=(4, 8), g=(1, 8), b=(1, 1), target="avx2")
    text = said(capsys, "asm", "equation", "tanh(x) * g - b / -2", "4", "8", "--row", "g", "--scalar", "b",
                "--target", "avx2")  # fmt: skip
    assert equation.listing() in text


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("tanh(x", "not an expression"),
        ("tnh(x)", "no function tnh; .*; did you mean tanh?"),
        ("x ** 2", "numbers, names, .* not 'x \\*\\* 2'"),
        ("__import__('os')", "no function __import__"),
        ("x.real", "not 'x.real'"),
        ("tanh(x, 1, 2, 3)", "tanh"),
    ],
)
def test_i3_wrong_expressions(capsys, expression, reason):
    assert main.main(["asm", "equation", expression, "4", "4"]) == 2
    text = capsys.readouterr().err
    assert re.search(reason, text), text
    assert text.count("\n") == 1
