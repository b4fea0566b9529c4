"""Optimizers whose step is one call of machine code over all parameters, which reads and writes them and their states
once. They have the arguments, groups and state dicts of torch's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import torch

from ...arguments.arrays import address_of
from .library import Value, dtype_of
from .steps import StepFormula, StepWork, run

Group: TypeAlias = dict[str, Value]
State: TypeAlias = dict[str, Value]
Closure: TypeAlias = Callable[[], torch.Tensor]


class ChangedParameter:
    """A parameter in a step: its formula, the tensors and then the numbers of its operands in their order, and the rate
    that a second formula takes."""

    __slots__ = ("formula", "numbers", "parameter", "rate", "tensors")

    def __init__(
        self,
        parameter: torch.Tensor,
        formula: StepFormula,
        tensors: list[torch.Tensor],
        numbers: tuple[float, ...],
        rate: float = 0.0,
    ) -> None:
        self.parameter, self.formula, self.tensors = parameter, formula, tensors
        self.numbers, self.rate = numbers, rate


class _StepInOneCall(torch.optim.Optimizer):
    """An optimizer whose step computes `_moved` of each parameter with a gradient."""

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> torch.Tensor | None:
        """Change all parameters by their gradients. Return the loss of the closure, if there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        found = []
        for group in self.param_groups:
            self._check_group(group)
            found += [(each, self._gradient(each), group) for each in group["params"] if each.grad is not None]
        self._change([self._moved(*each, self.state[each[0]]) for each in found if each[0].numel()])
        return loss

    @property
    def _step_supports_amp_scaling(self) -> bool:
        """Whether a step divides gradients by the factor of torch.amp.GradScaler, which does it itself otherwise."""
        return False

    @_step_supports_amp_scaling.setter
    def _step_supports_amp_scaling(self, value: bool) -> None:
        """Nothing: torch's optimizers set it for fused=True."""

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        """Make the states of a parameter, if it has none, and return how it changes in this step."""
        raise NotImplementedError

    def _change(self, moved: list[ChangedParameter]) -> None:
        run([_work(those) for those in _alike(moved)])

    def _check_group(self, group: Group) -> None:
        """Raise for what torch's optimizer does with a group and this one does not."""
        if group.get("differentiable"):
            name = type(self).__name__
            raise NotImplementedError(f"{name}: differentiable=True; torch.optim.{name} has a step with a gradient")

    def _gradient(self, parameter: torch.Tensor) -> torch.Tensor:
        """Return the gradient of a parameter, whose elements lie as those of the parameter do."""
        grad, name = parameter.grad, type(self).__name__
        if grad.layout != torch.strided:
            raise RuntimeError(f"{name}: dense gradients, not {grad.layout}; torch.optim.SparseAdam takes sparse ones")
        dtype_of(f"{name}: a parameter", parameter)
        if not parameter.is_cpu:
            raise RuntimeError(f"{name}: parameters on the CPU, not on {parameter.device}")
        if not parameter.is_contiguous() and not _dense(parameter):
            raise RuntimeError(
                f"{name}: parameters without gaps, not strides {parameter.stride()} of shape {tuple(parameter.shape)}; "
                f"parameter.data = parameter.data.contiguous() closes them"
            )
        if grad.dtype == parameter.dtype and grad.stride() == parameter.stride() and not grad.is_neg():
            return grad
        return torch.empty_like(parameter).copy_(grad)


def _dense(tensor: torch.Tensor) -> bool:
    """Whether the elements of a tensor fill its memory, in any order of its axes, as those of channels_last do."""
    size = 1
    for stride, extent in sorted(zip(tensor.stride(), tensor.shape)):
        if extent > 1 and stride != size:
            return False
        size *= extent
    return True


def _alike(moved: list[ChangedParameter]) -> list[list[ChangedParameter]]:
    """Return the parameters by their formulas."""
    found: dict[StepFormula, list[ChangedParameter]] = {}
    for each in moved:
        found.setdefault(each.formula, []).append(each)
    return list(found.values())


def _work(those: list[ChangedParameter]) -> StepWork:
    """Return what machine code does to parameters of one formula."""
    formula = those[0].formula
    numbers = np.array([each.numbers for each in those], np.float64 if formula.arithmetic == "f64" else np.float32)
    tensors = np.array([[each.data_ptr() for each in one.tensors] for one in those], np.int64)
    behind = address_of(numbers) + np.arange(numbers.size, dtype=np.int64).reshape(numbers.shape) * numbers.itemsize
    sizes = tuple(one.parameter.numel() for one in those)
    return StepWork(formula, sizes, np.concatenate((tensors, behind), axis=1), numbers)


def _like(parameter: torch.Tensor, state: State, name: str, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return a state of a parameter, zeros if it has none, whose elements lie as those of the parameter do."""
    found, dtype = state.get(name), dtype or parameter.dtype
    if found is None:
        found = state[name] = torch.zeros_like(parameter, dtype=dtype)
    elif found.dtype != dtype or found.stride() != parameter.stride() or found.shape != parameter.shape:
        if found.shape != parameter.shape:
            raise RuntimeError(
                f"{name}: shape {tuple(parameter.shape)}, that of its parameter, not {tuple(found.shape)}"
            )
        found = state[name] = torch.empty_like(parameter, dtype=dtype).copy_(found)
    return found


class SGD(_StepInOneCall, torch.optim.SGD):
    """torch.optim.SGD: w - lr g, with momentum, Nesterov's, and weight decay."""

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        fixed = {"decay": float(group["weight_decay"])}
        tensors, name = self._weights(parameter, state), "sgd"
        wide = parameter.dtype
        if len(tensors) == 2:
            name, wide = "split_sgd", torch.float32
        types = [_HALF if each is not parameter and len(tensors) == 2 else dtype_of("w", each) for each in tensors]
        if group["momentum"]:
            first = state.get("momentum_buffer") is None
            tensors.append(_like(parameter, state, "momentum_buffer", wide))
            name = name.replace("sgd", "momentum")
            fixed |= {"momentum": float(group["momentum"]), "nesterov": bool(group["nesterov"])}
            fixed["dampening"] = 0.0 if first else float(group["dampening"])  # the first direction is the gradient
            types.append(dtype_of("v", tensors[-1]))
        types.append(dtype_of("g", grad))
        formula = StepFormula(name, tuple(fixed.items()), bool(group["maximize"]), tuple(types))
        return ChangedParameter(parameter, formula, [*tensors, grad], (float(group["lr"]),))

    def _weights(self, parameter: torch.Tensor, state: State) -> list[torch.Tensor]:
        """Return the tensors that hold the weights."""
        return [parameter]


_HALF = "u16"


class SplitSGD(SGD):
    """SGD of bf16 parameters that computes as with f32: the optimizer keeps the lower 16 bits of each weight.

    The parameter is the upper half of the f32 weight, cut off, and is what the model computes with. The state "low" has
    the bits of the lower half, in a tensor of the parameter's type, so that state dicts keep it. Together they take 4
    bytes a weight, where f32 copies beside bf16 weights take 6. Parameters of other types change as by `SGD`. Source:
    Georganas et al., Tensor Processing Primitives, section 5.
    """

    def _weights(self, parameter: torch.Tensor, state: State) -> list[torch.Tensor]:
        if parameter.dtype != torch.bfloat16:
            return [parameter]
        return [parameter, _like(parameter, state, "low")]

    def load_state_dict(self, state_dict: dict[str, Value]) -> None:
        """Load what state_dict returned. torch would round momentum of f32 to the type of the parameters."""
        super().load_state_dict(state_dict)
        places = [each for group in state_dict["param_groups"] for each in group["params"]]
        parameters = [each for group in self.param_groups for each in group["params"]]
        for place, parameter in zip(places, parameters):
            given = state_dict["state"].get(place, {}).get("momentum_buffer")
            if given is not None and parameter.dtype == torch.bfloat16:
                self.state[parameter]["momentum_buffer"] = given.detach().to(parameter.device, copy=True)


class Adam(_StepInOneCall, torch.optim.Adam):
    """torch.optim.Adam."""

    _decoupled = False

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        steps = _counted(state)
        beta1, beta2 = map(float, group["betas"])
        fixed = {"beta1": beta1, "beta2": beta2, "eps": float(group["eps"]), "decay": float(group["weight_decay"])}
        names, decoupled = ["exp_avg", "exp_avg_sq"], group.get("decoupled_weight_decay", self._decoupled)
        if group["amsgrad"]:
            names.append("max_exp_avg_sq")
            name, fixed["decoupled"] = "amsgrad", bool(decoupled)
        else:
            name = "adamw" if decoupled else "adam"
        tensors = [parameter, *(_like(parameter, state, each) for each in names), grad]
        types = (dtype_of("w", parameter),) * len(tensors)
        formula = StepFormula(name, tuple(fixed.items()), bool(group["maximize"]), types)
        return ChangedParameter(parameter, formula, tensors, (float(group["lr"]), 1 - beta1**steps, 1 - beta2**steps))


class AdamW(Adam, torch.optim.AdamW):
    """torch.optim.AdamW: Adam with decoupled weight decay."""

    _decoupled = True


def _counted(state: State) -> float:
    """Count a step of a parameter, in a tensor as torch does, and return the number."""
    if "step" not in state:
        state["step"] = torch.tensor(0.0, dtype=torch.float32)
    state["step"] += 1
    return float(state["step"])


class Adagrad(_StepInOneCall, torch.optim.Adagrad):
    """torch.optim.Adagrad."""

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        steps = _counted(state)
        fixed = (("eps", float(group["eps"])), ("decay", float(group["weight_decay"])))
        tensors = [parameter, _like(parameter, state, "sum"), grad]
        formula = StepFormula("adagrad", fixed, bool(group["maximize"]), (dtype_of("w", parameter),) * 3)
        rate = float(group["lr"]) / (1 + (steps - 1) * float(group["lr_decay"]))
        return ChangedParameter(parameter, formula, tensors, (rate,))


class RMSprop(_StepInOneCall, torch.optim.RMSprop):
    """torch.optim.RMSprop, with momentum and centred."""

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        _counted(state)
        fixed = {"alpha": float(group["alpha"]), "eps": float(group["eps"]), "decay": float(group["weight_decay"])}
        names, name = ["square_avg"], "rmsprop"
        if group["centered"]:
            names, name = [*names, "grad_avg"], f"{name}_centered"
        if group["momentum"]:
            names, name = [*names, "momentum_buffer"], f"{name}_momentum"
            fixed["momentum"] = float(group["momentum"])
        tensors = [parameter, *(_like(parameter, state, each) for each in names), grad]
        types = (dtype_of("w", parameter),) * len(tensors)
        formula = StepFormula(name, tuple(fixed.items()), bool(group["maximize"]), types)
        return ChangedParameter(parameter, formula, tensors, (float(group["lr"]),))


class Lion(_StepInOneCall):
    """w - lr (sign(beta1 m + (1 - beta1) g) + weight_decay w), with m = beta2 m + (1 - beta2) g for the next step.

    One state a parameter, "exp_avg". Source: Chen et al., Symbolic Discovery of Optimization Algorithms, 2023,
    algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor],
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, _checked_numbers(betas, maximize, lr=lr, weight_decay=weight_decay))

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        beta1, beta2 = map(float, group["betas"])
        fixed = (("beta1", beta1), ("beta2", beta2), ("decay", float(group["weight_decay"])))
        tensors = [parameter, _like(parameter, state, "exp_avg"), grad]
        formula = StepFormula("lion", fixed, bool(group["maximize"]), (dtype_of("w", parameter),) * 3)
        return ChangedParameter(parameter, formula, tensors, (float(group["lr"]),))


def _checked_numbers(betas: tuple[float, float], maximize: bool, **named: float) -> dict[str, Value]:
    """Return the defaults of an optimizer. Raises ValueError for numbers without a meaning."""
    if wrong := next((each for each, value in named.items() if not value >= 0), None):
        raise ValueError(f"{wrong}: at least 0, not {named[wrong]}")
    if not all(0 <= each < 1 for each in betas):
        raise ValueError(f"betas: at least 0 and below 1, not {betas}")
    return {**named, "betas": betas, "maximize": maximize}


class LAMB(_StepInOneCall):
    """Adam's direction for each parameter, as long as the parameter itself times lr; for large batches.

    Each parameter is a layer of the paper, phi is the identity: u = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps)
    + weight_decay w, w - lr |w| / |u| u. Where |w| or |u| is 0, their ratio is 1, as usual. A step is two calls of
    machine code, between which the norms are added in f64. Source: You et al., Large Batch Optimization for Deep
    Learning: Training BERT in 76 minutes, 2020, algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[torch.Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.01,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, _checked_numbers(betas, maximize, lr=lr, eps=eps, weight_decay=weight_decay))

    def _moved(self, parameter: torch.Tensor, grad: torch.Tensor, group: Group, state: State) -> ChangedParameter:
        steps = _counted(state)
        beta1, beta2 = map(float, group["betas"])
        fixed = {"eps": float(group["eps"]), "decay": float(group["weight_decay"])}
        tensors = [parameter, *(_like(parameter, state, each) for each in ("exp_avg", "exp_avg_sq")), grad]
        types, options = (dtype_of("w", parameter),) * 4, {"beta1": beta1, "beta2": beta2, **fixed}
        formula = StepFormula("lamb_moments", tuple(options.items()), bool(group["maximize"]), types)
        return ChangedParameter(parameter, formula, tensors, (1 - beta1**steps, 1 - beta2**steps), float(group["lr"]))

    def _change(self, moved: list[ChangedParameter]) -> None:
        alike = _alike(moved)
        for those, sums in zip(alike, run([_work(those) for those in alike]), strict=True):
            for each, (squares, of_direction) in zip(those, sums, strict=True):
                ratio = (squares / of_direction) ** 0.5 if squares > 0 and of_direction > 0 else 1.0
                fixed = tuple(one for one in each.formula.fixed if one[0] in ("eps", "decay"))
                each.formula = StepFormula("lamb", fixed, False, each.formula.dtypes[:3])
                each.tensors, each.numbers = each.tensors[:3], (each.rate * ratio, *each.numbers)
        run([_work(those) for those in alike])
