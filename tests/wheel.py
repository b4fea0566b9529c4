"""Build the wheel, and try it in new environments of each Python.

    make wheel         python -m tests.wheel          build it into dist/, from the files of this checkout
    make wheel-check   python -m tests.wheel --check  and check what it holds, and an installation for each Python

`--check 3.10 3.13` takes these versions of Python; without them all that the package supports. A version that is not on
PATH, in pyenv or named by its path is left out, and the last line says so. Each one gets a new environment, into which
pip installs the wheel with what it requires. There, away from the checkout and with a cache folder of its own, the
first example of the README prints what the README shows, the commands that need the repository say so, and the package
leaves nothing behind once its cache is cleared and it is uninstalled.
"""

from __future__ import annotations

import argparse
import configparser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
ROOMS = "encoder", "microkernels", "runtime", "emulation"
GOAL = 2_500_000
"""The bytes that the wheel is meant to have. Modules alone have more: deflate compresses each file by itself."""
_TWINE = "twine", "readme_renderer[md]"


def main(given: Sequence[str] | None = None) -> int:
    """Build the wheel, and check it if asked to. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.wheel", description="Build the wheel, and check it.")
    parser.add_argument("--check", nargs="*", metavar="PYTHON", help="check it; versions, or paths of interpreters")
    options = parser.parse_args(given)
    wheel = build(DIST)
    print(sizes(wheel))
    return 0 if options.check is None else check(wheel, options.check or supported())


def check(wheel: Path, wanted: Sequence[str]) -> int:
    """Check the wheel with these versions of Python, and print what was found. Return the exit status."""
    wrong = [f"the wheel lacks {name}" for name in sorted(expected(ROOT) - contents(wheel))]
    wrong += [f"the wheel must not hold {name}" for name in sorted(contents(wheel) - expected(ROOT))]
    with tempfile.TemporaryDirectory() as folder:
        tools = environment(sys.executable, Path(folder, "tools"), *_TWINE)
        print(_said(tools, "-m", "twine", "check", "--strict", wheel).strip())
        found = {each: interpreter(each) for each in wanted}
        for each, program in found.items():
            if program is not None:
                problems = tried(wheel, environment(program, Path(folder, each.replace("/", "-")), str(wheel)))
                print(f"Python {each}: {'works' if not problems else 'FAILS'}", flush=True)
                wrong += [f"Python {each}: {problem}" for problem in problems]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    missing = [each for each, program in found.items() if program is None]
    print(f"not tried, since there is no interpreter: {', '.join(missing)}" if missing else "all versions were tried")
    return 1 if wrong or len(missing) == len(found) else 0


# The wheel


def build(folder: Path) -> Path:
    """Return a wheel that was built into a folder. It is made of a copy, because setuptools would add what earlier
    builds have left in the checkout."""
    with tempfile.TemporaryDirectory() as place:
        leave = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
        copy = shutil.copytree(ROOT, Path(place, "tilesmith"), symlinks=True, ignore=leave)
        _said(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, copy)
        (made,) = Path(place).glob("*.whl")
        folder.mkdir(exist_ok=True)
        for older in folder.glob("tilesmith-*.whl"):
            older.unlink()
        return Path(shutil.move(made, folder / made.name))


def contents(wheel: Path) -> set[str]:
    """Return the names of the files of a wheel, without those that describe the distribution."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected(checkout: Path) -> set[str]:
    """Return the names that a wheel must have: every module, the pages for users, and what modules read."""
    modules = [path for room in ROOMS for path in (checkout / room).rglob("*.py")]
    modules += (checkout / "docs/results").glob("*.json")
    own = [path.relative_to(checkout) for path in (checkout / "tilesmith").glob("*.py")]
    own += [path.relative_to(checkout) for path in (checkout / "tilesmith/integrations").glob("*.py")]
    return (
        {f"tilesmith/{path.relative_to(checkout)}" for path in modules}
        | set(map(str, own))
        | {f"tilesmith/docs/{name}.md" for name in pages(checkout)}
        | {f"tilesmith/encoder/{architecture}/assembler.pyi" for architecture in ("a64", "x86")}
        | {f"tilesmith/{path.relative_to(checkout)}" for path in (checkout / "runtime/explorer/page").iterdir()}
        | {"tilesmith/py.typed", "tilesmith/runtime/coverage/papers.json"}
    )


def pages(checkout: Path) -> set[str]:
    """Return the names of the documentation pages that an installation holds."""
    setup = configparser.ConfigParser()
    setup.read(checkout / "setup.cfg")
    left_out = re.findall(r"docs/([\w*-]+)\.md", setup["options.exclude_package_data"]["tilesmith"])
    found = {page.stem for page in (checkout / "docs").glob("*.md")}
    return {name for name in found if not any(fnmatch(name, each) for each in left_out)}


def sizes(wheel: Path) -> str:
    """Return the size of a wheel, and of its largest parts as they are compressed."""
    parts = Counter[str]()
    with zipfile.ZipFile(wheel) as archive:
        for each in archive.infolist():
            parts["/".join(each.filename.split("/")[:2])] += each.compress_size
    size = wheel.stat().st_size
    parts["names and headers"] = size - parts.total()
    shown = ", ".join(f"{name} {part / 1e6:.2f}" for name, part in parts.most_common(7))
    state = "reached" if size <= GOAL else "NOT REACHED"
    return f"{wheel}: {size / 1e6:.2f} MB ({shown}); the goal of {GOAL / 1e6:.1f} MB is {state}"


# Environments


def supported() -> list[str]:
    """Return the versions of Python that the package is declared for."""
    return re.findall(r":: (3\.\d+)$", (ROOT / "setup.cfg").read_text(), re.MULTILINE)


def interpreter(wanted: str) -> str | None:
    """Return the path of an interpreter: the one at this path, or of this version on PATH or in pyenv."""
    if "/" in wanted:
        return wanted
    places = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv").glob(f"versions/{wanted}.*/bin/python")
    for program in (*map(str, places), shutil.which(f"python{wanted}"), sys.executable):
        if program and _version(program) == wanted:
            return program
    return None


def _version(program: str) -> str:
    """Return the version of an interpreter; empty for a shim without one."""
    asked = "import sys; print('{}.{}'.format(*sys.version_info))"
    return subprocess.run([program, "-c", asked], capture_output=True, text=True).stdout.strip()


def environment(program: str, folder: Path, *packages: str) -> str:
    """Return the interpreter of a new environment with these packages."""
    _said(program, "-m", "venv", folder)
    made = str(folder / "bin/python")
    _said(made, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return made


def tried(wheel: Path, program: str) -> list[str]:
    """Return what is wrong with an installed wheel, which is then uninstalled."""
    from tests.test_readme import blocks

    example, output = blocks()
    with tempfile.TemporaryDirectory() as place:
        cache = str(Path(place, "kept"))

        def run(*words: str) -> tuple[int, str]:
            own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TILESMITH"))}
            given = {**own, "TILESMITH_CACHE": cache}
            done = subprocess.run([program, *words], cwd=place, env=given, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        cases = (
            (("-c", example), 0, output),
            (("-m", "tilesmith", "--version"), 0, f"tilesmith {wheel.name.split('-')[1]}\n"),
            (("-m", "tilesmith", "docs", "calling"), 0, (ROOT / "docs/calling.md").read_text()),
            (("-m", "tilesmith", "bench", "counts"), 2, "in a checkout"),
            (("-m", "tilesmith", "cache"), 0, cache),
            (("-m", "tilesmith", "cache", "clear"), 0, "files removed"),
            (("-m", "pip", "uninstall", "-q", "-y", "tilesmith"), 0, ""),
            (("-c", "import tilesmith"), 1, "No module named 'tilesmith'"),
        )
        wrong = []
        for words, status, text in cases:
            found, said = run(*words)
            if found != status or (said != text if text.endswith("\n") else text not in said):
                ended = f"{' '.join(words)!r} ended with {found}, not {status}, and said"
                wrong.append(f"{ended} {said[-2000:]!r}, not {text!r}")
        left = [str(each) for each in Path(program).parents[1].glob("lib/python*/site-packages/tilesmith*")]
        left += [str(each) for each in Path(cache).iterdir()]
        return wrong + [f"left behind: {each}" for each in left]


def _said(*words: object) -> str:
    """Return the output of a program that has to succeed."""
    done = subprocess.run([str(each) for each in words], cwd="/", capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
