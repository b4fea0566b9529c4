"""Modules with the parameters and state dicts of torch's own, and `freeze`, which packs the weights of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

from ....microkernels.compressed.form import unit_of
from ....microkernels.dtypes import element_type
from ....microkernels.errors import UnsupportedError
from ...compressed.functions import compressed
from ...compressed.weights import CompressedWeights
from . import functions
from .eager import is_plain
from .frozen import FrozenModule, PackedConvolution, frozen_convolution
from .library import DTYPES, Value, at_a_line, detached, dtype_of, not_scripted
from .products import NONE, KeptLayer, layer_for
from .recurrent import KINDS, layers
from .rowwise import known_activation

if TYPE_CHECKING:
    from ....microkernels.compressed.form import CompressedForm
    from ...api.typed import DType

_ACTIVATIONS = {
    nn.ReLU: "relu",
    nn.SiLU: "silu",
    nn.Sigmoid: "sigmoid",
    nn.Tanh: "tanh",
    nn.Softplus: "softplus",
    nn.ELU: "elu",
    nn.LeakyReLU: "leaky_relu",
}


def _shown_name(module: nn.Module) -> str:
    """Return the name by which a module is printed: that under which users make it, or that of their own subclass."""
    kind = type(module)
    return f"tst.{kind.__name__.removesuffix('Module')}" if kind.__module__ == __name__ else kind.__name__


class LinearModule(nn.Linear):
    """torch.nn.Linear with the bias and an activation computed in the kernel of the product.

    activation: None or "none", gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh, elu or leaky_relu
    """

    activation = NONE
    _get_name, __prepare_scriptable__ = _shown_name, not_scripted

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
        *,
        activation: str | None = NONE,
    ) -> None:
        super().__init__(in_features, out_features, bias, device, dtype)
        self.activation = known_activation(activation or NONE, NONE)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return activation(input @ weight.T + bias)."""
        return functions.linear(input, self.weight, self.bias, self.activation)

    def extra_repr(self) -> str:
        """Return the extents, and the activation if there is one."""
        return super().extra_repr() + (f", activation={self.activation}" if self.activation != NONE else "")


class LayerNormModule(nn.LayerNorm):
    """torch.nn.LayerNorm."""

    _get_name, __prepare_scriptable__ = _shown_name, not_scripted

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the layer norm of the last axes."""
        return functions.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNormModule(nn.RMSNorm):
    """torch.nn.RMSNorm."""

    _get_name, __prepare_scriptable__ = _shown_name, not_scripted

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the RMS norm of the last axes."""
        return functions.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class SoftmaxModule(nn.Softmax):
    """torch.nn.Softmax."""

    _get_name, __prepare_scriptable__ = _shown_name, not_scripted

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the softmax along `dim`."""
        return functions.softmax(input, -1 if self.dim is None else self.dim)


class RecurrentModule(nn.RNNBase):
    """What the modules of recurrent layers share: a loop of kernels over the steps of each layer, forward and back.

    Raises TypeError for packed sequences, UnsupportedError for dropout between layers that train and for proj_size.
    """

    _get_name, __prepare_scriptable__ = _shown_name, not_scripted

    def forward(self, input: torch.Tensor, hx: Value = None) -> tuple[torch.Tensor, Value]:
        """Return the outputs of all steps, and the last states, as torch.nn's module does."""
        if isinstance(input, nn.utils.rnn.PackedSequence):
            raise TypeError("input: samples of one length; torch.nn's module takes packed sequences")
        name, alone = self.mode.lower(), input.dim() == 2
        if self.proj_size:  # before its states of another width are looked at
            raise UnsupportedError(f"{name}: layers that project their states; leave them to torch.nn")
        if input.dim() not in (2, 3):
            raise ValueError(f"input: of 3 axes, or 2 for one sample, not of shape {tuple(input.shape)}")
        x = input.unsqueeze(0 if self.batch_first else 1) if alone else input
        one = isinstance(hx, torch.Tensor)
        count = self.num_layers * (2 if self.bidirectional else 1)
        batch = x.shape[0 if self.batch_first else 1]
        given = (
            [x.new_zeros(count, batch, self.hidden_size)] * KINDS[name].states if hx is None else [hx] if one else hx
        )
        states = [each.unsqueeze(1) if alone and hx is not None else each for each in given]
        self.check_forward_args(x, tuple(states) if len(states) > 1 else states[0], None)
        y, *ends = layers(
            name,
            x,
            states,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            self.batch_first,
        )
        if alone:
            y, ends = y.squeeze(0 if self.batch_first else 1), [each.squeeze(1) for each in ends]
        return y, tuple(ends) if len(ends) > 1 else ends[0]


class LSTMModule(RecurrentModule, nn.LSTM):
    """torch.nn.LSTM."""


class GRUModule(RecurrentModule, nn.GRU):
    """torch.nn.GRU."""


class RNNModule(RecurrentModule, nn.RNN):
    """torch.nn.RNN."""


class ActivationModule(nn.Module):
    """A function of each element: gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh, elu, leaky_relu."""

    _get_name, __prepare_scriptable__ = _shown_name, not_scripted

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = known_activation(name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the function of each element."""
        return functions.activation(input, self.name)

    def extra_repr(self) -> str:
        """Return the name of the function."""
        return self.name


class FrozenLinear(FrozenModule):
    """A layer of constant weights. It cannot be trained."""

    bias: torch.Tensor | None
    taken: torch.dtype | None = None
    """The only type of inputs; None: any float."""
    _get_name = _shown_name

    def __init__(self, layer: nn.Linear, activation: str) -> None:
        super().__init__(layer.bias, activation)
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.eval()

    def extra_repr(self) -> str:
        """Return the extents, the activation and the form of the weights."""
        shown = f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        return f"{shown}, activation={self.activation}, weights={self.shown}"

    @property
    def shown(self) -> str:
        """The form of the weights, in words."""
        raise NotImplementedError

    def check(self, input: torch.Tensor) -> None:
        """Raise the error for an input that the weights are not for."""
        if not input.dim() or input.shape[-1] != self.in_features:
            raise ValueError(f"input: shape (..., {self.in_features}), not {tuple(input.shape)}")
        if self.taken is not None and input.dtype != self.taken:
            raise TypeError(
                f"input: {self.taken}, the type of the layer when its weights were packed, not {input.dtype}; "
                "convert the model before tst.freeze, or the input"
            )
        if self.bias is not None and self.taken not in (None, self.bias.dtype):
            raise TypeError(
                f"the layer was converted to {self.bias.dtype} after its weights were packed of {self.taken}; convert "
                "the model before tst.freeze"
            )


class PackedLinear(FrozenLinear):
    """A layer of constant weights, packed in the order in which its kernel reads them, and perhaps rounded to bf16."""

    packed: torch.Tensor

    def __init__(self, layer: nn.Linear, activation: str = NONE, kind: str = "") -> None:
        super().__init__(layer, activation)
        self.kind, self.taken = kind, layer.weight.dtype
        self.register_buffer("packed", functions.pack(layer.weight, kind))
        self._kept = KeptLayer()

    def _load_from_state_dict(self, *args: Value, **named: Value) -> None:
        self._kept = KeptLayer()  # other bytes at the same address
        super()._load_from_state_dict(*args, **named)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return activation(input @ weight.T + bias)."""
        try:
            if is_plain(input) and not input.requires_grad:
                return self._kept(input, self.packed, self.bias, self.out_features, self.activation, self.kind)
            return functions.linear_packed(input, self.packed, self.bias, self.out_features, self.activation, self.kind)
        except (TypeError, ValueError):
            self.check(input)  # whose error is clearer; calls that succeed do not pay for it
            raise

    @property
    def shown(self) -> str:
        """The type of the packed weights."""
        return f"packed {self.kind or DTYPES[self.taken] if self.taken else self.kind}"


class CompressedLinear(FrozenLinear):
    """A layer of weights of 8 or 4 bits, with a scale for each group of inputs: see docs/compressed-weights.md."""

    codes: torch.Tensor

    def __init__(self, layer: nn.Linear, activation: str, form: str, group: int) -> None:
        super().__init__(layer, activation)
        columns = layer.weight.detach().float().t().contiguous()
        made = compressed(np.from_dlpack(columns), form, group=group)
        self.form = cast("CompressedForm", made.form)
        codes = torch.empty(made.data.size, dtype=torch.uint8)
        np.from_dlpack(codes)[...] = made.data
        self.register_buffer("codes", codes)

    @property
    def shown(self) -> str:
        """The type of the weights, and the inputs that share a scale."""
        return f"{self.form.format}, groups of {self.form.group}"

    @property
    def weights(self) -> CompressedWeights:
        """The weights, whose bytes are the buffer of the module."""
        return CompressedWeights(self.form, at_a_line(self.codes))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return activation(input @ weight.T + bias)."""
        self.check(input)
        (given,) = detached(input)
        rows = given.reshape(-1, self.in_features).contiguous()
        shape = (*input.shape[:-1], self.out_features)
        if not rows.shape[0]:
            return input.new_empty(shape)
        dtype = cast("DType", dtype_of("input", given))
        more = [] if self.bias is None else [self.bias]
        extents = rows.shape[0], self.out_features, self.in_features
        layer = layer_for(*extents, (dtype, dtype), self.activation, bool(more))
        return layer(rows, self.weights, *more).view(shape)


class FrozenReport:
    """What `freeze` replaced, by the names of modules, and what it left to torch, with the reasons."""

    def __init__(self, replaced: dict[str, str], left: dict[str, str]) -> None:
        self.replaced, self.left = replaced, left

    def __str__(self) -> str:
        lines = [f"{name}: {how}" for name, how in self.replaced.items()]
        return "\n".join([*lines, *(f"{name}: left to torch, {why}" for name, why in self.left.items())])


_INTEGERS = {"i8": "int8", "i4": "int4"}
"""The types of weights with scales, and their names in torch."""


def freeze(model: nn.Module, dtype: object = None, group: int = 32) -> FrozenReport:
    """Replace layers of a model by kernels on packed weights, in place, and return what was done.

    dtype   the type of the weights of linear layers: None, their own; bf16; int8 or int4 with a scale for each group of
            inputs, in any spelling: "bf16", torch.bfloat16, "int8", torch.int8. x and the results keep their type
    group   the inputs that share a scale, a multiple of 16

    Layers of torch.nn.Linear are packed, and so are convolutions, whose weights keep their type. An activation that
    follows one in torch.nn.Sequential moves into its kernel, and a BatchNorm into its weights. LayerNorm, RMSNorm,
    softmax and activations become those of this package. The model computes as in eval(), and cannot be trained any
    more: no parameter requires a gradient. What has no kernel is left to torch, and named: transposed convolutions,
    modules of one's own, and those of torch that read the weights of their layers themselves, such as
    MultiheadAttention.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"model: a torch.nn.Module, not {type(model).__name__}")
    if model.training:
        raise ValueError(
            "freeze: a model in eval(), since dropout and batch statistics are those of training otherwise"
        )
    form = _checked_form(dtype, group)
    replaced, left = dict[str, str](), dict[str, str]()
    if not any(True for _ in model.children()):
        raise ValueError(
            f"model: a module with layers in it, which are replaced in place, not {type(model).__name__} itself; "
            "put it into torch.nn.Sequential"
        )
    for name, parent in list(model.named_modules()):
        _freeze_children(name, parent, replaced, left, form)
    model.requires_grad_(False)
    return FrozenReport(replaced, left)


def _checked_form(dtype: object, group: int) -> tuple[str | None, int]:
    """Return the type of weights by its name in this project, or None, and the inputs of a group."""
    kind = None if dtype is None else element_type("dtype", dtype)
    if kind not in (None, "bf16", *_INTEGERS):
        raise ValueError(
            f'dtype: None, "bf16", "int8" or "int4", not {dtype!r}; model.half() and the like convert a model before '
            "it is frozen"
        )
    if isinstance(group, bool) or not isinstance(group, int):
        raise TypeError(f"group: a multiple of 16, not {group!r}")
    if kind in _INTEGERS and (group < 1 or not unit_of(group, group + 1)):
        raise ValueError(f"group: a multiple of 16, as many inputs as share a scale, not {group}")
    return kind, group


def _freeze_children(
    prefix: str, parent: nn.Module, replaced: dict[str, str], left: dict[str, str], form: tuple[str | None, int]
) -> None:
    if isinstance(parent, _READERS):
        left[prefix] = f"{type(parent).__name__} reads the weights of its layers itself"
        return
    if type(parent) not in _OWN and any(True for _ in parent.children()) and _own_numbers(parent):
        left[prefix] = f"parameters of its own: {', '.join(_own_numbers(parent))}"
    children = list(parent.named_children())
    inside = type(parent) is nn.Sequential
    gone: set[str] = set()

    def whole(name: str) -> str:
        return f"{prefix}.{name}" if prefix else name

    def follower_of(number: int) -> tuple[str, nn.Module] | None:
        return children[number + 1] if inside and number + 1 < len(children) else None

    for number, (name, child) in enumerate(children):
        if name in gone or any(True for _ in child.children()) or type(child) in _OWN:
            continue
        following = follower_of(number)
        if following is not None and (folded := _folded(child, following[1])) is not None:
            child, gone = folded, gone | {following[0]}
            setattr(parent, name, folded)
            setattr(parent, following[0], nn.Identity())
            replaced[whole(following[0])] = f"in the weights of {whole(name)}"
            following = follower_of(number + 1)
        activation = _activation_of(following[1]) if following is not None else None
        made, how = _frozen(child, activation or NONE, form)
        if made is None:
            if how:
                left[whole(name)] = how
            continue
        setattr(parent, name, made)
        replaced[whole(name)] = how
        if activation and following is not None and isinstance(made, FrozenModule):
            setattr(parent, following[0], nn.Identity())
            gone.add(following[0])
            replaced[whole(following[0])] = f"{activation}, in the kernel of {whole(name)}"


_READERS = nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
"""Modules of torch that give the weights of their layers to functions of torch."""


def _own_numbers(module: nn.Module) -> list[str]:
    return [name for name, _ in module.named_parameters(recurse=False)]


def _folded(module: nn.Module, norm: nn.Module) -> nn.Module | None:
    """Return a layer or convolution with the norm of its channels in its weights, or None."""
    pairs = {nn.Linear: nn.BatchNorm1d, nn.Conv1d: nn.BatchNorm1d, nn.Conv2d: nn.BatchNorm2d, nn.Conv3d: nn.BatchNorm3d}
    if type(norm) is not pairs.get(type(module)) or norm.running_mean is None or not norm.affine:
        return None
    fold = fuse_linear_bn_eval if type(module) is nn.Linear else fuse_conv_bn_eval
    return fold(module, norm)


def _activation_of(module: nn.Module) -> str | None:
    """Return the name of an activation whose parameters are those of its kernel, or None."""
    if type(module) is nn.GELU:
        return "gelu_tanh" if module.approximate == "tanh" else "gelu"
    standard = {nn.Softplus: ("beta", 1.0), nn.ELU: ("alpha", 1.0), nn.LeakyReLU: ("negative_slope", 0.01)}
    name, value = standard.get(type(module), ("", None))
    return None if name and getattr(module, name) != value else _ACTIVATIONS.get(type(module))


def _frozen(module: nn.Module, activation: str, form: tuple[str | None, int]) -> tuple[nn.Module | None, str]:
    """Return what replaces a module and how it is computed; or None and the reason, which is empty for modules that
    compute nothing."""
    if type(module) is nn.Linear or type(module) is LinearModule:
        own = getattr(module, "activation", NONE)
        return _frozen_linear(module, own if own != NONE else activation, *form)
    if type(module) in (nn.Conv1d, nn.Conv2d, nn.Conv3d):
        return frozen_convolution(module, activation, form[0])
    norm = {nn.LayerNorm: LayerNormModule, nn.RMSNorm: RMSNormModule}.get(type(module))
    if norm is not None:
        bias = {"bias": module.bias is not None} if type(module) is nn.LayerNorm else {}
        made: nn.Module = norm(module.normalized_shape, module.eps, module.elementwise_affine, **bias)
        made.load_state_dict(module.state_dict(), assign=True)
        return made.eval(), "one kernel"
    if type(module) is nn.Softmax:
        return SoftmaxModule(module.dim), "one kernel"
    name = _activation_of(module)
    if name is not None:
        return ActivationModule(name), "one kernel"
    if isinstance(module, _NOTHING):
        return None, ""
    return None, f"no kernel here for {type(module).__name__}"


_NOTHING = (
    *(nn.Identity, nn.Flatten, nn.Unflatten, nn.Embedding),
    *(nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout),
)
"""Modules that compute nothing in eval(), or only look up."""


def _frozen_linear(module: nn.Linear, activation: str, dtype: str | None, group: int) -> tuple[nn.Module | None, str]:
    """Return the layer of constant weights that replaces a layer, or None and the reason."""
    if module.weight.dtype not in DTYPES:
        return None, f"weights of {module.weight.dtype}"
    if dtype in _INTEGERS and module.weight.dtype == torch.float64:
        return None, f"no kernel here for weights of {_INTEGERS[dtype]} and x of {module.weight.dtype}"
    if dtype is None or dtype == "bf16":
        kind = "bf16" if dtype and module.weight.dtype == torch.float32 else ""
        own = (
            f", which stay {module.weight.dtype}"
            if dtype and not kind and module.weight.dtype != torch.bfloat16
            else ""
        )
        return PackedLinear(module, activation, kind), f"packed weights{' of bf16' * bool(kind)}{own}"
    try:
        return CompressedLinear(module, activation, dtype, group), f"weights of {_INTEGERS[dtype]}, groups of {group}"
    except (UnsupportedError, ValueError) as error:
        return None, str(error)


_OWN = (
    *(LinearModule, LayerNormModule, RMSNormModule, SoftmaxModule, ActivationModule),
    *(PackedLinear, CompressedLinear, PackedConvolution),
)
