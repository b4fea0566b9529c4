"""The functions that are committed as machine code equal the output of their emitters."""

import pprint
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tilesmith.encoder.code import Code
from tilesmith.runtime.cache import committed, stubs
from tilesmith.runtime.cache.stubs import Symbol
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.host import x86_code
from tilesmith.runtime.memory import instruction_cache_a64, owner
from tilesmith.runtime.scalar.machine import Scalar
from tilesmith.runtime.scalar.native import MACHINES

EMITTERS: dict[str, Callable[[Scalar], Code]] = {
    "with_gil": lambda m: entry.with_gil_code(m, Symbol),
    "unmap": lambda m: owner.unmap(m, Symbol),
    "capsule": lambda m: owner.capsule(m, Symbol("unmap"), Symbol),
}


def emitted() -> Iterator[tuple[tuple[str, str], committed.Function]]:
    """Yield name and architecture of every committed function, and the function as emitted now."""
    for key, code in ((("probe", "x86"), x86_code.probe()), (("flush", "a64"), instruction_cache_a64.stub())):
        yield key, (code.data.hex(" ", -8), (), code.labels)
    for name, emit in EMITTERS.items():
        for arch, machine in MACHINES.items():
            m = machine()()
            code = emit(m)
            places = tuple((at, str(symbol)) for at, symbol in m.relocations)
            yield (name, arch), (code.data.hex(" ", -8), places, code.labels)


def test_committed_functions_equal_emitted_ones(request: pytest.FixtureRequest) -> None:
    found = dict(emitted())
    if request.config.getoption("--update-golden"):
        path = Path(committed.__file__)
        head, equals, _ = path.read_text().partition("Function] = ")
        path.write_text(f"{head}{equals}{{\n {pprint.pformat(found, width=100, sort_dicts=False)[1:]}\n")
    assert found == committed.COMMITTED


def test_a_stub_of_that_name_is_not_emitted() -> None:
    for name, arch in committed.COMMITTED:
        made = stubs.stub(name, "", arch, lambda: pytest.fail("emitted"))
        assert made.data.hex(" ", -8) == committed.COMMITTED[name, arch][0]
