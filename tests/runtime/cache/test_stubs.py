"""Emitted functions with symbols in the place of addresses: linking fills in the addresses and changes nothing else."""

import random

import pytest

import tilesmith as ts
from tests.profiles import scaled
from tilesmith.emulation.cpu import execute
from tilesmith.encoder.restore import features_of
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.cache import stamp, store, stubs
from tilesmith.runtime.cache.stubs import PLACEHOLDER, Stub, Symbol
from tilesmith.runtime.fastcall import entry_code, guards_array
from tilesmith.runtime.scalar.native import MACHINES

ADDRESSES = (0x7F00_1234_5678, 1, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_8000_0000_0000, 0x55_0000_0000, 0)
SHELLS = {"x86": "avx2", "a64": "neon"}
both = pytest.mark.parametrize("arch", SHELLS)


def returning(arch: str) -> Stub:
    """Emit a function that returns the sum of two addresses."""
    m = MACHINES[arch]()()
    m.begin("sum")
    m.move(m.result, Symbol("first"))
    m.move(m.y, Symbol("second"))
    m.add(m.result, m.y)
    m.ret()
    code = m.asm.finish("sum")
    return Stub("sum", arch, code.data, tuple(m.relocations), code.labels)


@both
def test_a_linked_function_has_the_addresses(arch):
    stub = returning(arch)
    for first in ADDRESSES:
        for second in ADDRESSES:
            done = execute(stub.linked({"first": first, "second": second}), TARGETS[SHELLS[arch]], [], [])
            assert done.result % (1 << 64) == (first + second) % (1 << 64)


@both
def test_a_relocation_anywhere_else_is_refused(arch):
    stub = returning(arch)
    right = {offset for offset, _ in stub.relocations}
    for offset in range(-8, len(stub.data) + 8):
        moved = stub._replace(relocations=((offset, "first"),))
        if offset in right:
            moved.linked({"first": 5})
        else:
            with pytest.raises(ValueError, match=f"no address belongs at {offset}"):
                moved.linked({"first": 5})


@both
def test_changed_code_is_refused_where_an_address_belongs(arch):
    stub, rng = returning(arch), random.Random(3)
    for _ in range(scaled(100, 5000)):
        data = bytearray(stub.data)
        offset, _ = stub.relocations[0]
        position = offset + rng.randrange(8 if arch == "x86" else 16)
        data[position] ^= rng.randrange(1, 256)
        changed = stub._replace(data=bytes(data))
        with pytest.raises(ValueError, match="no address belongs"):
            changed.linked({"first": 1, "second": 2})


@both
def test_an_error_names_the_missing_symbol(arch):
    with pytest.raises(ValueError, match="sum: this process has no second"):
        returning(arch).linked({"first": 1})


def test_one_place_is_filled_in_once():
    stub = returning("x86")
    twice = stub._replace(relocations=(stub.relocations[0], stub.relocations[0]))
    with pytest.raises(ValueError, match="no address belongs"):
        twice.linked({"first": 7})


@pytest.mark.parametrize("batch", [None, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS], ids=repr)
@pytest.mark.parametrize("release", ["never", "always", "count"])
def test_an_entry_of_names_is_the_entry_of_addresses(batch, release):
    """An entry that is emitted with symbols and then linked equals the entry that is emitted with the addresses."""
    if release == "count" and batch in (None, 3):
        pytest.skip("no count at the call")
    structure, _ = guards_array.gemm_entry(gemm_spec(5, 6, 7, batch=batch, beta=0.0), release, 10)
    fields = entry_code.Runtime._fields[2:]
    addresses = {name: 0x7F00_1234_5670 + (number << 20) for number, name in enumerate(fields)}
    meant = entry_code.emit(structure, entry_code.Runtime(96, 104, **addresses), MACHINES["x86"]()())
    m = MACHINES["x86"]()()
    code = entry_code.emit(structure, entry_code.Runtime(96, 104, **{name: Symbol(name) for name in fields}), m)
    assert Stub("entry", "x86", code.data, tuple(m.relocations), {}).linked(addresses) == meant.data


def test_an_unfilled_placeholder_is_recognisable():
    assert all(PLACEHOLDER >> shift & 0xFFFF not in (0, 0xFFFF) for shift in (0, 16, 32, 48))
    assert PLACEHOLDER >> 47 not in (0, (1 << 17) - 1)  # the address is not canonical, so a jump there faults


def test_a_kept_function_is_found_unless_the_processor_lacks_what_it_needs(place):
    emitted = []

    def emit():
        emitted.append(1)
        m = MACHINES["x86"]()()
        m.begin("wide")
        m.differ(m.x, 0, 0, first=True)
        m.move(m.result, Symbol("first"))
        m.ret()
        return m.asm.finish("wide"), m.relocations

    first = stubs.stub("wide", "s", "x86", emit, frozenset({"AVX", "AVX2"}))
    store.flush()
    assert stubs.stub("wide", "s", "x86", emit, frozenset({"AVX", "AVX2"})) == first and len(emitted) == 1
    assert stubs.stub("wide", "s", "x86", emit, frozenset()) == first and len(emitted) == 2
    assert stubs.stub("wide", "t", "x86", emit, frozenset({"AVX", "AVX2"})) == first and len(emitted) == 3
    assert features_of(first.data, "x86") & {"AVX", "AVX2"}


def test_another_version_or_interpreter_finds_nothing(place, monkeypatch):
    emitted = []

    def emit():
        emitted.append(1)
        m = MACHINES["x86"]()()
        m.begin("plain")
        m.ret()
        return m.asm.finish("plain"), m.relocations

    changes = (stamp, "stamp", "first"), (stamp, "stamp", "second"), (stubs, "interpreter", "another")
    for module, name, value in changes:
        monkeypatch.setattr(module, name, lambda value=value: value)
        stubs.stub("plain", "", "x86", emit)
        store.flush()
    assert len(emitted) == 3
    stubs.stub("plain", "", "x86", emit)
    assert len(emitted) == 3
