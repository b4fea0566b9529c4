"""Handlers of XLA's on call frames made here: by the emulator for both architectures, and natively between guard pages.

The frames follow xla/ffi/api/c_api.h; a C compiler says where its fields are.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, check_canary, guarded
from tests.oracles import tools
from tilesmith.emulation.cpu import CODE, Region, execute
from tilesmith.runtime.integrations.xla.callees import callee_of
from tilesmith.runtime.integrations.xla.frame import (
    TYPES,
    CallArrays,
    CallBuffer,
    CallExtension,
    CallFrame,
    ErrorArguments,
    HandlerMetadata,
    OfferedApi,
)
from tilesmith.runtime.integrations.xla.handler import (
    ArrayType,
    Callee,
    Handler,
    HandlerLoop,
    HandlerWord,
    WordBase,
    emit,
    number,
)
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.native import scalar_machine
from tilesmith.runtime.scalar.x86 import X86Scalar
from tilesmith.runtime.system.libc import ffi

MACHINES = {"avx2": X86Scalar, "neon": A64Scalar}
ERROR = 0x77
"""What the error function of these tests returns."""


@dataclass
class MadeFrame:
    """A call frame in memory: a word at a time, with everything that it points to."""

    offered: tuple[int, int] = (0, 3)
    sizes: dict[str, int] = field(default_factory=dict)
    stage: int = CallFrame.EXECUTE
    kept: list[np.ndarray] = field(default_factory=list)
    metadata: np.ndarray | None = None
    told: bool = True

    def words(self, *values):
        """Return the address of these words, which the frame keeps."""
        made = np.array([value % (1 << 64) for value in values] or [0], np.uint64)
        self.kept.append(made)
        return made.ctypes.data

    def buffer(self, dtype, array):
        """Return the address of a buffer."""
        junk = 0xABCD << 32  # behind a C int
        kind, extents = junk | TYPES[dtype], self.words(*array.shape)
        return self.words(self.sizes.get("buffer", 48), 0, kind, array.ctypes.data, array.ndim, extents)

    def address(self, error, arguments, results, extension=0):
        """Return the address of the frame."""
        major, minor = self.offered
        api = self.words(192, 0, 24, 0, minor << 32 | major, 0, error, error) if self.told else 0
        parts = []
        for name, arrays in (("arguments", arguments), ("results", results)):
            buffers = [self.buffer(*each) for each in arrays]
            parts += [self.sizes.get(name, 40), 0, len(arrays), self.words(*[1] * len(arrays)), self.words(*buffers)]
        return self.words(self.sizes.get("frame", 168), extension, api, 0, self.stage, *parts, *[48, 0, 0, 0, 0, 0], 0)

    def asking(self, error):
        """Return the address of a frame by which XLA asks for metadata."""
        at = self.words(36, 24, 0, 0xFFFF_FFFF_FFFF_FFFF, 0x1234_5678_9ABC_DEF0, 0x55)
        self.metadata = self.kept[-1]
        other = self.words(24, 99, 0)
        extension = self.words(32, 1 | 0x7FFC << 32, 0, at)
        self.kept[-2][2] = extension  # behind an extension of another kind
        return self.address(error, [], [], other)


def failing(machine, to):
    """Return the code of XLA_FFI_Error_Create: it writes its arguments' size, message and code to three words."""
    m = machine()
    m.begin("error")
    m.open(0)
    m.move(m.y, to)
    for word, offset in enumerate((0, ErrorArguments.MESSAGE, ErrorArguments.CODE)):
        m.move(m.x, ScalarMemory(m.arguments[0], offset))
        m.move(ScalarMemory(m.y, 8 * word), m.x)
    m.move(m.result, ERROR)
    m.close()
    m.ret()
    return m.asm.finish("error").data


class Emulated:
    """A handler of a plan, the kernel and the error function in one piece of code for the emulator."""

    KERNEL, FAILS = 1 << 14, 3 << 14

    def __init__(self, target, plan, kernel):
        self.target = kernel.target
        self.raised = np.zeros(3, np.uint64)
        data = emit(MACHINES[target](), plan(CODE + self.KERNEL)).data
        whole = bytearray(self.FAILS)
        whole[: len(data)] = data
        assert len(data) <= self.KERNEL and len(kernel.code) <= self.FAILS - self.KERNEL
        whole[self.KERNEL : self.KERNEL + len(kernel.code)] = kernel.code
        self.code = bytes(whole) + failing(MACHINES[target], self.raised.ctypes.data)

    def __call__(self, made, address, *arrays):
        """Return what the handler returns."""
        regions = [Region(f"word {n}", each, each is made.metadata) for n, each in enumerate(made.kept)]
        regions += [Region(f"buffer {n}", each, True) for n, each in enumerate(arrays)]
        return execute(self.code, self.target, [address], [*regions, Region("raised", self.raised, True)]).result

    @property
    def message(self):
        """The error's message."""
        at = int(self.raised[1]) - CODE
        return self.code[at : self.code.index(b"\0", at)].decode()


def softmax(target, rows=5, columns=12):
    """Return a softmax kernel and a function that makes its handler's plan for an address."""
    kernel = ts.fused("softmax", rows, columns, target=target)
    shape = ArrayType("f32", (rows, columns))
    return kernel, lambda at: Handler("softmax", (shape,), (shape,), Callee(at, (HandlerWord(0), HandlerWord(1))))


def wanted_of(x):
    powers = np.exp(x.astype("f8") - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def drawn(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("target", MACHINES)
def test_a_call(target):
    kernel, plan = softmax(target)
    handler, made, x, y = Emulated(target, plan, kernel), MadeFrame(), drawn(5, 12), np.zeros((5, 12), np.float32)
    at = made.address(CODE + handler.FAILS, [("f32", x)], [("f32", y)])
    assert handler(made, at, x, y) == 0
    assert np.allclose(y, wanted_of(x), atol=1e-6)


@pytest.mark.parametrize("minor", range(6))
@pytest.mark.parametrize("target", MACHINES)
def test_the_version_is_that_which_xla_offers(target, minor):
    kernel, plan = softmax(target)
    handler, made = Emulated(target, plan, kernel), MadeFrame((0, minor))
    assert handler(made, made.asking(CODE + handler.FAILS)) == 0
    assert made.metadata.view(np.int32)[6:9].tolist() == [0, minor, 0]  # major, minor, traits
    assert made.metadata[5] == 0x55  # what a newer version has behind


@pytest.mark.parametrize("target", MACHINES)
def test_an_interface_that_does_not_tell_its_version(target):
    """Up to jaxlib 0.7, XLA asks without its functions, and takes its own version only."""
    kernel, plan = softmax(target)
    handler, made = Emulated(target, lambda at: plan(at)._replace(minor=1), kernel), MadeFrame(told=False)
    assert handler(made, made.asking(CODE + handler.FAILS)) == 0
    assert made.metadata.view(np.int32)[6:9].tolist() == [0, 1, 0]


@pytest.mark.parametrize("target", MACHINES)
def test_another_major_version_is_refused(target):
    kernel, plan = softmax(target)
    handler, made = Emulated(target, plan, kernel), MadeFrame((1, 0))
    assert handler(made, made.asking(CODE + handler.FAILS)) == ERROR
    assert "version 0" in handler.message and handler.raised[0] == 28 and handler.raised[2] % (1 << 32) == 9


X, Y = np.ones((5, 12), np.float32), np.zeros((5, 12), np.float32)
WRONG = {
    "a type": ({}, [("i32", X)], [("f32", Y)], "argument 0: not f32[5,12]"),
    "a rank": ({}, [("f32", X[0])], [("f32", Y)], "argument 0: not f32[5,12]"),
    "rows": ({}, [("f32", X[:4])], [("f32", Y)], "argument 0: not f32[5,12]"),
    "columns of a result": ({}, [("f32", X)], [("f32", Y[:, :11])], "result 0: not f32[5,12]"),
    "arguments": ({}, [("f32", X)] * 2, [("f32", Y)], "another number of arguments than 1"),
    "results": ({}, [("f32", X)], [], "another number of results than 1"),
    "a longer frame": ({"sizes": {"arguments": 48}}, [("f32", X)], [("f32", Y)], "another layout"),
    "a shorter frame": ({"sizes": {"frame": 100}}, [("f32", X)], [("f32", Y)], "another layout"),
    "a shorter buffer": ({"sizes": {"buffer": 32}}, [("f32", X)], [("f32", Y)], "a buffer without extents"),
    "a stage": ({"stage": 1}, [("f32", X)], [("f32", Y)], "another stage"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("target", MACHINES)
def test_what_differs_is_an_error_of_xla(target, case):
    more, arguments, results, message = WRONG[case]
    kernel, plan = softmax(target)
    handler, made = Emulated(target, plan, kernel), MadeFrame(**more)
    assert handler(made, made.address(CODE + handler.FAILS, arguments, results), X, Y) == ERROR
    assert handler.message.startswith("softmax: ") and message in handler.message
    assert not Y.any()


@pytest.mark.parametrize("sizes", [{"buffer": 56}, {"frame": 240}, {"results": 64}])
@pytest.mark.parametrize("target", MACHINES)
def test_structs_may_grow_at_their_ends(target, sizes):
    kernel, plan = softmax(target)
    handler, made, y = Emulated(target, plan, kernel), MadeFrame(sizes=sizes), np.zeros((5, 12), np.float32)
    assert handler(made, made.address(CODE + handler.FAILS, [("f32", X)], [("f32", y)]), X, y) == 0
    assert np.allclose(y, 1 / 12)


@pytest.mark.parametrize("target", MACHINES)
def test_a_batch_is_a_loop(target):
    """Two loops, with a weight that all samples share, and one for each outer sample."""
    kernel = ts.fused("layernorm", 3, 8, target=target)
    x, weight, bias, y = drawn(2, 4, 3, 8), drawn(2, 8), drawn(8), np.zeros((2, 4, 3, 8), np.float32)
    arrays = [x, weight, bias, y]
    types = [ArrayType("f32", each.shape) for each in arrays]
    loops = HandlerLoop(2, (4 * 96, 32, 0, 4 * 96)), HandlerLoop(4, (96, 0, 0, 96))

    def plan(at):
        words = tuple(map(HandlerWord, range(4)))
        return Handler("layer_norm", (*types[:3],), (*types[3:],), Callee(at, words), loops)

    handler, made = Emulated(target, plan, kernel), MadeFrame()
    at = made.address(CODE + handler.FAILS, [("f32", each) for each in arrays[:3]], [("f32", y)])
    assert handler(made, at, *arrays) == 0
    wide = x.astype("f8")
    wanted = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    assert np.allclose(y, wanted * weight[:, None, None] + bias, atol=1e-5)


@pytest.mark.parametrize("target", MACHINES)
def test_parameters_beyond_the_registers_and_numbers(target):
    """A gradient of attention has ten pointers; a stack has strides behind its pointers."""
    kernel = ts.brgemm(3, 4, 5, stack=6, beta=0.0, target=target)
    a, b, c = drawn(6, 3, 5), drawn(5, 4), np.zeros((6, 3, 4), np.float32)
    types = [ArrayType("f32", each.shape) for each in (a, b, c)]
    words = (
        *map(HandlerWord, range(3)),
        number(60),
        number(0),
        number(48),
    )
    handler = Emulated(target, lambda at: Handler("mm", (*types[:2],), (types[2],), Callee(at, words)), kernel)
    made = MadeFrame()
    assert handler(made, made.address(CODE + handler.FAILS, [("f32", a), ("f32", b)], [("f32", c)]), a, b, c) == 0
    assert np.allclose(c, a.astype("f8") @ b, atol=1e-5)
    kernel = ts.attention_inv(1, 3, 4, 8, mask="row", target=target)
    numbers = drawn(10, 64)
    shapes = [(1, 3, 8), (1, 3, 8), (1, 4, 8), (1, 4, 8), (4,), (1, 3, 8), (1, 3), (1, 3, 8), (1, 4, 8), (1, 4, 8)]
    arrays = [numbers[n, : np.prod(shape)].reshape(shape).copy() for n, shape in enumerate(shapes)]
    types = [ArrayType("f32", each.shape) for each in arrays]
    words = tuple(map(HandlerWord, range(10)))
    handler = Emulated(target, lambda at: Handler("a", (*types[:7],), (*types[7:],), Callee(at, words)), kernel)
    made, wanted = MadeFrame(), [each.copy() for each in arrays]
    named = [("f32", each) for each in arrays]
    assert handler(made, made.address(CODE + handler.FAILS, named[:7], named[7:]), *arrays) == 0
    ts.attention_inv(1, 3, 4, 8, mask="row", target=target).run(*wanted)
    for one, other in zip(arrays, wanted):
        assert (one == other).all()


@pytest.mark.parametrize("target", MACHINES)
def test_a_job_gets_a_table_in_scratch_memory_of_xla(target):
    """The job of these tests copies the words of its table to a result."""
    m = MACHINES[target]()
    m.begin("job")
    m.open(0)
    m.move(m.y, ScalarMemory(m.arguments[0], 8))
    for word in range(5):
        m.move(m.x, ScalarMemory(m.arguments[0], 8 * word))
        m.move(ScalarMemory(m.y, 8 * word), m.x)
    m.move(ScalarMemory(m.y, 40), m.arguments[1])
    m.move(ScalarMemory(m.y, 48), m.arguments[2])
    m.close()
    m.ret()
    job = type("Job", (), {"code": m.asm.finish("job").data, "target": ts.fused("softmax", 1, 8, target=target).target})
    x, y, scratch = np.zeros(3, np.float64), np.zeros(7, np.float64), np.zeros(100 + 4096, np.uint8)
    words = (
        HandlerWord(0),
        HandlerWord(1),
        HandlerWord(WordBase.SCRATCH),
        HandlerWord(WordBase.SCRATCH, 64),
        number(1 << 40),
    )
    types = ArrayType("f64", (3,)), ArrayType("f64", (7,))
    handler = Emulated(
        target, lambda at: Handler("job", types[:1], types[1:], Callee(at, words, True, scratch=100)), job
    )
    made = MadeFrame()
    at = made.address(CODE + handler.FAILS, [("f64", x)], [("f64", y), ("u8", scratch)])
    assert handler(made, at, x, y, scratch) == 0
    table = y.view(np.uint64).tolist()
    begin = table[2]
    assert begin % 4096 == 0 and 0 <= begin - scratch.ctypes.data < 4096
    assert table == [x.ctypes.data, y.ctypes.data, begin, begin + 64, 1 << 40, 0, 1]


@both_sides
@pytest.mark.parametrize("request_of", ["kernel", "nest", "spread"])
def test_native_calls_stay_between_guard_pages(side, request_of):
    """A handler of this processor, with frames and arrays between inaccessible pages."""
    m, n, k = (7, 9, 11) if request_of == "kernel" else (70, 90, 110)
    if request_of == "spread":
        x = guarded(drawn(260, 67), side, writable=False)
        arrays, made = [x, guarded(np.zeros_like(x), side)], ts.spread(ts.fused("softmax", 260, 67))
    else:
        request = ts.brgemm if request_of == "kernel" else ts.gemm
        arrays = [guarded(drawn(*shape), side) for shape in ((m, k), (k, n), (m, n))]
        made = request(m, n, k, beta=0.0)
    types = [ArrayType("f32", each.shape) for each in arrays]
    plan = Handler("p", (*types[:-1],), (types[-1],), callee_of(made, range(len(arrays))))
    named = [("f32", each) for each in arrays]
    if plan.callee.scratch:
        named.append(("u8", guarded(np.zeros(plan.allocated[-1].shape, np.uint8), side)))
    block, raised = publish(emit(scalar_machine(), plan).data), np.zeros(3, np.uint64)
    frames = MadeFrame()
    at = frames.address(0, named[: len(arrays) - 1], named[len(arrays) - 1 :])
    assert ffi.cast("uintptr_t(*)(uintptr_t)", block.address)(at) == 0 and not raised.any()
    *operands, result = arrays
    wide = [each.astype("f8") for each in operands]
    assert np.allclose(result, wanted_of(*wide) if request_of == "spread" else wide[0] @ wide[1], atol=1e-4)
    for each in arrays:
        check_canary(each)


FIELDS = {
    "XLA_FFI_CallFrame": (
        CallFrame,
        {
            "extension_start": "EXTENSIONS",
            "api": "",
            "stage": "",
            "args": "ARGUMENTS",
            "rets": "RESULTS",
        },
    ),
    "XLA_FFI_Args": (CallArrays, {"size": "COUNT", "args": "POINTERS"}),
    "XLA_FFI_Rets": (CallArrays, {"size": "COUNT", "rets": "POINTERS"}),
    "XLA_FFI_Buffer": (CallBuffer, {"dtype": "TYPE", "data": "", "rank": "", "dims": "EXTENTS"}),
    "XLA_FFI_Extension_Base": (CallExtension, {"type": "KIND", "next": ""}),
    "XLA_FFI_Metadata_Extension": (CallExtension, {"metadata": "ANSWER"}),
    "XLA_FFI_Metadata": (
        HandlerMetadata,
        {"api_version.major_version": "MAJOR", "api_version.minor_version": "MINOR", "traits": ""},
    ),
    "XLA_FFI_Api": (
        OfferedApi,
        {
            "api_version.major_version": "MAJOR",
            "api_version.minor_version": "MINOR",
            "XLA_FFI_Error_Create": "ERROR_CREATE",
        },
    ),
    "XLA_FFI_Error_Create_Args": (ErrorArguments, {"message": "", "errc": "CODE"}),
}
"""Structs of the header, and the names of their fields here, if these differ."""
VALUES = {
    "XLA_FFI_Extension_Metadata": CallExtension.METADATA,
    "XLA_FFI_ExecutionStage_EXECUTE": CallFrame.EXECUTE,
    "XLA_FFI_API_MAJOR": OfferedApi.VERSION,
    "XLA_FFI_Args_STRUCT_SIZE": CallArrays.SIZE,
    "XLA_FFI_Rets_STRUCT_SIZE": CallArrays.SIZE,
    "XLA_FFI_Buffer_STRUCT_SIZE": CallBuffer.SIZE,
    "XLA_FFI_Metadata_STRUCT_SIZE": HandlerMetadata.SIZE,
    "XLA_FFI_Error_Create_Args_STRUCT_SIZE": ErrorArguments.SIZE,
    "XLA_FFI_Error_Code_INVALID_ARGUMENT": ErrorArguments.INVALID_ARGUMENT,
    "XLA_FFI_Error_Code_FAILED_PRECONDITION": ErrorArguments.FAILED_PRECONDITION,
    **{
        f"XLA_FFI_DataType_{name.replace('bool', 'pred').replace('i', 's').upper()}": value
        for name, value in TYPES.items()
    },
}


def test_structs_lie_as_a_c_compiler_says(tmp_path):
    """Of the header that the installed jaxlib has."""
    found = importlib.util.find_spec("jaxlib")
    if found is None:
        pytest.skip("jaxlib is not installed")
    header = Path(found.submodule_search_locations[0]) / "include/xla/ffi/api/c_api.h"
    lines = [f"P(offsetof({name}, {each}));" for name, (_, fields) in FIELDS.items() for each in fields]
    lines += [f"P({each});" for each in VALUES]
    source = f'#include <stdio.h>\n#include "{header}"\n#define P(x) printf("%d\\n", (int)(x))\nint main(void) {{'
    (tmp_path / "layout.c").write_text("\n".join([source, *lines, "}"]))
    tools.run("gcc", "-o", str(tmp_path / "layout"), str(tmp_path / "layout.c"))
    wanted = [getattr(kind, name or each.upper()) for kind, fields in FIELDS.values() for each, name in fields.items()]
    wanted += VALUES.values()
    assert [int(line) for line in tools.run(str(tmp_path / "layout")).stdout.split()] == wanted
