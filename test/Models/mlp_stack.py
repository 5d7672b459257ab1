# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stack of blocks with which PyTorch tests FSDP2 together with tensor parallelism: relu(out_proj(relu(in_proj(x)))).

Its batch is 8 rows on each of 2 ranks; 48 rows are three such batches. At 16 rows gathering the batch moves fewer bytes
than reducing gradients.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TransposedLinear(nn.Module):
    """A linear layer whose weight is stored [in, out]."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(nn.Linear(inputs, outputs).weight.detach().t())

    def forward(self, x):
        return x @ self.weight


class MLP(nn.Module):
    def __init__(self, dim, transposed):
        super().__init__()
        self.in_proj = (
            TransposedLinear(dim, 4 * dim)
            if transposed
            else nn.Linear(dim, 4 * dim, bias=False)
        )
        self.out_proj = nn.Linear(4 * dim, dim, bias=False)

    def forward(self, x):
        return F.relu(self.out_proj(F.relu(self.in_proj(x))))


class Stack(nn.Module):
    def __init__(self, blocks, dim, transposed):
        super().__init__()
        self.layers = nn.ModuleList(MLP(dim, transposed) for _ in range(blocks))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def make(blocks, dim=16, rows=48, transposed=False):
    torch.manual_seed(5)
    return Stack(blocks, dim, transposed), (torch.rand(rows, dim),), ["x"], ["y"]


def mlp_stack1():
    return make(1)


def mlp_stack3():
    return make(3)


def mlp_stack3_transposed():
    return make(3, transposed=True)


def mlp_stack3_narrow():
    """Few weights and many rows, so that data parallelism alone pays."""
    return make(3, dim=8, rows=240)
