"""Attention and embedding bags on tensors, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Literal, NamedTuple, cast, get_args

import torch

from ....microkernels.operands import RUNTIME
from ...aggregation.functions import graph_reduce_backward
from ...api.attention import attention as attention_kernel
from ...api.attention import attention_inv
from ...api.eltwise import equation
from ...api.gather import embedding_bag as bag_kernel
from ...api.gather import gather, scatter
from ...kernel.callable import Kernel
from ...ops.spread import spread
from .boxed import BoxedCall, boxed_call, indexed_call, unused_operands
from .library import Value, detached, dtype_of, spreads

Mode = Literal["sum", "mean", "max"]
MODES: tuple[Mode, ...] = get_args(Mode)


class AttentionOptions(NamedTuple):
    """What attention computes, in the order of the operators' arguments.

    dropout  the probability of a probability to count 0; seed: an int64 of no axes that says which, with dropout
    score    the name of a function of scores (`score_name`), or empty
    """

    causal: bool
    scale: float
    dropout: float = 0.0
    seed: torch.Tensor | None = None
    score: str = ""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed as an argument of the kernel."""
        if self.dropout and self.seed is None:
            raise ValueError("seed: an int64 of no axes, with dropout")
        return (int(self.seed),) if self.dropout and self.seed is not None else ()


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, *options: Value
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return dropout(softmax(scale * q @ k.T + mask)) @ v, and the logarithm of each query's sum of powers.

    q (..., heads, queries, size), k and v (..., heads of k, keys, size), whose heads each serve as many neighbouring
    heads of q. mask broadcasts to (..., heads, queries, keys); of booleans, True lets a key count. options: those of
    `AttentionOptions`
    """
    q, k, v, mask = detached(q, k, v, mask)
    _check(q, k, v, mask)
    asked = AttentionOptions(*options)
    call, given = _call(attention_kernel, q, k, mask, asked, lse=True)
    out, lse = call(*(_heads(each) for each in (q, k, v)), *given, *asked.seeds)
    return out.view(q.shape), lse.view(q.shape[:-1])


def attention_backward(
    g: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    out: torch.Tensor,
    lse: torch.Tensor,
    *options: Value,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the gradients of `attention` by q, k and v, given that by its first result."""
    g, q, k, v, mask, out, lse = detached(g, q, k, v, mask, out, lse)
    asked = AttentionOptions(*options)
    call, given = _call(attention_inv, q, k, mask, asked)
    heads = [_heads(each) for each in (g, q, k, v)]
    sums = lse.reshape(-1, lse.shape[-1])
    gq, gk, gv = call(*heads, *given, _heads(out), sums, *asked.seeds)
    return gq.view(q.shape), gk.view(k.shape), gv.view(v.shape)


_SCORES: dict[str, Callable[..., object]] = {}


def score_name(score: Callable[..., object]) -> str:
    """Return the name by which operators of this process know a function of scores, which is kept."""
    name = next((name for name, each in _SCORES.items() if each is score), "")
    if not name:
        name = f"{getattr(score, '__name__', 'score')} {len(_SCORES)}"
        _SCORES[name] = score
    return name


def score_of(name: str) -> Callable[..., object] | None:
    """Return the function of a name; None of an empty one. Raises ValueError for a name that nobody has given."""
    if name and name not in _SCORES:
        raise ValueError(f"score: a function that tst.attention was called with in this process, not {name!r}")
    return _SCORES[name] if name else None


def kernel_of_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, *options: Value
) -> BoxedCall | None:
    """Return the call of the kernel that computes tensors like these on one core without a copy, or None."""
    asked = AttentionOptions(*options)
    return None if asked.dropout else _kernel_of(attention_kernel, (q, k, v), mask, asked, lse=True)


def kernel_of_attention_backward(
    g: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    out: torch.Tensor,
    lse: torch.Tensor,
    *options: Value,
) -> BoxedCall | None:
    """Return the call of the kernel that computes the gradients of tensors like these on one core without a copy, or
    None. Those of 16 bits are sums in f32, which are rounded afterwards."""
    asked, lying = AttentionOptions(*options), out.is_contiguous() and lse.is_contiguous()
    if asked.dropout or q.dtype not in (torch.float32, torch.float64) or not lying:
        return None
    return _kernel_of(attention_inv, (g, q, k, v), mask, asked)


def _kernel_of(
    request: Callable[..., Kernel],
    tensors: tuple[torch.Tensor, ...],
    mask: torch.Tensor | None,
    asked: AttentionOptions,
    **more: bool,
) -> BoxedCall | None:
    """tensors: up to v, which the mask and the rest of the kernel's operands follow."""
    q, k = tensors[-3:-1]
    wide = q.dtype if q.dtype in (torch.float32, torch.float64) else torch.float32
    if not all(each.numel() and each.is_contiguous() for each in tensors):
        return None
    if mask is not None and (mask.dtype != wide or not mask.is_contiguous()):
        return None
    kernel, given = _call(request, q, k, mask, asked, **more)
    if not isinstance(kernel, Kernel) or mask is not None and given[0].data_ptr() != mask.data_ptr():
        return None
    unused = unused_operands(kernel)
    seed = len(tensors) + (1 if more else 3)  # behind the mask, or behind out and lse, too
    places = [each for each in range(seed) if mask is not None or each != len(tensors)]
    places += range(seed + 1, seed + 1 + len(unused) - len(places))
    return boxed_call(kernel, unused, places)


def _check(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None) -> None:
    if q.dim() < 3:
        raise ValueError(f"q: (..., heads, queries, size), not {tuple(q.shape)}; q.unsqueeze(0) is of one head")
    if k.dim() != q.dim() or k.shape[:-3] != q.shape[:-3] or k.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"k: (..., heads, keys, size) beside q {tuple(q.shape)}, of as many axes, not {tuple(k.shape)}"
        )
    if v.shape != k.shape:
        raise ValueError(f"v: shape {tuple(k.shape)}, that of k, not {tuple(v.shape)}")
    if q.shape[-3] % k.shape[-3]:
        raise ValueError(f"k: a number of heads that divides the {q.shape[-3]} of q, not {k.shape[-3]}")
    pairs = (*q.shape[:-1], k.shape[-2])
    fits = mask is None or all(m in (1, n) for m, n in zip(mask.shape[::-1], pairs[::-1]))
    if mask is not None and not (fits and mask.dim() <= len(pairs)):
        raise ValueError(f"mask: a shape that broadcasts to {pairs}, not {tuple(mask.shape)}")


def _masks(mask: torch.Tensor, q: torch.Tensor, keys: int) -> tuple[str, tuple[int, int], torch.Tensor]:
    """Return the kind of masks, how many there are along samples and heads, and the masks one after the other."""
    *batch, heads, queries, _ = q.shape
    mask = mask.view(*(1,) * (q.dim() - mask.dim()), *mask.shape)
    rows, many = mask.shape[-2], any(each != 1 for each in mask.shape[:-3])
    counts = prod(batch) if many else 1, mask.shape[-3]
    shape = (*(batch if many else (1,) * len(batch)), counts[1], rows, keys)
    each = (keys,) if rows == 1 else (queries, keys) if keys > 1 or counts == (1, 1) else (queries,)
    mask = mask.expand(shape).reshape(*([] if counts == (1, 1) else [prod(counts)]), *each)
    return "row" if rows == 1 else "full", counts, mask.contiguous()


def _heads(x: torch.Tensor) -> torch.Tensor:
    """Return all heads of all samples one after the other, without gaps."""
    return x.reshape(-1, *x.shape[-2:]).contiguous()


def _call(
    request: Callable[..., Kernel],
    q: torch.Tensor,
    k: torch.Tensor,
    mask: torch.Tensor | None,
    asked: AttentionOptions,
    **more: bool,
) -> tuple[Callable[..., Value], list[torch.Tensor]]:
    """Return the kernel, on all cores if it is large, and its mask as it takes it."""
    dtype, given = dtype_of("q", q), list[torch.Tensor]()
    kind: str | None = None
    masks = 1, 1
    if mask is not None:
        of = q.dtype if dtype in ("f32", "f64") else torch.float32
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=of).masked_fill_(~mask, -torch.inf)
        kind, masks, mask = _masks(mask.to(of), q, k.shape[-2])
        given = [mask]
    heads, kv_heads = (each.numel() // max(1, each.shape[-2] * each.shape[-1]) for each in (q, k))
    extents = heads, q.shape[-2], k.shape[-2], q.shape[-1]
    large = spreads(q.numel() * k.shape[-2] // max(1, q.shape[-1]))
    options: dict[str, Value] = {**more, "causal": asked.causal, "scale": asked.scale, "dropout": asked.dropout}
    options |= {"mask": kind, "masks": masks, "kv_heads": kv_heads, "dtype": dtype}
    return _kernel(request, extents, asked.score, large, tuple(options.items())), given


@lru_cache(maxsize=256)
def _kernel(
    request: Callable[..., Kernel],
    extents: tuple[int, int, int, int],
    score: str,
    large: bool,
    options: tuple[tuple[str, Value], ...],
) -> Callable[..., Value]:
    made = request(*extents, score=score_of(score), **dict(options))
    return spread(made) if large and extents[0] > 1 else made


def embedding_bag(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, mode: str) -> torch.Tensor:
    """Return the sum, mean or maximum of the rows of a table in each bag of indices. offsets (bags,) are where the bags
    begin, as in torch.nn.functional.embedding_bag. An index out of range is an IndexError."""
    weight, indices, offsets = detached(weight, indices, offsets)
    check_indices(indices, offsets)
    if not weight.shape[1]:
        return weight.new_zeros((offsets.shape[0], 0))
    given = weight.contiguous(), indices.contiguous(), offsets.to(torch.int64).contiguous()
    made: torch.Tensor = cast("Callable[..., Value]", _bags_of(weight, indices, mode))(*given)
    return made.to(weight.dtype)


def kernel_of_bags(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, mode: str) -> BoxedCall | None:
    """Return the call of the kernel that computes any number of bags of any number of indices, or None if a tensor is
    copied first or the result is rounded afterwards."""
    wide, plain = (torch.float32, torch.float64), (weight, indices, offsets)
    if weight.dtype not in wide or offsets.dtype != torch.int64 or not all(each.is_contiguous() for each in plain):
        return None
    if not all(each.numel() for each in plain):
        return None
    places = {"x": 0, "index": 1, "offsets": 2, "y": 3}
    return indexed_call(_bags_of(weight, indices, mode), places, lengths=(1, 2), rows=2)


def _bags_of(weight: torch.Tensor, indices: torch.Tensor, mode: str) -> Kernel:
    if mode not in MODES:
        raise ValueError(f"mode: one of {', '.join(MODES)}, not {mode!r}")
    dtype_of("weight", weight)  # a float
    return _bags(mode, weight.shape[1], weight.dtype, indices.dtype)


@lru_cache(maxsize=256)
def _bags(mode: Mode, columns: int, dtype: torch.dtype, index: torch.dtype) -> Kernel:
    return bag_kernel(
        RUNTIME,
        columns,
        size=RUNTIME,
        count=RUNTIME,
        dtype=dtype,
        index=index,
        name=mode,
        include_last_offset=False,
    )


_INDEX_TYPES = (torch.int64, torch.int32)


def check_indices(indices: torch.Tensor, offsets: torch.Tensor) -> None:
    """Raise ValueError for indices or offsets of another type or of more axes."""
    for name, each in (("indices", indices), ("offsets", offsets)):
        if each.dim() != 1 or each.dtype not in _INDEX_TYPES:
            raise ValueError(f"{name}: one axis of torch.int64 or torch.int32, not {each.dtype} {tuple(each.shape)}")


def embedding_bag_backward(
    g: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, mode: str
) -> torch.Tensor:
    """Return the gradient of embedding_bag by the table: row indices[p] of it is the sum of the gradients of the bags
    that name it, added in the order of p; a maximum's goes to the first entry that it is from."""
    g, weight, indices, offsets = detached(g, weight, indices, offsets)
    check_indices(indices, offsets)
    ends = torch.cat([offsets.to(torch.int64), offsets.new_full((1,), indices.shape[0], dtype=torch.int64)])
    if mode == "max" and weight.shape[1]:
        by_table, _ = graph_reduce_backward(
            g.contiguous(), ends, indices.contiguous(), weight.contiguous(), "max", wanted="table"
        )
        return by_table.to(weight.dtype)
    made = torch.zeros(weight.shape, dtype=torch.float64 if weight.dtype == torch.float64 else torch.float32)
    if not (made.numel() and indices.shape[0] and offsets.shape[0]):
        return made.to(weight.dtype)
    lengths = ends[1:] - ends[:-1]
    first = int(ends[0])
    if first < 0 or int(lengths.min()) < 0:
        raise IndexError(f"offsets: from 0 to {indices.shape[0]}, the number of indices, and never less than before")
    g = g.to(made.dtype)
    if mode == "mean":
        g = g / lengths.clamp(min=1).unsqueeze(1)
    kernel = _scattered(*g.shape, weight.shape[0], g.dtype, indices.dtype)
    kernel(g.contiguous(), torch.repeat_interleave(lengths), indices[first:].contiguous(), made)
    return made if made.dtype == weight.dtype else made.to(weight.dtype)


@lru_cache(maxsize=256)
def _scattered(bags: int, columns: int, size: int, dtype: torch.dtype, index: torch.dtype) -> Kernel:
    """Return the kernel that adds the row of its bag to the row of the table that an entry names."""

    def spread_out(g: Value, bag: Value, index: Value) -> Value:
        return scatter(gather(g, bag), index, size, add=True)

    types = {"g": dtype, "bag": torch.int64, "index": index}
    return equation(spread_out, g=(bags, columns), bag=(RUNTIME,), index=(RUNTIME,), dtype=types)
