"""The modules of each area of mutants, and the tests that are mapped to a module.

Tests mirror the tree. So the tests of microkernels/gemm/plan.py are first those in tests/microkernels/gemm/ with `plan`
in their name, then the others of that folder, then those that TESTS adds because they reach the folder's modules.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.mutants import row_sites
from tests.mutants.sites import Site, sites

ROOT = Path(__file__).parents[2]


class Area(NamedTuple):
    """An area: modules by patterns of their paths, of which each seed draws `count` mutants."""

    name: str
    count: int
    modules: tuple[str, ...]
    but: tuple[str, ...] = ()


_KERNELS = ("gemm", "eltwise", "reduce", "transform", "gather", "epilogue", "prepack", "precision")
AREAS = (
    Area("encoder rows", 36, ("encoder/*/rows_*.py",)),
    Area("encoder code", 32, ("encoder/*.py",), ("*/rows*.py", "*/stubs.py", "*/reference.py", "encoder/errors.py")),
    Area(
        "planners",
        36,
        (
            "microkernels/*/*plan.py",
            "microkernels/*/*spec.py",
            "microkernels/*/*search*.py",
            "microkernels/*/pipeline.py",
            "microkernels/*/candidates.py",
            "microkernels/choice.py",
            "microkernels/gemm/blocking.py",
            "microkernels/prepack/ways.py",
            "microkernels/reduce/ops.py",
            "microkernels/tuning/*.py",
        ),
    ),
    Area("emitters", 36, tuple(f"microkernels/{folder}/*.py" for folder in _KERNELS)),
    Area(
        "machines",
        32,
        tuple(f"microkernels/{folder}/*.py" for folder in ("machines", "codegen", "contract", "functions")),
        ("*/coefficients_*.py",),
    ),
    Area("guards", 32, ("runtime/fastcall/*.py", "runtime/arguments/*.py")),
    Area("emulator", 36, tuple(f"emulation/{folder}/*.py" for folder in ("x86", "a64", "numerics", "core"))),
)
TESTS = {
    "encoder/x86/": ("encoder/*x86*", "encoder/*"),
    "encoder/a64/": ("encoder/*a64*", "encoder/*"),
    "microkernels/choice": ("microkernels/products/*", "runtime/api/*"),
    "microkernels/codegen/": ("microkernels/eltwise/*", "microkernels/expr/*", "microkernels/reduce/*"),
    "microkernels/contract/": ("microkernels/gemm/*", "microkernels/transform/*"),
    "microkernels/eltwise/": ("microkernels/expr/*", "microkernels/functions/test_quantize*"),
    "microkernels/functions/": ("microkernels/expr/*", "microkernels/eltwise/*"),
    "microkernels/gemm/": ("microkernels/prepack/*", "microkernels/products/*"),
    "microkernels/gemm/block_dot": ("microkernels/gemm/test_mixed*",),
    "microkernels/machines/": (
        "microkernels/contract/*",
        "microkernels/gemm/*",
        "microkernels/eltwise/*",
        "microkernels/reduce/*",
        "microkernels/transform/*",
        "microkernels/expr/*",
    ),
    "microkernels/machines/a64/dot": (
        "microkernels/contract/test_dot_aarch64*",
        "microkernels/gemm/test_mixed_aarch64*",
    ),
    "microkernels/machines/a64/mmla": (
        "microkernels/contract/test_dot_aarch64*",
        "microkernels/gemm/test_mixed_aarch64*",
    ),
    "microkernels/machines/a64/sme": ("microkernels/gemm/test_outer*", "microkernels/contract/*"),
    "microkernels/machines/a64/za": ("microkernels/gemm/test_outer*",),
    "microkernels/machines/a64/iota": ("microkernels/functions/test_threefry*", "microkernels/codegen/*"),
    "microkernels/machines/x86/iota": ("microkernels/functions/test_threefry*", "microkernels/codegen/*"),
    "microkernels/machines/x86/amx": ("microkernels/gemm/test_tiles*", "microkernels/products/*"),
    "microkernels/machines/x86/dot": ("microkernels/contract/test_dot.py", "microkernels/gemm/test_mixed.py"),
    "microkernels/prepack/operand": ("microkernels/gemm/test_tiles*", "microkernels/gemm/test_mixed_aarch64*"),
    "microkernels/prepack/": (
        "microkernels/products/*",
        "microkernels/gemm/test_mixed*",
        "microkernels/gemm/test_outer*",
    ),
    "runtime/arguments/": ("runtime/fastcall/*", "runtime/kernel/*", "runtime/api/*"),
    "runtime/fastcall/": ("runtime/arguments/*", "runtime/kernel/*"),
    "runtime/fastcall/dispatch": ("runtime/api/test_dispatch*",),
    "runtime/fastcall/dlpack": ("runtime/fastcall/test_dlpack*",),
    "runtime/fastcall/guards_epilogue": (
        "runtime/fastcall/test_call_epilogue*",
        "runtime/fastcall/test_call_results*",
    ),
    "emulation/": ("emulation/test_cpu*", "emulation/core/*"),
    "emulation/core/": ("emulation/x86/*", "emulation/a64/*"),
    "emulation/numerics/": ("emulation/x86/*", "emulation/a64/*"),
    "emulation/numerics/dot": ("microkernels/gemm/test_mixed*",),
    "emulation/numerics/expressions": ("microkernels/codegen/*", "microkernels/eltwise/*"),
}
"""Path prefix of modules -> patterns below tests/. Tests of a single module come before the rest of its folder's
tests."""
EVERYWHERE = ("fixed/*",)


class Mutant(NamedTuple):
    """A mutant: one changed site of one module."""

    area: str
    path: str  # of the module, relative to the root
    number: int  # index of the site in its module
    line: int
    change: str
    key: str  # stays the same as long as module, function and changed expression do

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"

    def tree(self) -> ast.Module:
        """Return the module with the change."""
        tree = ast.parse((ROOT / self.path).read_text())
        next(site for number, site in enumerate(sites_of(self.path, tree)) if number == self.number).apply()
        return tree


def sites_of(path: str, tree: ast.Module) -> Iterator[Site]:
    """Return the sites of a module, in instruction rows or in code."""
    if fnmatch(path, "*/rows_*.py"):
        return row_sites.sites(tree, row_sites.X86 if "/x86/" in path else row_sites.A64)
    return sites(tree)


def modules(area: Area) -> list[str]:
    """Return the paths of an area, without those of earlier areas."""
    before = [] if area is AREAS[0] else [path for other in AREAS[: AREAS.index(area)] for path in modules(other)]
    paths = (
        str(path.relative_to(ROOT))
        for top in ("encoder", "microkernels", "runtime", "emulation")
        for path in sorted((ROOT / top).rglob("*.py"))
    )
    return [
        path
        for path in paths
        if any(fnmatch(path, pattern) for pattern in area.modules)
        and path not in before
        and not any(fnmatch(path, pattern) for pattern in area.but)
        and not path.endswith("__init__.py")
    ]


def mutants(area: Area) -> Iterator[Mutant]:
    """Yield every mutant of an area."""
    for path in modules(area):
        same: dict[str, int] = {}
        for number, site in enumerate(sites_of(path, ast.parse((ROOT / path).read_text()))):
            change = f"{site.scope}: {site.before} -> {site.after}"
            same[change] = same.get(change, 0) + 1
            key = hashlib.sha256(f"{path} {change} {same[change]}".encode()).hexdigest()[:10]
            yield Mutant(area.name, path, number, site.line, change, key)


def drawn(area: Area, seed: int) -> list[Mutant]:
    """Return the mutants of a seed. Added or changed code does not affect the choice among the rest."""
    chosen = sorted(mutants(area), key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest())
    return sorted(chosen[: area.count], key=lambda mutant: (mutant.path, mutant.line))


def mapped_tests(path: str) -> list[str]:
    """Return the test modules that are mapped to a module, those that mirror it first."""
    folder = path.rpartition("/")[0]
    far = [pattern for prefix in _prefixes(path) if prefix.endswith("/") for pattern in TESTS[prefix]]
    return list(dict.fromkeys([*mirror_tests(path), *_found([f"{folder}/*", *far, *EVERYWHERE])]))


def mirror_tests(path: str) -> list[str]:
    """Return the test modules that contain the module's name in theirs, and those that TESTS maps to it alone."""
    folder, _, name = path.removesuffix(".py").rpartition("/")
    near = [pattern for prefix in _prefixes(path) if not prefix.endswith("/") for pattern in TESTS[prefix]]
    return list(dict.fromkeys(_found([f"{folder}/*{name}*", *near])))


def _prefixes(path: str) -> list[str]:
    return sorted((prefix for prefix in TESTS if path.startswith(prefix)), key=len, reverse=True)


def _found(patterns: list[str]) -> list[str]:
    return [test for pattern in patterns for test in _of_pattern(pattern)]


@cache
def _of_pattern(pattern: str) -> tuple[str, ...]:
    """Return the test modules of a pattern. Most modules of an area ask for the same ones."""
    those = sorted((ROOT / "tests").glob(pattern))
    return tuple(str(test.relative_to(ROOT)) for test in those if fnmatch(test.name, "test_*.py"))


def words_of(path: str) -> tuple[str, ...]:
    """Return the instruction sets in a module's name; cases whose names contain them run first."""
    name = path.rpartition("/")[2]
    return tuple(isa for isa in ("avx2", "avx512", "amx", "neon", "sve", "sme") if isa in name)
