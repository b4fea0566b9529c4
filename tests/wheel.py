"""Build the two wheels, and try them in new environments of each Python.

    make wheel         python -m tests.wheel          build them into dist/, from the files of this checkout
    make wheel-check   python -m tests.wheel --check  and check what they hold, and an installation for each Python

`tilesmith` depends on `tilesmith-core` of its own version, which has the packages that runtime is built on (setup.py).

`--check 3.10 3.13` takes these versions of Python; without them all that the package supports. A version that is not on
PATH, in pyenv or named by its path is left out, and the last line says so. Each one gets a new environment, into which
pip installs `tilesmith` with what it requires. There, away from the checkout and with a cache folder of its own, the
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
"""The most bytes of a wheel."""
MAIN, CORE = "tilesmith", "tilesmith-core"
_TWINE = "twine", "readme_renderer[md]"


def main(given: Sequence[str] | None = None) -> int:
    """Build the wheels, and check them if asked to. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.wheel", description="Build the wheels, and check them.")
    parser.add_argument("--check", nargs="*", metavar="PYTHON", help="check them; versions, or paths of interpreters")
    options = parser.parse_args(given)
    wheels = build(DIST)
    print(*map(sizes, wheels), sep="\n")
    wrong = 0 if options.check is None else check(wheels, options.check or supported())
    return max(wrong, *(wheel.stat().st_size > GOAL for wheel in wheels))


def check(wheels: Sequence[Path], wanted: Sequence[str]) -> int:
    """Check the wheels with these versions of Python, and print what was found. Return the exit status."""
    held = Counter(name for wheel in wheels for name in contents(wheel))
    wrong = [f"no wheel holds {name}" for name in sorted(expected(ROOT) - held.keys())]
    wrong += [f"a wheel must not hold {name}" for name in sorted(held.keys() - expected(ROOT))]
    wrong += [f"both wheels hold {name}" for name, times in sorted(held.items()) if times > 1]
    with tempfile.TemporaryDirectory() as folder:
        tools = environment(sys.executable, Path(folder, "tools"), *_TWINE)
        print(_said(tools, "-m", "twine", "check", "--strict", *wheels).strip())
        found = {each: interpreter(each) for each in wanted}
        for each, program in found.items():
            if program is not None:  # pip finds the other wheel, as it would in an index
                packages = wheels[0], "--find-links", wheels[0].parent
                problems = tried(wheels, environment(program, Path(folder, each.replace("/", "-")), *packages))
                print(f"Python {each}: {'works' if not problems else 'FAILS'}", flush=True)
                wrong += [f"Python {each}: {problem}" for problem in problems]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    missing = [each for each, program in found.items() if program is None]
    print(f"not tried, since there is no interpreter: {', '.join(missing)}" if missing else "all versions were tried")
    return 1 if wrong or len(missing) == len(found) else 0


# The wheels


def build(folder: Path) -> list[Path]:
    """Return the wheels that were built into a folder. Each is made of a copy, because setuptools would add what
    earlier builds have left in the checkout."""
    folder.mkdir(exist_ok=True)
    for older in folder.glob("tilesmith*.whl"):
        older.unlink()
    return [_built(part, folder) for part in (MAIN, CORE)]


def _built(part: str, folder: Path) -> Path:
    with tempfile.TemporaryDirectory() as place:
        leave = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
        copy = shutil.copytree(ROOT, Path(place, "tilesmith"), symlinks=True, ignore=leave)
        _said(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, copy, TILESMITH_WHEEL=part)
        (made,) = Path(place).glob("*.whl")
        return Path(shutil.move(made, folder / made.name))


def contents(wheel: Path) -> set[str]:
    """Return the names of the files of a wheel, without those that describe the distribution."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected(checkout: Path) -> set[str]:
    """Return the names that the wheels must have together: every module, the pages for users, and what modules read."""
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
    return f"{wheel.name}: {size / 1e6:.2f} MB ({shown}); the goal of {GOAL / 1e6:.1f} MB is {state}"


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


def environment(program: str, folder: Path, *packages: object) -> str:
    """Return the interpreter of a new environment with these packages, by the words of `pip install`."""
    _said(program, "-m", "venv", folder)
    made = str(folder / "bin/python")
    _said(made, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return made


def tried(wheels: Sequence[Path], program: str) -> list[str]:
    """Return what is wrong with installed wheels, which are then uninstalled: `tilesmith`, and the core if it is one
    of its own."""
    from tests.test_readme import blocks

    example, output = blocks()
    with tempfile.TemporaryDirectory() as place:
        cache = str(Path(place, "kept"))

        def run(*words: str) -> tuple[int, str]:
            own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TILESMITH"))}
            given = {**own, "TILESMITH_CACHE": cache}
            done = subprocess.run([program, *words], cwd=place, env=given, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        version = wheels[0].name.split("-")[1]
        without_core = (
            (("-m", "pip", "uninstall", "-q", "-y", CORE), 0, ""),
            (("-c", "import tilesmith"), 1, f"pip install --force-reinstall --no-deps {CORE}=={version}"),
        )
        cases = (
            (("-c", example), 0, output),
            (("-m", "tilesmith", "--version"), 0, f"tilesmith {version}\n"),
            (("-m", "tilesmith", "docs", "calling"), 0, (ROOT / "docs/calling.md").read_text()),
            (("-m", "tilesmith", "bench", "counts"), 2, "in a checkout"),
            (("-m", "tilesmith", "cache"), 0, cache),
            (("-m", "tilesmith", "cache", "clear"), 0, "files removed"),
            *(without_core if len(wheels) > 1 else ()),
            (("-m", "pip", "uninstall", "-q", "-y", MAIN), 0, ""),
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


def _said(*words: object, **variables: str) -> str:
    """Return the output of a program that has to succeed, with these environment variables besides."""
    own = os.environ | variables
    done = subprocess.run([str(each) for each in words], cwd="/", env=own, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
