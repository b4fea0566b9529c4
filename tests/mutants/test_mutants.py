"""The mutation tool: the changes that it makes, the tests that it selects, and its verdicts."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.mutants import row_sites
from tests.mutants.areas import AREAS, ROOT, mapped_tests, modules
from tests.mutants.schedule import Outcome, judge
from tests.mutants.sites import sites

SOURCE = '''
"""A docstring with 1 number."""

def f(a: int, b: int = 2) -> str:
    if a < b and not g(b, a):
        a += 1
    print(f"{a + 1}")
    return min(x for x in (a, b) if x)
'''


def test_every_kind_of_change():
    found = {(site.before, site.after) for site in sites(ast.parse(SOURCE))}
    assert found == {
        ("2", "3"),
        ("2", "1"),
        ("a < b and (not g(b, a))", "a < b or not g(b, a)"),
        ("a < b", "a <= b"),
        ("not g(b, a)", "g(b, a)"),
        ("g(b, a)", "g(a, b)"),
        ("a += 1", "pass"),
        ("1", "2"),
        ("1", "0"),
        ("if a < b and (not g(b, a)):", "if not (a < b and (not g(b, a))):"),
        ("print(f'{a + 1}')", "pass"),
        ("min((x for x in (a, b) if x))", "max((x for x in (a, b) if x))"),
        ("for x in (a, b) if x", "for x in (a, b)"),
    }


def test_one_change_is_made():
    for number, site in enumerate(sites(ast.parse(SOURCE))):
        tree = ast.parse(SOURCE)
        list(sites(tree))[number].apply()
        changed = ast.unparse(tree)
        assert changed != ast.unparse(ast.parse(SOURCE)), (site.before, site.after)
        compile(tree, "f", "exec")


def test_rows_change():
    row = "vaddps           V{kz},V,V/M/b32{er}         RVM VEX.NP.0F 58 /r | RVM EVEX.NP.0F.W0 58 /r   AVX | AVX512F"
    tree = ast.parse(f'ROWS = ("""\n# Arithmetic\n{row}\n""",)')
    afters = {site.after for site in row_sites.sites(tree, row_sites.X86)}
    for part in ("48 /r", "V{k},", "b64", "{sae}", "RMV", "W1", "AVX512BW"):
        assert any(part in after for after in afters), part
    assert {site.line for site in row_sites.sites(tree, row_sites.X86)} == {3}


@pytest.mark.slow
def test_every_module_of_an_area_has_tests():
    tests = {path: mapped_tests(path) for area in AREAS for path in modules(area)}
    assert not [path for path, files in tests.items() if not files]
    assert all((ROOT / test).is_file() for test in {test for files in tests.values() for test in files})


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Outcome("passed", "", 20, 20), "survived"),
        (Outcome("failed", "t", 1, 5), "killed"),
        (Outcome("died", "t", 1, 5), "killed"),
        (Outcome("late", "t", 29, 31), "timeout"),
        (Outcome("late", "t", 6, 31), "survived"),  # the test takes 5 s without the mutant
    ],
)
def test_verdicts(outcome, verdict):
    assert judge(outcome, Outcome("passed", "t", 5, 5)).verdict == verdict


PROGRAM = """
import ast
from tests.mutants import schedule
from tests.mutants.areas import Mutant, ROOT, mapped_tests
from tests.mutants.sites import sites
path = "encoder/fields.py"
wanted = "Field.insert", "value % self.scale", "value // self.scale"
mutants = [Mutant("", path, number, site.line, site.after, "key")
           for number, site in enumerate(sites(ast.parse((ROOT / path).read_text())))
           if (site.scope, site.before, site.after) == wanted]
schedule.mapped_tests = lambda path: mapped_tests(path)[:1]  # to import all of them takes ten seconds
for mutant, result in schedule.Schedule(30, 1).run(mutants):
    print(result.verdict, result.test)
"""


@pytest.mark.seconds
def test_a_mutant_is_killed_by_a_test_of_its_module():
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout.startswith("killed tests/encoder/test_fields.py"), done.stdout + done.stderr
