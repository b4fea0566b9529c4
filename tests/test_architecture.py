"""The shape of the source tree, read from the source: docs/architecture.md says why."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[1]
# What each room may import; nothing imports `tilesmith` itself.
MAY_IMPORT = {
    "encoder": set(),
    "microkernels": {"encoder"},
    "emulation": {"encoder"},
    "runtime": {"encoder", "microkernels", "emulation"},
    "tilesmith": {"encoder", "microkernels", "emulation", "runtime"},
}
MODULES = [path for room in MAY_IMPORT for path in sorted((ROOT / room).rglob("*.py"))]
NAMES = [str(path.relative_to(ROOT)) for path in MODULES]
LONGEST = 500  # lines
TABLES = re.compile(r"rows.*|.*_constants")  # as long as the instruction set, or as what a program computed
EMPTY_NAMES = re.compile(r"utils?|commons?|helpers?|misc")
# A word of an identifier or string that names an instruction set, its registers or an architecture.
ISA = re.compile(
    r"(?<![a-z0-9])(avx[a-z0-9]*|s?sse\d[a-z0-9]*|sse|neon|asimd|sve\d*|sme\d*|amx|[xyzt]mm\d*|x86|a64|aarch64|x64)(?![a-z0-9])"
)

modules = pytest.mark.parametrize("path", MODULES, ids=NAMES)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def package(path: Path) -> list[str]:
    """The package a module lives in, as it is installed: encoder/x86/rows.py -> tilesmith, encoder, x86."""
    parts = list(path.relative_to(ROOT).parent.parts)
    return parts if parts[0] == "tilesmith" else ["tilesmith", *parts]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything a module imports."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = package(path)
            base = home[: len(home) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{stem}.{alias.name}") for alias in node.names)


def room(module: str) -> str | None:
    """The room that an absolute name belongs to, None outside the project."""
    parts = module.split(".")
    if parts[0] != "tilesmith":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "tilesmith"


@modules
def test_imports_point_left(path: Path):
    home = path.relative_to(ROOT).parts[0]
    allowed = MAY_IMPORT[home] | {home}
    wrong = [f"line {line}: {name}" for line, name in imports(path) if room(name) not in allowed | {None}]
    assert not wrong, f"{home} may import {', '.join(sorted(allowed))}"


@modules
def test_memory_is_not_made_by_ctypes_or_mmap(path: Path):
    wrong = [f"line {line}: {name}" for line, name in imports(path) if name.split(".")[0] in ("ctypes", "mmap")]
    assert not wrong, "executable memory and foreign calls go through cffi (runtime/memory/executable.py)"


@modules
def test_imports_stand_at_the_top(path: Path):
    inside = [
        f"line {node.lineno} in {function.name}"
        for function in ast.walk(tree(path))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert not inside


@modules
def test_a_module_is_short(path: Path):
    lines = len(path.read_text().splitlines())
    assert lines <= LONGEST or TABLES.fullmatch(path.stem), f"{lines} lines: split it by noun"


@modules
def test_a_module_is_named_for_what_it_holds(path: Path):
    assert not EMPTY_NAMES.fullmatch(path.stem)


@modules
def test_packages_hold_no_logic(path: Path):
    """An __init__ has a docstring, imports and __all__."""
    if path.name == "__init__.py":
        kinds = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
        logic = [f"line {node.lineno}" for node in tree(path).body if not isinstance(node, kinds)]
        assert not logic


def words(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every identifier and string of a module, docstrings left out."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value
        for field in ("id", "attr", "name", "arg", "module", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield getattr(node, "lineno", 0), value


def isa_words(text: str) -> list[str]:
    """The words of an instruction set in a text: avx512_gemm has one, assembler has none."""
    return ISA.findall(re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", text).lower())


def is_kernel_module(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return parts[0] == "microkernels" and "machines" not in parts


KERNELS = [path for path in MODULES if is_kernel_module(path)]


@pytest.mark.parametrize("path", KERNELS, ids=[str(path.relative_to(ROOT)) for path in KERNELS])
def test_kernels_name_no_instruction_set(path: Path):
    wrong = [f"line {line}: {text!r}" for line, text in words(path) if isa_words(text)]
    assert not wrong, "a kernel asks its machine; what differs between instruction sets lives in machines/"


def test_isa_words_are_words():
    for text in ("avx512_gemm", "zmm31", "has x86 inside", "AVX2", "m.sve256", "TMM0", "AVX512F", "sme", "NeonMachine"):
        assert isa_words(text), text
    for text in ("assembler", "classes", "passed", "same", "resolve", "max64", "sveltes", "ext", "gamma64"):
        assert not isa_words(text), text
