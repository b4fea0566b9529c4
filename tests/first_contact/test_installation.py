"""Before the first kernel: how the package is found, what it prints about itself, and what an installation contains."""

from __future__ import annotations

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import numpy
import pytest

import tilesmith as ts
from tests import wheel
from tests.layers import MAY_IMPORT
from tests.profiles import is_soak
from tilesmith.runtime.cli.main import main
from tilesmith.runtime.cli.pages import pages

ROOT = Path(__file__).resolve().parents[2]
MAKES = "import tilesmith as ts; print(ts.__file__, ts.brgemm(2, 2, 2).name)"


def python(*arguments, cwd, program=sys.executable, **environment):
    """Return the output of Python, started in `cwd`."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [program, *map(str, arguments)], cwd=cwd, env=inherited | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def clone(tmp_path):
    """Return a clone of the repository under the name of the package."""
    (tmp_path / "tilesmith").symlink_to(ROOT)
    return tmp_path / "tilesmith"


PLACES = {"beside": "..", "inside": ".", "the package": "tilesmith", "tests": "tests/first_contact"}


@pytest.mark.parametrize("place", PLACES)
def test_a2_an_editable_install_is_found_from_everywhere(clone, place):
    """An editable install is one path in the site folder, which comes after the folder in which Python starts."""
    found = f"import site; site.addsitedir({str(clone.parent / 'site')!r}); {MAKES}"
    (clone.parent / "site").mkdir()
    (clone.parent / "site/tilesmith.pth").write_text(f"{clone}\n")
    said = python("-c", found, cwd=clone / PLACES[place])
    assert "tilesmith/__init__.py ts_brgemm_" in said


def test_a2_scripts_beside_the_clone(clone):
    script = clone.parent / "script.py"
    script.write_text(MAKES)
    assert "ts_brgemm_" in python(script, cwd="/", PYTHONPATH=str(clone))


def test_a3_an_editable_install_is_one_path():
    """setuptools makes a path, which type checkers follow, if all packages are in one place; else it makes a finder."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["options"]["package_dir"].split() == ["=", "."]
    packages = setup["options"]["packages"].split()
    assert all((ROOT / name.replace(".", "/") / "__init__.py").is_file() for name in packages)
    found = {
        f"tilesmith.{path.parent.relative_to(ROOT)}".replace("/", ".")
        for room in ("encoder", "emulation", "microkernels", "runtime")
        for path in (ROOT / room).rglob("__init__.py")
    }
    assert found | {"tilesmith", "tilesmith.integrations"} == set(packages)


def test_a4_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"tilesmith {ts.__version__}\n")
    assert f"## {ts.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_a4_pages(capsys):
    """Pages that docstrings and errors name can be printed, by any spelling of the page's name."""
    named = set()
    for room in ("encoder", "emulation", "microkernels", "runtime", "tilesmith"):
        for path in (ROOT / room).rglob("*.py"):
            named |= set(re.findall(r"\bdocs/([\w-]+)\.md", path.read_text()))
    assert named - {"NAME"} <= wheel.pages(ROOT) <= set(pages())
    for spelled in ("calling", "calling.md", "docs/calling.md", "calling.md#threads"):
        assert main(["docs", spelled]) == 0
        assert capsys.readouterr().out == (ROOT / "docs/calling.md").read_text()
    assert main(["docs"]) == 0
    assert re.search(r"^calling +Call a kernel$", capsys.readouterr().out, re.MULTILINE)
    assert main(["docs", "caling"]) == 2
    assert "did you mean calling?" in capsys.readouterr().err


def test_the_core_is_missing(tmp_path):
    """Without the wheel that has the encoder, the error says what installs it."""
    (tmp_path / "tilesmith").mkdir()
    shutil.copy(ROOT / "tilesmith/__init__.py", tmp_path / "tilesmith")
    (tmp_path / "tilesmith/runtime").symlink_to(ROOT / "runtime")
    done = subprocess.run([sys.executable, "-c", "import tilesmith"], cwd=tmp_path, capture_output=True, text=True)
    assert f"pip install --force-reinstall --no-deps {wheel.CORE}=={ts.__version__}" in done.stderr


def test_the_core_is_a_layer():
    """The wheel on which `tilesmith` depends has what runtime is built on."""
    told = re.search(r"^CORE, LOWER = (.*)$", (ROOT / "setup.py").read_text(), re.MULTILINE)
    core, lower = ast.literal_eval(told[1])
    assert core == wheel.CORE and {*lower} == MAY_IMPORT["runtime"]
    assert not any("runtime" in MAY_IMPORT[each] for each in lower)


def test_a6_classifiers():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    found = setup["metadata"]["classifiers"]
    assert "License ::" not in found, "deprecated: the license is an SPDX expression"
    assert setup["metadata"]["license_expression"] == "BSD-3-Clause"
    assert all(f":: 3.{minor}\n" in found for minor in range(10, 15))


# Installations, which take minutes


needs_soak = pytest.mark.skipif(not is_soak(), reason="builds and installs: make soak")


@pytest.fixture(scope="module")
def builder(tmp_path_factory):
    """Make a new environment that finds all installed packages except this one."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    program = folder / "bin/python"
    python("-m", "pip", "install", "-q", "setuptools>=77", "wheel", "build", cwd=folder, program=program)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "others.pth").write_text(f"{Path(numpy.__file__).parents[1]}\n")
    return program


@pytest.fixture
def copy(tmp_path):
    """Copy the repository's files, without the results of builds, to a folder with the name of the package."""
    leave = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    return shutil.copytree(ROOT, tmp_path / "tilesmith", symlinks=True, ignore=leave)


@needs_soak
def test_a2_a3_editable_install(builder, copy):
    clone = copy
    python("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "-e", clone, cwd="/", program=builder)
    for place in (clone.parent, clone, clone / "tilesmith", Path("/")):
        assert "ts_brgemm_" in python("-c", MAKES, cwd=place, program=builder)
    script = clone.parent / "typed.py"
    script.write_text("import tilesmith as ts\nreveal_type(ts.brgemm(4, 4, 4))\n")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", builder, script],
        text=True,
        capture_output=True,
        cwd=clone.parent,
    )
    assert "tilesmith.runtime." in checked.stdout, checked.stdout
    python("-m", "pip", "uninstall", "-q", "-y", "tilesmith", cwd="/", program=builder)


@needs_soak
def test_a4_a5_wheel_and_sdist(builder, copy, tmp_path):
    """The wheel works without the repository, and tests of the sdist run in it."""
    python("-m", "build", "--no-isolation", "-o", tmp_path, cwd=copy, program=builder)
    made, sdist = next(tmp_path.glob("*.whl")), next(tmp_path.glob("*.tar.gz"))
    assert wheel.contents(made) == wheel.expected(copy)
    python("-m", "pip", "install", "-q", "--no-deps", made, cwd="/", program=builder)
    assert wheel.tried([made], str(builder)) == []
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / sdist.name.removesuffix(".tar.gz")
    said = python(
        "-m",
        "pytest",
        "-q",
        "tests/test_docs.py",
        "tests/encoder/test_fields.py",
        "tests/runtime/arguments/test_arrays.py",
        cwd=folder,
        program=builder,
    )
    assert " passed" in said or "[100%]" in said
