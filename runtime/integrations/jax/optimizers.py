"""Optimizers in the form of optax: `init(params)`, and `step(params, grads, state)`, one kernel for each array.

The new weights and states take over the memory of the old ones where JAX allows it, as in a jitted training step that
donates them: jax.jit(step, donate_argnums=(0, 2)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

from ...arguments.tracebacks import with_hints
from .arrays import Array, ArrayLike, array_of
from .equations import arithmetic, step_of

Tree: TypeAlias = object
"""Arrays in any nesting of dicts, lists and tuples, as JAX takes them."""


class SGDState(NamedTuple):
    """The state of SGD: velocities like the parameters, or none without momentum."""

    velocity: Tree


class AdamState(NamedTuple):
    """The state of Adam: the number of steps, and the means of gradients and of their squares."""

    step: Array
    mean: Tree
    square: Tree


class MeanState(NamedTuple):
    """The state of Lion, Adagrad and RMSprop: of each parameter a mean of gradients, or a sum or mean of squares."""

    mean: Tree


class _OneState:
    """An optimizer with one state for each parameter, zeros at first.

    kernel   the name of the traced function of a step
    options  its constants
    """

    kernel: str

    def __init__(self, lr: ArrayLike, **options: float) -> None:
        self.lr, self.options = lr, options

    def init(self, params: Tree) -> MeanState:
        """Return the state before the first step."""
        return MeanState(jax.tree.map(jnp.zeros_like, params))

    def step(self, params: Tree, grads: Tree, state: MeanState) -> tuple[Tree, MeanState]:
        """Return the parameters and the state after a step."""

        def of_one(w: Array, m: Array, g: Array) -> tuple[Array, ...]:
            return step_of(self.kernel, array_of("params", w), m, g, self.lr, **self.options)

        found = jax.tree.map(of_one, params, state.mean, grads)
        made, mean = _apart(params, found, 2)
        return made, MeanState(mean)


class FunctionalLion(_OneState):
    """w - lr (sign(beta1 m + (1 - beta1) g) + weight_decay w), then m = beta2 m + (1 - beta2) g, as optax has it."""

    kernel = "lion"

    def __init__(
        self, lr: ArrayLike = 1e-4, betas: tuple[float, float] = (0.9, 0.99), weight_decay: float = 0.0
    ) -> None:
        super().__init__(lr, beta1=betas[0], beta2=betas[1], decay=weight_decay)


class FunctionalAdagrad(_OneState):
    """v = v + g^2, w - lr g / (sqrt(v) + eps), as PyTorch has it without a decay of lr."""

    kernel = "adagrad"

    def __init__(self, lr: ArrayLike = 1e-2, eps: float = 1e-10, weight_decay: float = 0.0) -> None:
        super().__init__(lr, eps=eps, decay=weight_decay)


class FunctionalRMSprop(_OneState):
    """v = alpha v + (1 - alpha) g^2, w - lr g / (sqrt(v) + eps), as PyTorch has it without momentum."""

    kernel = "rmsprop"

    def __init__(self, lr: ArrayLike = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0) -> None:
        super().__init__(lr, alpha=alpha, eps=eps, decay=weight_decay)


class FunctionalSGD:
    """w - lr (g + weight_decay w), or with momentum v = momentum v + g + weight_decay w and w - lr v, as in PyTorch."""

    @with_hints
    def __init__(self, lr: ArrayLike = 1e-3, momentum: float = 0.0, weight_decay: float = 0.0) -> None:
        self.lr, self.momentum, self.weight_decay = lr, momentum, weight_decay

    def init(self, params: Tree) -> SGDState:
        """Return the state before the first step."""
        return SGDState(jax.tree.map(jnp.zeros_like, params) if self.momentum else None)

    def step(self, params: Tree, grads: Tree, state: SGDState) -> tuple[Tree, SGDState]:
        """Return the parameters and the state after a step."""
        if not self.momentum:
            made = jax.tree.map(
                lambda w, g: step_of("sgd", array_of("params", w), g, self.lr, decay=self.weight_decay)[0],
                params,
                grads,
            )
            return made, state
        options = {"momentum": self.momentum, "decay": self.weight_decay}
        found = jax.tree.map(
            lambda w, v, g: step_of("momentum", array_of("params", w), v, g, self.lr, **options),
            params,
            state.velocity,
            grads,
        )
        made, velocity = _apart(params, found, 2)
        return made, SGDState(velocity)


class FunctionalAdamW:
    """Adam with decoupled weight decay, as PyTorch and optax have it."""

    @with_hints
    def __init__(
        self,
        lr: ArrayLike = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay

    def init(self, params: Tree) -> AdamState:
        """Return the state before the first step."""
        zeros = jax.tree.map(jnp.zeros_like, params)
        return AdamState(jnp.zeros((), jnp.int32), zeros, jax.tree.map(jnp.zeros_like, params))

    def step(self, params: Tree, grads: Tree, state: AdamState) -> tuple[Tree, AdamState]:
        """Return the parameters and the state after a step."""
        step = state.step + 1
        beta1, beta2 = self.betas
        options = {"beta1": beta1, "beta2": beta2, "eps": self.eps, "decay": self.weight_decay}

        def of_one(w: Array, m: Array, v: Array, g: Array) -> tuple[Array, ...]:
            w = array_of("params", w)
            corrections = [1 - jnp.asarray(beta, arithmetic(w)) ** step for beta in self.betas]
            return self._of_one(w, m, v, g, corrections, options)

        found = jax.tree.map(of_one, params, state.mean, state.square, grads)
        made, mean, square = _apart(params, found, 3)
        return made, AdamState(step, mean, square)

    def _of_one(
        self, w: Array, m: Array, v: Array, g: Array, corrections: Sequence[Array], options: Mapping[str, float]
    ) -> tuple[Array, ...]:
        return step_of("adamw", w, m, v, g, self.lr, *corrections, **options)


class FunctionalLAMB(FunctionalAdamW):
    """Adam's direction for each array, as long as the array itself times lr; for large batches.

    u = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay w, w - lr |w| / |u| u; where |w| or |u| is 0,
    their ratio is 1. Two kernels for each array, between which XLA takes the ratio. Source: You et al., Large Batch
    Optimization for Deep Learning: Training BERT in 76 minutes, 2020, algorithm 2.
    """

    @with_hints
    def __init__(
        self,
        lr: ArrayLike = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(lr, betas, eps, weight_decay)

    def _of_one(
        self, w: Array, m: Array, v: Array, g: Array, corrections: Sequence[Array], options: Mapping[str, float]
    ) -> tuple[Array, ...]:
        m, v, squares, of_direction = step_of("lamb_moments", w, m, v, g, *corrections, **options)
        both = (squares > 0) & (of_direction > 0)
        ratio = jnp.where(both, jnp.sqrt(squares / jnp.where(both, of_direction, 1)), 1)
        rate, fixed = self.lr * ratio, {"eps": self.eps, "decay": self.weight_decay}
        return *step_of("lamb", w, m, v, rate, *corrections, **fixed), m, v


def _apart(like: Tree, found: Tree, count: int) -> list[Tree]:
    """Return trees of the first results, of the second ones, and so on."""
    structure = jax.tree.structure(like)
    each = structure.flatten_up_to(found)
    return [jax.tree.unflatten(structure, [results[number] for results in each]) for number in range(count)]
