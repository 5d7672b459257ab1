# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLP train step of the step bench in JAX, on forced host devices. Prints seconds per step, and the loss."""

import json
import os
import sys
import time

SIZES = json.loads(sys.argv[1])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={SIZES['ranks']}"
import jax  # noqa: E402 (the number of devices must be set before)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec  # noqa: E402


def loss(parameters, x, t):
    for w1, w2 in parameters:
        x = x + jax.nn.relu(x @ w1.T) @ w2.T
    return ((x - t) ** 2).mean()


def step(parameters, x, t):
    value, gradients = jax.value_and_grad(loss)(parameters, x, t)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)


mesh = jax.make_mesh((SIZES["ranks"],), ("tp",), axis_types=(AxisType.Auto,))
replicated = NamedSharding(mesh, PartitionSpec())
rows, columns = NamedSharding(mesh, PartitionSpec("tp", None)), NamedSharding(
    mesh, PartitionSpec(None, "tp")
)
placed = [(rows, columns)] * SIZES["blocks"]
data = np.load(SIZES["data"])
parameters = [
    (jnp.array(data[f"blocks.{i}.w1"]), jnp.array(data[f"blocks.{i}.w2"]))
    for i in range(SIZES["blocks"])
]
x, t = jnp.array(data["x"]), jnp.array(data["t"])
run = (
    jax.jit(
        step,
        in_shardings=(placed, replicated, replicated),
        out_shardings=(replicated, placed),
        donate_argnums=(0,),
    )
    .lower(parameters, x, t)
    .compile()
)
parameters, x, t = (
    jax.device_put(parameters, placed),
    jax.device_put(x, replicated),
    jax.device_put(t, replicated),
)
losses, seconds = [], []
for _ in range(SIZES["warmup"] + SIZES["steps"]):
    start = time.perf_counter()
    value, parameters = run(parameters, x, t)
    jax.block_until_ready(parameters)
    seconds.append(time.perf_counter() - start)
    losses.append(float(value))
print(json.dumps({"seconds": seconds[SIZES["warmup"] :], "loss": losses[0]}))
