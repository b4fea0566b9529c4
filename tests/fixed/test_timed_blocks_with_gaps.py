"""`ts.tune` timed a kernel whose rows lie apart on blocks without the gaps, and the kernel wrote past their end."""

import numpy as np

import tilesmith as ts
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.loops import kernel_times
from tilesmith.runtime.loops.accesses import CallAccess


def test_the_memory_of_timed_calls() -> None:
    mm = ts.brgemm(8, 16, 4, ldc=512, beta=0)
    shapes = {"a": ((2, 8, 4), "f32"), "b": ((1, 4, 16), "f32"), "y": ((2, 8, 512), "f32")}
    nest = ts.nest("P", {"p": (0, 2, 1)}, lambda i, a, b, y: mm(a[i.p], b[0], y[i.p, 0, 0]), **shapes)
    uses: list[CallAccess] = list(nest.accesses)
    sizes = [kernel_times.reach(each) for each in uses]
    assert sizes == [8 * 4 * 4, 4 * 16 * 4, (7 * 512 + 16) * 4]
    walks = kernel_times._BlockCalls(uses, sizes, 1 << 12, host())
    for array, size in zip(walks.near, sizes):
        assert array.nbytes >= size + kernel_times._PAGE and not np.any(array)
    assert walks.far.nbytes >= max(sizes) + kernel_times._PAGE
    assert walks.seconds(2, 1 << 12) > 0
