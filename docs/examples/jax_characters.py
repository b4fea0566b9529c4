"""Train a small transformer on characters in JAX, by kernels of tilesmith or by jax.numpy alone.

    pip install jax
    python docs/examples/jax_characters.py [--steps 60] [--compare]

The text is the help of Python's statements. Layers, norms, attention and the optimizer are functions of
tilesmith.integrations.jax; --compare trains the same model by jax.numpy, from the same weights, and prints how much the
losses differ.
"""

from __future__ import annotations

import argparse
import time
from pydoc_data.topics import topics
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

from tilesmith.integrations import jax as tsj

WIDTH, HEADS, LENGTH, BATCH, LETTERS = 64, 4, 64, 16, 128


def norm(x, weight):
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight


def attend(q, k, v, causal):
    scores = q @ jnp.swapaxes(k, -1, -2) * q.shape[-1] ** -0.5
    return jax.nn.softmax(jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)) @ v


def linear(x, weight, bias, activation="none"):
    made = x @ weight + bias
    return jax.nn.gelu(made, approximate=False) if activation == "gelu" else made


PLAIN = SimpleNamespace(linear=linear, layer_norm=norm, attention=attend, log_softmax=jax.nn.log_softmax)


def init(key):
    shapes = {
        "letters": (LETTERS, WIDTH),
        "places": (LENGTH, WIDTH),
        "qkv": (WIDTH, 3 * WIDTH),
        "out": (WIDTH, WIDTH),
        "up": (WIDTH, 4 * WIDTH),
        "down": (4 * WIDTH, WIDTH),
        "last": (WIDTH, LETTERS),
    }
    keys = jax.random.split(key, len(shapes))
    made = {name: jax.random.normal(one, shape) * 0.1 for one, (name, shape) in zip(keys, shapes.items())}
    made |= {f"{name}_bias": jnp.zeros(shape[1]) for name, shape in shapes.items()}
    return made | {"first_norm": jnp.ones(WIDTH), "second_norm": jnp.ones(WIDTH)}


def loss(functions, p, text):
    x = p["letters"][text[:, :-1]] + p["places"]
    qkv = functions.linear(functions.layer_norm(x, p["first_norm"]), p["qkv"], p["qkv_bias"])
    q, k, v = (jnp.swapaxes(each.reshape(BATCH, LENGTH, HEADS, -1), 1, 2) for each in jnp.split(qkv, 3, axis=-1))
    seen = jnp.swapaxes(functions.attention(q, k, v, causal=True), 1, 2).reshape(x.shape)
    x = x + functions.linear(seen, p["out"], p["out_bias"])
    hidden = functions.linear(functions.layer_norm(x, p["second_norm"]), p["up"], p["up_bias"], activation="gelu")
    logits = functions.linear(x + functions.linear(hidden, p["down"], p["down_bias"]), p["last"], p["last_bias"])
    return -jnp.take_along_axis(functions.log_softmax(logits), text[:, 1:, None], axis=-1).mean()


def train(functions, steps):
    text = np.frombuffer("\n".join(topics.values()).encode("ascii", "replace"), np.uint8).astype(np.int32)
    optimizer, params = tsj.AdamW(lr=3e-3), init(jax.random.key(0))
    state, rng, losses = optimizer.init(params), np.random.default_rng(0), []

    @jax.jit
    def step(params, state, batch):
        value, grads = jax.value_and_grad(lambda p: loss(functions, p, batch))(params)
        return *optimizer.step(params, grads, state), value

    for _ in range(steps):
        places = rng.integers(0, len(text) - LENGTH - 1, BATCH)
        params, state, value = step(params, state, np.stack([text[at : at + LENGTH + 1] for at in places]))
        losses.append(float(value))
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--compare", action="store_true", help="train by jax.numpy, too")
    options = parser.parse_args()
    begin = time.perf_counter()
    losses = train(tsj, options.steps)
    print(f"loss {losses[0]:.3f} -> {np.mean(losses[-10:]):.3f}, {time.perf_counter() - begin:.1f} s")
    if options.compare:
        others = train(PLAIN, options.steps)
        print(f"losses: differ by {max(abs(a - b) for a, b in zip(losses, others)):.1e} from those of jax.numpy")


if __name__ == "__main__":
    main()
