"""Compare fused kernels with bare loops: the same loads and stores of each row, and no arithmetic. x86-64 only.

python -m tests.bench.bare_rows [rows x columns] [seconds for each contender] [offset in a page]

A bare loop walks each row once, or once to read it and once more to read and store it, as a kernel must whose result
depends on a reduction. It stores as usual or past the caches, in pieces of 16 bytes, and prefetches the next row or
not. Arrays begin 16 bytes behind a page, as numpy's do, if no offset is given. Figures are ns per element, and in
parentheses shares of a copy of as many bytes.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import tilesmith as ts
from tests.bench import bare
from tilesmith.runtime.bench.measure import NativeCall
from tilesmith.runtime.bench.operands import at, filled, native
from tilesmith.runtime.bench.peers.elementwise import memcpy
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

LAYERS = {1: ("softmax", "layernorm", "rmsnorm"), 2: ("softmax_inv", "layernorm_inv", "rmsnorm_inv")}
"""The number of input matrices, and the layers that have so many."""


def _array(rows: int, columns: int, offset: int) -> Any:
    return filled(at((rows, columns), "f32", offset), np.random.default_rng(0))


def layer(name: str, arrays: Sequence[Any], offset: int) -> NativeCall:
    """Return the kernel of a layer on the same arrays."""
    kernel = ts.fused(name, *arrays[0].shape)
    spec: Any = kernel.spec
    inputs, given = iter(arrays[:-1]), {each.name for each in spec.inputs}
    return native(kernel, [
        _array(each.rows, each.columns, offset) if 1 in (each.rows, each.columns)
        else next(inputs) if each.name in given else arrays[-1] for each in spec.operands])


def measured(run: Run, count: int) -> Iterator[Row]:
    rows, columns = map(int, run.options.shape.split("x"))
    if columns * 4 % bare.STEP:
        raise SystemExit(f"the columns must be a multiple of {bare.STEP // 4}, got {columns}")
    arrays = [_array(rows, columns, run.options.offset) for _ in range(count + 1)]
    turns: dict[str, Any] = {"copy": memcpy(arrays[0], arrays[-1])}
    for walks, streaming, ahead in ((w, s, a) for w in (1, 2) for s in (False, True) for a in (False, True)):
        name = f"bare, walks {walks}{', streaming' * streaming}{', prefetches' * ahead}"
        turns[name] = bare.rows(arrays, walks, streaming, ahead)
    turns |= {name: layer(name, arrays, run.options.offset) for name in LAYERS[count]}
    best = run.turns(turns)
    best["copy"] *= (count + 1) / 2
    for who, seconds in best.items():
        yield {"inputs": count, "loop": who, "seconds": seconds / (rows * columns), "of copy": best["copy"] / seconds}


BENCH = Bench("bare_rows", __doc__, (
    Table("rows", "inputs; loop; ns/element=seconds:3n; of a copy=of copy:2", LAYERS, measured),),
    {"shape": {"nargs": "?", "default": "4096x1024"}, "seconds": {"nargs": "?", "type": float, "default": 0.5},
     "offset": {"nargs": "?", "type": int, "default": 16}}, quick=("4096x1024", "0.1"))

if __name__ == "__main__":
    main(BENCH)
