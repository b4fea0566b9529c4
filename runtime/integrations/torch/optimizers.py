"""Optimizers whose step is one kernel for each parameter, which reads and writes it and its states once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import torch

from ...api.dispatch import dispatch
from ...api.fused import fused
from .library import Value

Group = dict[str, Value]
State = dict[str, Value]


@lru_cache(maxsize=64)
def _kernel(name: str, fixed: tuple[tuple[str, float], ...]) -> Callable[..., Value]:
    return dispatch(fused, name, **dict(fixed))


def _row(tensor: torch.Tensor) -> torch.Tensor:
    """Return a parameter, or what belongs to it, as one row of the same memory."""
    return tensor.detach().view(1, -1)


def _number(value: float, like: torch.Tensor) -> torch.Tensor:
    return torch.full((1, 1), value, dtype=like.dtype)


class _Kernels(torch.optim.Optimizer):
    """An optimizer whose step is `_update` of each parameter with a gradient."""

    @torch.no_grad()
    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Change all parameters by their gradients. Return the loss of the closure, if there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for each in group["params"]:
                if each.grad is not None and each.numel():
                    self._check(each)
                    self._update(each, each.grad, group, self.state[each])
        return loss

    def _check(self, each: torch.Tensor) -> None:
        if not each.is_contiguous() or each.grad is None or each.grad.is_sparse:
            raise ValueError(
                f"{type(self).__name__}: parameters without gaps and dense gradients; "
                f"torch.optim.{type(self).__name__} takes others"
            )

    def _update(self, each: torch.Tensor, grad: torch.Tensor, group: dict[str, Value], state: dict[str, Value]) -> None:
        raise NotImplementedError


class SGD(_Kernels):
    """w - lr (g + weight_decay w), or with momentum v = momentum v + g + weight_decay w and w - lr v."""

    def __init__(
        self,
        params: Iterable[torch.Tensor],
        lr: float = 1e-3,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    def _update(self, each: torch.Tensor, grad: torch.Tensor, group: dict[str, Value], state: dict[str, Value]) -> None:
        w, g, rate = _row(each), _row(grad.contiguous()), _number(group["lr"], each)
        decay = ("decay", float(group["weight_decay"]))
        if not group["momentum"]:
            _kernel("sgd", (decay,))(w, g, rate, w)
            return
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(each)
        v = _row(state["momentum_buffer"])
        _kernel("momentum", (decay, ("momentum", float(group["momentum"]))))(w, v, g, rate, w, v)


class AdamW(_Kernels):
    """Adam with decoupled weight decay, as torch.optim.AdamW."""

    _name = "adamw"

    def __init__(
        self,
        params: Iterable[torch.Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _update(self, each: torch.Tensor, grad: torch.Tensor, group: dict[str, Value], state: dict[str, Value]) -> None:
        if not state:
            state |= {"step": 0, "exp_avg": torch.zeros_like(each), "exp_avg_sq": torch.zeros_like(each)}
        state["step"] += 1
        beta1, beta2 = group["betas"]
        corrections = (_number(1 - beta ** state["step"], each) for beta in (beta1, beta2))
        fixed = [("beta1", beta1), ("beta2", beta2), ("eps", group["eps"])]
        fixed += [("decay", group["weight_decay"])] if self._name == "adamw" else []
        w, m, v = (_row(tensor) for tensor in (each, state["exp_avg"], state["exp_avg_sq"]))
        call = _kernel(self._name, tuple(fixed))
        call(w, m, v, _row(grad.contiguous()), _number(group["lr"], each), *corrections, w, m, v)


class Adam(AdamW):
    """Adam without weight decay, as torch.optim.Adam."""

    _name = "adam"

    def __init__(
        self,
        params: Iterable[torch.Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        super().__init__(params, lr, betas, eps, 0.0)
