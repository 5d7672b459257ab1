# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLP train step of the step bench in PyTorch: DTensor over gloo, one process for each rank. Rank 0 prints."""

import json
import os
import sys
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

SIZES = json.loads(sys.argv[1])


class Block(nn.Module):
    def __init__(self, w1, w2):
        super().__init__()
        self.a = nn.Linear(w1.shape[1], w1.shape[0], bias=False)
        self.b = nn.Linear(w2.shape[1], w2.shape[0], bias=False)
        with torch.no_grad():
            self.a.weight.copy_(torch.from_numpy(w1))
            self.b.weight.copy_(torch.from_numpy(w2))

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


torch.set_num_threads(max(1, (os.cpu_count() or 1) // SIZES["ranks"]))
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
data = np.load(SIZES["data"])
model = nn.Sequential(
    *[
        Block(data[f"blocks.{i}.w1"], data[f"blocks.{i}.w2"])
        for i in range(SIZES["blocks"])
    ]
)
plan = {
    f"{i}.{k}": style
    for i in range(SIZES["blocks"])
    for k, style in (("a", ColwiseParallel()), ("b", RowwiseParallel()))
}
parallelize_module(model, mesh, plan)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
x, t = torch.from_numpy(data["x"]), torch.from_numpy(data["t"])
losses, seconds = [], []
for _ in range(SIZES["warmup"] + SIZES["steps"]):
    start = time.perf_counter()
    optimizer.zero_grad()
    loss = ((model(x) - t) ** 2).mean()
    loss.backward()
    optimizer.step()
    seconds.append(time.perf_counter() - start)
    losses.append(loss.item())
if dist.get_rank() == 0:
    print(json.dumps({"seconds": seconds[SIZES["warmup"] :], "loss": losses[0]}))
dist.destroy_process_group()
