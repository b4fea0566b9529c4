"""Four devices share functions of JAX: the results are those of one device, and what is cut stays cut.

XLA_FLAGS=--xla_force_host_platform_device_count=4 python devices.py rows "a layer"
"""

import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tilesmith.integrations import jax as tsj

MESH = Mesh(np.array(jax.devices()).reshape(2, 2), ("d", "e"))


def drawn(*shape):
    """Return an array of random numbers."""
    return jnp.asarray(np.random.default_rng(sum(shape)).standard_normal(shape), jnp.float32)


def loss(f):
    """Return a function whose gradient is by the first operand of f."""
    return jax.grad(lambda *operands: (f(*operands) ** 2).sum())


def swapped(f):
    """Return the function with its first two operands exchanged."""
    return lambda w, x, *more: f(x, w, *more)


X, W, B, Q, IMAGES, TAPS = (
    drawn(8, 64),
    drawn(64, 32),
    drawn(32),
    drawn(4, 2, 8, 16),
    drawn(8, 3, 9, 9),
    drawn(4, 3, 3, 3),
)
gelu = partial(tsj.linear, activation="gelu")
conv = partial(tsj.conv, padding="SAME")
CASES = {
    # function, operands with how they are cut, how the result is, whether all devices get parts of an operand
    "rows": (tsj.softmax, [(X, "d")], ("d",), False),
    "columns of rows": (tsj.softmax, [(X, "d", "e")], ("d", "e"), True),
    "rows and columns": (tsj.matmul, [(X, "d"), (W, None, "e")], ("d", "e"), False),
    "terms": (tsj.matmul, [(X, None, "e"), (W, "e")], (), False),
    "terms of one factor": (tsj.matmul, [(X, None, "e"), (W,)], (), False),
    "stacks": (tsj.matmul, [(Q[:, 0], "d", "e"), (jnp.swapaxes(Q[:, 0], 1, 2), "d")], ("d", "e"), False),
    "a layer": (gelu, [(X, "d"), (W, None, "e"), (B, "e")], ("d", "e"), False),
    "terms of a layer": (gelu, [(X, None, "e"), (W, "e"), (B,)], (), True),
    "gradient by a weight": (loss(swapped(gelu)), [(W,), (X, "d"), (B,)], (), False),
    "gradient of a norm": (loss(swapped(tsj.layer_norm)), [(drawn(64),), (X, ("d", "e"))], (), False),
    "attention": (tsj.attention, [(Q, "d", "e")] * 3, ("d", "e"), False),
    "few heads": (loss(tsj.attention), [(Q, "d"), *[(Q[:, :1], "d")] * 2], ("d",), False),
    "images": (conv, [(IMAGES, "d"), (TAPS,)], ("d",), False),
    "gradient by taps": (loss(swapped(conv)), [(TAPS,), (IMAGES, "d")], (), False),
    "gradient by images": (loss(conv), [(IMAGES, "d"), (TAPS,)], ("d",), False),
    "a batch": (jax.vmap(tsj.softmax), [(Q, "d")], ("d",), False),
    "norms of parts": (lambda w: tsj.LAMB().step(w, w, tsj.LAMB().init(w))[0], [(W, "d", "e")], ("d", "e"), False),
    "an optimizer": (lambda w: tsj.AdamW().step(w, w, tsj.AdamW().init(w))[0], [(W, "d", "e")], ("d", "e"), False),
}


def check(name):
    """Compare a case with the same function on one device."""
    function, operands, cut, gathers = CASES[name]
    wanted = jax.jit(function)(*(each for each, *_ in operands))
    parts = [jax.device_put(each, NamedSharding(MESH, PartitionSpec(*axes))) for each, *axes in operands]
    program = jax.jit(function).lower(*parts).compile()
    made = program(*parts)
    size = max(1.0, float(jnp.abs(wanted).max()))
    assert np.allclose(made, wanted, atol=2e-6 * size), (name, float(jnp.abs(made - wanted).max()))
    assert made.sharding.spec == PartitionSpec(*cut), (name, made.sharding.spec)
    assert ("all-gather" in program.as_text()) == gathers, name


def check_shard_map():
    """Compare a shard_map, and its gradient by a weight that all devices have, with one device."""
    specs = PartitionSpec("d"), PartitionSpec()
    shared = jax.jit(jax.shard_map(lambda x, w: gelu(x, w, B), mesh=MESH, in_specs=specs, out_specs=specs[0]))
    slopes = (jax.jit(loss(swapped(each)))(W, X) for each in (shared, partial(gelu, bias=B)))
    for one, other in ((shared(X, W), gelu(X, W, B)), tuple(slopes)):
        assert np.allclose(one, other, atol=1e-4)


def check_pmap():
    """Compare a pmap with one device."""
    assert np.allclose(jax.pmap(tsj.softmax)(X.reshape(4, 2, 64)).reshape(X.shape), tsj.softmax(X), atol=1e-6)


CHECKS = {name: partial(check, name) for name in CASES} | {"shard_map": check_shard_map, "pmap": check_pmap}

if __name__ == "__main__":
    for each in sys.argv[1:]:
        CHECKS[each]()
