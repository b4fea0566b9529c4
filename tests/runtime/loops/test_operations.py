"""Nests and regions have `flops`, as all kernels do: the operations of all calls of kernels that one call makes."""

import pytest

import tilesmith as ts

M, N, K = 4, 16, 3


def product(string, counts, blocks=()):
    """Return C += A B over blocks, and relu of C behind the last step."""
    mb, nb, kb = counts
    add, relu = ts.brgemm(M, N, K), ts.unary("relu", M, N)

    def body(i, a, b, c):
        add(a[i.b, i.a], b[i.c, i.a], c[i.c, i.b])
        with ts.when(i.a.last):
            relu(c[i.c, i.b], c[i.c, i.b])

    loops = {letter: (0, count, 1, list(blocks)) for letter, count in zip("abc", (kb, mb, nb))}
    return ts.nest(string, loops, body, A=((mb, kb, M, K), "f32"), B=((nb, kb, K, N), "f32"), C=((nb, mb, M, N), "f32"))


@pytest.mark.parametrize("string", ["abc", "bcaBCb", "bC{R:16}aB{C:4}cb", "a~BC", "Bca", "abcabc"])
def test_of_nests(string):
    mb, nb, kb = counts = 7, 5, 6  # no multiples of the blocks: the last ones are clipped
    nest = product(string, counts, (4, 2))
    assert nest.flops == 2 * (mb * M) * (nb * N) * (kb * K) + (mb * M) * (nb * N)


def test_of_a_region():
    first, second = product("aBC", (2, 3, 4)), product("abc", (2, 3, 4))
    assert ts.region(first, second).flops == 2 * first.flops


def test_pairs_whose_number_is_an_argument():
    add = ts.brgemm(M, N, K, batch=ts.STRIDE)

    def body(i, a, b, c):
        add(a[i.b], b, c[i.b], 3, 4 * M * K, 4 * K * N)

    nest = ts.nest("b", {"b": (0, 5, 1)}, body, A=((5, 3, M, K), "f32"), B=((3, K, N), "f32"), C=((5, M, N), "f32"))
    assert nest.flops == 2 * M * N * K * 3 * 5


def test_a_nest_of_a_billion_iterations_is_counted_at_once():
    relu = ts.unary("relu", M, N)

    def body(i, x):
        relu(x[0], x[0])

    nest = ts.nest("abc", dict.fromkeys("abc", (0, 1000, 1)), body, X=((1, M, N), "f32"))
    assert nest.flops == 1000**3 * M * N
