"""The type of an array as an argument was "unbound method ndarray.__dlpack_device__() needs an argument"."""

import numpy as np
import pytest

import tilesmith as ts


class Exporter:
    def __dlpack__(self, **_):
        return np.ones((4, 4), np.float32).__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


@pytest.mark.parametrize("call", [ts.unary("relu", 4, 4), lambda x: ts.matmul(x, np.ones((4, 4), np.float32))])
@pytest.mark.parametrize(("kind", "said"), [(np.ndarray, "dtype float32"), (Exporter, "an array .*, not type")])
def test_the_argument_is_named(call, kind, said):
    with pytest.raises(TypeError, match=rf"^[ax]: .*{said}" if kind is Exporter else r"^[ax]: .*object"):
        call(kind)
