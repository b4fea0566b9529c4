"""`ts.matmul` with an epilogue converted every tensor to an array at each call, which took 32 to 47 us."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.frames import frames

torch = pytest.importorskip("torch")


def _drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).integers(-3, 4, shape).astype(np.float32)


@pytest.mark.parametrize("m, n, k", [(8, 16, 32), (1, 5, 3), (200, 150, 170)])
@pytest.mark.parametrize("given", [True, False])
def test_results_are_those_of_arrays_and_tensors(m, n, k, given):
    """Whole numbers, so that the expected values are exact. The third call is that of machine code."""
    a, b, bias = _drawn(m, k), _drawn(k, n), _drawn(n)
    for scale in (1.0, 2.0, 2.0, 3.0):
        want = np.maximum((a.astype(np.float64) @ b + bias) * scale, 0)
        out = torch.empty(m, n) if given else None
        made = ts.matmul(
            *map(torch.from_numpy, (a, b)),
            out=out,
            epilogue=lambda c, v: ts.relu((c + v) * scale),  # noqa: B023  # it is called at once
            operands={"v": torch.from_numpy(bias)},
        )
        assert type(made) is torch.Tensor and (made is out or not given)
        assert made.untyped_storage().resizable() or not given
        assert np.array_equal(made.numpy(), want)


def test_what_kernels_cannot_read_is_refused_at_every_call():
    a, b, v = torch.ones(8, 8), torch.ones(8, 8), torch.ones(8)

    def call(a=a, b=b, v=v, out=None):
        return ts.matmul(a, b, out=out, epilogue=lambda c, v: c + v, operands={"v": v})

    for _ in range(3):
        assert (call().numpy() == 9).all()
        for wrong in (torch.nn.Parameter(a), a.to(torch.complex64).conj()):
            for name in ("a", "b", "v"):
                with pytest.raises((TypeError, ts.UnsupportedError, ValueError)):
                    call(**{name: wrong if name != "v" else wrong[0]})
        with pytest.raises((TypeError, ValueError)):
            call(out=torch.nn.Parameter(torch.ones(8, 8)))


def test_an_operand_in_the_memory_of_the_result_is_read_before_it_is_written():
    """Views of one memory, by one storage and by two."""
    a, b = torch.from_numpy(_drawn(8, 8)), torch.from_numpy(_drawn(8, 8))
    memory = np.zeros(8 * 8 + 8, np.float32)
    for out, v in (
        (torch.from_numpy(memory[:64]).view(8, 8), torch.from_numpy(memory[60:68])),
        (torch.from_numpy(memory)[:64].view(8, 8), torch.from_numpy(memory)[3:11]),
    ):
        for _ in range(3):
            memory[:] = np.arange(len(memory))
            want = a.double().numpy() @ b.double().numpy() + v.numpy()
            ts.matmul(a, b, out=out, epilogue=lambda c, v: c + v, operands={"v": v})
            assert np.array_equal(out.numpy(), want)


def test_a_repeated_call_makes_no_array():
    a, b, v, out = torch.ones(8, 8), torch.ones(8, 8), torch.ones(8), torch.empty(8, 8)

    def call() -> None:
        ts.matmul(a, b, out=out, epilogue=lambda c, v: c + v, operands={"v": v})

    for _ in range(3):
        call()
    assert not {"seen_tensor", "as_array"} & frames(call).keys()
