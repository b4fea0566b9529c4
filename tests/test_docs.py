"""Statements of the pages about the repository: links, files, names, examples, and the folders of the map."""

from __future__ import annotations

import ast
import fnmatch
import functools
import inspect
import json
import platform
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from docs.site import navigation
from tests import results
from tests.guard import run_forked
from tests.ulp import operations
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.loops import kernel_times

ROOT = Path(__file__).parents[1]


def git_ignores(page: Path) -> bool:
    """Whether a page is made from the code, and so not kept."""
    return page.parent.name == "built" or page.stem.startswith("instructions-")


BUILT = {"instructions-x86", "instructions-a64", "built/api", "built/gallery"}  # by `make docs` and `make site`
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not git_ignores(page)),
]
SOURCES = [
    path
    for room in ("encoder", "microkernels", "runtime", "emulation", "tests", "docs")
    for path in (ROOT / room).rglob("*.py")
] + sorted((ROOT / "tilesmith").glob("*.py"))
OF_THE_READER = {"mean.py", "model.py", "prof.py", "script.py"}  # programs that a page tells its reader to write

VARIABLES = {"abi", "asm", "bags", "code", "dot", "executor", "jax", "kernel", "layer", "plan", "run", "torch"}
"""Variables of examples, and other packages, that have names of modules."""
ENDINGS = {"py", "md", "txt", "cfg", "sh"}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """Return the headings in the form that links use."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pages
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)  # code may say model[0](x)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        file, _, heading = link.partition("#")
        target = page.parent / file if file else page
        if link.startswith("https://") or target.resolve() in {ROOT / "docs" / f"{name}.md" for name in BUILT}:
            continue
        if not target.exists() or heading and heading not in anchors(target):
            dead.append(link)
    assert not dead


@pages
def test_files_that_are_named_exist(page: Path) -> None:
    """A file is named by its path from the root, or by the end of its path."""
    known = {f"/{path.relative_to(ROOT)}" for path in SOURCES}
    named = set(re.findall(r"(?<![\w/.*{}-])((?:\w+/)*\w+\.py)\b", page.read_text())) - OF_THE_READER
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in known)] == []


@pages
def test_patterns_of_files_match_some(page: Path) -> None:
    """Patterns like `machines/*/shuffles.py` match at least one file, also by the end of its path."""
    known = [f"/{path.relative_to(ROOT)}" for path in SOURCES]
    named = set(re.findall(r"`((?:[\w*]+/)*[\w*]+\.py)`", page.read_text()))
    patterns = {pattern for pattern in named if "*" in pattern}
    assert [pattern for pattern in sorted(patterns) if not fnmatch.filter(known, f"*/{pattern}")] == []


@cache
def texts() -> dict[Path, str]:
    return {path: path.read_text() for path in SOURCES}


@cache
def classes() -> dict[str, list[tuple[Path, str]]]:
    """Return the modules that define a class of each name, with its bases."""
    found: dict[str, list[tuple[Path, str]]] = {}
    for path, text in texts().items():
        for name, bases in re.findall(r"^class (\w+)(?:\(([^)]*)\))?", text, re.MULTILINE):
            found.setdefault(name, []).append((path, bases))
    return found


@cache
def homes(name: str) -> tuple[Path, ...]:
    """Return the modules of this name, and those that define a class of this name or its bases."""
    found = [path for path in texts() if path.stem == name]
    for path, bases in classes().get(name, ()):
        found += [path, *(home for base in re.findall(r"\b[A-Z]\w+", bases) for home in homes(base))]
    return tuple(found)


@pages
def test_names_in_modules_and_classes_exist(page: Path) -> None:
    """In names like `Facts.fma_latency` and `amx.Tiles`, the class or module contains the second word."""
    spans = re.findall(r"`([^`\n]+)`", page.read_text())
    names = {pair for span in spans for pair in re.findall(r"(?<![\w./])([A-Za-z]\w+)\.([a-zA-Z]\w+)", span)}
    wrong = []
    for first, second in sorted(names):
        modules = homes(first) if first not in VARIABLES and second not in ENDINGS else ()
        if modules and not any(re.search(rf"\b{second}\b", texts()[path]) for path in modules):
            wrong.append(f"{first}.{second}")
    assert not wrong


@pages
def test_modules_that_are_run_exist(page: Path) -> None:
    modules = set(re.findall(r"python -m ((?:tests|tilesmith)\.[\w.]+)", page.read_text()))
    paths = {module: ROOT / module.removeprefix("tilesmith.").replace(".", "/") for module in modules}
    programs = {module: (path.with_suffix(".py"), path / "__main__.py") for module, path in paths.items()}
    assert [module for module, files in programs.items() if not any(file.exists() for file in files)] == []


@pages
def test_public_names_exist(page: Path) -> None:
    names = set(re.findall(r"\bts\.([A-Za-z]\w*)", page.read_text()))
    assert [name for name in sorted(names) if not hasattr(ts, name)] == []


@pages
def test_targets_of_make_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^make ([a-z]+)|`make ([a-z]+)`", page.read_text(), re.MULTILINE)) <= {
        pair for name in targets for pair in ((name, ""), ("", name))
    }


# The map


def test_the_map_names_every_folder() -> None:
    """docs/architecture.md has a row for every folder of modules and for no other folder."""
    text = (ROOT / "docs/architecture.md").read_text()
    named = set(re.findall(r"^\| `([\w/]+)/` \|", text, re.MULTILINE))
    rooms = ("encoder", "microkernels", "emulation", "runtime", "tilesmith")
    folders = {str(path.parent.relative_to(ROOT)) for room in rooms for path in (ROOT / room).rglob("*.py")}
    assert named == {folder for folder in folders if not folder.startswith("tilesmith/")}
    picture = text.split("```")[1]
    for room in ("microkernels", "runtime"):
        top = {folder.split("/")[1] for folder in folders if folder.startswith(f"{room}/")}
        assert top <= {*re.findall(r"\w+", picture)}, f"{room}: a folder is not in the picture of the layers"


# Arguments

DESCRIBED = "sparse", "spmm", "sddmm", "compressed", "conv", "tensorize", "graph"


def docstring(name: str, seen: frozenset[str] = frozenset()) -> str:
    """The docstring of a public function or of its calls, and those of the functions that it refers to."""
    function = getattr(ts, name)
    own = inspect.getdoc(function) or ""
    own += "" if inspect.isfunction(function) else inspect.getdoc(type(function).__call__) or ""
    named = {each for each in re.findall(r"`(\w+)`", own) if callable(getattr(ts, each, None))} - seen - {name}
    return own + "".join(docstring(each, seen | named | {name}) for each in sorted(named))


@pytest.mark.parametrize(
    "name", sorted(name for name in ts.__all__ if name.startswith(DESCRIBED) and not inspect.isclass(getattr(ts, name)))
)
def test_every_argument_is_described(name: str) -> None:
    text = docstring(name)
    described = re.findall(r"^ *(\w+(?:, \w+)*)  +\S", text, re.MULTILINE)
    assert {*re.findall(r"\w+", text)} >= {*inspect.signature(getattr(ts, name)).parameters}
    assert name != "conv2d" or "padding" in described  # so the pattern finds rows
    for default in re.findall(r'^ *(\w+)  +.*\bdefault (?:is )?("\w+"|\d+)', text, re.MULTILINE):
        parameter = inspect.signature(getattr(ts, name)).parameters.get(default[0])
        assert parameter is None or repr(parameter.default) == default[1].replace('"', "'")


def calls(page: Path) -> Iterator[ast.Call]:
    """The calls of public functions in the code of a page, whose keywords may lack their values: `ts.f(x, dtype=)`."""
    for code in re.findall(r"`([^`\n]+)`|^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        try:
            parsed = ast.parse(re.sub(r"=(?=[,)])", "=None", code[1] or code[0]))
        except SyntaxError:  # a part of a line
            continue
        for node in ast.walk(parsed):
            if isinstance(node, ast.Call) and re.fullmatch(r"ts(\.\w+)+", ast.unparse(node.func)):
                yield node


@pages
def test_keywords_of_calls_exist(page: Path) -> None:
    for call in calls(page):
        function = functools.reduce(getattr, ast.unparse(call.func).split(".")[1:], ts)
        parameters = inspect.signature(function).parameters if callable(function) else {}
        if parameters and not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
            assert {each.arg for each in call.keywords} <= {*parameters, None}, ast.unparse(call)


# Tables


def test_operations_of_activations_are_counted() -> None:
    """docs/activations.md contains the table that `python -m tests.ulp.operations` prints."""
    assert "\n".join(operations.table("avx512", "f32")) in (ROOT / "docs/activations.md").read_text()


def test_composites_are_listed() -> None:
    """docs/fused.md has one row for each composite, as ts.composites() tells it, and no other."""
    listed = re.findall(r"^\| (\w+) \| (k\([^)]*\)) \| (.*) \|$", (ROOT / "docs/fused.md").read_text(), re.MULTILINE)
    assert {name: f"{call}: {formula}" for name, call, formula in listed} == ts.composites()


# Examples


def arrays(**shapes: tuple[int, ...]) -> dict[str, np.ndarray[Any, Any]]:
    return {name: np.ones(shape, np.float32) for name, shape in shapes.items()}


def returning() -> bytes:
    """Return the shortest AArch64 function."""
    asm = A64Assembler(TARGETS["neon"])
    asm.ret()
    return asm.finish("returning").data


def ones(dtype: str, *shape: int) -> np.ndarray[Any, Any]:
    return np.ones(shape, numpy_dtype(dtype))


Names = dict[str, Any]


GIVEN: dict[str, dict[int, Callable[[], Names]]] = {
    "aarch64.md": {
        0: lambda: {
            **arrays(a=(4,), b=(4,), c=(4,), a0=(4,), a1=(4,), b0=(4,), b1=(4,)),
            "code": returning(),
            "target": TARGETS["neon"],
        }
    },
    "call-path.md": {0: lambda: arrays(a=(64, 32), b=(32, 48), many_a=(3, 64, 32), many_b=(3, 32, 48))},
    "calling.md": {0: lambda: {"m": 3, "n": 5, **arrays(w=(3, 5), v=(3, 5), g=(3, 5))}},
    "compressed-weights.md": {},
    "sparse.md": {},
    "soundness.md": {},
    "elementwise.md": {
        0: lambda: arrays(x=(64, 48), y=(64, 48), a=(16, 64, 64), b=(16, 64, 48), c=(64, 48), bias=(48,)),
        1: lambda: {"f": lambda x, z: x * z},
        2: lambda: {
            "a": ones("u8", 64, 64),
            "b": ones("i8", 64, 64),
            "c": ones("i8", 64, 64),
            **arrays(scale=(64,), zero=(1,)),
        },
        3: lambda: arrays(x=(64, 64), a=(64, 64), b=(64, 64), bias=(64,)),
    },
    "gemm.md": {},
    "convolution.md": {},
    "depthwise.md": {},
    "tensorize.md": {},
    "emulation.md": {
        0: lambda: {
            **arrays(a=(16, 16), b=(16, 12), c=(16, 12)),
            "code": returning(),
            "target": TARGETS["neon"],
        }
    },
    "attention.md": {},
    "matmul.md": {},
    "nests.md": {},
    "networks.md": {},
    "graph.md": {},
    "aggregation.md": {},
    "pooling.md": {},
    "threads.md": {},
    "fused.md": {},
    "fused-rows.md": {},
    "mixed-precision.md": {
        1: lambda: {"m": 5, "n": 6, "k": 7, "a": ones("bf16", 5, 7), "b": ones("bf16", 7, 6)},
        3: lambda: {
            **dict.fromkeys(("first", "second"), ts.brgemm(32, 32, 32, dtype="bf16", target="amx")),
            "work": [[ones("bf16", 32, 32) for _ in range(5)]],
        },
        4: lambda: {
            "a": ones("bf16", 32, 64, 2).swapaxes(0, 1),
            "b": ones("bf16", 32, 64, 2),
            "c": ones("bf16", 64, 64),
        },
    },
    "random.md": {0: lambda: {"m": 12, "n": 20, "rows": 30, "columns": 40, "elements": 50, "bags": 5, "indices": 60}},
    "composition.md": {},
    "sparse-kernels.md": {},
    "transposes.md": {},
}
"""The names that the examples of a page assume, from a block on. Other pages have tests of their own."""


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", GIVEN)
def test_examples_run(
    aarch64: Server, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # examples write files
    monkeypatch.setattr(kernel_times, "_ROUNDS", 1)  # the tuner measures kernels; no figure is compared
    names: Names = {"ts": ts, "np": np}
    for number, block in enumerate(blocks(page)):
        names |= GIVEN[page].get(number, dict)()
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("page", GIVEN)
def test_comments_tell_how_a_kernel_is_called(page: str) -> None:
    """A comment like `# k(seed, y)` after `ts.unary("uniform", m, n)` has the kernel's number of arguments."""
    names: Names = {"ts": ts, "np": np, **GIVEN[page].get(0, dict)()}
    lines = [line for block in blocks(page) for line in block.splitlines()]
    for line in lines:
        told = re.match(r"(?:\w+ = )?(ts\..*?) +#.*?\bk\(([\w, ]+)\)", line)
        if told:
            kernel = eval(told[1], names)
            assert len(inspect.signature(kernel).parameters) == len(told[2].split(", ")), line


ELSEWHERE = {
    "cache.md": "a folder of frozen kernels",
    "jax.md": "JAX",
    "peachpy.md": "PeachPy",
    "onnx.md": "onnx",
    "torch.md": "torch",
    "torch-compile.md": "torch",
    "tutorial-torch.md": "torch",
    "distributed.md": "torch",
}
"""Pages whose first example needs more than numpy and Tilesmith, as the text before it says."""
FIRST = sorted({page.name for page in (ROOT / "docs").glob("*.md") if blocks(page.name)} - ELSEWHERE.keys())


@pytest.mark.skipif(
    platform.machine() != "x86_64" or "avx2" not in Path("/proc/cpuinfo").read_text(), reason="runs AVX2 code"
)
@pytest.mark.parametrize("page", FIRST)
def test_the_first_example_is_complete(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first example of a page runs without any other text of the page; in a process of its own if it adds rows to
    the tables of instructions."""
    monkeypatch.chdir(tmp_path)

    def run() -> None:
        exec(compile(blocks(page)[0], page, "exec"), {"__name__": page})

    if page == "add-an-instruction.md":
        assert run_forked(run) == 0
    else:
        run()


TUTORIALS = {
    "tutorial.md": "numpy",
    "tutorial-fused.md": "numpy",
    "torch.md": "torch",
    "jax.md": "jax",
    "torch-compile.md": "torch",
    "tutorial-torch.md": "torch",
    "distributed.md": "dask",
    "onnx.md": "onnx",
}
"""Pages that are one session, and the package that each needs."""


@pytest.mark.skipif(
    platform.machine() != "x86_64" or "avx2" not in Path("/proc/cpuinfo").read_text(), reason="runs AVX2 code"
)
@pytest.mark.parametrize(("name", "needed"), TUTORIALS.items(), ids=TUTORIALS)
def test_the_tutorial_prints_what_it_shows(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    needed: str,
) -> None:
    """The blocks run in one session, which may write pictures. `--update-golden` writes both into the docs."""
    pytest.importorskip(needed, reason=f"{needed} is not installed: the extra peers")
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / name
    pattern = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
    names: Names = {}

    def printed(block: re.Match[str]) -> str:
        exec(compile(block[1], page.name, "exec"), names)
        output = capsys.readouterr().out.rstrip("\n")
        return f"```python\n{block[1]}```\n" + (f"\n```text\n{output}\n```\n" if output else "")

    text = page.read_text()
    found = {page: pattern.sub(printed, text)}
    found |= {ROOT / "docs/pictures" / drawn.name: drawn.read_text() for drawn in tmp_path.glob("*.svg")}
    for path, run in found.items():
        if request.config.getoption("--update-golden"):
            path.write_text(run)
        else:
            assert run == path.read_text()


def test_examples_are_found() -> None:
    """Every page with examples has a test that runs them, and no page has lost its fences."""
    elsewhere = {*TUTORIALS, "assembler.md", "add-an-instruction.md", "cache.md", "peachpy.md", "prove-by-hand.md"}
    assert {page.name for page in PAGES if page.parent.name == "docs" and blocks(page.name)} == set(GIVEN) | elsewhere


def test_the_index_names_every_page() -> None:
    """docs/README.md has one line for each page, those of the log included, and so has the navigation of the site."""
    index = (ROOT / "docs/README.md").read_text()
    named = [page for pages in navigation.sections(index).values() for page in pages]
    pages = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in PAGES if ROOT / "docs" in page.parents}
    assert sorted(named) == sorted((pages | BUILT) - {"README"})
    trees = re.findall(r"^```{toctree}\n(?::.*\n)+\n((?:.+\n)+)```$", navigation.with_toctrees(index), re.MULTILINE)
    assert "".join(trees).split() == named


@pages
def test_measured_tables_are_those_of_their_results(page: Path) -> None:
    """`make docs` writes them; a figure is changed in docs/results, with its machine, date and command."""
    assert results.page(page.read_text()) == page.read_text()


def test_results_have_a_page_and_a_source() -> None:
    shown = [mark for page in PAGES for mark in results.marks(page.read_text())]
    kept = [(path.stem, name) for path in results.RESULTS.glob("*.json") for name in results.tables(path.stem)]
    assert sorted(shown) == sorted(kept) and len(set(shown)) == len(shown)
    for family, name in kept:
        table = results.tables(family)[name]
        assert table["machine"] and table["date"] and set(results.NEEDED) <= set(table), (family, name)
        keys = {key for row in table["rows"] for key in row}
        assert keys and all(each["key"] in keys for each in table["columns"]), (family, name)


def test_a_run_becomes_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = {
        "machine": "a processor",
        "date": "2026-11-29",
        "command": "tilesmith bench x",
        "versions": {},
        "tables": {"rows": {"columns": [], "rows": [{"name": "a", "ours": 2e-9}, {"name": "b", "ours": None}]}},
    }
    (tmp_path / "run.json").write_text(json.dumps(run))
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    results.take(tmp_path / "run.json", "rows", "family/name", "Zen 4, idle", "name; ns=ours:1n")
    text = results.page("<!-- results: family/name -->\n<!-- end of results -->\n")
    assert "| a | 2.0 |\n| b | - |\n" in text and "Measured: Zen 4, idle; 2026-11-29; `tilesmith bench x`." in text
    assert results.page(text) == text
