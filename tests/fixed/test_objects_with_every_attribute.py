"""An object that has every attribute, such as torch.fx.Proxy, was "invalid __array_struct__", without its name."""

import numpy as np
import pytest

import tilesmith as ts


class Proxy:
    def __getattr__(self, name):
        return Proxy()


@pytest.mark.parametrize("call", [ts.unary("relu", 4, 4), lambda x: ts.matmul(x, np.ones((4, 4), np.float32))])
def test_the_argument_is_named(call):
    with pytest.raises(TypeError, match=r"^[ax]: an array; numpy cannot read the __array_interface__ of Proxy"):
        call(Proxy())
