"""A traced function's parameter named y was mistaken for the result, which is also named y: the kernel read its own
output."""

import numpy as np

import tilesmith as ts


def test_a_parameter_may_have_the_name_of_the_result():
    x, y = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])
    kernel = ts.equation(lambda x, y: x * y, x=(2, 2), y=(2, 2))
    assert [each.name for each in kernel.spec.outputs] == ["out"]
    assert kernel(x, y).tolist() == (x * y).tolist()
    assert ts.equation(lambda y: y + 1, y=(2, 2))(y).tolist() == (y + 1).tolist()
    low, high = ts.equation(lambda y0, y: (y - y0, y + y0), y0=(2, 2), y=(2, 2))(x, y)
    assert low.tolist() == (y - x).tolist() and high.tolist() == (y + x).tolist()
