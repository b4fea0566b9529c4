"""Operators of torch: torch's own functions and gradients are the oracle, and `opcheck` that of their registration."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", minversion="2.6")

from torch.nn import functional as F  # noqa: E402  # after the check that torch is there
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import tilesmith as ts  # noqa: E402
from tests import guard  # noqa: E402
from tilesmith.integrations import torch as tst  # noqa: E402
from tilesmith.runtime.integrations.torch.operators import OPERATORS  # noqa: E402
from tilesmith.runtime.integrations.torch.stable_abi import stable_abi  # noqa: E402

TYPES = {torch.float64: 1e-10, torch.float32: 3e-5, torch.bfloat16: 4e-2}


def _drawn(*shape, dtype=torch.float64, seed=0):
    made = torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)
    return made.to(dtype).requires_grad_()


LABELS = torch.tensor([1, 0, 3, -100, 2, 2])
INDICES, OFFSETS = torch.tensor([1, 4, 4, 10, 0]), torch.tensor([0, 2, 2])
MASK = torch.arange(30).reshape(5, 6) % 4 != 1


def _labels(x, ignore_index=-100, **_):
    """Return labels of the places of x, some of which are ignored."""
    axis = 0 if x.dim() == 1 else 1
    count = x.numel() // x.shape[axis]
    found = LABELS.masked_fill(LABELS == -100, ignore_index)
    return found[torch.arange(count) % len(LABELS)].view((*x.shape[:axis], *x.shape[axis + 1 :]))


def _both(name, shapes, use):
    """Return a case: our function and torch's of the same name, used in the same way."""
    return use(getattr(tst, name)), use(getattr(F, name)), shapes


CASES = {
    "softmax": (lambda x: tst.softmax(x, 1), lambda x: torch.softmax(x, 1), [(2, 3, 8)]),
    "log_softmax": (tst.log_softmax, lambda x: torch.log_softmax(x, -1), [(3, 7)]),
    "gelu": (lambda x: tst.activation(x, "gelu"), F.gelu, [(2, 5, 9)]),
    "elu": (lambda x: tst.activation(x, "elu"), F.elu, [(5,)]),
    "layer_norm": _both("layer_norm", [(2, 3, 8), (8,), (8,)], lambda f: lambda x, w, b: f(x, (8,), w, b)),
    "layer_norm of two axes": _both("layer_norm", [(2, 3, 8), (3, 8)], lambda f: lambda x, w: f(x, [3, 8], w)),
    "rms_norm": _both("rms_norm", [(4, 8), (8,)], lambda f: lambda x, w: f(x, (8,), w, 1e-6)),
    **{
        f"cross_entropy {options}": _both(
            "cross_entropy", [shape], lambda f, o=options: lambda x: f(x, _labels(x, **o), **o)
        )
        for shape, options in (
            ((6, 5), {}),
            ((6, 5), {"reduction": "sum", "label_smoothing": 0.2}),
            ((3, 5, 2), {"reduction": "none", "ignore_index": 2, "label_smoothing": 0.1}),
            ((2, 5, 1, 3), {}),
            ((5,), {"reduction": "none"}),
        )
    },
    "mm": (tst.mm, torch.mm, [(3, 4), (4, 5)]),
    "bmm": (tst.bmm, torch.bmm, [(2, 3, 4), (2, 4, 5)]),
    "linear": (
        lambda x, w, b: tst.linear(x, w, b, "gelu"),
        lambda x, w, b: F.gelu(F.linear(x, w, b)),
        [(2, 3, 8), (5, 8), (5,)],
    ),
    "linear without a bias": (tst.linear, F.linear, [(7, 8), (5, 8)]),
    "conv1d": (
        lambda x, w: tst.conv(x, w, None, 1, 2, 2),
        lambda x, w: F.conv1d(x, w, None, 1, 2, 2),
        [(2, 3, 9), (4, 3, 3)],
    ),
    "conv2d": (
        lambda x, w, b: tst.conv(x, w, b, 2, 1, 1, 2),
        lambda x, w, b: F.conv2d(x, w, b, 2, 1, 1, 2),
        [(2, 4, 6, 7), (6, 2, 3, 3), (6,)],
    ),
    "conv1d the same": (
        lambda x, w: tst.conv(x, w, padding="same", dilation=3),
        lambda x, w: F.conv1d(x, w, padding="same", dilation=3),
        [(3, 9), (4, 3, 4)],
    ),
    "max_pool": (lambda x: tst.max_pool(x, 3, 2, 1), lambda x: F.max_pool2d(x, 3, 2, 1), [(2, 4, 6, 7)]),
    "max_pool up": (
        lambda x: tst.max_pool(x, 2, 3, ceil_mode=True),
        lambda x: F.max_pool2d(x, 2, 3, ceil_mode=True),
        [(2, 4, 6, 8)],
    ),
    "avg_pool": (lambda x: tst.avg_pool(x, 2), lambda x: F.avg_pool2d(x, 2), [(2, 4, 6, 7)]),
    "avg_pool up": (
        lambda x: tst.avg_pool(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        [(2, 4, 6, 8)],
    ),
    "attention": (
        lambda q, k, v: tst.attention(q, k, v, MASK),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, MASK, enable_gqa=True),
        [(2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8)],
    ),
    **{
        f"attention {mask.shape}": _both(
            "scaled_dot_product_attention",
            [(2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8)],
            lambda f, mask=mask: lambda q, k, v: f(q, k, v, mask, scale=0.3, enable_gqa=True),
        )
        for mask in (
            MASK.view(1, 1, 5, 6),
            torch.arange(12).view(2, 1, 1, 6) % 5 != 1,
            torch.arange(4 * 30).view(1, 4, 5, 6) % 7 * 0.2,
            torch.arange(8 * 30).view(2, 4, 5, 6) % 5 * 0.3,
        )
    },
    "causal attention": (
        lambda q, k, v: tst.attention(q, k, v, causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(2, 2, 6, 8)] * 3,
    ),
    **{
        f"embedding_bag {mode}": (
            lambda w, mode=mode: tst.embedding_bag(INDICES, w, OFFSETS, mode),
            lambda w, mode=mode: F.embedding_bag(INDICES, w, OFFSETS, mode=mode),
            [(11, 6)],
        )
        for mode in ("sum", "mean", "max")
    },
    "linear without inputs": (
        lambda x, w, b: tst.linear(x, w, b, "gelu"),
        lambda x, w, b: F.gelu(F.linear(x, w, b)),
        [(5, 0), (3, 0), (3,)],
    ),
}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients_are_those_of_torch(name, dtype):
    ours, theirs, shapes = CASES[name]
    given = [_drawn(*shape, dtype=dtype, seed=number) for number, shape in enumerate(shapes)]
    wide = [each.detach().double().requires_grad_() for each in given]
    made, wanted = ours(*given), theirs(*wide)
    assert made.dtype == dtype and made.shape == wanted.shape
    assert torch.allclose(made.double(), wanted, atol=TYPES[dtype], rtol=TYPES[dtype])
    g = _drawn(*wanted.shape).detach()
    grads = torch.autograd.grad(made, given, g.to(dtype))
    for one, other in zip(grads, torch.autograd.grad(wanted, wide, g.to(dtype).double())):
        assert torch.allclose(one.double(), other, atol=4 * TYPES[dtype], rtol=4 * TYPES[dtype])
    with torch.no_grad():  # the way without a gradient
        assert torch.equal(ours(*(each.detach() for each in given)), made)


ARGUMENTS = {
    "softmax": ((2, 3, 8), 1),
    "log_softmax": ((3, 8), -1),
    "activation": ((2, 9), "silu"),
    "layer_norm": ((2, 3, 8), (8,), (8,), 1e-5),
    "rms_norm": ((3, 8), (8,), 1e-6),
    "cross_entropy": ((6, 5), LABELS, -100, 0.125),
    "mm": ((3, 4), (4, 5)),
    "bmm": ((2, 3, 4), (2, 4, 5)),
    "linear": ((2, 3, 8), (5, 8), None, "relu"),
    "conv": ((2, 4, 6, 7), (6, 2, 3, 3), (6,), [2, 2], [1, 1], [1, 1], 2),
    "max_pool": ((2, 4, 6, 7), [2, 2], [2, 2], [0, 0], [1, 1], True),
    "avg_pool": ((2, 4, 6, 7), [2, 2], [2, 2], [0, 0], True, False, None),
    "attention": ((2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8), None, True, 0.3, 0.0, None, ""),
    "embedding_bag": ((11, 6), INDICES, OFFSETS, "sum"),
}
"""Arguments of the operators that have a gradient; tuples are the shapes of tensors."""


def _arguments(name):
    return [_drawn(*each, dtype=torch.float32) if isinstance(each, tuple) else each for each in ARGUMENTS[name]]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_torch_accepts_the_registration(name):
    torch.library.opcheck(getattr(torch.ops.tilesmith, name).default, _arguments(name))


class _Called(TorchDispatchMode):
    """Keeps the arguments of the derivatives that are called."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "tilesmith" and func._opname.endswith("_backward"):
            self.found[func._opname] = args
        return func(*args, **(kwargs or {}))


def _derivatives(name):
    """Return the derivatives of an operator that torch's gradient calls, with their arguments."""
    with _Called() as called:
        made = getattr(torch.ops.tilesmith, name)(*_arguments(name))
        made = made[0] if isinstance(made, tuple) else made
        made.backward(_drawn(*made.shape, dtype=made.dtype).detach())
    return called.found


@pytest.mark.parametrize("name", ARGUMENTS)
def test_torch_accepts_the_registration_of_derivatives(name):
    for derivative, args in _derivatives(name).items():
        operator = getattr(torch.ops.tilesmith, derivative).default
        given = [each.detach().clone() if isinstance(each, torch.Tensor) else each for each in args]
        torch.library.opcheck(operator, given)
        for each in given:
            if isinstance(each, torch.Tensor) and each.is_floating_point():
                each.requires_grad_()
        torch.library.opcheck(operator, given, test_utils=("test_schema", "test_autograd_registration"))
        made = operator(*given)
        with pytest.raises(NotImplementedError, match=f"{derivative} is a derivative and has none itself"):
            (made[0] if isinstance(made, tuple) else made).sum().backward()


@pytest.mark.parametrize("name, shapes", [("mm", [(3, 4), (4, 5)]), ("bmm", [(2, 3, 4), (2, 4, 5)])])
def test_products_have_second_derivatives(name, shapes):
    assert torch.autograd.gradgradcheck(getattr(tst, name), [_drawn(*each) for each in shapes])


@pytest.mark.parametrize("name", ["conv", "max_pool", "avg_pool"])
def test_results_lie_as_torch_is_told(name):
    """Of images and gradients with channels last, which decide in which order results lie."""
    first, *rest = _arguments(name)
    last = first.detach().to(memory_format=torch.channels_last).requires_grad_()
    torch.library.opcheck(getattr(torch.ops.tilesmith, name).default, [last, *rest], test_utils="test_faketensor")
    for derivative, args in _derivatives(name).items():
        given = [
            each.detach().to(memory_format=torch.channels_last) if isinstance(each, torch.Tensor) else each
            for each in args
        ]
        torch.library.opcheck(getattr(torch.ops.tilesmith, derivative).default, given, test_utils="test_faketensor")


def test_packed_layers_are_registered():
    weight = torch.randn(5, 8)
    given = [torch.randn(3, 8), tst.pack(weight), torch.randn(5), 5, "relu", ""]
    torch.library.opcheck(torch.ops.tilesmith.linear_packed.default, given)


def test_every_derivative_is_checked():
    wanted = {each.name for each in OPERATORS} - ARGUMENTS.keys() - {"linear_packed"}
    assert wanted == {derivative for name in ARGUMENTS for derivative in _derivatives(name)}


def test_every_operator_with_a_gradient_is_checked():
    assert {each.name for each in OPERATORS if each.gradient is not None} == ARGUMENTS.keys()


@pytest.mark.parametrize("name", ["softmax", "linear", "mm", "attention"])
def test_vmap_is_a_loop_over_samples(name):
    operator = getattr(torch.ops.tilesmith, name)
    first, *rest = [each.detach() if isinstance(each, torch.Tensor) else each for each in _arguments(name)]
    several = torch.stack([first, first + 1, first * 2])
    made = torch.vmap(lambda x: operator(x, *rest))(several)
    each = [operator(x, *rest) for x in several]
    wanted = [torch.stack(parts) for parts in zip(*each)] if isinstance(each[0], tuple) else torch.stack(each)
    for one, other in zip(
        made if isinstance(made, tuple) else [made], wanted if isinstance(wanted, list) else [wanted]
    ):
        assert torch.allclose(one, other, atol=1e-6)


def test_autocast_gives_the_types_of_torch():
    x, w = _drawn(3, 8, dtype=torch.float32), _drawn(5, 8, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        assert tst.linear(x, w).dtype == torch.bfloat16
        assert tst.softmax(x.to(torch.bfloat16)).dtype == torch.float32


def test_derivatives_have_no_derivative():
    x = _drawn(3, 5)
    first = torch.autograd.grad(tst.softmax(x).square().sum(), x, create_graph=True)[0]
    with pytest.raises(NotImplementedError, match="softmax_backward is a derivative"):
        first.sum().backward()


@pytest.mark.parametrize("changed", [0, 1, 2])
@pytest.mark.parametrize("by_operator", [False, True])
def test_what_changes_before_the_gradient_is_an_error(changed, by_operator):
    """A bias that changed would give the gradient of another layer."""
    given = [_drawn(3, 8), _drawn(5, 8), _drawn(5)]
    linear = torch.ops.tilesmith.linear if by_operator else tst.linear
    made = linear(*given, "gelu").sum()
    with torch.no_grad():
        given[changed].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        made.backward()


def test_compiled_graphs_hold_the_operators():
    w, b, x = _drawn(16, 8, dtype=torch.float32), _drawn(16, dtype=torch.float32), _drawn(4, 8, dtype=torch.float32)

    def layer(x):
        made = tst.linear(x, w, b, "gelu")
        return tst.softmax(made) + tst.cross_entropy(made, LABELS[:4])

    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    assert torch.allclose(compiled(x), layer(x), atol=1e-6)
    for one, other in zip(*(torch.autograd.grad(f(x).square().sum(), (x, w, b)) for f in (compiled, layer))):
        assert torch.allclose(one, other, atol=1e-6)


def test_wrong_arguments_are_named():
    x = torch.ones(3, 4)
    with pytest.raises(ValueError, match=r"weight: \(out, 4\), not \(5, 3\)"):
        tst.linear(x, torch.ones(5, 3))
    with pytest.raises(TypeError, match=r"x: .*not torch\.int64"):
        tst.softmax(torch.ones(3, 4, dtype=torch.int64))
    with pytest.raises(IndexError, match="labels: below 4"):
        tst.cross_entropy(x, torch.tensor([1, 2, 4]))
    with pytest.raises(ValueError, match="packed: bytes that `pack` made"):
        tst.linear_packed(x, torch.zeros(7, dtype=torch.uint8), None, 5)


def test_storages_stay_resizable():
    """FSDP frees gathered parameters by `resize_(0)`, which `Tensor.numpy()` forbids for ever."""
    x, w = torch.randn(3, 4), torch.randn(5, 4)
    tst.linear(x, w)
    tst.linear_packed(x, tst.pack(w), None, 5)
    for each in (x, w):
        assert each.untyped_storage().resizable()


needs_the_stable_abi = pytest.mark.skipif(stable_abi() is None, reason="torch before 2.10")


def _rows(columns, further=(), rest=()):
    """Return arguments for rows of several shapes and strides, those of columns among them."""
    shapes = (2, 3, columns), (7, columns), (1, 2, 3, columns)
    lying = [_drawn(*shape) for shape in shapes]
    lying += [_drawn(columns, 5).t(), _drawn(6, 2 * columns)[:, :columns]]
    return [[x, *(f(x) for f in further), *rest] for x in lying]


def _other(x):
    return _drawn(*x.shape, seed=5)


def _vector(x):
    return _drawn(x.shape[-1], seed=7)


def test_dropped_probabilities_are_those_of_the_seed():
    """Values and gradients are those of torch's operators with the factors that ts.dropout has with the same seed; a
    seed that is not given follows from torch's generator."""
    q, k, v = (_drawn(*shape).requires_grad_() for shape in ((2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8)))
    kept = torch.from_numpy(ts.unary("dropout", 2 * 4 * 5, 6, rate=0.4)(np.ones((40, 6), np.float32), 9))
    repeated = [each.repeat_interleave(2, 1) for each in (k, v)]
    p = torch.softmax(q @ repeated[0].transpose(2, 3) * 8**-0.5, -1) * kept.view(2, 4, 5, 6)
    wanted, found = p @ repeated[1], tst.attention(q, k, v, dropout=0.4, seed=9)
    torch.testing.assert_close(found, wanted)
    g = torch.ones_like(found)
    for one, other in zip(*(torch.autograd.grad(each, (q, k, v), g) for each in (found, wanted))):
        torch.testing.assert_close(one, other)
    torch.manual_seed(3)
    one, other = (tst.scaled_dot_product_attention(q, q, q, dropout_p=0.4) for _ in range(2))
    torch.manual_seed(3)
    assert torch.equal(one, tst.scaled_dot_product_attention(q, q, q, dropout_p=0.4)) and not torch.equal(one, other)


def _attention(mask, causal, backward=False):
    q, k, v = (_drawn(*shape) for shape in ((2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8)))
    if not backward:
        return [q, k, v, mask, causal, 0.3, 0.0, None, ""]
    out, lse = torch.ops.tilesmith.attention(q, k, v, mask, causal, 0.3, 0.0, None, "")
    return [_other(out), q, k, v, mask, out, lse, causal, 0.3, 0.0, None, ""]


FLOATS = MASK[:5].double()
BOXED = {
    "softmax": lambda: _rows(8, rest=(-1,)) + _rows(8, rest=(0,)),
    "log_softmax": lambda: _rows(8, rest=(-1,)),
    "softmax_backward": lambda: _rows(8, (_other,), (-1,)),
    "log_softmax_backward": lambda: _rows(8, (_other,), (-1,)),
    "activation": lambda: _rows(8, rest=("gelu",)) + _rows(8, rest=("leaky_relu",)),
    "activation_backward": lambda: _rows(8, (_other,), ("gelu_tanh",)) + _rows(8, (_other,), ("gelu",)),
    "layer_norm": lambda: _rows(8, (_vector, _vector), (1e-5,)),
    "layer_norm_backward": lambda: _rows(8, (_other, _vector), (1e-5,)),
    "rms_norm": lambda: _rows(8, (_vector,), (1e-6,)),
    "rms_norm_backward": lambda: _rows(8, (_other, _vector), (1e-6,)),
    "mm": lambda: [
        [_drawn(3, 4), _drawn(4, 5)],
        [_drawn(4, 3).t(), _drawn(4, 5)],
        [_drawn(3, 4), _drawn(5, 4).t()],
        [_drawn(1, 4), _drawn(4, 1)],
    ],
    "bmm": lambda: [[_drawn(2, 3, 4), _drawn(2, 4, 5)], [_drawn(2, 3, 4), _drawn(2, 5, 4).transpose(1, 2)]],
    "linear": lambda: [
        [x, _drawn(5, 8), bias, name]
        for x in (_drawn(2, 3, 8), _drawn(7, 8), _drawn(8))
        for bias in (None, _drawn(5))
        for name in ("none", "gelu", "relu")
    ],
    "linear_backward": lambda: [
        [_drawn(2, 3, 5), _drawn(2, 3, 8), _drawn(5, 8), *more] for more in ((None, "none"), (_drawn(5), "gelu"))
    ],
    "attention": lambda: [_attention(None, True), _attention(FLOATS, False), _attention(MASK, False)],
    "attention_backward": lambda: [_attention(None, True, True), _attention(FLOATS, False, True)],
    "embedding_bag": lambda: [
        [_drawn(11, 6), torch.arange(count, dtype=dtype) * 7 % 11, torch.tensor(offsets), mode]
        for dtype, mode in ((torch.int64, "sum"), (torch.int32, "mean"), (torch.int64, "max"))
        for count, offsets in ((5, [0, 2, 2]), (900, [0]), (1, [0, 0, 1, 1]), (0, [0, 0]))
    ],
}


@needs_the_stable_abi
def test_every_operator_of_machine_code_is_compared():
    assert {each.name for each in OPERATORS if each.boxed} == BOXED.keys()


@needs_the_stable_abi
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", BOXED)
def test_calls_by_machine_code_have_the_bits_of_the_twin(name, dtype):
    """The first call of a kind is the twin's, further ones are not; other shapes and strides are other kinds."""
    operator, twin, without = (
        getattr(torch.ops.tilesmith, each).default for each in (name, f"_{name}", f"_direct_{name}")
    )
    narrow = {"attention_backward": {5, 6}}.get(name, set())
    for args in BOXED[name]() * 3:
        given = [
            each.detach().to(torch.float32 if place == 6 and dtype == torch.bfloat16 and narrow else dtype)
            if _is_float(each)
            else each
            for place, each in enumerate(args)
        ]
        wanted = twin(*given)
        for made in (operator(*given), without(*given)):
            for one, other in zip(*([each] if isinstance(each, torch.Tensor) else each for each in (made, wanted))):
                assert torch.equal(one, other) and one.stride() == other.stride()
        for each in given:
            if isinstance(each, torch.Tensor) and each is not MASK:
                assert each._use_count() == 1 + (each._base is not None)


@needs_the_stable_abi
@guard.both_sides
def test_machine_code_reads_only_its_tensors(side):
    """Tensors begin, or end, at pages that nobody may touch."""
    for name, rows in BOXED.items():
        operator = getattr(torch.ops.tilesmith, f"_direct_{name}").default
        for args in rows():
            given = [torch.from_numpy(_guarded(each, side)) if _is_operand(each) else each for each in args]
            for _ in range(3):
                operator(*given)


def _guarded(tensor, side):
    tensor = tensor.detach().float() if _is_float(tensor) else tensor
    return guard.guarded(tensor.contiguous().numpy(), side)


def _is_operand(value):
    return isinstance(value, torch.Tensor) and value.dtype != torch.bool


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


@pytest.mark.parametrize("count", (5, 900))
def test_indices_of_bags_that_lie(count):
    """They are refused in the first call and in those that machine code takes, and nothing of the table is read."""
    weight, right, offsets = (
        torch.from_numpy(_guarded(_drawn(11, 6), "end")),
        torch.arange(count) % 11,
        torch.tensor([0, 3]),
    )
    for _ in range(2):
        wanted = F.embedding_bag(right, weight, offsets, mode="sum")
        torch.testing.assert_close(tst.embedding_bag(right, weight, offsets, "sum"), wanted)
        for place, value in ((0, 11), (count // 2, -1), (count - 1, 1 << 40)):
            index = right.clone()
            index[place] = value
            with pytest.raises(IndexError, match=f"index: entry {place} is {value}; x has 11 rows, counted from 0"):
                tst.embedding_bag(index, weight, offsets, "sum")
            with pytest.raises(IndexError):
                tst.embedding_bag(index, weight.requires_grad_(), offsets, "mean").sum().backward()
            weight.requires_grad_(False)
        for ends in ([0, count + 1], [3, 2], [-1, 2]):
            with pytest.raises(IndexError, match="offsets: "):
                tst.embedding_bag(right, weight, torch.tensor(ends), "sum")
            with pytest.raises(IndexError, match="offsets: "):
                torch.ops.tilesmith.embedding_bag_backward(weight[:2], weight, right, torch.tensor(ends), "sum")


@needs_the_stable_abi
def test_what_the_twin_raises_reaches_the_caller():
    x = torch.ones(3, 4, dtype=torch.int32)
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"TypeError: x: .*not torch\.int32"):
            torch.ops.tilesmith.softmax(x, -1)
    assert x._use_count() == 1
