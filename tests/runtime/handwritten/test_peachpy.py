"""`ts.from_peachpy`: a function that PeachPy encodes in its own interpreter runs in this one."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.oracles import peachpy
from tilesmith.encoder.features import Target
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, qword
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.host import x86 as host_x86

DOCUMENT = Path(__file__).parents[3] / "docs/peachpy.md"
ABI = "SystemV x86-64 ABI"
ANY = Target("any", "x86", "avx2", frozenset(("AVX", "SSE2")), vector_bits=128, fma_bits=128)

pytestmark = pytest.mark.skipif(host.host().arch != "x86", reason="PeachPy's functions are x86-64 code")


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """Return the function that the program in the docs page prints."""
    peachpy.require()
    program = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    moved: dict[str, Any] = json.loads(peachpy.run(program[0]))
    return moved


def as_object(moved: dict[str, Any], **changes: Any) -> Any:
    """Return an object with the attributes of PeachPy's EncodedFunction."""
    rip = SimpleNamespace(name="rip_disp32")
    relocations = [
        SimpleNamespace(offset=o, program_counter=p, symbol=SimpleNamespace(offset=s), type=rip)
        for o, p, s in moved["relocations"]
    ]
    code = SimpleNamespace(content=bytearray.fromhex(moved["code"]), relocations=relocations)
    data = SimpleNamespace(content=bytearray.fromhex(moved["constants"]), relocations=[], alignment=moved["alignment"])
    arguments = [SimpleNamespace(name=name, c_type=text) for name, text in moved["arguments"]]
    fields = {
        "name": moved["name"],
        "abi": moved["abi"],
        "code_section": code,
        "const_section": data,
        "arguments": arguments,
        "result_type": moved["result"],
    }
    return SimpleNamespace(**fields | changes)


def arrays(n: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    return rng.random(n, np.float32), rng.random(n, np.float32), np.zeros(n, np.float32)


def test_the_document_program_runs(written: dict[str, Any]):
    for source in (written, json.dumps(written), json.dumps(written).encode(), as_object(written)):
        mean = ts.from_peachpy(source)
        a, b, c = arrays(64)
        assert mean(a, b, c, a.size) is None
        np.testing.assert_array_equal(c, (a + b) * np.float32(0.5))


def test_an_encoded_function_has_the_attributes_that_we_read():
    """The real object, in PeachPy's interpreter, has the attributes that the stand-in above imitates."""
    peachpy.require()
    program = DOCUMENT.read_text().split("```python\n")[1].split("```")[0]
    inspect = """
encoded = function.finalize(abi.detect()).encode()
code, data = encoded.code_section, encoded.const_section
r = code.relocations[0]
print(type(code.content), r.offset, r.program_counter, r.symbol.offset, r.type.name, data.relocations, data.alignment)
print(encoded.name, encoded.abi, encoded.result_type, [(a.name, str(a.c_type)) for a in encoded.arguments])
"""
    lines = peachpy.run(program + inspect).decode().splitlines()[-2:]
    assert re.fullmatch(r"<class 'bytearray'> \d+ \d+ 0 rip_disp32 \[\] 32", lines[0]), lines
    assert lines[1].startswith(f"mean {ABI} None [('a', 'const float*'), "), lines


def test_the_same_function_on_virtual_registers() -> None:
    names: dict[str, Any] = {}
    exec(
        compile(
            re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)[1],
            "peachpy.md",
            "exec",
        ),
        names,
    )
    a, b, c = arrays(24)
    names["mean"](a, b, c, 24)
    np.testing.assert_array_equal(c, (a + b) / 2)


def test_constants_are_aligned_and_found(written: dict[str, Any]):
    mean = ts.from_peachpy(written)
    assert mean.address % 32 == 0 and mean.code.endswith(np.full(8, 0.5, np.float32).tobytes())
    assert (len(mean.code) - 32) % 32 == 0
    assert "vmulps" in mean.listing() and mean.name in repr(mean)


def test_addresses_are_taken_for_pointers(written: dict[str, Any]):
    a, b, c = arrays(8)
    ts.from_peachpy(written)(a.ctypes.data, b, c.ctypes.data, 8)
    np.testing.assert_array_equal(c, (a + b) * np.float32(0.5))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, b, c: (a, b, c), "takes 4 arguments, not 3"),
        (lambda a, b, c: (a.astype(np.float64), b, c, 8), "a: .* takes an array of float32, not of float64"),
        (lambda a, b, c: (a, b.view(np.int32), c, 8), "b: .* not of int32"),
        (lambda a, b, c: (a, b, _frozen(c), 8), "c: float\\* is written through"),
        (lambda a, b, c: (a[::2], b, c, 8), "a: .* contiguous"),
        (lambda a, b, c: ([1.0], b, c, 8), "a: an array"),
        (lambda a, b, c: (a, b, c, 8.5), "integer"),
    ],
)
def test_wrong_arguments_are_refused(written: dict[str, Any], change: Any, message: str):
    with pytest.raises(TypeError, match=message):
        ts.from_peachpy(written)(*change(*arrays(64)))


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


# Without PeachPy


def made(body: Any, arguments: list[tuple[str, str]], result: str | None) -> dict[str, Any]:
    """Return a moved function that our own assembler encoded."""
    asm = X86Assembler(ANY)
    body(asm)
    asm.ret()
    return {
        "name": "made",
        "abi": ABI,
        "code": asm.finish("made").data,
        "constants": b"",
        "alignment": 1,
        "relocations": [],
        "arguments": arguments,
        "result": result,
    }


def r(name: str) -> Any:
    return REGISTERS[name]


def test_integers_and_floats_are_passed_and_returned():
    add = made(lambda asm: asm.lea(r("rax"), qword[r("rdi") + r("rsi")]), [("a", "int64_t"), ("b", "size_t")], "long")
    assert ts.from_peachpy(add)(-5, 3) == -2
    narrow = made(lambda asm: asm.mov(r("eax"), r("edi")), [("a", "int")], "uint32_t")
    assert ts.from_peachpy(narrow)(-1) == 2**32 - 1
    for text in ("double", "const double"):
        twice = made(lambda asm: asm.addsd(r("xmm0"), r("xmm0")), [("a", text)], "double")
        assert ts.from_peachpy(twice)(1.25) == 2.5
    same = made(lambda asm: asm.mov(r("rax"), r("rdi")), [("a", "void*")], "void*")
    array = np.zeros(3)
    assert ts.from_peachpy(same)(array) == array.ctypes.data


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"abi": "Microsoft x64 ABI"}, "made for Microsoft x64 ABI"),
        ({"arguments": [("v", "__m256")]}, "v is __m256"),
        ({"result": "_Float16"}, "result is _Float16"),
        ({"arguments": [("v", "void")]}, "v is void"),
        ({"alignment": 8192}, "aligned to 8192"),
        ({"alignment": 3}, "aligned to 3"),
        ({"relocations": [(0, 4, 0)]}, "out of bounds"),
        ({"code": None}, "a moved PeachPy function has name"),
    ],
)
def test_unsupported_functions_are_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ts.UnsupportedError, match=message):
        ts.from_peachpy(made(lambda asm: asm.nop(), [], None) | changes)


def test_objects_that_are_not_peachpys_are_refused(written: dict[str, Any]):
    with pytest.raises(ts.UnsupportedError, match="int is not what"):
        ts.from_peachpy(7)
    relocated = as_object(written)
    relocated.const_section.relocations.append(1)
    with pytest.raises(ts.UnsupportedError, match="only rip-relative relocations"):
        ts.from_peachpy(relocated)
    moved = {key: value for key, value in written.items() if key != "code"}
    with pytest.raises(ts.UnsupportedError, match="code"):
        ts.from_peachpy(moved)


def test_instructions_that_the_host_lacks_are_refused(monkeypatch: pytest.MonkeyPatch, written: dict[str, Any]):
    monkeypatch.setattr(host_x86, "available", lambda: frozenset(("SSE2",)))
    with pytest.raises(ts.UnsupportedError, match="mean needs AVX"):
        ts.from_peachpy(written)


def test_code_stays_in_its_process(written: dict[str, Any]):
    with pytest.raises(TypeError, match="JSON"):
        pickle.dumps(ts.from_peachpy(written))


@pytest.mark.parametrize("text", ["mean", "", b"\xff"])
def test_text_that_is_no_json(text):
    with pytest.raises(ts.UnsupportedError, match="no JSON of a PeachPy function, as docs/peachpy.md writes it"):
        ts.from_peachpy(text)
