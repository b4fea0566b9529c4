"""`ts.amx_config`: kernels that share one tile configuration, inside the context, outside of it, and in threads."""

import threading

import numpy as np
import pytest

import tilesmith as ts
from tests.mixed_cases import BF16_F32, Mixed, call_of, expected, same, tiles_by_fma
from tilesmith.emulation import cpu
from tilesmith.emulation.numerics import amx as model
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, Mem
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel import tile_scope as amx

BF = numpy_dtype("bf16")
NATIVE = not host.runs(TARGETS["amx"])
SIZE = {"dtype": BF16_F32, "b_layout": "vnni", "target": "amx"}


def two():
    return ts.brgemm(32, 32, 64, **SIZE), ts.brgemm(48, 35, 96, **SIZE)


def calls(code: bytes, configuration: bytes | None, times: int) -> bytes:
    """Emit a function that configures tiles, calls `code` with its own three arguments, and releases the tiles."""
    asm = X86Assembler(TARGETS["amx"])
    kept = [REGISTERS[name] for name in ("rdi", "rsi", "rdx")]
    inner = asm.label()
    if configuration:
        asm.ldtilecfg(Mem(label=asm.const(configuration)))
    for _ in range(times):
        for register in kept:
            asm.push(register)
        asm.call(inner)
        for register in reversed(kept):
            asm.pop(register)
    if configuration:
        asm.tilerelease()
    asm.ret()
    asm.align(64)
    asm.bind(inner)
    asm.buffer += code
    return asm.finish("caller").data


FULL = model.config(dict.fromkeys(range(8), (16, 64)))
OTHER = model.config({0: (8, 64), 1: (8, 32), 2: (8, 64)})
ONE_ROW_LESS = model.config({**dict.fromkeys(range(7), (16, 64)), 7: (15, 64)})


@pytest.mark.parametrize(("configuration", "pairs"), [(FULL, 1), (OTHER, 3), (ONE_ROW_LESS, 3), (None, 2)])
def test_a_shared_configuration_is_loaded_once(configuration, pairs):
    """With another configuration each call loads its own and releases it."""
    case = Mixed(48, 35, 96, BF16_F32, layouts=("plain", "vnni"), values="any")
    (shared,) = ts.amx_config(ts.brgemm(48, 35, 96, **SIZE)).kernels
    found = call_of(case, "end")
    a, b, c = found.arguments
    once = expected(case, found.values, tiles_by_fma)
    twice = expected(case, [*found.values[:2], [once]], tiles_by_fma)
    done = cpu.call(calls(shared.code, configuration, 2), TARGETS["amx"], a, b, c)
    assert done.counts["sttilecfg"] == 2
    assert done.counts["ldtilecfg"] == done.counts["tilerelease"] == pairs
    same(np.array(c), twice)


def test_a_kernel_without_a_context_configures_for_itself():
    for kernel, shared in zip(two(), ts.amx_config(*two()).kernels):
        assert "sttilecfg" not in kernel.listing() and "sttilecfg" in shared.listing()


def pairs(b):
    """Return b in VNNI layout: pairs along k side by side."""
    k, n = b.shape
    return np.ascontiguousarray(b.reshape(k // 2, 2, n).transpose(0, 2, 1))


def product(kernel):
    m, n, k = kernel.spec.m, kernel.spec.n, kernel.spec.k
    rng = np.random.default_rng(m)
    a, b = (rng.integers(-8, 8, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    return a.astype(BF), pairs(b.astype(BF)), a @ b


def check(kernel):
    a, b, wanted = product(kernel)
    c = np.zeros_like(wanted)
    kernel(a, b, c)
    assert (c == wanted).all()
    c[:] = 0
    kernel.run(a, b, c)
    assert (c == wanted).all()


def test_kernels_of_a_context_work_in_it_and_after_it_and_in_threads():
    config = ts.amx_config(*two())
    assert config.native == NATIVE and ("no tile registers" in repr(config)) != NATIVE
    with config as kernels:
        for kernel in kernels:
            assert kernel.emulated != NATIVE
            check(kernel)
        other = threading.Thread(target=check, args=(kernels[1],))
        other.start()
        other.join()
        with config as again, ts.amx_config(ts.brgemm(8, 32, 64, **SIZE)) as (small,):
            check(small)
            check(again[0])
    check(kernels[0])


def test_contexts_configure_and_release_in_order(monkeypatch):
    """With simulated tiles: the end of an inner context restores the configuration of the outer one."""
    log = []

    class Recorder:
        def configure(self, shapes):
            log.append(shapes)

        def release(self):
            log.append("released")

    monkeypatch.setattr(amx, "tile_scope_x86", Recorder())
    outer, inner = ts.amx_config(*two()), ts.amx_config(ts.brgemm(8, 32, 64, **SIZE))
    outer.native = inner.native = True
    with outer:
        with inner:
            assert log == [outer.shapes, inner.shapes]
        with pytest.raises(KeyError), inner:
            raise KeyError
    assert log == [outer.shapes, *[inner.shapes, outer.shapes] * 2, "released"]


def test_a_context_is_left_where_it_was_entered():
    config = ts.amx_config(*two())
    with pytest.raises(RuntimeError, match="left in the thread that entered it"):
        config.__exit__()
    config.__enter__()
    failures = []

    def leave():
        try:
            config.__exit__()
        except RuntimeError as error:
            failures.append(error)

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    config.__exit__()
    assert len(failures) == 1


def test_kernels_that_cannot_share_are_refused():
    first, _ = two()
    with pytest.raises(ts.UnsupportedError, match='configures no tiles.*target="amx"'):
        ts.amx_config(ts.brgemm(32, 32, 32, target="avx512"))
    with pytest.raises(ts.UnsupportedError, match="8 rows of 64 bytes.*make a context for each"):
        ts.amx_config(first, ts.brgemm(8, 32, 64, **SIZE))
    with pytest.raises(TypeError, match="argument 1"):
        ts.amx_config(first, 3)
    with pytest.raises(TypeError, match="at least one kernel"):
        ts.amx_config()


def test_epilogues_and_batches_share_too():
    fused = ts.brgemm(32, 48, 64, **SIZE, epilogue=lambda c, bias: ts.relu(c + bias))
    batch = ts.brgemm(16, 16, 32, **SIZE, batch=ts.STRIDE, beta=0)
    first, second = ts.amx_config(fused, batch).kernels
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 4, (32, 64)).astype(np.float32)
    b = rng.integers(-4, 4, (64, 48)).astype(np.float32)
    bias = rng.integers(-4, 4, 48).astype(np.float32)
    c = np.zeros((32, 48), np.float32)
    assert first.emulate(a.astype(BF), pairs(b.astype(BF)), c, bias).counts["sttilecfg"] == 1
    assert (c == np.maximum(a @ b + bias, 0)).all()
    assert "sttilecfg" in second.listing()
