"""The rules of operators for tensors that processes share: what the parts give is what the whole call gives."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from tilesmith.runtime.integrations.distributed.axes import PARTIAL, WHOLE, shared_axes  # noqa: E402
from tilesmith.runtime.integrations.distributed.sharding import EQUATIONS, ways  # noqa: E402
from tilesmith.runtime.integrations.torch.operators import OPERATORS  # noqa: E402
from tilesmith.runtime.integrations.torch.recurrent import KINDS, RECURRENT_OPERATORS  # noqa: E402

RNG = np.random.default_rng(0)


def _f(*shape: int):
    return torch.from_numpy(RNG.standard_normal(shape).astype(np.float32))


def _labels(count: int, classes: int):
    return torch.from_numpy(RNG.integers(0, classes, count))


def _steps(name: str, bias: int | None) -> tuple:
    """Two steps of two samples."""
    kind = KINDS[name]
    biases = None if bias is None else _f(4 * kind.gates)
    return (
        _f(2, 2, 3),
        *(_f(2, 2) for _ in range(kind.states)),
        _f(2 * kind.gates, 3),
        _f(2 * kind.gates, 2),
        biases,
        True,
    )


_WINDOW = ([2, 2], [2, 2], [0, 0])
_Q, _K = (2, 4, 6, 8), (2, 2, 10, 8)
CALLS = [
    ("softmax", (_f(4, 6, 8), -1)),
    ("softmax", (_f(4, 6, 8), 1)),
    ("softmax_backward", (_f(4, 6), _f(4, 6).softmax(-1), -1)),
    ("log_softmax", (_f(4, 6), 0)),
    ("log_softmax_backward", (_f(4, 6), _f(4, 6).log_softmax(-1), -1)),
    ("activation", (_f(4, 6), "gelu")),
    ("activation_backward", (_f(4, 6), _f(4, 6), "gelu")),
    ("layer_norm", (_f(4, 2, 8), _f(8), _f(8), 1e-5)),
    ("layer_norm_backward", (_f(4, 2, 8), _f(4, 2, 8), _f(8), 1e-5)),
    ("rms_norm", (_f(4, 8), _f(8), 1e-5)),
    ("rms_norm_backward", (_f(4, 8), _f(4, 8), _f(8), 1e-5)),
    ("cross_entropy", (_f(6, 5), _labels(6, 5), -100, 0.1)),
    ("cross_entropy_backward", (_f(6), _f(6, 5), _labels(6, 5), -100, 0.1)),
    ("mm", (_f(4, 6), _f(6, 8))),
    ("bmm", (_f(2, 4, 6), _f(2, 6, 8))),
    ("linear", (_f(4, 2, 6), _f(8, 6), _f(8), "none")),
    ("linear", (_f(4, 6), _f(8, 6), None, "none")),
    ("linear", (_f(4, 6), _f(8, 6), _f(8), "gelu")),
    ("linear_backward", (_f(4, 2, 8), _f(4, 2, 6), _f(8, 6), _f(8), "none")),
    ("linear_backward", (_f(4, 8), _f(4, 6), _f(8, 6), _f(8), "gelu")),
    ("linear_packed", (_f(4, 6), torch.ops.tilesmith.linear_packed, None, 8, "none", "")),
    ("conv", (_f(4, 6, 8, 8), _f(4, 6, 3, 3), _f(4), [2, 2], [1, 1], [1, 1], 1)),
    ("conv", (_f(4, 6, 8, 8), _f(4, 3, 3, 3), None, [1, 1], [1, 1], [1, 1], 2)),
    ("conv_backward", (_f(4, 4, 4, 4), _f(4, 6, 8, 8), _f(4, 6, 3, 3), [2, 2], [1, 1], [1, 1], 1)),
    ("conv_backward", (_f(4, 4, 8, 8), _f(4, 6, 8, 8), _f(4, 3, 3, 3), [1, 1], [1, 1], [1, 1], 2)),
    ("max_pool", (_f(4, 6, 8, 8), *_WINDOW, [1, 1], False)),
    ("max_pool_backward", (_f(4, 6, 4, 4), _labels(1, 1), _f(4, 6, 8, 8), *_WINDOW, [1, 1], False)),
    ("avg_pool", (_f(4, 6, 8, 8), *_WINDOW, False, True, None)),
    ("avg_pool_backward", (_f(4, 6, 4, 4), _f(4, 6, 8, 8), *_WINDOW, False, True, None)),
    ("attention", (_f(*_Q), _f(*_K), _f(*_K), None, False, 0.3, 0.0, None, "")),
    ("attention", (_f(*_Q), _f(*_K), _f(*_K), _f(2, 1, 6, 10), False, 0.3, 0.0, None, "")),
    ("attention", (_f(*_Q), _f(*_K), _f(*_K), _f(4, 1, 10), False, 0.3, 0.0, None, "")),
    ("attention", (_f(*_Q), _f(*_K), _f(*_K), _f(6, 10), True, 0.3, 0.0, None, "")),
    ("attention_backward", (_f(*_Q), _f(*_Q), _f(*_K), _f(*_K), None, None, None, False, 0.3, 0.0, None, "")),
    ("embedding_bag", (_f(9, 8), _labels(12, 9), torch.arange(0, 12, 3), "mean")),
    ("embedding_bag_backward", (_f(4, 8), _f(9, 8), _labels(12, 9), torch.arange(0, 12, 3), "sum")),
    *((f"{name}_layer", _steps(name, None if name == "gru" else 0)) for name in KINDS),
    *((f"{name}_layer_backward", _steps(name, None if name == "gru" else 0)) for name in KINDS),
]


def _completed(name: str, args: tuple) -> tuple:
    """Fill in what other operators make of the arguments."""
    ops = torch.ops.tilesmith
    if name == "linear_packed":
        from tilesmith.integrations import torch as tst

        return (args[0], tst.pack(_f(8, 6)), *args[2:])
    if name == "max_pool_backward":
        return (args[0], ops.max_pool(args[2], *args[3:])[1], *args[2:])
    if name == "attention_backward":
        g, q, k, v, mask, _, _, *rest = args
        return (g, q, k, v, mask, *ops.attention(q, k, v, mask, *rest), *rest)
    if name.endswith("_layer_backward"):
        kind, made = KINDS[name.removesuffix("_layer_backward")], getattr(ops, name.removesuffix("_backward"))(*args)
        gradients = [None, *(_f(*each.shape) for each in made[1 : 1 + kind.states])]  # None: 0
        return (*gradients, *args[:-1], made[0], *made[1 + kind.states :], args[-1])
    return args


@pytest.mark.parametrize(("name", "args"), CALLS, ids=[f"{name}{i}" for i, (name, _) in enumerate(CALLS)])
def test_parts_are_the_whole(name: str, args: tuple) -> None:
    args = _completed(name, args)
    operator = getattr(torch.ops.tilesmith, name)
    arguments = operator.default._schema.arguments
    places = [i for i, each in enumerate(arguments) if "Tensor" in str(each.type)]
    shapes = [None if args[i] is None else tuple(args[i].shape) for i in places]
    named = {each.name: value for each, value in zip(arguments, args)}
    whole = _tuple(operator(*args))
    for shared in ways(name, named, shapes, 2):
        parts = []
        for process in range(2):
            given = list(args)
            for place, cut in zip(places, shared.tensors):
                given[place] = _part(args[place], cut, process)
            parts.append(_tuple(operator(*given)))
        for number, cut in enumerate(shared.results):
            first, second = parts[0][number], parts[1][number]
            if cut == WHOLE:
                assert torch.allclose(first, second, rtol=1e-4, atol=1e-4)
            joined = first if cut == WHOLE else first + second if cut == PARTIAL else torch.cat([first, second], cut)
            assert joined.shape == whole[number].shape, (shared, number)
            scale = max([1.0, *whole[number].abs().flatten().tolist()])
            assert torch.allclose(joined, whole[number], rtol=1e-4, atol=1e-5 * scale), (shared, number)


def _tuple(made):
    return made if isinstance(made, tuple) else (made,)


def _part(tensor, cut: int | None, process: int):
    if tensor is None or cut == WHOLE:
        return tensor
    if cut == PARTIAL:
        return tensor if process == 0 else torch.zeros_like(tensor)
    return tensor.chunk(2, cut)[process].contiguous()


EXPECTED = {  # how many axes processes can share, counted by hand
    "mm": 3,
    "bmm": 4,
    "linear": 4,
    "linear_backward": 4,
    "layer_norm_backward": 2,
    "conv": 3,
    "conv_backward": 3,
    "attention": 2,
    "attention_backward": 2,
    "softmax": 2,
    "cross_entropy": 1,
    "embedding_bag": 1,
    "lstm_layer_backward": 1,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_axis_that_can_be_shared_is(name: str) -> None:
    args = _completed(name, next(args for each, args in CALLS if each == name))
    arguments = getattr(torch.ops.tilesmith, name).default._schema.arguments
    shapes = [
        None if given is None else tuple(given.shape)
        for each, given in zip(arguments, args)
        if "Tensor" in str(each.type)
    ]
    named = {each.name: value for each, value in zip(arguments, args)}
    assert len(ways(name, named, shapes, 2)) == EXPECTED[name]


def test_calls_with_dropout_are_not_shared() -> None:
    shapes = (_Q, _K, _K, None)
    assert len(ways("attention", {"dropout": 0.0}, shapes, 2)) == 2
    assert not ways("attention", {"dropout": 0.1}, shapes, 2)


def test_all_operators_have_an_equation_and_a_case() -> None:
    names = {each.name for each in (*OPERATORS, *RECURRENT_OPERATORS)}
    assert names == set(EQUATIONS) == {name for name, _ in CALLS}


def test_heads_that_serve_others_are_shared_only_in_equal_parts() -> None:
    text = EQUATIONS["attention"]
    heads = (2, 6, 4, 8), (2, 3, 4, 8), (2, 3, 4, 8), None
    assert [each.tensors for each in shared_axes(text, heads, 2)] == [(0, 0, 0, None)]
    assert [each.tensors for each in shared_axes(text, heads, 3)] == [(1, 1, 1, None)]


def test_no_process_is_left_without_a_part() -> None:
    assert [each.results for each in shared_axes("mk kn | mn = 0.1", ((4, 8), (8, 3)), 4)] == [(0,), (PARTIAL,)]
