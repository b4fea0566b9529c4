"""Composites by name: what a layer computes, as a function of expressions, and the operands of its kernel.

`ts.fused` makes a kernel of each; those with a function of one result are functions for traced functions too. Source of
the formulas: Georganas et al., Tensor Processing Primitives, section 4, and the papers that the modules name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ..eltwise.spec import EltwiseSpec
from ..operands import finite
from . import batch, gated, groups, losses, normalized, optimizers
from .spec import is_fused

_NOTHING: Mapping[str, str] = MappingProxyType({})
INDEX = "index"
"""The type of labels, which the request names."""


class Composite(NamedTuple):
    """A function of expressions and its operands, which are matrices (m, n) where nothing else is said.

    rows, columns, numbers   inputs of one row (n,), of one column (m, 1), of one element (1, 1)
    sums                     results in the type of the arithmetic: sums down the columns (1, n), or of rows (m, 1)
    grouped                  the matrices are those of a group of rows, numbers and results of one element are of the
                             group
    shared                   of grouped ones, what all samples read, and results that are sums over them
    types                    of operands that have their own, whatever dtype= says; numbers have that of the arithmetic
    """

    function: Callable[..., Any]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...] = ("y",)
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    types: Mapping[str, str] = _NOTHING
    sums: tuple[str, ...] = ()
    grouped: bool = False
    shared: tuple[str, ...] = ()

    @property
    def formula(self) -> str:
        """The first paragraph of the function's documentation, in one line."""
        return " ".join((self.function.__doc__ or "").partition("\n\n")[0].split()).rstrip(".")

    def by_rows(self, spec: EltwiseSpec) -> bool:
        """Whether its kernel is a fused one: with reductions, or with inputs of one element a row or in all, of which
        such kernels compute once for a row what depends on nothing else."""
        return is_fused(spec) or bool(self.numbers or self.columns)

    @property
    def call(self) -> str:
        """How its kernel is called."""
        seed = ("seed",) if "rate" in self.options else ()
        return f"k({', '.join((*self.inputs, *seed, *self.outputs))})"


_NORM, _EPS = ("gamma", "beta"), ("eps",)
_BATCH = ("mean", "inverse")
_SUMS = ("ggamma", "gbeta")
_SHARES = ("share_g", "share_gz")
_LABELS = {"labels": INDEX}
_HALVES = {"high": "bf16", "low": "u16", "new_high": "bf16", "new_low": "u16"}
_GATES = ("g", "a", "b")
_TABLES = ("x0", "x1", "cos", "sin")
_ADAM = ("beta1", "beta2", "eps", "decay")
_STATE = ("w", "m", "v", "g", "rate", "c1", "c2")
_NEW = ("new_w", "new_m", "new_v")
_SQUARE, _SQUARE_NEW = ("w", "v", "g", "rate"), ("new_w", "new_v")

_MEANINGS: dict[str, tuple[Callable[[float], bool], str]] = {
    "eps": (lambda eps: eps >= 0, "at least 0, since a root is taken of or beside it"),
    "rate": (lambda rate: 0 <= rate <= 1, "from 0 to 1, the probability that an element is dropped"),
    "momentum": (lambda momentum: momentum >= 0, "at least 0, the share of the old direction, usually 0.9"),
    "beta1": (lambda beta: 0 <= beta < 1, "at least 0 and less than 1, the share of the old mean, usually 0.9"),
    "beta2": (lambda beta: 0 <= beta < 1, "at least 0 and less than 1, the share of the old mean, usually 0.999"),
    "alpha": (lambda alpha: 0 <= alpha < 1, "at least 0 and less than 1, the share of the old mean, usually 0.99"),
    "decay": (lambda decay: decay >= 0, "at least 0, since a negative decay lets weights grow; 0 switches it off"),
    "smoothing": (lambda share: 0 <= share <= 1, "from 0 to 1, the share of all labels beside the own one"),
    "most": (lambda most: most > 0, "more than 0, the largest norm that is left as it is"),
}
"""Of each option: which numbers have a meaning, and that range in words."""


def option(name: str, value: Any) -> float:
    """Return the number of an option. Raises TypeError or ValueError naming the option and the numbers it takes."""
    number = finite(name, value)
    has_meaning, numbers = _MEANINGS[name]
    if not has_meaning(number):
        raise ValueError(f"{name}: {numbers}; not {shown(value)}")
    return number


COMPOSITES: dict[str, Composite] = {
    "softmax": Composite(normalized.softmax, ("x",)),
    "softmax_inv": Composite(normalized.softmax_inv, ("g", "p")),
    "log_softmax": Composite(normalized.log_softmax, ("x",)),
    "log_softmax_inv": Composite(normalized.log_softmax_inv, ("g", "y"), ("gx",)),
    "layernorm": Composite(normalized.layernorm, ("x", *_NORM), rows=_NORM, options=_EPS),
    "rmsnorm": Composite(normalized.rmsnorm, ("x", "gamma"), rows=("gamma",), options=_EPS),
    "layernorm_inv": Composite(
        normalized.layernorm_inv,
        ("g", "x", "gamma"),
        ("gx", "ggamma", "gbeta"),
        rows=("gamma",),
        options=_EPS,
        sums=("ggamma", "gbeta"),
    ),
    "rmsnorm_inv": Composite(
        normalized.rmsnorm_inv, ("g", "x", "gamma"), ("gx", "ggamma"), rows=("gamma",), options=_EPS, sums=("ggamma",)
    ),
    "batchnorm_training": Composite(
        batch.batchnorm_training, ("x", *_NORM), ("y", *_BATCH), rows=_NORM, options=_EPS, sums=_BATCH
    ),
    "batchnorm_training_inv": Composite(
        batch.batchnorm_training_inv,
        ("g", "x", *_BATCH, "gamma"),
        ("gx", "ggamma", "gbeta"),
        rows=(*_BATCH, "gamma"),
        sums=("ggamma", "gbeta"),
    ),
    "batch_mean": Composite(batch.batch_mean, ("x",), ("mean",), sums=("mean",)),
    "batch_variance": Composite(batch.batch_variance, ("x", "mean"), ("variance",), rows=("mean",), sums=("variance",)),
    "batchnorm": Composite(batch.batchnorm, ("x", *_BATCH, *_NORM), rows=(*_BATCH, *_NORM)),
    "batchnorm_sums": Composite(
        batch.batchnorm_sums, ("g", "x", *_BATCH), ("ggamma", "gbeta"), rows=_BATCH, sums=("ggamma", "gbeta")
    ),
    "batchnorm_inv": Composite(
        batch.batchnorm_inv,
        ("g", "x", *_BATCH, "gamma", "ggamma", "gbeta", "share"),
        ("gx",),
        rows=(*_BATCH, "gamma", "ggamma", "gbeta"),
        numbers=("share",),
    ),
    "groupnorm_training": Composite(
        groups.groupnorm_training,
        ("x", *_NORM),
        ("y", *_BATCH),
        columns=_NORM,
        options=_EPS,
        sums=_BATCH,
        grouped=True,
        shared=_NORM,
    ),
    "groupnorm_training_inv": Composite(
        groups.groupnorm_training_inv,
        ("g", "x", *_BATCH, "gamma"),
        ("gx", *_SUMS),
        columns=("gamma",),
        numbers=_BATCH,
        sums=_SUMS,
        grouped=True,
        shared=("gamma", *_SUMS),
    ),
    "group_stats": Composite(groups.group_stats, ("x",), _BATCH, options=_EPS, sums=_BATCH),
    "groupnorm": Composite(groups.groupnorm, ("x", *_BATCH, *_NORM), columns=(*_BATCH, *_NORM)),
    "groupnorm_sums": Composite(
        groups.groupnorm_sums, ("g", "x", *_BATCH), ("ggamma", "gbeta"), columns=_BATCH, sums=("ggamma", "gbeta")
    ),
    "groupnorm_inv": Composite(
        groups.groupnorm_inv, ("g", "x", *_BATCH, "gamma", *_SHARES), ("gx",), columns=(*_BATCH, "gamma", *_SHARES)
    ),
    "cross_entropy": Composite(
        losses.cross_entropy, ("x", "labels"), columns=("labels",), types=_LABELS, options=("smoothing",)
    ),
    "cross_entropy_inv": Composite(
        losses.cross_entropy_inv,
        ("g", "x", "labels"),
        ("gx",),
        columns=("g", "labels"),
        types=_LABELS,
        options=("smoothing",),
    ),
    "bias_dropout_residual_layernorm": Composite(
        normalized.bias_dropout_residual_layernorm,
        ("x", "bias", "residual", *_NORM),
        ("y", "sum", "mask"),
        rows=("bias", *_NORM),
        options=("rate", *_EPS),
    ),
    "swiglu": Composite(gated.swiglu, ("a", "b")),
    "swiglu_inv": Composite(gated.swiglu_inv, _GATES, ("ga", "gb")),
    "geglu": Composite(gated.geglu, ("a", "b")),
    "geglu_inv": Composite(gated.geglu_inv, _GATES, ("ga", "gb")),
    "rope": Composite(gated.rope, _TABLES, ("y0", "y1")),
    "rope_inv": Composite(gated.rope_inv, _TABLES, ("y0", "y1")),
    "sgd": Composite(optimizers.sgd, ("w", "g", "rate"), ("new_w",), numbers=("rate",), options=("decay",)),
    "momentum": Composite(
        optimizers.momentum,
        ("w", "v", "g", "rate"),
        ("new_w", "new_v"),
        numbers=("rate",),
        options=("momentum", "decay"),
    ),
    "split_sgd": Composite(
        optimizers.split_sgd, ("high", "low", "g", "rate"), ("new_high", "new_low"), numbers=("rate",), types=_HALVES
    ),
    "adam": Composite(optimizers.adam, _STATE, _NEW, numbers=_STATE[4:], options=_ADAM),
    "adamw": Composite(optimizers.adamw, _STATE, _NEW, numbers=_STATE[4:], options=_ADAM),
    "adagrad": Composite(optimizers.adagrad, _SQUARE, _SQUARE_NEW, numbers=("rate",), options=("eps", "decay")),
    "rmsprop": Composite(
        optimizers.rmsprop, _SQUARE, _SQUARE_NEW, numbers=("rate",), options=("alpha", "eps", "decay")
    ),
    "lion": Composite(
        optimizers.lion, ("w", "m", "g", "rate"), _NEW[:2], numbers=("rate",), options=("beta1", "beta2", "decay")
    ),
    "clip_own_norm": Composite(optimizers.clip_own_norm, ("g",), ("y", "norm"), options=("most",), sums=("norm",)),
    "clip_norm": Composite(optimizers.clip_norm, ("g", "squares"), numbers=("squares",), options=("most",)),
}
