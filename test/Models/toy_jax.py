# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two-layer model with a mean-squared loss in JAX, with the names of toy.py: the inputs and references of toy_loss
hold for it."""

import jax
import jax.numpy as jnp


def loss(x, t, parameters):
    first, second = parameters["in_proj"], parameters["out_proj"]
    h = jax.nn.relu(x @ first["weight"].T + first["bias"])
    y = h @ second["weight"].T + second["bias"]
    return jnp.mean((y - t) ** 2)


def toy_jax():
    parameters = {
        "in_proj": {"weight": jnp.zeros((32, 10)), "bias": jnp.zeros(32)},
        "out_proj": {"weight": jnp.zeros((5, 32)), "bias": jnp.zeros(5)},
    }
    return loss, (jnp.zeros((4, 10)), jnp.zeros((4, 5)), parameters), None, ["loss"]
