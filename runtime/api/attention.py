"""Attention: `ts.attention`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from ...microkernels.attention.spec import attention_spec, inverse_spec
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from ...microkernels.operands import Leading
    from .typed import DTypeLike, Order, TargetLike


@remembered
def attention(
    heads: int,
    queries: int,
    keys: int,
    size: int,
    *,
    causal: bool = False,
    mask: Literal["row", "full", "distance"] | None = None,
    masks: tuple[int, int] = (1, 1),
    score: Callable[..., object] | None = None,
    window: int | None = None,
    dropout: float = 0.0,
    scale: float | None = None,
    kv_heads: int | None = None,
    lse: bool = False,
    dtype: DTypeLike = "f32",
    target: TargetLike = None,
    accuracy: Accuracy | None = None,
    order: Order | Mapping[str, Order] = "C",
    ldq: int | None = None,
    ldk: int | None = None,
    ldv: int | None = None,
    ldout: int | None = None,
    seen: Leading | None = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(q, k, v, out) for out[h] = softmax(scale * q[h] @ k[h].T) @ v[h], in one pass over the keys.

    heads, queries, keys, size   q and out have shape (heads, queries, size), k and v (heads, keys, size); any lengths,
             size at least 2
    causal   key j is hidden from query i if j > i, like torch's is_causal
    mask     k(q, k, v, mask, out): the mask is added to the scaled products, and -inf hides a key. "row": one number
             for each key (keys,); "full": (queries, keys); "distance": one for each difference (queries + keys - 1,),
             where query i and key j have number i - j + keys - 1
    masks    (sequences, heads): how many masks there are. Heads are those of one sequence after the other, and (1, 1)
             is one mask for all; (sequences, 1) one for each sequence; (1, heads) one for each head of a sequence, the
             same in all; (sequences, heads) one for each. Of several masks, the array has a first axis of that length
    score    a function of a scaled product, as lambda s: 50 * ts.tanh(s / 50), that is traced and gives the score. It
             may take mask, which is then not added, and the positions query, key and head, as numbers of its type
    window   with causal, the number of keys that a query sees: its own and those right before it. Blocks of keys that
             are before all windows of a block of queries are not computed
    dropout  the probability from 0 to less than 1 with which a probability counts 0; others are divided by 1 - dropout.
             k(q, k, v, [mask,] seed, out): those of element (query, key) of a head stay that ts.dropout with this seed
             keeps of a matrix (heads * queries, keys)
    scale    the factor of the scores; None: size ** -0.5
    kv_heads the number of heads of k and v, a divisor of heads: each serves heads / kv_heads neighbouring heads of q
    lse      True: k(..., out, lse), where lse (heads, queries) is the natural logarithm of each query's sum of e^score
    dtype    the type of q, k, v and out: "f32", "f64", "f16" or "bf16"; mask and lse have it too, but f32 with 16-bit
             types. With 16-bit types, scores and sums are f32. Powers are rounded to bf16 for the second product of
             bf16, and stay f32 for f16
    order    where the heads of q, k, v and out lie: "C", one after the other, or "F", side by side: those of each query
             or key follow each other, as in x.reshape(queries, heads, size).transpose(1, 0, 2). Or {name: letter}
    ldq, ldk, ldv, ldout   elements between neighbouring heads (order "C") or queries and keys (order "F"), a multiple
             of size; None: no gaps. q of (queries, 3, heads, size) beside k and v has ldq = 3 * heads * size
    seen     ts.RUNTIME: k(q, k, v, seen, out), where only the first `seen` keys count, from 0 to keys. The rest of k,
             v and the mask is not read. With causal the queries are those of the last of these keys: query i sees the
             first seen - queries + i + 1 keys, and `seen` is `queries` at least
    accuracy of the exponential function, as in `unary`; target, release_gil as for other kernels

    A query that sees no key, because all of its scores are -inf, gives 0, and lse -inf. NaN or infinity among the
    scores that a query sees gives NaN. So does one in v next to a key that a mask hides, unless the key is skipped.
    Only the scores of a block of queries by a block of keys are kept: there is no heads x queries x keys buffer.

    Raises UnsupportedError, TypeError or ValueError naming the argument. Source: Dao et al., FlashAttention, 2022.
    """
    spec = attention_spec(
        heads,
        queries,
        keys,
        size,
        causal=causal,
        mask=mask,
        masks=masks,
        score=score,
        window=window,
        rate=dropout,
        scale=scale,
        kv_heads=kv_heads,
        lse=lse,
        dtype=dtype,
        accuracy=accuracy or default_accuracy(),
        order=order,
        leading={"ldq": ldq, "ldk": ldk, "ldv": ldv, "ldout": ldout},
        seen=seen,
    )
    return shared(spec, target, release_gil)


@remembered
def attention_inv(
    heads: int,
    queries: int,
    keys: int,
    size: int,
    *,
    causal: bool = False,
    mask: Literal["row", "full", "distance"] | None = None,
    masks: tuple[int, int] = (1, 1),
    score: Callable[..., object] | None = None,
    window: int | None = None,
    dropout: float = 0.0,
    scale: float | None = None,
    kv_heads: int | None = None,
    dtype: DTypeLike = "f32",
    target: TargetLike = None,
    accuracy: Accuracy | None = None,
    order: Order | Mapping[str, Order] = "C",
    ldg: int | None = None,
    ldq: int | None = None,
    ldk: int | None = None,
    ldv: int | None = None,
    ldout: int | None = None,
    ldgq: int | None = None,
    ldgk: int | None = None,
    ldgv: int | None = None,
    seen: Leading | None = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(g, q, k, v, out, lse, gq, gk, gv) for the gradients of q, k and v from g, the gradient of out.

    out and lse are those of `attention` with the same arguments and lse=True. A mask and the seed of dropout follow as
    there: k(g, q, k, v, mask, out, lse, seed, gq, gk, gv). A mask has no gradient. gk and gv (kv_heads, keys, size) are
    sums over the heads of q that share them. With seen=ts.RUNTIME the number of keys that count follows lse, and gk and
    gv of the others are 0. Powers are computed again from lse:
    there is no heads x queries x keys buffer. With 16-bit types, g, q, k, v and out have 16 bits, but gq, gk and gv are
    f32, because they are sums in memory. Everything else is as in `attention`.

    Raises UnsupportedError, TypeError or ValueError naming the argument. Source: Dao et al., FlashAttention, 2022.
    """
    spec = attention_spec(
        heads,
        queries,
        keys,
        size,
        causal=causal,
        mask=mask,
        masks=masks,
        score=score,
        window=window,
        rate=dropout,
        scale=scale,
        kv_heads=kv_heads,
        lse=True,
        dtype=dtype,
        accuracy=accuracy or default_accuracy(),
        seen=seen,
    )
    leading = {"ldg": ldg, "ldq": ldq, "ldk": ldk, "ldv": ldv, "ldout": ldout, "ldgq": ldgq, "ldgk": ldgk, "ldgv": ldgv}
    return shared(inverse_spec(spec, order, leading), target, release_gil)
