"""Rules by which DTensor calls the operators of `torch.ops.tilesmith` on the parts of tensors that each process has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor._op_schema import RuntimeSchemaInfo
from torch.distributed.tensor.experimental import register_sharding

from ..torch.library import Value
from ..torch.operators import OPERATORS
from ..torch.products import NONE
from ..torch.recurrent import KINDS, RECURRENT_OPERATORS, RecurrentKind
from .axes import PARTIAL, WHOLE, Shape, Share, SharedAxis, shared_axes

_LAYER = "*k nk n | *n = 0.1 + 2"
_LAYER_BACKWARD = "*n *k nk n | *k = 0.2 ; nk = 0.1 ; n = 0"
_CONV = "nc& oc& o | no& = 0.1 + 2"
_CONV_BACKWARD = "no& nc& oc& | nc& = 0.2 ; oc& = 0.1 ; o = 0"


def _layer(kind: RecurrentKind) -> tuple[str, str]:
    """Return the equations of a recurrent layer and of its gradients: processes share the samples. Each result depends
    on all inputs."""
    states = ["bH"] * kind.states
    inputs, made = ["SbI", *states, "GI", "GH", "G"], ["SbH", *states]
    kept = ["SbG" if each == "gates" else "SbH" for each in kind.kept]

    def equation(tensors: Sequence[str], results: Sequence[str]) -> str:
        every = ".".join(map(str, range(len(tensors))))
        return f"{' '.join(tensors)} | {' ; '.join(f'{each} = {every}' for each in results)}"

    return equation(inputs, [*made, *kept]), equation([*made, *inputs, "SbH", *kept], inputs)


_RECURRENT = {name: _layer(kind) for name, kind in KINDS.items()}
EQUATIONS: dict[str, str] = {
    "softmax": "*! | *! = 0",
    "softmax_backward": "*! *! | *! = 0.1",
    "log_softmax": "*! | *! = 0",
    "log_softmax_backward": "*! *! | *! = 0.1",
    "activation": "* | * = 0",
    "activation_backward": "* * | * = 0.1",
    "layer_norm": "*C C C | *C = 0.1 + 2",
    "layer_norm_backward": "*C *C C | *C = 0.1.2 ; C = 0.1 ; C = 0",
    "rms_norm": "*C C | *C = 0.1",
    "rms_norm_backward": "*C *C C | *C = 0.1.2 ; C = 0.1",
    "cross_entropy": "nC n | n = 0.1",
    "cross_entropy_backward": "n nC n | nC = 0.1.2",
    "mm": "mk kn | mn = 0.1",
    "bmm": "bmk bkn | bmn = 0.1",
    "linear": _LAYER,
    "linear_backward": _LAYER_BACKWARD,
    "linear_packed": "*K P N | *N = 0.1 + 2",
    "conv": _CONV,
    "conv_backward": _CONV_BACKWARD,
    "max_pool": "nc& | nc& = 0 ; nc& = 0",
    "max_pool_backward": "nc& nc& nc& | nc& = 0.1.2",
    "avg_pool": "nc& | nc& = 0",
    "avg_pool_backward": "nc& nc& | nc& = 0.1",
    "attention": "*SD *TD *TD *ST R | *SD = 0.1.2.3 ; *S = 0.1.3",
    "attention_backward": "*SD *SD *TD *TD *ST *SD *S R | *SD = 0.1 ; *TD = 0.2 ; *TD = 0.3",
    "embedding_bag": "Vd I B | Bd = 0.1.2",
    "embedding_bag_backward": "Bd Vd I B | Vd = 0.1.2.3",
    **{f"{name}_layer": first for name, (first, _) in _RECURRENT.items()},
    **{f"{name}_layer_backward": second for name, (_, second) in _RECURRENT.items()},
}
"""How the results of each operator depend on its tensors (axes.py)."""


def ways(name: str, given: dict[str, Value], shapes: Sequence[Shape | None], parts: int) -> list[SharedAxis]:
    """Return every way in which processes can share a call. What is dropped, and what a function of scores reads,
    depends on the place in the whole, which no part knows, so such calls are not shared."""
    if given.get("dropout") or given.get("score"):
        return []
    return [*shared_axes(_equation(name, given), shapes, parts, given.get("dim", 0))]


def _equation(name: str, given: dict[str, Value]) -> str:
    """Return the equation of a call. Beside an activation the sums of a layer are needed whole, and with groups of
    channels every process needs all channels."""
    found = EQUATIONS[name]
    if given.get("activation", NONE) != NONE:
        found = found.replace("k", "K")
    if given.get("groups", 1) != 1:
        found = found.replace("c", "C").replace("o", "O")
    return found


def _placement(share: Share) -> Value:
    if share is None:
        return None
    return Replicate() if share == WHOLE else Partial() if share == PARTIAL else Shard(share)


def _shardings(operator: Value, *args: Value) -> list[tuple[list[Value], list[Value]]]:
    """Return the placements of the results and of the arguments for every way to share a call, as DTensor asks."""
    schema = operator._schema
    given = {argument.name: each for argument, each in zip(schema.arguments, args)}
    places = [number for number, argument in enumerate(schema.arguments) if "Tensor" in str(argument.type)]
    tensors = [args[place] for place in places]
    shapes = [None if each is None else tuple(each.shape) for each in tensors]
    parts = next(each for each in tensors if each is not None).mesh.size(0)
    everywhere = SharedAxis((WHOLE,) * len(schema.returns), tuple(None if each is None else WHOLE for each in shapes))
    made = []
    for shared in (everywhere, *ways(schema.name.partition("::")[2], given, shapes, parts)):
        placed: list[Value] = [None] * len(args)
        for place, cut in zip(places, shared.tensors):
            placed[place] = _placement(cut)
        made.append(([_placement(cut) for cut in shared.results], placed))
    return made


def register() -> None:
    """Register the rules. DTensor keeps what a rule said for further calls with equal arguments, of which it compares
    only integers unless it is told otherwise; strides and the name of an activation count as well."""
    known = DTensor._op_dispatcher.sharding_propagator.op_to_schema_info
    for each in (*OPERATORS, *RECURRENT_OPERATORS):
        operator = getattr(torch.ops.tilesmith, each.name).default
        register_sharding(operator)(partial(_shardings, operator))
        tensors = [
            number for number, argument in enumerate(operator._schema.arguments) if "Tensor" in str(argument.type)
        ]
        known[operator] = RuntimeSchemaInfo(tensors[-1] + 1, needs_pytree=True)
