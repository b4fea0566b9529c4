"""The type of an array as an argument was "unbound method ndarray.__dlpack_device__() needs an argument"."""

import numpy as np
import pytest

import tilesmith as ts


class Exporter:
    def __dlpack__(self, **_):
        return np.ones((4, 4), np.float32).__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


@pytest.mark.parametrize(("kind", "said"), [(np.ndarray, "dtype float32 .*, not object"), (Exporter, "not type")])
def test_the_argument_of_a_kernel_is_named(kind, said):
    with pytest.raises(TypeError, match=rf"^x: .*{said}"):
        ts.unary("relu", 4, 4)(kind)


@pytest.mark.parametrize(
    ("kind", "said"), [(np.ndarray, "not an array without axes"), (Exporter, "an array .*, not type")]
)
def test_the_argument_of_a_product_is_named(kind, said):
    with pytest.raises((TypeError, ValueError), match=rf"^a: .*{said}"):
        ts.matmul(kind, np.ones((4, 4), np.float32))
