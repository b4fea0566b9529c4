"""A full disk left an empty object behind, and the error did not name the file. Headers depended on the locale, and
`tilesmith disasm` read a source as instructions."""

import os
import resource
import signal
import subprocess
import sys

import pytest

import tilesmith as ts
from tilesmith.runtime.cli.main import main

FULL = """
import resource, signal, sys
from tilesmith.runtime.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[1:]))
"""
COMMANDS = {
    "k.o": ["elf", "brgemm", "4", "4", "4", "-o", "k.o"],
    "k.s": ["asm", "brgemm", "4", "4", "4", "-o", "k.s"],
    "k.lst": ["asm", "brgemm", "4", "4", "4", "-o", "k.lst"],
}


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="path: the folder of the file must exist: '.*no/k.o'"):
        ts.unary("relu", 2, 2, target="avx2").save(tmp_path / "no/k.o")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(tmp_path, name):
    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL, *COMMANDS[name]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "TILESMITH_CACHE": "off"},
    )
    assert (done.returncode, done.stderr) == (2, f"tilesmith: [Errno 27] File too large: '{name}'\n")
    assert not (tmp_path / name).exists()


def test_functions_of_several_kernels(tmp_path):
    kept, before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    k = ts.unary("relu", 4, 4)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, kept[1]))
        with pytest.raises(OSError, match=r"File too large: .*two\.o") as caught:
            ts.save(tmp_path / "two.o", one=k, two=k)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)
        signal.signal(signal.SIGXFSZ, before)
    assert caught.value.filename == str(tmp_path / "two.o") and not (tmp_path / "two.o").exists()
    with pytest.raises(FileNotFoundError):
        ts.save(tmp_path / "none" / "two.o", one=k)


def test_locales(tmp_path):
    """Tables are printed in any encoding, and headers are UTF-8."""
    plain = {**os.environ, "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "TILESMITH_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-m", "tilesmith", "info"], capture_output=True, env={**plain, "PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 0 and not done.stderr and len(done.stdout.decode("ascii").splitlines()) > 5
    word = "gr\u00f6\u00dfe"
    script = f"import tilesmith as ts; ts.equation(lambda {word}: -{word}, {word}=(4, 4)).save('k.h')"
    path = tmp_path / "script.py"
    path.write_text(script, "utf-8")
    subprocess.run([sys.executable, path], cwd=tmp_path, env=plain, check=True)
    assert f"const float *{word}" in (tmp_path / "k.h").read_text("utf-8")


def test_sources_are_not_code(tmp_path, capsys):
    path = tmp_path / "k.s"
    ts.unary("relu", 4, 4).save(path)
    assert main(["disasm", str(path)]) == 2
    assert "text, not code; gcc -c makes an object" in capsys.readouterr().err
    assert main(["disasm", str(path), "--arch", "x86"]) == 0
