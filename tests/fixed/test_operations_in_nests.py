"""Operations with threads of their own in the body of a nest raised "an array (...), not Block", with no way out."""

import pytest

import tilesmith as ts

SHAPE = (4, 4)
OF = dict.fromkeys(("x", "y", "z"), ((3, *SHAPE), "f32"))


@pytest.mark.parametrize(
    "called",
    [
        lambda x, y, z: ts.matmul(x, y, z),
        lambda x, y, z: ts.gemm(4, 4, 4)(x, y, z),
        lambda x, y, z: ts.spread(ts.fused("softmax", *SHAPE))(x, y),
    ],
    ids=["matmul", "gemm", "spread"],
)
def test_the_error_says_what_a_nest_calls(called):
    def body(i, x, y, z):
        called(x[i.b], y[i.b], z[i.b])

    # on one thread a spread kernel is the kernel, which a nest may call
    with (
        ts.threads(2),
        pytest.raises(ts.UnsupportedError, match=r"a block of a nest; .* kernels, such as those of ts.brgemm"),
    ):
        ts.nest("B", {"b": (0, 3, 1)}, body, **OF)
