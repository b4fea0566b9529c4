"""Wrong files and paths on the command line were reported by tracebacks or after the work. Now one line names the file
and the reason, with exit status 2, before any work."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main

SQUARE = np.arange(16, dtype=np.float32).reshape(4, 4)


def header(*shape):
    """Return a .npy file of this shape with hardly any data."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return file.getvalue() + bytes(8)


def archive():
    file = io.BytesIO()
    np.savez(file, a=SQUARE)
    return file.getvalue()


WRONG = {
    "empty": b"",
    "text": b"1 2\n3 4\n",
    "archive": archive(),
    "too large to exist": header(10**9, 10**9),
    "too large to count": header(10**12, 10**12),
    "cut off": header(4, 4),
    "damaged header": header(4, 4).replace(b"'<f4'", b"[[[[["),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", SQUARE)
    return tmp_path


def refused(capsys, *arguments):
    """Run a command that must end with status 2, and return its error."""
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert not said.out and said.err.startswith("tilesmith: ") and said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_files_that_hold_no_matrix(here, capsys, content):
    (here / "x.npy").write_bytes(content)
    for operands in (("x.npy", "a.npy"), ("a.npy", "x.npy")):
        assert refused(capsys, "matmul", *operands, "-o", "c.npy").startswith("tilesmith: x.npy: ")
    assert not (here / "c.npy").exists()


@pytest.mark.parametrize(
    ("dtype", "words"),
    [
        (">f4", "a: must be float32 in native byte order"),
        ("f8", "b: must be f64 as a is, not f32"),
        ("i8", "a, b: no kernel multiplies i64 by f32"),
    ],
)
@pytest.mark.parametrize("shape", [(4, 4), (2, 4, 4)])
def test_arrays_that_are_not_multiplied(here, capsys, dtype, words, shape):
    """The error is that of `ts.matmul`. The other byte order was a traceback, and other types gave a list of all types
    of kernels."""
    np.save("x.npy", np.ones(shape, dtype))
    assert words in refused(capsys, "matmul", "x.npy", "a.npy", "-o", "c.npy")
    assert not (here / "c.npy").exists()


def test_a_kind_of_kernel_is_no_command(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["attention", "2", "32", "64", "32"])
    assert "a kind of kernel, for asm, elf, verify and roofline: tilesmith asm attention" in capsys.readouterr().err


def test_a_product_for_another_processor(here, capsys):
    other = "avx2" if ts.host().arch == "a64" else "neon"
    assert f"target {other} is " in refused(capsys, "matmul", "a.npy", "a.npy", "-o", "c.npy", "--target", other)


@pytest.mark.seconds
@pytest.mark.parametrize("command", [("docs",), ("demo",), ("asm", "brgemm", "4", "4", "4")])
def test_a_standard_output_that_is_closed(command):
    line = f"{shlex.join([sys.executable, '-m', 'tilesmith', *command])} >&-"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 2 and done.stderr == "tilesmith: [Errno 9] standard output is closed\n"


def test_a_product_too_large(here, capsys):
    """The product is too large for the address space, so its allocation fails on every system."""
    for name, shape in (("tall.npy", (1 << 23, 1)), ("wide.npy", (1, 1 << 23))):
        (here / name).write_bytes(header(*shape))
        os.truncate(name, len(header(*shape)) - 8 + (4 << 23))
    assert "Unable to allocate 256. TiB" in refused(capsys, "matmul", "tall.npy", "wide.npy", "-o", "c.npy")


def test_the_file_that_is_named_is_written(here, capsys):
    assert main(("matmul", "a.npy", "a.npy", "-o", "name")) == 0
    assert capsys.readouterr().out.startswith("name: ")
    assert sorted(path.name for path in here.iterdir()) == ["a.npy", "name"]
    assert (np.load("name") == SQUARE @ SQUARE).all()


PLACES = {"no/c.npy": "-o: the folder of the file must exist, but no does not", ".": "-o: must name a file, but"}
COMMANDS = (("matmul", "a.npy", "a.npy"), ("asm", "brgemm", "4", "4", "4"), ("info", "--coverage"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("place", PLACES)
def test_places_that_cannot_be_written_to(here, capsys, monkeypatch, command, place):
    monkeypatch.setattr("tilesmith.runtime.coverage.table.report", pytest.fail)  # writing the table would take minutes
    assert PLACES[place] in refused(capsys, *command, "-o", place)


def test_a_benchmark_knows_its_file_first(here, capsys, monkeypatch):
    monkeypatch.setattr("tilesmith.runtime.bench.every.run", pytest.fail)
    assert "--json: the folder of the file must exist" in refused(capsys, "bench", "call", "--json", "no/x.json")


@pytest.mark.parametrize("seconds", ("0", "-1", "nan", "inf"))
def test_no_time_to_measure_in(capsys, monkeypatch, seconds):
    monkeypatch.setattr("tilesmith.runtime.bench.every.run", lambda *arguments: None)
    with pytest.raises(SystemExit) as end:
        main(("bench", "call", "--seconds", seconds))
    assert end.value.code == 2 and f"more than 0, not {seconds}" in capsys.readouterr().err


@pytest.mark.parametrize("option", ("--lda", "--batch"))
def test_options_say_what_they_take(capsys, option):
    with pytest.raises(SystemExit):
        main(("asm", "brgemm", "4", "4", "4", option, "x"))
    said = capsys.readouterr().err
    assert "not 'x'" in said and "invalid _" not in said


def test_dump_into_what_is_no_folder(here, monkeypatch):
    monkeypatch.setenv("TILESMITH_DUMP", "a.npy")
    with pytest.raises(ValueError, match="TILESMITH_DUMP=a.npy must be a folder to which listings and code can"):
        ts.brgemm(3, 1, 4, alpha=0.375)


@pytest.mark.seconds
@pytest.mark.parametrize("reader", ("gone", "full"))
def test_nobody_reads_what_is_printed(reader):
    """If the reader is gone, the command ends as by SIGPIPE; a full disk is an error. The interpreter adds no message
    of its own."""
    command = [sys.executable, "-m", "tilesmith", "asm", "brgemm", "4", "4", "4"]
    with open("/dev/full", "wb") as full:
        output = subprocess.PIPE if reader == "gone" else full
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)
        if process.stdout:
            process.stdout.close()
        said = process.stderr.read().decode()
        status = process.wait()
    if reader == "gone":
        assert (status, said) == (128 + signal.SIGPIPE, "")
    else:
        assert status == 2 and said.startswith("tilesmith: [Errno 28]") and said.count("\n") == 1


@pytest.mark.parametrize("terms", [1_000, 5_000])
def test_an_expression_of_too_many_operations(terms, capsys):
    assert main(["asm", "brgemm", "4", "4", "4", "--epilogue", "+".join("c" * terms)]) == 2
    assert "an expression of too many operations; write it as a Python function" in capsys.readouterr().err


def test_mistakes_in_expressions(capsys):
    """An unknown function was an AttributeError, and a division of a number by zero a traceback."""
    words = {
        "rleu(c)": "no function rleu; there are .*; did you mean relu",
        "c + 1 / 0": "division by zero",
        "relu(c, c)": "'relu\\(c, c\\)': relu\\(\\) takes 1 positional argument but 2 were given",
    }
    for text, said in words.items():
        assert re.search(said, refused(capsys, "asm", "brgemm", "8", "8", "8", "--epilogue", text))
    assert re.search("no function tnah", refused(capsys, "elf", "equation", "tnah(x)", "8", "8", "-o", "k.o"))
