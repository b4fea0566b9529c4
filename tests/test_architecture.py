"""The structure of the source tree, checked on the source; docs/architecture.md gives the reasons."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

import tilesmith
from tests import counts
from tests.counts import body, nodes
from tests.layers import MAY_IMPORT, rank

ROOT = Path(__file__).parents[1]
MODULES = [
    path
    for room in MAY_IMPORT
    for path in sorted((ROOT / room).rglob("*.py"))
    if not any(parent.is_symlink() for parent in path.parents)
]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
LONGEST = 500  # lines of a module above which its length must be signed for
LONGEST_FUNCTION = 60  # lines of its body, without its parameters and docstring
MOST_MODULES = 24  # in a folder
RENAMED = ROOT / "tests" / "renamed.txt"
SIGNED = ROOT / "tests" / "signed.txt"
TABLES = re.compile(r"rows.*|coefficients.*")  # as long as the instruction set or as computed tables
EMPTY_NAMES = re.compile(r"utils?|commons?|helpers?|misc")
# A word in an identifier or string that names an instruction set, its registers or an architecture.
ISA = re.compile(
    r"(?<![a-z0-9])(avx[a-z0-9]*|s?sse\d[a-z0-9]*|sse|neon|asimd|sve\d*|sme\d*|amx|[xyzt]mm\d*|x86|a64|aarch64|x64)(?![a-z0-9])"
)


def offences(paths: Iterable[Path], find: Callable[[Path], Iterable[str]]) -> str:
    """Return the objections of `find` to each module, one per line; empty if there are none."""
    return "\n".join(f"{path.relative_to(ROOT)}: {offence}" for path in paths for offence in find(path))


def package(path: Path) -> list[str]:
    """Return the package of a module, as installed: encoder/x86/rows.py -> tilesmith, encoder, x86."""
    parts = list(path.relative_to(ROOT).parent.parts)
    return parts if parts[0] == "tilesmith" else ["tilesmith", *parts]


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Return line and absolute name of everything that a module imports."""
    home, found = package(path), list[tuple[int, str]]()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{stem}.{alias.name}") for alias in node.names]
    return tuple(found)


def room(module: str) -> str | None:
    """Return the room of an absolute name, or None outside the project."""
    parts = module.split(".")
    if parts[0] != "tilesmith":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "tilesmith"


def test_imports_point_left():
    def wrong(path: Path) -> Iterator[str]:
        home = path.relative_to(ROOT).parts[0]
        allowed = MAY_IMPORT[home] | {home}
        for line, name in imports(path):
            if room(name) not in allowed | {None}:
                yield f"line {line}: {name}; {home} may import {', '.join(sorted(allowed))}"

    assert not offences(MODULES, wrong)


def test_memory_is_not_made_by_ctypes_or_mmap():
    def wrong(path: Path) -> list[str]:
        return [f"line {line}: {name}" for line, name in imports(path) if name.split(".")[0] in ("ctypes", "mmap")]

    found = offences(MODULES, wrong)
    assert not found, f"{found}\nexecutable memory and foreign calls go through cffi (runtime/memory/executable.py)"


def path_of(module: Path) -> str:
    return str(module.relative_to(ROOT).with_suffix(""))


KNOWN = {path_of(path) for path in MODULES}


@cache
def edges(path: Path) -> tuple[tuple[int, str], ...]:
    """Return line and path of every module of the project that a module imports, anywhere in its text."""
    found = []
    for line, name in imports(path):
        parts = name.split(".")[1:] if name.startswith("tilesmith.") else []
        targets = ["/".join(parts), "/".join(parts[:-1])]
        found += [(line, target) for target in targets if target in KNOWN][:1]
    return tuple(found)


def test_imports_point_to_lower_layers():
    def wrong(path: Path) -> list[str]:
        own = rank(path_of(path))
        return [f"line {line}: {target}" for line, target in edges(path) if rank(target) > own]

    found = offences(MODULES, wrong)
    assert not found, f"{found}\nthe order of layers is LAYERS of tests/layers.py: move the fact down"


def test_no_modules_import_each_other():
    graph = {path_of(path): {target for _, target in edges(path)} for path in MODULES}
    assert not _cycle(graph), "what both need belongs into a third module below them"


def _cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return modules that import each other in a circle, or [] if there are none."""
    left = dict(graph)
    while True:
        imported = set().union(*left.values()) if left else set()
        free = [name for name, targets in left.items() if not targets & left.keys() - {name} or name not in imported]
        if not free:
            return sorted(left)
        for name in free:
            del left[name]


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_imports_stand_at_the_top():
    """What is imported on first use is a module of `lazy`: see encoder/deferred.py."""

    def wrong(path: Path) -> Iterator[str]:
        indented = [each for each in nodes(path) if isinstance(each, (ast.Import, ast.ImportFrom)) and each.col_offset]
        for function in (node for node in nodes(path) if indented and isinstance(node, FUNCTIONS)):
            inside = [each for each in indented if function.lineno <= each.lineno <= (function.end_lineno or 0)]
            if inside:
                yield f"line {inside[0].lineno} in {function.name}"

    assert not offences(MODULES, wrong)


def test_modules_that_are_imported_on_first_use_are_those_that_editors_follow():
    """The tests of the layering read the imports beside `lazy`, so they must import the same modules."""

    def wrong(path: Path) -> Iterator[str]:
        package = "tilesmith." + str(path.relative_to(ROOT).parent).replace("/", ".")
        package = "tilesmith" if path.parent.name == "tilesmith" else package
        imported = {
            (alias.asname or alias.name, alias.name)
            for node in nodes(path)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        known = {name for _, name in imports(path)} | {name for _, name in imported}
        for node in nodes(path):
            if not (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Call)
                and getattr(node.value.func, "id", "") == "lazy"
            ):
                continue
            asks, name = node.value.args
            if not isinstance(name, ast.Constant):  # one of the private modules of Python, by its version
                continue
            full = name.value if isinstance(asks, ast.Constant) else resolve_name(name.value, package)
            if full not in known:
                yield f"line {node.lineno}: {full}"

    assert not offences(MODULES, wrong)


def test_modules_of_the_project_are_not_imported_by_name():
    """importlib may import only packages that may be missing, by constant names. One function imports the public names,
    which a test below compares with the imports that editors follow. Another one imports files of benchmark cases, on
    which nothing depends, so that a new benchmark is one file and no line elsewhere.
    """

    def wrong(path: Path) -> Iterator[str]:
        if path_of(path) in ("encoder/deferred", "runtime/bench/every"):
            return
        for node in nodes(path):
            called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and called == "import_module":
                named = node.args[0].value if isinstance(node.args[0], ast.Constant) else "."
                if str(named).startswith((".", "tilesmith")):
                    yield f"line {node.lineno}"

    assert not offences(MODULES, wrong)


def signed() -> dict[str, int]:
    """Return the limits of modules, functions and folders that may be longer than the rest, from `SIGNED`."""
    lines = (line.split(maxsplit=2) for line in SIGNED.read_text().splitlines() if line and not line.startswith("#"))
    return {name: int(limit) for name, limit, _reason in lines}


def test_modules_functions_and_folders_are_short_or_signed_for():
    """Lengths are alarms: what reads better in one piece is listed in `SIGNED`, with its limit and the reason."""
    found = dict(lengths())
    limits = signed()
    assert not {name: size for name, (size, most) in found.items() if size > limits.get(name, most)}
    needless = [name for name in limits if name not in found or found[name][0] <= found[name][1]]
    assert not needless, "no longer above the limits: remove these lines"


def test_counts_do_not_rise():
    """What makes the house harder to extend is counted (tests/counts.py), and what has fallen stays there."""
    most = counts.allowed()
    found = {name: count() for name, count in counts.COUNTED.items()}
    assert found == most, "counts may only fall; `python -m tests.counts --write` records what has fallen"


def lengths() -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the names of modules, functions and folders, each with its size and the limit for its sort."""
    for path in (*MODULES, *TESTS):
        name = str(path.relative_to(ROOT))
        if not TABLES.fullmatch(path.stem):
            yield name, (len(path.read_text().splitlines()), LONGEST)
        for node in (node for node in nodes(path) if isinstance(node, FUNCTIONS)):
            statements = node.body[1:] if ast.get_docstring(node) else node.body
            first = statements[0].lineno if statements else node.end_lineno or 0
            yield f"{name}:{node.name}", ((node.end_lineno or 0) - first + 1, LONGEST_FUNCTION)
    for folder, modules in Counter(path.parent for path in MODULES).items():
        yield str(folder.relative_to(ROOT)), (modules, MOST_MODULES)


def test_a_file_does_not_repeat_the_name_of_its_folder():
    def repeats(path: Path) -> bool:
        return path.stem.startswith(path.parent.name) and path.parent.name != path.parents[1].name

    assert not [str(path.relative_to(ROOT)) for path in MODULES if repeats(path)]


def test_a_module_is_named_for_what_it_holds():
    assert not [str(path.relative_to(ROOT)) for path in MODULES if EMPTY_NAMES.fullmatch(path.stem)]


def test_packages_say_what_they_are_and_nothing_else():
    """An __init__ is one sentence that names its three most important modules; the public one also has imports."""

    def wrong(path: Path) -> list[str]:
        kinds = (ast.Expr, ast.ImportFrom, ast.If, ast.Assign) if path.parent.name == "tilesmith" else (ast.Expr,)
        return [f"line {node.lineno}" for node in body(nodes(path)) if not isinstance(node, kinds)]

    assert not offences((path for path in MODULES if path.name == "__init__.py"), wrong)


def test_public_names_are_imported_late_from_where_type_checkers_find_them():
    """The imports for type checkers and editors equal the table behind `else`, from which `attributes` imports late."""
    (choice,) = [node for node in body(nodes(ROOT / "tilesmith" / "__init__.py")) if isinstance(node, ast.If)]
    assert ast.unparse(choice.test) == "TYPE_CHECKING"
    checkers = {
        alias.asname or alias.name: node.module or ""
        for node in choice.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    (table,) = [node for line in choice.orelse for node in ast.walk(line) if isinstance(node, ast.Dict)]
    late = {name: module for module, names in ast.literal_eval(table).items() for name in names.split()}
    assert late == checkers
    assert sorted(tilesmith.__all__) == sorted(late)
    assert all(hasattr(tilesmith, name) for name in late)


def renamed() -> Iterator[tuple[str, str, str]]:
    """Yield scope, old name and new name of everything that was renamed."""
    for line in RENAMED.read_text().splitlines():
        if line and not line.startswith("#"):
            scope, old, new = line.split()
            yield scope, old, new


def test_nothing_has_an_old_name():
    of_scope: dict[str, dict[str, str]] = {}
    for scope, old, new in renamed():
        of_scope.setdefault(scope, {})[old] = new

    def wrong(path: Path) -> list[str]:
        module = Path(path_of(path))
        old = {old: new for scope in (module, *module.parents) for old, new in of_scope.get(str(scope), {}).items()}
        return [f"line {line}: {name} is now {old[name]}" for line, name in defined(path) if name in old]

    assert not offences(MODULES, wrong)


def defined(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and name of the module and of its classes, functions, parameters and fields."""
    yield 1, path.stem
    for node in nodes(path):
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.lineno, node.target.id


def words(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every identifier and string of a module, without docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes(path)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value
        for field in ("id", "attr", "name", "arg", "module", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield getattr(node, "lineno", 0), value


def isa_words(text: str) -> list[str]:
    """Return the words of an instruction set in a text: avx512_gemm has one, assembler has none."""
    return ISA.findall(re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", text).lower())


def is_kernel_module(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return parts[0] == "microkernels" and not {"machines", "tuning"} & set(parts)


KERNELS = [path for path in MODULES if is_kernel_module(path)]


def test_planners_take_refusals_as_values():
    """Exceptions that choose between ways hide which of them refused, and why: see `choice.tried`."""
    caught = [path for path in KERNELS if "except UnsupportedError" in path.read_text()]
    assert [path.name for path in caught] == ["choice.py"]


def test_kernels_name_no_instruction_set():
    def wrong(path: Path) -> list[str]:
        return [f"line {line}: {text!r}" for line, text in words(path) if isa_words(text)]

    found = offences(KERNELS, wrong)
    assert not found, f"{found}\na kernel asks its machine; what differs between instruction sets lives in machines/"


def test_isa_words_are_words():
    for text in ("avx512_gemm", "zmm31", "has x86 inside", "AVX2", "m.sve256", "TMM0", "AVX512F", "sme", "NeonMachine"):
        assert isa_words(text), text
    for text in ("assembler", "classes", "passed", "same", "resolve", "max64", "sveltes", "ext", "gamma64"):
        assert not isa_words(text), text
